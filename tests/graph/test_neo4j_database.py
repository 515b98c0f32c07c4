"""The way to Neo4j: what is said when it fails, and how a server that was away is found again."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from neo4j import Driver, GraphDatabase
from neo4j import exceptions as driver_errors

from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable
from graph.neo4j_store import Neo4jStore
from graph.neo4j_store.cypher import schema_cypher
from graph.neo4j_store.database import connection
from graph.neo4j_store.database.connection import Database, as_ours, is_away
from graph.neo4j_store.migrations import MIGRATIONS, add_tag_forms, check_release, prepare
from servers import Neo4jServer
from tests.contracts.makers import PROJECT, everything, item, pieces

URI = "bolt://graph.example:7687"
_VERSION = "MATCH (m:Marker {id: 'neo4j: schema'}) RETURN m.value"


def every_error() -> list[Exception]:
    """One of each class of error that the driver raises of itself or for the server, misuse of its objects left out."""
    roots, misuse = (driver_errors.Neo4jError, driver_errors.DriverError), (
        driver_errors.ResultError, driver_errors.TransactionError, driver_errors.SessionError,
    )  # fmt: skip
    classes = [kind for kind in vars(driver_errors).values() if isinstance(kind, type) and issubclass(kind, roots)]
    return [kind("what happened") for kind in classes if not issubclass(kind, misuse)]


def of_server(code: str) -> driver_errors.Neo4jError:
    """Return the driver's error for a code of the server's."""
    return driver_errors.Neo4jError._hydrate_neo4j(code=code, message="what happened")


def test_every_error_of_the_driver_is_translated() -> None:
    """A caller never meets the driver's own."""
    errors = every_error()

    assert len(errors) > 15
    for error in errors:
        ours = as_ours(error, URI)  # type: ignore[arg-type]
        assert isinstance(ours, MemoryServiceError)
        assert URI in str(ours)


@pytest.mark.parametrize(
    ("code", "kind", "advice"),
    [
        ("Neo.ClientError.Security.Unauthorized", Unavailable, "NEO4J_PASSWORD"),
        ("Neo.ClientError.Security.CredentialsExpired", Unavailable, "ALTER CURRENT USER"),
        ("Neo.ClientError.Security.AuthenticationRateLimit", Unavailable, "wait"),
        ("Neo.ClientError.Security.Forbidden", Unavailable, "right to write"),
        ("Neo.ClientError.Database.DatabaseNotFound", Unavailable, "NEO4J_DATABASE"),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", Unavailable, "memory"),
        ("Neo.ClientError.Transaction.TransactionTimedOut", Unavailable, "try again"),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", Conflict, "nothing was stored"),
        ("Neo.ClientError.Statement.SyntaxError", Conflict, "nothing was stored"),
        ("Neo.DatabaseError.Statement.ExecutionFailed", Conflict, "nothing was stored"),
    ],
)
def test_what_the_server_refuses_says_what_to_do(code: str, kind: type[Exception], advice: str) -> None:
    """What would fail again however often it is tried is a conflict; a worker parks it instead of trying for ever."""
    ours = as_ours(of_server(code), URI)

    assert type(ours) is kind
    assert advice in str(ours)


def test_a_commit_whose_end_is_not_known_says_so() -> None:
    """It may be stored: the caller must not be told that it is not."""
    lost = driver_errors.IncompleteCommit("gone")

    assert "may be stored" in str(as_ours(lost, URI))
    assert not is_away(lost)


@pytest.mark.parametrize("uri", ["http://graph.example", "graph.example:7687", "bolt://[::1", "bolt://host:none", ""])
def test_an_address_that_is_none_is_invalid_input(uri: str) -> None:
    """At start, naming the setting."""
    with pytest.raises(InvalidInput, match="NEO4J_URI"):
        Neo4jStore(uri, "neo4j", "secret")


def test_a_server_that_is_away_is_told_soon_and_then_at_once() -> None:
    """The first call tries for two seconds, the next ones do not."""
    taken = []
    with Neo4jStore("bolt://127.0.0.1:9", "neo4j", "secret") as store:
        for _ in range(3):
            begin = time.monotonic()
            with pytest.raises(Unavailable, match="can't be reached"):
                store.metadata_value("name")
            taken.append(time.monotonic() - begin)

    assert taken[0] < 10
    assert max(taken[1:]) < 1


def test_a_wrong_password_and_a_wrong_database_name_their_settings(neo4j_server: Neo4jServer) -> None:
    """The secret itself is told to nobody."""
    with (
        Neo4jStore(neo4j_server.uri, neo4j_server.username, "wrong-secret") as store,
        pytest.raises(Unavailable, match="NEO4J_PASSWORD") as told,
    ):
        store.metadata_value("name")
    assert "wrong-secret" not in str(told.value)
    with (
        Neo4jStore(neo4j_server.uri, neo4j_server.username, neo4j_server.password, "nowhere") as store,
        pytest.raises(Unavailable, match="NEO4J_DATABASE"),
    ):
        store.metadata_value("name")


@pytest.mark.parametrize(
    ("agent", "fits"), [("Neo4j/5.26.12", True), ("Neo4j/2025.10.1", True), ("Neo4j/5.15.0", False)]
)
def test_a_server_that_is_too_old_is_refused(agent: str, *, fits: bool) -> None:
    """Before the first statement that it would not understand."""
    if fits:
        check_release(agent)
    else:
        with pytest.raises(Conflict, match=r"5\.24"):
            check_release(agent)


def test_a_release_that_is_older_than_the_data_is_refused_even_while_it_runs(
    neo4j_store: Neo4jStore, neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer one took the database over: the next minute's look finds it."""
    monkeypatch.setattr(connection, "_PREPARE_AGAIN_SECONDS", 0.0)
    given = item("kept")
    neo4j_store.add(given, pieces(given), [])
    with GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.username, neo4j_server.password)) as driver:
        newer = "MERGE (m:Marker {project_id: '*', id: 'neo4j: schema'}) SET m.value = $value"
        driver.execute_query(newer, value=str(len(MIGRATIONS) + 1), database_="neo4j")
        try:
            with pytest.raises(Conflict, match="newer Remembrancer"):
                neo4j_store.get(PROJECT, [given.id])
        finally:
            driver.execute_query(newer, value=str(len(MIGRATIONS)), database_="neo4j")

    assert set(neo4j_store.get(PROJECT, [given.id])) == {given.id}


def test_replicas_migrate_a_database_together(
    neo4j_store: Neo4jStore, neo4j_server: Neo4jServer, neo4j_driver: Driver
) -> None:
    """The version is raised when the step is done: after one that was stopped, it is taken again."""
    stopped = iter([True])

    def step(database: Database) -> None:
        database.write(lambda transaction: transaction.run(schema_cypher.SET_MARKER, name="moved", value="1"))
        if next(stopped, False):
            raise Unavailable("stopped")

    def opened() -> Database:
        through = partial(prepare, migrations=(*MIGRATIONS, step))
        return Database(neo4j_server.uri, neo4j_server.username, neo4j_server.password, "neo4j", prepare=through)

    def version(database: Database) -> str:
        return str(database.rows(schema_cypher.GET_MARKER, name="neo4j: schema")[0]["value"])

    assert neo4j_store.ping()
    replicas = [opened() for _ in range(4)]
    try:
        with pytest.raises(Unavailable, match="stopped"):
            version(replicas[0])
        assert neo4j_driver.execute_query(_VERSION).records[0].value() == str(len(MIGRATIONS))
        with ThreadPoolExecutor(3) as pool:
            assert set(pool.map(version, replicas[1:])) == {str(len(MIGRATIONS) + 1)}
    finally:
        current = str(len(MIGRATIONS))
        neo4j_driver.execute_query("MATCH (m:Marker {id: 'neo4j: schema'}) SET m.value = $value", value=current)
        for one in replicas:
            one.close()


def test_items_from_before_offsets_get_those_of_their_dates(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> None:
    """Their moments stay; what has no offset in its date was written in UTC."""
    dates = ("2026-06-01T21:30:00-05:00", "2026-06-02", None, "2026-06-01T23:00+09:30")
    given = [item(f"Item {number}.", date=one) for number, one in enumerate(dates)]
    for one in given:
        neo4j_store.add(one, pieces(one), [])
    neo4j_driver.execute_query("MATCH (a:Artifact) REMOVE a.utc_offset")
    neo4j_driver.execute_query(schema_cypher.ADD_OFFSETS)

    stored = neo4j_store.get(PROJECT, [one.id for one in given])
    assert [stored[one.id].happened_at.isoformat() for one in given] == [one.happened_at.isoformat() for one in given]


def test_items_from_before_forms_of_tags_are_found_in_any_spelling(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, shared_database: Database
) -> None:
    """All of several batches, and those without tags stay without."""
    given = [item(f"Item {number}.", tags=("Garden_Bed/Roses",) if number % 5 else ()) for number in range(300)]
    neo4j_store.add_all([(one, pieces(one)) for one in given], [])
    neo4j_driver.execute_query("MATCH (a:Artifact) REMOVE a.tag_forms")
    assert neo4j_store.count(PROJECT, everything(tags=("#garden bed",))) == 0

    add_tag_forms(shared_database)

    assert neo4j_store.count(PROJECT, everything(tags=("#garden bed",))) == 240
    assert neo4j_store.count(PROJECT, everything(any_tags=("garden-bed/ROSES",))) == 240


@pytest.fixture
def shared_database(neo4j_store: Neo4jStore, neo4j_server: Neo4jServer) -> Iterator[Database]:
    """The emptied database without a store over it."""
    opened = Database(neo4j_server.uri, neo4j_server.username, neo4j_server.password, "neo4j", prepare=prepare)
    yield opened
    opened.close()


def test_a_lock_is_free_again_when_its_holder_hangs(shared_database: Database) -> None:
    """A process that was frozen or cut off between lock and commit does not stop all others for good."""
    held, going = threading.Event(), threading.Event()
    told: list[str] = []

    def hang(transaction: connection.Transaction) -> None:
        transaction.run(schema_cypher.LOCK_PROJECT, project_id=PROJECT)
        held.set()
        going.wait(30)
        transaction.row(schema_cypher.PING)

    def holder() -> None:
        try:
            shared_database.write(hang, seconds=1)
        except Unavailable as error:
            told.append(str(error))

    thread = threading.Thread(target=holder)
    thread.start()
    assert held.wait(10)
    begin = time.monotonic()
    shared_database.write(lambda transaction: transaction.run(schema_cypher.LOCK_PROJECT, project_id=PROJECT))
    waited = time.monotonic() - begin
    going.set()
    thread.join(30)

    assert waited < 10
    assert len(told) == 1


def test_a_rehearsal_leaves_nothing(shared_database: Database) -> None:
    """It answers with what would have been."""

    def work(transaction: connection.Transaction) -> int:
        transaction.run(schema_cypher.SET_MARKER, name="x", value="1")
        return 7

    assert shared_database.dry_run(work) == 7
    assert shared_database.read(lambda transaction: transaction.row(schema_cypher.GET_MARKER, name="x")) is None
