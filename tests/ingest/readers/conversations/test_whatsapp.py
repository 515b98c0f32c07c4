"""A chat that WhatsApp exports: each message a turn, with name, day and time, however its dates are written."""

from pathlib import Path

import pytest

from tests.ingest.readers.reading import format_of, identities, memories, packed, put, survives, turns

IOS = (
    "[13/02/26, 21:26:40] Harbour: \u200eMessages and calls are end-to-end encrypted.\r\n"
    "[13/02/26, 21:26:40] Ann Lee: Two lines:\r\nthe second.\r\n"
    "\u200e[13/02/26, 21:26:40] Bo Park: \u200eimage omitted\r\n"
    "[14/02/26, 9:00:01\u202fPM] ~\u00a0Bo Park: Good: fine.\r\n"
)
ANDROID = (
    "2/13/26, 9:26 PM - Messages and calls are end-to-end encrypted.\n"
    "2/13/26, 9:26 PM - Ann Lee: One.\n"
    "2/13/26, 9:26 PM - Bo Park: <Media omitted>\n"
    "2/13/26, 9:26 PM - Bo Park: Two.\n"
)


def days(first: str, second: str) -> str:
    return f"{first}, 10:00 - Ann Lee: a\n{second}, 10:00 - Bo Park: b\n"


def test_messages_of_ios_are_turns_with_their_lines_name_and_day(tmp_path: Path) -> None:
    """What the program writes is none; the chat is known by what the file stands in."""
    path = packed(tmp_path, "WhatsApp Chat - Harbour.zip", {"_chat.txt": IOS, "a.jpg": b"\xff"})

    assert turns(path) == [
        ("whatsapp:Harbour", 1771018000001, "Ann Lee", "2026-02-13", "Two lines:\r\nthe second."),
        ("whatsapp:Harbour", 1771102801000, "Bo Park", "2026-02-14", "Good: fine."),
    ]
    assert [(memory.metadata or {})["time"] for memory in memories(path)] == ["21:26:40", "21:00:01"]


def test_messages_of_android_are_turns_in_order(tmp_path: Path) -> None:
    """Those of one minute, too; a second download is the same chat."""
    path = put(tmp_path, "WhatsApp Chat with Bo Park.txt", ANDROID)

    assert format_of(path) == "whatsapp"
    assert turns(path) == [
        ("whatsapp:Bo Park", 1771017960001, "Ann Lee", "2026-02-13", "One."),
        ("whatsapp:Bo Park", 1771017960003, "Bo Park", "2026-02-13", "Two."),
    ]
    again = put(tmp_path, "WhatsApp Chat with Bo Park (1).txt", ANDROID + "2/14/26, 8:00 AM - Ann Lee: Three.\n")
    assert identities(again)[:2] == identities(path)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("1/3/26", "13/3/26", ["2026-03-01", "2026-03-13"]),
        ("3/1/26", "3/13/26", ["2026-03-01", "2026-03-13"]),
        ("2026-03-01", "2026-03-02", ["2026-03-01", "2026-03-02"]),
        ("1.3.26", "2.3.26", ["2026-03-01", "2026-03-02"]),
        ("5/1/2026", "2/2/2026", ["2026-01-05", "2026-02-02"]),
        ("1/5/2026", "2/2/2026", ["2026-01-05", "2026-02-02"]),
        ("1/2/26", "2/3/26", [None, None]),
        ("31/2/26", "1/3/26", [None, "2026-03-01"]),
    ],
)
def test_day_and_month_are_told_by_the_chats_own_lines(
    first: str, second: str, told: list[str | None], tmp_path: Path
) -> None:
    """By a number over 12, by full stops, or since time does not run backwards; else no date is given."""
    found = turns(put(tmp_path, "chat.txt", days(first, second)))
    assert [turn[3] for turn in found] == told
    assert [turn[4] for turn in found] == ["a", "b"]


def test_damaged_chats_are_read_or_refused(tmp_path: Path) -> None:
    """As text, if nothing else."""
    survives(put(tmp_path, "_chat.txt", IOS))
    survives(put(tmp_path, "chat.txt", ANDROID))


@pytest.mark.parametrize(
    ("stamp", "close"),
    [
        ("04/03/2026 à 21:15 - ", " :"),
        ("2026/3/4 下午9:15 - ", ":"),
        ("2026. 3. 4. 오후 9:15, ", " :"),
        ("4/3/2026, 9:15 م - ", ":"),
        ("2026. 03. 04. 21:15 - ", ":"),
        ("4/3/26, 9:15 p. m. - ", ":"),
    ],
)
def test_the_dates_of_telephones_in_other_languages_are_read(tmp_path: Path, stamp: str, close: str) -> None:
    later = stamp.replace("04", "14", 1) if "04" in stamp else stamp.replace("4", "14", 1)
    chat = f"{stamp}Ann Lee{close} One.\n{later}Bo Park{close} Two.\n"
    path = put(tmp_path, "WhatsApp Chat with Harbour.txt", chat)

    assert format_of(path) == "whatsapp"
    assert [(memory.author, memory.date, memory.content) for memory in memories(path)] == [
        ("Ann Lee", "2026-03-04", "One."),
        ("Bo Park", "2026-03-14", "Two."),
    ]
    assert {(memory.metadata or {})["time"] for memory in memories(path)} == {"21:15:00"}
