"""Notes of Evernote, Joplin, Bear and other programs of TextBundles, and TiddlyWiki."""

import base64
from pathlib import Path
from typing import Final

from ingest.readers.formats.source import LeftOut
from tests.ingest.readers.made_files import tarred
from tests.ingest.readers.reading import format_of, memories, packed, parts, put

_NOTE: Final = (
    "<note><title>{0}</title><created>20250304T101500Z</created><updated>20250506T101500Z</updated><tag>quay</tag>"
    "<note-attributes><author>Mei Tanaka</author><source-url>https://quay.example</source-url></note-attributes>"
    '<content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd">'
    "<en-note>{1}</en-note>]]></content>{2}</note>"
)
_FILE: Final = (
    "<resource><data encoding='base64'>{}</data><mime>{}</mime><resource-attributes><file-name>{}</file-name>"
    "</resource-attributes></resource>"
)
ENEX: Final = (
    '<?xml version="1.0"?><!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd"><en-export>'
    + _NOTE.format(
        "Pumps",
        '<h2>Today</h2><div>The old one leaks.</div><div><en-todo checked="true"/>Drain it</div>'
        '<div><en-todo/>Paint it</div><en-media hash="x" type="image/png"/>',
        _FILE.format(base64.b64encode(b"The basin is dry.").decode(), "text/plain", "basin.txt")
        + _FILE.format("AAAA", "image/png", "quay.png"),
    )
    + _NOTE.format("Lamp", "<div>It is bright.</div>", "")
    + "</en-export>"
)
_OWN: Final = "0123456789abcdef0123456789abcde{}"
JEX: Final = {
    f"{_OWN.format(1)}.md": f"Pumps\n\nSee [the lamp](:/{_OWN.format(2)}).\n\nid: {_OWN.format(1)}\n"
    f"parent_id: {_OWN.format(3)}\ncreated_time: 2025-03-04T10:15:00.000Z\nauthor: \nis_todo: 0\ntype_: 1",
    f"{_OWN.format(2)}.md": f"Order a lamp\n\n\n\nid: {_OWN.format(2)}\nparent_id: {_OWN.format(3)}\nis_todo: 1\n"
    "created_time: 2025-03-04T10:15:00.000Z\ntodo_due: 1741946400000\ntodo_completed: 0\ntype_: 1",
    f"{_OWN.format(3)}.md": f"Quay\n\nid: {_OWN.format(3)}\nparent_id: \ntype_: 2",
    f"{_OWN.format(4)}.md": f"harbour\n\nid: {_OWN.format(4)}\ntype_: 5",
    f"{_OWN.format(5)}.md": f"id: {_OWN.format(5)}\nnote_id: {_OWN.format(1)}\ntag_id: {_OWN.format(4)}\ntype_: 6",
    f"{_OWN.format(6)}.md": f"quay.png\n\nid: {_OWN.format(6)}\nmime: image/png\ntype_: 4",
    f"resources/{_OWN.format(6)}.png": "x",
}
BUNDLE: Final = {
    "Pumps.textbundle/text.md": "The old one leaks. #quay",
    "Pumps.textbundle/info.json": '{"version": 2, "net.shinyfrog.bear": {"creationDate": "2025-03-04T10:15:00Z"}}',
    "Pumps.textbundle/assets/quay.png": "x",
    "Old.textbundle/text.md": "# Old",
    "Old.textbundle/info.json": '{"net.shinyfrog.bear": {"trashed": 1}}',
}
TIDDLERS: Final = [
    {"title": "Pumps", "text": "!Today\n* the ''old'' one\n** leaks\nSee [[here|Lamp]].", "tags": "quay [[old things]]",
     "created": "20250304101500000", "creator": "Mei Tanaka", "status": "open"},
    {"title": "$:/core", "text": "x", "plugin-type": "plugin", "created": "20250304101500000"},
    {"title": "quay.png", "text": "AAAA", "type": "image/png"},
]  # fmt: skip
_HEAD: Final = '<!doctype html><html><head><meta name="application-name" content="TiddlyWiki" /></head><body>'
WIKI: Final = (
    f'{_HEAD}<script class="tiddlywiki-tiddler-store" type="application/json">'
    '[{"title": "Pumps", "text": "The old one leaks.", "created": "20250304101500000"}]</script></body></html>'
)
OLD_WIKI: Final = (
    f'{_HEAD}<div id="storeArea"><div title="Pumps" created="202503041015" tags="quay"><pre>It &lt; leaks.</pre></div>'
    "</div></body></html>"
)


APPLE: Final = {
    "iCloud Notes/Notes Details.csv": "Title, Created On, Modified On, Pinned, Deleted\n"
    "Pumps,03-04-2025 10:15:00,03-05-2025 09:00:00,Yes,No\nLamp,someday,,No,No\n",
    "iCloud Notes/Notes/Quay/Pumps/Pumps.txt": "Pumps\nThe old one leaks.",
    "iCloud Notes/Notes/Quay/Pumps/basin.md": "The basin is dry.",
    "iCloud Notes/Notes/Lamp/Lamp.txt": "Lamp\nIt is bright.",
    "iCloud Notes/Notes/Empty/Empty.txt": " ",
    "iCloud Notes/Recently Deleted/Old/Old.txt": "Old",
}


def left_out(path: Path) -> list[str]:
    """Return why parts of a file are left out."""
    return [part.reason for part in parts(path) if isinstance(part, LeftOut)]


def test_notes_of_evernote_are_items_with_what_is_attached(tmp_path: Path) -> None:
    """Boxes of tasks, tags, the day of creation; a picture is left out."""
    path = put(tmp_path, "notes.enex", ENEX)
    pumps, basin, lamp = memories(path)
    assert format_of(path) == "evernote"
    assert pumps.content == "Pumps\n\n## Today\n\nThe old one leaks.\n\n- [x] Drain it\n\n- [ ] Paint it"
    assert (pumps.title, pumps.author, pumps.tags, pumps.date) == (
        "Pumps",
        "Mei Tanaka",
        ("quay",),
        "2025-03-04T10:15:00+00:00",
    )
    assert pumps.metadata == {"source_url": "https://quay.example", "attachments": ["basin.txt", "quay.png"]}
    assert (basin.content, lamp.title) == ("The basin is dry.", "Lamp")
    assert [reason.split(" (")[0] for reason in left_out(path)] == ["media"]


def test_notes_of_joplin_have_their_notebooks_tags_and_links(tmp_path: Path) -> None:
    path = put(tmp_path, "all.jex", tarred({name: text.encode() for name, text in JEX.items()}, ""))
    pumps, lamp = memories(path)
    assert format_of(path) == "joplin"
    assert (pumps.content, pumps.tags) == ("# Pumps\n\nSee [[Order a lamp]].", ("harbour",))
    assert pumps.metadata == {"notebook": "Quay"}
    assert (lamp.content, lamp.date) == ("- [ ] Order a lamp (due 2025-03-14)", "2025-03-04T10:15:00.000Z")
    assert left_out(path) == ["attachments of notes"]


def test_a_textbundle_is_titled_by_its_folder_and_dated_by_its_program(tmp_path: Path) -> None:
    """Packed, in a backup of Bear, and as a folder."""
    (memory,) = memories(packed(tmp_path, "all.bear2bk", dict(BUNDLE)))
    assert (memory.title, memory.tags, memory.date) == ("Pumps", ("quay",), "2025-03-04T10:15:00Z")
    assert [reason.split(" (")[0] for reason in left_out(tmp_path / "all.bear2bk")] == ["media", "in the trash"]
    assert format_of(packed(tmp_path, "Pumps.textpack", dict(BUNDLE))) == "textbundle"
    (unpacked,) = memories(put(tmp_path / "Lamp.textbundle", "text.md", "It is bright."))
    assert unpacked.title == "Lamp"


def test_tiddlers_are_items_and_those_of_the_program_are_left_out(tmp_path: Path) -> None:
    """As JSON, as a page of either form, and alone."""
    path = put(tmp_path, "tiddlers.json", TIDDLERS)
    (memory,) = memories(path)
    assert format_of(path) == "tiddlywiki"
    assert memory.content == "# Pumps\n\n## Today\n- the **old** one\n  - leaks\nSee [[Lamp]]."
    assert (memory.tags, memory.date, memory.author) == (
        ("quay", "old things"),
        "2025-03-04T10:15:00+00:00",
        "Mei Tanaka",
    )
    assert memory.metadata == {"status": "open"}
    assert left_out(path) == ["tiddlers of the program", "tiddlers without text"]
    for name, page, words in (("a.html", WIKI, "The old one leaks."), ("b.html", OLD_WIKI, "It < leaks.")):
        path = put(tmp_path, name, page)
        assert format_of(path) == "tiddlywiki"
        assert [memory.content for memory in memories(path)] == [f"# Pumps\n\n{words}"]
    (alone,) = memories(put(tmp_path, "x.tid", "title: Lamp\ntags: quay\n\nIt is bright."))
    assert (alone.content, alone.tags) == ("# Lamp\n\nIt is bright.", ("quay",))


def test_notes_that_apple_gives_have_their_days_and_folders(tmp_path: Path) -> None:
    """What is attached is read as a file; deleted notes are left out."""
    path = packed(tmp_path, "notes.zip", dict(APPLE))
    pumps, basin, lamp = memories(path)
    assert format_of(path) == "apple-notes"
    assert (pumps.title, pumps.date, pumps.content) == ("Pumps", "2025-03-04T10:15:00", "Pumps\nThe old one leaks.")
    assert pumps.metadata == {"folder": "Quay", "updated": "2025-03-05T09:00:00", "pinned": True}
    assert (basin.content, lamp.title, lamp.date) == ("The basin is dry.", "Lamp", None)
    assert left_out(path) == ["a note without words", "in the trash"]


def test_a_note_whose_day_does_not_exist_is_kept_and_says_so(tmp_path: Path) -> None:
    """Days of the year 0, and what was never one; the last day of all is a day."""
    for day, read in (("00000101", None), ("20250230", None), ("99991231", "9999-12-31T10:15:00+00:00")):
        note = _NOTE.format("Lamp", "On.", "").replace("20250304", day)
        (memory,) = memories(put(tmp_path, "a.enex", f"<en-export>{note}</en-export>"))
        assert (memory.content, memory.date) == ("Lamp\n\nOn.", read)
        assert (read is None) == ("unread_fields" in (memory.metadata or {}))


def test_a_tiddler_without_fields_is_its_text(tmp_path: Path) -> None:
    (memory,) = memories(put(tmp_path, "Lamp.tid", "It is bright.\nIt is new."))
    assert (memory.title, memory.content) == ("Lamp", "# Lamp\n\nIt is bright.\nIt is new.")
