"""The export of mcp-memory-service: each memory an item with its day and tags."""

from pathlib import Path

from tests.ingest.readers.reading import format_of, memories, put, refusals, survives

MEMORIES: list[dict[str, object]] = [
    {
        "content": "The pier light runs on two batteries.",
        "content_hash": "ab12",
        "tags": ["pier", "light"],
        "created_at": 1741104900.5,
        "created_at_iso": "2025-03-04T16:15:00.5Z",
        "memory_type": "note",
        "metadata": {"by": "desk"},
    },
    {"content": "Two keys.", "content_hash": "cd34", "tags": "pier, keys", "created_at_iso": "2025-03-05T10:00:00Z"},
]
EXPORT = {"export_metadata": {"source_machine": "desk", "total_memories": 2}, "memories": MEMORIES}


def test_every_memory_is_an_item_with_its_day_and_tags(tmp_path: Path) -> None:
    """In the order of the file."""
    path = put(tmp_path, "export.json", EXPORT)

    assert format_of(path) == "mcp-memory-service"
    found = memories(path)
    assert [(memory.content, memory.date, memory.tags) for memory in found] == [
        ("The pier light runs on two batteries.", "2025-03-04T16:15:00.500000+00:00", ("pier", "light")),
        ("Two keys.", "2025-03-05T10:00:00Z", ("pier", "keys")),
    ]
    assert found[0].metadata == {"by": "desk", "memory_type": "note"}
    assert found[0].key == f"{path.resolve().as_posix()}#ab12"


def test_a_memory_without_text_is_refused_and_the_others_read(tmp_path: Path) -> None:
    """By its number."""
    path = put(tmp_path, "export.json", EXPORT | {"memories": [{}, *MEMORIES]})
    assert [reason.partition(": memory ")[2][:1] for reason in refusals(path)] == ["1"]


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "export.json", EXPORT), times=100)
