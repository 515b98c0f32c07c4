"""What is derived compared with its source, and repaired."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, LiteralString

from neo4j import Record

from core.dates import now
from core.records import MISSPELT, IntegrityIssue, Part
from graph.neo4j_store.artifact_knowledge import (
    connect_mentions,
    delete_events_without_evidence,
    found_under,
    rename,
    write_names,
)
from graph.neo4j_store.cypher import administration_cypher as checks
from graph.neo4j_store.cypher import knowledge_cypher, schema_cypher
from graph.neo4j_store.database.connection import LONG_SECONDS, Database, Transaction
from graph.neo4j_store.database.rows import indexed_words
from graph.neo4j_store.item_writer import passages
from graph.text.term_vectors import is_spelt, lost_words, packed_counts, tally, word_counts, words_of

_TO_EXTRACT: Final = (
    checks.MISSING_EVENTS,
    checks.MISSING_ENTITIES,
    checks.UNEXPECTED_EVENTS,
    checks.UNEXPECTED_ENTITIES,
)


def repair_graph(project_id: str, misquoted: Iterable[str], at: datetime, transaction: Transaction) -> list[str]:
    """Do what `Soundness.repair` promises of the graph of a project; return the items to be extracted again."""
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    items = {row["item"] for statement in _TO_EXTRACT for row in transaction.rows(statement, project_id=project_id)}
    delete_events_without_evidence(transaction, project_id, _column(transaction, checks.UNPROVEN, project_id, "id"))
    rename(transaction, project_id, _column(transaction, checks.UNNAMED, project_id, "id"))
    write_names(transaction, project_id)
    transaction.run(checks.COUNT, project_id=project_id)
    for statement in (checks.UNMENTIONED, checks.OVERMENTIONED):
        for item in _column(transaction, statement, project_id, "item"):
            connect_mentions(transaction, project_id, item)
    events = _column(transaction, checks.MISCONNECTED, project_id, "item")
    transaction.run(knowledge_cypher.CONNECT_EVENTS, project_id=project_id, ids=events)
    items |= set(misquoted)
    rows = transaction.rows(checks.CURRENT_ITEMS, project_id=project_id, ids=sorted(items), at=at)
    current = [str(row["id"]) for row in rows]
    transaction.run(checks.ACCEPT, project_id=project_id, ids=sorted(items - set(current)))
    return sorted(current)


def _column(transaction: Transaction, statement: LiteralString, project_id: str, name: str) -> Sequence[str]:
    return sorted({row[name] for row in transaction.rows(statement, project_id=project_id)})


#: Nodes read in one transaction.
_BATCH: Final = 1_000


class Neo4jSoundness:
    """Fulfils `graph.protocols.administration.Soundness`. Projects are looked at one after another, each in many
    transactions."""

    _database: Database
    rebuild: Callable[[], int]

    def integrity_issues(self) -> list[IntegrityIssue]:
        # Others write while it is read: what is wrong is wrong twice.
        first = self._look()
        again = {
            (issue.part, issue.what, issue.project_id): set(issue.ids) for issue in (self._look() if first else ())
        }
        kept = [(one, again.get((one.part, one.what, one.project_id), set()).intersection(one.ids)) for one in first]
        return [replace(issue, ids=tuple(sorted(ids))) for issue, ids in kept if ids]

    def _look(self) -> list[IntegrityIssue]:
        found = list(self._unready_indexes())
        for row in self._database.rows(checks.PROJECTS):
            project_id = str(row["id"])
            for part, what, statement in checks.CHECKS:
                found += _issues(part, what, project_id, self._ids(statement, project_id))
            found += self._word_flaws(row, is_indexed=not found or found[0].project_id is not None)
            found += _issues(
                "words", "stashed items can't be found by fragments", project_id, self._unfound(project_id)
            )
            misnamed = [one.id for one in self._database.read(partial(found_under, project_id)) if one.is_wrong]
            found += _issues("graph", "entities are not found under the names they are given", project_id, misnamed)
            found += _issues("graph", "quotes are not in their item", project_id, self._misquoted(project_id))
        return found

    def repair(self, parts: Collection[Part]) -> Mapping[str, Sequence[str]]:
        again: dict[str, Sequence[str]] = {}
        projects = [str(row["id"]) for row in self._database.rows(checks.PROJECTS)]
        for project_id in projects if "graph" in parts else ():
            repaired = partial(repair_graph, project_id, self._misquoted(project_id), now())
            if items := self._database.write(repaired, seconds=LONG_SECONDS):
                again[project_id] = items
        if "words" in parts:
            for project_id in projects:
                for statement in (checks.DROP_CHUNKS, checks.DROP_PASSAGES):
                    self._database.write(partial(_run, statement, project_id), seconds=LONG_SECONDS)
            self.rebuild()
        return again

    def _unready_indexes(self) -> Iterator[IntegrityIssue]:
        names = set(schema_cypher.WORD_INDEXES)
        ready = {row["name"] for row in self._database.rows(checks.WORD_INDEXES, names=sorted(names))}
        if missing := names - ready:
            yield IntegrityIssue("words", "full-text indexes are missing or not ready", tuple(sorted(missing)))

    def _word_flaws(self, project: Record, *, is_indexed: bool) -> Iterator[IntegrityIssue]:
        """Yield what is wrong with the words and terms of chunks, and how the terms are counted."""
        project_id = str(project["id"])
        num_with, total, seen = Counter[int](), 0, set[str]()
        wordless, wrong, known, short = [], [], set[int](), set[int]()
        for row in self._batches(checks.CHUNKS, project_id):
            counts = word_counts(row["text"])
            vector = packed_counts(counts)
            if row["words"] != indexed_words(row["text"]):
                wordless.append(row["id"])
            if row["terms"] != vector:
                wrong.append(row["id"])
            counted, terms = tally([vector])
            num_with.update(counted)
            for term, word in words_of(counted, [counts]).items():
                (known if is_spelt(word) else short).add(term)
            total += terms
            seen.add(row["id"])
        query = f'project_id:"{project_id}"'
        if is_indexed:
            held = {row["id"] for row in self._database.rows(checks.INDEXED, query=query)}
            wordless += seen - held
        yield from _issues("words", "chunks have no words", project_id, wordless)
        yield from _issues("words", "chunks have other terms than their text", project_id, wrong)
        rows = self._database.rows(checks.TERMS, project_id=project_id)
        stored = {int(row["id"]): row["num_chunks"] for row in rows}
        off = [str(term) for term in stored.keys() | num_with.keys() if stored.get(term) != num_with.get(term)]
        if ((project["num_chunks"] or 0), (project["num_terms"] or 0)) != (len(seen), total):
            off.append("all together")
        yield from _issues("words", "terms are counted wrongly", project_id, off)
        words = {int(row["id"]): row["word"] for row in rows}
        lost = lost_words(words, known - short)
        if is_indexed:
            held = {int(row["id"]) for row in self._database.rows(checks.SPELT, query=query)}
            lost |= {term for term, word in words.items() if word is not None and term not in held}
        yield from _issues("words", MISSPELT, project_id, map(str, lost))

    def _unfound(self, project_id: str) -> Iterator[str]:
        for row in self._database.rows(checks.STASHED, project_id=project_id):
            wanted = {(one["id"], one["folded"]) for one in passages(project_id, row["id"], row["content"])}
            if {tuple(one) for one in row["passages"]} != wanted:
                yield row["id"]
        yield from self._ids(checks.STRAY_PASSAGES, project_id)

    def _misquoted(self, project_id: str) -> list[str]:
        return [
            row["id"]
            for row in self._batches(checks.QUOTES, project_id)
            if any((row["content"] or "")[start:end] != quote for start, end, quote in row["quotes"])
        ]

    def _ids(self, statement: LiteralString, project_id: str) -> list[str]:
        return [row["id"] for row in self._database.rows(statement, project_id=project_id)]

    def _batches(self, statement: LiteralString, project_id: str) -> Iterator[Record]:
        last = ""
        while rows := self._database.rows(statement, project_id=project_id, last=last, batch=_BATCH):
            yield from rows
            last = rows[-1]["id"]


def _issues(part: Part, what: str, project_id: str, ids: Collection[str] | Iterator[str]) -> list[IntegrityIssue]:
    return IntegrityIssue.by_project(part, what, ((project_id, id_) for id_ in ids))


def _run(statement: LiteralString, project_id: str, transaction: Transaction) -> None:
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    transaction.run(statement, project_id=project_id)
