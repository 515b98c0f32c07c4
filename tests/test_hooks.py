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
from tests.eventually import eventually
from tests.running_commands import Shell
from tests.running_processes import COMMAND, environment, owner
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

    done = shell("hook", "session-end", "--wait", stdin=event(transcript_path=str(transcript)))

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

    process(home, "hook", "session-end", "--wait", stdin=said, PYTHONIOENCODING="cp1252")
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
    answer(home, "hook", "pre-compact", "--wait", stdin=said)
    found = json.loads(process(home, "recall", "--conversation-id", "s-1", "--json").stdout)["turns"]
    answer(home, "forget", found[0]["id"], "--confirm", stdin="")
    transcript.write_text("\n".join(turns), encoding="utf-8")
    answer(home, "hook", "session-end", "--wait", stdin=said)

    assert stored() == ["Noted.", "Forget that."]


@pytest.mark.exhaustive
def test_a_session_of_codex_is_remembered_too(home: Path, tmp_path: Path) -> None:
    """Its transcripts have another form, told by their first line."""
    meta = {"timestamp": "2026-05-04T10:00:00Z", "type": "session_meta", "payload": {"id": "c-1", "cwd": "/work"}}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "We take the blue crane."}]}
    transcript = tmp_path / "rollout.jsonl"
    turn = {"timestamp": "2026-05-04T10:00:01Z", "type": "response_item", "payload": said}
    transcript.write_text(f"{json.dumps(meta)}\n{json.dumps(turn)}\n", encoding="utf-8")

    answer(home, "hook", "session-end", "--wait", stdin=event(transcript_path=str(transcript)))

    turns = json.loads(process(home, "recall", "--conversation-id", "c-1", "--json").stdout)["turns"]
    assert [turn["content"] for turn in turns] == ["We take the blue crane."]


GOAL = {"hook_event_name": "UserPromptSubmit", "prompt": "Which crane does the north quay take?"}


def test_a_goal_is_recalled_once(shell: Shell) -> None:
    """At the first prompt that says one; a greeting, a command of the client and later prompts cost nothing."""
    shell("remember", "Decision: the north quay takes the blue crane.", "--context", "decision", "--wait")

    greeted = shell("hook", "prompt", stdin=event(prompt="hi"))
    commanded = shell("hook", "prompt", stdin=event(prompt="/clear all of it now"))
    first = shell("hook", "prompt", stdin=event(**GOAL))
    second = shell("hook", "prompt", stdin=event(**GOAL))
    other = shell("hook", "prompt", stdin=event(**GOAL | {"session_id": "s-2"}))

    assert (greeted.stdout, commanded.stdout, second.stdout) == ("", "", "")
    for done in (first, other):
        told = json.loads(done.stdout)["hookSpecificOutput"]
        assert told["hookEventName"] == "UserPromptSubmit"
        assert "blue crane" in told["additionalContext"]


@pytest.mark.parametrize(
    ("client", "said", "name"),
    [
        ("codex", {"session_id": "s", "hook_event_name": "SessionStart"}, "hookSpecificOutput"),
        ("gemini", {"session_id": "s", "hook_event_name": "SessionStart"}, "hookSpecificOutput"),
        ("cursor", {"conversation_id": "s", "workspace_roots": ["/src"]}, "additional_context"),
        ("copilot", {"sessionId": "s", "cwd": "/src", "initialPrompt": "Which crane do we take?"}, "additionalContext"),
        ("opencode", {"session_id": "s", "cwd": "/src"}, "additionalContext"),
    ],
)
def test_each_client_is_told_in_its_form(client: str, said: dict[str, object], name: str, shell: Shell) -> None:
    """As its documents say."""
    shell("remember", "Decision: the north quay takes the blue crane.", "--context", "decision")

    told = json.loads(shell("hook", "session-start", "--client", client, stdin=json.dumps(said)).stdout)

    assert "blue crane" in json.dumps(told[name])


def test_a_fork_does_not_store_its_turns_twice(shell: Shell, tmp_path: Path) -> None:
    """Its transcript begins with the turns of the other session, under its own id."""
    first, fork = tmp_path / "s-1.jsonl", tmp_path / "s-2.jsonl"
    turns = [line(1, "user", "Which crane do we take?"), line(2, "assistant", "The blue one.")]
    first.write_text("\n".join(turns), encoding="utf-8")
    shell("hook", "session-end", "--wait", stdin=event(transcript_path=str(first)))
    forked = [one.replace('"s-1"', '"s-2"') for one in [*turns, line(3, "user", "And the green one?")]]
    fork.write_text("\n".join(forked), encoding="utf-8")

    shell("hook", "session-end", "--wait", stdin=event(session_id="s-2", transcript_path=str(fork)))

    found = json.loads(shell("recall", "--context", "conversation", "--json").stdout)["results"]
    assert sorted(one["content"] for one in found) == ["And the green one?", "The blue one.", "Which crane do we take?"]


def test_a_compacted_session_of_a_plug_in_goes_on(shell: Shell) -> None:
    """Its messages begin with later ones; those that were kept are told by their ids, and new ones come after them."""

    def send(*numbers: int) -> None:
        messages = [{"id": f"m{one}", "role": "user", "content": f"Sentence {one}.", "ts": one} for one in numbers]
        said = json.dumps({"session_id": "o-1", "cwd": "/src", "messages": messages})
        assert shell("hook", "session-end", "--client", "opencode", stdin=said).stderr == ""

    send(1, 2, 3)
    send(1, 2, 3)
    send(3, 4)
    send(4, 5, 6)

    turns = json.loads(shell("recall", "--conversation-id", "o-1", "--json").stdout)["turns"]
    assert [turn["content"] for turn in turns] == [f"Sentence {number}." for number in range(1, 7)]


def test_turns_without_id_and_time_are_kept_once(shell: Shell, tmp_path: Path) -> None:
    """As Cursor writes them: the same words again are another turn, a copy of a long conversation is none."""
    said = ["Go on.", "Done.", "Go on.", "Done.", "Go on."]

    def send(session: str, words: list[str]) -> None:
        file = tmp_path / f"{session}.jsonl"
        records = [
            {"role": role, "message": {"content": [{"type": "text", "text": text}]}}
            for role, text in zip(["user", "assistant"] * len(words), words, strict=False)
        ]
        file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        given = {"conversation_id": session, "transcript_path": str(file)}
        shell("hook", "session-end", "--wait", "--client", "cursor", stdin=json.dumps(given))

    send("a", said[:3])
    send("a", said)
    send("fork", [*said, "The rest."])
    send("other", said[:2])

    counts = {
        name: [
            turn["content"] for turn in json.loads(shell("recall", "--conversation-id", name, "--json").stdout)["turns"]
        ]
        for name in ("a", "fork", "other")
    }
    assert counts == {"a": said, "fork": ["The rest."], "other": said[:2]}


def test_what_is_paused_or_left_out_is_not_kept(shell: Shell, tmp_path: Path) -> None:
    """By client, folder or word; what was said in a pause is not kept after it either."""
    transcript = tmp_path / "s-1.jsonl"
    said = event(transcript_path=str(transcript), cwd=str(tmp_path / "work" / "quay"))

    def end(*lines: str) -> list[str]:
        transcript.write_text("\n".join(lines), encoding="utf-8")
        assert shell("hook", "session-end", "--wait", stdin=said).returncode == 0
        turns = json.loads(shell("recall", "--conversation-id", "s-1", "--json").stdout)["turns"]
        return [turn["content"] for turn in turns]

    def now_line(number: int, text: str) -> str:
        return line(number, "user", text).replace(f"{now().date()}T00:00:{number:02}.000Z", now().isoformat())

    first = now_line(1, "Before the pause.")
    assert end(first) == ["Before the pause."]
    shell("sessions", "pause", "--client", "claude-code")
    second = now_line(2, "Within the pause.")
    assert end(first, second) == ["Before the pause."]
    assert shell("hook", "session-start", stdin=said).stdout == ""
    assert "Paused: client 'claude-code'" in shell("sessions").stdout
    assert shell("sessions", "resume").returncode == 1
    assert shell("sessions", "resume", "--client", "claude-code").returncode == 0
    third = now_line(3, "After the pause.")
    assert end(first, second, third) == ["Before the pause.", "After the pause."]

    shell("sessions", "leave-out", "--word", "Project ZEUS")
    fourth = now_line(4, "We talk of project Zeus.")
    assert end(first, second, third, fourth) == ["Before the pause.", "After the pause."]
    shell("sessions", "leave-out", "--folder", str(tmp_path / "work"))
    assert len(end(first, second, third, fourth, now_line(5, "In the folder."))) == 2
    assert "Left out: word 'Project ZEUS'" in shell("sessions").stdout
    assert shell("sessions", "leave-out").returncode == 1


def test_sessions_are_listed_and_shown(shell: Shell, tmp_path: Path) -> None:
    """With client, folder and the turns that are still there; one with what was decided in it."""
    transcript = tmp_path / "s-1.jsonl"
    turns = [line(1, "user", "Which crane?"), line(2, "assistant", "Decision: we take the blue crane.")]
    transcript.write_text("\n".join(turns), encoding="utf-8")
    assert "No session was kept" in shell("sessions").stdout
    shell("hook", "session-end", "--wait", stdin=event(transcript_path=str(transcript), cwd=str(tmp_path)))
    shell("remember", "Wait for the jobs.", "--wait")

    listed = json.loads(shell("sessions", "--json").stdout)["sessions"]
    shown = json.loads(shell("sessions", "s-1", "--json").stdout)
    assert json.loads(shell("sessions", "s-", "--json").stdout) == shown

    assert [(one["id"], one["client"], one["folder"], one["turns"]) for one in listed] == [
        ("s-1", "claude-code", str(tmp_path), 2)
    ]
    assert json.loads(shell("sessions", "--client", "codex", "--json").stdout)["sessions"] == []
    assert shown["turns"] == 2
    assert "There is no session 'x'" in shell("sessions", "x").stderr


def test_no_secret_of_a_transcript_is_stored(shell: Shell, tmp_path: Path) -> None:
    """With one in every line, in text, log and database alike."""
    transcript = tmp_path / "s-1.jsonl"
    keys = [f"ghp_{number:02}{'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6'[:34]}" for number in range(20)]
    turns = [line(number, "user", f"Use the key {key} for build {number}.") for number, key in enumerate(keys)]
    transcript.write_text("\n".join(turns), encoding="utf-8")

    done = shell("hook", "session-end", "--wait", stdin=event(transcript_path=str(transcript)))

    assert "secrets are not stored" in done.stderr
    stored = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file())
    assert [key for key in keys if key.encode() in stored or key in done.stderr] == []


def test_what_a_hook_meets_is_in_doctor(shell: Shell, tmp_path: Path) -> None:
    """Who runs a client sees nothing of it."""
    shell("remember", "We chose the blue crane.")
    shell("hook", "session-end", "--client", "gemini", stdin=event(transcript_path="/"))

    done = shell("doctor")

    assert "hooks" in done.stdout
    assert "gemini: '/' is not a regular file" in done.stdout


def test_a_log_that_can_not_be_written_costs_nothing(shell: Shell, tmp_path: Path) -> None:
    """As on a full disk: the client goes on, and the transcript, which stays, is taken up later."""
    shell("remember", "We chose the blue crane.")
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(line(1, "user", "Which crane do we take?"), encoding="utf-8")
    log = tmp_path / "home" / "sessions.db"
    log.mkdir()

    done = shell("hook", "session-end", "--wait", stdin=event(transcript_path=str(transcript)))

    assert (done.returncode, done.stdout) == (0, "")
    assert "The log of sessions" in done.stderr
    log.rmdir()
    shell("hook", "session-end", "--wait", stdin=event(transcript_path=str(transcript)))
    assert json.loads(shell("status", "--json").stdout)["counts"]["turns"] == 1


@pytest.mark.exhaustive
def test_the_end_of_a_session_does_not_wait_for_the_memory(home: Path, tmp_path: Path) -> None:
    """A transcript of 50 MB, most of it results of tools, is handed over and kept by another process."""
    process(home, "remember", "We chose the blue crane.")
    transcript = tmp_path / "s-1.jsonl"
    result = {"type": "tool_result", "content": "x" * 100_000}
    tool = json.dumps(json.loads(line(9, "user", "")) | {"message": {"role": "user", "content": [result]}})
    turns = [line(number, "user", f"Sentence {number}.") for number in range(1, 51)]
    transcript.write_text("\n".join(f"{turn}\n" + f"{tool}\n" * 10 for turn in turns), encoding="utf-8")
    assert transcript.stat().st_size > 50_000_000

    done = process(home, "hook", "session-end", stdin=event(transcript_path=str(transcript)))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    eventually(lambda: json.loads(process(home, "status", "--json").stdout)["counts"]["turns"] == 50)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose owner is gone when the test is over."""
    folder = tmp_path / "home"
    yield folder
    eventually(lambda: owner(folder) is None)


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
    answer(home, "hook", "pre-compact", "--wait", stdin=said)
    turns.append(line(3, "user", f"Then I will send the order to Globex by {due}."))
    transcript.write_text("\n".join(turns), encoding="utf-8")
    answer(home, "hook", "session-end", "--wait", stdin=said)
    answer(home, "hook", "session-end", "--wait", stdin=said)
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
