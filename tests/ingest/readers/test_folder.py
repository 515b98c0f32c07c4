"""What is left out of a folder: ignore files as git reads them, and the user's own patterns."""

import shutil
import subprocess
from pathlib import Path

import pytest

from core.errors import InvalidInput
from ingest.readers import Selection, walk
from tests.own_time import own_time


def folder(root: Path, **texts: str) -> Path:
    """Make files by their paths, with `__` for a slash."""
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("DOT", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def names(root: Path, selection: Selection | None = None) -> list[str]:
    """Return the files that a walk finds."""
    return [path.relative_to(root.resolve()).as_posix() for path in walk([root], selection).files]


RULES = "*.md\n!keep.md\n/build/\nlogs/**/old.txt\n# a remark\n\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: apt install git")
def test_what_git_ignores_is_ignored(tmp_path: Path) -> None:
    """The same files as `git ls-files` finds, also where an inner ignore file takes an outer rule back."""
    root = folder(
        tmp_path,
        DOTgitignore=RULES,
        aDOTmd="a", keepDOTmd="k", build__xDOTtxt="x", sub__build__yDOTtxt="y", logs__1__oldDOTtxt="o",
        logs__newDOTtxt="n", sub__DOTgitignore="!*.md\n", sub__bDOTmd="b",
    )  # fmt: skip
    subprocess.run(["git", "init", "-q", root], check=True)
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    )
    assert names(root) == [name for name in sorted(listed.stdout.split()) if "gitignore" not in name]
    assert names(root) == ["keep.md", "logs/new.txt", "sub/b.md", "sub/build/y.txt"]


def test_the_rules_of_a_repository_hold_in_its_folders(tmp_path: Path) -> None:
    """A folder inside may be named; above the repository no rule counts, and outside of one only the folder's own."""
    root = folder(
        tmp_path, DOTgitignore="*.txt", repo__DOTgitignore="*.md", repo__docs__aDOTmd="a", repo__docs__bDOTtxt="b"
    )
    assert names(root / "repo" / "docs") == ["a.md", "b.txt"]
    (root / "repo" / ".git").mkdir()
    assert names(root / "repo" / "docs") == ["b.txt"]


def test_our_own_ignore_file_counts_more(tmp_path: Path) -> None:
    """`.remembrancerignore` leaves out more, or takes in what git leaves out; ignored folders count once."""
    root = folder(
        tmp_path, DOTgitignore="notes/\n", DOTremembrancerignore="!notes/\ndrafts/\n",
        notes__aDOTmd="a", drafts__1DOTmd="1", drafts__2DOTmd="2",
    )  # fmt: skip
    assert names(root) == ["notes/a.md"]
    assert walk([root]).skipped == {"ignored": 1}
    assert walk([root / "drafts" / "1.md"]).files == ((root / "drafts" / "1.md").resolve(),)


def test_the_user_selects_by_pattern(tmp_path: Path) -> None:
    """Patterns are relative to the folder that was named; what is not selected is counted."""
    root = folder(tmp_path, aDOTmd="a", bDOTtxt="b", sub__cDOTmd="c", sub__dDOTmd="d")
    assert names(root, Selection(include=("*.md",))) == ["a.md", "sub/c.md", "sub/d.md"]
    assert names(root, Selection(include=("*.md",), exclude=("sub/d.*",))) == ["a.md", "sub/c.md"]
    assert names(root, Selection(exclude=("sub/",))) == ["a.md", "b.txt"]
    assert walk([root], Selection(exclude=("sub/",))).skipped == {"not selected": 2}


@pytest.mark.parametrize("pattern", ["!", "a\\", "*a*a*a*a*b", "x" * 501])
def test_what_is_no_pattern_is_refused(tmp_path: Path, pattern: str) -> None:
    """From the user with what to write; in an ignore file the line alone is passed over, and named."""
    with pytest.raises(InvalidInput, match="pattern"):
        Selection(exclude=(pattern,))
    root = folder(tmp_path, DOTgitignore=f"{pattern}\n*.txt\n", aDOTmd="a", bDOTtxt="b")
    assert names(root) == ["a.md"]
    (told,) = walk([root]).unread_rules
    assert told.endswith(pattern[:100])


def test_hostile_rules_cost_little(tmp_path: Path) -> None:
    """An ignore file comes with a folder that somebody else made."""
    root = folder(tmp_path, DOTgitignore="a*a*a*b\n" * 50, **{"a" * 200: "x"})
    assert own_time(lambda: walk([root])) < 20
