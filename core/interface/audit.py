"""The audit trail: who did what to which ids, and when; never what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from core.dates import now
from core.interface.caller import CALLER, Caller
from core.knowledge.identities import MergeDecision, MergeDecisionKind
from core.knowledge.runs import Run
from core.transfer import KeptItem, Outcome, Record

#: `expire` is the service's own deletion of items whose time has come; `extract` and `roll_back` are about a run.
Act = Literal[
    "forget", "expire", "redact", "overwrite", "import", "resolve", "merge", "keep_apart", "split", "rename", "dismiss",
    "undo_ruling", "extract", "roll_back", "create_token", "revoke_token",
]  # fmt: skip

_ACTS: Final[dict[MergeDecisionKind, Act]] = {
    "same": "merge", "different": "keep_apart", "split": "split", "name": "rename", "dismissed": "dismiss",
}  # fmt: skip
#: The project of acts that concern none in particular.
NO_PROJECT: Final = "*"
#: Who deletes what has expired.
_RETENTION: Final = Caller("retention")
#: For how long entries are kept, and the most that are: about 100 MB. The oldest are dropped first.
KEPT_FOR: Final = timedelta(days=365)
MOST_KEPT: Final = 200_000
#: Ids in one entry; an act on more has several entries.
MOST_IDS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One act. `by` is the name of a token, `local`, or `retention`; `number` counts the things that it concerned.

    `client` is `core.interface.caller.Caller.client`.
    """

    at: datetime
    act: Act
    by: str
    project_id: str
    number: int
    ids: tuple[str, ...] = ()
    client: str | None = None


def make_audit_entries(
    act: Act, project_id: str, ids: Sequence[str] = (), *, number: int | None = None
) -> list[AuditEntry]:
    """Return the entries of an act of the caller at this moment, or of the service if it is `expire`; none for nothing.

    `number` counts the things acted on if they have no ids, or are more than the ids.
    """
    caller = CALLER.get() if act != "expire" else _RETENTION
    total = len(ids) if number is None else number
    parts = [tuple(ids[start : start + MOST_IDS]) for start in range(0, len(ids), MOST_IDS)] or [()]
    unnamed = total - len(ids)
    return [
        AuditEntry(
            at=now(),
            act=act,
            by=caller.name,
            project_id=project_id,
            number=len(part) + (0 if place else unnamed),
            ids=part,
            client=caller.client,
        )
        for place, part in enumerate(parts)
        if total
    ]


def merge_decision_entries(project_id: str, decision: MergeDecision) -> list[AuditEntry]:
    """Return the entries of a merge decision by the caller: the entities, and the decision."""
    ids = dict.fromkeys([decision.one, decision.other, decision.id])
    return make_audit_entries(_ACTS[decision.kind], project_id, list(ids))


def import_entries(project_id: str, records: Sequence[Record], outcomes: Sequence[Outcome]) -> list[AuditEntry]:
    """Return the entries of what the caller imports: the records that changed something, with the ids of those with."""
    changed = [record for record, outcome in zip(records, outcomes, strict=True) if outcome != "unchanged"]
    ids = [
        record.artifact.id if isinstance(record, KeptItem) else record.id
        for record in changed
        if isinstance(record, KeptItem | Run | MergeDecision)
    ]
    return make_audit_entries("import", project_id, ids, number=len(changed))
