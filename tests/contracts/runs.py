"""What every engine promises of `graph.protocols.knowledge.Runs`."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Knowledge, Span
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, Run, RunScope, RunTally, run_id
from core.records import Artifact
from graph.store import Store
from tests.contracts.knowledge import added
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, at, entity, event, everything, item, lesson, pieces

FOUND = Extraction(
    (FoundEntity("Ana", "person", ("ana@acme.com",), "CTO", "Acme", (Span(0, 3),)), FoundEntity("paint", "object")),
    (
        FoundEvent("Decision", "Blue", "blue", 4, (("Ana", "owner"), ("Bo", "other")), ("paint",), at(1), None, 0.75),
        FoundEvent("Commitment", "Paint", "paint", 9, due=at(-70_000)),
    ),
)


def begun(store: Store, *, project: str = PROJECT, days: float = 0, extractor: str = "local") -> Run:
    """Store a run that was started so many days late."""
    run = Run(id=run_id(), project_id=project, extractor=extractor, scope=RunScope(), started=at(days))
    store.put_run(run)
    return run


def telling(found: Extraction) -> CallerAnnotations:
    """Return what a caller gives, as a run of its own."""
    run = Run(
        id=run_id(),
        project_id=PROJECT,
        extractor="given",
        scope=RunScope(),
        started=at(0),
        state="finished",
        ended=at(0),
    )
    return CallerAnnotations(replace(run, tally=RunTally(items=1, events_added=len(found.events))), found)


def with_knowledge(store: Store, artifact: Artifact) -> Knowledge:
    """Store a lesson of an artifact, with all that a lesson may have, and return it as it is read."""
    quote = artifact.memory.content[:3]
    ana = entity("Ana", role="CTO", organization="Acme", aliases=("Annie", "ana@acme.com"))
    bo, paint = entity("Bo"), entity("paint", "object")
    known = lesson(
        artifact,
        [ana, bo, paint],
        [
            event(artifact, quote, actors=[bo, ana], subjects=[paint], event_time=at(1), status="current"),
            event(artifact, quote, "Commitment", actors=[ana], due=at(7), confidence=0.9, status="open"),
            event(artifact, quote, "Feedback"),
        ],
    )
    store.replace(PROJECT, artifact.id, known)
    return ordered(known)


def kept(found: Extraction, *, extractor: str = "a:b", text_hash: str = "hash", proposed: bool = False) -> Findings:
    """Return findings."""
    return Findings(extractor=extractor, text_hash=text_hash, found=found, proposed=proposed)


def ordered(knowledge: Knowledge) -> Knowledge:
    """Return knowledge in the order of ids, as it is compared here."""
    entities = (replace(one, aliases=tuple(sorted(one.aliases))) for one in knowledge.entities)
    return replace(
        knowledge,
        entities=tuple(sorted(entities, key=lambda e: e.id)),
        mentions=tuple(sorted(knowledge.mentions, key=lambda m: (m.start_char, m.entity_id))),
        events=tuple(sorted(knowledge.events, key=lambda e: e.id)),
    )


class RunsContract:
    """Takes the fixtures `store` (empty) and `stored`."""

    def test_a_run_comes_back_as_it_was_put_last(self, store: Store) -> None:
        """Every field; putting it again changes state, end and tally."""
        scope = RunScope(context="meeting", ids=("art_1", "art_2"), limit=3, anew=True)
        run = Run(id=run_id(), project_id=PROJECT, extractor="a:b", scope=scope, started=at(1))
        store.put_run(run)
        assert store.run(PROJECT, run.id) == run
        ended = replace(run, state="finished", ended=at(2), tally=RunTally(items=2, events_added=5, tokens=7))
        store.put_run(ended)
        assert store.run(PROJECT, run.id) == ended
        assert store.runs(PROJECT, 5) == [ended]

    def test_runs_are_listed_latest_first_and_by_project(self, store: Store) -> None:
        """The order is that of storing, whatever the clocks of two machines say."""
        first, second, third = begun(store, days=2), begun(store, days=1), begun(store, project=OTHER)
        assert store.runs(PROJECT, 5) == [second, first]
        assert store.runs(PROJECT, 1) == [second]
        assert store.runs(OTHER, 5) == [third]
        assert store.run(OTHER, first.id) is None
        assert store.runs("nobody", 5) == []

    def test_a_reading_comes_back_with_what_stood_before(self, store: Store) -> None:
        """Both are whole, and later knowledge of the item changes neither."""
        given = added(store, "Ana and Bo agreed on paint.")
        before = with_knowledge(store, given)
        run = begun(store)
        assert store.save_extraction(run, given.id, FOUND, waits=True)
        store.replace(PROJECT, given.id, Knowledge())

        assert store.latest_extraction(PROJECT, given.id) == ExtractionResult(run.id, "local", FOUND)
        standing = store.snapshot_before(PROJECT, run.id, given.id)
        assert standing is not None
        assert standing.waits
        assert ordered(standing.knowledge) == before
        assert store.run_items(PROJECT, run.id) == {given.id: False}

    def test_what_is_told_is_kept_beside_the_reading_with_its_run_and_queues_extraction(self, store: Store) -> None:
        """All as one; the same again is nothing new, and what another run tells is told after it."""
        given = added(store, "Ana and Bo agreed on paint.")
        before = with_knowledge(store, given)
        read = begun(store)
        store.save_extraction(read, given.id, FOUND, waits=False)
        first, second = telling(FOUND), telling(Extraction((), (FoundEvent("Change", "Red", "Bo", 8),)))
        assert store.annotate(PROJECT, given.id, first)
        assert not store.annotate(PROJECT, given.id, telling(FOUND))
        assert store.annotate(PROJECT, given.id, second)
        assert not store.annotate(PROJECT, "art_none", first)

        assert store.latest_extraction(PROJECT, given.id) == ExtractionResult(read.id, "local", FOUND)
        annotations = store.annotations(PROJECT, [given.id])[given.id]
        assert [(one.run_id, one.found) for one in annotations] == [
            (first.run.id, FOUND),
            (second.run.id, second.found),
        ]
        assert store.runs(PROJECT, 5) == [second.run, first.run, read]
        assert store.run_items(PROJECT, first.run.id) == {given.id: True}
        standing = store.snapshot_before(PROJECT, first.run.id, given.id)
        assert standing is not None
        assert ordered(standing.knowledge) == before
        assert [job.state for job in store.job_reports(PROJECT, given.id)] == ["pending"] * 2

    def test_items_of_one_run_add_up_and_a_successor_is_told_what_holds_for_it(self, store: Store) -> None:
        """Told with storing: of a revision's successor by the same run, as far as its words stand there."""
        run = telling(FOUND).run
        there, gone = FoundEvent("Decision", "Blue", "blue", 4), FoundEvent("Change", "Red", "red", 0)
        annotations = CallerAnnotations(run, Extraction((), (there, gone)))
        first, other = item("red, blue", key="paint"), item("blue, red")
        [one, two] = store.add_all(
            [(first, pieces(first)), (other, pieces(other))], ["extract"], [annotations, annotations]
        )
        assert (one.run_id, two.run_id) == (run.id, run.id)
        later = item("It is blue.", key="paint")
        replaced = store.add(later, pieces(later), ["extract"])

        assert (replaced.replaced, replaced.run_id) == (one.artifact_id, None)
        [kept] = store.annotations(PROJECT, [replaced.artifact_id])[replaced.artifact_id]
        assert kept == ExtractionResult(run.id, "given", Extraction((), (replace(there, near_char=6),)))
        stored = store.run(PROJECT, run.id)
        assert stored is not None
        assert (stored.tally.items, stored.tally.events_added) == (2, 4)
        store.put_run(replace(run, state="rolled_back"))
        assert store.annotations(PROJECT, [replaced.artifact_id]) == {}

    def test_the_knowledge_before_a_run_can_be_restored(self, store: Store) -> None:
        """A lesson that is read and replaced by itself is the same lesson, and so are its entities."""
        given = added(store, "Ana and Bo agreed on paint.")
        before = replace(with_knowledge(store, given), unread_language="de")
        store.replace(PROJECT, given.id, before)
        entities = store.entities(PROJECT, [one.id for one in before.entities])
        run = begun(store)
        found = Extraction(unread_language="fr")
        store.save_extraction(run, given.id, found, waits=False)
        reading = store.latest_extraction(PROJECT, given.id)
        assert reading is not None
        assert reading.found == found
        store.replace(PROJECT, given.id, Knowledge())
        standing = store.snapshot_before(PROJECT, run.id, given.id)
        assert standing is not None
        store.replace(PROJECT, given.id, standing.knowledge)

        assert ordered(store.artifact_knowledge(PROJECT, [given.id])[given.id]) == before
        assert store.entities(PROJECT, list(entities)) == entities

    def test_a_lesson_has_the_evidence_and_the_names_of_its_own_artifact(self, store: Store) -> None:
        """What another artifact says of the same entity or event is that one's lesson."""
        first, second = added(store, "Ana agreed."), added(store, "Anastasia Berg agreed.")
        ana = entity("Ana")
        agreed = event(first, "agreed", actors=[ana])
        store.replace(PROJECT, first.id, lesson(first, [ana], [agreed]))
        longer = replace(ana, name="Anastasia Berg")
        also = replace(agreed, evidence=event(second, "agreed").evidence)
        store.replace(PROJECT, second.id, lesson(second, [longer], [also]))

        found = store.artifact_knowledge(PROJECT, [first.id, second.id, "art_0"])
        assert set(found) == {first.id, second.id}
        assert [one.name for one in found[first.id].entities] == ["Ana"]
        assert [one.name for one in found[second.id].entities] == ["Anastasia Berg"]
        assert found[first.id].events[0].evidence == agreed.evidence
        assert found[second.id].events[0].evidence == also.evidence
        silent = added(store, "Nobody spoke.")
        assert store.named_entities(PROJECT, [first.id, second.id, silent.id, "art_0"]) == {
            id_: knowledge.entities for id_, knowledge in found.items()
        }

    @pytest.mark.parametrize("text", [*HOSTILE, "half of a pair \ud83d"])
    def test_any_text_may_have_been_found(self, store: Store, text: str) -> None:
        """Whatever a model answers can be kept, and comes back as it was."""
        given = added(store, "Ana agreed.")
        run = begun(store)
        found = Extraction((FoundEntity(text, "other", (text,)),), (FoundEvent("Change", text, text, 0),))
        store.save_extraction(run, given.id, found, waits=False)
        store.cache_findings(PROJECT, given.id, kept(found))

        assert store.latest_extraction(PROJECT, given.id) == ExtractionResult(run.id, "local", found)
        assert store.cached_findings(PROJECT, given.id) == [kept(found)]

    def test_a_reading_is_kept_once_for_a_run_and_item(self, store: Store) -> None:
        """A run that comes to an item again, after it was interrupted, does not lose what stood before it."""
        given = added(store, "Ana and Bo agreed on paint.")
        before = with_knowledge(store, given)
        run = begun(store)
        store.save_extraction(run, given.id, FOUND, waits=False)
        store.replace(PROJECT, given.id, Knowledge())

        assert store.save_extraction(run, given.id, Extraction(), waits=True)
        standing = store.snapshot_before(PROJECT, run.id, given.id)
        assert standing is not None
        assert not standing.waits
        assert ordered(standing.knowledge) == before
        assert store.latest_extraction(PROJECT, given.id) == ExtractionResult(run.id, "local", FOUND)

    def test_what_stands_is_kept_of_an_item_that_is_not_read(self, store: Store) -> None:
        """It is no reading until the run comes to it, and then it still knows what stood at first."""
        given = added(store, "Ana and Bo agreed on paint.")
        before = with_knowledge(store, given)
        run = begun(store)
        assert store.save_extraction(run, given.id, None, waits=True)
        assert store.latest_extraction(PROJECT, given.id) is None
        assert store.run_items(PROJECT, run.id) == {given.id: False}
        store.replace(PROJECT, given.id, Knowledge())
        assert store.save_extraction(run, given.id, FOUND, waits=False)

        assert store.latest_extraction(PROJECT, given.id) == ExtractionResult(run.id, "local", FOUND)
        standing = store.snapshot_before(PROJECT, run.id, given.id)
        assert standing is not None
        assert (standing.waits, ordered(standing.knowledge)) == (True, before)

    def test_what_is_not_stored_gets_no_reading(self, store: Store) -> None:
        """Neither an item that is gone or another project's, nor a run that was never put."""
        given = added(store, "Ana agreed.")
        theirs = item("Ana disagreed.", project=OTHER)
        store.add(theirs, pieces(theirs), [])
        run = begun(store)
        assert not store.save_extraction(run, "art_0", FOUND, waits=False)
        assert not store.save_extraction(run, theirs.id, FOUND, waits=False)
        assert not store.save_extraction(replace(run, id="run_0"), given.id, FOUND, waits=False)
        assert store.latest_extraction(PROJECT, given.id) is None
        assert store.snapshot_before(PROJECT, run.id, given.id) is None
        store.delete_extractions(PROJECT, "run_0")
        store.cache_findings(PROJECT, theirs.id, kept(FOUND))
        assert store.cached_findings(OTHER, theirs.id) == []

    def test_finishing_a_reading_stores_the_run(self, store: Store) -> None:
        """Readings are told in the order of storing, each with whether it is finished."""
        one, two = added(store, "Ana agreed."), added(store, "Bo agreed.")
        run = begun(store)
        for given in (two, one):
            store.save_extraction(run, given.id, FOUND, waits=False)
        counted = replace(run, tally=RunTally(items=1))
        store.finish_extraction(counted, two.id)

        assert list(store.run_items(PROJECT, run.id).items()) == [(one.id, False), (two.id, True)]
        assert store.run(PROJECT, run.id) == counted

    def test_the_latest_run_that_stands_has_the_item_s_reading(self, store: Store) -> None:
        """One that is rolled back, or being so, has not; nor has one whose readings were dropped."""
        given = added(store, "Ana agreed.")
        runs = [begun(store, days=-number) for number in range(4)]
        for run in runs:
            store.save_extraction(run, given.id, FOUND, waits=False)
        seen = []
        store.put_run(replace(runs[3], state="rolling_back"))
        seen.append(store.latest_extraction(PROJECT, given.id))
        store.put_run(replace(runs[2], state="rolled_back"))
        seen.append(store.latest_extraction(PROJECT, given.id))
        store.delete_extractions(PROJECT, runs[1].id)
        seen.append(store.latest_extraction(PROJECT, given.id))

        assert [one and one.run_id for one in seen] == [runs[2].id, runs[1].id, runs[0].id]

    def test_later_runs_are_told_where_they_read_the_same(self, store: Store) -> None:
        """Others do not stand in the way of rolling a run back."""
        one, two = added(store, "Ana agreed."), added(store, "Bo agreed.")
        first, apart, both, last = (begun(store) for _ in range(4))
        for run, items in ((first, [one]), (apart, [two]), (both, [one, two]), (last, [one])):
            for given in items:
                store.save_extraction(run, given.id, FOUND, waits=False)

        assert store.later_runs(PROJECT, first.id) == [last.id, both.id]
        assert store.later_runs(PROJECT, apart.id) == [both.id]
        assert store.later_runs(PROJECT, last.id) == []
        assert store.later_runs(OTHER, first.id) == []
        store.put_run(replace(both, state="rolled_back"))
        assert store.later_runs(PROJECT, first.id) == [last.id]

    def test_readings_and_findings_go_with_their_item(self, store: Store, stored: Callable[[], bytes]) -> None:
        """No word of a forgotten item stays, in what was found in it or in what stood before."""
        other = added(store, "Bo agreed.")
        given = added(store, "Xanthippe agreed on zebrawood.")
        store.replace(PROJECT, other.id, lesson(other, [replace(entity("Bo"), aliases=("Bobby",))]))
        xan = entity("Xanthippe")
        store.replace(PROJECT, given.id, lesson(given, [xan], [event(given, "zebrawood", actors=[xan])]))
        # The other item's event is by someone whose full name only the forgotten one tells.
        short = replace(xan, name="Bo", aliases=())
        store.replace(PROJECT, other.id, lesson(other, [short], [event(other, "agreed", actors=[short])]))
        run = begun(store)
        decided = FoundEvent("Decision", "zebrawood", "zebrawood", 0)
        words = Extraction((FoundEntity("Xanthippe", "person"),), (decided,))
        store.save_extraction(run, given.id, words, waits=False)
        store.save_extraction(run, other.id, Extraction(), waits=False)
        store.cache_findings(PROJECT, given.id, kept(words))
        assert b"zebrawood" in stored()
        store.remove(PROJECT, [given.id])

        assert store.run_items(PROJECT, run.id) == {other.id: False}
        assert store.cached_findings(PROJECT, given.id) == []
        assert b"zebrawood" not in stored()
        assert b"Xanthippe" not in stored()

    def test_findings_are_kept_once_an_extractor_latest_last(self, store: Store) -> None:
        """Those of another text take the place of those before; proposals stand beside what is learnt."""
        given = added(store, "Ana agreed.")
        first, other = kept(FOUND), kept(Extraction(), extractor="c:d")
        proposal, again = kept(FOUND, proposed=True), kept(Extraction(), text_hash="other")
        for one in (first, other, proposal, again):
            store.cache_findings(PROJECT, given.id, one)
        assert store.cached_findings(PROJECT, given.id) == [other, proposal, again]
        assert store.cached_findings(OTHER, given.id) == []

    def test_items_added_or_renewed_are_noticed(self, store: Store) -> None:
        """By when they were stored, in one project alone; a removed item is no longer there to be seen."""
        assert not store.changed_since(PROJECT, at(-1))
        first = item("Ana agreed.", stored=at(0))
        store.add(first, pieces(first), [])
        assert store.changed_since(PROJECT, at(-1))
        assert not store.changed_since(PROJECT, at(0))
        assert not store.changed_since(OTHER, at(-1))
        renewed = item("Ana agreed.", stored=at(2), importance=0.9)
        store.add(renewed, pieces(renewed), [])
        assert store.changed_since(PROJECT, at(1))
        assert store.count(PROJECT, everything()) == 1
