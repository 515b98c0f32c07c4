"""Reading files in tests of readers: the parts of a file, its turns in short, and files that are damaged at random."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

from core.errors import MemoryServiceError
from core.interface.memory import Memory
from ingest.readers import items
from ingest.readers.formats.format import chosen
from ingest.readers.formats.source import Item, Part, Refused, Source

MUTATIONS = 300


def put(folder: Path, name: str, content: object) -> Path:
    """Write bytes, a text, or anything else as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str | bytes) else json.dumps(content, ensure_ascii=False)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def packed(folder: Path, name: str, members: dict[str, object]) -> Path:
    """Write a zip archive, its members as `put` does."""
    path = folder / name
    with ZipFile(path, "w") as archive:
        for member, content in members.items():
            is_plain = isinstance(content, str | bytes)
            archive.writestr(member, content if is_plain else json.dumps(content))  # type: ignore[arg-type]
    return path


def format_of(path: Path) -> str:
    """The name of the format that the file is read as."""
    return chosen(Source(path)).name


def parts(path: Path, context: str | None = None) -> list[Part]:
    return list(items(path, context=context))


def memories(path: Path, context: str | None = None) -> list[Memory]:
    """The memories of a file of which nothing is refused."""
    found = parts(path, context)
    assert [part.reason for part in found if isinstance(part, Refused)] == []
    return [part.memory for part in found if isinstance(part, Item)]


def refusals(path: Path) -> list[str]:
    return [part.reason for part in parts(path) if isinstance(part, Refused)]


def turns(path: Path) -> list[tuple[str | None, int | None, str | None, str | None, str]]:
    """Conversation, index, role or else author, time and words of each item."""
    return [
        (memory.conversation_id, memory.turn_index, memory.role or memory.author, memory.date, memory.content)
        for memory in memories(path)
    ]


def identities(path: Path) -> list[str]:
    """What tells the items of a file from others: the same for one that is read again."""
    return [memory.fingerprint("p") for memory in memories(path)]


def survives(path: Path, seed: int = 1, times: int = MUTATIONS) -> None:
    """Damage the file in many ways: it is read or refused with an error of ours, never with another one."""
    data = path.read_bytes()
    for damaged in _mutations(data, random.Random(seed), times):
        path.write_bytes(damaged)
        try:
            parts(path)
        except MemoryServiceError as error:
            assert path.name in str(error)  # noqa: PT017 - reading it is as good as refusing it
    path.write_bytes(data)


def _mutations(data: bytes, chance: random.Random, times: int) -> Iterator[bytes]:
    signs = [
        b"",
        b"\0",
        b"\xff",
        b'"',
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b"null",
        b"-1e999",
        b"9" * 30,
        b"\\ud800",
        b"\n",
    ]
    for _ in range(times):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            start = chance.randrange(len(damaged) + 1)
            match chance.randrange(4):
                case 0:
                    damaged[start : start + chance.randint(1, 20)] = chance.choice(signs)
                case 1:
                    damaged[start:start] = chance.choice(signs)
                case 2:
                    del damaged[start:]
                case _:
                    other = chance.randrange(len(damaged) + 1)
                    damaged[start:start] = damaged[other : other + chance.randint(1, 200)]
        yield bytes(damaged)
