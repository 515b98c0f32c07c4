"""An export of Claude: `conversations.json`, or the zip archive with it.

Turns are what was said; a model's thoughts, and its calls of tools with their results, are none. A text that was
pasted or attached, which the export has too, is an item of its own beside the turn.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from core.errors import InvalidInput, TooLarge
from ingest.readers.conversations.turns import Conversation
from ingest.readers.exports.archives import documents
from ingest.readers.fields import memory_from
from ingest.readers.formats.item import Item, Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import json_cursor
from ingest.readers.json_text.json_values import entries, fields, moment, text, texts

_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}
_SOURCE: Final = "claude"


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the turns of one conversation after the other, each with its attached texts behind it.

    `context` counts for those texts. A turn's index is its place in the export, where messages are only added.

    Raises:
        InvalidInput: it is not JSON, or no list; what stands before the fault is read.
        TooLarge: a conversation is over the limit.
    """
    for found in documents(source, "conversations"):
        if isinstance(found, Refused):
            yield found
            continue
        with json_cursor(found) as cursor:
            for number, value in enumerate(cursor.elements(), 1):
                yield from _turns(fields(value), f"{found.where}#{number}", context)


def _turns(value: Mapping[str, object], where: str, context: str | None) -> Iterator[Part]:
    identity = text(value.get("uuid"))
    if identity is None or not isinstance(value.get("chat_messages"), list):
        yield Refused(f"{where!r} is no conversation of Claude (no uuid or chat_messages): export it again.")
        return
    conversation = Conversation(where, _SOURCE, identity, text(value.get("name")))
    for index, entry in enumerate(entries(value["chat_messages"])):
        message = fields(entry)
        attached = texts(message.get("attachments"), "file_name") + texts(message.get("files"), "file_name")
        sender = message.get("sender")
        yield from conversation.turns(
            index,
            _words(message),
            role=_ROLES.get(sender) if isinstance(sender, str) else None,
            date=moment(message.get("created_at")),
            own_id=text(message.get("uuid")),
            metadata={"attachments": attached},
        )
        yield from _attached(message, f"{where} turn {index}", context)


def _words(message: Mapping[str, object]) -> str:
    """Return the texts of a message's blocks, or its own where it has no blocks, as old exports do."""
    blocks = [fields(block) for block in entries(message.get("content"))]
    said = [words for block in blocks if block.get("type") == "text" and (words := text(block.get("text")))]
    return "\n\n".join(said) if blocks else text(message.get("text")) or ""


def _attached(message: Mapping[str, object], where: str, context: str | None) -> Iterator[Part]:
    for number, entry in enumerate(entries(message.get("attachments")), 1):
        attachment = fields(entry)
        if (words := text(attachment.get("extracted_content"))) is None:
            continue
        values = {
            "content": words,
            "context": context,
            "source": _SOURCE,
            "title": text(attachment.get("file_name")),
            "date": moment(message.get("created_at")),
            "source_id": f"{text(message.get('uuid')) or where}#{number}",
        }
        try:
            yield Item(memory_from(values, where=f"{where!r} attachment {number}"))
        except (InvalidInput, TooLarge) as error:
            yield Refused(str(error))
