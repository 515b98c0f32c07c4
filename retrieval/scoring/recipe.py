"""The recipe of ranking: how much each step counts. Where each number is from: docs/decisions/ranking.md."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Weights of the steps; one is off at 0. Scores are in standard deviations, about."""

    #: The sources: BM25 of the question's words, cosine with its vector.
    words: float = 0.5
    meaning: float = 0.5
    #: The same among turns, where feedback adds words.
    turn_words: float = 0.8
    turn_meaning: float = 0.4
    #: How well the tokens of the question are met (late interaction) among documents; and among turns, and where turns
    #: are compared with documents.
    late: float = 0.75
    turn_late: float = 0.25
    #: Share that the words of the best turns have in the question they are asked with again (RM3).
    feedback: float = 0.5
    #: What the words of the turns around a turn count for it.
    context: float = 0.5
    #: A turn by an author that the question names, and that author's turns that are near in meaning once more.
    author: float = 1.2
    author_meaning: float = 0.1
    #: A turn after one that asks what the question asks, and a turn that asks something itself.
    answering: float = 1.2
    asking: float = -0.6
    #: A turn or chunk of a time that the question names, or one that speaks of it.
    date: float = 1.0
    #: Weight of a document's second best chunk relative to its best.
    second_chunk: float = 0.4
    #: Whether of short texts that say different things about the same the newer comes first.
    newer: bool = True
    #: Whether the shown chunk of a long document is chosen by what distinguishes it from the rest.
    passages: bool = True


#: The recipe that the service ranks by.
SHIPPED: Final = Recipe()
#: Nothing but the best chunk by words and vectors: what the steps are measured against.
FUSION: Final = Recipe(
    turn_words=0.5, turn_meaning=0.5, late=0, turn_late=0, feedback=0, context=0, author=0, author_meaning=0,
    answering=0, asking=0, date=0, second_chunk=0, newer=False, passages=False,
)  # fmt: skip
