"""Chats of Messenger, Instagram, Teams, Skype, Signal and text messages: each message is a turn."""

from pathlib import Path
from typing import Final

from tests.ingest.readers.reading import format_of, put, refusals, turns


def _mojibake(text: str) -> str:
    return text.encode().decode("latin-1")


MESSENGER: Final = {
    "participants": [{"name": "Mei Tanaka"}, {"name": _mojibake("Jörg Ode")}],
    "messages": [
        {"sender_name": _mojibake("Jörg Ode"), "timestamp_ms": 1741083300000, "content": _mojibake("Grüße 👋")},
        {"sender_name": "Mei Tanaka", "timestamp_ms": 1741083200000, "photos": [{"uri": "a/quay.jpg"}]},
        {"sender_name": "Mei Tanaka", "timestamp_ms": 1741083100000, "content": "The pump leaks."},
        {"sender_name": "Mei Tanaka", "timestamp_ms": 1741083000000, "is_unsent": True, "content": "no"},
    ],
    "title": _mojibake("Jörg Ode"),
    "thread_path": "inbox/joergode_1",
}
SECRET: Final = {
    "participants": ["Mei", "Ben"],
    "threadName": "Ben_2",
    "messages": [{"isUnsent": False, "media": [], "senderName": "Ben", "text": "Hello.", "timestamp": 1741083300000}],
}
SKYPE: Final = {
    "userId": "8:live:mei",
    "conversations": [
        {
            "id": "19:quay@thread.v2",
            "threadProperties": {"topic": "Quay"},
            "MessageList": [
                {"id": "2", "displayName": None, "from": "8:live:ben", "messagetype": "Text", "content": "Yes.",
                 "originalarrivaltime": "2025-03-04T10:16:00Z"},
                {"id": "1", "displayName": "Mei Tanaka", "messagetype": "RichText/Html",
                 "content": "<p>Is it <b>dry</b>?</p>", "originalarrivaltime": "2025-03-04T10:15:00Z"},
                {"id": "0", "messagetype": "ThreadActivity/AddMember", "content": "<addmember/>",
                 "originalarrivaltime": "2025-03-04T10:14:00Z"},
            ],
        }
    ],
}  # fmt: skip
GRAPH: Final = {
    "value": [
        {"id": "1", "messageType": "message", "createdDateTime": "2025-03-04T10:15:00Z", "chatId": "19:x",
         "from": {"user": {"displayName": "Mei Tanaka"}}, "body": {"contentType": "text", "content": "Is it dry?"}},
        {"id": "2", "messageType": "systemEventMessage", "createdDateTime": "2025-03-04T10:15:00Z", "body": {}},
    ]
}  # fmt: skip
SIGNAL: Final = (
    '{"date": "2025-03-04 10:15:00", "sender": "Mei", "body": "Is it dry?", "quote": "", "sticker": "", '
    '"reactions": [], "attachments": []}\n'
    '{"date": "2025-03-04 10:15:00", "sender": "Me", "body": "", "quote": "", "sticker": "", "reactions": [], '
    '"attachments": [{"name": "quay.jpg"}]}\n'
)
MESSAGES: Final = (
    "<?xml version='1.0' encoding='UTF-8'?><smses count='3'>"
    "<sms address='+4911' date='1741083300000' type='1' body='Is it dry?' contact_name='Mei Tanaka'/>"
    "<sms address='+4911' date='1741083360000' type='2' body='Yes.' contact_name='Mei Tanaka'/>"
    "<mms address='+4911' date='1741083420000' msg_box='1'><parts><part ct='image/png'/>"
    "<part ct='text/plain' text='Look.'/></parts></mms></smses>"
)


def test_chats_of_meta_are_turns_in_order_with_their_letters(tmp_path: Path) -> None:
    """What was unsent is none, and a picture is said to be one."""
    path = put(tmp_path, "message_1.json", MESSENGER)
    assert format_of(path) == "messenger"
    assert turns(path) == [
        ("messenger:inbox/joergode_1", 1741083100000, "Mei Tanaka", "2025-03-04T10:11:40+00:00", "The pump leaks."),
        ("messenger:inbox/joergode_1", 1741083200000, "Mei Tanaka", "2025-03-04T10:13:20+00:00", "(1 photo)"),
        ("messenger:inbox/joergode_1", 1741083300000, "Jörg Ode", "2025-03-04T10:15:00+00:00", "Grüße 👋"),
    ]
    path = put(tmp_path, "Ben_2.json", SECRET)
    assert format_of(path) == "messenger"
    assert [turn[2:] for turn in turns(path)] == [("Ben", "2025-03-04T10:15:00+00:00", "Hello.")]


def test_chats_of_teams_and_skype_are_turns_without_markup(tmp_path: Path) -> None:
    path = put(tmp_path, "messages.json", SKYPE)
    assert format_of(path) == "teams"
    assert turns(path) == [
        ("teams:19:quay@thread.v2", 1741083300000, "Mei Tanaka", "2025-03-04T10:15:00Z", "Is it dry?"),
        ("teams:19:quay@thread.v2", 1741083360000, "live:ben", "2025-03-04T10:16:00Z", "Yes."),
    ]
    path = put(tmp_path, "graph.json", GRAPH)
    assert format_of(path) == "teams"
    assert [turn[2:] for turn in turns(path)] == [("Mei Tanaka", "2025-03-04T10:15:00Z", "Is it dry?")]


def test_chats_of_signal_and_text_messages_are_turns(tmp_path: Path) -> None:
    path = put(tmp_path / "Mei", "data.json", SIGNAL)
    assert format_of(path) == "signal"
    assert turns(path) == [
        ("signal:Mei", 1741083300000, "Mei", "2025-03-04", "Is it dry?"),
        ("signal:Mei", 1741083300001, "Me", "2025-03-04", "File: quay.jpg"),
    ]
    path = put(tmp_path, "sms.xml", MESSAGES)
    assert format_of(path) == "signal"
    assert [turn[:1] + turn[2:3] + turn[4:] for turn in turns(path)] == [
        ("sms:+4911", "Mei Tanaka", "Is it dry?"),
        ("sms:+4911", "Me", "Yes."),
        ("sms:+4911", "+4911", "Look."),
    ]


def test_messages_without_a_time_are_said_to_be_left_out(tmp_path: Path) -> None:
    chat = {**MESSENGER, "messages": [{"sender_name": "Mei", "content": "x", "timestamp_ms": "never"}]}
    assert "1 messages have no time" in refusals(put(tmp_path, "message_1.json", chat))[0]
    path = put(tmp_path, "sms.xml", MESSAGES.replace("1741083360000", "null"))
    assert "a message has no time" in refusals(path)[0]
