"""The text block of a review."""

from core.interface.learning.review import Review, ReviewItem
from retrieval.messages.blocks import format_facts, quote_text


def render_review(answer: Review) -> str:
    """Return a review as Markdown, a numbered line each."""
    lines = [f"{len(answer.items)} of {answer.total_count}" if answer.items else "None found."]
    lines += [f"{number}. {_line(item)}" for number, item in enumerate(answer.items, 1)]
    return "\n".join([*lines, *(["", answer.hint] if answer.hint else [])])


def _line(item: ReviewItem) -> str:
    sure = None if item.confidence is None else f"{item.confidence}"
    facts = format_facts([item.category, sure])
    quote = "" if item.quote is None else f" {quote_text(item.quote)}"
    place = "" if item.artifact_id in (None, item.id) else f" {item.artifact_id}"
    settle = f" → {item.settle}" if item.settle else ""
    names = f"{item.kind} {item.id}{f' {item.other}' if item.other else ''}"
    return f"{names}{facts} {quote_text(item.summary)}{quote}{place}{settle}"
