"""Constraints and indexes of the database, made when the first replica opens it."""

import json
import re
from typing import Final

from core.errors import Conflict
from core.interface.memory import Memory
from graph.neo4j_store.cypher import record_cypher, rules_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.term_counts import fill_terms
from graph.neo4j_store.database.text_folding import speaker

#: The shape of the data; a release that changes it brings what is there forward.
SCHEMA: Final = 4
_MARKER: Final = "neo4j: schema"
_READY_SECONDS: Final = 300
#: Items brought forward in one transaction.
_BATCH: Final = 1_000
#: The first release of Neo4j that understands every statement.
_OLDEST: Final = (5, 24)


def prepare(database: Database) -> None:
    """Make what is missing of the schema; any number of replicas may do so at the same moment.

    Raises:
        Conflict: a newer Remembrancer wrote the database, or the server is too old.
        Unavailable: the server can't be reached, or an index could not be made.
    """
    check_release(database.server())
    written = database.read(lambda transaction: transaction.row(record_cypher.GET_MARKER, name=_MARKER))
    if written is not None and int(written["value"]) > SCHEMA:
        raise Conflict(
            f"Neo4j at {database.uri} was written by a newer Remembrancer (schema {written['value']}, this one knows "
            f"{SCHEMA}): update this one."
        )
    if written is not None and int(written["value"]) == SCHEMA:
        return
    make_indexes(database)
    fill_terms(database)
    for row in database.rows(record_cypher.ALL_PROJECTS):
        _fill_speakers(database, row["id"])
        _fill_places(database, row["id"])
        _fill_rules(database, row["id"])
    database.write(lambda transaction: transaction.run(record_cypher.RAISE_MARKER, name=_MARKER, value=SCHEMA))


def check_release(agent: str) -> None:
    """Check what the server calls itself, such as `Neo4j/5.26.12`; one that names no number is let through.

    Raises:
        Conflict: it is too old.
    """
    found = re.search(r"/(\d+)\.(\d+)", agent)
    if found and (int(found[1]), int(found[2])) < _OLDEST:
        raise Conflict(f"{agent} is too old: Remembrancer needs Neo4j 5.24 or newer, best the long-term release 5.26.")


def make_indexes(database: Database) -> None:
    """Make the constraints and indexes that are not there, and wait until they are filled."""
    for statement in (*record_cypher.CONSTRAINTS, *record_cypher.INDEXES, rules_cypher.LISTED_BY_RULE):
        database.define(statement)
    database.write(
        lambda transaction: transaction.run(record_cypher.AWAIT_INDEXES, seconds=_READY_SECONDS),
        seconds=_READY_SECONDS + 10,
    )


def _fill_speakers(database: Database, project_id: str) -> None:
    """Name the speakers of turns that an older release wrote."""

    def work(transaction: Transaction) -> list[str]:
        transaction.run(record_cypher.LOCK_PROJECT, project_id=project_id)
        rows = transaction.rows(record_cypher.TURNS_WITHOUT_SPEAKER, project_id=project_id, last=last, batch=_BATCH)
        named = [[row["id"], speaker(row["author"])] for row in rows]
        transaction.run(record_cypher.SET_SPEAKERS, project_id=project_id, rows=named)
        return [row["id"] for row in rows]

    last = ""
    while ids := database.write(work):
        last = ids[-1]


def _fill_places(database: Database, project_id: str) -> None:
    """Give items that an older release wrote their file's path and their task."""

    def work(transaction: Transaction) -> list[str]:
        transaction.run(record_cypher.LOCK_PROJECT, project_id=project_id)
        rows = transaction.rows(record_cypher.ITEMS_WITHOUT_PLACES, project_id=project_id, last=last, batch=_BATCH)
        given = {row["id"]: json.loads(row["given"]) for row in rows}
        placed = [[id_, fields.get("file_path"), fields.get("task_id")] for id_, fields in given.items()]
        transaction.run(record_cypher.SET_PLACES, project_id=project_id, rows=placed)
        return list(given)

    last = ""
    while ids := database.write(work):
        last = ids[-1]


def _fill_rules(database: Database, project_id: str) -> None:
    """Say of items that an older release wrote where and how they apply as rules."""

    def work(transaction: Transaction) -> list[str]:
        transaction.run(record_cypher.LOCK_PROJECT, project_id=project_id)
        rows = transaction.rows(rules_cypher.ITEMS_AFTER, project_id=project_id, last=last, batch=_BATCH)
        memories = {row["id"]: Memory.unchecked(row["content"], json.loads(row["given"])) for row in rows}
        rules = [
            [id_, one.rule_scope, one.rule_category, one.rule_words] for id_, one in memories.items() if one.rule_scope
        ]
        transaction.run(rules_cypher.SET_RULES, project_id=project_id, rows=rules)
        return list(memories)

    last = ""
    while ids := database.write(work):
        last = ids[-1]
