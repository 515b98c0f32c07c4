"""Record outage: a question answered from the vector index alone, while the record does not answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from core.dates import is_after, is_before, parse_iso, to_text
from core.filters import Filters
from core.interface.results import Recall
from core.search import IndexEntry, Vectors
from retrieval.answers import views
from retrieval.ranking.sources import VectorSource

Facts = Mapping[str, str | int | float | bool]

#: Passages asked for at first, and at most: the index is asked for more while too few of them pass the filters.
_CANDIDATES, _MOST_CANDIDATES = 200, 12_800
#: Metadata of every vector that `ingest/indexing/indexer.py` writes. An earlier release left some of it out: then it is
#: unknown whether the item may be shown.
_REQUIRED: Final = frozenset(
    {
        "artifact_id", "chunk_index", "start_char", "end_char", "num_chunks", "context", "source", "importance",
        "sensitivity", "tags", "stashed", "happened_at",
    }
)  # fmt: skip
_EQUAL: Final = ("context", "conversation_id", "source", "file_path", "task_id", "sensitivity")
_HINT: Final = (
    "The record does not answer: these results come from the vector index alone, by meaning. Keys, words, events and "
    "people were not searched, the newest items may be missing, and one replaced or forgotten just now may still be "
    "here."
)


@dataclass(frozen=True, slots=True)
class _Found:
    """The best passage of each item that passes, in order, as chunk id and cosine; and how many lack metadata.

    `exhausted` says that the index holds no more passages.
    """

    best: list[tuple[str, float]]
    incomplete: int
    exhausted: bool


def answer_from_index(source: VectorSource, project_id: str, query: str, filters: Filters, limit: int) -> Recall:
    """Return the items nearest to the query, one result each, filters applied to the metadata of the vectors.

    An entry that lacks anything a filter needs is left out, and the hint says how many were. At most
    12,800 passages are read.

    Raises:
        Unavailable: the embedder or the index does not answer either.
        Conflict: the index keeps vectors of another dimension.
    """
    found = _nearest(source, project_id, source.embed_query_unchecked(query), filters, limit)
    best = found.best[:limit]
    entries = source.index.entries(project_id, [chunk_id for chunk_id, _ in best])
    return Recall(
        results=[
            views.make_index_result(entry, score=cosine)
            for chunk_id, cosine in best
            # Another process may have written it again, or erased it, since its metadata was read.
            if (entry := entries.get(chunk_id)) is not None and matches_filters(entry.metadata, filters)
        ],
        total_count=len(found.best),
        match_type="hybrid",
        degraded=["graph"],
        hint=_hint(found, limit),
    )


def _nearest(source: VectorSource, project_id: str, vector: Vectors, filters: Filters, limit: int) -> _Found:
    wanted = _CANDIDATES
    entries: dict[str, IndexEntry] = {}
    while True:
        hits = source.index.search(project_id, vector, wanted)
        new = [chunk_id for chunk_id, _ in hits if chunk_id not in entries]
        entries |= source.index.entries(project_id, new, texts=False)
        best: dict[str, tuple[str, float]] = {}
        for chunk_id, cosine in hits:
            entry = entries.get(chunk_id)
            if entry is not None and matches_filters(entry.metadata, filters):
                best.setdefault(str(entry.metadata["artifact_id"]), (chunk_id, cosine))
        exhausted = len(hits) < wanted
        if len(best) >= limit or exhausted or wanted >= _MOST_CANDIDATES:
            incomplete = sum(not _is_complete(entry.metadata) for entry in entries.values())
            return _Found(list(best.values()), incomplete, exhausted)
        wanted *= 4


def matches_filters(facts: Facts, filters: Filters) -> bool:
    """Whether an item with these facts passes, as the record would decide; False if one of them is missing."""
    if not _is_complete(facts):
        return False
    expires_at, happened_at = (
        facts.get("expires_at"),
        parse_iso(str(facts["happened_at"]), field="happened_at"),
    )
    created_at = facts.get("created_at")
    return (
        all(getattr(filters, name) in {None, facts.get(name)} for name in _EQUAL)
        and (expires_at is None or parse_iso(str(expires_at), field="expires_at") > filters.at)
        and (filters.date_from is None or not is_before(happened_at, filters.date_from))
        and (filters.date_to is None or not is_after(happened_at, filters.date_to))
        and (filters.as_of is None or not is_after(happened_at, filters.as_of))
        and float(facts["importance"]) >= filters.min_importance
        and (filters.stored_until is None or "" < str(created_at or "") <= to_text(filters.stored_until))
        and (filters.include_stashed or not facts["stashed"])
        and (not filters.stashes or bool(facts["stashed"]) or facts["context"] == "stash")
        and filters.has_tags(json.loads(str(facts["tags"])))
    )


def _is_complete(facts: Facts) -> bool:
    return facts.keys() >= _REQUIRED


def _hint(found: _Found, limit: int) -> str:
    parts = [_HINT]
    if not found.best:
        parts.append("Nothing there is near the query and passes the filters.")
    if len(found.best) < limit and not found.exhausted:
        parts.append(f"Only the nearest {_MOST_CANDIDATES:,} passages were searched: ask again with fewer filters.")
    if found.incomplete:
        parts.append(
            f"{found.incomplete} passages were left out, since an earlier release indexed them: run `remembrancer "
            "reindex --what vectors` once the record answers."
        )
    return " ".join(parts)
