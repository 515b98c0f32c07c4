"""The file of the official MCP memory server: each entity an item, its observations and relations in it."""

import json
from pathlib import Path

from tests.ingest.readers.reading import format_of, memories, put, refusals, survives

LINES: list[dict[str, object]] = [
    {
        "type": "entity",
        "name": "Mei_Tanaka",
        "entityType": "person",
        "observations": ["Speaks Finnish", "Prefers\ncalls"],
    },
    {"type": "entity", "name": "Harbour Works", "entityType": "organization", "observations": []},
    {"type": "relation", "from": "Mei_Tanaka", "to": "Harbour Works", "relationType": "works_at"},
    {"type": "relation", "from": "Pier_4", "to": "Mei_Tanaka", "relationType": "is looked after by"},
]


def written(*lines: dict[str, object]) -> str:
    return "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)


def test_every_entity_is_an_item_with_its_observations_and_relations(tmp_path: Path) -> None:
    """In the file's order; one that only a relation names is an item, too."""
    path = put(tmp_path, "memory.json", written(*LINES))

    assert format_of(path) == "mcp-memory"
    found = memories(path)
    assert [(memory.title, memory.content) for memory in found] == [
        (
            "Mei Tanaka",
            "Mei Tanaka (person)\n\n- Speaks Finnish\n- Prefers calls\n\nMei Tanaka works at Harbour Works.",
        ),
        ("Harbour Works", "Harbour Works (organization)"),
        ("Pier 4", "Pier 4\n\nPier 4 is looked after by Mei Tanaka."),
    ]
    assert [memory.participants for memory in found] == [("Mei Tanaka",), (), ("Mei Tanaka",)]
    assert [(memory.tags, memory.category) for memory in found] == [
        (("person",), None),  # a category would make a rule of it
        (("organization",), None),
        ((), None),
    ]
    assert [memory.key for memory in found] == [
        f"{path.resolve().as_posix()}#{name}" for name in ("Mei_Tanaka", "Harbour Works", "Pier_4")
    ]


def test_a_line_that_is_neither_is_left_out_and_the_others_read(tmp_path: Path) -> None:
    """By its number."""
    path = put(tmp_path, "memory.jsonl", written(LINES[1], {"type": "entity"}) + "\n{broken\n" + written(LINES[0]))

    assert format_of(path) == "mcp-memory"
    assert [reason.partition("line ")[2][:1] for reason in refusals(path)] == ["2", "3"]


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "memory.json", written(*LINES)), times=100)
