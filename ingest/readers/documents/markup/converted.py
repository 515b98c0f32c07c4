"""A text in another markup language, as Markdown: its fields, and the rest of it without comments."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import decoded, storable
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source
from ingest.readers.front_matter import FrontMatter
from ingest.readers.note_fields import note_fields

_APART: Final = re.compile(r"\n{3,}")
#: Fields of a document whose texts are shorter, in characters, are kept.
_LONGEST_FIELD: Final = 2_000


@dataclass(slots=True)
class Converted:
    """What a text says above itself, by the names that it gives, and its lines."""

    fields: dict[str, object] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, without more than one empty line between others."""
        return _APART.sub("\n\n", "\n".join(line.rstrip() for line in self.lines)).strip("\n")


def read_as(convert: Callable[[str], Converted], source: Source, context: str | None) -> Iterator[Item]:
    """Yield the converted text as one memory, or nothing if it is blank.

    Raises:
        InvalidInput: its encoding can't be told.
        TooLarge: the file or its text is over its limit.
    """
    text = decoded(source, source.content(DOCUMENT_BYTES))
    made = convert(text.text.replace("\r\n", "\n"))
    content = storable(made.text)
    if not content.strip():
        return
    given = {name: value for name, value in made.fields.items() if len(str(value)) <= _LONGEST_FIELD}
    fields = note_fields(FrontMatter(given, given, {}, 0))
    if tags := list(dict.fromkeys([*_listed(fields.get("tags")), *made.tags]))[:200]:
        fields["tags"] = tags
    title = title_of(source, fields.pop("title", None), content)
    values = {"metadata": text.metadata or None, **fields, "title": title, "context": fields.get("context", context)}
    yield Item(document(source.where, content, values))


def _listed(value: object) -> list[str]:
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []
