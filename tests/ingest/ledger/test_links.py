"""What is settled when an item is learnt: the same links in whatever order items are stored."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from core.records import Artifact
from graph.sqlite_store import SqliteStore
from graph.store import Store
from ingest.runs.pipeline import extract_artifact
from tests.contracts.makers import PROJECT, everything, item, pieces
from tests.shipped import shipped_extractor

TEXTS: Final = (
    ("2026-01-05", "We decided to use Postgres for the billing database."),
    ("2026-01-09", "We decided to move the standup to nine o'clock."),
    ("2026-02-02", "We decided to use MySQL instead of Postgres for the billing database."),
    ("2026-02-03", "Ana Silva will order thirty tablets for the depots by 2026-02-20."),
    ("2026-02-18", "Ana Silva has ordered the thirty tablets for the depots."),
    ("2026-03-01", "We decided to go back to Postgres instead of MySQL for the billing database."),
    ("2026-03-04", "Ana Silva has not ordered the tablets for the depots yet."),
)
Told = dict[str, tuple[str | None, list[tuple[str, str]]]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with SqliteStore(tmp_path / "record.db") as opened:
        yield opened


def learnt(store: Store, given: Artifact) -> Artifact:
    """Store an item and learn what it teaches."""
    store.add(given, pieces(given), [])
    extract_artifact(given.project_id, given.id, store, shipped_extractor())
    return given


def told(store: Store, project: str = PROJECT) -> Told:
    """Return the status of each decision and promise and what bears on it, by its words."""
    events = store.list_events(project, ["Decision", "Commitment", "Execution"], everything(), 100)
    words = {event.id: event.summary for event in events}
    links = store.event_links(project, list(words))
    return {
        event.summary: (
            event.status,
            sorted((link.relation, words[link.source]) for link in links if link.target == event.id),
        )
        for event in events
    }


def texts(project: str = PROJECT) -> list[Artifact]:
    return [item(text, date=date, context="meeting", project=project) for date, text in TEXTS]


def test_a_chain_of_decisions_and_a_kept_promise_are_settled(store: Store) -> None:
    """Each earlier decision is superseded, by all that took its place; what is about something else is not touched."""
    for given in texts():
        learnt(store, given)
    found = told(store)
    statuses = {text: found[text][0] for _, text in TEXTS if text in found}
    assert [statuses[text] for _, text in TEXTS[:4]] == ["superseded", "current", "superseded", "done"]
    assert statuses[TEXTS[5][1]] == "current"
    assert found[TEXTS[3][1]][1] == [("COMPLETES", TEXTS[4][1])]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@drawn(order=st.permutations(range(len(TEXTS))), again=st.lists(st.integers(0, len(TEXTS) - 1), max_size=3))
@pytest.mark.exhaustive
def test_any_order_of_storing_gives_the_same_links_and_statuses(
    tmp_path_factory: pytest.TempPathFactory, order: Sequence[int], again: Sequence[int]
) -> None:
    """Also when some are read again afterwards."""
    results = []
    for numbers in (range(len(TEXTS)), order):
        with SqliteStore(tmp_path_factory.mktemp("order") / "record.db") as store:
            stored = texts()
            for number in numbers:
                learnt(store, stored[number])
            for number in again:
                extract_artifact(PROJECT, stored[number].id, store, shipped_extractor())
            results.append(told(store))
    assert results[0] == results[1]


def test_forgetting_leaves_what_stood_if_it_had_never_been(store: Store, tmp_path: Path) -> None:
    """Links and statuses of the others are those of a memory that never held the item."""
    stored = [learnt(store, given) for given in texts()]
    store.remove(PROJECT, [stored[2].id, stored[4].id])
    with SqliteStore(tmp_path / "other.db") as other:
        for number, given in enumerate(texts()):
            if number not in (2, 4):
                learnt(other, given)
        assert told(store) == told(other)


def test_other_projects_bear_on_nothing(store: Store) -> None:
    """The same texts in two projects are two worlds."""
    learnt(store, texts()[0])
    learnt(store, texts("other")[2])
    assert {status for status, _ in told(store).values()} == {"current"}


def test_a_ticked_box_of_a_file_that_changed_keeps_the_promise(store: Store) -> None:
    """The list of tasks is one file; its former text is a revision, and the ledger still knows what was promised."""
    for box, rest in ((" ", ""), ("x", ""), ("x", "\n- [ ] Bo Lund: paint hall 7")):
        text = f"# Tasks\n\n## Action items\n\n- [{box}] Ana Silva: order thirty tablets for the depots{rest}"
        learnt(store, item(text, key="tasks.md", context="meeting", date="2026-02-02"))
        promised = [one for one in told(store) if "tablets" in one]
        assert promised
    [former] = [
        event
        for revision in store.revisions(PROJECT, store.by_key(PROJECT, "tasks.md", everything())[0].id)
        for event in store.events_of(PROJECT, [revision.id]).get(revision.id, [])
        if event.category == "Commitment"
    ]
    assert former.status == "done"


def test_items_without_decisions_or_promises_cost_nothing(store: Store) -> None:
    """Small talk is not compared with anything."""
    given = learnt(store, item("Hello there.", context="conversation", conversation_id="c", turn_index=0))
    assert store.events_of(PROJECT, [given.id]) == {}


def test_what_a_log_says_elsewhere_is_not_said_of_each_of_its_decisions(store: Store) -> None:
    """An entry of a log that gives something up speaks for itself alone."""
    learnt(store, item("We decided to copy the orders in a nightly batch.", date="2026-01-05", context="decision"))
    log = (
        "# Decisions of May\n\n## 11, 4 May\n\nWe decided to copy the orders hourly instead of in a nightly batch.\n\n"
        "## 12, 5 May\n\nWe decided to send reminders of orders by post.\n"
    )
    learnt(store, item(log, date="2026-05-05", context="decision"))

    (replaced,) = [ends for words, (_, ends) in told(store).items() if "nightly batch" in words and ends]

    assert ["hourly" in words for _, words in replaced] == [True]
