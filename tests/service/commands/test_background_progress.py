"""How far background work is shown to be, from the shell."""

import json
from pathlib import Path

from core.interface.ingestion import IngestRequest
from core.interface.memory import Memory
from ingest.intake.artifacts import remember
from service.actions.client_files import Intake
from service.app import App
from service.commands import ingest


class Shown:
    """A bar that keeps what it shows."""

    def __init__(self) -> None:
        self.states: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        """Keep a state."""
        self.states.append((done, total))

    def within(self, done: int, total: int) -> None:
        """Keep nothing: the state is shown apart."""


def test_what_was_done_never_becomes_less(app: App) -> None:
    """Where others store meanwhile, too; the first state counts what is there, and the last says that all is done."""
    texts = [f"Parcel {number} is on the pier." for number in range(9)]
    for text in texts[:4]:
        remember(Memory(content=text), "default", app.store, app.tokenizer)
    shown = Shown()
    work = ingest._Work(app, shown)
    app.worker.step()
    work.look()
    for text in texts[4:]:
        remember(Memory(content=text), "default", app.store, app.tokenizer)
    work.look()
    app.worker.drain(work.look, work.within)
    work.look()
    assert shown.states[0] == (0, 8)
    assert shown.states[-1] == (18, 18)
    assert shown.states == sorted(shown.states)
    assert (4, 18) in shown.states


def test_nothing_is_left_when_it_ends(app: App) -> None:
    """And nothing is waited for that nobody has in hand."""
    remember(Memory(content="The pump needs a gasket."), "default", app.store, app.tokenizer)
    left = ingest.run_pending_jobs(app)
    assert (left.pending, left.running, left.failed) == (0, 0, 0)


def test_a_client_is_told_what_still_runs(app: App, tmp_path: Path) -> None:
    """Of much, which takes a while."""
    lines = [json.dumps({"content": f"Parcel {number} is on the pier."}) for number in range(60)]
    (tmp_path / "parcels.jsonl").write_text("\n".join(lines))
    app.intake = Intake(roots=(tmp_path,))
    told = app.ingest(IngestRequest(path="parcels.jsonl"))
    assert told.stored == 60
    assert "120 jobs" in (told.hint or "")
