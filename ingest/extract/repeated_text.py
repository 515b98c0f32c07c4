"""Echoes: text that the project already has comes back word for word, and is not learnt a second time.

What counts as an echo, and why: docs/decisions/echoes-are-said-once.md.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Final, NamedTuple

from core.interface.memory import Memory
from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span, normalised
from core.records import Artifact
from graph.protocols.echoes import Said, Saying
from graph.store import Store
from graph.text.stems import words
from ingest.document.evidence import place

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
#: How many of the earliest items that said a thing are looked at; what more than these said is a phrase.
_HOLDERS: Final = 16
_OWN_CONTEXTS: Final = frozenset({"conversation", "chat", "transcript", "meeting", "email"})
_AGENT_ROLES: Final = frozenset({"assistant", "ai", "agent", "bot", "model", "system", "tool"})

#: What JSON writes for signs, once or several times over: `\\n`, `\\\\n`, `\\u2014`, `\\ud83d\\ude00`.
_ESCAPE: Final = re.compile(
    r"\\+(?:u((?i:d[89ab][\da-f]{2}))\\+u((?i:d[c-f][\da-f]{2}))|u((?i:[\da-f]{4}))|([nrtbf\"/]))"
)
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "/": "/"}
#: Where a sentence ends: at its mark, at quotes and brackets, behind a label, at a dash, at a line break. Commas do not
#: count, and all others do so in every text alike, so that a copy is cut as its original is.
_END: Final = re.compile(
    r"[.!?…。！？]+(?=[\s\"'”’)\]*_|]|\Z)|[\"“”„«»()\[\]{}|]|[:;](?=[\s*_\"]|\Z)|[–—]|\s-+\s|(?P<line>[\n\r\u2028\u2029]+)"
)
#: A line that goes on after it was wrapped, perhaps as a quote in a mail.
_QUOTE_MARKS: Final = re.compile(r"[\s>]*")


class Sentence(NamedTuple):
    """A sentence, or part of one, and what is said with it. A named tuple because a book makes thousands.

    `onward` is the saying of the sentence with as many after it, up to position `last`, as are needed to have
    `FEWEST` words, and `back` that of a shorter one with as many before it, from position `first`; None where the
    text ends before.
    """

    start_char: int
    end_char: int
    #: Its words, folded.
    text: str
    num_words: int
    last: int
    onward: Saying | None
    first: int
    back: Saying | None


@dataclass(frozen=True, slots=True)
class Echoed:
    """What a text repeats: where, in order and apart, and which items said it before."""

    spans: tuple[Span, ...] = ()
    origins: tuple[str, ...] = ()


def sentences(content: str) -> list[Sentence]:
    """Cut a text into sentences without regard to wrapping, quote marks, emphasis, case and JSON's escapes."""
    text, offsets = _unescaped(content)
    cut = list(_pieces(text))
    starts = list(accumulate((len(told) for _, _, told in cut), initial=0))
    every = [word for _, _, told in cut for word in told]
    found = []
    for position, (start, end, told) in enumerate(cut):
        last = bisect_left(starts, starts[position] + FEWEST, position) - 1
        onward = _number(every[starts[position] : starts[last + 1]]) if last < len(cut) else None
        first, back = position, None
        if len(told) < FEWEST <= starts[position + 1]:
            first = bisect_right(starts, starts[position + 1] - FEWEST) - 1
            back = _number(every[starts[first] : starts[position + 1]])
        if len(offsets) > 1:
            start, end = _source(offsets, start), _source(offsets, end)
        found.append(Sentence(start, end, " ".join(told), len(told), last, onward, first, back))
    return found


def sayings(heard: Sequence[Sentence]) -> list[Saying]:
    """Return what these sentences of a text say, each saying once and sorted."""
    return sorted({saying for one in heard for saying in (one.onward, one.back) if saying is not None})


def listen(artifact: Artifact, store: Store) -> Echoed:
    """Keep what an artifact says, and return what it repeats of others; it is linked with those.

    Others that may be echoes of it, because they are dated later and came before, are queued for extraction.

    Raises:
        Unavailable: the record does not answer.
    """
    project_id = artifact.project_id
    heard = sentences(artifact.memory.content)
    if later := store.keep_sayings(project_id, artifact.id, sayings(heard)):
        store.queue(project_id, later, "extract")
    echo = _heard(artifact, heard, store)
    if tuple(sorted(echo.origins)) != artifact.echoes:
        store.link_echoes(project_id, artifact.id, echo.origins)
    return echo


def hear(artifact: Artifact, store: Store) -> Echoed:
    """Return what an artifact repeats of others, as far as `listen` has kept what it says; stores nothing.

    Raises:
        Unavailable: the record does not answer.
    """
    return _heard(artifact, sentences(artifact.memory.content), store)


def _heard(artifact: Artifact, heard: Sequence[Sentence], store: Store) -> Echoed:
    if not sayings(heard):
        return Echoed()
    said = store.said_before(artifact.project_id, artifact.id, _HOLDERS)
    if is_own(artifact.memory):
        return echoed(heard, said, FEWEST_OF_OWN)
    return echoed(heard, said, FEWEST, lambda origins: _shown_of(artifact.project_id, origins, store))


def _shown_of(project_id: str, origins: Sequence[str], store: Store) -> set[str]:
    """Return the sentences that answers show beside these items' own words, as `Sentence.text` has them.

    They are those of titles, and of the summaries of what the items taught.
    """
    taught = store.events_of(project_id, origins, _EVENTS).values()
    shown = [event.summary for events in taught for event in events]
    shown += [origin.memory.title or "" for origin in store.get(project_id, origins).values()]
    return {sentence.text for text in shown for sentence in sentences(text)}


def is_own(memory: Memory) -> bool:
    """Whether a text is what people said or wrote themselves: no agent's turn, and no note about others' words.

    A file is one too: files of one project repeat each other's formulas, and no agent wrote them from an answer.
    """
    if (memory.role or "").casefold() in _AGENT_ROLES:
        return False
    return memory.context in _OWN_CONTEXTS or memory.file_path is not None


def echoed(
    heard: Sequence[Sentence],
    said: Iterable[Said],
    fewest: int,
    shown_of: Callable[[Sequence[str]], set[str]] = lambda _: set(),
) -> Echoed:
    """Return which sentences an earlier item has too, in runs of at least `fewest` words of one item.

    `said` is in the order of time. Of items that have the same, the one with most of it is the origin, then the first.
    Sentences that are `shown_of` the origins beside their own words are echoes, too.
    """
    holders: dict[str, set[Saying]] = {}
    for saying, artifact_id in said:
        holders.setdefault(artifact_id, set()).add(saying)
    shares = {id_: _in_runs(heard, _shared(heard, held), fewest) for id_, held in holders.items()}
    covered: set[int] = set()
    origins = []
    for id_ in sorted(shares, key=lambda id_: -sum(heard[at].num_words for at in shares[id_])):
        if not shares[id_] <= covered:
            covered |= shares[id_]
            origins.append(id_)
    # What is repeated with its neighbours in one place is the same in others, where it stands alone.
    repeated = {heard[position].text for position in covered} | (shown_of(origins) if origins else set())
    covered |= {position for position, one in enumerate(heard) if one.text in repeated}
    return Echoed(tuple(_spans(heard, covered)), tuple(origins))


def without_echoes(artifact: Artifact, found: Extraction, echo: Echoed) -> Extraction:
    """Return what was found without the events that rest on echoed text alone.

    Of what is no person's own text, what is only named there goes too: else a copy would count as a second witness.
    """
    if not echo.spans:
        return found
    places, sentences_of = _Places(echo.spans), sentences(artifact.memory.content)
    heard = _Places([Span(one.start_char, one.end_char) for one in sentences_of])
    events = tuple(event for event in found.events if not _rests_on(artifact.memory.content, event, heard, places))
    if is_own(artifact.memory):
        return replace(found, events=events)
    named = {normalised(name) for event in events for name in (*(one for one, _ in event.actors), *event.subjects)}
    kept = [_without(entity, places, named) for entity in found.entities]
    return Extraction(tuple(entity for entity in kept if entity is not None), events)


class _Places:
    """Spans in order and apart, to be asked which of them meet another."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._starts = [span.start_char for span in spans]

    def meeting(self, other: Span) -> Sequence[Span]:
        first = max(0, bisect_right(self._starts, other.start_char) - 1)
        last = bisect_left(self._starts, other.end_char)
        return [span for span in self._spans[first:last] if span.end_char > other.start_char]


def _pieces(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield what stands between ends of sentences, with its words, if it has enough."""
    at = 0
    for match in (*_END.finditer(text), None):
        if match is not None and match["line"] is not None and _goes_on(text, match):
            continue
        end = len(text) if match is None else match.start()
        if at < end and len(told := words(text[at:end])) >= _FEWEST_OF_SENTENCE:
            yield at, end, told
        at = end if match is None else match.end()


def _goes_on(text: str, line: re.Match[str]) -> bool:
    """Whether a sentence was only wrapped here: one line break, and a small letter after it."""
    if text.count("\n", line.start(), line.end()) > 1:
        return False
    mark = _QUOTE_MARKS.match(text, line.end())
    end = line.end() if mark is None else mark.end()
    return text[end : end + 1].islower() and "\n" not in text[line.end() : end]


def _unescaped(content: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the content with JSON's escapes read, and where in it and in the source each part between them begins."""
    parts, offsets, length, at = [], [(0, 0)], 0, 0
    for match in _ESCAPE.finditer(content) if "\\" in content else ():
        parts += [content[at : match.start()], _sign(match)]
        length += match.start() - at + 1
        at = match.end()
        offsets.append((length, at))
    parts.append(content[at:])
    return "".join(parts), offsets


def _sign(escape: re.Match[str]) -> str:
    high, low, code, letter = escape.groups()
    if high:
        return chr(0x10000 + (int(high, 16) - 0xD800 << 10) + int(low, 16) - 0xDC00)
    return chr(int(code, 16)) if code else _ESCAPED[letter]


def _source(offsets: Sequence[tuple[int, int]], at: int) -> int:
    """Return where in the source a place of the unescaped text is."""
    begin, source = offsets[bisect_right(offsets, at, key=lambda pair: pair[0]) - 1]
    return source + at - begin


def _number(told: Sequence[str]) -> Saying:
    return int.from_bytes(hashlib.blake2b(" ".join(told).encode(), digest_size=8).digest(), signed=True)


def _shared(heard: Sequence[Sentence], held: set[Saying]) -> set[int]:
    """Return the positions of the sentences that are part of one of these sayings."""
    shared: set[int] = set()
    for position, sentence in enumerate(heard):
        if sentence.onward in held:
            shared.update(range(position, sentence.last + 1))
        if sentence.back in held:
            shared.update(range(sentence.first, position + 1))
    return shared


def _in_runs(heard: Sequence[Sentence], positions: set[int], fewest: int) -> set[int]:
    """Return those of the positions that stand in a row of at least so many words."""
    kept: set[int] = set()
    for run in _rows(positions):
        if sum(heard[position].num_words for position in run) >= fewest:
            kept.update(run)
    return kept


def _rows(positions: Iterable[int]) -> Iterator[list[int]]:
    """Yield runs of neighbouring positions, in order."""
    for _, run in groupby(enumerate(sorted(positions)), key=lambda pair: pair[1] - pair[0]):
        yield [position for _, position in run]


def _spans(heard: Sequence[Sentence], positions: set[int]) -> Iterator[Span]:
    for run in _rows(positions):
        yield Span(heard[run[0]].start_char, heard[run[-1]].end_char)


def _rests_on(content: str, event: FoundEvent, heard: _Places, echo: _Places) -> bool:
    """Whether an event's quote is echoed text, with no sentence of its own of `FEWEST` words, numbers aside."""
    span = place(content, event.quote, event.near_char)
    if span is None or not echo.meeting(span):
        return False
    own = (sentence for sentence in heard.meeting(span) if not echo.meeting(sentence))
    return all(
        _num_plain(content[max(one.start_char, span.start_char) : min(one.end_char, span.end_char)]) < FEWEST
        for one in own
    )


def _num_plain(text: str) -> int:
    """Return how many words are no numbers, times, ids or the like; a path is one word."""
    return sum(not any(map(str.isdigit, word)) and any(map(str.isalpha, word)) for word in text.split())


def _without(entity: FoundEntity, echo: _Places, named: set[str]) -> FoundEntity | None:
    """Return an entity without its mentions in echoed text; None if nothing is left of it."""
    mentions = tuple(mention for mention in entity.mentions if not echo.meeting(mention))
    if mentions or not entity.mentions or any(normalised(form) in named for form in (entity.name, *entity.aliases)):
        return replace(entity, mentions=mentions)
    return None
