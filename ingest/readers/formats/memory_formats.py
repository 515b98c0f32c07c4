"""The formats of other systems' memories, each told by the fields that stand at the beginning of its files."""

from typing import Final

from ingest.readers.formats.format import Fit, Format, Head


def _graph(head: Head) -> Fit:
    first = head.text.lstrip().partition("\n")[0]
    is_entity = all(f'"{name}"' in first for name in ("type", "name", "entityType", "observations"))
    is_relation = all(f'"{name}"' in first for name in ("type", "from", "to", "relationType"))
    return Fit.CERTAIN if first.startswith("{") and (is_entity or is_relation) else Fit.NO


MCP_MEMORY: Final = Format(
    "mcp-memory",
    "the file of the official MCP memory server, an item an entity with its observations and relations",
    "ingest.readers.memories.entity_graph:read",
    look=_graph,
)
