"""Documents: everything in, in order, with its places and properties; what can't be read is said."""

import random
import re
from pathlib import Path

import pytest

from core.errors import InvalidInput, MemoryServiceError
from core.interface.memory import Memory
from ingest.readers import items
from ingest.readers.documents.titles import title_of
from ingest.readers.formats.format import best
from ingest.readers.formats.source import Item, Part, Source
from tests.ingest.readers import made_files
from tests.ingest.readers.made_files import FILES


def parts(folder: Path, name: str, data: bytes | None = None) -> list[Part]:
    path = folder / name
    path.write_bytes(FILES[name] if data is None else data)
    return list(items(path, context=None))


def one(folder: Path, name: str, data: bytes | None = None) -> Item:
    (item,) = parts(folder, name, data)
    assert isinstance(item, Item)
    return item


def shown(memory: Memory) -> tuple[str | None, str | None, str | None]:
    return memory.title, memory.author, memory.date


def placed(item: Item) -> list[tuple[str, str]]:
    """Return each place with the first line of its part."""
    return [(place.name, item.memory.content[place.start_char :].partition("\n")[0]) for place in item.places]


def test_of_a_web_page_the_main_text_is_read_with_its_properties(tmp_path: Path) -> None:
    """Menus, forms, scripts and footers are left out; blocks stand apart, and no word is lost or doubled."""
    memory = one(tmp_path, "boats.html").memory

    assert shown(memory) == ("Boats & more", "Ann Lee", "2025-02-03T10:00:00Z")
    assert memory.source_url == "https://example.org/boats"
    assert memory.content == (
        "# Boats\n\nWe own three boats.\nOne leaks.\n\n- Heron\n- red\n- Teal\n\n| Boat | Age |\n| Heron | 4 |\n\n"
        "a\n  b\n\nLoose text\n\nInner\n\ntail"
    )


def test_a_page_without_a_main_part_is_read_whole_and_decoded_as_it_declares(tmp_path: Path) -> None:
    """Also under another suffix: the content tells what it is."""
    page = '<html><meta charset="iso-8859-1"><body><div><p>Caf\xe9 \x93open\x94</p></div></body></html>'.encode(
        "latin-1"
    )

    assert one(tmp_path, "page.txt", page).memory.content == "Café “open”"


def test_a_soft_hyphen_of_a_page_is_no_part_of_a_word(tmp_path: Path) -> None:
    page = b"<html><body><p>The har&shy;bour plan.</p></body></html>"
    assert one(tmp_path, "page.html", page).memory.content == "The harbour plan."


def test_the_pages_of_a_pdf_are_places(tmp_path: Path) -> None:
    """A page without text is listed, so that a scan among others is seen."""
    item = one(tmp_path, "survey.pdf")

    assert shown(item.memory) == ("Survey", "Ann Lee", "2025-03-04T09:00:00+00:00")
    assert placed(item) == [("page 1", "Page one."), ("page 3", "Page three has the price: 40,000.")]
    assert item.memory.metadata == {"pages": 3, "pages_without_text": [2]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (made_files.pdf(["x"], "secret"), "is encrypted: save it without a password"),
        (made_files.pdf(["", ""]), "has 2 pages and no text, as scans have: run OCR on it"),
        (b"%PDF-1.7\nnothing", "is not a PDF that can be read"),
    ],
)
def test_an_encrypted_scanned_or_broken_pdf_is_refused_saying_so(tmp_path: Path, data: bytes, said: str) -> None:
    """Never silently empty."""
    with pytest.raises(InvalidInput, match=rf"a\.pdf.*({said})"):
        parts(tmp_path, "a.pdf", data)


def test_five_hundred_pages_come_in_order(tmp_path: Path) -> None:
    """Each with its place."""
    item = one(tmp_path, "a.pdf", made_files.pdf([f"This is page {number}." for number in range(1, 501)]))

    assert placed(item) == [(f"page {number}", f"This is page {number}.") for number in range(1, 501)]


def test_a_word_document_is_read_in_order(tmp_path: Path) -> None:
    """Headings, lists and tables as Markdown has them; written by python-docx."""
    memory = one(tmp_path, "plan.docx").memory

    assert shown(memory) == ("Harbour plan", "Mei Tanaka", "2025-03-01T00:00:00Z")
    assert memory.content == (
        "# Harbour plan\n\nWe open the north basin in May.\n\n# Costs\n\n- Dredging\n\n- Piling\n\n"
        "| Item | Cost |\n| Piles | 40,000 |\n\nSigned by Ann and Ben."
    )


def test_slides_are_places_and_their_notes_are_read(tmp_path: Path) -> None:
    """Written by python-pptx."""
    item = one(tmp_path, "review.pptx")

    assert shown(item.memory) == ("Review", "Ann Lee", "2025-05-06T00:00:00Z")
    assert placed(item) == [("slide 1", "## Spring review"), ("slide 2", "## Boats"), ("slide 3", "## Table")]
    assert item.memory.content.split("\n\n") == [
        "## Spring review", "What went well", "## Boats", "Three new moorings\nOne lost anchor",
        "Notes: Thank the crew.", "## Table", "| Month | Boats |\n| May | 12 |",
    ]  # fmt: skip


def test_an_office_file_with_a_password_is_refused_saying_so(tmp_path: Path) -> None:
    """Such a file is no zip archive but a compound file."""
    with pytest.raises(InvalidInput, match=r"a\.docx.*has a password or is of the format before 2007"):
        parts(tmp_path, "a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))


def test_the_chapters_of_a_book_are_places(tmp_path: Path) -> None:
    """In reading order, without the table of contents."""
    item = one(tmp_path, "tides.epub")

    assert shown(item.memory) == ("Tides", "Ann Lee", "2024-05-06")
    assert placed(item) == [("Ebb", "# Ebb"), ("Flood", "# Flood")]
    assert "The flood takes six hours." in item.memory.content
    with pytest.raises(InvalidInput, match="protected by its shop"):
        parts(tmp_path, "b.epub", made_files.epub(is_protected=True))


def test_rich_text_is_read_with_its_properties(tmp_path: Path) -> None:
    """Characters of its code page and of Unicode."""
    memory = one(tmp_path, "crane.rtf").memory

    assert shown(memory) == ("Crane", "Ben", "2025-04-02")
    assert memory.content == "Crane\nThe café crane is back €.\n"


def test_the_cells_of_a_notebook_are_places(tmp_path: Path) -> None:
    """Code and what it printed stand in fences."""
    item = one(tmp_path, "tides.ipynb")

    assert placed(item) == [("cell 1", "# Tides"), ("cell 2", "```python")]
    assert item.memory.content == "# Tides\nHow high is it?\n\n```python\nprint(4.2)\n```\n\n```\n4.2\n```"


@pytest.mark.parametrize(
    "text", ["Die Prüfung der Verträge übernimmt Herr Größ.", "Élodie vérifie les contrats déjà signés."]
)
def test_a_text_in_a_western_encoding_is_read_and_says_its_encoding(tmp_path: Path, text: str) -> None:
    """If it is long enough to be like a language; a shorter one is refused (test_readers.py)."""
    memory = one(tmp_path, "a.txt", (text * 3).encode("cp1252")).memory

    assert memory.content == text * 3
    assert (memory.metadata or {})["encoding"].startswith("cp125")


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the data with some bytes changed, cut out or doubled, or without its end."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 12)):
        kind, at = chance.random(), chance.randrange(len(made))
        if kind < 0.6:
            made[at] = chance.randrange(256)
        elif kind < 0.8 and len(made) > 100:
            del made[at : at + chance.randint(1, 40)]
        else:
            made[at:at] = made[at : at + 40]
    return bytes(made[: chance.randrange(len(made))] if chance.random() < 0.2 else made)


def read_mutated(name: str, rounds: int) -> None:
    known = best(Source(Path("/made") / name, FILES[name]))
    assert known is not None
    chance = random.Random(7)
    for _ in range(rounds):
        try:
            list(known.read(Source(Path("/made") / name, mutated(FILES[name], chance)), None))
        except MemoryServiceError as error:
            assert re.search(re.escape(name), str(error))  # noqa: PT017 - reading it is as good as refusing it


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused_by_name(name: str) -> None:
    """Never a traceback."""
    read_mutated(name, 200)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_files_are_read_or_refused_by_name(name: str, pytestconfig: pytest.Config) -> None:
    """The same, as often as `--mutations` says."""
    read_mutated(name, pytestconfig.getoption("mutations"))


@pytest.mark.parametrize(
    "given",
    [
        "Microsoft Word - Document1",
        "PowerPoint-Präsentation",
        "Untitled",
        "untitled document (2)",
        "plan.docx",
        "",
        "Microsoft Word - plan.doc",
        "Untitled - Notepad",
        "Document sans titre",
        "New Microsoft Word Document",
        "無題",
        "Презентация PowerPoint",
        "[Document title]",
        "Click to add title",
        "Titel eingeben",
        "Insert title here",
        "Scan_20260312_0001",
        "CamScanner 03-12-2026 10.15",
        "Scanned from a Xerox Multifunction Printer",
        "KM_C224e-20260312",
        "Enscript Output",
        "Print Preview",
        "file:///C:/Users/ann/plan.html",
        "index.html",
        "Normal.dotm",
        "Office Theme",
        "Project status report template",
        "Slide 1",
        "Book1",
        "Folie 3",
    ],
)
def test_titles_that_programs_fill_in_are_none(given: str) -> None:
    """The document's own heading is, or its first line."""
    source = Source(Path("/quay/plan.docx"), b"")
    assert title_of(source, given, "# Plan of the quay\n\nIt is old.") == "Plan of the quay"
    assert title_of(source, given, "It is old.") == "plan"
    for kept in (
        "Document of May",
        "Template for minutes",
        "Slide rules",
        "Scan results of May",
        "2026-03-12",
        "Home port",
    ):
        assert title_of(source, kept, "") == kept
    assert title_of(source, "Plan of May - Google Docs", "") == "Plan of May"
    assert title_of(source, "Microsoft Word - Plan of May.doc", "") == "Plan of May"


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", '<h1 align="center">The quay</h1>\n\nIt is old.', "The quay"),
        ("a.md", "# The **old** [quay](quay.html) `now` {#old .wide}\n\nIt is old.", "The old quay now"),
        ("a.md", "# See [[Piers|the piers]] in snake_case\n\nThey are old.", "See the piers in snake_case"),
        ("a.md", "**The quay**\n\nIt is old.", "The quay"),
        ("a.md", "# Table of contents\n\n- Piers\n\n# The quay\n\nIt is old.", "The quay"),
        ("a.md", "% The quay\n% Ann Lee\n\nIt is old.", "The quay"),
        ("a.md", "Title: The quay\nAuthor: Ann Lee\n\nIt is old.", "The quay"),
        ("a.md", "---\ntitle: Untitled\n---\n# The quay\n", "The quay"),
        ("a.md", "---\ntitle: The quay - its piers\n---\n# The quay\n", "The quay - its piers"),
        ("a.html", "<html><title>The quay | Harbour</title><h1>The quay</h1><p>It is old.</p></html>", "The quay"),
        ("a.html", "<html><title>Untitled Document</title><h1>The quay</h1><p>It is old.</p></html>", "The quay"),
        ("a.html", "<html><title>All quays</title><h1>The quay</h1><p>It is old.</p></html>", "All quays"),
        ("Untitled 2.md", "- [ ] Paint the quay.\n- Call Ben.", "Paint the quay."),
        ("New note.txt", f"We {'paint ' * 30}it.", f"We {'paint ' * 15}paint …"),
    ],
)
def test_a_title_is_read_as_people_see_it(tmp_path: Path, name: str, text: str, title: str) -> None:
    """Without markup or the name of a site; where a program named the file, the text begins the title."""
    assert one(tmp_path, name, text.encode()).memory.title == title


def test_a_pdf_that_places_each_word_is_read_in_lines(tmp_path: Path) -> None:
    """As some programs write them; what is left of a divided word is put together, a hyphen of its own stays."""
    words = "We rent the wide gangway until autumn and repaint the north gate in May".split()
    item = one(tmp_path, "a.pdf", made_files.scattered_pdf([words[:7], words[7:]]))
    assert item.memory.content == " ".join(words[:7]) + "\n" + " ".join(words[7:])
    for few in ([["We", "rent", "it."], ["Ruth", "calls."]], [["A", "gate"], ["is", "closed"], [" ".join(words)]]):
        item = one(tmp_path, "few.pdf", made_files.scattered_pdf(few))
        assert item.memory.content == "\n".join(map(" ".join, few))
    names = one(tmp_path, "names.pdf", made_files.pdf(["Heron\nTeal\nDuck\nSwan"]))
    assert names.memory.content == "Heron\nTeal\nDuck\nSwan"
    divided = made_files.pdf(["The well-known infor-\nmation on the well-\nknown quay."])
    assert one(tmp_path, "b.pdf", divided).memory.content == "The well-known information on the well-known quay."


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("a self-\nservice shed", "a self-service shed"),
        ("forty-\ntwo berths", "forty-two berths"),
        ("a land-\nbased winch", "a land-based winch"),
        ("an up-to-\ndate list", "an up-to-date list"),
        ("a state-\nof-the-art winch", "a state-of-the-art winch"),
        ("a USB-\npowered lamp", "a USB-powered lamp"),
        ("the 3-\nyear plan", "the 3-year plan"),
        ("oil- und was-\nserfest, Nord-\nund Ostmole", "oil- und wasserfest, Nord- und Ostmole"),
        ("two-\nor three-year plans of the may-\nor", "two- or three-year plans of the mayor"),
        ("a wood-\nen pier and a part-\nner", "a wooden pier and a partner"),
    ],
)
def test_a_hyphen_at_a_line_end_stays_where_the_word_has_one(tmp_path: Path, lines: str, text: str) -> None:
    assert one(tmp_path, "a.pdf", made_files.pdf([lines])).memory.content == text


def test_the_space_between_words_that_a_pdf_sets_divides_no_word(tmp_path: Path) -> None:
    """Runs of a text set in lines of one length, as troff writes them, with a gap within a run for a blank."""
    drawn = (
        "BT /F1 10 Tf 1 0 0 1 72 700 Tm 2 Tw [(we will ask for three offers of manuf)] TJ 171.28 0 Td [(acturers)] TJ "
        "1 0 0 1 72 688 Tm 2.5 Tw [(3. Next) -250 (steps)] TJ ET"
    )
    text = one(tmp_path, "a.pdf", made_files.drawn_pdf(drawn)).memory.content
    assert text == "we will ask for three offers of manufacturers\n3. Next steps"


def test_a_pdf_that_is_printed_sideways_has_paragraphs(tmp_path: Path) -> None:
    shown = " ".join(
        f"0 1 -1 0 {100 + 12 * row} 72 Tm ({line}) Tj"
        for row, line in enumerate(("We rent the wide gangway until", "autumn and repaint it in May."))
    )
    item = one(tmp_path, "a.pdf", made_files.drawn_pdf(f"BT /F1 10 Tf {shown} ET"))
    assert item.memory.content == "We rent the wide gangway until autumn and repaint it in May."


def test_a_paragraph_of_a_pdf_goes_on_in_the_next_column(tmp_path: Path) -> None:
    """A first line is indented; blanks that fill a line are one."""
    columns = (
        (92, 700, "The quay is closed for the"), (72, 688, "whole  winter,  since  it  is"),
        (72, 676, "not safe while nobody at all"), (300, 700, "can  mend  its  northern  end"),
        (300, 688, "in time."),
    )  # fmt: skip
    shown = " ".join(f"1 0 0 1 {left} {height} Tm ({line}) Tj" for left, height, line in columns)
    item = one(tmp_path, "a.pdf", made_files.drawn_pdf(f"BT /F1 10 Tf {shown} ET"))
    assert item.memory.content == (
        "The quay is closed for the whole winter, since it is not safe while nobody at all can mend its northern end "
        "in time."
    )


def test_the_day_of_a_pdf_whose_time_has_a_damaged_zone_is_kept(tmp_path: Path) -> None:
    made = made_files.pdf(["We open at nine."], created="D:20250304090000Z'")
    item = one(tmp_path, "a.pdf", made)
    assert (item.memory.title, item.memory.date) == ("Survey", "2025-03-04")


def test_fields_that_are_filled_in_notes_and_attachments_of_a_pdf_are_read(tmp_path: Path) -> None:
    """They are the words of whoever filled in the form."""
    form, attached = parts(tmp_path, "form.pdf", made_files.filled_pdf())
    assert isinstance(form, Item)
    assert isinstance(attached, Item)
    assert form.memory.content == "Application for a berth\n\nname: Olga Stein\nNote: Ask her for the length."
    assert attached.memory.content == "The berth is free."
    assert (attached.memory.key or "").endswith("form.pdf/berth.txt")


_NAMED: str = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:a="a" xmlns:p="p" xmlns:c="c" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)


def test_page_headers_diagrams_and_inserted_files_of_a_word_document_are_read(tmp_path: Path) -> None:
    """A header often names the meeting and its day; a page number is no text."""
    parts = {
        "word/document.xml": f"<w:document {_NAMED}><w:p><w:r><w:t>We met.</w:t></w:r></w:p></w:document>",
        "word/header1.xml": f"<w:hdr {_NAMED}><w:p><w:r><w:t>Minutes, 14 April 2026</w:t></w:r></w:p></w:hdr>",
        "word/footer1.xml": f"<w:ftr {_NAMED}><w:p><w:r><w:t>3</w:t></w:r></w:p></w:ftr>",
        "word/diagrams/data1.xml": f"<d {_NAMED}><a:p><a:r><a:t>Mei, crane</a:t></a:r></a:p></d>",
        "word/more.html": "<html><body><p>Inserted.</p></body></html>",
    }
    targets = {
        "header": "word/header1.xml",
        "footer": "word/footer1.xml",
        "diagramData": "word/diagrams/data1.xml",
        "aFChunk": "word/more.html",
    }
    made = made_files.office("word/document.xml", parts, {"word/document.xml": targets})
    memory = one(tmp_path, "a.docx", made).memory
    assert memory.content.split("\n\n") == ["Minutes, 14 April 2026", "We met.", "Mei, crane", "Inserted."]


def test_diagrams_charts_and_comments_of_slides_are_read(tmp_path: Path) -> None:
    """A deck of diagrams alone is not empty."""
    parts = {
        "ppt/presentation.xml": f'<p:presentation {_NAMED}><p:sldId r:id="r1"/></p:presentation>',
        "ppt/slides/slide1.xml": f"<p:sld {_NAMED}/>",
        "ppt/diagrams/data1.xml": f"<d {_NAMED}><a:p><a:t>Mei, crane</a:t></a:p><a:p><a:t>Ben, pump</a:t></a:p></d>",
        "ppt/charts/chart1.xml": f"<c:chart {_NAMED}><c:strCache><c:pt><c:v>North</c:v></c:pt></c:strCache></c:chart>",
        "ppt/comments/comment1.xml": f"<p:cmLst {_NAMED}><p:cm><p:text>Ask Olga.</p:text></p:cm></p:cmLst>",
    }
    targets = {
        "diagramData": "ppt/diagrams/data1.xml",
        "chart": "ppt/charts/chart1.xml",
        "comments": "ppt/comments/comment1.xml",
    }
    relations = {"ppt/presentation.xml": {"slide": "ppt/slides/slide1.xml"}, "ppt/slides/slide1.xml": targets}
    item = one(tmp_path, "a.pptx", made_files.office("ppt/presentation.xml", parts, relations))
    assert item.memory.content == "Mei, crane\nBen, pump\nNorth\n\nComment: Ask Olga."


def test_tables_that_only_place_a_mails_blocks_are_unfolded_once(tmp_path: Path) -> None:
    """A table of data stays one, also within."""
    data = "<table><tr><th>Boat<th>Age</tr><tr><td><p>Heron</p><td>4</tr></table>"
    inner = f"<table><tr><td><h1>News</h1><p>We closed the gate.</p><ul><li>Gloves</li></ul>{data}</td></tr></table>"
    page = f"<html><body><table><tr><td>{inner}</td><td>Side <b>note</b></td></tr></table></body></html>"
    memory = one(tmp_path, "a.html", page.encode()).memory
    assert memory.content == ("# News\n\nWe closed the gate.\n\n- Gloves\n\n| Boat | Age |\n| Heron | 4 |\n\nSide note")


def test_rich_text_keeps_characters_beyond_16_bits_and_its_footnotes(tmp_path: Path) -> None:
    """A soft hyphen is no part of a word."""
    code = (
        rb"{\rtf1\ansi\ansicpg1252\uc1 A great \u-10179?\u-8704? ferry.\par The dead\-line"
        rb"{\footnote It is {\b Friday}.} is near{\*\annotation Which?}.\par}"
    )
    memory = one(tmp_path, "a.rtf", code).memory
    assert memory.content == (
        "A great 😀 ferry.\nThe deadline is near.\n\n\n# Footnotes\n\n- It is Friday.\n\n# Comments\n\n- Which?"
    )


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("<td><p>Boat</p><td><p>Heron</p>", "| Boat | Heron |"),
        ("<td>Boat<td>Heron<br>Teal", "| Boat | Heron Teal |"),
        ("<td>Logo<td>First.<br>Second.<br>Third.<br>Fourth.<br>End.",
         "Logo\n\nFirst.\nSecond.\nThird.\nFourth.\nEnd."),
        ("<td>Logo<td><div>First.</div><div>Second.</div><div>Third.</div><div>End.</div>",
         "Logo\n\nFirst.\n\nSecond.\n\nThird.\n\nEnd."),
        ("<td>Logo<td><hr>First.", "Logo\n\nFirst."),
        ("<th>Boat<td><ul><li>Heron<li>Teal</ul>", "| Boat | Heron Teal |"),
    ],
)  # fmt: skip
def test_tables_of_data_are_told_from_those_that_place_blocks(tmp_path: Path, cells: str, expected: str) -> None:
    """By names of columns, and by what their cells hold."""
    page = f"<html><body><table><tr>{cells}</tr></table><p>Out.</p></body></html>"
    assert one(tmp_path, "a.html", page.encode()).memory.content == f"{expected}\n\nOut."


def test_what_a_page_hides_is_no_text_of_it(tmp_path: Path) -> None:
    """Mails repeat their first words so, for lists of mails."""
    page = '<html><body><div style="display:none;max-height:0">We closed</div><p>We closed it.</p></body></html>'
    assert one(tmp_path, "a.html", page.encode()).memory.content == "We closed it."


def test_lists_of_a_page_keep_numbers_and_check_boxes(tmp_path: Path) -> None:
    """As Markdown has them; the link back from a footnote is no text."""
    page = (
        '<ol start="3"><li>Oil the crane</li><li>Weigh it</li></ol><ul><li><input type="checkbox" checked> Pay</li>'
        '<li><label><input type="checkbox"/>Fetch the hook</label></li></ul><ol><li>It creaks.'
        '<a role="doc-backlink">↩</a></li></ol>'
    )
    content = one(tmp_path, "a.html", f"<html><body><h1>Crane</h1>{page}</body></html>".encode()).memory.content

    assert content.splitlines()[2:] == [
        "3. Oil the crane", "4. Weigh it", "- [x] Pay", "- [ ] Fetch the hook", "1. It creaks.",
    ]  # fmt: skip


def test_cells_of_rich_text_are_rows(tmp_path: Path) -> None:
    """Those with a paragraph of their own, too."""
    code = (
        rb"{\rtf1\ansi Berths\par \trowd\cellx1\cellx2 \intbl Boat\cell Berth\cell Owner\cell\row "
        rb"\trowd\cellx1\cellx2 {\pard\intbl Heron\par}\cell{\pard\intbl\par}\cell{\pard\intbl Ana\par}\cell\row}"
    )

    lines = one(tmp_path, "a.rtf", code).memory.content.splitlines()

    assert [line for line in lines if line.startswith("|")] == ["| Boat | Berth | Owner |", "| Heron |  | Ana |"]


def test_slides_keep_the_day_of_the_first_and_empty_cells(tmp_path: Path) -> None:
    """A number that a program fills in says nothing."""
    shape = "<p:sp><p:nvSpPr><p:ph type='{}'/></p:nvSpPr><p:txBody><a:p>{}</a:p></p:txBody></p:sp>"
    shapes = [
        shape.format("ctrTitle", "<a:t>Crane</a:t>"),
        shape.format("dt", "<a:t>2026-03-12</a:t>"),
        shape.format("ftr", "<a:fld type='slidenum'><a:t>77</a:t></a:fld>"),
    ]
    cells = "".join(f"<a:tc><a:p><a:t>{text}</a:t></a:p></a:tc>" for text in ("Hook", "", "Ana"))
    parts = {
        "ppt/presentation.xml": f'<p:presentation {_NAMED}><p:sldId r:id="r1"/></p:presentation>',
        "ppt/slides/slide1.xml": f"<p:sld {_NAMED}>{''.join(shapes)}<a:tbl><a:tr>{cells}</a:tr></a:tbl></p:sld>",
    }
    relations = {"ppt/presentation.xml": {"slide": "ppt/slides/slide1.xml"}}
    item = one(tmp_path, "a.pptx", made_files.office("ppt/presentation.xml", parts, relations))
    assert item.memory.content == "## Crane\n\n2026-03-12\n\n| Hook |  | Ana |"


def test_a_page_that_a_browser_saved_in_one_file_is_read_with_its_address_and_day(tmp_path: Path) -> None:
    """Known by its headers, whatever it is called; its pictures are left out."""
    for name in ("pumps.mhtml", "pumps.txt"):
        memory = one(tmp_path, name, made_files.SAVED_PAGE).memory
        assert shown(memory) == ("Pumps", None, "2025-03-04T10:15:00")
        assert memory.source_url == "https://quay.example/pumps"
        assert memory.content == "# Pumps\n\nThe old one leaks — at last."
    with pytest.raises(InvalidInput, match="holds no web page"):
        parts(tmp_path, "a.mht", b"Content-Type: text/plain\r\n\r\nNo page.")


def test_a_document_of_google_has_its_title_and_comments(tmp_path: Path) -> None:
    """As it is exported as a web page: marks of comments are no words of the text."""
    page = (
        '<html><body class="doc-content"><p class="c2 title"><span>The quay</span></p><h1>Gangway</h1><p><span>We rent '
        'it</span><sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup><span> in May.</span></p><div><p>'
        '<a href="#cmnt_ref1" id="cmnt1">[a]</a><span>Until autumn.</span></p></div></body></html>'
    )
    memory = one(tmp_path, "Document.html", page.encode()).memory
    assert memory.title == "The quay"
    assert memory.content == "# The quay\n\n# Gangway\n\nWe rent it in May.\n\nComment: Until autumn."
