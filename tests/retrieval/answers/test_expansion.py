"""What a user may rely on when results are expanded over the graph."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from core.filters import Filters
from core.knowledge.findings import CATEGORIES, Category, Entity, Event
from graph.store import Store
from retrieval.answers.expansion import Reach, Related, expand
from tests.contracts.makers import PROJECT, at, entity, event, everything, item, lesson, pieces

ANN, BOB, CARL = entity("Ann"), entity("Bob"), entity("Carl")
ATLAS, BETA = entity("Atlas", "project"), entity("Beta", "project")


def learned(store: Store, content: str, category: Category = "Decision", **fields: Any) -> Event:
    """Store an item whose one event has these actors and subjects, and return the event."""
    kept = {name: fields.pop(name) for name in ("date", "expires_at", "stashed") if name in fields}
    artifact = item(content, **kept)
    store.add(artifact, pieces(artifact), [])
    made = event(artifact, content, category, **fields)
    involved = [*fields.get("actors", ()), *fields.get("subjects", ())]
    store.replace(PROJECT, artifact.id, lesson(artifact, involved, [made]))
    return made


def source_of(event_: Event) -> str:
    return event_.evidence[0].artifact_id


def expanded(
    store: Store,
    *seeds: Event,
    depth: int = 1,
    budget: int = 10,
    categories: Sequence[Category] = ("Decision", "Commitment", "QualityRisk"),
    filters: Filters | None = None,
    shown: frozenset[str] | None = None,
) -> list[Related]:
    return expand(
        store,
        PROJECT,
        {seed.id: 1.0 for seed in seeds},
        shown=frozenset(map(source_of, seeds)) if shown is None else shown,
        reach=Reach(categories, depth, budget),
        filters=filters or everything(),
    )


def reasons(found: Sequence[Related]) -> dict[str, str]:
    return {related.event.summary: related.reason for related in found}


def test_events_of_the_same_people_and_things_are_found_and_say_why(store: Store) -> None:
    """docs/interface.md `recall`: `same_actor:NAME` and `same_subject:NAME`."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN], subjects=[ATLAS])
    learned(store, "Ann will write.", "Commitment", actors=[ANN])
    learned(store, "Atlas may slip.", "QualityRisk", subjects=[ATLAS])
    learned(store, "Bob went home.", actors=[BOB])
    found = expanded(store, seed)
    assert reasons(found) == {"Ann will write.": "same_actor:Ann", "Atlas may slip.": "same_subject:Atlas"}
    assert all(related.hops == 1 and related.score > 0 for related in found)
    assert [related.score for related in found] == sorted((related.score for related in found), reverse=True)


def test_each_depth_reaches_one_step_further(store: Store) -> None:
    """docs/interface.md `recall`: `graph_depth` 1 to 3, `N_hop_via:CATEGORY`; what is near stays before what is far."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN], subjects=[ATLAS])
    learned(store, "Atlas may slip for Bob.", "QualityRisk", subjects=[ATLAS], actors=[BOB])
    learned(store, "Bob moved to Beta.", "Commitment", actors=[BOB], subjects=[BETA])
    learned(store, "Beta is led by Carl.", actors=[CARL], subjects=[BETA])
    near = {"Atlas may slip for Bob.": "same_subject:Atlas"}
    second = {"Bob moved to Beta.": "2_hop_via:QualityRisk"}
    third = {"Beta is led by Carl.": "3_hop_via:Commitment"}
    assert reasons(expanded(store, seed, depth=1)) == near
    assert reasons(expanded(store, seed, depth=2)) == near | second
    deepest = expanded(store, seed, depth=3)
    assert reasons(deepest) == near | second | third
    assert [related.hops for related in deepest] == [1, 2, 3]


def test_a_way_may_lead_over_categories_that_were_not_asked_for(store: Store) -> None:
    """They connect, and stay out of the answer."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN])
    learned(store, "Ann met Bob.", "Collaboration", actors=[ANN, BOB])
    learned(store, "Bob will write.", "Commitment", actors=[BOB])
    assert reasons(expanded(store, seed, depth=2)) == {"Bob will write.": "2_hop_via:Collaboration"}


@pytest.mark.parametrize("category", CATEGORIES)
def test_only_the_categories_asked_for_are_returned(store: Store, category: Category) -> None:
    """docs/interface.md `recall`: never outside `graph_filters`."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN])
    for each in CATEGORIES:
        learned(store, f"Ann and {each}.", each, actors=[ANN])
    assert reasons(expanded(store, seed, categories=[category])) == {f"Ann and {category}.": "same_actor:Ann"}
    assert expanded(store, seed, categories=[]) == []


@pytest.mark.parametrize("budget", [0, 1, 3, 50])
def test_no_more_than_the_budget_comes_back(store: Store, budget: int) -> None:
    """docs/interface.md `recall`: never more than `graph_budget`; a smaller one keeps the best."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN])
    for number in range(5):
        learned(store, f"Ann did thing {number}.", actors=[ANN], confidence=0.5 + number / 10)
    everything_found = expanded(store, seed, budget=50)
    assert expanded(store, seed, budget=budget) == everything_found[:budget]
    assert len(everything_found) == 5


def test_what_the_results_show_already_is_left_out(store: Store) -> None:
    """docs/interface.md `recall`: never one that is already evidenced only by the results."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN])
    other_result = learned(store, "Ann will write.", "Commitment", actors=[ANN])
    elsewhere = item("Minutes: Ann pays, as agreed.")
    store.add(elsewhere, pieces(elsewhere), [])
    both = learned(store, "Ann pays.", actors=[ANN], more_evidence=event(elsewhere, "Ann pays").evidence)
    shown = frozenset(map(source_of, (seed, other_result, both)))
    assert reasons(expanded(store, seed, shown=shown)) == {"Ann pays.": "same_actor:Ann"}
    assert expanded(store, seed, shown=shown | {elsewhere.id}) == []


def test_the_events_it_started_from_are_left_out(store: Store) -> None:
    """Two results that share a person do not relate to each other's shown events."""
    first = learned(store, "Ann chose Atlas.", actors=[ANN])
    second = learned(store, "Ann chose Beta.", actors=[ANN])
    assert expanded(store, first, second, depth=3, shown=frozenset()) == []


def test_what_the_filters_hide_is_neither_shown_nor_walked_over(store: Store) -> None:
    """`as_of`, stashed items and expired ones: what rests on them does not exist for this question."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN], date="2026-01-01")
    for hidden in ({"date": "2026-02-01"}, {"stashed": True}, {"expires_at": "2026-01-10"}):
        fields = {"date": "2026-01-02"} | hidden
        learned(store, f"Ann met Bob {sorted(hidden)}.", "Collaboration", actors=[ANN, BOB], **fields)
        learned(store, f"Ann decided {sorted(hidden)}.", actors=[ANN], **fields)
    learned(store, "Bob will write.", "Commitment", actors=[BOB], date="2026-01-03")
    filters = everything(as_of=everything().at.replace(year=2026, month=1, day=15), include_stashed=False)
    assert expanded(store, seed, depth=3, filters=filters) == []
    assert "Ann decided ['date']." in reasons(expanded(store, seed, depth=2))


def test_evidence_that_the_filters_hide_is_not_told(store: Store) -> None:
    """An event may rest on several items; a quote of one that is hidden would give it away."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN])
    later = item("Minutes: Ann pays, as agreed.", date="2026-05-01")
    store.add(later, pieces(later), [])
    learned(store, "Ann pays.", actors=[ANN], more_evidence=event(later, "Ann pays").evidence)
    (now_,), (then,) = expanded(store, seed), expanded(store, seed, filters=everything(as_of=at(1)))
    assert (len(now_.event.evidence), len(then.event.evidence)) == (2, 1)


def test_nothing_of_another_project_is_reached(store: Store) -> None:
    """docs/interface.md: nothing of one project is visible from another."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN])
    learned(store, "Ann will write.", "Commitment", actors=[ANN])
    found = expand(
        store,
        "other",
        {seed.id: 1.0},
        shown=frozenset(),
        reach=Reach(CATEGORIES, 3, 50),
        filters=everything(),
    )
    assert found == []


def test_a_thing_in_everything_connects_less_than_a_rare_person(store: Store) -> None:
    """A hub is damped: sharing Bob says more than sharing Atlas, although a subject counts more than an actor."""
    seed = learned(store, "Bob chose Atlas.", actors=[BOB], subjects=[ATLAS])
    for number in range(30):
        learned(store, f"Atlas got part {number}.", subjects=[ATLAS])
    learned(store, "Bob may leave.", "QualityRisk", actors=[BOB])
    assert expanded(store, seed)[0].event.summary == "Bob may leave."


def test_a_hub_of_any_size_costs_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many events of one entity are fetched, the newest, however many there are."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN], date="2026-01-01")
    artifact = item("Ann did it. " * 300, date="2026-01-02")
    store.add(artifact, pieces(artifact), [])
    events = [
        event(artifact, "Ann did it. " * number, actors=[ANN], summary=f"Thing {number}") for number in range(1, 300)
    ]
    store.replace(PROJECT, artifact.id, lesson(artifact, [ANN], events))
    fetched: list[int] = []
    real = store.events

    def counted(project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Event]:
        fetched.append(len(ids))
        return real(project_id, ids, as_of=as_of)

    monkeypatch.setattr(store, "events", counted)
    assert len(expanded(store, seed, budget=50, depth=3)) <= 50
    assert max(fetched) <= 3 * 40


def test_an_event_that_two_ways_lead_to_is_worth_more(store: Store) -> None:
    """Sharing both the person and the thing is nearer than sharing one of them."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN], subjects=[ATLAS])
    learned(store, "Atlas is late.", subjects=[ATLAS])
    learned(store, "Ann doubts Atlas.", actors=[ANN], subjects=[ATLAS])
    assert [related.event.summary for related in expanded(store, seed)] == ["Ann doubts Atlas.", "Atlas is late."]


def test_without_seeds_there_is_nothing_to_expand(store: Store) -> None:
    """Results without events have no related events, and nothing is asked of the store."""
    assert expanded(store) == []


def test_a_name_that_goes_while_the_answer_is_made_is_no_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another client may forget an item at any moment; what rested on it is left out."""
    seed = learned(store, "Ann chose Atlas.", actors=[ANN])
    learned(store, "Ann will write.", "Commitment", actors=[ANN])
    gone: dict[str, Entity] = {}
    monkeypatch.setattr(store, "entities", lambda _project, _ids, **_: gone)
    assert expanded(store, seed) == []
