"""Resolution: names of one artifact become the stable entities of its project."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import (
    Actor,
    Entity,
    Evidence,
    Extraction,
    FoundEntity,
    FoundEvent,
    Knowledge,
    Span,
    entity_id,
    event_id,
    normalise_name,
)
from core.knowledge.identities import MergeDecision
from core.records import Artifact, Scored
from graph.store import Store
from ingest.document.evidence import verify_evidence
from ingest.identity.resolution import disambiguate_names, resolve
from tests.shipped import shipped_extractor

NOW = datetime(2026, 3, 10, 9, tzinfo=UTC)


class Directory:
    """The `entities_by_name` of a store over a list of entities; of merge decisions, mentions and what items teach
    there is nothing."""

    def __init__(self, *entities: Entity) -> None:
        self.entities = entities

    def merge_decisions(self, _project_id: str) -> list[MergeDecision]:
        return []

    def mentions(self, *_: object) -> list[Scored]:
        return []

    def named_entities(self, *_: object) -> dict[str, tuple[Entity, ...]]:
        return {}

    def entities_by_name(self, _project_id: str, names: Sequence[str]) -> dict[str, list[Entity]]:
        keys = {normalise_name(name) for name in names}
        found: dict[str, list[Entity]] = {}
        for entity in self.entities:
            for key in {normalise_name(form) for form in (entity.name, *entity.aliases)} & keys:
                found.setdefault(key, []).append(entity)
        return found


def artifact(content: str) -> Artifact:
    return Artifact(
        id="art_000000000001",
        project_id="p",
        memory=Memory(content=content),
        fingerprint="f",
        happened_at=NOW,
        created_at=NOW,
        updated_at=NOW,
        last_occurred=NOW,
        token_count=1,
        num_chunks=1,
    )


def learn(
    content: str, *entities: FoundEntity, events: tuple[FoundEvent, ...] = (), known: tuple[Entity, ...] = ()
) -> Knowledge:
    graph = cast("Store", Directory(*known))
    return resolve(
        artifact(content), disambiguate_names(verify_evidence(content, Extraction(entities, events)), content), graph
    )


def person(name: str, *aliases: str, organization: str | None = None) -> Entity:
    return Entity(entity_id("p", "person", name), name, "person", aliases, organization=organization)


ALICE = person("Alice Chen", "A. Chen", "Alice", "alice.chen@acme.com")


def test_an_unknown_name_is_a_new_entity_with_a_stable_id() -> None:
    """Its id depends on project, type and name alone; first name and initial find it later."""
    assert learn("Alice Chen", FoundEntity("Alice Chen", "person", mentions=(Span(0, 10),))).entities == (
        Entity(entity_id("p", "person", "Alice Chen"), "Alice Chen", "person", ("A. C.", "A. Chen", "Alice")),
    )


@pytest.mark.parametrize("name", ["alice chen", "Alice", "A. Chen"])
def test_a_known_person_is_found_by_name_first_name_and_initial(name: str) -> None:
    """The only one in the project that the name fits is meant."""
    assert [entity.id for entity in learn("x", FoundEntity(name, "person"), known=(ALICE,)).entities] == [ALICE.id]


def test_an_address_finds_the_person_whatever_the_form_of_the_name() -> None:
    """An address is nobody else's, as long as the names can be one person's."""
    found = FoundEntity("Maria", "person", ("alice.chen@acme.com",))
    other = learn("x", found, known=(ALICE,)).entities[0]
    assert other.id != ALICE.id
    short = FoundEntity("A. Chen", "person", ("alice.chen@acme.com",))
    assert learn("x", short, known=(ALICE,)).entities[0].id == ALICE.id


def test_a_first_name_is_the_full_name_of_the_same_artifact_first() -> None:
    """In one document "Alice" is the Alice it names in full, whoever else the project knows."""
    wong = FoundEntity("Alice Wong", "person")
    knowledge = learn("x", FoundEntity("Alice", "person"), wong, known=(ALICE,))
    assert [entity.name for entity in knowledge.entities] == ["Alice Wong"]


def test_a_first_name_that_fits_two_people_is_its_own_entity() -> None:
    """Rather a third person than the wrong one."""
    known = (ALICE, person("Alice Wong", "Alice"))
    assert [e.id for e in learn("x", FoundEntity("Alice", "person"), known=known).entities] == [
        entity_id("p", "person", "Alice")
    ]


def test_a_full_name_is_the_one_known_by_her_first_name_alone() -> None:
    """The only Anna of the project gets her family name: same id, so what she did before is hers."""
    anna = person("Anna")
    [entity] = learn("x", FoundEntity("Anna Berg", "person"), known=(anna,)).entities
    assert (entity.id, entity.name) == (anna.id, "Anna Berg")


def test_two_full_names_leave_the_first_name_alone() -> None:
    """Neither of two in one artifact, nor a second in the project, takes over what was said of "Anna"."""
    anna, berg = person("Anna"), person("Anna Berg", "Anna", "A. Berg")
    stone = FoundEntity("Anna Stone", "person")
    both = learn("x", FoundEntity("Anna Berg", "person"), stone, known=(anna,))
    assert anna.id not in {entity.id for entity in both.entities}
    assert learn("x", stone, known=(anna, berg)).entities[0].id == entity_id("p", "person", "Anna Stone")
    adopted = Entity(anna.id, "Anna Berg", "person", ("Anna", "A. Berg"))
    known = (adopted, person("Anna Stone", "Anna", "A. Stone"))
    alone = learn("x", FoundEntity("Anna", "person"), known=known).entities[0]
    assert (alone.name, alone.id in {entity.id for entity in known}) == ("Anna", False)


def test_a_first_name_that_two_in_the_artifact_share_is_no_third_one_elsewhere() -> None:
    """What the artifact itself leaves open is not settled by who the project knew first."""
    names = [FoundEntity(name, "person") for name in ("Anna", "Anna Berg", "Anna Stone")]
    knowledge = learn("x", *names, known=(person("Anna Berg", "Anna", "A. Berg"),))
    assert {entity.name for entity in knowledge.entities} == {"Anna", "Anna Berg", "Anna Stone"}


def test_a_handle_is_identity_whatever_the_name() -> None:
    """ "tomek" who speaks as @tomek is Tomasz, whose handle it is; another's address is not."""
    tomasz = person("Tomasz Wieczorek", "@tomek", "Tomasz")
    spoken = FoundEntity("tomek", "person", ("@tomek",))
    assert learn("x", spoken, known=(tomasz,)).entities[0].id == tomasz.id
    tomek = person("tomek", "@tomek")
    full = FoundEntity("Tomasz Wieczorek", "person", ("@tomek",))
    assert learn("x", full, known=(tomek,)).entities[0].id == tomek.id
    assert learn("x", FoundEntity("Bob Li", "person", ("@tomek",)), known=(tomasz,)).entities[0].id != tomasz.id


def test_a_mail_box_or_handle_is_the_only_one_whose_name_gives_it() -> None:
    """In either order of documents; of two that it fits it is neither."""
    mara, mark = person("Mara Lind", "Mara", "M. Lind"), person("Mark Lind", "Mark", "M. Lind")
    for box in ("mlind", "maralind", "lindm", "maral"):
        handle = FoundEntity(box, "person", (f"@{box}",))
        assert learn("x", handle, known=(mara,)).entities[0].id == mara.id
        full = FoundEntity("Mara Lind", "person")
        assert learn("x", full, known=(person(box, f"@{box}"),)).entities[0].id == entity_id("p", "person", box)
    both = learn("x", FoundEntity("mlind", "person"), known=(mara, mark)).entities[0]
    assert both.id == entity_id("p", "person", "mlind")
    third = FoundEntity("Max Lind", "person")
    assert learn("x", third, known=(mara, mark, person("mlind"))).entities[0].id == entity_id("p", "person", "Max Lind")
    assert learn("x", FoundEntity("Mlind", "person"), known=(mara,)).entities[0].id != mara.id


def test_another_full_name_that_the_artifact_gives_is_the_one_who_has_it() -> None:
    """Mary Smith, formerly Mary Dunn, is the Mary Dunn the project knows, if there is only one."""
    dunn = person("Mary Dunn", "Mary", "M. Dunn")
    found = FoundEntity("Mary Smith", "person", ("Mary Dunn",))
    assert learn("x", found, known=(dunn,)).entities[0].id == dunn.id
    elsewhere = FoundEntity("Mary Smith", "person", ("Mary Dunn",), organization="Acme")
    known = person("Mary Dunn", organization="Globex")
    assert learn("x", elsewhere, known=(known,)).entities[0].id != known.id


def test_one_company_under_its_short_and_its_long_name() -> None:
    """The name that begins the other is the same organisation, unless two could be meant."""
    foods = Entity(entity_id("p", "org", "Vasa Foods"), "Vasa Foods", "org", ("Vasa",))
    short = Entity(entity_id("p", "org", "Vasa"), "Vasa", "org")
    motors = Entity(entity_id("p", "org", "Vasa Motors"), "Vasa Motors", "org", ("Vasa",))
    assert learn("x", FoundEntity("Vasa", "org"), known=(foods,)).entities[0].id == foods.id
    assert learn("x", FoundEntity("Vasa Foods", "org"), known=(short,)).entities[0].id == short.id
    assert learn("x", FoundEntity("Vasa Motors", "org"), known=(foods,)).entities[0].id == motors.id
    assert learn("x", FoundEntity("Vasa", "org"), known=(foods, motors)).entities[0].id == short.id
    employed = person("Alice Chen", organization="Vasa")
    again = FoundEntity("Alice Chen", "person", organization="Vasa Foods")
    assert learn("x", again, known=(employed,)).entities[0].id == employed.id


def test_a_thing_called_like_a_person_of_the_same_artifact_is_that_person() -> None:
    """An extractor may call someone a subject in one place and a person in the next."""
    found = learn("x", FoundEntity("Mara Lind", "object"), FoundEntity("Mara Lind", "person"))
    assert [(entity.name, entity.type) for entity in found.entities] == [("Mara Lind", "person")]


def test_namesakes_of_two_organisations_stay_two() -> None:
    """Two people with one name and different employers are not merged; the same employer written longer is the same."""
    known = person("Alice Chen", organization="Acme")
    other = learn("x", FoundEntity("Alice Chen", "person", organization="Globex"), known=(known,)).entities[0]
    same = learn("x", FoundEntity("Alice Chen", "person", organization="Acme Inc."), known=(known,)).entities[0]
    assert other.id != known.id
    assert same.id == known.id
    shortened = person("Bo Lund", organization="Institute of Alpine Geosciences")
    again = FoundEntity("Bo Lund", "person", organization="IAG")
    assert learn("x", again, known=(shortened,)).entities[0].id == shortened.id
    at_a_site = FoundEntity("Bo Lund", "person", organization="Harbour House")
    assert learn("x", at_a_site, known=(shortened,)).entities[0].id == shortened.id
    elsewhere = FoundEntity("Bo Lund", "person", organization="IAB")
    assert learn("x", elsewhere, known=(shortened,)).entities[0].id != shortened.id


def test_types_are_not_mixed_but_a_vague_thing_is_what_has_its_name() -> None:
    """A person is never an organisation; a topic named like a project is that project."""
    project = Entity(entity_id("p", "project", "Atlas"), "Atlas", "project")
    assert learn("x", FoundEntity("Atlas", "object"), known=(project,)).entities == (project,)
    named = learn("x", FoundEntity("Alice Chen", "object"), known=(ALICE,)).entities
    assert [(entity.id, entity.type) for entity in named] == [(ALICE.id, "person")]
    assert learn("x", FoundEntity("Atlas", "person"), known=(project,)).entities[0].id != project.id


def test_actors_and_subjects_become_entities_and_odd_names_do_not() -> None:
    """Everyone in an event is among the entities; an actor that is no name is left out."""
    event = FoundEvent("Decision", "s", "Go.", 0, (("Priya", "owner"), ("the whole team", "other")), ("Harbor",), NOW)
    knowledge = learn("Go.", events=(event,))
    assert {(entity.name, entity.type) for entity in knowledge.entities} == {("Priya", "person"), ("Harbor", "other")}
    [stored] = knowledge.events
    assert stored.id == event_id("p", "art_000000000001", "Decision", 0, 3)
    assert stored.actors == (Actor(entity_id("p", "person", "Priya"), "Priya", "owner"),)
    assert stored.evidence == (Evidence("art_000000000001", "Go.", 0, 3),)
    assert stored.status == "current"


def test_an_actor_is_shown_by_the_full_name_the_project_knows() -> None:
    """An event of an artifact that only says "Alice" names Alice Chen."""
    event = FoundEvent("Decision", "s", "Go.", 0, (("Alice", "owner"),))
    [stored] = learn("Go.", FoundEntity("Alice", "person"), events=(event,), known=(ALICE,)).events
    assert stored.actors == (Actor(ALICE.id, "Alice Chen", "owner"),)


def test_two_claims_of_one_event_are_united() -> None:
    """The same category on the same words is one event with the actors of both."""
    first = FoundEvent("Commitment", "s", "Go.", 0, (("Priya", "owner"),))
    second = FoundEvent("Commitment", "t", "Go.", 0, (("Dana", "contributor"),), due=NOW)
    [event] = learn("Go.", events=(first, second)).events
    assert ({actor.name for actor in event.actors}, event.due, event.status) == ({"Priya", "Dana"}, NOW, "open")


CONTENT = (
    "Alice Chen (alice.chen@acme.com) wrote: we decided to start Project Atlas. Alice will send the plan by Friday."
)


def test_the_same_artifact_teaches_the_same_again() -> None:
    """Extracting again, with what was learnt in the graph, changes no id, name or mention."""
    verified = disambiguate_names(verify_evidence(CONTENT, shipped_extractor().extract(artifact(CONTENT))), CONTENT)
    first = resolve(artifact(CONTENT), verified, cast("Store", Directory()))
    again = resolve(artifact(CONTENT), verified, cast("Store", Directory(*first.entities)))
    assert first == again
    ids = {entity.id for entity in first.entities}
    assert {mention.entity_id for mention in first.mentions} <= ids
    assert all({a.entity_id for a in e.actors} | {s.entity_id for s in e.subjects} <= ids for e in first.events)


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ("Elif Yıldız", "Elif Yildiz"),
        ("Elif Yildiz", "Elif Yıldız"),
        ("Björn Sandström", "bjorn"),
        ("Björn Sandström", "bsandstrom"),
        ("Kenneth Webb", "ken_w"),
        ("Juan Carlos Ortega", "J. C. Ortega"),
    ],
)
def test_marks_on_letters_and_signs_in_handles_make_no_other_person(known: str, found: str) -> None:
    """People are written with and without the marks of their language, and handles with a nickname and a letter."""
    stored = learn(known, FoundEntity(known, "person", mentions=(Span(0, len(known)),))).entities
    assert [entity.id for entity in learn("x", FoundEntity(found, "person"), known=stored).entities] == [stored[0].id]


def test_a_company_is_one_with_how_its_mail_domain_spells_it() -> None:
    """Rose of Penguin Archive and Rose whose address ends in penguinarchive.org are not two for that."""
    rose = person("Rose Whitfield", organization="Penguin Archive")
    found = FoundEntity("Rose Whitfield", "person", organization="Penguinarchive")
    assert [entity.id for entity in learn("x", found, known=(rose,)).entities] == [rose.id]


def test_an_event_is_of_the_namesake_whom_its_words_name() -> None:
    """Of two people of one name in one text it is the one named in the sentence, and they are two entities."""
    content = "Jo Park of Tidewell sends the keys. Jo Park of Kestrel orders them."
    found = (
        FoundEntity("Jo Park", "person", organization="Tidewell", mentions=(Span(0, 7),)),
        FoundEntity("Jo Park", "person", organization="Kestrel", mentions=(Span(36, 43),)),
    )
    events = (
        FoundEvent("Commitment", "s", "Jo Park of Tidewell sends the keys.", 0, (("Jo Park", "owner"),)),
        FoundEvent("Commitment", "s", "Jo Park of Kestrel orders them.", 36, (("Jo Park", "owner"),)),
    )
    knowledge = learn(content, *found, events=events)
    people = {entity.organization: entity.id for entity in knowledge.entities}
    assert [event.actors[0].entity_id for event in knowledge.events] == [people["Tidewell"], people["Kestrel"]]


@pytest.mark.parametrize(
    ("found", "known", "is_known"),
    [
        ("ours", ("Tidewell",), False),
        ("Tidewell", ("ours",), False),
        ("ours", ("ours", "Tidewell"), True),
        ("Kestrel", ("ours", "Tidewell"), True),
    ],
)
def test_who_is_ours_is_no_namesake_of_a_company(found: str, known: tuple[str, ...], *, is_known: bool) -> None:
    """Another company than the namesake's may be ours."""
    entities = tuple(
        replace(person("Jo Park", organization=name), id=f"ent_{at}")
        for at, name in enumerate(sorted(known, reverse=True))
    )
    one = learn("x", FoundEntity("Jo Park", "person", organization=found), known=entities).entities[0]
    assert (one.id == "ent_0") is is_known


def test_who_is_of_a_department_is_none_of_another_company() -> None:
    """Of two of one name the one without a company is meant."""
    ours, theirs = (
        replace(person("Jo Park"), id="ent_0"),
        replace(person("Jo Park", organization="Tidewell"), id="ent_1"),
    )
    found = FoundEntity("Jo Park", "person", role="maintenance")
    assert learn("x", found, known=(theirs, ours)).entities[0].id == "ent_0"
