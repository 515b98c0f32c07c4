"""Shared index: the vectors of an owned home, for other processes.

Only one process may open the index. A command that runs while there is an owner sends requests to it, one JSON object a
line.
"""

import base64
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import anyio
import numpy as np
from anyio.abc import ByteSendStream
from anyio.streams.buffered import BufferedByteReceiveStream

from core.errors import MemoryServiceError, Unavailable, make_error
from core.search import IndexEntry, UnitKind, VectorIndex, Vectors
from service import __version__
from service.owner.endpoint import Connection, NoOwner, NotAnswering
from service.owner.home_config import HomeConfig
from service.owner.launcher import check_settings, connect_if_running

_log = logging.getLogger("remembrancer")

#: Longest request in bytes: a batch of a few hundred entries with long texts.
#: How long the owner may take for an answer, in seconds: a large index may have to be opened or reset for it.
_ANSWER_SECONDS: Final = 120.0
_MAX_REQUEST: Final = 256 * 1024 * 1024


async def serve_index(index: VectorIndex, received: BufferedByteReceiveStream, sent: ByteSendStream) -> None:
    """Answer the requests of one client until it disconnects."""
    while True:
        request = json.loads(await received.receive_until(b"\n", _MAX_REQUEST))
        answer = await anyio.to_thread.run_sync(_answer, index, request)
        await sent.send(json.dumps(answer, ensure_ascii=False).encode() + b"\n")


def _answer(index: VectorIndex, request: Mapping[str, Any]) -> dict[str, object]:
    try:
        return {"answer": _METHODS[request["do"]](index, request)}
    except MemoryServiceError as error:
        return {"error": str(error), "code": error.code}
    except Exception as error:  # noqa: BLE001 - the edge of the owner: one bad request must not end the connection
        _log.exception("A request for the vector index failed unexpectedly")
        message = f"The owner of the vectors failed unexpectedly ({type(error).__name__}): see its log."
        return {"error": message, "code": Unavailable.code}


def _search(index: VectorIndex, request: Mapping[str, Any]) -> object:
    return index.search(request["project_id"], _decode(request["vector"]), request["limit"])


def _upsert(index: VectorIndex, request: Mapping[str, Any]) -> object:
    entries = [IndexEntry(*entry) for entry in request["entries"]]
    vectors = _decode(request["vectors"]).reshape(len(entries), -1)
    index.upsert(request["project_id"], request["kind"], entries, vectors)
    return None


def _entries(index: VectorIndex, request: Mapping[str, Any]) -> object:
    found = index.entries(request["project_id"], request["chunk_ids"], texts=request["texts"])
    return [[entry.chunk_id, entry.text, dict(entry.metadata)] for entry in found.values()]


_METHODS: Final[Mapping[str, Callable[[VectorIndex, Mapping[str, Any]], object]]] = {
    "upsert": _upsert,
    "delete": lambda index, request: index.delete(request["project_id"], request["chunk_ids"]),
    "search": _search,
    "entries": _entries,
    "ids": lambda index, request: sorted(index.ids(request["project_id"])),
    "holds": lambda index, request: index.holds(request["project_id"]),
    "held": lambda index, _: [[*home_config, number] for home_config, number in index.held().items()],
    "discard": lambda index, request: index.discard(request["project_id"], request["model"]),
    "drop": lambda index, request: index.drop(request["project_id"]),
    "reset": lambda index, _: index.reset(),
    "ping": lambda index, _: index.ping(),
}


class SharedIndex:
    """The `core.search.VectorIndex` of the process that owns the home."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    @classmethod
    def of(cls, home: Path) -> Self | None:
        """Return the index of the home's owner; None if there is no owner of this release.

        Logs a warning if the owner has other settings than this process asks for.

        Raises:
            Conflict: it has another record open.
        """
        try:
            connection = connect_if_running(HomeConfig.find(home), "vectors")
        except (NoOwner, Unavailable):
            return None
        if connection.status.get("version") == __version__:
            check_settings(connection)
            if notice := connection.status.get("notice"):
                _log.warning("%s", notice)
            return cls(connection)
        connection.close()
        return None

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        shown = [[entry.chunk_id, entry.text, dict(entry.metadata)] for entry in entries]
        self._call("upsert", project_id=project_id, kind=kind, entries=shown, vectors=_encode(vectors))

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        self._call("delete", project_id=project_id, chunk_ids=list(chunk_ids))

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        found = self._call("search", project_id=project_id, vector=_encode(vector), limit=limit)
        return [(chunk_id, score) for chunk_id, score in found]

    def entries(self, project_id: str, chunk_ids: Sequence[str], *, texts: bool = True) -> dict[str, IndexEntry]:
        found = self._call("entries", project_id=project_id, chunk_ids=list(chunk_ids), texts=texts)
        return {entry[0]: IndexEntry(*entry) for entry in found}

    def ids(self, project_id: str) -> set[str]:
        return set(self._call("ids", project_id=project_id))

    def holds(self, project_id: str) -> bool:
        return bool(self._call("holds", project_id=project_id))

    def held(self) -> dict[tuple[str, str], int]:
        return {(project_id, model): number for project_id, model, number in self._call("held")}

    def discard(self, project_id: str, model: str) -> None:
        self._call("discard", project_id=project_id, model=model)

    def drop(self, project_id: str) -> None:
        self._call("drop", project_id=project_id)

    def reset(self) -> str | None:
        where: str | None = self._call("reset")
        return where

    def ping(self) -> str:
        return f"{self._call('ping')}, through process {self._connection.status.get('pid')}"

    def close(self) -> None:
        self._connection.close()

    def _call(self, do: str, **request: object) -> Any:  # noqa: ANN401 - differs by request
        if not self._lock.acquire(timeout=_ANSWER_SECONDS):
            raise Unavailable("Another request keeps the connection to the vectors' owner busy: try again.")
        try:
            self._connection.send(json.dumps({"do": do} | request, ensure_ascii=False).encode() + b"\n")
            line = self._connection.line(_ANSWER_SECONDS)
        except NotAnswering:
            self._connection.close()  # a late answer would be taken for that to the next request
            raise
        except (OSError, ValueError) as error:
            raise _owner_ended() from error
        finally:
            self._lock.release()
        if not line.endswith(b"\n"):
            raise _owner_ended()
        answer = json.loads(line)
        if "error" in answer:
            raise make_error(answer.get("code"), answer["error"])
        return answer["answer"]


def _owner_ended() -> Unavailable:
    return Unavailable("The process that owns the vectors ended meanwhile: run the command again.")


def _encode(vectors: Vectors) -> str:
    return base64.b64encode(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).decode("ascii")


def _decode(text: str) -> Vectors:
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float32)
