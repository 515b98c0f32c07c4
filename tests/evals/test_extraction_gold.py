"""The annotated documents are what their guide says."""

import re
from collections import defaultdict
from datetime import date
from itertools import combinations, product
from typing import get_args

import pytest

from core.errors import InvalidInput
from core.interface.memory import Memory
from core.knowledge.findings import CATEGORIES, ActorRole, EntityType, normalise_name
from evals.extraction_gold import ANNOTATED, KINDS, Annotated, Document, annotated

PRACTICE = ANNOTATED.parent / "practice"


@pytest.fixture(scope="module", params=[ANNOTATED, *sorted(PRACTICE.glob("*/"))], ids=lambda folder: folder.name)
def given(request: pytest.FixtureRequest) -> Annotated:
    """The set that measures, and each of those to practise on."""
    return annotated(request.param)


def names(document: Document) -> set[str]:
    """All forms of all entities of a document."""
    return {form for entity in document.entities for form in (entity.name, *entity.aliases)}


def test_every_kind_has_documents_and_each_is_a_memory(given: Annotated) -> None:
    """What can't be remembered can't be measured."""
    assert {document.kind for document in given.documents} == set(KINDS)
    for document in given.documents:
        for part in document.parts:
            assert Memory(**part.arguments).moment() is not None, document.name


def test_the_set_is_large_enough_to_tell_extractors_apart() -> None:
    """What is debatable does not count; the same entity in several documents counts once."""
    given = annotated()
    documents = given.documents
    certain = [event for document in documents for event in document.events if not event.optional]
    entities = {
        given.identity(document, entity)
        for document in documents
        for entity in document.entities
        if not entity.optional
    }
    names = [
        {name for name in (entity.name, *entity.aliases, *entity.elsewhere) if " " in name}
        for group in given.links.identities
        for document in documents
        for entity in document.entities
        if f"{document.name}#{entity.name}" == group[0] and entity.type == "person"
    ]

    assert len(documents) >= 24
    assert len(certain) >= 130
    assert {event.category for event in certain} == set(CATEGORIES)
    assert len(entities) >= 90
    assert min(len(given.links.supersessions), len(given.links.kept)) >= 10
    assert min(len(given.links.completions), len(given.links.still_open)) >= 8
    assert sum(bool(one & other) for one, other in combinations(names, 2)) == 2, "two pairs of namesakes"


def test_quotes_are_verbatim(given: Annotated) -> None:
    """Up to white space and the marks of quoted lines, and within one item of memory."""
    for document in given.documents:
        for event in document.events:
            told = document.text[event.start : event.end]
            assert re.sub(r"[\s>]+", " ", told) == re.sub(r"[\s>]+", " ", event.quote).strip(), document.name
            assert any(
                part.start <= event.start and event.end <= part.start + len(part.arguments["content"])
                for part in document.parts
            ), (document.name, event.quote)


def test_annotations_use_the_words_of_the_contract(given: Annotated) -> None:
    """docs/interface.md: categories, roles and types."""
    for document in given.documents:
        for event in document.events:
            assert event.category in CATEGORIES, (document.name, event.quote)
            assert {actor.role for actor in event.actors} <= set(get_args(ActorRole)), (document.name, event.quote)
            assert event.due is None or (event.category == "Commitment" and isinstance(event.due, date)), event.quote
        assert {entity.type for entity in document.entities} <= set(get_args(EntityType)), document.name


def test_entities_and_actors_are_named_in_the_text(given: Annotated) -> None:
    """Forms that a text does not use are said in the links, not in it; an author's name stands beside a turn."""
    for document in given.documents:
        beside = " ".join(str(part.arguments.get("author", "")) for part in document.parts)
        text = " ".join(f"{document.text} {beside}".split()).casefold()
        for form in names(document):
            assert form.casefold() in text, (document.name, form)
        assert {actor.name for event in document.events for actor in event.actors} <= names(document), document.name
        told = [entity.name for entity in document.entities]
        assert len(told) == len(set(told)), document.name


def test_links_name_events_of_the_right_kind(given: Annotated) -> None:
    """A supersession is between decisions, a completion closes a commitment; none is optional."""
    events, links = given.labelled(), given.links
    for pair in (*links.supersessions, *links.kept):
        assert [events[place][1].category for place in pair] == ["Decision", "Decision"], pair
    for commitment, _ in (*links.completions, *links.still_open):
        assert events[commitment][1].category == "Commitment", commitment
    linked = {place for pair in (*links.supersessions, *links.completions) for place in pair}
    assert not [place for place in linked if events[place][1].optional]
    assert not set(links.supersessions) & set(links.kept)
    assert not {first for first, _ in links.completions} & {first for first, _ in links.still_open}


def test_identities_name_entities_and_no_place_twice(given: Annotated) -> None:
    """An entity is one person."""
    known = {f"{document.name}#{entity.name}" for document in given.documents for entity in document.entities}
    places = [place for group in given.links.identities for place in group]

    assert set(places) <= known, set(places) - known
    assert len(places) == len(set(places))


def test_a_name_in_two_documents_is_said_to_be_one_person_or_two(given: Annotated) -> None:
    """Who is in no group is someone else, so a full name that stands in two documents can't be forgotten."""
    grouped = {place for group in given.links.identities for place in group}
    bearers = defaultdict(set)
    for document in given.documents:
        for entity in document.entities:
            if entity.type == "person":
                bearers[normalise_name(entity.name)].add(f"{document.name}#{entity.name}")
    alone = {name: places - grouped for name, places in bearers.items() if len(places) > 1}

    assert {name: places for name, places in alone.items() if places} == {}


def test_a_quote_that_does_not_stand_in_its_text_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A slip of the annotator is met when the set is read, not in the figures."""
    folder = tmp_path_factory.mktemp("set")
    (folder / "mails").mkdir()
    (folder / "mails" / "one.txt").write_text("We meet.\nWe meet.", encoding="utf-8")
    for quote, times in (("We part.", 0), ("We meet.", 2)):
        (folder / "mails" / "one.yaml").write_text(
            f"remember: {{context: email}}\nevents: [{{category: Decision, quote: {quote}}}]\nentities: []",
            encoding="utf-8",
        )
        with pytest.raises(InvalidInput, match=f"'{quote}' stands {times} times"):
            annotated(folder)


def test_no_two_labels_of_a_document_are_the_same(given: Annotated) -> None:
    """A link means one event."""
    for document in given.documents:
        labels = [event.label for event in document.events if event.label]
        assert len(labels) == len(set(labels)), document.name


def test_optional_annotations_leave_the_certain_ones_alone(given: Annotated) -> None:
    """The same words in the same category can't be certain and debatable at once."""
    for document in given.documents:
        certain = [event for event in document.events if not event.optional]
        debatable = [event for event in document.events if event.optional]
        for one, other in product(certain, debatable):
            assert (one.category, one.start, one.end) != (other.category, other.start, other.end), one.quote
