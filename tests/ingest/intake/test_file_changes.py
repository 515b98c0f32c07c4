"""Files that change under the eyes of `ingest --watch`: real ones, heard of by the system."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InvalidInput, NotFound
from ingest.intake import files
from ingest.intake.files import watch_changes
from ingest.readers import Walk


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes come together for a tenth of a second only."""
    monkeypatch.setattr(files, "_QUIET", 100)


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    """Set when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def names(found: Walk) -> list[str]:
    """Return the names of the files that are there."""
    return [file.name for file in found.files]


def test_all_files_come_first_and_then_what_changes(tmp_path: Path, stop: threading.Event) -> None:
    """Written in pieces, replaced as editors do, moved in with a folder, renamed, deleted; hidden ones never."""
    (tmp_path / "a.md").write_text("One.")
    (tmp_path / "b.mp4").write_bytes(b"\x89PNG")
    seen = watch_changes([tmp_path], stop=stop)
    first = next(seen)
    assert (names(first), first.skipped) == (["a.md"], {"media": 1})

    with (tmp_path / "a.md").open("a") as file:
        for _ in range(3):
            file.write(" Two.")
            file.flush()
    assert names(next(seen)) == ["a.md"]

    (tmp_path / "a.md.tmp").write_text("Three.")
    (tmp_path / "a.md.tmp").replace(tmp_path / "a.md")
    assert names(next(seen)) == ["a.md"]

    (tmp_path / ".hidden.md").write_text("Not this.")
    outside = tmp_path.parent / f"{tmp_path.name}-new"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "c.txt").write_text("Four.")
    shutil.move(outside, tmp_path / "new")
    assert names(next(seen)) == ["a.md", "c.txt"]

    (tmp_path / "a.md").rename(tmp_path / "d.md")
    assert names(next(seen)) == ["d.md", "c.txt"]

    shutil.rmtree(tmp_path / "new")
    assert names(next(seen)) == ["d.md"]


def test_what_changes_while_the_last_is_worked_on_comes_next(tmp_path: Path, stop: threading.Event) -> None:
    """From before the first run on, nothing is missed."""
    (tmp_path / "a.md").write_text("One.")
    seen = watch_changes([tmp_path], stop=stop)
    next(seen)
    (tmp_path / "b.md").write_text("Meanwhile.")
    (tmp_path / "a.md").write_text("Meanwhile, too.")
    assert names(next(seen)) == ["a.md", "b.md"]


def test_one_file_is_watched_alone(tmp_path: Path, stop: threading.Event) -> None:
    """Also when another file of its name takes its place, and when it is away for a while."""
    path = tmp_path / "a.md"
    path.write_text("One.")
    seen = watch_changes([path], stop=stop)
    assert names(next(seen)) == ["a.md"]
    (tmp_path / "b.md").write_text("Not this.")
    path.unlink()
    assert names(next(seen)) == []
    path.write_text("Two.")
    assert names(next(seen)) == ["a.md"]


def test_it_ends_when_it_is_stopped(tmp_path: Path, stop: threading.Event) -> None:
    """And refuses what can't be watched."""
    seen = watch_changes([tmp_path], stop=stop)
    next(seen)
    stop.set()
    assert list(seen) == []
    with pytest.raises(NotFound):
        next(watch_changes([tmp_path / "gone"]))
    (tmp_path / "a.md").write_text("One.")
    with pytest.raises(InvalidInput, match="folders"):
        next(watch_changes([tmp_path, tmp_path / "a.md"]))
