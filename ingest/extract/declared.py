"""What an item declares without extraction: a decision or task by its context, and entities by the links of a note."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from core.dates.reading import written_dates
from core.interface.memory import Memory
from core.knowledge.findings import (
    ActorRole,
    Category,
    EntityType,
    Extraction,
    FoundEntity,
    FoundEvent,
    Span,
    normalise_name,
)
from core.records import Artifact
from core.regex import regex
from graph.text.sentences import MAX_SENTENCE
from ingest.document.condensed import condense
from ingest.document.lines import is_statement
from ingest.document.structure import Passage, passages, titles
from ingest.english.date_phrases import date_phrases
from ingest.english.lexicon import GIVEN_NAMES
from ingest.english.name_patterns import looks_like_name
from ingest.extract.local.acts import LIKELY
from ingest.extract.local.entities.attendee_lists import entry_name
from ingest.extract.local.entities.people import ASSIGNEE
from ingest.extract.local.event_details import summarise
from ingest.readers.memories.record import RELATED

#: Content up to this length that states nothing outright is quoted whole, in characters.
QUOTED_WHOLE: Final = 400
#: How many passages are looked through for a statement.
_LOOKED_THROUGH: Final = 40
#: As many equal characters tell a summary from the sentence it was made of.
_LIKE: Final = 20
_CATEGORIES: Final[dict[str, Category]] = {"decision": "Decision", "task": "Commitment"}
_TOPIC_MARK: Final = regex(r"^(?:decision|adr|rfc|task|todo|action)(?: ?#?\d+)?\s*[:–—-]\s*", re.I)
_FIELD: Final = regex(r"[*_]*[A-Z][\w /-]{1,24}:[*_]* ")
_HANDLE: Final = regex(r"(?<![\w@/.])@([A-Za-z][\w-]{1,38})")


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
        span, summary = _quoted_opening(artifact, category)
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


def _quoted_opening(artifact: Artifact, category: Category) -> tuple[Span, str]:
    """Return what is quoted of a text that states nothing outright, and its first statement.

    Short content is quoted whole, longer content up to the end of that statement, and that alone if it is far down
    or, of a decision, below a title or fields.
    """
    short, context = condense(artifact.memory.content), artifact.memory.context
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


#: Most names of one note that links give it, and most places of one name.
MOST: Final = 500
_PLACES: Final = 100
#: `[[folder/Name#Heading|shown]]`, embedded with a `!`; the shown words are no name: they fit their sentence.
_LINK: Final = regex(
    r"(?<!`)\[\[(?P<folder>[^\[\]|#^\n]{1,200}/)?(?P<name>[^\s\[\]|#^/][^\[\]|#^/\n]{0,200}?)(?:\.md)?"
    r"(?:[#^][^\[\]|\n]{0,200})?(?:\\?\|[^\[\]\n]{0,200})?\]\](?!`)"
)
#: `[shown](folder/name.md#heading)` to a file beside the note; blanks may be written as %20, or all of it in <>.
_FILE_LINK: Final = regex(
    r"(?<![`!])\[[^\[\]\n]{1,200}\]\(<?(?P<folder>(?![a-z][a-z+.-]*:)[^()<>#?\n]{0,200}/)?(?P<name>[^()<>#?/\n]{1,200}?)\.md"
    r"(?:#[^()<>\n]{0,200})?>?\)"
)
#: A name as addresses and files write it: its words apart by hyphens or underscores.
_SLUG: Final = regex(r"[^\W_]+(?:[-_][^\W_]+)+")
_FENCED: Final = regex(r"^[ \t]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]*(?P=fence)|\Z)", re.M | re.S)
_NOTES: Final = frozenset({".md", ".markdown"})
#: Names of files that say nothing about their content.
_NAMELESS: Final = frozenset({"readme", "index", "untitled", "note", "notes", "changelog", "todo", "inbox"})
#: Longest first line used as evidence, in characters.
_LINE: Final = 80


#: The types of entities by the kinds that graphs give them.
_KINDS: Final[dict[str, EntityType]] = {
    **dict.fromkeys(("person", "people", "user", "human", "contact", "colleague", "friend"), "person"),
    **dict.fromkeys(("organization", "organisation", "company", "team", "institution", "group"), "org"),
    **dict.fromkeys(("project", "product"), "project"),
    **dict.fromkeys(("place", "location", "city", "country", "address"), "place"),
}


@dataclass(slots=True)
class _Named:
    """A name as it is written first, its places, its other names, and its type where that is known."""

    name: str
    spans: list[Span] = field(default_factory=list)
    aliases: tuple[str, ...] = ()
    type: EntityType | None = None


def add_links(artifact: Artifact, found: Extraction) -> Extraction:
    """Return `found` with what the item links to and, if it is a linked note, what it is called."""
    names = _names(artifact.memory)
    if not names:
        return found
    entities = list(found.entities)
    known = {normalise_name(form): at for at, one in enumerate(entities) for form in (*one.aliases, one.name)}
    for form, named in names.items():
        at = next((known[one] for one in (form, *map(normalise_name, named.aliases)) if one in known), None)
        if at is None:
            type_ = named.type or _type(named.name)
            entities.append(FoundEntity(named.name, type_, named.aliases, mentions=tuple(named.spans)))
            continue
        one = entities[at]
        taken = [span for span in named.spans if not any(_meet(span, other) for other in one.mentions)]
        aliases = tuple(
            dict.fromkeys([*one.aliases, *named.aliases, *([named.name] if named.name != one.name else [])])
        )
        entities[at] = replace(one, type=named.type or one.type, aliases=aliases, mentions=(*one.mentions, *taken))
    return replace(found, entities=tuple(entities))


def _names(memory: Memory) -> dict[str, _Named]:
    content, names = memory.content, dict[str, _Named]()
    opening, path = _first_line(content), PurePosixPath(memory.file_path or "")
    for start, end in _unfenced(content):
        for match in chain(_LINK.finditer(content, start, end), _FILE_LINK.finditer(content, start, end)):
            _put_link(names, match, Span(match.start("name"), match.end("name")), path)
    metadata = memory.metadata or {}
    for text in _texts(metadata):
        for match in _LINK.finditer(text):
            _put_link(names, match, opening, path)
    related = metadata.get(RELATED)
    for name, kind in related.items() if isinstance(related, Mapping) else ():
        spaced, written = _in_words(name)
        _put(names, spaced, _place_of(name, content) or opening, written, _KINDS.get(str(kind).casefold()))
    _put_own_name(names, memory, path)
    return names


def _put_own_name(names: dict[str, _Named], memory: Memory, path: PurePosixPath) -> None:
    """Add what a linked note is called: its file, its title, and the aliases of its fields."""
    fields, own, title = memory.metadata or {}, path.stem, memory.title or ""
    given = (alias.strip() for alias in _texts(fields.get("aliases", fields.get("alias"))))
    aliases = tuple(alias for alias in given if alias)
    is_titled = (" " in own or _SLUG.fullmatch(own)) and _form(title) == _form(own)
    is_index = normalise_name(own) == "index"
    if not (names or aliases or is_titled or is_index) or path.suffix.lower() not in _NOTES:
        return
    if normalise_name(own) in _NAMELESS:
        if not is_index or not path.parent.name:
            return
        own, aliases = f"{path.parent.name}/{own}", (own, *aliases)
    name, written = _in_words(own)
    titled = (title,) if title and len(title) <= _LINE and _form(title) != _form(own) else ()
    place = _place_of(own, memory.content) or _first_line(memory.content)
    _put(names, name, place, (*written, *titled, *aliases))


def _put_link(names: dict[str, _Named], match: re.Match[str], span: Span, path: PurePosixPath) -> None:
    """Add what a link names; a note that is called like many is told from them by its folder, else by this one's."""
    target = unquote(match["name"]).strip()
    if normalise_name(target) == "index":
        folders = [part for part in (match["folder"] or "").split("/") if part not in ("", ".", "..")]
        folder = folders[-1] if folders else path.parent.name
        _put(names, f"{folder}/{target}" if folder else target, span, (target,) if folder else ())
        return
    name, written = _in_words(target)
    _put(names, name, span, written)


def _in_words(name: str) -> tuple[str, tuple[str, ...]]:
    """Return a name with blanks between its words, and how it is written if that is otherwise."""
    return (re.sub(r"[-_]", " ", name), (name,)) if _SLUG.fullmatch(name) else (name, ())


def _form(name: str) -> str:
    return normalise_name(_in_words(name)[0])


def _place_of(name: str, content: str) -> Span | None:
    place = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", content, re.I)
    return None if place is None else Span(*place.span())


def _unfenced(content: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text with links that are no blocks of code."""
    if "[[" in content or ".md" in content:
        at = 0
        for fenced in _FENCED.finditer(content):
            yield at, fenced.start()
            at = fenced.end()
        yield at, len(content)


def _put(
    names: dict[str, _Named],
    name: str,
    span: Span,
    aliases: tuple[str, ...] = (),
    type_: EntityType | None = None,
) -> None:
    """Add a name unless it is a day, as of a journal's pages, or one too many."""
    form = normalise_name(name)
    if form in names or (form and len(names) < MOST and not _is_day(name)):
        named = names.setdefault(form, _Named(name))
        named.spans += [span] * (len(named.spans) < _PLACES)
        named.aliases = tuple(dict.fromkeys((*named.aliases, *aliases)))
        named.type = named.type or type_


def _is_day(name: str) -> bool:
    return bool(written_dates(name)) and not any(map(str.isalpha, name))


def _first_line(content: str) -> Span:
    """Return the place of the first line with words in it."""
    start = len(content) - len(content.lstrip("# \t\r\n"))
    end = content.find("\n", start)
    return Span(start, min(start + _LINE, len(content) if end < 0 else max(end, start + 1)))


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a value of a note's fields, however they are nested."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in _texts(inner))


def _type(name: str) -> EntityType:
    """Return "person" for a first name with one or two others, else "object"."""
    words = name.split()
    is_person = 2 <= len(words) <= 3 and words[0].casefold() in GIVEN_NAMES and all(word[0].isupper() for word in words)
    return "person" if is_person else "object"


def _meet(one: Span, other: Span) -> bool:
    return one.start_char < other.end_char and other.start_char < one.end_char
