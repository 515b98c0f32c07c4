"""The local extractor on whole documents, each with what a reader keeps of it
(`tests.ingest.extract.local.scenery`)."""

import pytest

from core.knowledge.findings import Extraction, FoundEvent
from ingest.document.evidence import verify_evidence
from ingest.extract.declared import add_declared_event
from tests.ingest.extract.local.scenery import Scene, pairs, plain, scenes
from tests.shipped import shipped_extractor


def _found(scene: Scene) -> Extraction:
    return add_declared_event(scene.artifact, shipped_extractor().extract(scene.artifact))


def _day(event: FoundEvent) -> str | None:
    return None if event.due is None else event.due.date().isoformat()


@pytest.mark.parametrize("scene", scenes(), ids=lambda scene: scene.name)
def test_every_quote_of_a_scene_is_verbatim(scene: Scene) -> None:
    """What is kept of a document stands in it, word for word."""
    found = _found(scene)
    assert verify_evidence(scene.artifact.memory.content, found).dropped == 0


def test_most_of_what_the_scenes_say_is_found_and_little_else() -> None:
    """At least 85 % of the events are found as they are judged, and 92 % of what is found is one."""
    wanted = found = right = 0
    for scene in scenes():
        told = _found(scene).events
        wanted, found = wanted + len(scene.events), found + len(told)
        right += len(list(pairs(scene.events, told)))
    assert (right / wanted >= 0.85, right / found >= 0.92) == (True, True), (right, wanted, found)


def test_promises_of_the_scenes_fall_due_on_their_day() -> None:
    """Dates in words, in tables, in lists and behind arrows are resolved against the day the words were written."""
    told = [pair for scene in scenes() for pair in pairs(scene.events, _found(scene).events)]
    wrong = [(e.begins, e.due, _day(event)) for e, event in told if e.category == "Commitment" and e.due != _day(event)]
    assert wrong == []


def test_promises_of_the_scenes_belong_to_whom_they_name() -> None:
    """First names, handles, titles, "I" and "he" lead to the one who is meant; one in twenty may fail."""
    told = [pair for scene in scenes() for pair in pairs(scene.events, _found(scene).events) if pair[0].owners]
    wrong = [
        (expected.begins, event.actors)
        for expected, event in told
        if {name for name, role in event.actors if role == "owner"} != expected.owners
    ]
    assert len(wrong) <= len(told) / 20, wrong


def test_the_people_of_the_scenes_are_found() -> None:
    """Whoever is named is a person, under the fullest name, and hardly anything else is."""
    wanted = found = right = 0
    for scene in scenes():
        told = [entity for entity in _found(scene).entities if entity.type == "person"]
        forms = {plain(form) for entity in told for form in (entity.name, *entity.aliases)}
        wanted, found = wanted + len(scene.people), found + len(told)
        right += sum(plain(name) in forms for name in scene.people)
    assert (right / wanted >= 0.95, right / found >= 0.93) == (True, True), (right, wanted, found)


@pytest.mark.exhaustive
def test_two_thirds_of_what_unseen_documents_say_is_found_with_few_that_they_do_not() -> None:
    """Documents that were written before what they need: what they say in other words is judged, and some is missed."""
    wanted = found = right = people = told = named = 0
    for scene in scenes("unseen"):
        learnt = _found(scene)
        assert verify_evidence(scene.artifact.memory.content, learnt).dropped == 0
        wanted, found = wanted + len(scene.events), found + len(learnt.events)
        right += len(list(pairs(scene.events, learnt.events)))
        persons = [entity for entity in learnt.entities if entity.type == "person"]
        forms = {plain(form) for entity in persons for form in (entity.name, *entity.aliases)}
        people, told = people + len(scene.people), told + len(persons)
        named += sum(plain(name) in forms for name in scene.people)
    assert (right / wanted >= 0.66, right / found >= 0.72) == (True, True), (right, wanted, found)
    assert (named / people >= 0.9, named / told >= 0.9) == (True, True), (named, people, told)
