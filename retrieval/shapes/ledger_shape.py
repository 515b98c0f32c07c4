"""Ledger shape: decisions, commitments and reviews in the requested shape and tokens, and what was left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from core.interface.learning import Review, ReviewQuestion
from core.interface.ledger import Cause, CommitmentsQuestion, DecisionsQuestion, LedgerAnswer, LedgerItem, Quote
from core.interface.question import token_limit
from core.interface.results import Detail
from retrieval.messages.message import Cut, Limit, explain_too_long, fit_to_limit

#: Characters of a summary that are kept where not even one item fits.
_FEW_CHARS: Final = 80
#: How the first moment of a day ends.
_MIDNIGHT: Final = "T00:00:00.000000Z"


def shape_ledger(answer: LedgerAnswer, question: DecisionsQuestion | CommitmentsQuestion) -> LedgerAnswer:
    """Return a page as it was asked for."""
    limit = Limit(token_limit(question.detail, question.max_tokens), question.detail)

    def add_hint(cut: LedgerAnswer) -> LedgerAnswer:
        said = filter(None, [answer.hint, *_left_out(cut, answer, question)])
        return replace(cut, hint=" ".join(said) or None)

    shown = answer
    if question.detail == "brief":
        shown = replace(answer, items=[_brief(item) for item in answer.items])
    cut = fit_to_limit(add_hint(shown), limit, _CUTS[0 if question.detail == "brief" else 2 :], add_hint)
    if limit.fits(cut):
        return cut
    return (
        replace(cut, items=[], hint=explain_too_long(answer.items[0].id)) if answer.items else replace(cut, hint=None)
    )


def shape_ledger_item(item: LedgerItem, detail: Detail, max_tokens: int | None) -> LedgerItem:
    """Return one item as it was asked for."""

    def add_hint(cut: LedgerItem) -> LedgerItem:
        missing = _lacking([cut], [item])
        return replace(cut, hint=f'{missing}: recall(id="{item.id}", detail="full") has all.' if missing else None)

    shown = _brief(item) if detail == "brief" else item
    limit = Limit(token_limit(detail, max_tokens), detail)
    cut = fit_to_limit(add_hint(shown), limit, _ITEM_CUTS, add_hint)
    return cut if limit.fits(cut) else replace(cut, due=None, hint="Raise max_tokens.")


def _left_out(
    cut: LedgerAnswer, found: LedgerAnswer, question: DecisionsQuestion | CommitmentsQuestion
) -> Iterator[str]:
    following = question.offset + len(cut.items)
    if cut.items and (more := found.total_count - following) > 0:
        yield f"{more} more: pass offset={following}."
    if missing := _lacking(cut.items, found.items):
        yield f'{missing}: pass detail="full".' if question.detail == "brief" else f"{missing}: raise max_tokens."
    if cut.held_back:
        yield f"{cut.held_back} uncertain ones are hidden: pass min_confidence=0."
    if cut.stale:
        yield f'{cut.stale} open for over a year are left out: pass status="stale".'


def _lacking(shown: Sequence[LedgerItem], whole: Sequence[LedgerItem]) -> str | None:
    """Say what shown items lack; None if nothing."""
    pairs = list(zip(shown, whole, strict=False))
    parts = [
        f"{number} {name}"
        for name, number in (
            ("quotes", sum(_quotes(other) - _quotes(one) for one, other in pairs)),
            ("links", sum(_links(other) - _links(one) for one, other in pairs)),
            ("declarations", sum(len(other.history or ()) - len(one.history or ()) for one, other in pairs)),
            ("items' fields", sum(_lacks_facts(one, other) for one, other in pairs)),
        )
        if number
    ]
    return f"Left out {', '.join(parts)}" if parts else None


def _quotes(item: LedgerItem) -> int:
    return len(item.evidence) + sum(len(cause.evidence) for cause in _causes(item))


def _links(item: LedgerItem) -> int:
    return len(item.also_supersedes or ()) + len(item.also_superseded_by or ()) + len(_causes(item))


def _causes(item: LedgerItem) -> list[Cause]:
    return [cause for cause in (item.superseding, item.completed_by, item.cancelled_by) if cause is not None]


def _lacks_facts(shown: LedgerItem, whole: LedgerItem) -> bool:
    return (shown.summary, shown.owners, shown.subjects) != (whole.summary, whole.owners, whole.subjects)


def _brief(item: LedgerItem) -> LedgerItem:
    return replace(
        item,
        confidence=round(item.confidence, 2),
        event_time=_day(item.event_time),
        said_at=_day(item.said_at),
        evidence=_first(item.evidence, item.artifact_id),
        also_supersedes=None,
        also_superseded_by=None,
        superseding=_brief_cause(item.superseding),
        completed_by=_brief_cause(item.completed_by),
        cancelled_by=_brief_cause(item.cancelled_by),
    )


def _brief_cause(cause: Cause | None) -> Cause | None:
    if cause is None:
        return None
    return replace(cause, event_time=_day(cause.event_time), evidence=_first(cause.evidence, cause.artifact_id))


def _day(moment: str | None) -> str | None:
    """Return a moment without its time if that is the first of the day."""
    return None if moment is None else moment.removesuffix(_MIDNIGHT)


def _first(quotes: Sequence[Quote], artifact_id: str) -> list[Quote]:
    return [replace(one, artifact_id=None if one.artifact_id == artifact_id else one.artifact_id) for one in quotes[:1]]


def _with_subjects(answer: LedgerAnswer, count: int) -> LedgerAnswer:
    return replace(answer, items=[replace(item, subjects=item.subjects[:count]) for item in answer.items])


def _bare(item: LedgerItem) -> LedgerItem:
    return LedgerItem(
        item.id, item.category, item.summary, item.artifact_id, item.confidence, status=item.status, due=item.due
    )


def _with_facts(answer: LedgerAnswer, count: int) -> LedgerAnswer:
    return answer if count else replace(answer, items=[_bare(item) for item in answer.items])


def _with_summaries(answer: LedgerAnswer, length: int) -> LedgerAnswer:
    return replace(answer, items=[replace(item, summary=item.summary[:length]) for item in answer.items])


#: What is left out, first to last: subjects, items from the end, then all but what an item is, and its last words.
_CUTS: Final[tuple[Cut[LedgerAnswer], ...]] = (
    Cut(lambda a: max((len(item.subjects) for item in a.items), default=0), _with_subjects),
    Cut(lambda a: len(a.items), lambda a, n: replace(a, items=a.items[:n]), 3),
    Cut(lambda a: len(a.items), lambda a, n: replace(a, items=a.items[:n]), 1),
    Cut(lambda a: int(bool(a.items)), _with_facts),
    Cut(lambda a: max((len(item.summary) for item in a.items), default=0), _with_summaries, _FEW_CHARS),
)
_ITEM_CUTS: Final[tuple[Cut[LedgerItem], ...]] = (
    Cut(lambda item: len(item.subjects), lambda item, n: replace(item, subjects=item.subjects[:n])),
    Cut(lambda item: len(item.history or ()), lambda item, n: replace(item, history=(item.history or [])[-n:][:n])),
    Cut(lambda item: len(item.id), lambda item, n: item if n == len(item.id) else _bare(item)),
    Cut(lambda item: len(item.summary), lambda item, n: replace(item, summary=item.summary[:n])),
)


#: Characters of a quote that are kept where not all fit.
_WHAT_TO_DO: Final = "Each item ends with the call that settles it; recall by its artifact's id shows the whole text."


def shape_review(answer: Review, question: ReviewQuestion) -> Review:
    """Return an answer with as many of its items as fit, and a hint that says how many there are besides."""

    def add_hint(cut: Review) -> Review:
        more = cut.total_count - len(cut.items)
        left = f" {more} more: raise limit or max_tokens, or see to these first." if more > 0 else ""
        return replace(cut, hint=_WHAT_TO_DO + left if cut.items else "Nothing to review.")

    limit = Limit(token_limit("brief", question.max_tokens), "brief")
    return fit_to_limit(add_hint(answer), limit, _REVIEW_CUTS, add_hint)


def _with_quotes(answer: Review, length: int) -> Review:
    return replace(answer, items=[replace(one, quote=one.quote and one.quote[:length]) for one in answer.items])


def _with_review_summaries(answer: Review, length: int) -> Review:
    return replace(answer, items=[replace(one, summary=one.summary[:length]) for one in answer.items])


#: What is left out, first to last.
_REVIEW_CUTS: Final[tuple[Cut[Review], ...]] = (
    Cut(lambda answer: len(answer.items), lambda answer, n: replace(answer, items=answer.items[:n]), 1),
    Cut(lambda a: max((len(one.quote or "") for one in a.items), default=0), _with_quotes, _FEW_CHARS),
    Cut(lambda a: max((len(one.summary) for one in a.items), default=0), _with_review_summaries, _FEW_CHARS),
    Cut(lambda answer: len(answer.items), lambda answer, n: replace(answer, items=answer.items[:n])),
)
