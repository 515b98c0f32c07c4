"""A channel of DiscordChatExporter: each message a turn, in order, with name and time."""

from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from tests.ingest.readers.reading import format_of, memories, parts, put, refusals, survives, turns

BASE = 1_400_000_000_000_000_000


def message(number: int, text: str, kind: str = "Default", **more: Any) -> dict[str, Any]:
    return {
        "id": str(BASE + (number << 22)),
        "type": kind,
        "timestamp": f"2025-08-01T10:00:0{number}.5+02:00",
        "content": text,
        "author": {"id": "7", "name": "ann", "nickname": "Ann Lee", "isBot": False},
        "attachments": [],
    } | more


CHANNEL = {
    "guild": {"id": "1", "name": "Harbour"},
    "channel": {"id": "22", "type": "GuildTextChat", "name": "boats"},
    "messages": [
        message(1, "Who has the key?"),
        message(2, "", "ChannelPinnedMessage"),
        message(3, "I do.", "Reply", author={"name": "bo"}, reference={"messageId": str(BASE + (1 << 22))}),
        message(4, "", attachments=[]),
    ],
    "messageCount": 4,
}


def test_every_message_is_a_turn_in_order_with_name_and_time(tmp_path: Path) -> None:
    """Notices and messages without words are none."""
    path = put(tmp_path, "boats.json", CHANNEL)

    assert format_of(path) == "discord"
    assert turns(path) == [
        ("discord:22", (BASE + (1 << 22)) >> 10, "Ann Lee", "2025-08-01T10:00:01.5+02:00", "Who has the key?"),
        ("discord:22", (BASE + (3 << 22)) >> 10, "bo", "2025-08-01T10:00:03.5+02:00", "I do."),
    ]
    assert memories(path)[1].metadata == {"conversation_title": "Harbour / boats", "answers": str(BASE + (1 << 22))}


def test_what_has_no_id_is_refused(tmp_path: Path) -> None:
    """A message by itself, a channel as a whole."""
    assert "no number" in refusals(put(tmp_path, "a.json", CHANNEL | {"messages": [message(1, "x", id="x")]}))[0]
    assert "no channel with an id" in refusals(put(tmp_path, "a.json", CHANNEL | {"channel": {}}))[0]


def test_an_export_that_breaks_off_is_read_up_to_there(tmp_path: Path) -> None:
    """The fault is said."""
    path = put(tmp_path, "a.json", CHANNEL)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InvalidInput, match=r"a\.json' is not JSON"):
        parts(path)


def test_damaged_exports_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "a.json", CHANNEL))


def test_what_a_program_sends_as_a_card_is_read_and_a_file_alone_by_its_name(tmp_path: Path) -> None:
    """The card of somebody's own message is a preview of a link, whose words are not theirs."""
    card = {"title": "Build failed", "description": "The gate jams.", "fields": [{"name": "Job", "value": "77"}]}
    preview = {"title": "Weather at sea", "description": "Wind from the west."}
    messages = [
        message(1, "", author={"name": "ci", "isBot": True}, embeds=[card]),
        message(2, "See https://weather.example", embeds=[preview]),
        message(3, "", attachments=[{"fileName": "key.png"}]),
    ]
    path = put(tmp_path, "boats.json", CHANNEL | {"messages": messages})

    assert [memory.content for memory in memories(path)] == [
        "Build failed\nThe gate jams.\nJob: 77",
        "See https://weather.example",
        "File: key.png",
    ]
