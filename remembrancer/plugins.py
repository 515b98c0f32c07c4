"""What plugins import; docs/plugins.md has an example of each kind. The errors to raise are in `remembrancer`."""

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span
from core.openai_usage import Usage
from core.records import Artifact
from core.search import Reranker
from ingest.extract.protocol import Extractor, RemoteExtractor
from ingest.readers.encodings import text_of
from ingest.readers.fields import memory_from
from ingest.readers.formats.format import Fit, Format, Head
from ingest.readers.formats.source import Item, Place, Refused, Source

__all__ = [
    "Artifact",
    "Extraction",
    "Extractor",
    "Fit",
    "Format",
    "FoundEntity",
    "FoundEvent",
    "Head",
    "Item",
    "Place",
    "Refused",
    "RemoteExtractor",
    "Reranker",
    "Source",
    "Span",
    "Usage",
    "memory_from",
    "text_of",
]
