"""Reranking: the first of a ranking in the order of a reranker's scores, if it answers in time."""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from core.errors import Unavailable
from core.search import Reranker
from retrieval.ranking.fusion import Ranked
from retrieval.ranking.sources import CircuitBreaker

_log = logging.getLogger("remembrancer.rerank")

#: How many artifacts a reranker looks at: each costs it a pass through a model.
FIRST: Final = 30
#: The longest wait for its scores, in seconds.
TIMEOUT_SECONDS: Final = 10.0
#: Questions reranked at the same time; others are not reranked.
_MAX_CONCURRENT: Final = 4


@dataclass(frozen=True, slots=True)
class Reranked:
    """A ranking after reranking; `error` says why it is unchanged, None if it was reranked."""

    ranked: list[Ranked]
    error: str | None = None


def reorder(ranked: Sequence[Ranked], scores: Sequence[float]) -> list[Ranked]:
    """Return as many of the first as there are scores, highest first, ties in their former order, and the rest after
    them.

    A score of the ranking belongs to its rank: the artifact moved there gets it, so that scores still fall.
    """
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    moved = [ranked[place]._replace(score=ranked[to].score) for to, place in enumerate(order)]
    return [*moved, *ranked[len(scores) :]]


def check_scores(scores: Sequence[float], count: int) -> list[float]:
    """Return the scores as plain numbers.

    Raises:
        Unavailable: there are not `count` of them, or one is no finite number.
    """
    try:
        numbers = [float(score) for score in scores]
    except (TypeError, ValueError, OverflowError) as error:
        raise Unavailable(f"It gave {scores!r:.80} for scores: it must give a list of numbers.") from error
    if len(numbers) != count:
        raise Unavailable(f"It gave {len(numbers)} scores for {count} passages: it must give one for each.")
    if odd := [number for number in numbers if not isfinite(number)]:
        raise Unavailable(f"It gave the score {odd[0]!r}: every score must be finite.")
    return numbers


@dataclass(frozen=True, slots=True)
class Reranking:
    """Calls one reranker, and not for some seconds after it timed out.

    Safe to call from several threads. A reranker that never returns keeps `_MAX_CONCURRENT` threads at most, and keeps
    no process from ending.
    """

    reranker: Reranker
    timeout_seconds: float = TIMEOUT_SECONDS
    breaker: CircuitBreaker = field(default_factory=lambda: CircuitBreaker(2 * TIMEOUT_SECONDS))
    _slots: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(_MAX_CONCURRENT))

    def apply(self, query: str, ranked: Sequence[Ranked], passages: Mapping[tuple[str, int], str]) -> Reranked:
        """Return the ranking with its first `FIRST` in the reranker's order, or unchanged if that is not available.

        `passages` holds the text of each place; an artifact without one goes behind those reranked.
        """
        seen = [item for item in ranked[:FIRST] if (item.artifact_id, item.index) in passages]
        if len(seen) < 2:
            return Reranked(list(ranked))
        if not self.breaker.may_call():
            return self._without(ranked, "it took too long just now and is not asked again for some seconds.")
        begin = time.monotonic()
        try:
            scores = self._asked(query, [passages[item.artifact_id, item.index] for item in seen])
        except Unavailable as error:
            _log.warning("Answering without reranker %s: %s", self.reranker.name, error)
            self.breaker.record_failure(time.monotonic() - begin)
            return self._without(ranked, str(error))
        self.breaker.record_success()
        reranked = set(seen)
        others = [item for item in ranked if item not in reranked]
        in_place = [item._replace(score=at.score) for item, at in zip([*seen, *others], ranked, strict=True)]
        return Reranked(reorder(in_place, scores))

    def _without(self, ranked: Sequence[Ranked], reason: str) -> Reranked:
        return Reranked(list(ranked), f"Results were not reranked by {self.reranker.name!r}: {reason}")

    def _asked(self, query: str, passages: list[str]) -> list[float]:
        """Return the reranker's scores.

        Raises:
            Unavailable: it raised anything, took too long, or gave something else than a finite number for each.
        """
        if not self._slots.acquire(blocking=False):
            raise Unavailable(f"It is still busy with {_MAX_CONCURRENT} earlier questions: make it faster.")
        answer: Future[Sequence[float]] = Future()
        # No pool: its threads would be waited for when the process ends.
        threading.Thread(
            target=self._ask, args=(query, passages, answer), name="remembrancer-rerank", daemon=True
        ).start()
        try:
            return check_scores(answer.result(self.timeout_seconds), len(passages))
        except Unavailable:
            raise
        except Exception as error:  # a plugin may raise anything, and the ranking works without it
            if not answer.done():
                raise Unavailable(f"It took over {self.timeout_seconds:g} seconds: make it faster.") from error
            _log.warning("Reranker %s failed", self.reranker.name, exc_info=error)
            # Its message stays in the log: it may hold an address with a key in it.
            raise Unavailable(f"It failed with {type(error).__name__}: the log says why.") from error

    def _ask(self, query: str, passages: list[str], answer: Future[Sequence[float]]) -> None:
        try:
            answer.set_result(self.reranker.scores(query, passages))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits for it
            # What would end a process (`SystemExit`) is no more than a failure here.
            answer.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))
        finally:
            self._slots.release()
