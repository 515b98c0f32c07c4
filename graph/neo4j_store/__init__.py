"""The server engine: the whole record in one Neo4j database, shared by any number of replicas and workers."""

from graph.neo4j_store.store import Neo4jStore

__all__ = ["Neo4jStore"]
