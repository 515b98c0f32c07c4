"""What is known of files: which need not be read again, which are gone, and what only they gave."""

import json
import os
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.dates import now
from core.errors import Unavailable
from core.filters import Filters
from graph.store import Store
from ingest.intake.files import IntakeTally, ingest
from ingest.intake.known_files import KnownFiles
from ingest.readers import items, walk
from ingest.readers.formats.source import Part
from retrieval.models.local_embedder import LocalEmbedder

pytestmark = pytest.mark.both_engines

#: A day ago, when all files of a test are made: a file that changed just now may change again in the same moment.
BEFORE = time.time() - 86_400


class Intake:
    """A folder that is ingested again and again, and which of its files were read the last time."""

    def __init__(self, home: Path, folder: Path, store: Store, embedder: LocalEmbedder) -> None:
        self.folder, self.store = folder, store
        self.roots = [folder]
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

    def run(self, options: str = "", *, dry_run: bool = False) -> tuple[IntakeTally, KnownFiles]:
        """Ingest the folder; return the last tally and what is known then."""
        known = self.known(options, is_rehearsal=dry_run)
        *_, tally = IntakeTally(), *self.steps(known, dry_run=dry_run)
        return tally, known

    def steps(self, known: KnownFiles | None = None, *, dry_run: bool = False) -> Generator[IntakeTally, None, None]:
        """Ingest the folder file by file."""
        found, table = walk(self.roots), known or self.known()
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
    assert intake.run()[0] == IntakeTally(stored=2)
    assert intake.run()[0] == IntakeTally(unchanged=2)
    assert intake.read == []
    intake.write("a.txt", "The ferry leaves at nine.", BEFORE + 60)
    assert (intake.run()[0], intake.read) == (IntakeTally(unchanged=2), [])
    intake.write("b.txt", "The skiff is pink.", BEFORE + 60)
    assert (intake.run()[0], intake.read) == (IntakeTally(updated=1, unchanged=1), ["b.txt"])


def test_a_file_of_this_moment_is_compared_by_its_bytes(intake: Intake) -> None:
    """It may change twice within one tick of the clock."""
    path = intake.write("a.txt", "The skiff is blue.", time.time())
    told = path.stat()
    intake.run()
    path.write_text("The skiff is pink.", encoding="utf-8")
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert intake.run()[0] == IntakeTally(updated=1)


def test_what_the_record_does_not_have_is_read_again(intake: Intake) -> None:
    """It was forgotten, or this is another record: the table never stands in the way of storing."""
    intake.write("a.txt", "The ferry leaves at nine.")
    intake.run()
    intake.store.remove("default", [one.id for one in intake.store.newest("default", Filters(at=now()), 9)])
    assert intake.run()[0] == IntakeTally(stored=1)


def test_other_options_read_all_again(intake: Intake) -> None:
    """What is trusted now was not before, and another release may read more."""
    intake.write("a.txt", "The ferry leaves at nine.")
    intake.run("as before")
    assert (intake.run("otherwise")[0], intake.read) == (IntakeTally(unchanged=1), ["a.txt"])


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
    (departed,) = known.deleted_files()
    assert (departed.path, departed.moved_to) == (gone.as_posix(), None)
    assert "prune" in (departed.kept or "")
    assert known.forget([departed]) == 0
    assert "The ferry leaves at nine." in intake.contents()
    assert known.forget(known.deleted_files(prune=True)) == 1
    assert intake.contents() == {"The skiff is blue."}
    assert intake.run()[1].deleted_files() == []


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_moved_file_is_recognised(intake: Intake, *, dry_run: bool) -> None:
    """By its bytes, in a rehearsal too, which leaves nothing behind."""
    path = intake.write("a.txt", "The ferry leaves at nine.")
    intake.run()
    path.rename(intake.folder / "z.txt")
    (departed,) = intake.run(dry_run=dry_run)[1].deleted_files()
    assert departed.moved_to == (intake.folder / "z.txt").as_posix()
    assert len(intake.contents()) == 1
    assert intake.run()[0] == (IntakeTally(stored=1) if dry_run else IntakeTally(unchanged=1))


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
    assert intake.run()[0] == IntakeTally(stored=5, unchanged=1)
    first.unlink()
    _, known = intake.run()
    known.forget(known.deleted_files(prune=True))
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
    assert 70 <= tally.unchanged <= 120, "at most one batch of fifty waits"
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


def entries(*texts: str) -> str:
    """Return a file of JSON lines with these texts."""
    return "".join(f"{json.dumps({'content': text})}\n" for text in texts)


def calendar(*names: str) -> str:
    """Return a calendar with these events."""
    events = "".join(
        f"BEGIN:VEVENT\r\nUID:{name}@harbour.example\r\nDTSTART:20260301T090000Z\r\nSUMMARY:{name}\r\nEND:VEVENT\r\n"
        for name in names
    )
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n{events}END:VCALENDAR\r\n"


def mbox(*subjects: str) -> str:
    """Return a box with a mail of each subject."""
    return "".join(
        f"From ann@harbour.example Sun Mar  1 09:00:00 2026\nFrom: Ann <ann@harbour.example>\nTo: ben@harbour.example\n"
        f"Message-ID: <{subject}@harbour.example>\nDate: Sun, 1 Mar 2026 09:00:00 +0000\nSubject: {subject}\n\n"
        f"About the {subject}.\n\n"
        for subject in subjects
    )


def mem0(*texts: str) -> str:
    """Return an export of mem0 with these memories."""
    return json.dumps(
        {"results": [{"id": text, "memory": text, "created_at": None, "user_id": "mei"} for text in texts]}
    )


def table(*texts: str) -> str:
    """Return a table with a row for each text."""
    return "content,tags\n" + "".join(f"{text},x\n" for text in texts)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("notes.jsonl", entries),
        ("calendar.ics", calendar),
        ("box.mbox", mbox),
        ("memories.json", mem0),
        ("rows.csv", table),
        ("chat.json", lambda *texts: chat(range(len(texts)))),
    ],
)
def test_what_is_taken_out_of_a_file_is_forgotten(intake: Intake, name: str, made: Callable[..., str]) -> None:
    """An entry, event, mail, memory, row or turn; the others stay, and the second run says nothing more."""
    intake.write(name, made("The lamp", "The rope", "The tide"))
    intake.run()
    all_three = intake.contents()
    intake.write(name, made("The lamp", "The rope"), BEFORE + 60)
    _, known = intake.run()
    (unsaid,) = known.deleted_files()
    assert (unsaid.is_there, unsaid.kept, len(unsaid.ids)) == (True, None, 1)
    assert known.forget([unsaid]) == 1
    assert len(all_three) == 3
    assert len(all_three - intake.contents()) == 1
    assert intake.contents() < all_three
    assert intake.run()[1].deleted_files() == []


@pytest.mark.parametrize("text", ["", " \n\t\n", "---\ntitle: Ferry\n---\n"])
def test_what_an_emptied_note_said_is_forgotten(intake: Intake, text: str) -> None:
    """Whether nothing is left, blanks or fields alone."""
    intake.write("a.md", "The ferry leaves at nine.")
    intake.write("b.md", "The skiff is blue.")
    intake.run()
    intake.write("a.md", text, BEFORE + 60)
    _, known = intake.run()
    assert known.forget(known.deleted_files()) == 1
    assert intake.contents() == {"The skiff is blue."}


def test_what_an_emptied_note_said_is_found_after_it_is_deleted(intake: Intake) -> None:
    """Also where nobody asked for what was gone in between."""
    path = intake.write("a.md", "The ferry leaves at nine.")
    intake.write("b.md", "The skiff is blue.")
    intake.run()
    intake.write("a.md", "", BEFORE + 60)
    intake.run()
    path.unlink()
    _, known = intake.run()
    assert known.forget(known.deleted_files(prune=True)) == 1
    assert intake.contents() == {"The skiff is blue."}


def test_a_file_of_several_items_that_is_empty_is_forgotten_only_when_asked(intake: Intake) -> None:
    """It may be damaged."""
    intake.write("a.jsonl", entries("The lamp", "The rope"))
    intake.run()
    intake.write("a.jsonl", "", BEFORE + 60)
    for _ in range(2):
        _, known = intake.run()
        (kept,) = known.deleted_files()
        assert "prune" in (kept.kept or "")
        assert known.forget([kept]) == 0
    assert known.forget(known.deleted_files(prune=True)) == 2
    assert intake.contents() == set()


def test_a_part_that_is_refused_costs_nothing_that_was_stored(intake: Intake) -> None:
    """Not even when asked; once the file is mended, what it does not say goes."""
    intake.write("a.json", chat(range(4)))
    intake.run()
    whole = chat(range(4))
    for number, (text, lost) in enumerate([(whole[: whole.index("Turn 2")], 2), ("{", 4)], 1):
        intake.write("a.json", text, BEFORE + 60 * number)
        _, known = intake.run()
        (kept,) = known.deleted_files(prune=True)
        assert len(kept.ids) == lost
        assert "mend it" in (kept.kept or "")
        assert known.forget([kept]) == 0
    intake.write("a.json", chat(range(3)), BEFORE + 300)
    _, known = intake.run()
    assert known.forget(known.deleted_files()) == 1
    assert intake.contents() == {"Turn 0", "Turn 1", "Turn 2"}


def test_a_damaged_file_that_is_deleted_is_forgotten_whole(intake: Intake) -> None:
    """What it gave before, and what its last reading gave."""
    path = intake.write("a.json", chat(range(2)))
    intake.write("b.md", "The skiff is blue.")
    intake.run()
    damaged = chat(range(2, 4))
    intake.write("a.json", damaged[: damaged.index("Turn 3")], BEFORE + 60)
    intake.run()
    path.unlink()
    _, known = intake.run()
    assert known.forget(known.deleted_files(prune=True)) == 3
    assert intake.contents() == {"The skiff is blue."}


def test_what_was_read_for_another_caller_is_forgotten_only_when_asked(intake: Intake) -> None:
    """Of another context or trust: the text may stand in the file still."""
    intake.write("a.jsonl", entries("The lamp", "The rope"))
    intake.run("as notes\n1")
    intake.write("a.jsonl", entries("The lamp"), BEFORE + 60)
    (kept,) = intake.run("as documents\n1")[1].deleted_files()
    assert "prune" in (kept.kept or "")
    intake.write("a.jsonl", entries("The rope"), BEFORE + 120)
    _, known = intake.run("as documents\n2")
    going = [one for one in known.deleted_files() if one.kept is None]
    assert [len(one.ids) for one in going] == [1]


def test_a_text_that_is_replaced_keeps_its_history(intake: Intake) -> None:
    """An edit is no loss: what a note said stays as its revision."""
    intake.write("a.md", "The ferry leaves at nine.")
    intake.run()
    intake.write("a.md", "The ferry leaves at ten.", BEFORE + 60)
    _, known = intake.run()
    assert known.deleted_files(prune=True) == []
    (stored,) = intake.store.newest("default", Filters(at=now()), 9)
    assert len(intake.store.revisions("default", stored.id)) == 1


@pytest.mark.parametrize("state", ["filled", "empty", "missing"])
def test_each_root_is_judged_by_itself(intake: Intake, tmp_path: Path, state: str) -> None:
    """A folder that is missing or empty may be a drive that is not mounted, whatever the other has."""
    other = tmp_path / "drive"
    other.mkdir()
    (other / "b.md").write_text("The skiff is blue.")
    intake.write("a.md", "The ferry leaves at nine.")
    intake.write("c.md", "The rope is wet.").unlink()
    intake.roots = [intake.folder, other]
    intake.run()
    (other / "b.md").unlink()
    is_there = state == "filled"
    if is_there:
        (other / "c.md").write_text("The lamp is out.")
    elif state == "missing":
        other.rmdir()
    (intake.folder / "a.md").unlink()
    intake.write("d.md", "The tide is low.")
    _, known = intake.run()
    assert known.forget(known.deleted_files(prune=True)) == 1 + is_there
    kept = [one for one in known.deleted_files(prune=True) if one.kept]
    assert [Path(one.path).name for one in kept] == ["b.md"] * (not is_there)
    assert all("mount" in (one.kept or "") for one in kept)


def test_what_a_drive_gave_stays_while_it_is_not_mounted(
    intake: Intake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also where other files of the folder are there; files in its place are a folder like others."""
    drive = intake.folder / "drive"
    drive.mkdir()
    is_mount, mounted = os.path.ismount, True
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == drive if mounted else is_mount(path))
    intake.write("a.md", "The ferry leaves at nine.")
    intake.write("drive/b.md", "The skiff is blue.")
    intake.run()[1].deleted_files()
    mounted = False
    (drive / "b.md").unlink()
    (kept,) = intake.run()[1].deleted_files(prune=True)
    assert "not mounted" in (kept.kept or "")
    intake.write("drive/c.md", "The rope is wet.")
    (going,) = intake.run()[1].deleted_files(prune=True)
    assert going.kept is None


def test_a_file_that_can_not_be_looked_at_is_not_gone(intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is closed, or its server does not answer."""
    path = intake.write("a.md", "The ferry leaves at nine.")
    intake.write("b.md", "The skiff is blue.")
    intake.run()
    path.unlink()
    real = os.lstat

    def closed(asked: Any, **options: Any) -> os.stat_result:
        if str(asked) == str(path):
            raise PermissionError(13, "Permission denied")
        return real(asked, **options)

    _, known = intake.run()
    monkeypatch.setattr(os, "lstat", closed)
    (kept,) = known.deleted_files(prune=True)
    assert "Permission denied" in (kept.kept or "")


def test_a_moved_file_is_there_once(intake: Intake) -> None:
    """Under its new path, without being asked, unless knowledge was given of the old item."""
    (intake.folder / "archive").mkdir()
    path = intake.write("a.md", "The ferry leaves at nine.")
    intake.run()
    path.rename(intake.folder / "archive" / "a.md")
    _, known = intake.run()
    assert known.forget(known.deleted_files()) == 1
    (stored,) = intake.store.newest("default", Filters(at=now()), 9)
    assert stored.memory.file_path == (intake.folder / "archive" / "a.md").as_posix()


def test_an_entry_that_moves_to_another_file_stays(intake: Intake) -> None:
    """In the same run, whichever file is read first."""
    for first, second in (("a.json", "b.json"), ("d.json", "c.json")):
        intake.write(first, chat(range(3)))
        intake.write(second, chat(range(4, 6)))
        intake.run()
        intake.write(first, chat(range(2)), BEFORE + 60)
        intake.write(second, chat(range(2, 6)), BEFORE + 60)
        _, known = intake.run()
        known.forget(known.deleted_files())
        assert {f"Turn {number}" for number in range(6)} == intake.contents()
