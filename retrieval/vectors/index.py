"""The vector index in Chroma: for each project and model a collection of chunks and one of turns."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from threading import Condition
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable
from core.search import Embedder, IndexEntry, UnitKind, Vectors
from retrieval.vectors.connection import (
    KINDS,
    Chroma,
    collection_name,
    delete_register,
    list_collections,
    list_models,
    project_collections,
    register_model,
)

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")

#: Graph and search widths over Chroma's defaults (16, 100, 100): 1.00 of the true first 200 are found instead of 0.97,
#: writing takes a third longer, which is a tenth of what embedding takes.
_HNSW: "Final[CreateHNSWConfiguration]" = {
    "space": "cosine",
    "max_neighbors": 32,
    "ef_construction": 200,
    "ef_search": 400,
}
#: How long `close` waits for calls under way, in seconds.
_CLOSE_SECONDS: Final = 30.0
#: How long a call waits for others, so that the client can be opened afresh, in seconds.
_REOPEN_SECONDS: Final = 0.2
#: Most bytes of entries in one write, roughly: a proxy before a server may refuse more, and each is held in memory.
_BATCH_BYTES: Final = 4_000_000
#: Most ids in one answer.
_PAGE: Final = 5_000
#: Attempts at a call whose collections vanish: one that others lost and make anew may vanish twice.
_ATTEMPTS: Final = 4


class ChromaIndex:
    """A `core.search.VectorIndex` for the vectors of one model; opened at the first call.

    Collections that other processes drop or make anew meanwhile are looked up again: each call may be made several
    times, which changes nothing. After `close` every call is `Unavailable`: a job that ends late must not take a folder
    from the next owner.
    """

    def __init__(self, chroma: Chroma, embedder: Embedder) -> None:
        self._chroma = chroma
        self._model = embedder.model
        self._client: ClientAPI | None = None
        self._collections: dict[tuple[str, UnitKind], Collection] = {}
        #: The names of the collections that were used since the client was opened.
        self._used: set[str] = set()
        self._calls = 0
        self._closed = False
        self._state = Condition()

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Write entries with their vectors; of two with one chunk id the later counts.

        An entry that is there already is missing from searches for the fraction of a second in which it is replaced.

        Raises:
            InvalidInput: there are not as many vectors as entries.
            Conflict: the model's vectors had another dimension before.
        """
        if vectors.ndim != 2 or len(entries) != len(vectors):
            raise InvalidInput(f"{len(entries)} entries came with vectors of shape {vectors.shape}: give one each.")
        rows = list({entry.chunk_id: row for row, entry in enumerate(entries)}.values())

        def write(client: "ClientAPI") -> None:
            if rows:
                collection = self._made(client, project_id, kind, vectors.shape[1])
                for some in _batches(rows, entries, vectors, partial(self._chroma.max_entries, client)):
                    begin = perf_counter()
                    _write(collection, [entries[row] for row in some], vectors[some])
                    self._chroma.yield_to_others(perf_counter() - begin)

        self._call(write)

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        """Remove chunks from every collection of the project, of every model."""

        def remove(client: "ClientAPI") -> None:
            collections = list(self._of_every_model(client, project_id))
            self._chroma.note_removal(collections)
            step = client.get_max_batch_size()
            self._note_use(collections)
            for collection in collections:
                for first in range(0, len(chunk_ids), step):
                    collection.delete(ids=list(chunk_ids[first : first + step]))

        self._call(remove)

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        """Return up to `limit` (chunk id, cosine) pairs, best first, equal ones by id.

        Raises:
            Conflict: the model's vectors had another dimension before.
        """
        query = np.atleast_2d(vector)

        def near(client: "ClientAPI") -> list[tuple[str, float]]:
            found: list[tuple[str, float]] = []
            for collection in self._both(client, project_id) if limit > 0 else ():
                self._check_dimension(collection, query.shape[1])
                answer = collection.query(query_embeddings=query, n_results=limit, include=["distances"])
                distances = answer["distances"] or [[]]
                found += ((id_, 1 - away) for id_, away in zip(answer["ids"][0], distances[0], strict=True))
            return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]

        return self._call(near)

    def entries(self, project_id: str, chunk_ids: Sequence[str], *, texts: bool = True) -> dict[str, IndexEntry]:
        """Return the entries of these chunks and turns as last written under the current model, by id."""
        wanted = list(dict.fromkeys(chunk_ids))

        def read(client: "ClientAPI") -> dict[str, IndexEntry]:
            found: dict[str, IndexEntry] = {}
            step = client.get_max_batch_size()
            for collection in self._both(client, project_id) if wanted else ():
                for first in range(0, len(wanted), step):
                    found |= _read(collection, wanted[first : first + step], texts=texts)
            return found

        return self._call(read)

    def ids(self, project_id: str) -> set[str]:
        """Return the ids of all chunks and turns indexed under the current model.

        Read a page at a time: of those written or removed meanwhile, and then of others too, any may be missing.
        """

        def read(client: "ClientAPI") -> set[str]:
            return {id_ for collection in self._both(client, project_id) for id_ in _ids(collection)}

        return self._call(read)

    def holds(self, project_id: str) -> bool:
        """Whether anything of the project is indexed under the current model; no index file is loaded for that."""

        def look(client: "ClientAPI") -> bool:
            return any(collection.get(limit=1, include=[])["ids"] for collection in self._both(client, project_id))

        return self._call(look)

    def held(self) -> dict[tuple[str, str], int]:
        """Return how many chunks and turns are indexed, by project and model, of every project and model."""

        def count(client: "ClientAPI") -> dict[tuple[str, str], int]:
            numbers = Counter[tuple[str, str]]()
            for collection in list_collections(client):
                facts = collection.metadata or {}
                numbers[str(facts["project_id"]), str(facts["model"])] += collection.count()
            return dict(numbers)

        return self._call(count)

    def discard(self, project_id: str, model: str) -> None:
        """Remove what is indexed of the project under this model, which need not be the current one."""

        def remove(client: "ClientAPI") -> None:
            self._remove(client, list(project_collections(client, project_id, [model], self._chroma.missing)))
            with self._state:
                self._collections.clear()

        self._call(remove)

    def drop(self, project_id: str) -> None:
        """Remove the project's collections, of every model."""

        def remove(client: "ClientAPI") -> None:
            self._remove(client, list(self._of_every_model(client, project_id)))
            with self._state:
                for kind in KINDS:
                    self._collections.pop((project_id, kind), None)

        self._call(remove)

    def reset(self) -> str | None:
        """Remove every collection that an index made; a folder that can't be opened is moved aside: return where to."""

        def empty(client: "ClientAPI") -> None:
            self._remove(client, list(list_collections(client)))
            delete_register(client, self._chroma.missing)

        try:
            self._call(empty)
        except Unavailable:
            if (aside := self._moved_aside()) is None:
                raise
            return aside
        finally:
            with self._state:
                self._collections.clear()
        return None

    def _remove(self, client: "ClientAPI", collections: "Sequence[Collection]") -> None:
        self._chroma.note_removal()
        for collection in collections:
            # Another process may remove the same ones at this moment.
            with suppress(*self._chroma.missing):
                client.delete_collection(collection.name)

    def _moved_aside(self) -> str | None:
        with self._state:
            if self._closed or not self._state.wait_for(lambda: self._calls == 0, timeout=_CLOSE_SECONDS):
                raise Unavailable(
                    f"The vector index {str(self._chroma)!r} is in use or closed: start the service again."
                )
            client, self._client = self._client, None
            if client is not None:
                self._chroma.close(client)
            aside = self._chroma.move_aside()
            return str(aside) if aside is not None else None

    def ping(self) -> str:
        """Return where the index is."""
        return self._call(self._chroma.ping)

    def close(self) -> None:
        """Wait for calls under way, then release the folder or the connections; calling it twice is no error.

        Raises:
            Unavailable: a call is still under way after 30 seconds; a folder stays held until the process ends.
        """
        with self._state:
            self._closed = True
            if not self._state.wait_for(lambda: self._calls == 0, timeout=_CLOSE_SECONDS):
                raise Unavailable(f"The vector index {str(self._chroma)!r} is in use: end the process to close it.")
            client, self._client = self._client, None
            self._collections.clear()
            if client is not None:
                self._chroma.close(client)

    def _call(self, call: "Callable[[ClientAPI], T]") -> T:
        """Make a call; retry it where a collection or connection that no longer exists may have failed it."""
        with self._open() as client:
            retrying = Retrying(
                retry=retry_if_exception_type(self._chroma.passing),
                stop=stop_after_attempt(_ATTEMPTS),
                before_sleep=self._forget_collections,
                reraise=True,
            )
            return retrying(call, client)

    def _forget_collections(self, _: RetryCallState) -> None:
        with self._state:
            self._collections.clear()

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
        if self._is_worn():
            self._state.wait_for(lambda: self._calls == 0 or not self._is_worn(), timeout=_REOPEN_SECONDS)
        if self._closed:
            raise Unavailable(f"The vector index {str(self._chroma)!r} was closed: start the service again.")
        client = self._client
        with self._translating():
            if client is None:
                client = self._chroma.open()
            elif self._is_worn() and self._calls == 0:
                self._client = None
                self._collections.clear()
                self._used.clear()
                client = self._chroma.reopen(client)
        self._client = client
        return client

    def _is_worn(self) -> bool:
        return self._chroma.most_used is not None and len(self._used) >= self._chroma.most_used

    def _note_use(self, collections: "Sequence[Collection]") -> None:
        self._chroma.note_use(collections)
        with self._state:
            self._used.update(collection.name for collection in collections)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except MemoryServiceError:
            raise
        except self._chroma.errors as error:
            raise self._chroma.translate_error(error) from error

    def _both(self, client: "ClientAPI", project_id: str) -> "Iterator[Collection]":
        """Yield the project's collections of this model; those where nothing was indexed yet are left out."""
        for kind in KINDS:
            if (collection := self._existing(client, project_id, kind)) is not None:
                yield collection

    def _of_every_model(self, client: "ClientAPI", project_id: str) -> "Iterator[Collection]":
        missing = self._chroma.missing
        return project_collections(client, project_id, list_models(client, missing), missing)

    def _existing(self, client: "ClientAPI", project_id: str, kind: UnitKind) -> "Collection | None":
        """Return the collection of this model; None where nothing was indexed yet."""
        with self._state:
            known = self._collections.get((project_id, kind))
        if known is not None:
            return known
        try:
            found = client.get_collection(collection_name(project_id, kind, self._model), embedding_function=None)
        except self._chroma.missing:
            return None
        return self._kept(found, project_id, kind)

    def _made(self, client: "ClientAPI", project_id: str, kind: UnitKind, dimension: int) -> "Collection":
        if (collection := self._existing(client, project_id, kind)) is None:
            register_model(client, self._model, self._chroma.missing)
            # Where another thread or process makes it at this moment, both get the one that came first.
            made = client.get_or_create_collection(
                collection_name(project_id, kind, self._model),
                embedding_function=None,
                metadata={"project_id": project_id, "model": self._model, "dimension": dimension, "kind": kind},
                **self._chroma.collection_settings(_HNSW),
            )
            collection = self._kept(made, project_id, kind)
        self._check_dimension(collection, dimension)
        return collection

    def _kept(self, collection: "Collection", project_id: str, kind: UnitKind) -> "Collection":
        facts = collection.metadata or {}
        if (facts.get("project_id"), facts.get("model")) != (project_id, self._model):
            raise Conflict(
                f"The collection {collection.name!r} belongs to project {facts.get('project_id')!r} and model "
                f"{facts.get('model')!r}: run `remembrancer reindex --what vectors`."
            )
        with self._state:
            self._collections[project_id, kind] = collection
        self._note_use([collection])
        return collection

    def _check_dimension(self, collection: "Collection", dimension: int) -> None:
        kept = (collection.metadata or {}).get("dimension")
        if kept != dimension:
            raise Conflict(
                f"{self._model} gives vectors of {dimension} numbers and the index keeps {kept} for it: "
                "run `remembrancer reindex --what vectors`, or set the dimension back."
            )


def _ids(collection: "Collection") -> Iterator[str]:
    for first in itertools.count(0, _PAGE):
        page = collection.get(limit=_PAGE, offset=first, include=[])["ids"]
        yield from page
        if len(page) < _PAGE:
            return


def _batches(
    rows: Sequence[int], entries: Sequence[IndexEntry], vectors: Vectors, most: Callable[[], int]
) -> Iterator[list[int]]:
    """Yield the rows in order, at most `most` at a time and roughly up to `_BATCH_BYTES`, a larger one alone."""
    batch: list[int] = []
    size, room = 0, most()
    for row in rows:
        # Numbers travel in base64, text and metadata as JSON.
        own = vectors[row].nbytes * 4 // 3 + len(json.dumps([entries[row].text, dict(entries[row].metadata)]))
        if batch and (len(batch) == room or size + own > _BATCH_BYTES):
            yield batch
            batch, size, room = [], 0, most()
        batch.append(row)
        size += own
    if batch:
        yield batch


def _write(collection: "Collection", entries: Sequence[IndexEntry], vectors: Vectors) -> None:
    """Write entries, those that are there already after deleting them.

    Writing over them takes Chroma ten times as long, 4 s for 256, and merges old metadata into new.
    """
    ids = [entry.chunk_id for entry in entries]
    if known := collection.get(ids=ids, include=[])["ids"]:
        collection.delete(ids=known)
    collection.upsert(
        ids=ids,
        embeddings=vectors,
        documents=[entry.text for entry in entries],
        # The annotations leave None out, which is how an entry without metadata is written.
        metadatas=[dict(entry.metadata) or None for entry in entries],  # type: ignore[misc]
    )


def _read(collection: "Collection", chunk_ids: list[str], *, texts: bool) -> dict[str, IndexEntry]:
    kept = collection.get(ids=chunk_ids, include=["documents", "metadatas"] if texts else ["metadatas"])
    documents = (kept["documents"] or []) if texts else [""] * len(kept["ids"])
    rows = zip(kept["ids"], documents, kept["metadatas"] or [], strict=True)
    return {id_: IndexEntry(id_, text, dict(metadata or {})) for id_, text, metadata in rows}  # type: ignore[arg-type]  # lists are never written
