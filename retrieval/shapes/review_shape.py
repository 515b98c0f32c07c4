"""Review shape: the items to review within the requested tokens, and what to do about them."""

from dataclasses import replace
from typing import Final

from core.interface.learning.review import Review, ReviewQuestion
from core.interface.question import token_limit
from retrieval.messages.fitting import Cut, fit_to_limit
from retrieval.messages.message import Limit

#: Characters of a quote that are kept where not all fit.
_FEW_CHARS: Final = 80
_WHAT_TO_DO: Final = (
    "Read the item (recall by id), then learn what it says, or learn with replace=true where nothing is to be said; "
    "pairs are decided with `remembrancer review --accept` or `--reject`."
)


def shape_review(answer: Review, question: ReviewQuestion) -> Review:
    """Return an answer with as many of its items as fit, and a hint that says how many there are besides."""

    def add_hint(cut: Review) -> Review:
        more = cut.total_count - len(cut.items)
        left = f" {more} more: raise limit or max_tokens, or see to these first." if more > 0 else ""
        return replace(cut, hint=_WHAT_TO_DO + left if cut.items else "Nothing to review.")

    limit = Limit(token_limit("brief", question.max_tokens), "brief")
    return fit_to_limit(add_hint(answer), limit, _CUTS, add_hint)


def _with_quotes(answer: Review, length: int) -> Review:
    return replace(answer, items=[replace(one, quote=one.quote and one.quote[:length]) for one in answer.items])


def _with_summaries(answer: Review, length: int) -> Review:
    return replace(answer, items=[replace(one, summary=one.summary[:length]) for one in answer.items])


#: What is left out, first to last.
_CUTS: Final[tuple[Cut[Review], ...]] = (
    Cut(lambda answer: len(answer.items), lambda answer, n: replace(answer, items=answer.items[:n]), 1),
    Cut(lambda a: max((len(one.quote or "") for one in a.items), default=0), _with_quotes, _FEW_CHARS),
    Cut(lambda a: max((len(one.summary) for one in a.items), default=0), _with_summaries, _FEW_CHARS),
    Cut(lambda answer: len(answer.items), lambda answer, n: replace(answer, items=answer.items[:n])),
)
