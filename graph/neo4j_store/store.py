"""The store: its parts over one database."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from graph.neo4j_store.administration import Neo4jAccessTokens, Neo4jAudit, Neo4jJobs
from graph.neo4j_store.cypher import schema_cypher
from graph.neo4j_store.database.connection import Database
from graph.neo4j_store.integrity import Neo4jSoundness
from graph.neo4j_store.item_writer import Neo4jEmbeddings
from graph.neo4j_store.knowledge_graph import Neo4jKnowledge
from graph.neo4j_store.ledger import Neo4jLedger
from graph.neo4j_store.migrations import prepare
from graph.neo4j_store.records import Neo4jRecords, Neo4jRules
from graph.neo4j_store.search import Neo4jCandidates, Neo4jWords
from graph.neo4j_store.transfer import Neo4jTransfer


class Neo4jStore(
    Neo4jRecords,
    Neo4jEmbeddings,
    Neo4jWords,
    Neo4jCandidates,
    Neo4jJobs,
    Neo4jKnowledge,
    Neo4jTransfer,
    Neo4jLedger,
    Neo4jRules,
    Neo4jSoundness,
    Neo4jAudit,
    Neo4jAccessTokens,
):
    """Fulfils `graph.store.Store` in one Neo4j database, which any number of threads, processes and hosts may share.

    An acknowledged write is committed on the server (in a cluster, by a majority).
    """

    engine = "neo4j"

    def __init__(self, uri: str, username: str, password: str, database: str = "neo4j") -> None:
        """Keep the address; the first call connects, and makes the schema if it is missing.

        Every call raises `Conflict` when a newer Remembrancer wrote the database.

        Raises:
            InvalidInput: the address is not valid.
        """
        self._database = Database(uri, username, password, database, prepare=prepare)

    def ping(self) -> str:
        self._database.read(lambda transaction: transaction.row(schema_cypher.PING))
        return f"{self._database.server()} at {self._database.uri}, database {self._database.name}"

    def write_obstacle(self) -> str | None:
        return None

    @contextmanager
    def snapshot(self) -> Iterator["Neo4jStore"]:
        yield self

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
