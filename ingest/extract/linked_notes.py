"""What a note links to: `[[Harbour plan]]` names a thing or a person, and the note is about what its own name says.

Notes that link to one another so meet in the graph, where no sentence says more. The evidence of a link is its place in
the text; for links in a note's fields, and for a note's own name that its text lacks, it is the first line.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final

from core.dates.written_dates import written_dates
from core.interface.memory import Memory
from core.knowledge.findings import EntityType, Extraction, FoundEntity, Span, normalise_name
from core.records import Artifact
from ingest.english.lexicon import GIVEN_NAMES

#: Most names of one note that links give it, and most places of one name.
MOST: Final = 500
_PLACES: Final = 100
#: `[[folder/Name#Heading|shown]]`, embedded with a `!`; the shown words are no name: they fit their sentence.
_LINK: Final = re.compile(
    r"(?<!`)\[\[(?:[^\[\]|#^\n]{1,200}/)?(?P<name>[^\s\[\]|#^/][^\[\]|#^/\n]{0,200}?)(?:\.md)?(?:[#^][^\[\]|\n]{0,200})?"
    r"(?:\\?\|[^\[\]\n]{0,200})?\]\](?!`)"
)
_FENCED: Final = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]*(?P=fence)|\Z)", re.M | re.S)
_NOTES: Final = frozenset({".md", ".markdown"})
#: Names of files that say nothing about their content.
_NAMELESS: Final = frozenset({"readme", "index", "untitled", "note", "notes", "changelog", "todo", "inbox"})
#: Longest first line used as evidence, in characters.
_LINE: Final = 80


@dataclass(slots=True)
class _Named:
    """A name as it is written first, its places, and its other names."""

    name: str
    spans: list[Span] = field(default_factory=list)
    aliases: tuple[str, ...] = ()


def add_links(artifact: Artifact, found: Extraction) -> Extraction:
    """Return `found` with what the item links to and, if it is a linked note, what it is called."""
    names = _names(artifact.memory)
    if not names:
        return found
    entities = list(found.entities)
    known = {normalise_name(form): at for at, one in enumerate(entities) for form in (*one.aliases, one.name)}
    for form, named in names.items():
        if (at := known.get(form)) is None:
            entities.append(FoundEntity(named.name, _type(named.name), named.aliases, mentions=tuple(named.spans)))
            continue
        one = entities[at]
        taken = [span for span in named.spans if not any(_meet(span, other) for other in one.mentions)]
        aliases = tuple(dict.fromkeys([*one.aliases, *named.aliases]))
        entities[at] = replace(one, aliases=aliases, mentions=(*one.mentions, *taken))
    return replace(found, entities=tuple(entities))


def _names(memory: Memory) -> dict[str, _Named]:
    content, names = memory.content, dict[str, _Named]()
    opening = _opening(content)
    for start, end in _unfenced(content):
        for match in _LINK.finditer(content, start, end):
            _put(names, match["name"].strip(), Span(match.start("name"), match.end("name")))
    metadata = memory.metadata or {}
    for text in _texts(metadata):
        for match in _LINK.finditer(text):
            _put(names, match["name"].strip(), opening)
    path = PurePosixPath(memory.file_path or "")
    aliases = tuple(alias.strip() for alias in _texts(metadata.get("aliases", metadata.get("alias"))) if alias.strip())
    own = path.stem
    is_linked = names or aliases or (" " in own and normalise_name(memory.title or "") == normalise_name(own))
    if is_linked and path.suffix.lower() in _NOTES and normalise_name(own) not in _NAMELESS:
        place = re.search(rf"(?<!\w){re.escape(own)}(?!\w)", content, re.I)
        _put(names, own, opening if place is None else Span(*place.span()), aliases)
    return names


def _unfenced(content: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text with links that are no blocks of code."""
    if "[[" in content:
        at = 0
        for fenced in _FENCED.finditer(content):
            yield at, fenced.start()
            at = fenced.end()
        yield at, len(content)


def _put(names: dict[str, _Named], name: str, span: Span, aliases: tuple[str, ...] = ()) -> None:
    """Add a name unless it is a day, as of a journal's pages, or one too many."""
    form = normalise_name(name)
    if form in names or (form and len(names) < MOST and not _is_day(name)):
        named = names.setdefault(form, _Named(name))
        named.spans += [span] * (len(named.spans) < _PLACES)
        named.aliases += aliases


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
