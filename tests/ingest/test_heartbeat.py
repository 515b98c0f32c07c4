"""How long background work has stood still, which a health check looks at."""

import threading
import time
from pathlib import Path

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import Extraction
from core.openai_usage import Usage
from core.records import Artifact
from graph.sqlite_store import SqliteStore
from ingest.indexing.indexer import Indexer
from ingest.intake.artifacts import remember
from ingest.worker import Worker
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from tests.shipped import shipped_extractor

PATIENCE = 60.0


class Gated:
    """The local extractor behind a gate."""

    name = "gated"

    def __init__(self) -> None:
        self.entered, self.open = threading.Event(), threading.Event()

    def extract(self, artifact: Artifact) -> Extraction:
        """Wait for the gate, then read."""
        self.entered.set()
        assert self.open.wait(PATIENCE)
        return shipped_extractor().extract(artifact)


@pytest.mark.exhaustive
def test_a_worker_that_hangs_stands_still_until_it_goes_on(tmp_path: Path, embedder: LocalEmbedder) -> None:
    """What the heartbeat of `remembrancer worker` tells: whether work gets on, idle or busy."""
    extractor = Gated()
    with SqliteStore(tmp_path / "record.db") as store:
        index = ChromaIndex(EmbeddedChroma(tmp_path / "chroma"), embedder)
        worker = Worker(store, Indexer(store, index, embedder, embedder.tokenizer), extractor)
        remember(Memory(content="Ann Lee decided to paint the hall."), "default", store, embedder.tokenizer)
        worker.start()
        assert extractor.entered.wait(PATIENCE)
        hung = rises_to(worker, 1.5)
        extractor.open.set()
        freed = falls_below(worker, 1.0)
        worker.stop()
        index.close()

    assert (hung, freed) == (True, True)


class Answering:
    """A service that has just answered about one window of many."""

    name = "remote"
    seconds_since_response = 0.0

    def extract(self, artifact: Artifact) -> Extraction:
        """Find nothing."""
        return Extraction()

    def check(self) -> str:
        """Be well."""
        return self.name

    def usage(self) -> Usage:
        """Cost nothing."""
        return Usage()

    def close(self) -> None:
        """Hold nothing."""


def test_each_answer_of_a_service_is_a_step(tmp_path: Path, embedder: LocalEmbedder) -> None:
    """A long document is read for minutes, window by window: its worker does not hang."""
    with SqliteStore(tmp_path / "record.db") as store:
        index = ChromaIndex(EmbeddedChroma(tmp_path / "chroma"), embedder)
        worker = Worker(store, Indexer(store, index, embedder, embedder.tokenizer), Answering())
        index.close()

    assert worker.seconds_since_progress == 0.0


def rises_to(worker: Worker, seconds: float) -> bool:
    """Whether it comes to stand still for so long; an idle one turns twice a second."""
    deadline = time.monotonic() + PATIENCE
    while worker.seconds_since_progress < seconds and time.monotonic() < deadline:
        time.sleep(0.02)
    return worker.seconds_since_progress >= seconds


def falls_below(worker: Worker, seconds: float) -> bool:
    """Whether it gets on."""
    deadline = time.monotonic() + PATIENCE
    while worker.seconds_since_progress > seconds and time.monotonic() < deadline:
        time.sleep(0.02)
    return worker.seconds_since_progress <= seconds
