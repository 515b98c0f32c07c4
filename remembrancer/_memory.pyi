"""The methods of an open memory, for type checkers and editors; made by `python -m tests.client_stub`."""

# ruff: noqa: A002, I001
# fmt: off
from collections.abc import Mapping, Sequence
from core.interface.ingestion import Ingested
from core.interface.learning import Learnt, Review
from core.interface.ledger import CommitmentStatus, DecisionStatus, LedgerAnswer, LedgerItem
from core.interface.memory import Context, RetentionPolicy, Sensitivity, VisibilityScope
from core.interface.question import Neighbourhood
from core.interface.results import Detail, Forgotten, Recall, Receipt, Receipts, Status
from core.interface.stash import Popped, StashMatches, Stashed, Unstashed
from core.knowledge.findings import Category
from remembrancer._client import Client
from typing import Any

class Memory(Client):
    def remember(
        self, content: str, *, context: Context = "document", source: str = "manual", importance: float = 0.5,
        title: str | None = None, author: str | None = None, participants: Sequence[str] = (), date: str | None = None,
        conversation_id: str | None = None, turn_index: int | None = None, role: str | None = None,
        key: str | None = None, tags: Sequence[str] = (), scope: str = "universal", category: str | None = None,
        file_path: str | None = None, task_id: str | None = None, metadata: Mapping[str, Any] | None = None,
        sensitivity: Sensitivity = "normal", visibility_scope: VisibilityScope = "me",
        retention_policy: RetentionPolicy = "forever", source_id: str | None = None, source_url: str | None = None,
        document_date: str | None = None, source_type: str | None = None, document_status: str | None = None,
        author_title: str | None = None, distribution_scope: str | None = None, expires_at: str | None = None,
        events: Sequence[Mapping[str, Any]] = (), entities: Sequence[Mapping[str, Any]] = (), wait: bool = False,
        wait_seconds: int | None = None, project_id: str | None = None
    ) -> Receipt:
        """Store a text for good: a fact, preference, decision, document, mail, meeting or conversation turn."""

    def remember_many(
        self, items: Sequence[Mapping[str, Any]], *, wait: bool = False, wait_seconds: int | None = None,
        detail: Detail = "full", max_tokens: int | None = None, project_id: str | None = None
    ) -> Receipts:
        """Store several things at once, such as the turns of a conversation."""

    def recall(
        self, query: str | None = None, *, id: str | None = None, context: Context | None = None, limit: int = 10,
        expand: bool = True, include_events: bool = True, date_from: str | None = None, date_to: str | None = None,
        conversation_id: str | None = None, graph_budget: int = 10, graph_filters: Sequence[Category] | None = None,
        include_entities: bool = True, expand_neighbors: bool = False, min_importance: float = 0.0,
        source: str | None = None, sensitivity: Sensitivity | None = None, tags: Sequence[str] = (),
        graph_depth: int = 1, offset: int = 0, detail: Detail = "brief", max_tokens: int | None = None,
        text_offset: int = 0, include_stashed: bool = True, as_of: str | None = None, min_confidence: float = 0.5,
        project_id: str | None = None
    ) -> Recall:
        """Find what was remembered: by question, id, conversation, or filters alone (newest first)."""

    def pop(
        self, name: str, *, limit: int = 5, detail: Detail = "brief", max_tokens: int | None = None,
        project_id: str | None = None
    ) -> Popped:
        """Get a stash by its name, else the best matches, to continue an interrupted task."""

    def forget(
        self, id: str | None = None, *, conversation_id: str | None = None, confirm: bool = False,
        confirm_count: int | None = None, dry_run: bool = False, project_id: str | None = None
    ) -> Forgotten:
        """Delete an item or a whole conversation for good, with all that is derived only from it."""

    def status(
        self, id: str | None = None, *, detail: Detail = "brief", max_tokens: int | None = None,
        project_id: str | None = None
    ) -> Status:
        """Report the health of each component, how much is stored, and background jobs."""

    def learn(
        self, id: str, *, events: Sequence[Mapping[str, Any]] = (), entities: Sequence[Mapping[str, Any]] = (),
        replace: bool = False, project_id: str | None = None
    ) -> Learnt:
        """Record what you read in a stored item: decisions, promises, people that are missing or wrong."""

    def review(
        self, *, limit: int = 10, max_tokens: int | None = None, project_id: str | None = None
    ) -> Review:
        """List what to check: uncertain events and links, unowned commitments, items without events, doubles."""

    def context_stash(
        self, segment_ids: Sequence[str], *, project_id: str | None = None
    ) -> Stashed:
        """Set aside items that the current task does not need: they stay stored, searchable and readable."""

    def context_search_stashed(
        self, query: str = "", *, filters: Mapping[str, Any] | None = None, limit: int = 50, offset: int = 0,
        detail: Detail = "brief", max_tokens: int | None = None, project_id: str | None = None
    ) -> StashMatches:
        """Find stashed items that contain every word of the query, or part of one, newest first."""

    def context_retrieve_stashed(
        self, segment_ids: Sequence[str], *, move_to_active: bool = False, detail: Detail = "brief",
        max_tokens: int | None = None, project_id: str | None = None
    ) -> Unstashed:
        """Read stashed items by id, and make them active again with move_to_active=true."""

    def faceted_search(
        self, *, tags: Sequence[str] = (), tag_match_all: bool = False, memory_type: str | None = None,
        date_from: str | None = None, date_to: str | None = None, page: int = 1, page_size: int = 10,
        counts: bool = False, stored_until: str | None = None, full: bool = False, project_id: str | None = None
    ) -> str:
        """List items by tag, type and date, newest first, in pages."""

    def decisions(
        self, topic: str | None = None, *, person: str | None = None, status: DecisionStatus = "current",
        date_from: str | None = None, date_to: str | None = None, as_of: str | None = None, limit: int = 20,
        offset: int = 0, min_confidence: float = 0.5, detail: Detail = "brief", max_tokens: int | None = None,
        project_id: str | None = None
    ) -> LedgerAnswer:
        """List decisions: who decided, whether it still holds, what superseded it, with verbatim evidence."""

    def commitments(
        self, owner: str | None = None, *, status: CommitmentStatus | None = None, due_before: str | None = None,
        as_of: str | None = None, limit: int = 20, topic: str | None = None, offset: int = 0,
        min_confidence: float = 0.5, detail: Detail = "brief", max_tokens: int | None = None,
        recipient: str | None = None, project_id: str | None = None
    ) -> LedgerAnswer:
        """List commitments: who promised what by when, what is open or overdue, and what closed it."""

    def resolve(
        self, id: str, status: str | None = None, *, name: str | None = None, same_as: str | None = None,
        different_from: str | None = None, supersedes: str | None = None, completes: str | None = None,
        note: str | None = None, detail: Detail = "brief", max_tokens: int | None = None, project_id: str | None = None
    ) -> LedgerItem:
        """Set the status of a commitment or decision, or correct who is who."""

    def explore(
        self, *, id: str | None = None, name: str | None = None, to: str | None = None, depth: int = 1,
        budget: int = 50, review: bool = False, detail: Detail = "brief", max_tokens: int | None = None,
        project_id: str | None = None
    ) -> Neighbourhood:
        """Show what is connected with a person, organisation, project, event or item, and how."""

    def memory_context(
        self, scope: str | None = None, *, category: str | None = None, task: str | None = None,
        project: str | None = None, language: str | None = None, limit: int = 20, token_budget: int = 1500,
        folder: str | None = None, project_id: str | None = None
    ) -> str:
        """Get the user's standing rules before you work: preferences, corrections, things to avoid, decisions."""

    def ingest(
        self, path: str, *, context: str | None = None, dry_run: bool = False, prune: bool = False,
        project_id: str | None = None
    ) -> Ingested:
        """Store a file or folder (documents, mails, chats, exports), and say what changed."""
