"""`KnowledgeGraph` on Neo4j: entities, events, and capped steps between them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal

from neo4j import Record

from core.filters import Filters
from core.knowledge.findings import Actor, Category, Entity, Event, Evidence, Link, Subject, normalise_name
from core.records import Scored
from graph.derivations import ENTITY_WEIGHT
from graph.json_codec import bearings
from graph.neo4j_store.artifact_knowledge import keys_of
from graph.neo4j_store.cypher import history_cypher
from graph.neo4j_store.cypher import knowledge_cypher as cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import (
    among,
    bounds_of,
    completed,
    condition_of,
    current,
    has_required_fields,
    valid_utf8,
)
from graph.timestamps import from_microseconds

#: Fields that an entity or an event may be without.
_OPTIONAL: Final = frozenset({
    "role", "organization", "event_time", "due", "status", "origin", "bears_on", "time_offset", "due_offset",
})  # fmt: skip

#: Most names with one beginning that are sorted by mentions; with more, entities are read in that order.
_MOST_NAMES: Final = 1_000
#: An entity that more than one chunk in so many mentions is found by looking at the newest items.
_HUB_SHARE: Final = 10


class Neo4jKnowledge:
    """Fulfils `graph.protocols.knowledge.KnowledgeGraph`."""

    _database: Database

    def events(self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Event]:
        statement = cypher.EVENTS if as_of is None else history_cypher.EVENTS
        rows = self._database.rows(statement, project_id=project_id, ids=valid_utf8(ids), **bounds_of("as_of", as_of))
        return {event.id: event for event in as_events(rows)}

    def events_of(
        self, project_id: str, artifact_ids: Sequence[str], limit: int = 50, *, as_of: datetime | None = None
    ) -> dict[str, list[Event]]:
        ids = valid_utf8(artifact_ids)
        statement = cypher.EVENTS_OF if as_of is None else history_cypher.EVENTS_OF
        rows = self._database.rows(statement, project_id=project_id, ids=ids, limit=limit, **bounds_of("as_of", as_of))
        found: dict[str, list[Event]] = {}
        for row in rows:
            for event in as_events([row]):
                found.setdefault(row["id"], []).append(event)
        return {id_: found[id_] for id_ in ids if id_ in found}

    def list_events(
        self, project_id: str, categories: Sequence[Category], filters: Filters, limit: int, offset: int = 0
    ) -> list[Event]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"categories": list(dict.fromkeys(categories)), "limit": limit, "offset": offset}
        statement = among(cypher.LIST_EVENTS, condition)
        found = as_events(self._database.rows(statement, **parameters))
        if filters.as_of is None:
            return found
        known = self.events(project_id, [event.id for event in found], as_of=filters.as_of)
        return [known[event.id] for event in found if event.id in known]

    def entities(
        self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None, counted: bool = True
    ) -> dict[str, Entity]:
        then = history_cypher.ENTITIES if counted else history_cypher.UNCOUNTED_ENTITIES
        statement = cypher.ENTITIES if as_of is None else then
        rows = self._database.rows(statement, project_id=project_id, ids=valid_utf8(ids), **bounds_of("as_of", as_of))
        return {entity.id: entity for entity in _entities(rows)}

    def entities_of(
        self,
        project_id: str,
        artifact_ids: Sequence[str],
        limit: int,
        *,
        as_of: datetime | None = None,
        counted: bool = True,
    ) -> list[Entity]:
        ids = valid_utf8(artifact_ids)
        then = history_cypher.ENTITIES_OF if counted else history_cypher.UNCOUNTED_ENTITIES_OF
        statement = cypher.ENTITIES_OF if as_of is None else then
        rows = self._database.rows(statement, project_id=project_id, ids=ids, limit=limit, **bounds_of("as_of", as_of))
        return _entities(rows)

    def mentioned_entities(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[str]]:
        rows = self._database.rows(cypher.MENTIONED_BY, project_id=project_id, ids=valid_utf8(artifact_ids))
        return {row["id"]: row["entities"] for row in rows}

    def node_ids(self, project_id: str, kind: Literal["entity", "event"], limit: int, after: str = "") -> list[str]:
        statement = cypher.ENTITY_IDS if kind == "entity" else cypher.EVENT_IDS
        rows = self._database.rows(statement, **current(project_id), after=after, limit=limit)
        return [row["id"] for row in rows if row["id"] is not None]

    def graph_version(self, project_id: str) -> str:
        rows = self._database.rows(cypher.MARK, project_id=project_id)
        return str(rows[0]["mark"]) if rows else ""

    def entities_by_name(self, project_id: str, names: Sequence[str]) -> dict[str, list[Entity]]:
        wanted = keys_of(*valid_utf8(names))
        rows = self._database.rows(cypher.NAMED, project_id=project_id, ids=list(wanted))
        found: dict[str, list[Entity]] = {}
        for row in rows:
            for entity in _entities([row]):
                found.setdefault(wanted[row["id"]], []).append(entity)
        return {name: found[name] for name in wanted.values() if name in found}

    def entities_by_prefix(self, project_id: str, text: str, limit: int) -> list[Entity]:
        asked = normalise_name(text)
        if valid_utf8([asked]) != [asked]:
            return []
        if not asked:
            return _entities(self._database.rows(cypher.MOST_MENTIONED, project_id=project_id, limit=limit))
        parameters = {"text": asked, "inner": f" {asked}", "limit": limit}
        query = completed(project_id, asked)
        [row] = self._database.rows(cypher.CALLED_LIKE, query=query, most=_MOST_NAMES, **parameters)
        if row["number"] < _MOST_NAMES:
            return _entities({"entity": node} for node in row["entities"])
        return _entities(self._database.rows(cypher.OFTEN_CALLED_LIKE, project_id=project_id, **parameters))

    def mentions(self, project_id: str, entity_ids: Sequence[str], filters: Filters, limit: int) -> list[Scored]:
        condition, parameters = condition_of(project_id, filters)
        ids = valid_utf8(entity_ids)
        parameters |= {"ids": ids, "id": next(iter(ids), None), "limit": limit}

        def work(transaction: Transaction) -> list[Record]:
            asked = {"project_id": project_id, "id": parameters["id"], "share": _HUB_SHARE}
            row = transaction.row(cypher.IS_MENTIONED_BY_MANY, **asked) if len(ids) == 1 else None
            statement = cypher.MENTIONS if row is None or not row["is_hub"] else cypher.MENTIONS_OF_HUB
            return transaction.rows(among(statement, condition), **parameters)

        rows = self._database.read(work)
        return [
            Scored(row["artifact_id"], row["index"], float(row["entities"])) for row in rows if has_required_fields(row)
        ]

    def links(
        self, project_id: str, ids: Sequence[str], kinds: Sequence[str], limit: int, *, as_of: datetime | None = None
    ) -> list[Link]:
        hub_links = cypher.HUB_LINKS if as_of is None else history_cypher.HUB_LINKS
        event_links = cypher.EVENT_LINKS if as_of is None else history_cypher.EVENT_LINKS
        wanted, events = list(dict.fromkeys(kinds)), [id_ for id_ in valid_utf8(ids) if id_.startswith("evt_")]
        # By the key of a hub: the entity and the category of its events.
        hubs = {
            f"{project_id}/{id_}/{kind}": (id_, kind) for id_ in valid_utf8(ids) if id_ not in events for kind in wanted
        }
        parameters = {"limit": limit, **bounds_of("as_of", as_of)}

        def work(transaction: Transaction) -> list[Link]:
            steps: list[Link] = []
            found = (
                {row["hub"]: row["steps"] for row in transaction.rows(hub_links, hubs=list(hubs), **parameters)}
                if hubs
                else {}
            )
            for hub, (source, kind) in hubs.items():
                whole = [step for step in found.get(hub, []) if None not in step]
                steps += [Link(source, target, relation, kind, weight) for target, relation, weight in whole[:limit]]
            of_events = {"ids": events, "kinds": wanted, "project_id": project_id} | parameters
            rows = transaction.rows(event_links, **of_events) if events else []
            for row in filter(has_required_fields, rows):
                steps.append(Link(row["id"], row["target"], row["relation"], row["kind"], ENTITY_WEIGHT))
            return steps

        return self._database.read(work)


# What another transaction removes while it is read has no fields, or has lost a part: it is left out.


def _entities(rows: Iterable[Mapping[str, Any] | Record]) -> list[Entity]:
    return [_entity(row["entity"]) for row in rows if has_required_fields(row["entity"], _OPTIONAL)]


def as_events(rows: Iterable[Record], *, originals: bool = False) -> list[Event]:
    """Return whole events; with `originals` their actors and subjects are what resolution found them to be."""
    nodes = [row["event"] for row in rows if has_required_fields(row["event"], _OPTIONAL)]
    return [event for node in nodes if (event := _event(node, originals=originals)).evidence]


def _entity(node: Mapping[str, Any]) -> Entity:
    return Entity(
        id=node["id"],
        name=node["name"],
        type=node["type"],
        aliases=tuple(node["aliases"]),
        role=node["role"],
        organization=node["organization"],
        mention_count=node["mention_count"],
    )


def _event(node: Mapping[str, Any], *, originals: bool) -> Event:
    parts = _originals if originals else _merged
    return Event(
        id=node["id"],
        category=node["category"],
        summary=node["summary"],
        actors=tuple(Actor(*actor) for actor in parts(node["actors"])),
        subjects=tuple(Subject(*subject) for subject in parts(node["subjects"])),
        evidence=tuple(Evidence(*proof) for proof in node["evidence"] if None not in proof),
        confidence=node["confidence"],
        event_time=from_microseconds(node["event_time"], node["time_offset"]),
        due=from_microseconds(node["due"], node["due_offset"]),
        status=node["status"],
        origin=node["origin"] or "extracted",
        bears_on=bearings(json.loads(node["bears_on"] or "[]")),
    )


def _merged(parts: Sequence[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield parts without their originals: of two that were merged, the first in the event stands for both."""
    originals: dict[str, str] = {}
    for *part, original in parts:
        if None not in part and originals.setdefault(part[0], original) == original:
            yield part


def _originals(parts: Sequence[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield parts as what resolution found them to be."""
    for _, *part, original in parts:
        if None not in part:
            yield [original, *part]
