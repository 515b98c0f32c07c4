"""The vector index in Chroma: for each project and model a collection of chunks and one of turns."""

import hashlib
import logging
import os
import re
import sqlite3
import struct
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
from filelock import FileLock, Timeout

from core.dates import now
from core.embedding import Embedder, IndexEntry, UnitKind, Vectors
from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection

_log = logging.getLogger("remembrancer.vectors")

_KINDS: Final[tuple[UnitKind, ...]] = get_args(UnitKind)
#: Graph and search widths over Chroma's defaults (16, 100, 100): 1.00 of the true first 200 are found instead of 0.97,
#: writing takes a third longer, which is a tenth of what embedding takes.
_HNSW: "Final[CreateHNSWConfiguration]" = {
    "space": "cosine",
    "max_neighbors": 32,
    "ef_construction": 200,
    "ef_search": 400,
}
#: The numbers at the beginning of an index file's header, as hnswlib writes them.
_HEADER: Final = struct.Struct("<iQQQQ")
#: How many writes Chroma collects before it saves its index files and purges its log: its default, and the fewest.
_SAVE_USUALLY, _SAVE_AT_ONCE = 1_000, 2
#: How long `close` waits for calls under way, in seconds.
_CLOSE_SECONDS: Final = 30.0


class EmbeddedChroma:
    """Chroma in this process, over a folder that no other process may open at the same time.

    Two processes over one folder overwrite each other's index files without an error, so a lock beside the folder is
    held while it is open; the system releases it when the process ends, however it ends.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        # Not bound to a thread: the one that closes is seldom the one that opened.
        self._lock = FileLock(self._folder.with_name(f"{self._folder.name}.lock"), thread_local=False)
        self._owner = self._folder.with_name(f"{self._folder.name}.pid")
        # Not in memory: a process that is killed leaves it to the next one.
        self._removals = self._folder.with_name(f"{self._folder.name}.removals")
        #: What Chroma raises, and which of it means a missing collection; known once its package is imported.
        self.errors: tuple[type[Exception], ...] = ()
        self.missing: tuple[type[Exception], ...] = ()

    def __str__(self) -> str:
        return str(self._folder)

    def open(self) -> "ClientAPI":
        """Take the lock and open the folder.

        Raises:
            Unavailable: another process has it open, or the disk refuses.
        """
        self._acquire()
        try:
            return self._connect()
        except BaseException:
            self._release()
            raise

    def close(self, client: "ClientAPI") -> None:
        """Let go of the folder; what was written is on disk already, in Chroma's write-ahead log if nowhere else.

        After removals the files are rid of what was removed first, which takes seconds in a large index, and a copy of
        the database's size.
        """
        try:
            if self._removals.exists():
                client = self._purged(client)
            _end(client)
        finally:
            self._release()

    def note_removal(self) -> None:
        """Have `close` rid the files of texts that are about to be removed: Chroma itself leaves them there."""
        self._removals.touch(mode=0o600)

    def _purged(self, client: "ClientAPI") -> "ClientAPI":
        """Make Chroma save its index files and purge its log, then rewrite the database without its free pages.

        Chroma purges only what it has saved, so nothing is lost when the process is killed here; the threshold is read
        when a collection is opened.
        """
        try:
            _save_after(client, _SAVE_AT_ONCE)
            _end(client)
            client = self._connect()
            for collection in client.list_collections():
                for _ in range(_SAVE_AT_ONCE):
                    collection.delete(ids=["nothing"])
            _save_after(client, _SAVE_USUALLY)
            _end(client)
            with closing(sqlite3.connect(self._folder / "chroma.sqlite3")) as database:
                database.execute("VACUUM")
            for header in self._folder.glob("*/header.bin"):
                _blank_unused(header)
            self._removals.unlink()
        except (*self.errors, sqlite3.Error, struct.error) as error:  # type: ignore[misc]  # a tuple of classes, put together
            _log.warning("Texts that were forgotten are still in %s; the next process tries again: %s", self, error)
        return client

    def move_aside(self) -> Path:
        """Rename the folder, which must not be open here, so that the next `open` begins an empty one; return where to.

        Raises:
            Unavailable: another process has it open, or the disk refuses.
        """
        aside = self._folder.with_name(f"{self._folder.name}.damaged-{now():%Y%m%dT%H%M%S%f}")
        self._acquire()
        try:
            return self._folder.rename(aside)
        except OSError as error:
            raise Unavailable(
                f"The vector index {str(self)!r} can't be moved aside ({error}): check the folder."
            ) from error
        finally:
            self._release()

    def _connect(self) -> "ClientAPI":
        # Chroma takes a second to import; a service that starts, or answers from words alone, does not wait for it.
        import chromadb
        from chromadb.api.shared_system_client import SharedSystemClient
        from chromadb.config import Settings
        from chromadb.errors import ChromaError, NotFoundError

        self.missing = (NotFoundError,)
        # `ValueError` is how its Python side refuses values.
        self.errors = (ChromaError, ValueError, OSError)
        try:
            return chromadb.PersistentClient(str(self._folder), settings=Settings(anonymized_telemetry=False))
        except BaseException:
            # Chroma keeps what failed to start and would hand it out, broken, at the next try.
            SharedSystemClient._identifier_to_system.pop(str(self._folder), None)
            raise

    def _acquire(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock.acquire(timeout=0)
            self._owner.write_text(str(os.getpid()), encoding="ascii")
        except Timeout as error:
            raise Unavailable(
                f"Another remembrancer process (pid {self._owner_pid()}) has the vector index {str(self)!r} open: "
                "use that one, or end it and try again."
            ) from error
        except OSError as error:
            raise Unavailable(f"The vector index {str(self)!r} can't be opened ({error}): check the folder.") from error

    def _release(self) -> None:
        self._owner.unlink(missing_ok=True)
        self._lock.release()

    def _owner_pid(self) -> str:
        try:
            return self._owner.read_text(encoding="ascii") or "unknown"
        except OSError:
            return "unknown"


class ChromaIndex:
    """A `core.embedding.VectorIndex` for the vectors of one model; opened at the first call.

    After `close` every call is `Unavailable`: a job that ends late must not take the folder from the next owner.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._chroma = EmbeddedChroma(folder)
        self._model = embedder.model
        self._client: ClientAPI | None = None
        self._collections: dict[tuple[str, UnitKind], Collection] = {}
        self._calls = 0
        self._closed = False
        self._state = Condition()

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Write entries with their vectors; of two with one chunk id the later counts.

        Raises:
            InvalidInput: there are not as many vectors as entries.
            Conflict: the model's vectors had another dimension before.
        """
        if vectors.ndim != 2 or len(entries) != len(vectors):
            raise InvalidInput(f"{len(entries)} entries came with vectors of shape {vectors.shape}: give one each.")
        rows = list({entry.chunk_id: row for row, entry in enumerate(entries)}.values())
        with self._open() as client:
            if not rows:
                return
            collection = self._made(client, project_id, kind, vectors.shape[1])
            step = client.get_max_batch_size()
            for first in range(0, len(rows), step):
                some = rows[first : first + step]
                _write(collection, [entries[row] for row in some], vectors[some])

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        """Remove chunks from every collection of the project, of every model."""
        with self._open() as client:
            self._chroma.note_removal()
            step = client.get_max_batch_size()
            for collection in _of_project(client, project_id):
                for first in range(0, len(chunk_ids), step):
                    collection.delete(ids=list(chunk_ids[first : first + step]))

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        """Return up to `limit` (chunk id, cosine) pairs, best first, equal ones by id.

        Raises:
            Conflict: the model's vectors had another dimension before.
        """
        query = np.atleast_2d(vector)
        found: list[tuple[str, float]] = []
        with self._open() as client:
            for kind in _KINDS if limit > 0 else ():
                if (collection := self._existing(client, project_id, kind)) is not None:
                    self._check_dimension(collection, query.shape[1])
                    answer = collection.query(query_embeddings=query, n_results=limit, include=["distances"])
                    distances = answer["distances"] or [[]]
                    found += ((id_, 1 - away) for id_, away in zip(answer["ids"][0], distances[0], strict=True))
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]

    def entries(self, project_id: str, chunk_ids: Sequence[str]) -> dict[str, IndexEntry]:
        """Return the entries of these chunks and turns as last written under the current model, by id."""
        wanted = list(dict.fromkeys(chunk_ids))
        found: dict[str, IndexEntry] = {}
        with self._open() as client:
            step = client.get_max_batch_size()
            for kind in _KINDS if wanted else ():
                if (collection := self._existing(client, project_id, kind)) is not None:
                    for first in range(0, len(wanted), step):
                        found |= _read(collection, wanted[first : first + step])
        return found

    def ids(self, project_id: str) -> set[str]:
        """Return the ids of all chunks and turns indexed under the current model."""
        with self._open() as client:
            there = (self._existing(client, project_id, kind) for kind in _KINDS)
            return {id_ for collection in there if collection is not None for id_ in collection.get(include=[])["ids"]}

    def drop(self, project_id: str) -> None:
        """Remove the project's collections, of every model."""
        with self._open() as client:
            self._chroma.note_removal()
            for collection in _of_project(client, project_id):
                client.delete_collection(collection.name)
            with self._state:
                for kind in _KINDS:
                    self._collections.pop((project_id, kind), None)

    def reset(self) -> str | None:
        """Remove every collection; a folder that can't be opened is moved aside, and where to is returned."""
        try:
            with self._open() as client:
                self._chroma.note_removal()
                for collection in client.list_collections():
                    client.delete_collection(collection.name)
        except Unavailable:
            return self._moved_aside()
        finally:
            with self._state:
                self._collections.clear()
        return None

    def _moved_aside(self) -> str:
        with self._state:
            if self._closed or not self._state.wait_for(lambda: self._calls == 0, timeout=_CLOSE_SECONDS):
                raise Unavailable(
                    f"The vector index {str(self._chroma)!r} is in use or closed: start the service again."
                )
            client, self._client = self._client, None
            if client is not None:
                self._chroma.close(client)
            return str(self._chroma.move_aside())

    def ping(self) -> str:
        """Return where the index is."""
        with self._open() as client:
            client.heartbeat()
            return f"Chroma in {self._chroma}"

    def close(self) -> None:
        """Wait for calls under way, then release the folder; calling it twice is no error.

        Raises:
            Unavailable: a call is still under way after 30 seconds; the folder stays held until the process ends.
        """
        with self._state:
            self._closed = True
            if not self._state.wait_for(lambda: self._calls == 0, timeout=_CLOSE_SECONDS):
                raise Unavailable(f"The vector index {str(self._chroma)!r} is in use: end the process to close it.")
            client, self._client = self._client, None
            self._collections.clear()
            if client is not None:
                self._chroma.close(client)

    @contextmanager
    def _open(self) -> "Iterator[ClientAPI]":
        """Hold the client open for one call, and translate what Chroma raises."""
        with self._state:
            client = self._opened()
            self._calls += 1
        try:
            with self._translating():
                yield client
        finally:
            with self._state:
                self._calls -= 1
                self._state.notify_all()

    def _opened(self) -> "ClientAPI":
        if self._closed:
            raise Unavailable(f"The vector index {str(self._chroma)!r} was closed: start the service again.")
        if self._client is None:
            with self._translating():
                self._client = self._chroma.open()
        return self._client

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except MemoryServiceError:
            raise
        except self._chroma.errors as error:
            with self._state:
                # A collection that was deleted meanwhile fails only once.
                self._collections.clear()
            raise Unavailable(
                f"The vector index {str(self._chroma)!r} failed ({type(error).__name__}: {str(error)[:300]}): "
                "try again, or run `remembrancer reindex --what vectors`."
            ) from error

    def _existing(self, client: "ClientAPI", project_id: str, kind: UnitKind) -> "Collection | None":
        """Return the collection of this model; None where nothing was indexed yet."""
        with self._state:
            if (project_id, kind) not in self._collections:
                try:
                    found = client.get_collection(_name(project_id, kind, self._model), embedding_function=None)
                except self._chroma.missing:
                    return None
                self._collections[project_id, kind] = self._checked(found, project_id)
            return self._collections[project_id, kind]

    def _made(self, client: "ClientAPI", project_id: str, kind: UnitKind, dimension: int) -> "Collection":
        with self._state:
            if (collection := self._existing(client, project_id, kind)) is None:
                collection = client.create_collection(
                    _name(project_id, kind, self._model),
                    embedding_function=None,
                    configuration={"hnsw": _HNSW},
                    metadata={"project_id": project_id, "model": self._model, "dimension": dimension, "kind": kind},
                )
                self._collections[project_id, kind] = collection
        self._check_dimension(collection, dimension)
        return collection

    def _checked(self, collection: "Collection", project_id: str) -> "Collection":
        facts = collection.metadata or {}
        if (facts.get("project_id"), facts.get("model")) != (project_id, self._model):
            raise Conflict(
                f"The collection {collection.name!r} belongs to project {facts.get('project_id')!r} and model "
                f"{facts.get('model')!r}: run `remembrancer reindex --what vectors`."
            )
        return collection

    def _check_dimension(self, collection: "Collection", dimension: int) -> None:
        kept = (collection.metadata or {}).get("dimension")
        if kept != dimension:
            raise Conflict(
                f"{self._model} gives vectors of {dimension} numbers and the index keeps {kept} for it: "
                "run `remembrancer reindex --what vectors`, or set the dimension back."
            )


def _end(client: "ClientAPI") -> None:
    """Close a client; calling it twice is no error."""
    client.close()  # type: ignore[attr-defined]  # every client but the interface has it


def _name(project_id: str, kind: UnitKind, model: str) -> str:
    """Return a name that Chroma allows (no `..`) for the eye; the digest makes it the project's and the model's own."""
    digest = hashlib.sha256(f"{project_id}/{model}".encode()).hexdigest()[:16]
    return f"{kind}-{re.sub(r'[^A-Za-z0-9_-]', '_', project_id)}-{digest}"


def _blank_unused(header: Path) -> None:
    """Overwrite the room for more elements in an index file: hnswlib saves it as it came, often with texts in it.

    `header` holds its version, then the offset, the elements there is room for and those there are, and their size. A
    file that does not fit these numbers is left as it is.
    """
    version, offset, room, used, size = _HEADER.unpack_from(header.read_bytes())
    vectors = header.with_name("data_level0.bin")
    unused = (room - used) * size
    if (version, offset) == (1, 0) and unused > 0 and vectors.stat().st_size == room * size:
        with vectors.open("r+b") as file:
            file.seek(used * size)
            file.write(bytes(unused))


def _save_after(client: "ClientAPI", writes: int) -> None:
    """Have Chroma save each collection's index files after so many writes; it obeys once the collection is reopened."""
    with warnings.catch_warnings():
        # It reads our collections' lack of an embedding function as that of an ancient release.
        warnings.simplefilter("ignore", DeprecationWarning)
        for collection in client.list_collections():
            collection.modify(configuration={"hnsw": {"sync_threshold": writes}})


def _of_project(client: "ClientAPI", project_id: str) -> "list[Collection]":
    """Return the project's collections of every model, told by their metadata."""
    return [each for each in client.list_collections() if (each.metadata or {}).get("project_id") == project_id]


def _write(collection: "Collection", entries: Sequence[IndexEntry], vectors: Vectors) -> None:
    ids = [entry.chunk_id for entry in entries]
    kept = collection.get(ids=ids, include=["metadatas"])
    before = dict(zip(kept["ids"], kept["metadatas"] or [], strict=True))
    collection.upsert(
        ids=ids,
        embeddings=vectors,
        documents=[entry.text for entry in entries],
        # The annotations leave None out, which is how an entry without metadata is written.
        metadatas=[_replacing(before.get(entry.chunk_id), entry.metadata) for entry in entries],  # type: ignore[misc]
    )


def _read(collection: "Collection", chunk_ids: list[str]) -> dict[str, IndexEntry]:
    kept = collection.get(ids=chunk_ids, include=["documents", "metadatas"])
    rows = zip(kept["ids"], kept["documents"] or [], kept["metadatas"] or [], strict=True)
    return {id_: IndexEntry(id_, text, dict(metadata or {})) for id_, text, metadata in rows}  # type: ignore[arg-type]  # lists are never written


def _replacing(before: Mapping[str, object] | None, metadata: Mapping[str, object]) -> dict[str, Any] | None:
    """Return what makes Chroma hold exactly `metadata`: it merges what it is given into what it has."""
    return {**dict.fromkeys(before or {}), **metadata} or None
