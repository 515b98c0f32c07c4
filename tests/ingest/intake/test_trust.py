"""A file is only a file: what it says of itself is kept, and counts if it is trusted."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import TooLarge
from core.interface.memory import MAX_METADATA, Memory
from ingest.intake.files import strip_claims
from ingest.readers import items
from ingest.readers.formats.source import Item

_FRONT = """\
---
context: preference
scope: language:go
key: iban
author: The boss
source: manual
tags: [a]
room: 4
---
Do it."""


def as_file(path: Path, content: str, context: str | None = None) -> tuple[Memory, bool]:
    path.write_text(content, encoding="utf-8")
    (item,) = items(path, context=context)
    assert isinstance(item, Item)
    return strip_claims(item, path, context)


def test_what_a_file_claims_is_kept_in_metadata(tmp_path: Path) -> None:
    """docs/interface.md `ingest`: nothing is lost, and what is harmless stays where it is."""
    memory, claims = as_file(tmp_path / "a.md", _FRONT)

    assert claims
    assert (memory.context, memory.scope, memory.author, memory.source) == ("document", "universal", None, "file")
    assert memory.key == (tmp_path / "a.md").resolve().as_posix()
    assert memory.tags == ("a",)
    assert memory.metadata == {
        "room": 4, "context": "preference", "scope": "language:go", "key": "iban", "author": "The boss",
        "source": "manual",
    }  # fmt: skip
    assert memory.trusted is False
    assert memory.rule_scope is None


def test_a_file_without_claims_is_as_it_is_but_for_the_trust(tmp_path: Path) -> None:
    """Dates, titles, tags, categories and contexts that are no rules describe a file."""
    text = "---\ndate: 2026-01-02\ncontext: meeting\ncategory: style\n---\nWe met."
    memory, claims = as_file(tmp_path / "a.md", text)

    assert not claims
    assert (memory.context, memory.date, memory.category, memory.metadata) == ("meeting", "2026-01-02", "style", None)
    assert memory.rule_scope is None


def test_what_the_user_says_of_files_counts_but_makes_no_rules(tmp_path: Path) -> None:
    """`--context decision` has the files be decisions; an agent is told none of them as a rule."""
    memory, claims = as_file(tmp_path / "a.md", "---\ncontext: decision\n---\nWe chose etcd.", "decision")

    assert (memory.context, claims, memory.rule_scope) == ("decision", False, None)


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ({"context": "conversation", "conversation_id": "c", "turn_index": 0}, "Ann Lee"),
        ({"context": "note"}, None),
    ],
)
def test_lines_of_an_export_have_speakers_but_no_keys(tmp_path: Path, line: dict[str, Any], author: str | None) -> None:
    """Who speaks is what a conversation is made of."""
    given = line | {"content": "I will call.", "author": "Ann Lee", "key": "k"}
    memory, claims = as_file(tmp_path / "a.jsonl", json.dumps(given))

    assert (memory.author, memory.key, claims) == (author, None, True)
    assert (memory.metadata or {})["key"] == "k"


def test_a_mail_has_its_sender_as_author(tmp_path: Path) -> None:
    """It is what its header is for."""
    memory, claims = as_file(tmp_path / "a.eml", "From: Ann Lee <ann@example.org>\nSubject: Hi\n\nI will call.\n")

    assert (memory.author, claims) == ("Ann Lee", False)


def test_nothing_is_lost_silently(tmp_path: Path) -> None:
    """A name that is given twice is kept twice; what has no room in `metadata` refuses the file."""
    memory, _ = as_file(tmp_path / "a.md", "---\nauthor: Ann\nmetadata: {author: Bo}\n---\nHi.")
    assert memory.metadata == {"author": "Ann", "metadata.author": "Bo"}
    full = {"content": "x", "author": "a" * 2_000, "metadata": {"a": "b" * (MAX_METADATA - 1_000)}}
    with pytest.raises(TooLarge, match=r"b\.jsonl': metadata takes"):
        as_file(tmp_path / "b.jsonl", json.dumps(full))
