"""Runs: passes of an extractor over stored items, each of which can be rolled back."""

import uuid
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Final, Literal

from core.knowledge.findings import Extraction, Knowledge

#: A run that is `running` in the record and that no process is at any more is `interrupted`.
RunState = Literal["running", "interrupted", "finished", "rolling_back", "rolled_back"]

#: The extractor name of a run of caller annotations.
CALLER_EXTRACTOR: Final = "given"


def run_id() -> str:
    """Return a new run id: `run_` and 12 hex digits."""
    return f"run_{uuid.uuid4().hex[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScope:
    """Which current items a run reads, in the order of storing; None and empty mean no condition.

    `limit` counts items read. Items that another run of the same extractor has read, and texts that the extractor is
    known to have found something in, are read again only `anew`.
    """

    context: str | None = None
    ids: tuple[str, ...] = ()
    limit: int | None = None
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTally:
    """What a run did so far: items read, what changed in them, events without evidence, and tokens if known."""

    items: int = 0
    events_added: int = 0
    events_changed: int = 0
    events_removed: int = 0
    entities_added: int = 0
    entities_changed: int = 0
    entities_removed: int = 0
    unproven: int = 0
    failed: int = 0
    tokens: int = 0

    def __add__(self, other: "RunTally") -> "RunTally":
        return replace(
            self, **{item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(self)}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One pass of an extractor over a project. `ended` is None until it has finished or was rolled back."""

    id: str
    project_id: str
    extractor: str
    scope: RunScope
    started: datetime
    state: RunState = "running"
    ended: datetime | None = None
    tally: RunTally = RunTally()


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """What a run found in an item, before evidence is verified and names are resolved."""

    run_id: str
    extractor: str
    found: Extraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What an extractor found in one text of an item: content, fields and date, identified by their hash.

    Those `proposed` were found for a run, and are not the item's knowledge until the run accepts them.
    """

    extractor: str
    text_hash: str
    found: Extraction
    proposed: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeSnapshot:
    """The knowledge of an item before a run read it; `waits` if it was to be extracted again even then."""

    knowledge: Knowledge
    waits: bool


@dataclass(frozen=True, slots=True)
class CallerAnnotations:
    """A caller's annotations of one item, with quotes located in its text; the tally of `run` counts this item alone.

    Several items may have the same run.
    """

    run: Run
    found: Extraction
