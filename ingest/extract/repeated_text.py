"""Repeated text (echoes): what the project already has word for word is not extracted a second time.

What counts as an echo, and why: docs/decisions/echoes-are-said-once.md.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Final, NamedTuple

from core.interface.memory import Memory
from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span, normalise_name
from core.records import Artifact
from core.regex import regex
from graph.protocols.knowledge import EarlierSentence, SentenceHash
from graph.store import Store
from graph.text.tokens import words
from ingest.document.evidence import locate_quote

#: Fewest words of a saying: shorter ones are said by everyone.
FEWEST: Final = 6
#: Fewest words in a row that a person's own text shares with an earlier one before it is an echo: two people who both
#: say "I will send it to you tomorrow" both promise.
FEWEST_OF_OWN: Final = 15
#: Fewest words of a sentence: what is shorter numbers or names something, is a field of JSON, an id of ours or a nod,
#: and is passed over as if it were not there.
_FEWEST_OF_SENTENCE: Final = 3
#: How many events of an origin are looked at for their summaries.
_EVENTS: Final = 200
#: How many of the earliest items with a saying are looked at; what more items have is a common phrase.
_HOLDERS: Final = 16
_OWN_CONTEXTS: Final = frozenset({"conversation", "chat", "transcript", "meeting", "email"})
#: What has a status: said twice as if it were two, it would count twice.
_OF_LEDGER: Final = frozenset({"Decision", "Commitment"})
_AGENT_ROLES: Final = frozenset({"assistant", "ai", "agent", "bot", "model", "system", "tool"})

#: What JSON writes for signs, once or several times over: `\\n`, `\\\\n`, `\\u2014`, `\\ud83d\\ude00`.
_ESCAPE: Final = regex(
    r"(?<!\\)\\++(?:u((?i:d[89ab][\da-f]{2}))\\++u((?i:d[c-f][\da-f]{2}))|u((?i:[\da-f]{4}))|([nrtbf\"/]))"
)
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "/": "/"}
#: Where a sentence ends: at its mark, at quotes and brackets, behind a label, at a dash, at a line break. Commas do not
#: count, and all others do so in every text alike, so that a copy is cut as its original is.
_END: Final = regex(
    r"(?<![.!?…。！？])[.!?…。！？]++(?=[\s\"'”’)\]*_|]|\Z)|[\"“”„«»()\[\]{}|]|[:;](?=[\s*_\"]|\Z)|[–—]|\s-++\s|(?P<line>[\n\r\u2028\u2029]++)"
)
#: A line that goes on after it was wrapped, perhaps as a quote in a mail.
_QUOTE_MARKS: Final = regex(r"(?:>|[^\S\n])*+")


class Sentence(NamedTuple):
    """A sentence, or part of one, with its hashes. A named tuple because a long text makes thousands.

    `forward_hash` is of the sentence with as many after it, up to position `last`, as are needed to have `FEWEST`
    words. `backward_hash` is of a shorter one with as many before it, from position `first`. Each is None where the
    text ends before.
    """

    start_char: int
    end_char: int
    #: Its words, folded.
    text: str
    num_words: int
    last: int
    forward_hash: SentenceHash | None
    first: int
    backward_hash: SentenceHash | None


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """Which spans of a text repeat others, in order and disjoint, the items that had them before, and the spans that
    each of these had."""

    spans: tuple[Span, ...] = ()
    origins: tuple[str, ...] = ()
    shares: tuple[tuple[Span, ...], ...] = ()


def split_sentences(content: str) -> list[Sentence]:
    """Split a text into sentences, whatever its wrapping, quote marks, emphasis, case and JSON escapes."""
    text, offsets = _unescaped(content)
    cut = list(_pieces(text))
    starts = list(accumulate((len(folded) for _, _, folded in cut), initial=0))
    all_words = [word for _, _, folded in cut for word in folded]
    found = []
    for position, (start, end, folded) in enumerate(cut):
        last = bisect_left(starts, starts[position] + FEWEST, position) - 1
        forward_hash = _hash(all_words[starts[position] : starts[last + 1]]) if last < len(cut) else None
        first, backward_hash = position, None
        if len(folded) < FEWEST <= starts[position + 1]:
            first = bisect_right(starts, starts[position + 1] - FEWEST) - 1
            backward_hash = _hash(all_words[starts[first] : starts[position + 1]])
        if len(offsets) > 1:
            start, end = _source(offsets, start), _source(offsets, end)
        found.append(Sentence(start, end, " ".join(folded), len(folded), last, forward_hash, first, backward_hash))
    return found


def hash_sentences(sentences: Sequence[Sentence]) -> list[SentenceHash]:
    """Return the hashes of these sentences, each once and sorted."""
    found = (each for one in sentences for each in (one.forward_hash, one.backward_hash))
    return sorted({each for each in found if each is not None})


def index_sentences(artifact: Artifact, sentences: Sequence[Sentence], store: Store) -> RepeatedText:
    """Index an artifact's sentences, and return what it repeats.

    `sentences` are the sentences of its content, as `split_sentences` returns them. Items that are dated later and were
    stored before may repeat it: they are queued for extraction.

    Raises:
        Unavailable: the record does not answer.
    """
    project_id = artifact.project_id
    if later := store.save_sentence_hashes(project_id, artifact.id, hash_sentences(sentences)):
        store.queue(project_id, later, "extract")
    repeated = find_repeated(artifact, sentences, store)
    if is_own(artifact.memory) or set(repeated.origins) <= set(artifact.echoes):
        return repeated
    # Linked before it is read what they show: once it changes, this item is extracted again.
    store.link_echoes(project_id, artifact.id, repeated.origins)
    return find_repeated(artifact, sentences, store)


def link_origins(artifact: Artifact, echo: RepeatedText, witnessed: Collection[str], store: Store) -> None:
    """Link an artifact with the items it repeats; `witnessed` are those of `cited_origins`.

    Of items of the same context only these count: lines that recur in all minutes of a group say nothing about where
    they are from, and an answer that comes back is no document of the kind that it answered from.

    Raises:
        Unavailable: the record does not answer.
    """
    origins = echo.origins
    if is_document(artifact.memory) and not set(origins) <= set(witnessed):
        stored = store.get(artifact.project_id, origins)
        alike = {id_ for id_, one in stored.items() if _is_of_kind(one.memory, artifact.memory)}
        origins = tuple(id_ for id_ in origins if id_ in witnessed or id_ not in alike)
    if tuple(sorted(origins)) != artifact.echoes:
        store.link_echoes(artifact.project_id, artifact.id, origins)


def is_document(memory: Memory) -> bool:
    """Whether a text is a whole one that people wrote, such as minutes, a mail or a file, and no turn."""
    return is_own(memory) and memory.turn_index is None


def _is_of_kind(one: Memory, other: Memory) -> bool:
    return is_document(one) and one.context == other.context


def cited_origins(artifact: Artifact, found: Extraction, echo: RepeatedText) -> tuple[str, ...]:
    """Return the origins of the decisions and commitments that `drop_repeated` drops: which are evidence for these."""
    content = artifact.memory.content
    sentences = _Places([Span(one.start_char, one.end_char) for one in split_sentences(content)])
    places = _Places(echo.spans)
    ledger = (event for event in found.events if event.category in _OF_LEDGER)
    dropped = [event for event in ledger if _rests_on(content, event, sentences, places)]
    spans = [span for event in dropped if (span := locate_quote(content, event.quote, event.near_char)) is not None]
    return tuple(
        id_
        for id_, shares in zip(echo.origins, map(_Places, echo.shares), strict=True)
        if any(shares.overlapping(span) for span in spans)
    )


def find_repeated(artifact: Artifact, sentences: Sequence[Sentence], store: Store) -> RepeatedText:
    """Return what an artifact repeats of others, once `index_sentences` has indexed it; stores nothing.

    Raises:
        Unavailable: the record does not answer.
    """
    if not hash_sentences(sentences):
        return RepeatedText()
    said = store.earlier_sentences(artifact.project_id, artifact.id, _HOLDERS)
    if is_own(artifact.memory):
        return match_earlier(sentences, said, FEWEST_OF_OWN)
    return match_earlier(sentences, said, FEWEST, lambda origins: _shown_of(artifact.project_id, origins, store))


def _shown_of(project_id: str, origins: Sequence[str], store: Store) -> set[str]:
    """Return the sentences that answers show in addition to these items' text, as `Sentence.text` has them.

    They come from titles, and from the summaries of the items' events.
    """
    stored = store.events_of(project_id, origins, _EVENTS).values()
    shown = [event.summary for events in stored for event in events]
    shown += [origin.memory.title or "" for origin in store.get(project_id, origins).values()]
    return {sentence.text for text in shown for sentence in split_sentences(text)}


def is_own(memory: Memory) -> bool:
    """Whether a text is what people said or wrote themselves: no agent's turn, and no note about others' words.

    A file is one too: files of one project repeat each other's formulas, and no agent wrote them from an answer.
    """
    if (memory.role or "").casefold() in _AGENT_ROLES:
        return False
    return memory.context in _OWN_CONTEXTS or memory.file_path is not None


def match_earlier(
    sentences: Sequence[Sentence],
    said: Iterable[EarlierSentence],
    fewest: int,
    shown_of: Callable[[Sequence[str]], set[str]] = lambda _: set(),
) -> RepeatedText:
    """Return which sentences an earlier item has too, in runs of at least `fewest` words of one item.

    `said` is in the order of time. Of items that have the same, the one with most of it is the origin, then the first.
    Sentences that are `shown_of` the origins in addition to their text are echoes, too.
    """
    holders: dict[str, set[SentenceHash]] = {}
    for sentence_hash, artifact_id in said:
        holders.setdefault(artifact_id, set()).add(sentence_hash)
    shares = {id_: _in_runs(sentences, _shared(sentences, held), fewest) for id_, held in holders.items()}
    covered: set[int] = set()
    origins = []
    for id_ in sorted(shares, key=lambda id_: -sum(sentences[at].num_words for at in shares[id_])):
        if not shares[id_] <= covered:
            covered |= shares[id_]
            origins.append(id_)
    # A sentence that is repeated with its neighbours in one place is a repetition in other places too, where it is
    # alone.
    repeated = {sentences[position].text for position in covered} | (shown_of(origins) if origins else set())
    covered |= {position for position, one in enumerate(sentences) if one.text in repeated}
    by_origin = tuple(tuple(_spans(sentences, shares[id_])) for id_ in origins)
    return RepeatedText(tuple(_spans(sentences, covered)), tuple(origins), by_origin)


def drop_repeated(artifact: Artifact, found: Extraction, echo: RepeatedText) -> Extraction:
    """Return an extraction without the events that rest on repeated text alone.

    Of a text that nobody wrote themselves, entities named only there go too: a copy is no second source.
    """
    if not echo.spans:
        return found
    places = _Places(echo.spans)
    own = split_sentences(artifact.memory.content)
    sentences = _Places([Span(one.start_char, one.end_char) for one in own])
    events = tuple(event for event in found.events if not _rests_on(artifact.memory.content, event, sentences, places))
    if is_own(artifact.memory):
        return replace(found, events=events)
    named = {normalise_name(name) for event in events for name in (*(one for one, _ in event.actors), *event.subjects)}
    kept = [_without(entity, places, named) for entity in found.entities]
    return replace(found, entities=tuple(entity for entity in kept if entity is not None), events=events)


class _Places:
    """Disjoint spans in order; finds those that overlap another."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._starts = [span.start_char for span in spans]

    def overlapping(self, other: Span) -> Sequence[Span]:
        first = max(0, bisect_right(self._starts, other.start_char) - 1)
        last = bisect_left(self._starts, other.end_char)
        return [span for span in self._spans[first:last] if span.end_char > other.start_char]


def _pieces(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the text between ends of sentences, with its words, if it has enough."""
    at = 0
    for match in (*_END.finditer(text), None):
        if match is not None and match["line"] is not None and _is_wrapped(text, match):
            continue
        end = len(text) if match is None else match.start()
        if at < end and len(folded := words(text[at:end])) >= _FEWEST_OF_SENTENCE:
            yield at, end, folded
        at = end if match is None else match.end()


def _is_wrapped(text: str, line: re.Match[str]) -> bool:
    """Whether a sentence was only wrapped here: one line break, and a small letter after it."""
    if text.count("\n", line.start(), line.end()) > 1:
        return False
    mark = _QUOTE_MARKS.match(text, line.end())
    end = line.end() if mark is None else mark.end()
    return text[end : end + 1].islower()


def _unescaped(content: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the content with JSON's escapes read, and where in it and in the source each part between them begins."""
    parts, offsets, length, at = [], [(0, 0)], 0, 0
    for match in _ESCAPE.finditer(content) if "\\" in content else ():
        parts += [content[at : match.start()], _unescape_sign(match)]
        length += match.start() - at + 1
        at = match.end()
        offsets.append((length, at))
    parts.append(content[at:])
    return "".join(parts), offsets


def _unescape_sign(escape: re.Match[str]) -> str:
    high, low, code, letter = escape.groups()
    if high:
        return chr(0x10000 + (int(high, 16) - 0xD800 << 10) + int(low, 16) - 0xDC00)
    return chr(int(code, 16)) if code else _ESCAPED[letter]


def _source(offsets: Sequence[tuple[int, int]], at: int) -> int:
    """Return where in the source a place of the unescaped text is."""
    begin, source = offsets[bisect_right(offsets, at, key=lambda pair: pair[0]) - 1]
    return source + at - begin


def _hash(folded: Sequence[str]) -> SentenceHash:
    return int.from_bytes(hashlib.blake2b(" ".join(folded).encode(), digest_size=8).digest(), signed=True)


def _shared(sentences: Sequence[Sentence], held: set[SentenceHash]) -> set[int]:
    """Return the positions of the sentences that are part of one of these sayings."""
    shared: set[int] = set()
    for position, sentence in enumerate(sentences):
        if sentence.forward_hash in held:
            shared.update(range(position, sentence.last + 1))
        if sentence.backward_hash in held:
            shared.update(range(sentence.first, position + 1))
    return shared


def _in_runs(sentences: Sequence[Sentence], positions: set[int], fewest: int) -> set[int]:
    """Return the positions that are in a run of at least so many words."""
    kept: set[int] = set()
    for run in _rows(positions):
        if sum(sentences[position].num_words for position in run) >= fewest:
            kept.update(run)
    return kept


def _rows(positions: Iterable[int]) -> Iterator[list[int]]:
    """Yield runs of neighbouring positions, in order."""
    for _, run in groupby(enumerate(sorted(positions)), key=lambda pair: pair[1] - pair[0]):
        yield [position for _, position in run]


def _spans(sentences: Sequence[Sentence], positions: set[int]) -> Iterator[Span]:
    for run in _rows(positions):
        yield Span(sentences[run[0]].start_char, sentences[run[-1]].end_char)


def _rests_on(content: str, event: FoundEvent, sentences: _Places, echo: _Places) -> bool:
    """Whether an event's quote is repeated text, without a new sentence of at least `FEWEST` words, numbers not
    counted."""
    span = locate_quote(content, event.quote, event.near_char)
    if span is None or not echo.overlapping(span):
        return False
    own = (sentence for sentence in sentences.overlapping(span) if not echo.overlapping(sentence))
    return all(
        _count_words(content[max(one.start_char, span.start_char) : min(one.end_char, span.end_char)]) < FEWEST
        for one in own
    )


def _count_words(text: str) -> int:
    """Return how many words are no numbers, times, ids or the like; a path is one word."""
    return sum(not any(map(str.isdigit, word)) and any(map(str.isalpha, word)) for word in text.split())


def _without(entity: FoundEntity, echo: _Places, named: set[str]) -> FoundEntity | None:
    """Return an entity without its mentions in repeated text; None if nothing is left of it."""
    mentions = tuple(mention for mention in entity.mentions if not echo.overlapping(mention))
    if mentions or not entity.mentions or any(normalise_name(form) in named for form in (entity.name, *entity.aliases)):
        return replace(entity, mentions=mentions)
    return None
