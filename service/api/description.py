"""Description: the API as OpenAPI 3.1, made of what its operations ask and answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import TypeAdapter

from service import __version__
from service.api.operation import Operation

_TEMPLATE: Final = "#/components/schemas/{model}"
#: What a path may answer besides what was asked for, by its status.
_REFUSALS: Final = {
    "400": "A value can't be used.", "401": "No valid token or session.", "403": "The caller may not do this.",
    "404": "Nothing is stored under this id or name.", "409": "It contradicts what is stored.",
    "413": "It is too large.", "429": "Too many requests.", "503": "A part does not answer now.",
}  # fmt: skip


def describe_operations(operations: Sequence[Operation]) -> Mapping[str, Any]:
    """Return the description of these operations."""
    answers = {operation.answers for operation in operations}
    by_type, definitions = TypeAdapter.json_schemas(
        [(one, "validation", TypeAdapter(one)) for one in sorted(answers, key=lambda one: one.__name__)],
        ref_template=_TEMPLATE,
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        schema = by_type[operation.answers, "validation"]
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schema)
    failed = {"type": "object", "properties": {"error": {"type": "string"}, "code": {"type": "string"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Remembrancer", "version": __version__, "description": "What is remembered, and why."},
        "security": [{"token": []}, {"session": []}],
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}) | {"Failed": failed | {"required": ["error", "code"]}},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "remembrancer-PORT"},
            },
        },
    }


def _operation(operation: Operation, answer: Mapping[str, Any]) -> dict[str, Any]:
    failed = {"application/json": {"schema": {"$ref": _TEMPLATE.format(model="Failed")}}}
    said: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": f"{operation.method.lower()}_{_id(operation.path)}",
        "parameters": list(_parameters(operation)),
        "responses": {
            "200": {"description": "What was asked for.", "content": {"application/json": {"schema": answer}}},
            "304": {"description": "The client has it already."},
            **{status: {"description": said, "content": failed} for status, said in _REFUSALS.items()},
        },
    }
    if operation.method == "POST":
        schema = {**operation.schema, "additionalProperties": False}
        said["requestBody"] = {
            "required": bool(operation.schema.get("required")),
            "content": {"application/json": {"schema": schema}},
        }
    return said


def _parameters(operation: Operation) -> Iterable[dict[str, Any]]:
    required = operation.schema.get("required", ())
    for name, schema in operation.values.items():
        in_path = f"{{{name}}}" in operation.path
        if in_path or operation.method == "GET":
            yield {
                "name": name,
                "in": "path" if in_path else "query",
                "required": in_path or name in required,
                "schema": _without_null(schema),
            }


def _without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that is left out instead of being null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    kept = {name: value for name, value in schema.items() if name != "anyOf" and (name, value) != ("default", None)}
    return kept | options[0] if len(options) == 1 else kept | ({"anyOf": options} if options else {})


def _id(path: str) -> str:
    return "_".join(part.strip("{}") for part in path.split("/") if part and part != "api")
