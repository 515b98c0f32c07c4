"""Loose arguments: what models, proxies and people send, read as the types that a tool declares."""

import collections.abc
import json
import math
import re
from ast import literal_eval
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, is_dataclass
from types import NoneType
from typing import Annotated, Any, Final, Literal, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from core.errors import Faults, InvalidInput, TooLarge, match_choice, nearest_name, suggest_name
from core.interface.parameters import argument_fields
from core.knowledge.text import repair_json

R = TypeVar("R")

#: What else is wrong with the values of a record, of which some may be missing.
Check = Callable[[Mapping[str, Any], Faults], None]

#: The longest list that is taken. A longer one is refused before each of its entries costs an error.
_MOST_ENTRIES: Final = 1_000
#: Names that an error repeats.
_MOST_NAMES: Final = 5
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}(?:\.0*)?")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?", re.I)
_TRUTHS: Final[dict[object, bool]] = {"true": True, "1": True, 1: True, "false": False, "0": False, 0: False}
#: Arguments that name one stored thing, and an id with what is written around it.
_NAMING: Final = frozenset(
    {"id", "segment_ids", "to", "name", "owner", "person", "recipient", "supersedes", "completes"}
)
_ID: Final = re.compile(r"[\s`'\"<>\[\](){}]*((?:art|evt|ent)_[0-9a-f]{12})[\s`'\"<>\[\](){}.,;:]*", re.I)


def read_values(
    what: str, hints: Mapping[str, Any], required: Collection[str], given: Mapping[str, Any]
) -> tuple[dict[str, Any], Faults]:
    """Return the values that were given, each in its declared type, and what is wrong with the others.

    For an argument that is not required None, a blank text and an empty list or object count as not given.
    """
    faults, values = Faults(), dict[str, Any]()
    given = repair_json(dict(given))
    if unknown := sorted(set(given) - set(hints)):
        faults.add(
            InvalidInput(
                f"{what} has no argument {_some([shorten_value(name) for name in unknown])}: {_meant(unknown, hints)}"
                f"it takes {', '.join(hints)}."
            )
        )
    for name, hint in hints.items():
        if name not in required and _is_nothing(given.get(name)):
            continue
        with faults:
            if name not in given:
                raise InvalidInput(f"{name} is required.")
            values[name] = coerce(name, given[name], hint)
    return values, faults


def make_record(record: type[R], values: Mapping[str, Any], faults: Faults, checks: Check | None = None) -> R:
    """Return a record of values that are in their types, objects in lists as the records they are declared as.

    Raises:
        InvalidInput: something is wrong with the values, or there were `faults`; the error lists all faults.
        TooLarge: likewise, and all of it is over a limit.
    """
    hints, made = get_type_hints(record), dict[str, Any]()
    for name, value in values.items():
        inner = entry_record(hints[name])
        made[name] = tuple(value) if isinstance(value, list) else value
        if inner is not None:
            made[name] = tuple(_entries(inner, name, value, faults))
        elif is_dataclass(hints[name]) and isinstance(value, Mapping):
            with faults:
                made[name] = read_record(hints[name], name, value)
    missing = {item.name for item in argument_fields(record) if item.default is MISSING} - set(made)
    if all(hints[name] is str for name in missing):
        own = Faults()
        stated = {"stated": frozenset(made)} if "stated" in hints else {}
        with own:
            answer: R = record(**(dict.fromkeys(missing, "…") | made | stated))
            if not faults:
                return answer
        # A value that was left out because it is wrong is not also missing.
        faults.take(own, {text.partition(" ")[0] for text in faults.texts()} & set(hints))
    if checks is not None:
        checks(made, faults)
    faults.raise_any()
    raise AssertionError("a record that can't be made has a fault")


def _entries(record: type[R], name: str, given: Sequence[object], faults: Faults) -> Iterator[R | None]:
    """Yield the entries of a list as records, None for those that can't be read."""
    for place, one in enumerate(given):
        entry, inner = None, Faults(f"{name}[{place}]: ")
        with inner:
            entry = read_record(record, "It", one)
        with faults:
            inner.raise_any()
        yield entry


def read_record(record: type[R], what: str, given: object, checks: Check | None = None) -> R:
    """Return the record that an object is read as; `what` names it in errors.

    Raises:
        InvalidInput: it is no such object; the error lists all faults.
        TooLarge: likewise, and all of it is over a limit.
    """
    given = _from_json(given)
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{what} {shorten_value(given)} is not an object: use names with values.")
    hints = get_type_hints(record)
    declared = {item.name: hints[item.name] for item in argument_fields(record)}
    required = {item.name for item in argument_fields(record) if item.default is MISSING}
    values, faults = read_values(what, declared, required, {str(name): value for name, value in given.items()})
    return make_record(record, values, faults, checks)


def entry_record(hint: Any) -> type | None:  # noqa: ANN401 - a type expression
    """Return the record that a field is a list of; None if it is not."""
    inner = get_args(hint)[0] if get_origin(hint) is tuple else None
    return inner if isinstance(inner, type) and is_dataclass(inner) else None


def coerce(name: str, value: object, hint: Any) -> object:  # noqa: ANN401 - a type expression
    """Return a value in the type of its argument.

    Raises:
        InvalidInput: it can't be read as that; the message names the argument.
        TooLarge: it is a list that is too long.
    """
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    origin = get_origin(hint) or hint
    if origin in {list, tuple}:
        return _list(name, value, get_args(hint)[0])
    if origin is Literal:
        return _choice(name, value, get_args(hint))
    if origin in {dict, collections.abc.Mapping}:
        read = _from_json(value)
        return read if isinstance(read, Mapping) else _wrong(name, value, "use an object")
    if origin in _READERS:
        return _READERS[origin](name, value)
    options = [option for option in get_args(hint) if option is not NoneType]
    return value if not options else coerce(name, value, options[0])


def _list(name: str, value: object, inner: Any) -> list[object]:  # noqa: ANN401 - a type expression
    read = _from_json(value)
    if isinstance(read, str):
        read = _listed(read)
    if isinstance(read, Mapping):
        read = [read]
    if not isinstance(read, Sequence):
        return _wrong(name, value, "use a list")
    if len(read) > _MOST_ENTRIES:
        raise TooLarge(f"{name} has {len(read):,} entries: send at most {_MOST_ENTRIES:,}.")
    if inner is not str and get_origin(inner) is not Literal:
        return [_from_json(one) for one in read]  # objects, which their reader checks
    faults, entries = Faults(), []
    for place, one in enumerate(read):
        with faults:
            entries.append(coerce(name if name in _NAMING else f"{name}.{place}", one, inner))
    faults.raise_any()
    return entries


def _listed(text: str) -> list[str]:
    """Return the entries of a text: of a Python list, or separated by commas."""
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]") and len(stripped) <= _LONGEST_LIST:
        try:
            read = literal_eval(stripped)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            read = None
        if isinstance(read, list) and all(isinstance(one, str) for one in read):
            return read
        if "," in stripped:
            stripped = stripped[1:-1]
    return [part.strip() for part in stripped.split(",")]


#: Longest text that is read as a list of Python, in characters.
_LONGEST_LIST: Final = 10_000


def _choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        return _wrong(name, value, f"{name} must be one of {', '.join(choices)}")
    meant = match_choice(value, choices)
    return (
        meant
        if meant in choices
        else _wrong(name, value, f"{suggest_name(value, choices)}{name} must be one of {', '.join(choices)}")
    )


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        return _wrong(name, value, "input should be a valid string")
    if name == "project_id":
        return value.strip()
    found = _ID.fullmatch(value) if name in _NAMING else None
    return value if found is None else found[1].lower()


def _whole(name: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    return _wrong(name, value, "use a whole number")


def _number(name: str, value: object) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return _wrong(name, value, "use a number")
    return value


def _truth(name: str, value: object) -> bool:
    plain = value.strip().lower() if isinstance(value, str) else value
    if not isinstance(plain, str | int | float) or plain not in _TRUTHS:
        return _wrong(name, value, "use true or false")
    return _TRUTHS[plain]


_READERS: Final[dict[Any, Any]] = {str: _text, int: _whole, float: _number, bool: _truth}


def _wrong(name: str, value: object, what_to_do: str) -> NoReturn:
    raise InvalidInput(f"{name} {shorten_value(value)} is not valid: {what_to_do}.")


def _from_json(value: object) -> object:
    """Return the list or object that is sent as JSON text; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    try:
        return repair_json(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _is_nothing(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_nothing, value))
    return not value.strip() if isinstance(value, str) else value is None or value == {}


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")


def _meant(unknown: Sequence[str], known: Collection[str]) -> str:
    """Return the question whether the nearest of the known names are meant, with a blank after it; empty if none is."""
    meant = dict.fromkeys(filter(None, (nearest_name(name, known) for name in unknown[:_MOST_NAMES])))
    return f"did you mean {', '.join(map(repr, meant))}? " if meant else ""


def shorten_value(value: object) -> str:
    """Return a value as an error shows it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
