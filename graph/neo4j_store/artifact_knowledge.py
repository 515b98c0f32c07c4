"""Writing and removing the knowledge of an artifact on Neo4j, with names and repeated sentences.

Runs inside a transaction that holds the lock of the project.
"""

import json
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import replace as with_fields
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final, Self

from neo4j import Record

from core.knowledge.findings import FIRST_STATUS, IN_TEXT, Entity, Event, Evidence, Knowledge, normalise_name
from core.knowledge.identities import MergeDecision, MergeDecisions, hash_normalised_name
from core.knowledge.ledger import LEDGER_CATEGORIES
from graph.derivations import (
    NameUse,
    assigned_entities,
    count_uses,
    event_weight,
    main_name,
    missing_entity,
    missing_source,
    summaries_of,
    without_dismissed,
)
from graph.neo4j_store.administration import Neo4jProjectWriter
from graph.neo4j_store.cypher import administration_cypher as checks
from graph.neo4j_store.cypher import knowledge_cypher, ledger_cypher
from graph.neo4j_store.cypher import knowledge_cypher as cypher
from graph.neo4j_store.cypher.schema_cypher import TYPE_LABELS
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.rows import native_time, slices, valid_utf8
from graph.protocols.knowledge import SentenceHash
from graph.text.tokens import event_text, ledger_stems
from graph.timestamps import from_microseconds, offset_of
from graph.writers.item_writer import DuplicateSentenceWriter, SentenceOrigin, SentenceSource

#: Entities read with one statement.
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class FoundUnder:
    """An entity, its names by the ids of their nodes, and the nodes that it is found under."""

    id: str
    names: dict[str, str]
    nodes: tuple[str, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether it is found under other names than it is given, or twice under one."""
        return sorted(self.names) != sorted(self.nodes)


def keys_of(*names: str) -> dict[str, str]:
    """Return the normalised names, by the ids of their nodes: a key of the index may not be as long as a name."""
    return {hash_normalised_name(name): name for name in map(normalise_name, names)}


def found_under(project_id: str, transaction: Transaction) -> list[FoundUnder]:
    """Return all entities of a project with what they are found under."""
    found: list[FoundUnder] = []
    last = ""
    while rows := transaction.rows(checks.FOUND_UNDER, project_id=project_id, last=last, batch=_BATCH):
        for row in rows:
            entity = row["entity"]
            names = keys_of(entity["name"], *(entity["aliases"] or ()))
            found.append(FoundUnder(entity["id"], names, tuple(row["names"])))
        last = found[-1].id
    return found


def write_names(transaction: Transaction, project_id: str) -> None:
    """Have each entity found under the names that it is given, and under no others."""
    wrong = [one for one in found_under(project_id, transaction) if one.is_wrong]
    for start in range(0, len(wrong), _BATCH):
        _rewrite(transaction, project_id, wrong[start : start + _BATCH])
    transaction.run(checks.DROP_NAMES, project_id=project_id)


def _rewrite(transaction: Transaction, project_id: str, wrong: Sequence[FoundUnder]) -> None:
    rows = [{"entity": one.id, "id": id_, "name": name} for one in wrong for id_, name in sorted(one.names.items())]
    transaction.run(checks.FORGET_NAMES, project_id=project_id, ids=[one.id for one in wrong])
    transaction.run(knowledge_cypher.GAIN_NAMES, project_id=project_id, names=rows)


@dataclass(frozen=True, slots=True)
class DatedText:
    """A role or an organisation that an artifact gives an entity; `number` is the artifact's, in order of storing."""

    text: str
    happened_at: datetime
    number: int


@dataclass(frozen=True, slots=True)
class EntityNames:
    """An entity's name, its other names sorted, and the newest role and organisation."""

    name: str
    aliases: tuple[str, ...]
    role: DatedText | None
    organization: DatedText | None
    #: The name that a person decided on.
    given_name: str | None = None

    @classmethod
    def among(
        cls,
        uses: Mapping[str, NameUse],
        aliases: Iterable[str],
        *,
        roles: Iterable[DatedText | None],
        organizations: Iterable[DatedText | None],
        given_name: str | None = None,
    ) -> Self:
        """Choose the main name and the newest role and organisation; there must be a name."""
        name = given_name or main_name(uses)
        others = tuple(sorted({*uses, *aliases} - {name}))
        return cls(name, others, _newest(roles), _newest(organizations), given_name)

    @classmethod
    def by(cls, entities: Iterable[Entity], happened_at: datetime, number: int) -> Self:
        """Return what one artifact calls an entity, which it may give several times."""
        given = list(entities)

        def said(texts: Iterable[str | None]) -> list[DatedText]:
            return [DatedText(text, happened_at, number) for text in texts if text is not None]

        return cls.among(
            count_uses((one.name, one.weight or IN_TEXT) for one in given),
            (alias for one in given for alias in one.aliases),
            roles=said(one.role for one in given),
            organizations=said(one.organization for one in given),
        )

    @classmethod
    def stored(cls, node: Mapping[str, Any]) -> Self:
        """Read an `Entity` node, as `cypher` returns it for this."""
        texts = dated_text(node, "role"), dated_text(node, "organization")
        return cls(node["name"], tuple(node["aliases"]), *texts, node["given_name"])

    def merged(self, other: "EntityNames") -> "EntityNames":
        """Return the names of an entity that has both; it is still called as this says."""
        return replace(
            self,
            aliases=tuple(sorted({*self.aliases, other.name, *other.aliases} - {self.name})),
            role=_newest((self.role, other.role)),
            organization=_newest((self.organization, other.organization)),
        )

    def properties(self) -> Mapping[str, Any]:
        """Return the properties of an `Entity` node that follow; None takes one away."""
        return {"name": self.name, "aliases": list(self.aliases), "given_name": self.given_name} | {
            f"{field}{suffix}": said and getattr(said, attribute)
            for field, said in (("role", self.role), ("organization", self.organization))
            for suffix, attribute in (("", "text"), ("_at", "happened_at"), ("_number", "number"))
        }

    def keys(self) -> dict[str, str]:
        """Return the normalised names, by the ids of their `Name` nodes."""
        return keys_of(self.name, *self.aliases)


def dated_text(node: Mapping[str, Any], field: str) -> DatedText | None:
    """Read a role or an organisation from an `Entity` node; None if it has none."""
    text = node[field]
    return None if text is None else DatedText(text, from_microseconds(node[f"{field}_at"]), node[f"{field}_number"])


def _newest(said: Iterable[DatedText | None]) -> DatedText | None:
    return max((one for one in said if one is not None), key=lambda one: (one.happened_at, one.number), default=None)


class Neo4jDuplicateSentenceWriter(Neo4jProjectWriter, DuplicateSentenceWriter):
    """Fulfils `graph.writers.item_writer.DuplicateSentenceWriter`."""

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        rows = self.rows(cypher.SAYER, id=artifact_id) if valid_utf8([artifact_id]) else ()
        return next((SentenceSource(*row) for row in rows), None)

    def _former_sentences(self, artifact_id: str) -> dict[str, Sequence[SentenceOrigin]]:
        ids = self.replaced([artifact_id])
        return {row["id"]: row["sayings"] for row in (self.rows(cypher.FORMER, ids=ids) if ids else ())}

    def _put_sentences(self, artifact_id: str, sentences: Sequence[tuple[SentenceHash, int, int | None]]) -> None:
        for part in slices(list(map(list, sentences))):
            self.run(cypher.PUT_SAYINGS, id=artifact_id, sayings=part)

    def _drop_sentences(self, artifact_ids: Sequence[str]) -> None:
        self.run(cypher.DROP_SAYINGS, ids=artifact_ids)

    def _later_duplicates(self, artifact_id: str, sentences: Sequence[SentenceOrigin]) -> list[str]:
        parts = slices(list(map(list, sentences)))
        return [row["id"] for part in parts for row in self.rows(cypher.SAID_LATER, id=artifact_id, sayings=part)]

    def _duplicates(self, artifact_ids: Sequence[str]) -> dict[str, int]:
        return {row["id"]: row["num_chunks"] for row in self.rows(cypher.ECHOING, ids=artifact_ids)}

    def _earlier(self, artifact_id: str, limit: int) -> list[tuple[int, int, str, SentenceHash]]:
        source = self._sentence_source(artifact_id)
        parts = slices([] if source is None else source.sentences)
        asked = {"id": artifact_id, "limit": limit}
        rows = (row for part in parts for row in self.rows(cypher.SAID_BEFORE, sayings=part, **asked))
        return [(row["since"], row["first"], row["id"], row["hash"]) for row in rows]

    def link_echoes(self, artifact_id: str, origins: Sequence[str]) -> None:
        if valid_utf8([artifact_id]):
            self.run(cypher.LINK, id=artifact_id, origins=valid_utf8(origins))


#: The entities of the knowledge by their id, each as often as it is given.
EntitiesById = Mapping[str, Sequence[Entity]]

#: Characters of a summary that are shown as an event's caption in a graph.
_CAPTION: Final = 80


def replace_knowledge(transaction: Transaction, project_id: str, artifact_id: str, knowledge: Knowledge) -> bool:
    """Do what `KnowledgeGraph.replace` promises."""
    decisions = MergeDecisions(decisions_of(transaction, project_id))
    assigned = assigned_entities(knowledge, artifact_id, decisions)
    state = transaction.row(
        cypher.LESSON,
        project_id=project_id,
        id=artifact_id,
        entities=sorted(set(assigned.values())),
        events=sorted({one.id for one in knowledge.events}),
        sources=sorted({proof.artifact_id for one in knowledge.events for proof in one.evidence}),
    )
    if state is None:
        return False
    shown = without_dismissed(knowledge, decisions)
    _ArtifactKnowledge(transaction, project_id, artifact_id, state, assigned, decisions).replace(shown)
    if set(state["summaries"]) != summaries_of(knowledge, artifact_id):
        Neo4jDuplicateSentenceWriter(transaction, project_id).queue_duplicates([artifact_id])
    return True


def remove_knowledge(transaction: Transaction, project_id: str, artifact_ids: Sequence[str]) -> tuple[int, int]:
    """Remove the knowledge of artifacts, except for the mentions of their chunks, which go with those.

    Returns how many events and entities went with it.
    """
    asked = transaction.rows(cypher.KNOWLEDGE_OF, project_id=project_id, ids=artifact_ids)
    rows = [row for row in asked if row["events"] or row["named"]]
    if not rows:
        return 0, 0
    ids = [row["id"] for row in rows]
    transaction.run(cypher.WITHDRAW, project_id=project_id, ids=ids, entities=[], events=[])
    resting = dict.fromkeys(chain.from_iterable(row["events"] for row in rows))
    events = delete_events_without_evidence(transaction, project_id, list(resting))
    return events, refresh(transaction, project_id, list(chain.from_iterable(row["named"] for row in rows)))


def connect_mentions(transaction: Transaction, project_id: str, artifact_id: str) -> None:
    """Rebuild the MENTIONS of an artifact's chunks, after they were written."""
    row = transaction.row(cypher.MENTIONED, project_id=project_id, id=artifact_id)
    if row is not None:
        starts: dict[str, list[int]] = {}
        for given in row["named"]:
            starts.setdefault(given["id"], []).extend(given["starts"])
        _write_mentions(transaction, project_id, starts, row)


class _ArtifactKnowledge:
    """The knowledge of one artifact, on its way to the server."""

    def __init__(
        self,
        transaction: Transaction,
        project_id: str,
        artifact_id: str,
        state: Record,
        assigned: Mapping[str, str],
        decisions: MergeDecisions,
    ) -> None:
        self._transaction = transaction
        self._decisions = decisions
        self._place = {"project_id": project_id, "id": artifact_id}
        self._project_id = project_id
        self._state = state
        self._happened_at = native_time(state["happened_at"])
        self._assigned = assigned
        #: By original and the entity that it is assigned to.
        self._named = {(given["original"], given["id"]): given for given in state["named"]}
        #: Whether each artifact that may be evidence is current, by id.
        self._sources: dict[str, bool] = {
            source["artifact_id"]: source["is_current"] for source in (*state["sources"], *state["proofs"])
        }

    def replace(self, knowledge: Knowledge) -> None:
        given = _by_id(knowledge.entities)
        places = _places(knowledge, given)
        events = [self._event_row(event, given) for event in _merged(knowledge.events)]
        put = {event["id"] for event in events}
        if self._named.keys() - self._assigned.items() or set(self._state["events"]) - put:
            kept = {"entities": [list(pair) for pair in self._assigned.items()], "events": list(put)}
            self._transaction.run(cypher.WITHDRAW, project_id=self._project_id, ids=[self._place["id"]], **kept)
        stale, called_otherwise = self._put_entities(given, places)
        starts: dict[str, list[int]] = {}
        for id_, spans in places.items():
            starts.setdefault(self._assigned[id_], []).extend(start for start, _ in spans)
        _write_mentions(self._transaction, self._project_id, starts, self._state)
        for piece in slices(events):
            self._transaction.run(cypher.PUT_EVENTS, project_id=self._project_id, events=piece)
        refresh_statuses(self._transaction, self._project_id, put)
        self._store_expected(events, knowledge.unread_language)
        delete_events_without_evidence(
            self._transaction, self._project_id, [id_ for id_ in self._state["events"] if id_ not in put]
        )
        refresh(self._transaction, self._project_id, stale, also=called_otherwise)

    def _store_expected(self, events: Sequence[Mapping[str, Any]], unread_language: str | None) -> None:
        """Store the ids of events and entities, so that the loss of one is noticed, and what was not read."""
        own = [
            event["id"] for event in events if any(one["proof"][0] == self._place["id"] for one in event["evidence"])
        ]
        expected = {"events": sorted(own), "entities": sorted(self._assigned)}
        self._transaction.run(cypher.SET_EXPECTED, **expected, unread_language=unread_language, **self._place)

    def _put_entities(
        self, given: EntitiesById, places: Mapping[str, Sequence[tuple[int, int]]]
    ) -> tuple[list[Mapping[str, Any]], set[str]]:
        """Write names and mentions of the entities; return what the artifact called them before and does no longer.

        And those whose name is another one than the artifact gives them.

        Most entities only gain names. What they gain is compared with what they have, so that one that thousands of
        artifacts name is not read in full for each.
        """
        stored = {node["id"]: EntityNames.stored(node) for node in self._state["known"]}
        kept = self._assigned.items()
        stale = [said for pair, said in self._named.items() if pair not in kept]
        rows, gained, called_otherwise = [], [], set[str]()
        for id_, entities in given.items():
            called = EntityNames.by(entities, self._happened_at, self._state["number"])
            entity = self._assigned[id_]
            before = stored.get(entity)
            after = stored[entity] = called if before is None else before.merged(called)
            rows.append(self._entity_row(entities, called, after, places.get(id_, ())))
            if self._decisions.has_names if before is None else called.name != before.name:
                called_otherwise.add(entity)
            new = after.keys().items() - (before.keys().items() if before else ())
            gained += [{"entity": entity, "id": key, "name": name} for key, name in sorted(new)]
            said = self._named.get((id_, entity))
            if said is not None and not _is_unchanged(said, called, max(one.weight or IN_TEXT for one in entities)):
                stale.append(said)
        for piece in slices(rows):
            self._transaction.run(cypher.PUT_ENTITIES, entities=piece, **self._place)
        _write_names(self._transaction, self._project_id, gained)
        return stale, called_otherwise

    def _entity_row(
        self, given: Sequence[Entity], called: EntityNames, after: EntityNames, spans: Sequence[tuple[int, int]]
    ) -> dict[str, Any]:
        id_, type_ = given[0].id, given[0].type
        reasons = {name: reason for one in given for name, reason in one.reasons or ()}
        entity = self._assigned[id_]
        is_moved = entity != id_
        names = {
            "original": id_ if is_moved else None,
            "type": type_ if is_moved else None,
            "name": called.name,
            "aliases": list(called.aliases),
            "reasons": [reasons.get(name, "") for name in (called.name, *called.aliases)] if reasons else None,
            "weight": max(one.weight or IN_TEXT for one in given),
            "role": _text(called.role),
            "organization": _text(called.organization),
            "starts": [start for start, _ in spans],
            "ends": [end for _, end in spans],
            "happened_at": self._happened_at,
            "utc_offset": self._state["utc_offset"],
            "number": self._state["number"],
        }
        before = self._named[id_, entity]["times"] if (id_, entity) in self._named else 0
        counted = len(spans) - before if self._state["is_current"] else 0
        properties = {"properties": after.properties(), "counted": counted, "names": names}
        return {"id": entity, "original": id_, "type": type_, "label": TYPE_LABELS[type_]} | properties

    def _event_row(self, event: Event, given: EntitiesById) -> dict[str, Any]:
        others = [
            Evidence(proof["artifact_id"], proof["quote"], proof["start_char"], proof["end_char"])
            for proof in self._state["proofs"]
            if proof["event"] == event.id
        ]
        evidence = list(dict.fromkeys([*event.evidence, *others]))
        for proof in evidence:
            if proof.artifact_id not in self._sources:
                raise missing_source(proof.artifact_id)
        is_seen = any(self._sources[proof.artifact_id] for proof in evidence)
        return {
            "id": event.id,
            "category": event.category,
            "first_status": event.status or FIRST_STATUS.get(event.category),
            "properties": _event_properties(event, self._happened_at) | {"words": self._words(event)},
            "evidence": [_proof_row(proof, position) for position, proof in enumerate(evidence)],
        } | self._parts(event, given, is_seen=is_seen)

    def _words(self, event: Event) -> str | None:
        """Return what the index of the ledger sees of an event."""
        if event.category not in LEDGER_CATEGORIES:
            return None
        return " ".join(ledger_stems(event_text(event, self._state["key"], self._state["given"])))

    def _parts(self, event: Event, given: EntitiesById, *, is_seen: bool) -> dict[str, Any]:
        """Return the actors and subjects; the same entity in the same relation is one step, however often it stands."""
        parts: dict[str, list[dict[str, Any]]] = {"actors": [], "subjects": []}
        steps: set[tuple[str, str]] = set()
        actors = [("actors", actor.entity_id, actor.role) for actor in event.actors]
        subjects = [("subjects", subject.entity_id, None) for subject in event.subjects]
        for position, (relation, id_, role) in enumerate(chain(actors, subjects)):
            _check_given(id_, given)
            entity = self._assigned[id_]
            is_repeated = (relation, entity) in steps
            steps.add((relation, entity))
            hub = f"{self._project_id}/{entity}/{event.category}" if is_seen and not is_repeated else None
            step = {"role": role, "hub": hub, "repeated": True if is_repeated else None}
            original = {"original": None if entity == id_ else id_}
            parts[relation].append({"part": [entity, position], "step": step | original})
        return parts


def _by_id(entities: Iterable[Entity]) -> dict[str, list[Entity]]:
    given: dict[str, list[Entity]] = {}
    for entity in entities:
        given.setdefault(entity.id, []).append(entity)
    return given


def _check_given(entity_id: str, given: EntitiesById) -> None:
    if entity_id not in given:
        raise missing_entity(entity_id)


def _places(knowledge: Knowledge, given: EntitiesById) -> dict[str, list[tuple[int, int]]]:
    """Return where each entity is mentioned, each place once and in order."""
    places: dict[str, set[tuple[int, int]]] = {}
    for mention in knowledge.mentions:
        _check_given(mention.entity_id, given)
        places.setdefault(mention.entity_id, set()).add((mention.start_char, mention.end_char))
    return {id_: sorted(spans) for id_, spans in places.items()}


def _merged(events: Iterable[Event]) -> list[Event]:
    """Return each event once: the last with its id, with the evidence of all."""
    merged: dict[str, Event] = {}
    for event in events:
        former = merged.get(event.id)
        evidence = (*event.evidence, *(former.evidence if former else ()))
        merged[event.id] = with_fields(event, evidence=evidence)
    return list(merged.values())


def _is_unchanged(stored: Mapping[str, Any], names: EntityNames, weight: int) -> bool:
    """Whether an artifact calls an entity what it called it before."""
    after = (names.name, list(names.aliases), _text(names.role), _text(names.organization))
    before = (stored["name"], list(stored["aliases"]), stored["role"], stored["organization"])
    return after == before and weight == stored["weight"] and bool(stored["is_dated"])


def _event_properties(event: Event, happened_at: datetime) -> dict[str, Any]:
    return {
        "category": event.category,
        "name": event.summary[:_CAPTION],
        "summary": event.summary,
        "confidence": event.confidence,
        "event_time": None if event.event_time is None else event.event_time.astimezone(UTC),
        "time_offset": offset_of(event.event_time),
        "due": None if event.due is None else event.due.date(),
        "due_at": None if event.due is None else event.due.astimezone(UTC),
        "due_offset": offset_of(event.due),
        "origin": None if event.origin == "extracted" else event.origin,
        "bears_on": json.dumps(event.bears_on, ensure_ascii=False) if event.bears_on else None,
        "weight": event_weight(event, happened_at),
    }


def _proof_row(proof: Evidence, position: int) -> dict[str, Any]:
    return {"proof": [proof.artifact_id, proof.quote, proof.start_char, proof.end_char], "position": position}


def _text(said: DatedText | None) -> str | None:
    return None if said is None else said.text


def decisions_of(transaction: Transaction, project_id: str) -> list[MergeDecision]:
    """Return all merge decisions of a project in the order they were made."""
    found = []
    for row in transaction.rows(knowledge_cypher.VERDICTS, project_id=project_id):
        node = row["verdict"]
        undone_at = node["undone_at"]
        times = {"at": native_time(node["at"]), "undone_at": None if undone_at is None else native_time(undone_at)}
        found.append(MergeDecision(**{**node, **times}))
    return found


def linked_from(transaction: Transaction, project_id: str, event_ids: Sequence[str]) -> set[str]:
    """Return the events that links from these lead to."""
    return {row["id"] for row in transaction.rows(ledger_cypher.LINKED_FROM, project_id=project_id, ids=event_ids)}


def refresh_statuses(transaction: Transaction, project_id: str, event_ids: Iterable[str]) -> None:
    """Recompute the statuses of these events."""
    if ids := sorted(event_ids):
        transaction.run(ledger_cypher.REFRESH, project_id=project_id, ids=ids)


def delete_events_without_evidence(transaction: Transaction, project_id: str, events: Sequence[str]) -> int:
    """Remove the events that have no evidence left, and reconnect the others; return how many were removed."""
    if not events:
        return 0
    affected = linked_from(transaction, project_id, events)
    row = transaction.row(cypher.DROP_UNPROVEN, project_id=project_id, ids=events)
    transaction.run(cypher.CONNECT_EVENTS, project_id=project_id, ids=events)
    refresh_statuses(transaction, project_id, affected)
    return 0 if row is None else int(row["dropped"])


def refresh(
    transaction: Transaction, project_id: str, names: Sequence[Mapping[str, Any]], also: Iterable[str] = ()
) -> int:
    """Derive the names of entities after artifacts stopped giving them these, and of others.

    Returns how many were dropped because they have none left.
    """
    entities = set(also)
    for piece in slices(names):
        entities |= {row["id"] for row in transaction.rows(cypher.RENAMED, project_id=project_id, names=piece)}
    return rename(transaction, project_id, entities)


def rename(transaction: Transaction, project_id: str, entities: Collection[str]) -> int:
    """Derive the names of entities from all that artifacts give them; return how many have none left."""
    if not entities:
        return 0
    changed, gained, lost, gone = [], [], [], []
    for row in transaction.rows(cypher.ALL_NAMES, project_id=project_id, ids=sorted(entities)):
        id_, before = row["id"], EntityNames.stored(row["entity"])
        if not row["names"]:
            gone.append(id_)
            continue
        after = EntityNames.among(
            {name: NameUse(total, best) for name, total, best in row["names"]},
            chain.from_iterable(row["aliases"]),
            roles=[dated_text(one, "role") for one in row["roles"]],
            organizations=[dated_text(one, "organization") for one in row["organizations"]],
            given_name=row["decided"],
        )
        changed.append({"id": id_, "properties": after.properties()})
        former, latter = before.keys(), after.keys()
        gained += [{"entity": id_, "id": key, "name": latter[key]} for key in sorted(latter.keys() - former.keys())]
        lost += [{"entity": id_, "id": key} for key in sorted(former.keys() - latter.keys())]
    if changed:
        transaction.run(cypher.RENAME, project_id=project_id, entities=changed)
    _write_names(transaction, project_id, gained)
    if lost:
        transaction.run(cypher.LOSE_NAMES, project_id=project_id, names=lost)
    if gone:
        transaction.run(cypher.DROP_ENTITIES, project_id=project_id, ids=gone)
    return len(gone)


def _write_names(transaction: Transaction, project_id: str, names: Sequence[Mapping[str, str]]) -> None:
    for piece in slices(names):
        transaction.run(cypher.GAIN_NAMES, project_id=project_id, names=piece)


def _write_mentions(
    transaction: Transaction,
    project_id: str,
    starts: Mapping[str, Iterable[int]],
    state: Record,
) -> None:
    """Connect each entity with the chunks its name begins in, overlapping ones both, and with no others.

    `state` has the artifact's `chunks` (id, start, end, by start) and what is `mentioned` in them (chunk, entity).
    """
    chunks: Sequence[tuple[str, int, int]] = state["chunks"]
    begins = [start for _, start, _ in chunks]
    longest = max((end - start for _, start, end in chunks), default=0)
    pairs: dict[tuple[str, str], None] = {}
    for entity, places in starts.items():
        for place in places:
            for chunk, start, end in chunks[bisect_right(begins, place - longest) : bisect_right(begins, place)]:
                if start <= place < end:
                    pairs[chunk, entity] = None
    there = dict.fromkeys((chunk, entity) for chunk, entity in state["mentioned"])
    for statement, change in (
        (cypher.DISCONNECT_MENTIONS, [pair for pair in there if pair not in pairs]),
        (cypher.CONNECT_MENTIONS, [pair for pair in pairs if pair not in there]),
    ):
        for piece in slices([{"chunk": chunk, "entity": entity} for chunk, entity in change]):
            transaction.run(statement, project_id=project_id, pairs=piece)
