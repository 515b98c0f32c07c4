"""Sessions of Gemini CLI, Cursor, Copilot, Cline and OpenCode, in the forms that these programs write."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers.formats.source import Item, Part
from tests.ingest.readers.reading import format_of, memories, parts, put, refusals, survives, turns

GEMINI: list[Any] = [
    {"sessionId": "g-1", "projectHash": "f0", "startTime": "2026-05-04T10:00:00.000Z", "kind": "main"},
    {
        "$set": {
            "messages": [{"id": "a", "type": "user", "content": [{"text": "<session_context>\nx</session_context>"}]}]
        }
    },
    {
        "id": "b",
        "timestamp": "2026-05-04T10:00:01.000Z",
        "type": "user",
        "content": [{"text": "<hook_context>what is known</hook_context>\n\nSort the list."}],
    },
    {"id": "c", "timestamp": "2026-05-04T10:00:02.000Z", "type": "gemini", "content": "It is"},
    {"$set": {"lastUpdated": "2026-05-04T10:00:02.000Z"}},
    {"id": "c", "timestamp": "2026-05-04T10:00:03.000Z", "type": "gemini", "content": "It is sorted."},
    {"id": "d", "timestamp": "2026-05-04T10:00:04.000Z", "type": "info", "content": "Update available"},
]
CURSOR: list[Any] = [
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nSort the list.\n</user_query>"}]}},
    {
        "role": "assistant",
        "message": {"content": [{"type": "tool_use", "name": "x"}, {"type": "text", "text": "It is sorted."}]},
    },
]
COPILOT: list[Any] = [
    {
        "type": "session.start",
        "data": {"sessionId": "p-1", "copilotVersion": "1", "context": {"cwd": "/src"}},
        "id": "0",
    },
    {"type": "hook.end", "data": {"output": {"additionalContext": "what is known"}}, "id": "1"},
    {
        "type": "user.message",
        "data": {
            "content": "Sort the list.",
            "transformedContent": "<current_datetime>x</current_datetime> Sort the list.",
        },
        "id": "2",
        "timestamp": "2026-05-04T10:00:01.000Z",
    },
    {"type": "system.message", "data": {"role": "system", "content": "You are"}, "id": "3"},
    {"type": "assistant.message", "data": {"content": "", "toolRequests": [{}]}, "id": "4"},
    {
        "type": "assistant.message",
        "data": {"content": "It is sorted."},
        "id": "5",
        "timestamp": "2026-05-04T10:00:03.000Z",
    },
]
CLINE = {
    "version": 1,
    "sessionId": "l-1",
    "origin": {"source": "cli"},
    "messages": [
        {
            "id": "a",
            "role": "user",
            "content": [{"type": "text", "text": '<user_input mode="act">Sort the list.</user_input>'}],
            "ts": 1777888801000,
        },
        {"id": "b", "role": "assistant", "content": [{"type": "text", "text": "It is sorted."}], "ts": 1777888803000},
    ],
}
OPENCODE = {
    "info": {"id": "ses_1", "directory": "/src"},
    "messages": [
        {
            "info": {"id": "a", "role": "user", "time": {"created": 1777888801000}},
            "parts": [
                {"type": "text", "text": "Sort the list."},
                {"type": "text", "text": "a file", "synthetic": True},
            ],
        },
        {
            "info": {"id": "b", "role": "assistant", "time": {"created": 1777888803000}},
            "parts": [{"type": "step-start"}, {"type": "text", "text": "It is sorted."}],
        },
        {"info": {"id": "c", "role": "assistant", "summary": True}, "parts": [{"type": "text", "text": "Summary"}]},
    ],
}


def turns_of(file: Path) -> list[Part]:
    return [part for part in parts(file) if isinstance(part, Item)]


def lines(entries: list[Any]) -> str:
    return "\n".join(json.dumps(entry) for entry in entries)


FILES = {
    "gemini": ("session-1.jsonl", lines(GEMINI), "g-1"),
    "cursor": ("3f-1.jsonl", lines(CURSOR), "3f-1"),
    "copilot": ("events.jsonl", lines(COPILOT), "p-1"),
    "cline": ("l-1.messages.json", json.dumps(CLINE), "l-1"),
    "opencode": ("export.json", json.dumps(OPENCODE), "ses_1"),
}


@pytest.mark.parametrize("program", FILES)
def test_what_both_sides_say_becomes_turns(program: str, tmp_path: Path) -> None:
    """Without what the program and hooks add, calls of tools, and summaries; of a message written twice, the last."""
    name, text, session = FILES[program]
    file = put(tmp_path, name, text)

    assert format_of(file) == "agent-session"
    assert [(where, index, role, words) for where, index, role, _, words in turns(file)] == [
        (session, 0, "user", "Sort the list."),
        (session, 1, "assistant", "It is sorted."),
    ]
    assert {memory.source for memory in memories(file)} == {program}
    if program != "cursor":  # which writes no times
        assert [str(date)[:19] for *_, date, _ in turns(file)] == ["2026-05-04T10:00:01", "2026-05-04T10:00:03"]


def test_a_damaged_line_is_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    """By its number."""
    file = put(tmp_path, "events.jsonl", lines(COPILOT) + '\n{"type": "user.mess')

    assert len(turns_of(file)) == 2
    assert "line 7: not JSON" in refusals(file)[0]


@pytest.mark.parametrize("tag", ["hook_context", "session_context", "user_query"])
def test_the_users_own_words_stay(tag: str, tmp_path: Path) -> None:
    """An element that is not closed, however often it is opened, hides nothing."""
    said = f"What does <{tag}> mean? " * 2_000
    file = put(
        tmp_path, "x.jsonl", json.dumps(CURSOR[1]) + "\n" + json.dumps({"role": "user", "message": {"content": said}})
    )

    assert [memory.content.strip() for memory in memories(file)][1:] == [said.strip()]


@pytest.mark.parametrize("value", [None, 7, [], {}, "x", [[]], {"text": 7}])
def test_whatever_a_field_holds(value: object, tmp_path: Path) -> None:
    """No value of another kind ends the reading."""
    for field in ("id", "timestamp", "type", "content", "role", "message", "data", "info", "$set", "parts"):
        record = {"type": "user", "content": "Sort the list.", field: value}
        survives(put(tmp_path, "session-1.jsonl", lines([GEMINI[0], record, GEMINI[2]])), times=10)
