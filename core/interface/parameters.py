"""Parameters: what callers may give with a request, read from the fields of its dataclass."""

from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Description:
    """What a parameter means, as an annotation of its field.

    `text` is for models: every conversation of every client pays for it. `help` is for the shell, where `text` is too
    short for people.
    """

    text: str
    help: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a request: its name, type, default (`MISSING` if it is required) and description."""

    name: str
    hint: Any
    default: Any
    description: Description | None

    @property
    def is_required(self) -> bool:
        """Whether a caller has to give it."""
        return self.default is MISSING


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
    return Parameter(item.name, plain, item.default, described)
