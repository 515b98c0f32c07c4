"""Claude's export: the turns of each conversation, and the texts that were attached to them."""

from pathlib import Path
from typing import Any

from core.interface.memory import Memory
from tests.ingest.readers.reading import format_of, identities, memories, packed, put, refusals, survives, turns


def message(uuid: str, sender: str, words: str, at: str, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": words}]
    return {"uuid": uuid, "sender": sender, "text": "old", "content": blocks, "created_at": at} | more


PLAN = {"file_name": "plan.txt", "extracted_content": "Paint the shed."}
EXPORT = [
    {
        "uuid": "c-1",
        "name": "Shed",
        "chat_messages": [
            message("m1", "human", "What is in it?", "2026-03-01T08:00:00.5Z", attachments=[PLAN]),
            message("m2", "assistant", "A shed to paint.", "2026-03-01T08:00:09Z"),
            {"uuid": "m3", "sender": "human", "text": "Good.", "created_at": "2026-03-01T08:01:00Z"},
        ],
    }
]


def test_every_turn_is_read_in_order_with_role_and_time(tmp_path: Path) -> None:
    """What was attached is an item of its own, what was thought is none."""
    path = put(tmp_path, "conversations.json", EXPORT)

    assert format_of(path) == "claude"
    attached = memories(path)[1]
    assert attached == Memory(
        content="Paint the shed.", source="claude", title="plan.txt", date="2026-03-01T08:00:00.5Z", source_id="m1#1"
    )
    assert [turn for turn in turns(path) if turn[0]] == [
        ("c-1", 0, "user", "2026-03-01T08:00:00.5Z", "What is in it?"),
        ("c-1", 1, "assistant", "2026-03-01T08:00:09Z", "A shed to paint."),
        ("c-1", 2, "user", "2026-03-01T08:01:00Z", "Good."),
    ]
    assert memories(path)[0].metadata == {"conversation_title": "Shed", "attachments": ["plan.txt"]}


def test_the_archive_and_a_later_export_give_the_same_turns(tmp_path: Path) -> None:
    """Under another path and name."""
    path = put(tmp_path, "conversations.json", EXPORT)
    archive = packed(tmp_path, "data.zip", {"conversations.json": [EXPORT[0] | {"name": "X"}], "users.json": []})

    assert format_of(archive) == "claude"
    assert identities(archive) == identities(path)


def test_what_is_no_conversation_is_refused_by_its_place(tmp_path: Path) -> None:
    """The others are read."""
    path = put(tmp_path, "conversations.json", [EXPORT[0], {"uuid": "c-2"}])
    assert "conversations.json#2' is no conversation of Claude" in refusals(path)[0]


def test_damaged_exports_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "conversations.json", EXPORT))


def test_one_conversation_that_is_saved_by_itself_is_read(tmp_path: Path) -> None:
    said = {"uuid": "m1", "text": "Which rope?", "sender": "human", "created_at": "2026-03-04T09:15:00Z"}
    path = put(tmp_path, "rope.json", {"uuid": "u1", "name": "Rope", "chat_messages": [said]})
    assert [memory.content for memory in memories(path)] == ["Which rope?"]
