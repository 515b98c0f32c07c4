"""Signal and text messages: `data.json` of signal-export, and the XML of Signal's and Android's backups of messages.

In the XML the owner of the telephone has no name: what was sent is by "Me".
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from core.errors import InvalidInput
from ingest.readers.conversations.turns import Conversation
from ingest.readers.documents.office_xml import local, reason_of
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_lines import json_lines
from ingest.readers.json_text.json_values import day, entries, fields, moment, seconds, text

_SENT: Final = frozenset({"2", "4", "5", "6"})
_OWNER: Final = "Me"


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of a chat, or of those of a telephone; a turn's index is its time in milliseconds.

    Raises:
        InvalidInput: the XML is damaged; what stands before the fault is read.
    """
    with source.open() as file:
        is_xml = file.read(200).lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<")
    yield from _messages(source) if is_xml else _lines(source)


def _lines(source: Source) -> Iterator[Part]:
    name = source.path.parent.name
    conversation = Conversation(source.where, "signal", f"signal:{name}", name)
    last = -1
    for number, line in json_lines(source):
        if isinstance(line, Refused):
            yield line
            continue
        at = _clock(text(line.get("date")))
        last = max(last + 1, at if at is not None else last + 1)
        files = [found for entry in entries(line.get("attachments")) if (found := text(fields(entry).get("name")))]
        yield from conversation.turns(
            last,
            text(line.get("body")) or text(line.get("sticker")) or "\n".join(f"File: {file}" for file in files),
            author=text(line.get("sender")),
            date=day(line.get("date")),
            own_id=f"{name} {number}",
            metadata={"time": (text(line.get("date")) or "")[11:19], "attachments": files},
        )


def _clock(written: str | None) -> int | None:
    try:
        return int(datetime.fromisoformat(written or "").replace(tzinfo=UTC).timestamp() * 1_000)
    except (ValueError, OverflowError):
        return None


def _messages(source: Source) -> Iterator[Part]:
    with source.open() as file:
        try:
            for _, element in iterparse(file, events=("end",)):
                if local(element) in {"sms", "mms"}:
                    yield from _message(element, source)
                    element.clear()
        except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError) as error:
            raise InvalidInput(f"{source.where!r} is damaged ({reason_of(error)}): export it again.") from error


def _message(element: Element, source: Source) -> list[Part]:
    about: Mapping[str, str] = element.attrib
    address, at = about.get("address", ""), seconds(about.get("date"))
    if at is None or not 0 <= at < 1e14:
        return [Refused(f"{source.where!r}: a message has no time ({about.get('date')!r:.40}): it is left out.")]
    known = about.get("contact_name", "")
    other = known if known and known != "(Unknown)" else address
    texts = [
        node.get("text") or "" for node in element.iter() if local(node) == "part" and node.get("ct") == "text/plain"
    ]
    words = about.get("body") or "\n".join(part for part in texts if part != "null")
    sent = about.get("type", about.get("msg_box", "")) in _SENT
    conversation = Conversation(source.where, "sms", f"sms:{address}", other)
    return conversation.turns(int(at), words, author=_OWNER if sent else other, date=moment(at / 1_000))
