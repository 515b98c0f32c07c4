"""The kind of what a reader yields, where nobody says it: told from its lines."""

from dataclasses import replace

from ingest.document.text_kind import detect_context
from ingest.readers.formats.item import Item, Part


def with_kind(part: Part) -> Part:
    """Return a document that is all of its file with the context that its lines tell, anything else as it is."""
    if not isinstance(part, Item) or part.context_detected is not None:
        return part
    memory = part.memory
    if memory.context != "document" or memory.key is None or memory.key != memory.file_path:
        return replace(part, context_detected=False)
    return replace(
        part,
        memory=replace(memory, context=detect_context(memory.content, memory.title) or "document"),
        context_detected=True,
    )
