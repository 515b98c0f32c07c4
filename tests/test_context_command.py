"""`remembrancer context`: developer memory from a shell."""

from collections.abc import Callable
from pathlib import Path

import pytest

from service.cli import main

Shell = Callable[..., str]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Run a command on a memory of its own, in a folder of its own, and return what it printed."""
    for name in ("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_EXTRACTOR", "REMEMBRANCER_GRAPH", "REMEMBRANCER_VECTORS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    monkeypatch.chdir(work)

    def run(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(arguments) == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return run


def test_a_shell_prints_the_rules_of_its_folder(shell: Shell, tmp_path: Path) -> None:
    """Of the working folder, or of one that is named, relative to it or not."""
    shell("remember", "Commits are small.", "--context", "preference")
    shell("remember", "Errors are wrapped.", "--context", "preference", "--scope", "language:go")
    shell("remember", "State is in etcd.", "--context", "decision", "--scope", "project:hydra")
    Path("hydra").mkdir()
    Path("hydra/go.mod").write_text("module hydra\n")

    here, there = shell("context"), shell("context", "--folder", "hydra", "--task", "coding", "--limit", "5")

    assert here == "## Developer Memory\n\n### Universal Rules\n- Commits are small.\n"
    assert there == (
        "## Developer Memory\n\n### Universal Rules\n- Commits are small.\n"
        "\n### Go Preferences\n- Errors are wrapped.\n\n### Hydra Decisions\n- State is in etcd.\n"
    )
    assert shell("context", "--folder", str(tmp_path / "work" / "hydra")) == there
    assert shell("context", "language:go") == "## Developer Memory\n\n### Go Preferences\n- Errors are wrapped.\n"


def test_what_is_not_understood_is_said(shell: Shell) -> None:
    """As every command: the reason as JSON on standard error, and 1."""
    assert "50 to 100,000" in shell("context", "--token-budget", "7", code=1)
