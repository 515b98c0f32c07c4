"""`python -m evals.answers`: what counts as shown, what a run measures, and what a reader's sheets score."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InvalidInput
from evals.answer_questions import Asked, Shown, Span, Words
from evals.answer_sheets import Sheet, score, spread, token_f1, write_sheets
from evals.answers import Given, calibration_tables, evidence_tables, main

RESPONSE = {
    "results": [
        {"id": "art_1", "content": "Ana: The kiln\nis broken.", "also": ["art_9"]},
        {"id": "art_2", "content": "The roof leaks. … Nobody pays.", "turns": [{"id": "art_3", "content": "Why?"}]},
        {"id": "art_4", "content": "", "events": [{"quote": "Bo sells the boat."}]},
    ],
    "related": [{"artifact_id": "art_5", "quote": "It was sold in May."}],
    "answer_likelihood": 0.9,
}


def asked(*evidence: Words | Span, kind: str = "single-hop") -> Asked:
    """A question that needs this evidence."""
    texts = {"art_1": "Ana: The kiln is broken. We buy another."}
    return Asked(
        "q-1", "kilns", "What is broken?", kind, evidence, "the kiln", is_spoken=True, is_read=True, texts=texts
    )


@pytest.mark.parametrize(
    ("evidence", "is_shown"),
    [
        (Words("art_1", "The kiln is broken."), True),
        (Words("art_9", "The kiln is broken."), True),
        (Words("art_2", "The kiln is broken."), False),
        (Words("art_3", "Why?"), True),
        (Words("art_8", "The roof leaks.", is_turn=True), True),
        (Words("art_4", "sells the boat"), True),
        (Words("art_5", "in May"), True),
        (Words("art_2", "leaks. Nobody"), False),
        (Span("art_2", "We heard that nobody. Nobody pays. So be it."), True),
        (Span("art_2", "The walls are dry."), False),
    ],
)
def test_evidence_is_shown_where_its_words_are_in_a_text_of_its_item(evidence: Words | Span, is_shown: bool) -> None:
    """Passages, turns around them, equal items and quotes of events all count; white space does not."""
    assert evidence.is_in(Shown.of(RESPONSE)) is is_shown


def test_a_question_counts_only_if_all_of_its_evidence_is_shown() -> None:
    """Half of the evidence is no answer to a question that needs both, and a row without words is counted."""
    both = asked(Words("art_1", "The kiln is broken."), Words("art_7", "It was Ben."))

    (table,) = evidence_tables([Given(both, RESPONSE, "text"), Given(asked(), RESPONSE, "text")])

    row = {one.name: {figure.name: figure.values for figure in one.figures} for one in table.rows}["single-hop"]
    assert row["all evidence shown"] == (0.0,)
    assert row["evidence shown"] == (0.5,)
    assert row["rows without words"] == (0.0, 0.0, 1.0)
    assert row["rows cut"] == (1.0, 0.0, 0.0)


def test_likelihoods_are_set_against_what_the_results_hold() -> None:
    """An answer without a likelihood says nothing, and questions about the wrong speaker are told apart."""
    known, unknown = asked(Words("art_1", "of which a part is cut")), asked(kind="of another conversation")
    silent = {name: value for name, value in RESPONSE.items() if name != "answer_likelihood"}
    adversarial = asked(kind="adversarial")
    given = [Given(known, RESPONSE, ""), Given(unknown, RESPONSE, ""), Given(known, silent, "")]

    bins, sentences = calibration_tables([*given, Given(adversarial, RESPONSE, "")])

    last = {figure.name: figure.values for figure in bins.rows[-1].figures}
    assert last == {"said": (0.9, 0.9), "holds an answer": (1.0, 0.0)}
    assert "Mean error of a bin, by its questions: 0.400" in bins.note
    assert [row.name for row in sentences.rows] == ["adversarial", "all", "of another conversation", "single-hop"]


def test_a_run_asks_what_the_folder_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A meeting of one line can't be missed, and its question goes to a reader with the answer as it was sent."""
    meeting = {
        "meeting_transcripts": [{"speaker": "Ana", "content": "The kiln broke on Monday."}],
        "specific_query_list": [
            {"query": "When did the kiln break?", "answer": "On Monday.", "relevant_text_span": [["0", "0"]]}
        ],
    }
    (tmp_path / "qmsum-own.jsonl").write_text(json.dumps(meeting), encoding="utf-8")

    assert main(["--data", str(tmp_path), "--sheets", str(tmp_path / "sheets")]) == 0

    assert "1.000 [1.000, 1.000]" in capsys.readouterr().out
    sheet = (tmp_path / "sheets" / "sheet-1.md").read_text(encoding="utf-8")
    assert "When did the kiln break?" in sheet
    assert "The kiln broke on Monday." in sheet
    assert "On Monday." in (tmp_path / "sheets" / "gold.jsonl").read_text(encoding="utf-8")


def test_a_folder_without_data_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures of nothing would look perfect."""
    assert main(["--data", str(tmp_path)]) == 1
    assert "holds no data set" in capsys.readouterr().err


def test_a_reader_is_scored_by_words_and_by_marks(tmp_path: Path) -> None:
    """What was left empty counts neither way; who is asked of the wrong speaker should say that it is not known."""
    sheets = [Sheet.of(asked(kind=kind), "text") for kind in ("single-hop", "adversarial")]
    write_sheets(
        tmp_path, [Sheet(f"q-{number}", one.kind, one.query, one.gold, one.text) for number, one in enumerate(sheets)]
    )
    written = [{"id": "q-0", "answer": "A kiln.", "mark": 1}, {"id": "q-1", "answer": "the boat", "mark": 0}]
    for number, line in enumerate(map(json.dumps, written), 1):
        (tmp_path / f"answers-{number}.jsonl").write_text(line, encoding="utf-8")

    (table,) = score(tmp_path)

    rows = {row.name: [figure.values for figure in row.figures] for row in table.rows}
    assert rows == {"all": [(1.0, 0.0), (1.0, 0.0)], "single-hop": [(1.0,), (1.0,)], "adversarial": [(0.0,), (0.0,)]}


def test_answers_that_fit_no_sheet_are_refused(tmp_path: Path) -> None:
    """A typing error in an id would drop an answer without a word; written answers are never overwritten."""
    write_sheets(tmp_path, [Sheet("q-1", "single-hop", "What?", "kiln", "text")])
    (tmp_path / "answers-1.jsonl").write_text('{"id": "q-2", "answer": "kiln"}', encoding="utf-8")

    with pytest.raises(InvalidInput, match="'q-2'"):
        score(tmp_path)
    with pytest.raises(InvalidInput, match="name a new folder"):
        write_sheets(tmp_path, [])
    with pytest.raises(InvalidInput, match=r"gold\.jsonl"):
        score(tmp_path / "elsewhere")


def test_questions_for_a_reader_are_spread_over_kinds_and_conversations() -> None:
    """Twice as many multi-hop ones are chosen, and no question twice where a kind has fewer."""
    every = [
        replace(asked(kind=kind), id=f"{kind}-{number}")
        for kind, count in (("single-hop", 40), ("multi-hop", 20), ("open-domain", 2))
        for number in range(count)
    ]

    chosen = [one.id for one in spread(every, 16)]

    assert [one for one in chosen if one.startswith("single")] == [f"single-hop-{number}" for number in (0, 10, 20, 30)]
    assert [one for one in chosen if one.startswith("open")] == ["open-domain-0", "open-domain-1"]
    assert len(chosen) == len(set(chosen)) == 14


@pytest.mark.parametrize(("written", "value"), [("The kilns!", 1.0), ("the red kiln", 2 / 3), ("a boat", 0.0)])
def test_token_f1_is_of_stems(written: str, value: float) -> None:
    """Articles, case, endings and punctuation make no difference."""
    assert token_f1(written, "kiln") == pytest.approx(value)
