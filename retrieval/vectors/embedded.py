"""Chroma in this process, over a folder."""

import ctypes
import logging
import os
import pickle
import re
import shutil
import sqlite3
import struct
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from filelock import FileLock, Timeout

from core.dates import now
from core.errors import Unavailable
from core.own_process import is_own_process
from core.timing import trim_memory
from graph.disk_space import check_room

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from collections.abc import Collection as AnyOf

    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection

_log = logging.getLogger("remembrancer.vectors")

#: Instead of the name of a collection: that texts are removed from any.
_ANY: Final = "*"
#: The numbers at the beginning of an index file's header, as hnswlib writes them.
_HEADER: Final = struct.Struct("<iQQQQ")
_DATABASE: Final = "chroma.sqlite3"
#: The name of the collection whose index files a folder of this name has.
_COLLECTION_OF: Final = """
SELECT collections.name FROM collections JOIN segments ON segments.collection = collections.id WHERE segments.id = ?
"""
#: The name of the folder that the index files of a collection have, or will have.
_INDEX_OF: Final = "SELECT id FROM segments WHERE collection = ? AND scope = 'VECTOR'"
#: The file of an index that is written last; without it Chroma makes the index anew.
_NAMES: Final = "index_metadata.pickle"
#: The name of a folder with index files.
_SEGMENT: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Chroma writes to the table of its full-text index even where a collection's schema has that index disabled, and it
# indexes documents as values of metadata, too: together half of its database. Without the former it refuses
# `where_document`, without the latter it looks for values of metadata by reading them all.
_DISABLE_FULL_TEXT: Final = """
UPDATE collections SET schema_str = json_set(schema_str, '$.keys."#document".string.fts_index.enabled', json('false'))
"""
_WITH_FULL_TEXT: Final = """
SELECT count(*) FROM collections
WHERE schema_str ->> '$.keys."#document".string.fts_index.enabled' IS NOT 0
"""
_DROP_FULL_TEXT: Final = (
    "DROP TABLE embedding_fulltext_search",
    "CREATE TABLE embedding_fulltext_search (string_value TEXT)",
    """
    CREATE TRIGGER no_full_text BEFORE INSERT ON embedding_fulltext_search BEGIN
        SELECT RAISE(IGNORE);
    END
    """,
)
#: How many writes Chroma collects before it saves its index files and purges its log: its default, and the fewest.
_SAVE_USUALLY, _SAVE_AT_ONCE = 1_000, 2
#: Entries in one write, at most and at least: more are written faster (by half with 256), and keep all other threads
#: waiting longer.
_MOST_ENTRIES, _FEWEST_ENTRIES = 32, 8
#: How long a write should take, in seconds; on an idle machine one of 32 does.
_WRITE_SECONDS: Final = 0.05
#: The option of glibc's `mallopt` (https://man7.org/linux/man-pages/man3/mallopt.3.html); its value is what is
#: written over memory that is given back, and its complement over what is given out.
_M_PERTURB: Final = -6
#: Chroma 1.5 keeps the indexes of collections in memory, 2.8 MB of a small one, a fifth as many as a process may have
#: open files. One that gives way to others loses what was written and not saved yet, up to a thousand entries, until
#: the next write or start: searches fail ("Nothing found on disk") or miss it. So no more than these are ever used,
#: and a process may have enough open files that none of eight equal parts of its cache is full by then.
_MOST_USED: Final = 48
_OPEN_FILES: Final = 8 * _MOST_USED * 5
#: Longest rest after a write, in seconds.
_LONGEST_REST: Final = 0.05


class _Plain:
    """A base class that checks nothing."""


def _unchecked(method: Any) -> Any:  # noqa: ANN401 - whatever is decorated
    return method


#: What Chroma imports and this service never uses: what sends traces to a collector, with gRPC, the command line of an
#: HTTP client, its own models with their client and the schemas of their settings, and what compares each method with
#: the one that it overrides. Together 25 MB, and half of the time that Chroma takes to import.
_UNUSED: Final[dict[str, Any]] = {
    "opentelemetry.exporter.otlp.proto.grpc.trace_exporter": SimpleNamespace(OTLPSpanExporter=None),
    "opentelemetry.sdk.resources": SimpleNamespace(SERVICE_NAME=None, Resource=None),
    "opentelemetry.sdk.trace": SimpleNamespace(TracerProvider=None),
    "opentelemetry.sdk.trace.export": SimpleNamespace(BatchSpanProcessor=None),
    "chromadb.utils.embedding_functions.onnx_mini_lm_l6_v2": SimpleNamespace(ONNXMiniLM_L6_V2=None),
    "chromadb.utils.embedding_functions.schemas.schema_utils": SimpleNamespace(
        SCHEMAS_DIR=None, validate_config_schema=None, load_schema=None, get_schema_version=None
    ),
    "httpx._main": None,  # as if it could not be imported, which the client allows for
    "overrides": SimpleNamespace(override=_unchecked, overrides=_unchecked, EnforceOverrides=_Plain),
}


def _import_chroma() -> None:
    """Import Chroma, in a process of our own without what is never used there; a release that needs more gets it."""
    if is_own_process():
        with suppress(ImportError, AttributeError), _without_unused():
            import chromadb
            import chromadb.api.rust  # both of these are loaded by name as the client starts
            import chromadb.telemetry.product.posthog  # noqa: F401


@contextmanager
def _without_unused() -> Iterator[None]:
    absent = {name: nothing for name, nothing in _UNUSED.items() if name not in sys.modules}
    sys.modules.update(absent)
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]  # so that it can be imported later


def find_damaged_copies(folder: Path) -> list[Path]:
    """Return the damaged indexes that were moved aside, the oldest first."""
    return sorted(folder.parent.glob(f"{folder.name}.damaged-*"))


def _clear_memory() -> None:
    """Have glibc clear each block of memory, of a kilobyte or more, that it gives out from now on.

    Chroma saves a new index with the part of its blocks that it has not used yet. In blocks that this process used
    before there may be texts, such as secrets that are stored nowhere.
    """
    if sys.platform == "linux" and (set_option := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        set_option(_M_PERTURB, 0xFF)


def _allow_open_files() -> None:
    """Let this process have enough open files, as far as the system allows it: Chroma's cache is made by that."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class EmbeddedChroma:
    """A `Chroma` in this process, over a folder that no other process may open at the same time.

    Two processes over one folder overwrite each other's index files without an error, so a lock file next to the folder
    is held while it is open; the system releases it when the process ends, however it ends.
    """

    most_used: int | None = _MOST_USED

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        # Not bound to a thread: the one that closes is seldom the one that opened.
        self._lock = FileLock(self._folder.with_name(f"{self._folder.name}.lock"), thread_local=False)
        self._owner = self._folder.with_name(f"{self._folder.name}.pid")
        # Not in memory: a process that is killed leaves it to the next one.
        self._removals = self._folder.with_name(f"{self._folder.name}.removals")
        self.errors: tuple[type[Exception], ...] = ()
        self.missing: tuple[type[Exception], ...] = ()
        self.passing: tuple[type[Exception], ...] = ()
        self._entries = _MOST_ENTRIES

    def __str__(self) -> str:
        return str(self._folder)

    def open(self) -> "ClientAPI":
        """Take the lock and open the folder; another process that has it open is named in the error."""
        self._acquire()
        client = self._connected()
        try:
            self._drop_half_written(client)
        except self.errors as error:
            _log.warning("Half-written indexes may be left in %s: %s", self, error)
        return client

    def reopen(self, client: "ClientAPI") -> "ClientAPI":
        """Open the folder afresh: what of collections was in memory is read again when they are used."""
        _end(client)
        trim_memory()
        return self._connected()

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

    def collection_settings(self, hnsw: "CreateHNSWConfiguration") -> dict[str, Any]:
        """Return the arguments that make a collection with such an index of vectors, and no index of documents."""
        from chromadb.api.types import DOCUMENT_KEY, FtsIndexConfig, HnswIndexConfig, Schema, VectorIndexConfig

        space, options = hnsw.get("space"), {name: value for name, value in hnsw.items() if name != "space"}
        schema = Schema().create_index(VectorIndexConfig(space=space, hnsw=HnswIndexConfig(**options)))
        return {"schema": schema.delete_index(FtsIndexConfig(), DOCUMENT_KEY)}

    def note_use(self, collections: "AnyOf[Collection]") -> None:
        """Have memory cleared before Chroma makes the index of a collection that it has not saved yet.

        Of an index that it saved, Chroma writes only what it has used; to clear its blocks takes as long as to read it.
        """
        with closing(sqlite3.connect(self._folder / _DATABASE)) as database:
            for collection in collections:
                for (folder,) in database.execute(_INDEX_OF, (str(collection.id),)).fetchall():
                    if not (self._folder / folder / _NAMES).exists():
                        _clear_memory()

    def note_removal(self, collections: "AnyOf[Collection] | None" = None) -> None:
        """Have `close` rid the files of texts that are about to be removed: Chroma itself leaves them there.

        Damaged indexes that were moved aside may hold the same texts, and are deleted; `doctor` names one that stays.
        """
        self._removals.touch(mode=0o600)
        noted = set(self._removals.read_text(encoding="utf-8").splitlines())
        named = {_ANY} if collections is None else {collection.name for collection in collections}
        if not named <= noted:
            with self._removals.open("a", encoding="utf-8") as file:
                file.writelines(f"{name}\n" for name in sorted(named - noted))
        for damaged in find_damaged_copies(self._folder):
            shutil.rmtree(damaged, ignore_errors=True)

    def vacuum(self) -> None:
        """Rid the files of what was removed, of free space, and of indexes that nothing reads.

        Raises:
            Unavailable: the disk has not enough free space, another process has the folder open, or Chroma fails.
        """
        database = self._folder / _DATABASE
        if not database.exists():
            return
        free = shutil.disk_usage(self._folder).free
        check_room(f"the vector index {str(self)!r}", 2 * database.stat().st_size, free)
        client = self.open()
        self.note_removal()
        self.close(client)
        if self._removals.exists():
            raise Unavailable(f"The vector index {str(self)!r} could not be vacuumed; the log says why: try again.")

    def ping(self, client: "ClientAPI") -> str:
        """Return where the folder is."""
        client.heartbeat()
        return f"Chroma in {self}"

    def max_entries(self, client: "ClientAPI") -> int:
        """Return how many entries take about 50 ms to write: so long Chroma keeps the interpreter's lock."""
        return min(self._entries, client.get_max_batch_size())

    def yield_to_others(self, written_for: float) -> None:
        """Leave the interpreter to other threads for as long as a write kept it from them; long ones become shorter."""
        if written_for > 2 * _WRITE_SECONDS:
            self._entries = max(_FEWEST_ENTRIES, self._entries // 2)
        elif written_for < _WRITE_SECONDS:
            self._entries = min(_MOST_ENTRIES, 2 * self._entries)
        time.sleep(min(written_for, _LONGEST_REST))

    def translate_error(self, error: Exception) -> Unavailable:
        """Translate one of `errors`."""
        return Unavailable(
            f"The vector index {str(self)!r} failed ({type(error).__name__}: {str(error)[:300]}): "
            "try again, or run `remembrancer reindex --what vectors`."
        )

    def _purged(self, client: "ClientAPI") -> "ClientAPI":
        """Make Chroma save its index files and purge its log, then rewrite the database without its free pages.

        Chroma purges only what it has saved, so nothing is lost when the process is killed here; the threshold is read
        when a collection is opened. Collections from which nothing was removed are not opened.
        """
        try:
            _save_after(self._noted(client), _SAVE_AT_ONCE)
            _end(client)
            client = self._connect()
            collections = self._noted(client)
            self.note_use(collections)
            for collection in collections:
                for _ in range(_SAVE_AT_ONCE):
                    collection.delete(ids=["nothing"])
            _save_after(collections, _SAVE_USUALLY)
            _end(client)
            drop_unused_indexes(self._folder / _DATABASE)
            with closing(sqlite3.connect(self._folder / _DATABASE)) as database:
                database.execute("VACUUM")
                kept = {id_ for (id_,) in database.execute("SELECT id FROM segments")}
            for folder in self._indexes():
                if folder.name not in kept:  # of a collection that was dropped
                    shutil.rmtree(folder)
            for header in self._folder.glob("*/header.bin"):
                _blank_unused(header)
            self._removals.unlink()
        except (*self.errors, struct.error) as error:  # type: ignore[misc]  # a tuple of classes, put together
            _log.warning("Texts that were forgotten are still in %s; the next process tries again: %s", self, error)
        return client

    def _noted(self, client: "ClientAPI") -> "list[Collection]":
        """Return the collections from which texts were removed; a note without names is of any."""
        names = set(self._removals.read_text(encoding="utf-8").splitlines()) or {_ANY}
        return [collection for collection in client.list_collections() if not names.isdisjoint({collection.name, _ANY})]

    def _indexes(self) -> list[Path]:
        """Return the folders with index files."""
        return [folder for folder in self._folder.iterdir() if _SEGMENT.fullmatch(folder.name)]

    def _drop_half_written(self, client: "ClientAPI") -> None:
        """Drop the collections whose files a killed process left half-written: Chroma would fail at each use.

        Their vectors are made anew from the record, as those of any index that is gone.
        """
        if not (half := [folder for folder in self._indexes() if not _is_whole(folder)]):
            return
        with closing(sqlite3.connect(self._folder / _DATABASE)) as database:
            for folder in half:
                for (name,) in database.execute(_COLLECTION_OF, (folder.name,)).fetchall():
                    _log.warning("The index %s of %s was not saved whole and is made anew.", name, self)
                    client.delete_collection(name)
                shutil.rmtree(folder)

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

    def _connected(self) -> "ClientAPI":
        """Return a client, or let go of the folder."""
        try:
            return self._connect()
        except BaseException:
            self._release()
            raise

    def _connect(self) -> "ClientAPI":
        # Chroma takes a second to import; a service that starts, or answers from words alone, does not wait for it.
        _import_chroma()
        import chromadb
        from chromadb.api.shared_system_client import SharedSystemClient
        from chromadb.config import Settings
        from chromadb.errors import ChromaError, NotFoundError

        settings = Settings(anonymized_telemetry=False, chroma_otel_granularity="none")
        database = self._folder / _DATABASE
        is_new = not database.exists()
        self.missing = self.passing = (NotFoundError,)
        # `ValueError` is how its Python side refuses values.
        self.errors = (ChromaError, ValueError, OSError, sqlite3.Error)
        _allow_open_files()
        try:
            client = chromadb.PersistentClient(str(self._folder), settings=settings)
            if is_new:
                _end(client)
                drop_unused_indexes(database)
                client = chromadb.PersistentClient(str(self._folder), settings=settings)
            return client
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


def _is_whole(folder: Path) -> bool:
    """Whether the files of an index end as they should: those that Chroma writes anew each time it saves."""
    header, names = folder / "header.bin", folder / _NAMES
    if header.exists() and header.stat().st_size < _HEADER.size:
        return False
    if not names.exists():
        return True  # nothing was saved yet
    with names.open("rb") as file:
        file.seek(max(0, names.stat().st_size - len(pickle.STOP)))
        return file.read() == pickle.STOP


def drop_unused_indexes(path: Path) -> None:
    """Drop the indexes of Chroma's database, which no process has open, that this service does not read.

    The full-text index stays while a collection of an early release has no schema in which to disable it.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        found = database.execute("SELECT sql FROM sqlite_master WHERE name = 'embedding_fulltext_search'")
        if any("VIRTUAL" in sql for (sql,) in found):
            database.execute(_DISABLE_FULL_TEXT)
            if not database.execute(_WITH_FULL_TEXT).fetchone()[0]:
                for statement in _DROP_FULL_TEXT:
                    database.execute(statement)
        for kind in ("string", "int", "float"):
            database.execute(f"DROP INDEX IF EXISTS embedding_metadata_{kind}_value")
        database.execute("COMMIT")


def _end(client: "ClientAPI") -> None:
    """Close a client; calling it twice is no error."""
    client.close()  # type: ignore[attr-defined]  # every client but the interface has it


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


def _save_after(collections: "AnyOf[Collection]", writes: int) -> None:
    """Have Chroma save each collection's index files after so many writes; it obeys once the collection is reopened."""
    with warnings.catch_warnings():
        # It reads our collections' lack of an embedding function as a sign of an ancient release.
        warnings.simplefilter("ignore", DeprecationWarning)
        for collection in collections:
            collection.modify(configuration={"hnsw": {"sync_threshold": writes}})
