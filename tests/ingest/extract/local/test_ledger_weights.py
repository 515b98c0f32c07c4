"""How likely a sentence belongs into the ledger: the weights that are kept, and what they make of plain sentences."""

import json

import pytest

from core.knowledge.ledger import SURE
from ingest.extract.local.extractor import LocalExtractor
from ingest.extract.local.ledger_features import NAMES, WEIGHTS, fingerprint, load_ledger_weights
from retrieval.models.local_embedder import LocalEmbedder
from tests.ingest.extracting import artifact_of


@pytest.fixture(scope="module")
def judging() -> LocalExtractor:
    """The extractor as it is shipped."""
    return LocalExtractor(LocalEmbedder())


def test_the_weights_are_of_the_features_that_there_are() -> None:
    """Who changes a feature fits the weights again: `python -m evals.minutes.ledger_fit --write`."""
    kept = json.loads(WEIGHTS.read_text(encoding="utf-8"))

    assert kept["features"] == fingerprint()
    assert tuple(kept["weights"]) == NAMES
    assert load_ledger_weights().weights.shape == (len(NAMES), 2)


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("The group agreed to move the harbour party to June.", "Decision"),
        ("Mara will send the floor plan to the printers by Friday.", "Commitment"),
    ],
)
def test_what_is_plainly_said_is_listed(judging: LocalExtractor, sentence: str, category: str) -> None:
    """By default the ledger lists what is more likely than not."""
    (event,) = judging.extract(artifact_of(f"## Boats\n\n- {sentence}\n", context="meeting")).events
    assert event.category == category
    assert event.confidence >= SURE


def test_what_a_section_alone_says_is_held_back(judging: LocalExtractor) -> None:
    """Not every bullet below "Next steps" is a promise."""
    content = "## Next steps\n\n- It is not a hurry, the fair is a while away.\n- Dana Fox to paint the jetty.\n"
    found = judging.extract(artifact_of(content, context="meeting")).events
    assert [event.quote for event in found if event.confidence >= SURE] == ["Dana Fox to paint the jetty."]
