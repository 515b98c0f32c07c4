"""What every engine promises of `graph.protocols.administration.Soundness`."""

from collections.abc import Collection

from core.knowledge.identities import MergeDecision
from core.records import MISSPELT, Artifact, IntegrityIssue, Part
from graph.store import Store
from graph.text.term_vectors import term
from tests.contracts.makers import OTHER, PROJECT, at, entity, event, item, lesson, pieces
from tests.contracts.raw import Raw

ALL: tuple[Part, ...] = ("words", "lists", "graph")
TEXT = "Dana decided to sell the mill. Omar will paint the boat."
DANA, OMAR = entity("Dana"), entity("Omar")


def kept(store: Store, *given: Artifact) -> None:
    """Store items with two people and two events each."""
    for one in given:
        store.add(one, pieces(one, size=20), ["extract"])
        with_knowledge(store, one)


def with_knowledge(store: Store, given: Artifact) -> None:
    """Teach what a text of the suite says."""
    told = [
        event(given, "Dana decided to sell the mill", actors=[DANA]),
        event(given, "Omar will paint the boat", "Commitment", actors=[OMAR], subjects=[DANA]),
    ]
    assert store.replace(given.project_id, given.id, lesson(given, [DANA, OMAR], told))


def items(number: int) -> list[Artifact]:
    """Return items of that text, each with a word of its own."""
    return [item(f"{TEXT} Note {n}.", num_chunks=4, tags=(f"tag{n}",)) for n in range(number)]


def told(store: Store, part: Part) -> dict[str, tuple[str, ...]]:
    """Return what is wrong with a part of the project, by kind."""
    return {
        issue.what: issue.ids
        for issue in store.integrity_issues()
        if issue.part == part and issue.project_id == PROJECT
    }


def repaired(store: Store, given: Collection[Artifact]) -> set[str]:
    """Mend everything and learn again what has to be; return which items that were."""
    again = store.repair(ALL).get(PROJECT, [])
    for one in given:
        if one.id in again:
            with_knowledge(store, one)
    return set(again)


class SoundnessContract:
    """Takes the fixtures `store` (empty) and `raw`."""

    def test_what_the_store_did_itself_is_no_flaw(self, store: Store) -> None:
        """Revisions, stashes, other projects, merge decisions and forgotten items leave nothing that is out of step."""
        given = items(4)
        kept(store, *given, item(TEXT, key="k", num_chunks=3), item(f"{TEXT} Later.", key="k", num_chunks=4))
        kept(store, item(f"{TEXT} Elsewhere.", project=OTHER, num_chunks=4))
        store.stash(PROJECT, [given[0].id, given[1].id], stashed=True)
        store.stash(PROJECT, [given[1].id], stashed=False)
        store.remove(PROJECT, [given[2].id])

        assert store.integrity_issues() == []
        assert store.repair(ALL) == {}
        assert store.integrity_issues() == []

    def test_lost_events_and_entities_are_named_and_come_back(self, store: Store, raw: Raw) -> None:
        """Exactly those, however they got lost; only items that had them are extracted again."""
        given = items(6)
        kept(store, *given)
        before = raw.knowledge_ids(PROJECT)
        lost = sorted(found.id for one in given[:2] for found in store.events_of(PROJECT, [one.id])[one.id])
        raw.lose_nodes(PROJECT, lost)

        assert told(store, "graph")["events of items are missing"] == tuple(lost)
        assert repaired(store, given) == {given[0].id, given[1].id}
        assert store.integrity_issues() == []
        raw.lose_nodes(PROJECT, [OMAR.id])
        assert told(store, "graph")["entities of items are missing"] == (OMAR.id,)
        assert repaired(store, given) == {one.id for one in given}
        assert store.integrity_issues() == []
        assert raw.knowledge_ids(PROJECT) == before

    def test_unexpected_events_and_entities_are_named_and_dropped(self, store: Store, raw: Raw) -> None:
        """Those that an item is not expected to have, and those without evidence."""
        given = items(2)
        kept(store, *given)
        before = raw.knowledge_ids(PROJECT)
        stranger = entity("Note", mention_count=1)
        strange = event(given[0], "Note 0", subjects=[stranger])
        raw.plant_entity(given[0], stranger)
        raw.plant_event(given[0], strange)

        graph = told(store, "graph")
        assert graph["events belong to no item"] == (strange.id,)
        assert graph["entities belong to no item"] == (stranger.id,)
        assert repaired(store, given) == {given[0].id}
        assert store.integrity_issues() == []
        assert raw.knowledge_ids(PROJECT) == before

    def test_what_rests_on_nothing_is_named_and_goes(self, store: Store, raw: Raw) -> None:
        """Nobody has to learn anything for that."""
        given = items(1)
        kept(store, *given)
        stranger = entity("Note")
        strange = event(given[0], "Note 0", subjects=[stranger])
        raw.plant_entity(given[0], stranger)
        raw.plant_event(given[0], strange)
        raw.lose_evidence(PROJECT, [strange.id, stranger.id])

        graph = told(store, "graph")
        assert graph["events rest on no evidence"] == (strange.id,)
        assert graph["entities are named by nothing"] == (stranger.id,)
        assert repaired(store, given) == set()
        assert store.integrity_issues() == []

    def test_lost_words_are_named_and_made_again(self, store: Store, raw: Raw) -> None:
        """Each chunk that can't be found, and no other."""
        given = items(3)
        kept(store, *given)
        store.stash(PROJECT, [given[2].id], stashed=True)
        raw.lose_words(PROJECT, [f"{given[0].id}:1", f"{given[1].id}:0"])

        assert told(store, "words")["chunks have no words"] == tuple(sorted([f"{given[0].id}:1", f"{given[1].id}:0"]))
        assert repaired(store, given) == set()
        assert store.integrity_issues() == []
        raw.ruin_words()
        assert {issue.part for issue in store.integrity_issues()} == {"words"}
        store.repair(ALL)
        assert store.integrity_issues() == []
        raw.check()

    def test_a_word_that_is_not_found_when_mistyped_is_named_and_made_again(self, store: Store, raw: Raw) -> None:
        """By its term, and no other."""
        given = items(2)
        kept(store, *given)
        raw.lose_spelling(PROJECT, "paint")

        assert store.spelling_variants(PROJECT, ["paimt"]) == {}
        assert told(store, "words") == {MISSPELT: (str(term("paint")),)}
        store.repair(["words"])
        assert store.spelling_variants(PROJECT, ["paimt"]) == {"paimt": ["paint"]}
        assert store.integrity_issues() == []
        raw.check()

    def test_what_is_left_of_a_revision_is_all_that_is_expected(self, store: Store, raw: Raw) -> None:
        """It can't be learnt again, and is not told of forever."""
        former, latter = item(TEXT, key="k", num_chunks=3), item(f"{TEXT} Later.", key="k", num_chunks=4)
        kept(store, former, latter)
        raw.lose_nodes(PROJECT, [store.events_of(PROJECT, [former.id])[former.id][0].id])

        assert len(told(store, "graph")["events of items are missing"]) == 1
        assert store.repair(ALL) == {}
        assert store.integrity_issues() == []

    def test_verdicts_are_no_flaw(self, store: Store) -> None:
        """What is assigned to another entity is expected all the same."""
        given = items(2)
        kept(store, *given)
        decided = MergeDecision(id="ver_1", kind="same", one=DANA.id, other=OMAR.id, at=at(5))
        store.apply_decision(PROJECT, decided)

        assert store.integrity_issues() == []
        kept(store, item(f"{TEXT} Once more.", num_chunks=4))
        assert store.integrity_issues() == []
        store.undo_decision(PROJECT, decided.id, at(6), "Ana")
        assert store.integrity_issues() == []

    def test_a_flaw_tells_its_number_and_project(self) -> None:
        """As a line for a person."""
        assert (
            str(IntegrityIssue("words", "chunks have no words", ("a", "b"), "p")) == "project p: 2 chunks have no words"
        )
        assert str(IntegrityIssue("record", "faults are in the file", ("a",))) == "1 faults are in the file"
