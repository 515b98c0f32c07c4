"""What was given or resolved is changed by nothing that is extracted, whatever is stored, read again or forgotten."""

import random
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from core.errors import InvalidInput, NotFound
from core.interface.learning import AnnotatedMemory, GivenEvent, ReviewQuestion
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion, LedgerItem, ResolveRequest
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from service.app import App

_THINGS = ("ferry guide", "night bus", "harbour lamp", "tool shed", "price list", "north gate")
_VALUES = ("on Monday", "on Friday", "in blue", "in green", "weekly", "monthly")
_PEOPLE = ("Ana Silva", "Bo Lund", "Kaja Moen")
_GIVEN = (
    ("Decision", "We decided to publish the {thing} {value}."),
    ("Commitment", "{person} will repair the {thing} by 2026-03-20."),
    ("Commitment", "{person} will send the {thing} to {other} by 2026-04-01."),
)
_GUESSED = (
    "We decided to publish the {thing} {value}.",
    "We decided to publish the {thing} {value} instead of the {thing} {former}.",
    "We no longer need the {thing}.",
    "{person} has repaired the {thing}.",
    "The {thing} is repaired.",
    "{person} sent the {thing} to {other}.",
    "- [x] {person}: repair the {thing} by 2026-03-20",
    "{person} will repair the {thing} by 2026-05-05.",
)
_STATUSES = {"Decision": ("current", "withdrawn"), "Commitment": ("open", "done", "cancelled")}

Facts = tuple[str | None, tuple[str, ...], tuple[str, ...], str | None, str]


@dataclass
class World:
    """A memory under random operations, and what was given and resolved so far."""

    app: App
    chance: random.Random
    given: dict[str, Facts] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)
    guessed: list[str] = field(default_factory=list)

    def _filled(self, template: str) -> str:
        person, other = self.chance.sample(_PEOPLE, 2)
        value, former = self.chance.sample(_VALUES, 2)
        thing = self.chance.choice(_THINGS)
        return template.format(thing=thing, value=value, former=former, person=person, other=other)

    def _date(self) -> str:
        return f"2026-{self.chance.randint(1, 6):02}-{self.chance.randint(1, 28):02}"

    def give(self) -> None:
        category, template = self.chance.choice(_GIVEN)
        text = self._filled(template)
        owner = next((one for one in _PEOPLE if text.startswith(one)), "Kaja Moen")
        event = GivenEvent(category=category, quote=text, owners=(owner,), recipients=("Globex",))  # type: ignore[arg-type]
        item = self.app.remember(
            AnnotatedMemory(content=f"Note {len(self.items)}. {text}", date=self._date(), events=(event,))
        )
        self.items.append(item.id)

    def guess(self) -> None:
        text = self._filled(self.chance.choice(_GUESSED))
        context = self.chance.choice(("note", "meeting"))
        stored = self.app.remember(Memory(content=text, date=self._date(), context=context))  # type: ignore[arg-type]
        self.guessed.append(stored.id)

    def resolve(self) -> None:
        if self.given:
            event_id = self.chance.choice(sorted(self.given))
            category = "Commitment" if self.given[event_id][3] == "Commitment" else "Decision"
            status = self.chance.choice(_STATUSES[category])
            self.app.resolve(ResolveRequest(id=event_id, status=status))
            self.given[event_id] = (status, *self.given[event_id][1:])

    def read_again(self) -> None:
        if self.items:
            self.app.worker.extract("default", self.chance.choice([*self.items, *self.guessed[-20:]]))

    def forget(self) -> None:
        if self.guessed:
            chosen = self.guessed.pop(self.chance.randrange(len(self.guessed)))
            with suppress(NotFound):  # the same text twice was one item
                self.app.forget(ForgetRequest(id=chosen, confirm=True))

    def check(self) -> None:
        """Compare all that was given with what the ledger lists, and note what was given last."""
        self.app.worker.drain()
        listed = {item.id: _facts(item) for item in self._listed() if item.origin == "given"}
        for event_id, facts in self.given.items():
            assert listed[event_id] == facts
        for event_id, facts in listed.items():
            if event_id not in self.given:
                assert facts[0] in ("open", "current")
                self.given[event_id] = facts

    def _listed(self) -> list[LedgerItem]:
        decisions = DecisionsQuestion(status="all", limit=1000, detail="full")
        promises = CommitmentsQuestion(limit=1000, detail="full")
        return [*self.app.decisions(decisions).items, *self.app.commitments(promises).items]


def _facts(item: LedgerItem) -> Facts:
    links = item.superseding or item.completed_by or item.cancelled_by
    assert links is None
    return item.status, tuple(item.owners), tuple(item.recipients), item.category, item.summary


def _shaken(app: App, operations: int, seed: int) -> None:
    world = World(app, random.Random(seed))
    acts = (world.give, world.guess, world.guess, world.guess, world.resolve, world.read_again, world.forget)
    for number in range(operations):
        # Each given event is one of 400 at most, so that pages stay whole.
        act = world.chance.choice(acts)
        if act != world.give or len(world.items) < 400:
            act()
        if number % 20 == 19:
            world.check()
    world.check()
    assert world.given


def test_nothing_extracted_changes_what_was_given(app: App) -> None:
    """A report, a later decision, a tick, another reading: status, owners, recipients and words stay."""
    _shaken(app, 240, 1)


@pytest.mark.both_engines
@pytest.mark.exhaustive
@pytest.mark.timeout(7_200)
def test_nothing_extracted_changes_what_was_given_in_many_operations(
    app: App, engine: str, pytestconfig: pytest.Config
) -> None:
    """2,000, on servers 300, or as many as `--operations` says."""
    usual = 2_000 if engine == "embedded" else 300
    _shaken(app, pytestconfig.getoption("operations") or usual, 2)


@pytest.mark.both_engines
def test_a_question_about_a_link_is_answered_with_resolve_and_undone_with_rollback(app: App) -> None:
    """What may have closed a given commitment is asked about; "none" ends the question, an id makes the link."""
    promise = "Bo Lund will repair the harbour lamp by 2026-03-20."
    given = GivenEvent(category="Commitment", quote=promise, owners=("Bo Lund",))
    app.remember(AnnotatedMemory(content=promise, date="2026-03-02", events=(given,)), wait=True)
    app.remember(Memory(content="Bo Lund has repaired the harbour lamp.", date="2026-03-09"), wait=True)

    [asked] = [item for item in app.review(ReviewQuestion()).items if item.kind == "link"]
    [open_] = app.commitments(CommitmentsQuestion()).items
    assert (asked.other, open_.status) == (open_.id, "open")
    assert asked.settle is not None
    assert f'resolve(id="{asked.id}", completes="{open_.id}")' in asked.settle

    said = app.resolve(ResolveRequest(id=asked.id, completes="none"))
    assert not [item for item in app.review(ReviewQuestion()).items if item.kind == "link"]
    assert app.resolve(ResolveRequest(id=asked.id, completes="none")).run_id is None
    assert said.run_id is not None
    assert app.resolve(ResolveRequest(id=asked.id, completes=open_.id)).run_id is not None
    [done] = app.commitments(CommitmentsQuestion()).items
    assert (done.status, done.completed_by and done.completed_by.id) == ("done", asked.id)
    with pytest.raises(InvalidInput):
        app.resolve(ResolveRequest(id=asked.id, supersedes=open_.id))
    with pytest.raises(NotFound):
        app.resolve(ResolveRequest(id=asked.id, completes="evt_000000000000"))
    with pytest.raises(InvalidInput):
        app.resolve(ResolveRequest(id=asked.id))
