"""What the caller declared: an item of context "decision" is a Decision, one of context "task" an open Commitment."""

import re
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from core.knowledge.findings import ActorRole, Category, Extraction, FoundEntity, FoundEvent, Span, normalise_name
from core.records import Artifact
from graph.text.sentences import MAX_SENTENCE
from ingest.document.condensed import condensed
from ingest.document.structure import Passage, is_statement, passages, titles
from ingest.english.date_phrases import date_phrases
from ingest.english.name_patterns import looks_like_name
from ingest.extract.local.entities.attendee_lists import entry_name
from ingest.extract.local.entities.people import ASSIGNEE
from ingest.extract.local.speech_acts.acts import LIKELY
from ingest.extract.local.summary import summarise

#: Content up to this length that states nothing outright is quoted whole, in characters.
QUOTED_WHOLE: Final = 400
#: How many passages are looked through for a statement.
_LOOKED_THROUGH: Final = 40
#: As many equal characters tell a summary from the sentence it was made of.
_LIKE: Final = 20
_CATEGORIES: Final[dict[str, Category]] = {"decision": "Decision", "task": "Commitment"}
_TOPIC_MARK: Final = re.compile(r"^(?:decision|adr|rfc|task|todo|action)(?: ?#?\d+)?\s*[:–—-]\s*", re.I)
_FIELD: Final = re.compile(r"[*_]*[A-Z][\w /-]{1,24}:[*_]* ")
_HANDLE: Final = re.compile(r"(?<![\w@/.])@([A-Za-z][\w-]{1,38})")


def add_declared_event(artifact: Artifact, found: Extraction) -> Extraction:
    """Return `found` with the event that the artifact's context declares in front; other contexts change nothing.

    A decision's subject is its topic (key, else title), an `object` unless `found` knows the name as something else.
    The owner is the one `found` gives the same sentence, else whom a task's opening words assign, else the author, else
    the first @handle or participant. Events of the same category inside the declared quote are merged into it.
    """
    category = _CATEGORIES.get(artifact.memory.context)
    if category is None:
        return found
    event = _event(artifact, category, _outright(artifact, category, found))
    same = [other for other in found.events if other.category == category and _covers(event, other)]
    rest = tuple(other for other in found.events if other not in same)
    owner, people = _owner(artifact, same)
    subjects = dict.fromkeys([*event.subjects, *(subject for other in same for subject in other.subjects)])
    due = next((other.due for other in same if other.due is not None), event.due)
    front = replace(event, actors=_actors(owner, same), subjects=tuple(subjects), due=due)
    topics = [FoundEntity(topic, "object") for topic in event.subjects]
    return Extraction(_with(found.entities, [*topics, *people]), (front, *rest))


def _outright(artifact: Artifact, category: Category, found: Extraction) -> FoundEvent | None:
    """Return the sentence that states the decision: the surest, then the first; None for a task, which is one whole.

    Short content that states nothing surely is one whole, too.
    """
    least = LIKELY if len(artifact.memory.content) <= QUOTED_WHOLE else 0.0
    sure = [event for event in found.events if event.category == category == "Decision" and event.confidence >= least]
    return max(sure, key=lambda event: event.confidence, default=None)


def _event(artifact: Artifact, category: Category, outright: FoundEvent | None) -> FoundEvent:
    content, written = artifact.memory.content, artifact.written()
    if outright is None:
        span, summary = _opening(artifact, category)
    else:
        span = Span(outright.near_char, outright.near_char + len(outright.quote))
        summary = _unsigned(outright)
    quote, topic = content[span.start_char : span.end_char], _topic(artifact)
    return FoundEvent(
        category,
        summary,
        quote,
        span.start_char,
        subjects=(topic,) if topic and category == "Decision" else (),
        event_time=written,
        due=_due(quote, written) if category == "Commitment" else None,
        confidence=1.0,
    )


def _opening(artifact: Artifact, category: Category) -> tuple[Span, str]:
    """Return what is quoted of a text that states nothing outright, and its first statement.

    Short content is quoted whole, longer content up to the end of that statement, and that alone if it is far down
    or, of a decision, below a title or fields.
    """
    short, context = condensed(artifact.memory.content), artifact.memory.context
    content = short.text
    start, end = len(content) - len(content.lstrip()), len(content.rstrip())
    found = [
        passage
        for passage in islice(passages(content, title="", labels=frozenset(), context=context), _LOOKED_THROUGH)
        if category == "Commitment" or is_statement(content[passage.start : passage.end])
    ]
    plain = [passage for passage in found if category == "Commitment" or not _is_head(content, passage)]
    if category == "Decision" and len(plain) > 1 and titles(content, plain[0]):
        del plain[0]
    titled = [passage for passage in found if passage.kind == "heading"]
    first = next(iter(plain or titled or found), None)
    said = Span(start, min(end, start + MAX_SENTENCE)) if first is None else Span(first.start, first.end)
    summary = summarise(content[said.start_char : said.end_char].lstrip("#-* "), None)
    if not (category == "Decision" and plain and plain[0].start > start):
        if end - start <= QUOTED_WHOLE:
            said = Span(start, end)
        elif said.end_char - start <= QUOTED_WHOLE:
            said = Span(start, said.end_char)
    return short.quote(said.start_char, said.end_char), summary


def _is_head(content: str, passage: Passage) -> bool:
    """Whether a passage is a heading, or one of the fields that a record begins with: "Production: …"."""
    is_field = _FIELD.match(content, passage.start, passage.end) and 0 < passage.start < content.find("\n\n")
    return passage.kind in ("heading", "header") or bool(is_field)


def _unsigned(event: FoundEvent) -> str:
    """Return the summary without the speaker that "We …" was signed with."""
    _, _, rest = event.summary.partition(": ")
    return rest if rest and event.quote.lstrip("-*_ ").startswith(rest[:_LIKE]) else event.summary


def _topic(artifact: Artifact) -> str | None:
    topic = artifact.memory.key or artifact.memory.title
    return None if topic is None else _TOPIC_MARK.sub("", topic).strip() or topic


def _due(text: str, written: datetime | None) -> datetime | None:
    moments = [phrase.moment for phrase in date_phrases(text, written)]
    return next((moment for moment in moments if written is None or moment >= written), moments[0] if moments else None)


def _covers(event: FoundEvent, other: FoundEvent) -> bool:
    return event.near_char <= other.near_char and other.near_char < event.near_char + len(event.quote)


def _owner(artifact: Artifact, same: list[FoundEvent]) -> tuple[str | None, list[FoundEntity]]:
    """Return the owner's name, and the entities to add for it."""
    memory = artifact.memory
    for event in same:
        for name, role in event.actors:
            if role == "owner":
                return name, []
    handles = [match[1] for match in _HANDLE.finditer(memory.content, 0, 10_000)]
    assigned = _assigned(memory.content) if memory.context == "task" else []
    entries = [*assigned, *([memory.author] if memory.author else []), *handles[:1], *memory.participants]
    owner = next((found for entry in entries if (found := entry_name(entry)) is not None), None)
    aliases = (f"@{owner}",) if owner in handles else ()
    return owner, [] if owner is None else [FoundEntity(owner, "person", aliases)]


def _assigned(content: str) -> list[str]:
    """Return whom the opening words assign: "Bob to renew …", "Bob: renew …" or "@bob renew …"."""
    opening = content.lstrip()[:120]
    if handle := _HANDLE.match(opening):
        return [handle[1]]
    match = ASSIGNEE.match(opening)
    return [match[1]] if match and looks_like_name(match[1]) else []


def _actors(owner: str | None, same: list[FoundEvent]) -> tuple[tuple[str, ActorRole], ...]:
    roles: dict[str, ActorRole] = {} if owner is None else {owner: "owner"}
    for event in same:
        for name, role in event.actors:
            roles.setdefault(name, role)
    return tuple(roles.items())


def _with(entities: tuple[FoundEntity, ...], added: list[FoundEntity]) -> tuple[FoundEntity, ...]:
    known = {normalise_name(form) for entity in entities for form in (entity.name, *entity.aliases)}
    return (*entities, *(entity for entity in added if normalise_name(entity.name) not in known))
