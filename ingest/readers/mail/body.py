"""The body of a mail: its plain text, else that of its HTML, and what is attached to it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from ingest.readers.documents.web_page import main_text
from ingest.readers.encodings import decoded, storable
from ingest.readers.formats.source import Source
from ingest.readers.mail.attachments import Attachment

#: Deepest nesting of parts that is followed.
_DEEPEST: Final = 20
#: Most characters of an attachment's name, of a longer one the last, so that its suffix stays.
_LONGEST_NAME: Final = 200
#: What stands in a name in place of signs that would lead to another folder.
_APART: Final = str.maketrans("/\\\0", "___")


@dataclass(frozen=True, slots=True)
class Body:
    """The text, None if no part has one, and the attachments in their order."""

    text: str | None
    attachments: tuple[Attachment, ...]


def body_of(message: Message, source: Source) -> Body:
    """Return the body of a mail that stands at `source`.

    Raises:
        InvalidInput: a text is binary, or its encoding can't be told.
    """
    plain: list[str] = []
    pages: list[str] = []
    attachments: list[Attachment] = []
    for part in _leaves(message):
        if (name := _name(part)) is not None:
            attachments.append(Attachment(name, part))
        elif part.get_content_type() == "text/plain":
            plain.append(_text(part, source))
        elif part.get_content_type() == "text/html":
            pages.append(main_text(LexborHTMLParser(_text(part, source))))
    texts = plain if any(text.strip() for text in plain) else pages or plain
    return Body("\n".join(texts) if texts else None, tuple(attachments))


def _leaves(message: Message, depth: int = 0) -> Iterator[Message]:
    """Yield the parts that hold no others; a mail that is attached is one."""
    if message.get_content_maintype() == "multipart" and message.is_multipart() and depth < _DEEPEST:
        for part in message.get_payload():
            if isinstance(part, Message):
                yield from _leaves(part, depth + 1)
    else:
        yield message


def _name(part: Message) -> str | None:
    """Return the name of an attachment, None of what is none."""
    if (name := part.get_filename()) is not None:
        return _shown(name)
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload(0) if part.is_multipart() else None
        subject = inner.get("Subject") if isinstance(inner, Message) else None
        return f"{_shown(str(subject or 'mail'))}.eml"
    return "invitation.ics" if part.get_content_type() == "text/calendar" else None


def _shown(name: str) -> str:
    with suppress(MessageError, LookupError, ValueError):
        name = str(make_header(decode_header(name)))
    name = " ".join(storable(name).translate(_APART).split())[-_LONGEST_NAME:]
    return name if name.strip(".") else "attachment"


def _text(part: Message, source: Source) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset("utf-8")
    try:
        text = raw.decode(charset)
    except (LookupError, ValueError):
        text = decoded(source, raw, charset).text
    if "\0" in text:
        text = decoded(source, raw).text
    return text
