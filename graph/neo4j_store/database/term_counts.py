"""How many chunks of a project have each term: kept with every chunk written or dropped, under the project's lock.

A chunk is counted while it has `terms`; while `Words.rebuild` runs chunks have none for a time.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from graph.neo4j_store.cypher import record_cypher, schema_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import Parameters
from graph.text.term_vectors import is_spelt, pack_counts, packed_counts, tally, word_counts, words_of

#: Terms of one statement that takes some back, and of one transaction that forgets them.
_TERMS: Final = 10_000
#: Chunks whose terms are made in one transaction.
_BATCH: Final = 1_000


def term_vector(kept: bytes | str) -> bytes:
    """Return the term vector of a chunk of which `record_cypher.TERMS` was asked."""
    return pack_counts(kept) if isinstance(kept, str) else kept


def counted(vectors: Sequence[bytes], words: Iterable[Iterable[str]] = ()) -> Parameters:
    """Return what the statements that count term vectors ask for; of chunks that are written with their words."""
    num_with, total = tally(vectors)
    spelt = {term: word for term, word in words_of(num_with, words).items() if is_spelt(word)}
    return {
        "num_chunks": len(vectors),
        "num_terms": total,
        "terms": [[str(term), number, spelt.get(term)] for term, number in num_with.items()],
    }


def discount_terms(transaction: Transaction, project_id: str, vectors: Sequence[bytes]) -> None:
    """Take back the term vectors of chunks that were dropped; no number is left of a term that no chunk has."""
    if not vectors:
        return
    change = counted(vectors)
    terms = change.pop("terms")
    transaction.run(record_cypher.DISCOUNT_CHUNKS, project_id=project_id, **change)
    for start in range(0, len(terms), _TERMS):
        transaction.run(record_cypher.DISCOUNT_TERMS, project_id=project_id, terms=terms[start : start + _TERMS])


def fill_terms(database: Database) -> None:
    """Make the term vectors of all chunks that have none, and count them, in many transactions.

    Any number of replicas may do so at the same moment, while others write, and after a stop it can be run again.
    """
    for row in database.rows(schema_cypher.ALL_PROJECTS):
        last = ""
        while ids := database.write(partial(_fill, row["id"], last)):
            last = ids[-1]


def forget_counts(database: Database, project_id: str) -> None:
    """Make a project one whose chunks have no terms and are not counted, most of which had none before."""
    while database.write(partial(_forget_some, project_id)) == _TERMS:
        pass
    database.write(partial(_forget_rest, project_id))


def _fill(project_id: str, last: str, transaction: Transaction) -> list[str]:
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    rows = transaction.rows(record_cypher.CHUNKS_WITHOUT_TERMS, project_id=project_id, last=last, batch=_BATCH)
    words = [word_counts(row["text"]) for row in rows]
    vectors = [packed_counts(each) for each in words]
    ids: list[str] = [row["id"] for row in rows]
    if ids:
        filled = [list(pair) for pair in zip(ids, vectors, strict=True)]
        transaction.run(record_cypher.SET_TERMS, project_id=project_id, rows=filled, **counted(vectors, words))
    return ids


def _forget_some(project_id: str, transaction: Transaction) -> int:
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    [row] = transaction.rows(record_cypher.FORGET_TERMS, project_id=project_id, batch=_TERMS)
    return int(row["forgotten"])


def _forget_rest(project_id: str, transaction: Transaction) -> None:
    """Forget what was counted between the steps before this one, in one transaction: chunks written meanwhile."""
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    transaction.rows(record_cypher.FORGET_TERMS, project_id=project_id, batch=2**31 - 1)
    transaction.run(record_cypher.FORGET_TERM_VECTORS, project_id=project_id)
    transaction.run(record_cypher.FORGET_TOTALS, project_id=project_id)
