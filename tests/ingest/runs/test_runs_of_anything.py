"""Whatever an extractor finds, rolling its run back leaves exactly what stood."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import CATEGORIES, ActorRole, EntityType, Extraction, FoundEntity, FoundEvent, Span
from core.knowledge.runs import RunScope
from core.records import Artifact
from graph.sqlite_store import SqliteStore
from ingest.intake.artifacts import remember
from ingest.runs.run import create_run, execute, roll_back
from retrieval.models.local_embedder import LocalEmbedder
from tests.ingest.running import PROJECT, drain, dump
from tests.shipped import shipped_extractor

Given = TypeVar("Given")

#: Names that are short forms of one another, of people and of things.
NAMES: tuple[tuple[str, EntityType], ...] = (
    ("Anna", "person"), ("Anna Berg", "person"), ("Anna Stone", "person"), ("A. Berg", "person"), ("Acme", "org"),
    ("Acme Foods", "org"), ("Apollo", "project"), ("Apollo", "object"), ("Bo", "person"), ("Bo Berg", "person"),
)  # fmt: skip
SENTENCES = (
    "{} will send {} the plan by Friday.", "{} approved the budget of {}.", "We decided to paint {} blue.",
    "We decided to paint {} green instead of blue.", "{} sent the plan to {}.",
)  # fmt: skip


class Guesser:
    """Finds whatever the dice say, whether the text has it or not; now and then what the local extractor finds."""

    name = "tests:guesser"

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def extract(self, artifact: Artifact) -> Extraction:
        if self._dice.random() < 0.2:
            return shipped_extractor().extract(artifact)
        sentences = artifact.memory.content.split("\n")
        entities = (self._entity(artifact.memory.content, *one) for one in self._some(NAMES, 5))
        return Extraction(tuple(entities), tuple(self._event(artifact, one) for one in self._some(sentences, 3)))

    def _entity(self, content: str, name: str, type_: EntityType) -> FoundEntity:
        start = content.find(name)
        aliases = tuple(alias for alias, _ in self._some(NAMES, 1))
        organization = self._dice.choice([None, "Acme", "Globex"]) if type_ == "person" else None
        mentions = () if start < 0 else (Span(start, start + len(name)),)
        return FoundEntity(name, type_, aliases, None, organization, mentions)

    def _event(self, artifact: Artifact, sentence: str) -> FoundEvent:
        named = self._some(NAMES, 2)
        actors: tuple[tuple[str, ActorRole], ...] = tuple((name, "owner") for name, type_ in named if type_ == "person")
        subjects = tuple(name for name, _ in self._some(NAMES, 2))
        at = artifact.memory.content.find(sentence)
        return FoundEvent(self._dice.choice(CATEGORIES), sentence, sentence, at, actors, subjects)

    def _some(self, of: Sequence[Given], most: int) -> list[Given]:
        return self._dice.sample(of, min(len(of), self._dice.randint(0, most)))


def texts(dice: random.Random) -> list[str]:
    """Return a few texts of a few sentences, in which names of several people and things are one word."""

    def sentence() -> str:
        return dice.choice(SENTENCES).format(dice.choice(NAMES)[0], dice.choice(NAMES)[0])

    return ["\n".join(sentence() for _ in range(dice.randint(1, 3))) for _ in range(dice.randint(2, 6))]


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(16))
def test_a_run_of_anything_is_rolled_back_exactly(tmp_path: Path, embedder: LocalEmbedder, seed: int) -> None:
    """Issue 5: names that a run finds change what other items mean, and links and statuses: all of it returns."""
    dice = random.Random(seed)
    with SqliteStore(tmp_path / "record.db") as store:
        memories = [Memory(content=text, date=f"2026-03-0{day}") for day, text in enumerate(texts(dice), 1)]
        added = (remember(memory, PROJECT, store, embedder.tokenizer).added for memory in memories)
        ids = list(dict.fromkeys(one.artifact_id for one in added))
        drain(store)
        before = dump(store, ids)
        chosen = tuple(dice.sample(ids, dice.randint(1, len(ids)))) if dice.random() < 0.5 else ()
        extractor = Guesser(dice)
        run = execute(create_run(PROJECT, RunScope(ids=chosen), store, extractor), store, extractor)
        if dice.random() < 0.8:
            drain(store)
        roll_back(run, store)
        drain(store)
        assert dump(store, ids) == before
