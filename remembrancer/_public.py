"""Public names: what `remembrancer` offers, imported from where it is."""

from core.errors import Conflict, Forbidden, InvalidInput, MemoryServiceError, NotFound, TooLarge, Unavailable
from core.interface.ingestion import GoneItems, Ingested, RefusedFile
from core.interface.learning import Learnt, Review, ReviewItem
from core.interface.ledger import Cause, Declaration, LedgerAnswer, LedgerItem, Quote
from core.interface.question import Edge, NameReason, Neighbourhood, Node
from core.interface.results import (
    Asked,
    ChunkView,
    EventView,
    Forgotten,
    JobView,
    Neighbor,
    ParkedItem,
    Quoted,
    Recall,
    Receipt,
    Receipts,
    Refusal,
    RelatedEvent,
    Result,
    ServiceView,
    Status,
    TurnView,
)
from core.interface.stash import Popped, Segment, Stashed, StashMatches, Unstashed
from core.knowledge.findings import Actor, Entity, Evidence
from core.knowledge.secrets import Redaction
from core.records import Counts
from core.records import DeletionCounts as Cascade
from remembrancer._memory import Memory
from remembrancer._memory_tool import MemoryTool
from remembrancer._open import open  # noqa: A004 - `remembrancer.open`, as `gzip.open`

__all__ = [
    "Actor",
    "Asked",
    "Cascade",
    "Cause",
    "ChunkView",
    "Conflict",
    "Counts",
    "Declaration",
    "Edge",
    "Entity",
    "EventView",
    "Evidence",
    "Forbidden",
    "Forgotten",
    "GoneItems",
    "Ingested",
    "InvalidInput",
    "JobView",
    "Learnt",
    "LedgerAnswer",
    "LedgerItem",
    "Memory",
    "MemoryServiceError",
    "MemoryTool",
    "NameReason",
    "Neighbor",
    "Neighbourhood",
    "Node",
    "NotFound",
    "ParkedItem",
    "Popped",
    "Quote",
    "Quoted",
    "Recall",
    "Receipt",
    "Receipts",
    "Redaction",
    "Refusal",
    "RefusedFile",
    "RelatedEvent",
    "Result",
    "Review",
    "ReviewItem",
    "Segment",
    "ServiceView",
    "StashMatches",
    "Stashed",
    "Status",
    "TooLarge",
    "TurnView",
    "Unavailable",
    "Unstashed",
    "open",
]
