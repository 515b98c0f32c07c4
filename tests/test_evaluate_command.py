"""`evaluate` from the shell: figures on standard output, everything else beside them."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.cli import main

SENTENCES = [
    "The harbour office raised mooring fees for large fishing boats in spring.",
    "Our bakery orders forty sacks of rye flour from the northern mill every month.",
    "Children painted the lighthouse stairs yellow during the summer festival week.",
    "A storm broke two windows of the school gymnasium last Thursday night.",
    "The library lends telescopes to members who attend an astronomy evening.",
    "Dana Whitfield will deliver twelve copper valves for the pump station by 2026-03-20.",
    "We decided that Dana Whitfield takes over the night shift in the archive from April.",
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of seven items, two of them connected."""
    for name in ("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_TOKENS", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "town.jsonl"
    file.write_text("".join(json.dumps({"content": text}) + "\n" for text in SENTENCES), encoding="utf-8")
    assert main(["ingest", str(file)]) == 0
    return tmp_path / "home"


def without_times(figures: Any) -> Any:
    if isinstance(figures, dict):
        return {name: without_times(value) for name, value in figures.items() if not name.endswith("_ms")}
    return figures


@pytest.mark.exhaustive
def test_the_same_seed_prints_the_same_figures(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the times differ; `--json` prints JSON and nothing else."""
    assert home.exists()
    printed = []
    for _ in range(2):
        capsys.readouterr()
        assert main(["evaluate", "--json", "--seed", "3"]) == 0
        printed.append(json.loads(capsys.readouterr().out))
    first, second = printed
    assert without_times(first) == without_times(second)
    assert (first["items"], first["seed"], first["degraded"]) == (7, 3, [])
    assert first["known_items"]["graph_on"]["recall_at_10"] == 1
    assert first["bridges"]["graph_on"]["recall_at_20"] == 1


def test_figures_are_printed_for_people(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both kinds of question, both ways; the bar stands on standard error."""
    assert home.exists()
    capsys.readouterr()
    assert main(["evaluate", "--questions", "6"]) == 0
    printed = capsys.readouterr()
    assert "Project default, 7 items, seed 7." in printed.out
    assert [line.split()[:3] for line in printed.out.splitlines() if line.strip().startswith(("known", "bridge"))] == [
        ["known", "item", "6"],
        ["bridge", "2", "on"],
    ]
    assert "Asking" in printed.err
    assert "Asking" not in printed.out


def test_what_is_missing_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures without vectors are not those of the whole memory."""
    for part in (home / "chroma").iterdir():
        if part.is_file():
            part.unlink()
    capsys.readouterr()
    assert main(["evaluate"]) == 0
    assert "Not available for some answers: vectors" in capsys.readouterr().err


def test_what_cannot_be_measured_is_an_error(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and what to do."""
    assert home.exists()
    for arguments, code, told in (
        (["--project-id", "empty"], "not_found", "5 are needed: ingest or remember more"),
        (["--questions", "0"], "invalid_input", "--questions 0 is out of range"),
        (["--project-id", "a b"], "invalid_input", "project_id 'a b' is not valid"),
    ):
        capsys.readouterr()
        assert main(["evaluate", *arguments, "--json"]) == 1
        error = json.loads(capsys.readouterr().err.splitlines()[-1])
        assert error["code"] == code
        assert told in error["error"]
