"""What is known of files: which need not be read again, which are gone, and what only they gave."""

import json
import os
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from core.dates import now
from core.errors import Unavailable
from core.filters import Filters
from graph.store import Store
from ingest.intake.files import Tally, ingest
from ingest.intake.known_files import KnownFiles
from ingest.readers import items, walk
from ingest.readers.formats.item import Part
from retrieval.models.local_embedder import LocalEmbedder

pytestmark = pytest.mark.both_engines

#: A day ago, when all files of a test are made: a file that changed just now may change again in the same moment.
BEFORE = time.time() - 86_400


class Intake:
    """A folder that is ingested again and again, and which of its files were read the last time."""

    def __init__(self, home: Path, folder: Path, store: Store, embedder: LocalEmbedder) -> None:
        self.folder, self.store = folder, store
        self._home, self._embedder = home, embedder
        self.read: list[str] = []
        folder.mkdir()

    def write(self, name: str, text: str, at: float = BEFORE) -> Path:
        """Write a file of some time ago."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        os.utime(path, (at, at))
        return path

    def known(self, options: str = "", *, is_rehearsal: bool = False) -> KnownFiles:
        """Open the table."""
        return KnownFiles(self._home / "files.db", "default", options, self.store, is_rehearsal=is_rehearsal)

    def run(self, options: str = "", *, dry_run: bool = False) -> tuple[Tally, KnownFiles]:
        """Ingest the folder; return the last tally and what is known then."""
        known = self.known(options, is_rehearsal=dry_run)
        *_, tally = self.steps(known, dry_run=dry_run)
        return tally, known

    def steps(self, known: KnownFiles | None = None, *, dry_run: bool = False) -> Generator[Tally, None, None]:
        """Ingest the folder file by file."""
        found, table = walk([self.folder]), known or self.known()
        table.look_below(found.roots)
        self.read.clear()
        yield from ingest(
            found.files,
            "default",
            context=None,
            dry_run=dry_run,
            records=self.store,
            tokenizer=self._embedder.tokenizer,
            read=self._read,
            known=table,
        )

    def _read(self, path: Path, *, context: str | None) -> Iterator[Part]:
        self.read.append(path.name)
        return items(path, context=context)

    def contents(self) -> set[str]:
        """Return all texts that are stored."""
        return {one.memory.content for one in self.store.newest("default", Filters(at=now()), 100)}


@pytest.fixture
def intake(tmp_path: Path, store: Store, embedder: LocalEmbedder) -> Intake:
    """An empty folder and an empty memory."""
    return Intake(tmp_path, tmp_path / "notes", store, embedder)


def test_an_unchanged_file_is_not_read(intake: Intake) -> None:
    """Nor one that was only touched; one that changed is, also where its size and its items' number stay."""
    intake.write("a.txt", "The ferry leaves at nine.")
    intake.write("b.txt", "The skiff is blue.")
    assert intake.run()[0] == Tally(stored=2)
    assert intake.run()[0] == Tally(unchanged=2)
    assert intake.read == []
    intake.write("a.txt", "The ferry leaves at nine.", BEFORE + 60)
    assert (intake.run()[0], intake.read) == (Tally(unchanged=2), [])
    intake.write("b.txt", "The skiff is pink.", BEFORE + 60)
    assert (intake.run()[0], intake.read) == (Tally(updated=1, unchanged=1), ["b.txt"])


def test_a_file_of_this_moment_is_compared_by_its_bytes(intake: Intake) -> None:
    """It may change twice within one tick of the clock."""
    path = intake.write("a.txt", "The skiff is blue.", time.time())
    told = path.stat()
    intake.run()
    path.write_text("The skiff is pink.", encoding="utf-8")
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert intake.run()[0] == Tally(updated=1)


def test_what_the_record_does_not_have_is_read_again(intake: Intake) -> None:
    """It was forgotten, or this is another record: the table never stands in the way of storing."""
    intake.write("a.txt", "The ferry leaves at nine.")
    intake.run()
    intake.store.remove("default", [one.id for one in intake.store.newest("default", Filters(at=now()), 9)])
    assert intake.run()[0] == Tally(stored=1)


def test_other_options_read_all_again(intake: Intake) -> None:
    """What is trusted now was not before, and another release may read more."""
    intake.write("a.txt", "The ferry leaves at nine.")
    intake.run("as before")
    assert (intake.run("otherwise")[0], intake.read) == (Tally(unchanged=1), ["a.txt"])


def test_what_is_refused_is_tried_again(intake: Intake) -> None:
    """It may be a matter of what is installed."""
    intake.write("a.pdf", "not one")
    for _ in range(2):
        assert len(intake.run()[0].refused) == 1
        assert intake.read == ["a.pdf"]


def test_a_file_that_is_gone_is_told_and_forgotten_when_asked(intake: Intake) -> None:
    """With what only it gave; the others stay."""
    gone = intake.write("a.txt", "The ferry leaves at nine.")
    intake.write("b.txt", "The skiff is blue.")
    intake.run()
    gone.unlink()
    _, known = intake.run()
    (departed,) = known.departed()
    assert (departed.path, departed.moved_to) == (gone.as_posix(), None)
    assert "The ferry leaves at nine." in intake.contents()
    assert known.forget([departed]) == 1
    assert intake.contents() == {"The skiff is blue."}
    assert intake.run()[1].departed() == []


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_moved_file_is_recognised(intake: Intake, *, dry_run: bool) -> None:
    """By its bytes, in a rehearsal too, which leaves nothing behind."""
    path = intake.write("a.txt", "The ferry leaves at nine.")
    intake.run()
    path.rename(intake.folder / "z.txt")
    (departed,) = intake.run(dry_run=dry_run)[1].departed()
    assert departed.moved_to == (intake.folder / "z.txt").as_posix()
    assert len(intake.contents()) == 1
    assert intake.run()[0] == (Tally(stored=1) if dry_run else Tally(unchanged=1))


def chat(numbers: range) -> str:
    """Return an export of Telegram with these messages."""
    messages = [
        {
            "id": number,
            "type": "message",
            "date": f"2026-01-01T10:00:0{number}",
            "date_unixtime": f"{1_767_261_600 + number}",
            "from": "Ann",
            "from_id": "user1",
            "text": f"Turn {number}",
        }
        for number in numbers
    ]
    return json.dumps({"name": "Ann", "type": "personal_chat", "id": 7, "messages": messages})


def test_what_another_file_gives_too_is_not_forgotten(intake: Intake) -> None:
    """As the messages that a later export has, too, wherever it lies."""
    first = intake.write("first.json", chat(range(3)))
    intake.write("second.json", chat(range(2, 5)))
    assert intake.run()[0] == Tally(stored=5, unchanged=1)
    first.unlink()
    _, known = intake.run()
    known.forget(known.departed())
    assert intake.contents() == {"Turn 2", "Turn 3", "Turn 4"}


def test_interrupted_the_next_run_goes_on(intake: Intake) -> None:
    """What was stored is found stored, and no file is taken for known of which items are missing."""
    for number in range(130):
        intake.write(f"{number:03}.txt", f"Parcel {number} left the depot.")
    steps = intake.steps()
    for _ in range(120):
        next(steps)
    steps.close()
    tally, _ = intake.run()
    assert tally.stored + tally.unchanged == 130
    assert 100 <= tally.unchanged <= 120, "a batch is stored when it is full, or sooner on a slow machine"
    assert tally.stored <= len(intake.read) < 130


def test_a_damaged_table_says_what_to_do(intake: Intake) -> None:
    """It is no record: it may be deleted."""
    (intake.folder.parent / "files.db").write_bytes(b"not a database, but longer than one header of such a file" * 9)
    with pytest.raises(Unavailable, match="delete it"):
        intake.run()


def test_the_table_is_the_users_alone(intake: Intake) -> None:
    """Names of files tell much."""
    intake.write("a.txt", "The ferry leaves at nine.")
    intake.run()
    table = intake.folder.parent / "files.db"
    assert table.stat().st_mode & 0o077 == 0
