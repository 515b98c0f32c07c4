"""The list of public files, and the command that checks them."""

import hashlib
import json
from pathlib import Path

import pytest

from evals.public_files import LIST, line_hash, listed, main

TEXT = "# Harbour board\n\nDate: 12 March 2026\n\nRuth Amsel will order the oak planks for the pier by Friday.\n"


def entry(**changed: object) -> dict[str, object]:
    line = "Ruth Amsel will order the oak planks for the pier by Friday."
    known: dict[str, object] = {
        "repository": "pier/minutes", "path": "2026/board.md", "sha256": hashlib.sha256(TEXT.encode()).hexdigest(),
        "day": "2026-03-12", "title": "Harbour board", "line": line_hash(line), "items": 1,
    }  # fmt: skip
    return known | changed


@pytest.mark.parametrize(
    ("changed", "said", "status"),
    [
        ({}, "1 right, 0 wrong, 0 of another version, 0 missing", 0),
        ({"day": "2026-03-13"}, "day 2026-03-12 (text), not 2026-03-13", 1),
        ({"title": "Board"}, "title 'Harbour board', not 'Board'", 1),
        ({"line": line_hash("Nobody says this.")}, "a line is not in the text", 1),
        ({"items": 2}, "1 items, not 2", 1),
        ({"sha256": "0"}, "0 right, 0 wrong, 1 of another version, 0 missing", 0),
        ({"path": "gone.md"}, "0 right, 0 wrong, 0 of another version, 1 missing", 0),
    ],
)
def test_a_file_is_checked_against_what_is_right_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, object], said: str, status: int
) -> None:
    path = tmp_path / "pier/minutes/2026/board.md"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT, encoding="utf-8")
    known = tmp_path / "list.json"
    known.write_text(json.dumps([entry(**changed)]), encoding="utf-8")
    assert main([str(tmp_path), "--list", str(known)]) == status
    assert said in capsys.readouterr().out.replace("\n", " ")


def test_the_list_holds_no_text_and_each_file_once() -> None:
    found = listed()
    assert len(found) >= 120
    assert len({(file.repository, file.path) for file in found}) == len(found)
    assert all(len(file.sha256) == 64 and (file.line is None or len(file.line) == 64) for file in found)
    assert LIST.stat().st_size < 100_000
