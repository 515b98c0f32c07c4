"""Folders through random histories: memory holds what the files say, and what was reported as kept."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from core.dates import now
from core.filters import Filters
from graph.store import Store
from ingest.intake.files import ingest
from ingest.intake.known_files import DeletedFile, KnownFiles
from ingest.readers import walk
from retrieval.models.local_embedder import LocalEmbedder

pytestmark = pytest.mark.both_engines

_PLACES: Final = ("harbour", "quay", "harbour/old", "drive")
_NAMES: Final = ("a.md", "b.txt", "c.jsonl", "d.json", "e.csv")
_START: Final = 1_700_000_000


def _lines(texts: list[str]) -> str:
    return "".join(f"{json.dumps({'content': text})}\n" for text in texts)


def _export(texts: list[str]) -> str:
    entries = [{"id": text, "memory": text, "created_at": None, "user_id": "mei"} for text in texts]
    return json.dumps({"results": entries})


def _table(texts: list[str]) -> str:
    return "content,area\n" + "".join(f"{text},pier\n" for text in texts) if texts else ""


_MADE: Final[dict[str, Callable[[list[str]], str]]] = {
    ".md": lambda texts: "\n".join(texts), ".txt": lambda texts: "\n".join(texts), ".jsonl": _lines,
    ".json": _export, ".csv": _table,
}  # fmt: skip


class World:
    """Two roots on a disk, what each file says, and a memory that takes them in."""

    def __init__(self, folder: Path, store: Store, embedder: LocalEmbedder, seed: int) -> None:
        self._folder, self._store, self._embedder = folder, store, embedder
        self._chance, self._clock, self._count = random.Random(seed), _START, 0
        self._away: Path | None = None
        self.roots = [folder / "harbour", folder / "quay", folder / "drive"]
        for place in _PLACES:
            (folder / place).mkdir(parents=True)

    def change(self) -> None:
        """Do something to a file or to a root."""
        deeds = [self._write, self._write, self._write, self._delete, self._move, self._unmount, self._mount]
        self._chance.choice(deeds)()

    def _files(self) -> list[Path]:
        return sorted(path for place in _PLACES for path in (self._folder / place).glob("*.*"))

    def _write(self) -> None:
        path = self._folder / self._chance.choice(_PLACES) / self._chance.choice(_NAMES)
        texts = []
        for _ in range(self._chance.randrange(4)):
            self._count += 1
            texts.append(
                f"Parcel {self._chance.randrange(8) if path.suffix == '.jsonl' else self._count} is on the pier"
            )
        path.write_text(_MADE[path.suffix](texts))
        self._tick(path)

    def _tick(self, path: Path) -> None:
        self._clock += 60
        os.utime(path, (self._clock, self._clock))

    def _delete(self) -> None:
        if files := self._files():
            self._chance.choice(files).unlink()

    def _move(self) -> None:
        if files := self._files():
            path = self._chance.choice(files)
            path.replace(self._folder / self._chance.choice(_PLACES) / path.name)

    def _unmount(self) -> None:
        if self._away is None:
            self._away = self._folder / "away"
            (self._folder / "drive").rename(self._away)
            (self._folder / "drive").mkdir()

    def _mount(self) -> None:
        if self._away is not None and not any((self._folder / "drive").iterdir()):
            (self._folder / "drive").rmdir()
            self._away.rename(self._folder / "drive")
            self._away = None

    def ingest(self, *, prune: bool) -> list[DeletedFile]:
        """Take all roots in, and return what is kept though no file says it."""
        known = KnownFiles(self._folder / "files.db", "default", "asked\nread", self._store)
        found = walk(self.roots)
        known.look_below(found.roots)
        steps = ingest(
            found.files,
            "default",
            context=None,
            records=self._store,
            tokenizer=self._embedder.tokenizer,
            known=known,
        )
        assert [refused for tally in steps for refused in tally.refused] == []
        left = known.deleted_files(prune=prune)
        known.forget(left)
        return [one for one in left if one.kept is not None]

    def said(self) -> set[str]:
        """Return the ids of what an empty memory would have of the files, read afresh."""
        known = KnownFiles(self._folder / "fresh.db", "fresh", "asked\nread", self._store)
        self._store.remove("fresh", [one.id for batch in self._store.each("fresh") for one in batch])
        (self._folder / "fresh.db").unlink(missing_ok=True)
        found = walk(self.roots)
        known.look_below(found.roots)
        for _ in ingest(
            found.files, "fresh", context=None, records=self._store, tokenizer=self._embedder.tokenizer, known=known
        ):
            pass
        return self._stored("fresh")

    def _stored(self, project_id: str) -> set[str]:
        return {
            f"{one.memory.file_path} {one.memory.content}"
            for one in self._store.newest(project_id, Filters(at=now()), 1_000)
        }

    def stored(self) -> set[str]:
        """Return what is stored, by file and text."""
        return self._stored("default")

    def texts_of(self, kept: list[DeletedFile]) -> set[str]:
        """Return what is kept, by file and text."""
        found = self._store.get("default", [id_ for one in kept for id_ in one.ids])
        return {f"{one.memory.file_path} {one.memory.content}" for one in found.values()}


@pytest.mark.parametrize("seed", range(6))
def test_memory_holds_what_the_files_say_and_what_was_reported(
    tmp_path: Path, store: Store, embedder: LocalEmbedder, seed: int
) -> None:
    """After edits, deletions, moves and drives that come and go, with `prune` and without."""
    world = World(tmp_path, store, embedder, seed)
    chance = random.Random(seed)
    for step in range(14):
        for _ in range(chance.randrange(1, 5)):
            world.change()
        kept = world.ingest(prune=chance.random() < 0.4)
        said, reported = world.said(), world.texts_of(kept)
        assert said <= world.stored(), step
        assert world.stored() == said | reported, step
        world.ingest(prune=False)
        assert world.stored() == said | reported, step
