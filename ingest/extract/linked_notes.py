"""What a note links to: `[[Harbour plan]]` or `[plan](harbour-plan.md)` names a thing or a person, and the note is
about what its own name says. An item of an imported graph names what its relations lead to.

Notes that link to one another so meet in the graph, where no sentence says more. The evidence of a link is its place in
the text; for links in a note's fields, and for a note's own name that its text lacks, it is the first line.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from core.dates.written_dates import written_dates
from core.interface.memory import Memory
from core.knowledge.findings import EntityType, Extraction, FoundEntity, Span, normalise_name
from core.records import Artifact
from ingest.english.lexicon import GIVEN_NAMES
from ingest.readers.memories.record import RELATED

#: Most names of one note that links give it, and most places of one name.
MOST: Final = 500
_PLACES: Final = 100
#: `[[folder/Name#Heading|shown]]`, embedded with a `!`; the shown words are no name: they fit their sentence.
_LINK: Final = re.compile(
    r"(?<!`)\[\[(?P<folder>[^\[\]|#^\n]{1,200}/)?(?P<name>[^\s\[\]|#^/][^\[\]|#^/\n]{0,200}?)(?:\.md)?"
    r"(?:[#^][^\[\]|\n]{0,200})?(?:\\?\|[^\[\]\n]{0,200})?\]\](?!`)"
)
#: `[shown](folder/name.md#heading)` to a file beside the note; blanks may be written as %20, or all of it in <>.
_FILE_LINK: Final = re.compile(
    r"(?<![`!])\[[^\[\]\n]{1,200}\]\(<?(?P<folder>(?![a-z][a-z+.-]*:)[^()<>#?\n]{0,200}/)?(?P<name>[^()<>#?/\n]{1,200}?)\.md"
    r"(?:#[^()<>\n]{0,200})?>?\)"
)
#: A name as addresses and files write it: its words apart by hyphens or underscores.
_SLUG: Final = re.compile(r"[^\W_]+(?:[-_][^\W_]+)+")
_FENCED: Final = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]*(?P=fence)|\Z)", re.M | re.S)
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
        if (at := known.get(form)) is None:
            type_ = named.type or _type(named.name)
            entities.append(FoundEntity(named.name, type_, named.aliases, mentions=tuple(named.spans)))
            continue
        one = entities[at]
        taken = [span for span in named.spans if not any(_meet(span, other) for other in one.mentions)]
        aliases = tuple(dict.fromkeys([*one.aliases, *named.aliases]))
        entities[at] = replace(one, type=named.type or one.type, aliases=aliases, mentions=(*one.mentions, *taken))
    return replace(found, entities=tuple(entities))


def _names(memory: Memory) -> dict[str, _Named]:
    content, names = memory.content, dict[str, _Named]()
    opening, path = _opening(content), PurePosixPath(memory.file_path or "")
    for start, end in _unfenced(content):
        for match in chain(_LINK.finditer(content, start, end), _FILE_LINK.finditer(content, start, end)):
            _put_link(names, match, Span(match.start("name"), match.end("name")), path)
    metadata = memory.metadata or {}
    for text in _texts(metadata):
        for match in _LINK.finditer(text):
            _put_link(names, match, opening, path)
    related = metadata.get(RELATED)
    for name, kind in related.items() if isinstance(related, Mapping) else ():
        _put(names, name, _place_of(name, content) or opening, type_=_KINDS.get(str(kind).casefold()))
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
    place = _place_of(own, memory.content) or _opening(memory.content)
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


def _opening(content: str) -> Span:
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
