"""Parameters: what callers may give with a request, read from the fields of its dataclass, and checks of them."""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from core.errors import InvalidInput, suggest_name


@dataclass(frozen=True, slots=True)
class Description:
    """What a parameter means, as an annotation of its field.

    `text` is for models: every conversation of every client pays for it. `help` is for the shell, where `text` is too
    short for people.
    """

    text: str
    help: str | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """The smallest and the largest value of a number, as an annotation of its field."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a request: its name, type, default (`MISSING` if it is required), description and range."""

    name: str
    hint: Any
    default: Any
    description: Description | None
    range: Range | None = None

    @property
    def is_required(self) -> bool:
        """Whether a caller has to give it."""
        return self.default is MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that the parameter, or each entry of it, may have; empty if any text or number is allowed."""
        return _choices(self.hint)


def argument_fields(request: type) -> list[Field[Any]]:
    """Return the fields of a request that its caller gives."""
    return [item for item in fields(request) if item.metadata.get("given", True)]


@cache
def parameters_of(request: type) -> tuple[Parameter, ...]:
    """Return what a caller may give with a request, in order."""
    hints = get_type_hints(request, include_extras=True)
    return tuple(_parameter(item, hints[item.name]) for item in argument_fields(request))


def _parameter(item: Field[Any], hint: Any) -> Parameter:  # noqa: ANN401 - a type expression
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    plain = get_args(hint)[0] if notes else hint
    described = next((note for note in reversed(notes) if isinstance(note, Description)), None)
    within = next((note for note in notes if isinstance(note, Range)), None)
    return Parameter(item.name, plain, item.default, described, within)


def _choices(hint: Any) -> tuple[str, ...]:  # noqa: ANN401 - a type expression
    if get_origin(hint) is Literal:
        return get_args(hint)
    if get_origin(hint) in {Union, UnionType, tuple}:
        return tuple(choice for option in get_args(hint) for choice in _choices(option))
    return ()


def value_checks(request: object) -> Iterator[Callable[[], object]]:
    """Return the checks of a request's values that its fields declare: their ranges and choices."""
    made: type = type(request)
    for parameter in parameters_of(made):
        value = getattr(request, parameter.name)
        if value is not None and parameter.range is not None:
            yield partial(check_range, parameter.name, value, parameter.range.low, parameter.range.high)
        if value is not None and parameter.choices:
            for one in value if isinstance(value, tuple) else (value,):
                yield partial(check_choice, parameter.name, one, parameter.choices)


def check_range(field: str, value: float, low: float, high: float) -> None:
    """Raise InvalidInput, naming the field and its range, unless `low <= value <= high`."""
    if not low <= value <= high:
        raise InvalidInput(f"{field} {value!r} is out of range: use {low:,} to {high:,}.")


def check_choice(field: str, value: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`.

    Raises:
        InvalidInput: it is not; the message names the field, the nearest choice, and all of them.
    """
    if value not in choices:
        raise InvalidInput(
            f"{field} {value[:80]!r} is not valid: {suggest_name(value, choices)}{field} must be one of "
            f"{', '.join(choices)}."
        )
    return value
