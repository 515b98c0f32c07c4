"""Receipt shape: what came of several items, in the shape and within the tokens asked for, and what was left out."""

from dataclasses import replace
from typing import Final

from core.interface.question import token_limit
from core.interface.results import Detail, Receipt, Receipts
from retrieval.messages.fitting import Cut, fit_to_limit
from retrieval.messages.message import Limit


def shape_receipts(answer: Receipts, detail: Detail, max_tokens: int | None) -> Receipts:
    """Return receipts as they were asked for; in brief each has its id and status, and refusals are the last to go."""
    shown = answer
    if detail == "brief":
        shown = replace(
            answer,
            results=[
                Receipt(one.id, one.status, changed=one.changed, hint=one.hint) if isinstance(one, Receipt) else one
                for one in answer.results
            ],
        )

    def add_hint(cut: Receipts) -> Receipts:
        receipts = _receipts(answer) - _receipts(cut)
        refusals = len(answer.results) - len(cut.results) - receipts
        parts = [f"{number} {name}" for name, number in (("receipts", receipts), ("refusals", refusals)) if number]
        left_out = f"Left out: {', '.join(parts)} (raise max_tokens)." if parts else None
        return replace(cut, hint=" ".join(filter(None, (answer.hint, left_out))) or None)

    return fit_to_limit(shown, Limit(token_limit(detail, max_tokens), detail), _CUTS, add_hint)


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
_CUTS: Final[tuple[Cut[Receipts], ...]] = (
    Cut(_receipts, _with_receipts),
    Cut(lambda answer: len(answer.results), lambda answer, n: replace(answer, results=answer.results[:n])),
)
