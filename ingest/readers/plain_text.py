"""Plain text: the whole file is one document, titled by its file name."""

from pathlib import Path

from core.interface.memory import Memory
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document


def read(path: Path, context: str | None) -> list[Memory]:
    """Return the file as one memory, or nothing if it is blank."""
    content = text_of(path, limit_bytes=DOCUMENT_BYTES)
    if not content.strip():
        return []
    return [document(path.as_posix(), content, {"title": path.name, "context": context})]
