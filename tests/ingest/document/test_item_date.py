"""The day that a document is about, by its words and its name."""

from pathlib import PurePosixPath

import pytest

from ingest.document.dates import ItemDate, item_date, shown_order


@pytest.mark.parametrize(
    ("content", "day"),
    [
        ("Team sync\nThursday 26 February 2026\n\nPresent: Ann", "2026-02-26"),
        ("# Weekly, 2024-03-04\n\n- x", "2024-03-04"),
        ("# Choice of a store\n\n* Status: accepted\n* Date: 2020-02-03\n", "2020-02-03"),
        ("**Date:** 5 Jan 2024 (online)\n\ntext", "2024-01-05"),
        ("Minutes of the board\nheld on 14th March 2023 at 10am\n\nPresent:", "2023-03-14"),
        ("Protokoll vom 4. März 2024\n\nAnwesend: Jo", "2024-03-04"),
        ("Standup Dec 7th\n\nPlans for 2023.", "2023-12-07"),
        ("# August 2021\n\n## August 4\n\n- x", "2021-08-04"),
        ("# News of July 2024\n\n## 2024-06-26\n\n- x", "2024-07"),
        ("[03/04/2021, 10:00] Ann: hi.\n[25/04/2021, 10:00] Bo: yo.", "2021-04-03"),
        ("Sync\n\nNext meeting: 2024-03-18\n", None),
        ("- [ ] renew the licence 2026-05-01\n- [ ] b", None),
        ("We agreed on the 2024-03-04 release\nand more", None),
        ("Deploy on 2026-03-04.", None),
        ("Date of birth: 1980-01-01\nName: Jo\n", None),
        ("> On 2024-03-04 Ann wrote:\n> hi\n", None),
    ],
)
def test_the_words_of_a_document_give_its_day(content: str, day: str | None) -> None:
    """Fields, headings and first lines do; entries, sentences and other days do not."""
    found = item_date(content)
    assert (found and found.iso) == day


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/n/2021-11-02.md", ItemDate("2021-11-02", "file name")),
        ("/n/minutes/2019/10-08.md", ItemDate("2019-10-08", "file name")),
        ("/n/2019/10/08.md", ItemDate("2019-10-08", "file name")),
        ("/n/2019-10/08.md", ItemDate("2019-10-08", "file name")),
        ("/n/2019/10-October/08.md", ItemDate("2019-10-08", "file name")),
        ("/n/2019/march-12.md", ItemDate("2019-03-12", "file name")),
        ("/n/2019/March.md", ItemDate("2019-03", "file name")),
        ("/n/2021-08-update.md", ItemDate("2021-08", "file name")),
        ("/n/call 4 Mar 2021.md", ItemDate("2021-03-04", "file name")),
        ("/n/GMT20240304-150000_Recording.vtt", ItemDate("2024-03-04", "file name")),
        ("/n/2024-W10.md", ItemDate("2024-03-04", "file name")),
        ("/n/2024-05-06 offsite/intro.md", ItemDate("2024-05-06", "folder")),
        ("/n/0012-storage.md", None),
        ("/n/3-4-2024.md", None),
    ],
)
def test_names_of_files_and_folders_give_a_day_or_month(path: str, found: ItemDate | None) -> None:
    """With what the folders above add; one whose day and month nothing tells apart gives none."""
    assert item_date("Words.", path=PurePosixPath(path)) == found


@pytest.mark.parametrize("name", ["2022__CREW-05-19", "crew_2022_notes", "crew-2022", "2022/notes"])
def test_a_day_without_a_year_is_of_the_year_in_the_name(name: str) -> None:
    """Whatever divides the parts of the name."""
    assert item_date("## Call of May 19\n\nx", path=PurePosixPath(f"/n/{name}.md")) == ItemDate("2022-05-19", "text")


def test_words_come_before_the_name_and_the_name_before_other_words() -> None:
    """A heading is sure of itself; the date in another line may be anything's."""
    path = PurePosixPath("/n/2024-03-05.md")
    assert item_date("# Sync 2024-03-04\n\nx", path=path) == ItemDate("2024-03-04", "text")
    assert item_date("Sync of the crew\nOutcome of 2024-02-27 again\n", path=path) == ItemDate(
        "2024-03-05", "file name"
    )
    assert item_date("x", "Sync 2024-03-04", path) == ItemDate("2024-03-04", "title")


def test_the_order_of_a_folder_is_what_its_dates_show() -> None:
    """A day over 12 shows it; both orders show nothing."""
    assert shown_order(["03/04/2021", "25/04/2021"]) == "day first"
    assert shown_order(["04/25/2021"]) == "month first"
    assert shown_order(["04/25/2021", "25/04/2021"]) is None
    found = item_date("x", path=PurePosixPath("/n/3-4-2024.md"), order=lambda: "month first")
    assert found == ItemDate("2024-03-04", "file name")


def test_a_row_of_a_table_is_about_something_else() -> None:
    """A day in it is that of a task; a row of a name and its value tells of the document."""
    assert item_date("| Task | Owner | Due |\n| Fetch the hook | Ana Costa | 2026-03-20 |") is None
    assert item_date("| Date | 2026-03-12 |\n| Place | Harbour office |") == ItemDate("2026-03-12", "text")


def test_a_field_of_a_section_says_when_its_matter_is() -> None:
    """The day of the heading is the document's; without one the field is as good as any."""
    body = "The winch is repaired.\n\n## Regatta\nDate: 27 June 2025\n"
    assert item_date(f"# Committee, 8 April 2025\n\n## Slipway\n{body}") == ItemDate("2025-04-08", "text")
    assert item_date(f"# Committee\n\n## Slipway\n{body}") == ItemDate("2025-06-27", "text")
    assert item_date(f"# Committee\n\n## Meeting\nDate: 8 April 2025\n\n{body}") == ItemDate("2025-04-08", "text")
