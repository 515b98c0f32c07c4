"""`doctor` and `reindex` from the shell: what is wrong is said in a line, and mended on request."""

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from core.dates import now
from core.filters import Filters
from graph.sqlite_store import SqliteStore
from service.cli import main
from service.settings import load


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two items in it."""
    for name in ("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_TOKENS", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert main(["remember", "The ferry leaves at nine."]) == 0
    assert main(["remember", "Boats need a permit.", "--project-id", "other"]) == 0
    return tmp_path / "home"


def errors(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if line.startswith("error")]


def is_whole(capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether doctor is content and recall misses nothing."""
    capsys.readouterr()
    fine = main(["doctor"]) == 0 and errors(capsys.readouterr().out) == []
    main(["recall", "ferry", "--json"])
    return fine and json.loads(capsys.readouterr().out)["degraded"] == []


def test_a_lost_index_is_told_and_repaired(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody should find out from poor answers."""
    assert is_whole(capsys)
    shutil.rmtree(home / "chroma")
    assert main(["doctor"]) == 1
    first, *others = errors(capsys.readouterr().out)
    assert "nothing of project 'default'" in first
    assert others == [
        f"error  vectors   project {project}: 1 chunks have no vector, 0 vectors have no chunk: "
        "run `remembrancer doctor --repair`."
        for project in ("default", "other")
    ]
    assert main(["doctor", "--repair"]) == 0
    assert "1 vectors queued" in capsys.readouterr().out
    assert is_whole(capsys)


@pytest.mark.parametrize("remedy", [["doctor", "--repair"], ["reindex", "--what", "vectors"]])
def test_a_damaged_index_is_told_and_replaced(
    home: Path, capsys: pytest.CaptureFixture[str], remedy: list[str]
) -> None:
    """Both remedies work, and say where the damaged folder lies."""
    database = home / "chroma" / "chroma.sqlite3"
    database.write_bytes(b"\xff" * 4096 + database.read_bytes()[4096:])
    assert main(["doctor"]) == 1
    assert "remembrancer reindex --what vectors" in errors(capsys.readouterr().out)[0]
    assert main(remedy) == 0
    (aside,) = home.glob("chroma.damaged-*")
    assert str(aside) in capsys.readouterr().out
    assert is_whole(capsys)


def test_a_missing_key_is_one_line_and_the_rest_is_checked(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONTRACT 1 doctor: keys; a line says what is wrong and how to mend it."""
    monkeypatch.setenv("REMEMBRANCER_EMBEDDER", "openai")
    assert home.exists()
    capsys.readouterr()
    assert main(["doctor"]) == 1
    printed = capsys.readouterr().out
    (told,) = errors(printed)
    assert told.startswith("error  keys")
    assert "OPENAI_API_KEY" in told
    assert [line.split()[:2] for line in printed.splitlines() if line.startswith("ok")] == [
        ["ok", part] for part in ("settings", "graph", "extractor", "jobs")
    ]


def test_a_wrong_setting_is_one_line(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Doctor speaks to a person, whatever is wrong."""
    monkeypatch.setenv("REMEMBRANCER_EMBEDDER", "nothing")
    assert home.exists()
    capsys.readouterr()
    assert main(["doctor"]) == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    (line,) = printed.out.splitlines()
    assert line.startswith("error  settings")
    assert "REMEMBRANCER_EMBEDDER" in line


def test_an_interrupted_rebuild_is_told_and_finished(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Until a worker comes by, doctor knows."""
    with SqliteStore(load().record_path) as store:
        store.set_marker("rebuilding_vectors", "reuse")
    assert home.exists()
    assert main(["doctor"]) == 1
    assert "interrupted" in errors(capsys.readouterr().out)[0]
    assert main(["doctor", "--repair"]) == 0
    assert is_whole(capsys)


def test_failed_jobs_are_told_and_tried_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without making everything else anew."""
    with SqliteStore(load().record_path) as store:
        (item,) = store.newest("other", Filters(at=now()), 1)
        store.queue("other", [item.id], "extract")
        store.fail(store.claim(["extract"], 1, timedelta(minutes=1), "test"), "a bug since mended")
    assert home.exists()
    assert main(["doctor"]) == 1
    (told,) = errors(capsys.readouterr().out)
    assert "1 failed; `remembrancer status ID` says why, `remembrancer doctor --repair` tries again" in told
    assert main(["doctor", "--repair"]) == 0
    assert "repair jobs      1 that had failed queued again" in capsys.readouterr().out
    assert is_whole(capsys)


def test_reindex_counts_each_part_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two items are two, not six."""
    assert home.exists()
    assert main(["reindex"]) == 0
    assert (
        "Rebuilt keywords of 2 chunks, vectors of 2 items, graph of 2 items; 0 jobs wait, 0 failed.\n"
        in capsys.readouterr().out
    )
    assert main(["reindex", "--what", "graph", "--regenerate-embeddings"]) == 1
    assert json.loads(capsys.readouterr().err.splitlines()[-1])["code"] == "invalid_input"
