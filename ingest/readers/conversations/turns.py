"""Turns: what every export of a conversation becomes, so that a later one of the same adds to it.

A turn's identity is the conversation's own id, its index, words, speaker and time. The file, which is another one at
each export, and the conversation's name, which is changed at any time, are no part of it: a name is in `metadata`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import InvalidInput, TooLarge
from ingest.readers.fields import memory_from
from ingest.readers.formats.source import Item, Part, Refused


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as its turns name it. `where` is the file, for what is refused; `source` names the program."""

    where: str
    source: str
    id: str
    title: str | None = None

    def turns(
        self,
        index: int,
        content: object,
        *,
        author: str | None = None,
        role: str | None = None,
        date: str | None = None,
        own_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> list[Part]:
        """Return the turn, or what of it is refused; nothing if `content` is no text or blank.

        `index` depends on nothing that a later export changes, and rises with time.
        """
        if not isinstance(content, str) or not content.strip():
            return []
        kept = {"conversation_title": self.title, **(metadata or {})}
        values = {
            "content": content,
            "context": "conversation",
            "source": self.source,
            "conversation_id": self.id,
            "turn_index": index,
            "author": author,
            "role": role,
            "date": date,
            "source_id": own_id,
            "metadata": {name: value for name, value in kept.items() if value not in (None, [], "")} or None,
        }
        try:
            return [Item(memory_from(values, where=f"{self.where!r} turn {index}"), spoken=True)]
        except (InvalidInput, TooLarge) as error:
            return [Refused(str(error))]
