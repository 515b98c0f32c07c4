"""Data sets are read as published, on invented ones in their shape."""

import json
from pathlib import Path

import pytest

from evals.datasets import Meeting, SpanQuestion, TurnQuestion, conversations, meetings, qmsum, turns

LOCOMO = [
    {
        "sample_id": "talk-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_10_date_time": "9:05 am on 3 March, 2024",
            "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "The boat is sold."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ada", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a red boat"},
                {"speaker": "Ben", "dia_id": "D2:2", "text": "Lovely."},
            ],
            "session_11_date_time": "9:05 am on 4 March, 2024",
        },
        "qa": [
            {"question": "Who sold it?", "answer": "Ben", "evidence": ["D:10:01; D2:2", "D2:2"], "category": 1},
            {"question": "Which colour?", "answer": "red", "evidence": ["D2:1", "D", "D9:9"], "category": 4},
            {"question": "And why?", "answer": "?", "evidence": [], "category": 3},
            {"question": "What did Ada sell?", "adversarial_answer": "x", "evidence": ["D10:1"], "category": 5},
        ],
    }
]
QMSUM = {
    "meeting_transcripts": [
        {"speaker": "Chair", "content": "Welcome."},
        {"speaker": "Ann", "content": "The lid leaks."},
        {"speaker": "Chair", "content": "Then glue it."},
    ],
    "general_query_list": [{"query": "Summarize the meeting.", "answer": "It leaks."}],
    "specific_query_list": [
        {"query": "What leaks?", "answer": "The lid.", "relevant_text_span": [["1", "1"], ["0", "2"]]}
    ],
}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(LOCOMO), encoding="utf-8")
    return path


@pytest.fixture
def meeting_file(tmp_path: Path) -> Path:
    path = tmp_path / "qmsum.jsonl"
    path.write_text(f"{json.dumps(QMSUM)}\n{json.dumps(QMSUM)}\n", encoding="utf-8")
    return path


def test_turns_are_in_the_order_of_their_sessions(locomo: Path) -> None:
    """Session 2 is before session 10, a session without turns is none, and indexes run through."""
    told = list(turns(locomo))

    assert [(turn["turn_index"], turn["source_id"], turn["date"]) for turn in told] == [
        (0, "D2:1", "2023-05-08T13:56:00+00:00"),
        (1, "D2:2", "2023-05-08T13:56:00+00:00"),
        (2, "D10:1", "2024-03-03T09:05:00+00:00"),
    ]
    assert told[0]["content"] == "Look! [shares a red boat]"
    assert {turn["conversation_id"] for turn in told} == {"talk-1"}


def test_evidence_is_cleaned_and_questions_without_any_are_left_out(locomo: Path) -> None:
    """Published ids are joined, padded, or name no turn: what is left of each is what counts, once."""
    (told,) = conversations(locomo)

    assert told.speakers == ("Ada", "Ben")
    assert told.questions == (
        TurnQuestion("Who sold it?", "multi-hop", ("D10:1", "D2:2"), "Ben"),
        TurnQuestion("Which colour?", "single-hop", ("D2:1",), "red"),
        TurnQuestion("What did Ada sell?", "adversarial", ("D10:1",), "x"),
    )
    assert [question.is_answerable for question in told.questions] == [True, True, False]


def test_spans_of_a_meeting_cover_their_turns_exactly(meeting_file: Path) -> None:
    """Both ends of a published span are turns that belong to it."""
    first, second = qmsum(meeting_file)
    content = "Chair: Welcome.\nAnn: The lid leaks.\nChair: Then glue it."

    assert [first.name, second.name] == ["qmsum-0", "qmsum-1"]
    assert first == Meeting(
        {"content": content, "context": "transcript", "title": "Meeting 0", "source_id": "qmsum-0"},
        (SpanQuestion("What leaks?", ((16, 35), (0, len(content))), "The lid."),),
    )
    assert content[16:35] == "Ann: The lid leaks."
    assert [meeting["source_id"] for meeting in meetings(meeting_file)] == ["qmsum-0", "qmsum-1"]
