"""Text process: what the process does that the texts of extraction are isolated in. Imported in that process alone."""

from core.dates import use_zone
from core.dates.moments import load_zone
from ingest.extract.local.extractor import LocalExtractor
from ingest.extract.protocol import Extractor
from ingest.isolation import Operations
from ingest.runs.pipeline import operations_of
from retrieval.models.local_embedder import LocalEmbedder
from service.actions.plugins import EXTRACTORS


def operations(extractor: str, zone: str) -> Operations:
    """Return what can be asked of it, with the extractor and in the time zone of these names."""
    use_zone(load_zone(zone or None))
    made: Extractor = LocalExtractor(LocalEmbedder()) if extractor == "local" else EXTRACTORS.make(extractor)
    return operations_of(made)
