"""Split: cut a memory into chunks that an embedder sees whole, with offsets that give the source back exactly."""

from collections.abc import Sequence
from typing import Final

from core.embedding import Tokenizer
from core.knowledge import Span
from core.memory import Memory
from core.records import Chunk

#: Longest chunk, in tokens; an embedder with a smaller window makes it shorter.
MAX_CHUNK_TOKENS: Final = 900
#: Share of a chunk that the next one repeats: 100 of 900 tokens.
OVERLAP: Final = 1 / 9
#: Most tokens that title, date and speaker may take in front of a chunk.
MAX_PREFIX_TOKENS: Final = 48
#: A chunk ends at the last paragraph, line or sentence of its final part; this is where that part begins.
_EARLIEST_BREAK: Final = 0.6
#: White space longer than this counts as tokens of this many characters, so that no chunk grows without bound.
_MAX_GAP: Final = 100


def prefix_of(memory: Memory, tokenizer: Tokenizer) -> str:
    """Return what is indexed in front of every chunk: date and speaker of a turn, title of anything else."""
    if memory.is_turn:
        date = f"[{memory.date[:10]}] " if memory.date else ""
        speaker = memory.author or memory.role
        prefix = f"{date}{speaker}: " if speaker else date
    else:
        opens_with_title = memory.title is not None and memory.content.lstrip("# ").startswith(memory.title)
        prefix = "" if memory.title is None or opens_with_title else f"{memory.title}\n"
    spans = tokenizer.token_spans(prefix)
    return prefix if len(spans) <= MAX_PREFIX_TOKENS else prefix[: spans[MAX_PREFIX_TOKENS].start_char]


def split(artifact_id: str, memory: Memory, tokenizer: Tokenizer) -> tuple[list[Chunk], int]:
    """Return the chunks of `memory` in order, and how many tokens its content has.

    Every character is in at least one chunk. A chunk with its prefix has at most `tokenizer.window_tokens` tokens
    and `tokenizer.window_bytes` bytes, and it never begins or ends inside a word.
    """
    content, prefix = memory.content, prefix_of(memory, tokenizer)
    tokens = tokenizer.token_spans(content)
    window = min(MAX_CHUNK_TOKENS, tokenizer.window_tokens - len(tokenizer.token_spans(prefix)))
    byte_window = tokenizer.window_bytes - len(prefix.encode())
    spans = _with_gaps(tokens, len(content))
    chunks: list[Chunk] = []
    begin = 0
    while True:
        end = _end_of_window(content, spans, begin, window, byte_window)
        start_char = 0 if begin == 0 else spans[begin].start_char
        end_char = len(content) if end == len(spans) else spans[end].start_char
        text = content[start_char:end_char]
        chunks.append(Chunk(artifact_id, len(chunks), start_char, end_char, text, prefix, end - begin))
        if end == len(spans):
            return chunks, len(tokens)
        begin = _start_of_overlap(content, spans, begin, end, round(window * OVERLAP))


def _with_gaps(tokens: Sequence[Span], length: int) -> list[Span]:
    """Return the tokens, and between them pieces of each stretch of white space that is too long to come along free."""
    spans: list[Span] = []
    last = 0
    for token in (*tokens, Span(length, length)):
        while token.start_char - last > _MAX_GAP:
            spans.append(Span(last, last + _MAX_GAP))
            last += _MAX_GAP
        spans.append(token)
        last = token.end_char
    spans.pop()
    return spans


def _between_words(content: str, spans: Sequence[Span], index: int) -> bool:
    before, after = spans[index - 1].end_char, spans[index].start_char
    return before < after or not (content[before - 1].isalnum() and content[after].isalnum())


def _end_of_window(content: str, spans: Sequence[Span], begin: int, window: int, byte_window: int) -> int:
    """Return the index after the last token of the chunk that begins at `begin`."""
    end = min(begin + window, len(spans))
    while end > begin + 1 and _size(content, spans, begin, end) > byte_window:
        end = begin + max(1, (end - begin) * 3 // 4)
    if end == len(spans):
        return end
    earliest = begin + max(1, int((end - begin) * _EARLIEST_BREAK))
    for sign in ("\n\n", "\n", ". ", "! ", "? ", "。"):
        for index in range(end, earliest - 1, -1):
            if sign in content[spans[index - 1].start_char : spans[index].start_char]:
                return index
    return next((i for i in range(end, begin, -1) if _between_words(content, spans, i)), end)


def _size(content: str, spans: Sequence[Span], begin: int, end: int) -> int:
    stop = len(content) if end == len(spans) else spans[end].start_char
    return len(content[spans[begin].start_char : stop].encode())


def _start_of_overlap(content: str, spans: Sequence[Span], begin: int, end: int, overlap: int) -> int:
    """Return where the chunk after one of tokens `begin` to `end` starts: `overlap` tokens back, at a word."""
    earliest = max(begin + 1, end - overlap)
    return next((i for i in range(earliest, end) if _between_words(content, spans, i)), end)
