"""ODT and ODP: the text with headings, lists, tables, notes, comments and page headers; slides with their notes."""

from pathlib import Path
from typing import Final

import pytest

from core.errors import InvalidInput
from tests.ingest.readers.reading import format_of, memories, packed, parts, put

_SPACES: Final = (
    " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "style", "meta", "presentation", "drawing", "manifest")
    )
    + ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
TEXT: Final = """<office:text><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
<text:h text:outline-level="1">Quay <text:span>works</text:span></text:h>
<text:p>The old<text:s text:c="3"/>pump leaks<text:note><text:note-citation>1</text:note-citation><text:note-body>
<text:p>Says Ben.</text:p></text:note-body></text:note>.<text:line-break/>Badly.<office:annotation><dc:creator>Mei
</dc:creator><text:p>Who checks?</text:p></office:annotation></text:p>
<text:list><text:list-item><text:p>Drain it</text:p><text:list><text:list-item><text:p>first</text:p></text:list-item>
</text:list></text:list-item><text:list-item><text:p>Paint it</text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>Boat</text:p></table:table-cell><table:table-cell>
<text:p>Teal</text:p></table:table-cell></table:table-row></table:table>
<text:p><draw:frame><draw:text-box><text:p>Mind the step</text:p></draw:text-box></draw:frame></text:p></office:text>"""
SLIDES: Final = """<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box>
<text:p>Quay works</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item>
<text:p>Pump</text:p></text:list-item></text:list></draw:text-box></draw:frame><presentation:notes><draw:frame>
<draw:text-box><text:p>Thank Ben.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>
<draw:page><draw:custom-shape><text:p>The end</text:p></draw:custom-shape></draw:page></office:presentation>"""
STYLES: Final = f"""<office:document-styles {_SPACES}><style:header><text:p>Quay board, 4 March 2025</text:p>
</style:header><style:footer><text:p>7</text:p></style:footer></office:document-styles>"""
META: Final = f"""<office:document-meta {_SPACES}><office:meta><dc:title>Untitled</dc:title><meta:initial-creator>Mei
</meta:initial-creator><meta:creation-date>2025-05-06T10:00:00</meta:creation-date><meta:keyword>quay</meta:keyword>
</office:meta></office:document-meta>"""


def members(body: str, kind: str) -> dict[str, object]:
    """Return the members of a file of this kind."""
    return {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<office:document {_SPACES}><office:body>{body}</office:body></office:document>",
        "styles.xml": STYLES,
        "meta.xml": META,
    }


def test_a_text_is_read_with_all_that_stands_in_it(tmp_path: Path) -> None:
    path = packed(tmp_path, "quay.odt", members(TEXT, "text"))
    (memory,) = memories(path)
    assert format_of(path) == "opendocument"
    assert memory.content.split("\n\n") == [
        "Quay board, 4 March 2025",
        "# Quay works",
        "The old pump leaks.\nBadly.",
        "Note: Says Ben.",
        "Comment: Who checks?",
        "- Drain it\n  - first\n- Paint it",
        "| Boat | Teal |",
        "Mind the step",
    ]
    assert (memory.title, memory.author, memory.date, memory.tags) == (
        "Quay works",
        "Mei",
        "2025-05-06T10:00:00",
        ("quay",),
    )


def test_slides_are_places_with_their_notes(tmp_path: Path) -> None:
    (item,) = parts(packed(tmp_path, "quay.odp", members(SLIDES, "presentation")))
    assert item.memory.content.split("\n\n")[1:] == ["## Quay works", "- Pump", "Notes: Thank Ben.", "The end"]  # type: ignore[union-attr]
    assert [item.memory.content[place.start_char :][:6] for place in item.places] == ["## Qua", "The en"]  # type: ignore[union-attr]


def test_a_flat_file_is_read_as_a_packed_one(tmp_path: Path) -> None:
    text = f'<?xml version="1.0"?><office:document {_SPACES}><office:body>{TEXT}</office:body></office:document>'
    (memory,) = memories(put(tmp_path, "quay.fodt", text))
    assert memory.content.startswith("# Quay works")


def test_one_with_a_password_is_refused(tmp_path: Path) -> None:
    entry = f"<manifest:manifest {_SPACES}><manifest:encryption-data/></manifest:manifest>"
    with pytest.raises(InvalidInput, match=r"quay\.odt' has a password"):
        parts(packed(tmp_path, "quay.odt", members(TEXT, "text") | {"META-INF/manifest.xml": entry}))
