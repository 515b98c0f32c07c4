"""`make services`: one Neo4j and one Chroma server that go on running, for this checkout.

A Neo4j Community server has the password asked for, over Bolt only. A Chroma server is `chroma run` of the installed
package. It knows no tokens: a proxy before it would check them.
"""

import http.client
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from filelock import FileLock
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from servers.distribution import Distribution
from servers.server import Server, ServerState


class ChromaServer(Server):
    """A Chroma server over a folder; up after about a second."""

    name: ClassVar[str] = "Chroma"

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        """Whether its heartbeat comes within two seconds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/api/v2/heartbeat")
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def environment(self) -> dict[str, str]:
        """Return the variables that make a `remembrancer` process use it."""
        return {"REMEMBRANCER_VECTORS": "server", "CHROMA_URL": self.url}

    def _command(self, state: ServerState) -> Sequence[str]:
        program = Path(sys.executable).with_name("chroma")
        # The server has no telemetry of its own any more; the setting is for the day it has again.
        return (
            *("env", "ANONYMIZED_TELEMETRY=False", str(program), "run", "--path", str(self.folder / "data")),
            *("--host", "127.0.0.1", "--port", str(state.port)),
        )


#: What a server is born with; it refuses all work until this is changed.
_FIRST_PASSWORD: Final = "neo4j"  # noqa: S105 - everybody's, and gone after the first start


class Neo4jServer(Server):
    """A Neo4j server over a folder; up after five to ten seconds of one core, with a random password of its own."""

    name: ClassVar[str] = "Neo4j"
    username: ClassVar[str] = "neo4j"
    database: ClassVar[str] = "neo4j"

    def __init__(
        self,
        folder: Path,
        *,
        detached: bool = False,
        is_short_lived: bool = False,
        distribution: Distribution | None = None,
    ) -> None:
        """`None` means the distribution of this user's cache folder, which is brought at the first start of all.

        One that `is_short_lived` spends little on being fast later: for tests, not for measurements.
        """
        super().__init__(folder, detached=detached)
        self._is_short_lived = is_short_lived
        self.distribution = distribution or Distribution()

    @property
    def uri(self) -> str:
        """Where drivers find it."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def password(self) -> str:
        """The password of `username`."""
        return self._known().password

    def answers(self) -> bool:
        """Whether the database takes a query with the password; at the very first time the password is set."""
        try:
            self._query(self.password, self.database, "RETURN 1")
        except AuthError:
            return self._set_password()
        except (DriverError, Neo4jError, OSError):
            return False
        return True

    def environment(self) -> dict[str, str]:
        """Return the variables that make a `remembrancer` process use it."""
        return {
            "REMEMBRANCER_GRAPH": "neo4j",
            "NEO4J_URI": self.uri,
            "NEO4J_USERNAME": self.username,
            "NEO4J_PASSWORD": self.password,
            "NEO4J_DATABASE": self.database,
        }

    def _set_password(self) -> bool:
        statement = "ALTER CURRENT USER SET PASSWORD FROM $first TO $chosen"
        try:
            self._query(_FIRST_PASSWORD, "system", statement, first=_FIRST_PASSWORD, chosen=self.password)
        except (DriverError, Neo4jError, OSError):
            return False
        return True

    def _query(self, password: str, database: str, statement: str, **parameters: str) -> None:
        auth = (self.username, password)
        with (
            GraphDatabase.driver(self.uri, auth=auth, telemetry_disabled=True, connection_timeout=2) as driver,
            driver.session(database=database) as session,
        ):
            session.run(statement, parameters).consume()

    def _make_password(self) -> str:
        return secrets.token_urlsafe(18)

    def _command(self, state: ServerState) -> Sequence[str]:
        return self.distribution.command(self.folder, state.port, is_short_lived=self._is_short_lived)


ROOT: Final = Path(__file__).parents[1]


class Services:
    """The two servers of a checkout; `.services/` keeps their data, `.services.env` the variables to use them with."""

    def __init__(self, root: Path = ROOT) -> None:
        self.neo4j = Neo4jServer(root / ".services" / "neo4j", detached=True)
        self.chroma = ChromaServer(root / ".services" / "chroma", detached=True)
        self.variables = root / ".services.env"
        self._lock = FileLock(root / ".services" / "lock")

    @property
    def servers(self) -> tuple[Server, ...]:
        """Both."""
        return self.neo4j, self.chroma

    def start(self) -> tuple[Server, ...]:
        """Start those that don't run, and return them. What runs stays as it is.

        Raises:
            Unavailable: one of them has not come up.
        """
        self.variables.parent.joinpath(".services").mkdir(parents=True, exist_ok=True)
        with self._lock:
            started = tuple(server.start() for server in self.servers if not server.running)
            if started or not self.variables.exists():
                self._write_variables()
        return started

    def stop(self) -> tuple[Server, ...]:
        """End those that run, and return them. Their data stays."""
        if not self.variables.parent.joinpath(".services").exists():
            return ()
        with self._lock:
            self.variables.unlink(missing_ok=True)
            running = tuple(server for server in self.servers if server.running)
            for server in running:
                server.stop()
        return running

    def _write_variables(self) -> None:
        variables = {name: value for server in self.servers for name, value in server.environment().items()}
        self.variables.unlink(missing_ok=True)
        self.variables.touch(mode=0o600)
        self.variables.write_text("".join(f"{name}={value}\n" for name, value in variables.items()), encoding="utf-8")
