"""What mem0 returns: each memory an item with its day, tags and whose it is; the relations of its graph in one."""

from pathlib import Path
from typing import Any

from tests.ingest.readers.reading import format_of, memories, parts, put, refusals, survives


def memory(number: int, words: object, **more: Any) -> dict[str, Any]:
    return {
        "id": f"id-{number}",
        "memory": words,
        "hash": "f",
        "metadata": {"area": "travel"},
        "created_at": f"2025-03-0{number}T08:15:00-08:00",
        "updated_at": None,
        "user_id": "mei",
    } | more


RESULTS = [memory(1, "Prefers the early ferry", categories=["travel"]), memory(2, "Has a dog", metadata=None)]
RELATIONS = [
    {"source": "mei", "relationship": "works_at", "target": "harbour_works"},
    {"source": "mei", "relationship": "owns", "destination": "dog"},
    {"source": "mei"},
]


def test_every_memory_is_an_item_with_its_day_and_tags(tmp_path: Path) -> None:
    """In the order of the file, the relations in one after them."""
    path = put(tmp_path, "all.json", {"results": RESULTS, "relations": RELATIONS})

    assert format_of(path) == "mem0"
    first, second, relations = memories(path)
    assert (first.content, first.date, first.tags) == (
        "Prefers the early ferry",
        "2025-03-01T08:15:00-08:00",
        ("travel",),
    )
    assert first.metadata == {"area": "travel", "user_id": "mei"}
    assert (second.content, second.key) == ("Has a dog", f"{path.resolve().as_posix()}#id-2")
    assert relations.content == "mei works at harbour works.\nmei owns dog."


def test_a_bare_list_and_a_page_of_the_service_are_read(tmp_path: Path) -> None:
    """A page says how many there are, and has no relations or null."""
    assert len(memories(put(tmp_path, "list.json", RESULTS))) == 2
    page = put(tmp_path, "page.json", {"count": 2, "next": None, "results": RESULTS, "relations": None})
    assert (format_of(page), len(memories(page))) == ("mem0", 2)


def test_a_memory_without_text_is_refused_and_the_others_read(tmp_path: Path) -> None:
    """By its number."""
    path = put(tmp_path, "all.json", [memory(1, None), memory(2, "Has a dog"), 5])
    assert [reason.partition(": memory ")[2][:1] for reason in refusals(path)] == ["1", "3"]
    assert len(parts(path)) == 3


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "all.json", {"results": RESULTS, "relations": RELATIONS}), times=100)
