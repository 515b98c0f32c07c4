"""Every error a caller may meet.

MemoryServiceError
├── InvalidInput    invalid_input   an argument has the wrong type or value, or does not exist
├── NotFound        not_found       an id, key or name that nothing answers to
├── TooLarge        too_large       an input over a documented limit
├── Unavailable     unavailable     a store, model or remote service does not answer now
│   └── WordsAway   unavailable     of the record, the index of words alone
└── Conflict        conflict        the request contradicts what is stored, or another process holds it

Each message is one sentence that says what happened, with which value, and what to do next.
"""

from typing import ClassVar


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
    """Raised when a store, a model or a remote service does not answer; the same call may work later."""

    code = "unavailable"


class WordsAway(Unavailable):
    """Raised when the index of words does not answer and the rest of the record does, such as while it is made anew."""


class Conflict(MemoryServiceError):
    """Raised when a request contradicts what is stored; the same call will not work later by itself."""

    code = "conflict"
