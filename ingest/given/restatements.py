"""Restatements: what callers told of an item in their own words, as chunks by which it is found in these words."""

from collections.abc import Sequence

from core.embedding import Tokenizer
from core.knowledge.annotations import quote_span
from core.knowledge.findings import Extraction, FoundEvent
from core.records import Chunk, containing_chunk, make_restatement

#: Which part of the window a summary may take, and a quote; the prefix takes no more than three eighths of it.
_SUMMARY, _QUOTE = 4, 3


def add_restatements(chunks: Sequence[Chunk], annotations: Extraction, tokenizer: Tokenizer) -> list[Chunk]:
    """Return the chunks of an item, and after them a chunk for each told event whose summary is not its quote.

    Its text is the quote. Both are cut to what fits into the embedding model's window.
    """
    found = list(chunks)
    for event in annotations.events if chunks else ():
        if _squeezed(event.summary) != _squeezed(event.quote):
            found.append(_restatement(event, chunks, len(found), tokenizer))
    return found


def _restatement(event: FoundEvent, chunks: Sequence[Chunk], index: int, tokenizer: Tokenizer) -> Chunk:
    span = quote_span(event)
    around = containing_chunk(chunks, span.start_char, span.end_char)
    said, quote = _cut(_squeezed(event.summary), _SUMMARY, tokenizer), _cut(event.quote, _QUOTE, tokenizer)
    return make_restatement(around, index, said, quote, span.start_char, len(tokenizer.token_bounds(quote)))


def _cut(text: str, part: int, tokenizer: Tokenizer) -> str:
    """Return as much of a text as fits into one of so many parts of the window."""
    text = text.encode()[: tokenizer.window_bytes // part].decode(errors="ignore")
    bounds, most = tokenizer.token_bounds(text), tokenizer.window_tokens // part
    return text if len(bounds) <= most else text[: bounds[most, 0]].rstrip()


def _squeezed(text: str) -> str:
    return " ".join(text.split())
