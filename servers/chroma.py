"""A Chroma server: `chroma run` of the installed package. It knows no tokens: a proxy before it would check them."""

import http.client
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

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
