"""What only the SQLite engine promises: its file, its plans, and its driver's errors in our words."""

import json
import multiprocessing
import sqlite3
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import fields, replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.dates import day_bound, now
from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable
from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.identities import hash_normalised_name, name_hash
from core.knowledge.ledger import LedgerPage, LedgerQuery
from graph.sqlite_store import SqliteStore, artifact_knowledge, knowledge_graph, ledger, records, search
from graph.sqlite_store.database import connection as pool
from graph.sqlite_store.database import full_text
from graph.sqlite_store.database.rows import NEWEST, USUALLY_GIVEN, filter_condition
from graph.sqlite_store.database.schema import MIGRATIONS
from graph.sqlite_store.database.word_schema import WHOLE_CONTENTS
from graph.sqlite_store.lists import MARK, passing
from graph.sqlite_store.migrations import prepare
from graph.store import Store
from graph.text import term_vectors
from graph.timestamps import to_microseconds
from tests.contracts.concurrency import add_numbered, running, words_until_done
from tests.contracts.listing import filled, holds_alike
from tests.contracts.makers import PROJECT, at, entity, event, everything, item, lesson, pieces
from tests.graph.sqlite_raw import SqliteRaw


def open_and_add(path: Path) -> str:
    """Open a store that others open at the same moment, and add to it. Runs in another process."""
    with SqliteStore(path) as store:
        given = item(f"from {multiprocessing.current_process().name}")
        return store.add(given, pieces(given), []).artifact_id


#: The migrations, and one more that shows how often it was applied.
_MIGRATIONS = (*MIGRATIONS, "CREATE TABLE IF NOT EXISTS moves (number INTEGER);\nINSERT INTO moves VALUES (1);\n")
_NEXT = len(_MIGRATIONS)


def migrate(path: Path) -> None:
    """Bring a file to the version after the current one. Runs in another process."""
    prepare(path, _MIGRATIONS)


def versions(path: Path) -> tuple[int, int | None]:
    """Return the version of a file, and how often the last of `_MIGRATIONS` was applied; None if not at all."""
    with SqliteRaw(path).opened() as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'moves'").fetchone() is None:
            return version, None
        return version, connection.execute("SELECT count(*) FROM moves").fetchone()[0]


def plan(path: Path, sql: str, parameters: dict[str, object] | tuple[object, ...]) -> str:
    """Return how SQLite would run a statement."""
    with SqliteRaw(path).opened() as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
    return "\n".join(row[3] for row in rows)


def test_a_new_file_is_the_users_alone_and_at_the_current_version(tmp_path: Path) -> None:
    """The folder is made too; private text is not readable by other users of the machine."""
    path = tmp_path / "new" / "folder" / "record.db"
    with SqliteStore(path) as store:
        assert store.ping().startswith("SQLite 3.")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with SqliteRaw(path).opened() as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_every_connection_syncs_each_commit_and_erases_what_it_frees(path: Path) -> None:
    """FULL: an acknowledged write survives a power cut; secure_delete: freed pages hold no old text."""
    connection = pool.connect(path)
    settings = [
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "secure_delete", "foreign_keys")
    ]
    connection.close()

    assert settings == [2, 1, 1]


@pytest.mark.parametrize("act", ["revise", "stash", "take back", "count again", "forget"])
def test_nobody_waits_while_the_words_of_what_goes_or_is_set_aside_are_made(
    path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    """Others may write meanwhile; of what the index holds nothing is left or missing then."""
    waiting = list[bool]()
    with SqliteStore(path) as store:
        is_set_aside = act in ("take back", "forget")
        given, other = (item(f"The tide-table of 東京 {name}. " * 50, key="tides") for name in "ab")
        for one in (item("東京 stays."), replace(given, stashed=is_set_aside)):
            store.add(one, pieces(one, size=200), ["embed"])

        def noting(make: Callable[..., Any]) -> Callable[..., Any]:
            def noted(*asked: Any) -> Any:
                waiting.append(store._database._write_lock.locked())
                return make(*asked)

            return noted

        for module, name in ((term_vectors, "exact_tokens"), (full_text, "gram")):
            monkeypatch.setattr(module, name, noting(getattr(module, name)))
        match act:
            case "revise":
                store.add(replace(other, stashed=True), pieces(other, size=200), ["embed"])
            case "stash" | "take back":
                assert store.stash(PROJECT, [given.id], stashed=act == "stash") == [given.id]
            case "count again":
                store.rechunk(PROJECT, given.id, pieces(given, size=100))
            case _:
                store.remove(PROJECT, [given.id])
        monkeypatch.undo()

        assert set(waiting) == {False}
        SqliteRaw(path).check()


def test_a_file_of_a_newer_version_is_refused(path: Path) -> None:
    """An older program must not write what it does not know; the file is left as it is."""
    prepare(path, _MIGRATIONS)

    with pytest.raises(Conflict, match=f"version {_NEXT}, and this program knows {_NEXT - 1}: update"):
        SqliteStore(path)
    assert versions(path) == (_NEXT, 1)


def test_stored_items_keep_their_moments_and_get_the_offsets_of_their_dates(path: Path) -> None:
    """A file from before offsets and forms of tags were kept, with its tags, counts and names."""
    path.unlink()
    dates = {"2026-06-01T21:30:00-05:00": "2026-06-02T02:30:00+00:00", "2026-06-02": "2026-06-02T00:00:00+00:00"}
    prepare(path, MIGRATIONS[:1])
    with SqliteRaw(path).opened() as connection:
        connection.execute("INSERT INTO projects (number, project_id) VALUES (1, ?)", (PROJECT,))
        for number, (given, moment) in enumerate(dates.items(), 2**40 + 1):
            happened = to_microseconds(datetime.fromisoformat(moment))
            connection.execute(
                "INSERT INTO artifacts (item, project_id, id, fingerprint, context, source, sensitivity, importance,"
                " happened_at, created_at, updated_at, last_occurred, token_count, num_chunks, frequency, stashed,"
                " given)"
                " VALUES (?, ?, ?, ?, 'note', 'manual', 'normal', 0.5, ?, 0, 0, 0, 1, 0, 1, 0, ?)",
                (number, PROJECT, f"art_{number}", given, happened, json.dumps({"context": "note", "date": given})),
            )
            connection.execute("INSERT INTO contents VALUES (?, 'A note.')", (number,))
            connection.execute("INSERT INTO tags VALUES (?, 'Garden_Bed/Roses', ?)", (PROJECT, number))

    with SqliteStore(path) as store:
        day = Filters(at=now(), tags=("#garden bed",), date_to=day_bound(date(2026, 6, 1), end=True))
        [found] = store.newest(PROJECT, day, 10)
        assert found.happened_at.isoformat() == "2026-06-01T21:30:00-05:00"
        assert store.count(PROJECT, Filters(at=now())) == 2
        facets = store.facets(PROJECT, Filters(at=now()), 5)
        assert (facets.months.values, facets.tags.values) == ((("2026-06", 2),), (("Garden_Bed/Roses", 2),))
        assert store.integrity_issues() == []


def test_chunks_of_an_older_file_are_found_and_leave_no_words_behind(path: Path) -> None:
    """Theirs is a text of their own, which those written since do not have where it is the whole content."""
    path.unlink()
    prepare(path, MIGRATIONS[: MIGRATIONS.index(WHOLE_CONTENTS)])
    raw = SqliteRaw(path)
    old, new = item("The weathercock is brass."), item("The weathercock squeaks.")
    raw.plant(old, pieces(old))
    with SqliteStore(path) as store:
        store.add(new, pieces(new), [])
        assert raw.chunk_texts(PROJECT) == [old.memory.content, new.memory.content]
        assert store.chunks(PROJECT, [old.id, new.id]) == {each.id: pieces(each) for each in (old, new)}
        assert raw.indexed("weathercock") == 2
        assert store.integrity_issues() == []
        store.rebuild()
        assert raw.indexed("weathercock") == 2
        store.remove(PROJECT, [old.id, new.id])
        assert raw.indexed("weathercock") == 0
        assert store.integrity_issues() == []


def test_processes_that_open_a_file_together_migrate_it_once(path: Path) -> None:
    """One of them takes the step, the others find it taken; what the file holds stays."""
    given = item("Ana chose blue.")
    with SqliteStore(path) as store:
        store.add(given, pieces(given), [])
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(migrate, [path] * 8, chunksize=1)

    assert versions(path) == (_NEXT, 1)
    assert SqliteRaw(path).artifact_ids(PROJECT) == [given.id]


def test_items_of_the_first_version_are_known_by_their_wording(path: Path) -> None:
    """A blank more makes no other item of one that is stored already, and its id stays."""
    given, twin = item("Ana chose blue.\r\n"), item("Ana chose blue. ")
    exact = given.memory.fingerprint(PROJECT, exact=True)
    with SqliteStore(path) as store:
        store.add(given, pieces(given), [])
    with SqliteRaw(path).opened() as connection:
        connection.execute("UPDATE artifacts SET fingerprint = ?", (exact,))
    prepare(path, (*MIGRATIONS, MIGRATIONS[1]))
    with SqliteRaw(path).opened() as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    with SqliteStore(path) as store:
        assert store.add(twin, pieces(twin), []).status == "duplicate"
        assert store.get(PROJECT, [given.id])[given.id].memory.content == "Ana chose blue.\r\n"


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    """All steps are one transaction, the ones that worked and the version with them."""
    with pytest.raises(Unavailable, match="no such table"):
        prepare(path, (*_MIGRATIONS, "UPDATE nowhere SET number = 2;"))

    assert versions(path) == (_NEXT - 1, None)


def test_names_of_an_older_file_are_found_in_the_form_they_are_compared_in_now(path: Path) -> None:
    """And a merge decision that holds the hash of one still means it."""
    path.unlink()
    prepare(path, MIGRATIONS[:1])
    with SqliteRaw(path).opened() as connection:
        connection.execute("INSERT INTO nodes VALUES (1, ?, 'ent_1')", (PROJECT,))
        connection.execute(
            "INSERT INTO entities (node, project_id, type, name) VALUES (1, ?, 'person', 'Sean O’Brien')", (PROJECT,)
        )
        connection.execute("INSERT INTO names VALUES (?, 'sean o’brien', 1, 'Sean O’Brien')", (PROJECT,))
        connection.execute(
            "INSERT INTO verdicts (project_id, id, kind, one, other, at, name_hash) "
            "VALUES (?, 'v', 'split', 'a', 'b', 1, ?)",
            (PROJECT, hash_normalised_name("sean o’brien")),
        )

    with SqliteStore(path) as store:
        assert [one.id for one in store.entities_by_name(PROJECT, ["SEAN O'BRIEN"])["sean o'brien"]] == ["ent_1"]
        assert [one.name_hash for one in store.merge_decisions(PROJECT)] == [name_hash("Sean O'Brien")]


def test_retention_reads_the_items_that_are_kept_until_settled(path: Path) -> None:
    """Not all resolutions there ever were, each minute."""
    with SqliteStore(path) as store:
        assert store.num_expired(at(1)) == 0
    read = plan(path, records._SETTLED, records._parameters(at(1), 5))
    assert "artifacts_until_resolved" in read
    assert "resolutions_by_time" in read
    assert "SCAN r" not in read


def test_a_page_of_the_ledger_is_counted_and_sorted_in_its_index(path: Path) -> None:
    """No event is read for what it compares, however many there are."""
    query = LedgerQuery(
        category="Commitment",
        filters=everything(),
        statuses=("open", "done"),
        min_confidence=0.5,
        stale=False,
        stale_before=at(1),
        by_due=True,
    )
    with SqliteStore(path) as store:
        assert store.ledger_page(PROJECT, query, 10) == LedgerPage([], 0)
    topic, counts, page, parameters = ledger._statements(PROJECT, query, of_few=False)
    for statement in (counts, page):
        read = plan(path, f"{topic} {statement}", parameters | {"limit": 10, "offset": 0})
        assert "SEARCH e USING COVERING INDEX events_in_ledger" in read


def test_the_ledger_of_who_takes_part_in_few_events_is_read_by_these(path: Path) -> None:
    """However long it is; of who takes part in many it is faster to go through it. Both ways find the same."""
    given, ana = item("Ana chose tiles."), entity("Ana")
    chosen = event(given, "chose tiles", actors=[ana])
    query = LedgerQuery(category="Decision", filters=everything(), actors=(ana.id,))
    with SqliteStore(path) as store:
        store.add(given, pieces(given), [])
        store.replace(PROJECT, given.id, lesson(given, [ana], [chosen]))
        assert store.ledger_page(PROJECT, query, 10).total == 1
        with store._database.reading() as connection:
            for of_few in (True, False):
                topic, counts, _, parameters = ledger._statements(PROJECT, query, of_few=of_few)
                assert connection.execute(f"{topic} {counts}", parameters).fetchone() == (1, 0, 0)
                read = plan(path, f"{topic} {counts}", parameters)
                assert read.startswith("SEARCH e USING INTEGER PRIMARY KEY") == of_few


def test_the_most_mentioned_are_read_in_the_order_of_their_index(path: Path) -> None:
    """However many people and things there are, a list of some reads no more of them."""
    read = plan(path, knowledge_graph._MOST_MENTIONED, {"project_id": PROJECT, "limit": 5})
    assert "SEARCH e USING INDEX entities_by_mentions (project_id=?)" in read
    assert "B-TREE FOR ORDER BY" not in read


def test_who_is_always_called_the_same_is_refreshed_at_the_same_cost(path: Path) -> None:
    """Whether a few texts name them or many."""
    person, steps = entity("Ana Silva"), list[int]()
    with SqliteStore(path) as store:
        for number in range(200):
            given = item(f"Ana Silva came for the {number}th time.")
            store.add(given, pieces(given), [])
            store.replace(PROJECT, given.id, lesson(given, [person]))
            if number in (3, 199):
                with store._database.writing() as connection:
                    [node] = connection.execute("SELECT node FROM entities").fetchone()
                    counted: list[int] = []
                    connection.set_progress_handler(partial(counted.append, 1), 1)
                    artifact_knowledge.refresh(connection, node)
                    connection.set_progress_handler(None, 1)
                    steps.append(len(counted))
        assert store.entities_by_prefix(PROJECT, "", 1)[0].mention_count == 200
    assert steps[1] <= 1.1 * steps[0]


def test_the_newest_mentions_of_an_entity_are_read_without_the_others(path: Path) -> None:
    """The same ones as of all its mentions, whether many items mention it, none of the newest does, or few do."""
    hub, former, rare = entity("Ana Silva"), entity("Ben Ode"), entity("Cyd Roe")
    with SqliteStore(path) as store:
        for number in range(300):
            given = item(f"Ana Silva, Ben Ode and Cyd Roe: {number}.", date=at(number).isoformat())
            store.add(given, pieces(given), [])
            called = [hub, *[former] * (number < 200), *[rare] * (number % 70 == 0)]
            store.replace(PROJECT, given.id, lesson(given, called))
        condition, asked = filter_condition(PROJECT, everything())
        asked["limit"] = 2
        for one in (hub, former, rare):
            every = store.mentions(PROJECT, [one.id], everything(), 1_000)
            newest = [(hit.artifact_id, hit.index) for hit in every[:2]]
            with store._database.reading() as connection:
                rows = knowledge_graph._of_one(connection, one.id, condition, asked)
            assert [row[:2] for row in rows] == newest
            assert store.mentions(PROJECT, [one.id], everything(), 2) == every[:2]


@pytest.mark.exhaustive
def test_several_processes_may_create_one_file(tmp_path: Path) -> None:
    """One of them makes the tables, the others wait, and each one's item is there."""
    path = tmp_path / "record.db"
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        ids = pool.map(open_and_add, [path] * 8, chunksize=1)

    with SqliteStore(path) as store:
        assert set(store.get(PROJECT, ids)) == set(ids)
    SqliteRaw(path).check()


def test_a_place_that_can_not_hold_a_file_is_unavailable(tmp_path: Path) -> None:
    """A file where the folder should be, and a folder where the file should be."""
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file" / "record.db", tmp_path):
        with pytest.raises(Unavailable, match="record"):
            SqliteStore(path)


def test_a_file_that_is_no_database_is_unavailable(tmp_path: Path) -> None:
    """The message says so, and the file is left as it is."""
    path = tmp_path / "record.db"
    path.write_text("not a database, but a note of some length " * 50)
    before = path.read_bytes()
    with pytest.raises(Unavailable, match="no SQLite database"):
        SqliteStore(path)

    assert path.read_bytes() == before


def test_a_damaged_file_is_unavailable(path: Path) -> None:
    """Reading it says that it is damaged and what to do."""
    with SqliteStore(path) as store:
        for number in range(50):
            given = item(f"{number} " * 200)
            store.add(given, pieces(given), [])
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)

    with pytest.raises(Unavailable, match="damaged"), SqliteStore(path) as store:
        store.newest(PROJECT, everything(), 50)


def test_a_file_kept_locked_is_unavailable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time to wait; once the lock is gone the same call works."""
    monkeypatch.setattr(pool, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    with SqliteStore(path) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="locked"):
            store.set_metadata_value("name", "value")
        other.execute("ROLLBACK")
        other.close()

        store.set_metadata_value("name", "value")
        assert store.metadata_value("name") == "value"


def test_a_full_disk_is_unavailable_and_nothing_is_half_written(path: Path) -> None:
    """The limit on pages stands for the disk; reading goes on."""
    with SqliteStore(path) as store:
        kept = item("kept")
        store.add(kept, pieces(kept), [])
        with store._database.writing() as connection:
            connection.execute("PRAGMA max_page_count = 1")
        big = item("long text " * 50_000)
        with pytest.raises(Unavailable, match="disk is full"):
            store.add(big, pieces(big, size=5_000), ["embed"])

        assert store.newest(PROJECT, everything(), 5) == [kept]
        assert SqliteRaw(path).artifact_ids(PROJECT) == [kept.id]


def test_every_error_of_the_driver_has_a_meaning(path: Path) -> None:
    """No class of sqlite3's errors and no error code escapes as itself."""
    classes = [kind for kind in vars(sqlite3).values() if isinstance(kind, type) and issubclass(kind, sqlite3.Error)]
    codes = [name for name in vars(sqlite3) if name.startswith("SQLITE_") and isinstance(getattr(sqlite3, name), int)]
    assert len(classes) >= 8
    assert len(codes) > 80

    for kind in classes:
        for code in codes:
            error = kind("what happened")
            error.sqlite_errorname = code
            ours = pool.as_ours(error, path)
            assert isinstance(ours, MemoryServiceError)
            assert str(path) in str(ours)


def test_a_closed_store_says_so(store: Store) -> None:
    """Reading and writing after `close` are unavailable, not a failure of the driver."""
    store.close()
    with pytest.raises(Unavailable, match="closed"):
        store.metadata_value("name")
    with pytest.raises(Unavailable, match="closed"):
        store.set_metadata_value("name", "value")


def test_emptied_caches_leave_connections_in_use_and_open_the_others_again(path: Path) -> None:
    """An owner at rest keeps no pages; who reads meanwhile reads on, and the next read and write find all."""
    database = pool.Database(path)
    with database.reading() as reading:
        with database.reading() as other:
            assert other is not reading
        database.empty()
        assert reading.execute("SELECT count(*) FROM artifacts").fetchone()[0] == 0
        with pytest.raises(sqlite3.ProgrammingError):
            other.execute("SELECT 1")
    with database.writing() as writer, database.reading() as again:
        assert (writer.execute("SELECT 1").fetchone(), again.execute("SELECT 1").fetchone()) == ((1,), (1,))
    database.close()


def test_half_a_surrogate_pair_is_invalid_input(store: Store) -> None:
    """It can't be stored in any store; asking for it by id finds nothing."""
    with pytest.raises(InvalidInput, match="valid Unicode"):
        store.set_metadata_value("name", "\ud800")

    assert store.get(PROJECT, ["\ud800"]) == {}


def test_removed_text_is_in_no_file(store: Store, stored: Callable[[], bytes]) -> None:
    """Neither in the database nor in its log."""
    given = item("The launch code is seven-alpha-nine.", title="A secret title", stashed=True)
    store.add(given, pieces(given, prefix="A secret title. "), [])
    store.remove(PROJECT, [given.id])

    assert b"launch code" not in stored()
    assert b"secret title" not in stored()


def test_forgotten_words_leave_a_large_index_at_the_next_close(
    store: Store, reopen: Callable[[], Store], stored: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Merging a large index at each removal would take seconds; the note of it survives a crash."""
    monkeypatch.setattr(full_text, "_FEW_LEAVES", 0)
    gone, kept = item("A kerfuffle."), item("A quixotic note.")
    for given in (gone, kept):
        store.add(given, pieces(given), [])
    store.remove(PROJECT, [gone.id])
    reopen().close()

    assert b"kerfuf" not in stored()
    assert [hit.artifact_id for hit in store.search(PROJECT, ["quixotic"], everything(), 5)] == [kept.id]


def test_a_removal_merges_no_large_index_of_common_words(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most leaves of one begin within the entries of a word that is in every chunk."""
    monkeypatch.setattr(full_text, "_FEW_LEAVES", 8)
    given = [item(f"The gate {number} is locked. " + "Red lamps hang there. " * 150) for number in range(60)]
    store.add_all([(one, pieces(one)) for one in given], [])
    with closing(sqlite3.connect(path)) as connection, connection:
        full_text.merge_words(connection)
    store.remove(PROJECT, [given[0].id])

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM words_idx").fetchone()[0] <= 8
        assert full_text.are_words_noted(connection)


def test_words_are_found_after_any_number_of_removals(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each merge adds levels to an index, of which SQLite reads 2,000 at most."""
    monkeypatch.setattr(full_text, "_MANY_LEVELS", 8)
    kept = item("A quixotic note.")
    store.add(kept, pieces(kept), [])
    for number in range(20):
        gone = item(f"Kerfuffle {number}.", stashed=True)
        store.add(gone, pieces(gone), [])
        store.remove(PROJECT, [gone.id])

    assert [hit.artifact_id for hit in store.search(PROJECT, ["quixotic"], everything(), 5)] == [kept.id]
    assert not store.search(PROJECT, ["kerfuffle"], everything(), 5)
    assert store.integrity_issues() == []


def test_an_event_of_another_time_than_its_items_is_named_and_repaired(store: Store, path: Path) -> None:
    """What was known on a day is listed by it."""
    given = item("Ana decided to sail.", date="2026-03-02")
    store.add(given, pieces(given), [])
    sail = event(given, "decided to sail")
    store.replace(PROJECT, given.id, lesson(given, [], [sail]))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET since = 0")
    assert [issue.ids for issue in store.integrity_issues()] == [(sail.id,)]
    store.repair(["graph"])

    assert store.integrity_issues() == []


def test_an_index_with_too_many_levels_is_repaired(store: Store, reopen: Callable[[], Store], path: Path) -> None:
    """It can't be opened, not even by its own rebuilding."""
    kept = item("A quixotic note.")
    store.add(kept, pieces(kept), [])
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        # 2,002 levels, as varints after the cookie: none has a segment.
        connection.execute("UPDATE words_data SET block = x'000000008f520000' || zeroblob(4004) WHERE id = 10")
    again = reopen()
    assert [issue.part for issue in again.integrity_issues()] == ["words"]
    again.repair(["words"])

    assert [hit.artifact_id for hit in again.search(PROJECT, ["quixotic"], everything(), 5)] == [kept.id]


@pytest.mark.parametrize(
    ("sql", "parameters", "key"),
    [
        (knowledge_graph._STEPS_OF_KIND, (1, "Decision", 50), "source=? AND kind=?"),
        (knowledge_graph._EVERY_STEP, (1, 50), "source=?"),
    ],
)
def test_steps_are_read_from_the_index_alone(path: Path, sql: str, parameters: tuple[object, ...], key: str) -> None:
    """A hub costs no more than its cap: no sorting, no scan of its other steps."""
    found = plan(path, sql, parameters)

    assert f"SEARCH s USING PRIMARY KEY ({key})" in found
    assert "TEMP B-TREE" not in found
    assert "SCAN" not in found


def test_the_chunks_of_a_name_are_found_by_their_places(path: Path) -> None:
    """Who is named all through a long text costs its length, not its square."""
    condition, parameters = filter_condition(PROJECT, everything())
    found = plan(path, knowledge_graph._MENTIONS.format(condition=condition), parameters | {"ids": "[]", "limit": 5})

    assert "COVERING INDEX chunks_by_place (item=? AND start_char<?)" in found
    assert "SEARCH c USING INTEGER PRIMARY KEY" in found


def test_events_are_listed_in_the_order_of_an_index(path: Path) -> None:
    """A page of a long list of decisions costs a page."""
    condition, parameters = filter_condition(PROJECT, everything(source="mail"))
    parameters |= {"categories": '["Decision", "Commitment"]', "limit": 20, "offset": 0}
    found = plan(path, knowledge_graph._LIST.format(condition=condition), parameters)

    assert "USING INDEX events_by_time" in found or "USING COVERING INDEX events_by_time" in found
    assert "TEMP B-TREE" not in found


def test_unfiltered_counts_are_read_from_an_index_alone(path: Path) -> None:
    """Counting does not read through the rows, of which there may be many."""
    condition, parameters = filter_condition(PROJECT, everything())
    found = plan(path, f"SELECT count(*) FROM artifacts a WHERE {condition}", parameters)

    assert "USING COVERING INDEX" in found
    assert "USING COVERING INDEX artifacts_by_context" in plan(path, records._COUNTS, parameters)


@pytest.mark.parametrize("sql", [search._HOLDING, search._PASSING, search._HOLDING_WORD, search._SHORT, search._LONG])
def test_a_search_stays_within_its_project(path: Path, sql: str) -> None:
    """The index is read from the first to the last row of the project: others cost nothing."""
    condition, parameters = filter_condition(PROJECT, everything())
    parameters |= {"query": "a", "short": "61", "long": '"abc"', "limit": 5, "most": 5}

    lines = plan(path, sql.format(condition=condition), parameters).splitlines()
    assert "><" in next(line for line in lines if "VIRTUAL TABLE" in line)


def test_the_tags_of_what_was_found_are_looked_up(path: Path) -> None:
    """To list all items of a common tag takes longer than the rest of a question."""
    condition, parameters = filter_condition(PROJECT, everything(tags=("a",), any_tags=("b", "c")), of_named=True)
    found = plan(path, search._PLACES.format(condition=condition), parameters | {"chunks": "[]"})

    assert found.count("CORRELATED SCALAR SUBQUERY") == found.count("SEARCH t USING") == 2


def test_what_passes_is_counted_from_indexes_alone(path: Path) -> None:
    """Each question with a filter counts it; of two common tags no whole list is sorted."""
    with closing(sqlite3.connect(path)) as connection:
        found, parameters = passing(connection, PROJECT, everything(any_tags=("a", "b")), 5)
    lines = plan(path, records._PASSING_CHUNKS.format(found=found), parameters).splitlines()

    assert all("COVERING INDEX" in line or "PRIMARY KEY" in line for line in lines if "SEARCH" in line)
    assert found.count("LIMIT :most") == 3


def test_steps_are_dropped_by_their_key(path: Path) -> None:
    """Extracting again must not read through the hubs that an event is linked with."""
    found = plan(path, artifact_knowledge._DROP_STEP, (1, "Decision", 1.0, 2, "ABOUT"))

    assert found == (
        "SEARCH adjacency USING PRIMARY KEY (source=? AND kind=? AND weight=? AND target=? AND relation=?)"
    )


@pytest.mark.parametrize("conditions", [{}, {"context": "note"}, {"source": "mail"}])
def test_lists_are_read_in_the_order_of_an_index(path: Path, conditions: dict[str, str]) -> None:
    """A page of a long list costs a page."""
    condition, parameters = filter_condition(PROJECT, everything(**conditions))
    found = plan(path, f"SELECT a.item FROM artifacts a WHERE {condition} ORDER BY {NEWEST} LIMIT 10", parameters)

    assert "USING" in found
    assert "TEMP B-TREE" not in found


@pytest.mark.exhaustive
def test_the_longest_content_goes_in_and_out_whole(store: Store) -> None:
    """Ten million characters in eleven thousand chunks, in one transaction."""
    given = item("A sentence of exactly forty characters. " * 250_000, num_chunks=11_112)
    chunks = pieces(given, size=900)
    store.add(given, chunks, ["embed"])

    assert store.get(PROJECT, [given.id]) == {given.id: given}
    assert store.chunks_at(PROJECT, [(given.id, 11_111)]) == {(given.id, 11_111): chunks[-1]}
    assert len(store.search(PROJECT, ["sentence"], everything(), 20_000)) == 11_112


def test_a_writer_waits_for_a_writer_of_another_process(store: Store, reopen: Callable[[], Store]) -> None:
    """While one process writes on and on, this one's write gets its turn."""
    with running(add_numbered, reopen, "busy", range(150)) as (_, pipe):
        pipe.send("go")
        pipe.recv()
        mine = item("mine", stored=at(1))
        store.add(mine, pieces(mine), [])
        assert len(words_until_done(pipe)) == 149

    assert store.count(PROJECT, everything()) == 151


@pytest.mark.parametrize("limits", [{"_FEW": 0}, {"_MANY": 2, "_PROBE": 0}, {"_MANY": 2, "_PROBE": 1_000_000}])
def test_stashed_items_are_found_alike_by_each_way_to_find_them(
    path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]
) -> None:
    """Read one by one, sorted after the index, or asked for from the newest on, by themselves or in the set of all."""
    for name, value in ({"_FEW": 0} | limits).items():
        monkeypatch.setattr(search, name, value)
    with SqliteStore(path) as store:
        holds_alike(store, filled(store, 90))


@pytest.mark.parametrize("probe", [0, 1_000_000])
@pytest.mark.parametrize("conditions", [{}, {"context": "note"}, {"any_tags": ("red", "blue")}])
def test_every_page_of_stashed_matches_continues_the_one_before(
    path: Path, monkeypatch: pytest.MonkeyPatch, conditions: dict[str, Any], probe: int
) -> None:
    """Pages in the later half are found from the end, and the last one may be short."""
    for name, value in {"_FEW": 0, "_MANY": 2, "_PROBE": probe}.items():
        monkeypatch.setattr(search, name, value)
    with SqliteStore(path) as store:
        filled(store, 240)
        every, number = store.search_substrings(PROJECT, ["item"], everything(**conditions), 100)
        pages = [store.search_substrings(PROJECT, ["item"], everything(**conditions), 3, n) for n in range(number + 2)]

    assert number > 5
    assert pages == [(every[n : n + 3], number) for n in range(number + 2)]


@pytest.mark.parametrize("order", [NEWEST, search._OLDEST])
def test_common_fragments_are_paged_in_the_order_of_an_index(path: Path, order: str) -> None:
    """Neither the matches nor the list are sorted, and no row of an item is read."""
    condition, parameters = filter_condition(PROJECT, everything(context="note"))
    parameters |= {"limit": 5, "offset": 0}
    listed = f"SELECT {MARK.format('a')} FROM artifacts a WHERE {condition}"

    whole = plan(path, search._WALKED_PAGE.format(matching="+a.item IN (VALUES (1))", order=order), parameters)
    narrowed = plan(path, search._LISTED_PAGE.format(matched="VALUES (1)", listed=listed), parameters)

    assert "COVERING INDEX artifacts_stashed" in whole
    assert "COVERING INDEX artifacts_by_context" in narrowed
    assert "TEMP B-TREE" not in whole + narrowed


@pytest.mark.parametrize(
    "statement",
    ["UPDATE audit SET by = 'nobody'", "DELETE FROM audit WHERE number = 2", "DELETE FROM audit WHERE number > 1"],
)
def test_the_file_refuses_changes_of_the_audit_trail(store: Store, path: Path, statement: str) -> None:
    """docs/operations.md: entries are added, and dropped from the oldest on; no statement changes one by mistake."""
    for number in range(3):
        store.record_act("extract", PROJECT, [f"run_{number}"])
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="audit trail"):
        connection.execute(statement)
    connection.close()

    assert len(store.audit_trail()) == 3


def test_what_has_expired_is_found_by_an_index(path: Path) -> None:
    """A worker asks every minute: the cost is that of what has expired, and of what was ever declared."""
    assert "artifacts_by_expiry (expires_at<?)" in plan(path, records._EXPIRED, records._parameters(at(0), 50))


def test_no_connection_is_lost_when_one_is_borrowed_while_idle_ones_are_closed(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache is emptied by a timer, whatever is read at that moment."""
    database = store._database
    readers = database._readers
    take = readers.get_nowait
    borrowed = list[AbstractContextManager[sqlite3.Connection]]()

    def take_after_another_reader() -> sqlite3.Connection | None:
        if not borrowed:
            borrowed.append(database.reading())
            borrowed[0].__enter__()
        return take()

    monkeypatch.setattr(readers, "get_nowait", take_after_another_reader)
    database.empty()
    monkeypatch.undo()
    borrowed[0].__exit__(None, None, None)

    monkeypatch.setattr(pool, "BUSY_SECONDS", 0.1)
    with ExitStack() as held:
        for _ in range(pool.READERS):
            assert held.enter_context(database.reading()).execute("SELECT 1").fetchone() == (1,)


def test_a_write_behind_one_that_does_not_end_is_refused_in_time(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller may try again; the record is as it was."""
    monkeypatch.setattr(pool, "BUSY_SECONDS", 0.1)
    given = item("the second")
    with store._database.writing(), pytest.raises(Unavailable, match="Another write has kept the record"):
        store.add(given, pieces(given), [])
    assert store.add(given, pieces(given), []).status == "stored"


@pytest.fixture
def scoring_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Score as few chunks as if a word were in thousands of them."""
    for module in (search, term_vectors):
        monkeypatch.setattr(module, "MOST_SCORED", 8)


@pytest.mark.usefixtures("scoring_few")
def test_of_many_chunks_those_with_most_of_the_words_are_scored(store: Store) -> None:
    """A word that is in every note would have all of them read for each question."""
    notes = [item(f"The regatta was long, day {number}.") for number in range(40)]
    best = item("The regatta had a jury and a marina.")
    second = item("The jury of the regatta was late.")
    for given in (*notes[:20], best, *notes[20:], second):
        store.add(given, pieces(given), [])

    hits = store.search(PROJECT, ["regatta", "jury", "marina"], everything(), 8, enough=1)
    assert [hit.artifact_id for hit in hits[:2]] == [best.id, second.id]
    assert len(hits) == 8
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(store.search(PROJECT, ["the"], everything(), 8)) == 8


@pytest.mark.usefixtures("scoring_few")
@pytest.mark.parametrize("few_items", [0, 100])
def test_of_many_chunks_those_that_pass_are_found(
    store: Store, few_items: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that pass may be among the last; where few items pass, all of theirs are scored."""
    monkeypatch.setattr(search, "_FEW_ITEMS", few_items)
    notes = [item(f"A regatta with a jury, day {number}.") for number in range(20)]
    tagged = [item(f"A regatta was there, day {number}.", tags=("harbour",)) for number in range(3)]
    other = item("Of something else.", tags=("harbour",))
    for given in (*notes, *tagged, other):
        store.add(given, pieces(given), [])

    hits = store.search(PROJECT, ["regatta", "jury"], everything(tags=("harbour",)), 8, enough=1)
    assert {hit.artifact_id for hit in hits} == {one.id for one in tagged}


def test_values_that_rows_leave_out_are_the_defaults() -> None:
    """Another default would change stored items: those need a migration that writes the former value first."""
    defaults = {item.name: item.default for item in fields(Memory)}
    assert {name: defaults[name] for name in USUALLY_GIVEN} == USUALLY_GIVEN
