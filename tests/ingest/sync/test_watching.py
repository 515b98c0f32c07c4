"""When a watched folder is synced, and when it is not."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from graph.store import Store
from ingest.sync import watching
from ingest.sync.watching import MemorySide, watch_both
from tests.ingest.sync.running import Synced

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def both(tmp_path: Path, store: Store) -> Synced:
    """A folder with one note, and an empty record."""
    (tmp_path / "notes").mkdir()
    made = Synced(tmp_path / "notes", tmp_path, store)
    made.write("stays.md", "The kiosk sells ice.")
    return made


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    """Ends a watch that nothing else ends in time."""
    event = threading.Event()
    timer = threading.Timer(30, event.set)
    timer.start()
    yield event
    timer.cancel()
    event.set()


@pytest.mark.both_engines
def test_the_memory_has_changed_if_an_item_was_stored_renewed_replaced_or_forgotten(
    both: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_LOOK", 0.0)
    monkeypatch.setattr(watching, "_SHARE", 1e9)
    monkeypatch.setattr(watching, "_OVERLAP", timedelta(0))
    memory = MemorySide(both.store, "default")
    assert memory.has_changed(), "nothing is known of it yet"

    def changed() -> bool:
        found = memory.has_changed()
        memory.begin_sync()
        return found

    memory.begin_sync()
    assert not changed()
    first = both.remember("The pump is in shed four.", key="pump", context="fact")
    assert changed()
    both.remember("The pump is in shed four.", key="pump", context="fact", tags=("shed",))
    assert changed()
    both.remember("The pump is in shed five.", key="pump", context="fact")
    assert changed()
    assert not changed()
    both.store.remove("default", [id_ for id_ in both.current() if id_ != first])
    assert changed()
    assert not changed()
    memory.look_again()
    assert changed()


def test_changes_on_either_side_are_synced_and_hidden_files_are_not_looked_at(
    both: Synced, stop: threading.Event
) -> None:
    """An editor's renames are one change; the sync's own writing settles."""
    told: list[str] = []
    memory_changed = iter([False, True])
    seen: list[dict[str, str]] = []
    for _ in watch_both(both.folder, lambda: len(seen) > 2 and next(memory_changed, False), told.append, stop):
        seen.append(both.acts())
        if len(seen) == 1:
            both.write(".obsidian/workspace.md", "{}")
            fresh = both.write("stays.md~", "The kiosk sells ice and tea.")
            (both.folder / "stays.md").rename(both.folder / ".stays.md.bak")
            fresh.rename(both.folder / "stays.md")
        elif len(seen) == 2:
            both.write("new.md", "The pump is in shed four.")
        elif len(seen) == 3:
            both.remember("The crane is serviced in May.", context="fact")
        elif seen[-1]:
            stop.set()
    assert seen[:3] == [{"stays.md": "remembered"}, {"stays.md": "revised"}, {"new.md": "remembered"}]
    assert list(seen[-1].values()) == ["written"]
    assert not told
    both.check_equal()


def test_a_folder_that_is_gone_is_waited_for_and_nothing_is_forgotten(both: Synced, stop: threading.Event) -> None:
    away = both.folder.with_name("away")
    seen: list[dict[str, str]] = []

    def said(text: str) -> None:
        assert "is gone" in text
        if away.exists():
            away.rename(both.folder)

    for _ in watch_both(both.folder, lambda: False, said, stop):
        seen.append(both.acts())
        if len(seen) == 1:
            both.folder.rename(away)
        elif len(seen) == 2:
            shutil.copytree(both.folder, away)
            (away / "new.md").write_text("The pump is in shed four.")
            shutil.rmtree(both.folder)
        else:
            stop.set()
    assert seen == [{"stays.md": "remembered"}, {}, {"new.md": "remembered"}]
    both.check_equal()


def test_a_note_that_is_back_when_its_item_is_to_be_forgotten_keeps_it(both: Synced) -> None:
    """An editor may take a file away for a moment to write it anew."""
    note = both.write("a.md", "Boat seven is on the slip.")
    both.sync()
    note.unlink()
    both.write("new.md", "The pump is in shed four.")

    @contextmanager
    def back(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        both.write("a.md", "Boat seven is at sea.")
        yield lambda steps: None

    said = {one.path: one.act for one in both.sync(bar=back)}
    assert said == {"new.md": "remembered", "a.md": "held back"}
    assert both.acts() == {"a.md": "revised"}
    both.check_equal()
