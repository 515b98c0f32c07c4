"""When git first had each file of a work tree, asked in one bounded call that runs no program of the repository."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

#: Longest time that one work tree's history may take, in seconds.
_SECONDS: Final = 10
#: The settings by which a repository can have git run programs or reach out, set to nothing.
_HARMLESS: Final = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "core.sshCommand=false", "diff.external=",
    "credential.helper=", "log.showSignature=false", "protocol.allow=never", "core.attributesFile=/dev/null",
    "log.mailmap=false",
)  # fmt: skip
_LOG: Final = (
    "log", "--diff-filter=A", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color",
    "--name-only", "-z", "--format=%x01%as",
)  # fmt: skip


#: An environment in which git reads no settings but the repository's, and asks and fetches nothing.
_ENVIRONMENT: Final = {
    "PATH": os.defpath, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_REPLACE_OBJECTS": "1",
}  # fmt: skip


def find_work_tree(file: Path) -> Path | None:
    """Return the top folder of the git work tree that a file lies in, None if it lies in none."""
    return next((folder for folder in file.parents if (folder / ".git").exists()), None)


def read_first_commits(top: Path) -> dict[Path, str]:
    """Return the day, in ISO 8601, on which each file of a work tree was first committed, by its author's calendar.

    Nothing if git is not there, refuses, takes too long, or has only the end of the history.
    """
    if (top / ".git" / "shallow").exists():
        return {}
    if (git := shutil.which("git")) is None:
        return {}
    options = [part for setting in _HARMLESS for part in ("-c", setting)]
    try:
        answer = subprocess.run(  # noqa: S603 - no shell, and every word is ours
            [git, "--no-pager", "--no-optional-locks", *options, *_LOG],
            cwd=top, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[Path, str] = {}
    for commit in answer.stdout.decode(errors="surrogateescape").split("\x01")[1:]:
        day, *names = commit.split("\0")
        found |= {top / cleaned: day.strip() for name in names if (cleaned := name.strip("\n"))}
    return found
