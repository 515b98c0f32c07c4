"""What is known about a question, put together of decisions, commitments and passages: every sentence a quote with its
place, within a token limit.
"""

from collections.abc import Sequence

from core.interface.ledger import LedgerItem
from core.interface.results import Recall, Result
from retrieval.messages.markdown import format_facts, quote_text
from retrieval.models.tokenizer import estimate_model_tokens

#: The parts of the budget that decisions and that commitments may take; passages take what is left.
_DECIDED, _PROMISED = 0.3, 0.3


def render_answer(
    found: Recall, decisions: Sequence[LedgerItem], commitments: Sequence[LedgerItem], budget: int
) -> str:
    """Return the quotes as Markdown of at most `budget` tokens, each with its item and place; empty if there are none.

    What does not fit is counted.
    """
    parts: list[str] = []
    left = budget
    for title, items, share in (("Decided", decisions, _DECIDED), ("Promised", commitments, _PROMISED)):
        part = _part(title, [_line_of_event(item) for item in items], int(budget * share))
        left -= estimate_model_tokens(part)
        parts.append(part)
    parts.append(_part("Passages", [_line_of_passage(result) for result in found.results], left))
    return "\n".join(filter(None, parts))


def _part(title: str, lines: Sequence[str], budget: int) -> str:
    """Return a heading with as many lines as fit, and how many do not; empty if none fits."""
    fitting: list[str] = []
    rest = "({} more.)\n"
    left = budget - estimate_model_tokens(f"## {title}\n{rest}")
    for line in lines:
        if (left := left - estimate_model_tokens(line)) < 0:
            break
        fitting.append(line)
    more = [rest.format(len(lines) - len(fitting))] if len(fitting) < len(lines) else []
    return "".join([f"## {title}\n", *fitting, *more]) if fitting else ""


def _line_of_event(item: LedgerItem) -> str:
    quote = item.evidence[0] if item.evidence else None
    words = item.summary if quote is None else quote.quote
    day = item.said_at if item.category == "Commitment" else item.event_time
    at = quote and f"{item.artifact_id} {quote.place or f'{quote.start_char}-{quote.end_char}'}"
    facts = [item.status, day and day[:10], item.due and f"due {item.due[:10]}", *map(quote_text, item.owners)]
    return f"- {quote_text(' '.join(words.split()))}{format_facts([*facts, at or item.artifact_id, item.id])}\n"


def _line_of_passage(result: Result) -> str:
    chunk = result.chunk
    place = "" if chunk is None else f" {chunk.place or f'{chunk.start_char}-{chunk.end_char}'}"
    date = result.date or result.metadata.get("date")
    author = result.author or result.metadata.get("author")
    facts = [result.title and quote_text(result.title), date and str(date)[:10], author and quote_text(str(author))]
    return f"- {quote_text(' '.join(result.content.split()))}{format_facts([*facts, f'{result.id}{place}'])}\n"
