"""Whatever was remembered, learnt, decided and declared: out, in, and out again it is the same, byte for byte."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import MemoryServiceError
from core.interface.memory import CONTEXTS, Memory
from core.knowledge.findings import CATEGORIES, Entity, EventLink
from core.knowledge.identities import MergeDecision
from core.knowledge.ledger import Resolution
from core.knowledge.runs import Run, RunScope
from graph.sqlite_store import SqliteStore
from graph.store import Store
from ingest.extract.repeated_text import hash_sentences, split_sentences
from ingest.intake.artifacts import remember
from retrieval.models.local_embedder import LocalEmbedder
from tests.contracts.makers import at, entity, event, lesson
from tests.contracts.transferring import exported, imported

PROJECTS = ("a", "b")
#: Few names, so that items share entities; with what has broken formats: quotes, NUL, line separators, astral signs.
NAMES = ("Ana", "Bo\0", "Ana Berg", "\u2028Çelik", "𐍈 \\", '"', "acme.")
SIGNS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
TEXTS = st.one_of(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=6).map(" said ".join),
    SIGNS.filter(str.strip),
    st.integers(1, 400).map(lambda number: "The lift is serviced in May by the same firm as ever. " * number),
)
MEMORIES = st.fixed_dictionaries(
    {"content": TEXTS, "context": st.sampled_from([one for one in CONTEXTS if one != "conversation"])},
    optional={
        "key": st.sampled_from(["k", "K\0", "ключ"]),
        "tags": st.lists(SIGNS.filter(str.strip), max_size=3).map(tuple),
        "title": SIGNS.filter(str.strip),
        "importance": st.floats(0, 1),
        "date": st.dates().map(str),
        "expires_at": st.sampled_from(["2020-01-01", "2999-01-01T00:00:00Z"]),
        "metadata": st.dictionaries(SIGNS, st.one_of(st.none(), st.integers(), st.floats(allow_nan=False), SIGNS)),
    },
)
NUMBERS = st.integers(0, 20)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), MEMORIES),
        st.tuples(st.sampled_from(["stash", "unstash", "forget", "listen", "echo"]), NUMBERS),
        st.tuples(st.just("learn"), st.tuples(NUMBERS, st.lists(st.sampled_from(NAMES), min_size=1, unique=True))),
        st.tuples(st.sampled_from(["merge", "part", "split"]), st.tuples(NUMBERS, NUMBERS)),
        st.tuples(st.sampled_from(["undo", "declare", "link", "run"]), NUMBERS),
    ),
    min_size=1,
    max_size=25,
)


@dataclass
class History:
    """Does steps to a store; what they refuse is left out."""

    store: Store
    embedder: LocalEmbedder
    project: str
    ids: list[str] = field(default_factory=list)
    moment: int = 0

    def do(self, name: str, value: Any) -> None:
        self.moment += 1
        step: Callable[[Any], object] = getattr(self, f"_{name}")
        try:
            step(value)
        except (MemoryServiceError, LookupError, ZeroDivisionError):  # there is nothing to do it to
            return

    def _remember(self, fields: dict[str, Any]) -> None:
        added = remember(Memory(**fields), self.project, self.store, self.embedder.tokenizer).added
        self.ids.append(added.artifact_id)

    def _id(self, number: int) -> str:
        return self.ids[number % len(self.ids)] if self.ids else "art_000000000000"

    def _stash(self, number: int) -> None:
        self.store.stash(self.project, [self._id(number)], stashed=True)

    def _unstash(self, number: int) -> None:
        self.store.stash(self.project, [self._id(number)], stashed=False)

    def _forget(self, number: int) -> None:
        self.store.remove(self.project, [self._id(number)])

    def _listen(self, number: int) -> None:
        artifact = self.store.get(self.project, [self._id(number)])[self._id(number)]
        self.store.save_sentence_hashes(
            self.project, artifact.id, hash_sentences(split_sentences(artifact.memory.content))
        )

    def _echo(self, number: int) -> None:
        self.store.link_echoes(self.project, self._id(number), self.ids[:3])

    def _learn(self, value: tuple[int, list[str]]) -> None:
        number, names = value
        artifact = self.store.get(self.project, [self._id(number)])[self._id(number)]
        people = [entity(name, project=self.project, role=name if number % 2 else None) for name in names]
        quote = artifact.memory.content[: number + 1]
        told = event(artifact, quote, CATEGORIES[number % 8], actors=people[:2], subjects=people[1:], due=at(number))
        self.store.replace(self.project, artifact.id, lesson(artifact, people, [told] if number % 3 else []))

    def _people(self) -> list[Entity]:
        return self.store.entities_of(self.project, self.ids, 99)

    def _judge(self, kind: Any, value: tuple[int, int], **more: Any) -> None:
        people = self._people()
        one, other = (people[number % len(people)].id for number in value)
        made = MergeDecision(
            id=f"ver_{self.moment}", kind=kind, one=one, other=other, at=at(self.moment), by="Ana", note="\0"
        )
        self.store.apply_decision(self.project, made)

    def _merge(self, value: tuple[int, int]) -> None:
        self._judge("same", value)

    def _part(self, value: tuple[int, int]) -> None:
        self._judge("different", value)

    def _split(self, value: tuple[int, int]) -> None:
        people = self._people()
        one, artifact_id = people[value[0] % len(people)].id, self._id(value[1])
        other = f"ent_{self.moment:012}"
        made = MergeDecision(
            id=f"ver_{self.moment}", kind="split", one=one, other=other, at=at(1), artifact_id=artifact_id
        )
        self.store.apply_decision(self.project, made)

    def _undo(self, number: int) -> None:
        decisions = self.store.merge_decisions(self.project)
        self.store.undo_decision(self.project, decisions[number % len(decisions)].id, at(self.moment), None)

    def _events(self) -> list[str]:
        events = self.store.events_of(self.project, self.ids)
        return sorted({one.id for several in events.values() for one in several})

    def _declare(self, number: int) -> None:
        event_id = self._events()[number % len(self._events())]
        self.store.add_resolution(
            self.project, Resolution(event_id, "done", at(number), "\u2028" if number % 2 else None)
        )

    def _link(self, number: int) -> None:
        events = self._events()
        link = EventLink(events[number % len(events)], events[-1], "SUPERSEDES", number / 7)
        self.store.set_event_links(self.project, [link.source], [link])

    def _run(self, number: int) -> None:
        run = Run(
            id=f"run_{self.moment}", project_id=self.project, extractor="a:b", scope=RunScope(), started=at(number)
        )
        self.store.put_run(run)
        self.store.save_extraction(run, self._id(number), None, waits=bool(number % 2))


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty record, whose copy spares each example the syncs of making one."""
    path = tmp_path_factory.mktemp("empty") / "record.db"
    SqliteStore(path).close()
    return path


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(first=STEPS, second=STEPS)
def test_out_in_and_out_is_the_same(empty_file: Path, embedder: LocalEmbedder, first: Any, second: Any) -> None:
    """And in once more changes nothing; what the store answers about who is who follows from it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(shutil.copy(empty_file, Path(folder) / f"{number}.db")) for number in range(2)]
        with SqliteStore(paths[0]) as source, SqliteStore(paths[1]) as target:
            for project, steps in zip(PROJECTS, (first, second), strict=True):
                history = History(source, embedder, project)
                for name, value in steps:
                    history.do(name, value)
            out = exported(source)
            imported(target, out, embedder)
            assert exported(target) == out
            assert target.integrity_issues() == []
            again = imported(target, out, embedder)
            assert set(again.items) | set(again.others) <= {"unchanged"}
            for project in source.projects():
                ids = list(source.get(project, history.ids))
                assert target.entities_of(project, ids, 99) == source.entities_of(project, ids, 99)
                assert target.events_of(project, ids) == source.events_of(project, ids)
                assert target.counts(project) == source.counts(project)


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(first=STEPS, second=STEPS)
def test_two_that_are_joined_end_the_same_however_often(
    empty_file: Path, embedder: LocalEmbedder, first: Any, second: Any
) -> None:
    """One import into a memory of its own life: again it changes nothing, and it can go on to a third."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(shutil.copy(empty_file, Path(folder) / f"{number}.db")) for number in range(3)]
        with SqliteStore(paths[0]) as source, SqliteStore(paths[1]) as target, SqliteStore(paths[2]) as third:
            for store, steps in ((source, first), (target, second)):
                history = History(store, embedder, "a")
                for name, value in steps:
                    history.do(name, value)
            out = exported(source)
            imported(target, out, embedder)
            joined = exported(target)
            again = imported(target, out, embedder)
            assert set(again.items) | set(again.others) <= {"unchanged"}
            assert exported(target) == joined
            assert target.integrity_issues() == []
            imported(third, joined, embedder)
            assert exported(third) == joined
