"""What a user may rely on when a memory goes into the record."""

from dataclasses import replace

import pytest

from core.dates import now, to_text
from core.errors import Unavailable
from core.filters import Filters
from core.interface.memory import Memory
from core.records import Added, JobReport, artifact_id
from graph.store import Store
from ingest.intake.artifacts import remember
from retrieval.models.local_embedder import LocalEmbedder


def test_what_is_remembered_is_stored_with_its_chunks_words_and_jobs(store: Store, embedder: LocalEmbedder) -> None:
    """docs/interface.md `remember`: durable and findable by id, filters and words on return, the rest queued."""
    memory = Memory(content="The zephyrine valve leaks. " * 200, title="Valve", tags=("a",), date="2026-01-15")
    done = remember(memory, "default", store, embedder.tokenizer)
    identity = done.added.artifact_id
    stored = store.get("default", [identity])[identity]
    chunks = store.chunks("default", [identity])[identity]
    assert identity == artifact_id(memory.fingerprint("default"))
    assert (done.added.status, done.added.jobs_queued, done.added.replaced) == ("stored", 2, None)
    assert stored.memory == memory
    assert to_text(stored.happened_at) == "2026-01-15T00:00:00.000000Z"
    assert stored.num_chunks == done.num_chunks == len(chunks) > 1
    assert stored.token_count == done.token_count == embedder.tokenizer.count(memory.content)
    assert all(chunk.prefix == "[15 January 2026] Valve\na\n" for chunk in chunks)
    found = store.search("default", ["zephyrine"], Filters(at=stored.created_at), 100)
    assert {(hit.artifact_id, hit.index) for hit in found} == {(identity, chunk.index) for chunk in chunks}
    assert store.job_reports("default", identity) == [
        JobReport("embed", "pending", 0),
        JobReport("extract", "pending", 0),
    ]


def test_an_item_without_a_date_happened_when_it_was_stored(store: Store, embedder: LocalEmbedder) -> None:
    """`as_of` and date filters then go by the time of storing."""
    done = remember(Memory(content="We open at nine."), "default", store, embedder.tokenizer)
    stored = store.get("default", [done.added.artifact_id])[done.added.artifact_id]
    assert stored.happened_at == stored.created_at == stored.updated_at == stored.last_occurred


def test_the_same_thing_twice_is_stored_once_and_counted(store: Store, embedder: LocalEmbedder) -> None:
    """docs/interface.md `remember`: `duplicate`, `frequency` + 1, `last_occurred` renewed; new work only for a new
    judgement."""
    first = remember(Memory(content="We open at nine."), "default", store, embedder.tokenizer)
    before = store.get("default", [first.added.artifact_id])[first.added.artifact_id]
    for importance, jobs in ((0.5, 0), (0.9, 2), (0.9, 0)):
        memory = Memory(content="We open at nine.", importance=importance)
        again = remember(memory, "default", store, embedder.tokenizer)
        assert again.added == Added(before.id, "duplicate", jobs)
    after = store.get("default", [first.added.artifact_id])[first.added.artifact_id]
    assert (after.frequency, after.created_at, after.memory.importance) == (4, before.created_at, 0.9)
    assert after.last_occurred > before.last_occurred


def test_new_words_under_a_key_replace_the_old(store: Store, embedder: LocalEmbedder) -> None:
    """docs/interface.md `remember`: `updated`; the key is unique per project and context."""
    old = remember(Memory(content="We open at nine.", key="hours"), "default", store, embedder.tokenizer)
    other = remember(
        Memory(content="We close at ten.", key="hours", context="note"), "default", store, embedder.tokenizer
    )
    new = remember(Memory(content="We open at ten.", key="hours"), "default", store, embedder.tokenizer)
    assert (new.added.status, new.added.replaced) == ("updated", old.added.artifact_id)
    assert other.added.status == "stored"
    assert [each.id for each in store.revisions("default", new.added.artifact_id)] == [old.added.artifact_id]


def test_a_record_that_can_not_be_written_stores_nothing(store: Store, embedder: LocalEmbedder) -> None:
    """docs/interface.md: nothing is half-done after an error."""
    store.close()
    with pytest.raises(Unavailable):
        remember(Memory(content="We open at nine."), "default", store, embedder.tokenizer)


def test_the_words_of_tags_are_found_also_after_they_change(store: Store, embedder: LocalEmbedder) -> None:
    """They are in the prefix of each chunk, so that an item stored again with other tags is indexed anew."""

    def found(word: str) -> list[str]:
        return [hit.artifact_id for hit in store.search("p", [word], Filters(at=now()), 10)]

    fence = Memory(content="Paint the fence.", tags=("sales/eu-north", "TideTable"))
    stored = remember(fence, "p", store, embedder.tokenizer).added.artifact_id
    assert all(found(word) == [stored] for word in ("sales", "north", "tide", "table"))
    remember(replace(fence, tags=("security",)), "p", store, embedder.tokenizer)
    assert (found("security"), found("sales")) == ([stored], [])
