"""Receipts: answers of `remember` and `remember_many`, storing many memories in groups, and waiting for jobs."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from core.errors import InvalidInput, MemoryServiceError, TooLarge, Unavailable
from core.interface.learning import MAX_ITEMS, MAX_WAIT_SECONDS, WAIT_SECONDS
from core.interface.memory import MAX_CONTENT, Memory
from core.interface.parameters import argument_fields
from core.interface.results import Receipt, Receipts, Refusal, describe_unread_languages
from core.knowledge.findings import Knowledge, normalise_name
from core.knowledge.runs import CallerAnnotations, Run
from core.knowledge.secrets import note_redactions
from core.knowledge.text import REPLACEMENT
from core.records import Added, JobReport
from core.search import Tokenizer
from graph.store import Store
from ingest.document.text_kind import unread_language
from ingest.intake.artifacts import Remembered, remember_together
from ingest.worker import Worker
from service.actions.annotating import annotation_run, annotations_for, without_annotations
from service.processes import is_cancelled

#: How often to look whether jobs are done, in seconds.
_POLL: Final = 0.02
#: Each kind of job, as an answer's `degraded` names it.
_NAMES: Final = {"embed": "vectors", "extract": "extractor"}


@dataclass(frozen=True, slots=True)
class WaitResult:
    """What is missing when a wait ends, vectors first: all of it, and what is still being worked on."""

    missing: list[str]
    pending: list[str]

    @property
    def hint(self) -> str | None:
        """What the caller should know of what is pending; None if nothing is."""
        if not self.pending:
            return None
        return (
            f"Stored, and found by its words; still pending in the background: {', '.join(self.pending)}. "
            "`status` shows when that is done."
        )


#: The result of a call that does not wait.
NO_WAIT: Final = WaitResult([], [])


def check_seconds(seconds: float | None) -> float:
    """Return the time to wait; None is the usual one.

    Raises:
        InvalidInput: it is out of range.
    """
    if seconds is None:
        return WAIT_SECONDS
    if not 0 <= seconds <= MAX_WAIT_SECONDS:
        raise InvalidInput(f"wait_seconds is {seconds:g}: use 0 to {MAX_WAIT_SECONDS:g}.")
    return seconds


@dataclass(frozen=True, slots=True)
class JobWait:
    """Waits for jobs, which this process's worker does before all others, or which are put first for external workers.

    A wait ends after a number of seconds, and as soon as its call is cancelled; the jobs go on.
    """

    store: Store
    worker: Worker
    has_external_workers: bool

    def wait(self, project_id: str, artifact_ids: Sequence[str], seconds: float) -> WaitResult:
        """Wait for the jobs of these items and of no others.

        While the record is unavailable, everything counts as missing.
        """
        until = time.monotonic() + seconds
        missing, pending = set[str](), set[str]()
        try:
            if self.has_external_workers:
                self.store.put_first(project_id, artifact_ids)
            else:
                self.worker.do_first(project_id, artifact_ids)
            for artifact_id in artifact_ids:
                stuck, late = self._missing(project_id, artifact_id, until)
                missing |= stuck | late
                pending |= late
        except Unavailable:
            missing |= set(_NAMES.values())
        return WaitResult(sorted(missing, reverse=True), sorted(pending, reverse=True))

    def _missing(self, project_id: str, artifact_id: str, until: float) -> tuple[set[str], set[str]]:
        """Wait for one item; return what will not be done soon, and what time was too short for."""
        while True:
            reports = [one for one in self.store.job_reports(project_id, artifact_id) if one.kind in _NAMES]
            stuck = {_NAMES[one.kind] for one in reports if self._is_stuck(one)}
            active = {_NAMES[one.kind] for one in reports if one.state != "done" and not self._is_stuck(one)}
            if not active or time.monotonic() >= until or is_cancelled():
                return stuck, active
            time.sleep(_POLL)

    def _is_stuck(self, report: JobReport) -> bool:
        untouched = report.kind == "embed" and self.worker.no_vectors is not None
        return report.state == "failed" or (report.state == "pending" and (report.error is not None or untouched))


#: Maximum memories and characters per transaction, so that other writers do not wait long.
_GROUP, _GROUP_CHARACTERS = 25, 100_000
#: Keys, the newest, among which one that looks the same is sought.
_RECENT_KEYS: Final = 1_000
#: Redactions that a receipt lists; its hint says how many there are.
_MOST_REDACTIONS: Final = 100
#: Longest value of a field in a receipt, in characters.
_LONGEST_VALUE: Final = 60


@dataclass(frozen=True, slots=True)
class _Numbered:
    """One of several memories, its index, and its annotations."""

    index: int
    memory: Memory
    annotations: CallerAnnotations | None
    notes: tuple[str, ...]


def make_receipt(
    memory: Memory, project_id: str, done: Remembered, waited: WaitResult, notes: Sequence[str] = ()
) -> Receipt:
    """Return the receipt of one memory; `waited` has what is still to be processed, `notes` are about its
    annotations."""
    hints = [*notes, waited.hint] if waited.hint else notes
    return Receipt(
        id=done.added.artifact_id,
        status=done.added.status,
        context=memory.context,
        project_id=project_id,
        is_chunked=done.num_chunks > 1,
        num_chunks=done.num_chunks,
        token_count=done.token_count,
        events_queued=done.added.jobs_queued > 0,
        key=memory.key,
        conversation_id=memory.conversation_id,
        turn_index=memory.turn_index,
        degraded=waited.missing or None,
        pending=waited.pending or None,
        run_id=done.added.run_id,
        changed=list(done.added.changed) or None,
        hint=" ".join([*_change_notes(done.added), *hints, *_notes(memory)]) or None,
        redacted=list(memory.redacted[:_MOST_REDACTIONS]) or None,
    )


def _notes(memory: Memory) -> Iterator[str]:
    """Yield sentences about the secrets that were replaced, and the fields with invalid Unicode."""
    yield from note_redactions(memory.redacted)
    if damaged := [item.name for item in argument_fields(Memory) if REPLACEMENT in str(getattr(memory, item.name))]:
        yield f"{', '.join(damaged)}: invalid Unicode was replaced by U+FFFD."


def _change_notes(added: Added) -> Iterator[str]:
    """Yield what changed, with the values before and after."""
    if not added.changed:
        return
    what = "Changed" if added.status == "duplicate" else "Unlike the text that it replaced"
    listed = "; ".join(f"{name} {_shown(old)} → {_shown(new)}" for name, (old, new) in added.changed.items())
    yield f"{what}: {listed}."
    if lost := [name for name, (_, new) in added.changed.items() if new is None or new == ()]:
        yield f"No longer there: {', '.join(lost)}."


def _shown(value: object) -> str:
    """Return a short form of a field's value."""
    if value is None or value == ():
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


Answer = TypeVar("Answer", Receipt, Receipt | Refusal)


def add_similar_key_hints(answers: Sequence[Answer], project_id: str, store: Store) -> list[Answer]:
    """Return the answers; one that stored an item under a new key names the key in use that looks the same, if any."""
    if not any(isinstance(one, Receipt) and one.key and one.status == "stored" for one in answers):
        return list(answers)
    alike: dict[str, list[str]] = {}
    for key in store.recent_keys(project_id, _RECENT_KEYS):
        alike.setdefault(normalise_name(key), []).append(key)

    def noted(one: Answer) -> Answer:
        if not isinstance(one, Receipt) or not one.key or one.status != "stored":
            return one
        others = [key for key in alike.get(normalise_name(one.key), ()) if key != one.key]
        note = (
            f"Key {one.key!r} is new here; {others[0]!r} is another one: use that to replace its text."
            if others
            else None
        )
        return replace(one, hint=" ".join(filter(None, (one.hint, note))) or None)

    return [noted(one) for one in answers]


def describe_unread(
    memories: Sequence[Memory | Refusal], answers: Sequence[Receipt | Refusal], project_id: str, store: Store
) -> str:
    """Return a sentence about the texts whose sentences the local extractor does not read, as `status` counts them;
    empty if there are none.

    What the record knows of an item decides, and until it is extracted its text.
    """
    languages = Counter[str]()
    for memory, answer in zip(memories, answers, strict=True):
        if isinstance(memory, Refusal) or isinstance(answer, Refusal) or answer.run_id:
            continue
        language = unread_language(memory.content)
        if language is not None:
            known = store.artifact_knowledge(project_id, [answer.id]).get(answer.id, Knowledge())
            language = known.unread_language if known != Knowledge() else language
        languages.update([language] if language else [])
    return describe_unread_languages(languages)


def make_receipts(answers: Sequence[Receipt | Refusal], waited: WaitResult, note: str = "") -> Receipts:
    """Return the answer about many memories, with a note about some of them."""
    statuses = [answer.status if isinstance(answer, Receipt) else "failed" for answer in answers]
    return Receipts(
        results=list(answers),
        stored=statuses.count("stored"),
        updated=statuses.count("updated"),
        duplicates=statuses.count("duplicate"),
        failed=statuses.count("failed"),
        degraded=waited.missing or None,
        pending=waited.pending or None,
        hint=" ".join(filter(None, (note, waited.hint))) or None,
    )


def remember_many(
    items: Sequence[Memory | Refusal], project_id: str, store: Store, tokenizer: Tokenizer
) -> list[Receipt | Refusal]:
    """Store the memories in groups, in order; return an answer an item, in the same order.

    Raises:
        InvalidInput: there are none.
        TooLarge: there are more than `MAX_ITEMS`, or their contents are longer than one may be.
        Unavailable: the record can't be written, and nothing was stored.
    """
    _check_size(items)
    answers: dict[int, Receipt | Refusal] = {}
    members: list[_Numbered] = []
    run = annotation_run(project_id)
    for index, item in enumerate(items):
        one = _numbered(index, item, run, store)
        if isinstance(one, Refusal):
            answers[index] = one
        else:
            members.append(one)
    refused = len(answers)
    try:
        for group in _groups(members):
            for index, answer in _stored(group, project_id, store, tokenizer):
                answers[index] = answer
    except Unavailable as away:
        if len(answers) == refused:
            raise
        message = f"{away} The items before this one were stored: send this one and the following ones again."
        answers |= {index: Refusal(message, away.code, index) for index in range(len(items)) if index not in answers}
    return [answers[index] for index in range(len(items))]


def _check_size(items: Sequence[Memory | Refusal]) -> None:
    if not items:
        raise InvalidInput("items is empty: pass 1 to 500 objects with the arguments of remember.")
    if len(items) > MAX_ITEMS:
        raise TooLarge(f"items has {len(items):,} entries; the maximum is {MAX_ITEMS}: split them.")
    characters = sum(len(item.content) for item in items if isinstance(item, Memory))
    if characters > MAX_CONTENT:
        raise TooLarge(
            f"The contents of items have {characters:,} characters in total, over {MAX_CONTENT:,}: split them."
        )


def _numbered(index: int, item: Memory | Refusal, run: Run, store: Store) -> _Numbered | Refusal:
    """Return a memory with its annotations, or why it is refused."""
    if isinstance(item, Refusal):
        return item
    try:
        annotations, notes = annotations_for(item, run, store)
    except InvalidInput as error:
        return Refusal(str(error), error.code, index)
    return _Numbered(index, without_annotations(item), annotations, notes)


def _groups(items: Sequence[_Numbered]) -> Iterator[list[_Numbered]]:
    group: list[_Numbered] = []
    characters = 0
    for one in items:
        size = len(one.memory.content)
        if group and (len(group) == _GROUP or characters + size > _GROUP_CHARACTERS):
            yield group
            group, characters = [], 0
        group.append(one)
        characters += size
    if group:
        yield group


def _stored(
    group: Sequence[_Numbered], project_id: str, store: Store, tokenizer: Tokenizer
) -> Iterator[tuple[int, Receipt | Refusal]]:
    """Store a group in one transaction, or each memory by itself if one is invalid; yield the answers."""
    try:
        memories = [one.memory for one in group]
        done = remember_together(memories, project_id, store, tokenizer, [one.annotations for one in group])
    except Unavailable:
        raise
    except MemoryServiceError as error:
        if len(group) == 1:
            yield group[0].index, Refusal(str(error), error.code, group[0].index)
        else:
            for member in group:
                yield from _stored([member], project_id, store, tokenizer)
    else:
        for one, outcome in zip(group, done, strict=True):
            yield one.index, make_receipt(one.memory, project_id, outcome, NO_WAIT, one.notes)
