"""Pop: stashes by their exact name, else by a search among stashes."""

from dataclasses import replace
from typing import Final

from core.dates import now
from core.errors import Unavailable
from core.filters import Filters
from core.interface.results import Recall
from core.interface.stash import Popped, PopQuestion
from core.records import Artifact
from retrieval.answers import views
from retrieval.ranking.ranker import EXACT_SCORE, Ranking, chunk_refs_of
from retrieval.recall import Recaller
from retrieval.scoring.query_analysis import analyse_query
from retrieval.shapes.recall_shape import shape_pop

#: Stashes that an empty answer names.
_RECENT: Final = 5
#: Most chunks looked at that share a word with the name.
_WORDED: Final = 1_000
_ONLY_WORDS: Final = "Semantic search is temporarily unavailable: only exact names and words were looked at."


def pop(recaller: Recaller, project_id: str, asked: PopQuestion) -> Popped:
    """Return the stashes whose key, or id, is the name, whole; if there is none, the stashes that a search finds, best
    first.

    A search is answered from the vector index alone while the record does not answer.

    Raises:
        Unavailable: neither the record nor the vectors answer.
    """
    filters = Filters(at=now(), stashes=True)
    try:
        answer = _exact(recaller, project_id, asked, filters) or _search(recaller, project_id, asked, filters)
    except Unavailable as away:
        answer = _named_first(
            recaller.recall_from_index(project_id, asked.name, filters, asked.limit, away), asked.name
        )
    popped = Popped(
        results=answer.results,
        match_type="exact" if answer.match_type == "exact" else "hybrid",
        degraded=answer.degraded,
        message=answer.hint,
        answer_likelihood=answer.answer_likelihood,
    )
    return shape_pop(popped, asked)


def _exact(recaller: Recaller, project_id: str, asked: PopQuestion, filters: Filters) -> Recall | None:
    names = dict.fromkeys((asked.name, asked.name.strip()))
    ids = [id_ for name in names for id_ in recaller.ranker.find_by_key(project_id, name, filters)]
    found = recaller.store.get(project_id, ids)
    results = [views.make_result(found[id_], score=EXACT_SCORE) for id_ in dict.fromkeys(ids) if id_ in found]
    if not results:
        return None
    more = f"{len(results) - asked.limit} more stashes have this name: raise limit." if results[asked.limit :] else None
    return Recall(results=results[: asked.limit], total_count=len(results), match_type="exact", hint=more)


def _search(recaller: Recaller, project_id: str, asked: PopQuestion, filters: Filters) -> Recall:
    wanted = asked.limit
    while True:
        found = recaller.find(project_id, asked.name, filters, limit=wanted)
        near = _near(recaller, project_id, asked.name, found.ranking, filters)
        results = [result for result in found.results if result.id in near][: asked.limit]
        if len(results) == asked.limit or len(found.results) < wanted:
            break
        wanted *= 4
    ranking = found.ranking
    said = [] if results else [_nothing(recaller, project_id, asked.name, filters)]
    said += [_ONLY_WORDS] if "vectors" in ranking.degraded else []
    return Recall(
        results=results,
        total_count=len(ranking.ranked),
        degraded=ranking.degraded,
        answer_likelihood=recaller.likelihood(project_id, ranking),
        hint=" ".join([*said, *([ranking.hint] if ranking.hint else [])]) or None,
    )


def _near(recaller: Recaller, project_id: str, name: str, ranking: Ranking, filters: Filters) -> set[str]:
    """Return those ranked that share a word with the name, or whose meaning was compared with it.

    Of few stashes all are ranked, those too of which nothing is known but that they are stashes.
    """
    hits = (
        []
        if "words" in ranking.degraded
        else recaller.store.search(project_id, analyse_query(name).words, filters, _WORDED)
    )
    worded = {hit.artifact_id for hit in hits}
    if "vectors" in ranking.degraded:
        return worded
    model = recaller.ranker.vectors.embedder.model
    candidates = recaller.store.candidates(project_id, model, chunk_refs_of(ranking.ranked), filters)
    return worded | {one.artifact_id for one in candidates if one.vector is not None}


def _named_first(answer: Recall, name: str) -> Recall:
    """Return what the index alone found, those with this key first; whether there are others of it is not known."""
    named = [result for result in answer.results if result.metadata.get("key") == name.strip()]
    others = [result for result in answer.results if result not in named]
    return replace(answer, results=[*named, *others], match_type="exact" if named else "hybrid")


def _nothing(recaller: Recaller, project_id: str, name: str, filters: Filters) -> str:
    recent = recaller.store.newest(project_id, filters, _RECENT)
    known = f"Recent stashes: {', '.join(map(_name, recent))}" if recent else "No stashes yet."
    return f"No stashes found matching {name!r}. {known}"


def _name(stash: Artifact) -> str:
    return stash.memory.key or stash.memory.title or stash.id
