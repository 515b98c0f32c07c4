"""Ledger results: what the ledger lists on a question for decisions, promises, owners or what is open."""

from collections.abc import Sequence
from dataclasses import replace

from core.filters import Filters
from core.knowledge.findings import Event, normalise_name
from core.knowledge.ledger import LISTED, STALE_AFTER, LedgerQuery
from graph.store import Store
from graph.text.tokens import distinctive_stems, ledger_stems
from retrieval.scoring.query_analysis import Analysis
from retrieval.scoring.question_forms import LedgerQuestion, ledger_question

#: Events that are looked up, and items that they put first.
_EVENTS, _ITEMS = 12, 3


def find_ledger_events(
    store: Store, project_id: str, analysis: Analysis, filters: Filters, least: float
) -> dict[str, list[Event]]:
    """Return the listed events that answer, by the item they rest on, the first items only.

    They have every word of the question's matter; a question without one asks for all of a person's, or all open ones.
    """
    asked = ledger_question(analysis.query)
    if asked is None:
        return {}
    known = store.entities_by_name(project_id, analysis.names) if analysis.names else {}
    people = [one for name in analysis.names for one in known.get(normalise_name(name), ()) if one.type == "person"]
    named = {stem for name in analysis.names if known.get(normalise_name(name)) for stem in distinctive_stems(name)}
    matter = [
        word
        for word in analysis.words
        if (stems := asked.about.intersection(distinctive_stems(word))) and not stems & named
    ]
    if not (matter or people or asked.is_open):
        return {}
    query = _query(asked, filters, least)
    if people:
        query = replace(query, actors=tuple(dict.fromkeys(one.id for one in people)))
    if matter:
        topic = " ".join(matter)
        query = replace(query, words=(topic,), shared=len(ledger_stems(topic)))
    return _by_item(store, project_id, store.ledger_page(project_id, query, _EVENTS).ids, filters)


def _query(asked: LedgerQuestion, filters: Filters, least: float) -> LedgerQuery:
    listed = LISTED[asked.category]
    return LedgerQuery(
        category=asked.category,
        filters=filters,
        statuses=("open",) if asked.is_open else ("current",) if asked.category == "Decision" else listed,
        owners=asked.category == "Commitment",
        by_due=asked.is_open,
        min_confidence=least,
        stale=False if asked.category == "Commitment" else None,
        stale_before=(filters.as_of or filters.at) - STALE_AFTER,
    )


def _by_item(store: Store, project_id: str, ids: Sequence[str], filters: Filters) -> dict[str, list[Event]]:
    events = store.events(project_id, list(ids), as_of=filters.as_of)
    proofs = sorted({proof.artifact_id for event in events.values() for proof in event.evidence})
    passing = store.matching_ids(project_id, proofs, filters)
    found: dict[str, list[Event]] = {}
    for event in (events[id_] for id_ in ids if id_ in events):
        if (item := next((one.artifact_id for one in event.evidence if one.artifact_id in passing), None)) is not None:
            found.setdefault(item, []).append(event)
    return dict(list(found.items())[:_ITEMS])
