"""Status shape: the state of the memory within the tokens asked for, and what was left out."""

from dataclasses import replace
from typing import Final

from core.interface.question import token_limit
from core.interface.results import Detail, JobView, Status
from retrieval.messages.fitting import Cut, fit_to_limit
from retrieval.messages.message import Limit

#: Characters of an error or a detail that are kept where not all of it fits.
_FEW_CHARS: Final = 40


def shape_status(answer: Status, detail: Detail, max_tokens: int | None) -> Status:
    """Return a status as it was asked for: long errors go first, then failed items, the words of services last."""

    def add_hint(cut: Status) -> Status:
        lacks = replace(cut, hint=None) != answer
        return replace(
            cut, hint="Left out: failed items, or details of services (raise max_tokens)." if lacks else None
        )

    return fit_to_limit(answer, Limit(token_limit(detail, max_tokens), detail), _CUTS, add_hint)


def _with_errors(answer: Status, length: int) -> Status:
    parked = [replace(one, error=one.error[:length]) for one in answer.parked or ()]
    jobs = {kind: _with_error(job, length) for kind, job in (answer.job_status or {}).items()}
    return replace(answer, parked=parked or None, job_status=jobs or answer.job_status)


def _with_error(job: JobView, length: int) -> JobView:
    return replace(job, error=job.error and job.error[:length])


def _with_details(answer: Status, length: int) -> Status:
    services = {name: replace(one, detail=one.detail[:length]) for name, one in answer.services.items()}
    return replace(answer, services=services, notice=answer.notice and answer.notice[:length])


def _longest_error(answer: Status) -> int:
    errors = [*(one.error for one in answer.parked or ()), *(job.error for job in (answer.job_status or {}).values())]
    return max((len(error or "") for error in errors), default=0)


def _longest_detail(answer: Status) -> int:
    return max(len(text or "") for text in (answer.notice, *(one.detail for one in answer.services.values())))


#: What is left out, first to last.
_CUTS: Final[tuple[Cut[Status], ...]] = (
    Cut(_longest_error, _with_errors, _FEW_CHARS),
    Cut(_longest_detail, _with_details, _FEW_CHARS),
    Cut(lambda answer: len(answer.parked or ()), lambda answer, n: replace(answer, parked=(answer.parked or [])[:n])),
    Cut(_longest_error, _with_errors),
    Cut(_longest_detail, _with_details),
)
