"""Message: what is sent of an answer, and whether it fits its tokens.

A tool sends a text block and structured content, and a client shows the model one of them: the larger must fit. In
full the text block is the structured content; in brief it is Markdown, written by `_WRITERS`.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from core.interface.learning.review import Review
from core.interface.ledger_results import LedgerAnswer, LedgerItem
from core.interface.neighbourhood import Neighbourhood
from core.interface.results import Detail, Recall, Receipts, Status, to_json
from core.interface.stash import Popped, StashMatches, Unstashed
from retrieval.messages.exploration_text import render_neighbourhood
from retrieval.messages.ledger_text import render_ledger, render_ledger_item
from retrieval.messages.recall_text import render_popped, render_recall
from retrieval.messages.review_text import render_review
from retrieval.messages.stash_text import render_stash_matches, render_unstashed
from retrieval.messages.status_text import render_receipts, render_status
from retrieval.models.tokenizer import TokenTally

#: What writes each brief answer.
_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    Recall: render_recall,
    Popped: render_popped,
    LedgerAnswer: render_ledger,
    LedgerItem: render_ledger_item,
    Neighbourhood: render_neighbourhood,
    Review: render_review,
    StashMatches: render_stash_matches,
    Unstashed: render_unstashed,
    Receipts: render_receipts,
    Status: render_status,
}
#: More characters than a token has on average in any text that people write, and what a word cut in two adds.
_CHARS_PER_TOKEN, _SLACK = 8, 100


def render_text(answer: object, detail: Detail = "brief") -> str:
    """Return the text block of an answer: Markdown in brief, if it has a writer, else compact JSON."""
    write = _WRITERS.get(type(answer)) if detail == "brief" else None
    return _json(answer, detail) if write is None else write(answer)


class Limit:
    """A number of tokens that answers may have, as `estimate_model_tokens` counts them in what is sent; None for any
    number.

    Not safe for use from several threads: what is counted once is kept for the next candidate.
    """

    def __init__(self, max_tokens: int | None, detail: Detail) -> None:
        self.max_tokens = max_tokens
        self.detail = detail
        self._tally = TokenTally()

    def share(self, part: float) -> "Limit":
        """Return a limit of this part of its tokens."""
        return Limit(None if self.max_tokens is None else int(self.max_tokens * part), self.detail)

    def fits(self, answer: object) -> bool:
        """Whether both forms of the answer have at most that many tokens."""
        most = self.max_tokens
        if most is None:
            return True
        structured, text = _json(answer, self.detail), render_text(answer, self.detail)
        return self._holds(structured, most) and (text == structured or self._holds(text, most))

    def _holds(self, text: str, most: int) -> bool:
        """Whether a text has at most `most` tokens; of a much longer one only the beginning is counted."""
        beginning = text[: _CHARS_PER_TOKEN * most]
        if len(beginning) < len(text) and self._tally.count(beginning) > most + _SLACK:
            return False
        return self._tally.count(text) <= most


def _json(answer: object, detail: Detail) -> str:
    return json.dumps(to_json(answer, detail), ensure_ascii=False, separators=(",", ":"))
