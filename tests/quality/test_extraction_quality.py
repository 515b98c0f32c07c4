"""Floors under what is extracted from made-up sentences, and the links between made-up events."""

from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion
from core.interface.memory import Memory
from core.knowledge.ledger import SURE
from service.app import App
from tests.ingest.extracting import extract

HERE: Final = Path(__file__).parent
RECALL, PRECISION = 0.85, 0.87
#: Commitments with the right owner, and with the right due day.
OWNERS, DUES = 13, 16
#: Category, owner and due day.
Stated = tuple[str, str | None, date | None]


def loaded(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text(encoding="utf-8"))


def stated_in(sentence: str) -> list[Stated]:
    """Return the decisions and commitments that the ledger would show."""
    return [
        (
            event.category,
            next((name for name, role in event.actors if role == "owner"), None),
            event.due.date() if event.due else None,
        )
        for event in extract(sentence, context="meeting").events
        if event.category in {"Decision", "Commitment"} and event.confidence >= SURE
    ]


def test_sentences_are_read_as_what_they_are() -> None:
    """60 sentences; the floors are one sentence below what is reached."""
    sentences = [(text, wanted) for text, *wanted in loaded("sentences.yaml")]
    read = [(text, wanted, stated_in(text)) for text, wanted in sentences]
    expected = [one for one in read if one[1]]
    right = [one for one in expected if one[1][0] in {category for category, _, _ in one[2]}]
    promised = [one for one in right if one[1][0] == "Commitment"]
    owners = sum(wanted[1] == made[0][1] for _, wanted, made in promised)
    dues = sum(wanted[2] == made[0][2] for _, wanted, made in promised)
    wrong = [one for one in read if (bool(one[1]) != bool(one[2]) or (one[1] and one not in right))]

    assert len(sentences) == 60
    assert len(right) / len(expected) >= RECALL, wrong
    assert len(right) / sum(len(made) for _, _, made in read) >= PRECISION, wrong
    assert owners >= OWNERS, promised
    assert dues >= DUES, promised


@pytest.mark.parametrize(("earlier", "later", "status"), loaded("links.yaml"))
def test_a_later_sentence_changes_the_status_of_what_it_bears_on(
    app: App, earlier: str, later: str, status: str
) -> None:
    """Ten pairs, six with a link and four without."""
    given = app.remember(Memory(content=earlier, context="meeting", date="2026-03-02"))
    app.remember(Memory(content=later, context="meeting", date="2026-03-09"))
    app.worker.drain()
    items = (*app.decisions(DecisionsQuestion(status="all")).items, *app.commitments(CommitmentsQuestion()).items)

    assert [item.status for item in items if item.artifact_id == given.id] == [status]
