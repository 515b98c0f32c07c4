"""A channel of Discord as DiscordChatExporter writes it in JSON: its messages are turns.

Notices of pins, joins and the like are no turns. `metadata` names the message that a reply answers.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ingest.readers.conversations.turns import Conversation
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import json_cursor
from ingest.readers.json_text.json_values import fields, moment, text, texts

#: A message's id begins with its time; without its last bits, which tell messages of one millisecond apart, it fits.
_DROPPED_BITS: Final = 10


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns one by one; a turn's index is made of the message's id, so that other exports add to a channel.

    Raises:
        InvalidInput: it is not JSON, or no channel; what stands before the fault is read.
    """
    head: dict[str, object] = {}
    with json_cursor(source) as cursor:
        for name in cursor.members():
            if name != "messages":
                head[name] = cursor.value()
                continue
            conversation = _conversation(source, head)
            if conversation is None:
                yield Refused(f"{source.where!r} has no channel with an id before its messages: export it again.")
                return
            for value in cursor.elements():
                yield from _turns(conversation, fields(value))


def _conversation(source: Source, head: Mapping[str, object]) -> Conversation | None:
    channel, guild = fields(head.get("channel")), fields(head.get("guild"))
    identity = text(channel.get("id"))
    names = [name for name in (text(guild.get("name")), text(channel.get("name"))) if name]
    return None if identity is None else Conversation(source.where, "discord", f"discord:{identity}", " / ".join(names))


def _turns(conversation: Conversation, message: Mapping[str, object]) -> list[Part]:
    if message.get("type") not in ("Default", "Reply") or (words := text(message.get("content"))) is None:
        return []
    identity, author = text(message.get("id")), fields(message.get("author"))
    if identity is None or not identity.isascii() or not identity.isdigit() or len(identity) > 20:
        return [Refused(f"{conversation.where!r}: a message has no number for its id ({identity!r}): it is left out.")]
    return conversation.turns(
        int(identity) >> _DROPPED_BITS,
        words,
        author=text(author.get("nickname")) or text(author.get("name")),
        date=moment(message.get("timestamp")),
        own_id=identity,
        metadata={
            "answers": text(fields(message.get("reference")).get("messageId")),
            "attachments": texts(message.get("attachments"), "fileName"),
        },
    )
