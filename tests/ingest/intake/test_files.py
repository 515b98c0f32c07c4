"""What a user may rely on when files are ingested again and again."""

import json
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from core.dates import now
from core.filters import Filters
from core.interface.question import Question
from core.records import Artifact
from graph.store import Store
from ingest.intake.files import IntakeTally, ingest
from retrieval.models.local_embedder import LocalEmbedder
from service.app import App
from service.cli import main
from tests.ingest.readers.made_files import pdf

Ingest = Callable[..., IntakeTally]


@pytest.fixture
def taken_in(store: Store, embedder: LocalEmbedder) -> Ingest:
    """Ingest the files and return the tally after the last."""

    def take(*files: Path) -> IntakeTally:
        *_, last = ingest(files, "default", context=None, records=store, tokenizer=embedder.tokenizer)
        return last

    return take


def stored(store: Store) -> list[Artifact]:
    return store.newest("default", Filters(at=now()), 100)


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_files_that_did_not_change_are_left_alone(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """docs/interface.md `ingest`: running it again changes nothing that did not change, not even a count."""
    files = [written(tmp_path, "a.txt", "We open at nine."), written(tmp_path, "b.md", "# Permit\n\nBoats need one.")]
    assert taken_in(*files) == IntakeTally(stored=2)
    before = stored(store)
    assert taken_in(*files) == IntakeTally(unchanged=2)
    assert stored(store) == before


def test_a_passage_says_on_which_page_of_its_file_it_stands(tmp_path: Path, app: App, taken_in: Ingest) -> None:
    """docs/interface.md `recall`; and pages that did not change are left alone, too."""
    path = tmp_path / "survey.pdf"
    words = "The harbour master counted the boats of the north basin again and wrote the number down. " * 4
    path.write_bytes(pdf([f"{words}\nBuoy number {number} is loose." for number in range(1, 41)]))
    assert taken_in(path).stored == 1
    assert taken_in(path).unchanged == 1

    (found,) = app.recall(Question(query="buoy number 23 is loose", detail="full"), "default").results

    assert found.chunk is not None
    chunk = found.chunk
    place, (artifact,) = chunk.place, stored(app.store)
    assert place is not None
    number = int(place.removeprefix("page "))
    assert 1 < number <= 23
    assert artifact.memory.location_at(artifact.memory.content.index("number 23 is")) == "page 23"
    assert f"number {number} is" in artifact.memory.content[chunk.start_char : chunk.end_char]


def test_a_file_that_changed_replaces_its_former_text(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """The old text would contradict the new one."""
    path = written(tmp_path, "a.txt", "We open at nine.")
    taken_in(path)
    written(tmp_path, "a.txt", "We open at ten.")
    assert taken_in(path) == IntakeTally(updated=1)
    assert [artifact.memory.content for artifact in stored(store)] == ["We open at ten."]


def test_a_file_that_only_got_other_fields_is_renewed(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """Tags in front matter may change while the words stay."""
    path = written(tmp_path, "a.md", "---\ntags: [a]\n---\nWe open at nine.")
    taken_in(path)
    written(tmp_path, "a.md", "---\ntags: [b]\n---\nWe open at nine.")
    assert taken_in(path) == IntakeTally(updated=1)
    assert [artifact.memory.tags for artifact in stored(store)] == [("b",)]


def test_a_file_that_does_not_expire_any_more_is_renewed(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """Its words had gone out of date and are found again."""
    path = written(tmp_path, "a.md", "---\nexpires_at: 2020-01-01\n---\nWe open at nine.")
    taken_in(path)
    assert (taken_in(path), stored(store)) == (IntakeTally(unchanged=1), [])
    written(tmp_path, "a.md", "We open at nine.")
    assert taken_in(path) == IntakeTally(updated=1)
    assert [artifact.memory.content for artifact in stored(store)] == ["We open at nine."]


def test_a_file_that_can_not_be_read_does_not_stop_the_others(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """It is refused whole, with the reason, and a blank one is counted."""
    bad = written(tmp_path, "bad.jsonl", '{"content": "Fine."}\n{"content": ')
    tally = taken_in(bad, written(tmp_path, "blank.txt", " \n"), written(tmp_path, "good.txt", "We open at nine."))
    assert (tally.stored, tally.updated, tally.unchanged, len(tally.blank)) == (1, 0, 0, 1)
    assert len(tally.refused) == 1
    assert "bad.jsonl" in tally.refused[0]
    assert [artifact.memory.content for artifact in stored(store)] == ["We open at nine."]


def test_what_is_left_out_is_counted_by_reason_and_named(tmp_path: Path, taken_in: Ingest) -> None:
    """Nothing of a file is lost without a word: pictures, notes in the trash, files without text."""
    path = tmp_path / "all.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("quay.mp4", b"\x89PNG")
        archive.writestr("mooring.xyz", b"\0")
        archive.writestr("note.txt", "The quay is closed.")
        archive.writestr("Old.json", '{"isTrashed": true, "isPinned": false, "isArchived": false, "textContent": "x"}')
    blank = written(tmp_path, "blank.md", "---\ntitle: Quay\n---\n")

    tally = taken_in(path, blank)

    assert (tally.stored, tally.refused) == (1, [])
    assert tally.left_out == {"media": 1, ".xyz": 1, "in the trash": 1}
    assert tally.blank == [blank.as_posix()]
    first, _ = tally.outcomes
    assert [(Path(part.name).name, part.reason) for part in first.left_out] == [
        ("quay.mp4", "media"),
        ("mooring.xyz", ".xyz"),
        ("Old.json", "in the trash"),
    ]


def test_the_report_of_ingest_names_files_without_text_and_of_no_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As lines for people, and as fields of JSON."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    folder = tmp_path / "notes"
    (folder / "_layouts").mkdir(parents=True)
    for name, text in {"a.md": "We open.", "b.md": "  ", "c.xyz": "x", "d.mp4": "x", "_layouts/page.html": "x"}.items():
        written(folder, name, text)

    assert main(["ingest", str(folder), "--dry-run"]) == 0
    shown = "".join(capsys.readouterr().out.split())
    assert "2found,1empty;skipped:1.xyz,1media,1templates" in shown
    assert "b.md:itholdsnotext" in shown
    assert "c.xyz:.xyz" in shown

    assert main(["ingest", str(folder), "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [Path(path).name for path in told["empty"]] == ["b.md"]
    assert {Path(path).name: reason for path, reason in told["skipped_files"].items()} == {
        "_layouts": "templates",
        "c.xyz": ".xyz",
        "d.mp4": "media",
    }


def test_a_field_that_can_not_be_read_is_said(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """The file is stored without it."""
    tally = taken_in(written(tmp_path, "a.md", "---\ndate: soon\n---\nWe open at nine."))
    assert (tally.stored, tally.refused) == (1, [])
    assert "a.md': date: 'soon' can't be read as date" in tally.unread[0]
    assert (stored(store)[0].memory.metadata or {})["date"] == "soon"


def test_a_tally_comes_after_each_file_and_the_last_counts_all(
    tmp_path: Path, store: Store, embedder: LocalEmbedder
) -> None:
    """A progress bar needs to know; several notes are stored in one transaction."""
    files = [written(tmp_path, f"{number}.txt", f"Boat {number}.") for number in range(60)]
    steps = ingest(files, "default", context=None, records=store, tokenizer=embedder.tokenizer)
    counts = [tally.stored for tally in steps]
    assert (len(counts), counts[-1], len(stored(store))) == (60, 60, 60)
    assert counts[-2] > 0


def test_what_is_in_a_file_twice_is_told_from_what_is_stored(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """The second is found as it is, though both wait for one transaction; of one key, the last counts."""
    twice = written(tmp_path, "a.jsonl", '{"content": "We open at nine."}\n' * 2)
    assert taken_in(twice) == IntakeTally(stored=1, unchanged=1)
    lines = [f'{{"content": "We open at {hour}.", "key": "{twice.as_posix()}#hours"}}\n' for hour in (9, 10, 9)]
    assert taken_in(written(tmp_path, "a.jsonl", "".join(lines))) == IntakeTally(stored=1, updated=2)
    assert {artifact.memory.content for artifact in stored(store)} == {"We open at nine.", "We open at 9."}


def test_a_file_that_is_trusted_later_becomes_a_rule_and_stays_one(
    tmp_path: Path, store: Store, embedder: LocalEmbedder
) -> None:
    """docs/interface.md `ingest --trust`: the words are the same, so it is the same item."""
    path = written(tmp_path, "a.txt", "Use tabs.")

    def take(*, trust: bool) -> tuple[IntakeTally, str | None]:
        (tally,) = ingest(
            [path], "default", context="preference", trust=trust, records=store, tokenizer=embedder.tokenizer
        )
        return tally, stored(store)[0].memory.rule_scope

    assert take(trust=False) == (IntakeTally(stored=1), None)
    assert take(trust=True) == (IntakeTally(updated=1), "universal")
    assert take(trust=False) == (IntakeTally(unchanged=1), "universal")
    assert store.rule_scopes("default", now()) == {"universal": 1}


def test_a_file_keeps_the_kind_that_it_was_told_to_be(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """Items are told apart by key and context: an edited note must not stay behind as one of another kind."""
    minutes = "# Harbour meeting\n\nPresent: Ana, Bo\n\nThe crane is late."
    path = written(tmp_path, "a.md", minutes)
    assert taken_in(path).stored == 1
    written(tmp_path, "a.md", "# Harbour\n\nThe crane is here.")
    assert taken_in(path).updated == 1
    assert taken_in(path).unchanged == 1
    assert [(item.memory.context, item.memory.title) for item in stored(store)] == [("meeting", "Harbour")]


def test_a_kind_that_a_file_names_is_its_kind(tmp_path: Path, store: Store, taken_in: Ingest) -> None:
    """What stands in its front matter counts, the word "document" too."""
    path = written(tmp_path, "a.md", "---\ncontext: document\n---\n# Harbour meeting\n\nPresent: Ana, Bo\n")
    taken_in(path)
    assert [item.memory.context for item in stored(store)] == ["document"]
    written(tmp_path, "a.md", "---\ncontext: note\n---\n# Harbour meeting\n\nPresent: Ana, Bo\n")
    taken_in(path)
    assert {item.memory.context for item in stored(store)} == {"document", "note"}
