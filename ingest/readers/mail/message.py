"""A saved mail (`.eml`, RFC 5322): its address lines, date and subject decoded, then its plain text.

The memory's content is those header lines, a blank line and the body, so that who wrote to whom can be quoted too.
HTML is not turned into text, because what a reader sees of it can't be told from its source.
"""

import binascii
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import Final

from core.errors import InvalidInput
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source

#: The header lines that open the content, in this order; a mail may lack some of them.
HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
#: Most bytes of a mail: attachments travel in it, a third larger than they are.
MAIL_BYTES: Final = 2 * DOCUMENT_BYTES


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the mail as one memory of context "email" unless told otherwise, or nothing if its text is blank.

    Attachments are not read but named in `metadata`; `source_id` is the mail's own id.

    Raises:
        InvalidInput: there is no plain text in it, or something does not decode as the mail says.
    """
    where = source.where
    data = source.content(MAIL_BYTES)
    if not data.strip():
        return
    try:
        message = message_from_bytes(data)
        lines = {name: text for name in HEADERS if (text := _header(message, name))}
        body, attachments = _body(message)
        values = _fields(message, lines)
    except (MessageError, LookupError, ValueError, OverflowError, RecursionError, binascii.Error) as error:
        reason = " ".join(str(error).split())[:100]
        raise InvalidInput(f"{where!r} does not decode as a mail ({reason}): save its text as a .txt file.") from error
    if body is None or "\0" in body or not lines:
        raise InvalidInput(f"{where!r} is not a mail with a plain text part: save its text as a .txt file.")
    if not body.strip():
        return
    head = "\n".join(f"{name}: {text}" for name, text in lines.items())
    named = {"metadata": {"attachments": attachments}} if attachments else {}
    defaults: dict[str, object] = {"title": source.name, "context": context or "email"}
    yield Item(document(where, f"{head}\n\n{body}", defaults | values | named), spoken=True)


def _fields(message: Message, lines: dict[str, str]) -> dict[str, object]:
    senders = _people(message, "From")
    given: dict[str, object] = {
        "title": lines.get("Subject"),
        "author": senders[0] if senders else None,
        "participants": list(dict.fromkeys(senders + _people(message, "To") + _people(message, "Cc"))),
        "date": parsedate_to_datetime(lines["Date"]).isoformat() if "Date" in lines else None,
        "source_id": _header(message, "Message-ID") or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _header(message: Message, name: str) -> str:
    """Return all headers of this name on one line, decoded; empty if there is none."""
    return ", ".join(_decoded(value) for value in message.get_all(name, []))


def _decoded(value: object) -> str:
    return " ".join(str(make_header(decode_header(str(value)))).split())


def _people(message: Message, name: str) -> list[str]:
    """Return the names in an address header, or the address of who gives no name."""
    pairs = getaddresses([str(value) for value in message.get_all(name, [])])
    return [text for display, address in pairs if (text := _decoded(display) or address)]


def _body(message: Message) -> tuple[str | None, list[str]]:
    """Return the plain text of all parts, None if there is no such part, and the names of the attachments."""
    texts: list[str] = []
    attachments: list[str] = []
    for part in message.walk():
        name = part.get_filename()
        if name is not None:
            attachments.append(_decoded(name))
        elif part.get_content_type() == "text/plain":
            payload = part.get_payload(decode=True)
            raw = payload if isinstance(payload, bytes) else b""
            texts.append(raw.decode(part.get_content_charset("utf-8")))
    return ("\n".join(texts) if texts else None), attachments
