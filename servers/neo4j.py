"""A Neo4j Community server with the password asked for, over Bolt only."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from servers.distribution import Distribution
from servers.server import Server, ServerState

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
