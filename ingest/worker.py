"""Worker: does the jobs of the ledger, in the background or until none are due."""

import logging
import math
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from core.dates import now
from core.errors import Conflict, MemoryServiceError, Unavailable
from core.knowledge.findings import Extraction
from core.openai_usage import ahead
from core.records import Artifact, Job, JobKind
from core.timing import MAX_ATTEMPTS, next_attempt_at
from graph.store import Store
from ingest.extract.protocol import ConcurrentExtractor, Extractor, RemoteExtractor
from ingest.indexing.drift import queue_lost
from ingest.indexing.erasure import Retention, run_due_erasures
from ingest.indexing.indexer import Indexer
from ingest.indexing.rebuild import resume_rebuild
from ingest.isolation import IsolatedError

if TYPE_CHECKING:
    from ingest.runs.pipeline import TextWork

_log = logging.getLogger("remembrancer.worker")

#: A job whose worker was killed is taken up by another after this time; a living worker renews it four times as often.
LEASE: Final = timedelta(seconds=20)
#: How long a worker leaves the vector index, or the record, alone that did not answer, in seconds.
_ASK_AGAIN: Final = 3.0
#: How often it asks the index while all is well, and looks for a rebuild that another process left, in seconds.
_LOOK_AGAIN: Final = 20.0
#: How long an idle worker waits before it looks again for jobs that other processes queued, in seconds.
_IDLE: Final = 0.5
#: How long a thread that embeds what another one stores waits for more of it, in seconds.
_LOOK_FOR_STORED: Final = 0.1
#: Artifacts embedded in one claim, and the chunks of those taken on together: many short ones fill whole batches, and a
#: few long ones do not fill the memory.
_EMBED_BATCH, _EMBED_CHUNKS = 1_024, 2_048
#: Artifacts extracted in one claim: small, so that the first are soon in the graph.
_EXTRACT_BATCH: Final = 32
#: A text of more chunks is long: others do not wait for it, and other long ones are looked at again after this time.
_LONG_CHUNKS: Final = 32
_LONG_PAUSE: Final = timedelta(seconds=5)
#: How long a claim of them is worked on, in seconds: then the other projects have their turn.
_EXTRACT_SECONDS: Final = 5.0
#: How long the process for texts, which is being started, is waited for before another is, in seconds.
_TEXTS_SECONDS: Final = 60.0


@dataclass(slots=True)
class Worker:
    """One thread of background work. Any number of workers, in any number of processes, may share a store."""

    store: Store
    indexer: Indexer
    extractor: Extractor
    #: Where the work on texts alone is done; None for this process.
    texts: "TextWork | None" = None
    owner: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}")
    _wake: threading.Event = field(default_factory=threading.Event)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _long_thread: threading.Thread | None = None
    #: Items whose jobs are done before all others, and the thread that does them while there are any.
    _first: list[tuple[str, list[str]]] = field(default_factory=list)
    _first_thread: threading.Thread | None = None
    _embedding_thread: threading.Thread | None = None
    #: The thread that has the process for texts started; who extracts waits for it, instead of starting another.
    _texts_thread: threading.Thread | None = None
    #: How many jobs were taken up, and left for later without an error.
    num_left: int = 0
    #: The jobs that are being done.
    _in_hand: list[Job] = field(default_factory=list)
    #: Held while the jobs in hand, what is done first, or the threads for it, long items and texts are read or changed.
    _state: threading.Lock = field(default_factory=threading.Lock)
    #: Why no vectors can be written now; None when they can, or were never tried.
    _no_vectors: str | None = None
    #: Whether to look for projects that the index has lost: at the start, and after it did not answer.
    _may_have_lost: bool = True
    #: When the index is asked next whether it answers, on the monotonic clock.
    _ask_at: float = 0.0
    #: Called with the number of chunks of the current batch that are embedded.
    _tell: Callable[[int, int], None] = field(default=lambda _done, _total: None)
    #: When background work last got further, on the monotonic clock.
    _moved_at: float = field(default_factory=time.monotonic)
    _retention: Retention = field(init=False)

    def __post_init__(self) -> None:
        self._retention = Retention(self.store)

    @property
    def no_vectors(self) -> str | None:
        """Why vectors are not written at present, as last seen: their jobs wait untouched. None if nothing is wrong."""
        return self._no_vectors

    @property
    def seconds_since_progress(self) -> float:
        """Seconds since background work last made progress: a turn of its loop, or a batch of a long item.

        Idle, or waiting for a store that is away, it turns every few seconds. Where an extractor asks a service, each
        answer is a step.
        """
        still = time.monotonic() - self._moved_at
        return (
            min(still, self.extractor.seconds_since_response) if isinstance(self.extractor, RemoteExtractor) else still
        )

    def start(self) -> None:
        """Work in a background thread until `stop`."""
        self._thread = threading.Thread(target=self._run, name="remembrancer-worker", daemon=True)
        self._thread.start()

    def stop(self, timeout_seconds: float = 10.0) -> None:
        """Finish the batch in hand, at most `timeout_seconds`; what is left stays in the ledger, due at once."""
        self._stopping.set()
        self._wake.set()
        until = time.monotonic() + timeout_seconds
        for thread in (self._thread, self._first_thread, self._long_thread, self._embedding_thread):
            if thread is not None:
                thread.join(max(0.0, until - time.monotonic()))
        with suppress(MemoryServiceError):  # their leases run out
            self.store.release(self._jobs_in_hand())

    def wake(self) -> None:
        """Look for jobs now instead of at the next turn."""
        self._wake.set()

    def do_first(self, project_id: str, artifact_ids: Sequence[str]) -> None:
        """Do the jobs of these items before all others, on a separate thread."""
        with self._state:
            self._first.append((project_id, list(artifact_ids)))
            if self._first_thread is None:
                self._first_thread = threading.Thread(target=self._run_first, name="remembrancer-first", daemon=True)
                self._first_thread.start()

    def _run_first(self) -> None:
        while True:
            with self._state:
                if not self._first or self._stopping.is_set():
                    self._first.clear()
                    self._first_thread = None
                    return
                project_id, artifact_ids = self._first.pop(0)
            try:
                self.do_jobs_of(project_id, artifact_ids)
            except MemoryServiceError as error:
                _log.warning("%d items wait for their turn: %s", len(artifact_ids), error)
            except Exception:  # noqa: BLE001 - the items of other calls come next, and these are left to the background
                _log.exception("Items could not be done first; their jobs stay in the ledger.")

    def do_jobs_of(self, project_id: str, artifact_ids: Sequence[str]) -> None:
        """Do the jobs of these items that are due, on the calling thread."""
        self.look_at_once()
        works: tuple[tuple[JobKind, Callable[[Sequence[Job]], None]], ...] = (
            ("embed", self._embed),
            ("extract", self._extract),
        )
        for kind, work in works:
            if kind == "embed" and not self._vectors_can_be_written():
                continue
            while self._goes_on() and (jobs := self.store.claim_of(project_id, artifact_ids, kind, LEASE, self.owner)):
                work(jobs)

    def drain(
        self,
        progress: Callable[[int], None] | None = None,
        tell: Callable[[int, int], None] | None = None,
        *,
        seconds: float = math.inf,
    ) -> None:
        """Do every job that is due now, on the calling thread; `progress` is called with the number taken up after
        each step.

        After `seconds` no further step is begun. Within a step that embeds, `tell` is called with how many chunks were
        embedded, and of how many.
        """
        self.look_at_once()
        self._tell = tell or self._tell
        until = time.monotonic() + seconds
        while time.monotonic() < until and ((done := self.step()) or self._is_embedding(_LOOK_FOR_STORED)):
            if progress is not None:
                progress(done)

    @contextmanager
    def embedding_meanwhile(self) -> Iterator[None]:
        """Embed what is stored while the block runs, on a separate thread, and what is left of that beyond its end.

        Meanwhile `drain` extracts, and waits for the thread. A failure leaves the jobs to whoever does them next.
        """
        ended = threading.Event()
        self.look_at_once()
        self._embedding_thread = threading.Thread(
            target=self._embed_until, args=(ended,), name="remembrancer-embedding", daemon=True
        )
        self._embedding_thread.start()
        try:
            yield
        finally:
            ended.set()

    def _is_embedding(self, seconds: float = 0.0) -> bool:
        """Whether what was stored is being embedded on its own thread, whose end is waited for so long."""
        if self._embedding_thread is None or not self._embedding_thread.is_alive():
            return False
        self._embedding_thread.join(seconds)
        return True

    def _embed_until(self, ended: threading.Event) -> None:
        has_ended = False
        try:
            while not has_ended:
                has_ended = ended.wait(_LOOK_FOR_STORED)
                if self.store.job_counts().pending:
                    self.prepare_texts()
                if not (self._goes_on() and self._vectors_can_be_written()):
                    return
                while self._goes_on() and self._take("embed", _EMBED_BATCH, self._embed):
                    pass
        except (Unavailable, Conflict) as error:
            _log.warning("Vectors wait for the record: %s", error)
        except Exception:  # noqa: BLE001 - the edge of a thread: jobs stay in the ledger, and are done after the block
            _log.exception("What is stored could not be embedded meanwhile.")

    def prepare_texts(self) -> None:
        """Have the process started that extraction will ask, without waiting for it.

        What keeps it from starting extraction reports.
        """
        with self._state:
            if self.texts is None or self._texts_thread is not None:
                return
            self._texts_thread = threading.Thread(
                target=self._start_texts, args=(self.texts,), name="remembrancer-texts", daemon=True
            )
            self._texts_thread.start()

    @staticmethod
    def _start_texts(texts: "TextWork") -> None:
        with suppress(MemoryServiceError, IsolatedError):
            texts.sentences("")

    def look_at_once(self) -> None:
        """Ask the index at the next step whether it answers, even if it did not just now."""
        self._ask_at = 0.0

    def step(self) -> int:
        """Do one batch of due jobs, erasures first, then vectors, then knowledge; return how many were taken up.

        What has expired is deleted before, once a minute.
        While the index does not answer (another process may have it open), only knowledge is worked on; new vectors are
        left to the thread that makes them meanwhile, if there is one.
        """
        self._retention.look()
        done = 0
        if self._vectors_can_be_written():
            if not run_due_erasures(self.store, self.indexer, owner=self.owner):
                self._ask_at = 0.0
            if not self._is_embedding():
                done = self._take("embed", _EMBED_BATCH, self._embed)
            done = done or self._take("reembed", _EMBED_BATCH, self._embed)
        return done or self._take("extract", _EXTRACT_BATCH, self._extract)

    def _vectors_can_be_written(self) -> bool:
        """Ask the index every few seconds, and finish what a rebuild left undone; a failure is logged once."""
        if time.monotonic() < self._ask_at:
            return self._no_vectors is None
        self.store.ping()  # what is refused below is then the index's doing
        try:
            self.indexer.check()
            resume_rebuild(self.indexer, self._goes_on)
            self._queue_lost()
        except (Unavailable, Conflict) as error:
            if str(error) != self._no_vectors:
                _log.warning("Vectors wait, knowledge goes on: %s", error)
            self._no_vectors, self._ask_at = str(error), time.monotonic() + _ASK_AGAIN
            self._may_have_lost = True
            return False
        self._no_vectors, self._ask_at = None, time.monotonic() + _LOOK_AGAIN
        return True

    def _queue_lost(self) -> None:
        """Have vectors made again that are gone with their index; not by who only does a task and ends."""
        if self._thread is None or not self._may_have_lost:
            return
        for project_id in self.store.projects():
            if self._goes_on() and (count := queue_lost(self.indexer, project_id)):
                _log.warning(
                    "The vector index has nothing of project %r: %d items are indexed anew.", project_id, count
                )
        self._may_have_lost = False

    def _run(self) -> None:
        away = False
        while not self._stopping.is_set():
            self._moved_at = time.monotonic()
            pause = _IDLE
            try:
                pause = 0.0 if self.step() else _IDLE
                if away:
                    _log.warning("The record answers again: background work goes on.")
                away = False
            except (Unavailable, Conflict) as error:  # such as a record that a newer release has written
                if not away:
                    _log.warning("Background work waits for the record: %s", error)
                away, pause = True, _ASK_AGAIN
            except Exception:  # noqa: BLE001 - the loop outlives any one failure: jobs stay in the ledger and are tried again
                _log.exception("A step of background work failed; it is tried again.")
            if pause:
                self._wake.wait(pause)
                self._wake.clear()

    def _take(self, kind: JobKind, limit: int, work: Callable[[Sequence[Job]], None]) -> int:
        jobs = self.store.claim([kind], limit, LEASE, self.owner)
        if jobs:
            work(jobs)
        return len(jobs)

    def _embed(self, jobs: Sequence[Job]) -> None:
        """Embed the items together; if one of several spoils the batch, each by itself."""
        try:
            with self._held(jobs):
                self._embed_groups(jobs)
        except _Stopped:
            self.store.release(jobs)
        except (Unavailable, Conflict) as error:  # a service is away, or vectors of another model are in the way
            _log.warning("%d %s jobs wait: %s", len(jobs), jobs[0].kind, error)
            self._ask_at = 0.0
            self.store.retry(jobs, str(error), next_attempt_at(max(job.attempts for job in jobs)))
        except Exception as error:  # noqa: BLE001 - a bug or a bad item must not stop the others: it is parked with its reason
            if len(jobs) == 1:
                self._give_up_or_retry(jobs[0], error)
                return
            with self._held(jobs):  # those whose turn has not come yet too: nobody else takes them up meanwhile
                for job in jobs:
                    self._embed([job])
        else:
            self.store.complete(jobs)

    def _give_up_or_retry(self, job: Job, error: Exception) -> None:
        is_ours = isinstance(error, MemoryServiceError | IsolatedError)
        reason = str(error) if is_ours else f"{type(error).__name__}: {error}"
        _log.error("Job %s of %s failed: %s", job.kind, job.artifact_id, reason, exc_info=error)
        if job.attempts >= MAX_ATTEMPTS or isinstance(error, Conflict):  # which trying again does not mend
            self.store.fail([job], reason)
        else:
            self.store.retry([job], reason, next_attempt_at(job.attempts))

    @contextmanager
    def _held(self, jobs: Sequence[Job]) -> Iterator[None]:
        """Renew the lease of the jobs, from another thread, for as long as the work takes."""
        done = threading.Event()

        def renew() -> None:
            while not done.wait(LEASE.total_seconds() / 4):
                try:
                    self.store.extend(jobs, LEASE)
                except Unavailable as error:
                    _log.warning("The lease of %d jobs was not renewed: %s", len(jobs), error)

        thread = threading.Thread(target=renew, name="remembrancer-lease", daemon=True)
        thread.start()
        with self._state:
            self._in_hand.extend(jobs)
        try:
            yield
        finally:
            with self._state:
                self._in_hand = [job for job in self._in_hand if job not in jobs]
            done.set()
            thread.join()

    def _jobs_in_hand(self) -> list[Job]:
        with self._state:
            return list(self._in_hand)

    def _goes_on(self) -> bool:
        self._moved_at = time.monotonic()
        return not self._stopping.is_set()

    def _embed_groups(self, jobs: Sequence[Job]) -> None:
        for group in _groups(jobs):
            ids, afresh = [job.artifact_id for job in group], group[0].kind == "reembed"
            if not self.indexer.embed(group[0].project_id, ids, self._goes_on, afresh=afresh, tell=self._told):
                raise _Stopped

    def _told(self, done: int, total: int) -> None:
        self._tell(done, total)  # whom `drain` has named since

    def _extract(self, jobs: Sequence[Job]) -> None:
        """Extract the items; in the background, long ones one after the other while the short ones are done."""
        long = [job for job in jobs if job.num_chunks > _LONG_CHUNKS] if self._thread is not None else []
        short = [job for job in jobs if job not in long]
        with self._state:
            if long and (self._long_thread is None or not self._long_thread.is_alive()):
                alone, long = long[:1], long[1:]
                self._long_thread = threading.Thread(
                    target=self._extract_long, args=(alone,), name="remembrancer-long-item", daemon=True
                )
                self._long_thread.start()
        self.store.release(long, now() + _LONG_PAUSE)
        if short:
            self._extract_all(short)

    def _extract_long(self, jobs: Sequence[Job]) -> None:
        try:
            self._extract_all(jobs)
        except MemoryServiceError as error:
            _log.warning("Extraction of %s waits for the record: %s", jobs[0].artifact_id, error)

    def _extract_all(self, jobs: Sequence[Job]) -> None:
        """Extract each of the items. After some seconds the others are left for later, as other projects may wait."""
        done = list[Job]()

        def in_time() -> bool:
            return self._goes_on() and time.monotonic() < until

        with self._held(jobs), closing(self._extractors(jobs, in_time)) as extractors:
            if self._texts_thread is not None:
                self._texts_thread.join(_TEXTS_SECONDS)
            until = time.monotonic() + _EXTRACT_SECONDS
            for place, (job, extractor) in enumerate(zip(jobs, extractors, strict=True)):
                if extractor is None:
                    self.store.release(jobs[place:])
                    self.num_left += len(jobs) - place
                    break
                if place and self._is_queued_anew(job):
                    self.num_left += 1
                    continue
                try:
                    self._extract_by(extractor, job.project_id, job.artifact_id)
                except Unavailable as error:
                    self._put_off(jobs[place:], error)
                    break
                except Exception as error:  # noqa: BLE001 - a bug or a bad item must not stop the others: it is parked with its reason
                    self._give_up_or_retry(job, error)
                else:
                    done.append(job)
            self.store.complete(done)

    def _is_queued_anew(self, job: Job) -> bool:
        """Whether an item before it in the batch changed what its names mean: it is extracted once, behind the batch.

        So the order in which items are extracted does not depend on how many are claimed at a time.
        """
        reports = self.store.job_reports(job.project_id, job.artifact_id)
        return any(report.kind == "extract" and report.state == "pending" for report in reports)

    def _extractors(self, jobs: Sequence[Job], in_time: Callable[[], bool]) -> Generator[Extractor | None, None, None]:
        """Yield an extractor for each job in order, None once it is not `in_time` any more.

        Their extractors have the answers: a service is asked about several items at a time, and a separate process
        reads the next item while the knowledge of one is stored. Knowledge is stored one item after the other.
        """
        concurrency = self.extractor.concurrency if isinstance(self.extractor, ConcurrentExtractor) else 1
        reads_ahead = concurrency > 1 or (self.texts is not None and len(jobs) > 1)
        if not reads_ahead:
            yield from (self.extractor if in_time() else None for _ in jobs)
            return
        with closing(ahead(self._ask, jobs, concurrency, in_time)) as answers:
            yield from (None if answer.cancelled() else _Asked(self.extractor, answer) for answer in answers)

    def _ask(self, job: Job) -> "_Answer | None":
        """Extract an item; None if it is gone, or a run has read it."""
        artifact = self.store.get(job.project_id, [job.artifact_id]).get(job.artifact_id)
        if artifact is None or self.store.latest_extraction(job.project_id, job.artifact_id) is not None:
            return None
        return _Answer(artifact, self.extractor.extract(artifact))

    def extract(self, project_id: str, artifact_id: str) -> None:
        """Bring the knowledge of an item up to date; raises as `ingest.runs.pipeline.extract_artifact` does."""
        self._extract_by(self.extractor, project_id, artifact_id)

    def _extract_by(self, extractor: Extractor, project_id: str, artifact_id: str) -> None:
        # It takes a tenth of a second to import, which no answer needs.
        from ingest.runs.pipeline import IN_PROCESS, extract_artifact

        extract_artifact(project_id, artifact_id, self.store, extractor, self.texts or IN_PROCESS)

    def apply_annotations(self, project_id: str, artifact_id: str, *, is_new: bool) -> bool:
        """Apply the annotations of an item, or what its context declares, now; return whether that was done.

        A new item is read by no extractor for it: its extraction stays queued. Nothing is done where another worker has
        the item in hand, or a service that reads texts is configured, which would take the item for one that was read.
        """
        if isinstance(self.extractor, RemoteExtractor):
            return False
        jobs = self.store.claim_of(project_id, [artifact_id], "extract", LEASE, self.owner)
        if not jobs:
            return False
        if not is_new:
            self._extract_all(jobs)
            return True
        from ingest.runs.pipeline import IN_PROCESS, extract_artifact

        with self._held(jobs):
            try:
                extract_artifact(project_id, artifact_id, self.store, _Unread(), self.texts or IN_PROCESS)
            except Exception as error:  # noqa: BLE001 - the item is stored, and its extraction tries the same again
                _log.warning("What was given of %s waits for its extraction: %s", artifact_id, error, exc_info=error)
                return False
            finally:
                self.store.release(jobs)
        return True

    def _put_off(self, jobs: Sequence[Job], error: Unavailable) -> None:
        """Hand back the jobs, the first of them for twice as long.

        One that a service never answers about would else hold up those behind it for good.
        """
        _log.warning("%d extract jobs wait: %s", len(jobs), error)
        attempts = max(job.attempts for job in jobs)
        self.store.retry(jobs[1:], str(error), next_attempt_at(attempts))
        self.store.retry(jobs[:1], str(error), next_attempt_at(attempts + 1))


@dataclass(frozen=True, slots=True)
class _Answer:
    """What was found in an item as it was."""

    artifact: Artifact
    found: Extraction


class _Asked:
    """An `Extractor` that has been asked about one item already; it asks again about one that has changed."""

    def __init__(self, extractor: Extractor, answer: "Future[_Answer | None]") -> None:
        self.name = extractor.name
        self._extractor = extractor
        self._answer = answer

    def extract(self, artifact: Artifact) -> Extraction:
        answer = self._answer.result()
        if answer is not None and answer.artifact == artifact:
            return answer.found
        return self._extractor.extract(artifact)


class _Unread:
    """An `Extractor` that does not read the text."""

    name = "none"

    def extract(self, _: Artifact) -> Extraction:
        return Extraction()


class _Stopped(Exception):
    """Work was left in the middle because the process ends."""


def _groups(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Yield the jobs in order, in groups of few enough chunks; one with more than that is a group by itself."""
    group: list[Job] = []
    for job in jobs:
        if group and sum(other.num_chunks for other in group) + job.num_chunks > _EMBED_CHUNKS:
            yield group
            group = []
        group.append(job)
    yield group
