"""App: the service itself. MCP, the shell and HTTP all call it; `service/wiring.py` builds its components."""

import gc
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from core.dates import now
from core.errors import InvalidInput, MemoryServiceError, NotFound, Unavailable
from core.filters import Filters
from core.interface.caller import CALLER
from core.interface.ingestion import Ingested, IngestRequest
from core.interface.learning import LearnRequest, Learnt, MergeRequest, MergeResult, Review, ReviewQuestion
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion, LedgerAnswer, LedgerItem, ResolveRequest
from core.interface.memory import Memory, check_project_id
from core.interface.operations import ForgetRequest
from core.interface.parameters import check_range
from core.interface.question import ContextQuestion, Exploration, FacetQuestion, Neighbourhood, Question
from core.interface.results import (
    MAX_SHAPE_NODES,
    Forgotten,
    JobView,
    ParkedItem,
    Recall,
    Receipt,
    Receipts,
    Refusal,
    ServiceView,
    Shape,
    Status,
)
from core.interface.stash import (
    Popped,
    PopQuestion,
    RetrieveRequest,
    Stashed,
    StashMatches,
    StashQuestion,
    StashRequest,
    Unstashed,
)
from core.knowledge.identities import MergeDecision
from core.knowledge.rules import UNKNOWN_WORKSPACE, Workspace
from core.knowledge.secrets import note_redactions
from core.openai_usage import Usage
from core.records import Counts, JobCounts, JobReport, ParkedJob
from core.search import Embedder, MeteredEmbedder, Reranker, Tokenizer, VectorIndex
from graph.store import Store
from graph.vector_checks import check_model, check_not_lost
from ingest.extract.protocol import Extractor, RemoteExtractor
from ingest.identity.candidate_pairs import doubtful_people
from ingest.identity.merge_requests import apply_merge_requests
from ingest.indexing.erasure import forget
from ingest.indexing.indexer import Indexer
from ingest.indexing.rebuild import EVERYTHING, Part, Rebuilt, What
from ingest.intake.artifacts import remember
from ingest.ledger.links import link_questions
from ingest.worker import Worker
from retrieval.answers import stash
from retrieval.answers.exploration import explore
from retrieval.answers.facets import Snapshots, faceted_search
from retrieval.answers.ledger import commitments, decisions
from retrieval.answers.paths import find_paths
from retrieval.answers.review import review
from retrieval.context import memory_context
from retrieval.models.tokenizer import estimate_model_tokens
from retrieval.overview import Overviews
from retrieval.ranking.ranker import Ranker
from retrieval.ranking.reranking import Reranking
from retrieval.ranking.sources import VectorSource
from retrieval.recall import Recaller
from retrieval.scoring.recipe import SHIPPED, Recipe
from retrieval.shapes.ledger_shape import shape_ledger_item
from retrieval.stash_pop import pop
from service import __version__
from service.actions.annotating import annotation_run, annotations_for, learn, without_annotations
from service.actions.client_files import Intake, Unwatched, Watcher, ingest_for_client
from service.actions.rebuilds import Progress, Reindexing, ignore_progress
from service.actions.receipts import (
    NO_WAIT,
    JobWait,
    add_similar_key_hints,
    check_seconds,
    describe_unread,
    make_receipt,
    make_receipts,
    remember_many,
)
from service.actions.resolutions import resolve
from service.processes import is_cancelled
from service.workspace import Workspaces

if TYPE_CHECKING:
    from ingest.runs.pipeline import TextWork
#: How long a call takes at most to bring what was given with it into effect, in seconds; the rest is done by its jobs.
_GIVEN_SECONDS: Final = 20.0
#: Contexts of items that are an event themselves.
_DECLARING: Final = frozenset({"decision", "task"})
#: Jobs that `ingest` leaves to the background without a word: they are done in a moment.
_SOON_DONE: Final = 100
#: Items that `forget` deletes without being given their number.
_UNCOUNTED: Final = 100

Hinted = TypeVar("Hinted", Recall, LedgerAnswer, Neighbourhood, Review)

#: How many of the items whose background work failed are named.
NAMED: Final = 5
#: Seconds by which a deferred start delays background work: importing Chroma would slow down a first question.
_START_DELAY: Final = 0.7
#: How long a model may take to load when the process ends, in seconds.
_LOAD_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class _ProjectStatus:
    """Counts and jobs of a project, and the jobs of one of its items if one was named."""

    counts: Counts
    jobs: JobCounts
    reports: list[JobReport] | None
    parked: list[ParkedJob]


@dataclass(slots=True)
class App:
    """The service over one set of stores. Thread-safe; use it with `with`, or call `close`."""

    store: Store
    index: VectorIndex
    embedder: Embedder
    tokenizer: Tokenizer
    extractor: Extractor
    worker: Worker
    indexer: Indexer
    recaller: Recaller
    #: The folders that `memory_context` may inspect; each transport sets its own.
    workspaces: Workspaces = field(default_factory=Workspaces)
    #: The tools that clients are served who choose none, as REMEMBRANCER_TOOLS has it.
    tools: str = "all"
    #: Where the pages of stored things are served, without a slash at the end; None if they are not.
    page_address: str | None = None
    #: How files are read for clients, and which.
    intake: Intake = field(default_factory=Intake)
    #: Where a part sends texts, by its name in `status`, if that is not the address that its provider has.
    #: The bytes on disk of each embedded part.
    storage: Callable[[], dict[str, int]] = dict
    destinations: Mapping[str, str] = field(default_factory=dict)
    _worker_running: bool = False
    _has_external_workers: bool = False
    _warm_up_threads: list[threading.Thread] = field(default_factory=list)
    _closing: threading.Event = field(default_factory=threading.Event)
    _snapshots: Snapshots = field(default_factory=Snapshots)
    _overviews: Overviews = field(default_factory=Overviews)

    @classmethod
    def of(
        cls,
        *,
        store: Store,
        index: VectorIndex,
        embedder: Embedder,
        tokenizer: Tokenizer,
        extractor: Extractor,
        texts: "TextWork | None" = None,
        recipe: Recipe = SHIPPED,
        reranker: Reranker | None = None,
    ) -> Self:
        """Build the app from these components. It closes store, index and embedder when it is closed.

        `texts` is where the texts of items are worked on; None for this process.
        """
        indexer = Indexer(store, index, embedder, tokenizer)
        ranker = Ranker(store, VectorSource(store, index, embedder, tokenizer), recipe)
        recaller = Recaller(store, ranker, tokenizer, None if reranker is None else Reranking(reranker))
        worker = Worker(store, indexer, extractor, texts)
        return cls(store, index, embedder, tokenizer, extractor, worker, indexer, recaller)

    def start(self) -> None:
        """Start background work on pending jobs, including those of a process that was killed."""
        self._worker_running = True
        self.worker.start()

    def start_deferred(self) -> None:
        """Start background work after a short delay, so that the question that started the process is answered first.

        The vector index is opened then too, unless a question needs it earlier.
        """
        self._worker_running = True
        self.recaller.ranker.vectors.opening.set()
        self._run_in_background(self._start_after_delay)

    def _start_after_delay(self) -> None:
        try:
            if not self._closing.wait(_START_DELAY):
                with suppress(MemoryServiceError):  # a call that needs the index reports the same error
                    self.index.ping()
                gc.freeze()  # Chroma's modules
        finally:
            self.recaller.ranker.vectors.opening.clear()
        if not self._closing.is_set():
            self.worker.start()

    def use_external_workers(self) -> None:
        """Leave background work to other processes."""
        self._has_external_workers = True

    def warm(self) -> None:
        """Load the model in the background, so that it is ready for the first question."""
        self._run_in_background(self._load_model)

    def _load_model(self) -> None:
        with suppress(MemoryServiceError):
            self.embedder.embed(["warm"])
        # What was imported stays: to examine it for garbage holds the interpreter for a tenth of a second.
        gc.freeze()

    def _run_in_background(self, target: Callable[[], None]) -> None:
        self._warm_up_threads.append(threading.Thread(target=target, name="remembrancer-warm", daemon=True))
        self._warm_up_threads[-1].start()

    def close(self) -> None:
        """Stop background work and release the stores."""
        self._closing.set()
        for thread in self._warm_up_threads:
            thread.join(_LOAD_SECONDS)  # exiting while a model loads would abort the process
        self.worker.stop()
        self.recaller.ranker.close()
        with ExitStack() as parts:  # each is closed even if another fails to
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

    def remember(
        self, memory: Memory, project_id: str = "default", *, wait: bool = False, wait_seconds: float | None = None
    ) -> Receipt:
        """Store a memory. On return it is durable and found by its words; with `wait` also by vectors and events.

        If a service that these need is unavailable, the time is up, or the call is cancelled, waiting ends and
        `degraded` names what is still to be processed, and `pending` what of that is being worked on. What its caller
        knows of it (`AnnotatedMemory`) is stored with it.

        Raises:
            InvalidInput: the project id or the time is not valid, or the content does not contain an event's
                quote.
            Unavailable: the record can't be written; nothing was stored.
        """
        check_project_id(project_id)
        seconds = check_seconds(wait_seconds)
        annotations, notes = annotations_for(memory, annotation_run(project_id), self.store)
        done = remember(without_annotations(memory), project_id, self.store, self.tokenizer, annotations)
        stored = make_receipt(memory, project_id, done, NO_WAIT, notes)
        self._learn_given(project_id, [stored])
        self.worker.wake()
        if wait:
            waited = self._job_wait.wait(project_id, [stored.id], seconds)
            stored = make_receipt(memory, project_id, done, waited, notes)
        if unread := self._describe_unread([memory], [stored], project_id):
            stored = replace(stored, hint=" ".join(filter(None, (stored.hint, unread))))
        return add_similar_key_hints([stored], project_id, self.store)[0]

    def learn(self, asked: LearnRequest, project_id: str = "default") -> Learnt:
        """Keep what a caller knows of a stored item; see docs/interface.md `learn`. Raises as
        `service.actions.annotating.learn` does.
        """
        learnt = learn(check_project_id(project_id), asked, self.store, self.worker)
        self.worker.wake()
        return learnt

    def remember_many(
        self,
        items: Sequence[Memory | Refusal],
        project_id: str = "default",
        *,
        wait: bool = False,
        wait_seconds: float | None = None,
    ) -> Receipts:
        """Store up to 500 memories, each as `remember` does; invalid ones keep their place in the answer.

        An error in one does not stop the others. If the record becomes unavailable, the remaining ones are refused.

        Raises:
            InvalidInput: there are none, or the project id or the time is not valid.
            TooLarge: there are too many, or their contents exceed 10,000,000 characters in total.
            Unavailable: the record can't be written; nothing was stored.
        """
        seconds = check_seconds(wait_seconds)
        answers = remember_many(items, check_project_id(project_id), self.store, self.tokenizer)
        self._learn_given(project_id, [answer for answer in answers if isinstance(answer, Receipt)])
        answers = add_similar_key_hints(answers, project_id, self.store)
        self.worker.wake()
        ids = [answer.id for answer in answers if isinstance(answer, Receipt)]
        waited = self._job_wait.wait(project_id, ids, seconds) if wait else NO_WAIT
        return make_receipts(answers, waited, self._describe_unread(items, answers, project_id))

    def _describe_unread(
        self, items: Sequence[Memory | Refusal], answers: Sequence[Receipt | Refusal], project_id: str
    ) -> str:
        if not self.intake.reads_english_alone:
            return ""
        try:
            return describe_unread(items, answers, project_id, self.store)
        except Unavailable:  # what is stored is stored
            return ""

    def _learn_given(self, project_id: str, stored: Sequence[Receipt]) -> None:
        """Have what was given of items, or their context declares, known when the call returns, for some seconds."""
        until = time.monotonic() + _GIVEN_SECONDS
        for one in stored:
            if not one.events_queued or not (one.run_id or one.context in _DECLARING):
                continue
            if time.monotonic() > until or is_cancelled():
                return
            with suppress(Unavailable):  # its job does it, when the record answers again
                self.worker.apply_annotations(project_id, one.id, is_new=one.status != "duplicate")

    @property
    def _job_wait(self) -> JobWait:
        return JobWait(self.store, self.worker, self._has_external_workers)

    def ingest(
        self,
        asked: IngestRequest,
        project_id: str = "default",
        *,
        roots: Sequence[str] = (),
        watcher: Watcher | None = None,
    ) -> Ingested:
        """Take in files for a client whose folders are `roots`; see docs/interface.md `ingest`. Raises as
        `service.actions.client_files.ingest_for_client` does.

        `watcher` waits for the answer.
        """
        taken = ingest_for_client(
            asked,
            check_project_id(project_id),
            self.intake,
            roots,
            records=self.store,
            tokenizer=self.tokenizer,
            watcher=watcher or Unwatched(),
        )
        self.worker.wake()
        if (pending := self.store.job_counts(project_id).pending) <= _SOON_DONE:
            return taken
        still = f"{pending} jobs go on in the background: what was stored is found by its words, status counts them."
        return replace(taken, hint=" ".join(filter(None, [taken.hint, still])))

    def recall(self, question: Question, project_id: str = "default") -> Recall:
        """Answer a question; see docs/interface.md `recall`.

        Raises:
            InvalidInput: the project id is not valid.
            NotFound: nothing is stored under the id asked for.
            Unavailable: the record does not answer.
        """
        answer = self.recaller.recall(question, check_project_id(project_id))
        return answer if answer.total_count or answer.degraded else self._with_empty_hint(answer, project_id)

    def pop(self, asked: PopQuestion, project_id: str = "default") -> Popped:
        """Return stashes by name; see docs/interface.md `pop`. Raises as `recall` does."""
        return pop(self.recaller, check_project_id(project_id), asked)

    def stash(self, asked: StashRequest, project_id: str = "default") -> Stashed:
        """Set items aside; see docs/interface.md `context_stash`. Raises as `retrieval.answers.stash.stash` does."""
        stashed = stash.stash(self.store, check_project_id(project_id), asked.segment_ids)
        self.worker.wake()
        return stashed

    def search_stash(self, question: StashQuestion, project_id: str = "default") -> StashMatches:
        """Find stashed items; see docs/interface.md `context_search_stashed`. Raises as `recall` does."""
        return stash.search(self.store, check_project_id(project_id), question)

    def retrieve_stash(self, asked: RetrieveRequest, project_id: str = "default") -> Unstashed:
        """Read stashed items; see docs/interface.md `context_retrieve_stashed`. Raises as
        `retrieval.answers.stash.retrieve` does."""
        read = stash.retrieve(self.store, check_project_id(project_id), asked)
        self.worker.wake()
        return read

    def faceted_search(self, question: FacetQuestion, project_id: str = "default") -> str:
        """List items by what they are; see docs/interface.md `faceted_search`. Raises as `recall` does."""
        return faceted_search(self.store, self._snapshots, check_project_id(project_id), question)

    def forget(self, asked: ForgetRequest, project_id: str = "default") -> Forgotten:
        """Forget one item or a whole conversation, with all that rests only on it.

        More than 100 items, revisions included, are only deleted if `confirm_count` is their number, as a dry run
        counts it.

        Raises:
            InvalidInput: neither or both of id and conversation were given, or the id has an unknown prefix.
            NotFound: nothing is stored under it.
            Unavailable: the record can't be written; nothing was removed.
        """
        check_project_id(project_id)
        identity, conversation_id = asked.id, asked.conversation_id
        if (identity is None) == (conversation_id is None):
            raise InvalidInput("forget needs exactly one of id and conversation_id.")
        if identity is not None and identity.startswith(("evt_", "ent_")):
            return self._refuse_derived(project_id, identity)
        ids = self._forgettable(project_id, identity, conversation_id)
        unconfirmed = None if asked.dry_run else _unconfirmed(len(ids), asked.confirm_count, confirm=asked.confirm)
        if asked.dry_run or unconfirmed is not None:
            cascade, deleted, degraded = self.store.remove(project_id, ids, dry_run=True), False, None
        else:
            cascade, erased = forget(project_id, ids, self.store, self.indexer, owner=self.worker.owner)
            self.worker.wake()
            deleted, degraded = True, None if erased else ["vectors"]
        return Forgotten(
            deleted=deleted,
            id=identity,
            cascade=cascade,
            dry_run=asked.dry_run or None,
            error=unconfirmed,
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
            raise _unknown_id(item)
        return [item, *(revision.id for revision in self.store.revisions(project_id, item))]

    def _refuse_derived(self, project_id: str, identity: str) -> Forgotten:
        """Refuse to delete derived data, and name the artifact to delete instead."""
        if identity.startswith("ent_"):
            if not self.store.entities(project_id, [identity]):
                raise _unknown_id(identity)
            reason = "Entities are derived data. Delete the artifacts that mention them instead."
            return Forgotten(deleted=False, id=identity, error=reason)
        event = self.store.events(project_id, [identity]).get(identity)
        if event is None:
            raise _unknown_id(identity)
        source = event.evidence[0].artifact_id
        reason = f"Events are derived data. Delete source artifact '{source}' instead."
        return Forgotten(deleted=False, id=identity, error=reason, source_artifact_id=source)

    def status(self, identity: str | None = None, project_id: str = "default") -> Status:
        """Report the health of each component, the project's counts, and the state of one item's jobs.

        While the record is unavailable, `services` says so, and the counts are None.

        Raises:
            InvalidInput: the project id is not valid.
            NotFound: nothing is stored under `identity`.
        """
        check_project_id(project_id)
        graph = _health_of(self.store.ping)
        project = None
        if graph.status == "healthy":
            try:
                project = self._project_status(project_id, identity)
                if (why := self.store.write_obstacle()) is not None:
                    graph = replace(graph, status="error", detail=f"{graph.detail}: {why}.")
            except Unavailable as error:
                graph = replace(graph, status="error", detail=str(error))
        services = {"graph": graph} | self._derived_health(None if project is None else project_id)
        reports = None if project is None else project.reports
        return Status(
            version=__version__,
            healthy=all(service.status != "error" for service in services.values()),
            services=services,
            counts=None if project is None else project.counts,
            pending_jobs=None if project is None else project.jobs.pending,
            failed_jobs=None if project is None else project.jobs.failed,
            project_id=project_id,
            job_status=None
            if reports is None
            else {report.kind: JobView(report.state, report.attempts, report.error) for report in reports},
            storage=(CALLER.get().projects is None and self.storage()) or None,
            parked=[ParkedItem(job.artifact_id, job.kind, job.error, job.title) for job in project.parked]
            if project is not None and project.parked
            else None,
        )

    def _project_status(self, project_id: str, identity: str | None) -> _ProjectStatus:
        reports: list[JobReport] | None = None
        if identity is not None:
            if not self.store.get(project_id, [identity]):
                raise _unknown_id(identity)
            reports = self.store.job_reports(project_id, identity)
        jobs = self.store.job_counts(project_id)
        parked = self.store.parked_jobs(project_id, NAMED) if jobs.failed else []
        return _ProjectStatus(self.store.counts(project_id), jobs, reports, parked)

    def _derived_health(self, project_id: str | None) -> dict[str, ServiceView]:
        """Return the health of all components but the record, and whether the project's vectors exist.

        `project_id` is None while the record is unavailable: then neither the model nor the vectors can be compared.
        """

        def vectors() -> str:
            detail = self.index.ping()
            if project_id is not None:
                check_model(self.store, self.embedder.model)
                check_not_lost(self.store, self.index, project_id)
            return detail

        def embedder() -> str:
            self.embedder.embed(["status"])
            detail = f"{self.embedder.model}, {self.embedder.dimension} dimensions"
            if not isinstance(self.embedder, MeteredEmbedder) or CALLER.get().projects is not None:
                return detail
            return f"{detail}; {self.embedder.usage_line()}"

        checks: dict[str, Callable[[], str]] = {
            "vectors": vectors,
            "embedder": embedder,
            "extractor": self._extractor_detail,
        }
        found = {name: _health_of(check) for name, check in checks.items()}
        for name, host in self.destinations.items():
            found[name] = replace(found[name], detail=f"{found[name].detail}; texts go to {host} (OPENAI_BASE_URL)")
        return found

    def _extractor_detail(self) -> str:
        if not isinstance(self.extractor, RemoteExtractor):
            return self.extractor.name
        told = self.extractor.check()
        # The cost is the total of all projects.
        return told if CALLER.get().projects is None else self.extractor.name

    def extraction_usage(self) -> Usage | None:
        """Return the requests and tokens that extraction has used in total; None for a local extractor.

        Raises:
            Unavailable: the record does not answer.
        """
        return self.extractor.usage() if isinstance(self.extractor, RemoteExtractor) else None

    def embedding_usage(self) -> Usage | None:
        """Return the requests and tokens that embeddings have used in total; None for a local embedder.

        Raises:
            Unavailable: the record does not answer.
        """
        return self.embedder.usage() if isinstance(self.embedder, MeteredEmbedder) else None

    def decisions(self, question: DecisionsQuestion, project_id: str = "default") -> LedgerAnswer:
        """Return the decisions asked for; see docs/interface.md `decisions`. Raises as `recall` does."""
        answer = decisions(self.store, check_project_id(project_id), question)
        return answer if answer.total_count else self._with_empty_hint(answer, project_id)

    def commitments(self, question: CommitmentsQuestion, project_id: str = "default") -> LedgerAnswer:
        """Return the commitments asked for; see docs/interface.md `commitments`. Raises as `recall` does."""
        answer = commitments(self.store, check_project_id(project_id), question)
        return answer if answer.total_count else self._with_empty_hint(answer, project_id)

    def memory_context(
        self, question: ContextQuestion, project_id: str = "default", *, found: Workspace = UNKNOWN_WORKSPACE
    ) -> str:
        """Return the rules that apply to the work asked about; see docs/interface.md `memory_context`. Raises as
        `recall` does.

        `found` is the detected workspace, for what the question leaves open.
        """
        return memory_context(self.store, check_project_id(project_id), question, found, estimate_model_tokens)

    def resolve(self, asked: ResolveRequest, project_id: str = "default") -> LedgerItem:
        """Set the status of a decision or a commitment, or say which earlier one an event supersedes or completes.

        Raises:
            InvalidInput: the event has no such status or link.
            NotFound: nothing is stored under the id.
            Unavailable: the record does not answer; nothing was changed.
        """
        item = resolve(self.store, self.worker, check_project_id(project_id), asked)
        shown = shape_ledger_item(item, asked.detail, asked.max_tokens)
        return replace(shown, hint=" ".join(filter(None, (shown.hint, *note_redactions(asked.redacted)))) or None)

    def review(self, question: ReviewQuestion, project_id: str = "default") -> Review:
        """Return the items to review; see docs/interface.md `review`. Raises as `recall` does."""
        links = link_questions(check_project_id(project_id), self.store)
        answer = review(self.store, project_id, question, links, doubtful_people(project_id, self.store))
        return answer if answer.total_count else self._with_empty_hint(answer, project_id)

    def explore(self, asked: Exploration, project_id: str = "default") -> Neighbourhood:
        """Return the neighbourhood of one thing, or the paths between two; see docs/interface.md `explore`. Raises as
        `recall` does."""
        try:
            find = explore if asked.to is None else find_paths
            answer = find(self.store, check_project_id(project_id), asked)
        except NotFound as error:
            if (hint := self.empty_hint(project_id)) is not None:
                raise NotFound(hint) from error
            raise
        return answer if answer.nodes else self._with_empty_hint(answer, project_id)

    def shape(self, project_id: str = "default", limit: int = MAX_SHAPE_NODES) -> Shape:
        """Return the communities, central people and things and components of the newest part of a project's graph.

        The first call after a change of the graph takes seconds, in which no other answer waits for it.

        Raises:
            InvalidInput: the limit is not 1 to 5,000, or the project id is not valid.
            Unavailable: the record does not answer, or the computation failed.
        """
        check_range("limit", limit, 1, MAX_SHAPE_NODES)
        return self._overviews.shape(self.store, check_project_id(project_id), limit)

    def empty_hint(self, project_id: str) -> str | None:
        """Return a hint for a project without items; None if it has any."""
        if self.store.count(project_id, Filters(at=now())):
            return None
        return f"Project {project_id!r} is empty: store something with remember or ingest, or check project_id."

    def _with_empty_hint(self, answer: Hinted, project_id: str) -> Hinted:
        """Return an answer without results; if the project is empty, its hint says that instead of what to try."""
        hint = self.empty_hint(project_id)
        return answer if hint is None else replace(answer, hint=hint)

    def apply_merge_request(self, request: MergeRequest, project_id: str = "default") -> MergeResult:
        """Merge, separate or split entities as a person asks; raises as `apply_merge_requests` does."""
        return apply_merge_requests(check_project_id(project_id), [request], self.store)

    def merge_decisions(self, project_id: str = "default") -> list[MergeDecision]:
        """Return all merge decisions, including undone ones, oldest first."""
        return self.store.merge_decisions(check_project_id(project_id))

    def reindex(
        self,
        what: What,
        part: Part = EVERYTHING,
        *,
        regenerate: bool = False,
        show: Progress = ignore_progress,
        patience_seconds: float = 0.0,
    ) -> Rebuilt:
        """Rebuild derived data on the calling thread; `regenerate` ignores cached embeddings.

        A part is rebuilt in place, everything from empty; questions are answered meanwhile. If interrupted, the
        remaining jobs are done by the next process that opens the store. Waits for jobs leased by other processes until
        none of them has finished for `patience_seconds`.

        Raises:
            InvalidInput: `regenerate` without rebuilding vectors.
            Conflict: only a part of the vectors was asked for, and the others were made with another model.
            Unavailable: a component that this needs is unavailable; the existing data is unchanged.
        """
        reindexing = Reindexing(self.indexer, self.worker, patience_seconds)
        return reindexing.run(what, part, regenerate=regenerate, show=show)


def _unconfirmed(items: int, confirm_count: int | None, *, confirm: bool) -> str | None:
    """Return what is missing before so many items may be deleted; None if nothing is."""
    if not confirm:
        return "Nothing was deleted: set confirm=true to delete this for good."
    if confirm_count == items or (confirm_count is None and items <= _UNCOUNTED):
        return None
    return f"Nothing was deleted: this would delete {items} items for good. To do so, set confirm_count={items}, too."


def _unknown_id(identity: str) -> NotFound:
    return NotFound(f"Nothing is stored under id {identity[:80]!r}: recall with a query to find ids.")


def _health_of(check: Callable[[], str]) -> ServiceView:
    begin = time.perf_counter()
    try:
        detail, healthy = check(), True
    except MemoryServiceError as error:
        detail, healthy = str(error), False
    elapsed = round((time.perf_counter() - begin) * 1000, 2)
    return ServiceView("healthy" if healthy else "error", detail, elapsed)
