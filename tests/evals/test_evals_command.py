"""`python -m evals` says what is wrong with what it was given, before it measures anything."""

from pathlib import Path

import pytest

from evals.__main__ import main


@pytest.mark.parametrize(
    ("files", "reason"),
    [((), "holds neither locomo*.json nor qmsum*.jsonl"), (("qmsum-a.jsonl", "qmsum-b.jsonl"), "holds 2 files qmsum*")],
)
def test_a_folder_without_exactly_one_file_of_a_kind_is_refused(
    tmp_path: Path, files: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures of the wrong files would look like those of the right ones."""
    for name in files:
        (tmp_path / name).touch()

    assert main(["--data", str(tmp_path)]) == 1

    told = capsys.readouterr()
    assert reason in told.err
    assert told.out == ""


def test_the_help_says_where_the_data_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    """It is not part of the project, so whoever wants to repeat a figure has to get it."""
    with pytest.raises(SystemExit):
        main(["--help"])

    told = capsys.readouterr().out
    assert "https://github.com/snap-research/locomo" in told
    assert "https://github.com/Yale-LILY/QMSum" in told
