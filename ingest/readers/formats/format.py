"""A format: what it reads and needs, how a file of it is recognised; and the registry of all formats."""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, cached_property
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Final, cast

from core.errors import InvalidInput
from ingest.document.text_kind import detect_context
from ingest.readers.folder import ADVICE
from ingest.readers.formats.source import Item, Part, Source
from ingest.readers.formats.zip_archive import DAMAGED, opened_directory


def with_kind(part: Part) -> Part:
    """Return a document that is all of its file with the context that its lines tell, anything else as it is."""
    if not isinstance(part, Item) or part.context_detected is not None:
        return part
    memory = part.memory
    if memory.context != "document" or memory.key is None or memory.key != memory.file_path:
        return replace(part, context_detected=False)
    if (context := detect_context(memory.content, memory.title)) is not None:
        memory = replace(memory, context=context)
    return replace(part, memory=memory, context_detected=True)


#: How much of a file is looked at, in bytes.
HEAD_BYTES: Final = 16_384
_READERS: Final = __package__.rpartition(".")[0]
#: Most members of a zip file whose names are looked at.
_MEMBERS: Final = 10_000

#: Yields what a source asks to have remembered, in its order, without holding more than one part where there are many.
#: The context counts for items that do not name one themselves.
Reader = Callable[[Source, str | None], Iterable[Part]]


class Fit(IntEnum):
    """How well a file fits a format; the best fit reads it."""

    NO = 0
    #: Only the suffix of its name says so.
    NAME = 1
    #: Its lines look like it.
    LIKELY = 2
    #: It has the format's signature, or fields that nothing else has.
    CERTAIN = 3


class Head:
    """The beginning of a source, which is all that formats look at; each property is made when it is asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def data(self) -> bytes:
        """The first `HEAD_BYTES` bytes."""
        with self.source.open() as file:
            return file.read(HEAD_BYTES)

    @cached_property
    def text(self) -> str:
        """The same as text, what does not decode replaced; empty for binary data."""
        if self.data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return self.data.decode("utf-16", "replace")
        return "" if b"\0" in self.data else self.data.decode("utf-8-sig", "replace")

    @cached_property
    def members(self) -> frozenset[str]:
        """The names inside of a zip file; empty for all others, for broken ones, and for one of too many."""
        if not self.data.startswith(b"PK"):
            return frozenset()
        try:
            with opened_directory(self.source.open(), _MEMBERS) as archive:
                names = archive.namelist()
        except DAMAGED:
            return frozenset()
        return frozenset(names) if len(names) <= _MEMBERS else frozenset()


@dataclass(frozen=True, slots=True)
class Format:
    """A format, made without importing its reader, so that it costs nothing until a file of it is read."""

    #: As the entry point has it.
    name: str
    #: What is read and what becomes an item, in a line for the user.
    reads: str
    #: Where the `Reader` is: "package.module:function"; with a dot in front, in `ingest.readers`.
    reader: str
    #: Suffixes of files that it takes by their name alone, in small letters with the dot.
    suffixes: tuple[str, ...] = ()
    #: Looks at the beginning of a file, whatever its name; None: only the suffix counts. Linear in the head.
    look: Callable[[Head], Fit] | None = None
    #: Modules that its reader imports and not every installation has.
    needs: tuple[str, ...] = ()
    #: The extra of this package, or the other package, that brings them, as pip is told.
    extra: str = ""

    def fit(self, head: Head) -> Fit:
        """Return how well a file fits."""
        by_name = Fit.NAME if head.source.suffix in self.suffixes else Fit.NO
        return by_name if self.look is None else max(by_name, self.look(head))

    def missing(self) -> list[str]:
        """Return the needed modules that are not installed."""
        return [module for module in self.needs if find_spec(module) is None]

    def read(self, source: Source, context: str | None) -> Iterable[Part]:
        """Read a source; the kind of a document is told from its lines if neither `context` nor the file says it.

        Raises:
            InvalidInput: what it needs is not installed, or the source is refused whole.
            NotFound: there is no such file.
            TooLarge: the source, or a text in it, is over its limit.
        """
        if missing := self.missing():
            raise InvalidInput(
                f"{source.where!r}: {self.name} files need {', '.join(missing)}: `pip install {self.extra!r}`."
            )
        module, _, function = self.reader.partition(":")
        parts = cast("Reader", getattr(importlib.import_module(module, _READERS), function))(source, context)
        return parts if context is not None else map(with_kind, parts)


#: The group of entry points; each names a `Format` and is called as it is.
GROUP: Final = "remembrancer.readers"


@cache
def _registered() -> tuple[tuple[Format, ...], tuple[str, ...]]:
    formats: dict[str, Format] = {}
    faults: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            found = entry.load()
        except Exception as error:  # noqa: BLE001 - code of others: whatever it raises, the other formats are read
            faults.append(f"{entry.name}: {entry.value} can't be loaded ({type(error).__name__}: {error}).")
            continue
        if not isinstance(found, Format) or found.name != entry.name:
            faults.append(f"{entry.name}: {entry.value} is {found!r:.80}, not a Format of this name.")
        elif entry.name in formats:
            faults.append(f"{entry.name}: {entry.value} is passed over: another package has a format of this name.")
        else:
            formats[entry.name] = found
    return tuple(formats.values()), tuple(faults)


def formats() -> tuple[Format, ...]:
    """Return the formats by name."""
    return _registered()[0]


def faults() -> tuple[str, ...]:
    """Return, in a sentence each, which entry points give no format and why."""
    return _registered()[1]


@cache
def suffixes() -> tuple[str, ...]:
    """Return every suffix that a format whose reader is installed takes by the name alone, sorted."""
    return tuple(sorted({suffix for known in formats() if not known.missing() for suffix in known.suffixes}))


def best(source: Source) -> Format | None:
    """Return the format that a source fits best, None if it fits none; of equal ones the first by name.

    Raises:
        NotFound, InvalidInput: the source can't be opened, which is tried where formats have a look.
    """
    head = Head(source)
    fits = [(known.fit(head), known) for known in formats()]
    fit, chosen = max(fits, key=lambda pair: pair[0], default=(Fit.NO, None))
    return None if fit is Fit.NO else chosen


def chosen(source: Source) -> Format:
    """Return the format that a source fits best; raises as `best` does.

    Raises:
        InvalidInput: it fits none.
    """
    if (found := best(source)) is None and source.suffix in ADVICE:
        raise InvalidInput(f"{str(source.path)!r} is of no format that is read ({ADVICE[source.suffix]}).")
    if found is None:
        raise InvalidInput(
            f"{str(source.path)!r} is of no format that is read: save it as one of {', '.join(suffixes())}, or leave "
            f"it out. `remembrancer formats` lists what is read."
        )
    return found
