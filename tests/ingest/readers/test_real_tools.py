"""Files that LibreOffice, Chromium, Pandoc and groff wrote (`real_tools.py`): what each gives."""

from pathlib import Path

import pytest

from ingest.intake.dating import add_text_date
from ingest.readers.documents.ruled_tables import with_bars
from tests.ingest.extracting import extract
from tests.ingest.readers.reading import memories, put
from tests.ingest.readers.real_tools import MADE, SOURCES

OFFICE = [MADE / f"pier.{suffix}" for suffix in ("docx", "odt", "rtf", "pdf")] + [SOURCES / "pier.fodt"]
DECKS = [MADE / f"crane.{suffix}" for suffix in ("pptx", "odp", "pdf")] + [SOURCES / "crane.fodp"]
SHEETS = [MADE / "runs.ods", MADE / "runs.xlsx", SOURCES / "runs.fods"]
TEXTS = [MADE / f"yard.{suffix}" for suffix in ("md", "rst", "org", "adoc", "tex", "html", "epub")] + [
    SOURCES / "yard.md"
]
PROMISED = {
    ("Ruth Amsel", "2026-05-11"), ("Tomas Berg", "2026-05-08"), ("Olga Stein", "2026-05-15"),
    ("Ruth Amsel", "2026-05-20"),
}  # fmt: skip


def text(path: Path) -> str:
    return " ".join(" ".join(memory.content for memory in memories(path)).split())


@pytest.mark.parametrize("path", OFFICE, ids=lambda path: path.suffix)
def test_a_text_of_an_office_program_keeps_headers_notes_boxes_and_rows(path: Path) -> None:
    found = text(path)
    for part in (
        "Minutes of the pier group, 12 March 2026", "Keeper of the minutes: Olga Stein", "Text box: the crane is out",
        "The price is from Tomas Berg.", "order the oak planks by Friday", "😀", "𝔸",
        "| Task | Owner | Due |",
        "| Order the planks for the northern half of the pier | Ruth Amsel | 2026-03-20 |",
        "| Paint the door | Tomas Berg | 2026-04-02 |",
        "in every single entry of the month of March, as the skippers found.",
    ):  # fmt: skip
        assert part in found, part
    assert "\u00ad" not in found
    assert add_text_date(memories(path)[0]).date == "2026-03-12"


@pytest.mark.parametrize("path", [path for path in OFFICE if path.suffix != ".pdf"], ids=lambda path: path.suffix)
def test_words_with_soft_hyphens_are_whole(path: Path) -> None:
    assert "The harbour master agreed." in text(path)


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.suffix)
def test_narrow_lines_of_a_slide_are_one_sentence(path: Path) -> None:
    (memory,) = memories(path)
    assert memory.title == "Crane review 2026"
    assert "Ruth Amsel will write to the museum by 20 March 2026." in memory.content
    assert "keep the winch until the new motor has been fitted." in memory.content


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.suffix)
def test_cells_are_read_as_they_are_shown(path: Path) -> None:
    rows, comments = memories(path)
    first, second = rows.content.split("\n")
    assert first.startswith("Boat: Nixe; Time: 01:02:37; Share: 12.5%; Fee: ")
    assert "42.50" in first
    assert "€" in first
    assert second.startswith("Boat: Kelpie; Time: 00:59:03; Share: 50")
    assert comments.content == "A2: Check the keel"


def test_a_page_that_a_browser_prints_has_its_table_and_its_columns() -> None:
    (memory,) = memories(MADE / "board.pdf")
    assert "| Task | Owner | Due |\n| Order planks | Ruth Amsel | 2026-03-20 |" in memory.content
    assert "wrong by a quarter of an hour in every entry of March, as the skippers found." in memory.content
    assert "during the long evenings, and of the boats that were drawn up" in memory.content


def test_a_page_of_two_columns_that_troff_sets_has_whole_words_and_paragraphs() -> None:
    (memory,) = memories(MADE / "quay.pdf")
    assert memory.title == "Minutes of the quay committee"
    for part in (
        "The committee decided to replace the northern pontoon in September, because the inspection of the foundations",
        "Tomas Berg will obtain three quotations from manufacturers of prefabricated pontoons by 30 March 2026.",
        "with the well-known harbour administration.", "documented these interruptions systematically, and the self-",
        "3. Next steps\nRuth Amsel will circulate the documentation before the next meeting",
    ):  # fmt: skip
        assert part in memory.content, part


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name if path.parent == MADE else "source")
def test_minutes_in_every_markup_have_the_same_tasks(path: Path) -> None:
    (memory,) = memories(path)
    assert memory.title == "Yard meeting"
    memory = add_text_date(memory)
    assert memory.date == "2026-05-04"
    found = extract(memory.content, context="meeting", date="2026-05-04")
    promised = {
        (name, str(event.due)[:10])
        for event in found.events
        if event.category == "Commitment" and event.due
        for name, role in event.actors
        if role == "owner"
    }
    assert promised >= PROMISED


def test_tables_of_pandoc_without_bars_become_rows(tmp_path: Path) -> None:
    simple = "a    b\n---- -----\none  two\n\nAfter.\n"
    grid = "+---+-----+\n| A | B   |\n+===+=====+\n| c | d   |\n|   | e   |\n+---+-----+\n"
    assert with_bars(simple) == "| a | b |\n| one | two |\n\nAfter.\n"
    assert with_bars(grid) == "| A | B |\n| c | d e |\n"
    (memory,) = memories(put(tmp_path, "t.md", f"# Table\n\n{grid}"))
    assert memory.content.endswith("| c | d e |\n")


@pytest.mark.parametrize(
    "plain",
    ["Heading\n-------\n", "- a\n- b\n---\n", "```\na  b\n-- --\nc  d\n```\n", "---\n\n---\n", "a | b\n--|--\n"],
)
def test_rules_that_are_no_tables_stay(plain: str) -> None:
    assert with_bars(plain) == plain
