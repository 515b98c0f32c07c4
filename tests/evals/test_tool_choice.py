"""The eval of tool choice: its sheet, and what it says of calls that are wrong."""

import json
from pathlib import Path

import pytest

from evals.tool_choice import main


def test_the_sheet_has_the_tools_and_tasks_and_not_the_answers(tmp_path: Path) -> None:
    """A second sheet is not written over the calls of a reader."""
    assert main([str(tmp_path)]) == 0
    sheet = (tmp_path / "sheet.md").read_text(encoding="utf-8")

    assert len((tmp_path / "calls.jsonl").read_text(encoding="utf-8").splitlines()) == 20
    assert "## `remember`" in sheet
    assert "## `pop`" not in sheet
    assert main([str(tmp_path)]) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"tool": "recall", "arguments": {}}, "late: recall instead of commitments"),
        ({"tool": "commitments", "arguments": {"status": "open"}}, 'late: status is "open", not overdue'),
        ({"tool": "commitments", "arguments": {"state": "overdue"}}, "state"),
        ({"tool": "commitments", "arguments": {"status": "overdue"}}, "right tool 1 of 20, right call 1 of 20"),
    ],
)
def test_a_wrong_call_is_named(
    call: dict[str, object], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the tool, by an argument, or by what the tool itself says of it."""
    (tmp_path / "calls.jsonl").write_text(json.dumps({"id": "late"} | call), encoding="utf-8")

    assert main([str(tmp_path), "--score"]) == 1
    assert said in capsys.readouterr().out
