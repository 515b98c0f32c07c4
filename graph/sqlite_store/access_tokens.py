"""`AccessTokens` on SQLite."""

import json
import sqlite3
from datetime import datetime
from typing import Final

from core.interface.access_token import AccessToken
from core.interface.audit import NO_PROJECT, make_audit_entries
from graph.sqlite_store.database.audit_trail import write_entries
from graph.sqlite_store.database.connections import Database
from graph.timestamps import from_microseconds, to_microseconds

_ADD: Final = "INSERT INTO access_tokens VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING"
_ALL: Final = (
    "SELECT name, digest, projects, read_only, created_at, expires_at, last_used FROM access_tokens ORDER BY name"
)
_REMOVE: Final = "DELETE FROM access_tokens WHERE name = ?"
_TOUCH: Final = "UPDATE access_tokens SET last_used = max(coalesce(last_used, ?1), ?1) WHERE digest = ?2"


class SqliteAccessTokens:
    """Fulfils `graph.protocols.administration.AccessTokens`."""

    _database: Database

    def add_token(self, token: AccessToken) -> bool:
        row = (
            token.name,
            token.digest,
            None if token.projects is None else json.dumps(token.projects),
            token.read_only,
            to_microseconds(token.created_at),
            to_microseconds(token.expires_at),
            to_microseconds(token.last_used),
        )
        with self._database.writing() as connection:
            is_new = connection.execute(_ADD, row).rowcount == 1
            write_entries(connection, make_audit_entries("create_token", NO_PROJECT, [token.name] * is_new))
        return is_new

    def tokens(self) -> list[AccessToken]:
        with self._database.reading() as connection:
            return [_token(row) for row in connection.execute(_ALL)]

    def remove_token(self, name: str) -> bool:
        with self._database.writing() as connection:
            was_there = connection.execute(_REMOVE, (name,)).rowcount == 1
            write_entries(connection, make_audit_entries("revoke_token", NO_PROJECT, [name] * was_there))
        return was_there

    def touch_token(self, digest: str, at: datetime) -> None:
        with self._database.writing() as connection:
            connection.execute(_TOUCH, (to_microseconds(at), digest))


def _token(row: sqlite3.Row) -> AccessToken:
    name, digest, projects, read_only, created_at, expires_at, last_used = row
    return AccessToken(
        name=name,
        digest=digest,
        projects=None if projects is None else tuple(json.loads(projects)),
        read_only=bool(read_only),
        created_at=from_microseconds(created_at),
        expires_at=from_microseconds(expires_at),
        last_used=from_microseconds(last_used),
    )
