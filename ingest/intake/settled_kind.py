"""The context of a file as it was detected first: an edited note does not become a second item of another context."""

from dataclasses import replace
from typing import Final

from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from graph.protocols.records import Records

#: Contexts that are detected from a text's lines, and the default.
_KINDS: Final = frozenset({"document", "email", "chat", "transcript", "meeting", "note"})


def resolve_context(memory: Memory, project_id: str, records: Records) -> Memory:
    """Return a memory with a detected context with the context of the item under its key, if there is one.

    Raises:
        Unavailable: the record can't be read.
    """
    if memory.key is None:
        return memory
    held = [found.memory.context for found in records.by_key(project_id, memory.key, Filters(at=now()))]
    known = [context for context in held if context in _KINDS]
    return memory if not known or memory.context in known else replace(memory, context=known[0])
