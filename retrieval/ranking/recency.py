"""Recency: of short texts that say different things about the same, the newer comes before the older.

Age counts for nothing else. The items of a time that a question names are found by that alone, and come first where
nothing else is asked for.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Final

from core.dates import day_bound
from core.filters import Filters
from core.knowledge.findings import Event, are_decisions_closed
from core.records import Artifact
from core.search import Candidate
from graph.store import Store
from graph.text.tokens import words
from retrieval.ranking.fusion import Ranked
from retrieval.scoring.candidate_pool import Pool
from retrieval.scoring.changes import LONGEST, Said, contradicts, differs_in_value, share_a_topic
from retrieval.scoring.query_analysis import Days, find_periods_in_query, periods_overlap, words_outside_periods

#: Items of each time that are candidates: where nothing else is asked for, and where words are.
_MOST, _MOST_BESIDE_WORDS = 100, 20
#: Times of a question that items are looked up for, and the years in which one without a year is looked for.
_TIMES, _YEARS = 8, 6


@dataclass(frozen=True, slots=True)
class Period:
    """What a question asks of a time."""

    times: Sequence[Days]
    #: Its words other than the times; none if any item of the time answers, or any by the author that it names.
    words: Sequence[str]
    #: The newest items of these times, those with a date of their own first.
    items: Sequence[Artifact]

    @classmethod
    def of(cls, store: Store, project_id: str, query: str, filters: Filters, today: date) -> "Period":
        """Read a question, and look up the items of its times that pass."""
        times = find_periods_in_query(query, today, range(max(1, today.year - _YEARS + 1), today.year + 1))
        beside = words_outside_periods(query) if times else []
        most = _MOST_BESIDE_WORDS if beside else _MOST
        found: dict[str, Artifact] = {}
        for days in times[-_TIMES:]:
            narrowed = replace(
                filters,
                date_from=filters.date_from or day_bound(days[0], end=False),
                date_to=filters.date_to or day_bound(days[1], end=True),
            )
            found |= {item.id: item for item in store.newest(project_id, narrowed, most)}
        items = [item for item in found.values() if _is_in(item.happened_at.date(), times)]
        items.sort(key=lambda item: item.happened_at, reverse=True)
        items.sort(key=lambda item: item.memory.moment() is None)
        by = [item for item in items if beside and set(words(item.memory.author or "")).issuperset(beside)]
        return cls(times, [] if by else beside, by or items)

    def put_period_first(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """Return the same artifacts; if the question asks for nothing but a time, the artifacts of that time come
        first."""
        if not self.items or self.words:
            return list(ranked)
        places = {item.id: place for place, item in enumerate(self.items)}
        own = sorted((one for one in ranked if one.artifact_id in places), key=lambda one: places[one.artifact_id])
        highest = max((one.score for one in ranked), default=0.0)
        return [
            *(one._replace(score=highest) for one in own),
            *(one for one in ranked if one.artifact_id not in places),
        ]

    def rows(self, pool: Pool, rows: Collection[int]) -> list[int]:
        """Return the rows whose items are of the time."""
        return [row for row in rows if _is_in(pool.candidates[row].happened_at.date(), self.times)]


def _is_in(day: date, times: Sequence[Days]) -> bool:
    return any(periods_overlap(days, (day, day)) for days in times)


#: How many of the first results are compared.
_FIRST: Final = 20
#: How much lower the newer may score, in standard deviations, where it has another value in nearly the same words, and
#: where it says that something changed or a decision was superseded. What cannot hold together with the older comes
#: first in any case.
_MARGIN_ALIKE, _MARGIN_CHANGED = 1.0, 3.0


@dataclass(frozen=True, slots=True)
class Newer:
    """Puts the newer text first. Used for one question.

    `asked` are the stems of the question's words. `read` returns artifacts by id; it is asked only where two texts are
    of one moment.
    """

    asked: Collection[str]
    read: Callable[[list[str]], Mapping[str, Artifact]]
    #: Returns the events of artifacts; asked only where an older text comes before a newer one about the same.
    events: Callable[[list[str]], Mapping[str, Sequence[Event]]]
    _over: dict[str, bool] = field(default_factory=dict)

    def put_newer_first(self, ranked: Sequence[Ranked], candidates: Mapping[str, Candidate]) -> list[Ranked]:
        """Return the same artifacts, each newer text before the first one that it says otherwise than.

        `candidates` has the artifacts with a single chunk, by id. The order of all others stays.
        """
        ordered = list(ranked)
        said = {
            item.artifact_id: Said.of(one.text)
            for item in ordered[:_FIRST]
            if (one := candidates.get(item.artifact_id)) is not None and _is_short(one)
        }
        place = 0
        while place < min(_FIRST, len(ordered)):
            found = self._newest(ordered, place, said, candidates)
            if found is None:
                place += 1
                continue
            ordered.insert(place, ordered.pop(found)._replace(score=ordered[place].score))
        return ordered

    def _newest(
        self, ordered: Sequence[Ranked], place: int, said: Mapping[str, Said], candidates: Mapping[str, Candidate]
    ) -> int | None:
        """Return where the newest text is that comes after the one at `place` and belongs before it."""
        older = ordered[place]
        if older.artifact_id not in said:
            return None
        best: int | None = None
        for at, item in enumerate(ordered[place + 1 : _FIRST], place + 1):
            if item.artifact_id not in said:
                continue
            if self._says_otherwise(item, older, said) and self._is_newer(
                item, older if best is None else ordered[best], candidates
            ):
                best = at
        return best

    def _says_otherwise(self, item: Ranked, older: Ranked, said: Mapping[str, Said]) -> bool:
        behind = older.score - item.score
        one, other = said[item.artifact_id], said[older.artifact_id]
        if contradicts(one, other, self.asked):
            return True
        if behind <= (_MARGIN_CHANGED if one.changes else _MARGIN_ALIKE) and differs_in_value(one, other, self.asked):
            return True
        return behind <= _MARGIN_CHANGED and share_a_topic(one, other) and self._is_superseded(item, older, list(said))

    def _is_superseded(self, item: Ranked, older: Ranked, ids: list[str]) -> bool:
        """Whether the decisions of the older item no longer hold, and the decisions of the newer one do."""
        if not self._over:
            found = self.events(ids)
            self._over.update({id_: are_decisions_closed(found.get(id_, ())) for id_ in ids})
        return self._over[older.artifact_id] and not self._over[item.artifact_id]

    def _is_newer(self, one: Ranked, other: Ranked, candidates: Mapping[str, Candidate]) -> bool:
        moments = [candidates[item.artifact_id].happened_at for item in (one, other)]
        if moments[0] != moments[1]:
            return moments[0] > moments[1]
        stored = self.read([one.artifact_id, other.artifact_id])
        return _stored(stored, one.artifact_id) > _stored(stored, other.artifact_id)


def _is_short(candidate: Candidate) -> bool:
    return candidate.num_chunks == 1 and candidate.turn_index is None and len(candidate.text) <= LONGEST


def _stored(artifacts: Mapping[str, Artifact], id_: str) -> tuple[datetime, ...]:
    return (artifacts[id_].created_at,) if id_ in artifacts else ()
