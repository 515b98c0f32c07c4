"""Removing items with all that has no other evidence. Runs inside one transaction."""

from collections.abc import Mapping, Sequence
from typing import get_args

from neo4j import Record

from core.interface.audit import Act, entries_of
from core.records import DeletionCounts, JobKind
from graph.neo4j_store.cypher import record_cypher
from graph.neo4j_store.database.audit_trail import write_entries
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.job_queue import job_id, put_jobs
from graph.neo4j_store.database.lineage import replaced
from graph.neo4j_store.database.rows import drop_chunks
from graph.neo4j_store.items.embeddings import drop_unused
from graph.neo4j_store.items.stash_index import drop_passages
from graph.neo4j_store.knowledge.echoes import release_echoes
from graph.neo4j_store.knowledge.lessons import remove_knowledge
from graph.neo4j_store.knowledge.runs import drop_readings_of
from graph.neo4j_store.knowledge.statuses import drop_resolutions
from graph.neo4j_store.knowledge.verdicts import delete_orphaned_decisions


def remove(transaction: Transaction, project_id: str, ids: Sequence[str], act: Act = "forget") -> DeletionCounts:
    """Do what `Records.remove` promises, and name the act in the audit trail."""
    if not ids or transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=project_id) is None:
        return DeletionCounts(0, 0, 0)
    going = _going(transaction, project_id, ids)
    if not going:
        return DeletionCounts(0, 0, 0)
    gone = list(going)
    events, entities = remove_knowledge(
        transaction, project_id, [id_ for id_, row in going.items() if row["has_knowledge"]]
    )
    hashes = drop_chunks(transaction, project_id, gone)
    drop_passages(transaction, project_id, gone)
    drop_resolutions(transaction, project_id, gone)
    drop_readings_of(transaction, project_id, gone)
    links = _links({id_: row["replaced_by"] for id_, row in going.items()})
    transaction.run(record_cypher.RELINK, project_id=project_id, links=links)
    release_echoes(transaction, project_id, gone)
    transaction.run(record_cypher.DELETE_ARTIFACTS, project_id=project_id, ids=gone)
    delete_orphaned_decisions(transaction, project_id)
    write_entries(transaction, entries_of(act, project_id, gone))
    # Late, because whoever claims jobs waits for those that are changed here.
    jobs = [job_id(id_, kind) for id_ in gone for kind in get_args(JobKind)]
    transaction.run(record_cypher.DROP_JOBS, project_id=project_id, ids=jobs)
    put_jobs(transaction, project_id, {id_: row["num_chunks"] for id_, row in going.items()}, ["erase"])
    drop_unused(transaction, hashes)
    return DeletionCounts(len(hashes), events, entities)


def _going(transaction: Transaction, project_id: str, ids: Sequence[str]) -> dict[str, Record]:
    """Return the named items that are stored and, for those that are current, all they replaced, by id."""
    named = transaction.rows(record_cypher.GOING, project_id=project_id, ids=ids)
    current = [row["id"] for row in named if row["replaced_by"] is None]
    former = transaction.rows(
        record_cypher.GOING, project_id=project_id, ids=replaced(transaction, project_id, current)
    )
    return {row["id"]: row for row in (*former, *named)}


def _links(replaced_by: Mapping[str, str | None]) -> list[dict[str, str]]:
    """Return, for each of these items that go, which item that stays has replaced it, directly or through others."""
    stays: dict[str, str | None] = {}
    for id_ in replaced_by:
        way: list[str] = []
        end: str | None = id_
        # Each step is walked once, however long the chain.
        while end is not None and end in replaced_by and end not in stays:
            way.append(end)
            end = replaced_by[end]
        stays |= dict.fromkeys(way, None if end is None else stays.get(end, end))
    return [{"removed": id_, "successor": successor} for id_, successor in stays.items() if successor is not None]
