"""Notes of basic-memory: fields, tags of observations, and relations as sentences."""

from pathlib import Path

import pytest

from tests.ingest.readers.reading import format_of, memories, put, survives

NOTE = """---
title: Mei Tanaka
type: note
permalink: people/mei-tanaka
tags:
- crew
created: 2025-03-04
---
# Mei Tanaka

## Observations
- [skill] Speaks Finnish #language #crew (learnt in Turku)
- [ ] ask about [[Boats]]

## Relations
- works_at [[Harbour Works]] (since spring)
- [[Pier 4|the pier]]
- I met her with [[Bo Park]] at the quay.
"""


def test_a_note_has_its_fields_and_its_relations_are_sentences(tmp_path: Path) -> None:
    """All other lines are as they were."""
    path = put(tmp_path, "mei.md", NOTE)

    assert format_of(path) == "basic-memory"
    (note,) = memories(path)
    assert (note.title, note.date, note.tags, note.source_id) == (
        "Mei Tanaka",
        "2025-03-04",
        ("crew", "language"),
        "people/mei-tanaka",
    )
    assert note.content == NOTE[NOTE.index("# Mei") :].replace(
        "- works_at [[Harbour Works]] (since spring)", "- Mei Tanaka works at Harbour Works (since spring)."
    ).replace("- [[Pier 4|the pier]]", "- Mei Tanaka relates to Pier 4.")
    assert note.key == path.resolve().as_posix()
    assert note.metadata is not None
    assert note.metadata["related"] == {"Harbour Works": "", "Pier 4": ""}


@pytest.mark.parametrize(
    "text",
    [
        NOTE.replace("permalink: people/mei-tanaka", "permalink: /about/"),
        NOTE.replace("type: note\n", ""),
        NOTE.partition("## Observations")[0],
        NOTE.partition("---\n# ")[2],
    ],
)
def test_other_notes_are_markdown(text: str, tmp_path: Path) -> None:
    """A page of a web site has a permalink, too."""
    assert format_of(put(tmp_path, "mei.md", text)) == "markdown"


def test_damaged_notes_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "mei.md", NOTE), times=150)
