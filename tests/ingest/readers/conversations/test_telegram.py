"""Telegram's export, of one chat and of all: each message a turn, in order, with name and time."""

from pathlib import Path
from typing import Any

from tests.ingest.readers.reading import format_of, memories, put, refusals, survives, turns


def message(number: int, who: str, words: object, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "type": "message",
        "date": "2026-02-13T17:26:40",
        "date_unixtime": str(1771000000 + number),
        "from": who,
        "from_id": f"user{len(who)}",
        "text": words,
    } | more


CHAT = {
    "name": "Bo Park",
    "type": "personal_chat",
    "id": 4711,
    "messages": [
        message(1, "Bo Park", ["See ", {"type": "link", "text": "x.example"}, "."]),
        {"id": 2, "type": "service", "action": "phone_call", "actor_id": "user1", "text": ""},
        message(3, "Ann Lee", "Thanks.", reply_to_message_id=1, forwarded_from="Cy Orr"),
        message(4, "Ann Lee", "", photo="(File not included)"),
    ],
}
TURNS = [
    ("telegram:4711", 1, "Bo Park", "2026-02-13T16:26:41+00:00", "See x.example."),
    ("telegram:4711", 3, "Ann Lee", "2026-02-13T16:26:43+00:00", "Thanks."),
]


def test_every_message_is_a_turn_in_order_with_name_and_time(tmp_path: Path) -> None:
    """Calls and the like are none."""
    path = put(tmp_path, "result.json", CHAT)

    assert format_of(path) == "telegram"
    assert turns(path) == TURNS
    assert memories(path)[1].metadata == {"conversation_title": "Bo Park", "answers": 1, "forwarded_from": "Cy Orr"}


def test_an_export_of_all_chats_has_the_same_turns(tmp_path: Path) -> None:
    """Also of those that were left."""
    left = {"about": "", "list": [CHAT | {"id": 4712}, {"name": "empty", "id": 1, "messages": []}]}
    everything = {
        "about": "Everything",
        "personal_information": {"user_id": 1},
        "chats": {"about": "", "list": [CHAT]},
        "left_chats": left,
    }
    path = put(tmp_path, "result.json", everything)

    assert format_of(path) == "telegram"
    assert turns(path) == [*TURNS, *(("telegram:4712", *turn[1:]) for turn in TURNS)]


def test_of_a_time_without_a_zone_the_day_is_read(tmp_path: Path) -> None:
    """As old exports have it."""
    chat = CHAT | {"messages": [message(1, "Bo Park", "x", date_unixtime=None)]}
    assert turns(put(tmp_path, "result.json", chat))[0][3] == "2026-02-13"


def test_a_chat_without_an_id_is_refused(tmp_path: Path) -> None:
    """So is a message without its number."""
    assert "no id" in refusals(put(tmp_path, "result.json", CHAT | {"id": None}))[0]
    odd = CHAT | {"messages": [message(1, "Bo Park", "x", id=True)]}
    assert "no number" in refusals(put(tmp_path, "result.json", odd))[0]


def test_damaged_exports_are_read_or_refused(tmp_path: Path) -> None:
    """Also chats within chats without end."""
    survives(put(tmp_path, "result.json", CHAT))
    put(tmp_path, "result.json", '{"about":"","personal_information":{},' + '"chats":{"list":[{' * 3000)
    survives(tmp_path / "result.json", times=1)


def test_a_poll_and_a_file_alone_are_read(tmp_path: Path) -> None:
    poll = {"question": "When do we sail?", "answers": [{"text": "Friday", "voters": 2}, {"text": "Sunday"}]}
    messages = [message(1, "Bo Park", "", poll=poll), message(2, "Ann Lee", "", file="files/tide table.pdf")]
    path = put(tmp_path, "result.json", CHAT | {"messages": messages})

    assert [memory.content for memory in memories(path)] == [
        "When do we sail?\n- Friday\n- Sunday",
        "File: tide table.pdf",
    ]
