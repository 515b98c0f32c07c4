"""Extractions of the local extractor are kept in memory: an item whose names mean others now is not read again."""

from dataclasses import dataclass, field, replace

import pytest

from core.dates import now
from core.interface.memory import Memory
from core.knowledge.findings import Extraction, FoundEvent
from core.records import Artifact
from evals.marked_documents import unstored
from graph.store import Store
from ingest.extract import protocol
from ingest.extract.protocol import CachedLocalExtractor


@dataclass
class Counting:
    """Counts what it reads."""

    name: str = "counting"
    read: list[str] = field(default_factory=list)

    def extract(self, artifact: Artifact) -> Extraction:
        content = artifact.memory.content
        self.read.append(content)
        return Extraction(events=(FoundEvent("Decision", content, content, 0),))


def test_an_unchanged_item_is_read_once(store: Store) -> None:
    """Whatever the record counts of it meanwhile; with other fields it is read again."""
    counting = Counting()
    extractor, item = CachedLocalExtractor(counting, store), unstored(Memory(content="We paint the gate."), now())
    found = extractor.extract(item)
    assert extractor.extract(replace(item, frequency=2, echoes=("art_000000000000",), stashed=True)) == found
    assert len(counting.read) == 1
    extractor.extract(replace(item, memory=replace(item.memory, title="The gate")))
    assert len(counting.read) == 2


def test_kept_extractions_take_little_memory_and_leave_it_when_idle(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest go first; a text that is longer than all may be is not kept."""
    monkeypatch.setattr(protocol, "_KEPT_CHARACTERS", 40)
    counting = Counting()
    extractor = CachedLocalExtractor(counting, store)
    items = [unstored(Memory(content=f"{number}. We paint the gate."), now()) for number in range(2)]
    for item in [items[0], items[1], items[1], items[0]]:
        extractor.extract(item)
    assert [content[0] for content in counting.read] == ["0", "1", "0"]
    extractor.empty()
    extractor.extract(items[0])
    assert len(counting.read) == 4
    long = unstored(Memory(content="We paint the gate. " * 10), now())
    extractor.extract(long)
    extractor.extract(long)
    assert len(counting.read) == 6
