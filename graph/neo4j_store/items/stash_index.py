"""The substring index over stashed items: their folded text in passages that overlap.

The index holds no value of more than about 32 kB, and what it finds may lie anywhere in a long text.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graph.neo4j_store.cypher import record_cypher
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.rows import slices

#: Characters of one passage, at most 16 kB.
PASSAGE: Final = 4_000
#: Characters that two neighbouring passages share: a fragment that is no longer lies in one of them as a whole.
OVERLAP: Final = 500


def folded(text: str) -> str:
    """Return `text` with its case folded, as the substring index holds it."""
    return text.casefold()


def write_passages(transaction: Transaction, project_id: str, artifact_id: str, content: str | None = None) -> None:
    """Enter an item that is not in the index: with this content, or the stored one if it is stashed."""
    if content is None:
        row = transaction.row(record_cypher.STASHED_CONTENT, project_id=project_id, id=artifact_id)
        content = None if row is None else row["content"]
    for part in slices([] if content is None else passages(project_id, artifact_id, content)):
        transaction.run(record_cypher.WRITE_PASSAGES, project_id=project_id, id=artifact_id, passages=part)


def drop_passages(transaction: Transaction, project_id: str, artifact_ids: Sequence[str]) -> None:
    """Take items out of the index; those that are not in it are no error."""
    transaction.run(record_cypher.DROP_PASSAGES, project_id=project_id, ids=artifact_ids)


def passages(project_id: str, artifact_id: str, content: str) -> Sequence[Mapping[str, Any]]:
    """Return the properties of the nodes that an item has in the index."""
    text = folded(content)
    starts = range(0, max(1, len(text) - OVERLAP), PASSAGE - OVERLAP)
    return [
        {"project_id": project_id, "id": f"{artifact_id}/{number}", "folded": text[start : start + PASSAGE]}
        for number, start in enumerate(starts)
    ]
