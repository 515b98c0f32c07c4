"""JSON of exports: a cursor over large documents, JSON Lines, and checks of loosely typed values."""

import io
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from core.dates import parse_iso
from core.errors import InvalidInput, TooLarge
from core.regex import regex
from ingest.readers.formats.source import Refused, Source

#: Characters read at once, unless a value is longer than that.
_READ: Final = 1_000_000
#: Longest value that is taken whole, in characters.
MOST_CHARACTERS: Final = 100_000_000
#: A number may go on with so many characters that are none without the next, as in 1e+5.
_TAIL: Final = 2
_BLANK: Final = regex(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


class JsonCursor:
    """Stands before a value of the document; each method moves it behind what it returns.

    Every method raises InvalidInput, naming the file, where the text is no JSON or not of the kind asked for, and
    TooLarge for one value of more than `MOST_CHARACTERS`.
    """

    def __init__(self, where: str, file: io.TextIOBase) -> None:
        self._where = where
        self._file = file
        self._text = ""
        self._at = 0
        self._ended = False

    def kind(self) -> str:
        """Return the first character of the next value, which tells its kind, or "" at the end; moves nothing."""
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def value(self) -> object:
        """Return the next value whole."""
        self.kind()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._fill():
                    raise self._fault(f"is not JSON ({str(error)[:80]})") from error
                continue
            if end + _TAIL < len(self._text) or not self._fill():
                self._at = end
                return value

    def elements(self) -> Iterator[object]:
        """Yield each element of the array that is next."""
        yield from (self.value() for _ in self.steps())

    def each(self) -> Iterator[object]:
        """Yield each element of the array that is next, or the next value if it is no array."""
        if self.kind() == "[":
            yield from self.elements()
        else:
            yield self.value()

    def steps(self) -> Iterator[None]:
        """Stop before each element of the array that is next; whoever asks takes it by another method."""
        yield from (None for _ in self._inside("[", "]"))

    def members(self) -> Iterator[str]:
        """Yield each name in the object that is next, and stop before its value, which is to be taken."""
        for _ in self._inside("{", "}"):
            name = self.value()
            if not isinstance(name, str):
                raise self._fault("is not JSON (a name is no text)")
            self._take(":")
            yield name

    def _inside(self, opening: str, closing: str) -> Iterator[None]:
        self._take(opening)
        if self.kind() == closing:
            self._at += 1
            return
        while True:
            yield
            if self.kind() == closing:
                self._at += 1
                return
            self._take(",")

    def _take(self, sign: str) -> None:
        if (found := self.kind()) != sign:
            raise self._fault(f"is not JSON of this format ({found or 'its end'!r} where {sign!r} is expected)")
        self._at += 1

    def _fill(self) -> bool:
        """Read on, and drop what is done with; False at the end of the file."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if len(rest) > MOST_CHARACTERS:
            raise TooLarge(f"{self._where!r} has a value of more than {MOST_CHARACTERS:,} characters: split it.")
        try:
            more = self._file.read(max(_READ, len(rest)))
        except (UnicodeDecodeError, OSError) as error:
            raise self._fault(f"can't be read ({error})") from error
        if not more:
            self._ended = True
            return False
        self._text, self._at = rest + more, 0
        return True

    def _fault(self, what: str) -> InvalidInput:
        return InvalidInput(f"{self._where!r} {what}: export it again.")


@contextmanager
def json_cursor(source: Source) -> Iterator[JsonCursor]:
    """Open a source of UTF-8 text as a cursor before its document.

    Raises:
        NotFound, InvalidInput: it can't be opened.
    """
    with source.open() as file, io.TextIOWrapper(file, encoding="utf-8-sig") as text:
        yield JsonCursor(source.where, text)


def listed(source: Source, name: str) -> Iterator[object]:
    """Yield the elements of the list that a document is, or has under `name`, one in memory at a time.

    Raises:
        InvalidInput: it is not JSON of this kind; what stands before the fault is read.
    """
    with json_cursor(source) as cursor:
        if cursor.kind() == "[":
            yield from cursor.elements()
            return
        for member in cursor.members():
            if member == name and cursor.kind() == "[":
                yield from cursor.elements()
            else:
                cursor.value()


#: Longest line that is decoded, in bytes; images that agents look at stand in lines of some megabytes.
LINE_BYTES: Final = 100_000_000


def json_lines(source: Source) -> Iterator[tuple[int, Mapping[str, object] | Refused]]:
    """Yield the number of each line that is not blank, and its object, or why it is none.

    Raises:
        NotFound, InvalidInput: the source can't be opened.
    """
    with source.open() as file:
        number = 0
        while line := file.readline(LINE_BYTES):
            number += 1
            if line.strip():
                yield number, _object(line, f"{source.where!r} line {number}")


def _object(line: bytes, where: str) -> Mapping[str, object] | Refused:
    try:
        value: object = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Refused(f"{where}: not JSON ({' '.join(str(error).split())[:80]}): the line is left out.")
    return value if isinstance(value, dict) else Refused(f"{where}: not a JSON object: the line is left out.")


_ZONE: Final = regex(r"(?:Z|[+-]\d{2}:?\d{2})\s*\Z")


def text(value: object) -> str | None:
    """Return a text that is not blank, else None."""
    return value if isinstance(value, str) and value.strip() else None


def fields(value: object) -> Mapping[str, object]:
    """Return an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[object]:
    """Return a list, else an empty one."""
    return value if isinstance(value, list) else []


def texts(value: object, name: str) -> list[str]:
    """Return the texts under `name` of the objects in a list."""
    return [found for entry in entries(value) if (found := text(fields(entry).get(name)))]


def tags(value: object) -> tuple[str, ...]:
    """Return the texts of a list, or the parts of one text with commas between them."""
    found = value.split(",") if isinstance(value, str) else entries(value)
    return tuple(tag.strip() for entry in found if (tag := text(entry)) is not None)


def seconds(value: object) -> float | None:
    """Return a number, also one written as a text, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def moment(value: object) -> str | None:
    """Return the moment of seconds since 1970, or of ISO 8601 with its zone, as ISO 8601; None if it is neither."""
    if isinstance(value, str) and "T" in value:
        return value if _ZONE.search(value[-8:]) and _is_date(value) else None
    if (number := seconds(value)) is None:
        return None
    try:
        return datetime.fromtimestamp(number, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def day(value: object) -> str | None:
    """Return the day of ISO 8601 without a zone, whose time would be taken for one of UTC; None if it is none."""
    return value[:10] if isinstance(value, str) and _is_date(value[:10]) else None


def moment_or_day(value: object) -> str | None:
    """Return the moment that a value is, else the day; None if it is neither."""
    return moment(value) or day(value)


def _is_date(value: str) -> bool:
    try:
        parse_iso(value, field="date")
    except InvalidInput:
        return False
    return True
