"""What an open memory does besides its methods: it calls the tools, and is closed."""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, reduce
from operator import or_
from types import TracebackType, UnionType
from typing import Any, Protocol, Self, Union, get_args, get_origin

from pydantic import TypeAdapter

from core.errors import InvalidInput
from core.interface.ledger import LedgerAnswer
from core.interface.operations import OPERATION, PROJECT_ID, Operation
from core.interface.results import Asked, Recall
from retrieval.messages.asked import USUAL_TOKENS, ask, profile
from service.workspace import resolve_written_path


class Tools(Protocol):
    """Whatever calls the tools. Safe to use from several threads."""

    def call(self, tool: str, arguments: str) -> object:
        """Call a tool with a JSON object of arguments; return its text or its structured content.

        Raises:
            MemoryServiceError: the tool failed; the class is that of the error's code.
        """
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class Client:
    """A memory that is open until it is closed."""

    def __init__(self, tools: Tools, project_id: str) -> None:
        self._tools = tools
        self.project_id = project_id
        self._closed = False

    def close(self) -> None:
        """Release the memory; its methods can't be called any more."""
        if not self._closed:
            self._closed = True
            self._tools.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, question: str, *, max_tokens: int = USUAL_TOKENS, project_id: str | None = None) -> Asked:
        """Return what is known about a question: decisions, open commitments and passages, each a quote with its place.

        Nothing is made up; what does not fit into `max_tokens` is counted.
        """
        return ask(_ClientSource(self, project_id or self.project_id), question, max_tokens)

    def profile(self, name: str, *, max_tokens: int = USUAL_TOKENS, project_id: str | None = None) -> Asked:
        """Return what is known about a person, organisation or thing: what they decided and owe, and passages."""
        return profile(_ClientSource(self, project_id or self.project_id), name, max_tokens)

    def _call(self, operation: Operation, given: Mapping[str, Any]) -> object:
        if self._closed:
            raise InvalidInput("This memory is closed: open it again.")
        arguments = {"project_id": self.project_id} | {
            name: value for name, value in given.items() if value is not None
        }
        if operation.name == "ingest":
            arguments["path"] = str(resolve_written_path(arguments["path"]).expanduser().absolute())
        try:
            text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
            text.encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(
                f"The arguments of {operation.name} can't be written as JSON ({error}): use plain values."
            ) from error
        return _reader(operation.result).validate_python(self._tools.call(operation.name, text))


class _ClientSource:
    """A project of an open memory. Fulfils `retrieval.messages.asked.Source`."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._call, self._project_id = client._call, project_id

    def _answer(self, operation: str, **given: Any) -> Any:  # noqa: ANN401 - what the operation answers
        return self._call(OPERATION[operation], given | {"project_id": self._project_id})

    def find(self, query: str, limit: int) -> Recall:
        found: Recall = self._answer("recall", query=query, limit=limit, expand=False, include_entities=False)
        return found

    def decided(self, **given: Any) -> LedgerAnswer:  # noqa: ANN401 - as `Source` has them
        answer: LedgerAnswer = self._answer("decisions", detail="full", **given)
        return answer

    def promised(self, **given: Any) -> LedgerAnswer:  # noqa: ANN401 - as `Source` has them
        answer: LedgerAnswer = self._answer("commitments", detail="full", status="open", **given)
        return answer


@cache
def _reader(returned: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - a type
    """Return what makes a result of the JSON that a tool answers with."""
    return TypeAdapter(returned)


def make_method(operation: Operation) -> Callable[..., object]:
    """Return the method of an operation, with its parameters and description.

    Only arguments that are given are sent, so that a default which is given on purpose can mean more than leaving it
    out.
    """
    signature = signature_of(operation)

    def method(*arguments: Any, **named: Any) -> object:  # noqa: ANN401 - whatever the operation takes
        try:
            given = signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise TypeError(f"{operation.name}() {error}") from None
        own = {name: default for name, default in operation.python_defaults.items() if name not in given}
        client: Client = given.pop("self")
        return client._call(operation, own | given)

    method.__name__, method.__qualname__, method.__doc__ = (
        operation.name,
        f"Memory.{operation.name}",
        operation.description,
    )
    method.__annotations__ = {name: one.annotation for name, one in signature.parameters.items() if name != "self"}
    method.__annotations__["return"] = operation.result
    method.__signature__ = signature  # type: ignore[attr-defined] # what inspect.signature reads
    return method


def signature_of(operation: Operation) -> inspect.Signature:
    """Return the signature of the method of an operation; its project is that of the memory unless another is given."""
    made = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for one in sorted(operation.parameters, key=lambda one: one.name not in operation.positional):
        is_named = one.name not in operation.positional
        kind = inspect.Parameter.KEYWORD_ONLY if is_named else inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = inspect.Parameter.empty if one.is_required else operation.python_defaults.get(one.name, one.default)
        hint = _as_written(one.hint)
        if one is PROJECT_ID or is_dataclass(default):
            hint, default = hint | None, None
        made.append(inspect.Parameter(one.name, kind, default=default, annotation=hint))
    return inspect.Signature(made, return_annotation=operation.result)


def _as_written(hint: Any) -> Any:  # noqa: ANN401 - a type expression
    """Return the type of a parameter as a program gives it: any sequence for a list, any mapping for an object."""
    options = get_args(hint)
    if get_origin(hint) is tuple:
        return Sequence[_as_written(options[0])]  # type: ignore[misc] # built from a value
    if hint is Any or is_dataclass(hint) or get_origin(hint) is dict:
        return Mapping[str, Any]
    return reduce(or_, map(_as_written, options)) if get_origin(hint) in {Union, UnionType} else hint
