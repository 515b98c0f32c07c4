"""Telegram's export in JSON, `result.json`: of one chat or of all; its messages are turns.

Notices of calls, pins and the like are no turns. `metadata` names the message that a reply answers, and who wrote what
is only passed on.
"""

from collections.abc import Iterator, Mapping

from ingest.readers.conversations.turns import Conversation
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import JsonCursor, json_cursor
from ingest.readers.json_text.json_values import day, entries, fields, moment, text


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns one by one; a turn's index is the message's number in its chat.

    Old exports say no zone, and the day alone is read of their times.

    Raises:
        InvalidInput: it is not JSON, or no export of chats; what stands before the fault is read.
    """
    with json_cursor(source) as cursor:
        yield from _chats(source, cursor, 0)


def _chats(source: Source, cursor: JsonCursor, depth: int) -> Iterator[Part]:
    """Yield the turns of the chat that is next, or of those listed in what is next."""
    head: dict[str, object] = {}
    for name in cursor.members():
        if name in ("chats", "left_chats") and depth == 0 and cursor.kind() == "{":
            yield from _chats(source, cursor, 1)
        elif name == "list" and depth == 1 and cursor.kind() == "[":
            for _ in cursor.steps():
                yield from _chats(source, cursor, 2)
        elif name == "messages" and cursor.kind() == "[":
            chat = _conversation(source, head)
            for value in cursor.elements():
                if chat is not None:
                    yield from _turns(chat, fields(value))
            if chat is None:
                yield Refused(f"{source.where!r}: a chat has no id before its messages: export it again.")
        else:
            head[name] = cursor.value()


def _conversation(source: Source, head: Mapping[str, object]) -> Conversation | None:
    identity = head.get("id")
    if isinstance(identity, bool) or not isinstance(identity, int | str):
        return None
    return Conversation(source.where, "telegram", f"telegram:{identity}", text(head.get("name")))


def _turns(chat: Conversation, message: Mapping[str, object]) -> list[Part]:
    words = _words(message.get("text"))
    if message.get("type") != "message" or not words.strip():
        return []
    number, answers = message.get("id"), message.get("reply_to_message_id")
    if isinstance(number, bool) or not isinstance(number, int):
        return [Refused(f"{chat.where!r}: a message has no number ({number!r:.40}): it is left out.")]
    return chat.turns(
        number,
        words,
        author=text(message.get("from")),
        date=moment(message.get("date_unixtime")) or day(message.get("date")),
        metadata={
            "answers": answers if isinstance(answers, int) else None,
            "forwarded_from": text(message.get("forwarded_from")),
        },
    )


def _words(value: object) -> str:
    """Return a message's text, which stands in pieces where parts of it are links, bold and so on."""
    if isinstance(value, str):
        return value
    pieces = (piece if isinstance(piece, str) else fields(piece).get("text") for piece in entries(value))
    return "".join(piece for piece in pieces if isinstance(piece, str))
