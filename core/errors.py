"""The errors of Remembrancer.

MemoryServiceError
├── InvalidInput              invalid_input   an argument has the wrong type or value, or does not exist
├── NotFound                  not_found       an id, key or name that nothing answers to
├── TooLarge                  too_large       an input over a documented limit
├── Unavailable               unavailable     a store, model or remote service does not answer now
│   └── WordIndexUnavailable  unavailable     only the full-text index of the record does not answer
├── Conflict                  conflict        the request contradicts what is stored, or another process holds it
└── Forbidden                 forbidden       the caller's token does not allow it

Each message is one sentence that says what happened, with which value, and what to do next.
"""

import difflib
import re
from collections.abc import Iterable
from typing import ClassVar, Final

#: Control characters, and the separators of lines that Unicode adds to them.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
#: Characters of a mistyped name that are compared.
_LONGEST_NAME: Final = 80


class MemoryServiceError(Exception):
    """Root of all errors that Remembrancer raises on purpose."""

    code: ClassVar[str] = "unavailable"


class InvalidInput(MemoryServiceError, ValueError):
    """Raised when an argument has the wrong type or value, or is not known."""

    code = "invalid_input"


class NotFound(MemoryServiceError, LookupError):
    """Raised when nothing is stored under an id, a key or a name."""

    code = "not_found"


class TooLarge(MemoryServiceError):
    """Raised when an input is over its documented limit."""

    code = "too_large"


class Unavailable(MemoryServiceError):
    """Raised when a store, a model or a remote service does not answer; retrying later may help."""

    code = "unavailable"


class WordIndexUnavailable(Unavailable):
    """Raised when only the full-text index of the record does not answer, such as while it is rebuilt."""


class Conflict(MemoryServiceError):
    """Raised when a request contradicts what is stored; retrying it will not help."""

    code = "conflict"


class Forbidden(MemoryServiceError):
    """Raised when a caller may not do what it asks for; another token may."""

    code = "forbidden"


def error_of(code: object, message: str) -> MemoryServiceError:
    """Return an error that another process reported by its code and its message; `Unavailable` for an unknown code."""
    kind = next((kind for kind in MemoryServiceError.__subclasses__() if kind.code == code), Unavailable)
    return kind(message)


def one_line(text: str) -> str:
    """Return the text with line breaks, control characters and runs of white space as one space each."""
    return " ".join(_CONTROL.sub(" ", text).split())


def escaped(text: str) -> str:
    r"""Return the text with each line break and control character written as in a Python string, such as `\n`."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def nearest(given: str, known: Iterable[str]) -> str | None:
    """Return the one of the known names that is written most like `given`, whatever its case and separators.

    None if none is much like it.
    """
    letters = {_letters(name): name for name in known}
    similar = difflib.get_close_matches(_letters(given[:_LONGEST_NAME]), letters, n=1)
    return letters[similar[0]] if similar else None


def suggestion(given: str, known: Iterable[str]) -> str:
    """Return the question whether the nearest of the known names is meant, with a blank after it; empty if none is."""
    name = nearest(given, known)
    return "" if name is None else f"did you mean {name!r}? "


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
