"""One state of the file, copies of it while others write, and the way back."""

import os
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from core.errors import Conflict, InvalidInput, MemoryServiceError, NotFound, Unavailable
from core.transfer import KeptItem
from graph.sqlite_store import SqliteStore, incoming
from graph.store import Store
from tests.contracts.makers import PROJECT, item, pieces


def add(store: Store, text: str) -> str:
    given = item(text)
    return store.add(given, pieces(given), ["embed"]).artifact_id


def texts(path: Path) -> list[str]:
    with SqliteStore(path) as store:
        return [one.artifact.memory.content for one in store.export_records(PROJECT) if isinstance(one, KeptItem)]


@pytest.fixture
def backup(store: Store, tmp_path: Path) -> Path:
    """A backup of a record that holds one note."""
    add(store, "kept")
    path = tmp_path / "backup.db"
    store.backup(path)
    return path


def test_a_frozen_store_is_as_it_was_whatever_others_write(store: Store) -> None:
    """Also what is removed and changed meanwhile; and it writes nothing itself."""
    ids = [add(store, f"note {number}") for number in range(3)]
    with store.snapshot() as frozen:
        records = list(frozen.export_records(PROJECT))
        add(store, "later")
        store.remove(PROJECT, ids[:1])
        store.stash(PROJECT, ids[1:], stashed=True)
        assert list(frozen.export_records(PROJECT)) == records
        assert frozen.counts(PROJECT).stashed == 0
        with pytest.raises(Conflict, match="to be read"):
            frozen.set_metadata_value("name", "value")
    assert store.count_items(PROJECT) == 3


def test_a_backup_is_one_file_for_this_user_alone_and_the_same_record(store: Store, path: Path, backup: Path) -> None:
    """No log beside it, and nothing but it is left in the folder."""
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert texts(backup) == ["kept"]
    assert not [one for one in backup.parent.iterdir() if one.name.startswith(".")]


def test_a_backup_takes_the_place_of_the_last_one(store: Store, backup: Path) -> None:
    """As a nightly job wants it; a record is never taken for one."""
    add(store, "more")
    store.backup(backup)
    assert texts(backup) == ["kept", "more"]


@pytest.mark.parametrize("name", ["record.db", "link.db", ".", "nowhere/backup.db"])
def test_a_backup_that_can_not_be_written_there_is_refused(store: Store, path: Path, name: str) -> None:
    """Onto the record itself, also under another name, onto a folder, into none."""
    (path.parent / "link.db").symlink_to(path)
    add(store, "kept")
    with pytest.raises(MemoryServiceError, match=r"name another file|is a folder|can't be written"):
        store.backup(path.parent / name)
    assert store.count_items(PROJECT) == 1


def test_a_backup_while_others_write_is_of_one_moment(store: Store, path: Path, tmp_path: Path) -> None:
    """What a transaction wrote is in it whole, and all transactions before that one."""
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            add(store, f"note {number:06}")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        copies = [tmp_path / f"{number}.db" for number in range(5)]
        for copy in copies:
            store.backup(copy)
    finally:
        stop.set()
        writer.join()
    for copy in copies:
        found = texts(copy)
        assert found == [f"note {number:06}" for number in range(len(found))]
        with closing(sqlite3.connect(copy)) as connection:
            [[jobs]] = connection.execute("SELECT count(*) FROM jobs").fetchall()
        assert jobs == len(found)


def test_a_backup_holds_no_text_that_was_forgotten(store: Store, backup: Path) -> None:
    """Not in its free pages either."""
    gone = add(store, "Rumpelstilzchen was here.")
    store.remove(PROJECT, [gone])
    store.backup(backup)
    assert b"Rumpelstilzchen" not in backup.read_bytes()


def test_a_backup_becomes_the_record_of_a_home_without_one(backup: Path, tmp_path: Path) -> None:
    """The home is made, for this user alone; what the block does to the copy is part of it; the backup stays."""
    target = tmp_path / "home" / "remembrancer.db"
    before = backup.read_bytes()
    with incoming(backup, target) as copy, SqliteStore(copy) as store:
        store.set_metadata_value("name", "value")
        assert not target.exists()
    with SqliteStore(target) as store:
        assert store.metadata_value("name") == "value"
    assert texts(target) == ["kept"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700
    assert backup.read_bytes() == before
    assert {one.name for one in target.parent.iterdir()} <= {target.name, "remembrancer.db.restoring.lock"}


def _not_a_database(path: Path) -> None:
    path.write_text("Dear diary")


def _nothing(path: Path) -> None:
    path.write_bytes(b"")


def _another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text)")


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")


def _cut_off(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _scribbled_on(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(20_000)
        file.write(b"\xff" * 60_000)


def _in_use(path: Path) -> None:
    path.with_name(path.name + "-wal").write_bytes(b"log")


def _gone(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    ("spoil", "error", "says"),
    [
        (_not_a_database, InvalidInput, "not a backup"),
        (_nothing, InvalidInput, "not a backup"),
        (_another_database, InvalidInput, "not a Remembrancer record"),
        (_newer, Conflict, "version 999"),
        (_cut_off, InvalidInput, "damaged"),
        (_scribbled_on, InvalidInput, "damaged"),
        (_in_use, InvalidInput, "in use"),
        (_gone, NotFound, "no backup"),
    ],
)
def test_what_is_no_whole_backup_is_refused_before_the_home_is_touched(
    backup: Path, tmp_path: Path, spoil: object, error: type[MemoryServiceError], says: str
) -> None:
    """The message says what is wrong with it."""
    assert callable(spoil)
    spoil(backup)
    beside = set(tmp_path.iterdir())
    with pytest.raises(error, match=says), incoming(backup, tmp_path / "home" / "record.db"):
        pass
    assert set(tmp_path.iterdir()) == beside


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.mark.parametrize("name", ["record.db", "record.db-wal"])
def test_a_record_that_is_there_or_its_log_is_never_written_over(backup: Path, home: Path, name: str) -> None:
    """A log that was left would be applied to what is restored."""
    (home / name).write_bytes(b"something")
    with pytest.raises(Conflict, match="There is a record"), incoming(backup, home / "record.db"):
        pass
    assert {one.name: one.read_bytes() for one in home.iterdir()} == {name: b"something"}


def test_a_record_that_somebody_makes_meanwhile_stays(backup: Path, home: Path) -> None:
    """Whoever comes second is refused."""
    target = home / "record.db"
    with pytest.raises(Conflict, match="There is a record"), incoming(backup, target):
        SqliteStore(target).close()
    assert texts(target) == []


def test_a_restoring_that_failed_or_was_killed_leaves_no_record_and_can_be_done_again(backup: Path, home: Path) -> None:
    """What a killed one left is thrown away."""
    target = home / "record.db"
    with pytest.raises(ZeroDivisionError), incoming(backup, target):
        _ = 1 / 0
    assert not target.exists()
    shutil.copy(backup, home / "record.db.restoring")
    (home / "record.db.restoring-wal").write_bytes(b"rest")
    with incoming(backup, target):
        pass
    assert texts(target) == ["kept"]


def test_two_can_not_restore_at_once(backup: Path, home: Path) -> None:
    """The one that is at it goes on."""
    with (
        FileLock(home / "record.db.restoring.lock"),
        pytest.raises(Conflict, match="Another process restores"),
        incoming(backup, home / "record.db"),
    ):
        pass


def test_a_home_that_can_not_be_made_says_so(backup: Path, tmp_path: Path) -> None:
    """A file in its place is left alone."""
    (tmp_path / "home").write_text("A file.")
    with pytest.raises(Unavailable, match="can't be restored"), incoming(backup, tmp_path / "home" / "record.db"):
        pass
    assert (tmp_path / "home").read_text() == "A file."
