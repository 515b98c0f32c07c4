"""A process that kills its children at chosen steps: `python -m tests.killing URL`, with orders as lines of JSON.

It has everything imported and loaded, so that a child is a fork and ready at once. A step is a statement that
writes to the record, or a write to the vector index; a child ends itself by SIGKILL right before the one it is told.
"""

import hashlib
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import chromadb.api.rust  # noqa: F401 - imported before the forks, for all of them
import numpy.random  # noqa: F401 - as above
import onnxruntime  # type: ignore[import-untyped]  # ships no annotations

from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from graph.sqlite_store import SqliteStore
from ingest.document.text_kind import detect_language
from ingest.identity.name_forms import names_cut_to
from ingest.indexing.drift import compare_vectors
from ingest.runs import pipeline  # noqa: F401 - as above
from ingest.transfer.archive import export, import_lines, read_header
from ingest.transfer.exchange import changes, read_states
from retrieval.models.openai_embedder import OpenAIEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.actions.exchange import take_in
from service.app import App
from tests.ingest.extracting import extract
from tests.shipped import assembled

#: Statements that change nothing: a kill before one is a kill after the one before it.
_READS: Final = ("SELECT", "WITH", "PRAGMA", "EXPLAIN", "--", "SAVEPOINT")
_WRITES_OF_INDEX: Final = ("upsert", "delete", "drop", "reset")


class Steps:
    """Counts the steps of this process, and ends it before step number `last`."""

    def __init__(self, last: int | None) -> None:
        self.count, self._last = 0, last

    def watch(self) -> None:
        """Count what is written to any record and any vector index from now on."""
        connect = sqlite3.connect

        def watched(*arguments: Any, **named: Any) -> sqlite3.Connection:
            opened: sqlite3.Connection = connect(*arguments, **named)
            opened.set_trace_callback(lambda sql: None if sql.lstrip().upper().startswith(_READS) else self.take())
            return opened

        sqlite3.connect = watched  # type: ignore[assignment]
        for name in _WRITES_OF_INDEX:
            setattr(ChromaIndex, name, self._counted(getattr(ChromaIndex, name)))

    def take(self) -> None:
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def _counted(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.take()
            done = write(*arguments, **named)
            self.take()
            return done

        return counted


def embedder_of(url: str) -> OpenAIEmbedder:
    """Return an embedder whose vectors of eight numbers cost nothing to make."""
    return OpenAIEmbedder(api_key="sk-test", base_url=url, dimensions=8)


def open_app(home: Path, url: str) -> App:
    """Open a home with vectors of this service."""
    embedder = embedder_of(url)
    index = ChromaIndex(EmbeddedChroma(home / "chroma"), embedder)
    store = SqliteStore(home / "remembrancer.db")
    return assembled(store, index, embedder=embedder)


def remember(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Keep a decision, a text of several chunks, one under a key twice, a turn, and one again.

    The long text is one sentence: what costs time is sentences to extract from.
    """
    memories = [
        Memory(content="Ana Ruiz decided to paint the gate green. Ben Okafor will buy the paint by Friday."),
        Memory(content=f"The yard log has lorries {'40 41 42 43 44 45 46 47 48 49 ' * 300}.", title="Yard log"),
        Memory(content="The gate code is 1234.", key="gate", context="fact"),
        Memory(content="The gate code is 9876.", key="gate", context="fact"),
        Memory(content="Is the gate open?", context="conversation", conversation_id="yard", turn_index=0, author="Ana"),
        Memory(content="Ana Ruiz decided to paint the gate green. Ben Okafor will buy the paint by Friday."),
    ]
    for memory in memories:
        acknowledge(app.remember(memory).id)


def work(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Do all jobs that wait."""
    app.worker.drain()


def forget(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Forget an item with a revision, one with events, and a conversation."""
    for item in app.store.newest("default", Filters(at=now()), 10):
        if item.memory.key == "gate" or "Ruiz" in item.memory.content:
            app.forget(ForgetRequest(id=item.id, confirm=True))
            acknowledge(item.id)
    if app.store.conversation_ids("default", "yard"):
        app.forget(ForgetRequest(conversation_id="yard", confirm=True))
    acknowledge("yard")


def stash(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Move all items to the stash, and half of them back."""
    ids = [item.id for item in app.store.newest("default", Filters(at=now()), 10)]
    app.store.stash("default", ids, stashed=True)
    acknowledge(ids)
    app.store.stash("default", ids[::2], stashed=False)


def reindex(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Make everything anew that is derived."""
    app.reindex("all", regenerate=True)


def bring(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Import what another home exported."""
    with Path(order["file"]).open("rb") as source:
        import_lines(source, read_header(source), app.store, embedder=app.embedder, tokenizer=app.tokenizer)
    app.worker.drain()


def write_out(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Export all there is."""
    with Path(order["file"]).open("wb") as out:
        export(app.store, out, service="test")


def note(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Keep one more text."""
    acknowledge(app.remember(Memory(content=order["text"])).id)


def pull(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Bring what another home has here."""
    with closing(SqliteStore(Path(order["file"]) / "remembrancer.db")) as other:
        take_in(app, "default", changes(other, "default", read_states(app.store, "default")))


def push(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Bring what this home has to another one."""
    with closing(SqliteStore(Path(order["file"]) / "remembrancer.db")) as other:
        there = assembled(other, app.index, embedder=app.embedder)
        take_in(there, "default", changes(app.store, "default", read_states(other, "default")))


def states(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Say what two homes have equal."""
    found = read_states(app.store, "default")
    acknowledge({"items": found.items, "revisions": sorted(found.revisions)})


def pass_time() -> None:
    """Let a minute pass for this process: what a killed one held for itself is free."""
    later = lambda: now() + timedelta(minutes=1)  # noqa: E731
    for module in list(sys.modules.values()):
        if getattr(module, "now", None) is now and module.__name__ != __name__:
            module.now = later  # type: ignore[attr-defined]


def tell(app: App, acknowledge: Callable[[object], None], order: Mapping[str, Any]) -> None:
    """Finish what waits, and say what there is."""
    app.worker.drain()
    items = [item for batch in app.store.each("default") for item in batch]
    drift, jobs = compare_vectors(app.store, app.index, "default"), app.store.job_counts()
    told = app.store.events_of("default", [item.id for item in items])
    chunks = app.store.chunks("default", [item.id for item in items])
    acknowledge(
        {
            "items": {item.id: hashlib.sha256(item.memory.content.encode()).hexdigest() for item in items},
            "revisions": sorted(old.id for item in items for old in app.store.revisions("default", item.id)),
            "stashed": sorted(item.id for item in items if item.stashed),
            "incomplete": [item.id for item in items if len(chunks.get(item.id, ())) != item.num_chunks],
            "turns": app.store.count_turns("default", "yard", Filters(at=now())),
            "drift": [*drift.missing, *drift.extra],
            "vectors": sorted(app.index.ids("default")),
            "jobs": [jobs.pending, jobs.failed],
            "events": sorted(event.id for events in told.values() for event in events),
            "found": len(app.store.search("default", ["gate", "log"], Filters(at=now()), 10)),
        }
    )


def create(home: Path) -> None:
    """Open a record that is not there yet."""
    SqliteStore(home / "remembrancer.db").close()


ACTS: Final = {
    act.__name__: act
    for act in (remember, work, forget, stash, reindex, bring, write_out, note, pull, push, states, tell)
}


class _OneThread(onnxruntime.SessionOptions):  # type: ignore[misc]  # as above
    """Options of a model that is run by its caller alone: a fork has none of the threads that were there before."""

    def __init__(self) -> None:
        super().__init__()
        self.intra_op_num_threads = 1


def load(url: str) -> None:
    """Load the models and the client of the embedder that all children use."""
    onnxruntime.SessionOptions = _OneThread
    extract("Ana Ruiz decided to paint the gate green.")
    detect_language("Ana Ruiz decided to paint the gate green. " * 3)
    names_cut_to("ana")
    embedder_of(url).embed(["The gate is green."])


def serve(url: str) -> None:
    """Do each order in a child, and answer with how it ended: its signal, its steps, what it acknowledged."""
    for line in sys.stdin:
        order = json.loads(line)
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            os.close(reading)
            _do(order, url, writing)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as answers:
            said = [json.loads(answer) for answer in answers.read().splitlines()]
        _, status = os.waitpid(child, 0)
        done = said.pop() if said and isinstance(said[-1], dict) and "steps" in said[-1] else {"steps": None}
        answer = {"status": status, "steps": done["steps"], "acknowledged": said}
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


def _do(order: Mapping[str, Any], url: str, out: int) -> None:
    steps = Steps(order.get("last"))
    steps.watch()
    if order.get("later"):
        pass_time()

    def acknowledge(what: object) -> None:
        os.write(out, json.dumps(what).encode() + b"\n")

    if order["act"] == "create":
        create(Path(order["home"]))
    else:
        with open_app(Path(order["home"]), url) as app:
            ACTS[order["act"]](app, acknowledge, order)
    acknowledge({"steps": steps.count})


if __name__ == "__main__":
    load(sys.argv[1])
    serve(sys.argv[1])
