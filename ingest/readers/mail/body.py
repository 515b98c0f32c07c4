"""The body of a mail, from its plain text or its HTML, and its attachments, each read as the file that it is."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from pathlib import PurePosixPath
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from core.interface.memory import MAX_FIELD, Memory
from ingest.document.dates import item_date
from ingest.readers.archives import inner_parts
from ingest.readers.documents.web_page import main_text
from ingest.readers.encodings import decoded, storable
from ingest.readers.formats.source import Item, Part, Refused, Source

#: Most attachments of a mail that are read; all are named.
MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Attachment:
    """A part of a mail that has a name, which leads nowhere as a path."""

    name: str
    part: Message

    def data(self) -> bytes:
        """Return what is attached, decoded.

        Raises:
            MessageError, LookupError, ValueError, AttributeError, TypeError: it is damaged.
        """
        if self.part.get_content_type() == "message/rfc822" and self.part.is_multipart():
            inner = self.part.get_payload(0)
            return inner.as_bytes() if isinstance(inner, Message) else b""
        payload = self.part.get_payload(decode=True)
        return payload if isinstance(payload, bytes) else b""


def attached(
    attachments: Sequence[Attachment], mail: Memory, source: Source, where: str, context: str | None
) -> Iterator[Part]:
    """Yield what stands in the attachments of a mail at `source` that are of a known format; others are left out.

    Such an item is of the mail's conversation and turn, and names the mail in `metadata`. It has the mail's date if it
    gives none itself, and a key below the mail's only if that has one.
    """
    if len(attachments) > MOST:
        yield Refused(
            f"{where} has {len(attachments):,} attachments, of which {MOST} are read: save the rest as files."
        )
    taken: set[str] = set()
    for number, attachment in enumerate(attachments[:MOST], start=1):
        name = attachment.name if attachment.name not in taken else f"{number} {attachment.name}"
        taken.add(name)
        try:
            inner = source.inside(name, attachment.data())
        except (MessageError, LookupError, ValueError, AttributeError, TypeError) as error:
            reason = " ".join(str(error).split())[:100]
            yield Refused(f"{where}, attachment {name!r} does not decode ({reason}): save it as a file.")
            continue
        for part in inner_parts(inner, context, f"{where}, attachment {name!r}"):
            yield _joined(part, mail, source, name) if isinstance(part, Item) else part


def _joined(item: Item, mail: Memory, source: Source, name: str) -> Item:
    """Return an item of an attachment as one of the mail's own."""
    memory = item.memory
    own = (memory.key or "").removeprefix(f"{source.where}/") if memory.key else name
    is_below = mail.key is not None and (memory.key or "").startswith(f"{mail.key}/")
    named = f"{mail.source_id}/{own}" if mail.source_id else None
    about = {"mail": mail.source_id or mail.title or "", "attachment": name}
    memory = replace(
        memory,
        key=memory.key if is_below else None,
        file_path=memory.file_path if mail.file_path else None,
        source_id=memory.source_id or (named[:MAX_FIELD] if named else None),
        metadata={**about, **(memory.metadata or {})},
    )
    if memory.conversation_id is None and mail.conversation_id:
        memory = replace(memory, conversation_id=mail.conversation_id, turn_index=mail.turn_index)
    if memory.moment() is None and mail.date and not memory.is_turn:
        path = PurePosixPath(memory.file_path) if memory.file_path else None
        if item_date(memory.content, memory.title, path) is None:
            memory = replace(memory, date=mail.date)
    return replace(item, memory=memory)


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
