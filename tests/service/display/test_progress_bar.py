"""How far long work is."""

import re

import pytest

from service.display.reports import progress_bar, total_progress_bar


def test_a_bar_ends_at_its_total(capsys: pytest.CaptureFixture[str]) -> None:
    """Where standard error is no terminal, its last state is printed."""
    with progress_bar("Reading", 3) as advance:
        for _ in range(3):
            advance(1)
    assert "Reading" in (shown := capsys.readouterr().err)
    assert "3/3" in shown


def test_a_long_step_is_told_in_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """Until it is done."""
    with total_progress_bar("Embedding") as show:
        show(0, 2)
        show.within(512, 5_000)
    within = re.sub(r"\s+", " ", capsys.readouterr().err)
    with total_progress_bar("Embedding") as show:
        show.within(512, 5_000)
        show(2, 2)
    assert "(512 of 5,000 parts)" in within
    assert "parts" not in capsys.readouterr().err
