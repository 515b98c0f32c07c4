"""A folder in sync with a record, and kills of a sync at any of its steps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.interface.memory import Memory
from core.knowledge.text import canonical_text
from core.records import Artifact
from graph.store import Store
from ingest.intake.artifacts import remember
from ingest.intake.known_files import SyncedNotes
from ingest.readers import items
from ingest.readers.front_matter import front_matter
from ingest.sync.folder import Bar, FolderSync, Outcome, SyncOptions
from tests.shipped import shipped_embedder

#: What changes something outside of the process, each a point to be killed before and after.
_STEPS = ("add_all", "supersede", "remove")


class Killed(BaseException):
    """The process ends here."""


class Fuse:
    """Ends the process at a step; None for never."""

    def __init__(self, steps: int | None = None) -> None:
        self.steps = steps

    def step(self) -> None:
        if self.steps is not None:
            self.steps -= 1
            if self.steps < 0:
                raise Killed

    def around(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*given: Any, **named: Any) -> Any:
            self.step()
            done = work(*given, **named)
            self.step()
            return done

        return stepped


class _Record:
    """A record whose writes the fuse may end."""

    def __init__(self, store: Store, fuse: Fuse) -> None:
        self._store, self._fuse = store, fuse

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return self._fuse.around(found) if name in _STEPS else found


@contextmanager
def no_bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show nothing."""
    yield lambda steps: None


@dataclass
class Synced:
    """A folder and a record that are to be the same."""

    folder: Path
    home: Path
    store: Store
    options: SyncOptions = field(default_factory=SyncOptions)

    @property
    def notes(self) -> SyncedNotes:
        return SyncedNotes(self.home / "files.db", self.options.project_id, self.folder)

    def sync(self, fuse: Fuse | None = None, bar: Bar = no_bar, **given: Any) -> list[Outcome]:
        """Sync once; the fuse may end it."""
        options = SyncOptions(**({"trust": self.options.trust} | given))
        notes = self.notes
        fuse = fuse or Fuse()
        store: Any = _Record(self.store, fuse)
        made = FolderSync(self.folder, options, store, shipped_embedder().tokenizer, items, notes)
        for on, name in ((notes, "save"), (made._disk, "put")):
            setattr(on, name, fuse.around(getattr(on, name)))
        return made.run(bar)

    def acts(self, **given: Any) -> dict[str, str]:
        """Sync, and return what became of each note, without what was only noted."""
        return {one.path: one.act for one in self.sync(**given) if one.act != "noted"}

    def write(self, path: str, text: str) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def remember(self, content: str, **given: Any) -> str:
        return remember(
            Memory(content=content, **given), "default", self.store, shipped_embedder().tokenizer
        ).added.artifact_id

    def current(self) -> dict[str, Artifact]:
        return {one.id: one for some in self.store.each("default") for one in some}

    def contents(self) -> list[str]:
        """Return the texts of the current items, sorted."""
        return sorted(canonical_text(one.memory.content) for one in self.current().values())

    def files(self, *, trash: bool = False) -> dict[str, str]:
        """Return the bodies of the notes by their paths."""
        found = {}
        for file in self.folder.rglob("*.md"):
            path = file.relative_to(self.folder).as_posix()
            if trash or not path.startswith("."):
                text = file.read_text(encoding="utf-8")
                found[path] = canonical_text(text[front_matter(text).end :])
        return found

    def said(self) -> set[str]:
        """Return every text that there is on either side, revisions and copies too."""
        now = self.current()
        former = {canonical_text(one.memory.content) for id_ in now for one in self.store.revisions("default", id_)}
        return former | set(self.contents()) | set(self.files(trash=True).values())

    def until_quiet(self, rounds: int = 6) -> None:
        """Sync until nothing is done any more; what was forgotten and comes again is held back."""
        for _ in range(rounds):
            if {(one.act, "forgotten" in one.why) for one in self.sync() if one.act != "noted"} <= {
                ("held back", True)
            }:
                return
        raise AssertionError(self.acts())

    def check_equal(self) -> None:
        """Check that each item has one note that says the same, and each note an item, if it is not held back."""
        held_back = self.acts(dry_run=True)
        assert set(held_back.values()) <= {"held back"}, held_back
        now, rows = self.current(), self.notes.load()
        files = {path: text for path, text in self.files().items() if path not in held_back}
        pairs = {path: row.item for path, row in rows.items() if row.item}
        assert set(pairs) == set(files), (pairs, files)
        assert len(set(pairs.values())) == len(pairs)
        assert set(pairs.values()) == set(now), (pairs, now.keys())
        for path, id_ in pairs.items():
            assert files[path] == canonical_text(now[id_].memory.content), path
