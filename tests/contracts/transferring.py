"""What the tests of transfer share: exports in memory, and a memory in which much has happened."""

import io
from datetime import timedelta
from typing import Final

from core.filters import Filters
from core.interface.learning import MergeAction, MergeRequest
from core.interface.memory import Memory
from core.knowledge.findings import Extraction
from core.knowledge.ledger import Resolution
from core.knowledge.runs import Findings, RunScope
from core.records import Chunk, JobKind
from graph.store import Store
from ingest.identity.merge_requests import apply_merge_requests
from ingest.intake.artifacts import remember
from ingest.runs.run import create_run, execute
from ingest.transfer.archive import Imported, export, import_lines, read_header
from retrieval.models.local_embedder import LocalEmbedder
from tests.contracts.makers import HOSTILE, at, everything
from tests.ingest.running import PROJECT, Rewriter, drain

MINUTES: Final = (
    "Attendees: Anna Berg, Joris Vanhove\n\n"
    "We decided to keep the paper archive in Bremen until the end of May.\n"
    "Anna Berg will send the revised contract to the lawyers by 2026-03-20.\n"
)
_NOTES: Final = (
    Memory(content=MINUTES, context="meeting", date="2026-03-02", title="Archive", key="archive", tags=("a", "b")),
    Memory(content="Anna will send the plan by Friday.", importance=0.9, metadata={"who": ["é", None, 1.5]}),
    Memory(content="We decided to paint the office blue.", date="2026-03-03", key="paint", context="decision"),
    Memory(content="Anna Berg sent the revised contract to the lawyers.", date="2026-03-18T23:30:00-05:00"),
    Memory(content="Jon Smith approved the budget. John Smith is worried about the roof.", author="Marta Lind"),
    Memory(content=MINUTES + "That is what was agreed.", context="note", source="agent", date="2026-03-05T03:00+14:00"),
    Memory(content="It ended.", expires_at="2026-01-01"),
    *(Memory(content=f"turn {n}", context="conversation", conversation_id="c", turn_index=n) for n in range(3)),
    *(Memory(content=text, title=text, tags=(text,)) for text in HOSTILE),
)
#: What takes the place of others under their keys: one of them says again what the former text said.
_LATER: Final = (
    Memory(content="We decided to paint the office green.", key="paint", context="decision", date="2026-03-09"),
    Memory(content=MINUTES + "The lift stays.", context="meeting", date="2026-04-02", key="archive"),
)
#: Another project, which shares names and texts with the first.
_OTHERS: Final = (Memory(content="Anna Berg decided to stay."), Memory(content=MINUTES, key="archive"))


def lived(store: Store, embedder: LocalEmbedder) -> None:
    """Fill a store with all that an export can hold, in two projects; two items wait to be learnt."""
    kept = {memory.content: put(store, memory, embedder) for memory in _NOTES}
    put(store, _NOTES[1], embedder)
    drain(store)
    for memory in _OTHERS:
        put(store, memory, embedder, "other")
    drain(store)
    run = create_run(PROJECT, RunScope(ids=(kept[MINUTES], kept[_NOTES[4].content])), store, Rewriter())
    execute(run, store, Rewriter())
    store.put_run(create_run(PROJECT, RunScope(context="chat"), store, Rewriter("tests:other")))
    findings = Findings(extractor="a:b", text_hash="1", found=Extraction(), proposed=True)
    store.cache_findings(PROJECT, kept[MINUTES], findings)
    for memory in _LATER:
        put(store, memory, embedder)
    drain(store)
    _judge(store)
    for event in store.list_events(PROJECT, ["Commitment"], everything(), 2):
        store.add_resolution(PROJECT, Resolution(event.id, "done", at(1), "said so"))
        store.add_resolution(PROJECT, Resolution(event.id, "open", at(2)))
    store.stash(PROJECT, [kept["Anna will send the plan by Friday."], kept[HOSTILE[3]]], stashed=True)
    _embed(store, embedder)
    put(store, Memory(content="This waits.", key="paint", context="stash"), embedder)
    put(store, Memory(content="Anna waits, too."), embedder, "other")


def put(store: Store, memory: Memory, embedder: LocalEmbedder, project: str = PROJECT) -> str:
    """Remember, and return the id."""
    return remember(memory, project, store, embedder.tokenizer).added.artifact_id


def _judge(store: Store) -> None:
    def rule(kind: MergeAction, one: str, other: str) -> None:
        apply_merge_requests(PROJECT, [MergeRequest(kind=kind, one=one, other=other, by="Bo", note="they said")], store)

    rule("accept", "Jon Smith", "John Smith")
    rule("reject", "Marta Lind", "Anna Berg")
    rule("undo", "Jon Smith", "John Smith")
    rule("accept", "John Smith", "Jon Smith")
    rule("split", "John Smith", "Jon Smith")


def _embed(store: Store, embedder: LocalEmbedder) -> None:
    """Cache embeddings that no model made, of all current items."""
    ids = [one.id for one in store.newest(PROJECT, Filters(at=at(36_500)), 99)]
    chunks: list[Chunk] = [chunk for several in store.chunks(PROJECT, ids).values() for chunk in several]
    vectors = embedder.embed([chunk.embedded_text for chunk in chunks])
    store.cache_vectors(
        embedder.model, {chunk.embedding_key_in(PROJECT): row for chunk, row in zip(chunks, vectors, strict=True)}
    )


def exported(store: Store, *, project_id: str | None = None, model: str | None = None) -> bytes:
    """Return an export."""
    out = io.BytesIO()
    export(store, out, service="tests", project_id=project_id, model=model)
    return out.getvalue()


def imported(store: Store, data: bytes, embedder: LocalEmbedder) -> Imported:
    """Take an export in."""
    source = io.BytesIO(data)
    return import_lines(source, read_header(source), store, embedder=embedder, tokenizer=embedder.tokenizer)


def cut(data: bytes, lines: int) -> bytes:
    """Return the beginning of an export: the first line and so many more."""
    return b"".join(data.splitlines(keepends=True)[: lines + 1])


def worked(store: Store, kinds: tuple[JobKind, ...] = ("embed", "erase")) -> None:
    """Do the jobs of these kinds without their work."""
    for kind in kinds:
        while jobs := store.claim([kind], 99, timedelta(minutes=1), "tests"):
            store.complete(jobs)
