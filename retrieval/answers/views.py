"""Views: records and knowledge in the shapes that `recall` answers with."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time
from typing import Final

from core.dates import to_local_text
from core.interface.memory import Memory
from core.interface.results import ChunkView, EventView, RelatedEvent, Result, TurnView
from core.knowledge.findings import Entity, Event, Evidence, Span
from core.records import Artifact, Chunk
from core.search import IndexEntry
from graph.text.term_vectors import terms
from retrieval.answers.expansion import Related
from retrieval.models.tokenizer import estimate_model_tokens
from retrieval.scoring.excerpts import join_excerpt, merge_spans, select_excerpt

#: Metadata of the vector index that is not the item's own: the answer has it elsewhere, or not at all.
_NOT_METADATA = frozenset({"artifact_id", "chunk_index", "start_char", "end_char", "happened_at", "stashed"})
#: How many results are mostly read. Characters of each of them and of each further one: so many for each token that
#: the answer may have, but never less or more than these (docs/decisions/excerpts.md).
_READ: Final = 3
_LENGTHS: Final = ((0.6, 200, 1_200), (0.16, 100, 320))
#: Characters up to which a turn is shown whole if the first results may have as many.
_TURN: Final = 520
#: Characters of each sentence that the ledger lists, with what is around it.
_LEDGER: Final = 240
#: Characters of a token of English with its names and signs; how much of a passage is looked at for it.
_ENGLISH, _SAMPLE = 3.2, 600


def make_result(
    artifact: Artifact, *, score: float, chunk: Chunk | None = None, also: Sequence[str] | None = None
) -> Result:
    """Return an artifact as a result: its best chunk if it has several, else all of it.

    `also` are the ids of items of the same text.
    """
    memory = artifact.memory
    part = chunk if artifact.num_chunks > 1 else None
    return Result(
        id=artifact.id,
        content=memory.content if part is None else part.text,
        context=memory.context,
        score=round(score, 4),
        metadata=artifact.metadata(),
        stashed=artifact.stashed,
        title=memory.title,
        chunk=None if part is None else _chunk_view(memory, part),
        also=list(also) if also else None,
    )


def add_excerpts(
    results: Sequence[Result],
    artifacts: Mapping[str, Artifact],
    worth: Mapping[int, float],
    tokens: int,
    seconds: Mapping[str, Span] | None = None,
) -> list[Result]:
    """Return results with the parts of each item that answer, shortened to an answer of so many tokens.

    `worth` are the question's terms and their rarity, `seconds` further passages to show of the first items. `chunk`
    stays the best chunk; an item of one chunk of which not all is shown gets that as its `chunk`, and one that is shown
    whole has none.
    """
    first, further = (int(min(most, max(least, share * tokens))) for share, least, most in _LENGTHS)
    shown = []
    for place, result in enumerate(results):
        memory = artifacts[result.id].memory
        length = first if place < _READ else max(further, min(first, _TURN)) if memory.is_turn else further
        length = int(length * _density(result.content))
        second = seconds.get(result.id) if seconds and place < _READ else None
        shown.append(_with_excerpt(result, memory.content, worth, length, second))
    return shown


def make_ledger_result(artifact: Artifact, events: Sequence[Event], *, score: float) -> Result:
    """Return an item as a result that shows the sentences on which these events rest, with what heads them."""
    text = artifact.memory.content
    quotes = [proof for event in events for proof in event.evidence if proof.artifact_id == artifact.id]
    spans: list[Span] = []
    for proof in quotes:
        worth = dict.fromkeys(terms(proof.quote), 1.0)
        place = Span(proof.start_char, proof.end_char)
        spans += select_excerpt(text, worth, place, max(_LEDGER, proof.end_char - proof.start_char))
    whole = len(text) <= _TURN
    shown = [Span(0, len(text))] if whole else merge_spans(text, spans)
    first = min(proof.start_char for proof in quotes)
    chunk = None if whole else ChunkView(0, first, max(proof.end_char for proof in quotes))
    return replace(make_result(artifact, score=score), content=join_excerpt(text, shown), chunk=chunk)


def _density(passage: str) -> float:
    """Return how many characters a token of a passage has, relative to English; of prose and what is less dense 1."""
    sample = passage[:_SAMPLE]
    return min(1.0, len(sample) / (_ENGLISH * (estimate_model_tokens(sample) or 1)))


def _with_excerpt(
    result: Result, text: str, worth: Mapping[int, float], length: int, second: Span | None = None
) -> Result:
    best = result.chunk
    place = None if best is None else Span(best.start_char, best.end_char)
    if second in (None, place):
        spans = select_excerpt(text, worth, place, length)
    else:
        places = (place, length // 2), (second, length - length // 2)
        spans = merge_spans(text, [span for one, part in places for span in select_excerpt(text, worth, one, part)])
    if spans == [Span(0, len(text))]:
        return replace(result, content=text, chunk=None)
    return replace(result, content=join_excerpt(text, spans), chunk=best or ChunkView(0, 0, len(text)))


def _chunk_view(memory: Memory, part: Chunk) -> ChunkView:
    return ChunkView(part.index, part.start_char, part.end_char, place=memory.location_at(part.start_char))


def make_index_result(entry: IndexEntry, *, score: float) -> Result:
    """Return what the vector index keeps of an item as a result: this passage, or all of it if it has no other."""
    facts = entry.metadata
    start, end = int(facts["start_char"]), int(facts["end_char"])
    given = {name: value for name, value in facts.items() if name not in _NOT_METADATA}
    tags = json.loads(str(facts["tags"]))
    title = facts.get("title")
    return Result(
        id=str(facts["artifact_id"]),
        content=entry.text,
        context=str(facts["context"]),
        score=round(score, 4),
        metadata={name: value for name, value in given.items() if name != "tags"} | ({"tags": tags} if tags else {}),
        stashed=bool(facts["stashed"]),
        title=None if title is None else str(title),
        chunk=None if facts["num_chunks"] == 1 else ChunkView(int(facts["chunk_index"]), start, end),
    )


def make_chunk_views(chunks: Iterable[Chunk]) -> list[ChunkView]:
    """Return chunks with their text."""
    return [ChunkView(chunk.index, chunk.start_char, chunk.end_char, chunk.text) for chunk in chunks]


def make_turn_view(artifact: Artifact) -> TurnView:
    """Return an artifact as a turn; `ts` is when it was said, as far as known."""
    memory = artifact.memory
    return TurnView(
        turn_index=memory.turn_index or 0,
        ts=to_local_text(artifact.happened_at),
        content=memory.content,
        id=artifact.id,
        role=memory.role,
        author=memory.author,
    )


def make_result_turn(artifact: Artifact) -> TurnView:
    """Return an artifact as one of the turns of a result."""
    memory = artifact.memory
    return TurnView(
        id=artifact.id,
        turn_index=memory.turn_index or 0,
        content=memory.content,
        author=memory.author or memory.role,
        date=to_local_text(artifact.happened_at)[:10],
    )


def make_event_view(event: Event) -> EventView:
    """Return an event as it is shown with a result."""
    return EventView(
        id=event.id,
        category=event.category,
        summary=event.summary,
        actors=list(event.actors),
        subjects=[subject.name for subject in event.subjects],
        confidence=event.confidence,
        evidence=list(event.evidence),
        event_time=None if event.event_time is None else to_local_text(event.event_time),
        due=None if event.due is None else format_due(event.due),
        status=event.status,
    )


def format_due(due: datetime) -> str:
    """Return a due date as a day if it is the end of that day, else with its time."""
    return due.date().isoformat() if due.time() == time.max else to_local_text(due)


def make_related_event(related: Related, elsewhere: Sequence[Evidence]) -> RelatedEvent:
    """Return an event that the graph reached, with its evidence outside the results first."""
    event = related.event
    ordered = [*elsewhere, *(item for item in event.evidence if item not in elsewhere)]
    return RelatedEvent(
        id=event.id,
        category=event.category,
        summary=event.summary,
        reason=related.reason,
        hops=related.hops,
        score=round(related.score, 4),
        artifact_id=ordered[0].artifact_id,
        evidence=ordered,
        event_time=None if event.event_time is None else to_local_text(event.event_time),
        due=None if event.due is None else format_due(event.due),
        status=event.status,
    )


def make_event_result(event: Event) -> Result:
    """Return an event asked for by its id: its category as context, itself among its events."""
    first = event.evidence[0]
    return Result(
        id=event.id,
        content=event.summary,
        context=event.category,
        score=1.0,
        metadata={"artifact_id": first.artifact_id},
        events=[make_event_view(event)],
    )


def make_entity_result(entity: Entity, events: Sequence[Event]) -> Result:
    """Return an entity asked for by its id: its type as context, with the events that it is part of."""
    return Result(
        id=entity.id,
        content=entity.name,
        context=entity.type,
        score=1.0,
        metadata={"aliases": list(entity.aliases), "mention_count": entity.mention_count},
        events=[make_event_view(event) for event in events],
    )
