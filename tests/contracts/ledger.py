"""What every engine promises of `graph.protocols.knowledge.Ledger`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from core.interface.ledger import DecisionsQuestion
from core.knowledge.findings import Entity, Event, EventLink, EventStatus, LedgerRelation
from core.knowledge.ledger import LISTED, EventSearch, LedgerQuery, Origin, Resolution
from core.records import Artifact
from graph.store import Store
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, at, entity, event, everything, item, lesson, pieces


def told(store: Store, content: str, category: str = "Decision", **fields: object) -> Event:
    """Store an item that is one event as a whole, of the day it is dated; return the event."""
    given = item(content, **{name: fields[name] for name in fields if name in _ITEM})  # type: ignore[arg-type]
    store.add(given, pieces(given), [])
    return with_knowledge(store, given, category, **{name: fields[name] for name in fields if name not in _ITEM})


def with_knowledge(store: Store, given: Artifact, category: str = "Decision", **fields: object) -> Event:
    """Teach the one event that an item is as a whole."""
    made = event(given, given.memory.content, category, **{"event_time": given.happened_at} | fields)  # type: ignore[arg-type]
    people = {actor.entity_id: Entity(actor.entity_id, actor.name, "person") for actor in made.actors}
    things = {one.entity_id: Entity(one.entity_id, one.name, "object") for one in made.subjects}
    store.replace(given.project_id, given.id, lesson(given, [*people.values(), *things.values()], [made]))
    return made


_ITEM = frozenset({"date", "project", "key", "title", "context", "stored", "expires_at"})


def link(source: Event, target: Event, relation: LedgerRelation = "SUPERSEDES") -> EventLink:
    """Return a link between two events."""
    return EventLink(source.id, target.id, relation, 0.5)


def listed(store: Store, category: str = "Decision", *, project: str = PROJECT, **query: object) -> list[str]:
    """Return the ids of a page that holds all, and check that the total says so, and that pages fit together."""
    filters = query.pop("filters", everything())
    asked = LedgerQuery(category=category, filters=filters, **query)  # type: ignore[arg-type]
    page = store.ledger_page(project, asked, 100)
    assert page.total == len(page.ids)
    assert [one for n in range(page.total) for one in store.ledger_page(project, asked, 1, n).ids] == page.ids
    assert store.ledger_page(project, asked, 5, page.total) == replace(page, ids=[])
    return page.ids


def ids_of(events: Sequence[Event]) -> list[str]:
    return [one.id for one in events]


def status_of(store: Store, one: Event, **conditions: object) -> EventStatus | None:
    """Return the status an event shows, and check that all ways to ask agree."""
    status = store.statuses(PROJECT, [one.id], everything(**conditions)).get(one.id)
    if not conditions:
        assert store.events(PROJECT, [one.id])[one.id].status == status
        assert (one.id in listed(store, one.category, statuses=(status,))) == (status is not None)
    return status


class LedgerContract:
    """Takes the fixtures `store` (empty) and `stored`."""

    def test_links_come_back_as_they_were_set(self, store: Store) -> None:
        """From both ends, sorted; setting them again changes nothing, and setting none takes them away."""
        first, second, third = (told(store, f"We paint it {hue}.") for hue in ("red", "blue", "green"))
        links = sorted(
            [link(second, first), link(third, first), link(third, second)], key=lambda one: (one.source, one.target)
        )
        assert store.set_event_links(PROJECT, [third.id, first.id], links)
        assert not store.set_event_links(PROJECT, [third.id, first.id], links)
        assert store.event_links(PROJECT, [second.id, first.id, "evt_0", "a\0b"]) == links
        assert store.event_links(PROJECT, [third.id]) == [one for one in links if one.source == third.id]
        assert store.set_event_links(PROJECT, [third.id], [])
        assert store.event_links(PROJECT, [first.id]) == [link(second, first)]
        assert store.set_event_links(PROJECT, [second.id], [replace(link(second, first), confidence=0.75)])
        assert store.event_links(PROJECT, [second.id]) == [replace(link(second, first), confidence=0.75)]

    def test_links_of_what_is_not_stored_are_left_out(self, store: Store) -> None:
        """The same for events of another project."""
        here, elsewhere = told(store, "We paint it red."), told(store, "We paint it blue.", project=OTHER)
        missing = EventLink("evt_0", here.id, "SUPERSEDES", 0.5)
        assert not store.set_event_links(PROJECT, [here.id, elsewhere.id], [missing, link(elsewhere, here)])
        assert not store.set_event_links(OTHER, [here.id, elsewhere.id], [link(elsewhere, here)])
        assert store.event_links(PROJECT, [here.id]) == store.event_links(OTHER, [elsewhere.id]) == []
        assert not store.set_event_links("nobody", ["evt_0"], [missing])

    @pytest.mark.parametrize(
        ("relation", "category", "status"),
        [
            ("SUPERSEDES", "Decision", "superseded"),
            ("COMPLETES", "Commitment", "done"),
            ("CANCELS", "Commitment", "cancelled"),
        ],
    )
    def test_a_link_gives_its_target_a_status(
        self, store: Store, relation: LedgerRelation, category: str, status: EventStatus
    ) -> None:
        """As long as it is there; the source's own status is not touched."""
        target = told(store, "Ana paints the boat.", category)
        source = told(store, "The boat is painted.", "Execution")
        first = status_of(store, target)
        store.set_event_links(PROJECT, [source.id], [link(source, target, relation)])
        assert (status_of(store, target), status_of(store, source)) == (status, None)
        store.set_event_links(PROJECT, [source.id], [])
        assert status_of(store, target) == first

    def test_a_page_holds_only_what_is_as_sure_as_was_asked(self, store: Store) -> None:
        """The bound itself included; without one there is everything."""
        unsure, sure = told(store, "Paint it red.", confidence=0.5), told(store, "Paint it blue.", confidence=0.75)
        assert listed(store, min_confidence=0.75) == listed(store, min_confidence=0.6) == [sure.id]
        assert listed(store, min_confidence=0.8) == []
        assert set(listed(store)) == set(listed(store, min_confidence=0.5)) == {unsure.id, sure.id}

    @pytest.mark.parametrize("topic", [(), ("fence",)])
    @pytest.mark.parametrize("then", [None, at(90)])
    def test_a_page_counts_what_it_leaves_out(
        self, store: Store, topic: tuple[str, ...], then: datetime | None
    ) -> None:
        """What is not sure enough and what is stale, each by itself, among what matches all else, whatever the page."""
        for number, due in enumerate([at(1), at(2), at(50), at(51), None]):
            told(store, f"Ana paints fence {number}.", "Commitment", due=due, confidence=0.75)
        for number, due in enumerate([at(3), at(52), at(53), at(54)], 5):
            told(store, f"Ben may paint fence {number}.", "Commitment", due=due, confidence=0.25)
        told(store, "Ana paints fence 9.", "Commitment", due=at(4), status="done")
        query = LedgerQuery(
            category="Commitment",
            filters=everything(as_of=then),
            statuses=("open",),
            words=topic,
            min_confidence=0.5,
            stale=False,
            stale_before=at(40),
        )
        for limit, offset in ((0, 0), (1, 1), (9, 9)):
            page = store.ledger_page(PROJECT, query, limit, offset)
            assert (page.total, page.held_back, page.stale) == (2, 3, 3), page
        page = store.ledger_page(PROJECT, replace(query, stale=True), 9)
        assert (len(page.ids), page.total, page.held_back, page.stale) == (3, 3, 1, 0)
        page = store.ledger_page(PROJECT, replace(query, stale=None, min_confidence=0.0), 9)
        assert (len(page.ids), page.total, page.held_back, page.stale) == (9, 9, 0, 0)

    def test_done_outweighs_cancelled(self, store: Store) -> None:
        """A promise that was kept was kept, whatever else was said of it."""
        target, dropped = told(store, "Ana paints.", "Commitment"), told(store, "Ana need not paint.", "Decision")
        painted = told(store, "Ana painted.", "Execution")
        links = [link(dropped, target, "CANCELS"), link(painted, target, "COMPLETES")]
        store.set_event_links(PROJECT, [target.id], links)
        assert status_of(store, target) == "done"

    def test_what_a_person_declares_outweighs_links(self, store: Store) -> None:
        """The newest declaration holds; all are kept, in order; nothing can be declared of what is not stored."""
        first, second = told(store, "Red."), told(store, "Blue.")
        store.set_event_links(PROJECT, [first.id], [link(second, first)])
        declared = [Resolution(first.id, "withdrawn", at(1)), Resolution(first.id, "current", at(2), HOSTILE[0])]
        for one in declared:
            assert store.add_resolution(PROJECT, one)
            assert status_of(store, first) == one.status
        assert store.add_resolution(PROJECT, replace(declared[1], at=at(3)))
        assert store.resolutions(PROJECT, [first.id, second.id, "evt_0"]) == {first.id: declared}
        assert not store.add_resolution(PROJECT, Resolution("evt_0", "current", at(1)))
        assert not store.add_resolution(OTHER, declared[0])
        assert store.resolutions(OTHER, [first.id]) == {}

    def test_what_was_declared_stays_while_the_event_is_gone(self, store: Store) -> None:
        """Another run may miss an event, and a third find it again."""
        promised = told(store, "Ana paints.", "Commitment")
        artifact_id = promised.evidence[0].artifact_id
        given = store.get(PROJECT, [artifact_id])[artifact_id]
        done = Resolution(promised.id, "done", at(1), "She sent a picture.")
        store.add_resolution(PROJECT, done)
        store.replace(PROJECT, given.id, lesson(given))
        assert store.resolutions(PROJECT, [promised.id]) == {promised.id: [done]}
        assert with_knowledge(store, given, "Commitment").id == promised.id
        assert status_of(store, promised) == "done"

    def test_nothing_declared_of_a_forgotten_item_is_left(self, store: Store, stored: Callable[[], bytes]) -> None:
        """Neither note nor link, also of an event that no run finds any more."""
        first, second = (
            told(store, "Ana paints the vessel.", "Commitment"),
            told(store, "The vessel is painted.", "Execution"),
        )
        artifact_id = first.evidence[0].artifact_id
        store.set_event_links(PROJECT, [second.id], [link(second, first, "COMPLETES")])
        store.add_resolution(PROJECT, Resolution(first.id, "cancelled", at(1), "quagga"))
        store.replace(PROJECT, artifact_id, lesson(store.get(PROJECT, [artifact_id])[artifact_id]))
        store.remove(PROJECT, [artifact_id])
        store.remove(PROJECT, [second.evidence[0].artifact_id])
        assert store.resolutions(PROJECT, [first.id]) == {}
        assert store.event_links(PROJECT, [first.id, second.id]) == []
        assert b"quagga" not in stored()
        again = told(store, "Ana paints the vessel.", "Commitment")
        assert (again.id, status_of(store, again)) == (first.id, "open")

    def test_a_resolution_stays_with_other_evidence(self, store: Store) -> None:
        """An event that two items tell of is not forgotten with one of them."""
        one, other = item("Ana paints."), item("As agreed: Ana paints.")
        for given in (one, other):
            store.add(given, pieces(given), [])
        promised = event(one, "Ana paints", "Commitment")
        proof = event(other, "Ana paints", "Commitment").evidence[0]
        store.replace(PROJECT, one.id, lesson(one, events=[replace(promised, evidence=(*promised.evidence, proof))]))
        store.add_resolution(PROJECT, Resolution(promised.id, "done", at(1)))
        store.remove(PROJECT, [one.id])
        assert status_of(store, promised) == "done"
        store.remove(PROJECT, [other.id])
        assert store.resolutions(PROJECT, [promised.id]) == {}

    def test_a_status_falls_back_when_what_changed_it_goes(self, store: Store) -> None:
        """By another run, by forgetting, and by becoming a revision; coming back, it counts again."""
        target = told(store, "Ana paints.", "Commitment")
        for way in ("run", "forget", "revise"):
            source = told(store, f"Ana painted, {way}.", "Execution", key="report")
            store.set_event_links(PROJECT, [target.id], [link(source, target, "COMPLETES")])
            assert status_of(store, target) == "done"
            artifact_id = source.evidence[0].artifact_id
            given = store.get(PROJECT, [artifact_id])[artifact_id]
            if way == "run":
                store.replace(PROJECT, given.id, lesson(given))
            elif way == "forget":
                store.remove(PROJECT, [given.id])
            else:
                later = item("Nothing painted.", key="report")
                store.add(later, pieces(later), [])
            assert status_of(store, target) == "open", way
        store.add(given, pieces(given), [])
        assert status_of(store, target) == "done"

    def test_a_status_survives_another_run_of_either_item(self, store: Store) -> None:
        """The same events, found again, keep their links."""
        target, source = told(store, "Ana paints.", "Commitment"), told(store, "Ana painted.", "Execution")
        store.set_event_links(PROJECT, [target.id], [link(source, target, "COMPLETES")])
        for one in (target, source):
            given = store.get(PROJECT, [one.evidence[0].artifact_id])[one.evidence[0].artifact_id]
            with_knowledge(store, given, one.category)
        assert status_of(store, target) == "done"
        assert store.event_links(PROJECT, [source.id]) == [link(source, target, "COMPLETES")]

    def test_statuses_are_those_of_the_date_asked_for(self, store: Store) -> None:
        """Links count from the day of the item that tells of it, declarations from when they were made."""
        target, source = told(store, "Red.", date="2026-03-01"), told(store, "Blue.", date="2026-03-05")
        store.set_event_links(PROJECT, [target.id], [link(source, target)])
        store.add_resolution(PROJECT, Resolution(target.id, "withdrawn", at(8)))
        moments = [at(3.4), at(3.5), at(7.9), at(8), at(30)]
        expected = ["current", "superseded", "superseded", "withdrawn", "withdrawn"]
        assert [status_of(store, target, as_of=moment) for moment in moments] == expected
        for moment, status in zip(moments, expected, strict=True):
            found = listed(store, filters=everything(as_of=moment), statuses=(status,))
            assert (target.id in found, source.id in found) == (True, status == "current" and moment > at(3.5))
        assert store.statuses(OTHER, [target.id, source.id], everything()) == {}

    def test_origins_tell_where_events_come_from(self, store: Store) -> None:
        """The artifact, its day, context and name; key before title; revisions too."""
        old = told(store, "Red.", key="hue", title="Colours", context="decision", date="2026-03-02")
        titled, plain = told(store, "Wood.", title="Hull"), told(store, "Sails.")
        new = told(store, "Blue.", key="hue", context="decision")
        place = new.evidence[0].artifact_id
        assert store.origins(PROJECT, [one.id for one in (old, titled, plain)] + ["evt_0"]) == {
            old.id: Origin(old.evidence[0].artifact_id, at(0.5), "decision", "hue", place, None, "Colours"),
            titled.id: Origin(titled.evidence[0].artifact_id, at(), "document", "Hull", None, None, "Hull"),
            plain.id: Origin(plain.evidence[0].artifact_id, at(), "document", None),
        }
        assert store.origins(OTHER, [plain.id]) == {}

    def test_events_are_found_by_the_words_they_share(self, store: Store) -> None:
        """In any form, of title and key too, of no subject named elsewhere; the most and rarest first; itself never."""
        boat = told(store, "We paint the boat red.", subjects=[entity("Halcyon", "object")])
        sails = told(store, "We dye the sails.", title="Boats and paints")
        keyed = told(store, "Agreed.", key="boat-painting")
        house = told(store, "We paint the house.")
        told(store, "Painting boats was fun.", "Feedback")
        told(store, "We paint the boat.", project=OTHER)
        promised = told(store, "Ana will paint boats.", "Commitment")

        def like(text: str, *categories: str, limit: int = 10) -> list[str]:
            wanted = EventSearch("evt_0", categories or ("Decision",), text)  # type: ignore[arg-type]
            [found] = store.similar_events(PROJECT, [wanted], limit)
            return found

        assert set(like("Painted boats")) == {boat.id, sails.id, keyed.id, house.id}
        assert like("red boats painted")[0] == boat.id
        assert like("the Halcyon") == []
        assert like("paint boats", "Commitment", "Execution") == [promised.id]
        assert len(like("paint boats", limit=2)) == 2
        assert like("a castle") == like("the of") == like("") == []
        own = EventSearch(boat.id, ("Decision",), "We paint the boat red.")
        both = store.similar_events(PROJECT, [own, replace(own, event_id="evt_0")], 10)
        assert [boat.id in found for found in both] == [False, True]

    def test_searches_with_little_to_read_leave_the_most_common_words_out(self, store: Store) -> None:
        """The two rarest words of each are read whatever it is."""
        [red, blue, _] = [told(store, text) for text in ("Paint boats red.", "Paint boats blue.", "Boats sank.")]
        search = EventSearch("evt_0", ("Decision",), "red boat paint")
        [all_found] = store.similar_events(PROJECT, [search], 10, 6)
        assert len(all_found) == 3
        assert store.similar_events(PROJECT, [search], 10, 2) == [[red.id, blue.id]]

    def test_what_only_a_revision_says_is_like_nothing(self, store: Store) -> None:
        """A former text is no candidate; its successor is."""
        told(store, "We paint the boat red.", key="hue")
        new = told(store, "We paint the boat blue.", key="hue")
        search = EventSearch("evt_0", ("Decision",), "boat paint")
        assert store.similar_events(PROJECT, [search], 10) == [[new.id]]

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_may_be_looked_for(self, store: Store, text: str) -> None:
        """Signs that mean something to an engine mean nothing here."""
        one = told(store, f"Plinth plank {text}", title=f"Plank plinth {text}")
        assert store.similar_events(PROJECT, [EventSearch("evt_0", ("Decision",), f"{text} plinth")], 5) == [[one.id]]
        assert listed(store, words=(text, "plinth"), shared=1) == [one.id]

    def test_a_page_lists_one_category_newest_first(self, store: Store) -> None:
        """Of the project, with the true total; ties by id."""
        dated = [told(store, f"Hue {n}.", date=f"2026-03-{n:02}") for n in (2, 4, 3)]
        undated = told(store, "No hue.", event_time=None)
        told(store, "Ana paints.", "Commitment")
        told(store, "Elsewhere.", project=OTHER)
        assert listed(store) == [dated[1].id, dated[2].id, dated[0].id, undated.id]
        assert listed(store, date_from=at(1.5), date_to=at(2)) == [dated[2].id]
        assert listed(store, filters=everything(as_of=at(1))) == [dated[0].id, undated.id]
        assert listed(store, project="nobody") == []

    def test_a_page_may_be_in_the_order_of_due_dates(self, store: Store) -> None:
        """The earliest first, those without a due date last; what is due at the moment asked for is not before it."""
        late, soon = (told(store, f"Ana paints {n}.", "Commitment", due=at(n)) for n in (9, 3))
        never = told(store, "Ana paints.", "Commitment")
        assert listed(store, "Commitment", by_due=True) == [soon.id, late.id, never.id]
        assert listed(store, "Commitment", due_before=at(9)) == [soon.id]
        weekly = told(store, "Ana paints on Fridays.", "Commitment")
        assert listed(store, "Commitment", by_due=True, due_before=at(9), weekly=("on fridays",)) == [
            soon.id,
            weekly.id,
        ]
        assert listed(store, "Commitment", weekly=("on fridays",), due_before=at(1)) == [weekly.id]
        assert listed(store, "Commitment", weekly=("on mondays",), due_before=at(1)) == []

    def test_a_page_asks_for_people_by_their_part(self, store: Store) -> None:
        """Any part, or that of an owner; a contributor owns what nobody else does."""
        ana, bo = entity("Ana"), entity("Bo")
        owned = told(store, "Ana and Bo paint.", "Commitment", actors=[ana])
        shared = told(store, "We paint.", "Commitment", actors=[bo], role="contributor")
        watched = told(store, "Somebody paints.", "Commitment", actors=[bo], role="stakeholder")
        assert set(listed(store, "Commitment", actors=(bo.id,))) == {shared.id, watched.id}
        assert listed(store, "Commitment", actors=(bo.id,), owners=True) == [shared.id]
        assert set(listed(store, "Commitment", actors=(ana.id, bo.id), owners=True)) == {owned.id, shared.id}
        assert listed(store, "Commitment", actors=()) == listed(store, "Commitment", actors=("ent_0",)) == []

    def test_a_page_of_a_topic_has_the_best_match_first(self, store: Store) -> None:
        """By how many of its words are shared; an event about an entity of the topic shares them all."""
        halcyon = entity("Halcyon", "object")
        about = told(store, "Blue it is.", subjects=[halcyon], date="2026-03-02")
        both = told(store, "Paint for boats.", date="2026-03-01")
        one = told(store, "Boats.", date="2026-03-09")
        told(store, "Nothing of this.")
        words = ("painted", "boat")
        assert listed(store, words=words, shared=1, about=(halcyon.id,)) == [about.id, both.id, one.id]
        assert listed(store, words=words, shared=2) == [both.id]
        assert listed(store, about=(halcyon.id,)) == [about.id]
        assert listed(store, words=("the",), shared=1) == []

    def test_a_revision_is_listed_if_what_is_current_changed_it(self, store: Store) -> None:
        """What was decided under a key and replaced stays in the ledger; what was only reworded does not."""
        first = told(store, "Red.", key="hue", context="decision", date="2026-03-01")
        second = told(store, "Blue.", key="hue", context="decision", date="2026-03-02")
        assert listed(store) == [second.id]
        store.set_event_links(PROJECT, [second.id], [link(second, first)])
        assert listed(store) == [second.id, first.id]
        assert listed(store, statuses=("superseded",)) == [first.id]
        assert listed(store, filters=everything(as_of=at(0))) == [first.id]
        assert status_of(store, first, as_of=at(0)) == "current"

    def test_as_of_a_date_a_version_counts_until_the_next_one(self, store: Store) -> None:
        """What was current then is listed, and what it bore on had the status that it gave."""
        target = told(store, "Ana paints.", "Commitment", date="2026-03-01")
        first = told(store, "Painted.", "Execution", key="report", date="2026-03-03")
        store.set_event_links(PROJECT, [first.id], [link(first, target, "COMPLETES")])
        told(store, "Nothing was painted.", "Execution", key="report", date="2026-03-05")
        was = [status_of(store, target, as_of=at(days)) for days in (0, 2, 5)]
        assert was == ["open", "done", "open"]
        assert status_of(store, target) == "open"
        old = told(store, "Red.", key="hue", date="2026-03-02")
        new = told(store, "Redd.", key="hue", date="2026-03-04")
        pages = [listed(store, filters=everything(as_of=at(days))) for days in (0, 2, 5)]
        assert pages == [[], [old.id], [new.id]]
        assert listed(store) == [new.id]

    def test_as_of_a_day_a_filter_that_all_pass_changes_nothing(self, store: Store) -> None:
        """Revisions, expired items, repeated evidence, links and other zones: one way to find events is the index's."""
        red = told(store, "Red.", date="2026-03-01")
        blue = told(store, "Blue.", key="hue", date="2026-03-02")
        told(store, "Blue, then.", key="hue", date="2026-03-04")
        late = told(store, "Late in the west.", date="2026-03-03T23:30:00-08:00")
        told(store, "Early in the east.", date="2026-03-04T01:00:00+09:00")
        told(store, "For a day.", date="2026-03-02", expires_at="2026-03-05")
        again = item("Blue. Again.", date="2026-03-06")
        store.add(again, pieces(again), [])
        repeated = replace(red, evidence=(*event(again, "Again").evidence, *red.evidence))
        store.replace(PROJECT, again.id, lesson(again, [], [repeated]))
        store.set_event_links(PROJECT, [late.id], [link(late, blue), link(late, red)])
        store.add_resolution(PROJECT, Resolution(late.id, "withdrawn", at(6)))
        days = [f"2026-03-0{day}" for day in range(1, 8)]
        moments = [DecisionsQuestion(as_of=one).filters().as_of for day in days for one in (day, f"{day}T09:00:00Z")]
        pages = []
        for moment in moments:
            for statuses in (LISTED["Decision"], ("current",), ("superseded",), ("withdrawn",)):
                asked = {"as_of": moment, "at": at(3)}
                page = listed(store, filters=everything(**asked), statuses=statuses)
                assert page == listed(store, filters=everything(date_from=at(-99), **asked), statuses=statuses), moment
                pages.append(tuple(page))
        assert len(set(pages)) > 8

    def test_a_page_shows_no_expired_item(self, store: Store) -> None:
        """As no list does."""
        told(store, "Red.", expires_at="2026-03-02")
        assert listed(store) == []
