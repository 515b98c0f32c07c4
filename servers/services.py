"""`make services`: one Neo4j and one Chroma server that go on running, for this checkout."""

from pathlib import Path
from typing import Final

from filelock import FileLock

from servers.chroma import ChromaServer
from servers.neo4j import Neo4jServer
from servers.server import Server

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
