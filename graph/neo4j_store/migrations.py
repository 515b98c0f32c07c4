"""The schema of the database, as numbered migrations. A published migration never changes: append another."""

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from core.errors import Conflict
from core.interface.memory import Memory
from core.knowledge.identities import name_hash
from core.knowledge.text import tag_forms
from graph.neo4j_store.artifact_knowledge import write_names
from graph.neo4j_store.cypher import schema_cypher
from graph.neo4j_store.database.connection import Database, Transaction

_MARKER: Final = "neo4j: schema"
_READY_SECONDS: Final = 300
#: Items that a migration reads at a time.
_BATCH: Final = 200
#: The first release of Neo4j that understands every statement.
_OLDEST: Final = (5, 24)


def check_release(agent: str) -> None:
    """Check what the server calls itself, such as `Neo4j/5.26.12`; an unversioned server is accepted.

    Raises:
        Conflict: it is too old.
    """
    found = re.search(r"/(\d+)\.(\d+)", agent)
    if found and (int(found[1]), int(found[2])) < _OLDEST:
        raise Conflict(f"{agent} is too old: Remembrancer needs Neo4j 5.24 or newer, best the long-term release 5.26.")


def make_indexes(database: Database) -> None:
    """Make the constraints and indexes that are not there, and wait until they are filled."""
    for statement in (*schema_cypher.CONSTRAINTS, *schema_cypher.INDEXES):
        database.define(statement)
    database.write(
        lambda transaction: transaction.run(schema_cypher.AWAIT_INDEXES, seconds=_READY_SECONDS),
        seconds=_READY_SECONDS + 10,
    )


def compare_wordings(database: Database) -> None:
    """Compute the fingerprints again; of several items of one wording the first is known by it."""
    last = ""
    while rows := database.rows(schema_cypher.FINGERPRINTED, last=last, batch=_BATCH):
        last = str(rows[-1]["element"])
        for row in rows:
            fingerprint = Memory.from_fields_unchecked(row["content"], json.loads(row["given"])).fingerprint(
                row["project_id"]
            )
            if fingerprint != row["fingerprint"]:
                values = {"project_id": row["project_id"], "id": row["id"], "fingerprint": fingerprint}
                database.write(partial(_set_fingerprint, values))


def _set_fingerprint(values: dict[str, str], transaction: Transaction) -> None:
    transaction.run(schema_cypher.SET_FINGERPRINT, **values)


def add_offsets(database: Database) -> None:
    """Give items, and the names in them, the offsets from UTC of their dates."""
    database.write(lambda transaction: transaction.run(schema_cypher.ADD_OFFSETS))


def fold_names(database: Database) -> None:
    """Have entities found under names in the form that they are compared in now, and mark what retention looks for."""
    make_indexes(database)
    for project_id in database.read(lambda tx: [row["id"] for row in tx.rows(schema_cypher.ALL_PROJECTS)]):
        database.write(partial(_fold_names, project_id))


def _fold_names(project_id: str, transaction: Transaction) -> None:
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    decisions = transaction.rows(schema_cypher.HASHED_VERDICTS, project_id=project_id)
    rows = [{"id": row["id"], "name_hash": name_hash(row["name"])} for row in decisions]
    transaction.run(schema_cypher.SET_NAME_HASH, project_id=project_id, rows=rows)
    write_names(transaction, project_id)
    transaction.run(schema_cypher.MARK_UNTIL_RESOLVED, project_id=project_id)


def add_tag_forms(database: Database) -> None:
    """Give items the forms by which their tags are found."""
    last = ""
    while rows := database.rows(schema_cypher.TAGGED, last=last, batch=_BATCH):
        last = str(rows[-1]["element"])
        forms = [{"element": row["element"], "tags": row["tags"], "forms": tag_forms(row["tags"])} for row in rows]
        database.write(partial(_set_tag_forms, forms))


def _set_tag_forms(rows: Sequence[dict[str, object]], transaction: Transaction) -> None:
    transaction.run(schema_cypher.SET_TAG_FORMS, rows=rows)


#: Position n brings a database from version n to n + 1. Several replicas may run one at the same time, and one that was
#: stopped is run again.
MIGRATIONS: Final[tuple[Callable[[Database], None], ...]] = (
    make_indexes,
    compare_wordings,
    add_offsets,
    fold_names,
    add_tag_forms,
    make_indexes,
)


def prepare(database: Database, migrations: Sequence[Callable[[Database], None]] = MIGRATIONS) -> None:
    """Bring the database to the version that is the number of `migrations`; the marker of the version comes last.

    Raises:
        Conflict: a newer Remembrancer wrote the database, or the server is too old.
        Unavailable: the server can't be reached, or an index could not be made.
    """
    check_release(database.server())
    row = database.read(lambda transaction: transaction.row(schema_cypher.GET_MARKER, name=_MARKER))
    version = 0 if row is None else int(row["value"])
    if version > len(migrations):
        raise Conflict(
            f"Neo4j at {database.uri} was written by a newer Remembrancer (schema {version}, this one knows "
            f"{len(migrations)}): update this one."
        )
    for migration in migrations[version:]:
        migration(database)
    if version < len(migrations):
        database.write(
            lambda transaction: transaction.run(schema_cypher.RAISE_MARKER, name=_MARKER, value=len(migrations))
        )
