"""Sessions of Claude Code: what user and assistant said to each other, and nothing else."""

import json
from pathlib import Path
from typing import Any

from tests.ingest.readers.reading import format_of, identities, memories, put, refusals, survives, turns


def line(number: int, kind: str, content: object, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s-1",
        "cwd": "/home/mia/boats",
        "gitBranch": "main",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"u{number}",
        "timestamp": f"2026-05-04T10:00:0{number}.120Z",
    } | more


SESSION = [
    {"type": "summary", "summary": "Boats", "leafUuid": "u9"},
    line(1, "user", "Name the boats."),
    line(2, "assistant", [{"type": "thinking", "thinking": "Which?"}]),
    line(3, "assistant", [{"type": "text", "text": "I'll look."}, {"type": "tool_use", "name": "Read", "input": {}}]),
    line(4, "user", [{"type": "tool_result", "content": "Heron, Gull"}]),
    line(5, "assistant", [{"type": "text", "text": "A sub-agent."}], isSidechain=True),
    line(6, "user", "<command-name>/clear</command-name>"),
    line(7, "assistant", [{"type": "text", "text": "Heron and Gull."}]),
    line(8, "user", [{"type": "text", "text": "Thanks."}, {"type": "text", "text": "<system-reminder>x"}]),
]


def session(lines: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in lines)


def test_what_was_said_is_read_in_order_with_role_and_time(tmp_path: Path) -> None:
    """Without calls of tools, sub-agents and what the program says in the user's place."""
    path = put(tmp_path, "s-1.jsonl", session(SESSION))

    assert format_of(path) == "claude-code"
    assert turns(path) == [
        ("s-1", 0, "user", "2026-05-04T10:00:01.120Z", "Name the boats."),
        ("s-1", 1, "assistant", "2026-05-04T10:00:03.120Z", "I'll look."),
        ("s-1", 2, "assistant", "2026-05-04T10:00:07.120Z", "Heron and Gull."),
        ("s-1", 3, "user", "2026-05-04T10:00:08.120Z", "Thanks."),
    ]
    assert memories(path)[0].metadata == {"folder": "/home/mia/boats", "branch": "main"}


def test_a_session_that_goes_on_adds_to_its_turns(tmp_path: Path) -> None:
    """Read while it runs, a half-written last line is refused and read the next time."""
    first = put(tmp_path, "a.jsonl", session(SESSION[:4]) + '{"type":"us')
    assert "a.jsonl' line 5: not JSON" in refusals(first)[0]

    first.write_text(session(SESSION[:4]))
    assert identities(put(tmp_path, "b.jsonl", session(SESSION)))[:2] == identities(first)


def test_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    """Line by line."""
    survives(put(tmp_path, "s-1.jsonl", session(SESSION)))
