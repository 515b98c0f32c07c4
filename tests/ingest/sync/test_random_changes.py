"""Random changes on both sides of a synced folder, and kills between any two steps: nothing is lost, both get equal."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from graph.sqlite_store import SqliteStore
from tests.ingest.sync.running import Fuse, Killed, Synced

NAMES = st.sampled_from([f"{folder}{name}.md" for folder in ("", "plans/", "plans/deep/") for name in "abcé"])
TEXTS = st.sampled_from([f"{who} paints boat {number}." for who in ("Ann", "Bo", "Cy") for number in range(12)])
PICK = st.integers(0, 10_000)


class BothSides(RuleBasedStateMachine):
    """People edit, move and delete notes; agents remember, replace and forget items; syncs run, and are killed."""

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp())
        (self.place / "notes").mkdir()
        self.store = SqliteStore(self.place / "record.db")
        self.both = Synced(self.place / "notes", self.place, self.store)
        # A folder that loses all its notes at once is taken for one that is not mounted.
        self.both.write("stays.md", "This note stays.")
        self.both.remember("This item stays.")

    def teardown(self) -> None:
        if not hasattr(self, "both"):
            return
        self.both.until_quiet()
        self.both.check_equal()
        self.store.close()
        shutil.rmtree(self.place)

    def note(self, pick: int) -> str:
        paths = sorted(path for path in self.both.files() if "stays" not in path)
        return paths[pick % len(paths)] if paths else ""

    def item(self, pick: int) -> str:
        # By what they say: ids are made of paths, which differ each time, and the same picks would choose others.
        items = sorted(self.both.current().items(), key=lambda one: repr((one[1].memory.content, one[1].created_at)))
        return items[pick % len(items)][0]

    @rule(path=NAMES, text=TEXTS)
    def a_note_is_written(self, path: str, text: str) -> None:
        self.both.write(path, text)

    @rule(pick=PICK, text=TEXTS, above=st.booleans())
    def a_note_is_edited(self, pick: int, text: str, above: bool) -> None:
        if path := self.note(pick):
            file = self.both.folder / path
            before = file.read_text(encoding="utf-8")
            if above and before.startswith("---\n"):
                file.write_text(before.replace("---\n", f"---\nmood: {text}\n", 1), encoding="utf-8")
            else:
                file.write_text(f"{before.rstrip()}\n{text}\n", encoding="utf-8")

    @rule(pick=PICK, path=NAMES, text=st.none() | TEXTS)
    def a_note_is_moved(self, pick: int, path: str, text: str | None) -> None:
        source, target = self.note(pick), self.both.folder / path
        if source and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.both.folder / source).rename(target)
            if text:
                target.write_text(f"{target.read_text(encoding='utf-8').rstrip()}\n{text}\n", encoding="utf-8")

    @rule(pick=PICK, path=NAMES)
    def a_note_is_copied(self, pick: int, path: str) -> None:
        source, target = self.note(pick), self.both.folder / path
        if source and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.both.folder / source, target)

    @rule(pick=PICK, text=st.none() | TEXTS)
    def the_case_of_a_name_is_changed(self, pick: int, text: str | None) -> None:
        if path := self.note(pick):
            source = self.both.folder / path
            target = source.with_name(f"{source.stem.swapcase()}.md")
            if not target.exists():
                source.rename(target)
                if text:
                    target.write_text(f"{target.read_text(encoding='utf-8').rstrip()}\n{text}\n", encoding="utf-8")

    @rule()
    def time_passes(self) -> None:
        """From here on the size and time of notes say whether they changed."""
        for path in self.both.files():
            file = self.both.folder / path
            os.utime(file, ns=(0, file.stat().st_mtime_ns - 10_000_000_000))

    @rule(pick=PICK)
    def a_note_is_deleted(self, pick: int) -> None:
        if path := self.note(pick):
            (self.both.folder / path).unlink()

    @rule(text=TEXTS, key=st.sampled_from([None, None, "k", "l"]), tags=st.sampled_from([(), ("t",), ("u", "v")]))
    def an_agent_remembers(self, text: str, key: str | None, tags: tuple[str, ...]) -> None:
        self.both.remember(text, key=key, tags=tags, context="fact")

    @rule(pick=PICK, text=TEXTS)
    def an_agent_replaces(self, pick: int, text: str) -> None:
        memory = self.both.current()[self.item(pick)].memory
        if memory.key is not None:
            self.both.remember(text, key=memory.key, context=memory.context)

    @rule(pick=PICK)
    def an_agent_forgets(self, pick: int) -> None:
        item = self.both.current()[self.item(pick)]
        if "stays" not in item.memory.content:
            self.store.remove("default", [item.id])

    @rule()
    def both_are_synced(self) -> None:
        before = set(self.both.contents()) | set(self.both.files(trash=True).values())
        self.both.sync()
        assert before <= self.both.said()

    @precondition(lambda self: hasattr(self, "both"))
    @rule(steps=st.integers(0, 12))
    def a_sync_is_killed(self, steps: int) -> None:
        before = set(self.both.contents()) | set(self.both.files(trash=True).values())
        try:
            self.both.sync(Fuse(steps))
        except Killed:
            assert before <= self.both.said()


def run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        BothSides,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
            deadline=None,
        ),
    )


def test_random_changes_on_both_sides_lose_nothing() -> None:
    """What was there before a sync is there after it, and both sides say the same when they are quiet."""
    run(15, 20)


@pytest.mark.exhaustive
@pytest.mark.timeout(1_800)
def test_thousands_of_random_changes_lose_nothing() -> None:
    """The same for many more changes."""
    run(60, 40)
