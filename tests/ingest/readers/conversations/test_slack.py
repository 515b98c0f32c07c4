"""Slack's export: channels and direct messages as conversations, with people's names."""

from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from ingest.readers import walk
from tests.ingest.readers.reading import format_of, identities, memories, packed, put, refusals, survives, turns


def message(ts: str, user: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "text": text, "ts": ts} | more


LISTS: dict[str, object] = {
    "users.json": [
        {"id": "U1", "name": "ann", "profile": {"real_name": "Ann Lee", "display_name": "annie"}},
        {"id": "U2", "name": "bo", "real_name": "Bo Park"},
    ],
    "channels.json": [{"id": "C1", "name": "boats", "members": ["U1", "U2"]}, {"id": "C2", "name": "tides"}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
}
DAYS: dict[str, object] = {
    "boats/2026-02-13.json": [
        message("1771000000.000100", "U1", "<@U2> see <#C2> &amp; <https://x.example|the map>"),
        message("1771000001.000000", "U2", "<@U2> has joined", subtype="channel_join"),
        message("1771000005.000200", "U2", "On it.", thread_ts="1771000000.000100", files=[{"name": "map.png"}]),
        message("1771000009.000000", "U9", "Me too.", user_profile={"real_name": "Cy Orr"}),
    ],
    "D1/2026-02-14.json": [message("1771086400.5", "U1", "Thanks.")],
}


def test_every_message_is_a_turn_of_its_channel_with_name_and_time(tmp_path: Path) -> None:
    """Names stand for the ids of people and channels; a reply names its thread."""
    path = packed(tmp_path, "export.zip", LISTS | DAYS)

    assert format_of(path) == "slack"
    assert turns(path) == [
        (
            "slack:C1",
            1771000000000100,
            "Ann Lee",
            "2026-02-13T16:26:40.000100+00:00",
            "@Bo Park see #tides & the map (https://x.example)",
        ),
        ("slack:C1", 1771000005000200, "Bo Park", "2026-02-13T16:26:45.000200+00:00", "On it."),
        ("slack:C1", 1771000009000000, "Cy Orr", "2026-02-13T16:26:49+00:00", "Me too."),
        ("slack:D1", 1771086400500000, "Ann Lee", "2026-02-14T16:26:40.500000+00:00", "Thanks."),
    ]
    titles = [(memory.metadata or {}).get("conversation_title") for memory in memories(path)]
    assert titles == ["#boats"] * 3 + ["Ann Lee, Bo Park"]
    assert memories(path)[1].metadata == {
        "conversation_title": "#boats",
        "thread": "1771000000.000100",
        "attachments": ["map.png"],
    }


def test_an_export_of_other_days_adds_to_the_channel(tmp_path: Path) -> None:
    """In a folder within the archive, too."""
    first = packed(tmp_path, "a.zip", LISTS | DAYS)
    more = DAYS | {"boats/2026-02-15.json": [message("1771160000.0", "U1", "Done.")]}
    second = packed(tmp_path, "b.zip", {f"acme/{name}": day for name, day in (LISTS | more).items()})

    assert set(identities(first)) < set(identities(second))


def test_the_unpacked_folder_gives_the_same_turns(tmp_path: Path) -> None:
    """Each file those of its day; the lists beside them give the names, also after they changed."""
    path = packed(tmp_path, "export.zip", LISTS | DAYS)
    days = [put(tmp_path / "export", name, content) for name, content in (LISTS | DAYS).items()][len(LISTS) :]

    assert {format_of(day) for day in days} == {"slack"}
    assert [turn for day in days for turn in turns(day)] == turns(path)
    assert walk([tmp_path / "export"]).files == tuple(sorted(days))
    put(tmp_path / "export", "users.json", [{"id": "U1", "name": "ann"}])
    assert turns(days[-1])[0][2] == "ann"
    put(tmp_path / "export", "users.json", "[")
    with pytest.raises(InvalidInput, match=r"users\.json' is not JSON"):
        turns(days[-1])


def test_a_day_that_can_not_be_read_stops_no_other(tmp_path: Path) -> None:
    """It is named."""
    path = packed(tmp_path, "a.zip", LISTS | DAYS | {"boats/2026-02-12.json": "[{", "else/2026-02-12.json": "[]"})
    assert [("boats/2026-02-12" in reason, "else/2026-02-12" in reason) for reason in refusals(path)] == [
        (True, False),
        (False, True),
    ]


def test_damaged_exports_are_read_or_refused(tmp_path: Path) -> None:
    """The archive as well as a day in it."""
    survives(packed(tmp_path, "a.zip", LISTS | DAYS), times=200)
    odd = [message("1", "U1", "x", subtype=[]), {"ts": "1e999", "text": "x"}, {"ts": [], "text": {}}, 5, None]
    assert len(turns(packed(tmp_path, "b.zip", LISTS | {"boats/2026-02-12.json": odd}))) == 0


def test_a_message_without_a_text_has_the_words_of_its_parts(tmp_path: Path) -> None:
    """What programs write is in attachments or blocks; a file alone is named."""
    rich = {
        "type": "rich_text_section",
        "elements": [{"type": "user", "user_id": "U2"}, {"type": "text", "text": " go"}],
    }
    day = [
        message("1771000000.0", "U1", "", files=[{"name": "quay.pdf", "title": "Map of the quay"}]),
        message(
            "1771000001.0", "B1", "", subtype="bot_message", attachments=[{"title": "Tide", "text": "High at nine."}]
        ),
        message("1771000002.0", "B1", "", attachments=[{"fallback": "Low at three."}]),
        message("1771000003.0", "U1", "", blocks=[{"type": "rich_text", "elements": [rich]}]),
        message("1771000004.0", "B1", "", blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "Wind 5."}}]),
        message("1771000005.0", "B1", "Tide", attachments=[{"fields": [{"title": "Height", "value": "3 m"}]}]),
        message("1771000006.0", "U1", ""),
    ]
    path = packed(tmp_path, "export.zip", LISTS | {"boats/2026-02-13.json": day})
    assert [memory.content for memory in memories(path)] == [
        "File: Map of the quay",
        "Tide\nHigh at nine.",
        "Low at three.",
        "@Bo Park go",
        "Wind 5.",
        "Tide\nHeight: 3 m",
    ]
