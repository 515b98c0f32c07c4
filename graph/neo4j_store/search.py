"""`Words` and `Candidates` on Neo4j: Lucene by stem over chunks, trigrams over the passages of stashed items."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any, Final, LiteralString, NamedTuple

from core.errors import Unavailable, WordIndexUnavailable
from core.filters import Filters
from core.records import Scored
from core.search import Candidate, TermStatistics, Vectors
from core.vector_format import unpack_vectors
from graph.neo4j_store.cypher import history_cypher, record_cypher, schema_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import (
    Parameters,
    among,
    bounds_of,
    chunk_id,
    condition_of,
    fuzzy,
    indexed_words,
    phrase,
    speaker,
    valid_utf8,
)
from graph.neo4j_store.database.term_counts import fill_terms, forget_counts, term_vector
from graph.neo4j_store.item_writer import OVERLAP, drop_passages, folded, write_passages
from graph.text.term_vectors import (
    MOST_COUNTED,
    asked_terms,
    choose_variants,
    counted,
    estimated,
    forms,
    is_spelt,
    rarest_first,
    scores,
    without,
)
from graph.timestamps import from_microseconds


class Neo4jCandidates:
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
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"ids": valid_utf8(chunk_id(*place) for place in places), "model": model}
        parameters["states_model"] = states_model
        statement = among(record_cypher.CANDIDATES, condition)
        [row] = self._database.rows(statement, **parameters)
        if not all(map(_is_whole, row["candidates"])):  # removed meanwhile, or cut anew: then it is there again
            [row] = self._database.rows(statement, **parameters)
        return [_candidate(values) for values in row["candidates"] if _is_whole(values)]

    def text_hashes(
        self, project_id: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> dict[tuple[str, int], str]:
        condition, parameters = condition_of(project_id, filters)
        parameters["ids"] = valid_utf8(chunk_id(*place) for place in places)
        [row] = self._database.rows(among(record_cypher.TEXT_HASHES, condition), **parameters)
        return {(id_, index): digest for id_, index, digest in row["hashes"]}

    def nearby_turns(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"ids": valid_utf8(artifact_ids), "reach": reach}
        [row] = self._database.rows(among(record_cypher.TURNS_NEAR, condition), **parameters)
        return list(row["ids"])

    def known_authors(self, project_id: str, names: Sequence[str], *, as_of: datetime | None = None) -> list[str]:
        asked = [{"name": name, "speaker": speaker(name)} for name in valid_utf8(names)]
        statement = record_cypher.SPEAKERS if as_of is None else history_cypher.SPEAKERS
        [row] = self._database.rows(statement, project_id=project_id, names=asked, **bounds_of("as_of", as_of))
        return list(row["names"])

    def term_statistics(
        self, project_id: str, terms: Sequence[int], *, as_of: datetime | None = None
    ) -> TermStatistics:
        if as_of is not None:
            return self._database.read(lambda transaction: _statistics_then(transaction, project_id, terms, as_of))
        return self._database.read(lambda transaction: term_statistics(transaction, project_id, terms))

    def sample(self, project_id: str, model: str, number: int, *, as_of: datetime | None = None) -> Vectors:
        statement = record_cypher.SAMPLE if as_of is None else history_cypher.SAMPLE
        [row] = self._database.rows(
            statement, project_id=project_id, model=model, number=number, **bounds_of("as_of", as_of)
        )
        return unpack_vectors(row["vectors"])


def term_statistics(transaction: Transaction, project_id: str, terms: Sequence[int]) -> TermStatistics:
    """Return how common these terms are in the project now."""
    num_chunks, num_terms, num_with = _statistics(transaction, project_id, terms)
    return TermStatistics(num_chunks, num_terms / num_chunks if num_chunks else 0.0, num_with)


def _statistics(transaction: Transaction, project_id: str, terms: Sequence[int]) -> tuple[int, int, dict[int, int]]:
    """Return how many chunks the project has, how many terms these have, and how many have each of the terms."""
    ids = [str(term) for term in dict.fromkeys(terms)]
    [row] = transaction.rows(record_cypher.TERM_STATISTICS, project_id=project_id, ids=ids)
    num_chunks, num_terms = row["totals"]
    return num_chunks, num_terms, {int(id_): number for id_, number in row["num_with"] if number is not None}


def _statistics_then(
    transaction: Transaction, project_id: str, terms: Sequence[int], as_of: datetime
) -> TermStatistics:
    """Count the chunks on that side of the time which has fewer items, or of very many tell by a sample."""
    asked = {"project_id": project_id, "most": MOST_COUNTED + 1, **bounds_of("as_of", as_of)}
    [sides] = transaction.rows(history_cypher.SIDES, **asked)
    if min(sides["later"], sides["earlier"]) > MOST_COUNTED:
        rows = transaction.rows(history_cypher.SAMPLED_TERM_VECTORS, **asked)
        sample = [(row["was_there"], term_vector(row["terms"])) for row in rows if row["terms"] is not None]
        num_chunks, num_terms, num_with = _statistics(transaction, project_id, terms)
        return estimated(terms, (num_chunks, num_terms), num_with, sample)
    are_later = sides["later"] < sides["earlier"]
    statement = history_cypher.LATER_TERM_VECTORS if are_later else history_cypher.TERM_VECTORS
    rows = transaction.rows(statement, **asked)
    vectors = [term_vector(row["terms"]) for row in rows if row["terms"] is not None]
    if not are_later:
        return counted(terms, vectors)
    num_chunks, num_terms, num_with = _statistics(transaction, project_id, terms)
    return without(terms, (num_chunks, num_terms), num_with, vectors)


def _is_whole(values: Sequence[Any]) -> bool:
    """Whether the chunk and its item were there until all of it was read."""
    return None not in (*values[:4], values[9])


def _candidate(values: Sequence[Any]) -> Candidate:
    *told, number, offset, terms, vector, states, before = values
    return Candidate._make((*told, from_microseconds(number, offset), term_vector(terms), vector, states, before))


#: Phrases of one query: Lucene refuses more than 1,024 clauses.
_PHRASES: Final = 500
#: Most chunks of one answer: a few megabytes.
_PAGE: Final = 5_000
#: How long an index may take to be filled.
_READY_SECONDS: Final = 3_600
#: Nodes that `rebuild` writes in one transaction.
_BATCH: Final = 1_000


#: The indexes without which words are not searched.
_OF_CHUNKS: Final = ("words", "spellings")
#: What Neo4j says of an index that does not exist.
NO_SUCH_INDEX: Final = "no such fulltext schema index"


class _Match(NamedTuple):
    """A chunk that holds one of the words; a named tuple because a question makes thousands."""

    artifact_id: str
    index: int  # type: ignore[assignment]  # as everywhere; nobody asks a match for `tuple.index`
    terms: bytes
    num_stop_words: int


class Neo4jWords:
    """Fulfils `graph.protocols.search.Words`.

    Lucene finds; its own BM25 is not used: it counts the terms of all projects of the database.
    """

    _database: Database

    def search(
        self,
        project_id: str,
        terms: Sequence[str],
        filters: Filters,
        limit: int,
        *,
        enough: int | None = None,
    ) -> list[Scored]:
        phrases = {term: found for term in dict.fromkeys(terms) if (found := phrase(term)) is not None}
        if not phrases or limit < 1:
            return []
        condition, parameters = condition_of(project_id, filters)
        of_words = {word: asked_terms(word) for word in phrases}
        every = list({term for of_word in of_words.values() for term in of_word})

        def work(transaction: Transaction) -> list[Scored]:
            found: list[Scored] = []
            statistics = term_statistics(transaction, project_id, every)
            for some in rarest_first(of_words, statistics.num_with, limit):
                wanted = [one for word in some for one in forms(word, phrases[word], statistics.num_with)]
                stop_words = [phrases[word].replace('"', " ") for word in some if not of_words[word]]
                pages = _matches(
                    transaction,
                    among(record_cypher.MATCHES, condition),
                    _queries(project_id, wanted),
                    parameters | {"stop_words": stop_words},
                    limit,
                )
                found = _best(pages, [term for word in some for term in of_words[word]], statistics, limit)
                if len(found) >= (limit if enough is None else min(enough, limit)):
                    break
            return found

        with self._indexed():
            return self._database.read(work)

    def spelling_variants(self, project_id: str, words: Sequence[str]) -> dict[str, list[str]]:
        queries = [[word, fuzzy(project_id, word)] for word in words if is_spelt(word)]
        with self._indexed():
            rows = self._database.rows(record_cypher.NEAR, queries=queries) if queries else []
        found = {row["word"]: choose_variants(row["word"], dict(row["found"])) for row in rows}
        return {word: some for word, some in found.items() if some}

    @contextmanager
    def _indexed(self) -> Iterator[None]:
        """Tell an index that is being made, or was lost, from a record that does not answer.

        The error is looked at as well: an index that was missing may be back when its state is asked for.
        """
        try:
            yield
        except Unavailable as error:
            if NO_SUCH_INDEX not in str(error) and self._is_online():
                raise
            raise WordIndexUnavailable(
                "The full-text index of Neo4j is being made, or was lost: wait, or run `remembrancer reindex --what "
                "keywords`."
            ) from error

    def _is_online(self) -> bool:
        return len(self._database.rows(schema_cypher.ONLINE_WORDS, names=list(_OF_CHUNKS))) == len(_OF_CHUNKS)

    def search_substrings(
        self, project_id: str, fragments: Sequence[str], filters: Filters, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        wanted = list(dict.fromkeys(folded(fragment) for fragment in fragments if fragment))
        if len(valid_utf8(wanted)) < len(wanted):
            return [], 0
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"fragments": list(dict.fromkeys(fragment[:OVERLAP] for fragment in wanted))}
        if any(len(fragment) > OVERLAP for fragment in wanted):
            statement = among(record_cypher.HOLDING_CONTENTS, condition)
            rows = self._database.rows(statement, **parameters)
            ids = [row["id"] for row in rows if all(fragment in folded(row["content"]) for fragment in wanted)]
            return ids[offset : offset + limit], len(ids)
        statement = among(record_cypher.HOLDING_PAGE if wanted else record_cypher.STASHED, condition)
        [row] = self._database.rows(statement, limit=limit, offset=offset, **parameters)
        return list(row["page"]), int(row["total"])

    def rebuild(self) -> int:
        """Do as promised, in many transactions: others may write meanwhile, and after a stop it can be run again."""
        self._make_indexes()
        projects = self._database.read(lambda tx: [row["id"] for row in tx.rows(schema_cypher.ALL_PROJECTS)])
        for project_id in projects:
            self._rebuild_passages(project_id)
        number = 0
        for project_id in projects:
            number += self._rebuild_words(project_id)
            forget_counts(self._database, project_id)
        fill_terms(self._database)
        return number

    def _make_indexes(self) -> None:
        """Make both indexes of nothing but the record: words that stay equal are no news to one that lost them."""
        for name, statement in schema_cypher.WORD_INDEXES.items():
            self._database.define(schema_cypher.DROP_INDEX[name])
            self._database.define(statement)
        names = list(schema_cypher.WORD_INDEXES)
        self._database.write(
            lambda tx: tx.run(schema_cypher.AWAIT_THESE, names=names, seconds=_READY_SECONDS),
            seconds=_READY_SECONDS + 10,
        )

    def _rebuild_words(self, project_id: str) -> int:
        def work(transaction: Transaction) -> list[str]:
            transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
            rows = transaction.rows(record_cypher.CHUNKS_AFTER, project_id=project_id, last=last, batch=_BATCH)
            written = [{"id": row["id"], "words": indexed_words(row["text"])} for row in rows]
            transaction.run(record_cypher.SET_WORDS, project_id=project_id, rows=written)
            return [row["id"] for row in rows]

        number, last = 0, ""
        while ids := self._database.write(work):
            number, last = number + len(ids), ids[-1]
        return number

    def _rebuild_passages(self, project_id: str) -> None:
        ids = self._database.read(
            lambda tx: [row["id"] for row in tx.rows(record_cypher.STASHED_IDS, project_id=project_id)]
        )
        for id_ in ids:
            self._database.write(partial(_renew_passages, project_id, id_))


def _renew_passages(project_id: str, artifact_id: str, transaction: Transaction) -> None:
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    drop_passages(transaction, project_id, [artifact_id])
    write_passages(transaction, project_id, artifact_id)


def _queries(project_id: str, phrases: Sequence[str]) -> list[str]:
    """Return queries of Lucene's: any of the phrases, in one project."""
    slices = (phrases[start : start + _PHRASES] for start in range(0, len(phrases), _PHRASES))
    return [f'+project_id:"{project_id}" +words:({" ".join(some)})' for some in slices]


def _matches(
    transaction: Transaction, statement: LiteralString, queries: Sequence[str], parameters: Parameters, enough: int
) -> Iterator[list[_Match]]:
    """Yield the chunks that the queries find, a page at a time; one that several find comes several times.

    Lucene has the best of the database first: the pages behind one that brings each query to `enough` are not read.
    """
    for query in queries:
        found = 0
        for skip in itertools.count(0, _PAGE):
            [row] = transaction.rows(statement, **parameters, query=query, skip=skip, page=_PAGE)
            # What was removed meanwhile has no place or text any more.
            page = [
                _Match(artifact_id, index, term_vector(terms), num_stop_words)
                for artifact_id, index, terms, num_stop_words in row["matches"]
                if None not in (artifact_id, index, terms)
            ]
            yield page
            found += len(page)
            if row["number"] < _PAGE or found >= enough:
                break


def _best(
    pages: Iterable[Sequence[_Match]], terms: Sequence[int], statistics: TermStatistics, limit: int
) -> list[Scored]:
    """Return the best of the chunks; equal ones by their place."""
    best: list[Scored] = []
    for page in pages:
        column = scores([one.terms for one in page], [one.num_stop_words for one in page], terms, statistics)
        hits = (Scored(one.artifact_id, one.index, score) for one, score in zip(page, column.tolist(), strict=True))
        once = {(hit.artifact_id, hit.index): hit for hit in (*best, *hits)}
        best = sorted(once.values(), key=lambda hit: (-hit.score, hit.artifact_id, hit.index))[:limit]
    return best
