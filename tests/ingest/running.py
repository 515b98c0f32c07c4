"""What the tests of runs share: a second extractor, one behind a service, and all that is known of some items."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from core.errors import Conflict
from core.interface.memory import Memory
from core.knowledge.findings import Entity, Event, EventLink, Extraction, FoundEntity, FoundEvent, Knowledge, Span
from core.knowledge.identities import MergeCandidate
from core.knowledge.runs import Run, RunScope
from core.openai_usage import Usage
from core.records import Artifact
from graph.store import Store
from ingest.extract.protocol import Extractor
from ingest.intake.artifacts import remember
from ingest.runs.pipeline import extract_artifact
from ingest.runs.run import create_run, execute
from retrieval.models.local_embedder import LocalEmbedder
from tests.shipped import shipped_extractor

PROJECT = "p"
TEXTS = (
    "Anna will send the plan by Friday.",
    "We decided to paint the harbour office blue. Marta Lindqvist will order the paint by 2026-04-01.",
    "Marta approved the budget. Joris Vanhove is worried about the roof.",
    "Joris Vanhove will call the roofer tomorrow. We agreed to close the harbour office in May.",
)


@dataclass
class Rewriter:
    """A real second extractor: what the local one finds, with the first event dropped, others reworded, one added."""

    name: str = "tests:rewriter"
    full: str = "Anna Okonkwo"
    #: Item contents after which the process is interrupted, or which can't be read.
    interrupts: Sequence[str] = ()
    refuses: Sequence[str] = ()
    read: list[str] = field(default_factory=list)

    def extract(self, artifact: Artifact) -> Extraction:
        content = artifact.memory.content
        if content in self.interrupts:
            raise KeyboardInterrupt
        if content in self.refuses:
            raise Conflict("This model refuses to read it: leave it to the local extractor.")
        self.read.append(content)
        found = shipped_extractor().extract(artifact)
        events = tuple(replace(event, summary=f"{event.summary} (as told)") for event in found.events[1:])
        mention = (Span(0, 4),) if content.startswith("Anna") else ()
        person = FoundEntity(self.full, "person", mentions=mention)
        last = content.split()[-1]
        added = FoundEvent("Feedback", f"{self.full} noted it", last, len(content), actors=((self.full, "owner"),))
        return Extraction((*found.entities, person), (*events, added))


@dataclass
class Remote(Rewriter):
    """The same behind a service that counts what it is asked."""

    name: str = "tests:remote"
    seconds_since_response: float = 0.0

    def check(self) -> str:
        return self.name

    def usage(self) -> Usage:
        return Usage(len(self.read), 10 * len(self.read), len(self.read))

    def close(self) -> None:
        """Nothing is open."""


def stored(store: Store, embedder: LocalEmbedder, texts: Sequence[str] = TEXTS, **fields: Any) -> list[str]:
    """Remember texts and learn them with the local extractor; return their ids."""
    ids = [
        remember(Memory(content=text, **fields), PROJECT, store, embedder.tokenizer).added.artifact_id for text in texts
    ]
    drain(store)
    return ids


def drain(store: Store, extractor: Extractor | None = None) -> None:
    """Do the background work of extraction that waits."""
    while jobs := store.claim(["extract"], 100, timedelta(minutes=1), "test"):
        for job in jobs:
            extract_artifact(job.project_id, job.artifact_id, store, extractor or shipped_extractor())
        store.complete(jobs)


@dataclass(frozen=True)
class Dump:
    """All the knowledge of some items: lessons, events with statuses and links, and entities, all they are called and
    may be."""

    lessons: dict[str, Knowledge]
    events: dict[str, list[Event]]
    links: list[EventLink]
    entities: list[Entity]
    named: dict[str, list[Entity]]
    merge_candidates: list[MergeCandidate]


def dump(store: Store, ids: Sequence[str]) -> Dump:
    entities = sorted(store.entities_of(PROJECT, ids, 10_000), key=lambda entity: entity.id)
    lessons = store.artifact_knowledge(PROJECT, ids)
    brought = {entity.id for lesson in lessons.values() for entity in lesson.entities}
    whole = store.entities(PROJECT, sorted(brought))
    names = sorted({name for entity in whole.values() for name in (entity.name, *entity.aliases)})
    events = store.events_of(PROJECT, ids, 1_000)
    links = store.event_links(PROJECT, [event.id for given in events.values() for event in given])
    return Dump(
        lessons,
        events,
        links,
        entities,
        store.entities_by_name(PROJECT, names),
        store.merge_candidates(PROJECT, sorted(brought), 1_000),
    )


def told(store: Store, ids: Sequence[str]) -> tuple[set[tuple[object, ...]], set[tuple[object, ...]]]:
    """Return what is known whatever ids entities have: those depend on which item was learnt first."""
    seen = dump(store, ids)
    events: set[tuple[object, ...]] = {
        (event.id, event.summary, event.status, tuple(actor.name for actor in event.actors))
        for given in seen.events.values()
        for event in given
    }
    return events, {(one.name, one.type, one.aliases, one.mention_count) for one in seen.entities}


def run_of(store: Store, extractor: Extractor, **scope: Any) -> Run:
    """Do a whole run, and the background work that follows from it."""
    run = execute(create_run(PROJECT, RunScope(**scope), store, extractor), store, extractor)
    drain(store)
    return run
