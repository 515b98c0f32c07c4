"""`python -m evals.minutes`, on an invented folder of three files."""

import json
from pathlib import Path

import anyio
import pytest

from evals.minutes.__main__ import found, main
from evals.minutes.baselines import SUM
from evals.minutes.documents import minutes
from evals.minutes.given import given
from evals.minutes.told import Told
from evals.variants import SHIPPED

READ = {
    "2024-03-01-boats.md": ("# Boats\n\nWe sell the old ferry.\n", "What becomes of the ferry?", "sell the old\nferry")
}
REST = {
    "2024-04-01-kites.md": "# Kites\n\nThe red kite flies.\n",
    "2024-05-01-refused.md": "Nothing\0.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One annotated document, one beside it, and one that is no text."""
    for name in ("read", "rest", "marks"):
        (tmp_path / name).mkdir()
    for name, (text, question, answer) in READ.items():
        (tmp_path / "read" / name).write_text(text, encoding="utf-8")
        marks = {"date": "2024-03-01", "questions": [{"question": question, "answer_quote": answer}]}
        (tmp_path / "marks" / f"{name}.json").write_text(json.dumps(marks), encoding="utf-8")
    for name, text in REST.items():
        (tmp_path / "rest" / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_service_stands_beside_what_is_found_by_hand(folder: Path, tmp_path: Path) -> None:
    """One document about a ferry can't be missed, and a file that is refused still lies in the folder."""
    dates, table = found(minutes(folder), folder, tmp_path / "home", quick=True)

    rows = {row.name: [figure.values for figure in row.figures[:4]] for row in table.rows}
    assert rows[SHIPPED] == rows[SUM] == [(1.0,)] * 4
    assert [figure.values for figure in dates.rows[0].figures] == [(1.0, 1.0, 0.0), (1.0,)]
    assert "3 documents in one memory, 1 of which `ingest` refused" in table.note


@pytest.mark.exhaustive
def test_what_an_agent_gives_is_what_the_ledger_lists(tmp_path: Path) -> None:
    """Through the tools over stdio, with owners and due dates; what is marked as not sure counts neither way."""
    promise = {"quote": "Ana sends the plan", "summary": "Send it", "owners": ["Ana Ruiz"], "due": "2024-03-08"}
    sold = {"quote": "We sell the ferry", "summary": "It is sold", "by": ["Board"], "sure": True}
    kept = {"quote": "We keep the ferry after all", "summary": "It stays", "by": ["Board"], "sure": True}
    marks = {
        "date": "2024-03-01",
        "people": [{"name": "Ana Ruiz", "also": ["Ana"]}],
        "decisions": [sold],
        "commitments": [promise | {"done": False, "sure": True}],
    }
    later = {"date": "2024-04-01", "people": [], "decisions": [kept], "commitments": []}
    told = [
        Told("boats", "We sell the ferry. Ana sends the plan.", marks),
        Told("again", "We keep the ferry after all.", later),
    ]
    table = anyio.run(given, told, tmp_path)

    [row] = table.rows
    assert {figure.name: figure.values for figure in row.figures} == {
        "decisions F1": (1.0,), "commitments F1": (1.0,), "owners": (1.0,), "dues": (1.0,),
        "superseded by id": (1.0,), "superseded by words": (), "not superseded": (1.0,),
    }  # fmt: skip


def test_a_folder_without_minutes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures of nothing would look like a failure of the service."""
    assert main(["--data", str(tmp_path)]) == 1

    assert "has no read/ with marks/ beside it" in capsys.readouterr().err
