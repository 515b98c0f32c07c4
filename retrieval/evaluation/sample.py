"""Sample: items of a project drawn at random, and questions with known answers made of words of their passages."""

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.dates import now
from core.errors import NotFound
from core.filters import Filters
from core.knowledge.findings import EXPANDED_CATEGORIES, Event, Span
from core.records import Artifact
from graph.store import Store
from graph.text.tokens import separate_unspaced
from retrieval.scoring.query_analysis import distinctive_words, split_words

#: Words of a question, at least and at most; at least one telling word of the passage is left out. With up to seven, or
#: with rare words preferred, nearly every item was found first and no difference between settings showed.
FEWEST_WORDS, MOST_WORDS = 3, 5
#: How often another choice of words is tried if the text contains one verbatim.
_DRAWS: Final = 10
#: A longer sentence, such as speech written down without stops, is cut into pieces of so many words.
_PIECE_WORDS: Final = 30
#: Length of pieces where nothing separates words.
_UNSPACED_TOGETHER: Final = 3
#: A word in a larger share of all texts is not specific, whatever the language; fewer texts than that say nothing.
_COMMON_SHARE, _COMMON_FROM = 0.3, 20

_END: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")


def sentences(text: str) -> Iterator[Span]:
    """Yield the sentences of `text` in order, none of more than 30 words; lines are never joined."""
    at = 0
    for end in (*(match.span() for match in _END.finditer(text)), (len(text), len(text))):
        yield from _pieces(text, at, end[0])
        at = end[1]


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    starts = [start + match.start() for match in re.finditer(r"\S+", text[start:end])]
    for first in range(0, len(starts), _PIECE_WORDS):
        following = starts[first + _PIECE_WORDS] if first + _PIECE_WORDS < len(starts) else end
        piece = text[starts[first] : following]
        yield Span(starts[first], starts[first] + len(piece.rstrip()))


def split_pieces(text: str) -> list[str]:
    """Return the words of `text` in order; of a script without blanks between words, three characters at a time."""
    pieces: list[str] = []
    for word in split_words(text):
        run: list[str] = []
        for part in separate_unspaced(word).split():
            if len(part) > 1 or part.isascii() or len(run) == _UNSPACED_TOGETHER:
                pieces += ["".join(run)] if run else []
                run = []
            run.append(part)
        pieces += ["".join(run)] if run else []
    return pieces


@dataclass(slots=True)
class DocumentFrequency:
    """In how many of the texts read each word is, without regard to case."""

    texts: int = 0
    _with: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        """Count the words of one more text, each once."""
        self.texts += 1
        self._with.update({piece.casefold() for piece in split_pieces(text)})

    def is_common(self, word: str) -> bool:
        """Whether too many texts have the word for it to be specific; never while fewer than twenty were read."""
        return self.texts >= _COMMON_FROM and self._with[word.casefold()] > _COMMON_SHARE * self.texts


def specific_words(text: str, frequency: DocumentFrequency, excluded: Collection[str] = ()) -> list[str]:
    """Return the words of `text` that say what it is about, each once, in order, save `excluded` (case-folded)."""
    content = {piece.casefold() for word in distinctive_words(text) for piece in split_pieces(word)}.difference(
        excluded
    )
    words: dict[str, str] = {}
    for piece in split_pieces(text):
        if len(piece) > 1 and piece.casefold() in content:
            words.setdefault(piece.casefold(), piece)
    return [word for word in words.values() if not frequency.is_common(word)]


def make_question(
    text: str, frequency: DocumentFrequency, rng: random.Random, excluded: Collection[str] = ()
) -> str | None:
    """Return a question made of three to five telling words of `text`, in their order, that is no phrase of it.

    Each word is as likely as another: Azzopardi, de Rijke & Balog, Building simulated queries for known-item topics,
    SIGIR 2007, with uniform selection. None if there are fewer than four.
    """
    words = specific_words(text, frequency, excluded)
    if len(words) <= FEWEST_WORDS:
        return None
    whole = _run(split_pieces(text))
    for _ in range(_DRAWS):
        number = rng.randint(FEWEST_WORDS, min(MOST_WORDS, len(words) - 1))
        asked = [words[place] for place in sorted(rng.sample(range(len(words)), number))]
        if _run(asked) not in whole:
            return " ".join(asked)
    return None


def _run(words: Sequence[str]) -> str:
    return f" {' '.join(words)} ".casefold()


def widen_span(text: str, span: Span) -> Iterable[Span]:
    """Return the sentences that `span` is in as one, then these with the one before and the one after."""
    spans = list(sentences(text))
    met = [place for place, at in enumerate(spans) if at.start_char < span.end_char and at.end_char > span.start_char]
    if not met:
        return []
    first, last = met[0], met[-1]
    wide_first, wide_last = max(0, first - 1), min(len(spans) - 1, last + 1)
    return [
        Span(spans[first].start_char, spans[last].end_char),
        Span(spans[wide_first].start_char, spans[wide_last].end_char),
    ]


#: Fewer items than this that a question can be made from say nothing about a memory.
FEWEST: Final = 5
#: Items read at once, and read at least, to know which words are common.
_BATCH, _READ_AT_LEAST = 100, 300
#: Characters looked at of one item, wherever in it: the longest would take minutes.
_WINDOW: Final = 20_000
#: Items whose events are looked at for bridges, at most.
_BRIDGE_ITEMS: Final = 5_000
#: The most other events of an entity that a bridge asks about: of more, ten could not be the right ones.
_MOST_LINKED: Final = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question and what answers it: any of the artifacts, the sentence wherever it occurs, or the event."""

    query: str
    artifact_ids: frozenset[str]
    #: What a known-item question was made from, and where that is in the artifact; None for a bridge.
    sentence: str | None = None
    span: Span | None = None
    #: The event at the far end of a bridge; None for a known item.
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """Questions of both kinds, and how many current items the project has."""

    project_id: str
    seed: int
    items: int
    known_items: list[Wanted]
    bridges: list[Wanted]


@dataclass(frozen=True, slots=True)
class _Text:
    """The part of an item that is looked at: all of it, unless it is very long."""

    artifact_id: str
    content: str
    start: int

    @classmethod
    def of(cls, artifact: Artifact, seed: int) -> "_Text":
        content = artifact.memory.content
        start = _rng(seed, artifact.id, "window").randrange(max(1, len(content) - _WINDOW + 1))
        return cls(artifact.id, content[start : start + _WINDOW], start)


def draw_sample(
    store: Store, project_id: str, *, wanted: int, seed: int, progress: Callable[[int], None] | None = None
) -> Sampled:
    """Draw items at random and make up to `wanted` questions of each kind; the same ones while nothing changes.

    `progress` is called with the number of items read. The random choices for an item do not depend on others: when
    some are added, most questions stay. Nothing is written.

    Raises:
        NotFound: fewer than `FEWEST` items have a sentence that a question can be made of.
        Unavailable: the record does not answer.
    """
    ids = []
    for batch in store.each(project_id):
        ids += [artifact.id for artifact in batch]
        if progress is not None:
            progress(len(batch))
    ids.sort(key=lambda identity: (_rng(seed, identity, "order").random(), identity))
    texts = _texts(store, project_id, ids, seed, 2 * wanted)
    frequency = DocumentFrequency()
    for text in texts:
        frequency.add(text.content)
    known = _in_turns((_known_items(text, frequency, seed) for text in texts), wanted)
    if (usable := len(frozenset().union(*(made.artifact_ids for made in known)))) < min(FEWEST, wanted):
        raise NotFound(
            f"Project {project_id!r} has {len(ids)} items, {usable} of them with a sentence to ask for, and "
            f"{FEWEST} are needed: ingest or remember more, or name another project."
        )
    bridges = _Bridges(store, project_id, frequency, seed).of(ids[:_BRIDGE_ITEMS], wanted)
    return Sampled(project_id, seed, len(ids), known, bridges)


def _rng(seed: int, identity: str, what: str) -> random.Random:
    return random.Random(f"{seed} {what} {identity}")  # noqa: S311 - drawn to be drawn again


def _texts(store: Store, project_id: str, ids: Sequence[str], seed: int, usable: int) -> list[_Text]:
    """Return the texts of the first items, until enough of them have a sentence long enough to ask for."""
    texts: list[_Text] = []
    found = 0
    for first in range(0, len(ids), _BATCH):
        if found >= usable and len(texts) >= _READ_AT_LEAST:
            break
        some = ids[first : first + _BATCH]
        read = store.get(project_id, some)
        batch = [_Text.of(read[identity], seed) for identity in some if identity in read]
        found += sum(make_question(text.content, DocumentFrequency(), random.Random(0)) is not None for text in batch)  # noqa: S311
        texts += batch
    return texts


def _in_turns(makers: Iterable[Iterator[Wanted]], wanted: int) -> list[Wanted]:
    """Return up to `wanted` questions: one of each maker, then another of each, as long as they have any."""
    made: list[Wanted] = []
    left = list(makers)
    while left and len(made) < wanted:
        turn, left = left, []
        for maker in turn:
            if len(made) < wanted and (question := next(maker, None)) is not None:
                made.append(question)
                left.append(maker)
    return made


def _known_items(text: _Text, frequency: DocumentFrequency, seed: int) -> Iterator[Wanted]:
    """Yield a question for each sentence of the text that has enough words, in an order drawn at random."""
    rng = _rng(seed, text.artifact_id, "known item")
    spans = list(sentences(text.content))
    for span in rng.sample(spans, len(spans)):
        sentence = text.content[span.start_char : span.end_char]
        if (query := make_question(sentence, frequency, rng)) is not None:
            place = Span(text.start + span.start_char, text.start + span.end_char)
            yield Wanted(query, frozenset({text.artifact_id}), sentence=sentence, span=place)


@dataclass(frozen=True, slots=True)
class _Bridges:
    """Makes questions from what one item says, for what another says of the same person or thing."""

    store: Store
    project_id: str
    frequency: DocumentFrequency
    seed: int

    def of(self, ids: Sequence[str], wanted: int) -> list[Wanted]:
        """Return up to `wanted` bridges, of as many items as possible."""
        return _in_turns((self._from(identity, events) for identity, events in self._events(ids)), wanted)

    def _events(self, ids: Sequence[str]) -> Iterator[tuple[str, list[Event]]]:
        for first in range(0, len(ids), _BATCH):
            some = ids[first : first + _BATCH]
            found = self.store.events_of(self.project_id, some)
            yield from ((identity, found[identity]) for identity in some if found.get(identity))

    def _from(self, artifact_id: str, events: Sequence[Event]) -> Iterator[Wanted]:
        """Yield at most one bridge from each event of the item, over an actor or subject of it drawn at random."""
        artifact = self.store.get(self.project_id, [artifact_id]).get(artifact_id)
        rng = _rng(self.seed, artifact_id, "bridge")
        by_id = {event.id: event for event in events}
        for event_id in rng.sample(sorted(by_id), len(by_id)):
            event = by_id[event_id]
            bridge = None if artifact is None else self._over(artifact, event, rng)
            if bridge is not None:
                yield bridge

    def _over(self, artifact: Artifact, event: Event, rng: random.Random) -> Wanted | None:
        entities = sorted({one.entity_id for one in event.actors} | {one.entity_id for one in event.subjects})
        for entity_id in rng.sample(entities, len(entities)):
            far = self._far_end(artifact.id, entity_id, rng)
            query = None if far is None else self._query(artifact, event, entity_id, rng)
            if far is not None and query is not None:
                return Wanted(query, far[1], event_id=far[0])
        return None

    def _far_end(self, artifact_id: str, entity_id: str, rng: random.Random) -> tuple[str, frozenset[str]] | None:
        """Return an event of the entity with evidence in other items only, and the visible ones of these items."""
        links = self.store.links(self.project_id, [entity_id], EXPANDED_CATEGORIES, _MOST_LINKED + 1)
        others = self.store.events(self.project_id, sorted({link.target for link in links}))
        rests_on = {
            identity: {proof.artifact_id for proof in event.evidence} for identity, event in sorted(others.items())
        }
        elsewhere = [identity for identity, artifacts in rests_on.items() if artifact_id not in artifacts]
        if not 0 < len(elsewhere) <= _MOST_LINKED:
            return None
        drawn = rng.choice(elsewhere)
        seen = self.store.matching_ids(self.project_id, sorted(rests_on[drawn]), Filters(at=now()))
        return (drawn, frozenset(seen)) if seen else None

    def _query(self, artifact: Artifact, event: Event, entity_id: str, rng: random.Random) -> str | None:
        """Return a question from the words around the event's evidence that does not name what the bridge leads over.

        That name left out is what makes the question take two steps, as in HotpotQA (Yang et al., EMNLP 2018).
        """
        entity = self.store.entities(self.project_id, [entity_id])[entity_id]
        names = {piece.casefold() for name in (entity.name, *entity.aliases) for piece in split_pieces(name)}
        content = artifact.memory.content
        for proof in event.evidence:
            if proof.artifact_id != artifact.id:
                continue
            start = max(0, proof.start_char - _WINDOW // 2)
            around = content[start : proof.end_char + _WINDOW // 2]
            for span in widen_span(around, Span(proof.start_char - start, proof.end_char - start)):
                passage = around[span.start_char : span.end_char]
                if (query := make_question(passage, self.frequency, rng, names)) is not None:
                    return query
        return None
