"""Chroma as a server that any number of processes share."""

import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from core.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from collections.abc import Collection as AnyOf

    import httpx
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.fastapi import FastAPI
    from chromadb.api.models.Collection import Collection

#: How long to wait for a connection, for an answer that somebody waits for, and for a write, in seconds.
_CONNECT, _READ, _WRITE = 2.0, 10.0, 60.0
_WRITES: Final = re.compile(r"/(?:upsert|delete)$")
#: The version that this client's servers say they are begins so: 1.5.9 says 1.0.0.
_SPOKEN: Final = "1."
#: A token is one word of these signs, as Chroma's own server and RFC 6750 have it.
_TOKEN: Final = re.compile(r"[!-~]+")
#: How much of an answer that makes no sense is shown.
_SHOWN_CHARS: Final = 300


class ChromaServer:
    """A `Chroma` behind HTTP; nothing is sent before the first call, and calls time out.

    `url` may have a path that a proxy puts before Chroma's own; `token` is sent as `Authorization: Bearer` and appears
    nowhere else. What is removed is gone from every answer at once; in the server's files it stays until the server
    purges its log and its database is vacuumed (`chroma vacuum`), which is its operator's part.
    """

    #: Which collections are in memory is the server's part.
    most_used: int | None = None

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = _checked(url)
        if token is not None and not _TOKEN.fullmatch(token):
            raise InvalidInput("CHROMA_TOKEN holds signs that no token has: set it to visible ASCII without spaces.")
        self._token = token
        self.errors: tuple[type[Exception], ...] = ()
        self.missing: tuple[type[Exception], ...] = ()
        self.passing: tuple[type[Exception], ...] = ()

    def __str__(self) -> str:
        return self._url

    def open(self) -> "ClientAPI":
        """Make a client without asking the server anything, so that this neither waits nor fails."""
        # Chroma takes a second to import; a service that starts, or answers from words alone, does not wait for it.
        import httpx
        from chromadb.api.client import Client
        from chromadb.api.fastapi import FastAPI
        from chromadb.config import Settings, System
        from chromadb.errors import ChromaError, NotFoundError

        self.missing = (NotFoundError,)
        # A connection that was kept open breaks when the server was started anew meanwhile.
        self.passing = (NotFoundError, httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
        # What an answer of another shape than Chroma's leads to.
        answers = (ValueError, KeyError, TypeError, AttributeError)
        self.errors = (ChromaError, httpx.HTTPError, httpx.InvalidURL, OSError, *answers)
        system = System(
            Settings(
                chroma_api_impl="chromadb.api.fastapi.FastAPI",
                chroma_server_host=self._url,
                chroma_server_http_port=0,  # asked for, but the address has its own
                chroma_server_ssl_enabled=False,  # likewise
                chroma_server_headers=None,
                chroma_client_auth_provider=None,
                anonymized_telemetry=False,
            )
        )
        # The client's own constructor asks the server three things, with no limit of time, and closes no connection.
        client = Client.__new__(Client)
        client._server = system.instance(FastAPI)
        session = _session(client)
        session.event_hooks = {"request": [_limit], "response": [self._check]}
        if self._token is not None:
            session.headers["Authorization"] = f"Bearer {self._token}"
        system.start()
        return client

    def reopen(self, client: "ClientAPI") -> "ClientAPI":
        """Return the client: nobody has it opened afresh."""
        return client

    def close(self, client: "ClientAPI") -> None:
        """End the connections; what was written is the server's."""
        _session(client).close()

    def collection_settings(self, hnsw: "CreateHNSWConfiguration") -> dict[str, Any]:
        """Return the arguments that make a collection with such an index of vectors."""
        return {"configuration": {"hnsw": hnsw}}

    def note_use(self, collections: "AnyOf[Collection]") -> None:
        """Do nothing: the memory is the server's."""

    def note_removal(self, collections: "AnyOf[Collection] | None" = None) -> None:
        """Do nothing: the files are the server's."""

    def ping(self, client: "ClientAPI") -> str:
        """Return what the server says it is, and where."""
        said = str(client.get_version())[:40]
        if not said.startswith(_SPOKEN):
            raise Unavailable(
                f"The server at {self} says it is version {said!r} of Chroma, and the client, {_client_version()}, "
                "speaks to 1.x only: bring both to the same."
            )
        return f"Chroma {said} at {self}"

    def max_entries(self, client: "ClientAPI") -> int:
        """Return how many entries the server takes in one write."""
        return client.get_max_batch_size()

    def yield_to_others(self, written_for: float) -> None:
        """Go on at once: a write keeps no other thread waiting."""

    def translate_error(self, error: Exception) -> Unavailable:
        """Translate one of `errors`."""
        return Unavailable(
            f"The Chroma server at {self} does not answer as it should ({type(error).__name__}: {self._shown(error)}): "
            "check that it runs there (CHROMA_URL) and try again."
        )

    def move_aside(self) -> Path | None:
        """Move nothing: others may use the server."""
        return None

    def _check(self, response: "httpx.Response") -> None:
        """Refuse what no Chroma answers: its client would raise a bare `Exception`, or the text of a proxy's page."""
        if response.is_success:
            return
        response.read()
        status = f"{response.status_code} {response.reason_phrase}".strip()
        if response.status_code in (401, 403):
            raise Unavailable(f"The Chroma server at {self} refused the token ({status}): check CHROMA_TOKEN.")
        if not _is_of_chroma(response):
            raise Unavailable(
                f"The server at {self} answered {status} where Chroma {_client_version()} expects one of version 1.x "
                f"({self._shown(response.text)!r}): check CHROMA_URL and that server, then try again."
            )

    def _shown(self, text: object) -> str:
        shown = str(text).replace(self._token, "***") if self._token else str(text)
        return shown[:_SHOWN_CHARS]


def _checked(url: str) -> str:
    """Return the address without a slash at its end.

    Raises:
        InvalidInput: it is not an address, or contains credentials, which would show up in logs.
    """
    try:
        parts = urlsplit(url)
        address = (parts.hostname, parts.port)
    except ValueError as error:
        raise InvalidInput(f"CHROMA_URL is no address ({error}): set it like http://host:8000.") from error
    if "@" in parts.netloc:
        raise InvalidInput("CHROMA_URL holds a user or password: set it like http://host:8000, and CHROMA_TOKEN.")
    if (
        parts.scheme not in ("http", "https")
        or not address[0]
        or parts.query
        or parts.fragment
        or re.search(r"\s", url)
    ):
        raise InvalidInput(f"CHROMA_URL {url!r} is no address of a server: set it like http://host:8000.")
    return url.rstrip("/")


def _limit(request: "httpx.Request") -> None:
    """Bound the wait for each step of a request; the client itself sets no limits."""
    is_write = request.method == "DELETE" or _WRITES.search(request.url.path)
    wait = _WRITE if is_write else _READ
    request.extensions["timeout"] = {"connect": _CONNECT, "read": wait, "write": wait, "pool": wait}


def _is_of_chroma(response: "httpx.Response") -> bool:
    """Whether the client knows the error in this answer, and raises it as what it is."""
    from chromadb.errors import error_types

    try:
        answer = response.json()
        return answer["error"] in error_types and "message" in answer
    except (ValueError, KeyError, TypeError):
        return False


def _session(client: "ClientAPI") -> "httpx.Client":
    server: FastAPI = client._server  # type: ignore[attr-defined]  # the interface does not have it, `open` made it
    return server._session


def _client_version() -> str:
    return version("chromadb")
