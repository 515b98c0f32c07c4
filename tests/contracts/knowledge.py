"""What every engine promises of `graph.protocols.knowledge.KnowledgeGraph`."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.errors import InvalidInput
from core.knowledge.findings import GIVEN, LISTED, Entity, Event, EventLink, Evidence, Knowledge, Link, Mention
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.ledger import Resolution
from core.records import Artifact
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
)
from tests.contracts.raw import Raw


def added(store: Store, content: str, **fields: object) -> Artifact:
    """Add an item with one chunk."""
    given = item(content, **fields)  # type: ignore[arg-type]  # the fields of `item`
    store.add(given, pieces(given), [])
    return given


def counted(one: Entity, count: int) -> Entity:
    """Return an entity with this mention count."""
    return replace(one, mention_count=count)


class KnowledgeContract:
    """Takes the fixtures `store` (empty) and `raw`."""

    def test_knowledge_comes_back_as_it_was_given(self, store: Store) -> None:
        """Entities, events with actors, subjects and evidence in order; first statuses by category."""
        given = added(store, "Ana and Bo agreed to paint it blue. Bo will buy paint.")
        ana, bo = entity("Ana", role="CTO", organization="Acme", aliases=("ana@acme.com",)), entity("Bo")
        paint = entity("paint", "object")
        decided = event(
            given, "agreed to paint it blue", actors=[bo, ana], subjects=[paint], event_time=at(1), confidence=0.9
        )
        promised = event(given, "Bo will buy paint", "Commitment", actors=[bo], due=at(7), role="contributor")
        noted = event(given, "blue", "Feedback", status=None)

        assert store.replace(PROJECT, given.id, lesson(given, [ana, bo, paint], [promised, decided, noted]))
        assert store.entities(PROJECT, [ana.id, bo.id, paint.id, "ent_0"]) == {
            one.id: counted(one, 1) for one in (ana, bo, paint)
        }
        expected = [replace(decided, status="current"), replace(noted), replace(promised, status="open")]
        assert store.events(PROJECT, [one.id for one in expected] + ["evt_0"]) == {one.id: one for one in expected}
        assert store.events_of(PROJECT, [given.id, "art_0"]) == {given.id: expected}
        assert store.events_of(PROJECT, [given.id], limit=1) == {given.id: expected[:1]}

    @pytest.mark.parametrize("moment", [datetime(1970, 1, 1, tzinfo=UTC), datetime(1911, 12, 14, 15, tzinfo=UTC)])
    def test_moments_of_1970_and_before_are_kept(self, store: Store, moment: datetime) -> None:
        """The first moment of a computer's clock is a moment, and so are those before it, also in an item."""
        given = added(store, "Ana reached the pole.", date=moment.isoformat(), expires_at="1969-07-20")
        reached = event(given, "reached the pole", "Commitment", event_time=moment, due=moment, status="done")
        undated = event(given, "the pole", "Feedback")
        store.replace(PROJECT, given.id, lesson(given, events=[reached, undated]))

        assert store.events(PROJECT, [reached.id, undated.id]) == {reached.id: reached, undated.id: undated}
        found = store.get(PROJECT, [given.id])[given.id]
        assert (found.happened_at, found.memory) == (moment, given.memory)
        assert store.count(PROJECT, everything(at=datetime(1969, 7, 19, tzinfo=UTC))) == 1

    def test_planted_knowledge_is_read_without_having_been_written_here(self, store: Store, raw: Raw) -> None:
        """The reading methods alone, against rows that no method of the store wrote."""
        given = item("Ana decided on blue.")
        raw.plant(given, pieces(given))
        ana = entity("Ana", role="CTO", aliases=("Annie",), mention_count=2)
        raw.plant_entity(given, ana)
        decided = event(given, "decided on blue", actors=[ana], subjects=[ana], event_time=at(1), status="withdrawn")
        raw.plant_event(given, decided)

        assert store.entities(PROJECT, [ana.id]) == {ana.id: ana}
        assert store.entities_by_name(PROJECT, ["ANNIE "]) == {"annie": [ana]}
        assert store.entities_of(PROJECT, [given.id], 5) == [ana]
        assert store.events(PROJECT, [decided.id]) == {decided.id: decided}
        assert store.list_events(PROJECT, ["Decision"], everything(), 5) == [decided]
        assert [
            (hit.artifact_id, hit.index, hit.score) for hit in store.mentions(PROJECT, [ana.id], everything(), 5)
        ] == [(given.id, 0, 1.0)]
        assert {(link.target, link.relation) for link in store.links(PROJECT, [ana.id], ["Decision"], 5)} == {
            (decided.id, "ACTED_IN"),
            (decided.id, "ABOUT"),
        }

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_may_be_a_name_a_summary_or_a_quote(self, store: Store, text: str) -> None:
        """Signs that mean something to an engine mean nothing here."""
        given = added(store, f"x {text} y")
        one = entity(text, role=text, organization=text, aliases=(f"{text} alias",))
        told = event(given, text, "Change", actors=[one], summary=text)
        store.replace(PROJECT, given.id, lesson(given, [one], [told]))

        assert store.entities(PROJECT, [one.id]) == {one.id: counted(one, 1)}
        assert store.events(PROJECT, [told.id]) == {told.id: told}
        assert [found.id for group in store.entities_by_name(PROJECT, [text]).values() for found in group] == [one.id]

    def test_knowledge_of_an_item_that_is_not_stored_is_refused(self, store: Store, raw: Raw) -> None:
        """False, and nothing is written; the same for an id of another project."""
        given = item("Ana.")
        assert not store.replace(PROJECT, given.id, lesson(given, [entity("Ana")]))
        store.add(given, pieces(given), [])
        assert not store.replace(OTHER, given.id, lesson(given, [entity("Ana")]))

        assert raw.knowledge_ids(PROJECT) == raw.knowledge_ids(OTHER) == []

    def test_another_run_replaces_what_the_earlier_one_found(self, store: Store, raw: Raw) -> None:
        """Entities, events and steps that it no longer finds go, the others stay with their ids."""
        given = added(store, "Ana told Bo: blue. Cy heard it.")
        ana, bo, cy = entity("Ana"), entity("Bo"), entity("Cy")
        told, heard = event(given, "told Bo: blue", actors=[ana, bo]), event(given, "heard it", "Feedback", actors=[cy])
        store.replace(PROJECT, given.id, lesson(given, [ana, bo, cy], [told, heard]))
        again = replace(told, summary="Ana chose blue", actors=told.actors[:1], confidence=0.9)
        store.replace(PROJECT, given.id, lesson(given, [ana], [again]))

        assert raw.knowledge_ids(PROJECT) == sorted([ana.id, told.id])
        assert store.events(PROJECT, [told.id]) == {told.id: replace(again, status="current")}
        assert store.links(PROJECT, [told.id], ["person"], 5) == [Link(told.id, ana.id, "ACTED_IN", "person", 1.0)]
        assert store.entities(PROJECT, [ana.id])[ana.id].mention_count == 1
        assert raw.steps() == 2
        store.replace(PROJECT, given.id, Knowledge())
        assert raw.knowledge_ids(PROJECT) == []
        assert raw.steps() == 0

    def test_a_status_set_since_survives_another_run(self, store: Store) -> None:
        """For events whose id stays; a new event starts anew."""
        given = added(store, "Ana will paint. Bo will buy.")
        paints, buys = event(given, "Ana will paint", "Commitment"), event(given, "Bo will buy", "Commitment")
        store.replace(PROJECT, given.id, lesson(given, events=[paints]))
        store.add_resolution(PROJECT, Resolution(paints.id, "done", at(1)))
        store.replace(PROJECT, given.id, lesson(given, events=[paints, buys]))

        assert {one.id: one.status for one in store.events(PROJECT, [paints.id, buys.id]).values()} == {
            paints.id: "done",
            buys.id: "open",
        }

    def test_knowledge_that_names_a_missing_entity_is_refused(self, store: Store, raw: Raw) -> None:
        """A mention, an actor or evidence of what is not there leaves what was stored before."""
        given = added(store, "Ana told Bo.")
        ana, bo = entity("Ana"), entity("Bo")
        store.replace(PROJECT, given.id, lesson(given, [ana]))
        told = event(given, "told Bo", actors=[bo])
        elsewhere = replace(told, actors=(), evidence=(Evidence("art_ffffffffffff", "told", 0, 4),))
        for wrong in (
            Knowledge(mentions=(Mention(bo.id, given.id, 9, 11),)),
            Knowledge(events=(told,)),
            Knowledge(entities=(ana,), events=(elsewhere,)),
        ):
            with pytest.raises(InvalidInput):
                store.replace(PROJECT, given.id, wrong)

        assert raw.knowledge_ids(PROJECT) == [ana.id]

    def test_an_entity_has_the_full_name_most_used(self, store: Store) -> None:
        """Names count by how they are introduced, a given one before all; without an item its name counts no more."""
        uses = [("Mike Dawes", 1), ("Mike Dawes", 1), ("Mike D'awesome", 1), ("Mike", 1), ("Mike", 1), ("Mike", 1)]
        items = [added(store, f"note {n}") for n in range(len(uses) + 2)]

        def give(number: int, name: str, weight: int) -> str:
            one = replace(entity(name, known_as="mike"), weight=weight)
            store.replace(PROJECT, items[number].id, lesson(items[number], [one]))
            return store.entities(PROJECT, [one.id])[one.id].name

        for number, (name, weight) in enumerate(uses):
            shown = give(number, name, weight)
        assert shown == "Mike Dawes"
        assert give(0, "Mike D'awesome", 1) == "Mike D'awesome"
        assert give(0, "Mike Dawes", LISTED) == "Mike Dawes"
        assert give(6, "Mike", GIVEN) == "Mike"
        kept = store.artifact_knowledge(PROJECT, [items[0].id, items[6].id])
        assert [one.weight for knowledge in kept.values() for one in knowledge.entities] == [LISTED, GIVEN]
        store.remove(PROJECT, [items[6].id])
        [id_] = [one.id for one in store.entities_by_name(PROJECT, ["mike"])["mike"]]
        assert store.entities(PROJECT, [id_])[id_].name == "Mike Dawes"

    def test_of_names_used_alike_an_entity_has_the_longest(self, store: Store) -> None:
        """Ties go to the alphabetically first; aliases are the other names, never the name; the newest role counts."""
        items = [added(store, f"note {n}", date=f"2026-01-0{n}") for n in range(1, 5)]
        given = [
            entity("Ana Chen", known_as="ana", role="Engineer"),
            entity("Ana Shen", known_as="ana", role="CTO", organization="Acme"),
            entity("Ana", known_as="ana", aliases=("ana.chen@acme.example.com", "Ana")),
            entity("A. Chen", known_as="ana", organization="Beta"),
        ]
        for artifact, one in reversed(list(zip(items, given, strict=True))):
            store.replace(PROJECT, artifact.id, lesson(artifact, [one]))
        [id_] = {one.id for one in given}

        assert store.entities(PROJECT, [id_]) == {
            id_: Entity(
                id_, "Ana Chen", "person", ("A. Chen", "Ana", "Ana Shen", "ana.chen@acme.example.com"), "CTO", "Beta", 0
            )
        }

    def test_entities_are_found_by_any_of_their_names(self, store: Store) -> None:
        """Compared in their normalised form; the most mentioned comes first; keys are the normalised names."""
        one, two = added(store, "Ana Chen Ana"), added(store, "Ana Bell")
        chen, bell = entity("Ana Chen", aliases=("Ana",)), entity("Ana Bell", aliases=("ANA", "B.B."))
        knowledge = lesson(one, [chen])
        store.replace(
            PROJECT, one.id, replace(knowledge, mentions=(*knowledge.mentions, Mention(chen.id, one.id, 9, 12)))
        )
        store.replace(PROJECT, two.id, lesson(two, [bell]))
        found = store.entities_by_name(PROJECT, ["  ana ", "ANA  CHEN.", "ｂ.b", "nobody", ""])

        assert {name: [hit.id for hit in hits] for name, hits in found.items()} == {
            "ana": [chen.id, bell.id],
            "ana chen": [chen.id],
            "b.b": [bell.id],
        }
        assert store.entities_by_name(OTHER, ["ana"]) == store.entities_by_name(PROJECT, []) == {}

    @pytest.mark.parametrize(
        "forms",
        [
            ("İsmet Straße", "ISMET STRASSE", "ısmet straße", "I\u0307smet Straße"),
            ("Sean O’Brien", "sean o'brien", "SEAN OʼBRIEN", "Sean O´Brien", "Sean O`Brien", "Sean O＇Brien"),
            ("Ａｎｎａ Ｌ", "Anna L", "anna\u3000l", "An\u200dna\u00a0L"),
            ("José Núñez", "Jose\u0301 Nu\u0301n\u0303ez", "JOSÉ NÚÑEZ"),
            ("Jean‑Luc ﬁnn", "jean-luc finn", "Jean–Luc Finn", "Jean\u00ad-Luc FINN"),
            ("Ο Σίσυφος", "Ο ΣΊΣΥΦΟΣ", "ο σίσυφοσ"),
            ("محمـــد علي", "محمد علي"),
            ("“Red” Berg", '"Red" Berg', "„Red“ berg"),
        ],
    )
    def test_what_looks_the_same_is_one_name(self, store: Store, forms: tuple[str, ...]) -> None:
        """In look-ups and completions alike, whichever form is stored."""
        for number, stored in enumerate(forms):
            project = f"{PROJECT}-{number}"
            given = item(stored, project=project)
            store.add(given, pieces(given), [])
            one = entity(stored)
            store.replace(project, given.id, lesson(given, [one]))
            for asked in forms:
                assert [[hit.name for hit in hits] for hits in store.entities_by_name(project, [asked]).values()] == [
                    [stored]
                ]
                for part in (asked, asked[: asked.index(asked.split()[-1]) + 1], asked.split()[-1]):
                    assert [hit.name for hit in store.entities_by_prefix(project, part, 5)] == [stored], (stored, part)

    def test_a_name_is_completed_from_the_beginning_of_any_of_its_words(self, store: Store) -> None:
        """The most mentioned first, at most the limit; signs that patterns are made of stand for themselves."""
        one, two = added(store, "Ana Chen Ana"), added(store, "Ben 50%_x")
        chen, bell = entity("Ana Chen", aliases=("Ana",)), entity("50%_x", aliases=("Ben Chenault",))
        knowledge = lesson(one, [chen])
        store.replace(
            PROJECT, one.id, replace(knowledge, mentions=(*knowledge.mentions, Mention(chen.id, one.id, 9, 12)))
        )
        store.replace(PROJECT, two.id, lesson(two, [bell]))
        asked = ("CHEN", "ana c", "50%_", "5_", "hen", "")
        found = {text: [one.id for one in store.entities_by_prefix(PROJECT, text, 5)] for text in asked}

        both = [chen.id, bell.id]
        assert found == {"CHEN": both, "ana c": [chen.id], "50%_": [bell.id], "5_": [], "hen": [], "": both}
        assert [one.id for one in store.entities_by_prefix(PROJECT, "", 1)] == [chen.id]
        assert store.entities_by_prefix(OTHER, "", 5) == []

    def test_entities_of_items_come_most_mentioned_first(self, store: Store) -> None:
        """Counted in these items only; ties by name; at most the limit."""
        one, two = added(store, "Cy Ana Bo Bo"), added(store, "Cy Dee Dee Dee")
        ana, bo, cy, dee = (entity(name) for name in ("Ana", "Bo", "Cy", "Dee"))
        knowledge = lesson(one, [ana, bo, cy])
        store.replace(
            PROJECT, one.id, replace(knowledge, mentions=(*knowledge.mentions, Mention(bo.id, one.id, 10, 12)))
        )
        store.replace(PROJECT, two.id, lesson(two, [cy, dee]))

        assert [hit.name for hit in store.entities_of(PROJECT, [one.id], 5)] == ["Bo", "Ana", "Cy"]
        assert [hit.name for hit in store.entities_of(PROJECT, [one.id, two.id, "art_0"], 2)] == ["Bo", "Cy"]
        assert store.entities_of(OTHER, [one.id], 5) == store.entities_of(PROJECT, [], 5) == []

    def test_events_of_an_item_come_by_confidence_then_in_its_order(self, store: Store) -> None:
        """Each item has its own limit."""
        given = added(store, "one two three four")
        told = [
            event(given, word, "Change", confidence=sure)
            for word, sure in (("four", 0.5), ("two", 0.5), ("three", 0.9), ("one", 0.1))
        ]
        store.replace(PROJECT, given.id, lesson(given, events=told))

        assert [one.summary for one in store.events_of(PROJECT, [given.id])[given.id]] == [
            "three",
            "two",
            "four",
            "one",
        ]
        assert store.events_of(OTHER, [given.id]) == store.events_of(PROJECT, []) == {}

    def test_events_of_the_same_words_come_by_id(self, store: Store) -> None:
        """Whichever was stored first."""
        given = added(store, "one two three four")
        told = [event(given, "two", category) for category in ("Change", "Decision", "Feedback", "Execution")]
        for one in told:
            store.replace(PROJECT, given.id, lesson(given, events=[one]))
            store.replace(PROJECT, given.id, lesson(given, events=told))
            found = [one.id for one in store.events_of(PROJECT, [given.id])[given.id]]
            assert found == sorted(found)

    def test_events_are_listed_newest_first_with_undated_ones_last(self, store: Store) -> None:
        """Ties by id; pages fit together; only the categories asked for."""
        given = added(store, "a b c d e f")
        told = [
            event(given, word, "Decision", event_time=moment) for word, moment in zip("abcde", _moments(), strict=True)
        ]
        store.replace(
            PROJECT, given.id, lesson(given, events=[*told, event(given, "f", "Feedback", event_time=at(50))])
        )
        tied = sorted(one.id for one in told if one.event_time == at(2))
        expected = [told[1].id, *tied, told[4].id, told[3].id]

        listed = [store.list_events(PROJECT, ["Decision"], everything(), 2, offset) for offset in (0, 2, 4, 6)]
        assert [one.id for page in listed for one in page] == expected
        assert len(store.list_events(PROJECT, ["Decision", "Feedback"], everything(), 9)) == 6
        assert (
            store.list_events(PROJECT, [], everything(), 9)
            == store.list_events(OTHER, ["Decision"], everything(), 9)
            == []
        )

    def test_listed_events_rest_on_an_item_that_passes(self, store: Store) -> None:
        """Filters, revisions and expiry of the items hide the events; one passing item is enough."""
        wiki, mail = added(store, "blue it is", source="wiki"), added(store, "blue!", source="mail")
        expired = added(store, "red", expires_at="2026-04-01")
        old = added(store, "green", key="k")
        proof = Evidence(mail.id, "blue", 0, 4)
        blue = event(wiki, "blue", more_evidence=[proof])
        green = event(old, "green")
        store.replace(PROJECT, wiki.id, lesson(wiki, events=[blue]))
        store.replace(PROJECT, expired.id, lesson(expired, events=[event(expired, "red")]))
        store.replace(PROJECT, old.id, lesson(old, events=[green]))
        added(store, "yellow", key="k")

        for filters in (everything(), everything(source="wiki"), everything(source="mail")):
            assert [one.id for one in store.list_events(PROJECT, ["Decision"], filters, 9)] == [blue.id]
        assert store.list_events(PROJECT, ["Decision"], everything(source="chat"), 9) == []
        assert list(store.events(PROJECT, [green.id])) == [green.id], "its knowledge stays"
        assert list(store.events_of(PROJECT, [old.id])) == [old.id]

    def test_mentions_lead_to_the_chunks_they_begin_in(self, store: Store) -> None:
        """A chunk with more of the entities comes first, then the newer item's; overlapping chunks both count."""
        older = item("Ana. Bo and Ana.", stored=at(0), num_chunks=2)
        newer = item("Bo only", stored=at(1))
        store.add(older, pieces(older, size=10, overlap=4), [])
        store.add(newer, pieces(newer), [])
        ana, bo = entity("Ana"), entity("Bo")
        knowledge = lesson(older, [ana, bo])
        store.replace(
            PROJECT, older.id, replace(knowledge, mentions=(*knowledge.mentions, Mention(ana.id, older.id, 12, 15)))
        )
        store.replace(PROJECT, newer.id, lesson(newer, [bo]))
        hits = store.mentions(PROJECT, [ana.id, bo.id, "ent_0"], everything(), 9)

        assert [(hit.artifact_id, hit.index, hit.score) for hit in hits] == [
            (older.id, 0, 2.0),
            (newer.id, 0, 1.0),
            (older.id, 1, 1.0),
        ]
        assert [hit.artifact_id for hit in store.mentions(PROJECT, [bo.id], everything(), 1)] == [newer.id]
        assert store.mentions(PROJECT, [bo.id], everything(date_to=at(0.5)), 9)[0].artifact_id == older.id
        assert store.mentions(OTHER, [bo.id], everything(), 9) == store.mentions(PROJECT, [], everything(), 9) == []

    def test_mention_counts_follow_revisions(self, store: Store) -> None:
        """They count mentions in current items, so a revision takes its own away and brings them back."""
        ana = entity("Ana")
        old = added(store, "Ana once", key="k")
        store.replace(PROJECT, old.id, lesson(old, [ana]))
        new = added(store, "Ana twice", key="k")
        assert store.entities(PROJECT, [ana.id]) == {ana.id: counted(ana, 0)}
        assert store.mentions(PROJECT, [ana.id], everything(), 9) == []

        store.replace(PROJECT, old.id, lesson(old, [ana]))
        store.replace(PROJECT, new.id, lesson(new, [ana]))
        assert store.entities(PROJECT, [ana.id]) == {ana.id: counted(ana, 1)}
        added(store, "Ana once", key="k")
        assert store.entities(PROJECT, [ana.id]) == {ana.id: counted(ana, 1)}
        assert [hit.artifact_id for hit in store.mentions(PROJECT, [ana.id], everything(), 9)] == [old.id]

    def test_links_lead_from_entities_to_events_and_back(self, store: Store) -> None:
        """Only to the kinds asked for; an actor that is also the subject has two."""
        given = added(store, "Ana of Acme decided and praised.")
        ana, acme = entity("Ana"), entity("Acme", "org")
        decided = event(given, "decided", actors=[ana], subjects=[acme, ana])
        praised = event(given, "praised", "Feedback", actors=[ana])
        store.replace(PROJECT, given.id, lesson(given, [ana, acme], [decided, praised]))

        def steps(source: str, *kinds: str) -> set[tuple[str, str, str]]:
            links = store.links(PROJECT, [source, "ent_0"], kinds, 9)
            assert all(link.source == source for link in links)
            return {(link.target, link.relation, link.kind) for link in links}

        assert steps(ana.id, "Decision") == {(decided.id, "ACTED_IN", "Decision"), (decided.id, "ABOUT", "Decision")}
        assert steps(ana.id, "Feedback", "Change") == {(praised.id, "ACTED_IN", "Feedback")}
        assert steps(decided.id, "person", "org") == {
            (ana.id, "ACTED_IN", "person"),
            (ana.id, "ABOUT", "person"),
            (acme.id, "ABOUT", "org"),
        }
        assert steps(acme.id, "person") == steps(decided.id, "Decision") == steps(ana.id) == set()
        assert store.links(OTHER, [ana.id], ["Decision"], 9) == store.links(PROJECT, [], ["Decision"], 9) == []

    def test_a_hub_keeps_its_newest_events_under_the_cap(self, store: Store) -> None:
        """Each node has its own cap for each kind; newer is heavier, and surer among the equally new."""
        ana, bo = entity("Ana"), entity("Bo")
        events: list[Event] = []
        for n in range(30):
            given = added(store, f"Ana fact {n}", date=f"2026-01-{n + 1:02d}")
            dated = at(-n) if n % 2 else None
            events.append(event(given, f"fact {n}", "Change", actors=[ana], event_time=dated))
            store.replace(PROJECT, given.id, lesson(given, [ana], [events[-1]]))
        last = added(store, "Ana and Bo: sure, unsure, risk")
        sure, unsure = (
            event(last, word, "Change", actors=[ana, bo], event_time=at(9), confidence=c)
            for word, c in (("sure", 0.9), ("unsure", 0.1))
        )
        store.replace(
            PROJECT, last.id, lesson(last, [ana, bo], [unsure, sure, event(last, "risk", "QualityRisk", actors=[ana])])
        )
        moment = {
            one.id: one.event_time or datetime.fromisoformat(f"2026-01-{n + 1:02d}T00:00Z")
            for n, one in enumerate(events)
        }
        newest = [sure.id, unsure.id, *sorted(moment, key=lambda id_: moment[id_], reverse=True)]

        links = store.links(PROJECT, [ana.id], ["Change"], 12)
        assert [link.target for link in links] == newest[:12]
        assert [link.weight for link in links] == sorted((link.weight for link in links), reverse=True)
        both = store.links(PROJECT, [bo.id, ana.id], ["QualityRisk", "Change"], 2)
        assert sorted((link.source, link.kind) for link in both) == sorted(
            [(ana.id, "Change")] * 2 + [(bo.id, "Change")] * 2 + [(ana.id, "QualityRisk")]
        )

    def test_edits_of_an_item_take_no_place_under_the_cap(self, store: Store) -> None:
        """However often what a key names is edited, older events of the same person stay within reach."""
        anna = entity("Anna Keller")
        older = added(store, "Anna Keller decided on blue.", date="2025-01-01")
        decided = event(older, "decided on blue", actors=[anna])
        store.replace(PROJECT, older.id, lesson(older, [anna], [decided]))
        ids = []
        for n in range(45):
            edited = added(store, f"Anna Keller decided on plan {n}.", key="plan", stored=at(n))
            planned = event(edited, f"decided on plan {n}", actors=[anna])
            store.replace(PROJECT, edited.id, lesson(edited, [anna], [planned]))
            ids.append((edited, planned))

        def reached() -> list[str]:
            return [link.target for link in store.links(PROJECT, [anna.id], ["Decision"], 40)]

        (former, formerly), (_, planned) = ids[3], ids[-1]
        assert reached() == [planned.id, decided.id]
        assert store.links(PROJECT, [formerly.id], ["person"], 40) == []
        store.replace(PROJECT, former.id, lesson(former, [anna], [formerly]))
        assert reached() == [planned.id, decided.id], "a revision may be extracted late"
        added(store, former.memory.content, key="plan", stored=at(50))
        assert sorted(reached()) == sorted([formerly.id, decided.id]), "it is current again"
        assert store.links(PROJECT, [formerly.id], ["person"], 40) == [
            Link(formerly.id, anna.id, "ACTED_IN", "person", 1.0)
        ]
        store.remove(PROJECT, [former.id])
        assert reached() == [decided.id]

    def test_an_event_stays_connected_while_a_current_item_has_evidence(self, store: Store) -> None:
        """With the last such item its steps go, though the event stays known to the revision."""
        old, proof = added(store, "Ana decided on blue.", key="k"), added(store, "As Ana said: blue.")
        ana = entity("Ana")
        decided = event(old, "decided on blue", actors=[ana], more_evidence=[Evidence(proof.id, "blue", 13, 17)])
        store.replace(PROJECT, proof.id, lesson(proof, [ana]))
        store.replace(PROJECT, old.id, lesson(old, [ana], [decided]))
        added(store, "Ana decided on red.", key="k")
        assert [link.target for link in store.links(PROJECT, [ana.id], ["Decision"], 9)] == [decided.id]

        store.remove(PROJECT, [proof.id])
        assert store.links(PROJECT, [ana.id], ["Decision"], 9) == []
        assert list(store.events(PROJECT, [decided.id])) == [decided.id]

    def test_entities_that_only_revisions_know_are_not_counted(self, store: Store) -> None:
        """Nor those of expired items; they are again when the revision is."""
        ana, bo, cy = entity("Ana"), entity("Bo"), entity("Cy")
        old = added(store, "Ana met Bo.", key="k")
        store.replace(PROJECT, old.id, lesson(old, [ana, bo], [event(old, "met", actors=[ana, bo])]))
        other = added(store, "Bo alone.")
        store.replace(PROJECT, other.id, lesson(other, [bo]))
        expired = added(store, "Cy left.", expires_at="2026-01-01")
        store.replace(PROJECT, expired.id, lesson(expired, [cy]))
        assert store.counts(PROJECT).entities == 2

        added(store, "Nobody met.", key="k")
        assert (store.counts(PROJECT).entities, store.counts(PROJECT).events) == (1, 0)
        added(store, "Ana met Bo.", key="k")
        assert (store.counts(PROJECT).entities, store.counts(PROJECT).events) == (2, 1)

    def test_unread_items_are_counted_by_language_until_they_are_read(self, store: Store) -> None:
        """Those of revisions, of expired items and of other projects are not; the lesson says which it is."""
        texts = ("Wir gehen.", "Wir essen.", "Nous partons.", "We go.")
        given = [added(store, text, key=text) for text in texts]
        languages = ("de", "de", "fr", None)
        for one, language in zip(given, languages, strict=True):
            store.replace(PROJECT, one.id, replace(lesson(one), unread_language=language))
        expired = added(store, "Wir ruhen.", expires_at="2026-01-01")
        store.replace(PROJECT, expired.id, replace(lesson(expired), unread_language="de"))
        assert store.counts(PROJECT).unread_languages == store.unread_languages(PROJECT) == {"de": 2, "fr": 1}
        assert store.counts(OTHER).unread_languages == {}
        elsewhere = item("Wir reden.", project=OTHER)
        store.add(elsewhere, pieces(elsewhere), [])
        store.replace(OTHER, elsewhere.id, replace(lesson(elsewhere), unread_language="de"))
        assert store.unread_languages(OTHER) == {"de": 1}
        known = store.artifact_knowledge(PROJECT, [one.id for one in given])
        assert tuple(known[one.id].unread_language for one in given) == languages

        store.replace(PROJECT, given[0].id, lesson(given[0]))
        added(store, "Nous restons.", key=texts[2])
        assert store.counts(PROJECT).unread_languages == {"de": 1}
        store.remove(PROJECT, [given[1].id])
        assert store.counts(PROJECT).unread_languages == {}

    def test_projects_keep_their_knowledge_apart(self, store: Store) -> None:
        """Equal ids in two projects are two entities and two events, and one's removal leaves the other's."""
        here = item("Ana decided.", fingerprint="a" * 64)
        ana = entity("Ana")
        decided = event(here, "decided", actors=[ana])
        for given, one in ((here, ana), (replace(here, project_id=OTHER), replace(ana, role="CTO"))):
            store.add(given, pieces(given), [])
            store.replace(given.project_id, given.id, lesson(given, [one], [decided]))
        assert store.entities(PROJECT, [ana.id]) == {ana.id: counted(ana, 1)}
        assert store.entities(OTHER, [ana.id]) == {ana.id: counted(replace(ana, role="CTO"), 1)}

        store.remove(OTHER, [here.id])
        assert list(store.events(PROJECT, [decided.id])) == [decided.id]
        assert len(store.links(PROJECT, [ana.id], ["Decision"], 9)) == 1
        assert store.events(OTHER, [decided.id]) == {}
        assert store.entities(OTHER, [ana.id]) == {}

    def test_the_whole_graph_can_be_walked_over_by_id(self, store: Store) -> None:
        """What each item mentions, and what current items name or bear witness to, a page after the other."""
        ana, bo, cy = sorted((entity(name) for name in ("Ana", "Bo", "Cy")), key=lambda one: one.id)
        first = added(store, f"{ana.name} and {bo.name}, and {bo.name}.", key="k")
        met = event(first, ana.name, actors=[ana])
        store.replace(PROJECT, first.id, lesson(first, [ana, bo], [met]))
        second = added(store, f"{cy.name} left.")
        store.replace(PROJECT, second.id, lesson(second, [cy], [event(second, "left")]))
        assert store.mentioned_entities(PROJECT, [first.id, second.id, "art_0"]) == {
            first.id: [ana.id, bo.id],
            second.id: [cy.id],
        }
        assert store.mentioned_entities(OTHER, [first.id]) == {}
        assert store.node_ids(PROJECT, "entity", 2) == [ana.id, bo.id]
        assert store.node_ids(PROJECT, "entity", 2, after=bo.id) == [cy.id]
        assert len(store.node_ids(PROJECT, "event", 9)) == 2
        assert store.node_ids(OTHER, "entity", 9) == []
        added(store, "Nobody.", key="k")
        assert store.node_ids(PROJECT, "entity", 9) == [cy.id]
        assert store.node_ids(PROJECT, "event", 9) == [event(second, "left").id]

    def test_any_change_of_the_graph_changes_its_mark(self, store: Store) -> None:
        """Knowledge, links, merge candidates, merge decisions, revisions and removals; a reader changes nothing."""
        given = added(store, "Ana and Bo met and left.", key="k")
        ana, bo = entity("Ana"), entity("Bo")
        met, left = event(given, "met", actors=[ana]), event(given, "left", actors=[bo])
        pair = MergeCandidate(min(ana.id, bo.id), max(ana.id, bo.id), 0.5, "why")
        changes: list[Callable[[], object]] = [
            lambda: store.replace(PROJECT, given.id, lesson(given, [ana, bo], [met, left])),
            lambda: store.replace(PROJECT, given.id, lesson(given, [ana, bo], [met, left])),
            lambda: store.set_event_links(PROJECT, [left.id], [EventLink(left.id, met.id, "SUPERSEDES", 1)]),
            lambda: store.set_event_links(PROJECT, [left.id], []),
            lambda: store.set_merge_candidates(PROJECT, [ana.id], [pair]),
            lambda: store.apply_decision(
                PROJECT, MergeDecision(id="ver_1", kind="same", one=ana.id, other=bo.id, at=at(1))
            ),
            lambda: store.undo_decision(PROJECT, "ver_1", at(2), None),
            lambda: added(store, "Nobody.", key="k"),
            lambda: store.remove(PROJECT, [given.id]),
        ]
        marks = [store.graph_version(PROJECT)]
        for change in changes:
            change()
            marks.append(store.graph_version(PROJECT))
            assert store.graph_version(PROJECT) == marks[-1]
        assert len(set(marks)) == len(marks)
        assert store.graph_version(OTHER) == ""

    def test_an_alias_mention_counts_for_its_entity(self, store: Store) -> None:
        """Where the name stands is the extractor's word."""
        given = added(store, "Annie spoke.")
        ana = entity("Ana Chen", aliases=("Annie",))
        store.replace(PROJECT, given.id, Knowledge((ana,), (mention(ana, given, "Annie"),)))

        assert store.entities(PROJECT, [ana.id]) == {ana.id: counted(ana, 1)}


def _moments() -> list[datetime | None]:
    return [at(2), at(3), at(2), None, at(1) - timedelta(hours=1)]
