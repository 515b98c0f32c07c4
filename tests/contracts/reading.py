"""What every engine promises of reading `graph.protocols.records.Records`; items are planted without the store."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from core.filters import Filters
from core.records import Artifact, Counts, JobReport, embedding_key
from graph.store import Store
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, at, entity, event, everything, item, pieces, row
from tests.contracts.raw import Raw

#: Each filter with the fields of an item that passes it and of one that does not.
CASES: tuple[tuple[dict[str, Any], dict[str, Any], dict[str, Any]], ...] = (
    ({"context": "email"}, {"context": "email"}, {"context": "note"}),
    ({"tags": ("a",)}, {"tags": ("a", "b")}, {"tags": ("ab", "b/a", "b")}),
    ({"tags": ("a", "b")}, {"tags": ("b", "a", "c")}, {"tags": ("a", "a b")}),
    ({"tags": ("a%",)}, {"tags": ("a%",)}, {"tags": ("ab",)}),
    ({"tags": ("#Old_Mill",)}, {"tags": ("ＯＬＤ-mill/wheel",)}, {"tags": ("old", "oldmill", "wheel/old mill")}),
    ({"any_tags": ("c", "old mill/WHEEL")}, {"tags": ("Old-Mill/Wheel/hub",)}, {"tags": ("old mill", "old mill/w")}),
    ({"any_tags": ("b", "c")}, {"tags": ("a", "b")}, {"tags": ("bc", "a/b", "a")}),
    ({"file_path": "src/a.py"}, {"file_path": "src/a.py"}, {"file_path": "src/A.py"}),
    ({"file_path": "a\0b"}, {"file_path": "a\0b"}, {"file_path": "a"}),
    ({"task_id": "T-1"}, {"task_id": "T-1"}, {"task_id": "T-10"}),
    ({"stored_until": at(1)}, {"stored": at(1)}, {"stored": at(1) + timedelta(microseconds=1), "date": "2026-02-01"}),
    ({"date_from": at(1)}, {"date": "2026-03-02T12:00:00Z"}, {"date": "2026-03-02T11:59:59.999999Z"}),
    ({"date_to": at(1)}, {"date": "2026-03-02T12:00:00Z"}, {"date": "2026-03-02T12:00:00.000001Z"}),
    ({"as_of": at(1)}, {"date": "2026-03-02T12:00:00Z"}, {"date": "2026-03-02T12:00:00.000001Z"}),
    ({"conversation_id": "c1"}, {"conversation_id": "c1"}, {"conversation_id": "c10"}),
    ({"source": "mail"}, {"source": "mail"}, {"source": "Mail"}),
    ({"sensitivity": "sensitive"}, {"sensitivity": "sensitive"}, {"sensitivity": "highly_sensitive"}),
    ({"min_importance": 0.7}, {"importance": 0.7}, {"importance": 0.69}),
    ({"include_stashed": False}, {"stashed": False}, {"stashed": True}),
    ({"at": at(1)}, {"expires_at": "2026-03-02T12:00:01Z"}, {"expires_at": "2026-03-02T11:59:59Z"}),
)


def plant(raw: Raw, *artifacts: Artifact) -> None:
    """Plant artifacts with one chunk each."""
    for artifact in artifacts:
        raw.plant(artifact, pieces(artifact))


class ReadingContract:
    """Every way to read items, and that each honours filters, projects, revisions and expiry."""

    def test_unknown_ids_are_left_out(self, store: Store, raw: Raw) -> None:
        """They are never an error, and neither are ids that no store gives."""
        known = item()
        plant(raw, known)
        ids = [known.id, "art_ffffffffffff", "", "x" * 500, known.id + "\0", *HOSTILE, known.id]

        assert store.get(PROJECT, ids) == {known.id: known}
        assert store.get(PROJECT, []) == {}
        assert store.matching_ids(PROJECT, ids, everything()) == {known.id}
        assert store.chunks(PROJECT, ids) == {known.id: pieces(known)}
        places = [(id_, 0) for id_ in ids] + [(known.id, 7), (known.id, -1)]
        assert store.chunks_at(PROJECT, places) == {(known.id, 0): pieces(known)[0]}

    def test_thousands_of_ids_can_be_asked_for_at_once(self, store: Store, raw: Raw) -> None:
        """No limit of the engine on parameters shows through."""
        known = item()
        plant(raw, known)
        ids = [f"art_{number:012x}" for number in range(40_000)] + [known.id]

        assert list(store.get(PROJECT, ids)) == [known.id]
        assert store.matching_ids(PROJECT, ids, everything()) == {known.id}
        assert list(store.chunks_at(PROJECT, [(id_, 0) for id_ in ids])) == [(known.id, 0)]

    def test_places_of_what_passes_are_found(self, store: Store, raw: Raw) -> None:
        """How many chunks a filter leaves is known before any is read, and no more is looked at than asked for."""
        long, short = item("One. Two. Three.", tags=("t",), num_chunks=3), item("Four.")
        raw.plant(long, pieces(long, size=6))
        plant(raw, short)
        every = {(long.id, 0), (long.id, 1), (long.id, 2), (short.id, 0)}

        assert set(store.chunk_refs(PROJECT, everything(), 9)) == every
        assert set(store.chunk_refs(PROJECT, everything(tags=("t",)), 9)) == every - {(short.id, 0)}
        assert len(set(store.chunk_refs(PROJECT, everything(), 3)) & every) == 3

    def test_nothing_is_read_across_projects(self, store: Store, raw: Raw) -> None:
        """Every reading method, asked in another project, answers as if the item did not exist."""
        there = item(
            "Ana said so.", project=OTHER, key="k", conversation_id="c", turn_index=1, tags=("t",), stashed=True
        )
        plant(raw, there)
        store.cache_vectors("m", {embedding_key(PROJECT, "Ana said so."): row(1)})
        asked = everything()

        assert store.get(PROJECT, [there.id]) == {}
        assert store.chunks(PROJECT, [there.id]) == {}
        assert store.chunks_at(PROJECT, [(there.id, 0)]) == {}
        assert store.matching_ids(PROJECT, [there.id], asked) == set()
        assert store.by_fingerprint(PROJECT, there.fingerprint) is None
        assert store.by_key(PROJECT, "k", asked) == store.revisions(PROJECT, there.id) == []
        assert store.newest(PROJECT, asked, 5) == store.turns(PROJECT, "c", asked, 5, 0) == []
        assert store.newest(PROJECT, everything(tags=("t",)), 5) == store.turns_around(PROJECT, "c", 0, asked) == []
        assert store.count(PROJECT, asked) == store.count_turns(PROJECT, "c", asked) == 0
        assert store.chunk_refs(PROJECT, asked, 5) == []
        assert store.recent_keys(PROJECT, 5) == store.conversation_ids(PROJECT, "c") == []
        assert list(store.each(PROJECT)) == []
        assert store.counts(PROJECT) == Counts()
        assert store.search(PROJECT, ["ana"], asked, 5) == []
        assert store.search_substrings(PROJECT, [], asked, 5) == ([], 0)
        assert store.vectors(PROJECT, "m", asked)[0] == []
        assert store.stash(PROJECT, [there.id], stashed=False) == []
        assert store.queue(PROJECT, [there.id], "embed") == 0
        assert store.job_reports(PROJECT, there.id) == []
        assert store.projects() == [OTHER]
        assert store.get(OTHER, [there.id])[there.id].stashed

    @pytest.mark.parametrize(("conditions", "passes", "fails"), CASES)
    def test_each_filter_lets_through_what_passes_and_nothing_else(
        self, store: Store, raw: Raw, conditions: dict[str, Any], passes: dict[str, Any], fails: dict[str, Any]
    ) -> None:
        """Lists, counts, checks by id and words agree on every filter."""
        good, bad = item("good word", **passes), item("bad word", **fails)
        plant(raw, good, bad)
        keys = [embedding_key(PROJECT, text) for text in ("good word", "bad word")]
        store.cache_vectors("m", {keys[0]: row(1), keys[1]: row(2)})
        filters = everything(**conditions)

        assert store.newest(PROJECT, filters, 5) == [good]
        assert store.count(PROJECT, filters) == 1
        assert store.matching_ids(PROJECT, [good.id, bad.id], filters) == {good.id}
        assert [hit.artifact_id for hit in store.search(PROJECT, ["word"], filters, 5)] == [good.id]
        assert store.vectors(PROJECT, "m", filters)[0] == [(good.id, 0)]
        assert store.count(PROJECT, everything(at=at(0))) == 2

    def test_stashes_are_what_is_in_the_stashed_tier_and_what_is_of_their_context(self, store: Store) -> None:
        """A memory of context "stash" is one wherever it is, and so is any other that was set aside."""
        shelved, kept, plain = item("One.", stashed=True, stored=at(1)), item("Two.", context="stash"), item("Three.")
        for given in (shelved, kept, plain):
            store.add(given, pieces(given), [])

        assert store.newest(PROJECT, everything(stashes=True), 5) == [shelved, kept]
        assert store.newest(PROJECT, everything(stashes=True, include_stashed=False), 5) == [kept]
        assert store.count(PROJECT, everything(stashes=True)) == 2

    @pytest.mark.parametrize(
        "field", ["context", "source", "file_path", "task_id", "conversation_id", "sensitivity", "tags", "any_tags"]
    )
    def test_an_empty_filter_asks_nothing(self, store: Store, raw: Raw, field: str) -> None:
        """As if it were not given."""
        given = item("a word")
        plant(raw, given)
        asked = everything(**{field: () if field.endswith("tags") else ""})

        assert store.newest(PROJECT, asked, 5) == [given]
        assert store.count(PROJECT, asked) == 1
        assert [hit.artifact_id for hit in store.search(PROJECT, ["word"], asked, 5)] == [given.id]

    @pytest.mark.parametrize("broken", range(len(CASES)))
    def test_filters_together_must_all_pass(self, store: Store, raw: Raw, broken: int) -> None:
        """An item that fails one of all filters is out, whatever else it passes."""
        asked: dict[str, Any] = {}
        passes: dict[str, Any] = {}
        for conditions, good_fields, _ in CASES:
            asked |= conditions
            passes |= good_fields
        asked["tags"] = passes["tags"] = ("a", "b", "a%", "Old-Mill/Wheel")
        good, bad = item("good", **passes), item("bad", **(passes | CASES[broken][2]))
        plant(raw, good, bad)

        assert store.newest(PROJECT, everything(**asked), 5) == [good]
        assert store.count(PROJECT, everything(**asked)) == 1

    def test_lists_are_newest_first_with_ties_by_storing_then_id(self, store: Store, raw: Raw) -> None:
        """The order is total, so pages neither repeat nor miss an item."""
        dated = [item(f"dated {n}", date="2026-02-01", stored=at(n % 3)) for n in range(9)]
        undated = [item(f"undated {n}", stored=at(n)) for n in range(3)]
        plant(raw, *dated, *undated)
        expected = undated[::-1] + sorted(dated, key=lambda one: (-one.created_at.timestamp(), one.id))

        assert store.newest(PROJECT, everything(), 100) == expected
        pages = [store.newest(PROJECT, everything(), 5, offset) for offset in (0, 5, 10, 15)]
        assert [one for page in pages for one in page] == expected
        assert store.newest(PROJECT, everything(), 0) == []
        assert store.count(PROJECT, everything()) == 12

    def test_as_many_items_come_back_as_the_limit_allows(self, store: Store, raw: Raw) -> None:
        """Filters act before the limit, however rare what passes is."""
        plant(raw, *(item(f"n {n}", stored=at(n), importance=0.1 if n % 10 else 0.9) for n in range(60)))

        assert len(store.newest(PROJECT, everything(min_importance=0.5), 6)) == 6
        assert len(store.search(PROJECT, ["n"], everything(min_importance=0.5), 6)) == 6

    def test_an_expired_item_is_only_reachable_by_id_and_fingerprint(self, store: Store, raw: Raw) -> None:
        """Everything else acts as if it were not there."""
        given = item("old Ana", key="k", tags=("t",), conversation_id="c", turn_index=1, expires_at="2026-03-02")
        plant(raw, given)
        store.cache_vectors("m", {embedding_key(PROJECT, "old Ana"): row(1)})

        assert store.get(PROJECT, [given.id]) == {given.id: given}
        assert store.by_fingerprint(PROJECT, given.fingerprint) == given
        assert store.newest(PROJECT, everything(), 5) == store.by_key(PROJECT, "k", everything()) == []
        assert store.chunks(PROJECT, [given.id]) == {}
        assert store.chunks_at(PROJECT, [(given.id, 0)]) == {}
        assert store.turns(PROJECT, "c", everything(), 5, 0) == store.turns_around(PROJECT, "c", 0, everything()) == []
        assert store.recent_keys(PROJECT, 5) == []
        assert list(store.each(PROJECT)) == []
        assert store.search(PROJECT, ["ana"], everything(), 5) == []
        assert store.vectors(PROJECT, "m", everything())[0] == []
        assert store.counts(PROJECT) == Counts()
        assert store.stash(PROJECT, [given.id], stashed=True) == []
        assert store.queue(PROJECT, [given.id], "embed") == 0
        assert store.conversation_ids(PROJECT, "c") == [given.id], "so that it can be forgotten"

    def test_a_revision_is_only_reachable_by_id_and_as_a_revision(self, store: Store, raw: Raw) -> None:
        """`get` and `revisions` see it, and `conversation_ids`, so that it can be forgotten."""
        new = item("new", key="k", conversation_id="c", turn_index=1)
        old = replace(item("old", key="k", conversation_id="c", turn_index=1), replaced_by=new.id)
        plant(raw, new, old)

        assert store.get(PROJECT, [old.id]) == {old.id: old}
        assert store.revisions(PROJECT, new.id) == [old]
        assert store.by_fingerprint(PROJECT, old.fingerprint) is None
        assert store.by_key(PROJECT, "k", everything()) == store.turns(PROJECT, "c", everything(), 5, 0) == [new]
        assert store.newest(PROJECT, everything(), 5) == [new]
        assert store.matching_ids(PROJECT, [old.id], everything()) == set()
        assert sorted(store.conversation_ids(PROJECT, "c")) == sorted([old.id, new.id])

    def test_turns_come_in_their_order_whatever_order_they_were_stored_in(self, store: Store, raw: Raw) -> None:
        """Equal words are separate turns, ties go by storing, items without a turn index are no turns."""
        said = [
            item("yes", context="conversation", conversation_id="c", turn_index=index, role="user", stored=at(-index))
            for index in (10, 2, 1, 33)
        ]
        note = item("yes", context="note", conversation_id="c", turn_index=2, stored=at(5))
        loose = item("no index", conversation_id="c")
        plant(raw, *said, note, loose)
        expected = [said[2], said[1], note, said[0], said[3]]

        assert store.turns(PROJECT, "c", everything(), 10, 0) == expected
        assert store.turns(PROJECT, "c", everything(), 2, 1) == expected[1:3]
        assert store.turns(PROJECT, "c", everything(context="note"), 10, 0) == [note]
        assert store.count_turns(PROJECT, "c", everything()) == 5
        assert store.count_turns(PROJECT, "c", everything(context="note")) == 1
        assert store.turns(PROJECT, "C", everything(), 10, 0) == []
        assert set(store.conversation_ids(PROJECT, "c")) == {one.id for one in [*said, note, loose]}

    def test_the_turns_around_one_are_its_nearest_neighbours(self, store: Store, raw: Raw) -> None:
        """Gaps are bridged, filters honoured, and at the ends fewer come back."""
        turns = {
            index: item(
                f"turn {index}", context="conversation", conversation_id="c", turn_index=index, tags=(f"t{index}",)
            )
            for index in (1, 2, 5, 9)
        }
        plant(raw, *turns.values())

        assert store.turns_around(PROJECT, "c", 5, everything()) == [turns[2], turns[9]]
        assert store.turns_around(PROJECT, "c", 1, everything()) == [turns[2]]
        assert store.turns_around(PROJECT, "c", 9, everything()) == [turns[5]]
        assert store.turns_around(PROJECT, "c", 4, everything()) == [turns[2], turns[5]]
        assert store.turns_around(PROJECT, "c", 5, everything(tags=("t1",))) == [turns[1]]

    def test_the_longest_items_have_the_most_tokens(self, store: Store) -> None:
        """Current ones alone, ties by id, at most the limit."""
        short, long = item("few"), item("many")
        for given, count in ((short, 3), (long, 900)):
            one = replace(given, token_count=count)
            store.add(one, pieces(one), [])

        assert store.longest(PROJECT, 5) == [long.id, short.id]
        assert store.longest(PROJECT, 1) == [long.id]
        assert store.longest(OTHER, 5) == []

    def test_recent_keys_are_newest_update_first_without_repeats(self, store: Store, raw: Raw) -> None:
        """A key of two contexts is listed once."""
        plant(
            raw,
            item("a", key="first", stored=at(1)),
            item("b", key="second", stored=at(2)),
            item("c", key="first", context="fact", stored=at(3)),
            item("d", stored=at(4)),
        )

        assert store.recent_keys(PROJECT, 5) == ["first", "second"]
        assert store.recent_keys(PROJECT, 1) == ["first"]

    def test_counts_tell_chunks_from_turns(self, store: Store, raw: Raw) -> None:
        """Every number of a project, revisions and expired items left out."""
        long = item("abcdef", num_chunks=3, stashed=True)
        turn = item("hi", context="conversation", conversation_id="c", turn_index=0)
        new = item("Ana new", key="k")
        old = replace(item("Ana old", key="k"), replaced_by=new.id)
        raw.plant(long, pieces(long, size=2))
        plant(raw, turn, new, old, item("gone", expires_at="2026-03-02"))
        ana = entity("Ana")
        raw.plant_entity(new, ana)
        for given in (new, old):
            for category in ("Decision", "Commitment", "Feedback"):
                raw.plant_event(given, event(given, "Ana", category, actors=[ana]))

        assert store.counts(PROJECT) == Counts(
            artifacts=3, chunks=4, turns=1, entities=1, events=3, decisions=1, commitments=1, stashed=1
        )

    def test_projects_are_those_with_anything_in_them(self, store: Store, raw: Raw) -> None:
        """Sorted, each once."""
        assert store.projects() == []
        plant(raw, item("a", project="b"), item("c", project="b"), item("d", project="B-2"), item("e", project="a.c"))

        assert store.projects() == ["B-2", "a.c", "b"]

    def test_all_items_are_walked_in_the_order_of_storing(self, store: Store, raw: Raw) -> None:
        """In batches; what is removed on the way does not stop the walk."""
        given = [item(f"item {n}", stored=at(n)) for n in range(7)]
        plant(raw, *given, item("elsewhere", project=OTHER))

        assert list(store.each(PROJECT, batch=3)) == [given[:3], given[3:6], given[6:]]
        walk = store.each(PROJECT, batch=3)
        assert next(walk) == given[:3]
        store.remove(PROJECT, [given[4].id])
        assert list(walk) == [[given[3], given[5], given[6]]]

    def test_stashing_moves_items_and_says_which_are_stored(self, store: Store, raw: Raw) -> None:
        """Again is a no-op, unknown ids are left out, the order is that of the ids; what moves was updated then."""
        one, two = item("One stays findable."), item("Two.")
        plant(raw, one, two)
        ids = [two.id, "art_ffffffffffff", one.id, two.id]

        assert store.stash(PROJECT, ids, stashed=True) == [two.id, one.id]
        assert store.stash(PROJECT, [one.id], stashed=True) == [one.id]
        assert store.counts(PROJECT).stashed == raw.substring_entries() == 2
        moved = store.get(PROJECT, [one.id])[one.id]
        assert moved == replace(one, stashed=True, updated_at=moved.updated_at)
        assert moved.updated_at > one.updated_at
        assert len(store.search(PROJECT, ["findable"], everything(), 5)) == 1
        assert store.stash(PROJECT, [one.id], stashed=False) == [one.id]
        assert store.stash(PROJECT, [one.id], stashed=False) == [one.id]
        back = store.get(PROJECT, [one.id])[one.id]
        assert back == replace(one, updated_at=back.updated_at)
        assert back.updated_at > moved.updated_at
        assert store.search_substrings(PROJECT, ["stays"], everything(), 5) == ([], 0)
        assert raw.substring_entries() == 1

    def test_what_was_moved_between_the_tiers_is_indexed_again(self, store: Store, raw: Raw) -> None:
        """The vector index keeps the tier beside each vector; what does not move costs nothing."""
        one, two = item("One."), item("Two.", stashed=True)
        plant(raw, one, two)

        store.stash(PROJECT, [one.id, two.id], stashed=True)

        assert store.job_reports(PROJECT, one.id) == [JobReport("embed", "pending", 0)]
        assert store.job_reports(PROJECT, two.id) == []

    def test_embeddings_are_cached_by_model_and_text(self, store: Store, raw: Raw) -> None:
        """Replaced when cached again, dropped a model at a time, half of float32's digits long."""
        for text in ("one", "two"):
            plant(raw, item(text))
        h1, h2, h3 = (embedding_key(PROJECT, text) for text in ("one", "two", "three"))
        first, second = row(0.1, -0.2, 3e-7), row(4, 5, 6)
        store.cache_vectors("m", {h1: first, h2: second})
        store.cache_vectors("n", {h1: second})
        store.cache_vectors("m", {h2: first})
        found = store.cached_vectors("m", [h1, h2, h3])

        assert found.keys() == {h1, h2}
        assert all(np.allclose(vector, first, rtol=1e-3) for vector in found.values())
        assert all(vector.dtype == np.float32 and vector.shape == (3,) for vector in found.values())
        assert store.drop_cached_vectors("m") == 2
        assert store.cached_vectors("m", [h1]) == {}
        assert store.cached_vectors("n", [h1])[h1].tolist() == second.tolist()
        assert store.drop_cached_vectors("m") == 0

    def test_states_are_kept_by_projection_and_text(self, store: Store, raw: Raw) -> None:
        """Those of another projection of the same model are replaced, embeddings are not touched."""
        for text in ("one", "two"):
            plant(raw, item(text))
        h1, h2, h3 = (embedding_key(PROJECT, text) for text in ("one", "two", "three"))
        store.cache_vectors("m", {h1: row(1, 0), h2: row(0, 1)})
        store.cache_states("m/a", {h1: b"1" * 16, h2: b"", h3: b"3" * 16})
        store.cache_states("n/a", {h1: b"1" * 16})
        assert store.keys_with_states("m/a", [h1, h2, h3]) == {h1, h2}
        assert (store.count_without_states("m", "m/a"), store.count_without_states("m", "m/b")) == (0, 2)
        store.cache_states("m/b", {h1: b"2" * 16})
        assert store.keys_with_states("m/a", [h1, h2]) == {h2}
        assert store.keys_with_states("m/b", [h1, h2]) == store.keys_with_states("n/a", [h1, h2]) == {h1}
        assert (store.count_without_states("m", "m/a"), store.count_without_states("m", "m/b")) == (1, 1)
        assert set(store.cached_vectors("m", [h1, h2])) == {h1, h2}
        assert (store.drop_cached_vectors("m/b"), store.drop_cached_vectors("m/b")) == (1, 0)

    def test_states_go_with_the_last_text_that_has_them(self, store: Store, raw: Raw) -> None:
        """`forget` leaves nothing of a text behind, states included."""
        given, gone = item("stays"), item("goes")
        for one in (given, gone):
            store.add(one, pieces(one), [])
        keys = {one.id: embedding_key(PROJECT, one.memory.content) for one in (given, gone)}
        store.cache_states("m/a", dict.fromkeys(keys.values(), b"s" * 16))
        store.remove(PROJECT, [gone.id])
        store.cache_states("m/a", {keys[gone.id]: b"s" * 16})
        assert raw.embedded("m/a") == [keys[given.id][:24]]

    def test_embeddings_are_kept_only_for_texts_that_some_chunk_has(self, store: Store, raw: Raw) -> None:
        """One that was under way while its text was forgotten leaves nothing behind."""
        given, gone = item("stays"), item("goes")
        for one in (given, gone):
            store.add(one, pieces(one), [])
        store.remove(PROJECT, [gone.id])
        store.cache_vectors("m", {embedding_key(PROJECT, "stays"): row(1), embedding_key(PROJECT, "goes"): row(2)})

        assert raw.embedded("m") == [embedding_key(PROJECT, "stays")[:24]]

    def test_vectors_come_with_their_places(self, store: Store, raw: Raw) -> None:
        """Row by row; equal texts share an embedding; chunks without one are left out."""
        given, twin = item("ab cd ef", num_chunks=3), item("ab ", tags=("t",))
        raw.plant(given, pieces(given, size=3))
        plant(raw, twin)
        store.cache_vectors("m", {embedding_key(PROJECT, "ab "): row(1, 2), embedding_key(PROJECT, "ef"): row(3, 4)})
        store.cache_vectors("n", {embedding_key(PROJECT, "cd "): row(9, 9)})
        places, vectors = store.vectors(PROJECT, "m", everything())
        found = dict(zip(places, vectors.tolist(), strict=True))

        assert found == {(given.id, 0): [1, 2], (given.id, 2): [3, 4], (twin.id, 0): [1, 2]}
        assert store.vectors(PROJECT, "m", everything(tags=("t",)))[0] == [(twin.id, 0)]
        places, vectors = store.vectors(PROJECT, "unknown", everything())
        assert (places, len(vectors)) == ([], 0)

    def test_markers_are_kept_until_set_again(self, store: Store, reopen: Callable[[], Store]) -> None:
        """None before the first time; any text is kept."""
        assert store.metadata_value("model") is None
        store.set_metadata_value("model", "one")
        store.set_metadata_value("model", HOSTILE[0])
        with reopen() as again:
            assert again.metadata_value("model") == HOSTILE[0]

    def test_a_marker_is_claimed_from_what_it_was(self, store: Store) -> None:
        """Set if it is what the caller believes, else left alone; told is what it is then."""
        assert store.compare_and_set("model", "one", instead_of="none") is None
        assert store.metadata_value("model") is None
        assert store.compare_and_set("model", "one") == "one"
        assert store.compare_and_set("model", "two") == "one"
        assert store.compare_and_set("model", "two", instead_of="three") == "one"
        assert store.compare_and_set("model", "two", instead_of="one") == "two"
        assert store.metadata_value("model") == "two"

    def test_the_store_answers_a_ping_and_closes_twice(self, store: Store) -> None:
        """One line, the same whatever the projects hold; closing again is no error."""
        line = store.ping()
        assert "\n" not in line
        given = item("long text " * 50_000, project=OTHER)
        store.add(given, pieces(given), [])
        assert store.ping() == line
        store.close()
        store.close()

    def test_a_filter_of_nothing_selects_all(self, store: Store, raw: Raw) -> None:
        """`Filters(at=now)` narrows nothing but expiry."""
        given = item(expires_at="2026-04-01")
        plant(raw, given)

        assert store.count(PROJECT, Filters(at=at(1))) == 1
        assert store.count(PROJECT, Filters(at=at(1) + timedelta(days=365))) == 0
