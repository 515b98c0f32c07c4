"""docs/operations.md, "What a text may take": no text stops the service, and what fails is named and can be retried."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from service.app import App
from service.cli import main
from service.settings import load_settings
from service.wiring import open_app

MODULE = """
import os, re, signal, sys
from pathlib import Path
from core.knowledge.findings import Extraction, FoundEvent

DEEDS = {
    "hang": lambda: re.match("(a+)+b", "a" * 60),
    "eat": lambda: bytearray(400_000_000),
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: os._exit(3),
}

class Misled:
    name = "misled"

    def extract(self, artifact):
        content = artifact.memory.content
        if not Path("MENDED").exists():
            for word, deed in DEEDS.items():
                if word in content: deed()
        return Extraction(events=(FoundEvent("Decision", content, content, 0),))
"""
#: What a text that has the word does to the extractor, and how that is reported.
REASONS = {
    "hang": "Extraction took more than 3 s.",
    "eat": "Extraction needed more than 300 MiB.",
    "segfault": "The process of extraction ended with signal 11.",
    "exit": "The process of extraction ended with exit code 3.",
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")


@pytest.fixture
def misled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A memory with an extractor that some texts mislead, and tight limits."""
    facts = tmp_path / "misled-1.0.dist-info"
    facts.mkdir()
    (tmp_path / "misled.py").write_text(MODULE, encoding="utf-8")
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: misled\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text("[remembrancer.extractors]\nmisled = misled:Misled\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("REMEMBRANCER_GRAPH", "REMEMBRANCER_VECTORS", "REMEMBRANCER_RERANKER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REMEMBRANCER_EXTRACTOR", "misled")
    monkeypatch.setenv("REMEMBRANCER_EXTRACTION_SECONDS", "3")
    monkeypatch.setenv("REMEMBRANCER_EXTRACTION_MEMORY", "300")
    with open_app(load_settings()) as app:
        yield app


def remember_all(app: App) -> dict[str, str]:
    """Remember a text that misleads for each way, and good ones beside them; return their ids by word."""
    texts = {word: f"The {word} of the harbour." for word in ("opening", *REASONS, "closing")}
    ids = {
        word: app.remember(Memory(content=text, title=f"On {word}", context="note")).id for word, text in texts.items()
    }
    app.remember(Memory(content="The harbour elsewhere."), "other")
    app.worker.drain()
    return ids


@pytest.mark.exhaustive
def test_items_that_mislead_the_extractor_are_parked_at_once_and_named(misled: App) -> None:
    """Each once, with what failed; the others are extracted, those of other projects too, and all are found."""
    ids = remember_all(misled)
    status = misled.status()

    assert {(item.id, item.kind, item.title, item.error) for item in status.parked or []} == {
        (ids[word], "extract", f"On {word}", reason) for word, reason in REASONS.items()
    }
    assert (status.pending_jobs, status.failed_jobs) == (0, len(REASONS))
    assert misled.store.job_reports("default", ids["hang"])[1].attempts == 1
    events = misled.store.events_of("default", list(ids.values()), 9)
    assert {word for word, id_ in ids.items() if events.get(id_)} == {"opening", "closing"}
    assert misled.status(project_id="other").parked is None
    found = misled.recall(Question(query="harbour", limit=20)).results
    assert {result.id for result in found} == set(ids.values())
    assert misled.index.ids("default") == {f"{id_}:0" for id_ in ids.values()}


@pytest.mark.exhaustive
def test_items_that_hang_keep_another_project_waiting_for_one_turn_alone(misled: App) -> None:
    """A turn ends with the item that is in hand after five seconds: here two items that take the three they may."""
    for number in range(5):
        misled.remember(Memory(content=f"The hang of harbour {number}."))
    waiting = misled.remember(Memory(content="The harbour elsewhere."), "other").id
    while not misled.store.events_of("other", [waiting], 1).get(waiting):
        assert misled.worker.step()

    assert 1 <= len(misled.status().parked or []) <= 2
    assert misled.index.ids("other") == {f"{waiting}:0"}


@pytest.mark.exhaustive
def test_parked_items_are_retried(misled: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By id or all of a project; what fails again is parked again."""
    ids = remember_all(misled)
    misled.close()
    assert main(["extract", "--retry", ids["exit"]]) == 1
    assert "1 items extracted again, 1 failed." in capsys.readouterr().out
    assert main(["extract", "--retry", ids["opening"]]) == 1
    assert "has not failed" in capsys.readouterr().err
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert all(f"extract of {ids[word]} 'On {word}' in default: {reason}" in said for word, reason in REASONS.items())

    (tmp_path / "MENDED").touch()
    assert main(["extract", "--retry", ids["exit"]]) == 0
    assert main(["extract", "--retry"]) == 0
    assert f"{len(REASONS) - 1} items extracted again, 0 failed." in capsys.readouterr().out
    assert main(["doctor"]) == 0
