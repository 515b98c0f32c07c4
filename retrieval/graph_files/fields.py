"""Fields: nodes and edges as flat values, as other programs take them."""

import re
from typing import Final, Literal

from core.interface.neighbourhood import Edge, Node

Value = str | int | float
Values = dict[str, Value]
ValueType = Literal["string", "int", "double"]

#: The fields of nodes and of edges other than their ids and ends, with their types.
NODE_FIELDS: Final[dict[str, ValueType]] = {
    "kind": "string", "name": "string", "type": "string", "aliases": "string", "role": "string",
    "organization": "string", "mention_count": "int", "status": "string", "event_time": "string", "due": "string",
    "confidence": "double", "date": "string", "author": "string",
}  # fmt: skip
EDGE_FIELDS: Final[dict[str, ValueType]] = {
    "type": "string", "role": "string", "confidence": "double", "reason": "string", "quote": "string",
    "start_char": "int", "end_char": "int",
}  # fmt: skip
#: What XML can't hold, however it is written, and no Cypher needs.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def node_values(node: Node) -> Values:
    """Return the fields of a node that have a value; other names in one text, apart by `; `."""
    values = {name: getattr(node, name) for name in NODE_FIELDS} | {"aliases": "; ".join(node.aliases or ())}
    return {name: value for name, value in values.items() if value is not None and value != ""}


def edge_values(edge: Edge) -> Values:
    """Return the fields of an edge that have a value, with its first quote and the offset of that in the item."""
    proof = edge.evidence[0] if edge.evidence else None
    values = {name: getattr(edge, name) for name in ("type", "role", "confidence", "reason")} | {
        name: proof and getattr(proof, name) for name in ("quote", "start_char", "end_char")
    }
    return {name: value for name, value in values.items() if value is not None}


def replace_invalid_xml(text: str) -> str:
    """Return the text with a replacement character for each that XML can't hold."""
    return _UNWRITABLE.sub("\ufffd", text)
