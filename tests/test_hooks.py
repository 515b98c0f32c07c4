"""Hooks of clients: a session begins with what is known, ends remembered, and never fails because of its memory."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from core.dates import now
from retrieval.models.tokenizer import estimate_model_tokens
from tests.running_commands import Shell
from tests.running_processes import COMMAND, environment, owner, wait_until
from tests.running_processes import shell as process


def line(number: int, role: str, text: str) -> str:
    said = {"role": role, "content": [{"type": "text", "text": text}]}
    fields = {"parentUuid": None, "sessionId": "s-1", "cwd": "/work/quay", "type": role, "message": said}
    return json.dumps(fields | {"uuid": f"u{number}", "timestamp": f"{now().date()}T00:00:{number:02}.000Z"})


def event(**fields: object) -> str:
    return json.dumps({"session_id": "s-1", "hook_event_name": "SessionEnd"} | fields)


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("", "is not the JSON of a hook"),
        ("{", "is not the JSON of a hook"),
        ("[1]", "is not the JSON object of a hook"),
        ("[" * 100_000, "is not the JSON of a hook"),
        (event(transcript_path=7), "transcript_path '7' is no path"),
        (event(transcript_path="a\0b"), "is no path"),
        (event(transcript_path="/nowhere/s-1.jsonl"), ""),
        (event(), ""),
        (event(transcript_path="/"), "is not a regular file"),
    ],
)
@pytest.mark.parametrize("what", ["session-end", "pre-compact"])
def test_whatever_a_client_says_the_hook_does_not_fail(what: str, said: str, noted: str, shell: Shell) -> None:
    """Exit code 2 would block the client, and any output is read by it: a note on standard error is all."""
    done = shell("hook", what, stdin=said)

    assert (done.returncode, done.stdout) == (0, "")
    assert noted in done.stderr
    assert bool(noted) == bool(done.stderr)
    assert "Traceback" not in done.stderr


def test_an_event_of_a_later_release_blocks_no_client(shell: Shell) -> None:
    """It is told like anything else that is wrong."""
    done = shell("hook", "stop", stdin=event())

    assert (done.returncode, done.stdout) == (0, "")
    assert "The event 'stop' is unknown: use session-start" in done.stderr


def test_a_session_begins_with_nothing_where_there_is_no_memory(shell: Shell, tmp_path: Path) -> None:
    """Nor is one made."""
    done = shell("hook", "session-start", stdin=event(source="startup", cwd=str(tmp_path)))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "home" / "remembrancer.db").exists()


def test_a_memory_that_can_not_be_opened_costs_a_note(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session goes on without it."""
    monkeypatch.setenv("REMEMBRANCER_GRAPH", "papyrus")

    done = shell("hook", "session-start", stdin=event())

    assert (done.returncode, done.stdout) == (0, "")
    assert "REMEMBRANCER_GRAPH" in done.stderr


def test_a_session_begins_with_what_is_known(shell: Shell, tmp_path: Path) -> None:
    """As context for the agent, in the form that the client reads."""
    shell("remember", "We chose the blue crane.", "--context", "decision")
    home = str(tmp_path / "home")

    done = shell("hook", "session-start", "--home", home, stdin=event(source="startup"))

    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "blue crane" in told["additionalContext"]
    assert shell("hook", "session-start", "--max-tokens", "5", stdin=event()).stdout == ""


def test_damaged_lines_are_refused_by_name(shell: Shell, tmp_path: Path) -> None:
    """The first of them; a transcript of nothing else stores nothing."""
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_bytes(b'{"sessionId"\n\xff\xfe\n[]\n' + b"[" * 100_000 + b'\n{"sessionId":7,"type":"user"}\n')

    done = shell("hook", "session-end", stdin=event(transcript_path=str(transcript)))

    assert done.returncode == 0
    assert "s-1.jsonl' line 1: not JSON" in done.stderr
    assert "s-1.jsonl' line 3: not a JSON object" in done.stderr
    assert "1 more lines were refused" in done.stderr
    assert json.loads(shell("status", "--json").stdout)["counts"]["artifacts"] == 0


@pytest.mark.exhaustive
def test_clients_speak_utf_8_whatever_the_system_does(home: Path, tmp_path: Path) -> None:
    """A Windows of western Europe reads and writes cp1252."""
    transcript = tmp_path / "Zoë 港.jsonl"
    transcript.write_text(line(1, "assistant", "Decision: we take the crane 港."), encoding="utf-8")
    said = json.dumps({"transcript_path": str(transcript), "cwd": str(tmp_path)}, ensure_ascii=False)

    process(home, "hook", "session-end", stdin=said, PYTHONIOENCODING="cp1252")
    _wait_for_jobs(home)
    begun = process(home, "hook", "session-start", stdin=said, PYTHONIOENCODING="cp1252")

    assert "crane 港" in json.loads(begun.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.exhaustive
def test_a_turn_that_was_forgotten_does_not_come_back(home: Path, tmp_path: Path) -> None:
    """The transcript still has it when the session is compacted again, or ends."""
    transcript = tmp_path / "s-1.jsonl"
    turns = [line(1, "user", "My number is 4711."), line(2, "assistant", "Noted."), line(3, "user", "Forget that.")]
    said = event(transcript_path=str(transcript))

    def stored() -> list[str]:
        found = json.loads(process(home, "recall", "--conversation-id", "s-1", "--json").stdout)["turns"]
        return [turn["content"] for turn in found]

    transcript.write_text("\n".join(turns[:2]), encoding="utf-8")
    answer(home, "hook", "pre-compact", stdin=said)
    found = json.loads(process(home, "recall", "--conversation-id", "s-1", "--json").stdout)["turns"]
    answer(home, "forget", found[0]["id"], "--confirm", stdin="")
    transcript.write_text("\n".join(turns), encoding="utf-8")
    answer(home, "hook", "session-end", stdin=said)

    assert stored() == ["Noted.", "Forget that."]


@pytest.mark.exhaustive
def test_a_session_of_codex_is_remembered_too(home: Path, tmp_path: Path) -> None:
    """Its transcripts have another form, told by their first line."""
    meta = {"timestamp": "2026-05-04T10:00:00Z", "type": "session_meta", "payload": {"id": "c-1", "cwd": "/work"}}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "We take the blue crane."}]}
    transcript = tmp_path / "rollout.jsonl"
    turn = {"timestamp": "2026-05-04T10:00:01Z", "type": "response_item", "payload": said}
    transcript.write_text(f"{json.dumps(meta)}\n{json.dumps(turn)}\n", encoding="utf-8")

    answer(home, "hook", "session-end", stdin=event(transcript_path=str(transcript)))

    turns = json.loads(process(home, "recall", "--conversation-id", "c-1", "--json").stdout)["turns"]
    assert [turn["content"] for turn in turns] == ["We take the blue crane."]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose owner is gone when the test is over."""
    folder = tmp_path / "home"
    yield folder
    wait_until(lambda: owner(folder) is None)


def answer(home: Path, *arguments: str, stdin: str) -> str:
    done = process(home, *arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


async def ask(home: Path, tool: str, **arguments: object) -> Any:
    """Call a tool as an MCP client does: through the process that its settings name."""
    parameters = StdioServerParameters(command=COMMAND, args=["stdio"], env=environment(home), cwd=home)
    async with Client(stdio_client(parameters)) as client:
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result
        return result.structured_content


@pytest.mark.exhaustive
def test_a_second_session_begins_with_what_the_first_decided(home: Path, tmp_path: Path) -> None:
    """Connected by its settings, a session works, is compacted and ends; its turns are stored once, with
    what was decided and promised, and the next one begins with that."""
    user = tmp_path / "user"
    user.mkdir()
    connected = process(home, "connect", "claude-code", "--yes", HOME=str(user), CLAUDE_CONFIG_DIR=str(user))
    settings = json.loads((user / "settings.json").read_text(encoding="utf-8"))["hooks"]
    server = json.loads((user / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]["remembrancer"]
    assert (connected.returncode, server["command"], server["args"]) == (0, COMMAND, ["stdio"])
    assert settings["SessionEnd"][0]["hooks"][0]["command"] == f"{COMMAND} hook session-end --home {home}"
    items = [{"content": f"Crate {n} of the north quay holds {n} ropes.", "date": "2026-02-01"} for n in range(10)]
    anyio.run(lambda: ask(home, "remember_many", items=items, wait=True))
    transcript = tmp_path / "s-1.jsonl"
    turns = [line(1, "user", "Which crane do we take?"), line(2, "assistant", "Decision: we take the blue crane.")]
    due = now().date() + timedelta(days=5)
    said = event(transcript_path=str(transcript), cwd=str(tmp_path))

    transcript.write_text("\n".join([*turns, '{"type": "us']), encoding="utf-8")
    answer(home, "hook", "pre-compact", stdin=said)
    turns.append(line(3, "user", f"Then I will send the order to Globex by {due}."))
    transcript.write_text("\n".join(turns), encoding="utf-8")
    answer(home, "hook", "session-end", stdin=said)
    answer(home, "hook", "session-end", stdin=said)
    _wait_for_jobs(home)
    begun = answer(home, "hook", "session-start", stdin=event(source="startup", cwd=str(tmp_path)))

    stored = anyio.run(lambda: ask(home, "recall", conversation_id="s-1", detail="full"))
    assert [turn["content"] for turn in stored["turns"]] == [
        "Which crane do we take?",
        "Decision: we take the blue crane.",
        f"Then I will send the order to Globex by {due}.",
    ]
    told = json.loads(begun)["hookSpecificOutput"]["additionalContext"]
    assert estimate_model_tokens(told) < 1_500
    assert "We take the blue crane" in told
    assert "I will send the order to Globex" in told


def _wait_for_jobs(home: Path) -> None:
    """Wait until whoever owns the home has done the background work, which the hook had it begin."""
    until = time.monotonic() + 60
    while json.loads(process(home, "status", "--json").stdout)["pending_jobs"]:
        assert time.monotonic() < until
