"""What the full-text indexes hold of items that a transaction is about to remove, replace or set aside, made before it.

An index forgets an entry if it is told the same words again, which take seconds for ten million characters. They depend
on the text alone: the transaction makes those of texts that came meanwhile.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import Final

from core.records import Artifact
from graph.sqlite_store.database.ahead import Entry, entry, made_ahead, separated, signs_of
from graph.sqlite_store.database.connection import Database, read_in_batches
from graph.sqlite_store.database.full_text import folded, grams
from graph.sqlite_store.database.rows import id_list
from graph.sqlite_store.database.word_schema import CHUNK_TEXT

#: Characters whose words are kept at once; the transaction makes those of further texts.
_MOST: Final = 50_000_000
_NAMED: Final = "a.project_id = :project_id AND a.id IN (SELECT value FROM json_each(:ids))"
_CHUNKS: Final = f"""
SELECT c.prefix, {CHUNK_TEXT}, c.terms FROM artifacts a CROSS JOIN chunks c ON c.item = a.item WHERE {_NAMED}
"""
_CONTENTS: Final = f"SELECT c.content FROM artifacts a JOIN contents c ON c.item = a.item WHERE {_NAMED}"
_HOLDERS: Final = """
SELECT a.id FROM json_each(:keys) k CROSS JOIN artifacts a ON a.project_id = :project_id AND a.key = k.value ->> 0
    AND a.context = k.value ->> 1 AND a.key IS NOT NULL AND a.replaced_by IS NULL
"""


def of_removed(database: Database, project_id: str, ids: Sequence[str]) -> AbstractContextManager[None]:
    """Have the words of these items at hand, and those by which they are found if they are set aside."""
    asked = {"project_id": project_id, "ids": id_list(ids)}
    stashed = _contents(database, f"{_CONTENTS} AND a.stashed = 1", asked)
    return made_ahead(chain(_of_chunks(database, asked), _of_stashed(stashed)))


def of_stashed(database: Database, project_id: str, ids: Sequence[str]) -> AbstractContextManager[None]:
    """Have at hand by what these items are found while they are set aside."""
    asked = {"project_id": project_id, "ids": id_list(ids)}
    return made_ahead(_of_stashed(_contents(database, _CONTENTS, asked)))


def of_added(database: Database, project_id: str, items: Sequence[Artifact]) -> AbstractContextManager[None]:
    """Have at hand by what these items are found if they are set aside, and the words of what they replace."""
    keys = [(item.memory.key, item.memory.context) for item in items if item.memory.key is not None]
    coming = [item.memory.content for item in items if item.stashed]
    if not keys:
        return made_ahead(_of_stashed(coming))
    holders = database.rows(_HOLDERS, {"project_id": project_id, "keys": json.dumps(keys)})
    asked = {"project_id": project_id, "ids": id_list([id_ for (id_,) in holders])}
    stashed = _contents(database, f"{_CONTENTS} AND a.stashed = 1", asked)
    return made_ahead(chain(_of_chunks(database, asked), _of_stashed(chain(stashed, coming))))


def _of_chunks(database: Database, asked: dict[str, str]) -> Iterator[Entry]:
    left = _MOST
    with database.reading() as connection:
        for prefix, text, terms in read_in_batches(connection.execute(_CHUNKS, asked)):
            left -= len(text)
            if left < 0:
                return
            yield from (entry(separated, prefix), entry(separated, text), entry(signs_of, prefix + text, terms))


def _of_stashed(contents: Iterable[str]) -> Iterator[Entry]:
    left = _MOST
    for content in contents:
        left -= len(content)
        if left < 0:
            return
        yield entry(grams, folded(content))


def _contents(database: Database, sql: str, asked: dict[str, str]) -> Iterator[str]:
    with database.reading() as connection:
        yield from (content for (content,) in connection.execute(sql, asked))
