"""The records of an export, and how an imported item merges with a stored one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from core.errors import Conflict
from core.knowledge.findings import EventLink, Extraction, Knowledge
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisions
from core.knowledge.ledger import Resolution
from core.knowledge.runs import Findings, Run
from core.records import Artifact, Chunk

#: The outcome of importing a record: `unchanged` if the store had all of it before.
Outcome = Literal["stored", "updated", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReading:
    """What one run keeps of an item; see `graph.protocols.knowledge.Runs.save_extraction`. `finished` as
    `finish_extraction` sets it."""

    run_id: str
    found: Extraction | None
    standing: Knowledge
    waits: bool
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptItem:
    """An item, current, expired or a revision, with all that is known of it."""

    artifact: Artifact
    knowledge: Knowledge
    #: Whether it is still, or again, to be extracted.
    waits: bool = False
    #: In the order of the runs.
    readings: tuple[KeptReading, ...] = ()
    #: Latest kept last.
    findings: tuple[Findings, ...] = ()
    #: Its sayings, each with the time since when items of its key have it; None before it was extracted. An export has
    #: only those that a revision had first.
    sentence_hashes: tuple[tuple[int, datetime], ...] | None = None
    #: The chunks of a current item, made for the embedder of the target store; none in an export.
    chunks: tuple[Chunk, ...] = ()

    def differs_only_in_wording(self, stored: Artifact) -> bool:
        """Whether another item is stored whose text differs only in what `wording` leaves out.

        Earlier releases kept both.
        """
        given = self.artifact
        return given.id != stored.id and given.memory.content != stored.memory.content

    def with_exact_fingerprint(self) -> "KeptItem":
        """Return this item with a fingerprint over its exact text."""
        exact = self.artifact.memory.fingerprint(self.artifact.project_id, exact=True)
        return replace(self, artifact=replace(self.artifact, fingerprint=exact))


@dataclass(frozen=True, slots=True)
class KeptResolution:
    """A resolution, and the artifact that its event rested on."""

    resolution: Resolution
    artifact_id: str


@dataclass(frozen=True, slots=True)
class KeptEchoes:
    """Which items one repeats, sorted."""

    artifact_id: str
    origins: tuple[str, ...]


#: One kind after the other: runs, merge decisions, items, links, resolutions, merge candidates, echoes.
Record = Run | MergeDecision | KeptItem | EventLink | KeptResolution | MergeCandidate | KeptEchoes


@dataclass(frozen=True, slots=True)
class Merge:
    """How a stored item changes when a copy of it is imported.

    `returns` if a revision becomes current again; `is_renewed` if vectors of a current one may be stale; `learns` if
    the knowledge of the copy takes the place of the stored one's.
    """

    after: Artifact
    returns: bool
    is_renewed: bool
    learns: bool

    @classmethod
    def of(cls, stored: Artifact, record: KeptItem, *, holder: str | None, waits: bool) -> "Merge | None":
        """Merge a copy into a stored item; None if it changes nothing.

        `holder` is another current item with its key and context that is at least as new, `waits` whether the stored
        item is to be extracted.

        Raises:
            Conflict: the item is stored under another id.
        """
        given = record.artifact
        if given.id != stored.id:
            raise Conflict(f"The item {given.id!r} is stored as {stored.id!r} here: leave it out.")
        is_newer = given.updated_at > stored.updated_at
        after = _joined(stored, given)
        returns = given.replaced_by is None and stored.replaced_by is not None and holder is None
        learns = is_newer or (waits and not record.waits)
        if after == stored and not (returns or learns):
            return None
        if returns:
            memory = replace(after.memory, content=given.memory.content)  # its chunks were cut from that
            after = replace(
                after, memory=memory, replaced_by=None, stashed=given.stashed, token_count=given.token_count
            )
        changes = (after.memory, after.stashed) != (stored.memory, stored.stashed)
        is_renewed = stored.replaced_by is None and (changes or learns)
        return cls(after, returns, is_renewed, learns)


def _joined(stored: Artifact, given: Artifact) -> Artifact:
    """Return what two copies of one item make: fields and tier of the one with the newer `updated_at`.

    Of equally new ones it is the stored one; of counts and times the higher. So the same copy again changes nothing.
    """
    is_newer = given.updated_at > stored.updated_at
    return replace(
        stored,
        memory=replace(given.memory, content=stored.memory.content) if is_newer else stored.memory,
        stashed=given.stashed if is_newer and stored.replaced_by is None else stored.stashed,
        updated_at=max(stored.updated_at, given.updated_at),
        last_occurred=max(stored.last_occurred, given.last_occurred),
        frequency=max(stored.frequency, given.frequency),
    )


def reconcile_decision(given: MergeDecision, stored: Sequence[MergeDecision]) -> MergeDecision | None:
    """Return a merge decision as it is added to a project's decisions; None if it adds nothing.

    A decision with a stored id adds only that it was undone. A merge of entities that are merged already adds nothing,
    and a merge of an entity that was merged into another becomes a merge of that other entity.
    """
    known = next((one for one in stored if one.id == given.id), None)
    if known is not None:
        return given if known.undone_at is None and given.undone_at is not None else None
    if given.kind != "same" or given.undone_at is not None:
        return given
    decisions = MergeDecisions(stored)
    one, other = decisions.current_id(given.one), decisions.current_id(given.other)
    if one == other:
        return None
    return given if other == given.other else replace(given, one=one, other=other)
