"""Given knowledge under random operations: given, again, refined, taken back, its sources edited and forgotten."""

import random
from typing import Final

import pytest

from core.errors import Conflict, InvalidInput
from core.interface.learning import AnnotatedMemory, GivenEntity, GivenEvent, LearnRequest
from core.interface.operations import ForgetRequest
from ingest.runs.run import get_run, list_runs, roll_back
from service.app import App
from tests.ingest.running import PROJECT, Dump, dump

_NAMES: Final = ("Ana Ruiz", "Ben Ito", "Priya Nair", "Ana", "Globex")
_SENTENCES: Final = (
    "{} decided to paint the depot blue.", "{} will send the plan to Globex by 2026-05-01.", "We drop the ferry.",
    "The plan went out on Monday.", "{} is worried about the roof.", "Nothing came of the kettle, says {}.",
)  # fmt: skip
_KEYS: Final = ("boats", "roofs", "kettles", "plans")


class Teacher:
    """Draws operations on four items with keys."""

    def __init__(self, app: App, seed: int) -> None:
        self._app, self._chance = app, random.Random(seed)
        self._texts: dict[str, tuple[str, str]] = {}
        self.done = 0

    def step(self) -> None:
        """Do one operation; a refusal by a sentence is an answer, too."""
        operations = (self._store, self._tell, self._again, self._undo, self._forget)
        self._chance.choices(operations, (4, 8, 2, 3, 1))[0]()
        self.done += 1

    def ids(self) -> list[str]:
        return [id_ for id_, _ in self._texts.values()]

    def texts(self) -> dict[str, str]:
        return dict(self._texts.values())

    def _text(self) -> str:
        said = self._chance.choices(_SENTENCES, k=self._chance.randint(1, 5))
        return " ".join(sentence.format(self._chance.choice(_NAMES)) for sentence in said)

    def _events(self, text: str) -> tuple[GivenEvent, ...]:
        return tuple(self._event(text) for _ in range(self._chance.randint(1, 3)))

    def _event(self, text: str) -> GivenEvent:
        sentences = text.split(". ")
        quote = self._chance.choice(sentences) if self._chance.random() < 0.95 else "not there"
        if self._chance.random() < 0.3:
            quote = quote[: len(quote) // 2 + 4].strip()
        category = self._chance.choice(("Decision", "Commitment", "Execution", "Feedback"))
        bearing = self._chance.choice((None, "paint the depot", "send the plan"))
        return GivenEvent(
            category=category,  # type: ignore[arg-type] # one of the categories
            quote=quote,
            summary=self._text() if self._chance.random() < 0.2 else None,
            owners=tuple(self._chance.sample(_NAMES, self._chance.randint(0, 2))),
            supersedes=bearing if category == "Decision" else None,
            completes=bearing if category == "Execution" else None,
        )

    def _store(self) -> None:
        key, text = self._chance.choice(_KEYS), self._text()
        events = self._events(text) if self._chance.random() < 0.5 else ()
        try:
            told = AnnotatedMemory(
                content=text, key=key, context="meeting" if key == "plans" else "note", events=events
            )
            receipt = self._app.remember(told, PROJECT)
        except InvalidInput:
            return
        self._texts[key] = receipt.id, text

    def _tell(self) -> None:
        if not self._texts:
            return
        id_, text = self._chance.choice(list(self._texts.values()))
        entities = (GivenEntity(name="Ana Ruiz", type="person", aliases=("Ana",)),) * (self._chance.random() < 0.3)
        asked = LearnRequest(id=id_, events=self._events(text), entities=entities, replace=self._chance.random() < 0.2)
        try:
            self._app.learn(asked, PROJECT)
            assert self._app.learn(asked, PROJECT).run_id is None
        except InvalidInput as error:
            if "is not in the text" not in str(error):
                raise

    def _again(self) -> None:
        for id_ in self.ids():
            self._app.store.queue(PROJECT, [id_], "extract")

    def _undo(self) -> None:
        runs = [run for run in list_runs(PROJECT, self._app.store, 20) if run.state != "rolled_back"]
        if runs:
            try:
                roll_back(get_run(PROJECT, self._chance.choice(runs).id, self._app.store), self._app.store)
            except Conflict as error:  # later runs must be rolled back first
                if "roll back run_" not in str(error):
                    raise

    def _forget(self) -> None:
        if self._texts:
            key = self._chance.choice(list(self._texts))
            self._app.forget(ForgetRequest(id=self._texts.pop(key)[0], confirm=True), PROJECT)


def check(app: App, texts: dict[str, str]) -> Dump:
    """Check that all that is known is sound, and that items are found by it and nothing else; return it."""
    seen = dump(app.store, list(texts))
    chunks = app.store.chunks(PROJECT, list(texts))
    assert chunks == {id_: app.indexer.chunk(item) for id_, item in app.store.get(PROJECT, list(texts)).items()}
    assert app.index.ids(PROJECT) == {chunk.id for some in chunks.values() for chunk in some}
    for id_, events in seen.events.items():
        assert len({event.id for event in events}) == len(events)
        given = [(event.category, event.evidence[0]) for event in events if event.origin == "given"]
        assert len(set(given)) == len(given)
        for event in events:
            for proof in event.evidence:
                text = texts.get(proof.artifact_id)
                assert text is None or text[proof.start_char : proof.end_char] == proof.quote, id_
    assert all(one.mention_count >= 0 for one in seen.entities)
    return seen


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> int:
    """How many operations are drawn: as many as --operations says, shared among three seeds, and 60 at least.

    On Neo4j one takes about a third of a second, once the server is warm: some forty reads of 5 ms and ten writes.
    """
    return max(60, int(request.config.getoption("--operations") or 0) // 3)


@pytest.mark.exhaustive
@pytest.mark.both_engines
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_given_is_sound_and_taken_back_exactly(app: App, seed: int, rounds: int) -> None:
    """Every quote verbatim, no double, nothing left of what is forgotten, and a call rolled back to equality."""
    teacher = Teacher(app, seed)
    for _ in range(rounds):
        teacher.step()
        if teacher.done % 10 == 0 and teacher.ids():
            app.worker.drain()
            before = check(app, teacher.texts())
            id_, text = next(iter(teacher.texts().items()))
            told = LearnRequest(
                id=id_, events=(GivenEvent(category="QualityRisk", quote=text[:9].strip()),), replace=True
            )
            if (run := app.learn(told, PROJECT).run_id) is not None:
                app.worker.drain()
                roll_back(get_run(PROJECT, run, app.store), app.store)
                app.worker.drain()
                assert check(app, teacher.texts()) == before, (seed, teacher.done)
    for id_ in teacher.ids():
        app.forget(ForgetRequest(id=id_, confirm=True), PROJECT)
    app.worker.drain()
    counts = app.store.counts(PROJECT)
    assert (counts.artifacts, counts.events, counts.entities) == (0, 0, 0)
    assert app.index.ids(PROJECT) == set()
