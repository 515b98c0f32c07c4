"""A `BaseStore` of LangGraph whose values are items of a memory: durable, searched by words and meaning.

    with remembrancer.open() as memory:
        graph = builder.compile(store=RemembrancerStore(memory))

It needs the extra `langgraph`.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from core.interface.results import Result
from remembrancer._adapters import find_tagged, make_tag, payload
from remembrancer._memory import Memory

_NAME: Final = "langgraph"
_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": eq,
    "$ne": ne,
    "$gt": gt,
    "$gte": ge,
    "$lt": lt,
    "$lte": le,
}


class RemembrancerStore(BaseStore):
    """Keeps each value as an item, whose text is what `index` names, else all texts of the value.

    A value that is replaced stays as a revision of its item. Values do not expire.
    """

    supports_ttl = False

    def __init__(self, memory: Memory) -> None:
        """Use a memory, which stays the caller's to close."""
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Any]:
        """Answer what is asked, then store what is put: of several values under one key, the last."""
        results: list[Any] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            elif isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._list(op))
            else:
                raise ValueError(f"The operation {type(op).__name__} is unknown.")
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Any]:
        """Do the same in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _found(self, namespace: tuple[str, ...], key: str) -> Result | None:
        return next(find_tagged(self._memory, make_tag("langgraph-item", *namespace, key)), None)

    def _get(self, op: GetOp) -> Item | None:
        found = self._found(op.namespace, op.key)
        return None if found is None else Item(**_fields(found))

    def _put(self, op: PutOp) -> None:
        if op.value is None:
            if (found := self._found(op.namespace, op.key)) is not None:
                self._memory.forget(found.id, confirm=True)
            return
        tags = [make_tag(_NAME, *op.namespace[:length]) for length in range(len(op.namespace) + 1)]
        self._memory.remember(
            "\n".join(_texts(op)) or json.dumps(op.value, ensure_ascii=False),
            context="document",
            source=_NAME,
            key=f"langgraph:{json.dumps([*op.namespace, op.key], ensure_ascii=False)}",
            tags=[*tags, make_tag("langgraph-item", *op.namespace, op.key)],
            metadata={_NAME: {"namespace": list(op.namespace), "key": op.key, "value": op.value}},
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        tag = make_tag(_NAME, *op.namespace_prefix)
        if op.query:
            limit = min(1_000, op.offset + op.limit) if not op.filter else 1_000
            answer = self._memory.recall(
                op.query, tags=[tag], limit=limit, detail="full", expand=False, include_entities=False
            )
            found: Iterator[Result] = iter(answer.results)
        else:
            found = find_tagged(self._memory, tag)
        fitting = (one for one in found if _passes(payload(one, _NAME)["value"], op.filter or {}))
        return [
            SearchItem(**_fields(one), score=one.score if op.query else None)
            for one in islice(fitting, op.offset, op.offset + op.limit)
        ]

    def _list(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        stored = (tuple(payload(one, _NAME)["namespace"]) for one in find_tagged(self._memory, make_tag(_NAME)))
        conditions = op.match_conditions or ()
        found = {
            namespace[: op.max_depth]
            for namespace in stored
            if all(_matches(condition, namespace) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _texts(op: PutOp) -> Iterator[str]:
    """Yield the texts of a value by which it is found."""
    if isinstance(op.index, list):
        for path in op.index:
            yield from get_text_at_path(op.value, path)
        return
    rest: list[object] = [op.value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            rest += reversed(list(one.values()))
        elif isinstance(one, list | tuple):
            rest += reversed(one)


def _fields(result: Result) -> dict[str, Any]:
    times = (datetime.fromisoformat(str(result.metadata[name])) for name in ("created_at", "updated_at"))
    kept = payload(result, _NAME)
    return {
        "value": kept["value"],
        "key": kept["key"],
        "namespace": tuple(kept["namespace"]),
        **dict(zip(("created_at", "updated_at"), times, strict=True)),
    }


def _passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a value has what a filter wants: equal fields, or fields that compare as its operators say."""
    for name, one in wanted.items():
        conditions = one if isinstance(one, dict) and any(key.startswith("$") for key in one) else {"$eq": one}
        for sign, other in conditions.items():
            if sign not in _COMPARE:
                raise ValueError(f"The operator {sign!r} is unknown: use {', '.join(_COMPARE)}.")
            try:
                if not _COMPARE[sign](value.get(name), other):
                    return False
            except TypeError:
                return False
    return True


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", there) for wanted, there in zip(path, part, strict=True))
