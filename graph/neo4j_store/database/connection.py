"""The way to the server: one driver, transactions that it retries itself, and its errors in our words."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, LiteralString, TypeVar
from urllib.parse import urlsplit

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    Driver,
    GraphDatabase,
    ManagedTransaction,
    NotificationMinimumSeverity,
    Record,
    Session,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DatabaseError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable

#: What to do, by a part of the server's code.
_REMEDIES: Final = (
    ("Security.CredentialsExpired", "the password must be changed first: ALTER CURRENT USER SET PASSWORD on `system`"),
    ("Security.AuthenticationRateLimit", "too many wrong logins: wait a few seconds, and check NEO4J_PASSWORD"),
    ("Security.Forbidden", "the user may not do this: give NEO4J_USERNAME the right to write and to make indexes"),
    ("Security.", "check NEO4J_USERNAME and NEO4J_PASSWORD"),
    ("DatabaseNotFound", "there is no such database: check NEO4J_DATABASE"),
    ("DatabaseUnavailable", "the database is stopped or starting: look at its state with SHOW DATABASES"),
    ("ReadOnly", "the database is read-only: check its access mode"),
    ("MemoryPoolOutOfMemory", "give the server more memory for transactions, or store smaller pieces"),
    ("OutOfDisk", "the server's disk is full: free some space"),
    ("TransactionTimedOut", "it took too long: another process may hold a lock, so try again"),
    ("LockAcquisitionTimeout", "another process holds a lock: try again"),
    ("Bookmark", "the database is older than what was read from it before: try again"),
)


def is_away(error: Exception) -> bool:
    """Whether the server can't be reached, or says nothing."""
    return isinstance(error, ServiceUnavailable | SessionExpired) and not isinstance(error, IncompleteCommit)


def as_ours(error: Neo4jError | DriverError, uri: str) -> MemoryServiceError:
    """Return the error of ours that says what a driver's error means for the record at `uri`.

    `Conflict` is what would fail again, however often it is tried.
    """
    reason = " ".join(str(error).split())[:300]
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if isinstance(error, IncompleteCommit):
        return Unavailable(f"Neo4j at {uri} was lost while it kept a write: it may be stored; the same call is safe.")
    if is_away(error):
        return Unavailable(f"Neo4j at {uri} can't be reached ({reason}): start it, or check NEO4J_URI.")
    if "ConstraintValidationFailed" in code:
        return Conflict(f"Neo4j at {uri} refused a write ({reason}): nothing was stored, check what was given.")
    for part, remedy in _REMEDIES:
        if part in code:
            return Unavailable(f"Neo4j at {uri} refused ({reason}): {remedy}.")
    if isinstance(error, AuthError):
        return Unavailable(f"Neo4j at {uri} refused the login: check NEO4J_USERNAME and NEO4J_PASSWORD.")
    if isinstance(error, ClientError | DatabaseError) and ".Statement." in code:
        return Conflict(f"Neo4j at {uri} can't do this ({reason}): nothing was stored; please report it.")
    return Unavailable(f"Neo4j at {uri} does not answer properly ({reason}): try again, or look at its log.")


T = TypeVar("T")

# Its errors are raised; what else it tells of are retries that succeed, each with the server's whole list of locks.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)

_SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
#: How long a transaction is tried again, in seconds: a deadlock is over sooner, and a caller whose server is gone must
#: hear of it soon.
_RETRY_SECONDS: Final = 2.0
_FIRST_RETRY_SECONDS: Final = 0.05
#: Longest life of a transaction on the server, in seconds: what a process held that was frozen or cut off is free again
#: then. Ten million characters take half a minute. `LONG_SECONDS` is for work on many items at once.
SHORT_SECONDS: Final = 90.0
LONG_SECONDS: Final = 1_800.0
#: How often a process looks whether a newer release has taken over the database, in seconds.
_PREPARE_AGAIN_SECONDS: Final = 60.0
_CONNECT_SECONDS: Final = 2.0
#: How long a caller waits for a connection, in seconds: when all are lent, or the server says nothing.
_POOL_SECONDS: Final = 3.0


class Transaction:
    """One transaction, as the engine's modules use it."""

    def __init__(self, transaction: ManagedTransaction) -> None:
        self._transaction = transaction

    def rows(self, statement: LiteralString, /, **parameters: object) -> list[Record]:
        """Run a statement of `graph.neo4j_store.cypher` and return all its rows."""
        return list(self._transaction.run(statement, parameters))

    def row(self, statement: LiteralString, /, **parameters: object) -> Record | None:
        """Return the first row, None if there is none."""
        return next(iter(self.rows(statement, **parameters)), None)

    def run(self, statement: LiteralString, /, **parameters: object) -> None:
        """Run a statement for its effect."""
        self._transaction.run(statement, parameters).consume()


class Database:
    """The server's database, over the driver's pool of connections. Safe to use from several threads.

    The driver tries a transaction again when the server asks for it (deadlocks, a leader that moved): what runs inside
    must be safe to run twice.
    """

    def __init__(
        self, uri: str, username: str, password: str, name: str, *, prepare: "Callable[[Database], None]"
    ) -> None:
        """Keep what is needed to connect; `prepare` is run before the first transaction, and again every minute.

        Nothing is asked of the server yet: a service starts while it is away, and works as soon as it is there.

        Raises:
            InvalidInput: the address is none that the driver understands.
        """
        self.uri = uri
        self.name = name
        #: The project of the last claim of each kind of job, after which the next one's turn comes.
        self.last_claimed: dict[str, str] = {}
        self._closed = self._is_away = False
        self._readiness = _Readiness(lambda: prepare(self))
        try:
            parts = urlsplit(uri)
            if parts.scheme not in _SCHEMES or not parts.hostname or parts.port == 0:
                raise ValueError("no address of Neo4j's")
            self._driver: Driver = GraphDatabase.driver(
                uri,
                auth=(username, password),
                user_agent="remembrancer",
                telemetry_disabled=True,
                # Statements are ours and tested: what the planner would like to say about them helps no user.
                notifications_min_severity=NotificationMinimumSeverity.OFF,
                connection_timeout=_CONNECT_SECONDS,
                connection_acquisition_timeout=_POOL_SECONDS,
                max_transaction_retry_time=_RETRY_SECONDS,
                initial_retry_delay=_FIRST_RETRY_SECONDS,
                retry_delay_multiplier=1.5,
                liveness_check_timeout=60,
            )
        except (ValueError, ConfigurationError) as error:
            raise InvalidInput(
                f"NEO4J_URI {uri!r} is not valid ({error}): use neo4j://HOST:7687 or bolt://HOST:7687."
            ) from error
        self._bookmarks = GraphDatabase.bookmark_manager()

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction for reading; in a cluster any member may answer it."""
        with self._session(READ_ACCESS) as session:
            return session.execute_read(_timed(work, SHORT_SECONDS))

    def rows(self, statement: LiteralString, /, **parameters: object) -> list[Record]:
        """Return the rows of one statement that reads."""
        return self.read(lambda transaction: transaction.rows(statement, **parameters))

    def write(self, work: Callable[[Transaction], T], *, seconds: float = SHORT_SECONDS) -> T:
        """Run `work` in a transaction for writing, durable when this returns; the server ends it after `seconds`."""
        with self._session(WRITE_ACCESS) as session:
            return session.execute_write(_timed(work, seconds))

    def dry_run(self, work: Callable[[Transaction], T], *, seconds: float = SHORT_SECONDS) -> T:
        """Run `work` in a transaction for writing and undo it."""
        kept: list[T] = []

        def undone(transaction: Transaction) -> None:
            kept.append(work(transaction))
            raise _Undone

        try:
            self.write(undone, seconds=seconds)
        except _Undone:
            return kept[-1]
        raise AssertionError("a rehearsal always ends undone")

    def define(self, statement: LiteralString) -> None:
        """Run a statement of the schema; that another replica was quicker is no error."""
        with self._session(WRITE_ACCESS) as session:
            try:
                session.execute_write(lambda transaction: transaction.run(statement).consume())
            except ClientError as error:
                if "AlreadyExists" not in (error.code or ""):
                    raise

    def server(self) -> str:
        """Return the server's product and version, asking it."""
        with self._translated():
            return self._driver.get_server_info().agent

    def close(self) -> None:
        """Give up all connections; calling it twice is no error."""
        self._closed = True
        self._driver.close()

    @contextmanager
    def _session(self, access: str) -> Iterator[Session]:
        """Lend a session that sees what this process wrote before, whichever member of a cluster answers it."""
        with self._translated():
            if self._is_away:
                # Answered at once, where a transaction would be tried again and again.
                self._driver.verify_connectivity()
                self._is_away = False
            self._readiness.ensure()
            with self._driver.session(
                database=self.name, default_access_mode=access, bookmark_manager=self._bookmarks
            ) as session:
                yield session

    @contextmanager
    def _translated(self) -> Iterator[None]:
        if self._closed:
            raise Unavailable(f"The record at {self.uri} was closed: open it again.")
        try:
            yield
        except (Neo4jError, DriverError) as error:
            self._is_away = is_away(error)
            if isinstance(error, Neo4jError) and "Bookmark" in (error.code or ""):
                # The database was restored to an earlier state: what was seen of the later one is no more.
                self._bookmarks = GraphDatabase.bookmark_manager()
            raise as_ours(error, self.uri) from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise InvalidInput(f"A value can't be stored ({error}): send valid Unicode and 64-bit numbers.") from error


class _Readiness:
    """Whether the database was prepared within the last minute; one thread prepares while others wait."""

    def __init__(self, prepare: Callable[[], None]) -> None:
        self._prepare = prepare
        self._lock = threading.RLock()
        self._is_preparing = False
        self._until = 0.0
        self._failure: tuple[float, MemoryServiceError] | None = None

    def ensure(self) -> None:
        asked = time.monotonic()
        if asked < self._until:
            return
        with self._lock:
            if self._is_preparing or asked < self._until:  # what prepares comes through here itself
                return
            if self._failure is not None and self._failure[0] > asked:
                raise type(self._failure[1])(str(self._failure[1]))
            self._is_preparing = True
            try:
                self._prepare()
                self._until = time.monotonic() + _PREPARE_AGAIN_SECONDS
            except MemoryServiceError as error:
                self._failure = time.monotonic(), error
                raise
            finally:
                self._is_preparing = False


class _Undone(Exception):
    """The end of a rehearsal."""


def _timed(work: Callable[[Transaction], T], seconds: float) -> Callable[[ManagedTransaction], T]:
    return unit_of_work(timeout=seconds)(lambda transaction: work(Transaction(transaction)))
