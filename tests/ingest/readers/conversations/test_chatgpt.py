"""ChatGPT's export: the turns of each conversation as it was left, whatever was tried on the way."""

from pathlib import Path
from typing import Any

from tests.ingest.readers.reading import format_of, identities, memories, packed, put, refusals, survives, turns


def message(node: str, role: str, words: object, time: float | None, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": words if isinstance(words, list) else [words]}
    return {"id": node, "author": {"role": role}, "create_time": time, "content": content} | more


def node(name: str, parent: str | None, said: dict[str, Any] | None) -> tuple[str, dict[str, Any]]:
    return name, {"id": name, "message": said, "parent": parent, "children": []}


def export(*more: tuple[str, dict[str, Any]], leaf: str = "a2") -> list[dict[str, Any]]:
    nodes = dict(
        [
            node("root", None, None),
            node("s", "root", message("s", "system", "", None)),
            node("q1", "s", message("q1", "user", "Where is the ferry?", 1771000000.25)),
            node("a0", "q1", message("a0", "assistant", "I don't know.", 1771000001)),
            node("t", "q1", message("t", "assistant", "search('ferry')", 1771000002, recipient="browser")),
            node("a1", "t", message("a1", "assistant", "At pier 4.", 1771000003, metadata={"model_slug": "m-1"})),
            node("q2", "a1", message("q2", "user", [{"asset_pointer": "x"}, "And the tide?"], 1771000004)),
            node("a2", "q2", message("a2", "assistant", "High at nine.", 1771000005)),
            *more,
        ]
    )
    return [{"title": "Ferries", "id": "c-1", "create_time": 1, "mapping": nodes, "current_node": leaf}]


TURNS = [
    ("c-1", 0, "user", "2026-02-13T16:26:40.250000+00:00", "Where is the ferry?"),
    ("c-1", 1, "assistant", "2026-02-13T16:26:43+00:00", "At pier 4."),
    ("c-1", 2, "user", "2026-02-13T16:26:44+00:00", "And the tide?"),
    ("c-1", 3, "assistant", "2026-02-13T16:26:45+00:00", "High at nine."),
]


def test_every_turn_is_read_in_order_with_role_and_time(tmp_path: Path) -> None:
    """Not what was replaced, hidden or said to tools."""
    path = put(tmp_path, "conversations.json", export())

    assert format_of(path) == "chatgpt"
    assert turns(path) == TURNS
    assert {memory.source for memory in memories(path)} == {"chatgpt"}
    assert memories(path)[1].metadata == {"conversation_title": "Ferries", "model": "m-1"}


def test_the_archive_is_read_like_the_file_in_it(tmp_path: Path) -> None:
    """Also where it has the conversations in several files."""
    other = export()
    other[0]["id"] = "c-2"
    members: dict[str, object] = {
        "chat.html": "<p>",
        "conversations-000.json": export(),
        "conversations-001.json": other,
    }
    path = packed(tmp_path, "export.zip", members)

    assert format_of(path) == "chatgpt"
    assert [turn[0] for turn in turns(path)] == ["c-1"] * 4 + ["c-2"] * 4


def test_a_later_export_adds_turns_and_changes_none(tmp_path: Path) -> None:
    """Under another path and title, and with a longer conversation."""
    later = export(node("q3", "a2", message("q3", "user", "Thanks.", 1771000009)), leaf="q3")
    later[0]["title"] = "Ferries and tides"

    first = identities(put(tmp_path, "a/conversations.json", export()))
    assert identities(put(tmp_path, "b/conversations.json", later))[:4] == first


def test_a_conversation_that_can_not_be_read_stops_no_other(tmp_path: Path) -> None:
    """It is named by its place."""
    path = put(tmp_path, "conversations.json", [*export(), {"id": "c-9", "mapping": []}, *export()])

    assert len(refusals(path)) == 1
    assert "conversations.json#2' is no conversation of ChatGPT" in refusals(path)[0]


def test_damaged_exports_are_read_or_refused(tmp_path: Path) -> None:
    """A tree that leads round in a circle among them."""
    circle = export()
    circle[0]["mapping"]["q1"]["parent"] = "a2"
    assert len(turns(put(tmp_path, "circle.json", circle))) == 4
    survives(put(tmp_path, "conversations.json", export()))


def test_one_conversation_that_a_browser_saved_is_read(tmp_path: Path) -> None:
    """An object where the export has a list of them."""
    path = put(tmp_path, "ChatGPT-Ferries.json", export()[0])
    assert format_of(path) == "chatgpt"
    assert turns(path) == TURNS


def test_announcements_and_the_marks_of_citations_are_left_out(tmp_path: Path) -> None:
    """The model says before its answer what it will do; only its page can show the marks."""
    cited = "High at nine \ue200cite\ue202turn0search1\ue201 or ten【4†tides.pdf】."
    more = [
        node("p", "a2", message("p", "assistant", "Let me look.", 1771000006, channel="commentary")),
        node("a3", "p", message("a3", "assistant", cited, 1771000007, channel="final")),
    ]
    path = put(tmp_path, "conversations.json", export(*more, leaf="a3"))
    assert [turn[4] for turn in turns(path)][4:] == ["High at nine or ten."]
