"""Teams and Skype: the chats of an account's export (`messages.json`), and messages as Microsoft Graph gives them.

Notices of calls, joining and the like are no turns; words in HTML are their text.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from ingest.readers.conversations.turns import Conversation
from ingest.readers.documents.web_page import main_text
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import JsonCursor, json_cursor
from ingest.readers.json_text.json_values import entries, fields, moment, text, texts

#: Kinds of messages that somebody wrote.
_WRITTEN: Final = ("Text", "RichText", "RichText/Html", "message")


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of one chat after the other; a turn's index is its time in milliseconds.

    Raises:
        InvalidInput: it is not JSON, or no export of chats; what stands before the fault is read.
    """
    with json_cursor(source) as cursor:
        yield from _chats(source, cursor)


def _chats(source: Source, cursor: JsonCursor) -> Iterator[Part]:
    if cursor.kind() == "[":
        yield from (part for value in cursor.elements() for part in _graph_turns(fields(value), source))
        return
    for name in cursor.members():
        if name == "conversations" and cursor.kind() == "[":
            for value in cursor.elements():
                yield from _chat(fields(value), source)
        elif name == "value" and cursor.kind() == "[":
            yield from (part for value in cursor.elements() for part in _graph_turns(fields(value), source))
        else:
            cursor.value()


def _chat(chat: Mapping[str, object], source: Source) -> Iterator[Part]:
    """Yield the turns of a chat of an account's export, which lists the newest first."""
    own = text(chat.get("id"))
    if own is None:
        yield Refused(f"{source.where!r}: a chat has no id: it is left out.")
        return
    title = text(fields(chat.get("threadProperties")).get("topic")) or text(chat.get("displayName"))
    conversation = Conversation(source.where, "teams", f"teams:{own}", title)
    for message in map(fields, reversed(entries(chat.get("MessageList")))):
        if message.get("messagetype") in _WRITTEN:
            yield from _turns(
                conversation,
                text(message.get("originalarrivaltime")),
                _plain(text(message.get("content")) or ""),
                text(message.get("displayName")) or (text(message.get("from")) or "").partition(":")[2] or None,
                text(message.get("id")),
            )


def _graph_turns(message: Mapping[str, object], source: Source) -> Iterator[Part]:
    if message.get("messageType") not in _WRITTEN or message.get("deletedDateTime"):
        return
    channel = fields(message.get("channelIdentity"))
    own = text(message.get("chatId")) or text(channel.get("channelId")) or source.path.stem
    sender, body = fields(message.get("from")), fields(message.get("body"))
    who = fields(sender.get("user")) or fields(sender.get("application"))
    words = text(body.get("content")) or ""
    files = texts(message.get("attachments"), "name")
    words = _plain(words) if body.get("contentType") == "html" else words
    yield from _turns(
        Conversation(source.where, "teams", f"teams:{own}", text(message.get("subject"))),
        text(message.get("createdDateTime")),
        words or "\n".join(f"File: {name}" for name in files),
        text(who.get("displayName")),
        text(message.get("id")),
        {"answers": text(message.get("replyToId")), "attachments": files},
    )


def _turns(
    conversation: Conversation,
    sent: str | None,
    words: str,
    author: str | None,
    own: str | None,
    metadata: Mapping[str, object] | None = None,
) -> list[Part]:
    at = moment(sent)
    if at is None:
        reason = f"{conversation.where!r}: a message has no time ({sent!r:.40}): it is left out."
        return [Refused(reason)] if words.strip() else []
    return conversation.turns(milliseconds(at), words, author=author, date=at, own_id=own, metadata=metadata)


def milliseconds(at: str) -> int:
    """Return a moment of ISO 8601 in milliseconds since 1970; 0 for what is before."""
    return max(0, round(datetime.fromisoformat(at).timestamp() * 1_000))


def _plain(words: str) -> str:
    """Return the text of a message in HTML."""
    return main_text(LexborHTMLParser(f"<body>{words}</body>")) if "<" in words or "&" in words else words
