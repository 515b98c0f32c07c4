"""What every engine promises of `graph.protocols.search.Candidates`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.records import Artifact, embedding_key
from core.search import Candidate, Vectors
from core.vector_format import pack_vector
from graph.store import Store
from graph.text.term_vectors import pack_counts, terms
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, at, everything, item, pieces

MODEL = "model"


def added(store: Store, *artifacts: Artifact, size: int = 10_000_000, prefix: str = "") -> None:
    """Add artifacts in chunks of `size`, and cache an embedding of each."""
    for artifact in artifacts:
        chunks = pieces(artifact, size=size, prefix=prefix)
        store.add(replace(artifact, num_chunks=len(chunks)), chunks, [])
        store.cache_vectors(
            MODEL, {chunk.embedding_key_in(artifact.project_id): unit(chunk.indexed_text) for chunk in chunks}
        )


def unit(text: str) -> Vectors:
    """Return a vector that follows from the text."""
    made = np.random.default_rng(len(text)).standard_normal(8)
    return np.asarray(made / np.linalg.norm(made), np.float32)


def seen(store: Store, places: Sequence[tuple[str, int]], **conditions: object) -> dict[tuple[str, int], Candidate]:
    """Return the candidates at these places, by place."""
    found = store.candidates(PROJECT, MODEL, places, everything(**conditions))
    assert len(found) == len({(one.artifact_id, one.index) for one in found})
    return {(one.artifact_id, one.index): one for one in found}


def conversation(*texts: str, name: str = "talk", project: str = PROJECT) -> list[Artifact]:
    """Return turns of one conversation, numbered from 0."""
    return [
        item(text, project=project, context="conversation", conversation_id=name, turn_index=index, author="Ana")
        for index, text in enumerate(texts)
    ]


class CandidatesContract:
    """Takes the fixture `store` (empty)."""

    def test_a_candidate_has_what_ranking_needs(self, store: Store) -> None:
        """Text, speaker, place, time, the term vector of prefix and text, and the embedding."""
        [turn] = conversation("The red boat, the red one!")
        turn = replace(turn, happened_at=at(-3))
        note = item("One two. Three four.", author="Bo", title="Counting")
        added(store, turn, prefix="Ana: ")
        added(store, note, size=9)
        spoken, first, second = seen(store, [(turn.id, 0), (note.id, 0), (note.id, 1)]).values()
        assert spoken == Candidate(
            artifact_id=turn.id,
            index=0,
            num_chunks=1,
            text="The red boat, the red one!",
            author="Ana",
            conversation_id="talk",
            turn_index=0,
            happened_at=at(-3),
            terms=pack_counts("Ana: The red boat, the red one!"),
            vector=pack_vector(unit("Ana: The red boat, the red one!")),
        )
        assert (first.text, first.num_chunks, first.author) == ("One two. ", 3, "Bo")
        assert (second.text, second.conversation_id, second.turn_index) == ("Three fou", None, None)

    def test_what_has_no_embedding_of_the_model_has_no_vector(self, store: Store) -> None:
        """It is ranked by its words alone."""
        note = item("Not embedded yet.")
        store.add(note, pieces(note), [])
        assert seen(store, [(note.id, 0)])[note.id, 0].vector is None
        store.cache_vectors("another", {embedding_key(PROJECT, "Not embedded yet."): unit("x")})
        assert seen(store, [(note.id, 0)])[note.id, 0].vector is None

    def test_states_of_tokens_come_with_the_candidates_that_have_them(self, store: Store) -> None:
        """Of the model asked for, of this project, and of the time asked about; without a model none are read."""
        early, late, elsewhere = item("Same words."), item("Later."), item("Same words.", project=OTHER)
        late = replace(late, happened_at=at(5))
        added(store, early, late, elsewhere)
        keys = {one.id: embedding_key(one.project_id, one.memory.content) for one in (early, late, elsewhere)}
        store.cache_states("model/one", {keys[early.id]: b"s" * 32, keys[late.id]: b""})
        places = [(early.id, 0), (late.id, 0)]

        def states(model: str | None, project: str = PROJECT, **conditions: object) -> dict[str, bytes | None]:
            asked = [*places, (elsewhere.id, 0)]
            found = store.candidates(project, MODEL, asked, everything(**conditions), states_model=model)
            return {one.artifact_id: one.states for one in found}

        assert states("model/one") == {early.id: b"s" * 32, late.id: b""}
        assert states("model/one", as_of=at(1)) == {early.id: b"s" * 32}
        assert states("model/one", OTHER) == {elsewhere.id: None}
        assert states("model/two") == states(None) == {early.id: None, late.id: None}

    def test_only_what_passes_is_a_candidate(self, store: Store) -> None:
        """Filters, revisions, expired items, other projects, unknown ids and indexes, and NUL."""
        kept, tagged = item("Kept."), item("Tagged.", tags=("red",))
        old, new = item("Old.", key="k"), item("New.", key="k")
        expired, elsewhere = item("Gone.", expires_at="2026-03-02"), item("Kept.", project=OTHER)
        added(store, kept, tagged, old, new, expired, elsewhere)
        places = [(one.id, 0) for one in (kept, tagged, old, new, expired)]
        assert set(seen(store, [*places, (kept.id, 1), ("art_000000000000", 0), ("a\0b", 0)])) == {
            (one.id, 0) for one in (kept, tagged, new)
        }
        assert set(seen(store, places, tags=("red",))) == {(tagged.id, 0)}
        assert seen(store, []) == {}

    def test_any_text_has_a_term_vector(self, store: Store) -> None:
        """Quotes, unspaced scripts, astral signs: as `pack_counts` makes it."""
        artifacts = [item(text) for text in HOSTILE]
        added(store, *artifacts)
        found = seen(store, [(one.id, 0) for one in artifacts])
        assert [found[one.id, 0].terms for one in artifacts] == [pack_counts(text) for text in HOSTILE]

    def test_equal_texts_have_one_hash(self, store: Store) -> None:
        """Those that are whole items and pass; no other place is told of."""
        one, same, other = item("The regatta.", source="a"), item("The regatta.", source="b"), item("The harbour.")
        long = item("The regatta. The harbour.")
        added(store, one, same, other)
        added(store, long, size=12)
        places = [(each.id, 0) for each in (one, same, other, long)] + [("art_000000000000", 0)]
        hashes = store.text_hashes(PROJECT, places, everything())
        assert {place: hash_[:24] for place, hash_ in hashes.items()} == {
            (one.id, 0): embedding_key(PROJECT, "The regatta.")[:24],
            (same.id, 0): embedding_key(PROJECT, "The regatta.")[:24],
            (other.id, 0): embedding_key(PROJECT, "The harbour.")[:24],
        }
        assert list(store.text_hashes(PROJECT, places, everything(source="b"))) == [(same.id, 0)]
        assert store.text_hashes(PROJECT, [], everything()) == {}

    def test_turns_near_are_those_of_the_conversation_around(self, store: Store) -> None:
        """Within reach by index, the turn itself among them; nothing of other conversations and projects."""
        turns = conversation(*(f"Turn {n}." for n in range(9)))
        others = conversation("Turn 4.", "Turn 5.", name="other")
        elsewhere = conversation("Turn 4.", project=OTHER)
        note = item("A note of the talk.", conversation_id="talk")
        added(store, *turns, *others, *elsewhere, note)
        near = store.nearby_turns(PROJECT, [turns[4].id], 2, everything())
        assert sorted(near) == sorted(turn.id for turn in turns[2:7])
        both = store.nearby_turns(PROJECT, [turns[0].id, turns[1].id, others[0].id, note.id], 1, everything())
        assert sorted(both) == sorted(turn.id for turn in (*turns[:3], *others))
        assert store.nearby_turns(PROJECT, [note.id, "art_000000000000"], 3, everything()) == []
        assert store.nearby_turns(PROJECT, [], 3, everything()) == []

    def test_turns_follow_one_another_whatever_they_are_numbered_by(self, store: Store) -> None:
        """Chats number their turns by time: what is near is the next turn, not the next number."""
        numbers = (1_700_000_000_000, 1_700_000_060_000, 1_700_000_060_001, 1_700_000_900_000, 1_700_000_960_000)
        turns = [replace(turn, memory=replace(turn.memory, turn_index=number))
                 for turn, number in zip(conversation(*"abcde"), numbers, strict=True)]  # fmt: skip
        added(store, *turns)
        for reach, ids in ((1, turns[1:4]), (2, turns), (9, turns)):
            near = store.nearby_turns(PROJECT, [turns[2].id], reach, everything())
            assert sorted(near) == sorted(turn.id for turn in ids)
        found = seen(store, [(turn.id, 0) for turn in turns])
        assert [found[turn.id, 0].turn_before for turn in turns] == [None, *numbers[:-1]]

    def test_turns_near_pass_the_filters(self, store: Store) -> None:
        """What a filter leaves out is no neighbour, and what it lets pass has its own."""
        turns = conversation(*(f"Turn {n}." for n in range(3)))
        turns[1] = replace(turns[1], happened_at=at(5))
        added(store, *turns)
        near = store.nearby_turns(PROJECT, [turns[1].id], 1, everything(as_of=at(1)))
        assert sorted(near) == sorted([turns[0].id, turns[2].id])

    def test_authors_are_known_by_their_name_or_first_name(self, store: Store) -> None:
        """Of turns of the project, in any case; no other part of a name, and nobody who only wrote a note."""
        talk: dict[str, Any] = {"context": "conversation", "conversation_id": "talk"}
        for index, author in enumerate(("Ana Lopez", "Bo", "Ann-Marie Ek", "Zoë")):
            added(store, item("Hello.", author=author, turn_index=index, **talk))
        added(store, item("A note.", author="Cy"))
        added(store, item("Hi.", author="Dee", turn_index=0, project=OTHER, **talk))
        asked = ["Ana", "LOPEZ", "bo", "An", "Cy", "Dee", "Ann-marie", "Zoë", "x\0y", "%", ""]
        assert sorted(store.known_authors(PROJECT, asked)) == sorted(["Ana", "bo", "Ann-marie", "Zoë"])
        assert store.known_authors(PROJECT, []) == []

    def test_term_statistics_count_chunks_of_the_project(self, store: Store) -> None:
        """Each chunk once however often it has the word, by stem, prefixes too, stop words and other projects not."""
        added(store, item("Boats and boats."), item("A boat, a mast."), prefix="Sea ")
        added(store, item("Boat boat boat mast.", project=OTHER))
        boat, mast, sea, sail = terms("boats mast sea sail")
        told = store.term_statistics(PROJECT, [boat, mast, sea, sail, 0])
        assert (told.num_chunks, told.mean_terms, dict(told.num_with)) == (2, 3.0, {boat: 2, mast: 1, sea: 2})
        assert store.term_statistics("nobody", [boat]).num_chunks == 0
        assert store.term_statistics(PROJECT, []).num_with == {}

    def test_term_statistics_follow_every_change(self, store: Store) -> None:
        """A duplicate adds nothing; what is replaced, forgotten or cut anew no longer counts; a return does again."""
        first, second = item("Red sails.", key="k"), item("Blue sails.", key="k")
        added(store, first, first, second, item("Green masts."))
        red, blue, green, sails = terms("red blue green sails")
        asked = [red, blue, green, sails]
        assert dict(store.term_statistics(PROJECT, asked).num_with) == {blue: 1, green: 1, sails: 1}
        added(store, first)
        assert dict(store.term_statistics(PROJECT, asked).num_with) == {red: 1, green: 1, sails: 1}
        store.rechunk(PROJECT, first.id, pieces(first, size=6))
        told = store.term_statistics(PROJECT, asked)
        assert (told.num_chunks, dict(told.num_with)) == (3, {red: 1, green: 1})
        store.remove(PROJECT, [first.id], dry_run=True)
        assert store.term_statistics(PROJECT, asked) == told
        store.remove(PROJECT, [first.id])
        assert dict(store.term_statistics(PROJECT, asked).num_with) == {green: 1}
        before = store.term_statistics(PROJECT, asked)
        store.rebuild()
        assert store.term_statistics(PROJECT, asked) == before

    def test_a_sample_is_the_same_each_time(self, store: Store) -> None:
        """As many as asked for where there are, of this model and project."""
        artifacts = [item(f"Note {'x' * n}") for n in range(20)]
        added(store, *artifacts)
        added(store, item("Elsewhere.", project=OTHER))
        some = store.sample(PROJECT, MODEL, 5)
        first = sorted(artifacts, key=lambda one: one.id)[:5]
        assert np.allclose(some, np.stack([unit(one.memory.content) for one in first]), atol=1e-3)
        assert np.array_equal(some, store.sample(PROJECT, MODEL, 5))
        assert store.sample(PROJECT, MODEL, 100).shape == (20, 8)
        assert store.sample(PROJECT, "another", 5).shape[0] == 0
        assert store.sample("nobody", MODEL, 5).shape[0] == 0
