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
from collections.abc import Callable, Iterable, Set
from typing import ClassVar, Final

from core.regex import regex

#: Control characters, and the separators of lines that Unicode adds to them.
_CONTROL: Final = regex(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
#: Characters of a mistyped name that are compared.
_LONGEST_NAME: Final = 80

#: A name of an argument.
_NAME: Final = regex(r"\w+")
#: Faults that an error tells; more are counted.
_MOST_TOLD: Final = 5


class MemoryServiceError(Exception):
    """Root of all errors that Remembrancer raises on purpose."""

    code: ClassVar[str] = "unavailable"
    #: What is wrong, a sentence each, if it is more than one thing.
    faults: tuple[str, ...] = ()


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


def make_error(code: object, message: str) -> MemoryServiceError:
    """Return an error that another process reported by its code and its message; `Unavailable` for an unknown code."""
    kind = next((kind for kind in MemoryServiceError.__subclasses__() if kind.code == code), Unavailable)
    return kind(message)


class Faults:
    """Collects the faults of an input in `with` blocks, so that one error reports them all.

    Errors other than `InvalidInput` and `TooLarge` are raised at once.
    """

    def __init__(self, place: str = "") -> None:
        self._place = place
        self._errors: list[MemoryServiceError] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, InvalidInput | TooLarge):
            return False
        self.add(error)
        return True

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add(self, error: MemoryServiceError) -> None:
        """Add what is wrong."""
        self._errors.append(error)

    def take(self, other: "Faults", known: Set[str]) -> None:
        """Add what is wrong by `other`, but what names one of the `known` arguments."""
        for error in other._errors:
            texts = error.faults or (str(error),)
            kept = [text for text in texts if known.isdisjoint(_NAME.findall(text))]
            for one in [error] if len(kept) == len(texts) else map(InvalidInput, kept):
                self.add(one)

    def texts(self) -> list[str]:
        """Return what is wrong, each thing once, with the place before it."""
        each = (text for error in self._errors for text in (error.faults or (str(error),)))
        return [f"{self._place}{text}" for text in dict.fromkeys(each)]

    def raise_any(self) -> None:
        """Raise one error that lists the first faults and counts the others; do nothing if there are none.

        Raises:
            TooLarge: all of them are over a limit.
            InvalidInput: otherwise.
        """
        if not self._errors:
            return
        texts = self.texts()
        kind = type(self._errors[0]) if len({type(error) for error in self._errors}) == 1 else InvalidInput
        more = f"; {len(texts) - _MOST_TOLD:,} more." if len(texts) > _MOST_TOLD else ""
        raised = kind("; ".join(texts[:_MOST_TOLD]) + more)
        raised.faults = tuple(texts)
        raise raised


def check_all(*checks: Callable[[], object]) -> None:
    """Make all of these checks.

    Raises:
        InvalidInput: some fail; the message tells all of it.
        TooLarge: likewise, and all of it is over a limit.
    """
    faults = Faults()
    for check in checks:
        with faults:
            check()
    faults.raise_any()


def one_line(text: str) -> str:
    """Return the text with line breaks, control characters and runs of white space as one space each."""
    return " ".join(_CONTROL.sub(" ", text).split())


def escape_control_characters(text: str) -> str:
    r"""Return the text with each line break and control character written as in a Python string, such as `\n`."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def nearest_name(given: str, known: Iterable[str]) -> str | None:
    """Return the one of the known names that is written most like `given`, whatever its case and separators.

    None if none is much like it.
    """
    letters = {_letters(name): name for name in known}
    similar = difflib.get_close_matches(_letters(given[:_LONGEST_NAME]), letters, n=1)
    return letters[similar[0]] if similar else None


def match_choice(given: str, choices: Iterable[str]) -> str:
    """Return the choice that is meant, whatever its case and separators; `given` itself if it matches none."""
    return next((one for one in choices if _letters(one) == _letters(given[:_LONGEST_NAME])), given)


def suggest_name(given: str, known: Iterable[str]) -> str:
    """Return the question whether the nearest of the known names is meant, with a blank after it; empty if none is."""
    name = nearest_name(given, known)
    return "" if name is None else f"did you mean {name!r}? "


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
