"""Annotating: what callers know of texts, given with `remember` or for a stored item with `learn`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from core.dates import now, zone
from core.errors import Conflict, InvalidInput, NotFound, Unavailable
from core.interface.learning import AnnotatedMemory, GivenEntity, GivenEvent, LearnRequest, Learnt
from core.interface.memory import Memory
from core.knowledge.findings import Category, FoundEvent, Knowledge, event_id, normalise_name
from core.knowledge.runs import CALLER_EXTRACTOR, CallerAnnotations, Run, RunScope, RunTally, run_id
from core.knowledge.secrets import note_redactions
from graph.store import Store
from ingest.given import Quoted, locate_given_quotes, note_on_events
from ingest.intake.dating import add_text_date
from ingest.isolation import IsolatedError
from ingest.ledger.links import find_unresolved_references
from ingest.worker import Worker

_UNMATCHED: Final = (
    "no decision (supersedes) or commitment (completes) listed so far has these words in its quote: check them, "
    "or give its evt_… id."
)


def annotation_run(project_id: str, ids: Sequence[str] = ()) -> Run:
    """Return a new, finished run of a caller's annotations."""
    moment = now()
    scope = RunScope(ids=tuple(ids))
    return Run(
        id=run_id(),
        project_id=project_id,
        extractor=CALLER_EXTRACTOR,
        scope=scope,
        started=moment,
        state="finished",
        ended=moment,
    )


def without_annotations(memory: Memory) -> Memory:
    """Return a memory as it is stored, without its annotations."""
    return memory.plain() if isinstance(memory, AnnotatedMemory) else memory


def annotations_for(memory: Memory, run: Run, store: Store) -> tuple[CallerAnnotations | None, tuple[str, ...]]:
    """Return the annotations of a memory, None if it has none, and notes on them.

    Raises:
        InvalidInput: the content does not contain a quote, or something named is not stored; nothing was stored.
        Unavailable: the record does not answer.
    """
    if not isinstance(memory, AnnotatedMemory) or not (memory.events or memory.entities):
        return None, ()
    shown: Memory = add_text_date(memory)
    is_said_now = shown.is_first_hand and shown.moment() is None
    written = run.started.astimezone(zone()) if is_said_now else shown.written()
    stored = store.by_fingerprint(run.project_id, shown.fingerprint(run.project_id), revisions=True)
    if stored is not None:  # the quotes must be in the text as it is stored
        shown, written = replace(shown, content=stored.memory.content), stored.written()
    return _annotations(shown, run, memory.events, memory.entities, store, written=written)


def learn(project_id: str, asked: LearnRequest, store: Store, worker: Worker) -> Learnt:
    """Store annotations of an item, and update the item's knowledge.

    If that can't be done now it is done in the background, and `degraded` says so.

    Raises:
        NotFound: no current item has the id.
        InvalidInput: as `annotations_for` does.
        Unavailable: the record can't be written; nothing was kept.
    """
    artifact = store.get(project_id, [asked.id]).get(asked.id)
    if artifact is None:
        raise NotFound(f"Nothing is stored under id {asked.id[:80]!r}: recall with a query to find art_… ids.")
    if artifact.replaced_by is not None:
        raise NotFound(f"{asked.id!r} was replaced by {artifact.replaced_by!r}: give knowledge of that one.")
    run = annotation_run(project_id, [asked.id])
    annotations, notes = _annotations(
        artifact.memory, run, asked.events, asked.entities, store, written=artifact.written(), replaces=asked.replace
    )
    is_kept = store.annotate(project_id, asked.id, annotations)
    if not is_kept:
        _check_current(project_id, asked.id, store)
    degraded = update_knowledge(project_id, asked.id, worker) if is_kept else None
    events = [_event_id(project_id, asked.id, event) for event in annotations.found.events]
    knowledge = store.artifact_knowledge(project_id, [asked.id]).get(asked.id, Knowledge())
    hint = " ".join((*notes, *note_redactions(asked.redacted))) or None
    return Learnt(
        asked.id,
        events,
        _ids(knowledge, [entity.name for entity in asked.entities]),
        run.id if is_kept else None,
        degraded,
        hint,
    )


def _check_current(project_id: str, artifact_id: str, store: Store) -> None:
    """Raise `NotFound` if an item is no longer current."""
    artifact = store.get(project_id, [artifact_id]).get(artifact_id)
    if artifact is None:
        raise NotFound(f"The item {artifact_id!r} was forgotten meanwhile: nothing was kept.")
    if artifact.replaced_by is not None:
        raise NotFound(f"{artifact_id!r} was replaced by {artifact.replaced_by!r} meanwhile: nothing was kept.")


def _annotations(
    memory: Memory,
    run: Run,
    events: Sequence[GivenEvent],
    entities: Sequence[GivenEntity],
    store: Store,
    *,
    written: datetime | None,
    replaces: bool = False,
) -> tuple[CallerAnnotations, tuple[str, ...]]:
    _check_targets(run.project_id, events, store)
    placed: Quoted = locate_given_quotes(memory, events, entities, written=written, replaces=replaces)
    tally = RunTally(items=1, events_added=len(events), entities_added=len(entities))
    notes = placed.notes
    if missed := find_unresolved_references(run.project_id, placed.found.events, store):
        notes += (note_on_events(missed, _UNMATCHED),)
    return CallerAnnotations(replace(run, tally=tally), placed.found), notes


def _check_targets(project_id: str, events: Sequence[GivenEvent], store: Store) -> None:
    """Check that `supersedes` names a decision and `completes` a commitment, where they are ids."""
    for index, event in enumerate(events):
        named: tuple[tuple[str, str | None, Category], ...] = (
            ("supersedes", event.supersedes, "Decision"),
            ("completes", event.completes, "Commitment"),
        )
        for field, target, category in named:
            if target is None or not target.startswith("evt_"):
                continue
            stored = store.events(project_id, [target]).get(target)
            if stored is None or stored.category != category:
                raise InvalidInput(
                    f"events[{index}]: {field} {target[:80]!r} is not the id of a {category} that is stored: give one "
                    "that decisions or commitments list, or words of its quote."
                )


def update_knowledge(project_id: str, artifact_id: str, worker: Worker) -> list[str] | None:
    """Bring an item's knowledge up to date; return what is missing for it, None if nothing is."""
    try:
        worker.extract(project_id, artifact_id)
    except (Conflict, Unavailable, IsolatedError):  # its job tries again, and `status` says why
        return ["events"]
    return None


def _event_id(project_id: str, artifact_id: str, event: FoundEvent) -> str:
    return event_id(project_id, artifact_id, event.category, event.near_char, event.near_char + len(event.quote))


def _ids(knowledge: Knowledge, names: Sequence[str]) -> list[str]:
    """Return the ids of the entities of these names in an item; what is not yet extracted is left out."""
    known = {normalise_name(name): one.id for one in knowledge.entities for name in (*one.aliases, one.name)}
    return [known[normalise_name(name)] for name in names if normalise_name(name) in known]
