"""What the shared words promise: ids, names, answers as JSON, errors."""

import inspect
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import errors
from core.interface.memory import Memory
from core.interface.results import ChunkView, Recall, Result, to_json
from core.knowledge.findings import entity_id, event_id, normalise_name
from core.records import Artifact, Chunk, DeletionCounts, artifact_id, date_prefix, embedding_key, text_hash

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
DIGEST = "0123456789abcdef" * 4


def test_an_id_is_12_digits_of_the_fingerprint() -> None:
    """docs/interface.md `remember`: `art_` and 12 hex digits."""
    assert artifact_id(DIGEST) == "art_0123456789ab"


def test_an_id_that_is_taken_gives_others_that_stay_the_same() -> None:
    """Two items never share an id, even if 48 bits collide, and each gets the same one on every machine."""
    ids = [artifact_id(DIGEST, attempt) for attempt in range(4)]
    assert len(set(ids)) == 4
    assert ids == [artifact_id(DIGEST, attempt) for attempt in range(4)]
    assert all(len(each) == 16 and each.startswith("art_") for each in ids)


def test_a_chunk_is_indexed_with_its_prefix_and_stored_without() -> None:
    """Offsets count in the content alone."""
    chunk = Chunk("art_0123456789ab", 3, 10, 14, "text", "[8 May 2023] Title\n", 1)
    assert (chunk.id, chunk.indexed_text, chunk.text) == ("art_0123456789ab:3", "[8 May 2023] Title\ntext", "text")
    assert chunk.embedding_key_in("p") == embedding_key("p", "Title\ntext") != chunk.embedding_key_in("q")
    assert text_hash("a") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"


@pytest.mark.parametrize("day", [date(1, 1, 1), date(2023, 5, 8), date(9999, 12, 31)])
def test_the_embedder_does_not_see_a_date_that_was_put_in_front(day: date) -> None:
    """Words and dates in brackets that a title or a text has of its own stay."""
    for rest in ("Ann: ", "[Draft] Plan\n", ""):
        for label in (date_prefix(day), date_prefix(day, month_only=True)):
            chunk = Chunk("art_0123456789ab", 0, 0, 1, "[8 May 2023] x", label + rest, 1)
            assert chunk.embedded_text == rest + "[8 May 2023] x"


def test_metadata_holds_what_was_given_and_the_times_beside_it() -> None:
    """docs/interface.md `recall`: every field of `remember` under its name, and created_at, updated_at, frequency."""
    memory = Memory(content="Text.", tags=("a",), metadata={"b": None})
    artifact = Artifact(
        id="art_0",
        project_id="p",
        memory=memory,
        fingerprint="f",
        happened_at=NOON,
        created_at=NOON,
        updated_at=NOON,
        last_occurred=NOON,
        token_count=2,
        num_chunks=1,
    )
    noon = "2026-01-15T12:00:00.000000Z"
    assert artifact.metadata() == {
        "context": "document",
        "source": "manual",
        "importance": 0.5,
        "tags": ["a"],
        "scope": "universal",
        "metadata": {"b": None},
        "sensitivity": "normal",
        "visibility_scope": "me",
        "retention_policy": "forever",
        "created_at": noon,
        "updated_at": noon,
        "last_occurred": noon,
        "frequency": 1,
        "token_count": 2,
        "num_chunks": 1,
    }


def test_cascades_add_up() -> None:
    """Forgetting several items answers with the sum."""
    assert DeletionCounts(1, 2, 3) + DeletionCounts(10, 20, 30) == DeletionCounts(11, 22, 33)


def test_an_answer_as_json_leaves_none_out_but_keeps_what_a_caller_stored() -> None:
    """A None field was not asked for; a null inside `metadata` is the caller's own value."""
    result = Result("art_0", "Text.", "note", 0.5, {"metadata": {"a": None}}, chunk=ChunkView(0, 1, 5))
    assert to_json(Recall(results=[result], total_count=1)) == {
        "results": [
            {
                "id": "art_0",
                "content": "Text.",
                "context": "note",
                "score": 0.5,
                "metadata": {"metadata": {"a": None}},
                "stashed": False,
                "chunk": {"index": 0, "start_char": 1, "end_char": 5},
            }
        ],
        "related": [],
        "entities": [],
        "total_count": 1,
        "match_type": "hybrid",
        "degraded": [],
    }


def test_moments_tuples_and_sets_become_json() -> None:
    """JSON has no narrower types."""
    assert to_json({"at": NOON, 1: ("a", frozenset({"b"}))}) == {"at": "2026-01-15T12:00:00.000000Z", "1": ["a", ["b"]]}


def test_names_are_compared_without_case_width_blanks_and_outer_dots() -> None:
    """`Acme  GmbH.` and `ａｃｍｅ gmbh` are one name; `Al` and `Al.` are, too."""
    assert normalise_name(" Acme \n GmbH. ") == normalise_name("ａｃｍｅ gmbh") == "acme gmbh"
    assert normalise_name("Straße") == normalise_name("STRASSE")


@given(name=st.text())
def test_a_normalised_name_is_its_own_normal_form(name: str) -> None:
    """Names are normalised by whoever stores and by whoever looks up, once or twice."""
    assert normalise_name(normalise_name(name)) == normalise_name(name)


def test_ids_of_knowledge_are_stable_and_apart() -> None:
    """docs/interface.md: stable when the same source is extracted again."""
    assert entity_id("p", "person", "Ann Lee") == entity_id("p", "person", " ann  LEE ")
    assert len({entity_id(p, t, "Ann") for p in "pq" for t in ("person", "org")}) == 4
    ids = [event_id("p", "art_0", "Decision", 0, 5), event_id("p", "art_0", "Decision", 0, 6)]
    assert len({*ids, event_id("p", "art_0", "Change", 0, 5), event_id("p", "art_1", "Decision", 0, 5)}) == 4
    assert all(len(each) == 16 and each.startswith("evt_") for each in ids)


def test_the_tree_of_errors_is_the_one_that_is_drawn() -> None:
    """The docstring is where readers look for the codes of docs/interface.md."""
    drawn = inspect.getdoc(errors) or ""
    classes = [
        each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.MemoryServiceError)
    ]
    codes = {each.__name__: each.code for each in classes if each is not errors.MemoryServiceError}
    assert sorted(set(codes.values())) == [
        "conflict", "forbidden", "invalid_input", "not_found", "too_large", "unavailable",
    ]  # fmt: skip
    lines = [line.lstrip("│├└─ ").split() for line in drawn.splitlines() if line[:1] in "├└│" and line]
    assert {name: code for name, code, *_ in lines} == codes
