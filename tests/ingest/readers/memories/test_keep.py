"""Google Keep's notes: text, lists, labels and time; nothing of the trash, and nothing twice."""

from pathlib import Path
from typing import Any

from tests.ingest.readers.reading import format_of, memories, packed, parts, put, survives


def note(**more: Any) -> dict[str, Any]:
    return {
        "color": "DEFAULT",
        "isTrashed": False,
        "isPinned": False,
        "isArchived": False,
        "textContent": "",
        "title": "",
        "userEditedTimestampUsec": 1741104900000000,
        "createdTimestampUsec": 1741100000500000,
    } | more


LIST = note(
    title="Harbour",
    isPinned=True,
    listContent=[{"text": "Paint the\npier", "isChecked": True}, {"text": "Order rope", "isChecked": False}],
    labels=[{"name": "boats"}, {"name": "todo"}],
    attachments=[{"filePath": "1.png", "mimetype": "image/png"}],
)
LINKED = note(
    textContent="Read this: https://a.example",
    annotations=[
        {"source": "WEBLINK", "title": "A", "url": "https://a.example"},
        {"source": "WEBLINK", "title": "Tides", "url": "https://b.example"},
    ],
)
PAGE = '<html><head></head><body><div class="note YELLOW">\n<div class="heading">x</div></div></html>'


def test_a_note_is_an_item_with_list_labels_and_time(tmp_path: Path) -> None:
    """Its title stands above; what is done is marked."""
    path = put(tmp_path, "Harbour.json", LIST)

    assert format_of(path) == "google-keep"
    (memory,) = memories(path)
    assert memory.content == "Harbour\n\n- [x] Paint the pier\n- [ ] Order rope"
    assert (memory.title, memory.tags, memory.date) == (
        "Harbour",
        ("boats", "todo"),
        "2025-03-04T14:53:20.500000+00:00",
    )
    assert memory.metadata == {"pinned": True, "edited": "2025-03-04T16:15:00+00:00", "attachments": ["1.png"]}


def test_links_that_the_text_does_not_say_stand_below_it(tmp_path: Path) -> None:
    """A note without a title, whose file is named after its time, is titled by its first words."""
    (memory,) = memories(put(tmp_path, "2025-03-04T14_53_20.json", LINKED))
    assert (memory.title, memory.content) == (
        "Read this: https://a.example",
        "Read this: https://a.example\n\nTides: https://b.example",
    )


def test_the_archive_gives_each_note_once_and_none_of_the_trash(tmp_path: Path) -> None:
    """The page of HTML beside a note says the same; one without words says nothing."""
    path = packed(
        tmp_path,
        "takeout.zip",
        {
            "Takeout/Keep/Harbour.json": LIST,
            "Takeout/Keep/Harbour.html": PAGE,
            "Takeout/Keep/Old.json": note(isTrashed=True, textContent="old"),
            "Takeout/Keep/Blank.json": note(),
            "Takeout/Keep/Linked.json": LINKED,
        },
    )
    assert [memory.content.partition("\n")[0] for memory in memories(path)] == ["Harbour", LINKED["textContent"]]


def test_damaged_notes_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "Harbour.json", LIST), times=150)
    odd = note(title=5, listContent=[5, {"text": []}], labels={}, createdTimestampUsec="x", annotations=[None])
    assert parts(put(tmp_path, "odd.json", odd)) == []
