"""Variants: the ways to answer that are set against what is shipped."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from evals.client import Answer, Passage
from service.app import App
from service.settings import Settings
from service.wiring import open_app

SHIPPED: Final = "as shipped"
#: How the service is opened for each way to answer, over one and the same memory.
OPENED: Final[Mapping[str, Callable[[Settings], App]]] = {SHIPPED: open_app}
#: The constant of reciprocal rank fusion that its authors found best.
_K: Final = 60


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
