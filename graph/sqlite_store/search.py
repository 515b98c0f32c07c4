"""`Words` and `Candidates` on SQLite: FTS5 by stem over chunks, by trigram and pair over stashed items.

A page of stashed items is read off their numbers, merged in their order.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.filters import Filters
from core.records import Scored
from core.search import Candidate, TermStatistics, Vectors
from core.vector_format import unpack_vectors
from graph.sqlite_store import history
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.full_text import folded, gram, quoted, rebuild_full_text, trigram_phrase
from graph.sqlite_store.database.rows import (
    CURRENT,
    MODEL,
    NEWEST,
    THEN,
    WITHIN_PROJECT,
    Parameters,
    current,
    filter_condition,
    id_list,
    place_list,
)
from graph.sqlite_store.database.schema import AUTHOR
from graph.sqlite_store.database.term_counts import rebuild_terms, spelling_variants, term_statistics
from graph.sqlite_store.database.word_schema import CHUNK_TEXT
from graph.sqlite_store.lists import EXPIRED, IN_ORDER, MARK, count, passing, selects
from graph.text.term_vectors import (
    MOST_SCORED,
    Column,
    asked_terms,
    forms,
    num_holding,
    rarest_first,
    scores,
    word_worth,
)
from graph.timestamps import bounds_of, from_microseconds

_SHORT: Final = f"SELECT rowid AS item FROM grams WHERE grams MATCH :short AND rowid {WITHIN_PROJECT}"
_LONG: Final = f"SELECT rowid AS item FROM trigrams WHERE trigrams MATCH :long AND rowid {WITHIN_PROJECT}"
_STASHED: Final = "a.stashed = 1"
_MATCHED: Final = "WITH m (item) AS MATERIALIZED ({matched})"
_SORTED_PAGE: Final = f"""
{_MATCHED} SELECT a.id FROM m CROSS JOIN artifacts a ON a.item = m.item
ORDER BY {NEWEST} LIMIT :limit OFFSET :offset
"""
#: Goes through `listed` in its order, not through the matches: these lie all over the file.
_LISTED_PAGE: Final = f"""
{_MATCHED} SELECT a.id, (SELECT count(*) FROM m) FROM ({{listed}}) a WHERE +a.item IN (SELECT item FROM m)
ORDER BY {NEWEST} LIMIT :limit OFFSET :offset
"""
_ALL_STASHED: Final = f"SELECT {MARK.format('a')} FROM artifacts a WHERE {_STASHED} AND {CURRENT}"
_WALKED_PAGE: Final = f"""
SELECT a.id FROM artifacts a WHERE {_STASHED} AND {CURRENT} AND {{matching}}
ORDER BY {{order}} LIMIT :limit OFFSET :offset
"""
_OLDEST: Final = "a.happened_at, a.created_at, a.id DESC"
_NUM_CURRENT: Final = "SELECT sum(number) FROM facet_counts WHERE project_id = :project_id AND facet = 'type'"
_CONTENT: Final = "SELECT content FROM contents WHERE item = ?"
#: Where the filters leave no more items, and no more tokens of these, they are read; asking the index for a common
#: word takes as long as reading 200,000 tokens.
_FEW, _FEW_TOKENS = 2_000, 200_000
#: With more matches than this the page is found by going through the items from the newest, not by sorting matches.
_MANY: Final = 20_000
#: What it costs to ask the index about one item, in what reading one of its rows in order costs.
_PROBE: Final = 300


def containing(
    connection: sqlite3.Connection,
    project_id: str,
    fragments: Sequence[str],
    filters: Filters,
    limit: int,
    offset: int,
) -> tuple[list[str], int]:
    """Do what `Words.search_substrings` promises."""
    wanted = [folded(fragment) for fragment in fragments if fragment]
    indexes, queries = _indexes(wanted)
    parameters: Parameters = current(project_id, filters.at) | {"limit": limit, "offset": offset}
    if not indexes:
        return _all(connection, project_id, filters, parameters)
    if filters.selects:
        return _narrowed(connection, project_id, wanted, filters, indexes, parameters | queries)
    matched = f"{' INTERSECT '.join(indexes)} ORDER BY 1"
    parameters |= queries
    total = _number(connection, f"SELECT count(*) FROM ({matched})", parameters)
    expired = f"SELECT a.item FROM artifacts a WHERE {EXPIRED}"
    if total and _number(connection, f"SELECT EXISTS ({expired})", parameters):
        matched = f"SELECT item FROM ({matched}) EXCEPT {expired} ORDER BY 1"
        total = _number(connection, f"SELECT count(*) FROM ({matched})", parameters)
    if offset >= total:
        return [], total
    if total <= _MANY:
        return [row[0] for row in connection.execute(_SORTED_PAGE.format(matched=matched), parameters)], total
    if _is_cheap_walk(connection, min(limit + offset, total - offset), total, parameters):
        matching = " AND ".join(f"EXISTS ({index} AND rowid = a.item)" for index in indexes)
    else:
        matching = f"+a.item IN ({matched})"
    return _walked(connection, matching, total, parameters), total


def _walked(connection: sqlite3.Connection, matching: str, total: int, parameters: Parameters) -> list[str]:
    """Return a page of the `total` stashed items that match, found from the end of the list that is nearer to it."""
    offset = parameters["offset"]
    end = min(offset + parameters["limit"], total)
    order, step = NEWEST, 1
    if total - end < offset:
        order, step = _OLDEST, -1
        parameters |= {"offset": total - end, "limit": end - offset}
    rows = connection.execute(_WALKED_PAGE.format(matching=matching, order=order), parameters)
    return [row[0] for row in rows][::step]


def _narrowed(
    connection: sqlite3.Connection,
    project_id: str,
    wanted: Sequence[str],
    filters: Filters,
    indexes: Sequence[str],
    parameters: Parameters,
) -> tuple[list[str], int]:
    """Find those that pass filters: few of them by reading them, else by merging them with what the indexes find."""
    number = count(connection, project_id, filters)
    if number <= _FEW:
        read = _read(connection, project_id, wanted, filters)
        if read is not None:
            offset = parameters["offset"]
            return read[offset : offset + parameters["limit"]], len(read)
    found, named = selects(connection, project_id, filters, "a.item AS item")
    matched = " INTERSECT ".join((*indexes, f"SELECT item FROM ({' UNION '.join(found)})")) + " ORDER BY 1"
    listed, _ = selects(connection, project_id, filters, MARK)
    if len(listed) > 1 and number > _MANY:  # lists of several tags are sorted first
        listed = [_ALL_STASHED]
    page = _LISTED_PAGE.format(matched=matched, listed=" UNION ".join(listed))
    rows = connection.execute(page, parameters | named).fetchall()
    # No row tells of the total behind the last page.
    total = rows[0][1] if rows else _number(connection, f"SELECT count(*) FROM ({matched})", parameters | named)
    return [row[0] for row in rows], total


def _read(connection: sqlite3.Connection, project_id: str, wanted: Sequence[str], filters: Filters) -> list[str] | None:
    """Return the ids of the items that hold the folded fragments, by reading each that passes; None if that is much."""
    found, parameters = selects(connection, project_id, filters, MARK + ", a.token_count", also=_STASHED)
    rows = connection.execute(f"{' UNION '.join(found)} {IN_ORDER}", parameters).fetchall()
    if sum(row[-1] for row in rows) > _FEW_TOKENS:
        return None
    texts = ((id_, folded(connection.execute(_CONTENT, (item,)).fetchone()[0])) for _, _, id_, item, _ in rows)
    return [id_ for id_, text in texts if all(fragment in text for fragment in wanted)]


def _indexes(fragments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the statements that find stashed items with all folded fragments, none for all, and their parameters."""
    short = " ".join(gram(fragment) for fragment in fragments if len(fragment) < 3)
    long = " ".join(trigram_phrase(fragment) for fragment in fragments if len(fragment) >= 3)
    asked = {"long": (_LONG, long), "short": (_SHORT, short)}
    return [statement for statement, query in asked.values() if query], {n: q for n, (_, q) in asked.items() if q}


def _is_cheap_walk(connection: sqlite3.Connection, places: int, total: int, parameters: Parameters) -> bool:
    """Whether asking of each item from the newest on costs less than making a set of all that match."""
    probes = places * _number(connection, _NUM_CURRENT, parameters) // total
    return probes * _PROBE <= total


def _all(connection: sqlite3.Connection, project_id: str, filters: Filters, paged: Parameters) -> tuple[list[str], int]:
    found, parameters = selects(connection, project_id, filters, MARK, also=_STASHED)
    listed = " UNION ".join(found)
    total = _number(connection, f"SELECT count(*) FROM ({listed})", parameters)
    page = f"SELECT id FROM ({listed} {IN_ORDER} LIMIT :limit OFFSET :offset)"
    return [row[0] for row in connection.execute(page, parameters | paged)], total


def _number(connection: sqlite3.Connection, sql: str, parameters: Parameters) -> int:
    return int(connection.execute(sql, parameters).fetchone()[0])


_IN_INDEX: Final = f"words MATCH :query AND words.rowid {WITHIN_PROJECT}"
#: All chunks that hold a word; filters that most pass are checked afterwards, of the best.
_HOLDING: Final = f"SELECT c.id, c.terms FROM words CROSS JOIN chunks c ON c.id = words.rowid WHERE {_IN_INDEX}"
#: With filters, of those that pass.
_PASSING: Final = f"""
SELECT c.id, c.terms FROM words CROSS JOIN chunks c ON c.id = words.rowid CROSS JOIN artifacts a ON a.item = c.item
WHERE {_IN_INDEX} AND {{condition}}
"""
#: As one text: to fetch thousands of rows takes longer than to find them.
_HOLDING_WORD: Final = f"""
SELECT coalesce(group_concat(id), '') FROM (SELECT words.rowid AS id FROM words WHERE {_IN_INDEX} LIMIT :most)
"""
_TERMS_OF: Final = """
SELECT c.id, c.terms FROM json_each(:chunks) w CROSS JOIN chunks c ON c.id = w.value
CROSS JOIN artifacts a ON a.item = c.item WHERE {condition}
"""
_TERMS_OF_ITEMS: Final = """
SELECT c.id, c.terms FROM ({passing}) p CROSS JOIN chunks c ON c.item = p.item LIMIT :chunks
"""
#: Where no more items pass the filters, nor chunks of theirs, all of these are scored.
_FEW_ITEMS, _FEW_CHUNKS = 2_000, 4_000
#: Most chunks that are listed for a question's words; of more only those with its rarest word.
_MOST_LISTED: Final = 20_000
#: How often so many chunks are read until enough of them pass the filters.
_LOOKS: Final = 4
_PLACES: Final = """
SELECT c.id, a.id, c.position FROM json_each(:chunks) w CROSS JOIN chunks c ON c.id = w.value
CROSS JOIN artifacts a ON a.item = c.item WHERE {condition}
"""


class SqliteWords:
    """Fulfils `graph.protocols.search.Words`.

    FTS5 finds; its own BM25 is not used: it counts the terms of all projects of the file.
    """

    _database: Database

    def search(
        self, project_id: str, terms: Sequence[str], filters: Filters, limit: int, *, enough: int | None = None
    ) -> list[Scored]:
        phrases = {term: phrase for term in dict.fromkeys(terms) if (phrase := quoted(term)) is not None}
        if not phrases or limit < 1:
            return []
        of_words = {word: asked_terms(word) for word in phrases}
        found: list[Scored] = []
        with self._database.reading() as connection:
            every = list({term for of_word in of_words.values() for term in of_word})
            statistics = term_statistics(connection, project_id, every)
            queries = {word: " OR ".join(forms(word, phrases[word], statistics.num_with)) for word in phrases}
            is_plain = all(len(of_words[word]) == 1 and " " not in phrases[word] for word in phrases)
            if is_plain and (few := _of_few_items(connection, project_id, filters)) is not None:
                column = scores(few.vectors, [0] * len(few.ids), every, statistics)
                held = np.flatnonzero(column)
                ids = [few.ids[row] for row in held.tolist()]
                return _best(connection, project_id, ids, column[held], filters, limit)
            for some in rarest_first(of_words, statistics.num_with, limit):
                most = max(MOST_SCORED, 4 * limit)
                is_many = sum(num_holding(of_words[word], statistics.num_with) for word in some) > most
                words = list(of_words) if is_many else some
                of_queries = {queries[word]: of_words[word] for word in words}
                if is_many:
                    rows = _promising(connection, project_id, of_queries, statistics, filters, limit)
                else:
                    rows = _matches(connection, project_id, of_queries, filters)
                wanted = [term for word in words for term in of_words[word]]
                column = scores(rows.vectors, rows.num_stop_words, wanted, statistics)
                found = _best(connection, project_id, rows.ids, column, filters, limit)
                if is_many or len(found) >= (limit if enough is None else min(enough, limit)):
                    break
        return found

    def spelling_variants(self, project_id: str, words: Sequence[str]) -> dict[str, list[str]]:
        with self._database.reading() as connection:
            return spelling_variants(connection, project_id, words)

    def search_substrings(
        self, project_id: str, fragments: Sequence[str], filters: Filters, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        with self._database.reading() as connection:
            return containing(connection, project_id, fragments, filters, limit, offset)

    def rebuild(self) -> int:
        with self._database.writing() as connection:
            number = rebuild_terms(connection)
            rebuild_full_text(connection)  # which asks the term vectors
        return number


class _Matches(NamedTuple):
    """Chunks to score: numbers, term vectors, and how many of the words without terms each holds."""

    ids: list[int]
    vectors: list[bytes]
    num_stop_words: list[int]


def _of_few_items(connection: sqlite3.Connection, project_id: str, filters: Filters) -> _Matches | None:
    """Return the chunks of the items that pass, whose terms tell which plain words they hold; None if they are many."""
    if not filters.selects:
        return None
    found, parameters = passing(connection, project_id, filters, _FEW_ITEMS + 1)
    if _number(connection, f"SELECT count(*) FROM ({found})", parameters) > _FEW_ITEMS:
        return None
    sql, most = _TERMS_OF_ITEMS.format(passing=found), {"chunks": _FEW_CHUNKS + 1}
    rows = connection.execute(sql, parameters | most).fetchall()
    if len(rows) > _FEW_CHUNKS:
        return None
    return _Matches([row[0] for row in rows], [row[1] for row in rows], [])


def _matches(
    connection: sqlite3.Connection, project_id: str, words: Mapping[str, Sequence[int]], filters: Filters
) -> _Matches:
    """Return the chunks that hold one of the words, given as queries with their terms."""
    parameters: Parameters = {"project_id": project_id, "query": " OR ".join(words)}
    sql = _HOLDING
    if filters.selects:
        condition, named = filter_condition(project_id, filters, of_named=True)
        sql, parameters = _PASSING.format(condition=condition), parameters | named
    rows: list[tuple[int, bytes]] = connection.execute(sql, parameters).fetchall()
    return _Matches([row[0] for row in rows], [row[1] for row in rows], [0] * len(rows))


def _holding(connection: sqlite3.Connection, project_id: str, query: str, most: int) -> NDArray[np.int64]:
    """Return the numbers of chunks that match, at most so many."""
    parameters = {"project_id": project_id, "query": query, "most": max(most, 0)}
    (listed,) = connection.execute(_HOLDING_WORD, parameters).fetchone()
    return np.fromstring(listed, np.int64, sep=",")


def _promising(
    connection: sqlite3.Connection,
    project_id: str,
    words: Mapping[str, Sequence[int]],
    statistics: TermStatistics,
    filters: Filters,
    limit: int,
) -> _Matches:
    """Return those of many chunks that pass and hold the most telling of the words, given as queries with their terms.

    Which words a chunk holds is read from the index alone, and of a few thousand chunks how often.
    """
    step = max(MOST_SCORED, 4 * limit)
    most = _MOST_LISTED * step // MOST_SCORED
    rarest, *others = sorted(words, key=lambda query: -word_worth(words[query], statistics))
    listed = [(rarest, _holding(connection, project_id, rarest, most))]
    for query in others:
        left = most - sum(len(ids) for _, ids in listed)
        is_listed = not words[query] or num_holding(words[query], statistics.num_with) < left
        found_here = _holding(connection, project_id, query, left) if is_listed else np.empty(0, np.int64)
        if not is_listed or len(found_here) >= left:
            found_here = _holding(connection, project_id, f"({rarest}) AND ({query})", most)
        listed.append((query, found_here))
    ids, places = np.unique(np.concatenate([one for _, one in listed]), return_inverse=True)
    weights = np.repeat([word_worth(words[query], statistics) for query, _ in listed], [len(one) for _, one in listed])
    stopped = np.repeat([not words[query] for query, _ in listed], [len(one) for _, one in listed])
    worth, num_stop_words = (np.bincount(places, column, minlength=len(ids)) for column in (weights, stopped))
    order = np.lexsort((ids, -worth))
    condition, named = filter_condition(project_id, filters, of_named=True)
    found: dict[int, bytes] = {}
    for start in range(0, min(len(order), _LOOKS * step), step):
        chunks = str(ids[order[start : start + step]].tolist())
        found |= connection.execute(_TERMS_OF.format(condition=condition), named | {"chunks": chunks}).fetchall()
        if len(found) >= limit:
            break
    stop_words = num_stop_words[np.searchsorted(ids, list(found))].astype(int).tolist()
    return _Matches(list(found), list(found.values()), stop_words)


def _best(
    connection: sqlite3.Connection, project_id: str, ids: Sequence[int], column: Column, filters: Filters, limit: int
) -> list[Scored]:
    """Return the best chunks that pass; of equal ones those stored first."""
    condition, parameters = filter_condition(project_id, filters, of_named=True)
    sql = _PLACES.format(condition=condition)
    order = np.lexsort((np.array(ids, dtype=np.int64), -column))
    best: list[Scored] = []
    step = limit
    for start in range(0, len(order), step):
        some = {ids[row]: float(column[row]) for row in order[start : start + step].tolist()}
        rows = connection.execute(sql, parameters | {"chunks": str(list(some))}).fetchall()
        places = {id_: (artifact_id, index) for id_, artifact_id, index in rows}
        best += [Scored(*places[id_], score) for id_, score in some.items() if id_ in places]
        if len(best) >= limit:
            break
    return best[:limit]


_CANDIDATES: Final = """
WITH places (id, position) AS (SELECT key, value FROM json_each(:places))
SELECT a.id, c.position, a.num_chunks, {text}, a.given ->> '$.author', {turn}, a.happened_at, c.terms, e.vector,
    s.vector, a.utc_offset, (
        SELECT max(b.turn_index) FROM artifacts b WHERE b.project_id = a.project_id
            AND b.conversation_id = a.conversation_id AND b.turn_index < a.turn_index
    )
FROM places p CROSS JOIN artifacts a ON a.project_id = :project_id AND a.id = p.id
CROSS JOIN chunks c ON c.item = a.item AND c.position = p.position
LEFT JOIN embeddings e ON e.hash = c.hash AND e.model = {model}
LEFT JOIN embeddings s ON s.hash = c.hash AND s.model = {states_model} WHERE {condition}
"""
_HASHES: Final = """
WITH places (id, position) AS (SELECT key, value FROM json_each(:places))
SELECT a.id, c.position, c.hash FROM places p CROSS JOIN artifacts a ON a.project_id = :project_id AND a.id = p.id
CROSS JOIN chunks c ON c.item = a.item AND c.position = p.position WHERE a.num_chunks = 1 AND {condition}
"""
_TURN: Final = (
    "CASE WHEN a.turn_index IS NULL THEN NULL ELSE a.conversation_id END,"
    " CASE WHEN a.conversation_id IS NULL THEN NULL ELSE a.turn_index END"
)
_TURNS_NEAR: Final = """
SELECT DISTINCT a.id FROM json_each(:ids) o CROSS JOIN artifacts t ON t.project_id = :project_id AND t.id = o.value
CROSS JOIN artifacts a ON a.project_id = :project_id AND a.conversation_id = t.conversation_id
    AND a.turn_index BETWEEN coalesce({first}, t.turn_index) AND coalesce({last}, t.turn_index)
WHERE {condition}
"""
# Of fewer than `reach` turns on a side the last one there is.
_FURTHEST: Final = """(
    SELECT {choose}(turn_index) FROM (
        SELECT DISTINCT b.turn_index FROM artifacts b WHERE b.project_id = t.project_id
            AND b.conversation_id = t.conversation_id AND b.turn_index {side} t.turn_index
        ORDER BY b.turn_index {order} LIMIT :reach
    )
)"""
# `artifacts_by_author` holds what AUTHOR says.
_AUTHORS: Final = f"""
SELECT w.value FROM json_each(:names) w WHERE EXISTS (
    SELECT 1 FROM artifacts a WHERE a.project_id = :project_id AND a.turn_index IS NOT NULL
        AND {AUTHOR} = lower(w.value) {{then}}
) OR EXISTS (
    SELECT 1 FROM artifacts a WHERE a.project_id = :project_id AND a.turn_index IS NOT NULL
        AND {AUTHOR} > lower(w.value) || ' ' AND {AUTHOR} < lower(w.value) || '!' {{then}}
)
"""
# By id, a digest: as good as random, and the same each time; of a long document each eighth chunk.
_SAMPLE: Final = f"""
SELECT e.vector FROM (
    SELECT c.hash FROM (
        SELECT a.item, a.id FROM artifacts a WHERE a.project_id = :project_id AND a.replaced_by IS NULL {{then}}
        ORDER BY {{id}} LIMIT :looked_at
    ) a CROSS JOIN chunks c ON c.item = a.item WHERE c.position % 8 = 0 LIMIT :looked_at
) w CROSS JOIN embeddings e ON e.hash = w.hash AND e.model = {MODEL.format(":model")} LIMIT :number
"""


class SqliteCandidates:
    """Fulfils `graph.protocols.search.Candidates`."""

    _database: Database

    def candidates(
        self,
        project_id: str,
        model: str,
        places: Sequence[tuple[str, int]],
        filters: Filters,
        *,
        states_model: str | None = None,
    ) -> list[Candidate]:
        condition, parameters = filter_condition(project_id, filters, of_named=True)
        models = {name: MODEL.format(f":{name}") for name in ("model", "states_model")}
        sql = _CANDIDATES.format(text=CHUNK_TEXT, turn=_TURN, condition=condition, **models)
        parameters |= {"places": place_list(places), "model": model, "states_model": states_model}
        return [_candidate(row) for row in self._database.rows(sql, parameters)]

    def text_hashes(
        self, project_id: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> dict[tuple[str, int], str]:
        condition, parameters = filter_condition(project_id, filters, of_named=True)
        rows = self._database.rows(_HASHES.format(condition=condition), parameters | {"places": place_list(places)})
        return {(id_, position): digest for id_, position, digest in rows}

    def nearby_turns(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        condition, parameters = filter_condition(project_id, filters, of_named=True)
        parameters |= {"ids": id_list(artifact_ids), "reach": reach}
        first = _FURTHEST.format(choose="min", side="<", order="DESC")
        sql = _TURNS_NEAR.format(
            first=first, last=_FURTHEST.format(choose="max", side=">", order="ASC"), condition=condition
        )
        return [row[0] for row in self._database.rows(sql, parameters)]

    def known_authors(self, project_id: str, names: Sequence[str], *, as_of: datetime | None = None) -> list[str]:
        sql = _AUTHORS.format(then="")
        parameters: Parameters = {"project_id": project_id, "names": id_list(names)}
        if as_of is not None:
            sql, parameters = _AUTHORS.format(then=f"AND {THEN.format('a')}"), parameters | bounds_of("as_of", as_of)
        return [row[0] for row in self._database.rows(sql, parameters)]

    def term_statistics(
        self, project_id: str, terms: Sequence[int], *, as_of: datetime | None = None
    ) -> TermStatistics:
        with self._database.reading() as connection:
            now = term_statistics(connection, project_id, terms)
            return now if as_of is None else history.term_statistics(connection, project_id, terms, now.num_with, as_of)

    def sample(self, project_id: str, model: str, number: int, *, as_of: datetime | None = None) -> Vectors:
        sql = _SAMPLE.format(then="", id="a.id")
        parameters: Parameters = {"project_id": project_id, "model": model, "number": number}
        with self._database.reading() as connection:
            if as_of is not None:
                # What has a plus is not looked up in its index.
                by_time = history.are_few(connection, project_id, as_of)
                then, id_ = (THEN.format("a"), "+a.id") if by_time else (THEN.format("+a"), "a.id")
                sql, parameters = _SAMPLE.format(then=f"AND {then}", id=id_), parameters | bounds_of("as_of", as_of)
            rows = connection.execute(sql, parameters | {"looked_at": number}).fetchall()
            if len(rows) < number:  # some have no embedding yet
                rows = connection.execute(sql, parameters | {"looked_at": 8 * number}).fetchall()
        return unpack_vectors([row[0] for row in rows])


def _candidate(row: Sequence[Any]) -> Candidate:
    return Candidate._make((*row[:7], from_microseconds(row[7], row[11]), *row[8:11], row[12]))
