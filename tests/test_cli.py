"""The command line, run in this process: what each command prints and returns."""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.dates import now
from graph.vector_checks import switch_model
from ingest.readers.formats.source import Part
from ingest.readers.isolated import IsolatedReader
from ingest.worker import Worker
from service.cli import COMMANDS, import_command, main, make_parser
from service.settings import load_settings
from service.wiring import open_app
from tests.running_commands import Shell

ROOT = Path(__file__).resolve().parents[1]


def test_other_machines_are_not_served_without_a_token(shell: Shell) -> None:
    """docs/interface.md: binding to a non-loopback address without a token is refused at start."""
    done = shell("serve", "--host", "0.0.0.0", "--port", "0")

    assert done.returncode == 1
    assert done.stderr.startswith("remembrancer: ")
    assert "REMEMBRANCER_TOKENS" in done.stderr


def test_a_server_without_tokens_is_for_this_machine_alone(shell: Shell) -> None:
    """docs/interface.md HTTP: --open."""
    done = shell("serve", "--open", "--host", "0.0.0.0", "--port", "0")

    assert done.returncode == 1
    assert "--open serves this machine alone" in done.stderr


def test_a_token_that_could_be_guessed_is_refused_at_start(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/interface.md HTTP: 32 characters at least; the message says how to make one, and not what it was."""
    monkeypatch.setenv("REMEMBRANCER_TOKENS", f"{'a' * 32},sesame")
    done = shell("serve", "--port", "0")

    assert done.returncode == 1
    assert "openssl rand -hex 32" in done.stderr
    assert "sesame" not in done.stderr


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
    """An error is one line on stderr, with exit code 1, or 2 if no such command exists; JSON only with `--json`."""
    unknown = shell("recollect")
    short = shell("recall", "x")
    as_json = shell("recall", "x", "--json")

    assert (unknown.returncode, unknown.stderr.count("\n")) == (2, 1)
    assert "did you mean recall?" in unknown.stderr
    assert (short.returncode, short.stdout) == (1, "")
    assert short.stderr.splitlines()[-1] == "remembrancer: query 'x' is too short: use 2 to 5,000 characters."
    assert (as_json.returncode, as_json.stdout) == (1, "")
    assert json.loads(as_json.stderr) == {
        "error": "query 'x' is too short: use 2 to 5,000 characters.",
        "code": "invalid_input",
    }


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
    ferry = json.loads(shell("recall", "ferry", "--detail", "full", "--json").stdout)["results"][0]

    assert "2 stored, 0 updated, 0 unchanged" in first.stdout
    assert "0 stored, 1 updated, 1 unchanged" in second.stdout
    assert "0 stored, 0 updated, 2 unchanged" in third.stdout
    assert "1 media" in first.stdout
    assert [result["content"] for result in found["results"] if "skiff" in result["content"]] == [
        "# Boats\n\nThe skiff is green.\n"
    ]
    assert ferry["metadata"]["frequency"] == 1


def test_ingest_has_texts_prepared_while_it_reads_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their process takes as long to start as files to read; a rehearsal, and a folder without news, need none."""
    noted, read = list[str](), IsolatedReader.items

    def items(self: IsolatedReader, path: Path, *, context: str | None) -> Iterator[Part]:
        noted.append(path.name)
        return read(self, path, context=context)

    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(Worker, "prepare_texts", lambda _: noted.append("texts"))
    monkeypatch.setattr(IsolatedReader, "items", items)
    (tmp_path / "a.md").write_text("The skiff is blue.\n", encoding="utf-8")

    assert main(["ingest", str(tmp_path / "a.md"), "--dry-run"]) == 0
    assert noted == ["a.md"]
    assert main(["ingest", str(tmp_path / "a.md")]) == 0
    assert noted[1:3] == ["texts", "a.md"]
    noted.clear()
    assert main(["ingest", str(tmp_path / "a.md")]) == 0
    assert noted == []


def test_ingest_tells_what_was_learnt_and_what_is_not_ready(shell: Shell, tmp_path: Path) -> None:
    """And why, with exit status 1; the next run finishes it."""
    note = tmp_path / "note.md"
    note.write_text("We decided to paint the gate. Ola Berg will buy the paint by Friday.", encoding="utf-8")
    blocked = load_settings().home / "chroma"
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("no folder", encoding="utf-8")

    waiting = shell("ingest", str(note))
    blocked.unlink()
    done = shell("ingest", str(note), "--json")

    assert waiting.returncode == 1
    assert "decisions 1, commitments 1" in " ".join(waiting.stdout.split())
    assert "Not ready: 1 item of which embedding is pending: " in waiting.stderr
    assert "chroma" in waiting.stderr
    assert (done.returncode, "Not ready" in done.stderr) == (0, False)
    assert json.loads(done.stdout.splitlines()[-1])["learnt"] == {
        "entities": 0, "events": 0, "decisions": 0, "commitments": 0
    }  # fmt: skip


def test_texts_that_are_not_read_for_events_are_counted_by_language(shell: Shell, tmp_path: Path) -> None:
    """By `ingest`, also on trial, and by `status`; English ones are not spoken of."""
    folder = tmp_path / "notes"
    folder.mkdir()
    german = "Wir haben beschlossen, das Lager im März zu schließen. Ben schickt den Plan bis Freitag an alle."
    (folder / "lager.md").write_text(f"# Besprechung\n\n{german}\n", encoding="utf-8")
    (folder / "depot.md").write_text("We decided to close the depot in March. " * 3, encoding="utf-8")

    trial = shell("ingest", str(folder), "--dry-run")
    taken = json.loads(shell("ingest", str(folder), "--json").stdout.splitlines()[-1])
    again = shell("ingest", str(folder))
    told = shell("status")
    counts = json.loads(shell("status", "--json").stdout)["counts"]

    note = "Read for events by structure alone, since in another language than English: 1 de."
    assert note in " ".join(trial.stdout.split())
    assert taken["unread_languages"] == counts["unread_languages"] == {"de": 1}
    assert "another language" not in again.stdout
    assert note in " ".join(told.stdout.split())


def test_another_embedder_is_noticed_and_reindex_mends_it(shell: Shell) -> None:
    """Never mix vectors of two models: recall goes on without them, and says which command mends it."""
    shell("remember", "The well is forty metres deep.")
    with open_app(load_settings()) as app:
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


@pytest.mark.exhaustive
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

    listed = shell("decisions", "billing", "--status", "all", "--detail", "full")
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


def test_a_memory_that_does_not_exist_or_holds_nothing_is_said_to_be_empty(shell: Shell) -> None:
    """Before "nothing matches", which would have somebody try other words; other projects are not mentioned."""
    first = shell("recall", "boats", "--json")
    assert "there is no memory in" in first.stderr
    assert json.loads(first.stdout)["hint"].startswith("Project 'default' is empty: ")
    shell("remember", "Mara Holt decided to sell the boats.")
    assert shell("recall", "boats").stderr == ""

    for arguments in (("recall", "boats"), ("decisions",), ("commitments", "Mara"), ("review",)):
        printed = shell(*arguments, "--project-id", "other").stdout
        assert " ".join(printed.split()).startswith("Project 'other' is empty: "), printed
        assert "default" not in printed
    asked = shell("explore", "Mara Holt", "--project-id", "other")
    assert (asked.returncode, asked.stdout) == (1, "")
    assert asked.stderr.startswith("remembrancer: Project 'other' is empty: ")
    assert "Project" not in shell("recall", "zeppelin", "--context", "task").stdout


def test_the_audit_trail_says_what_the_shell_did(shell: Shell) -> None:
    """docs/operations.md: newest first, with the command, and without a word of what was stored."""
    first, second = (json.loads(shell("remember", text, "--key", "k", "--json").stdout)["id"] for text in "ab")
    shell("forget", second, "--confirm")
    entries = json.loads(shell("audit", "--json").stdout)["entries"]
    printed = shell("audit", "--since", "1d").stdout

    assert [(one["act"], one["by"], one["client"], one["number"]) for one in entries] == [
        ("forget", "local", "remembrancer forget", 2),
        ("overwrite", "local", "remembrancer remember", 2),
    ]
    assert entries[1]["ids"] == [second, first]
    assert [line.split()[-5:-3] for line in printed.splitlines()[1:]] == [
        ["forget", "default"],
        ["overwrite", "default"],
    ]
    assert len(json.loads(shell("audit", "--limit", "1", "--json").stdout)["entries"]) == 1
    assert shell("audit", "--project-id", "other").stdout == "The audit trail has no such entries.\n"
    assert shell("audit", "--since", "soon").stderr.startswith("remembrancer: since 'soon' is not a date")
    assert shell("audit", "--limit", "0").returncode == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_has_a_help_text(command: str) -> None:
    """Nobody should have to guess what an option does."""
    parsers = [make_parser(command, import_command(command))]
    for parser in parsers:
        parser.format_help()
        for action in parser._actions:
            assert action.help, f"{parser.prog} {action.dest}"
            if isinstance(action, argparse._SubParsersAction):
                assert {choice.dest for choice in action._choices_actions if choice.help} == set(action.choices)
                parsers += action.choices.values()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["recall", "x y", "--limt", "5"], "unrecognized arguments: --limt 5: did you mean --limit?"),
        (["recall", "x y", "--context", "meting"], "invalid choice: 'meting': did you mean 'meeting'?"),
        (["decisions", "--status", "superceded"], "did you mean 'superseded'?"),
    ],
)
def test_a_mistyped_option_or_choice_is_answered_with_the_nearest(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is opened."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert expected in capsys.readouterr().err


def test_the_ledger_is_a_table_of_a_line_an_item(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Overdue ones first, within the width of the terminal; ids where there is room, quotes with `--detail full`."""
    today = now().date()
    made, overdue = (str(today - timedelta(days=days)) for days in (60, 40))
    texts = {
        "Mara Holm will mend the northern fence by 2030-05-01.": made,
        f"Olaf Berg will order the roof tiles by {overdue}, with whatever the barn may need.": made,
    }
    for text, date in texts.items():
        assert shell("remember", text, "--date", date, "--wait").returncode == 0
    for columns in ("80", "120"):
        monkeypatch.setenv("COLUMNS", columns)
        lines = shell("commitments").stdout.splitlines()
        assert all(len(line) <= int(columns) for line in lines)
        assert len(lines) == 4
        assert [line.split()[0] for line in lines[:3]] == ["due", overdue, "2030-05-01"]
        assert ("evt_" in lines[1]) == (columns == "120")
        assert "2 of 2, 1 overdue" in lines[3]
    whole = shell("commitments", "--detail", "full").stdout
    assert whole.count("“") == 2
    assert "evt_" in whole


@pytest.mark.parametrize("is_mounted", [False, True])
def test_ingesting_forgets_what_files_no_longer_say(shell: Shell, tmp_path: Path, *, is_mounted: bool) -> None:
    """The table names what went, and what stays with the next step; of a folder that may be away nothing goes."""
    notes, drive = tmp_path / "notes", tmp_path / "drive"
    notes.mkdir()
    drive.mkdir()
    (notes / "plan.md").write_text("Mei orders the slate on Monday.")
    (notes / "pump.md").write_text("The pump needs a gasket.")
    (drive / "log.md").write_text("The lamp was lit at dusk.")
    shell("ingest", str(notes), str(drive))
    (notes / "plan.md").write_text("")
    drive.rename(tmp_path / "away")
    if is_mounted:
        drive.mkdir()

    done = shell("ingest", str(notes), str(drive), "--prune", "--json")
    report = json.loads(done.stdout.splitlines()[-1])
    assert (report["forgotten"], report["skipped"]) == (1, {} if is_mounted else {"missing": 1})
    assert {Path(one["path"]).name: one["kept"] is None for one in report["gone"]} == {"plan.md": True, "log.md": False}
    drive.mkdir(exist_ok=True)
    (drive / "new.md").write_text("The rope is new.")
    shown = shell("ingest", str(notes), str(drive), "--prune").stdout
    assert "gone" in shown
    assert "forgotten  1 item" in shown


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_products_of_numpy_start_no_threads_in_a_command() -> None:
    """The threads of OpenBLAS wait by spinning, which took a fifth of the processor that reading a folder takes."""
    program = (
        "from service.cli import main; main(['--version']); import numpy, os; a = numpy.ones((500, 500)); a @ a; "
        "print(len(os.listdir('/proc/self/task')))"
    )
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=variables, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "1"


def test_a_command_imports_no_server() -> None:
    """The MCP and web servers take half of the time that a command needs to begin."""
    names = sorted(COMMANDS.keys() - {"serve", "doctor"})
    program = (
        f"import sys; from service.cli import import_command; [import_command(name) for name in {names}]; "
        "print(sorted({'mcp', 'starlette', 'uvicorn', 'chromadb'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_folder_of_files_that_are_known_compiles_no_patterns_of_extraction() -> None:
    """They take a fifth of the time that `ingest` needs to begin; what extracts compiles them when it first does."""
    program = (
        "import sys; from service.cli import import_command; import_command('ingest'); "
        "print([name for name in sys.modules if name.startswith(('ingest.extract.local', 'ingest.runs.pipeline'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
