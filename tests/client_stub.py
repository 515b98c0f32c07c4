"""Makes `remembrancer/_memory.pyi` from the table of operations: what type checkers and editors know of the methods.

`python -m tests.client_stub` writes it.
"""

import inspect
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from core.interface.operations import OPERATIONS, Operation
from remembrancer._client import signature_of

STUB = Path(__file__).parents[1] / "remembrancer" / "_memory.pyi"
HEAD = '''"""The methods of an open memory, for type checkers and editors; made by `python -m tests.client_stub`."""

# ruff: noqa: A002, I001
# fmt: off
'''


def stub(operations: Iterable[Operation] = OPERATIONS) -> str:
    """Return the stub of `remembrancer._memory` with the methods of these operations."""
    written = Written()
    methods = [written.method(operation) for operation in operations]
    imports = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(written.imports.items())]
    return "\n".join([HEAD + "\n".join(imports), "", "class Memory(Client):", *methods])


class Written:
    """Writes methods, and keeps what has to be imported for them."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {"remembrancer._client": {"Client"}}

    def method(self, operation: Operation) -> str:
        """Return the stub of a method."""
        self_, *parameters = signature_of(operation).parameters.values()
        texts, is_named = [self_.name], False
        for parameter in parameters:
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not is_named:
                texts.append("*")
                is_named = True
            default = "" if parameter.default is inspect.Parameter.empty else f" = {literal(parameter.default)}"
            texts.append(f"{parameter.name}: {self.hint(parameter.annotation)}{default}")
        result = self.hint(operation.result)
        summary = operation.description.partition("\n")[0]
        whole = ", ".join(text.replace(" ", "\0") for text in texts)  # no line ends within a parameter
        signature = textwrap.indent(textwrap.fill(whole, 112, break_on_hyphens=False), " " * 8).replace("\0", " ")
        return f'    def {operation.name}(\n{signature}\n    ) -> {result}:\n        """{summary}"""\n'

    def hint(self, hint: Any) -> str:
        """Return a type as it is written."""
        if get_origin(hint) is Literal:
            name, module = literals()[hint]
            self.imports.setdefault(module, set()).add(name)
            return name
        options = [self.hint(option) for option in get_args(hint)]
        if isinstance(hint, UnionType) or get_origin(hint) is Union:
            return " | ".join(options)
        if hint is NoneType:
            return "None"
        kind = get_origin(hint) or hint
        if kind.__module__ != "builtins":
            module = "collections.abc" if kind in {Sequence, Mapping} else kind.__module__
            self.imports.setdefault(module, set()).add(kind.__name__)
        return f"{kind.__name__}[{', '.join(options)}]" if options else str(kind.__name__)


@cache
def literals() -> dict[Any, tuple[str, str]]:
    """Return the name and the module of each type of choices that `core` defines."""
    modules = {name: vars(module) for name, module in sys.modules.items() if name.startswith("core.")}
    return {
        value: (name, module)
        for module, values in modules.items()
        for name, value in values.items()
        if get_origin(value) is Literal and f"\n{name} = Literal[" in inspect.getsource(sys.modules[module])
    }


def literal(value: object) -> str:
    """Return a default as it is written."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
