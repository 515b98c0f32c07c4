"""Memories of other systems in a real store: found, known to the graph, and replaced one by one by a later export."""

import json
from pathlib import Path

import pytest

from core.dates import now
from core.filters import Filters
from core.interface.question import Question
from graph.store import Store
from ingest.intake.files import IntakeTally, ingest
from retrieval.models.local_embedder import LocalEmbedder
from service.app import App
from tests.ingest.readers.memories.test_entity_graph import LINES, written
from tests.ingest.readers.reading import put
from tests.ingest.running import drain


def take_in(path: Path, store: Store, embedder: LocalEmbedder) -> IntakeTally:
    *_, last = ingest([path], "default", context=None, records=store, tokenizer=embedder.tokenizer)
    return last


def kept(store: Store) -> set[str]:
    return {artifact.memory.content for artifact in store.newest("default", Filters(at=now()), 100)}


@pytest.mark.exhaustive
def test_an_entity_of_a_file_that_nobody_trusts_is_found(tmp_path: Path, app: App, embedder: LocalEmbedder) -> None:
    """Each by itself, although the path has blanks that follow each other."""
    path = put(tmp_path / "my  files", "memory.json", written(*LINES))

    assert take_in(path, app.store, embedder) == IntakeTally(stored=3)
    found = app.recall(Question(query="who works at the Harbour Works", detail="full"), "default").results
    drain(app.store)
    ids = [artifact.id for artifact in app.store.newest("default", Filters(at=now()), 100)]
    known = {(entity.name, entity.type) for entity in app.store.entities_of("default", ids, 100)}
    assert known >= {("Mei Tanaka", "person"), ("Harbour Works", "org")}
    assert any("Mei Tanaka works at Harbour Works." in result.content for result in found[:2])


def test_a_later_export_replaces_what_changed(tmp_path: Path, store: Store, embedder: LocalEmbedder) -> None:
    """The others are left alone."""
    path = put(tmp_path, "memory.jsonl", written(*LINES))
    take_in(path, store, embedder)
    before = kept(store)
    changed = json.loads(json.dumps(LINES))
    changed[1]["observations"] = ["Closed on Mondays"]
    put(tmp_path, "memory.jsonl", written(*changed))

    take_in(path, store, embedder)

    assert before - kept(store) == {"Harbour Works (organization)"}
    assert kept(store) - before == {"Harbour Works (organization)\n\n- Closed on Mondays"}
