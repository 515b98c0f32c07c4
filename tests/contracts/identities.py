"""What every engine promises of `graph.protocols.knowledge.Identities`."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import Conflict, NotFound
from core.knowledge.findings import CATEGORIES, GIVEN, Entity, Event, Knowledge, Mention
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisionKind, name_hash, split_id
from core.records import Artifact
from graph.protocols.knowledge import Identities
from graph.store import Store
from tests.contracts.makers import OTHER, PROJECT, at, entity, event, everything, item, lesson, mention, pieces
from tests.contracts.raw import Raw

JON, JOHN, BO = entity("Jon Smith"), entity("John Smith"), entity("Bo")
ALL = [JON, JOHN, BO]


class IdentityStore(Store, Identities, Protocol):
    """A store that keeps identities."""


def decision(kind: MergeDecisionKind, one: str, other: str, **fields: Any) -> MergeDecision:
    """Return a merge decision with an id of its own."""
    return MergeDecision(id=f"ver_{kind}_{one}_{other}", kind=kind, one=one, other=other, at=at(5), **fields)


def merge(one: Entity, other: Entity) -> MergeDecision:
    """Return the merge decision that merges `other` into `one`."""
    return decision("same", one.id, other.id, by="Ana", note="the same desk")


def split(one: Entity, *, name: str | None = None, artifact_id: str | None = None) -> MergeDecision:
    """Return the merge decision that takes a name, or what an artifact says, out of an entity."""
    other = split_id(one.id, name, artifact_id)
    return decision("split", one.id, other, name_hash=name and name_hash(name), artifact_id=artifact_id)


def with_knowledge(
    store: Store, content: str, *entities: Entity, events: Sequence[Event] = (), **fields: object
) -> Artifact:
    """Add an item with knowledge of these entities and events."""
    artifact = item(content, **fields)  # type: ignore[arg-type]  # the fields of `item`
    store.add(artifact, pieces(artifact), [])
    assert store.replace(PROJECT, artifact.id, lesson(artifact, entities, events))
    return artifact


def told(store: Store) -> tuple[Artifact, Artifact, Artifact]:
    """Add what Jon said, what John said, and what both did."""
    jon = item("Jon Smith will paint the fence.", date="2026-01-01")
    john = item("John Smith decided on blue with Bo.", date="2026-01-02")
    both = item("Jon Smith asked John Smith to call Bo.", date="2026-01-03")
    for artifact in (jon, john, both):
        store.add(artifact, pieces(artifact), [])
    john_at_acme = replace(JOHN, role="CTO", organization="Acme", aliases=("Johnny", "john@acme.example"))
    paints = event(jon, "will paint the fence", "Commitment", actors=[JON], due=at(9))
    decided = event(john, "decided on blue", actors=[JOHN], subjects=[BO], event_time=at(1))
    asked = event(both, "asked John Smith", "Collaboration", actors=[JON, JOHN], subjects=[BO])
    store.replace(PROJECT, jon.id, lesson(jon, [replace(JON, organization="Beta")], [paints]))
    store.replace(PROJECT, john.id, lesson(john, [john_at_acme, BO], [decided]))
    store.replace(PROJECT, both.id, lesson(both, [JON, JOHN, BO], [asked]))
    return jon, john, both


def dump(store: Store, ids: Sequence[str], artifacts: Sequence[str], names: Sequence[str]) -> dict[str, object]:
    """Return all that the store answers about these."""
    events = store.events_of(PROJECT, artifacts)
    nodes = [*ids, *(one.id for several in events.values() for one in several)]
    return {
        "entities": store.entities(PROJECT, ids),
        "of each": [store.entities_of(PROJECT, [one], 9) for one in artifacts],
        "named": store.entities_by_name(PROJECT, names),
        "mentions": {one: store.mentions(PROJECT, [one], everything(), 99) for one in ids},
        "events": events,
        "links": sorted(store.links(PROJECT, nodes, [*CATEGORIES, "person"], 99), key=str),
        "counts": store.counts(PROJECT),
    }


NAMES = ["Jon Smith", "John Smith", "Johnny", "john@acme.example", "Bo"]


class IdentitiesContract:
    """Takes the fixtures `store` (empty) and `raw`."""

    def test_a_merged_entity_has_all_that_both_had(self, store: IdentityStore, raw: Raw) -> None:
        """Names, role and organisation, mentions, events, links and counts, at once; the other stands no more."""
        jon, john, both = told(store)
        store.apply_decision(PROJECT, merge(JON, JOHN))

        [found] = store.entities(PROJECT, [JON.id, JOHN.id]).values()
        names = ("Johnny", "Jon Smith", "john@acme.example")
        assert found == Entity(JON.id, "John Smith", "person", names, "CTO", "Acme", 4)
        assert [one.id for one in store.entities_by_name(PROJECT, ["johnny"])["johnny"]] == [JON.id]
        assert len(store.mentions(PROJECT, [JON.id], everything(), 9)) == 3
        assert store.mentions(PROJECT, [JOHN.id], everything(), 9) == []
        assert store.links(PROJECT, [JOHN.id], CATEGORIES, 9) == []
        [decided] = store.events_of(PROJECT, [john.id])[john.id]
        assert [(one.entity_id, one.name) for one in decided.actors] == [(JON.id, "John Smith")]
        [asked] = store.events_of(PROJECT, [both.id])[both.id]
        assert [one.entity_id for one in asked.actors] == [JON.id]
        assert {link.target for link in store.links(PROJECT, [JON.id], CATEGORIES, 9)} == {
            one.id for several in store.events_of(PROJECT, [jon.id, john.id, both.id]).values() for one in several
        }
        assert store.counts(PROJECT).entities == 2
        assert [one.id for one in store.entities_of(PROJECT, [both.id], 9)] == [JON.id, BO.id]
        raw.check()

    def test_undoing_a_merge_leaves_what_stood_before(self, store: IdentityStore, raw: Raw) -> None:
        """Everything that the store answers is as if the merge decision had never been; the merge decision stays as
        history."""
        artifacts = [one.id for one in told(store)]
        before = dump(store, [one.id for one in ALL], artifacts, NAMES)
        for one, other in ((JON, JOHN), (BO, JON)):
            given = merge(one, other)
            store.apply_decision(PROJECT, given)
            assert dump(store, [one.id for one in ALL], artifacts, NAMES) != before
            assert store.undo_decision(PROJECT, given.id, at(6), "Bo")
            assert dump(store, [one.id for one in ALL], artifacts, NAMES) == before
            assert not store.undo_decision(PROJECT, given.id, at(7), None)
        assert [(one.undone_at, one.undone_by, one.by, one.note) for one in store.merge_decisions(PROJECT)] == [
            (at(6), "Bo", "Ana", "the same desk")
        ] * 2
        raw.check()

    def test_what_is_learnt_after_a_merge_stands_with_it_and_parts_with_it(
        self, store: IdentityStore, raw: Raw
    ) -> None:
        """`replace` is given what resolution finds; undoing gives each its own, also what came later or again."""
        told(store)
        given = merge(JON, JOHN)
        store.apply_decision(PROJECT, given)
        later = with_knowledge(store, "John Smith called.", replace(JOHN, aliases=("JS",)))
        again = item("Jon Smith will paint the fence.", date="2026-01-01")
        store.replace(PROJECT, again.id, lesson(again, [JON]))
        assert store.entities(PROJECT, [JON.id])[JON.id].mention_count == 5
        assert [one.id for one in store.entities_of(PROJECT, [later.id], 9)] == [JON.id]
        store.undo_decision(PROJECT, given.id, at(6), None)

        assert [one.id for one in store.entities_of(PROJECT, [later.id], 9)] == [JOHN.id]
        found = store.entities(PROJECT, [JON.id, JOHN.id])
        assert (found[JON.id].aliases, found[JON.id].mention_count) == ((), 2)
        assert (found[JOHN.id].aliases, found[JOHN.id].mention_count) == (("JS", "Johnny", "john@acme.example"), 3)
        raw.check()

    def test_merges_may_be_undone_in_any_order(self, store: IdentityStore, raw: Raw) -> None:
        """Of two that follow upon each other each leaves the other in effect."""
        told(store)
        first, second = merge(JON, JOHN), merge(BO, JON)
        store.apply_decision(PROJECT, first)
        store.apply_decision(PROJECT, second)
        assert list(store.entities(PROJECT, [one.id for one in ALL])) == [BO.id]
        store.undo_decision(PROJECT, first.id, at(6), None)
        assert set(store.entities(PROJECT, [one.id for one in ALL])) == {BO.id, JOHN.id}
        store.undo_decision(PROJECT, second.id, at(7), None)
        assert set(store.entities(PROJECT, [one.id for one in ALL])) == {JON.id, JOHN.id, BO.id}
        raw.check()

    def test_the_originals_of_an_entity_are_what_resolution_found(self, store: IdentityStore) -> None:
        """With their own names and newest organisation; an entity without merge decisions is its own only one."""
        told(store)
        store.apply_decision(PROJECT, merge(JON, JOHN))
        expected = [
            Entity(JOHN.id, "John Smith", "person", ("Johnny", "john@acme.example"), organization="Acme"),
            Entity(JON.id, "Jon Smith", "person", organization="Beta"),
        ]
        assert store.originals(PROJECT, [JON.id, JOHN.id, BO.id]) == {
            JON.id: sorted(expected, key=lambda one: one.id),
            BO.id: [Entity(BO.id, "Bo", "person")],
        }
        assert store.originals(OTHER, [JON.id]) == {}

    @pytest.mark.parametrize("name", ["Anna", "@anna"])
    def test_a_name_is_taken_out_of_an_entity_wherever_it_is_the_name(
        self, store: IdentityStore, raw: Raw, name: str
    ) -> None:
        """Or an address or handle; now and later; undoing puts it back. A short form that others have is no name."""
        berg = entity("Anna Berg", aliases=("Anna",))
        short = replace(entity("Anna", known_as="Anna Berg"), aliases=("@anna",))
        one = with_knowledge(store, "Anna Berg painted.", berg)
        two = with_knowledge(store, "Anna will call.", short)
        before = dump(store, [berg.id], [one.id, two.id], ["Anna"])
        given = split(berg, name=name)
        store.apply_decision(PROJECT, given)
        three = with_knowledge(store, "Anna called.", short)
        found = store.entities(PROJECT, [berg.id, given.other])

        assert (found[berg.id].name, found[berg.id].aliases) == ("Anna Berg", ("Anna",))
        assert (found[given.other].name, found[given.other].mention_count) == ("Anna", 2)
        assert [one.id for one in store.entities_of(PROJECT, [two.id, three.id], 9)] == [given.other]
        assert store.originals(PROJECT, [given.other])[given.other][0].aliases == ("@anna", "Anna")
        store.remove(PROJECT, [three.id])
        store.undo_decision(PROJECT, given.id, at(6), None)
        assert dump(store, [berg.id], [one.id, two.id], ["Anna"]) == before
        raw.check()

    def test_what_one_item_says_is_taken_out_of_an_entity(self, store: IdentityStore, raw: Raw) -> None:
        """Also into an entity that is there; undoing puts it back."""
        one, two = with_knowledge(store, "Bo paints.", BO), with_knowledge(store, "Bo calls.", BO)
        with_knowledge(store, "Jon Smith called.", JON)
        given = replace(split(BO, artifact_id=two.id), other=JON.id)
        store.apply_decision(PROJECT, given)
        assert [one.id for one in store.entities_of(PROJECT, [two.id], 9)] == [JON.id]
        assert [one.id for one in store.entities_of(PROJECT, [one.id], 9)] == [BO.id]
        store.undo_decision(PROJECT, given.id, at(6), None)
        assert [one.id for one in store.entities_of(PROJECT, [two.id], 9)] == [BO.id]
        raw.check()

    def test_a_verdict_that_makes_no_sense_is_refused_whole(self, store: IdentityStore) -> None:
        """An entity that is not stored, or of another project; one with itself; a name that nothing is called by."""
        told(store)
        with pytest.raises(NotFound):
            store.apply_decision(PROJECT, merge(JON, entity("Nobody")))
        with pytest.raises(NotFound):
            store.apply_decision(OTHER, merge(JON, JOHN))
        with pytest.raises(Conflict):
            store.apply_decision(PROJECT, merge(JON, JON))
        with pytest.raises(Conflict):
            store.apply_decision(PROJECT, split(JON, name="Jonathan"))
        assert store.merge_decisions(PROJECT) == []
        assert not store.undo_decision(OTHER, "ver_1", at(6), None)

    def test_likenesses_are_all_that_was_said_last_of_their_entities(self, store: IdentityStore) -> None:
        """Surest first; strangers are left out; of other entities nothing changes."""
        told(store)
        first, second, third = sorted(one.id for one in ALL)
        pairs = [
            MergeCandidate(first, second, 0.5, "a"),
            MergeCandidate(first, third, 0.75, "b"),
            MergeCandidate(second, third, 0.25, "c"),
        ]
        store.set_merge_candidates(
            PROJECT, [one.id for one in ALL], [*pairs, MergeCandidate(first, "ent_ffffffffffff", 1, "d")]
        )
        assert store.open_merge_candidates(PROJECT, 2) == ([pairs[1], pairs[0]], 3)
        assert store.open_merge_candidates(PROJECT, 2, 2) == ([pairs[2]], 3)
        assert store.merge_candidates(PROJECT, [second], 9) == [pairs[0], pairs[2]]
        assert store.merge_candidates(PROJECT, [first, third], 1) == [pairs[1]]
        changed = replace(pairs[0], confidence=0.9)
        store.set_merge_candidates(PROJECT, [first], [changed])
        assert store.open_merge_candidates(PROJECT, 9) == ([changed, pairs[2]], 2)
        assert store.open_merge_candidates(OTHER, 9) == ([], 0)
        assert store.merge_candidates(OTHER, [first], 9) == store.merge_candidates(PROJECT, [], 9) == []

    def test_a_rejected_pair_is_no_likeness_again_until_that_is_undone(self, store: IdentityStore) -> None:
        """Nor is one of which either is merged into another."""
        told(store)
        pair = MergeCandidate(min(JON.id, JOHN.id), max(JON.id, JOHN.id), 0.5, "spelt alike")
        store.set_merge_candidates(PROJECT, [JON.id], [pair])
        rejection = decision("different", JOHN.id, JON.id)
        store.apply_decision(PROJECT, rejection)
        store.set_merge_candidates(PROJECT, [JON.id], [pair])
        assert store.open_merge_candidates(PROJECT, 9) == ([], 0)
        store.undo_decision(PROJECT, rejection.id, at(6), None)
        store.set_merge_candidates(PROJECT, [JON.id], [pair])
        assert store.open_merge_candidates(PROJECT, 9) == ([pair], 1)
        store.apply_decision(PROJECT, merge(BO, JOHN))
        assert store.open_merge_candidates(PROJECT, 9) == ([], 0)

    def test_likenesses_and_verdicts_go_with_the_last_that_names_their_entities(
        self, store: IdentityStore, stored: Callable[[], bytes]
    ) -> None:
        """And no word of it stays, such as in a note."""
        jon, john = with_knowledge(store, "Jon Smith paints.", JON), with_knowledge(store, "John Smith calls.", JOHN)
        store.set_merge_candidates(
            PROJECT, [JON.id], [MergeCandidate(min(JON.id, JOHN.id), max(JON.id, JOHN.id), 0.5, "spelt alike")]
        )
        merged = replace(merge(JON, JOHN), note="Quixotic, as both say")
        store.apply_decision(PROJECT, merged)
        store.undo_decision(PROJECT, merged.id, at(6), None)
        again = replace(merged, id="ver_again")
        store.apply_decision(PROJECT, again)
        store.remove(PROJECT, [john.id])
        assert [(one.id, one.note) for one in store.merge_decisions(PROJECT)] == [("ver_again", None)]
        assert b"Quixotic" not in stored()
        store.remove(PROJECT, [jon.id])
        assert store.merge_decisions(PROJECT) == []
        assert store.open_merge_candidates(PROJECT, 9) == ([], 0)

    @pytest.mark.parametrize("seed", range(3))
    def test_verdicts_in_any_order_leave_no_trace_when_undone(self, store: IdentityStore, raw: Raw, seed: int) -> None:
        """Whatever was merged, split, undone and learnt meanwhile; chosen by lot, but always the same."""
        lot = random.Random(seed)
        judged_and_undone(store, [(lot.choice(ACTIONS), lot.randrange(4), lot.randrange(4)) for _ in range(8)])
        raw.check()

    def test_a_revision_keeps_what_it_says_where_it_stands(self, store: IdentityStore, raw: Raw) -> None:
        """Its mentions are not counted, before and after a merge and its undoing."""
        told(store)
        first = with_knowledge(store, "John Smith is out.", JOHN, key="k")
        with_knowledge(store, "John Smith is in.", JOHN, key="k")
        given = merge(JON, JOHN)
        store.apply_decision(PROJECT, given)
        assert store.entities(PROJECT, [JON.id])[JON.id].mention_count == 5
        assert [one.id for one in store.entities_of(PROJECT, [first.id], 9)] == [JON.id]
        store.undo_decision(PROJECT, given.id, at(6), None)
        assert store.entities(PROJECT, [JOHN.id])[JOHN.id].mention_count == 3
        raw.check()

    def test_an_entity_has_the_name_that_a_person_decided_on(self, store: IdentityStore, raw: Raw) -> None:
        """Whatever artifacts call it later, and also where it is merged; the latest decision holds, until undone."""
        jon, *_ = told(store)
        for number, name in enumerate(("Jonathan", "Dr Jon Smith")):
            store.apply_decision(PROJECT, replace(decision("name", JON.id, JON.id, name=name), id=f"ver_{number}"))
        with_knowledge(store, "Jon Smith-Berg wrote.", replace(JON, name="Jon Smith-Berg", weight=GIVEN))

        found = store.entities(PROJECT, [JON.id])[JON.id]
        assert (found.name, found.aliases) == ("Dr Jon Smith", ("Jon Smith", "Jon Smith-Berg"))
        assert [one.id for one in store.entities_by_name(PROJECT, ["dr jon smith"])["dr jon smith"]] == [JON.id]
        assert store.entities(PROJECT, [JON.id], as_of=at())[JON.id].name == "Dr Jon Smith"
        [paints] = store.events_of(PROJECT, [jon.id])[jon.id]
        assert [one.name for one in paints.actors] == ["Dr Jon Smith"]
        store.apply_decision(PROJECT, merge(JOHN, JON))
        assert store.entities(PROJECT, [JOHN.id])[JOHN.id].name == "Dr Jon Smith"
        raw.check()

        store.undo_decision(PROJECT, merge(JOHN, JON).id, at(6), None)
        assert store.entities(PROJECT, [JOHN.id])[JOHN.id].name == "John Smith"
        store.undo_decision(PROJECT, "ver_1", at(6), None)
        assert store.entities(PROJECT, [JON.id])[JON.id].name == "Jonathan"
        store.undo_decision(PROJECT, "ver_0", at(6), None)
        assert store.entities(PROJECT, [JON.id])[JON.id].name == "Jon Smith-Berg"
        raw.check()

    def test_a_decided_name_outlives_reading_the_items_again(self, store: IdentityStore, raw: Raw) -> None:
        """Also where nothing names the entity for a while; it goes with the last item that names it."""
        artifact = with_knowledge(store, "Bo sang.", BO)
        store.apply_decision(PROJECT, decision("name", BO.id, BO.id, name="Bo Lind"))
        store.replace(PROJECT, artifact.id, Knowledge())
        store.replace(PROJECT, artifact.id, lesson(artifact, [BO]))
        assert store.entities(PROJECT, [BO.id])[BO.id].name == "Bo Lind"
        raw.check()
        store.remove(PROJECT, [artifact.id])
        assert store.merge_decisions(PROJECT) == []

    def test_what_a_person_dismissed_is_nowhere(self, store: IdentityStore, raw: Raw) -> None:
        """Also with what is merged into it, and in what comes later; undoing has the items read again."""
        jon, john, both = told(store)
        store.apply_decision(PROJECT, merge(JON, JOHN))
        dismissed = decision("dismissed", JON.id, JON.id)
        store.apply_decision(PROJECT, dismissed)
        later = with_knowledge(store, "Jon Smith met Bo.", JON, BO)
        store.replace(PROJECT, john.id, lesson(john, [JOHN, BO], [event(john, "decided on blue", actors=[JOHN, BO])]))

        assert set(store.entities(PROJECT, [one.id for one in ALL])) == {BO.id}
        assert store.entities_by_name(PROJECT, NAMES).keys() == {"bo"}
        assert store.mentioned_entities(PROJECT, [jon.id, both.id, later.id]) == {both.id: [BO.id], later.id: [BO.id]}
        events = store.events_of(PROJECT, [jon.id, john.id, both.id])
        assert {one.entity_id for several in events.values() for each in several for one in each.actors} == {BO.id}
        assert store.links(PROJECT, [JON.id, JOHN.id], CATEGORIES, 9) == []
        assert store.counts(PROJECT).entities == 1
        assert store.entities(PROJECT, [JON.id], as_of=at()) == {}
        assert [one.kind for one in store.merge_decisions(PROJECT)] == ["same", "dismissed"]
        raw.check()

        assert store.undo_decision(PROJECT, dismissed.id, at(6), None)
        waiting = [one.id for one in (jon, john, both, later) if store.job_reports(PROJECT, one.id)]
        assert waiting == [jon.id, john.id, both.id, later.id]
        store.replace(PROJECT, both.id, lesson(both, [JON, JOHN, BO]))
        assert set(store.entities(PROJECT, [one.id for one in ALL])) == {JON.id, BO.id}


PEOPLE = [entity(name) for name in ("Ana Lee", "Bo Park", "Cy Dunn", "Di Ray")]
ACTIONS = ["same", "split", "undo", "learn"]
STEPS = st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 3), st.integers(0, 3)), max_size=8)


class IdentitiesProperties:
    """Takes the fixture `store`, whose earlier contents do not matter."""

    @pytest.mark.exhaustive
    @given(STEPS)
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_undoing_all_verdicts_leaves_what_would_stand_without_them(
        self, store: IdentityStore, steps: list[tuple[str, int, int]]
    ) -> None:
        """Whatever was merged, split, undone and learnt meanwhile, in whatever order."""
        judged_and_undone(store, steps)


def judged_and_undone(store: IdentityStore, steps: Sequence[tuple[str, int, int]]) -> None:
    """Take these steps, undo all merge decisions, and compare what stands with what is learnt without any."""
    content = " ".join(one.name for one in PEOPLE)
    artifacts = [item(f"{n} {content} agreed.") for n in range(4)]
    store.remove(PROJECT, [one.id for one in artifacts])
    for artifact in artifacts:
        store.add(artifact, pieces(artifact), [])
    lessons = [_lesson(artifact, 3) for artifact in artifacts]
    for artifact, latest in zip(artifacts, lessons, strict=True):
        store.replace(PROJECT, artifact.id, latest)
    for number, (action, first, second) in enumerate(steps):
        _act(store, action, PEOPLE[first], PEOPLE[second], number, artifacts)
        if action == "learn":
            lessons[first] = _lesson(artifacts[first], second)
            store.replace(PROJECT, artifacts[first].id, lessons[first])
    for one in store.merge_decisions(PROJECT):
        store.undo_decision(PROJECT, one.id, at(9), None)
    undone = _everything_said(store, artifacts)
    for artifact in artifacts:
        store.replace(PROJECT, artifact.id, Knowledge())
    for artifact, latest in zip(artifacts, lessons, strict=True):
        store.replace(PROJECT, artifact.id, latest)
    assert _everything_said(store, artifacts) == undone


def _act(
    store: IdentityStore, action: str, one: Entity, other: Entity, number: int, artifacts: Sequence[Artifact]
) -> None:
    """Make or undo a merge decision, if it makes sense now."""
    made = replace(merge(one, other), id=f"ver_{number}", at=at(number))
    if action == "undo":
        for given in store.merge_decisions(PROJECT)[number % 3 :: 3]:
            store.undo_decision(PROJECT, given.id, at(number), None)
    elif action == "split":
        artifact_id = artifacts[PEOPLE.index(other)].id
        made = replace(split(one, artifact_id=artifact_id), id=f"ver_{number}", at=at(number))
    if action in {"same", "split"}:
        try:
            store.apply_decision(PROJECT, made)
        except (Conflict, NotFound):
            return


def _lesson(artifact: Artifact, last: int) -> Knowledge:
    people = PEOPLE[: last + 1]
    agreed = event(artifact, "agreed", actors=people, subjects=people[:1], event_time=at(1))
    mentions = tuple(mention(one, artifact) for one in people)
    return Knowledge(tuple(people), (*mentions, Mention(people[0].id, artifact.id, 0, 1)), (agreed,))


def _everything_said(store: Store, artifacts: Sequence[Artifact]) -> dict[str, object]:
    return dump(store, [one.id for one in PEOPLE], [one.id for one in artifacts], [one.name for one in PEOPLE])
