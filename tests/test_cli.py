"""The command line, run in this process: what each command prints and returns."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from graph.model_marker import switch_model
from service.cli import main
from service.settings import load
from service.wiring import open_app


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


Shell = Callable[..., Done]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Run a command on a memory of its own."""
    for name in ("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_TOKENS", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = main(arguments)
        printed = capsys.readouterr()
        return Done(code, printed.out, printed.err)

    return run


def test_other_machines_are_not_served_without_a_token(shell: Shell) -> None:
    """docs/interface.md: binding to a non-loopback address without a token is refused at start."""
    done = shell("serve", "--host", "0.0.0.0", "--port", "0")

    assert done.returncode == 1
    assert "REMEMBRANCER_TOKENS" in json.loads(done.stderr)["error"]


def test_the_shell_speaks_the_tools_json(shell: Shell) -> None:
    """docs/interface.md: `--json` prints exactly the tool's structured result."""
    text = "Nadia Roth will order the seeds by 2026-03-01."
    receipt = json.loads(shell("remember", "-", "--tags", "garden", "--tags", "spring", "--json", stdin=text).stdout)
    found = json.loads(shell("recall", "seeds", "--no-expand", "--json").stdout)
    status = json.loads(shell("status", receipt["id"], "--json").stdout)
    asked = json.loads(shell("forget", receipt["id"], "--json").stdout)
    gone = json.loads(shell("forget", receipt["id"], "--confirm", "--json").stdout)

    assert found["results"][0]["content"] == text
    assert found["results"][0]["metadata"]["tags"] == ["garden", "spring"]
    assert {kind: job["state"] for kind, job in status["job_status"].items()} == {"embed": "done", "extract": "done"}
    assert (asked["deleted"], gone["deleted"]) == (False, True)


def test_the_shell_prints_for_people_without_json(shell: Shell) -> None:
    """Kind: readable answers, stored text never read as markup."""
    shell("remember", "Ola Berg decided to close [bold]the mill[/bold].", "--title", "Mill")

    done = shell("recall", "mill")

    assert done.returncode == 0
    assert "[bold]the mill[/bold]" in done.stdout
    assert "Decision" in done.stdout


def test_a_wrong_command_or_value_says_what_to_do(shell: Shell) -> None:
    """Errors of the shell are one JSON object on stderr, with exit code 1, or the usage with 2."""
    unknown = shell("recollect")
    short = shell("recall", "x")

    assert unknown.returncode == 2
    assert "recall" in unknown.stderr
    assert short.returncode == 1
    assert json.loads(short.stderr)["code"] == "invalid_input"


def test_ingesting_again_changes_only_what_changed(shell: Shell, tmp_path: Path) -> None:
    """docs/interface.md ingest: incremental; a changed file replaces its text, which stays as a revision."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Boats\n\nThe skiff is blue.\n", encoding="utf-8")
    (folder / "b.txt").write_text("The ferry leaves at nine.", encoding="utf-8")
    (folder / "c.png").write_bytes(b"\x89PNG\r\n")
    first = shell("ingest", str(folder))
    (folder / "a.md").write_text("# Boats\n\nThe skiff is green.\n", encoding="utf-8")

    second = shell("ingest", str(folder))
    third = shell("ingest", str(folder))
    found = json.loads(shell("recall", "skiff", "--json").stdout)
    ferry = json.loads(shell("recall", "ferry", "--json").stdout)["results"][0]

    assert "2 stored, 0 updated, 0 unchanged" in first.stdout
    assert "0 stored, 1 updated, 1 unchanged" in second.stdout
    assert "0 stored, 0 updated, 2 unchanged" in third.stdout
    assert ".png" in first.stdout
    assert [result["content"] for result in found["results"] if "skiff" in result["content"]] == [
        "# Boats\n\nThe skiff is green.\n"
    ]
    assert ferry["metadata"]["frequency"] == 1


def test_another_embedder_is_noticed_and_reindex_mends_it(shell: Shell) -> None:
    """Never mix vectors of two models: recall goes on without them, and says which command mends it."""
    shell("remember", "The well is forty metres deep.")
    with open_app(load()) as app:
        switch_model(app.store, "another-model")

    degraded = json.loads(shell("recall", "well", "--json").stdout)
    doctor = shell("doctor")
    mended = shell("reindex", "--what", "vectors")
    after = json.loads(shell("recall", "well", "--json").stdout)

    assert degraded["degraded"] == ["vectors"]
    assert doctor.returncode == 1
    assert "reindex --what vectors" in doctor.stdout
    assert mended.returncode == 0, mended.stderr
    assert (after["degraded"], len(after["results"])) == ([], 1)


def test_the_demo_answers_its_three_questions(shell: Shell) -> None:
    """docs/interface.md demo: passages, connected events, quotes; one answer only the graph can reach."""
    done = shell("demo")

    assert done.returncode == 0, done.stderr
    text = re.sub(r"\s+", " ", done.stdout)
    questions = json.loads((Path(__file__).parents[1] / "samples" / "questions.json").read_text(encoding="utf-8"))
    for question in questions["demo"]:
        assert question["query"] in text
    assert "same_actor:" in text
    assert "no build is signed in those six weeks, because Lena Fischer holds the only signing token" in text


def test_the_ledger_is_asked_and_set_right_from_the_shell(shell: Shell) -> None:
    """Decisions with what took their place, promises with what is late; resolve keeps its note."""
    for day, text in (
        ("2026-01-05", "We decided to use Postgres for the billing database."),
        ("2026-02-05", "We decided to use MySQL instead of Postgres for the billing database."),
        ("2026-02-06", "Nadia Roth will order the seeds by 2026-03-01."),
    ):
        shell("remember", text, "--date", day, "--context", "meeting")

    listed = shell("decisions", "billing", "--status", "all")
    assert listed.returncode == 0
    assert "[superseded]" in listed.stdout
    assert "superseded on 2026-02-05: “We decided to use MySQL" in listed.stdout
    assert "2 of 2" in listed.stdout
    [late] = json.loads(shell("commitments", "Nadia", "--status", "overdue", "--json").stdout)["items"]
    done = shell("resolve", late["id"], "done", "--note", "Seen in the shed.")
    assert "declared done" in done.stdout
    assert "Seen in the shed." in done.stdout
    assert "Nobody" in shell("commitments", "Zed").stdout
    assert json.loads(shell("resolve", late["id"], "current", "--json").stderr)["code"] == "invalid_input"
