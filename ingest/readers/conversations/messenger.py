"""Messenger and Instagram: the chats of Meta's "Download your information" in JSON, `message_1.json` and so on.

Meta writes each byte of UTF-8 as a character of its own, which is undone. What was unsent is no turn, nor are notices;
a message of files alone has their kinds as its words, and `metadata` has their names.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from core.errors import InvalidInput
from ingest.readers.conversations.turns import Conversation
from ingest.readers.fields import DOCUMENT_BYTES
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import json_cursor
from ingest.readers.json_text.json_values import entries, fields, moment, seconds, text

#: Lists of a message's files, with what one is called in its words.
_FILES: Final = {
    "photos": "photo", "videos": "video", "audio_files": "voice message", "gifs": "animation", "files": "file",
    "media": "file",
}  # fmt: skip


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of a chat, the oldest first; a turn's index is its time in milliseconds.

    Raises:
        InvalidInput: it is not JSON of a chat.
        TooLarge: the file is over its limit.
    """
    data = source.content(DOCUMENT_BYTES)
    with json_cursor(Source(source.path, data, source.depth)) as cursor:
        chat = fields(cursor.value())
    messages = [fields(message) for message in entries(chat.get("messages"))]
    title = _said(chat.get("title")) or _said(chat.get("threadName"))
    own = text(chat.get("thread_path")) or text(chat.get("threadName")) or title
    if own is None:
        raise InvalidInput(f"{source.where!r} does not name its chat: export it again.")
    conversation = Conversation(source.where, "messenger", f"messenger:{_fixed(own)}", title)
    stamped = [(_stamp(message), message) for message in messages]
    for at, message in sorted(((at, message) for at, message in stamped if at is not None), key=lambda pair: pair[0]):
        yield from _turns(conversation, at, message)
    if missing := sum(at is None for at, _ in stamped):
        yield Refused(f"{source.where!r}: {missing:,} messages have no time: they are left out.")


def _turns(conversation: Conversation, at: int, message: Mapping[str, object]) -> list[Part]:
    if message.get("is_unsent") is True or message.get("isUnsent") is True:
        return []
    words = _said(message.get("content")) or _said(message.get("text"))
    share = fields(message.get("share"))
    link = _said(share.get("link"))
    files = {kind: entries(message.get(name)) for name, kind in _FILES.items()}
    if words is None and link is None:
        words = ", ".join(f"{len(found)} {kind}{'s' * (len(found) > 1)}" for kind, found in files.items() if found)
        words = f"({words})" if words else None
    names = [_said(fields(entry).get("uri")) for found in files.values() for entry in found]
    return conversation.turns(
        at,
        "\n".join(filter(None, (words, link if link and link not in (words or "") else None))),
        author=_said(message.get("sender_name")) or _said(message.get("senderName")),
        date=moment(at / 1_000),
        metadata={"attachments": [name.rpartition("/")[2] for name in names if name]},
    )


def _stamp(message: Mapping[str, object]) -> int | None:
    at = seconds(message.get("timestamp_ms") if "timestamp_ms" in message else message.get("timestamp"))
    return None if at is None or not 0 <= at < 1e14 else int(at)


def _said(value: object) -> str | None:
    found = text(value)
    return None if found is None else text(_fixed(found))


def _fixed(words: str) -> str:
    """Return a text whose characters are the bytes of UTF-8 as that text, any other as it is."""
    try:
        return words.encode("latin-1").decode()
    except UnicodeError:
        return words
