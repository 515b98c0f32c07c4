"""What is known about a question or a name, put together of decisions, commitments and passages: every sentence a quote
with its place, within a token limit. No text is made up.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from core.interface.ledger import LedgerAnswer, LedgerItem
from core.interface.results import UNLIKELY, Asked, Quoted, Recall, Result
from retrieval.messages.markdown import format_facts, quote_text
from retrieval.models.tokenizer import estimate_model_tokens

#: Tokens where no limit is given, and the parts that decisions and commitments may take; passages take the rest.
USUAL_TOKENS: Final = 1_500
_SHARES: Final = {"decision": 0.3, "commitment": 0.3}
_TITLES: Final = {"decision": "Decided", "commitment": "Promised", "passage": "Passages"}
#: How many of each are asked for.
_ENTRIES, _PASSAGES = 20, 8


class Source(Protocol):
    """What answers the parts of a question."""

    def find(self, query: str, limit: int) -> Recall:
        """Return passages that answer."""
        ...

    def decided(self, *, topic: str | None = None, person: str | None = None, limit: int) -> LedgerAnswer:
        """Return the decisions that hold, about a topic or by a person."""
        ...

    def promised(self, *, topic: str | None = None, owner: str | None = None, limit: int) -> LedgerAnswer:
        """Return the open commitments about a topic, or of an owner."""
        ...


def ask(source: Source, question: str, budget: int = USUAL_TOKENS) -> Asked:
    """Return what is known about a question; of passages that probably do not answer it, none."""
    decisions = source.decided(topic=question, limit=_ENTRIES)
    commitments = source.promised(topic=question, limit=_ENTRIES)
    return _put_together(source.find(question, _PASSAGES), decisions, commitments, budget)


def profile(source: Source, name: str, budget: int = USUAL_TOKENS) -> Asked:
    """Return what is known about a person, organisation or thing: what they decided and owe, and passages."""
    decisions = source.decided(person=name, limit=_ENTRIES)
    commitments = source.promised(owner=name, limit=_ENTRIES)
    return _put_together(source.find(name, _PASSAGES), decisions, commitments, budget)


def _put_together(found: Recall, decisions: LedgerAnswer, commitments: LedgerAnswer, budget: int) -> Asked:
    likelihood = found.answer_likelihood
    passages = [] if likelihood is not None and likelihood < UNLIKELY else found.results
    parts: list[str] = []
    shown: list[Quoted] = []
    left, left_out = budget, 0
    for kind, quotes in (
        ("decision", [_of_event(item) for item in decisions.items]),
        ("commitment", [_of_event(item) for item in commitments.items]),
        ("passage", list(_of_passages(passages))),
    ):
        part, fitting = _part(_TITLES[kind], quotes, int(budget * _SHARES[kind]) if kind in _SHARES else left)
        left -= estimate_model_tokens(part)
        left_out += len(quotes) - len(fitting)
        parts.append(part)
        shown += fitting
    return Asked("\n".join(filter(None, parts)), shown, left_out, likelihood)


def _part(title: str, quotes: Sequence[Quoted], budget: int) -> tuple[str, list[Quoted]]:
    """Return a heading with as many quotes as fit, and how many do not; empty if none fits."""
    lines: list[str] = []
    rest = "({} more.)\n"
    left = budget - estimate_model_tokens(f"## {title}\n{rest}")
    for quote in quotes:
        line = _line(quote)
        if (left := left - estimate_model_tokens(line)) < 0:
            break
        lines.append(line)
    more = [rest.format(len(quotes) - len(lines))] if len(lines) < len(quotes) else []
    return ("".join([f"## {title}\n", *lines, *more]) if lines else "", list(quotes[: len(lines)]))


def _line(quote: Quoted) -> str:
    facts = [
        quote.status,
        quote.date and quote.date[:10],
        quote.due and f"due {quote.due[:10]}",
        *map(quote_text, quote.people),
        quote.title and quote_text(quote.title),
        f"{quote.artifact_id} {quote.place}" if quote.place else quote.artifact_id,
        quote.event_id,
    ]
    return f"- {quote_text(' '.join(quote.quote.split()))}{format_facts(facts)}\n"


def _of_event(item: LedgerItem) -> Quoted:
    quote = item.evidence[0] if item.evidence else None
    return Quoted(
        "decision" if item.category == "Decision" else "commitment",
        item.summary if quote is None else quote.quote,
        item.artifact_id,
        None if quote is None else quote.place or f"{quote.start_char}-{quote.end_char}",
        event_id=item.id,
        date=item.said_at if item.category == "Commitment" else item.event_time,
        due=item.due,
        status=item.status,
        people=list(item.owners),
        title=item.title,
    )


def _of_passages(results: Sequence[Result]) -> Iterator[Quoted]:
    for result in results:
        author = result.author or result.metadata.get("author")
        date = result.date or result.metadata.get("date")
        if result.turns:
            for turn in result.turns:
                yield Quoted(
                    "passage",
                    turn.content,
                    turn.id,
                    f"turn {turn.turn_index}",
                    date=turn.date or turn.ts,
                    people=[turn.author] if turn.author else [],
                )
            continue
        chunk = result.chunk
        yield Quoted(
            "passage",
            result.content,
            result.id,
            None if chunk is None else chunk.place or f"{chunk.start_char}-{chunk.end_char}",
            date=None if date is None else str(date),
            people=[str(author)] if author else [],
            title=result.title,
        )
