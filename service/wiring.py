"""Wiring: makes the parts that the settings name. The only file that names engines, each imported when it is chosen."""

from core.embedding import Embedder, Tokenizer, VectorIndex
from core.errors import InvalidInput
from graph.store import Store
from ingest.extract.protocol import Extractor
from service.app import App
from service.settings import Settings
