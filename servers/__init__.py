"""Real Neo4j and Chroma servers on this machine, for tests, benchmarks and trying out; no part of the product."""

from servers.chroma import ChromaServer
from servers.neo4j import Neo4jServer
from servers.server import Server
from servers.services import Services

__all__ = ["ChromaServer", "Neo4jServer", "Server", "Services"]
