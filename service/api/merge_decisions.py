"""Judgements: pairs that may be the same, and what people say of them."""

from dataclasses import dataclass, field
from typing import Final

from core.interface.learning.merge_request import MergeAction, MergeRequest
from core.knowledge.findings import Entity
from core.records import ALWAYS
from retrieval.browsing.details import Pairs, list_open_pairs
from service.api import requests
from service.api.operation import Operation
from service.app import App

_KINDS: Final[dict[str, MergeAction]] = {"same": "accept", "different": "reject", "undo": "undo"}


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision about a pair, whether it changed anything, and the entities as they are now."""

    a: str
    b: str
    verdict: str
    changed: bool
    entities: list[Entity] = field(default_factory=list, metadata=ALWAYS)


def judgement_operations(app: App) -> list[Operation]:
    """Return the operations of `/api/review`."""

    def review(asked: requests.Review) -> Pairs:
        return list_open_pairs(app.store, asked.project, asked.limit, asked.offset)

    def judge(asked: requests.Judge) -> Judged:
        request = MergeRequest(kind=_KINDS[asked.verdict], one=asked.a, other=asked.b, note=asked.note)
        ruled = app.apply_merge_request(request, asked.project)
        return Judged(asked.a, asked.b, asked.verdict, ruled.changed, ruled.entities)

    path = "/api/review"
    return [
        Operation("GET", path, "List pairs that may be the same", requests.Review, Pairs, review),
        Operation("POST", path, "Judge a pair", requests.Judge, Judged, judge, writes=True),
    ]
