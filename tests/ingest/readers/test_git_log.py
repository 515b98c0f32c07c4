"""The history that `git log` prints: each commit an item with author, day and hash."""

import os
import subprocess
from pathlib import Path

import pytest

from ingest.readers.formats.source import Item
from tests.ingest.readers.reading import format_of, memories, parts, put, refusals, survives

HASH, OTHER = "2f1c0de0a1b2c3d4e5f60718293a4b5c6d7e8f90", "a" * 64
LOG = f"""commit {HASH} (HEAD -> main, tag: v1)
Author: Mei Tanaka <mei@harbour.example>
Date:   Tue Mar 4 10:15:00 2025 +0200

    Light the pier at dusk

    The clock was late.

    Co-authored-by: Bo Park <bo@harbour.example>

 lights.py | 4 ++--
diff --git a/lights.py b/lights.py
     return "commit"
+commit {HASH}

commit {OTHER}
Merge: 1234567 89abcde
Author: <bo@harbour.example>
Date:   2025-03-03 09:00:00 +0000

    Merge the lamps
"""


def test_every_commit_is_an_item_with_author_day_and_hash(tmp_path: Path) -> None:
    """What stands below a message is passed over."""
    path = put(tmp_path, "project.txt", LOG)

    assert format_of(path) == "git-log"
    first, second = memories(path)
    assert first.content == (
        "Light the pier at dusk\n\nThe clock was late.\n\nCo-authored-by: Bo Park <bo@harbour.example>"
    )
    assert (first.title, first.author, first.date, first.participants, first.source_id) == (
        "Light the pier at dusk",
        "Mei Tanaka",
        "2025-03-04T10:15:00+02:00",
        ("Bo Park",),
        HASH,
    )
    assert (second.content, second.author, second.date) == (
        "Merge the lamps",
        "bo@harbour.example",
        "2025-03-03T09:00:00+00:00",
    )
    assert all(part.spoken for part in parts(path) if isinstance(part, Item))


@pytest.mark.parametrize("style", [(), ("--date=iso",), ("--date=rfc",), ("--date=iso-strict",), ("--format=fuller",)])
def test_what_git_prints_is_read(style: tuple[str, ...], tmp_path: Path) -> None:
    """In each of its ways to write a date."""
    made = ("2025-03-04T10:15:00+02:00", "2025-03-05T10:15:00+02:00")
    people = {"GIT_AUTHOR_NAME": "Mei Tanaka", "GIT_AUTHOR_EMAIL": "m@x.example"}
    people |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in people.items()}
    for number, at in enumerate(made):
        env = os.environ | people | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "GIT_CONFIG_GLOBAL": os.devnull}
        for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", f"Change {number}\n\nWhy {number}"]):
            subprocess.run(["git", *command], cwd=tmp_path, env=env, check=True)
    log = subprocess.run(["git", "log", *style], cwd=tmp_path, env=env, check=True, capture_output=True).stdout

    path = put(tmp_path, "log.txt", log)

    assert format_of(path) == "git-log"
    assert [(memory.content, memory.author, memory.date) for memory in memories(path)] == [
        (f"Change {number}\n\nWhy {number}", "Mei Tanaka", made[number]) for number in (1, 0)
    ]


def test_a_commit_without_a_message_is_refused_and_the_others_read(tmp_path: Path) -> None:
    """By its hash."""
    path = put(tmp_path, "log.txt", LOG.replace("    Merge the lamps\n", ""))
    assert [OTHER in reason for reason in refusals(path)] == [True]
    assert len(parts(path)) == 2


def test_damaged_histories_are_read_or_refused(tmp_path: Path) -> None:
    """With an error that names the file."""
    survives(put(tmp_path, "log.txt", LOG), times=150)
