"""`remembrancer ingest --watch` and `sync --watch` as processes of their own."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.running_processes import COMMAND, environment, shell, wait_for_line

pytestmark = pytest.mark.exhaustive


def test_a_watched_folder_is_taken_in_as_it_changes_also_over_restarts(tmp_path: Path) -> None:
    """Ctrl-C leaves all sound; what changes in between is found at the next start."""
    notes, home = tmp_path / "notes", tmp_path / "home"
    notes.mkdir()
    home.mkdir()
    (notes / "hours.md").write_text("The harbour office opens at nine.")

    with _watching(home, notes) as process:
        wait_for_line(process, b"Watching")
        (notes / "boats.txt").write_text("Boat seven is on the slip.")
        wait_for_line(process, b"Watching")
        assert _found(home, "Where is boat seven?") == "Boat seven is on the slip."
        (notes / "boats.txt").unlink()
        wait_for_line(process, b"Watching")
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"gone" in printed
    assert b"boats.txt(1item)" in re.sub(rb"\s", b"", printed)

    (notes / "hours.md").write_text("The harbour office opens at ten.")
    with _watching(home, notes) as process:
        wait_for_line(process, b"Watching")
        assert _found(home, "When does the harbour office open?") == "The harbour office opens at ten."
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    assert b"0 stored, 1 updated, 0 unchanged" in printed


def test_what_a_watched_file_no_longer_says_is_forgotten(tmp_path: Path) -> None:
    """An emptied note and a line that was taken out of a list, each named; what stays is found as before."""
    notes, home = tmp_path / "notes", tmp_path / "home"
    notes.mkdir()
    home.mkdir()
    (notes / "hours.md").write_text("The harbour office opens at nine.")
    (notes / "log.csv").write_text("id,text\n1,The crane is serviced in May.\n2,The pump was sold to Ystad.\n")

    with _watching(home, notes) as process:
        wait_for_line(process, b"Watching")
        (notes / "hours.md").write_text("")
        (notes / "log.csv").write_text("id,text\n1,The crane is serviced in May.\n")
        wait_for_line(process, b"Watching")
        stored = json.loads(shell(home, "recall", "harbour office, crane, pump", "--json").stdout)["results"]
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    assert [one["content"] for one in stored] == ["The crane is serviced in May."]
    assert {name for name in ("hours.md", "log.csv") if name.encode() in printed} == {"hours.md", "log.csv"}


@pytest.mark.timeout(400)
def test_a_watched_folder_and_the_memory_stay_the_same(tmp_path: Path) -> None:
    """Each side gets what the other has; a second watcher is refused; Ctrl-C leaves all sound."""
    notes, home = tmp_path / "notes", tmp_path / "home"
    notes.mkdir()
    home.mkdir()
    (notes / "hours.md").write_text("The harbour office opens at nine.")

    with _watching(home, notes, "sync") as process:
        wait_for_line(process, b"Watching")
        (notes / "hours.md").write_text("The harbour office opens at ten.")
        eventually(lambda: _found(home, "When does the harbour office open?") == "The harbour office opens at ten.")
        assert shell(home, "remember", "Boat seven is on the slip.", "--context", "fact").returncode == 0
        eventually(lambda: (notes / "fact").is_dir() and any((notes / "fact").iterdir()))
        second = shell(home, "sync", str(notes), "--watch")
        assert (second.returncode, "is being watched by another process" in second.stderr) == (1, True)
        assert shell(home, "sync", str(notes), "--json").returncode == 0
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert shell(home, "sync", str(notes)).stdout == "nothing changed on either side.\n"


@contextmanager
def _watching(home: Path, folder: Path, command: str = "ingest") -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [COMMAND, command, str(folder), "--watch"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=home,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _found(home: Path, question: str) -> str:
    """Return what a question finds first, asked by another process."""
    answer = json.loads(shell(home, "recall", question, "--json").stdout)
    return str(answer["results"][0]["content"])
