"""Sessions of Codex: what user and assistant said to each other, in the present and the former form."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.readers.reading import format_of, memories, put, refusals, survives, turns


def said(role: str, kind: str, words: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


MESSAGES = [
    said("developer", "input_text", "Be short."),
    said("user", "input_text", "<environment_context>\n<cwd>/x</cwd>"),
    said("user", "input_text", "Sort the list."),
    {"type": "reasoning", "summary": [], "content": None},
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "1"},
    said("assistant", "output_text", "It is sorted."),
]
SESSION = [
    {"timestamp": "2026-05-04T10:00:00Z", "type": "session_meta", "payload": {"id": "x-1", "cwd": "/src"}},
    *(
        {"timestamp": f"2026-05-04T10:00:0{number}Z", "type": "response_item", "payload": payload}
        for number, payload in enumerate(MESSAGES)
    ),
    {"timestamp": "2026-05-04T10:00:09Z", "type": "event_msg", "payload": {"type": "user_message", "message": "x"}},
]
FORMER = [{"id": "x-1", "timestamp": "2025-06-01T00:00:00Z", "instructions": None, "git": {}}, *MESSAGES]


def lines(entries: list[Any]) -> str:
    return "\n".join(json.dumps(entry) for entry in entries)


@pytest.mark.parametrize(
    ("session", "times"), [(SESSION, ["2026-05-04T10:00:02Z", "2026-05-04T10:00:05Z"]), (FORMER, [None, None])]
)
def test_what_was_said_is_read_in_order_with_role_and_time(
    session: list[Any], times: list[str | None], tmp_path: Path
) -> None:
    """A time that is not in the file is left out."""
    path = put(tmp_path, "rollout-1.jsonl", lines(session))

    assert format_of(path) == "codex"
    assert turns(path) == [
        ("x-1", 0, "user", times[0], "Sort the list."),
        ("x-1", 1, "assistant", times[1], "It is sorted."),
    ]
    assert {memory.source for memory in memories(path)} == {"codex"}


def test_turns_of_no_session_are_refused(tmp_path: Path) -> None:
    """Without its id they could not be told from those of others."""
    path = put(tmp_path, "rollout-1.jsonl", lines([SESSION[0] | {"payload": {}}, *SESSION[1:]]))
    assert "line 4: no line before it names the session" in refusals(path)[0]


def test_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    """Line by line."""
    survives(put(tmp_path, "rollout-1.jsonl", lines(SESSION)))
