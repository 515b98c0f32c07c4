"""A chat that WhatsApp exports as text, `_chat.txt` or "WhatsApp Chat with NAME.txt": its messages are turns.

Its times have no zone, so a turn's date is the day, and `metadata` has the time as written. Whether the day or the
month stands first is told by the file's own lines; where they leave it open, dates are left out. Notices, and words
that stand for media that were not exported, are no turns.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import PurePath
from typing import Final

from ingest.readers.conversations.turns import Conversation
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES
from ingest.readers.formats.item import Part
from ingest.readers.formats.source import Source
from ingest.readers.formats.spoken_lines import MESSAGE_STAMP

_AUTHOR: Final = re.compile(r"([^:\n]{1,200}): ?")
#: What the program writes instead of media; on iOS all that it writes begins with a mark.
_PROGRAM: Final = re.compile(r"\u200e|<[^<>\n]{3,60}>\s*\Z")
_CHAT_NAME: Final = re.compile(r"(?:WhatsApp Chat (?:with|-) )?(.*?)(?: \(\d+\))?")
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


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of the chat, which is known by the file's name, or for `_chat.txt` by what it stands in.

    A turn's index is its time in milliseconds, of messages of one time in their order; without dates, their number.

    Raises:
        InvalidInput: it is not text that decodes for certain.
        TooLarge: it is over the limit of a document.
    """
    messages = _messages(text_of(source, limit_bytes=DOCUMENT_BYTES))
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


def _messages(text: str) -> list[_Message]:
    stamps = list(MESSAGE_STAMP.finditer(text))
    ends = [stamp.start() for stamp in stamps[1:]] + [len(text)]
    found = []
    for stamp, end in zip(stamps, ends, strict=True):
        hour, half = int(stamp["hour"]), (stamp["half"] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        numbers = (int(stamp["first"]), int(stamp["second"]), int(stamp["third"]))
        clock = (hour, int(stamp["minute"]), int(stamp["seconds"] or 0))
        found.append(_Message(numbers, stamp["sign"], clock, text[stamp.end() : end]))
    return found


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
        return datetime(year + 2000 if year < 100 else year, month, day, *message.clock)  # noqa: DTZ001 - none is told
    except ValueError:
        return None


def _milliseconds(moment: datetime) -> int:
    return int(moment.replace(tzinfo=UTC).timestamp()) * 1000


def _name(source: Source) -> str:
    name = source.path.parent.name if source.name == "_chat.txt" else source.name
    stem = PurePath(name).stem if PurePath(name).suffix.lower() in (".txt", ".zip") else name
    found = _CHAT_NAME.fullmatch(stem)
    return (found[1] if found else stem).strip() or "chat"
