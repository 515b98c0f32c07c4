"""Real Neo4j and Chroma servers on this machine, for tests, benchmarks and trying out; no part of the product."""

from servers.server import Server
from servers.services import ChromaServer, Neo4jServer, Services

__all__ = ["ChromaServer", "Neo4jServer", "Server", "Services"]
