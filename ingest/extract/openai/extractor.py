"""OpenAIExtractor: the order of steps from an artifact to what a model finds in it, and windows consolidated."""

import logging
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Final, Self

from core.errors import Conflict, Unavailable
from core.knowledge.findings import Category, EntityType, Extraction, FoundEntity, FoundEvent, normalise_name
from core.openai_usage import Gate, Spending, Usage, in_parallel
from core.records import Artifact
from core.search import Tokenizer
from graph.protocols.records import Records
from ingest.extract.openai.chat import MAX_ANSWER_TOKENS, Chat, Reply, TimedOut, TooLong
from ingest.extract.openai.claims import Claims, Malformed, Read, claims, parse_answer, plain
from ingest.extract.openai.prompt import Prompt, Window, prompt_of, split_window, windows

#: Share of the shorter of two quotes that both must have to be of one event: windows overlap.
_SHARED: Final = 0.5
#: Words of fewer letters do not tell one statement from another, unless they turn it round.
_SMALL: Final = 4
_TURNING: Final = frozenset("not no nor".split())
#: Types between which a model hesitates from window to window.
_THINGS: Final[frozenset[EntityType]] = frozenset({"org", "project", "object", "other"})


def consolidate_windows(parts: Iterable[Extraction]) -> Extraction:
    """Return the entities of all windows and their events in the order of their quotes, what is the same joined.

    Events are the same that have a category and most of a quote in common, or a category and all telling words of a
    summary, and no different due dates. Entities are the same that have a type and a name in common, or of which one's
    name is an alias of that one other.
    """
    parts = list(parts)
    entities = _entities([entity for part in parts for entity in part.entities])
    return Extraction(tuple(entities), tuple(_events([event for part in parts for event in part.events])))


def _events(found: Sequence[FoundEvent]) -> list[FoundEvent]:
    kept: list[FoundEvent] = []
    last: dict[Category, int] = {}
    stated: dict[tuple[Category, frozenset[str]], int] = {}
    for event in sorted(found, key=lambda event: event.near_char):
        key = (event.category, _telling(event.summary))
        same = [at for at in (last.get(event.category), stated.get(key)) if at is not None]
        place = next((at for at in same if _is_one(kept[at], event, alike=stated.get(key) == at)), None)
        if place is None:
            place = len(kept)
            kept.append(event)
        else:
            kept[place] = _joined(kept[place], event)
        last[event.category] = place
        stated.setdefault(key, place)
    return kept


def _is_one(first: FoundEvent, second: FoundEvent, *, alike: bool) -> bool:
    if first.due and second.due and first.due != second.due:
        return False
    return alike or _overlap(first, second)


def _overlap(first: FoundEvent, second: FoundEvent) -> bool:
    begin = max(first.near_char, second.near_char)
    end = min(first.near_char + len(first.quote), second.near_char + len(second.quote))
    return end - begin >= _SHARED * min(len(first.quote), len(second.quote))


def _joined(first: FoundEvent, second: FoundEvent) -> FoundEvent:
    """Return the surer one with the actors, subjects and due date of both.

    Of two as sure it is the one of the longer quote if one sentence has both, else the first.
    """
    best, other = first, second
    longer = len(second.quote) > len(first.quote) and _overlap(first, second)
    if (second.confidence, longer) > (first.confidence, False):
        best, other = second, first
    actors = dict(other.actors) | dict(best.actors)
    subjects = dict.fromkeys([*best.subjects, *other.subjects])
    return replace(best, actors=tuple(actors.items()), subjects=tuple(subjects), due=best.due or other.due)


def _telling(summary: str) -> frozenset[str]:
    words = plain(summary).split()
    return frozenset(w for w in words if len(w) >= _SMALL or w in _TURNING or any(map(str.isdigit, w)))


def _entities(found: Sequence[FoundEntity]) -> list[FoundEntity]:
    types = _types(found)
    named: dict[tuple[EntityType, str], FoundEntity] = {}
    for entity in found:
        name = normalise_name(entity.name)
        typed = replace(entity, type=types.get(name, entity.type) if entity.type in _THINGS else entity.type)
        key = (typed.type, name)
        named[key] = _united(named[key], typed) if key in named else typed
    claimed = _claims(named.values())
    for key in sorted(named, key=lambda key: (len(key[1]), key)):
        owners = [owner for owner in claimed[key] if owner in named]
        if len(owners) == 1 and owners[0] != key and not _contradict(named[owners[0]], named[key]):
            named[owners[0]] = _united(named[owners[0]], named.pop(key))
    return [_own(entity, claimed) for entity in named.values()]


def _types(found: Iterable[FoundEntity]) -> dict[str, EntityType]:
    """Return the type that most windows give each thing; the first of those given equally often."""
    given: dict[str, Counter[EntityType]] = defaultdict(Counter)
    for entity in found:
        if entity.type in _THINGS:
            given[normalise_name(entity.name)][entity.type] += 1
    return {name: counts.most_common(1)[0][0] for name, counts in given.items()}


def _claims(entities: Iterable[FoundEntity]) -> dict[tuple[EntityType, str], set[tuple[EntityType, str]]]:
    """Return which entities each form is an alias of."""
    claimed: dict[tuple[EntityType, str], set[tuple[EntityType, str]]] = defaultdict(set)
    for entity in entities:
        for alias in entity.aliases:
            claimed[entity.type, normalise_name(alias)].add((entity.type, normalise_name(entity.name)))
    return claimed


def _contradict(first: FoundEntity, second: FoundEntity) -> bool:
    both = first.organization and second.organization
    return bool(both) and normalise_name(first.organization or "") != normalise_name(second.organization or "")


def _united(first: FoundEntity, second: FoundEntity) -> FoundEntity:
    forms = dict.fromkeys([*first.aliases, second.name, *second.aliases])
    return replace(
        first,
        aliases=tuple(form for form in forms if form != first.name),
        role=first.role or second.role,
        organization=first.organization or second.organization,
        mentions=tuple(sorted({*first.mentions, *second.mentions}, key=lambda span: (span.start_char, span.end_char))),
    )


def _own(entity: FoundEntity, claimed: dict[tuple[EntityType, str], set[tuple[EntityType, str]]]) -> FoundEntity:
    """Return the entity without aliases that are another's in this document too: "Alice" of two people called so."""
    own = (entity.type, normalise_name(entity.name))
    aliases = (form for form in entity.aliases if claimed[entity.type, normalise_name(form)] <= {own})
    return replace(entity, aliases=tuple(aliases))


_log = logging.getLogger("remembrancer.extract")

#: How often a window is asked about whose answer is not of the form asked for.
_MALFORMED_TRIES: Final = 3
#: Answers about documents that could not be finished, kept so that a job that is tried again pays only for what it
#: lacks. One takes a few thousand bytes.
_KEPT: Final = 2_048

#: The most tokens that the shortest question may use.
LEAST_TOKENS: Final = Prompt("").most_tokens + MAX_ANSWER_TOKENS


class OpenAIExtractor:
    """A `ConcurrentExtractor`: asks about several windows at a time, believes what they bear out, and joins it.

    Nothing is given back for a document of which a window failed; what was answered about the others is kept in memory
    until the document is finished, or 2,048 newer answers came. `close` closes the chat.
    """

    def __init__(self, chat: Chat, spending: Spending, tokenizer: Tokenizer) -> None:
        self.name = f"openai:{chat.model}"
        self._chat = chat
        self._spending = spending
        self._tokenizer = tokenizer
        self._kept: OrderedDict[str, Read] = OrderedDict()
        #: Questions that took too long, the latest 2,048 of them: the next time they are asked in halves.
        self._slow: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()

    @classmethod
    def of(
        cls,
        records: Records,
        tokenizer: Tokenizer,
        *,
        api_key: str,
        base_url: str | None = None,
        model: str = "gpt-4o-mini",
        budget: int | None = None,
        gate: Gate | None = None,
    ) -> Self:
        """Return one that asks this model with this key, None as `base_url` being OpenAI's own.

        It counts in `records`, and waits when a day's `budget` of tokens is used up; None is no budget. Without a
        `gate`, one request is made at a time.
        """
        chat = Chat(api_key=api_key, base_url=base_url, model=model, gate=gate)
        return cls(chat, Spending(records, budget, least=LEAST_TOKENS), tokenizer)

    def extract(self, artifact: Artifact) -> Extraction:
        """Return what the model finds, in one request a window of 900 tokens.

        Raises:
            Unavailable: the service does not answer, or the budget is used up; what was answered is kept.
            Conflict: the model refuses a window, or answers what can't be read, however often it is asked.
        """
        asked: list[Prompt] = []
        parts = list(windows(artifact.memory.content, self._tokenizer))
        of_parts = in_parallel(lambda part: self._claims(artifact, part, asked), parts, self.concurrency)
        found = [one for claimed in of_parts for one in claimed]
        with self._lock:
            for prompt in asked:
                self._kept.pop(prompt.key, None)
                self._slow.pop(prompt.key, None)
        if left_out := sum(one.left_out for one in found):
            _log.info("%s: %d items of the answers are not in %s.", self.name, left_out, artifact.id)
        return consolidate_windows(one.extraction for one in found)

    def check(self) -> str:
        """Return the model and what it has cost; see `RemoteExtractor`."""
        self._chat.check()
        return f"{self.name}; {self._spending.usage_line()}"

    def usage(self) -> Usage:
        """Return what all processes on this record have asked for so far."""
        return self._spending.spent().ever

    @property
    def concurrency(self) -> int:
        """The most requests in flight."""
        return self._chat.concurrency

    @property
    def seconds_since_response(self) -> float:
        """How long ago the service last answered."""
        return self._chat.seconds_since_response

    def close(self) -> None:
        """Release the connections to the service."""
        self._chat.close()

    def _claims(self, artifact: Artifact, window: Window, asked: list[Prompt]) -> list[Claims]:
        """Return what a window says, or its halves if it is too much for the model; `asked` gets what was asked."""
        prompt, parts = prompt_of(artifact, window), split_window(window)
        asked.append(prompt)
        try:
            if prompt.key not in self._slow or parts == [window]:
                return [claims(artifact, window, self._answer(prompt))]
        except TimedOut:
            with self._lock:
                self._slow[prompt.key] = None
                if len(self._slow) > _KEPT:
                    self._slow.popitem(last=False)
            raise
        except TooLong as error:
            if parts == [window]:
                raise Conflict(
                    f"The model {self._chat.model!r} can't answer about {len(window.text)} characters at "
                    f"{window.start_char:,} in full ({error}): use one with a larger window, or the local extractor."
                ) from error
        return [one for part in parts for one in self._claims(artifact, part, asked)]

    def _answer(self, prompt: Prompt) -> Read:
        with self._lock:
            if (kept := self._kept.get(prompt.key)) is not None:
                self._kept.move_to_end(prompt.key)
                return kept
        answer = self._asked(prompt)
        with self._lock:
            self._kept[prompt.key] = answer
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return answer

    def _asked(self, prompt: Prompt) -> Read:
        """Ask until the answer can be read, three times at most."""
        reason = ""
        for tries in range(_MALFORMED_TRIES):
            with self._spending.reserved(prompt.most_tokens + MAX_ANSWER_TOKENS, self._chat.closing):
                reply = self._chat.ask(prompt, schema_in_prompt=tries > 0)
                self._count(reply.usage)
            self._complete(reply)
            try:
                answer = parse_answer(reply.text)
            except Malformed as error:
                reason = str(error)
                continue
            if tries:
                self._chat.require_schema_in_prompt()
            return answer
        raise Conflict(
            f"The model {self._chat.model!r} answered {_MALFORMED_TRIES} times in another form than asked for "
            f"({reason}): use a model that follows JSON schemas, or the local extractor."
        )

    def _complete(self, reply: Reply) -> None:
        """Refuse an answer that the model or a filter ended early.

        Raises:
            TooLong: it ran into the limit of its length.
            Conflict: the model, or a filter before it, does not want to answer.
        """
        if reply.refusal is not None:
            raise Conflict(f"The model {self._chat.model!r} refuses to read this text: {reply.refusal[:300]}")
        if reply.finish == "content_filter":
            raise Conflict(f"A filter of the extraction service ended the answer of {self._chat.model!r} to this text.")
        if reply.finish == "length":
            raise TooLong("the answer was cut at its longest")

    def _count(self, usage: Usage) -> None:
        try:
            self._spending.add(usage)
        except Unavailable as error:
            _log.warning("What an answer cost is counted with the next one: %s", error)
