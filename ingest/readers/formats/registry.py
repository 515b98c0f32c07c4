"""The registry: every format that installed distributions offer as an entry point, the built-in ones among them."""

from functools import cache
from importlib.metadata import entry_points
from typing import Final

from core.errors import InvalidInput
from ingest.readers.formats.format import Fit, Format, Head
from ingest.readers.formats.source import Source

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
    if (found := best(source)) is None:
        raise InvalidInput(
            f"{str(source.path)!r} is of no format that is read: save it as one of {', '.join(suffixes())}, or leave "
            f"it out. `remembrancer formats` lists what is read."
        )
    return found
