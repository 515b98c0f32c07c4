"""Artifacts, their text, chunks and turns on Neo4j, what has expired, and the items that count as rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, LiteralString

from neo4j import Record

from core.filters import Filters
from core.interface.question import FacetCount, FacetCounts
from core.knowledge.ledger import SETTLED
from core.knowledge.rules import STANDING_CONTEXTS, TASKS, Rule, RuleQuery
from core.records import SETTLED_FOR, Artifact, Chunk, Counts, DeletionCounts, KeyHolder, ListCursor
from graph.neo4j_store.cypher import record_cypher, schema_cypher
from graph.neo4j_store.cypher import record_cypher as cypher
from graph.neo4j_store.database.connection import LONG_SECONDS, Database, Transaction
from graph.neo4j_store.database.rows import (
    Parameters,
    among,
    artifacts,
    as_chunks,
    chunk_id,
    condition_of,
    current,
    has_required_fields,
    native_time,
    valid_utf8,
)
from graph.neo4j_store.item_writer import Neo4jItemWriter, by_tags

#: Items with a tag that are sorted for a page; of more, enough are soon found in the order of the list.
_MOST_SORTED: Final = 1_000
#: More items than there are.
_ALL: Final = 2**62


def expired(
    transaction: Transaction, at: datetime, limit: int, project_id: str | None = None
) -> tuple[str, list[str]] | None:
    """Return a project, or this one, and up to `limit` of its items whose time has come; None if there are none."""
    rows = transaction.rows(record_cypher.EXPIRED, at=at, limit=limit, project_id=project_id)
    found = [(row["project_id"], row["id"]) for row in rows]
    if len(found) < limit:
        found += _settled(transaction, at, project_id)
    return (found[0][0], [id_ for project, id_ in found if project == found[0][0]][:limit]) if found else None


def num_expired(transaction: Transaction, at: datetime) -> int:
    """Return how many items of all projects there are whose time had come by then."""
    [row] = transaction.rows(record_cypher.COUNT_EXPIRED, at=at, limit=_ALL, project_id=None)
    return int(row["number"]) + sum(1 for _ in _settled(transaction, at, None))


def _settled(transaction: Transaction, at: datetime, project_id: str | None) -> Iterator[tuple[str, str]]:
    parameters = {"at": at, "settled_at": at - SETTLED_FOR, "settled": list(SETTLED), "project_id": project_id}
    for row in transaction.rows(record_cypher.SETTLED, **parameters):
        yield row["project_id"], row["id"]


class Neo4jRecords:
    """Fulfils `graph.protocols.records.Records`, except for the embeddings."""

    _database: Database

    def get(self, project_id: str, ids: Sequence[str]) -> dict[str, Artifact]:
        found = self._artifacts(record_cypher.GET, {"project_id": project_id, "ids": valid_utf8(ids)})
        return {item.id: item for item in found}

    def by_fingerprint(self, project_id: str, fingerprint: str, *, revisions: bool = False) -> Artifact | None:
        parameters = {"project_id": project_id, "fingerprint": fingerprint, "revisions": revisions}
        return next(iter(self._artifacts(record_cypher.BY_FINGERPRINT, parameters)), None)

    def by_key(self, project_id: str, key: str, filters: Filters) -> list[Artifact]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"key": key}
        statement = among(record_cypher.BY_KEY, condition)

        def look(transaction: Transaction) -> list[Artifact] | None:
            found = [one for one in artifacts(transaction.rows(statement, **parameters)) if one.replaced_by is None]
            return found if found or transaction.row(record_cypher.HAS_EVER_BEEN, **parameters) is None else None

        def wait_and_look(transaction: Transaction) -> list[Artifact]:
            transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=project_id)
            return artifacts(transaction.rows(statement, **parameters))

        # While an item takes the place of another, the index may show neither.
        found = self._database.read(look)
        return self._database.write(wait_and_look) if found is None else found

    def key_holders(self, project_id: str, filters: Filters) -> list[KeyHolder]:
        asked = replace(filters, tags=(), any_tags=())
        condition, parameters = condition_of(project_id, asked, record_cypher.UNEXPIRED)
        rows = self._rows(among(record_cypher.STANDINGS, condition), parameters)
        return [_key_holder(row["standing"], passes=row["passes"]) for row in rows if row["standing"]["id"] is not None]

    def revisions(self, project_id: str, artifact_id: str) -> list[Artifact]:
        def work(transaction: Transaction) -> list[Artifact]:
            ids = Neo4jItemWriter(transaction, project_id).replaced(valid_utf8([artifact_id]))
            return artifacts(transaction.rows(record_cypher.REVISIONS, project_id=project_id, ids=ids))

        return self._database.read(work)

    def chunks(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[Chunk]]:
        found: dict[str, list[Chunk]] = {}
        for piece in as_chunks(
            self._rows(record_cypher.CHUNKS_OF, current(project_id) | {"ids": valid_utf8(artifact_ids)})
        ):
            found.setdefault(piece.artifact_id, []).append(piece)
        return found

    def chunks_at(self, project_id: str, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Chunk]:
        ids = valid_utf8(chunk_id(*place) for place in places)
        pieces = as_chunks(self._rows(record_cypher.CHUNKS_AT, current(project_id) | {"ids": ids}))
        return {(piece.artifact_id, piece.index): piece for piece in pieces}

    def matching_ids(self, project_id: str, artifact_ids: Sequence[str], filters: Filters) -> set[str]:
        condition, parameters = condition_of(project_id, filters)
        rows = self._rows(among(record_cypher.PASSING, condition), parameters | {"ids": valid_utf8(artifact_ids)})
        return set(rows[0]["ids"])

    def newest(
        self, project_id: str, filters: Filters, limit: int, offset: int = 0, *, after: ListCursor | None = None
    ) -> list[Artifact]:
        condition, parameters = condition_of(project_id, filters)
        if after is not None:
            condition += " AND " + record_cypher.BEHIND
            parameters |= {
                "after_happened": after.happened_at.astimezone(UTC),
                "after_created": after.created_at,
                "after_id": after.id,
            }
        statements = (statement for field, statement in record_cypher.NEWEST_BY.items() if getattr(filters, field))
        by_tag = by_tags(self._database, project_id, filters, _MOST_SORTED)
        statement = record_cypher.NEWEST_ITEMS if by_tag else next(statements, record_cypher.NEWEST_ITEMS)
        asked = parameters | by_tag | {"limit": limit, "offset": offset}
        return self._artifacts(among(statement, condition, by_tags=bool(by_tag), stashes=filters.stashes), asked)

    def count(self, project_id: str, filters: Filters) -> int:
        condition, parameters = condition_of(project_id, filters)
        by_tag = by_tags(self._database, project_id, filters)
        statement = among(record_cypher.COUNT, condition, by_tags=bool(by_tag), stashes=filters.stashes)
        return int(self._rows(statement, parameters | by_tag)[0]["items"])

    def facets(self, project_id: str, filters: Filters, most: int) -> FacetCounts:
        condition, parameters = condition_of(project_id, filters)
        by_tag = by_tags(self._database, project_id, filters)
        parameters |= by_tag | {"most": most}

        def work(transaction: Transaction) -> FacetCounts:
            found = {
                facet: transaction.row(
                    among(statement, condition, by_tags=bool(by_tag), stashes=filters.stashes), **parameters
                )
                for facet, statement in record_cypher.FACETS.items()
            }
            return FacetCounts(**{facet: _facet_count(row) for facet, row in found.items() if row is not None})

        return self._database.read(work)

    def chunk_refs(self, project_id: str, filters: Filters, most: int) -> list[tuple[str, int]]:
        condition, parameters = condition_of(project_id, filters)
        by_tag = by_tags(self._database, project_id, filters)
        statement = among(record_cypher.PLACES, condition, by_tags=bool(by_tag), stashes=filters.stashes)
        rows = self._rows(statement, parameters | by_tag | {"most": most})
        return list(islice(((row["id"], index) for row in rows for index in range(row["num_chunks"])), most))

    def turns(self, project_id: str, conversation_id: str, filters: Filters, limit: int, offset: int) -> list[Artifact]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"turns_of": conversation_id, "limit": limit, "offset": offset}
        return self._artifacts(among(record_cypher.TURNS, condition), parameters)

    def count_turns(self, project_id: str, conversation_id: str, filters: Filters) -> int:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"turns_of": conversation_id}
        return int(self._rows(among(record_cypher.COUNT_TURNS, condition), parameters)[0]["turns"])

    def turns_around(self, project_id: str, conversation_id: str, turn_index: int, filters: Filters) -> list[Artifact]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"turns_of": conversation_id, "turn_index": turn_index}
        return self._artifacts(among(record_cypher.TURNS_AROUND, condition), parameters)

    def recent_keys(self, project_id: str, limit: int) -> list[str]:
        rows = self._rows(record_cypher.RECENT_KEYS, current(project_id) | {"limit": limit})
        return [row["key"] for row in rows if has_required_fields(row)]

    def longest(self, project_id: str, limit: int) -> list[str]:
        rows = self._rows(record_cypher.LONGEST, current(project_id) | {"limit": limit})
        return [row["id"] for row in rows if has_required_fields(row)]

    def counts(self, project_id: str) -> Counts:
        def work(transaction: Transaction) -> Counts:
            counted: dict[str, int] = {}
            for statement in (record_cypher.COUNT_ITEMS, record_cypher.COUNT_EVENTS, record_cypher.COUNT_ENTITIES):
                for row in transaction.rows(statement, **current(project_id)):
                    counted |= row.data()
            unread = transaction.rows(record_cypher.COUNT_UNREAD, **current(project_id))
            return Counts(**counted, unread_languages={row["language"]: row["items"] for row in unread})

        return self._database.read(work)

    def unread_languages(self, project_id: str) -> dict[str, int]:
        rows = self._rows(record_cypher.COUNT_UNREAD, current(project_id))
        return {row["language"]: row["items"] for row in rows}

    def projects(self) -> list[str]:
        return [row["id"] for row in self._rows(record_cypher.PROJECTS, {})]

    def each(self, project_id: str, *, batch: int = 200) -> Iterator[list[Artifact]]:
        last = 0
        while rows := self._rows(record_cypher.EACH, current(project_id) | {"last": last, "batch": batch}):
            if found := artifacts(rows):
                yield found
            # Those that were removed meanwhile have no number any more.
            last = max((row["number"] for row in rows if row["number"] is not None), default=last)

    def remove(self, project_id: str, ids: Sequence[str], *, dry_run: bool = False) -> DeletionCounts:
        do = self._database.dry_run if dry_run else self._database.write
        return do(lambda tx: _locked(tx, project_id).remove(valid_utf8(ids)), seconds=LONG_SECONDS)

    def remove_expired(self, at: datetime, limit: int) -> list[str]:
        seen = self._database.read(lambda transaction: expired(transaction, at, limit))
        if seen is None:
            return []
        project_id = seen[0]

        def work(transaction: Transaction) -> list[str]:
            writer = _locked(transaction, project_id)
            found = expired(transaction, at, limit, project_id)
            if found is None:
                return []
            writer.remove(found[1], "expire")
            return found[1]

        return self._database.write(work, seconds=LONG_SECONDS)

    def num_expired(self, at: datetime) -> int:
        return self._database.read(lambda transaction: num_expired(transaction, at))

    def conversation_ids(self, project_id: str, conversation_id: str) -> list[str]:
        parameters = {"project_id": project_id, "conversation_id": conversation_id}
        return [row["id"] for row in self._rows(record_cypher.IN_CONVERSATION, parameters) if has_required_fields(row)]

    def metadata_value(self, name: str) -> str | None:
        row = self._database.read(lambda tx: tx.row(schema_cypher.GET_MARKER, name=name))
        return None if row is None else str(row["value"])

    def set_metadata_value(self, name: str, value: str) -> None:
        def work(transaction: Transaction) -> None:
            transaction.run(schema_cypher.LOCK, name=f"marker {name}")
            transaction.run(schema_cypher.SET_MARKER, name=name, value=value)

        self._database.write(work)

    def compare_and_set(self, name: str, value: str, *, instead_of: str | None = None) -> str | None:
        def work(transaction: Transaction) -> str | None:
            transaction.run(schema_cypher.LOCK, name=f"marker {name}")
            row = transaction.row(schema_cypher.GET_MARKER, name=name)
            kept = None if row is None else str(row["value"])
            if kept != instead_of:
                return kept
            transaction.run(schema_cypher.SET_MARKER, name=name, value=value)
            return value

        return self._database.write(work)

    def _rows(self, statement: LiteralString, parameters: Parameters) -> list[Record]:
        return self._database.rows(statement, **parameters)

    def _artifacts(self, statement: LiteralString, parameters: Parameters) -> list[Artifact]:
        return artifacts(self._rows(statement, parameters))


def _locked(transaction: Transaction, project_id: str) -> Neo4jItemWriter:
    return Neo4jItemWriter(transaction, project_id).locked()


def _key_holder(node: Mapping[str, Any], *, passes: bool) -> KeyHolder:
    times = {name: native_time(node[name]) for name in ("created_at", "updated_at")}
    return KeyHolder(**{**node, **times, "tags": tuple(node["tags"])}, passes=passes)


def _facet_count(row: Record) -> FacetCount:
    best = tuple((_month(value) if isinstance(value, int) else value, number) for value, number in row["best"])
    return FacetCount(best, row["num_values"] - len(best))


def _month(number: int) -> str:
    """Return the month, such as 2026-01, of its number since the year 0."""
    return f"{number // 12:04}-{number % 12 + 1:02}"


_SECONDS_A_DAY: Final = 24 * 60 * 60


class Neo4jRules:
    """Fulfils `graph.protocols.knowledge.Rules`."""

    _database: Database

    def rules(self, project_id: str, query: RuleQuery) -> tuple[list[Rule], int]:
        row, *_ = self._database.rows(cypher.RULES, **current(project_id, query.at), **_parameters(query))
        # What another transaction removes meanwhile has no fields any more.
        return [Rule(*rule) for rule in row["rules"] if None not in rule], row["applying"]

    def rule_scopes(self, project_id: str, at: datetime) -> dict[str, int]:
        rows = self._database.rows(cypher.RULE_SCOPES, **current(project_id, at))
        return {row["scope"]: row["rules"] for row in rows if row["scope"] is not None}


def _parameters(query: RuleQuery) -> Parameters:
    ranking = query.ranking
    return {
        "scopes": valid_utf8(query.scopes),
        "category": query.category,
        "most_tokens": query.most_tokens,
        "limit": query.limit,
        "recent": [[days * _SECONDS_A_DAY, points] for days, points in ranking.recent],
        "long_ago": ranking.long_ago,
        "per_occurrence": ranking.per_occurrence,
        "most_occurrences": ranking.most_occurrences,
        "standing_contexts": list(STANDING_CONTEXTS),
        "standing": ranking.standing,
        "per_word": ranking.per_word,
        "task": TASKS.index(query.task or TASKS[0]),
        "least": round(ranking.least * 1_000_000),
    }
