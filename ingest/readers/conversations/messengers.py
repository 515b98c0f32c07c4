"""Chats of phones: exports of WhatsApp, Signal, Telegram, Messenger and Instagram, whose messages are turns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import PurePath
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.conversations.turns import Conversation
from ingest.readers.documents.office_xml import local, reason_of
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES
from ingest.readers.formats.conversation_formats import AFTER_NOON, MESSAGE_STAMP
from ingest.readers.formats.source import Part, Refused, Source
from ingest.readers.json_text import (
    JsonCursor,
    day,
    entries,
    fields,
    json_cursor,
    json_lines,
    moment,
    seconds,
    text,
    texts,
)

#: Lists of a message's files, with what one is called in its words.
_FILES: Final = {
    "photos": "photo", "videos": "video", "audio_files": "voice message", "gifs": "animation", "files": "file",
    "media": "file",
}  # fmt: skip


def read_messenger(source: Source, _context: str | None) -> Iterator[Part]:
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
        yield from _messenger_turns(conversation, at, message)
    if missing := sum(at is None for at, _ in stamped):
        yield Refused(f"{source.where!r}: {missing:,} messages have no time: they are left out.")


def _messenger_turns(conversation: Conversation, at: int, message: Mapping[str, object]) -> list[Part]:
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


_SENT: Final = frozenset({"2", "4", "5", "6"})
_OWNER: Final = "Me"


def read_signal(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of a chat, or of those of a telephone; a turn's index is its time in milliseconds.

    Raises:
        InvalidInput: the XML is damaged; what stands before the fault is read.
    """
    with source.open() as file:
        is_xml = file.read(200).lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<")
    yield from _signal_messages(source) if is_xml else _lines(source)


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


def _signal_messages(source: Source) -> Iterator[Part]:
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


def read_telegram(source: Source, _context: str | None) -> Iterator[Part]:
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
                    yield from _telegram_turns(chat, fields(value))
            if chat is None:
                yield Refused(f"{source.where!r}: a chat has no id before its messages: export it again.")
        else:
            head[name] = cursor.value()


def _conversation(source: Source, head: Mapping[str, object]) -> Conversation | None:
    identity = head.get("id")
    if isinstance(identity, bool) or not isinstance(identity, int | str):
        return None
    return Conversation(source.where, "telegram", f"telegram:{identity}", text(head.get("name")))


def _telegram_turns(chat: Conversation, message: Mapping[str, object]) -> list[Part]:
    words = _words(message.get("text"))
    words = words if words.strip() else _sent(message)
    if message.get("type") != "message" or not words:
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


def _sent(message: Mapping[str, object]) -> str:
    """Return what a message without a text is: the question of a poll with its answers, or the name of a file."""
    poll = fields(message.get("poll"))
    if question := text(poll.get("question")) or _words(poll.get("question")):
        return "\n".join([question, *(f"- {answer}" for answer in texts(poll.get("answers"), "text"))])
    name = text(message.get("file_name")) or (text(message.get("file")) or "").rpartition("/")[2]
    return f"File: {name}" if name and not name.startswith("(") else ""


def _words(value: object) -> str:
    """Return a message's text, which stands in pieces where parts of it are links, bold and so on."""
    if isinstance(value, str):
        return value
    pieces = (piece if isinstance(piece, str) else fields(piece).get("text") for piece in entries(value))
    return "".join(piece for piece in pieces if isinstance(piece, str))


_AUTHOR: Final = regex(r"([^:\n]{1,200}): ?")
#: What the program writes instead of media; on iOS all that it writes begins with a mark.
_PROGRAM: Final = regex(r"\u200e|<[^<>\n]{3,60}>\s*\Z")
_CHAT_NAME: Final = regex(r"(?:WhatsApp Chat (?:with|-) )?(.*?)(?: \(\d+\))?")
#: Which of a date's three numbers is year, month and day.
_YEAR_FIRST: Final = (0, 1, 2)
_DAY_FIRST: Final = (2, 1, 0)
_MONTH_FIRST: Final = (2, 0, 1)


@dataclass(frozen=True, slots=True)
class _Message:
    numbers: tuple[int, int, int]
    sign: str
    clock: tuple[int, int, int]
    rest: str


def read_whatsapp(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of the chat, which is known by the file's name, or for `_chat.txt` by what it stands in.

    A turn's index is its time in milliseconds, of messages of one time in their order; without dates, their number.

    Raises:
        InvalidInput: it is not text that decodes for certain.
        TooLarge: it is over the limit of a document.
    """
    messages = _whatsapp_messages(text_of(source, limit_bytes=DOCUMENT_BYTES))
    order = _order(messages)
    name = _name(source)
    conversation = Conversation(source.where, "whatsapp", f"whatsapp:{name}", name)
    index = -1
    for message in messages:
        moment = None if order is None else _moment(message, order)
        index = index + 1 if moment is None else max(index + 1, _milliseconds(moment))
        author = _AUTHOR.match(message.rest)
        words = message.rest[author.end() :].strip() if author else ""
        if author is None or _PROGRAM.match(words):
            continue
        yield from conversation.turns(
            index,
            words,
            author=author[1].strip("\u200e\u200f\u202a\u202c\u00a0 ~"),
            date=None if moment is None else moment.date().isoformat(),
            metadata={"time": "{:02}:{:02}:{:02}".format(*message.clock)},
        )


def _whatsapp_messages(text: str) -> list[_Message]:
    stamps = list(MESSAGE_STAMP.finditer(text))
    ends = [stamp.start() for stamp in stamps[1:]] + [len(text)]
    found = []
    for stamp, end in zip(stamps, ends, strict=True):
        hour, half = int(stamp["hour"]), (stamp["half"] or stamp["before"] or "").lower()
        if half:
            hour = hour % 12 + (12 if half in AFTER_NOON else 0)
        first, second, third = (_number(stamp[name]) for name in ("first", "second", "third"))
        clock = (hour, int(stamp["minute"]), int(stamp["seconds"] or 0))
        found.append(_Message((first, second, third), stamp["sign"], clock, text[stamp.end() : end]))
    return found


def _number(digits: str) -> int:
    """Return a number of a date; a year of four digits that is none is not of two."""
    return -1 if digits == "0000" else int(digits)


def _order(messages: Sequence[_Message]) -> tuple[int, int, int] | None:
    """Return which number of a date is which, None if the messages do not tell.

    A year first, or a number over 12, tells; so do full stops, which nobody writes behind a month that comes first; so
    does time, which does not run backwards.
    """
    if any(message.numbers[0] > 31 for message in messages):
        return _YEAR_FIRST
    if any(message.sign == "." or message.numbers[0] > 12 for message in messages):
        return _DAY_FIRST
    if any(message.numbers[1] > 12 for message in messages):
        return _MONTH_FIRST
    back = {order: _steps_back(messages, order) for order in (_DAY_FIRST, _MONTH_FIRST)}
    if back[_DAY_FIRST] == back[_MONTH_FIRST]:
        return None
    return min(back, key=lambda order: back[order])


def _steps_back(messages: Sequence[_Message], order: tuple[int, int, int]) -> int:
    days = [tuple(message.numbers[place] for place in order) for message in messages]
    return sum(later < earlier for earlier, later in pairwise(days))


def _moment(message: _Message, order: tuple[int, int, int]) -> datetime | None:
    year, month, day = (message.numbers[place] for place in order)
    try:
        return datetime(year + 2000 if 0 <= year < 100 else year, month, day, *message.clock)  # noqa: DTZ001 - none is told
    except ValueError:
        return None


def _milliseconds(moment: datetime) -> int:
    return int(moment.replace(tzinfo=UTC).timestamp()) * 1000


def _name(source: Source) -> str:
    name = source.path.parent.name if source.name == "_chat.txt" else source.name
    stem = PurePath(name).stem if PurePath(name).suffix.lower() in (".txt", ".zip") else name
    found = _CHAT_NAME.fullmatch(stem)
    return (found[1] if found else stem).strip() or "chat"
