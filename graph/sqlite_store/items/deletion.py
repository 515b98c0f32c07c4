"""Removing items with all that has no other evidence. Runs inside one transaction."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from core.interface.audit import Act, entries_of
from core.records import DeletionCounts
from graph.sqlite_store.database.audit_trail import write_entries
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.job_queue import put_job
from graph.sqlite_store.database.rows import drop_chunks, drop_unused_embeddings
from graph.sqlite_store.items.stash_index import unindex_stashed
from graph.sqlite_store.knowledge.echoes import queue_echoing
from graph.sqlite_store.knowledge.lessons import remove_knowledge
from graph.sqlite_store.knowledge.statuses import drop_resolutions
from graph.sqlite_store.knowledge.verdicts import delete_orphaned_decisions

# The named items and, for those that are current, all they replaced; revisions before what replaced them, so that
# relinking never makes one current.
_FOUND: Final = """
WITH RECURSIVE named (id) AS (SELECT value FROM json_each(:ids)),
replaced (id) AS (
    SELECT a.id FROM named JOIN artifacts a ON a.project_id = :project_id AND a.id = named.id AND a.replaced_by IS NULL
    UNION
    SELECT earlier.id FROM replaced JOIN artifacts earlier
        ON earlier.project_id = :project_id AND earlier.replaced_by = replaced.id
)
SELECT item, id, num_chunks, stashed FROM artifacts
WHERE project_id = :project_id AND id IN (SELECT id FROM named UNION SELECT id FROM replaced)
ORDER BY replaced_by IS NULL
"""
_RELINK: Final = "UPDATE artifacts SET replaced_by = ? WHERE project_id = ? AND replaced_by = ?"


def remove(connection: sqlite3.Connection, project_id: str, ids: Sequence[str], act: Act = "forget") -> DeletionCounts:
    """Do what `Records.remove` promises, and name the act in the audit trail."""
    total = DeletionCounts(0, 0, 0)
    rows = connection.execute(_FOUND, {"project_id": project_id, "ids": id_list(ids)}).fetchall()
    for item, id_, num_chunks, stashed in rows:
        if stashed:
            unindex_stashed(connection, item)
        events, entities = remove_knowledge(connection, item)
        drop_resolutions(connection, project_id, id_)
        hashes = drop_chunks(connection, item)
        drop_unused_embeddings(connection, hashes)
        successor = connection.execute("SELECT replaced_by FROM artifacts WHERE item = ?", (item,)).fetchone()[0]
        connection.execute(_RELINK, (successor, project_id, id_))
        connection.execute("DELETE FROM jobs WHERE project_id = ? AND artifact_id = ?", (project_id, id_))
        queue_echoing(connection, project_id, item)
        connection.execute("DELETE FROM artifacts WHERE item = ?", (item,))
        put_job(connection, project_id, id_, "erase", num_chunks)
        total += DeletionCounts(len(hashes), events, entities)
    delete_orphaned_decisions(connection, project_id)
    write_entries(connection, entries_of(act, project_id, [row[1] for row in rows]))
    return total
