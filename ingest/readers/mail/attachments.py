"""What is attached to a mail: each attachment of a known format, read as the file that it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from email.errors import MessageError
from email.message import Message
from pathlib import PurePosixPath
from typing import Final

from core.interface.memory import MAX_FIELD, Memory
from ingest.document.item_date import item_date
from ingest.readers.formats.inner_files import inner_parts
from ingest.readers.formats.item import Item, Part, Refused
from ingest.readers.formats.source import Source

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
