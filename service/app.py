"""App: one running service. Every way in (MCP, shell, HTTP) calls it; `service/wiring.py` makes its parts."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Final, Self

from core.dates import now
from core.embedding import Embedder, Tokenizer, VectorIndex
from core.errors import InvalidInput, MemoryServiceError, NotFound, Unavailable
from core.filters import Filters
from core.interface.context_question import ContextQuestion
from core.interface.facets import FacetQuestion
from core.interface.ledger_questions import CommitmentsQuestion, DecisionsQuestion
from core.interface.ledger_results import LedgerAnswer, LedgerItem
from core.interface.memory import Memory, check_project_id
from core.interface.neighbourhood import Exploration, Neighbourhood
from core.interface.pop import Popped, PopQuestion
from core.interface.question import Question
from core.interface.results import Forgotten, JobView, Recall, Receipt, Receipts, Refusal, ServiceView, Status, TurnView
from core.interface.ruling import Ruled, Ruling
from core.interface.stash import Stashed, StashMatches, StashQuestion, Unstashed
from core.knowledge.identities import Verdict
from core.knowledge.rules import NOWHERE, Workplace
from core.records import Counts, JobCounts, JobReport
from core.reranking import Reranker
from graph.model_marker import check_model
from graph.store import Store
from graph.vector_loss import check_not_lost
from ingest.extract.protocol import Extractor, RemoteExtractor, Usage
from ingest.identity.rulings import judge
from ingest.indexing.erasure import forget
from ingest.indexing.indexer import Indexer
from ingest.indexing.partial_rebuild import EVERYTHING, Part
from ingest.indexing.rebuild import Rebuilt, What
from ingest.intake.artifacts import remember
from ingest.worker import Worker
from retrieval.answers import stash, views
from retrieval.answers.exploration import explore
from retrieval.answers.facets import Moments, faceted_search
from retrieval.answers.ledger import commitments, decisions
from retrieval.context import memory_context
from retrieval.models.tokenizer import model_tokens
from retrieval.ranking.ranker import Ranker
from retrieval.ranking.reranking import Reranking
from retrieval.ranking.sources import VectorSource
from retrieval.recall import Recaller
from retrieval.scoring.recipe import SHIPPED, Recipe
from retrieval.stash_pop import pop
from service import __version__
from service.actions.job_wait import Waiting
from service.actions.rebuilds import Progress, Reindexing, unseen
from service.actions.receipts import receipt, receipts, remember_many
from service.actions.resolutions import resolve
from service.workplace import Workplaces

#: How long background work is put off after a start at ease, in seconds: to import Chroma would keep a first question
#: waiting.
_EASE: Final = 0.7


@dataclass(frozen=True, slots=True)
class _Told:
    """What the record says about a project, and about the jobs of one of its items if one was named."""

    counts: Counts
    jobs: JobCounts
    reports: list[JobReport] | None


@dataclass(slots=True)
class App:
    """The service over one set of stores. Safe to call from several threads; use it with `with`, or call `close`."""

    store: Store
    index: VectorIndex
    embedder: Embedder
    tokenizer: Tokenizer
    extractor: Extractor
    worker: Worker
    indexer: Indexer
    recaller: Recaller
    #: Whose folders `memory_context` may look into: the way in that is opened says it.
    workplaces: Workplaces = field(default_factory=Workplaces)
    _working: bool = False
    _others_work: bool = False
    _preparing: list[threading.Thread] = field(default_factory=list)
    _closing: threading.Event = field(default_factory=threading.Event)
    _moments: Moments = field(default_factory=Moments)

    @classmethod
    def of(
        cls,
        *,
        store: Store,
        index: VectorIndex,
        embedder: Embedder,
        tokenizer: Tokenizer,
        extractor: Extractor,
        recipe: Recipe = SHIPPED,
        reranker: Reranker | None = None,
    ) -> Self:
        """Put the steps over these parts. The app closes store, index and embedder with itself."""
        indexer = Indexer(store, index, embedder, tokenizer)
        ranker = Ranker(store, VectorSource(store, index, embedder, tokenizer), recipe)
        recaller = Recaller(store, ranker, tokenizer, None if reranker is None else Reranking(reranker))
        worker = Worker(store, indexer, extractor)
        return cls(store, index, embedder, tokenizer, extractor, worker, indexer, recaller)

    def start(self) -> None:
        """Begin background work: jobs that wait, those of a process that was killed included."""
        self._working = True
        self.worker.start()

    def start_at_ease(self) -> None:
        """Begin background work in a moment: who started the process to ask something is answered first.

        The index is opened then, unless a question needs it before: few items are searched without it until it is.
        """
        self._working = True
        self.recaller.ranker.vectors.opening.set()
        self._prepare(self._start)

    def _start(self) -> None:
        try:
            if not self._closing.wait(_EASE):
                with suppress(MemoryServiceError):  # whoever needs it meets the same error, and says it to its caller
                    self.index.ping()
        finally:
            self.recaller.ranker.vectors.opening.clear()
        if not self._closing.is_set():
            self.worker.start()

    def leave_work(self) -> None:
        """Leave all background work to other processes; a `remember` that waits for it waits 30 seconds at most."""
        self._others_work = True

    def warm(self) -> None:
        """Load the model in the background, so that the first question finds it ready."""
        self._prepare(self._load_model)

    def _load_model(self) -> None:
        with suppress(MemoryServiceError):
            self.embedder.embed(["warm"])

    def _prepare(self, part: Callable[[], None]) -> None:
        self._preparing.append(threading.Thread(target=part, name="remembrancer-warm", daemon=True))
        self._preparing[-1].start()

    def close(self) -> None:
        """Stop background work and release the stores."""
        self._closing.set()
        for thread in self._preparing:
            thread.join()  # a process that ends while a model loads is aborted by the model's own threads
        self.worker.stop()
        self.recaller.ranker.close()
        with ExitStack() as parts:  # each is released even if another can't be
            for part in (self.embedder, self.store, self.index):
                parts.callback(part.close)
            if isinstance(self.extractor, RemoteExtractor):
                parts.callback(self.extractor.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def remember(self, memory: Memory, project_id: str = "default", *, wait: bool = False) -> Receipt:
        """Store a memory, durable and findable by words on return; with `wait` its vectors and knowledge as well.

        When a service that these need does not answer, or no other process does the work that was left to them, waiting
        ends and `degraded` names what will follow later.

        Raises:
            InvalidInput: the project id is not valid.
            Unavailable: the record can't be written; nothing was stored.
        """
        check_project_id(project_id)
        done = remember(memory, project_id, self.store, self.tokenizer)
        self.worker.wake()
        degraded = self._waiting.missing(project_id, [done.added.artifact_id]) if wait else []
        return receipt(memory, project_id, done, degraded)

    def remember_many(
        self, items: Sequence[Memory | Refusal], project_id: str = "default", *, wait: bool = False
    ) -> Receipts:
        """Store up to 500 memories, each as `remember` does; those refused before keep their place in the answer.

        What one of them meets does not stop the others. If the record goes away in the middle the rest is refused.

        Raises:
            InvalidInput: there are none, or the project id is not valid.
            TooLarge: there are too many, or their contents have more than 10,000,000 characters together.
            Unavailable: the record can't be written; nothing was stored.
        """
        answers = remember_many(items, check_project_id(project_id), self.store, self.tokenizer)
        self.worker.wake()
        ids = [answer.id for answer in answers if isinstance(answer, Receipt)]
        return receipts(answers, self._waiting.missing(project_id, ids) if wait else [])

    @property
    def _waiting(self) -> Waiting:
        return Waiting(self.store, self.worker, is_at_work=self._working, is_left_to_others=self._others_work)

    def recall(self, question: Question, project_id: str = "default") -> Recall:
        """Answer a question; see docs/interface.md `recall`.

        Raises:
            InvalidInput: the project id is not valid.
            NotFound: nothing is stored under the id asked for.
            Unavailable: the record does not answer.
        """
        return self.recaller.recall(question, check_project_id(project_id))

    def pop(self, asked: PopQuestion, project_id: str = "default") -> Popped:
        """Return stashes by name; see docs/interface.md `pop`. Raises as `recall` does."""
        return pop(self.recaller, check_project_id(project_id), asked)

    def stash(self, segment_ids: Sequence[str], project_id: str = "default") -> Stashed:
        """Set items aside; see docs/interface.md `context_stash`. Raises as `retrieval.answers.stash.stash` does."""
        stashed = stash.stash(self.store, check_project_id(project_id), segment_ids)
        self.worker.wake()
        return stashed

    def search_stash(self, question: StashQuestion, project_id: str = "default") -> StashMatches:
        """Find stashed items; see docs/interface.md `context_search_stashed`. Raises as `recall` does."""
        return stash.search(self.store, self.tokenizer, check_project_id(project_id), question)

    def retrieve_stash(
        self, segment_ids: Sequence[str], project_id: str = "default", *, move_to_active: bool = False
    ) -> Unstashed:
        """Read stashed items; see docs/interface.md `context_retrieve_stashed`. Raises as
        `retrieval.answers.stash.retrieve` does."""
        read = stash.retrieve(self.store, check_project_id(project_id), segment_ids, move_to_active=move_to_active)
        self.worker.wake()
        return read

    def faceted_search(self, question: FacetQuestion, project_id: str = "default") -> str:
        """List items by what they are; see docs/interface.md `faceted_search`. Raises as `recall` does."""
        return faceted_search(self.store, self._moments, check_project_id(project_id), question)

    def forget(
        self,
        identity: str | None = None,
        project_id: str = "default",
        *,
        conversation_id: str | None = None,
        confirm: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Forget one item or a whole conversation, with all that rests only on it.

        Raises:
            InvalidInput: neither or both of id and conversation were named, or the id is of no known kind.
            NotFound: nothing is stored under it.
            Unavailable: the record can't be written; nothing was removed.
        """
        check_project_id(project_id)
        if (identity is None) == (conversation_id is None):
            raise InvalidInput("forget needs either id or conversation_id: give one of the two.")
        if identity is not None and identity.startswith(("evt_", "ent_")):
            return self._refuse_derived(project_id, identity)
        ids = self._forgettable(project_id, identity, conversation_id)
        if dry_run or not confirm:
            cascade, deleted, degraded = self.store.remove(project_id, ids, dry_run=True), False, None
        else:
            cascade, erased = forget(project_id, ids, self.store, self.indexer, owner=self.worker.owner)
            deleted, degraded = True, None if erased else ["vectors"]
        unconfirmed = "Nothing was deleted: set confirm=true to delete this for good."
        return Forgotten(
            deleted=deleted,
            id=identity,
            cascade=cascade,
            dry_run=dry_run or None,
            error=None if deleted or dry_run else unconfirmed,
            conversation_id=conversation_id,
            items=len(ids),
            degraded=degraded,
        )

    def _forgettable(self, project_id: str, identity: str | None, conversation_id: str | None) -> list[str]:
        if conversation_id is not None:
            ids = self.store.conversation_ids(project_id, conversation_id)
            if not ids:
                raise NotFound(f"Nothing is stored under conversation_id {conversation_id[:80]!r}.")
            return ids
        item = identity or ""
        if not self.store.get(project_id, [item]):
            raise _nothing_under(item)
        return [item, *(revision.id for revision in self.store.revisions(project_id, item))]

    def _refuse_derived(self, project_id: str, identity: str) -> Forgotten:
        """Say which artifact an event rests on: what is derived goes when its source goes."""
        if identity.startswith("ent_"):
            if not self.store.entities(project_id, [identity]):
                raise _nothing_under(identity)
            reason = "Entities are derived data. Delete the artifacts that mention them instead."
            return Forgotten(deleted=False, id=identity, error=reason)
        event = self.store.events(project_id, [identity]).get(identity)
        if event is None:
            raise _nothing_under(identity)
        source = event.evidence[0].artifact_id
        reason = f"Events are derived data. Delete source artifact '{source}' instead."
        return Forgotten(deleted=False, id=identity, error=reason, source_artifact_id=source)

    def status(self, identity: str | None = None, project_id: str = "default") -> Status:
        """Say how each part is, what the project holds, and where one item's jobs stand.

        While the record does not answer, `services` says so, and what only it knows is None.

        Raises:
            InvalidInput: the project id is not valid.
            NotFound: nothing is stored under `identity`.
        """
        check_project_id(project_id)
        graph = _checked(self.store.ping)
        told = None
        if graph.status == "healthy":
            try:
                told = self._told(project_id, identity)
            except Unavailable as error:
                graph = replace(graph, status="error", detail=str(error))
        services = {"graph": graph} | self._derived(None if told is None else project_id)
        reports = None if told is None else told.reports
        return Status(
            version=__version__,
            healthy=all(service.status != "error" for service in services.values()),
            services=services,
            counts=None if told is None else told.counts,
            pending_jobs=None if told is None else told.jobs.pending,
            failed_jobs=None if told is None else told.jobs.failed,
            project_id=project_id,
            job_status=None
            if reports is None
            else {report.kind: JobView(report.state, report.attempts, report.error) for report in reports},
        )

    def _told(self, project_id: str, identity: str | None) -> _Told:
        reports: list[JobReport] | None = None
        if identity is not None:
            if not self.store.get(project_id, [identity]):
                raise _nothing_under(identity)
            reports = self.store.job_reports(project_id, identity)
        return _Told(self.store.counts(project_id), self.store.job_counts(project_id), reports)

    def _derived(self, project_id: str | None) -> dict[str, ServiceView]:
        """Return how all parts but the record are; with its help also whether a project's vectors are there.

        Without the record `project_id` is None, and nobody can tell of what model they should be either.
        """

        def vectors() -> str:
            detail = self.index.ping()
            if project_id is not None:
                check_model(self.store, self.embedder.model)
                check_not_lost(self.store, self.index, project_id)
            return detail

        def embedder() -> str:
            self.embedder.embed(["status"])
            return f"{self.embedder.model}, {self.embedder.dimension} dimensions"

        checks: dict[str, Callable[[], str]] = {
            "vectors": vectors,
            "embedder": embedder,
            "extractor": self._extractor_says,
        }
        return {name: _checked(check) for name, check in checks.items()}

    def _extractor_says(self) -> str:
        return self.extractor.check() if isinstance(self.extractor, RemoteExtractor) else self.extractor.name

    def extraction_usage(self) -> Usage | None:
        """Return what extraction has asked of a service since the record was made; None for one that asks none.

        Raises:
            Unavailable: the record does not answer.
        """
        return self.extractor.usage() if isinstance(self.extractor, RemoteExtractor) else None

    def decisions(self, question: DecisionsQuestion, project_id: str = "default") -> LedgerAnswer:
        """Return the decisions asked for; see docs/interface.md `decisions`. Raises as `recall` does."""
        return decisions(self.store, check_project_id(project_id), question)

    def commitments(self, question: CommitmentsQuestion, project_id: str = "default") -> LedgerAnswer:
        """Return the commitments asked for; see docs/interface.md `commitments`. Raises as `recall` does."""
        return commitments(self.store, check_project_id(project_id), question)

    def memory_context(
        self, question: ContextQuestion, project_id: str = "default", *, found: Workplace = NOWHERE
    ) -> str:
        """Return the rules that bear on the work asked about; see docs/interface.md `memory_context`. Raises as
        `recall` does.

        `found` is where the caller works, as far as the question leaves it open.
        """
        return memory_context(self.store, check_project_id(project_id), question, found, model_tokens)

    def resolve(self, event_id: str, status: str, note: str | None = None, project_id: str = "default") -> LedgerItem:
        """Declare the status of a decision or a commitment.

        Raises:
            InvalidInput: the project id is not valid, or the event has no such status.
            NotFound: nothing is stored under the id.
            Unavailable: the record does not answer; nothing was declared.
        """
        return resolve(self.store, check_project_id(project_id), event_id, status, note)

    def explore(self, asked: Exploration, project_id: str = "default") -> Neighbourhood:
        """Return what is around a person, thing, event or item; see docs/interface.md `explore`. Raises as `recall`
        does."""
        return explore(self.store, check_project_id(project_id), asked)

    def judge(self, ruling: Ruling, project_id: str = "default") -> Ruled:
        """Put a person's ruling on who is who into effect; raises as `ingest.identity.rulings.judge` does."""
        return judge(check_project_id(project_id), ruling, self.store)

    def verdicts(self, project_id: str = "default") -> list[Verdict]:
        """Return all rulings on who is who, undone ones included, oldest first."""
        return self.store.verdicts(check_project_id(project_id))

    def conversation(self, conversation_id: str, project_id: str = "default") -> list[TurnView]:
        """Return all turns of a conversation in order; empty if there is none of this name."""
        filters = Filters(at=now())
        total = self.store.count_turns(check_project_id(project_id), conversation_id, filters)
        turns = self.store.turns(project_id, conversation_id, filters, max(1, total), 0)
        return [views.turn_of(turn) for turn in turns]

    def reindex(
        self,
        what: What,
        part: Part = EVERYTHING,
        *,
        regenerate: bool = False,
        show: Progress = unseen,
        patience_seconds: float = 0.0,
    ) -> Rebuilt:
        """Make derived data anew, on the calling thread; `regenerate` embeds every text again instead of reusing.

        A part is made anew in place, all of it from empty. Meanwhile questions are answered. Interrupted, it goes on
        wherever the store is opened next: what is left waits in the ledger. Jobs that other processes have in hand are
        waited for, `patience_seconds` after the last of them was done.

        Raises:
            InvalidInput: `regenerate` was asked for and no vectors are made.
            Conflict: vectors of a part were asked for, and the others were made with another model.
            Unavailable: a part that this needs does not answer; what was there before still stands.
        """
        reindexing = Reindexing(self.indexer, self.worker, patience_seconds)
        return reindexing.run(what, part, regenerate=regenerate, show=show)


def _nothing_under(identity: str) -> NotFound:
    return NotFound(f"Nothing is stored under id {identity[:80]!r}: recall with a query to find ids.")


def _checked(check: Callable[[], str]) -> ServiceView:
    begin = time.perf_counter()
    try:
        detail, healthy = check(), True
    except MemoryServiceError as error:
        detail, healthy = str(error), False
    elapsed = round((time.perf_counter() - begin) * 1000, 2)
    return ServiceView("healthy" if healthy else "error", detail, elapsed)
