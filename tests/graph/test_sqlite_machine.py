"""Random writes against the SQLite engine and a plain dictionary: the two must always agree."""

import dataclasses
import itertools
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.filters import Filters
from core.records import Artifact
from graph.sqlite_store import SqliteStore
from tests.contracts.makers import OTHER, PROJECT, at, everything, item, pieces
from tests.graph.sqlite_raw import SqliteRaw

PROJECTS = st.sampled_from([PROJECT, OTHER])
CONTENTS = st.sampled_from(["red", "red fish", "blue fish", "Blue", "été 東京", "e\0nd"])
KEYS = st.sampled_from([None, None, "k1", "k2"])
CONTEXTS = st.sampled_from(["note", "fact"])
TAGS = st.sampled_from([(), ("a",), ("a", "b"), ("ab",)])
WORDS = st.sampled_from(["red", "fish", "blue", "ete", "東京", "nd", "!"])
FRAGMENTS = st.sampled_from(["", "r", "re", "red", "FIS", "sh", "É", "東", "\0", "blue f", "zz"])
FILTERS = st.builds(
    everything,
    tags=st.sampled_from([(), ("a",), ("b", "a")]),
    context=st.sampled_from([None, "note"]),
    include_stashed=st.booleans(),
    date_to=st.sampled_from([None, at(5)]),
)


@dataclasses.dataclass
class Item:
    """An item of the model; `chain` is what it replaced, newest first."""

    artifact: Artifact
    chain: list[Artifact] = dataclasses.field(default_factory=list)


class StoreMachine(RuleBasedStateMachine):
    """The model is a dictionary of current items by project and id, each with the revisions behind it."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="machine"))
        self.path = self.folder / "record.db"
        self.store = SqliteStore(self.path)
        self.model: dict[tuple[str, str], Item] = {}
        self.clock = itertools.count()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            SqliteRaw(self.path).check()
            shutil.rmtree(self.folder)

    @rule(project=PROJECTS, content=CONTENTS, key=KEYS, context=CONTEXTS, tags=TAGS, stashed=st.booleans())
    def add(
        self, project: str, content: str, key: str | None, context: str, tags: tuple[str, ...], stashed: bool
    ) -> None:
        """Add an item: new, again, under a key that is taken, or back from its revision."""
        moment = at(next(self.clock))
        given = item(content, project=project, stored=moment, key=key, context=context, tags=tags, stashed=stashed)
        added = self.store.add(given, pieces(given), ["embed"])

        known = self.model.get((project, given.id))
        if known is not None:
            assert added.status == "duplicate"
            known.artifact = renewed(known.artifact, given, moment)
            return
        taken = next((one for one in self.items(project) if key and one.artifact.memory.key == key
                      and one.artifact.memory.context == context), None)  # fmt: skip
        assert added.status == ("updated" if taken else "stored")
        if taken is None:
            self.model[project, given.id] = Item(given)
            return
        del self.model[project, taken.artifact.id]
        behind = [dataclasses.replace(taken.artifact, stashed=False), *taken.chain]
        back = next((one for one in behind if one.id == given.id), None)
        if back is not None:
            given = dataclasses.replace(renewed(back, given, moment), updated_at=moment, stashed=stashed)
        self.model[project, given.id] = Item(given, [one for one in behind if one.id != given.id])

    @rule(project=PROJECTS, place=st.integers(0, 9), stashed=st.booleans())
    def stash(self, project: str, place: int, stashed: bool) -> None:
        """Move an item between the tiers."""
        for one in self.items(project)[place : place + 1]:
            assert self.store.stash(project, [one.artifact.id], stashed=stashed) == [one.artifact.id]
            moved = self.store.get(project, [one.artifact.id])[one.artifact.id]
            assert (moved.updated_at > one.artifact.updated_at) == (one.artifact.stashed != stashed)
            one.artifact = dataclasses.replace(one.artifact, stashed=stashed, updated_at=moved.updated_at)

    @rule(project=PROJECTS, place=st.integers(0, 9))
    def remove(self, project: str, place: int) -> None:
        """Remove an item with its revisions; a dry run before counts the same."""
        for one in self.items(project)[place : place + 1]:
            counted = self.store.remove(project, [one.artifact.id], dry_run=True)
            assert self.store.remove(project, [one.artifact.id]) == counted
            del self.model[project, one.artifact.id]

    @rule()
    def reopen(self) -> None:
        """Close the store and open it again."""
        self.store.close()
        self.store = SqliteStore(self.path)

    @rule()
    def rebuild(self) -> None:
        """Make the indexes anew."""
        assert self.store.rebuild() == len(self.model)

    @rule(project=PROJECTS, word=WORDS, filters=FILTERS)
    def search(self, project: str, word: str, filters: Filters) -> None:
        """A word finds the items that have it."""
        plain = {"ete": "été"}.get(word, word)
        expected = {
            one.artifact.id
            for one in self.passing(project, filters)
            if plain in one.artifact.memory.content.casefold().replace("\0", " ").split()
            or word == "東京" in one.artifact.memory.content
        }
        assert {hit.artifact_id for hit in self.store.search(project, [word], filters, 50)} == expected

    @rule(project=PROJECTS, fragment=FRAGMENTS, filters=FILTERS)
    def contain(self, project: str, fragment: str, filters: Filters) -> None:
        """A fragment finds the stashed items that hold it, newest first."""
        expected = [
            one.artifact.id
            for one in self.newest(self.passing(project, filters))
            if one.artifact.stashed and fragment.casefold() in one.artifact.memory.content.casefold()
        ]
        assert self.store.search_substrings(project, [fragment], filters, 50) == (expected, len(expected))

    @rule(project=PROJECTS, filters=FILTERS, limit=st.integers(0, 4), offset=st.integers(0, 4))
    def list_(self, project: str, filters: Filters, limit: int, offset: int) -> None:
        """Pages and counts are those of the model."""
        expected = [one.artifact for one in self.newest(self.passing(project, filters))]
        assert self.store.newest(project, filters, limit, offset) == expected[offset : offset + limit]
        assert self.store.count(project, filters) == len(expected)

    @invariant()
    def agrees(self) -> None:
        """Every item is there with its revisions, and nothing else is."""
        if not hasattr(self, "store"):
            return
        for project in (PROJECT, OTHER):
            ours = [one.artifact for one in self.items(project)]
            assert self.store.get(project, [one.id for one in ours]) == {one.id: one for one in ours}
            counts = self.store.counts(project)
            assert (counts.artifacts, counts.stashed) == (len(ours), sum(one.stashed for one in ours))
        for (project, id_), one in self.model.items():
            assert {old.id for old in self.store.revisions(project, id_)} == {old.id for old in one.chain}
        assert self.store.projects() == sorted({project for project, _ in self.model})

    def items(self, project: str) -> list[Item]:
        return [one for (of, _), one in self.model.items() if of == project]

    def passing(self, project: str, filters: Filters) -> list[Item]:
        return [
            one
            for one in self.items(project)
            if set(filters.tags) <= set(one.artifact.memory.tags)
            and filters.context in (None, one.artifact.memory.context)
            and (filters.include_stashed or not one.artifact.stashed)
            and (filters.date_to is None or one.artifact.happened_at <= filters.date_to)
        ]

    @staticmethod
    def newest(items: list[Item]) -> list[Item]:
        return sorted(items, key=lambda one: one.artifact.happened_at, reverse=True)


def renewed(before: Artifact, given: Artifact, moment: datetime) -> Artifact:
    """Return an item after it was remembered again."""
    memory = dataclasses.replace(before.memory, tags=given.memory.tags or before.memory.tags)
    return dataclasses.replace(
        before,
        memory=memory,
        frequency=before.frequency + 1,
        last_occurred=moment,
        updated_at=before.updated_at if memory == before.memory else moment,
    )


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
