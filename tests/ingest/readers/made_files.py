"""Small files of every format of documents and tables, made by a library of the format where one is installed.

`fixtures/` holds what python-docx, python-pptx and openpyxl wrote, which are not installed here.
"""

import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, StreamObject, TextStringObject

_KINDS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NOON: Final = int(datetime(2024, 5, 6, 12, tzinfo=UTC).timestamp())
_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_FIXTURES: Final = Path(__file__).parent / "fixtures"

PAGE: Final = """<!DOCTYPE html>
<html><head><title>Boats &amp; more</title><meta name="author" content="Ann Lee">
<meta property="article:published_time" content="2025-02-03T10:00:00Z">
<link rel="canonical" href="https://example.org/boats"><style>p {}</style></head><body>
<header>Our site <nav><a href="/">Home</a></nav></header><main><h1>Boats</h1>
<p>We   own <b>three</b> boats.<br>One leaks.</p><ul><li>Heron<ul><li>red</li></ul></li><li><p>Teal</p></li></ul>
<table><tr><th>Boat<th>Age</tr><tr><td>Heron<td>4</tr></table><pre>a
  b</pre><script>x()</script><form>Subscribe</form><div><span>Loose</span> text<div>Inner</div> tail</div></main>
<aside>Ads</aside><footer>Imprint</footer></body></html>"""
RICH: Final = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title Crane}{\author Ben}{\creatim\yr2025\mo4\dy2}}"
    r"\b Crane\b0\par The caf\'e9 crane is back \u8364?.\par}"
)
NOTEBOOK: Final = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Tides\n", "How high is it?"]},
        {"cell_type": "code", "outputs": [{"output_type": "stream", "text": ["4.2\n"]}], "source": ["print(4.2)"]},
        {"cell_type": "code", "outputs": [], "source": []},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
}
CALENDAR: Final = """BEGIN:VCALENDAR
BEGIN:VEVENT
UID:a1@x
DTSTART;TZID=Europe/Berlin:20250304T090000
SUMMARY:Basin meeting
ORGANIZER;CN=Mei Tanaka:mailto:mei@example.org
ATTENDEE:mailto:ben@example.org
CATEGORIES:harbour,basin
DESCRIPTION:Bring the plan.\\nAnd cake.
END:VEVENT
BEGIN:VEVENT
UID:broken
DTSTART:someday
END:VEVENT
BEGIN:VTODO
UID:t1
DUE;VALUE=DATE:20250310
SUMMARY:Order piles
END:VTODO
BEGIN:VTODO
UID:t2
SUMMARY:Order rope
STATUS:COMPLETED
END:VTODO
END:VCALENDAR
"""
_FONT: Final = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}


def pdf(pages: Sequence[str], password: str | None = None, created: str = "D:20250304090000Z") -> bytes:
    """Return a PDF with a page for each text; an empty one is blank."""
    lines = [" ".join(f"({line}) Tj T*" for line in text.split("\n")) for text in pages]
    writer = _pages([f"BT /F1 12 Tf 14 TL 50 800 Td {shown} ET" for shown in lines])
    writer.add_metadata({"/Title": "Survey", "/Author": "Ann Lee", "/CreationDate": created})
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    return _written(writer)


def scattered_pdf(lines: Sequence[Sequence[str]]) -> bytes:
    """Return a PDF of one page in which each word, and each blank, is a text of its own, as Skia writes them."""
    shown = []
    for row, words in enumerate(lines):
        at = 50.0
        for word in words:
            for text in (word, " "):
                shown.append(f"BT /F1 11 Tf 1 0 0 -1 50 {50 + 14 * row} Tm {at - 50:.2f} 9 Td ({text}) Tj ET")
                at += 6.5 * len(text)
    return _written(_pages(["1 0 0 -1 0 842 cm\n" + "\n".join(shown)]))


def drawn_pdf(drawn: str) -> bytes:
    """Return a PDF of one page with this content."""
    return _written(_pages([drawn]))


def filled_pdf() -> bytes:
    """Return a form of one field that is filled in, with a note and an attached text."""
    writer = _pages(["BT /F1 12 Tf 14 TL 50 800 Td (Application for a berth) Tj ET"])
    field = {"/Subtype": "/Widget", "/FT": "/Tx", "/T": "name", "/V": "Olga Stein"}
    note = {"/Subtype": "/Text", "/Contents": "Ask her for the length."}
    writer.pages[0][NameObject("/Annots")] = ArrayObject(
        DictionaryObject(
            {NameObject(k): NameObject(v) if v.startswith("/") else TextStringObject(v) for k, v in about.items()}
        )
        for about in (field, note)
    )
    writer.add_attachment("berth.txt", b"The berth is free.")
    return _written(writer)


def _pages(streams: Sequence[str]) -> PdfWriter:
    writer = PdfWriter()
    for drawn in streams:
        page = writer.add_blank_page(595, 842)
        font = DictionaryObject({NameObject(key): NameObject(value) for key, value in _FONT.items()})
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = StreamObject()
        stream.set_data(drawn.encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    return writer


def _written(writer: PdfWriter) -> bytes:
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


def epub(*, is_protected: bool = False) -> bytes:
    """Return a book of two chapters and a table of contents."""
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="book/all.opf"/></rootfiles></container>',
        )
        listed = "".join(
            f'<item id="{key}" href="{name}" properties="{kind}" media-type="application/xhtml+xml"/>'
            for key, name, kind in (("a", "one%20.xhtml", ""), ("b", "two.xhtml", ""), ("n", "nav.xhtml", "nav"))
        )
        archive.writestr(
            "book/all.opf",
            '<package><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tides</dc:title>'
            f"<dc:creator>Ann Lee</dc:creator><dc:date>2024-05-06</dc:date></metadata><manifest>{listed}</manifest>"
            '<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>',
        )
        for name, title in {"one ": "Ebb", "two": "Flood", "nav": "Contents"}.items():
            body = f"<h1>{title}</h1><p>The {title.lower()} takes six hours.</p>"
            archive.writestr(f"book/{name}.xhtml", f"<html><body>{body}</body></html>")
        if is_protected:
            archive.writestr("META-INF/rights.xml", "<rights/>")
    return made.getvalue()


#: A file of each format by its name.
FILES: Final[dict[str, bytes]] = {
    "boats.html": PAGE.encode(),
    "crane.rtf": RICH.encode("ascii"),
    "tides.ipynb": json.dumps(NOTEBOOK).encode(),
    "harbour.ics": CALENDAR.encode(),
    "berths.csv": b"Berth;Boat\n1;Heron\n2;Teal\n",
    "tides.epub": epub(),
    "survey.pdf": pdf(["Page one.\nThe basin is deep.", "", "Page three has the price: 40,000."]),
    **{name: (_FIXTURES / name).read_bytes() for name in ("plan.docx", "review.pptx", "berths.xlsx")},
}


def office(main: str, parts: dict[str, str], relations: dict[str, dict[str, str]]) -> bytes:
    """Return an Office file of XML parts: `relations` has, for each part, the targets by their kind."""
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        for name, targets in ({"": {"officeDocument": main}} | relations).items():
            folder, _, file = name.rpartition("/")
            listed = "".join(
                f'<Relationship Id="r{number}" Type="{_KINDS}/{kind}" Target="/{target}"/>'
                for number, (kind, target) in enumerate(targets.items(), 1)
            )
            archive.writestr(
                f"{folder}/_rels/{file}.rels".lstrip("/"),
                f'<Relationships xmlns="{_RELATIONS}">{listed}</Relationships>',
            )
    return made.getvalue()


def tarred(members: Mapping[str, bytes], packing: str = "gz") -> bytes:
    """Return a tar archive of members of noon of 6 May 2024, and a link."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=f"w:{packing}") as archive:  # type: ignore[call-overload] # a computed mode
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), _NOON
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return made.getvalue()


#: A page that a browser saved with its pictures in one file.
SAVED_PAGE = (
    b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://quay.example/pumps\r\nSubject: Pumps\r\n"
    b"Date: Tue, 4 Mar 2025 10:15:00 -0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; "
    b'type="text/html"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: '
    b'quoted-printable\r\nContent-Location: https://quay.example/pumps\r\n\r\n<html><head><meta charset=3D"utf-8">'
    b"<title>Pumps | Quay</title></head><body><h1>Pumps</h1><p>The old one leaks =E2=80=94 at last.</p></body></html>"
    b"\r\n--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--\r\n"
)

#: A picture of one line, "We rent the wide gangway", in base64.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAaQAAABaAQAAAADf2B9FAAACU0lEQVR42u2WsW7UQBCGv9tbYSNFFysVSCdwmTJlikgxUNDmEfII0NEgJlQ0iHsC"
    "hHgCSgpEnAiJ6+ANMMgSqSLnOAnvYXso7PMFBeUSkBCFp/Ks95t/Z3Z2tT3l8nZi+BPrqI7qqI7qqP+CGv2l1uQcyjFyrR8Szj/HS7Qe/LNqWAl7"
    "v/u1uUSryDXgfeS7gzIt0zLQgPDdZOwiDSivqz95zOFTCcafH8q4pRRmU6pyRhwBxXQ2RYCjZDZlms1mPJJtA7x4Gbdahh3jjinffOd5f9gf/ojd"
    "MRnw9Z475ttrMt3SLYlhFfxWK4aJh3FWdhPA3ph48NEw3p14pBvOI357B4380X3iRV5VBligrkrQjv2SfR5DsvArSC1MDALgk1o2gVGQWsb+gB6F"
    "7CWQNBEx0OOJPVvcU2NHAFRhoCLSaiXgrFCapkI4K3VjOStQNj0mHJItVlhoAgJEbXgJNWmmMq0bTgq52wRrauCj0Nd5E3tKYf0cPAVOxAFkwU3Y"
    "ftVqyW/S0jOtWkBIHrVDGeCAUuYTHUEUk2U48rxen9xSmB8jA+REQ2DQRh/WR1oYQgR5nUgVIdWCum2CgQOvmGsNHJWBzWTgGGZVBmaf3OcThZxe"
    "tLcG9iqQkoK3hg+4HW+Ncn11HTiUkN4XqTeZphB2BcwVQJDakwM2QrvCtcAPoLeHQRZHWJfYh1xVtdBnqqrqVFU1u+QNkF/w3sjrrZfR6elLqaJu"
    "vf3ayy6YV9JXVa3YVlVVr85rKZWvqqqq1F7tZL3uPd9RHdVRHdVRHXWu/QRbjWWEPNLtQQAAAABJRU5ErkJggg=="
)
