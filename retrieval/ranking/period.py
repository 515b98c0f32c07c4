"""Period: the items of a time that a question names, found by that alone, and first where nothing else is asked for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from core.dates import day_bound
from core.filters import Filters
from core.records import Artifact
from graph.store import Store
from retrieval.ranking.fusion import Ranked
from retrieval.scoring.candidate_pool import Pool
from retrieval.scoring.periods import Days, find_periods_in_query, periods_overlap, words_outside_periods

#: Items of each time that are candidates: where nothing else is asked for, and where words are.
_MOST, _MOST_BESIDE_WORDS = 100, 20
#: Times of a question that items are looked up for, and the years in which one without a year is looked for.
_TIMES, _YEARS = 8, 6


@dataclass(frozen=True, slots=True)
class Period:
    """What a question asks of a time."""

    times: Sequence[Days]
    #: Its words other than the times; none if any item of the time answers.
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
        return cls(times, beside, items)

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
