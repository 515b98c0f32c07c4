"""Conversations in an answer: the turn that answers with those that its words need, and mentions in order of time.

A question needs its answer, an answer its question, and what begins with "it" or "the other" the turn before. Turns
that also match join their neighbour instead of taking a row of their own.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, pairwise
from operator import itemgetter
from typing import Final

from core.dates import to_local_text
from core.filters import Filters
from core.interface.results import Result, to_json
from core.records import Artifact
from graph.store import Store
from retrieval.answers.views import make_result, make_result_turn
from retrieval.models.tokenizer import estimate_model_tokens
from retrieval.ranking.fusion import Ranked
from retrieval.scoring.turns import SESSION, ends_in_question, only_asks
from retrieval.shapes.brief_form import abbreviate_result

#: How many of the best results get the turns that their words need.
_EXPLAINED: Final = 2
#: How far behind the page turns are looked for that join a result: where one thing is asked for, and where several.
_DEPTH, _DEPTH_OF_SEVERAL = 16, 26
#: Places between turns that are shown as one result, and between a result and a further match that joins it.
_NEAR, _JOINS = 1, 1
#: Numbers of turns from which on they are times: those of chats, in milliseconds.
_TIMES: Final = 1_000_000_000
_DAY: Final = len("2026-01-01")
#: What a result takes besides its words, a turn within it, and what is not a result, in tokens.
_ROW, _LINE, _REST = 95, 10, 140
#: Longest text that refers to the turn before because it is so short, in words.
_SHORT: Final = 5
_REFERS_BACK: Final = re.compile(
    r"(?:(?:oh|yeah|yes|yep|no|nope|well|and|so|wow|thanks|haha|sure)\b[\s,.!]*)*"
    r"(?:it|they|them|he|she|that|those|these|this|there|same|the (?:other|second|first|latter|former|one)s?|one)\b",
    re.IGNORECASE,
)
_ANNOUNCES: Final = re.compile(
    r"\b(?:two|three|four|five|several|a few|a couple|some|guess what|listen|here(?:['’]s| is| are))\b[^.?!]*[.:!]?\s*$"
    r"|:\s*$",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(
    r"(?:and|also|plus|the (?:other|second|next|last|latter)|another|one (?:is|was|of)|first(?:ly)?|"
    r"it(?:['’]s)?|they(?:['’]re)?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Results with their turns, how many of the page they stand for, and every artifact that they show."""

    results: list[Result]
    consumed: int
    artifacts: dict[str, Artifact]


@dataclass(frozen=True, slots=True)
class Conversations:
    """Shows the turns of one search. `filters` decide which turns may be shown around a result.

    `places` has the conversation of turns and where they are in it; others are where their number says.
    """

    store: Store
    project_id: str
    filters: Filters
    places: Mapping[str, tuple[str, int]]

    def explain(self, results: Sequence[Result], artifacts: Mapping[str, Artifact]) -> list[Result]:
        """Return the results, each of the first few turns with the turns that its words need."""
        turns = _Turns.of((artifacts[result.id] for result in results), self.places)
        needed = self._needed(results, turns)
        return [
            _with_turns(result, [turns[id_] for id_ in sorted({result.id, *others}, key=turns.order)])
            if (others := needed.get(result.id))
            else result
            for result in results
        ]

    def gather(
        self,
        results: Sequence[Result],
        artifacts: Mapping[str, Artifact],
        further: Sequence[Ranked],
        *,
        several: bool,
        tokens: int,
    ) -> Gathered:
        """Return the results with neighbouring turns as one result, and with further matches, in about `tokens`.

        Where several mentions are asked for, the turns of a day are one result. There are no more results than were
        given. Each has the place of its best turn, and the id of the best that does not only ask. The last ones are
        left out if there is no room for them.
        """
        turns = _Turns.of((artifacts[result.id] for result in results), self.places)
        needed = {} if several else self._needed(results, turns)
        ranked = {item.artifact_id: item.score for item in further[: _DEPTH_OF_SEVERAL if several else _DEPTH]}
        beside = ranked if several else self._around(turns, ranked)
        unread = [id_ for id_ in beside if id_ in self.places and id_ not in turns]
        turns.learn(self.store.get(self.project_id, unread).values() if unread else ())
        chosen = _Chosen(turns, len(results), tokens - _REST, several=several)
        consumed = chosen.add_page(results)
        for id_ in chain.from_iterable(needed.values()):
            chosen.add(id_)
        for id_ in ranked:
            if several or chosen.is_near(id_):
                chosen.add(id_)
        places = {id_: place for place, id_ in enumerate(dict.fromkeys([*(one.id for one in results), *ranked]))}
        own = {result.id: result for result in results}
        shown = [(places[result.id], result) for result in results[:consumed] if result.id not in turns]
        for row in chosen.rows():
            best = min(row, key=lambda id_: places.get(id_, len(places)))
            told = (id_ for id_ in row if id_ in own and not only_asks(turns[id_].memory.content))
            lead = min(told, key=places.__getitem__, default=best)
            result = own.get(lead) or make_result(turns[lead], score=ranked.get(lead, results[-1].score))
            if len(row) > 1:  # each line says who speaks
                facts = {name: value for name, value in result.metadata.items() if name != "author"}
                result = replace(result, metadata=facts)
            shown.append((places.get(best, len(places)), _with_turns(result, [turns[id_] for id_ in row])))
        found = [result for _, result in sorted(shown, key=itemgetter(0))]
        return Gathered(found, consumed, {**artifacts, **turns.known})

    def _around(self, turns: "_Turns", ids: Iterable[str]) -> set[str]:
        """Return those of these turns that are beside a known one, or beside one that is."""
        known, found = {turns.place(id_) for id_ in turns.known}, set[str]()
        left = {id_: self.places[id_] for id_ in ids if id_ in self.places}
        while near := [id_ for id_, (talk, at) in left.items() if not known.isdisjoint(_places_beside(talk, at))]:
            found.update(near)
            known.update(left.pop(id_) for id_ in near)
        return found

    def _needed(self, results: Sequence[Result], turns: "_Turns") -> dict[str, list[str]]:
        """Return the turns that each of the first results needs, by its id; they are added to `turns`."""
        leads = [result.id for result in results if result.id in turns][:_EXPLAINED]
        if not leads:
            return {}
        around = self.store.nearby_turns(self.project_id, leads, 1, self.filters.visibility())
        turns.learn_around(leads, self.store.get(self.project_id, around))
        return {id_: list(turns.needed(id_)) for id_ in leads}


class _Turns:
    """Turns of conversations, by id and by place."""

    def __init__(self, places: Mapping[str, tuple[str, int]]) -> None:
        self.known: dict[str, Artifact] = {}
        self._places = {id_: place for id_, (_, place) in places.items()}
        self._ids: dict[tuple[str, int], str] = {}

    @classmethod
    def of(cls, artifacts: Iterable[Artifact], places: Mapping[str, tuple[str, int]]) -> "_Turns":
        turns = cls(places)
        turns.learn(artifacts)
        return turns

    def learn(self, artifacts: Iterable[Artifact]) -> None:
        """Add those of the artifacts that have a place in a conversation."""
        for one in artifacts:
            memory = one.memory
            if memory.is_turn and memory.conversation_id is not None and memory.turn_index is not None:
                self.known[one.id] = one
                self._ids[self.place(one.id)] = one.id

    def learn_around(self, leads: Sequence[str], near: Mapping[str, Artifact]) -> None:
        """Add the turns right before and after some known ones."""
        order = sorted({**near, **{id_: self.known[id_] for id_ in leads}}.values(), key=_in_order)
        for before, after in pairwise(order):
            if before.memory.conversation_id == after.memory.conversation_id:
                if before.id in leads:
                    self._places.setdefault(after.id, self.place(before.id)[1] + 1)
                elif after.id in leads:
                    self._places.setdefault(before.id, self.place(after.id)[1] - 1)
        self.learn(near.values())

    def __contains__(self, id_: str) -> bool:
        return id_ in self.known

    def __len__(self) -> int:
        return len(self.known)

    def __getitem__(self, id_: str) -> Artifact:
        return self.known[id_]

    def place(self, id_: str) -> tuple[str, int]:
        """Return the conversation of a turn and where it is in it."""
        memory = self.known[id_].memory
        return memory.conversation_id or "", self._places.get(id_, memory.turn_index or 0)

    def order(self, id_: str) -> tuple[str, int, str]:
        """Return what turns are sorted by."""
        return _in_order(self.known[id_])

    def at(self, id_: str, step: int) -> Artifact | None:
        """Return the turn so many places on, if it is known and of the same session."""
        talk, index = self.place(id_)
        other = self._ids.get((talk, index + step))
        return None if other is None or not self.is_one_session(id_, other) else self.known[other]

    def is_one_session(self, one: str, other: str) -> bool:
        """Whether two turns were said in one sitting."""
        return abs(self.known[other].happened_at - self.known[one].happened_at) <= SESSION

    def needed(self, id_: str) -> Iterator[str]:
        """Yield the turns before and after that the words of this one need."""
        own = self.known[id_].memory.content
        before, after = self.at(id_, -1), self.at(id_, 1)
        if before is not None and (_refers_back(own) or _answers(before.memory.content, own)):
            yield before.id
        if after is not None and (
            ends_in_question(own) or _ANNOUNCES.search(own) or _GOES_ON.match(after.memory.content)
        ):
            yield after.id


def _places_beside(talk: str, at: int) -> Iterator[tuple[str, int]]:
    return ((talk, at + step) for step in range(-_JOINS, _JOINS + 1))


def _refers_back(text: str) -> bool:
    return _REFERS_BACK.match(text) is not None or len(text.split()) <= _SHORT


def _answers(before: str, text: str) -> bool:
    return ends_in_question(before) and not ends_in_question(text)


@dataclass(slots=True)
class _Chosen:
    """The turns of an answer, chosen one after another as long as rows and tokens are left."""

    turns: _Turns
    limit: int
    tokens: int
    several: bool
    ids: set[str] = field(default_factory=set)
    others: int = 0
    spent: int = 0

    def add_page(self, results: Sequence[Result]) -> int:
        """Add the results in order while there is room, at least one; return how many were added."""
        for number, result in enumerate(results):
            if result.id in self.turns:
                added = self.add(result.id, at_all_costs=not number)
            else:
                cost = row_cost(result) - _ROW
                added = not number or self._fits(self.ids, cost, self.others + 1)
                self.others, self.spent = self.others + added, self.spent + cost * added
            if not added:
                return number
        return len(results)

    def add(self, id_: str, *, at_all_costs: bool = False) -> bool:
        """Add a turn if it is one and there is room for it; return whether it is there."""
        if id_ not in self.turns or id_ in self.ids:
            return id_ in self.ids
        cost, joined = _LINE + estimate_model_tokens(self.turns[id_].memory.content), {*self.ids, id_}
        if not at_all_costs and not self._fits(joined, cost, self.others):
            return False
        self.ids, self.spent = joined, self.spent + cost
        return True

    def _fits(self, ids: set[str], cost: int, others: int) -> bool:
        rows = len(self._rows(ids)) + others
        return rows <= self.limit and self.spent + cost + _ROW * rows <= self.tokens

    def is_near(self, id_: str) -> bool:
        """Whether a chosen turn is a step or two away."""
        steps = (step for step in range(-_JOINS, _JOINS + 1) if step)
        return id_ in self.turns and any((one := self.turns.at(id_, step)) and one.id in self.ids for step in steps)

    def rows(self) -> list[list[str]]:
        """Return the turns of each result in order."""
        return self._rows(self.ids)

    def _rows(self, ids: set[str]) -> list[list[str]]:
        rows: list[list[str]] = []
        for id_ in sorted(ids, key=self.turns.order):
            if rows and self._belong(rows[-1][-1], id_):
                rows[-1].append(id_)
            else:
                rows.append([id_])
        return rows

    def _belong(self, one: str, other: str) -> bool:
        (talk, first), (other_talk, second) = self.turns.place(one), self.turns.place(other)
        return (
            talk == other_talk and (self.several or second - first <= _NEAR) and self.turns.is_one_session(one, other)
        )


def row_cost(result: Result) -> int:
    """Return how many tokens a result takes as it is sent, without its events."""
    brief = abbreviate_result(replace(result, events=None))
    return estimate_model_tokens(json.dumps(to_json(brief, "brief"), ensure_ascii=False))


def _with_turns(result: Result, turns: Sequence[Artifact]) -> Result:
    """Return a result with several turns: their text in order, each with its number and speaker."""
    if len(turns) < 2:
        return result
    lines = [make_result_turn(turn) for turn in turns]
    text = "\n".join(f"{_number(turn)}{line.author}: {line.content}" for turn, line in zip(turns, lines, strict=True))
    return replace(result, content=text, chunk=None, turns=lines)


def _in_order(turn: Artifact) -> tuple[str, int, str]:
    return turn.memory.conversation_id or "", turn.memory.turn_index or 0, turn.id


def _number(turn: Artifact) -> str:
    """Return what a turn is numbered by: its number, or the time of day, if it is known, where numbers are times."""
    index, day = turn.memory.turn_index or 0, turn.memory.date or ""
    if index < _TIMES:
        return f"{index} "
    told = (turn.memory.metadata or {}).get("time") or (to_local_text(turn.happened_at)[11:] if len(day) > _DAY else "")
    return f"{str(told)[:5]} " if told else ""


def in_order_of_time(results: Sequence[Result], artifacts: Mapping[str, Artifact], least: float) -> list[Result]:
    """Return the mentions, short texts that score so much at least, by day, the last marked; then what is left.

    The mark is false if something later is left. If any mention is long the results stay as they are.
    """
    mentions = [result for result in results if result.score >= least]
    moments = {result.id: _moment(artifacts[result.id]) for result in mentions}
    if len({moment for moment, _ in moments.values()}) < 2 or any(artifacts[id_].num_chunks > 1 for id_ in moments):
        return list(results)
    *before, last = sorted(mentions, key=lambda result: moments[result.id])
    rest = [result for result in results if result.id not in moments]
    is_newest = all(_moment(artifacts[result.id]) <= moments[last.id] for result in rest)
    return [*before, replace(last, newest=is_newest), *rest]


def _moment(artifact: Artifact) -> tuple[datetime, int]:
    return artifact.happened_at, artifact.memory.turn_index or 0
