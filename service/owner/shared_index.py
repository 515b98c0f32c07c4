"""Lending: the vectors of an owned home, for the other processes of the shell.

An index has one process. A command that runs beside the owner asks that one, a line a question and a line an answer.
"""

import base64
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import anyio
import numpy as np
from anyio.abc import ByteSendStream
from anyio.streams.buffered import BufferedByteReceiveStream

from core.embedding import IndexEntry, UnitKind, VectorIndex, Vectors
from core.errors import MemoryServiceError, Unavailable
from service import __version__
from service.owner.endpoint import Connection, NobodyListens

#: Longest question in bytes: a batch of a few hundred entries with long texts.
_LONGEST: Final = 256 * 1024 * 1024


async def lend(index: VectorIndex, received: BufferedByteReceiveStream, sent: ByteSendStream) -> None:
    """Answer one borrower's questions about the index until it ends."""
    while True:
        question = json.loads(await received.receive_until(b"\n", _LONGEST))
        answer = await anyio.to_thread.run_sync(_answered, index, question)
        await sent.send(json.dumps(answer, ensure_ascii=False).encode() + b"\n")


def _answered(index: VectorIndex, question: Mapping[str, Any]) -> dict[str, object]:
    try:
        return {"answer": _DOES[question["do"]](index, question)}
    except MemoryServiceError as error:
        return {"error": str(error)}


def _search(index: VectorIndex, asked: Mapping[str, Any]) -> object:
    return index.search(asked["project_id"], _unpacked(asked["vector"]), asked["limit"])


def _upsert(index: VectorIndex, asked: Mapping[str, Any]) -> object:
    entries = [IndexEntry(*entry) for entry in asked["entries"]]
    vectors = _unpacked(asked["vectors"]).reshape(len(entries), -1)
    index.upsert(asked["project_id"], asked["kind"], entries, vectors)
    return None


def _entries(index: VectorIndex, asked: Mapping[str, Any]) -> object:
    found = index.entries(asked["project_id"], asked["chunk_ids"], texts=asked["texts"])
    return [[entry.chunk_id, entry.text, dict(entry.metadata)] for entry in found.values()]


_DOES: Final[Mapping[str, Callable[[VectorIndex, Mapping[str, Any]], object]]] = {
    "upsert": _upsert,
    "delete": lambda index, asked: index.delete(asked["project_id"], asked["chunk_ids"]),
    "search": _search,
    "entries": _entries,
    "ids": lambda index, asked: sorted(index.ids(asked["project_id"])),
    "holds": lambda index, asked: index.holds(asked["project_id"]),
    "held": lambda index, _: [[*place, number] for place, number in index.held().items()],
    "discard": lambda index, asked: index.discard(asked["project_id"], asked["model"]),
    "drop": lambda index, asked: index.drop(asked["project_id"]),
    "reset": lambda index, _: index.reset(),
    "ping": lambda index, _: index.ping(),
}


class LentIndex:
    """Fulfils `core.embedding.VectorIndex` with the index of the process that owns the home."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._asking = threading.Lock()

    @classmethod
    def of(cls, home: Path) -> Self | None:
        """Return the index of the home's owner; None if there is no owner of this release."""
        try:
            connection = Connection(home, "vectors", version=__version__)
        except (NobodyListens, Unavailable):
            return None
        if connection.said.get("version") == __version__:
            return cls(connection)
        connection.close()
        return None

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        shown = [[entry.chunk_id, entry.text, dict(entry.metadata)] for entry in entries]
        self._ask("upsert", project_id=project_id, kind=kind, entries=shown, vectors=_packed(vectors))

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        self._ask("delete", project_id=project_id, chunk_ids=list(chunk_ids))

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        found = self._ask("search", project_id=project_id, vector=_packed(vector), limit=limit)
        return [(chunk_id, score) for chunk_id, score in found]

    def entries(self, project_id: str, chunk_ids: Sequence[str], *, texts: bool = True) -> dict[str, IndexEntry]:
        found = self._ask("entries", project_id=project_id, chunk_ids=list(chunk_ids), texts=texts)
        return {entry[0]: IndexEntry(*entry) for entry in found}

    def ids(self, project_id: str) -> set[str]:
        return set(self._ask("ids", project_id=project_id))

    def holds(self, project_id: str) -> bool:
        return bool(self._ask("holds", project_id=project_id))

    def held(self) -> dict[tuple[str, str], int]:
        return {(project_id, model): number for project_id, model, number in self._ask("held")}

    def discard(self, project_id: str, model: str) -> None:
        self._ask("discard", project_id=project_id, model=model)

    def drop(self, project_id: str) -> None:
        self._ask("drop", project_id=project_id)

    def reset(self) -> str | None:
        where: str | None = self._ask("reset")
        return where

    def ping(self) -> str:
        return f"{self._ask('ping')}, through process {self._connection.said.get('pid')}"

    def close(self) -> None:
        self._connection.close()

    def _ask(self, do: str, **asked: object) -> Any:  # noqa: ANN401 - whatever that question's answer is
        try:
            with self._asking:
                self._connection.send(json.dumps({"do": do} | asked, ensure_ascii=False).encode() + b"\n")
                line = self._connection.reader.readline()
        except (OSError, ValueError) as error:
            raise _gone() from error
        if not line.endswith(b"\n"):
            raise _gone()
        answer = json.loads(line)
        if "error" in answer:
            raise Unavailable(answer["error"])
        return answer["answer"]


def _gone() -> Unavailable:
    return Unavailable("The process that owns the vectors ended meanwhile: run the command again.")


def _packed(vectors: Vectors) -> str:
    return base64.b64encode(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).decode("ascii")


def _unpacked(text: str) -> Vectors:
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float32)
