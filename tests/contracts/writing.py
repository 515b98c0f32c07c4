"""What every engine promises of `graph.protocols.records.Records`, writing first."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.errors import MemoryServiceError
from core.knowledge.findings import Evidence
from core.records import Added, Counts, DeletionCounts, artifact_id, embedding_key
from graph.store import Store
from tests.contracts.makers import (
    HOSTILE,
    OTHER,
    PROJECT,
    at,
    entity,
    event,
    everything,
    item,
    lesson,
    mention,
    pieces,
    row,
)
from tests.contracts.raw import Raw, RawJob


class AddingContract:
    """`add`, and what the other methods see of it."""

    def test_an_item_comes_back_as_it_was_given(self, store: Store) -> None:
        """Every field, nested metadata included, is stored as it is."""
        given = item(
            "Ship on Friday.",
            title="Plan",
            author="Ana",
            participants=("Ana", "Bo"),
            date="2026-01-15",
            tags=("plan", "q1"),
            metadata={"list": [1, [2]], "deep": {"text": "x", "none": None, "yes": True, "float": 1.5}},
            importance=0.75,
            expires_at="2099-01-01",
            task_id="T-1",
            sensitivity="sensitive",
        )
        added = store.add(given, pieces(given), ["embed", "extract"])

        assert added == Added(given.id, "stored", 2)
        assert store.get(PROJECT, [given.id]) == {given.id: given}

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_is_stored_unchanged(self, store: Store, text: str) -> None:
        """Signs that mean something to an engine mean nothing in content, titles, keys, tags and conversations."""
        given = item(
            text,
            context="conversation",
            title=text,
            key=text,
            tags=(text, f"{text}!"),
            source=text,
            conversation_id=text,
            turn_index=3,
            metadata={text: text},
        )
        store.add(given, pieces(given, prefix=text), [])

        assert store.get(PROJECT, [given.id]) == {given.id: given}
        assert store.chunks(PROJECT, [given.id]) == {given.id: pieces(given, prefix=text)}
        assert store.by_key(PROJECT, text, everything(tags=(text,), source=text)) == [given]
        assert store.turns(PROJECT, text, everything(), 10, 0) == [given]
        assert store.conversation_ids(PROJECT, text) == [given.id]
        assert store.recent_keys(PROJECT, 5) == [text]

    def test_a_stored_item_is_there_after_opening_anew(self, store: Store, reopen: Callable[[], Store]) -> None:
        """What `add` acknowledged does not depend on the instance that stored it."""
        given = item()
        store.add(given, pieces(given), ["embed"])
        store.close()

        with reopen() as again:
            assert again.get(PROJECT, [given.id]) == {given.id: given}
            assert again.job_counts(PROJECT).pending == 1

    def test_several_items_are_stored_together_each_as_alone(self, store: Store) -> None:
        """`add_all` answers in order, and a later one sees the earlier: duplicates and keys within it included."""
        one, two = item("One.", key="k"), item("Two.", key="k", stored=at(1))
        again = item("Two.", key="k", stored=at(2))
        added = store.add_all([(given, pieces(given)) for given in (one, two, again)], ["embed"])

        assert added == [Added(one.id, "stored", 1), Added(two.id, "updated", 1, one.id), Added(two.id, "duplicate", 0)]
        assert store.by_key(PROJECT, "k", everything()) == [replace(two, frequency=2, last_occurred=at(2))]
        assert store.add_all([], ["embed"]) == []

    def test_of_several_items_none_is_stored_if_one_is_refused(self, store: Store) -> None:
        """`add_all` is one transaction."""
        good, bad = item("Good."), item("Bad.")
        refused = [replace(piece, text="\ud800") for piece in pieces(bad)]
        with pytest.raises(MemoryServiceError):
            store.add_all([(good, pieces(good)), (bad, refused)], [])

        assert store.count(PROJECT, everything()) == 0

    def test_the_same_item_again_is_a_duplicate(self, store: Store, raw: Raw) -> None:
        """It is stored once; frequency and `last_occurred` tell of the second time; no work is queued."""
        first = item("Same.", stored=at(0))
        store.add(first, pieces(first), ["embed"])
        store.complete(store.claim(["embed"], 10, at(1) - at(0), "worker"))
        second = item("Same.", stored=at(1))

        assert store.add(second, pieces(second), ["embed", "extract"]) == Added(first.id, "duplicate", 0)
        assert store.get(PROJECT, [first.id])[first.id] == replace(first, frequency=2, last_occurred=at(1))
        assert raw.chunk_texts(PROJECT) == ["Same."]
        assert raw.jobs() == [RawJob(PROJECT, first.id, "embed", "done")]

    def test_a_duplicate_renews_the_judgements_it_brings(self, store: Store) -> None:
        """Fields outside the identity that differ from their default are renewed, and found by filters at once."""
        first = item("Same.", tags=("old",), importance=0.2, category="c", stored=at(0))
        store.add(first, pieces(first), [])
        second = item("Same.", tags=("new",), importance=0.9, expires_at="2027-01-01", metadata={"a": 1}, stored=at(2))
        store.add(second, pieces(second), [])
        found = store.get(PROJECT, [first.id])[first.id]

        assert found.memory == replace(second.memory, category="c")
        assert (found.updated_at, found.created_at) == (at(2), at(0))
        early = everything(at=at(3), tags=("new",), min_importance=0.9)
        assert store.matching_ids(PROJECT, [first.id], early) == {first.id}
        assert store.count(PROJECT, everything(at=at(3), tags=("old",))) == 0
        assert store.count(PROJECT, everything()) == 0, "expired in 2027"

    def test_a_duplicate_with_new_judgements_is_worked_on_again(self, store: Store, raw: Raw) -> None:
        """What the vector index and the graph hold of the former fields is stale; without changes nothing is queued."""
        first = item("Same.", participants=("Ana",), stored=at(0))
        store.add(first, pieces(first), ["embed", "extract"])
        for kind in ("embed", "extract"):
            store.complete(store.claim([kind], 10, at(1) - at(0), "worker"))
        second = item("Same.", participants=("Bo",), stored=at(1))

        assert store.add(second, pieces(second), ["embed", "extract"]) == Added(first.id, "duplicate", 2)
        pending = [RawJob(PROJECT, first.id, kind, "pending") for kind in ("embed", "extract")]
        assert raw.jobs() == pending
        assert store.add(second, pieces(second), ["embed", "extract"]) == Added(first.id, "duplicate", 0)
        assert raw.jobs() == pending

    def test_a_duplicate_does_not_put_defaults_over_judgements(self, store: Store) -> None:
        """Leaving a field out says nothing about it."""
        first = item("Same.", tags=("old",), importance=0.2, sensitivity="sensitive", stored=at(0))
        store.add(first, pieces(first), [])
        again = item("Same.", stored=at(2))
        store.add(again, pieces(again), [])

        found = store.get(PROJECT, [first.id])[first.id]
        assert (found.memory, found.updated_at) == (first.memory, at(0))

    @pytest.mark.parametrize("later", [None, "2027-01-01"])
    def test_an_expired_item_holds_again_when_it_is_added_again(self, store: Store, later: str | None) -> None:
        """docs/interface.md `remember`: what was acknowledged is found; the former expiry has nothing to say any
        more."""
        first = item("Same.", expires_at="2026-02-01", stored=at(0))
        store.add(first, pieces(first), [])
        assert store.count(PROJECT, everything(at=at(1))) == 0
        again = item("Same.", expires_at=later, stored=at(1))

        assert store.add(again, pieces(again), []).status == "duplicate"
        found = store.get(PROJECT, [first.id])[first.id]
        assert (found.memory, found.updated_at) == (again.memory, at(1))
        assert store.newest(PROJECT, everything(at=at(1)), 5) == [found]
        assert [hit.artifact_id for hit in store.search(PROJECT, ["same"], everything(at=at(1)), 5)] == [first.id]

    def test_two_items_never_share_an_id(self, store: Store) -> None:
        """Fingerprints that begin alike get two ids, and each item keeps its own when it is remembered again."""
        one = item("One.", fingerprint="0123456789ab" + "1" * 52)
        two = item("Two.", fingerprint="0123456789ab" + "2" * 52)
        assert one.id == two.id
        second_id = artifact_id(two.fingerprint, 1)

        assert store.add(one, pieces(one), ["embed"]).artifact_id == one.id
        assert store.add(two, pieces(two), ["embed"]) == Added(second_id, "stored", 1)
        assert store.add(two, pieces(two), []) == Added(second_id, "duplicate", 0)
        assert store.add(one, pieces(one), []) == Added(one.id, "duplicate", 0)
        assert store.get(PROJECT, [second_id])[second_id].memory == two.memory
        assert [piece.text for piece in store.chunks(PROJECT, [second_id])[second_id]] == ["Two."]
        assert {hit.artifact_id for hit in store.search(PROJECT, ["two"], everything(), 5)} == {second_id}

    def test_an_id_taken_twice_leads_to_a_third(self, store: Store) -> None:
        """The attempts are counted until an id is free."""
        third = item("Three.", fingerprint="0123456789ab" + "3" * 52)
        first = item("One.", fingerprint="0123456789ab" + "1" * 52)
        second = item("Two.", fingerprint=artifact_id(third.fingerprint, 1)[4:] + "2" * 52)
        for given in (first, second):
            store.add(given, pieces(given), [])

        assert store.add(third, pieces(third), []).artifact_id == artifact_id(third.fingerprint, 2)

    def test_projects_do_not_share_items_even_with_equal_ids(self, store: Store) -> None:
        """A fingerprint or id of one project says nothing in another."""
        here = item("Same.", fingerprint="f" * 64)
        there = replace(here, project_id=OTHER)

        assert store.add(here, pieces(here), []).status == "stored"
        assert store.add(there, pieces(there), []) == Added(there.id, "stored", 0)
        store.remove(OTHER, [there.id])
        assert store.get(PROJECT, [here.id]) == {here.id: here}

    def test_new_content_under_a_key_replaces_the_old(self, store: Store, raw: Raw) -> None:
        """The old item leaves words, lists, counts and chunks; its text stays reachable as a revision."""
        old = item("The office opens at nine.", key="hours", context="fact", tags=("t",), stored=at(0), stashed=True)
        new = item("The office opens at ten.", key="hours", context="fact", stored=at(1))
        store.add(old, pieces(old), ["embed", "extract"])
        assert store.add(new, pieces(new), ["embed"]) == Added(new.id, "updated", 1, replaced=old.id)

        revision = store.get(PROJECT, [old.id])[old.id]
        assert revision == replace(old, replaced_by=new.id, stashed=False)
        assert store.revisions(PROJECT, new.id) == [revision]
        assert store.by_key(PROJECT, "hours", everything()) == [new]
        assert store.newest(PROJECT, everything(), 10) == [new]
        assert store.count(PROJECT, everything()) == 1
        assert store.count(PROJECT, everything(tags=("t",))) == 0
        assert store.matching_ids(PROJECT, [old.id, new.id], everything()) == {new.id}
        assert store.chunks(PROJECT, [old.id]) == {}
        assert store.chunks_at(PROJECT, [(old.id, 0)]) == {}
        assert store.search(PROJECT, ["nine"], everything(), 5) == []
        assert store.search_substrings(PROJECT, ["nine"], everything(), 5) == ([], 0)
        assert store.by_fingerprint(PROJECT, old.fingerprint) is None
        assert store.stash(PROJECT, [old.id], stashed=True) == []
        assert store.queue(PROJECT, [old.id], "embed") == 0
        assert store.counts(PROJECT) == Counts(artifacts=1, chunks=1)
        assert list(store.each(PROJECT)) == [[new]]
        assert raw.indexed("nine") == raw.substring_entries() == 0
        assert RawJob(PROJECT, old.id, "erase", "pending") in raw.jobs()
        assert RawJob(PROJECT, old.id, "embed", "pending") not in raw.jobs()

    def test_an_item_may_supersede_one_of_another_key_or_none(self, store: Store, raw: Raw) -> None:
        """As under one key; chains are followed over changes of keys, and go together."""
        first = item("The office opens at nine.", context="fact", stored=at(0))
        second = item("The office opens at ten.", key="a", context="note", stored=at(1))
        third = item("The office opens at noon.", key="b", context="note", stored=at(2))
        for one in (first, second, third):
            store.add(one, pieces(one), ["embed", "extract"])
        assert store.supersede(PROJECT, first.id, second)
        assert store.supersede(PROJECT, second.id, third)

        assert [one.id for one in store.revisions(PROJECT, third.id)] == [second.id, first.id]
        assert list(store.each(PROJECT)) == [[third]]
        assert store.search(PROJECT, ["nine"], everything(), 5) == []
        assert [one.id for one in store.key_holders(PROJECT, everything(as_of=at(1.5)))] == [second.id]
        assert RawJob(PROJECT, first.id, "erase", "pending") in raw.jobs()
        assert not store.supersede(PROJECT, first.id, third), "it is a revision already"
        assert not store.supersede(PROJECT, third.id, third)
        assert not store.supersede(PROJECT, third.id, second), "a revision supersedes nothing"
        assert not store.supersede(OTHER, third.id, third)
        store.remove(PROJECT, [third.id])
        assert raw.artifact_ids(PROJECT) == []

    def test_a_key_is_unique_within_its_context_only(self, store: Store) -> None:
        """One key may name an item in each context, newest update first."""
        fact = item("F", key="k", context="fact", stored=at(0))
        note = item("N", key="k", context="note", stored=at(1))
        for given in (fact, note):
            assert store.add(given, pieces(given), []).status == "stored"

        assert store.by_key(PROJECT, "k", everything()) == [note, fact]
        assert store.by_key(PROJECT, "k", everything(context="fact")) == [fact]
        assert store.by_key(OTHER, "k", everything()) == store.by_key(PROJECT, "K", everything()) == []

    def test_a_revision_that_is_remembered_again_returns_under_its_id(self, store: Store, raw: Raw) -> None:
        """It is current again, with words and jobs, and what replaced it becomes a revision; its erasure is dropped."""
        old = item("nine", key="k", context="fact", stored=at(0))
        new = item("ten", key="k", context="fact", stored=at(1))
        for given in (old, new):
            store.add(given, pieces(given), ["embed"])
        again = item("nine", key="k", context="fact", tags=("back",), stored=at(2))

        assert store.add(again, pieces(again), ["embed"]) == Added(old.id, "updated", 1, replaced=new.id)
        found = store.get(PROJECT, [old.id])[old.id]
        assert (found.replaced_by, found.updated_at, found.frequency) == (None, at(2), 2)
        assert store.by_key(PROJECT, "k", everything(tags=("back",))) == [found]
        assert [hit.artifact_id for hit in store.search(PROJECT, ["nine"], everything(), 5)] == [old.id]
        assert [one.id for one in store.revisions(PROJECT, old.id)] == [new.id]
        assert raw.jobs() == [
            RawJob(PROJECT, id_, kind, "pending") for id_, kind in sorted([(old.id, "embed"), (new.id, "erase")])
        ]

    def test_revisions_are_listed_newest_first_through_the_chain(self, store: Store) -> None:
        """What an item replaced through others counts too; a revision has only what it replaced itself."""
        chain = [item(f"version {n}", key="k", stored=at(n)) for n in range(4)]
        for given in chain:
            store.add(given, pieces(given), [])

        ids = [given.id for given in chain]
        assert [one.id for one in store.revisions(PROJECT, ids[3])] == [ids[2], ids[1], ids[0]]
        assert [one.id for one in store.revisions(PROJECT, ids[1])] == [ids[0]]
        assert store.revisions(PROJECT, ids[0]) == store.revisions(OTHER, ids[3]) == []

    def test_an_item_added_after_its_removal_is_not_erased(self, store: Store, raw: Raw) -> None:
        """The pending erasure of the same id is dropped, and the id is the same."""
        given = item()
        store.add(given, pieces(given), [])
        store.remove(PROJECT, [given.id])
        assert raw.jobs() == [RawJob(PROJECT, given.id, "erase", "pending")]

        assert store.add(given, pieces(given), ["embed"]) == Added(given.id, "stored", 1)
        assert raw.jobs() == [RawJob(PROJECT, given.id, "embed", "pending")]

    def test_a_write_that_fails_leaves_nothing(self, store: Store, raw: Raw) -> None:
        """Two chunks in one place are refused, and neither the item nor a word of it is stored."""
        old = item("the former words", key="k")
        store.add(old, pieces(old), [])
        new = item("the latter words", key="k")
        with pytest.raises(MemoryServiceError):
            store.add(new, pieces(new) * 2, ["embed"])

        assert store.newest(PROJECT, everything(), 5) == [old]
        assert raw.artifact_ids(PROJECT) == [old.id]
        assert raw.indexed("former") == 1
        assert raw.indexed("latter") == len(raw.jobs()) == 0

    def test_new_chunks_take_the_place_of_old_ones(self, store: Store, raw: Raw) -> None:
        """`rechunk` renews chunks, words and the count; ids that are not current do nothing."""
        given = item("alpha beta gamma delta", num_chunks=1)
        store.add(given, pieces(given), [])
        store.rechunk(PROJECT, given.id, pieces(given, size=11, prefix="pre "))
        store.rechunk(PROJECT, "art_ffffffffffff", pieces(given))
        store.rechunk(OTHER, given.id, pieces(given))

        assert store.chunks(PROJECT, [given.id]) == {given.id: pieces(given, size=11, prefix="pre ")}
        assert store.get(PROJECT, [given.id])[given.id].num_chunks == 2
        assert raw.indexed("alpha") == 1
        assert raw.indexed("pre") == 2
        assert store.counts(PROJECT).chunks == 2


class RemovingContract:
    """`remove`: one transaction takes all that rested on an item."""

    def test_nothing_of_a_removed_item_is_left(self, store: Store, raw: Raw) -> None:
        """Text, chunks, words, jobs, embeddings, mentions, events, steps and entities go; an erasure is queued."""
        given = item("Ana decided on blue paint.", tags=("t",), stashed=True, num_chunks=3)
        store.add(given, pieces(given, size=10), ["embed", "extract"])
        ana = entity("Ana")
        knowledge = lesson(given, [ana], [event(given, "decided on blue", actors=[ana], subjects=[ana])])
        store.replace(PROJECT, given.id, knowledge)
        hashes = [piece.embedding_key_in(PROJECT) for piece in pieces(given, size=10)]
        store.cache_vectors("m", {hash_: row(1) for hash_ in hashes})

        assert store.remove(PROJECT, [given.id]) == DeletionCounts(chunks=3, events=1, entities=1)
        assert store.get(PROJECT, [given.id]) == {}
        assert raw.artifact_ids(PROJECT) == raw.chunk_texts(PROJECT) == raw.knowledge_ids(PROJECT) == []
        assert raw.embedded("m") == []
        assert raw.indexed("paint") == raw.substring_entries() == raw.steps() == 0
        assert raw.jobs() == [RawJob(PROJECT, given.id, "erase", "pending")]
        assert store.entities_by_name(PROJECT, ["Ana"]) == {}
        assert store.projects() == []
        [job] = store.claim(["erase"], 5, at(1) - at(0), "w")
        assert (job.artifact_id, job.num_chunks) == (given.id, 3)
        raw.check()

    def test_a_dry_run_counts_the_same_and_changes_nothing(self, store: Store, raw: Raw) -> None:
        """Its counts are those of the real call, its jobs are none."""
        given = item("Ana decided on blue paint.")
        store.add(given, pieces(given, size=10), ["embed"])
        ana = entity("Ana")
        store.replace(PROJECT, given.id, lesson(given, [ana], [event(given, "decided on", actors=[ana])]))
        before = (raw.jobs(), raw.knowledge_ids(PROJECT), raw.chunk_texts(PROJECT), store.counts(PROJECT))
        counted = store.remove(PROJECT, [given.id], dry_run=True)

        assert (raw.jobs(), raw.knowledge_ids(PROJECT), raw.chunk_texts(PROJECT), store.counts(PROJECT)) == before
        assert [hit.artifact_id for hit in store.search(PROJECT, ["paint"], everything(), 5)] == [given.id]
        assert store.remove(PROJECT, [given.id]) == counted == DeletionCounts(chunks=3, events=1, entities=1)

    def test_an_item_takes_its_revisions_along(self, store: Store, raw: Raw) -> None:
        """Forgetting what a key names forgets what it named before."""
        chain = [item(f"version {n}", key="k", stored=at(n)) for n in range(3)]
        for given in chain:
            store.add(given, pieces(given), [])

        assert store.remove(PROJECT, [chain[2].id]).chunks == 1
        assert raw.artifact_ids(PROJECT) == []
        assert {job.artifact_id for job in raw.jobs() if job.kind == "erase"} == {given.id for given in chain}

    def test_a_revision_goes_alone(self, store: Store, raw: Raw) -> None:
        """The item and the other revisions stay, and stay linked."""
        chain = [item(f"version {n}", key="k", stored=at(n)) for n in range(3)]
        for given in chain:
            store.add(given, pieces(given), [])
        store.remove(PROJECT, [chain[1].id])

        assert raw.artifact_ids(PROJECT) == sorted([chain[0].id, chain[2].id])
        assert [one.id for one in store.revisions(PROJECT, chain[2].id)] == [chain[0].id]
        assert store.newest(PROJECT, everything(), 5) == [chain[2]]

    def test_an_item_and_its_revision_named_together_go_once(self, store: Store, raw: Raw) -> None:
        """The order of the ids does not matter, and repeated and unknown ids are no error."""
        chain = [item(f"version {n}", key="k", stored=at(n)) for n in range(3)]
        for given in chain:
            store.add(given, pieces(given), [])
        ids = [chain[2].id, chain[0].id, chain[0].id, "art_ffffffffffff", "evt_0", ""]

        assert store.remove(PROJECT, ids) == DeletionCounts(1, 0, 0)
        assert raw.artifact_ids(PROJECT) == []
        assert store.remove(PROJECT, ids) == store.remove(PROJECT, []) == DeletionCounts(0, 0, 0)

    def test_what_has_other_evidence_stays(self, store: Store, raw: Raw) -> None:
        """An entity that another item names stays without the names that only the removed one gave."""
        one = item("Anastasia Smith (Stacy) wrote.")
        two = item("Ana wrote back.")
        for given in (one, two):
            store.add(given, pieces(given), [])
        long = entity("Anastasia Smith", known_as="ana", aliases=("Stacy",), role="CTO", organization="Acme")
        short = entity("Ana", role="Engineer")
        store.replace(PROJECT, one.id, lesson(one, [long]))
        store.replace(PROJECT, two.id, lesson(two, [short]))
        assert store.entities(PROJECT, [short.id])[short.id].name == "Anastasia Smith"

        assert store.remove(PROJECT, [one.id]).entities == 0
        assert store.entities(PROJECT, [short.id]) == {short.id: replace(short, mention_count=1)}
        assert store.entities_by_name(PROJECT, ["stacy", "anastasia smith"]) == {}
        assert raw.knowledge_ids(PROJECT) == [short.id]

    def test_an_event_with_evidence_elsewhere_stays(self, store: Store, raw: Raw) -> None:
        """The removed item's evidence goes, and people that only it named; the event goes with the last evidence."""
        one = item("We agreed on blue, said Ana.")
        two = item("As agreed, blue it is.")
        for given in (one, two):
            store.add(given, pieces(given), [])
        ana = entity("Ana")
        proof = Evidence(two.id, "agreed, blue", 3, 15)
        agreed = event(one, "agreed on blue", actors=[ana], more_evidence=[proof], status="current")
        store.replace(PROJECT, one.id, lesson(one, [ana], [agreed]))

        assert store.remove(PROJECT, [one.id]) == DeletionCounts(1, 0, 1)
        assert store.events(PROJECT, [agreed.id]) == {agreed.id: replace(agreed, actors=(), evidence=(proof,))}
        assert store.entities(PROJECT, [ana.id]) == {}
        assert raw.steps() == 0
        assert store.remove(PROJECT, [two.id]) == DeletionCounts(1, 1, 0)

    def test_a_name_that_only_a_removed_item_gave_is_nowhere(self, store: Store, stored: Callable[[], bytes]) -> None:
        """Events of other items that were shown under it are shown under the name that is left."""
        minutes, mail = item("Attendees: Tomasz Wierzbicki", stored=at(0)), item("Tomasz will deliver.", stored=at(1))
        for given in (minutes, mail):
            store.add(given, pieces(given), [])
        full, short = entity("Tomasz Wierzbicki", known_as="tomasz"), entity("Tomasz", known_as="tomasz")
        promised = event(mail, "Tomasz will deliver", "Commitment", actors=[full], subjects=[full], status="open")
        store.replace(PROJECT, minutes.id, lesson(minutes, [full]))
        store.replace(PROJECT, mail.id, lesson(mail, [short], [promised]))
        assert store.events(PROJECT, [promised.id]) == {promised.id: promised}

        store.remove(PROJECT, [minutes.id])
        [found] = store.events(PROJECT, [promised.id]).values()
        assert (found.actors[0].name, found.subjects[0].name) == ("Tomasz", "Tomasz")
        assert store.entities(PROJECT, [short.id])[short.id].name == "Tomasz"
        store.close()
        assert b"Tomasz will deliver" in stored()
        assert b"wierzbicki" not in stored().lower()

    def test_no_word_of_a_removed_item_is_in_the_files_after_closing(
        self, store: Store, stored: Callable[[], bytes]
    ) -> None:
        """Neither of what it said nor of what it said before an edit, stashed or not; other words stay."""
        kept = item("A quixotic note stays.")
        former, latter = item("The zugzwang was long.", key="k"), item("It was a kerfuffle.", key="k", stashed=True)
        for given in (kept, former, latter):
            store.add(given, pieces(given, prefix="Flibbertigibbet "), [])
            assert all(word in stored() for word in given.memory.content.lower().encode().split()[1:3])
        store.remove(PROJECT, [latter.id])
        store.close()

        assert b"quixot" in stored()
        assert [word for word in (b"zugz", b"gzwa", b"kerfuf", b"erfuffl") if word in stored().lower()] == []

    def test_embeddings_that_other_items_use_stay(self, store: Store, raw: Raw) -> None:
        """The cache is by project and text: it forgets a text when no chunk of the project has it any more."""
        one, two = item("shared words"), item("shared words", source="wiki")
        there = item("shared words", project=OTHER)
        for given in (one, two, there):
            store.add(given, pieces(given), [])
        kept = [embedding_key(project, "shared words") for project in (PROJECT, OTHER)]
        store.cache_vectors("m", {key: row(1) for key in kept})
        store.remove(PROJECT, [one.id])
        assert raw.embedded("m") == sorted(key[:24] for key in kept)

        store.remove(PROJECT, [two.id])
        assert raw.embedded("m") == [kept[1][:24]]

    def test_embeddings_of_passages_that_an_edit_leaves_stay(self, store: Store, raw: Raw) -> None:
        """A new version of a text is embedded only where it differs."""
        old, new = item("common words, then", key="k"), item("common words, now", key="k", stored=at(1))
        store.add(old, pieces(old, size=12), [])
        kept = embedding_key(PROJECT, "common words")
        store.cache_vectors("m", {key: row(1) for key in (kept, embedding_key(PROJECT, ", then"))})
        store.add(new, pieces(new, size=12), [])

        assert raw.embedded("m") == [kept[:24]]

    def test_embeddings_of_former_texts_go_with_the_item(self, store: Store, raw: Raw) -> None:
        """Those of its revisions, and of chunks it had before it was chunked anew."""
        old, new = item("former words", key="k"), item("latter words", key="k", stored=at(1))
        store.add(old, pieces(old), [])
        store.cache_vectors("m", {embedding_key(PROJECT, "former words"): row(1)})
        store.add(new, pieces(new), [])
        store.cache_vectors("m", {embedding_key(PROJECT, "latter words"): row(1)})
        store.rechunk(PROJECT, new.id, pieces(new, size=7))
        store.cache_vectors("m", {embedding_key(PROJECT, "latter "): row(1)})
        store.remove(PROJECT, [new.id])

        assert raw.embedded("m") == []

    def test_a_removal_reaches_no_other_project(self, store: Store, raw: Raw) -> None:
        """An id of one project removes nothing in another, even if both have it."""
        here = item("Ana here.", fingerprint="a" * 64)
        there = replace(here, project_id=OTHER)
        for given in (here, there):
            store.add(given, pieces(given), [])
            store.replace(given.project_id, given.id, lesson(given, [entity("Ana")]))
        assert store.remove("third", [here.id]) == DeletionCounts(0, 0, 0)

        assert store.remove(PROJECT, [here.id]) == DeletionCounts(1, 0, 1)
        assert raw.artifact_ids(OTHER) == [there.id]
        assert raw.knowledge_ids(OTHER) == [entity("Ana").id]
        assert raw.indexed("ana") == 1

    def test_mentions_of_a_removed_item_are_no_longer_counted(self, store: Store) -> None:
        """A count is of the mentions in current artifacts."""
        one, two = item("Ana and Ana."), item("Ana again.")
        ana = entity("Ana")
        for given in (one, two):
            store.add(given, pieces(given), [])
        second = replace(mention(ana, one), start_char=8, end_char=11)
        knowledge = lesson(one, [ana])
        store.replace(PROJECT, one.id, replace(knowledge, mentions=(*knowledge.mentions, second)))
        store.replace(PROJECT, two.id, lesson(two, [ana]))
        assert store.entities(PROJECT, [ana.id])[ana.id].mention_count == 3

        store.remove(PROJECT, [one.id])
        assert store.entities(PROJECT, [ana.id])[ana.id].mention_count == 1
