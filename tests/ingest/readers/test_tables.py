"""Tables and calendars: every row and entry in order with its place, read one after the other."""

from itertools import islice
from pathlib import Path

import pytest

from core.errors import InvalidInput
from ingest.readers import items
from ingest.readers.formats.source import Item, Part, Refused
from ingest.readers.front_matter import UNREAD
from tests.ingest.readers.made_files import FILES, office


def parts(folder: Path, name: str, text: str | None = None) -> list[Part]:
    path = folder / name
    path.write_bytes(FILES[name] if text is None else text.encode())
    return list(items(path, context=None))


def test_a_table_becomes_lines_that_are_understood_alone(tmp_path: Path) -> None:
    """Each names its columns, and is a place."""
    (item,) = parts(tmp_path, "berths.csv")

    assert isinstance(item, Item)
    assert item.memory.content == "Berth: 1; Boat: Heron\nBerth: 2; Boat: Teal"
    assert [(place.start_char, place.name) for place in item.places] == [(0, "row 2"), (22, "row 3")]
    assert item.memory.key == (tmp_path / "berths.csv").resolve().as_posix()


def test_a_table_with_a_column_of_texts_becomes_an_item_a_row(tmp_path: Path) -> None:
    """Columns that give no field are lines of its text, also a date that can't be read."""
    table = (
        'Id,Date,Author,Text,Tags,Room\n7,2025-04-01,Ann,"The crane, at last.",a;b,4\n,soon,,"Two\nlines",,\n,,,,,\n'
    )
    first, second = parts(tmp_path, "notes.csv", table)
    where = (tmp_path / "notes.csv").resolve().as_posix()

    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert (first.memory.content, first.memory.author, first.memory.date) == (
        "The crane, at last.\n\nRoom: 4",
        "Ann",
        "2025-04-01",
    )
    assert first.memory.tags == ("a", "b")
    assert [place.name for place in first.places] == ["row 2"]
    assert (first.memory.key, second.memory.key) == (f"{where}#7", f"{where}#row 3")
    assert (second.memory.content, second.memory.date) == ("Two\nlines\n\nDate: soon", None)


def test_a_row_without_a_text_is_not_lost(tmp_path: Path) -> None:
    """Neither in a table of texts nor in one whose remarks are only some of its cells, as a list of tasks has them."""
    table = "Id,Date,Title,Text,Room,\n7,2025-04-01,Crane,,4,urgent\n8,2025-04-02,,,,\n"
    assert [part.memory.content for part in parts(tmp_path, "texts.csv", table) if isinstance(part, Item)] == [
        "Room: 4; urgent",
        "Id: 8; Date: 2025-04-02",
    ]
    tasks = "Task,Owner,Notes\nOil the crane,Mei,\nPaint it,Ben,In blue\n"
    (item,) = parts(tmp_path, "tasks.csv", tasks)
    assert isinstance(item, Item)
    assert item.memory.content == "Task: Oil the crane; Owner: Mei\nTask: Paint it; Owner: Ben; Notes: In blue"
    notes = parts(tmp_path, "notes.csv", "Date,Note\n2025-04-01,Oiled it.\n2025-04-02,Rain.\n")
    assert [part.memory.content for part in notes if isinstance(part, Item)] == ["Oiled it.", "Rain."]


def test_the_sheets_of_a_workbook_come_in_order(tmp_path: Path) -> None:
    """Written by openpyxl; days and whole numbers as people write them."""
    berths, crane, pump = parts(tmp_path, "berths.xlsx")

    assert isinstance(berths, Item)
    assert isinstance(crane, Item)
    assert isinstance(pump, Item)
    assert berths.memory.content == (
        "Berth: 1; Boat: Heron; Since: 2025-01-02; Paid: yes\nBerth: 2; Boat: Teal; Since: 2025-02-03; Paid: no"
    )
    assert [place.name for place in berths.places] == ["sheet Berths, row 2", "sheet Berths, row 3"]
    assert (crane.memory.content, crane.memory.author, crane.memory.date) == ("The crane is back.", "Ann", "2025-04-01")
    assert [place.name for place in pump.places] == ["sheet Notes, row 3"]


def test_a_long_table_is_cut_into_items_that_lose_no_row(tmp_path: Path) -> None:
    """A thousand rows each, the first keyed by the file; read as they are asked for."""
    path = tmp_path / "long.csv"
    path.write_text("Number,Name\n" + "".join(f"{number},row\n" for number in range(2_500)), encoding="utf-8")

    pages = [part for part in items(path, context=None) if isinstance(part, Item)]

    lines = [line for page in pages for line in page.memory.content.split("\n")]
    assert lines == [f"Number: {number}; Name: row" for number in range(2_500)]
    assert [len(page.places) for page in pages] == [1_000, 1_000, 500]
    where = path.resolve().as_posix()
    assert [page.memory.key for page in pages] == [where, f"{where}#row 1002", f"{where}#row 2002"]
    assert len(list(islice(items(path, context=None), 1))) == 1


def test_a_row_that_is_no_delimited_text_ends_the_table_by_its_number(tmp_path: Path) -> None:
    """What stood before it is kept."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"Text\nGood\n" + b"x" * 70_000 + b"\n\xff\xfe\xff\n")
    read = items(path, context=None)

    good = next(read)

    assert isinstance(good, Item)
    assert good.memory.content == "Good"
    with pytest.raises(InvalidInput, match=r"a\.csv' row [34] is not delimited text"):
        list(read)


def test_the_entries_of_a_calendar_are_items(tmp_path: Path) -> None:
    """An event is a meeting on its day, an open task a task; a broken entry is refused and the rest read.

    Keys begin with the path as it is: others count for nothing (`ingest.intake.files`).
    """
    folder = tmp_path / "my  dates"
    folder.mkdir()
    meeting, broken, task, done = parts(folder, "harbour.ics")
    where = (folder / "harbour.ics").resolve().as_posix()

    assert isinstance(meeting, Item)
    assert isinstance(task, Item)
    assert isinstance(done, Item)
    assert (meeting.memory.context, meeting.memory.date) == ("meeting", "2025-03-04T09:00:00+01:00")
    assert meeting.memory.participants == ("Mei Tanaka", "ben@example.org")
    assert (meeting.memory.tags, meeting.memory.key) == (("harbour", "basin"), f"{where}#a1@x")
    assert meeting.memory.content == (
        "Basin meeting\n\nWhen: 2025-03-04T09:00:00+01:00\nOrganizer: Mei Tanaka\nWith: Mei Tanaka, ben@example.org\n\n"
        "Bring the plan.\nAnd cake."
    )
    assert isinstance(broken, Refused)
    assert f"{where}#2" in broken.reason
    assert (task.memory.context, task.memory.content) == ("task", "Order piles\n\nDue: 2025-03-10")
    assert done.memory.context == "note"


def test_a_workbook_shows_numbers_as_its_formats_do_and_keeps_comments_and_text_boxes(tmp_path: Path) -> None:
    """Percentages, amounts of money, and times with their seconds."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:a="a" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    cells = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Air</t></is></c><c r="B1" t="inlineStr"><is><t>Time</t></is></c>'
        '<c r="C1" t="inlineStr"><is><t>Price</t></is></c></row>'
        '<row r="2"><c r="A2" s="1"><v>0.35</v></c><c r="B2" s="2"><v>0.002164</v></c>'
        '<c r="C2" s="3"><v>12.5</v></c></row>'
    )
    formats = '<numFmts><numFmt numFmtId="165" formatCode="#,##0.00 [$€-407]"/></numFmts>'
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in (0, 9, 21, 165))
    sheet = "xl/worksheets/sheet1.xml"
    made = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook {main}><sheets><sheet name="Dives" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/styles.xml": f"<styleSheet {main}>{formats}<cellXfs>{styles}</cellXfs></styleSheet>",
        sheet: f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>",
        "xl/comments1.xml": f'<comments {main}><comment ref="A2"><text><t>Low!</t></text></comment></comments>',
        "xl/drawings/drawing1.xml": f"<d {main}><a:p><a:t>No dives in storms</a:t></a:p></d>",
    }
    targets = {"comments": "xl/comments1.xml", "drawing": "xl/drawings/drawing1.xml"}
    relations = {"xl/workbook.xml": {"worksheet": sheet, "styles": "xl/styles.xml"}, sheet: targets}
    path = tmp_path / "dives.xlsx"
    path.write_bytes(office("xl/workbook.xml", made, relations))
    table, notes = items(path, context=None)
    assert isinstance(table, Item)
    assert isinstance(notes, Item)
    assert table.memory.content == "Air: 35%; Time: 00:03:07; Price: 12.50 €"
    assert (notes.memory.title, notes.memory.content) == (
        "dives: comments and drawings",
        "A2: Low!\nNo dives in storms",
    )


def test_a_calendar_says_who_declined_how_long_it_takes_and_which_days_are_left_out(tmp_path: Path) -> None:
    """A room is where it is, and a group of people is nobody who comes."""
    meeting, again, days = parts(
        tmp_path,
        "a.ics",
        "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1@x\nDTSTART:20250304T090000Z\nDURATION:PT90M\nSUMMARY:Crane\n"
        "ATTENDEE;CN=Mei;PARTSTAT=ACCEPTED:mailto:mei@x\nATTENDEE;CN=Ben;PARTSTAT=DECLINED:mailto:ben@x\n"
        "ATTENDEE;CN=Cy;PARTSTAT=TENTATIVE:mailto:cy@x\nATTENDEE;CN=crew;CUTYPE=GROUP:mailto:crew@x\n"
        "ATTENDEE;CN=Room 3;CUTYPE=ROOM:mailto:r@x\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20250601\n"
        "EXDATE:20250311T090000Z\nRDATE:20250312T090000Z\nCONFERENCE;VALUE=URI:https://call.example/7\n"
        "DESCRIPTION:<p>The <b>old</b> one<br>leaks.</p>\nEND:VEVENT\n"
        "BEGIN:VEVENT\nUID:1@x\nRECURRENCE-ID:20250318T090000Z\nDTSTART:20250318T110000Z\nSUMMARY:Crane\n"
        "RRULE:FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO\nEND:VEVENT\n"
        "BEGIN:VEVENT\nUID:2@x\nDTSTART;VALUE=DATE:20250304\nDTEND;VALUE=DATE:20250307\nSUMMARY:Fair\nEND:VEVENT\n"
        "END:VCALENDAR\n",
    )
    assert isinstance(meeting, Item)
    assert (meeting.memory.participants, meeting.memory.source_url) == (("Mei", "Cy"), "https://call.example/7")
    assert meeting.memory.content == (
        "Crane\n\nWhen: 2025-03-04T09:00:00+00:00 to 2025-03-04T10:30:00+00:00\n"
        "Repeats: every 2 weeks on Tuesday, Thursday until 2025-06-01\nAlso on: 2025-03-12\nExcept on: 2025-03-11\n"
        "Where: Room 3\nWith: Mei, Cy\nGroups: crew\nAccepted: Mei\nDeclined: Ben\nTentative: Cy\n"
        "Links: https://call.example/7\n\nThe old one\nleaks."
    )
    assert isinstance(again, Item)
    assert again.memory.content == (
        "Crane\n\nWhen: 2025-03-18T11:00:00+00:00\nRepeats: FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1\n"
        "Instead of: 2025-03-18T09:00:00+00:00"
    )
    assert isinstance(days, Item)
    assert days.memory.content == "Fair\n\nWhen: 2025-03-04 to 2025-03-06"


@pytest.mark.parametrize("start", ["00000304T090000Z", "20250230", "soon"])
def test_an_entry_whose_day_does_not_exist_is_kept_without_it(tmp_path: Path, start: str) -> None:
    """And says so; the last day of all has none behind it."""
    text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:{}\nDURATION:P2D\nSUMMARY:Crane\nEND:VEVENT\nEND:VCALENDAR\n"
    (item,) = parts(tmp_path, "a.ics", text.format(start))
    assert isinstance(item, Item)
    assert (item.memory.content, item.memory.date) == ("Crane", None)
    assert item.memory.metadata == {UNREAD: {"DTSTART": f"{start!r} is no day"}}
    (last,) = parts(tmp_path, "b.ics", text.format("99991231T235959Z"))
    assert isinstance(last, Item)
    assert last.memory.content == "Crane\n\nWhen: 9999-12-31T23:59:59+00:00"


def test_the_line_that_tells_excel_the_delimiter_is_no_row(tmp_path: Path) -> None:
    [item] = parts(tmp_path, "tasks.csv", "sep=;\nTask;Owner\nOil, thin;Ylva\n")
    assert isinstance(item, Item)
    assert item.memory.content == "Task: Oil, thin; Owner: Ylva"
