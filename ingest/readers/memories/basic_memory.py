"""Notes of basic-memory: Markdown with fields above it, and lists of observations and of relations to other notes.

An observation is "- [category] text #tag", a relation "- works_at [[Other note]]", which alone says nothing: it becomes
a sentence of which the note's title is the subject.
"""

import re
from collections.abc import Iterator
from typing import Final

from core.interface.memory import MAX_ENTRIES
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document, line_of
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source
from ingest.readers.front_matter import front_matter
from ingest.readers.json_text.json_values import text
from ingest.readers.note_fields import note_fields

_RELATION: Final = re.compile(
    r"^([ \t]{0,8}[-*] )((?:[\w-]{1,40} ){0,4})\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]"
    r"([ \t]*\([^()\n]{0,500}\))?[ \t]*$",
    re.MULTILINE,
)
_OBSERVATION: Final = re.compile(r"^[ \t]{0,8}[-*] \[[^\[\]()\n]{2,60}\] ([^\n]+)", re.MULTILINE)
_TAG: Final = re.compile(r"(?<!\S)#([\w/-]{1,100})")
#: What stands for a relation that has no name.
_UNNAMED: Final = "relates to "


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the note with its fields, the tags of its observations among them; nothing if it is blank.

    Raises:
        InvalidInput: its encoding can't be told.
        TooLarge: the file is over its limit.
    """
    whole = text_of(source, limit_bytes=DOCUMENT_BYTES)
    front = front_matter(whole)
    title = line_of(text(front.texts.get("title"))) or source.path.stem
    body = _RELATION.sub(lambda relation: _sentence(title, relation), whole[front.end :])
    if not body.strip():
        return
    given = note_fields(front)
    tags = [*_listed(given.get("tags")), *(tag for said in _OBSERVATION.findall(body) for tag in _TAG.findall(said))]
    values = {"title": title, "context": context or "note", "source": "basic-memory"} | given
    values["tags"] = list(dict.fromkeys(tags))[:MAX_ENTRIES] or None
    values.setdefault("source_id", line_of(text(front.texts.get("permalink"))))
    yield Item(document(source.where, body, values))


def _sentence(title: str, relation: re.Match[str]) -> str:
    words = relation[2].replace("_", " ") or _UNNAMED
    return f"{relation[1]}{title} {words}{relation[3].strip()}{relation[4] or ''}."


def _listed(value: object) -> list[str]:
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []
