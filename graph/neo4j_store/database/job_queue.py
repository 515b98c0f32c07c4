"""Putting jobs into the ledger inside another part's transaction."""

import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from core.records import JobKind
from graph.neo4j_store.cypher import administration_cypher
from graph.neo4j_store.database.connection import Transaction

#: When a job that nobody has tried is due, whatever the clock is set to.
AT_ONCE: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBERING: Final = threading.Lock()
_last = 0


def put_jobs(
    transaction: Transaction, project_id: str, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]
) -> None:
    """Set these jobs of several artifacts, given with their number of chunks, to pending; in the order given."""
    jobs = [
        # A new number each time: what still holds the job as it was can no longer finish it.
        {"id": job_id(id_, kind), "artifact_id": id_, "kind": kind, "num_chunks": chunks, "number": next_number()}
        for id_, chunks in num_chunks.items()
        for kind in kinds
    ]
    if jobs:
        transaction.run(administration_cypher.PUT_JOBS, project_id=project_id, jobs=jobs, due_at=AT_ONCE)


def job_id(artifact_id: str, kind: JobKind) -> str:
    """Return the id that a job has in its project."""
    return f"{artifact_id}:{kind}"


def next_number() -> int:
    """Return nanoseconds since 1970, so that the numbers of all hosts are in order, higher than any before here."""
    global _last
    with _NUMBERING:
        _last = max(time.time_ns(), _last + 1)
        return _last
