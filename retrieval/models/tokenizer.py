"""Where a text may be cut, as a model sees it: the WordPiece tokenizer of all-MiniLM-L6-v2.

It differs from the stock one only where that maps words to `[UNK]` and so tells the model nothing: a sign that is not
in the vocabulary is kept apart from the word it touches, words of over 100 characters are read in pieces, and names of
special tokens (`[SEP]`) in a text are plain text.

Plain text is read in NumPy, many times as fast as by the tokenizer, with the same ranges; a short one by words whose
pieces are kept. Plain are letters, digits and signs of ASCII, blanks, and Chinese characters; a word with anything else
in it is left to the tokenizer, which knows how Unicode is normalised.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Regex, Tokenizer
from tokenizers.pre_tokenizers import BertPreTokenizer, FixedLength, Split
from tokenizers.pre_tokenizers import Sequence as InOrder

from core.errors import InvalidInput, Unavailable
from core.knowledge.findings import Span
from core.search import TokenBounds

#: Letters and digits, in the order of the columns of `PlainWords.table`.
_WORD: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_PUNCTUATION: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CONTINUES: Final = "##"
#: Class of a character: other, blank, a token by itself, or (from here on) the column of a letter plus this.
_OTHER, _BLANK, _ALONE, _LETTER = 0, 1, 2, 3


def _kinds() -> NDArray[np.uint8]:
    kinds = np.zeros(0xA001, np.uint8)
    kinds[[ord(sign) for sign in " \t\r\n"]] = _BLANK
    kinds[[ord(sign) for sign in _PUNCTUATION]] = _ALONE
    kinds[0x3400:0x4DC0] = kinds[0x4E00:0xA000] = _ALONE
    for column, sign in enumerate(_WORD):
        kinds[[ord(sign), ord(sign.upper())]] = _LETTER + column
    return kinds


_KINDS: Final = _kinds()


@dataclass(frozen=True, slots=True)
class PlainWords:
    """The vocabulary as a tree of letters: the next node of each by column, 0 for none."""

    table: NDArray[np.uint16]
    #: Whether a node is the end of a piece.
    ends: NDArray[np.bool_]
    #: Where pieces that begin a word begin, and those that continue one.
    first: int
    further: int
    #: Longest word that is read in one; a longer one is read in parts of this length.
    longest: int

    @classmethod
    def of(cls, vocabulary: Iterable[str], longest: int) -> "PlainWords":
        """Build the tree; every letter and digit must be a piece by itself, both at the start and inside of a word."""
        columns = {sign: column for column, sign in enumerate(_WORD)}
        nodes, edges, is_end = {"": 1, _CONTINUES: 2}, [], []
        for piece in vocabulary:
            begin = piece.startswith(_CONTINUES) * len(_CONTINUES)
            if begin == len(piece) or not columns.keys() >= set(piece[begin:]):
                continue
            for size in range(begin, len(piece)):
                if (longer := piece[: size + 1]) not in nodes:
                    nodes[longer] = len(nodes) + 1
                    edges.append((nodes[piece[:size]], columns[piece[size]], nodes[longer]))
            is_end.append(nodes[piece])
        parents, letters, children = np.array(edges).T
        table, ends = np.zeros((len(nodes) + 1, len(_WORD)), np.uint16), np.zeros(len(nodes) + 1, np.bool_)
        table[parents, letters], ends[is_end] = children, True
        return cls(table, ends, nodes[""], nodes[_CONTINUES], longest)

    def bounds(self, codes: NDArray[np.uint32], cuts: NDArray[np.intp]) -> tuple[NDArray[np.int32], Sequence[Span]]:
        """Return the range of each token of the plain words, and the range of each word that is not plain.

        `codes` are the code points of the text. Ranges are rows of start and end; words end at blanks, and at `cuts`.
        """
        kinds = _KINDS[np.minimum(codes, len(_KINDS) - 1)]
        left = _words_with_others(kinds, cuts)
        for word in left:
            kinds[word.start_char : word.end_char] = _BLANK
        parts = _parts(kinds >= _LETTER, cuts, self.longest)
        lengths = self._lengths(kinds, parts)
        is_start = kinds == _ALONE
        at, ends = parts.T
        while len(at):
            is_start[at] = True
            at = at + lengths[at]
            at, ends = at[at < ends], ends[at < ends]
        starts = np.flatnonzero(is_start).astype(np.int32)
        return np.stack([starts, starts + lengths[starts]], axis=1), left

    def _lengths(self, kinds: NDArray[np.uint8], parts: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return how long a token that begins at each place would be; 1 for what is in no word."""
        starts, ends = parts.T
        lengths = np.ones(len(kinds), np.int32)
        places = np.flatnonzero(kinds >= _LETTER).astype(np.int32)
        ends = np.repeat(ends, ends - starts)
        nodes = np.full(len(places), self.further, np.uint16)
        nodes[np.searchsorted(places, starts)] = self.first
        depth = 0
        while len(places):
            nodes = self.table[nodes, kinds[places + depth] - _LETTER]
            depth += 1
            lengths[places[self.ends[nodes]]] = depth
            alive = (nodes > 0) & (places + depth < ends)
            places, nodes, ends = places[alive], nodes[alive], ends[alive]
        return lengths


def _parts(in_word: NDArray[np.bool_], cuts: NDArray[np.intp], longest: int) -> NDArray[np.int32]:
    """Return the ranges of the words, in parts of at most `longest` characters, as rows."""
    goes_on = in_word[1:] & in_word[:-1]
    goes_on[cuts - 1] = False
    begins = np.flatnonzero(in_word & np.append(True, ~goes_on))
    ends = np.flatnonzero(in_word & np.append(~goes_on, True)) + 1
    pieces = -(-(ends - begins) // longest)
    owner = np.repeat(np.arange(len(begins)), pieces)
    starts = begins[owner] + (np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * longest
    return np.stack([starts, np.minimum(starts + longest, ends[owner])], axis=1).astype(np.int32)


def _words_with_others(kinds: NDArray[np.uint8], cuts: NDArray[np.intp]) -> list[Span]:
    """Return the ranges between blanks and cuts that hold a character that is not plain."""
    others = np.flatnonzero(kinds == _OTHER)
    if not len(others):
        return []
    blanks = np.flatnonzero(kinds == _BLANK)
    # A word begins behind a blank, and at a cut.
    begins = np.unique(np.concatenate([[0], blanks + 1, cuts]))
    ends = np.unique(np.concatenate([blanks, cuts, [len(kinds)]]))
    begins = begins[np.unique(np.searchsorted(begins, others, side="right")) - 1]
    ends = ends[np.searchsorted(ends, begins, side="right")]
    return [Span(start, end) for start, end in zip(begins.tolist(), ends.tolist(), strict=True)]


#: Longest range of one token, in characters; also the longest word that WordPiece reads (`max_input_chars_per_word`).
MAX_SPAN_CHARS: Final = 100
_FILE: Final = Path(__file__).parent / "weights" / "tokenizer.json"
#: Number of texts whose count is cached, since the same rules are shown again and again, and their largest length in
#: characters.
_REMEMBERED, _REMEMBERED_CHARS = 8_192, 1_000
_CAPITALS: Final = re.compile(r"[A-Z]{5}")
#: Plain texts, of which each word and each sign is read by itself; and words whose pieces are kept.
_PLAIN, _KEPT_WORDS = re.compile(r"[\t\n\r -~]*"), 50_000
_IDEOGRAPHS: Final = "\u3400-\u4dbf\u4e00-\u9fff"
#: Most tokens of a sign that language models make of scripts that the tokenizer reads sign by sign, of four tokenizers
#: measured (docs/dependencies.md), in twentieths: counts of parts add up to that of the whole.
_TWENTIETHS: Final = 20
_SCRIPTS: Final = {re.compile("[\u0400-\u04ff]"): 13, re.compile(f"[{_IDEOGRAPHS}]"): 28}
#: Signs that are tokens by themselves.
_SIGN: Final = re.compile(f"[{re.escape(_PUNCTUATION)}{_IDEOGRAPHS}]")
_PLAIN_WORD, _PLAIN_SIGN = re.compile(rf"[A-Za-z0-9]{{1,{MAX_SPAN_CHARS}}}"), re.compile(r"[!-/:-@\[-`{-~]")
_PLAIN_TOKEN: Final = re.compile(f"{_PLAIN_WORD.pattern}|{_PLAIN_SIGN.pattern}")
#: What nothing that the tokenizer reads as one runs over.
_NO_BLANKS: Final = re.compile(r"[^\t\n\r ]+")
#: Where texts are cut for counting, as at the ends of lines: no word runs over it, and each of its signs is a piece.
_FIELD_END: Final = '",'
#: What the tokenizer calls what is not in its vocabulary.
_UNKNOWN: Final = "[UNK]"
_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
#: Characters encoded at a time: the tokenizer needs about 300 bytes for each, and keeps other threads waiting 8 ms.
_SEGMENT_CHARS: Final = 1 << 13
#: Segments whose plain words are found together: each time that takes, a busy thread makes others wait again.
_BLOCK: Final = 8
#: From this length on the plain words of a text are found in NumPy; once they can be, from the second on, unless all
#: are plain: it takes a tenth of a second to prepare.
_LONG, _SHORT = 8_000, 256
#: No white space lies above U+3000.
_WHITE: Final = np.array([chr(code).isspace() for code in range(0x3002)])

_Places = NDArray[np.int32]


class WordPieces:
    """A `core.search.Tokenizer`, and the ids that the model reads. Its file is loaded at the first use."""

    def __init__(self, *, window_tokens: int, window_bytes: int) -> None:
        self.window_tokens = window_tokens
        self.window_bytes = window_bytes
        self._lock = Lock()
        self._tokenizer: Tokenizer | None = None
        self._plain: PlainWords | None = None

    def token_bounds(self, text: str) -> TokenBounds:
        """Return the range of each token; no range is longer than `MAX_SPAN_CHARS`.

        What the model does not see (control characters, lone accents) belongs to the range before it, or has its own.

        Raises:
            InvalidInput: the text is not valid Unicode.
            Unavailable: the tokenizer's file is missing or is not the one this version was made for.
        """
        tokenizer = self._load()
        found = self._bounds_by_words(tokenizer, text)
        return _bounds(tokenizer, text) if found is None else found

    def counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has: the number of its ranges. They are read as lines of one text.

        Raises as `token_bounds` does.
        """
        ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64) - 1
        starts = self.token_bounds("\n".join(texts))[:, 0]
        counts: list[int] = np.diff(np.searchsorted(starts, ends, side="right"), prepend=0).tolist()
        return counts

    def count(self, text: str) -> int:
        """Return how many tokens `text` has: the number of its ranges."""
        return len(self.token_bounds(text))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's tokens between `[CLS]` and `[SEP]`, never cut.

        Raises:
            InvalidInput: the text is not valid Unicode.
            Unavailable: as for `token_bounds`.
        """
        return self._encoded(text).ids

    def encode_with_words(self, text: str) -> tuple[list[int], list[str]]:
        """Return what `encode` returns, and the word of each token, which is empty for `[CLS]` and `[SEP]`.

        Punctuation marks are words of their own. Raises as `encode` does.
        """
        encoded = self._encoded(text)
        bounds: dict[int, tuple[int, int]] = {}
        for number, (start, end) in zip(encoded.word_ids, encoded.offsets, strict=True):
            if number is not None:
                bounds[number] = bounds.get(number, (start, end))[0], end
        found = {number: text[start:end] for number, (start, end) in bounds.items()}
        return encoded.ids, ["" if number is None else found[number] for number in encoded.word_ids]

    def _encoded(self, text: str) -> Encoding:
        _check_unicode(text)
        return self._load().encode(text)

    def _load(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _read_tokenizer(_FILE)
            return self._tokenizer

    def _bounds_by_words(self, tokenizer: Tokenizer, text: str) -> TokenBounds | None:
        """Return the ranges, of most words without the tokenizer; None if it is to find them all."""
        if len(text) < _LONG and _PLAIN.fullmatch(text):
            return _plain_bounds(text)
        if self._plain is None and len(text) >= _LONG:
            self._plain = PlainWords.of(tokenizer.get_vocab(with_added_tokens=False), MAX_SPAN_CHARS)
        if self._plain is None or len(text) < _SHORT:
            return None
        plain = self._plain
        return _joined(_mixed_bounds(tokenizer, plain, text, block) for block in _blocks(text))


def estimate_model_tokens(text: str) -> int:
    """Return how many tokens a language model may read in `text`: word pieces, corrected to the safe side.

    What the tokenizer does not know is one token to it and several to others, so its bytes are counted; so are words in
    capitals, which it reads as if they were small; and an eighth is added for names. Cyrillic letters and ideographs,
    each of which is a token to it, are counted by a measured rate (docs/dependencies.md).

    Raises:
        InvalidInput: the text is not valid Unicode.
        Unavailable: as for `WordPieces.token_bounds`.
    """
    return _total(*(_remembered_pieces(text) if len(text) <= _REMEMBERED_CHARS else _pieces(text)))


class TokenTally:
    """Counts texts that are alike over and over, as `estimate_model_tokens` does, each line or field of them once.

    Not safe for use from several threads.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}

    def count(self, text: str) -> int:
        """Return how many tokens a language model may read in `text`. Raises as `estimate_model_tokens` does."""
        known, more = 0, 0
        for line in text.split("\n"):
            parts = line.split(_FIELD_END)
            known += len(_FIELD_END) * (len(parts) - 1)
            for part in parts:
                if (counted := self._known.get(part)) is None:
                    counted = self._known[part] = _pieces(part)
                known, more = known + counted[0], more + counted[1]
        return _total(known, more)


def _total(known: int, more: int) -> int:
    return known + -(-known // 8) + -(-more // _TWENTIETHS)


def _pieces(text: str) -> tuple[int, int]:
    """Return the number of known word pieces in `text`, and what must be added for all else, in twentieths."""
    known, unknown = 0, _TWENTIETHS * len(_CAPITALS.findall(text))
    if not _PLAIN.fullmatch(text):
        for script, tokens in _SCRIPTS.items():
            text, number = script.subn(" ", text)
            unknown += tokens * number
        runs = _NO_BLANKS.findall(text)
        known, more = _read_pieces(" ".join(run for run in runs if not _PLAIN.fullmatch(run)))
        text, unknown = " ".join(filter(_PLAIN.fullmatch, runs)), unknown + _TWENTIETHS * more
    known += sum(len(_word_pieces(word)) for word in _PLAIN_WORD.findall(text)) + len(_PLAIN_SIGN.findall(text))
    return known, unknown


@lru_cache(_KEPT_WORDS)
def _word_pieces(word: str) -> tuple[tuple[int, int], ...]:
    """Return the ranges of the pieces of a plain word, all of which the tokenizer knows."""
    return tuple(_read_tokenizer(_FILE).encode(word, add_special_tokens=False).offsets)


def _plain_bounds(text: str) -> TokenBounds:
    """Return what `_bounds` does of a plain text, from the pieces of its words, which are mostly known."""
    bounds = list[int]()
    for match in _PLAIN_TOKEN.finditer(text):
        start, end = match.span()
        if end - start == 1:
            bounds += start, end
        else:
            for first, last in _word_pieces(match[0]):
                bounds += start + first, start + last
    return np.array(bounds, np.int32).reshape(-1, 2)


def _read_pieces(text: str) -> tuple[int, int]:
    """Return the number of pieces that the tokenizer knows, and of bytes of what it does not know."""
    known, unknown = 0, 0
    for start, end in _segments(text):
        part = text[start:end]
        _check_unicode(part)
        read = _read_tokenizer(_FILE).encode(part, add_special_tokens=False)
        for token, (first, last) in zip(read.tokens, read.offsets, strict=True):
            known += token != _UNKNOWN
            unknown += len(part[first:last].encode()) if token == _UNKNOWN else 0
    return known, unknown


_remembered_pieces = lru_cache(_REMEMBERED)(_pieces)


@cache
def _read_tokenizer(path: Path) -> Tokenizer:
    """Read the file once for all who count."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unavailable(
            f"The tokenizer {str(path)!r} can't be read ({error}): install Remembrancer again."
        ) from error
    if (found := hashlib.sha256(content).hexdigest()) != _SHA256:
        raise Unavailable(f"The tokenizer {str(path)!r} has the wrong SHA-256 {found!r}: install Remembrancer again.")
    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    known = "".join(re.escape(piece) for piece in json.loads(content)["model"]["vocab"] if len(piece) == 1)
    tokenizer.pre_tokenizer = InOrder(
        [BertPreTokenizer(), Split(Regex(f"[^{known}]+"), "isolated"), FixedLength(MAX_SPAN_CHARS)]
    )
    return tokenizer


def _check_unicode(text: str) -> bytes:
    """Return the code points of `text`, four bytes each."""
    try:
        return text.encode("utf-32-le")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"The text holds an unpaired surrogate at character {error.start}: send valid Unicode text."
        ) from error


def _segments(text: str) -> Iterator[tuple[int, int]]:
    """Yield ranges of at most `_SEGMENT_CHARS` that end behind white space, or else behind a sign, if there is any."""
    start = 0
    while start < len(text):
        end = start + _SEGMENT_CHARS
        if end < len(text):
            end = max(text.rfind(" ", start, end), text.rfind("\n", start, end)) + 1 or _behind_sign(text, start, end)
        yield start, min(end, len(text))
        start = end


def _behind_sign(text: str, start: int, end: int) -> int:
    """Return the last place of a range behind a sign, which no word runs over; without one the end of the range."""
    found = _SIGN.search(text[start:end][::-1])
    return end - found.start() if found else end


def _blocks(text: str) -> Iterator[list[int]]:
    """Yield where segments that follow one another begin, and where the last of them ends."""
    segments = _segments(text)
    while block := list(islice(segments, _BLOCK)):
        yield [*(start for start, _ in block), block[-1][1]]


def _joined(parts: Iterable[TokenBounds]) -> TokenBounds:
    return np.concatenate([np.empty((0, 2), np.int32), *parts])


def _mixed_bounds(tokenizer: Tokenizer, plain: PlainWords, text: str, block: Sequence[int]) -> TokenBounds:
    """Return what `_bounds` does of the segments of a block, from the tokenizer only for words that are not plain."""
    first, *cuts, last = block
    text = text[first:last]
    found, left = plain.bounds(np.frombuffer(_check_unicode(text), np.uint32), np.array(cuts, np.intp) - first)
    if not left:
        return found + np.int32(first)
    begins = np.array([word.start_char for word in left])
    joined = "\n".join(text[word.start_char : word.end_char] for word in left)
    joined_at = np.cumsum([0, *(word.end_char - word.start_char + 1 for word in left[:-1])])
    read = _bounds(tokenizer, joined)
    read += (begins - joined_at)[np.searchsorted(joined_at, read[:, :1], side="right") - 1].astype(np.int32)
    both = np.concatenate([found, read])
    return both[np.argsort(both[:, 0], kind="stable")] + np.int32(first)


def _bounds(tokenizer: Tokenizer, text: str) -> TokenBounds:
    return _joined(_segment_bounds(tokenizer, text[start:end]) + np.int32(start) for start, end in _segments(text))


def _segment_bounds(tokenizer: Tokenizer, text: str) -> TokenBounds:
    codes = np.frombuffer(_check_unicode(text), np.uint32)
    offsets = np.array(tokenizer.encode(text, add_special_tokens=False).offsets, np.int32).reshape(-1, 2)
    # Signs made of several tokens (Hangul syllables) give each of them the whole sign.
    ends = np.maximum.accumulate(offsets[:, 1])
    starts = np.maximum(offsets[:, 0], np.concatenate([[0], ends[:-1]])) if len(ends) else offsets[:, 0]
    return _bounded(*_covering(starts, ends, codes))


def _covering(starts: _Places, ends: _Places, codes: NDArray[np.uint32]) -> tuple[_Places, _Places]:
    """Give every character in no range that is not white space to the range that ends before it, else its own."""
    size = len(codes) + 1
    depth = np.cumsum(np.bincount(starts, minlength=size) - np.bincount(ends, minlength=size))[:-1]
    missed = (depth == 0) & ~_WHITE[np.minimum(codes, len(_WHITE) - 1)]
    if not missed.any():
        return starts, ends
    edges = np.flatnonzero(np.diff(missed, prepend=False, append=False)).astype(np.int32)
    first, last = edges[::2], edges[1::2]
    before = np.searchsorted(starts, first, side="right") - 1
    touching = (before >= 0) & (ends[before] == first) if len(ends) else np.zeros(len(first), np.bool_)
    ends = ends.copy()
    ends[before[touching]] = last[touching]
    at = before[~touching] + 1
    return np.insert(starts, at, first[~touching]), np.insert(ends, at, last[~touching])


def _bounded(starts: _Places, ends: _Places) -> TokenBounds:
    """Return the ranges as rows, those that are too long in pieces."""
    pieces = np.maximum(1, -(-(ends - starts) // MAX_SPAN_CHARS))
    owner = np.repeat(np.arange(len(starts)), pieces)
    skipped = (np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * MAX_SPAN_CHARS
    lower = starts[owner] + skipped
    return np.stack([lower, np.minimum(lower + MAX_SPAN_CHARS, ends[owner])], axis=1).astype(np.int32)
