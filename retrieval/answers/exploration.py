"""Explore: the bounded neighbourhood of an entity, an event or an item, and the pairs that wait for a merge
decision."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from core.dates import now
from core.errors import NotFound
from core.filters import Filters
from core.interface.neighbourhood import Exploration, Neighbourhood
from core.knowledge.findings import Entity, Evidence
from core.knowledge.identities import MergeDecisions
from graph.store import Store
from retrieval.answers.walk import Walk, make_entity_node, make_possibly_same_edge
from retrieval.shapes.exploration_shape import shape_neighbourhood

#: Characters shown on either side of a name.
_AROUND: Final = 60


def explore(store: Store, project_id: str, asked: Exploration) -> Neighbourhood:
    """Return what is up to `depth` steps around one thing, nearest first, in up to `budget` nodes.

    Of several entities with the name asked for the most mentioned is explored; the others are further nodes. Only
    events with evidence in current items are neighbours.

    Raises:
        NotFound: nothing has this id or name.
    """
    if asked.review:
        return shape_neighbourhood(_review(store, project_id, asked.budget), asked)
    walk = Walk(store, project_id, asked.budget)
    start, namesakes, hint = _start(store, project_id, asked)
    frontier = walk.enter([start], first=True)
    walk.enter(namesakes)
    walk.explain([start, *namesakes])
    for _ in range(asked.depth):
        frontier = walk.step(frontier)
    walk.connect()
    ends = walk.nodes.keys()
    edges = [edge for edge in walk.edges.values() if edge.source in ends and edge.target in ends]
    held_back = len(walk.held_back) or None
    found = Neighbourhood(list(walk.nodes.values()), edges, walk.truncated, held_back=held_back, hint=hint)
    return shape_neighbourhood(found, asked)


def current_entity_id(store: Store, project_id: str, identity: str) -> str:
    """Return the id of the entity that this one was merged into; its own id if it was not merged."""
    return MergeDecisions(store.merge_decisions(project_id)).current_id(identity)


def explain_merge(identity: str, onward: str) -> str:
    """Explain that the entity asked for was merged into another."""
    return (
        f"{identity} was merged into {onward}, which is shown; `remembrancer review --history` says when and by whom."
    )


def find_entities_by_name(store: Store, project_id: str, name: str) -> list[Entity]:
    """Return the entities of this name, the most mentioned first.

    Raises:
        NotFound: there is none.
    """
    found = [entity for named in store.entities_by_name(project_id, [name]).values() for entity in named]
    if not found:
        raise NotFound(f"Nothing is called {name[:80]!r}: recall with a query to find names and ids.")
    return found


def _start(store: Store, project_id: str, asked: Exploration) -> tuple[str, list[str], str | None]:
    """Return the id to begin with, the ids of its namesakes, and a hint about them."""
    if asked.id is not None:
        onward = current_entity_id(store, project_id, asked.id) if asked.id.startswith("ent_") else asked.id
        return onward, [], None if onward == asked.id else explain_merge(asked.id, onward)
    first, *others = (entity.id for entity in find_entities_by_name(store, project_id, asked.name or ""))
    number = len(others) + 1
    hint = f"{number} are called that: the most mentioned is explored, the others are nodes." if others else None
    return first, others, hint


def _review(store: Store, project_id: str, budget: int) -> Neighbourhood:
    """Return the surest pairs that wait for a merge decision, both with where they are named last."""
    merge_candidates, total = store.open_merge_candidates(project_id, max(1, budget // 2))
    ids = list(dict.fromkeys(chain.from_iterable((candidate.one, candidate.other) for candidate in merge_candidates)))
    entities = store.entities(project_id, ids)
    seen = {id_: find_latest_mention(store, project_id, entity, Filters(at=now())) for id_, entity in entities.items()}
    edges = [
        make_possibly_same_edge(candidate, [*seen[candidate.one], *seen[candidate.other]])
        for candidate in merge_candidates
        if candidate.one in entities and candidate.other in entities
    ]
    hint = (
        "Nothing waits for a decision." if not total else "Decide with `remembrancer review --accept A B` or --reject."
    )
    nodes = [make_entity_node(entities[id_]) for id_ in ids if id_ in entities]
    return Neighbourhood(nodes, edges, total > len(edges), total_count=total, hint=hint)


def find_latest_mention(store: Store, project_id: str, entity: Entity, filters: Filters) -> list[Evidence]:
    """Return the words around the last occurrence of an entity's name; none if the text itself does not name it."""
    for hit in store.mentions(project_id, [entity.id], filters, 1):
        place = (hit.artifact_id, hit.index)
        chunk = store.chunks_at(project_id, [place]).get(place)
        if chunk is not None and (found := _around_name(chunk.text, (entity.name, *entity.aliases))):
            start, end = found
            quote, shift = chunk.text[start:end], chunk.start_char
            return [Evidence(hit.artifact_id, quote, shift + start, shift + end)]
    return []


def _around_name(text: str, names: Sequence[str]) -> tuple[int, int] | None:
    found = find_name(text, names)
    return found and (max(0, found[0] - _AROUND), min(len(text), found[0] + 2 * _AROUND))


def find_name(text: str, names: Sequence[str]) -> tuple[int, int] | None:
    """Return the first occurrence of one of the names, in any case; None if there is none."""
    folded = text.casefold() if len(text.casefold()) == len(text) else text
    wanted = sorted({name.casefold() for name in names if name}, key=len, reverse=True)
    either = "|".join(map(re.escape, wanted)) or r"(?!)"
    # Not within another word, unless nothing is between words, as in Chinese.
    found = re.search(rf"(?<!\w)(?:{either})(?!\w)", folded) or re.search(either, folded)
    return found and found.span()
