"""Commands under consoles that can't show every sign, that are closed, or whose reader leaves early."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.running_processes import COMMAND, environment, shell

_TEXT = "Größe der Tür: 2,10 m – Schlüssel bei Zoë 🔑 図書館"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one item."""
    folder = tmp_path_factory.mktemp("console") / "home"
    stored = shell(folder, "remember", _TEXT, "--context", "note", "--title", "Tür 🔑")
    assert stored.returncode == 0, stored.stderr
    return folder


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-8"])
def test_an_answer_is_printed_in_any_encoding(home: Path, encoding: str) -> None:
    """What can't be shown is replaced; JSON stays whole."""
    done = subprocess.run(
        [COMMAND, "recall", "Schlüssel", "--json"],
        env=environment(home, PYTHONIOENCODING=encoding),
        capture_output=True,
        check=True,
        timeout=100,
    )
    read = subprocess.run(
        [COMMAND, "recall", "Schlüssel"],
        env=environment(home, PYTHONIOENCODING=encoding, COLUMNS="30", NO_COLOR="1"),
        capture_output=True,
        check=True,
        timeout=100,
    )
    assert json.loads(done.stdout.decode(encoding))["results"][0]["content"] == _TEXT
    assert "2,10" in read.stdout.decode(encoding)
    assert read.stderr == b""


@pytest.mark.parametrize("command", ["status", "doctor", "formats", "decisions", "--help"])
def test_commands_end_well_without_a_console(home: Path, command: str) -> None:
    """Standard output is closed, or its reader gone."""
    env = environment(home, LC_ALL="C", PYTHONIOENCODING="ascii")
    for line in (f"{COMMAND} {command} >&-", f"{COMMAND} {command} | true; exit ${{PIPESTATUS[0]}}"):
        done = subprocess.run(["bash", "-c", line], env=env, capture_output=True, check=False, timeout=100)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
        assert b"Error" not in done.stderr


def test_an_argument_that_is_not_text_is_stored_with_replacements(home: Path) -> None:
    """Bytes that are not of the console's encoding."""
    done = subprocess.run(
        [COMMAND, "remember", b"Caf\xe9 by the lock", "--project-id", "bytes", "--json"],
        env=environment(home),
        capture_output=True,
        check=True,
        timeout=100,
    )
    assert "U+FFFD" in json.loads(done.stdout)["hint"]
