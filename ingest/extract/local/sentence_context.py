"""The setting of a sentence, as numbers: its position in the document, its neighbours, and what rules found."""

from collections.abc import Sequence
from typing import Final, get_args

import numpy as np

from core.embedding import Matrix
from core.knowledge.findings import CATEGORIES
from ingest.document.headings import Section
from ingest.document.structure import SPOKEN, Passage
from ingest.extract.local.classifier.transformer_layer import after, before
from ingest.extract.local.speech_acts.acts import EXPLICIT, STRONG, Act, is_question

#: A sentence and what rules say that it does.
Said = tuple[Passage, list[Act]]

KINDS: Final = ("prose", "bullet", "task", "done", "row", "cell")
SECTIONS: Final = get_args(Section)
#: Other contexts are like none of these.
_CONTEXTS: Final = (
    "meeting", "email", "document", "chat", "transcript", "note", "decision", "conversation", "project", "task",
    "reference",
)  # fmt: skip
#: Words up to which a sentence is an answer rather than a statement.
_SHORT: Final = 5
_LENGTHS: Final = (2, _SHORT, 9, 19, 29)
#: The first and the last part of a document.
_EDGE: Final = 0.1


def settings(said: Sequence[Said], texts: Sequence[str], context: str) -> Matrix:
    """Return a row a sentence of one document, in order; `texts` are the words of each. Numbers are mostly 0 or 1.

    Headings, labels of speakers and lines of a head are no sentences.
    """
    if not said:
        return np.zeros((0, WIDTH), np.float32)
    return np.hstack([_form(said, texts, context), _place(said), _talk(said, texts), _told(said, context)])


def _form(said: Sequence[Said], texts: Sequence[str], context: str) -> Matrix:
    """What it is, by its document, its section and its length."""
    passages = [passage for passage, _ in said]
    flags = [(passage.later, passage.first, passage.day is not None, bool(passage.heading)) for passage in passages]
    words = np.array([len(text.split()) for text in texts])[:, None]
    return np.hstack([
        one_of([passage.kind for passage in passages], KINDS),
        one_of([passage.section or "" for passage in passages], SECTIONS),
        one_of([context] * len(said), _CONTEXTS),
        np.array(flags, np.float32),
        (words <= np.array(_LENGTHS)).astype(np.float32),
    ])  # fmt: skip


def _place(said: Sequence[Said]) -> Matrix:
    """Where it stands in its document, and how long that is."""
    size = len(said)
    place = np.arange(size, dtype=np.float32) / max(1, size - 1)
    length = np.full(size, np.log(size) / 4, np.float32)
    spoken = np.full(size, np.mean([passage.speaker is not None for passage, _ in said]), np.float32)
    return np.stack([place, place < _EDGE, place > 1 - _EDGE, length, spoken], axis=1).astype(np.float32)


def _talk(said: Sequence[Said], texts: Sequence[str]) -> Matrix:
    """Who speaks, what was asked before and is asked next, and whether it may answer that."""
    speakers = [passage.speaker for passage, _ in said]
    asks = np.array([is_question(text) for text in texts], np.float32)[:, None]
    short = np.array([len(text.split()) <= _SHORT for text in texts], np.float32)[:, None]
    named = np.array([speaker is not None for speaker in speakers], np.float32)[:, None]
    goes_on = np.array([at > 0 and speakers[at - 1] == each for at, each in enumerate(speakers)], np.float32)[:, None]
    asked = before(asks)
    answers = asked * (1 - goes_on)
    return np.hstack([asks, named, goes_on, asked, after(asks), answers, short * asked, before(answers), short * named])


def _told(said: Sequence[Said], context: str) -> Matrix:
    """What rules say that it and its neighbours do."""
    sure = np.zeros((len(said), len(CATEGORIES)), np.float32)
    for row, (_, done) in zip(sure, said, strict=True):
        for act in done:
            at = CATEGORIES.index(act.category)
            row[at] = max(row[at], act.confidence)
    told = (sure > 0).astype(np.float32)
    spoken = np.array([context in SPOKEN or passage.speaker is not None for passage, _ in said], np.float32)[:, None]
    some, several = told.any(axis=1, keepdims=True), told.sum(axis=1, keepdims=True) > 1
    return np.hstack([
        told, sure >= STRONG, sure >= EXPLICIT, told * spoken, before(told), after(told), some, several,
    ]).astype(np.float32)  # fmt: skip


def one_of(values: Sequence[str], known: Sequence[str]) -> Matrix:
    """Return a row a value, with 1 in the column of the known value that it is, if it is one."""
    return np.array([[value == each for each in known] for value in values], np.float32)


#: How many numbers a row has.
WIDTH: Final = len(KINDS) + len(SECTIONS) + len(_CONTEXTS) + 4 + len(_LENGTHS) + 5 + 9 + 6 * len(CATEGORIES) + 2
