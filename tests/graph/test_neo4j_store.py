"""What only the Neo4j engine promises of items and words: what its statements read, its limits, and its errors."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from neo4j import Driver, Record

from core.errors import InvalidInput, Unavailable
from core.filters import Filters
from core.records import DeletionCounts, embedding_key
from core.search import TermStatistics
from graph.neo4j_store import Neo4jStore, search
from graph.neo4j_store.cypher import knowledge_cypher
from graph.neo4j_store.database import term_counts
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.item_writer import OVERLAP, PASSAGE
from graph.text import term_vectors
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, STORED_AT, at, everything, item, pieces, row
from tests.graph.neo4j_raw import Neo4jRaw

#: What a statement may read of the store for the 20 items it answers with: 15 properties each, twice over.
FEW = 600
MANY = 1_500
LISTS: tuple[dict[str, Any], ...] = (
    {},
    {"context": "note"},
    {"source": "wiki"},
    {"source": "wiki", "context": "note"},
    {"date_from": at(10), "date_to": at(20)},
    {"as_of": at(50), "include_stashed": False},
    {"context": "note", "as_of": at(50), "sensitivity": "normal"},
)
LOOK_UPS: dict[str, Callable[[Neo4jStore, Filters], object]] = {
    "turns": lambda store, asked: store.turns(PROJECT, "c", asked, 20, 0),
    "turns_around": lambda store, asked: store.turns_around(PROJECT, "c", 700, asked),
    "by_key": lambda store, asked: store.by_key(PROJECT, "key 7", asked),
    "by_key, often replaced": lambda store, asked: store.by_key(PROJECT, "key 8", asked),
    "by_fingerprint": lambda store, _: store.by_fingerprint(PROJECT, "f7"),
    "get": lambda store, _: store.get(PROJECT, ["art_7"]),
    "chunks": lambda store, _: store.chunks(PROJECT, ["art_7"]),
    "chunks_at": lambda store, _: store.chunks_at(PROJECT, [("art_7", 0)]),
    "passing": lambda store, asked: store.matching_ids(PROJECT, ["art_7"], asked),
    "candidates": lambda store, asked: store.candidates(PROJECT, "m", [("art_7", 0)], asked),
    "turns_near": lambda store, asked: len(store.nearby_turns(PROJECT, ["art_7", "art_700"], 5, asked)) == 22,
    "authors": lambda store, _: store.known_authors(PROJECT, ["Ana", "bo"]) == ["Ana"],
    "term_statistics": lambda store, _: store.term_statistics(PROJECT, [1, 2]),
    "sample": lambda store, _: len(store.sample(PROJECT, "m", 20)) == 20,
    "each": lambda store, _: next(store.each(PROJECT, batch=20)),
    "revisions": lambda store, _: store.revisions(PROJECT, "art_7") == [],
    "projects": lambda store, _: store.projects(),
    "unread": lambda store, _: store.unread_languages(PROJECT) == {},
    "changed_since": lambda store, _: not store.changed_since(PROJECT, at(1)),
    "stashes": lambda store, asked: store.search_substrings(PROJECT, [], asked, 20) == ([], 0),
    "cached_vectors": lambda store, _: store.cached_vectors("m", ["h7"]),
    "stash": lambda store, _: store.stash(PROJECT, ["art_7"], stashed=True),
    "remove": lambda store, _: store.remove(PROJECT, ["art_7"], dry_run=True) == DeletionCounts(1, 0, 0),
}


@pytest.fixture
def raw(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> Neo4jRaw:
    """Look into the database of the store."""
    return Neo4jRaw(neo4j_driver)


@pytest.fixture
def crowd(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> None:
    """Plant many items, a third of each source and context, all turns of one conversation, an hour apart.

    One has replaced as many others, newer than they are and in every other way like them.
    """
    neo4j_driver.execute_query(
        """UNWIND range(0, $many - 1) AS n
        CREATE (a:Artifact {project_id: $project_id, listed_in: $project_id, id: 'art_' + n, fingerprint: 'f' + n,
            number: n, content: 'text', given: '{}', token_count: 1, num_chunks: 1, frequency: 1, stashed: false,
            tags: [], importance: 0.5, sensitivity: 'normal', context: ['email', 'note', 'chat'][n % 3],
            source: ['mail', 'wiki', 'chat'][n / 3 % 3], conversation_id: 'c', turn_index: n, key: 'key ' + n,
            happened_at: $start + duration({hours: n}), created_at: $start, updated_at: $start, last_occurred: $start,
            speaker: 'ana lopez'})
        CREATE (c:Chunk {project_id: $project_id, id: 'art_' + n + ':0', artifact_id: 'art_' + n, index: 0,
            text: 'text', prefix: '', start_char: 0, end_char: 4, token_count: 1, hash: 'h' + n, words: 'text'})
        CREATE (c)-[:PART_OF]->(a)
        CREATE (:Term {project_id: $project_id, id: toString(n), num_chunks: 1})
        CREATE (:Embedding {project_id: '*', id: 'm/h' + n, model: 'm', hash: 'h' + n, vector: $vector})
        CREATE (b:Artifact) SET b = a {.*, id: 'old_' + n, fingerprint: 'o' + n, number: $many + n, listed_in: null,
            replaced_by: 'art_8', key: 'key 8', context: 'chat', happened_at: a.happened_at + duration({years: 1})}
        WITH count(*) AS many MERGE (:Partition {project_id: $project_id, id: $project_id, number: 2 * many})""",
        many=MANY,
        project_id=PROJECT,
        start=STORED_AT,
        vector=row(1).tobytes(),
    )
    neo4j_driver.execute_query("CALL db.prepareForReplanning()")


@pytest.fixture
def hits(neo4j_store: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect how many times each statement that returns rows reads the store, once that is open."""
    neo4j_store.ping()
    collected: list[int] = []

    def profiled(self: Transaction, statement: str, /, **parameters: object) -> list[Record]:
        result = self._transaction.run(f"PROFILE {statement}", parameters)
        rows = list(result)
        collected.append(total(result.consume().profile or {}))
        return rows

    monkeypatch.setattr(Transaction, "rows", profiled)
    return collected


def total(plan: dict[str, Any]) -> int:
    """Return how many times a plan and all its parts read the store."""
    own: int = plan.get("args", {}).get("DbHits", 0)
    return own + sum(total(part) for part in plan.get("children", ()))


@pytest.mark.usefixtures("crowd")
def test_lists_are_read_in_the_order_of_an_index(neo4j_store: Neo4jStore, hits: list[int]) -> None:
    """A page costs what it shows, however many items there are."""
    for conditions in LISTS:
        hits.clear()
        found = neo4j_store.newest(PROJECT, everything(**conditions), 20)
        assert len(found) == 20
        assert all(one.replaced_by is None for one in found)
        assert sum(hits) < FEW, conditions


@pytest.mark.usefixtures("crowd")
def test_stashes_are_read_without_the_other_items(neo4j_store: Neo4jStore, hits: list[int]) -> None:
    """Those set aside and those remembered as a stash, each once; the others are not looked at."""
    both, named, aside, _ = stashes = [
        item("both", context="stash", stashed=True, date="2026-07-04"),
        item("named", context="stash", date="2026-07-03"),
        item("aside", stashed=True, date="2026-07-02"),
        item("elsewhere", project="other", stashed=True),
    ]
    for one in stashes:
        neo4j_store.add(one, pieces(one), [])
    asked = everything(stashes=True)
    hits.clear()

    assert [one.id for one in neo4j_store.newest(PROJECT, asked, 20)] == [both.id, named.id, aside.id]
    assert neo4j_store.count(PROJECT, asked) == 3
    assert len(neo4j_store.chunk_refs(PROJECT, asked, 10)) == 3
    assert neo4j_store.facets(PROJECT, asked, 5).types.values == (("stash", 2), ("document", 1))
    assert sum(hits) < FEW


@pytest.mark.usefixtures("crowd")
def test_what_is_looked_up_is_found_by_an_index(neo4j_store: Neo4jStore, hits: list[int]) -> None:
    """One item, chunk or turn costs the same among many."""
    for name, read in LOOK_UPS.items():
        hits.clear()
        assert read(neo4j_store, everything()), name
        assert sum(hits) < FEW, name


@pytest.mark.usefixtures("crowd")
def test_an_item_is_stored_at_the_same_cost_under_a_key_that_was_often_replaced(
    neo4j_store: Neo4jStore, hits: list[int]
) -> None:
    """Revisions are not in the indexes that find it."""
    given = item("once more", key="key 8", context="chat")
    assert neo4j_store.add(given, pieces(given), []).replaced == "art_8"
    assert sum(hits) < FEW


@pytest.mark.usefixtures("crowd")
def test_a_search_reads_the_chunks_of_the_rarest_words(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: list[int]
) -> None:
    """Those of a word that all items have are read only where the others do not find enough."""
    neo4j_driver.execute_query(
        "CREATE (:Term {project_id: $project_id, id: $id, num_chunks: $many})",
        {"project_id": PROJECT, "id": str(term_vectors.terms("text")[0]), "many": MANY},
    )
    given = item("zebra text")
    neo4j_store.add(given, pieces(given), [])
    hits.clear()
    [found] = neo4j_store.search(PROJECT, ["text", "zebra"], everything(), 20, enough=1)
    assert found.artifact_id == given.id
    assert sum(hits) < FEW

    assert len(neo4j_store.search(PROJECT, ["text"], everything(), 20)) == 20
    found_then = neo4j_store.search(PROJECT, ["text"], everything(date_from=at(50), date_to=at(50)), 20)
    assert [hit.artifact_id for hit in found_then] == ["art_1200"]


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
def test_a_common_word_of_a_large_project_is_read_in_pages(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best of 20,000 chunks are in the first page."""
    monkeypatch.setattr(search, "_PAGE", 3_000)
    most: list[int] = []
    real = Transaction.rows

    def noted(self: Transaction, statement: str, /, **parameters: object) -> list[Record]:
        rows = real(self, statement, **parameters)
        most.extend(len(row["matches"]) for row in rows if "matches" in dict(row))
        return rows

    given = [item(f"text {'text ' * number}{number}") for number in range(5)]
    for one in given:
        neo4j_store.add(one, pieces(one), [])
    for first in range(0, 20_000, 2_000):
        neo4j_driver.execute_query(
            """MATCH (a:Artifact {project_id: $project_id, id: $id})<-[:PART_OF]-(c:Chunk)
            UNWIND range($first + 1, $first + 2000) AS n
            CREATE (b:Artifact) SET b = a {.*, id: 'art_' + n, fingerprint: 'f' + n, number: 10 + n}
            CREATE (d:Chunk)-[:PART_OF]->(b) SET d = c {.*, id: b.id + ':0', artifact_id: b.id}
            WITH count(*) AS made
            MATCH (p:Partition {project_id: $project_id, id: $project_id}) SET p.num_chunks = p.num_chunks + made
            WITH made MATCH (t:Term {project_id: $project_id, id: $term}) SET t.num_chunks = t.num_chunks + made""",
            {"project_id": PROJECT, "id": given[0].id, "first": first, "term": str(term_vectors.terms("text")[0])},
        )
    monkeypatch.setattr(Transaction, "rows", noted)
    found = neo4j_store.search(PROJECT, ["text"], everything(), 4)

    assert [hit.artifact_id for hit in found] == [one.id for one in reversed(given[1:])]
    assert most == [3_000]  # the best come first, so that no further page is read


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
def test_a_name_is_completed_by_an_index(neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: list[int]) -> None:
    """At the cost of the names that fit, however many others the project and its neighbours have."""
    for first in range(0, 20_000, 2_000):
        neo4j_driver.execute_query(
            """UNWIND ['other', $project_id] AS project UNWIND range($first, $first + 1999) AS n
            CREATE (e:Entity:Person {project_id: project, id: 'ent_' + n, type: 'person', name: 'Ana Berg' + n,
                aliases: [], mention_count: n})
            CREATE (e)-[:KNOWN_AS]->(:Name:Internal {project_id: project, id: 'n' + n, name: 'ana berg' + n})""",
            {"project_id": PROJECT, "first": first},
        )
    for asked, number in (("ANA berg1234", 11), ("berg19999", 1), ("ana", 20), ("", 20)):
        hits.clear()
        assert len(neo4j_store.entities_by_prefix(PROJECT, asked, 20)) == number
        assert sum(hits) < FEW, asked


@pytest.mark.usefixtures("crowd")
def test_a_tag_that_few_items_have_is_found_by_an_index(
    neo4j_store: Neo4jStore, raw: Neo4jRaw, hits: list[int]
) -> None:
    """Also together with other conditions, and where no item has it."""
    for number in range(3):
        given = item(f"Tagged {number}", tags=("Garden_Bed/Roses",), context="note", stored=at(number))
        raw.plant(given, pieces(given))
    hits.clear()
    for asked, number in (("garden bed", 3), ("GARDEN-BED/roses", 3), ("roses", 0)):
        for conditions in ({"tags": (asked,)}, {"any_tags": (asked, "none"), "context": "note"}):
            filters = everything(**conditions)
            assert neo4j_store.count(PROJECT, filters) == number
            assert len(neo4j_store.chunk_refs(PROJECT, filters, 10)) == number
            assert [one.memory.content for one in neo4j_store.newest(PROJECT, filters, 10)] == [
                f"Tagged {2 - back}" for back in range(number)
            ]
            assert dict(neo4j_store.facets(PROJECT, filters, 10).types.values) == ({"note": 3} if number else {})
    assert sum(hits) < 2 * FEW


def test_a_tag_of_any_signs_is_found_at_once_and_nothing_else(neo4j_store: Neo4jStore) -> None:
    """Signs of Lucene's language, blanks, the longest tag, and that of another project."""
    tags = [*HOSTILE, '"', "\\", 'a"b\\', "AND", "*", "?", "x*", "[a TO b]", "+", "~", "\x01", "Straße", "语" * 2_000]
    for tag in tags:
        given = item(f"Tagged {tag}"[:60], tags=(tag, "of all"))
        neo4j_store.add(given, pieces(given), [])
        for conditions in ({"tags": (tag, "OF_ALL")}, {"any_tags": (tag, "none")}):
            assert [one.id for one in neo4j_store.newest(PROJECT, everything(**conditions), 10)] == [given.id], tag
    assert neo4j_store.count(PROJECT, everything(any_tags=tuple(tags))) == len(tags)
    assert neo4j_store.count(OTHER, everything(any_tags=tuple(tags))) == 0


@pytest.mark.usefixtures("crowd")
def test_the_mentions_of_a_hub_cost_what_is_shown(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: list[int]
) -> None:
    """They are those that reading all of them finds."""
    neo4j_driver.execute_query(
        """MATCH (p:Partition {project_id: $project_id}) SET p.num_chunks = $many
        CREATE (e:Entity:Person {project_id: $project_id, id: 'ent_1'})
        WITH e MATCH (c:Chunk {project_id: $project_id}) CREATE (c)-[:MENTIONS]->(e)""",
        {"project_id": PROJECT, "many": MANY},
    )
    found = neo4j_store.mentions(PROJECT, ["ent_1"], everything(), 20)

    assert sum(hits) < FEW
    assert found == neo4j_store.mentions(PROJECT, ["ent_1", "ent_2"], everything(), 20)
    assert [hit.artifact_id for hit in found] == [f"art_{n}" for n in range(MANY - 1, MANY - 21, -1)]


def test_the_trail_is_read_and_shortened_at_the_cost_of_what_is_shown_or_goes(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: list[int]
) -> None:
    """However long it is, and whatever other projects wrote."""
    neo4j_driver.execute_query(
        """UNWIND range(1, $many) AS n CREATE (:AuditEntry {project_id: $project_id, id: toString(n), number: n,
            at: $start + duration({hours: n}), act: 'remember', by: 'a', client: 'c', things: 1, ids: []})""",
        {"project_id": PROJECT, "many": MANY, "start": STORED_AT},
    )
    neo4j_driver.execute_query("CALL db.prepareForReplanning()")

    assert [one.at for one in neo4j_store.audit_trail(PROJECT, limit=2)] == [
        STORED_AT + timedelta(hours=MANY - back) for back in range(2)
    ]
    assert neo4j_store.rotate_audit(STORED_AT, MANY - 5) == 5
    assert neo4j_store.rotate_audit(STORED_AT + timedelta(hours=9), MANY) == 3
    assert sum(hits) < FEW
    assert neo4j_store.rotate_audit(STORED_AT, 0) == MANY - 8


def test_adding_an_item_takes_few_statements(neo4j_store: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a way to the server and back."""
    said: list[str] = []
    for name in ("rows", "run"):
        method = getattr(Transaction, name)

        def noted(self: Transaction, statement: str, /, method: Any = method, **parameters: object) -> object:
            said.append(statement)
            return method(self, statement, **parameters)

        monkeypatch.setattr(Transaction, name, noted)
    given = item("One of many.", key="k", stashed=True)
    neo4j_store.add(given, pieces(given), ["embed", "extract"])

    assert len(said) <= 7


def test_the_longest_content_goes_in_and_out_whole(neo4j_store: Neo4jStore) -> None:
    """Ten million characters, their chunks, and what is found at their end."""
    content = "zebra " * 1_666_660 + " the end of it all"
    given = item(content, stashed=True, num_chunks=11_111)
    chunks = pieces(given, size=1_000, overlap=100)
    neo4j_store.add(given, chunks, [])

    assert neo4j_store.get(PROJECT, [given.id]) == {given.id: given}
    assert neo4j_store.chunks(PROJECT, [given.id]) == {given.id: chunks}
    assert neo4j_store.search(PROJECT, ["end"], everything(), 5)[0].index == len(chunks) - 1
    assert neo4j_store.search_substrings(PROJECT, ["END OF it"], everything(), 5) == ([given.id], 1)
    assert neo4j_store.remove(PROJECT, [given.id]) == DeletionCounts(len(chunks), 0, 0)


def test_the_longest_fields_are_looked_up(neo4j_store: Neo4jStore) -> None:
    """2,000 characters of four bytes each are under the size that a key of an index may have."""
    long = "𐍈" * 2_000
    given = item(key=long, source=long, conversation_id=long, turn_index=2**53, title=long, tags=(long,))
    neo4j_store.add(given, pieces(given), [])

    assert neo4j_store.by_key(PROJECT, long, everything(source=long, tags=(long,))) == [given]
    assert neo4j_store.turns(PROJECT, long, everything(), 5, 0) == [given]


@pytest.mark.parametrize("length", [OVERLAP, OVERLAP + 1, PASSAGE, 3 * PASSAGE])
def test_a_fragment_is_found_wherever_passages_end(neo4j_store: Neo4jStore, length: int) -> None:
    """Also one that is longer than what they share, of which only the beginning is looked up in them."""
    words = " ".join(str(number) for number in range(5_000))
    given, other = item(words, stashed=True), item(words.replace("4999", "x"), stashed=True)
    for one in (given, other):
        neo4j_store.add(one, pieces(one), [])

    for start in (0, PASSAGE - OVERLAP, PASSAGE - length // 2, len(words) - length):
        fragment = words[max(0, start) :][:length]
        expected = {given.id} if "4999" in fragment else {given.id, other.id}
        ids, number = neo4j_store.search_substrings(PROJECT, [fragment], everything(), 5)
        assert (set(ids), number) == (expected, len(expected))
    assert neo4j_store.search_substrings(PROJECT, [f"{words[:length]}!"], everything(), 5) == ([], 0)


@pytest.mark.parametrize("statement", [knowledge_cypher.SAID_BEFORE, knowledge_cypher.SAID_LATER])
def test_who_said_it_is_looked_up_even_by_a_plan_made_for_an_empty_database(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, statement: str
) -> None:
    """A server that has just been filled still runs such plans: one that reads all for each saying takes minutes."""
    neo4j_store.projects()
    with neo4j_driver.session() as session:
        session.run("CALL db.clearQueryCaches()").consume()
        asked = {"sayings": [[1, 2, 3]], "project_id": PROJECT, "id": "a", "limit": 3}
        plan = session.run(f"EXPLAIN {statement}", asked).consume().plan

    steps = list(steps_of(plan or {"operatorType": "none"}))
    assert not [step for step in steps if "Join" in step or "Scan" in step]
    assert [step for step in steps if step.startswith("NodeIndexSeek")]


def steps_of(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"]
    for child in plan.get("children", []):
        yield from steps_of(child)


def test_an_index_that_was_dropped_is_made_again(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> None:
    """By rebuilding the words; until then a search says that it can't be answered."""
    given = item("Some needle.", stashed=True)
    neo4j_store.add(given, pieces(given), [])
    # Without its marker the schema is made when the next test opens the store, whatever comes of this one.
    neo4j_driver.execute_query("MATCH (m:Marker {id: 'neo4j: schema'}) DELETE m")
    for name in ("words", "passages"):
        neo4j_driver.execute_query(f"DROP INDEX {name}")
    with pytest.raises(Unavailable, match="words"):
        neo4j_store.search(PROJECT, ["needle"], everything(), 5)

    assert neo4j_store.rebuild() == 1
    assert [hit.artifact_id for hit in neo4j_store.search(PROJECT, ["needle"], everything(), 5)] == [given.id]
    assert neo4j_store.search_substrings(PROJECT, ["needle"], everything(), 5) == ([given.id], 1)


def test_rebuilding_words_makes_their_indexes_anew(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> None:
    """Equal words are no change to the server: an index that had lost some would not get them back by writing them."""

    def ids() -> dict[str, int]:
        found = neo4j_driver.execute_query("SHOW INDEXES YIELD name, id WHERE name IN ['words', 'passages']")
        return {row["name"]: row["id"] for row in found.records}

    before = ids()
    assert neo4j_store.rebuild() == 0

    assert len(before) == 2
    assert not set(before.values()) & set(ids().values())


def test_terms_and_counts_that_were_lost_are_made_anew(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, raw: Neo4jRaw
) -> None:
    """By rebuilding, whatever became of them; a chunk without terms is ranked by its text until then."""
    given = [item(f"Boat {number}. Mast.") for number in range(3)]
    for one in given:
        neo4j_store.add(one, pieces(one), [])
    boat, mast, sail = term_vectors.terms("boat mast sail")
    neo4j_driver.execute_query("MATCH (c:Chunk {artifact_id: $id}) REMOVE c.terms", id=given[0].id)
    neo4j_driver.execute_query("MATCH (c:Chunk {artifact_id: $id}) SET c.terms = $terms", id=given[1].id, terms=b"")
    neo4j_driver.execute_query("MATCH (t:Term {id: $id}) DELETE t", id=str(boat))
    neo4j_driver.execute_query("MATCH (t:Term {id: $id}) SET t.id = $other", id=str(mast), other=str(sail))
    neo4j_driver.execute_query("MATCH (p:Partition) SET p.num_chunks = 9, p.num_terms = 0")
    [without] = neo4j_store.candidates(PROJECT, "m", [(given[0].id, 0)], everything())
    assert without.terms == term_vectors.pack_counts("Boat 0. Mast.")

    assert neo4j_store.rebuild() == 3

    raw.check()
    assert neo4j_store.term_statistics(PROJECT, [boat, mast, sail]) == TermStatistics(3, 3.0, {boat: 3, mast: 3})


def test_counts_are_exact_when_others_write_while_words_are_rebuilt(
    neo4j_store: Neo4jStore, raw: Neo4jRaw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunks come, go and are cut anew between any two steps."""
    monkeypatch.setattr(search, "_BATCH", 7)
    monkeypatch.setattr(term_counts, "_BATCH", 5)
    monkeypatch.setattr(term_counts, "_TERMS", 3)
    first = [item(f"Boat number {number}. Two masts.", key=f"k{number}") for number in range(20)]
    for one in first:
        neo4j_store.add(one, pieces(one, size=13), [])

    def write(number: int) -> None:
        again = item(f"Sail number {number}. No mast.", key=f"k{number}")
        neo4j_store.add(again, pieces(again, size=9), [])
        neo4j_store.rechunk(PROJECT, again.id, pieces(again, size=5 + number))
        neo4j_store.remove(PROJECT, [first[number].id if number % 2 else again.id])

    with ThreadPoolExecutor(4) as pool:
        rebuilt = pool.submit(neo4j_store.rebuild)
        list(pool.map(write, range(20)))
    assert rebuilt.result() > 0

    raw.check()


def test_chunks_of_nothing_hide_none_that_are_found(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> None:
    """Hits that belong to no item any more don't count as all there is."""
    neo4j_driver.execute_query(
        """UNWIND range(1, $many) AS n CREATE (:Chunk {project_id: $project_id, id: 'art_0:' + n, artifact_id: 'art_0',
            index: n, words: 'needl'})""",
        many=MANY,
        project_id=PROJECT,
    )
    given = item("A needle in some hay.")
    neo4j_store.add(given, pieces(given), [])

    assert [hit.artifact_id for hit in neo4j_store.search(PROJECT, ["needle"], everything(), 5)] == [given.id]


def test_a_conversation_goes_with_its_last_turn(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> None:
    """Its node stands for its turns, and for nothing when they are gone."""
    turns = [
        item(f"turn {n}", context="conversation", conversation_id="c", turn_index=n, stored=at(n)) for n in range(3)
    ]
    for turn in turns:
        neo4j_store.add(turn, pieces(turn), [])

    def conversations() -> list[tuple[str, int]]:
        found = neo4j_driver.execute_query("MATCH (v:Conversation) RETURN v.id, COUNT { (v)<-[:TURN_OF]-() }")
        return [(id_, number) for id_, number in found.records]

    assert conversations() == [("c", 3)]
    neo4j_store.remove(PROJECT, [turns[0].id])
    assert conversations() == [("c", 2)]
    neo4j_store.remove(PROJECT, [turn.id for turn in turns])
    assert conversations() == []


def test_an_embedding_never_outlives_its_text(neo4j_store: Neo4jStore, raw: Neo4jRaw) -> None:
    """One on its way in while its text is forgotten comes too late or goes with it, never between the two."""
    given = [item(f"text {number}") for number in range(16)]
    for one in given:
        neo4j_store.add(one, pieces(one), [])

    def forget_and_embed() -> Iterator[Callable[[], object]]:
        for one in given:
            yield lambda id_=one.id: neo4j_store.remove(PROJECT, [id_])  # type: ignore[misc]  # of a default
            key = embedding_key(PROJECT, one.memory.content)
            yield lambda key=key: neo4j_store.cache_vectors("m", {key: row(1)})  # type: ignore[misc]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda work: work(), forget_and_embed()))

    assert raw.embedded("m") == []


def test_half_a_surrogate_pair_is_invalid_input(neo4j_store: Neo4jStore) -> None:
    """It can't be sent; as an id it is one that is not stored."""
    with pytest.raises(InvalidInput, match="Unicode"):
        neo4j_store.by_key(PROJECT, "\ud800", everything())
    with pytest.raises(InvalidInput, match="Unicode"):
        neo4j_store.set_metadata_value("name", "\udfff")
    assert neo4j_store.get(PROJECT, ["\ud800"]) == {}


def test_a_closed_store_says_so(neo4j_store: Neo4jStore) -> None:
    """Every method is unavailable, and closing again is no error."""
    neo4j_store.close()
    neo4j_store.close()

    with pytest.raises(Unavailable, match="closed"):
        neo4j_store.get(PROJECT, ["art_0"])
