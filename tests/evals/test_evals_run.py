"""The command, from remembering to the page, on an invented conversation and meeting."""

import io
import json
from pathlib import Path

import anyio
import pytest
from rich.console import Console

from evals.datasets import Conversation, Meeting, SpanQuestion, TurnQuestion
from evals.figures import Figure, Row, Table
from evals.report import Run, as_json, as_markdown, show
from evals.run import Material, run
from evals.variants import OPENED


def talk(name: str, speakers: tuple[str, str], thing: str) -> Conversation:
    """A conversation of two turns with one question about each."""
    said = (f"I bought the {thing} in Lisbon.", "It looks old to me.")
    turns = tuple(
        {
            "content": text,
            "context": "conversation",
            "conversation_id": name,
            "turn_index": index,
            "author": speakers[index],
            "source_id": f"D1:{index + 1}",
        }
        for index, text in enumerate(said)
    )
    asked = (
        TurnQuestion(f"Where did {speakers[0]} buy the {thing}?", "single-hop", ("D1:1",)),
        TurnQuestion(f"What did {speakers[0]} find old?", "adversarial", ("D1:2",)),
    )
    return Conversation(name, speakers, turns, asked)


CONTENT = "Chair: Welcome.\nAnn: The lid of the kettle leaks.\nChair: Then we glue it."
MATERIAL = Material(
    [talk("talk-1", ("Ada", "Ben"), "accordion"), talk("talk-2", ("Cleo", "Dov"), "kayak")],
    [
        Meeting(
            {"content": CONTENT, "context": "transcript", "title": "Meeting 0", "source_id": "qmsum-0"},
            (SpanQuestion("What leaks?", ((16, 49),)),),
        )
    ],
)


@pytest.mark.exhaustive
def test_all_is_remembered_asked_and_measured(tmp_path: Path) -> None:
    """Two turns and one meeting can't be missed: what is measured is what the service answers."""
    some = {name: OPENED[name] for name in ("as shipped", "words alone", "vectors alone")}
    tables = anyio.run(run, tmp_path, MATERIAL, some | {"again": OPENED["as shipped"]})

    told = {table.title: {row.name: row.figures for row in table.rows} for table in tables}
    assert all(figure.values == (1, 1) for figure in told["LoCoMo: evidence recall"]["as shipped"])
    (*places, density) = told["QMSum: the right meeting, and the right passage in it"]["as shipped"]
    assert all(figure.values == (1,) for figure in places)
    assert density.values[0] > 1
    for rows in told.values():
        if "again" in rows:
            assert rows["again"] == rows["as shipped"]
    assert "reciprocal rank fusion" in told["LoCoMo: evidence recall"]
    reach = told["Graph reach: evidence covered at the same total budget"]
    assert [figure.name for figure in reach["results only"]] == ["LoCoMo", "QMSum", "demo corpus"]
    (small, _, evidence) = told["LoCoMo: size of a brief answer by the query alone"]["brief"]
    assert set(small.values) == set(evidence.values) == {1}
    assert 'Not in memory: told apart by "answer_likelihood"' in told


@pytest.fixture
def measured() -> Run:
    """One table that is compared, one that is not, and one without rows."""
    first = Row("as shipped", (Figure("@5", (1.0, 0.0), 0.9), Figure("@10", (1.0, 1.0))))
    other = Row("words [alone]", (Figure("@5", (0.0, 0.0), 0.9), Figure("@10", (1.0, 1.0))))
    kinds = Table("Kinds", "Each by itself.", (Row("wrong", (Figure("refused", (0.0,), 0.5),)),), compared=False)
    tables = [Table("Ranking", "Two questions.", (first, other)), kinds, Table("Nothing", "Not answered.", ())]
    return Run(tables, "2026-02-03", "abc1234", "make evals")


def test_only_what_is_shipped_can_miss_its_target(measured: Run) -> None:
    """A baseline is there to be beaten."""
    assert measured.missed() == ["Ranking: @5", "Kinds: wrong, refused"]


def test_the_page_says_what_was_measured_when_and_how(measured: Run) -> None:
    """A figure without its commit can't be checked."""
    page = as_markdown(measured, "Figures", "The data is yours.")

    assert page.startswith("# Figures\n")
    assert "The data is yours.\n\n## Ranking" in page
    assert "Written by `make evals` on 2026-02-03 at commit abc1234" in page
    assert "| as shipped | 0.500 [0.000, 1.000], ✗ ≥ 0.90 | 1.000 [1.000, 1.000] |" in page
    assert "| words [alone] | 0.000, -0.500 [-1.000, +0.000] | 1.000, +0.000 [+0.000, +0.000] |" in page
    assert "## Nothing\n\nNot answered.\n" in page


def test_the_terminal_shows_the_same_cells(measured: Run) -> None:
    """Brackets are limits of intervals, not markup."""
    out = Console(file=io.StringIO(), width=160)
    show(measured, out)
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()

    assert "0.500 [0.000, 1.000], ✗ ≥ 0.90" in text
    assert "words [alone]" in text
    assert "Not reached: Kinds: wrong, refused" in text


def test_the_json_holds_every_figure_with_its_limits(measured: Run) -> None:
    """Differences stand only where rows are compared."""
    told = json.loads(json.dumps(as_json(measured)))

    assert told["not_reached"] == ["Ranking: @5", "Kinds: wrong, refused"]
    assert told["tables"][0]["rows"][1]["figures"][0] == {
        "name": "@5", "questions": 2, "mean": 0.0, "low": 0.0, "high": 0.0, "target": 0.9,
        "difference": {"mean": -0.5, "low": -1.0, "high": 0.0},
    }  # fmt: skip
    assert "difference" not in told["tables"][1]["rows"][0]["figures"][0]
