"""What every engine promises of `as_of`: what later items say is not known, neither in ranking nor in the graph."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from core.knowledge.findings import EventLink
from core.knowledge.ledger import Resolution
from core.records import Artifact
from graph.store import Store
from graph.text.term_vectors import terms
from tests.contracts.candidates import MODEL, added, conversation
from tests.contracts.makers import OTHER, PROJECT, at, entity, event, everything, item, lesson, mention

ANA = entity("Ana Lopez", aliases=("Ana",), role="Clerk")
ANA_LATER = replace(ANA, name="Ana Lopez-Marin", aliases=("Ana", "@ana"), role="Head", organization="Globex")
BOAT = entity("Boat", "object")
_TOLD = (("sail", 5), ("stay", 8), ("wait", 20))


def dated(content: str, day: int, **fields: Any) -> Artifact:
    """Return an item of a day in January 2026."""
    return item(content, date=f"2026-01-{day:02}", **fields)


class PastContract:
    """Takes the fixture `store` (empty)."""

    def test_entities_have_the_names_and_counts_of_then(self, store: Store) -> None:
        """Whatever was stored first; one that nobody had named is not there."""
        late, early = dated("Ana Lopez-Marin, Ana and Boat.", 20), dated("Ana Lopez and Ana Lopez.", 10)
        added(store, late, early)
        store.replace(PROJECT, late.id, lesson(late, [ANA_LATER, BOAT]))
        knowledge = lesson(early, [ANA])
        second = replace(mention(ANA, early), start_char=14, end_char=23)
        store.replace(PROJECT, early.id, replace(knowledge, mentions=(*knowledge.mentions, second)))
        then = replace(ANA, mention_count=2)
        assert store.entities(PROJECT, [ANA.id, BOAT.id], as_of=at(-45)) == {ANA.id: then}
        assert store.entities_of(PROJECT, [early.id], 5, as_of=at(-45)) == [then]
        uncounted = store.entities_of(PROJECT, [early.id], 5, as_of=at(-45), counted=False)
        uncounted += store.entities(PROJECT, [ANA.id, BOAT.id], as_of=at(-45), counted=False).values()
        assert [replace(one, mention_count=2) for one in uncounted] == [then, then]
        today = replace(ANA_LATER, aliases=("@ana", "Ana", "Ana Lopez"), mention_count=3)
        assert store.entities(PROJECT, [ANA.id], as_of=at()) == store.entities(PROJECT, [ANA.id]) == {ANA.id: today}
        assert store.entities(PROJECT, [ANA.id], as_of=at(-100)) == {}
        assert store.entities(OTHER, [ANA.id], as_of=at()) == {}

    def test_what_a_revision_mentions_is_not_counted(self, store: Store) -> None:
        """As today: only current items count."""
        old, new = dated("Ana Lopez.", 10, key="k"), dated("Nobody.", 12, key="k")
        added(store, old)
        store.replace(PROJECT, old.id, lesson(old, [ANA]))
        added(store, new)
        assert store.entities(PROJECT, [ANA.id], as_of=at())[ANA.id].mention_count == 0

    def test_events_have_the_evidence_names_and_status_of_then(self, store: Store) -> None:
        """Links of later items, and what a person declared later, change nothing then."""
        early, late = dated("Ana Lopez decided to sail.", 10), dated("Ana Lopez-Marin decided to stay.", 20)
        added(store, early, late)
        sail, stay = event(early, "decided to sail", actors=[ANA]), event(late, "decided to stay", actors=[ANA_LATER])
        store.replace(PROJECT, early.id, lesson(early, [ANA], [sail]))
        store.replace(PROJECT, late.id, lesson(late, [ANA_LATER], [stay]))
        store.set_event_links(PROJECT, [stay.id], [EventLink(stay.id, sail.id, "SUPERSEDES", 0.9)])
        then, today = (store.events(PROJECT, [sail.id, stay.id], as_of=moment) for moment in (at(-45), at()))
        assert then == {sail.id: replace(sail, status="current")}
        assert today[sail.id].status == "superseded"
        assert [actor.name for actor in today[sail.id].actors] == ["Ana Lopez-Marin"]
        assert today == store.events(PROJECT, [sail.id, stay.id])
        assert store.events_of(PROJECT, [early.id, late.id], as_of=at(-45)) == {early.id: [then[sail.id]]}
        assert store.list_events(PROJECT, ["Decision"], everything(as_of=at(-45)), 9) == [then[sail.id]]
        store.add_resolution(PROJECT, Resolution(sail.id, "withdrawn", at(1)))
        assert store.events(PROJECT, [sail.id], as_of=at())[sail.id].status == "superseded"
        assert store.events(PROJECT, [sail.id], as_of=at(1))[sail.id].status == "withdrawn"

    def test_later_evidence_of_an_event_is_not_shown(self, store: Store) -> None:
        """An event with evidence in two items rests on the earlier one alone then."""
        early, late = dated("We decided to sail.", 10), dated("They decided to sail.", 20)
        added(store, early, late)
        proof = event(late, "decided to sail").evidence
        both = event(early, "decided to sail", more_evidence=proof)
        store.replace(PROJECT, early.id, lesson(early, [], [both]))
        assert store.events(PROJECT, [both.id], as_of=at(-45))[both.id].evidence == both.evidence[:1]
        assert store.events(PROJECT, [both.id], as_of=at())[both.id].evidence == both.evidence

    def test_later_events_take_no_place_under_the_cap(self, store: Store) -> None:
        """A hub's steps of then are the heaviest of then, in both directions."""
        days = range(1, 29)
        artifacts = [dated(f"Ana Lopez decided on day {day}.", day) for day in days]
        added(store, *artifacts)
        events = [event(one, one.memory.content, actors=[ANA], event_time=one.happened_at) for one in artifacts]
        for one, told in zip(artifacts, events, strict=True):
            store.replace(PROJECT, one.id, lesson(one, [ANA], [told]))
        moment = artifacts[9].happened_at
        found = store.links(PROJECT, [ANA.id], ["Decision", "Commitment"], 3, as_of=moment)
        assert [link.target for link in found] == [told.id for told in events[9:6:-1]]
        assert found == [link for link in store.links(PROJECT, [ANA.id], ["Decision"], 50) if link in found]
        asked = [events[9].id, events[10].id]
        assert [link.source for link in store.links(PROJECT, asked, ["person"], 3, as_of=moment)] == [events[9].id]
        assert store.links(PROJECT, [ANA.id], ["Decision"], 3, as_of=at()) == store.links(
            PROJECT, [ANA.id], ["Decision"], 3
        )

    def test_what_was_foretold_takes_its_place_under_the_cap(self, store: Store) -> None:
        """An event of a later day that was known then is heavier than those before; one told later is not there."""
        sail, stay, wait = (dated(f"Ana Lopez decided to {what}.", day) for what, day in _TOLD)
        added(store, sail, stay, wait)
        soon = sail.happened_at + timedelta(days=60)
        told = [
            event(one, one.memory.content, actors=[ANA], subjects=[ANA], event_time=time)
            for one, time in ((sail, soon), (stay, stay.happened_at), (wait, soon))
        ]
        for one, found in zip((sail, stay, wait), told, strict=True):
            store.replace(PROJECT, one.id, lesson(one, [ANA], [found]))
        every = store.links(PROJECT, [ANA.id], ["Decision"], 50)
        known = [link for link in every if link.target != told[2].id]
        assert [link.target for link in known] == [told[0].id] * 2 + [told[1].id] * 2
        assert store.links(PROJECT, [ANA.id], ["Decision"], 50, as_of=stay.happened_at) == known
        assert store.links(PROJECT, [ANA.id], ["Decision"], 3, as_of=stay.happened_at) == known[:3]
        assert store.links(PROJECT, [ANA.id], ["Decision"], 50, as_of=at()) == every

    def test_ranking_knows_the_project_of_then(self, store: Store) -> None:
        """Term statistics, sample and authors, whether more came later or before."""
        early, late = dated("Red boats and sails.", 10), dated("Blue boats.", 20)
        added(store, early, late)
        asked = terms("red blue boats sails")
        alone = store.term_statistics(PROJECT, asked, as_of=at(-45))
        added(store, *(dated(f"Green boats {number}.", 25) for number in range(3)), item("Boats.", project=OTHER))
        assert store.term_statistics(PROJECT, asked, as_of=at(-45)) == alone
        assert (alone.num_chunks, alone.mean_terms) == (1, 3.0)
        assert dict(alone.num_with) == dict(zip(terms("red boats sails"), (1, 1, 1), strict=True))
        two = store.term_statistics(PROJECT, asked, as_of=at(-40))
        assert (two.num_chunks, dict(two.num_with)[asked[2]]) == (2, 2)
        assert store.term_statistics(PROJECT, asked, as_of=at()) == store.term_statistics(PROJECT, asked)
        assert store.term_statistics(PROJECT, asked, as_of=at(-100)).num_chunks == 0
        four = [dated(f"Old {number}.", 1) for number in range(4)]
        added(store, *four)
        assert store.term_statistics(PROJECT, asked, as_of=at(-45)).num_chunks == 5
        assert store.sample(PROJECT, MODEL, 20, as_of=at(-45)).shape == (5, 8)
        assert np.array_equal(store.sample(PROJECT, MODEL, 20, as_of=at()), store.sample(PROJECT, MODEL, 20))

    def test_how_common_words_were_is_estimated_in_a_large_memory(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """By the share that those of a sample of chunks had that were there."""
        for module in ("graph.sqlite_store.history", "graph.neo4j_store.search"):
            monkeypatch.setattr(f"{module}.MOST_COUNTED", 30)
        added(store, *(dated(f"Red boats {number}.", 10) for number in range(40)), dated("Rare sails.", 10))
        added(store, *(dated(f"Blue boats {number}.", 20) for number in range(40)))
        red, blue, boats, sails, wood = asked = terms("red blue boats sails wood")
        then = store.term_statistics(PROJECT, asked, as_of=at(-45))
        assert 20 < then.num_chunks < 60
        assert then.mean_terms == pytest.approx(3.0, abs=0.2)
        assert then.num_with[red] > 30 > 10 > then.num_with[blue]
        assert 20 < then.num_with[boats] < 60
        assert then.num_with[sails] == 1
        assert wood not in then.num_with
        assert store.term_statistics(PROJECT, asked, as_of=at(-45)) == then

    def test_who_spoke_later_is_no_author_then(self, store: Store) -> None:
        """By full name and first name."""
        turns = conversation("Hello.", "Hi.")
        first, second = replace(turns[0], happened_at=at(-9)), replace(turns[1], happened_at=at(9))
        second = replace(second, memory=replace(second.memory, author="Bo Ek"))
        added(store, first, second)
        assert store.known_authors(PROJECT, ["Ana", "Bo"], as_of=at()) == ["Ana"]
        assert sorted(store.known_authors(PROJECT, ["Ana", "Bo"], as_of=at(9))) == ["Ana", "Bo"]
