"""Variants of the service that are compared with the shipped one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from evals.client import Answer, Asking, Passage
from retrieval.scoring import recipe
from retrieval.scoring.recipe import FUSION, Recipe
from service.app import App
from service.settings import Settings
from service.wiring import open_app

SHIPPED: Final = "as shipped"
WORDS: Final = "words alone"
VECTORS: Final = "vectors alone"
#: Ways to rank, each made of the recipe that is shipped; the first is that recipe.
_RECIPES: Final[Mapping[str, Callable[[Recipe], Recipe]]] = {
    SHIPPED: lambda shipped: shipped,
    WORDS: lambda _: replace(FUSION, meaning=0),
    VECTORS: lambda _: replace(FUSION, words=0),
    "words and vectors, no further step": lambda _: FUSION,
    "without words": lambda shipped: replace(shipped, words=0),
    "without vectors": lambda shipped: replace(shipped, meaning=0),
    "without late interaction": lambda shipped: replace(shipped, late=0, turn_late=0),
    "without feedback": lambda shipped: replace(shipped, feedback=0),
    "without the turns around": lambda shipped: replace(shipped, context=0),
    "without the author named": lambda shipped: replace(shipped, author=0, author_meaning=0),
    "without question and answer": lambda shipped: replace(shipped, answering=0, asking=0),
    "without dates": lambda shipped: replace(shipped, date=0),
    "without the second chunk": lambda shipped: replace(shipped, second_chunk=0),
    "without the choice of passage": lambda shipped: replace(shipped, passages=False),
}
#: How the service is opened for each way to answer, over one and the same memory.
OPENED: Final[Mapping[str, Callable[[Settings], App]]] = {
    name: partial(open_app, recipe=change(recipe.SHIPPED)) for name, change in _RECIPES.items()
}
#: Ways that are made of the answers of others, where those were asked for.
FUSED: Final[Mapping[str, tuple[str, ...]]] = {"reciprocal rank fusion": (WORDS, VECTORS)}
#: Results of a list that is fused: what one source ranks low, the other may lift.
_DEPTH: Final = 100
#: The constant of reciprocal rank fusion that its authors found best.
_K: Final = 60


def askings_of(variant: str, askings: Sequence[Asking]) -> list[Asking]:
    """Return the calls of `recall` to make of a variant: deeper ones where its answers are fused with others."""
    parts = {part for several in FUSED.values() for part in several}
    return [replace(asking, limit=max(asking.limit, _DEPTH)) if variant in parts else asking for asking in askings]


def with_fused(answers: Mapping[str, list[Answer]], askings: Sequence[Asking]) -> dict[str, list[Answer]]:
    """Return the answers of all variants with those that are made of them, in the depth of `askings`."""
    made = {
        name: [
            fused(lists, asking.limit)
            for *lists, asking in zip(*(answers[part] for part in parts), askings, strict=True)
        ]
        for name, parts in FUSED.items()
        if all(part in answers for part in parts)
    }
    return {**answers, **made}


def fused(lists: Sequence[Answer], limit: int) -> Answer:
    """Return the first `limit` items by the sum of `1 / (60 + place)` over the lists, ties in the order of the lists.

    An item's passage is that of the list that has it highest. Cormack, Clarke & Büttcher, SIGIR 2009.
    """
    score: dict[str, float] = {}
    best: dict[str, tuple[int, Passage]] = {}
    for answer in lists:
        for place, passage in enumerate(answer.results, start=1):
            identity = passage.artifact_id
            score[identity] = score.get(identity, 0.0) + 1 / (_K + place)
            if identity not in best or place < best[identity][0]:
                best[identity] = (place, passage)
    ranked = sorted(score, key=lambda identity: -score[identity])[:limit]
    return Answer(tuple(best[identity][1] for identity in ranked))
