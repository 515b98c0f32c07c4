"""The scorer's arithmetic, on documents of a few sentences."""

from dataclasses import replace
from datetime import date

import pytest

from core.knowledge.findings import Category
from evals.extraction_gold import Annotated, Document, GoldActor, GoldEntity, GoldEvent, Links
from evals.extraction_match import FoundActor, FoundEntity, FoundEvent, Reading, Words, comparable, matched, told_apart
from evals.extraction_scores import Ledger, Read, tables
from evals.figures import Table

TEXT = "We chose oak for the stairs. Dr. Ann Bell orders it by Friday, and Bo measures. Nobody likes the smell of it."
NO_LINKS = Links((), (), (), (), ())


def gold(category: Category, quote: str, text: str = TEXT, **more: object) -> GoldEvent:
    """An annotated event where its quote stands."""
    start = text.index(quote)
    event = GoldEvent(category=category, quote=quote, start=start, end=start + len(quote))
    return replace(event, **more)  # type: ignore[arg-type]


def found(identity: str, category: str, quote: str, text: str = TEXT, **more: object) -> FoundEvent:
    """An event of the service where its quote stands."""
    start = text.index(quote)
    event = FoundEvent(id=identity, category=category, spans=((start, start + len(quote)),), is_verbatim=True)
    return replace(event, **more)  # type: ignore[arg-type]


def entity(identity: str, *names: str, type_: str = "person") -> FoundEntity:
    """An entity of the service under its names, the first being shown."""
    forms = [comparable(name) for name in names]
    return FoundEntity(identity, forms[0], type_, frozenset(forms))


def person(name: str, *aliases: str, optional: bool = False) -> GoldEntity:
    """An annotated person."""
    return GoldEntity(name=name, type="person", aliases=aliases, optional=optional)


def document(*events: GoldEvent, name: str = "mails/one", people: tuple[GoldEntity, ...] = ()) -> Document:
    """A document of one part."""
    return Document(name, name.partition("/")[0], TEXT, (), events, people)


def measured(given: Annotated, *readings: Reading, ledger: Ledger | None = None) -> dict[str, dict[str, float | None]]:
    """The mean of each figure by table and name, None where nothing was counted; the first row of each table."""
    told: list[Table] = tables(Read(given, readings, ledger))
    return {
        table.title: {
            figure.name: round(sum(figure.values) / len(figure.values), 3) if figure.values else None
            for row in table.rows[:1]
            for figure in row.figures
        }
        for table in told
    }


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ("We chose oak for the stairs.", "We chose oak for the stairs.", 1.0),
        ("chose oak", "We chose oak for the stairs.", 2 / 6),
        ("We chose oak for", "oak for the stairs", 0.0),
        ("We chose oak for the", "chose oak for the stairs", 4 / 6),
        ("chose oak", "We chose oak for the stairs. Dr. Ann Bell orders it by Friday", 0.0),
        ("orders it", "Dr. Ann Bell orders it by Friday, and Bo measures.", 2 / 10),
        ("We chose oak", "Nobody likes", 0.0),
    ],
)
def test_words_are_the_same_by_half_or_within_a_sentence(one: str, other: str, share: float) -> None:
    """A title's dot ends no sentence."""
    spans = [(TEXT.index(quote), TEXT.index(quote) + len(quote)) for quote in (one, other)]

    assert Words(TEXT).overlap(spans[0], spans[1]) == pytest.approx(share)
    assert Words(TEXT).overlap(spans[1], spans[0]) == pytest.approx(share)


def test_an_event_has_one_counterpart_of_its_category_and_debatable_ones_count_nothing() -> None:
    """The second of two events on the same words is made up, another category is no hit."""
    chose, orders = gold("Decision", "We chose oak for the stairs."), gold("Commitment", "Ann Bell orders it by Friday")
    smell = gold("Feedback", "Nobody likes the smell of it.", optional=True)
    events = (
        found("best", "Decision", "We chose oak for the stairs"),
        found("second", "Decision", "chose oak"),
        found("wrong", "Execution", "Ann Bell orders it by Friday"),
        found("debatable", "Feedback", "Nobody likes the smell"),
    )
    told = matched(Reading(document(chose, orders, smell), events, ()))

    assert [(wanted.quote, event.id) for wanted, event in told.pairs] == [(chose.quote, "best")]
    assert told.missed == (orders,)
    assert [event.id for event in told.spurious] == ["second", "wrong"]


def test_f1_is_that_of_precision_and_recall() -> None:
    """One of two annotated events found, one made up beside it: precision, recall and F1 are all a half."""
    one = document(gold("Decision", "We chose oak"), gold("Commitment", "Bo measures"))
    events = (found("e1", "Decision", "We chose oak"), found("e2", "Change", "Bo measures"))

    told = measured(Annotated((one,), NO_LINKS), Reading(one, events, ()))

    assert told["Extraction: events"] == {"precision": 0.5, "recall": 0.5, "F1": 0.5}
    assert told["Extraction: the ledger"] == {}


def test_days_and_owners_are_judged_where_an_event_was_found() -> None:
    """A day for a promise without one is made up; a wrong owner beside the right one is wrong."""
    bell = GoldActor("Ann Bell", "owner")
    one = document(
        gold("Commitment", "Dr. Ann Bell orders it by Friday", due=date(2026, 1, 16), actors=(bell,)),
        gold("Commitment", "Bo measures", actors=(GoldActor("Bo", "owner"),)),
        gold("Commitment", "Nobody likes the smell of it", any_due=True),
        people=(person("Dr. Ann Bell", "Ann Bell"), person("Bo")),
    )
    ann, bo = FoundActor(frozenset({"a. bell", "ann bell"}), "owner"), FoundActor(frozenset({"bo"}), "owner")
    events = (
        found("e1", "Commitment", "Dr. Ann Bell orders it by Friday", due=date(2026, 1, 16), actors=(ann,)),
        found("e2", "Commitment", "Bo measures", due=date(2026, 1, 16), actors=(ann, bo), is_verbatim=False),
        found("e3", "Commitment", "Nobody likes the smell of it", due=date(2026, 2, 1)),
    )

    told = measured(Annotated((one,), NO_LINKS), Reading(one, events, ()))

    assert told["Extraction: what an event says"] == {
        "due day right": 1.0, "no due day made up": 0.0, "day it happened right": None, "owner right": 0.5,
        "quote verbatim": 0.667,
    }  # fmt: skip


def test_entities_are_paired_by_any_form_of_their_name() -> None:
    """Titles, articles and the sign of a handle make no other name; a second entity for one person is made up."""
    one = document(people=(person("Dr. Ann Bell", "Ann"), person("Bo"), person("Cy", optional=True), person("Di")))
    entities = (
        entity("e1", "Ann Bell"),
        entity("e2", "Ann"),
        entity("e3", "@Bo"),
        entity("e4", "Cy"),
        entity("e5", "X"),
    )
    told = told_apart(Reading(one, (), entities), type_="person")

    assert [(wanted.name, its.id) for wanted, its in told.pairs] == [("Dr. Ann Bell", "e1"), ("Bo", "e3")]
    assert [wanted.name for wanted in told.missed] == ["Di"]
    assert [its.id for its in told.spurious] == ["e2", "e5"]


def test_a_shared_first_name_joins_nobody_but_a_shared_entity_does() -> None:
    """Ben Ash and Ben Fox: the entity Ben is one of them; the one with both full names is both."""
    people = (person("Ben Ash", "Ben"), person("Ben Fox", "Ben"))
    apart = told_apart(Reading(document(people=people), (), (entity("e1", "Ben Ash"), entity("e2", "Ben Fox", "Ben"))))
    alone = told_apart(Reading(document(people=people), (), (entity("e1", "Ben"),)))
    joined = told_apart(Reading(document(people=people), (), (entity("e1", "Ben Ash", "Ben Fox"),)))

    assert [its.id for _, its in apart.pairs] == ["e1", "e2"]
    assert [wanted.name for wanted, _ in alone.pairs] == ["Ben Ash"]
    assert [wanted.name for wanted, _ in joined.pairs] == ["Ben Ash", "Ben Fox"]


def test_one_person_is_one_entity_in_all_documents() -> None:
    """Ann is split over two entities; Bo of one document and Bo of the other are joined in one; Cy is found nowhere."""
    first = document(name="mails/one", people=(person("Ann Bell"), person("Bo"), person("Cy")))
    second = document(name="mails/two", people=(person("Ann", "Ann Bell"), person("Bo")))
    links = Links((), (), (), (), (("mails/one#Ann Bell", "mails/two#Ann"),))
    shared = entity("bo", "Bo")

    told = measured(
        Annotated((first, second), links),
        Reading(first, (), (entity("e1", "Ann Bell"), shared)),
        Reading(second, (), (entity("e2", "Ann"), shared)),
    )["Extraction: entities and identity"]

    assert told["one entity a person"] == 0.667
    assert told["no two joined"] == 0.667
    assert told["person F1"] == round(8 / 9, 3)


def test_the_ledger_is_held_against_the_links() -> None:
    """A replacement over two steps is right, though no annotated pair; a wrong one costs precision."""
    one = document(
        gold("Decision", "We chose oak", label="oak"),
        gold("Decision", "Nobody likes", label="smell"),
        gold("Decision", "for the stairs", label="stairs"),
        gold("Commitment", "Ann Bell orders it", label="order"),
        gold("Commitment", "Bo measures", label="measure"),
        gold("Execution", "the smell of it", label="done"),
    )
    links = Links(
        supersessions=(("mails/one#smell", "mails/one#stairs"), ("mails/one#stairs", "mails/one#oak")),
        kept=(("mails/one#oak", "mails/one#smell"),),
        completions=(("mails/one#order", "mails/one#done"),),
        still_open=(("mails/one#measure", "mails/one#done"),),
        identities=(),
    )
    events = (
        found("oak", "Decision", "We chose oak"),
        found("smell", "Decision", "Nobody likes"),
        found("stairs", "Decision", "for the stairs"),
        found("order", "Commitment", "Ann Bell orders it"),
        found("measure", "Commitment", "Bo measures"),
        found("closing", "Change", "smell of it"),
    )
    ledger = Ledger(
        frozenset({("smell", "oak"), ("stairs", "oak"), ("oak", "smell")}),
        {"order": "closing", "measure": None},
        frozenset({("stairs", "smell")}),
    )

    told = measured(Annotated((one,), links), Reading(one, events, ()), ledger=ledger)

    assert told["Extraction: the ledger"] == {
        "supersession precision": 0.667, "supersession recall": 0.5, "near misses kept": 0.0,
        "completion precision": 0.5, "completion recall": 1.0, "by the right words": 1.0,
        "linked or asked": 0.667, "left open": 0.0,
    }  # fmt: skip
