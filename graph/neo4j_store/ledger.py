"""`Ledger` on Neo4j."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import chain, groupby
from operator import attrgetter
from typing import Final, LiteralString

from core.filters import Filters
from core.knowledge.findings import EventLink, EventStatus
from core.knowledge.ledger import EventSearch, LedgerPage, LedgerQuery, Origin, Resolution
from graph.neo4j_store.administration import Neo4jProjectWriter
from graph.neo4j_store.artifact_knowledge import refresh_statuses
from graph.neo4j_store.cypher import ledger_cypher as cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import Parameters, among, bounds_of, condition_of, has_required_fields, valid_utf8
from graph.text.term_vectors import term
from graph.text.tokens import MOST_READ, fair_share, ledger_stems, rarest_stems
from graph.timestamps import from_microseconds
from graph.writers.knowledge_writer import LedgerWriter

#: Stems of one search: Lucene refuses more than 1,024 clauses.
_STEMS: Final = 500


class Neo4jLedger:
    """Fulfils `graph.protocols.knowledge.Ledger`."""

    _database: Database

    def similar_events(
        self, project_id: str, searches: Sequence[EventSearch], limit: int, most_read: int | None = None
    ) -> list[list[str]]:
        return self._database.read(lambda tx: _similar(tx, project_id, searches, limit, most_read))

    def statuses(self, project_id: str, event_ids: Sequence[str], filters: Filters) -> dict[str, EventStatus]:
        statement = cypher.STATUSES if filters.as_of is None else cypher.STATUSES_THEN
        parameters = {"project_id": project_id, "ids": valid_utf8(event_ids), **bounds_of("as_of", filters.as_of)}
        rows = self._database.rows(statement, **parameters)
        return {row["id"]: row["status"] for row in rows if row["status"] is not None}

    def ledger_page(self, project_id: str, query: LedgerQuery, limit: int, offset: int = 0) -> LedgerPage:
        statement, parameters = _page(project_id, query)
        [row] = self._database.rows(statement, limit=limit, offset=offset, **parameters)
        return LedgerPage(
            list(row["page"]), row["total"], row["held_back"], row["stale"] if query.stale is False else 0
        )


_OPTIONAL: Final = frozenset({"topic", "successor", "utc_offset", "file_path", "title", "note"})


class Neo4jLedgerWriter(Neo4jProjectWriter, LedgerWriter):
    """Fulfils `graph.writers.knowledge_writer.LedgerWriter`."""

    def links(self, event_ids: Sequence[str]) -> list[EventLink]:
        # What another transaction removes while it is read has lost an end.
        return [
            EventLink(**row.data())
            for row in self.rows(cypher.LINKS, ids=valid_utf8(event_ids))
            if has_required_fields(row)
        ]

    def origins(self, event_ids: Sequence[str]) -> dict[str, Origin]:
        rows = [
            row for row in self.rows(cypher.ORIGINS, ids=valid_utf8(event_ids)) if has_required_fields(row, _OPTIONAL)
        ]
        return {
            id_: Origin(artifact_id, from_microseconds(written_at, offset), *rest)
            for id_, artifact_id, written_at, offset, *rest in rows
        }

    def resolutions(self, event_ids: Sequence[str]) -> dict[str, list[Resolution]]:
        found: dict[str, list[Resolution]] = {}
        for row in self.rows(cypher.RESOLUTIONS, ids=valid_utf8(event_ids)):
            if has_required_fields(row, _OPTIONAL):
                made = Resolution(row["id"], row["status"], from_microseconds(row["at"]), row["note"])
                found.setdefault(row["id"], []).append(made)
        return found

    def drop_resolutions(self, artifact_ids: Sequence[str]) -> None:
        self.run(cypher.DROP_RESOLUTIONS, ids=artifact_ids)

    def _stored_events(self, event_ids: Iterable[str]) -> set[str]:
        return {row["id"] for row in self.rows(cypher.STORED, ids=valid_utf8(event_ids))}

    def _link(self, links: Iterable[EventLink]) -> None:
        for relation, same in groupby(sorted(links, key=attrgetter("relation")), attrgetter("relation")):
            self.run(cypher.LINK[relation], links=list(map(asdict, same)))

    def _unlink(self, links: Iterable[EventLink]) -> None:
        self.run(cypher.UNLINK, links=list(map(asdict, links)))

    def _insert_resolution(self, resolution: Resolution, artifact_id: str) -> None:
        properties = asdict(resolution) | {"artifact_id": artifact_id, "name": resolution.status}
        self.run(cypher.RESOLVE, event_id=resolution.event_id, properties=properties)

    def _refresh_statuses(self, event_ids: Iterable[str]) -> None:
        refresh_statuses(self._transaction, self.project_id, event_ids)


def _similar(
    transaction: Transaction, project_id: str, searches: Sequence[EventSearch], limit: int, most_read: int | None
) -> list[list[str]]:
    stems = [ledger_stems(search.text)[:_STEMS] for search in searches]
    queries = {stem: _query(project_id, [stem]) for stem in chain.from_iterable(stems)}
    rows = transaction.rows(cypher.COUNT_WITH, queries=list(queries.values()), most_read=MOST_READ)
    numbers = dict(zip(queries, (row["number"] for row in rows), strict=True))
    of_terms = {term(stem): query for stem, query in queries.items()}
    counted = [[(numbers[stem], term(stem)) for stem in some] for some in stems]
    each = fair_share(counted, most_read)
    asked: Parameters = {"project_id": project_id, "limit": limit, "most_read": each}
    found = []
    for search, of_it in zip(searches, counted, strict=True):
        weights = [[of_terms[number], weight] for number, weight in rarest_stems(of_it, each)]
        row = transaction.row(
            cypher.LIKE, id=search.event_id, categories=list(search.categories), weights=weights, **asked
        )
        found.append([] if row is None else list(row["ids"]))
    return found


def _query(project_id: str, stems: Sequence[str]) -> str:
    """Return a query of Lucene's: any of the stems, in one project, whose name counts nothing."""
    words = " ".join(f'"{stem}"' for stem in stems)
    return f'+project_id:"{project_id}"^0 +words:({words})'


def _page(project_id: str, query: LedgerQuery) -> tuple[LiteralString, Parameters]:
    """Return the statement of a page and its parameters."""
    is_past = query.filters.as_of is not None
    there = cypher.CURRENT_OR_LINKED_THEN if is_past else cypher.CURRENT_OR_LINKED
    condition, parameters = condition_of(project_id, query.filters, there)
    stems = ledger_stems(" ".join(query.words))[:_STEMS]
    parameters |= {
        "category": query.category,
        "stems": stems,
        "shared": query.shared,
        "query": _query(project_id, stems),
        "about": valid_utf8(query.about),
        "statuses": list(query.statuses),
        "actors": valid_utf8(query.actors or ()),
        "recipients": valid_utf8(query.recipients or ()),
        **bounds_of("ledger_date_from", query.date_from),
        **bounds_of("ledger_date_to", query.date_to),
        **bounds_of("ledger_due_before", query.due_before),
        **bounds_of("ledger_stale_before", query.stale_before),
        "weekly": list(query.weekly),
        "min_confidence": query.min_confidence,
    }
    has_evidence = among(cypher.HAS_EVIDENCE, condition)
    conditions = " AND ".join([has_evidence, *_conditions(query)])
    order = cypher.SOONEST if query.by_due else cypher.NEWEST
    return (
        f"{_chosen(query, has_stems=bool(stems))} WHERE {conditions}"
        f" WITH v, shared, {cypher.IS_SURE} AS is_sure, {_is_asked(query)} AS is_asked"
        f" ORDER BY shared DESC, {order} {cypher.PAGE}"
    ), parameters


def _chosen(query: LedgerQuery, *, has_stems: bool) -> LiteralString:
    """Return what finds the events of the topic, or all of the category if none was asked for."""
    if not query.words and not query.about:
        return cypher.ALL
    ways: list[LiteralString] = [cypher.WITH_WORDS] if has_stems else []
    return f"CALL () {{ {' UNION ALL '.join([*ways, cypher.ABOUT])} }} {cypher.OF_TOPIC}"


def _conditions(query: LedgerQuery) -> list[LiteralString]:
    conditions = [condition for field, condition in cypher.CONDITIONS.items() if getattr(query, field)]
    if query.statuses:
        is_past = query.filters.as_of is not None
        conditions.append(cypher.STATUSES_CONDITION_THEN if is_past else cypher.STATUSES_CONDITION)
    if query.actors is not None:
        conditions.append(cypher.OF_OWNERS if query.owners else cypher.OF_ACTORS)
    if query.recipients is not None:
        conditions.append(cypher.OF_RECIPIENTS)
    return conditions


def _is_asked(query: LedgerQuery) -> LiteralString:
    """Return the condition that an event is stale or not as asked for."""
    if query.stale is None or query.stale_before is None:
        return "true"
    return (cypher.STALE if query.filters.as_of is None else cypher.STALE_THEN)[query.stale]
