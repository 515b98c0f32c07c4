"""The way to the server: one driver, transactions that it retries itself, and its errors in our words."""

import logging
import threading
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
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable

T = TypeVar("T")

# Its errors are raised; what else it tells of are retries that succeed, each with the server's whole list of locks.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)

_SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
#: How long a transaction is tried again, in seconds: a deadlock is over sooner, and a caller whose server is gone must
#: hear of it soon.
_RETRY_SECONDS: Final = 2.0
_FIRST_RETRY_SECONDS: Final = 0.05
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
        """Keep what is needed to connect; `prepare` is run once, before the first transaction.

        Nothing is asked of the server yet: a service starts while it is away, and works as soon as it is there.

        Raises:
            InvalidInput: the address is none that the driver understands.
        """
        if urlsplit(uri).scheme not in _SCHEMES:
            raise _bad_address(uri, "no scheme of Neo4j's")
        self.uri = uri
        self.name = name
        self._closed = False
        self._prepare = prepare
        self._preparing = threading.RLock()
        self._is_preparing = self._is_ready = self._is_away = False
        try:
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
            raise _bad_address(uri, str(error)) from error

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction for reading; in a cluster any member may answer it."""
        with self._translated(), self._session(READ_ACCESS) as session:
            return session.execute_read(lambda transaction: work(Transaction(transaction)))

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction for writing, durable when this returns."""
        with self._translated(), self._session(WRITE_ACCESS) as session:
            return session.execute_write(lambda transaction: work(Transaction(transaction)))

    def rehearse(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction for writing and undo it."""
        kept: list[T] = []

        def undone(transaction: Transaction) -> None:
            kept.append(work(transaction))
            raise _Undone

        try:
            self.write(undone)
        except _Undone:
            return kept[-1]
        raise AssertionError("a rehearsal always ends undone")

    def define(self, statement: LiteralString) -> None:
        """Run a statement of the schema; that another replica was quicker is no error."""
        with self._translated(), self._session(WRITE_ACCESS) as session:
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

    def _session(self, access: str) -> Session:
        """Return a session that sees what this process wrote before, whichever member of a cluster answers it."""
        return self._driver.session(
            database=self.name,
            default_access_mode=access,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        if self._closed:
            raise Unavailable(f"The record at {self.uri} was closed: open it again.")
        try:
            self._look_again()
            self._be_ready()
            yield
        except (Neo4jError, DriverError) as error:
            self._is_away = isinstance(error, ServiceUnavailable | SessionExpired)
            raise as_ours(error, self.uri) from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise InvalidInput(f"A value can't be stored ({error}): send valid Unicode and 64-bit numbers.") from error

    def _be_ready(self) -> None:
        """Prepare the database if that was not done yet; other threads wait for the one that does it."""
        if self._is_ready:
            return
        with self._preparing:
            if self._is_ready or self._is_preparing:  # what prepares comes through here itself
                return
            self._is_preparing = True
            try:
                self._prepare(self)
                self._is_ready = True
            finally:
                self._is_preparing = False

    def _look_again(self) -> None:
        """After a failure ask first whether the server is back: that is answered at once, without being tried again."""
        if self._is_away:
            self._driver.verify_connectivity()
            self._is_away = False


class _Undone(Exception):
    """The end of a rehearsal."""


def _bad_address(uri: str, reason: str) -> InvalidInput:
    return InvalidInput(f"NEO4J_URI {uri!r} is not valid ({reason}): use neo4j://HOST:7687 or bolt://HOST:7687.")


def as_ours(error: Neo4jError | DriverError, uri: str) -> MemoryServiceError:
    """Return the error of ours that says what a driver's error means for the record at `uri`."""
    reason = " ".join(str(error).split())[:300]
    code = (getattr(error, "code", None) or "") if isinstance(error, Neo4jError) else ""
    if isinstance(error, AuthError):
        return Unavailable(f"Neo4j at {uri} refused the login: check NEO4J_USERNAME and NEO4J_PASSWORD.")
    if "ConstraintValidationFailed" in code:
        return Conflict(f"Neo4j at {uri} refused a write ({reason}): nothing was stored, check what was given.")
    if "DatabaseNotFound" in code:
        return Unavailable(f"Neo4j at {uri} has no such database: check NEO4J_DATABASE.")
    if isinstance(error, ServiceUnavailable | SessionExpired):
        return Unavailable(f"Neo4j at {uri} can't be reached ({reason}): start it, or check NEO4J_URI.")
    if isinstance(error, ClientError):
        return Unavailable(f"Neo4j at {uri} refused ({reason}): run the doctor command.")
    return Unavailable(f"Neo4j at {uri} does not answer properly ({reason}): try again, or look at its log.")
