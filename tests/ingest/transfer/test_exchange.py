"""Pull and push between two records: both are equal when quiet, whatever was changed on either and interrupted."""

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from core.dates import now
from core.errors import InvalidInput
from core.interface.memory import Memory
from core.knowledge.findings import Extraction, FoundEvent
from core.knowledge.ledger import Resolution
from core.knowledge.runs import CALLER_EXTRACTOR, CallerAnnotations, Run, RunScope, RunTally, run_id
from core.records import Artifact
from graph.sqlite_store import SqliteStore
from graph.store import Store
from ingest.intake.artifacts import remember
from ingest.runs.run import get_run, roll_back
from ingest.transfer.exchange import States, Taken, changes, format_states, parse_states, read_states, take
from tests.contracts.makers import everything
from tests.ingest.running import PROJECT, drain
from tests.shipped import shipped_embedder

TEXTS = (
    "We decided to paint the gate green.",
    "Ann Lee will order the hinges by 2026-05-01.",
    "The pump stands in the cellar.",
    "The roof has nine windows.",
    "We agreed to close the yard in May.",
)


def put(store: Store, content: str, **given: object) -> str:
    """Remember, and return the id."""
    memory = Memory(content=content, **given)  # type: ignore[arg-type] # by name
    return remember(memory, PROJECT, store, shipped_embedder().tokenizer).added.artifact_id


def bring(source: Store, target: Store, *, lines: int | None = None) -> Taken:
    """Take over what the target lacks; with `lines` it is cut off after so many."""
    known = parse_states(format_states(read_states(target, PROJECT)))
    sent = islice(changes(source, PROJECT, known), lines)
    return taken_in(sent, target)


def taken_in(lines: Iterable[bytes], target: Store) -> Taken:
    """Take lines in."""
    embedder = shipped_embedder()
    return take(lines, PROJECT, target, embedder=embedder, tokenizer=embedder.tokenizer, withdraw=roll_back)


def quiet(one: Store, other: Store) -> None:
    """Exchange both ways, twice, after which nothing may be left, and check that both say the same."""
    for _ in range(2):
        bring(one, other)
        bring(other, one)
    states = [read_states(store, PROJECT) for store in (one, other)]
    assert states[0].items == states[1].items
    for source, target in ((one, other), (other, one)):
        taken = bring(source, target)
        assert set(taken.imported.items) | set(taken.imported.others) <= {"unchanged"}
        assert (taken.forgotten, taken.imported.refused) == ([], [])


def give(store: Store, artifact: Artifact, summary: str) -> str | None:
    """Give an event of the first words of an item; return its run if that said anything new."""
    quote = artifact.memory.content[:12].strip()
    event = FoundEvent("Decision", summary, quote, 0, confidence=1.0, origin="given")
    moment = now()
    run = Run(
        id=run_id(), project_id=PROJECT, extractor=CALLER_EXTRACTOR, scope=RunScope(ids=(artifact.id,)),
        started=moment, state="finished", ended=moment, tally=RunTally(items=1, events_added=1),
    )  # fmt: skip
    return run.id if store.annotate(PROJECT, artifact.id, CallerAnnotations(run, Extraction((), (event,)))) else None


class Two:
    """Two records that are changed and exchanged, and what each text's last act was."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self.stores = stores
        self.alive: dict[tuple[str, str | None], bool] = {}

    def current(self, side: int) -> list[Artifact]:
        found = self.stores[side].newest(PROJECT, everything(), 99)
        return sorted(found, key=lambda one: (one.memory.content, one.memory.key or ""))

    def remember(self, side: int, text: str, key: str | None, tags: tuple[str, ...]) -> None:
        put(self.stores[side], text, key=key, tags=tags)
        self.alive[text, key] = True

    def act(self, side: int, place: int, what: str) -> None:
        """Change one of the current items, if there is any."""
        items = self.current(side)
        if not items:
            return
        store, item = self.stores[side], items[place % len(items)]
        if what == "forget":
            gone = [item, *store.revisions(PROJECT, item.id)]
            store.remove(PROJECT, [item.id])
            self.alive |= {(one.memory.content, one.memory.key): False for one in gone}
        elif what == "stash":
            store.stash(PROJECT, [item.id], stashed=not item.stashed)
            self.alive[item.memory.content, item.memory.key] = True
        elif what == "give":
            give(store, item, f"It was chosen {place} times.")
        else:
            for event in store.events_of(PROJECT, [item.id], 9).get(item.id, [])[:1]:
                store.add_resolution(PROJECT, Resolution(event.id, "withdrawn", now(), str(place)))

    def interrupted(self, side: int, lines: int) -> None:
        """Begin an exchange that is cut off; nothing is said to be done that is not."""
        source, target = self.stores[1 - side], self.stores[side]
        whole = len(list(changes(source, PROJECT, read_states(target, PROJECT))))
        if lines < whole:
            with pytest.raises(InvalidInput, match="before its end"):
                bring(source, target, lines=lines)

    def check(self) -> None:
        """Nothing is lost, what was forgotten last is gone, and both sides are sound and equal."""
        quiet(*self.stores)
        for store in self.stores:
            stored = store.get(PROJECT, list(read_states(store, PROJECT).items)).values()
            kept = {(one.memory.content, one.memory.key) for one in stored}
            assert kept == {named for named, alive in self.alive.items() if alive}
            assert store.integrity_issues() == []
        # Of one sentence, each side may extract another event, which then has the resolution.
        histories = [
            {
                (one.status, one.at, one.note)
                for several in store.resolutions(PROJECT, events).values()
                for one in several
            }
            for store in self.stores
            for events in [[event.id for event in store.list_events(PROJECT, ["Decision"], everything(), 99)]]
        ]
        assert histories[0] == histories[1]


SIDES = st.integers(0, 1)
KEYS = st.sampled_from([None, None, "gate", "yard"])


class ExchangeMachine(RuleBasedStateMachine):
    """Two embedded records."""

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="exchange")
        self.stores = [SqliteStore(Path(self.folder.name) / f"{side}.db") for side in "ab"]
        self.two = Two(self.stores)

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            try:
                self.two.check()
            finally:
                for store in self.stores:
                    store.close()
                self.folder.cleanup()

    @rule(side=SIDES, text=st.sampled_from(TEXTS), key=KEYS, tags=st.sampled_from([(), ("a",), ("b",)]))
    def remember(self, side: int, text: str, key: str | None, tags: tuple[str, ...]) -> None:
        self.two.remember(side, text, key, tags)

    @rule(side=SIDES, place=st.integers(0, 4), what=st.sampled_from(["forget", "stash", "give", "resolve"]))
    def act(self, side: int, place: int, what: str) -> None:
        self.two.act(side, place, what)

    @rule(side=SIDES)
    def learn(self, side: int) -> None:
        drain(self.stores[side])

    @rule(side=SIDES)
    def exchange(self, side: int) -> None:
        bring(self.stores[1 - side], self.stores[side])

    @rule(side=SIDES, lines=st.integers(0, 12))
    def interrupt(self, side: int, lines: int) -> None:
        self.two.interrupted(side, lines)


TestExchange = ExchangeMachine.TestCase
TestExchange.settings = settings(
    max_examples=12, stateful_step_count=18, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_many_exchanges() -> None:
    """The same, longer."""
    longer = settings(TestExchange.settings, max_examples=60, stateful_step_count=40)
    run_state_machine_as_test(ExchangeMachine, settings=longer)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """The record of the other laptop, always embedded."""
    with SqliteStore(tmp_path / "other.db") as opened:
        yield opened


@pytest.mark.both_engines
def test_random_changes_on_both_sides_end_equal(store: Store, other: Store) -> None:
    """On the engine of the test and an embedded one, with the same random acts each time."""
    chance, two = random.Random(43), Two([store, other])
    acts: list[Callable[[int], object]] = [
        lambda side: two.remember(side, chance.choice(TEXTS), chance.choice([None, "gate"]), ()),
        lambda side: two.act(side, chance.randrange(5), chance.choice(["forget", "stash", "give", "resolve"])),
        lambda side: drain(two.stores[side]),
        lambda side: bring(two.stores[1 - side], two.stores[side]),
        lambda side: two.interrupted(side, chance.randrange(9)),
    ]
    for _ in range(40):
        chance.choices(acts, [4, 3, 1, 2, 1])[0](chance.randrange(2))
    two.check()


@pytest.mark.both_engines
def test_what_was_forgotten_stays_forgotten_on_both_sides(store: Store, other: Store) -> None:
    """Unless it is remembered, or changed, afterwards: then it is kept, and said."""
    ids = [put(store, text) for text in TEXTS[:3]]
    bring(store, other)
    store.remove(PROJECT, ids)
    put(other, TEXTS[1])
    other.stash(PROJECT, [ids[2]], stashed=True)
    taken = bring(store, other)

    assert taken.forgotten == [ids[0]]
    assert [conflict.split()[0] for conflict in taken.conflicts] == sorted(ids[1:])
    quiet(store, other)
    assert set(read_states(store, PROJECT).items) == set(ids[1:])


@pytest.mark.both_engines
def test_two_texts_under_one_key_are_both_kept_and_said(store: Store, other: Store) -> None:
    """The newer is current, the other its revision; one that only one side changed is no conflict."""
    put(store, TEXTS[0], key="gate")
    put(store, TEXTS[2], key="pump")
    bring(store, other)
    put(store, TEXTS[3], key="gate")
    put(store, TEXTS[4], key="pump")
    newer = put(other, TEXTS[1], key="gate")
    taken = bring(store, other)

    assert len(taken.conflicts) == 1
    assert "'gate'" in taken.conflicts[0]
    assert f"{newer} is newer and current" in taken.conflicts[0]
    quiet(store, other)
    assert len(store.revisions(PROJECT, newer)) == 2


@pytest.mark.both_engines
def test_knowledge_that_was_given_travels_both_ways(store: Store, other: Store) -> None:
    """Of the same words the last given counts, on both sides; what is rolled back on one is on the other."""
    id_ = put(store, TEXTS[0])
    bring(store, other)
    first = give(store, store.get(PROJECT, [id_])[id_], "The gate was chosen.")
    give(other, other.get(PROJECT, [id_])[id_], "The green was chosen.")
    quiet(store, other)

    def told(side: Store) -> list[str]:
        drain(side)
        return [event.summary for event in side.events_of(PROJECT, [id_], 9)[id_] if event.origin == "given"]

    assert told(store) == told(other) == ["The green was chosen."]
    lone = put(store, TEXTS[3])
    run = give(store, store.get(PROJECT, [lone])[lone], "Nine were counted.")
    bring(store, other)
    assert first is not None
    assert run is not None
    roll_back(get_run(PROJECT, run, store), store)
    bring(store, other)
    assert other.annotations(PROJECT, [lone]) == {}
    quiet(store, other)


def test_what_is_no_exchange_is_refused(store: Store, other: Store) -> None:
    """Without a trace, by a sentence that says what to do."""
    put(store, TEXTS[0])
    whole = list(changes(store, PROJECT, States()))
    cases: tuple[list[bytes], ...] = (
        [], [b"{}\n"], [b'{"forgotten": [], "revisions": []}\n'], whole[:-1], [*whole, whole[0]], [b"\xff\n"],
        [whole[0], whole[1].replace(b'"project":"p"', b'"project":"q"'), whole[2]],
    )  # fmt: skip
    for lines in cases:
        with pytest.raises(InvalidInput, match=r"same|rest|Line|JSON"):
            taken_in(lines, other)
    for text in (b"", b"[]", b'{"items": 1}'):
        with pytest.raises(InvalidInput, match="same release"):
            parse_states(text)


def test_an_exchange_carries_what_differs_alone(store: Store, other: Store) -> None:
    """A second pull of a hundred items has none of them."""
    for number in range(100):
        put(store, f"Stone {number} is grey.")
    bring(store, other)
    put(store, "A last stone is red.")
    lines = list(changes(store, PROJECT, read_states(other, PROJECT)))

    assert sum(b'"line":"item"' in line for line in lines) == 1
    assert now() - store.newest(PROJECT, everything(), 1)[0].created_at < timedelta(minutes=5)
