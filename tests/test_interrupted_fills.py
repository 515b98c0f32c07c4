"""Folders that are read on a full disk, by a process that is killed, or that say one thing many times."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from graph.sqlite_store import SqliteStore
from service.app import App
from tests.eventually import eventually

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "default"
#: Longest wait for a command, in seconds; on an idle machine none takes 10.
PATIENCE = 200.0
NOTES = 120
#: Runs a command on a folder, once the record is made, with files of this process no larger than a number of bytes, if
#: that is not 0.
RUN = """
import sys
from service.cli import main
from service.settings import load_settings
from service.wiring import open_record
limit = int(sys.argv[1])
if limit:
    import resource
    open_record(load_settings()).close()
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of short notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(NOTES):
        text = f"Crate {number} went to aisle {number % 9}. We decided to keep lamp {number}."
        (folder / f"note-{number}.md").write_text(text, encoding="utf-8")
    return folder


def started(home: Path, command: str, folder: Path, limit: int = 0) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(limit), command, str(folder)],
        env=kept | {"REMEMBRANCER_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def assert_whole(home: Path) -> None:
    """Every note is stored once, embedded and extracted, and the record is sound."""
    with SqliteStore(home / "remembrancer.db") as store:
        counts, jobs = store.counts(PROJECT), store.job_counts()
        assert (counts.artifacts, jobs.pending, jobs.failed) == (NOTES, 0, 0)
        assert store.integrity_issues() == []


COMMANDS = ["ingest", pytest.param("sync", marks=pytest.mark.exhaustive)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no limit of a file's size")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_fills_the_disk_is_read_to_its_end_once_there_is_room(
    tmp_path: Path, notes: Path, command: str
) -> None:
    """The error says that the disk is full, what was stored stays, and the same command goes on."""
    home = tmp_path / "home"
    process = started(home, command, notes, limit=900_000)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, errors
    assert "disk" in errors
    assert "Traceback" not in errors
    with SqliteStore(home / "remembrancer.db") as store:
        assert store.counts(PROJECT).artifacts <= NOTES
        assert store.integrity_issues() == []
    process = started(home, command, notes)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert_whole(home)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("end", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.exhaustive)])
def test_a_killed_reading_of_a_folder_goes_on(tmp_path: Path, notes: Path, command: str, end: signal.Signals) -> None:
    """Nothing that was stored is lost or stored twice, and jobs that the killed process had in hand are done."""
    home = tmp_path / "home"
    process = started(home, command, notes)

    def is_half_stored() -> bool:
        assert process.poll() is None, "it ended before it could be killed"
        if not (home / "remembrancer.db").exists():
            return False
        with SqliteStore(home / "remembrancer.db") as store:
            return store.counts(PROJECT).artifacts > 0

    eventually(is_half_stored)
    process.send_signal(end)
    _, errors = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors
    process = started(home, command, notes)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert_whole(home)


@pytest.mark.both_engines
@pytest.mark.timeout(600)
def test_equal_notes_are_stored_and_learnt_at_the_same_rate(app: App) -> None:
    """Each repeats all that were stored before it; the last ones cost no more of the processor than the first."""
    check_rate(app, 120)


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
def test_two_thousand_equal_notes_are_stored_and_learnt_at_the_same_rate(app: App) -> None:
    """Embedded, where it takes a minute."""
    check_rate(app, 2_000)


def check_rate(app: App, count: int) -> None:
    """Store so many equal notes, a quarter at a time."""
    text, quarter, spent = (
        "We decided to move the fair to the old tannery. Dana Whitfield will order tables.",
        count // 4,
        [],
    )
    for first in range(0, count, quarter):
        began = time.process_time()
        for start in range(first, first + quarter, 250):
            numbers = range(start, min(start + 250, first + quarter))
            app.remember_many([Memory(content=text, key=f"fair/{number}") for number in numbers])
        app.worker.drain()
        spent.append(time.process_time() - began)
    assert (app.store.counts(PROJECT).artifacts, app.store.job_counts().pending) == (count, 0)
    assert spent[-1] < 2 * spent[0]
    found = app.recall(Question(query="Who orders the tables for the fair?"))
    assert found.results[0].content.startswith("We decided")
