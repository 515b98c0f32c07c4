"""Status shape: the state of the memory, and what came of several items, within the requested tokens."""

from dataclasses import replace
from typing import Final

from core.interface.question import token_limit
from core.interface.results import Detail, JobView, Receipt, Receipts, Status
from retrieval.messages.message import Cut, Limit, fit_to_limit

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


def shape_receipts(answer: Receipts, detail: Detail, max_tokens: int | None) -> Receipts:
    """Return receipts as they were asked for; in brief each has its id and status, and refusals are the last to go."""
    shown = answer
    if detail == "brief":
        shown = replace(
            answer,
            results=[
                Receipt(one.id, one.status, changed=one.changed, hint=one.hint, redacted=one.redacted)
                if isinstance(one, Receipt)
                else one
                for one in answer.results
            ],
        )

    def add_hint(cut: Receipts) -> Receipts:
        receipts = _receipts(answer) - _receipts(cut)
        refusals = len(answer.results) - len(cut.results) - receipts
        parts = [f"{number} {name}" for name, number in (("receipts", receipts), ("refusals", refusals)) if number]
        left_out = f"Left out: {', '.join(parts)} (raise max_tokens)." if parts else None
        return replace(cut, hint=" ".join(filter(None, (answer.hint, left_out))) or None)

    return fit_to_limit(shown, Limit(token_limit(detail, max_tokens), detail), _RECEIPT_CUTS, add_hint)


def _receipts(answer: Receipts) -> int:
    return sum(isinstance(one, Receipt) for one in answer.results)


def _with_receipts(answer: Receipts, count: int) -> Receipts:
    """Return the first receipts and all refusals, which name their item; so the place of each that is left stays."""
    kept, left = [], count
    for one in answer.results:
        if isinstance(one, Receipt):
            left -= 1
        if left >= 0 or not isinstance(one, Receipt):
            kept.append(one)
    return replace(answer, results=kept)


#: What is left out, first to last.
_RECEIPT_CUTS: Final[tuple[Cut[Receipts], ...]] = (
    Cut(_receipts, _with_receipts),
    Cut(lambda answer: len(answer.results), lambda answer, n: replace(answer, results=answer.results[:n])),
)
