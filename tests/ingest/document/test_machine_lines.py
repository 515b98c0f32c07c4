"""Logs and code are told from what people write, line by line."""

import pytest

from ingest.document.lines import is_machine_made


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-01 10:00:09 ERROR gave up, agreed on nothing",
        "Mar  1 10:02:11 host7 sshd[812]: Accepted publickey for deploy",
        "2026-03-01T10:00:01.123Z INFO [main] scheduler - Leader elected: node-3 will coordinate",
        'raise ValueError("will not accept None")',
        "    if x is None:",
        'return {"approved": True, "owner": "Ana"}',
        "const owner = await agreed(plan);",
        '<p class="note">We decided to wait.</p>',
    ],
)
def test_what_a_program_writes_is_known(line: str) -> None:
    """By its stamp and level, or by the signs of code."""
    assert is_machine_made(line)
    assert is_machine_made(f"{line}\n{line}\nWe agreed on it.")


@pytest.mark.parametrize(
    "line",
    [
        "10:03 marc: on it, dropping the old partitions",
        "2026-03-01 10:00 Ana: we decided to sell the ferry",
        "let us meet on Friday",
        "public comment opens on Monday (see the page)",
        "If nobody objects by Friday, we merge:",
        "class action was dropped",
        "return the keys to Ana",
        "With thanks to Ana:",
    ],
)
def test_what_people_write_is_not(line: str) -> None:
    """Whatever it begins with."""
    assert not is_machine_made(line)
