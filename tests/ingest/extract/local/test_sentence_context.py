"""The setting of a sentence as numbers."""

import numpy as np
from numpy.typing import NDArray

from ingest.extract.local.extractor import make_draft
from ingest.extract.local.ledger_features import WIDTH, settings
from tests.ingest.extracting import artifact_of


def rows(content: str, **fields: str) -> NDArray[np.float32]:
    """Return the settings of the sentences of a document."""
    draft = make_draft(artifact_of(content, **fields))
    return draft.sentences(draft.asked())[1]


def test_a_row_a_sentence_of_a_fixed_width() -> None:
    """The weights rest on it."""
    found = rows("We met in the hall. The fence is up.\n\n- [ ] Ann calls the mayor\n", context="meeting")
    assert found.shape == (3, WIDTH)
    assert settings([], [], "meeting").shape == (0, WIDTH)


def test_the_same_words_elsewhere_have_another_setting() -> None:
    """Kind of document, heading, neighbour and speaker all count."""
    plain = rows("It was a long day.\n\nThe blue one.\n", context="note")[1]
    others = [
        rows("It was a long day.\n\nThe blue one.\n", context="chat")[1],
        rows("It was a long day.\n\n## Risks\n\nThe blue one.\n", context="note")[1],
        rows("Was it a long day?\n\nThe blue one.\n", context="note")[1],
        rows("It was a long day.\n\n- The blue one.\n", context="note")[1],
        rows("We decided to stay.\n\nThe blue one.\n", context="note")[1],
    ]
    assert all((plain != other).any() for other in others)
