"""Operation: one method of one path of the API. What it asks and answers are dataclasses, checked and described."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from core.errors import InvalidInput, suggest_name
from core.knowledge.text import repair_json
from service.tools.validation import describe_problem

Method = Literal["GET", "POST", "DELETE"]
#: How numbers and truth values are written in an address.
_NUMBERS: Final = {"integer": re.compile(r"-?[0-9]{1,18}"), "number": re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")}
_TRUTHS: Final = {"true": True, "false": False}
#: Most faults listed in an error.
_MOST_FAULTS: Final = 5


def leave_unchanged(request: Request, response: Response) -> None:
    """Leave a response as it is."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a request asks (a dataclass of the path's and the query's or the body's values), and what answers it."""

    method: Method
    #: With the names of its values in braces.
    path: str
    summary: str
    asks: type
    answers: type
    run: Callable[[Any], object]
    #: What is to be added to the response, such as a cookie.
    dress: Callable[[Request, Response], None] = leave_unchanged
    #: Whether it changes what is stored.
    writes: bool = False
    _adapter: TypeAdapter[Any] = field(init=False, repr=False)
    #: What is asked, as a JSON schema.
    schema: Mapping[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        adapter: TypeAdapter[Any] = TypeAdapter(self.asks)
        object.__setattr__(self, "_adapter", adapter)
        object.__setattr__(self, "schema", adapter.json_schema())

    @property
    def values(self) -> Mapping[str, Mapping[str, Any]]:
        """What is asked, by name, as JSON schemas."""
        values: Mapping[str, Mapping[str, Any]] = self.schema.get("properties", {})
        return values

    def parse_request(self, given: Mapping[str, object]) -> object:
        """Return what a request asks.

        Raises:
            InvalidInput: it gives a value that is unknown or can't be used, or lacks one.
        """
        if unknown := sorted(set(given) - set(self.values)):
            names = ", ".join(self.values) or "nothing"
            raise InvalidInput(
                f"{self.path} takes no {unknown[0][:80]!r}: {suggest_name(unknown[0], self.values)}it takes {names}."
            )
        try:
            return self._adapter.validate_json(json.dumps(repair_json(given)), strict=True)
        except ValidationError as error:
            faults = error.errors(include_url=False)[:_MOST_FAULTS]
            raise InvalidInput("; ".join(map(describe_problem, faults))) from error

    def parse_query(self, texts: Mapping[str, list[str]]) -> dict[str, object]:
        """Convert the values of a query or a path to the declared types; what can't be converted stays a string.

        Raises:
            InvalidInput: what may be given once is given twice.
        """
        return {name: _typed(name, given, _kind(self.values.get(name, {}))) for name, given in texts.items()}


def _kind(schema: Mapping[str, Any]) -> str | None:
    """Return the type of a value, which may be null."""
    options = [schema, *schema.get("anyOf", ())]
    return next((one["type"] for one in options if one.get("type", "null") != "null"), None)


def _typed(name: str, given: list[str], kind: str | None) -> object:
    if kind == "array":
        return given
    if len(given) > 1:
        raise InvalidInput(f"{name[:80]} is given {len(given)} times: give it once.")
    text = given[0]
    if kind in {"integer", "number"} and _NUMBERS[kind].fullmatch(text):
        return int(text) if kind == "integer" else float(text)
    return _TRUTHS.get(text, text) if kind == "boolean" else text
