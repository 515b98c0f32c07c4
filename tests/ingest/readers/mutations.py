"""Mutations: a sound file changed in the ways in which files get damaged, and in those of who wants to do harm."""

import io
import random
import re
from collections.abc import Callable, Iterator
from typing import Final
from zipfile import BadZipFile, ZipFile, ZipInfo

_SIGNS: Final = (
    b"", b"\0", b"\xff", b'"', b"[", b"]", b"{", b"}", b"<", b">", b"&", b",", b";", b":", b"null", b"\\ud800", b"\n",
)  # fmt: skip
_NUMBERS: Final = (
    b"0", b"-1", b"9" * 30, b"1e999", b"65536", b"1048576", b"2147483648", b"4294967295", b"9223372036854775807",
)  # fmt: skip
#: What may open a level of nesting in one format or another.
_OPENINGS: Final = (
    b"[", b"{", b'{"a":', b"(", b"<<", b"<div>", b"<p>", b"<w:tbl><w:tr><w:tc>", b"{\\b ", b"> ", b"- ", b"/", b"<a>",
    b"BEGIN:VEVENT\n", b"<!--", b"\\", b'"',
)  # fmt: skip
_DIGITS: Final = re.compile(rb"\d+")
#: Members of an archive that are mutated within, and packed again so that the archive itself is sound.
_WITHIN: Final = 0.7


def mutations(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Yield mutations of a sound file without end; of most of a zip archive one member is mutated, and it is sound."""
    while True:
        is_packed = data.startswith(b"PK") and chance.random() < _WITHIN
        yield _repacked(data, chance) if is_packed else _mutated(data, chance)


def _repacked(data: bytes, chance: random.Random) -> bytes:
    made = io.BytesIO()
    try:
        with ZipFile(io.BytesIO(data)) as sound, ZipFile(made, "w") as archive:
            members = sound.infolist()
            damaged = chance.randrange(len(members))
            for number, member in enumerate(members):
                content = sound.read(member)
                again = ZipInfo(member.filename)
                again.compress_type = member.compress_type
                archive.writestr(again, _mutated(content, chance) if number == damaged else content)
    except BadZipFile as error:
        raise AssertionError("the file to mutate is no sound archive") from error
    return made.getvalue()


def _mutated(data: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        chance.choice(_WAYS)(damaged, chance)
    return bytes(damaged)


def _flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 8) if data else 0):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _truncate(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data) + 1) :]


def _cut(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    del data[start : start + chance.randint(1, 200)]


def _put(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    data[start : start + chance.choice((0, chance.randint(1, 20)))] = chance.choice(_SIGNS)


def _repeat(data: bytearray, chance: random.Random) -> None:
    """Put a block many times in a row, or elsewhere."""
    start, to = chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)
    block = data[start : start + chance.randint(1, 400)]
    data[to:to] = block * chance.choice((1, 1, 2, 50, 500))


def _swap(data: bytearray, chance: random.Random) -> None:
    first, second = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    size = min(chance.randint(1, 400), second - first)
    data[first : first + size], data[second : second + size] = data[second : second + size], data[first : first + size]


def _enlarge(data: bytearray, chance: random.Random) -> None:
    """Write another number in the place of one."""
    if found := list(_DIGITS.finditer(bytes(data))):
        start, end = chance.choice(found).span()
        data[start:end] = chance.choice(_NUMBERS)


def _nest(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    data[start:start] = chance.choice(_OPENINGS) * chance.choice((3, 300, 20_000))


_WAYS: Final[tuple[Callable[[bytearray, random.Random], None], ...]] = (
    _flip, _flip, _truncate, _cut, _put, _put, _repeat, _swap, _enlarge, _enlarge, _nest,
)  # fmt: skip
