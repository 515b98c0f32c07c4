"""Runs: an extractor's pass over stored items, which can be previewed, executed, resumed and rolled back."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from core.dates import now
from core.errors import Conflict, InvalidInput, NotFound, Unavailable
from core.filters import Filters
from core.knowledge.findings import Knowledge
from core.knowledge.runs import CALLER_EXTRACTOR, Run, RunScope, RunTally, run_id
from core.records import Artifact
from graph.lease import LEASE, Lease, holder, take
from graph.store import Store
from ingest.extract.protocol import Extractor, RemoteExtractor, extract_cached
from ingest.identity.candidate_pairs import propose_pairs_of
from ingest.identity.merge_requests import roll_back_decisions
from ingest.identity.stale_items import find_stale_items
from ingest.ledger.links import restore_links
from ingest.runs.diff import Changes, compare
from ingest.runs.pipeline import IN_PROCESS, TextWork, link_knowledge, resolve_extraction, store_knowledge

_log = logging.getLogger("remembrancer.runs")

_FREE: Final = ""


@dataclass(frozen=True, slots=True)
class ProjectLock:
    """One process's lock on a project."""

    _lease: Lease

    def check(self) -> None:
        """Make sure that the caller still holds the lock.

        Raises:
            Unavailable: its lease was not renewed in time, and another process took over.
        """
        if self._lease.is_lost:
            raise Unavailable(
                f"Run {self._lease.about} did not renew its lease for {LEASE.total_seconds():.0f} seconds, and another "
                "process holds the lock now: what it has done is kept, and can be resumed or rolled back."
            )

    def release(self) -> None:
        """Release the lock; if the record does not answer it is free when the lease runs out."""
        with suppress(Unavailable):
            self._lease.leave(_FREE)


@contextmanager
def project_lock(store: Store, project_id: str, run_id: str) -> Iterator[ProjectLock]:
    """Hold a project's lock while the block runs.

    Raises:
        Conflict: a run is under way in the project; the message names it.
        Unavailable: the record does not answer.
    """
    marker = _marker(project_id)
    kept = store.metadata_value(marker)
    lease = None if holder(kept) else take(store, marker, run_id, instead_of=kept)
    if lease is None:
        other = holder(kept) or active_run(store, project_id) or "of another process"
        raise Conflict(f"Run {other} is in progress in project {project_id!r}: wait until it has ended.")
    lock = ProjectLock(lease)
    try:
        with lease.renewed(f"run {run_id}", _log):
            yield lock
    finally:
        lock.release()


def active_run(store: Store, project_id: str) -> str | None:
    """Return the id of the run that a process is executing in the project now; None if there is none."""
    return holder(store.metadata_value(_marker(project_id)))


def _marker(project_id: str) -> str:
    return f"run of {project_id}"


#: Most runs searched for a later one; in a project with more of them no run is resumed.
_MAX_RUNS: Final = 10_000
#: Entities compared with others in one batch.
_BATCH: Final = 100

Progress = Callable[[int], None]


def _silent(steps: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a run would change in one item; `failed` says why the extractor refused the item."""

    artifact: Artifact
    changes: Changes
    unproven: int = 0
    failed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """The outcome of a roll-back.

    `restored` items have their earlier knowledge, `forgotten` ones are gone; `queued` ones are extracted again, because
    other items came or changed since the run, or names that only the run had found are unknown again. `decisions` on
    entities are taken back.
    """

    run: Run
    restored: int
    forgotten: int
    queued: int
    decisions: int = 0


def list_runs(project_id: str, store: Store, limit: int) -> list[Run]:
    """Return the latest runs, latest first; one that no process is executing any more is `interrupted`."""
    active = active_run(store, project_id)
    return [_with_state(run, active) for run in store.runs(project_id, limit)]


def get_run(project_id: str, identity: str, store: Store) -> Run:
    """Return the run with this id.

    Raises:
        NotFound: there is none in the project.
    """
    run = store.run(project_id, identity)
    if run is None:
        raise NotFound(f"Project {project_id!r} has no run {identity[:80]!r}: `remembrancer runs` lists them.")
    return _with_state(run, active_run(store, project_id))


def count_items(project_id: str, scope: RunScope, store: Store) -> int:
    """Return how many items a run of this scope looks at."""
    if scope.ids:
        return len(set(scope.ids))
    return store.count(project_id, Filters(at=now(), context=scope.context))


def preview(
    project_id: str,
    scope: RunScope,
    store: Store,
    extractor: Extractor,
    progress: Progress = _silent,
    texts: TextWork = IN_PROCESS,
) -> Iterator[Difference]:
    """Yield what a run of this scope would change, item by item; only the responses of a service are stored.

    Each item is compared with the project as it is now: in a run, what is found in one item may change how names in
    the next resolve. `progress` is called for each item looked at.

    Raises:
        NotFound: an item that the scope names is not stored.
        InvalidInput: the limit is not a number of items.
        Unavailable: the extractor or the record does not answer.
    """
    _check(project_id, scope, store)
    read = 0
    for artifact in _selected(project_id, scope, store):
        if scope.limit is not None and read >= scope.limit:
            return
        if scope.anew or not _is_read(artifact, store, extractor, None):
            read += 1
            yield _difference(artifact, store, extractor, texts, anew=scope.anew)
        progress(1)


def create_run(project_id: str, scope: RunScope, store: Store, extractor: Extractor) -> Run:
    """Store a new run, for `execute`.

    Raises:
        NotFound: an item that the scope names is not stored.
        InvalidInput: the limit is not a number of items.
    """
    _check(project_id, scope, store)
    run = Run(id=run_id(), project_id=project_id, extractor=extractor.name, scope=scope, started=now())
    store.record_act("extract", project_id, [run.id])
    store.put_run(run)
    return run


def execute(
    run: Run, store: Store, extractor: Extractor, progress: Progress = _silent, texts: TextWork = IN_PROCESS
) -> Run:
    """Extract the items that the run has not read yet and store their knowledge; return the finished run.

    If it is interrupted, by an error or the end of the process, the items read so far keep their knowledge, and the run
    can be resumed or rolled back. Items that the extractor refuses are counted and stay as they were.

    Raises:
        Conflict: another run is under way, a later one is in effect, this one has ended, or it is of another extractor.
        Unavailable: the extractor or the record does not answer.
    """
    with project_lock(store, run.project_id, run.id) as lock:
        run = _resumed(run, store, extractor)
        finished = {id_ for id_, done in store.run_items(run.project_id, run.id).items() if done}
        for artifact in _selected(run.project_id, run.scope, store):
            if run.scope.limit is not None and run.tally.items >= run.scope.limit:
                break
            lock.check()
            if artifact.id not in finished and (run.scope.anew or not _is_read(artifact, store, extractor, run.id)):
                run = _read_item(run, artifact, store, extractor, texts)
            progress(1)
        run = replace(run, state="finished", ended=now())
        store.put_run(run)
    return run


def roll_back(run: Run, store: Store, progress: Progress = _silent) -> RolledBack:
    """Restore the earlier knowledge of every item that the run has read; if interrupted, calling it again finishes it.

    Declared statuses stay with the events that stay. Background work goes on meanwhile, as if the run had not been.

    Raises:
        Conflict: another run is under way, or later ones have read the same items: they must be rolled back first.
        Unavailable: the record does not answer.
    """
    with project_lock(store, run.project_id, run.id) as lock:
        run = get_run(run.project_id, run.id, store)
        if later := store.later_runs(run.project_id, run.id):
            raise Conflict(f"Later runs have read items of run {run.id}: roll back {', '.join(later)} first.")
        if run.state == "rolled_back":
            return RolledBack(run=run, restored=0, forgotten=0, queued=0)
        run = replace(run, state="rolling_back")
        store.record_act("roll_back", run.project_id, [run.id])
        store.put_run(run)
        return _roll_back(run, store, lock, progress)


def _roll_back(run: Run, store: Store, lock: ProjectLock, progress: Progress) -> RolledBack:
    changed = store.changed_since(run.project_id, run.started)
    decisions = roll_back_decisions(run, store)
    readings = store.run_items(run.project_id, run.id)
    restored, stale, touched = list[str](), set[str](), set[str]()
    for artifact_id in reversed(readings):
        lock.check()
        if (current := _restore(run, artifact_id, store)) is not None:
            restored.append(artifact_id)
            touched |= {entity.id for entity in current.entities}
            # Names that only the run had found are unknown again: others may resolve differently.
            stale |= set(find_stale_items(run.project_id, artifact_id, current, store)) - readings.keys()
        progress(1)
    # One item may change how names in another resolve: all are linked once all are restored.
    for artifact_id in restored:
        lock.check()
        if _relink(run, artifact_id, store) or changed:
            stale.add(artifact_id)
    for batch in _batches(sorted(touched)):
        propose_pairs_of(run.project_id, batch, store)
    if stale:
        store.queue(run.project_id, sorted(stale), "extract")
    if run.extractor == CALLER_EXTRACTOR and readings:
        store.queue(run.project_id, sorted(readings), "embed")  # without its restatements
    run = replace(run, state="rolled_back", ended=now())
    store.put_run(run)
    store.delete_extractions(run.project_id, run.id)
    forgotten = max(0, run.tally.items - sum(readings.values()))  # what was given is carried over to further items
    return RolledBack(run=run, restored=len(restored), forgotten=forgotten, queued=len(stale), decisions=decisions)


def _restore(run: Run, artifact_id: str, store: Store) -> Knowledge | None:
    """Restore the earlier knowledge of one item; return the knowledge it replaced, None if the item is forgotten."""
    snapshot = store.snapshot_before(run.project_id, run.id, artifact_id)
    current = store.artifact_knowledge(run.project_id, [artifact_id]).get(artifact_id)
    if snapshot is None or current is None:
        return None
    others = find_stale_items(run.project_id, artifact_id, snapshot.knowledge, store)
    store.replace(run.project_id, artifact_id, snapshot.knowledge)
    if others:
        store.queue(run.project_id, others, "extract")
    return current


def _relink(run: Run, artifact_id: str, store: Store) -> bool:
    """Link an item with others again; return whether it was waiting for extraction when the run read it."""
    snapshot = store.snapshot_before(run.project_id, run.id, artifact_id)
    if snapshot is None:
        return False
    link_knowledge(run.project_id, artifact_id, snapshot.knowledge, store)
    restore_links(run.project_id, snapshot.knowledge, store)
    return snapshot.waits


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))


def _read_item(run: Run, artifact: Artifact, store: Store, extractor: Extractor, texts: TextWork) -> Run:
    """Read one item and return the run with its tally."""
    spent = _tokens(extractor)
    try:
        if not _is_extracted(run, artifact, store):
            found = extract_cached(artifact, extractor, store, anew=run.scope.anew)
            store.save_extraction(run, artifact.id, found, waits=_waits(artifact, store))
        unproven = _apply(run, artifact, store, texts)
    except Conflict as error:
        _log.warning("Run %s skips %s: %s", run.id, artifact.id, error)
        run = replace(run, tally=run.tally + RunTally(failed=1, tokens=_tokens(extractor) - spent))
        store.put_run(run)
        return run
    snapshot = store.snapshot_before(run.project_id, run.id, artifact.id)
    current = store.artifact_knowledge(run.project_id, [artifact.id]).get(artifact.id)
    if snapshot is None or current is None:
        return run  # forgotten meanwhile
    done = RunTally(items=1, unproven=unproven, tokens=_tokens(extractor) - spent)
    run = replace(run, tally=run.tally + done + compare(snapshot.knowledge, current).tally())
    store.finish_extraction(run, artifact.id)
    return run


def _apply(run: Run, artifact: Artifact, store: Store, texts: TextWork) -> int:
    """Store what the run found in an item; return how many events lacked evidence.

    The present knowledge of items whose names it changes is kept, to be restored together with this one.
    """
    reading = store.latest_extraction(run.project_id, artifact.id)
    if reading is None or reading.run_id != run.id:
        return 0  # forgotten meanwhile
    knowledge, unproven = resolve_extraction(artifact, reading.found, store, texts)
    others = find_stale_items(run.project_id, artifact.id, knowledge, store)
    for other in store.get(run.project_id, others).values():
        store.save_extraction(run, other.id, None, waits=_waits(other, store))
    store_knowledge(run.project_id, artifact.id, knowledge, store)
    return unproven


def _difference(artifact: Artifact, store: Store, extractor: Extractor, texts: TextWork, *, anew: bool) -> Difference:
    try:
        found = extract_cached(artifact, extractor, store, anew=anew)
        knowledge, unproven = resolve_extraction(artifact, found, store, texts)
    except Conflict as error:
        return Difference(artifact, Changes(), failed=str(error))
    before = store.artifact_knowledge(artifact.project_id, [artifact.id]).get(artifact.id)
    return Difference(artifact, Changes() if before is None else compare(before, knowledge), unproven)


def _resumed(run: Run, store: Store, extractor: Extractor) -> Run:
    """Return the run as it is stored; raises `Conflict` if it can't be resumed."""
    run = get_run(run.project_id, run.id, store)
    if run.state not in {"running", "interrupted"}:
        raise Conflict(f"Run {run.id} is {run.state.replace('_', ' ')} and can't be resumed: start another.")
    if run.extractor != extractor.name:
        raise Conflict(
            f"Run {run.id} was started with {run.extractor!r}, and the settings name {extractor.name!r}: set what they "
            "named then, or roll it back and start another."
        )
    for later in store.runs(run.project_id, _MAX_RUNS):
        if later.id == run.id:
            return replace(run, state="running", tally=replace(run.tally, failed=0))
        if later.state != "rolled_back":
            raise Conflict(
                f"Run {later.id} was started after {run.id} and is in effect: roll it back first, or start another."
            )
    raise Conflict(f"Run {run.id} has over {_MAX_RUNS} later ones: start another.")


def _selected(project_id: str, scope: RunScope, store: Store) -> Iterator[Artifact]:
    if scope.ids:
        found = store.get(project_id, scope.ids)
        yield from (found[id_] for id_ in dict.fromkeys(scope.ids) if id_ in found)
        return
    for batch in store.each(project_id):
        yield from (artifact for artifact in batch if scope.context in {None, artifact.memory.context})


def _check(project_id: str, scope: RunScope, store: Store) -> None:
    if scope.limit is not None and scope.limit < 1:
        raise InvalidInput(f"limit {scope.limit} is not valid: it must be 1 or more.")
    found = store.get(project_id, scope.ids)
    for id_ in scope.ids:
        if id_ not in found:
            raise NotFound(f"Nothing is stored under id {id_[:80]!r}: leave it out.")


def _is_read(artifact: Artifact, store: Store, extractor: Extractor, run: str | None) -> bool:
    """Whether another run of this extractor has read the item last."""
    reading = store.latest_extraction(artifact.project_id, artifact.id)
    return reading is not None and reading.extractor == extractor.name and reading.run_id != run


def _is_extracted(run: Run, artifact: Artifact, store: Store) -> bool:
    """Whether the run was interrupted after extracting this item and before storing its knowledge."""
    reading = store.latest_extraction(artifact.project_id, artifact.id)
    return reading is not None and reading.run_id == run.id


def _waits(artifact: Artifact, store: Store) -> bool:
    reports = store.job_reports(artifact.project_id, artifact.id)
    return any(report.kind == "extract" and report.state != "done" for report in reports)


def _tokens(extractor: Extractor) -> int:
    return extractor.usage().tokens if isinstance(extractor, RemoteExtractor) else 0


def _with_state(run: Run, active: str | None) -> Run:
    return replace(run, state="interrupted") if run.state == "running" and run.id != active else run
