"""`remembrancer sync` as a command."""

import json
from pathlib import Path

from filelock import FileLock

from tests.running_commands import Shell


def test_a_folder_and_the_memory_are_kept_the_same(shell: Shell, tmp_path: Path) -> None:
    """With links and quotes in what is written, and a report of what changed."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "boats.md").write_text("Boat seven is on the slip.")
    told = "We chose the blue tiles. Ann Lee will send the invoice by 2026-12-01."
    assert shell("remember", told, "--context", "meeting", "--title", "Tiles").returncode == 0
    assert "remembered: boats.md" in shell("sync", "notes", "--dry-run").stdout
    assert list(notes.rglob("*.md")) == [notes / "boats.md"]
    assert shell("sync", "notes").stdout.endswith("1 remembered, 1 written.\n")

    written = (notes / "meeting/Tiles.md").read_text()
    assert "remembrancer_links:\n- '[[Ann Lee]]'\n" in written
    assert "- 'Decision: “We chose the blue tiles.” (characters 0 to 24)'\n" in written
    (notes / "meeting/Tiles.md").write_text(written.replace(told, told.replace("blue", "grey")))
    done = shell("sync", "notes", "--json")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"path": "meeting/Tiles.md", "act": "revised", "why": ""},
        {"dry_run": False, "counts": {"revised": 1}},
    ]
    found = json.loads(shell("recall", "Which tiles did we choose?", "--json").stdout)["results"]
    assert "grey" in found[0]["content"]
    assert not any("blue" in one["content"] for one in found)
    assert shell("sync", "notes").stdout == "nothing changed on either side.\n"


def test_what_is_in_the_way_is_said(shell: Shell, tmp_path: Path) -> None:
    """No folder, a context that there is none, another project, another sync, a note that can't be read."""
    assert shell("sync", "none").stderr.startswith("remembrancer: There is no folder")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "boats.md").write_text("Boat seven is on the slip.")
    assert "did you mean" in shell("sync", "notes", "--write", "decisoin").stderr
    assert shell("sync", "notes", "--write", "none").returncode == 0
    other = shell("sync", "notes", "--project-id", "other")
    assert (other.returncode, "in sync with project 'default'" in other.stderr) == (1, True)
    with FileLock(tmp_path / "home/sync.lock"):
        assert "Another sync of this home is running" in shell("sync", "notes").stderr
    (notes / "bad.md").write_bytes(b"broken \xe4\xff")
    bad = shell("sync", "notes")
    assert (bad.returncode, "refused: bad.md" in bad.stdout) == (1, True)
    assert shell("sync", "notes", "--stop").stdout.startswith("1 notes are not in sync any more")
    assert shell("sync", "notes", "--project-id", "other").returncode == 1
