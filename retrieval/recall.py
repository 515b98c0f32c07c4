"""Recall: the order of steps from a question to its answer."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Final

from core.errors import Conflict, Unavailable
from core.filters import Filters
from core.interface.question import BRIEF_TOKENS, Question
from core.interface.results import (
    UNLIKELY,
    EventView,
    Neighbor,
    Recall,
    RelatedEvent,
    Result,
    describe_unread_languages,
)
from core.knowledge.findings import Event, Span
from core.knowledge.ledger import num_held_back, shown_events
from core.records import Artifact, Chunk, containing_chunk
from core.search import Tokenizer
from graph.store import Store
from retrieval.answers import views
from retrieval.answers.conversations import Conversations, Gathered, in_order_of_time
from retrieval.answers.expansion import Reach, expand
from retrieval.answers.ledger_results import find_ledger_events
from retrieval.answers.lookup import look_up
from retrieval.answers.record_outage import answer_from_index
from retrieval.ranking.ranker import EXACT_SCORE, Ranker, Ranking, chunk_refs_of, second_chunk_refs_of
from retrieval.ranking.reranking import FIRST, Reranking
from retrieval.ranking.sources import find_former_texts, merge_page
from retrieval.scoring.query_analysis import asks_for_newest
from retrieval.scoring.question_forms import asks_for_mentions, asks_to_compare, ledger_question
from retrieval.shapes.brief_form import Focus
from retrieval.shapes.recall_shape import shape_recall

_log = logging.getLogger("remembrancer.recall")

#: Results whose events the graph is expanded from.
_SEED_RESULTS: Final = 5
#: Events of one result that it is expanded from.
_SEED_EVENTS: Final = 10
#: Events of one result, and entities of all of them, among which the most relevant are shown.
_EVENTS_PER_RESULT: Final = 40
_MAX_ENTITIES: Final = 100
#: How many results a brief answer always shows, and how far behind the best others may be, in standard deviations.
_ALWAYS, _FAR_BEHIND = 5, 3.5
#: How far behind the best, or at what part of its score, a mention is still one of what was asked for.
_MENTION, _PART = 1.0, 0.5
#: Keys that an empty answer names.
_HINTED_KEYS: Final = 5


@dataclass(frozen=True, slots=True)
class Found:
    """A page of a ranking, read: the results, and the items that they show."""

    ranking: Ranking
    artifacts: dict[str, Artifact]
    results: list[Result]
    #: Where another passage of an item is that is shown with the best.
    seconds: dict[str, Span]


@dataclass(frozen=True, slots=True)
class Recaller:
    """Answers questions from one store. Safe to call from several threads."""

    store: Store
    ranker: Ranker
    tokenizer: Tokenizer
    #: Reranks the first of each ranking; None if the user brought no reranker.
    reranking: Reranking | None = None

    def recall(self, question: Question, project_id: str) -> Recall:
        """Answer by id, else a whole conversation, else by search, else by list: the first that the question names.

        A search is answered from the vector index alone while the record does not answer.

        Raises:
            NotFound: nothing is stored under the id.
            Unavailable: the record does not answer, and for a search neither do the vectors.
        """
        try:
            answer = self._answer(question, project_id, question.filters())
        except Unavailable as away:
            answer = self._without_record(question, project_id, away)
        return shape_recall(answer, question)

    def _answer(self, question: Question, project_id: str, filters: Filters) -> Recall:
        if question.id is not None:
            return look_up(self.store, project_id, question.id, question, filters)
        if question.query is not None:
            return self._search(question, project_id, question.query, filters)
        if question.conversation_id is not None:
            return self._conversation(question, project_id, question.conversation_id, filters)
        return self._list(question, project_id, filters)

    def _without_record(self, question: Question, project_id: str, away: Unavailable) -> Recall:
        """Answer a search from the vector index; pages after the first would not fit those ranked with the record."""
        if question.query is None or question.id is not None or question.offset:
            raise Unavailable(f"{away} Until then only a query without id or offset is answered.") from away
        return self.recall_from_index(project_id, question.query, question.filters(), question.limit, away)

    def recall_from_index(self, project_id: str, query: str, filters: Filters, limit: int, away: Unavailable) -> Recall:
        """Answer from the vector index alone, since the record is `away`.

        Raises:
            Unavailable: the vectors do not answer either.
        """
        _log.warning("Answering without the record: %s", away)
        try:
            return answer_from_index(self.ranker.vectors, project_id, query, filters, limit)
        except (Unavailable, Conflict) as error:
            raise Unavailable(f"Neither the record nor the vectors answer. Record: {away} Vectors: {error}") from error

    def find(self, project_id: str, query: str, filters: Filters, *, limit: int, offset: int = 0) -> Found:
        """Return a page of search results, without events, neighbours or entities.

        Raises:
            Unavailable: the record does not answer.
        """
        wanted = offset + limit
        ranking = self._ranking(project_id, query, filters, wanted, offset)
        page = ranking.ranked[offset:wanted]
        artifacts = self.store.get(project_id, [item.artifact_id for item in page])
        others = second_chunk_refs_of(page)
        in_parts = [one for one in page if one.artifact_id in artifacts and artifacts[one.artifact_id].num_chunks > 1]
        chunks = self._chunks(project_id, [*chunk_refs_of(in_parts), *others]) if in_parts or others else {}
        results = [
            views.make_result(
                artifacts[item.artifact_id],
                score=item.score,
                chunk=chunks.get((item.artifact_id, item.index)),
                also=ranking.also.get(item.artifact_id),
            )
            for item in page
            if item.artifact_id in artifacts  # forgotten since it was ranked
        ]
        seconds = {place[0]: Span(one.start_char, one.end_char) for place in others if (one := chunks.get(place))}
        return Found(ranking, artifacts, results, seconds)

    def _chunks(self, project_id: str, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Chunk]:
        """Return the chunks at these places; instead of a restatement the chunk that contains its quote."""
        found = self.store.chunks_at(project_id, places)
        told = {place: chunk for place, chunk in found.items() if chunk.is_restatement}
        every = self.store.chunks(project_id, [id_ for id_, _ in told]) if told else {}
        for place, chunk in told.items():
            del found[place]
            if texts := every.get(chunk.artifact_id):  # else forgotten since
                found[place] = containing_chunk(texts, chunk.start_char, chunk.end_char)
        return found

    def _search(self, question: Question, project_id: str, query: str, filters: Filters) -> Recall:
        found = self.find(project_id, query, filters, limit=question.limit, offset=question.offset)
        ranking = found.ranking
        page = self._page(question, project_id, query, found, filters)
        answer = self._enriched(question, project_id, page.results, page.artifacts, filters, ranking)
        total = len(ranking.ranked)
        hint = None if found.results else self._nothing(project_id, filters, question.offset, total)
        if behind := len(found.results) - page.consumed:
            hint = f"{behind} results are further behind: offset={question.offset + page.consumed}."
        waiting = None if found.results else self._waiting(project_id)
        unread = self.store.unread_languages(project_id) if ledger_question(query) else {}
        return replace(
            answer,
            total_count=total,
            match_type="exact" if ranking.exact and not question.offset else "hybrid",
            degraded=ranking.degraded,
            answer_likelihood=self.likelihood(project_id, ranking),
            hint=" ".join(filter(None, (hint, waiting, ranking.hint, describe_unread_languages(unread)))) or None,
        )

    def _page(self, question: Question, project_id: str, query: str, found: Found, filters: Filters) -> Gathered:
        """Return what the answer shows of the results found: in full all of them, in brief as much as answers."""
        talks = Conversations(self.store, project_id, filters, found.ranking.turn_places)
        if question.detail == "full":
            return Gathered(talks.explain(found.results, found.artifacts), len(found.results), found.artifacts)
        several = asks_for_mentions(query) and not asks_for_newest(query)
        near = found.results if several else found.results[: _num_near(found.results)]
        tokens = question.allowance or BRIEF_TOKENS
        results = views.add_excerpts(near, found.artifacts, found.ranking.worth, tokens, found.seconds)
        if found.ranking.analysis is not None and not (question.offset or found.ranking.exact):
            analysis, least = found.ranking.analysis, question.min_confidence
            listed = find_ledger_events(self.store, project_id, analysis, filters, least)
            if listed:
                results, artifacts = self._ledger_first(project_id, listed, results, found.artifacts)
                results = results[: question.limit]
                found = replace(found, artifacts=artifacts)
                several = False
        last = question.offset + question.limit
        further = [] if question.offset else found.ranking.ranked[last:]
        page = talks.gather(results, found.artifacts, further, several=several, tokens=tokens)
        if not several or found.ranking.exact or asks_to_compare(query):
            return page
        best = max((result.score for result in page.results), default=0.0)
        lowest = min(best - _MENTION, best * _PART)
        return replace(page, results=in_order_of_time(page.results, page.artifacts, lowest))

    def _ledger_first(
        self,
        project_id: str,
        listed: Mapping[str, Sequence[Event]],
        results: Sequence[Result],
        artifacts: Mapping[str, Artifact],
    ) -> tuple[list[Result], dict[str, Artifact]]:
        """Return the items of these events with the sentences that they rest on, then the other results."""
        read = self.store.get(project_id, list(listed))
        highest = max((result.score for result in results), default=0.0)
        firsts = [
            views.make_ledger_result(read[id_], events, score=highest) for id_, events in listed.items() if id_ in read
        ]
        others = [result for result in results if result.id not in read]
        return [*firsts, *others], {**artifacts, **read}

    def _ranking(self, project_id: str, query: str, filters: Filters, wanted: int, skip: int) -> Ranking:
        """Return the ranking, its first in the reranker's order if there is one; exact matches stay first.

        Whatever page is asked for, the same ones are reranked, so that pages neither repeat nor skip one.
        """
        if self.reranking is None:
            return self.ranker.rank(project_id, query, filters, wanted, skip=skip)
        ranking = self.ranker.rank(project_id, query, filters, max(wanted, 2 * FIRST))
        named, ranked = ranking.ranked[: ranking.exact], ranking.ranked[ranking.exact :]
        chunks = self.store.chunks_at(project_id, chunk_refs_of(ranked[:FIRST]))
        done = self.reranking.apply(query, ranked, {place: chunk.indexed_text for place, chunk in chunks.items()})
        if done.error is None:
            return replace(ranking, ranked=named + done.ranked)
        hint = " ".join(filter(None, (ranking.hint, done.error)))
        return replace(ranking, degraded=[*ranking.degraded, "reranker"], hint=hint)

    def _list(self, question: Question, project_id: str, filters: Filters) -> Recall:
        former = find_former_texts(self.store, project_id, filters)
        if former.items or former.hidden:
            most = question.offset + question.limit + len(former.hidden)
            first = self.store.newest(project_id, filters, most)
            items = merge_page(first, former, question.limit, question.offset)
        else:
            items = self.store.newest(project_id, filters, question.limit, question.offset)
        firsts = self.store.chunks_at(project_id, [(item.id, 0) for item in items if item.num_chunks > 1])
        results = [views.make_result(item, score=0.0, chunk=firsts.get((item.id, 0))) for item in items]
        hidden = self.store.matching_ids(project_id, sorted(former.hidden), filters) if former.hidden else ()
        total = self.store.count(project_id, filters) + len(former.items) - len(hidden)
        artifacts = {item.id: item for item in items}
        results = _shown(question, results, artifacts, {})
        answer = self._enriched(question, project_id, results, artifacts, filters)
        if results:
            hint = _more(len(results), question.offset, total, "items")
        else:
            hint = self._nothing(project_id, filters, question.offset, total)
        hint = " ".join(filter(None, (hint, former.hint))) or None
        return replace(answer, total_count=total, match_type="list", hint=hint)

    def _conversation(self, question: Question, project_id: str, conversation_id: str, filters: Filters) -> Recall:
        turns = self.store.turns(project_id, conversation_id, filters, question.limit, question.offset)
        total = self.store.count_turns(project_id, conversation_id, filters)
        hint = _more(len(turns), question.offset, total, "turns")
        if not total:
            hint = f"No turn is stored under conversation_id {conversation_id!r}."
        return Recall(
            turns=[views.make_turn_view(turn) for turn in turns],
            total_turns=total,
            total_count=total,
            conversation_id=conversation_id,
            match_type="conversation",
            hint=hint,
        )

    def _enriched(
        self,
        question: Question,
        project_id: str,
        results: Sequence[Result],
        artifacts: dict[str, Artifact],
        filters: Filters,
        ranking: Ranking | None = None,
    ) -> Recall:
        """Add events, neighbours, related events and entities to the results, as far as they were asked for.

        Each list has the most relevant first.
        """
        ids = [result.id for result in results]
        as_of, focus = filters.as_of, Focus.of(question.query)
        found = self.store.events_of(project_id, ids, _EVENTS_PER_RESULT, as_of=as_of) if ids else {}
        least = question.min_confidence
        weighed = {
            result.id: focus.rank_events(
                map(views.make_event_view, shown_events(found.get(result.id, []), least)), result
            )
            for result in results
        }
        shown = [
            replace(
                result,
                events=[event for event, _ in weighed[result.id]] if question.include_events else None,
                neighbors=self._neighbors(project_id, artifacts[result.id], result, filters)
                if question.expand_neighbors
                else None,
            )
            for result in results
        ]
        seeds = _seeds(weighed)
        told = [*ids, *(id_ for result in results for id_ in result.also or ())]
        related = (
            self._related(question, project_id, told, seeds, filters)
            if self._expands(question, project_id, ranking, as_of)
            else []
        )
        involved = (
            self.store.entities_of(project_id, ids, _MAX_ENTITIES, as_of=as_of, counted=question.detail == "full")
            if question.include_entities and ids and focus.shows_entities(question.detail)
            else []
        )
        return Recall(
            results=shown,
            related=focus.rank_related(related),
            entities=focus.rank_entities(involved, shown),
            held_back=num_held_back(chain.from_iterable(found.values()), least) or None,
        )

    def _expands(self, question: Question, project_id: str, ranking: Ranking | None, as_of: datetime | None) -> bool:
        """Whether the graph is asked: not where only authors of turns are named, who have a part in everything.

        In brief only for questions that name something else that it knows, or for the ledger: of the events that it
        reaches from other questions a brief answer shows none that is about the question.
        """
        if not question.expand or question.query is None or ranking is None or ranking.analysis is None:
            return question.expand
        if ledger_question(question.query) is not None:
            return True
        authors = {name.casefold() for name in ranking.authors}
        names = [name for name in ranking.analysis.names if name.casefold() not in authors]
        if question.detail == "full":
            return bool(names) or not authors
        named = self.store.entities_by_name(project_id, names) if names else {}
        ids = [entity.id for several in named.values() for entity in several]
        known = self.store.entities(project_id, ids, as_of=as_of, counted=False) if ids else {}
        return bool(known)

    def _related(
        self,
        question: Question,
        project_id: str,
        ids: Sequence[str],
        seeds: Mapping[str, float],
        filters: Filters,
    ) -> list[RelatedEvent]:
        shown = frozenset(ids)
        reached = expand(
            self.store,
            project_id,
            seeds,
            shown=shown,
            reach=Reach(question.categories, question.graph_depth, question.graph_budget, question.min_confidence),
            filters=filters.visibility(),
        )
        return [
            views.make_related_event(item, [e for e in item.event.evidence if e.artifact_id not in shown])
            for item in reached
        ]

    def _neighbors(self, project_id: str, artifact: Artifact, result: Result, filters: Filters) -> list[Neighbor]:
        """Return the chunks before and after the result's, or for a turn the turns before and after."""
        memory = artifact.memory
        if memory.is_turn and memory.conversation_id is not None and memory.turn_index is not None:
            return self._turns_around(project_id, artifact, memory.conversation_id, filters)
        if result.chunk is None:
            return []
        places = [(artifact.id, result.chunk.index - 1), (artifact.id, result.chunk.index + 1)]
        found = self.store.chunks_at(project_id, places)
        return [
            Neighbor(artifact.id, chunk.text, chunk.index, chunk.start_char, chunk.end_char)
            for place in places
            if (chunk := found.get(place)) is not None
        ]

    def _turns_around(
        self, project_id: str, artifact: Artifact, conversation_id: str, filters: Filters
    ) -> list[Neighbor]:
        index = artifact.memory.turn_index or 0
        turns = self.store.turns_around(project_id, conversation_id, index, filters.visibility())
        return [
            Neighbor(turn.id, turn.memory.content, turn.memory.turn_index or 0)
            for turn in turns
            if turn.id != artifact.id
        ]

    def likelihood(self, project_id: str, ranking: Ranking) -> float | None:
        """Return the chance that a search found an answer; None while it is low and items are not indexed yet."""
        if ranking.likelihood < UNLIKELY and self.store.job_counts(project_id).pending:
            return None
        return round(ranking.likelihood, 3)

    def _waiting(self, project_id: str) -> str | None:
        """Return a hint that recent items have no vectors yet; None if no job waits."""
        jobs = self.store.job_counts(project_id).pending
        if not jobs:
            return None
        return f"{jobs} jobs still wait: until they are done, new items are found by their words alone."

    def _nothing(self, project_id: str, filters: Filters, offset: int, total: int) -> str:
        """Say why there are no results, and what to try."""
        if offset and total:
            return f"No results from offset {offset} on: there are {total} in all."
        keys = [] if filters.as_of else self.store.recent_keys(project_id, _HINTED_KEYS)
        if not keys:
            return "Nothing matches. Widen the filters, or use other words."
        return f"Nothing matches. Recent keys: {', '.join(keys)}."


def _num_near(results: Sequence[Result]) -> int:
    """Return how many of the results, in order, are not far behind the best: the first few, and those of its kind."""
    best = max((result.score for result in results if result.score < EXACT_SCORE), default=0.0)
    far = (place for place, one in enumerate(results) if place >= _ALWAYS and one.score < best - _FAR_BEHIND)
    return next(far, len(results))


def _shown(
    question: Question, results: list[Result], artifacts: Mapping[str, Artifact], worth: Mapping[int, float]
) -> list[Result]:
    """Return the results with what answers of each item if the answer is to be brief, else as they are."""
    if question.detail == "full":
        return results
    return views.add_excerpts(results, artifacts, worth, question.allowance or BRIEF_TOKENS)


def _more(shown: int, offset: int, total: int, what: str) -> str | None:
    left = total - offset - shown
    return f"{left} more {what}: pass offset={offset + shown}." if left > 0 and shown else None


def _seeds(weighed: Mapping[str, Sequence[tuple[EventView, float]]]) -> dict[str, float]:
    """Return the weights of the events that the graph is expanded from: the most relevant of the first results."""
    seeds: dict[str, float] = {}
    for rank, several in enumerate(list(weighed.values())[:_SEED_RESULTS]):
        for event, weight in several[:_SEED_EVENTS]:
            seeds.setdefault(event.id, weight / (1 + rank))
    return seeds
