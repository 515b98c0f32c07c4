"""`AccessTokens` on Neo4j."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.interface.access_token import AccessToken
from core.interface.audit import NO_PROJECT, make_audit_entries
from graph.neo4j_store.cypher import schema_cypher as cypher
from graph.neo4j_store.database.audit_trail import write_entries
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.filters import valid_utf8
from graph.neo4j_store.database.rows import native_time


class Neo4jAccessTokens:
    """Fulfils `graph.protocols.administration.AccessTokens`."""

    _database: Database

    def add_token(self, token: AccessToken) -> bool:
        properties = {
            "name": token.name,
            "digest": token.digest,
            "projects": None if token.projects is None else list(token.projects),
            "read_only": token.read_only,
            "created_at": token.created_at,
            "expires_at": token.expires_at,
            "last_used": token.last_used,
        }

        def work(transaction: Transaction) -> bool:
            row = transaction.row(cypher.ADD_ACCESS, id=token.name, properties=properties)
            is_new = row is not None and bool(row["added"])
            write_entries(transaction, make_audit_entries("create_token", NO_PROJECT, [token.name] * is_new))
            return is_new

        return self._database.write(work)

    def tokens(self) -> list[AccessToken]:
        nodes = [row["token"] for row in self._database.rows(cypher.ALL_ACCESS)]
        # What another transaction removes meanwhile has no fields any more.
        return [_token(node) for node in nodes if node["digest"] is not None and node["created_at"] is not None]

    def remove_token(self, name: str) -> bool:
        if not valid_utf8([name]):
            return False

        def work(transaction: Transaction) -> bool:
            row = transaction.row(cypher.REMOVE_ACCESS, id=name)
            was_there = row is not None and bool(row["removed"])
            write_entries(transaction, make_audit_entries("revoke_token", NO_PROJECT, [name] * was_there))
            return was_there

        return self._database.write(work)

    def touch_token(self, digest: str, at: datetime) -> None:
        self._database.write(lambda transaction: transaction.run(cypher.TOUCH_ACCESS, digest=digest, at=at))


def _token(node: Mapping[str, Any]) -> AccessToken:
    return AccessToken(
        name=node["id"],
        digest=node["digest"],
        projects=None if node["projects"] is None else tuple(node["projects"]),
        read_only=bool(node["read_only"]),
        created_at=native_time(node["created_at"]),
        expires_at=None if node["expires_at"] is None else native_time(node["expires_at"]),
        last_used=None if node["last_used"] is None else native_time(node["last_used"]),
    )
