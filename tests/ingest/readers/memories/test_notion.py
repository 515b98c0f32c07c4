"""Notion's export: titles without ids, properties as fields, links as titles, and each database once."""

import io
from pathlib import Path
from zipfile import ZipFile

from tests.ingest.readers.reading import format_of, memories, packed, put, survives

ID, OTHER = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
PAGE = f"""# Ferry talk

Created: March 4, 2025 10:00 AM
Tags: pier, boats
Status: In progress
Key: rope

See [Timetable](Ferry%20talk/Timetable%20{OTHER}.md) and [a map](https://maps.example/x.md).
"""
VIEW = "Name,Berth\nAnna,1\n"
WHOLE = "Name,Berth\nAnna,1\nBrigitte,2\n"


def test_a_page_has_its_title_properties_and_links(tmp_path: Path) -> None:
    """Only its day, people and tags are fields."""
    path = put(tmp_path, f"Ferry talk {ID}.md", PAGE)

    assert format_of(path) == "notion"
    (page,) = memories(path)
    assert page.content == PAGE.replace(f"[Timetable](Ferry%20talk/Timetable%20{OTHER}.md)", "Timetable")
    assert (page.title, page.date, page.tags) == ("Ferry talk", "2025-03-04", ("pier", "boats"))
    assert page.metadata == {"Status": "In progress", "key": "rope"}
    assert (page.source_id, page.key) == (ID, path.resolve().as_posix())


def test_a_page_without_properties_or_title_is_read(tmp_path: Path) -> None:
    """Its name without the id is its title; a paragraph with a colon is no property."""
    path = put(tmp_path, f"Ropes {ID}.md", "# \n\nBuy: rope\nand twine\n")
    (page,) = memories(path)
    assert (page.title, page.metadata, page.date) == ("Ropes", None, None)


def test_a_database_is_read_once(tmp_path: Path) -> None:
    """Whole in an archive as in a folder; a view alone is read."""
    members: dict[str, object] = {f"Boats {ID}.csv": VIEW, f"Boats {ID}_all.csv": WHOLE}
    (table,) = memories(packed(tmp_path, "Export.zip", members))
    assert (table.title, table.content) == ("Boats", "Name: Anna; Berth: 1\nName: Brigitte; Berth: 2")
    whole, view = put(tmp_path, f"Boats {ID}_all.csv", WHOLE), put(tmp_path, f"Boats {ID}.csv", VIEW)
    assert [len(memories(path)) for path in (whole, view)] == [1, 0]
    assert len(memories(put(tmp_path, f"Crew {OTHER}.csv", VIEW))) == 1


def test_the_parts_of_a_large_export_are_read(tmp_path: Path) -> None:
    """They are archives in an archive."""
    part = io.BytesIO()
    with ZipFile(part, "w") as archive:
        archive.writestr(f"Home {OTHER}/Ferry talk {ID}.md", PAGE)
    path = packed(tmp_path, "Export.zip", {"ExportBlock-1-Part-1.zip": part.getvalue(), "index.html": ""})
    assert [memory.title for memory in memories(path)] == ["Ferry talk"]


def test_damaged_pages_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, f"Ferry talk {ID}.md", PAGE), times=150)
