"""The vector index in Chroma: embedded over a folder, or a server that many share."""

from retrieval.vectors.embedded import EmbeddedChroma
from retrieval.vectors.index import ChromaIndex
from retrieval.vectors.server import ChromaServer

__all__ = ["ChromaIndex", "ChromaServer", "EmbeddedChroma"]
