"""`extract`, `runs` and `rollback` from a shell, with the local extractor and one behind a service."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service.cli import main
from service.commands import extract as command
from tests.openai_server import OpenAIServer, Reply

TEXT = "Alice Chen: We decided to use Postgres for billing.\nBob Marsh: I will send the estimate by Friday.\n"
ANSWER = {
    "entities": [
        {"name": name, "type": type_, "aliases": [], "role": None, "organization": None}
        for name, type_ in (("Alice Chen", "person"), ("Bob Marsh", "person"), ("Postgres", "object"))
    ],
    "events": [
        {
            "category": "Decision",
            "summary": "Billing goes to Postgres",
            "quote": "We decided to use Postgres for billing.",
            "actors": [{"name": "Alice Chen", "role": "owner"}],
            "subjects": ["Postgres"],
            "happened": None,
            "due": None,
            "confidence": 0.9,
        }
    ],
}


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        return json.loads(self.stdout)


Shell = Callable[..., Done]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A service that finds a decision and two people in one text, and nothing in others."""

    def says(body: dict[str, Any]) -> str:
        is_theirs = TEXT.strip() in body["messages"][1]["content"]
        return json.dumps(ANSWER if is_theirs else {"entities": [], "events": []})

    with OpenAIServer(says=says) as running:
        yield running


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: OpenAIServer
) -> Shell:
    """Run a command on a memory of its own, with the text and a second one in it."""
    for name in ("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_EXTRACTOR", "REMEMBRANCER_TOKENS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        capsys.readouterr()
        code = main(arguments)
        printed = capsys.readouterr()
        return Done(code, printed.out, printed.err)

    run("remember", TEXT, "--title", "Billing [x]")
    run("remember", "We agreed to close the office in May.", "--context", "note")
    return run


def events(shell: Shell) -> list[tuple[str, str]]:
    """Return the events of all items."""
    found = shell("recall", "--source", "manual", "--limit", "50", "--no-expand", "--json").json()["results"]
    return sorted((event["id"], event["summary"]) for item in found for event in item.get("events", ()))


def test_a_service_s_run_is_shown_done_and_taken_back(shell: Shell, server: OpenAIServer) -> None:
    """Issue 5: an LLM pass over a store extracted locally is a separate run, with a diff, and can be rolled back."""
    before = events(shell)
    shown = shell("extract", "--extractor", "openai", "--diff")
    asked = len(server.requests)
    as_json = shell("extract", "--extractor", "openai", "--diff", "--json").json()
    assert events(shell) == before
    assert "Billing [x]" in shown.stdout
    assert "~ Decision: Billing goes to Postgres (summary: " in shown.stdout
    assert "- Decision: " in shown.stdout
    assert "Nothing was changed" in shown.stdout
    assert "does not ask again" in shown.stdout
    assert as_json["tally"]["events_changed"] >= 1
    assert {item["title"] for item in as_json["items"]} >= {"Billing [x]"}

    done = shell("extract", "--extractor", "openai", "--json").json()["run"]
    assert len(server.requests) == asked
    assert (done["extractor"], done["state"], done["tally"]["items"]) == ("openai:gpt-4o-mini", "finished", 2)
    assert "Billing goes to Postgres" in {summary for _, summary in events(shell)}
    [listed] = shell("runs", "--json").json()["runs"]
    assert listed == done
    assert done["id"] in shell("runs").stdout

    undone = shell("rollback", done["id"])
    assert "the earlier results of 2 items are restored" in undone.stdout
    assert events(shell) == before
    assert shell("runs", "--json").json()["runs"][0]["state"] == "rolled_back"
    assert shell("extract", "--rollback", done["id"], "--json").json()["restored"] == 0


def test_a_run_that_is_stopped_says_how_to_go_on(
    shell: Shell, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C, or a service that goes away, leaves a run that `--resume` finishes."""

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command, "execute", interrupted)
        stopped = shell("extract", "--extractor", "openai")
    [run] = shell("runs", "--json").json()["runs"]
    assert stopped.returncode == 130
    assert f"remembrancer extract --resume {run['id']}" in stopped.stderr
    assert run["state"] == "interrupted"

    server.key = "another"
    refused = shell("extract", "--resume", run["id"])
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1].startswith("remembrancer: ")
    server.key = None
    resumed = shell("extract", "--resume", run["id"])
    assert resumed.returncode == 0
    assert f"Run {run['id']} is complete: 2 items processed" in resumed.stdout


def test_what_a_service_refuses_is_counted(shell: Shell, server: OpenAIServer) -> None:
    """The exit code says that items could not be read; the others were."""
    server.next(Reply(refusal="I can't help with that."))
    done = shell("extract", "--extractor", "openai")

    assert done.returncode == 1
    assert "1 items processed" in done.stdout
    assert "1 items failed" in done.stdout


def test_the_local_extractor_runs_over_a_choice(shell: Shell) -> None:
    """By kind of item and number; what it stands on already does not change."""
    before = events(shell)
    done = shell("extract", "--context", "note", "--limit", "1", "--json").json()["run"]

    assert (done["extractor"], done["tally"]["items"], done["tally"]["events_changed"]) == ("local", 1, 0)
    assert done["scope"] == {"context": "note", "ids": [], "limit": 1, "anew": False}
    assert events(shell) == before


def test_unknown_runs_and_items_are_said(shell: Shell) -> None:
    """One JSON line on standard error, with the code."""
    for arguments in (("rollback", "run_0"), ("extract", "--resume", "run_0"), ("extract", "--id", "art_0")):
        done = shell(*arguments, "--json")
        assert done.returncode == 1
        assert json.loads(done.stderr.splitlines()[-1])["code"] == "not_found"
    assert shell("runs", "--json").json() == {"runs": []}
