"""The protocols of the system of record, and the store that fulfils them all.

Promises that hold for every method of every engine:

- Safe to call from several threads, and several processes may share one store.
- Every write is one transaction: when the method returns it survives `kill -9`; when it raises nothing was written,
  save where a server was lost at the very end of it: then the message says that it may be stored.
- Nothing of another project is ever read, counted or changed, save where `Words.search` says otherwise.
- Ids that are not stored are left out of the answer, never an error, unless the method says otherwise.
- Revisions (replaced under their key) are only seen by `Records.get` and `Records.revisions`; items past their
  `expires_at` only by those and `Records.by_fingerprint`.
- The driver's failures are raised as `Unavailable`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from types import TracebackType
from typing import Protocol, Self

from core.candidates import Candidate, TermStatistics
from core.embedding import Vectors
from core.filters import Filters
from core.interface.facets import FacetCounts
from core.knowledge.findings import Category, Entity, Event, Knowledge, Link
from core.records import Added, Artifact, Cascade, Chunk, Counts, Job, JobCounts, JobKind, JobReport, Mark, Scored
from graph.protocols.echoes import Echoes
from graph.protocols.identities import Identities
from graph.protocols.ledger import Ledger
from graph.protocols.rules import Rules
from graph.protocols.runs import Runs
from graph.protocols.soundness import Soundness
from graph.protocols.transfer import Transfer


class Records(Protocol):
    """Artifacts, their text, chunks and turns, and the embeddings cached beside them."""

    def add(self, artifact: Artifact, chunks: Sequence[Chunk], jobs: Sequence[JobKind]) -> Added:
        """Store an artifact with its chunks, words and jobs.

        - An item with the same fingerprint is current: `duplicate`. Its frequency grows by one, `last_occurred` becomes
          the new artifact's, and fields outside the identity that differ from the field's default are renewed
          (`Memory.renewed`), `expires_at` in any case if the item has expired by then; if that changed any,
          `updated_at` becomes the new artifact's too, and those of `jobs` are pending again, since what was derived
          from the former fields is stale. If not, no jobs are queued.
        - Another current item has the same key and context: `updated`. That one becomes a revision: out of words,
          lists and counts, with an `erase` job for its vectors. Its knowledge stays, and so does its text.
        - A revision with the same fingerprint becomes current again, under its own id: `updated`. Beside that it is
          renewed as a duplicate is, and its `updated_at` is the new artifact's.
        - Another item already has `artifact.id`: the artifact and its chunks are stored under the next free
          `core.records.artifact_id(fingerprint, attempt)`.
        - A pending `erase` of the same id is dropped: what is stored again is not erased.
        """
        ...

    def add_all(self, items: Sequence[tuple[Artifact, Sequence[Chunk]]], jobs: Sequence[JobKind]) -> list[Added]:
        """Do what `add` does for each of these artifacts of one project in turn, all in one transaction."""
        ...

    def get(self, project_id: str, ids: Sequence[str]) -> dict[str, Artifact]:
        """Return the artifacts with these ids, revisions included."""
        ...

    def by_fingerprint(self, project_id: str, fingerprint: str) -> Artifact | None:
        """Return the current item with this fingerprint; None if there is none."""
        ...

    def by_key(self, project_id: str, key: str, filters: Filters) -> list[Artifact]:
        """Return the current items with exactly this key (one a context), newest `updated_at` first."""
        ...

    def revisions(self, project_id: str, artifact_id: str) -> list[Artifact]:
        """Return what this item has replaced, directly or through others, newest first."""
        ...

    def chunks(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[Chunk]]:
        """Return all chunks of current artifacts, in index order."""
        ...

    def chunks_at(self, project_id: str, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Chunk]:
        """Return the chunks at these (artifact id, index) places."""
        ...

    def passing(self, project_id: str, artifact_ids: Sequence[str], filters: Filters) -> set[str]:
        """Return those of the ids whose items are current and pass the filters."""
        ...

    def newest(
        self, project_id: str, filters: Filters, limit: int, offset: int = 0, *, after: Mark | None = None
    ) -> list[Artifact]:
        """Return current items that pass, newest `happened_at` first, ties by newest stored, then by id.

        With `after` those behind that place, whatever was added, replaced or removed before it since; the offset counts
        from there.
        """
        ...

    def count(self, project_id: str, filters: Filters) -> int:
        """Return how many current items pass."""
        ...

    def facets(self, project_id: str, filters: Filters, most: int) -> FacetCounts:
        """Return how many of the current items that pass have each tag, are of each type, and are from each month.

        Of each up to `most` values.
        """
        ...

    def places(self, project_id: str, filters: Filters, most: int) -> list[tuple[str, int]]:
        """Return the (artifact id, index) places of all chunks whose items pass; of more than `most`, so many of them.

        The order is none. The cost is bounded by `most` where items that pass are found one after another.
        """
        ...

    def turns(self, project_id: str, conversation_id: str, filters: Filters, limit: int, offset: int) -> list[Artifact]:
        """Return the conversation's turns by `turn_index`, ties by time of storing; equal words are separate turns.

        Items of any context with this conversation id and a turn index are turns.
        """
        ...

    def count_turns(self, project_id: str, conversation_id: str, filters: Filters) -> int:
        """Return how many turns `turns` has in all."""
        ...

    def stash(self, project_id: str, ids: Sequence[str], *, stashed: bool) -> list[str]:
        """Move current items to the stashed tier or back; return the ids that are stored, moved now or before.

        Those moved now get a pending `embed` job, since what the vector index keeps of them is stale.
        """
        ...

    def turns_around(self, project_id: str, conversation_id: str, turn_index: int, filters: Filters) -> list[Artifact]:
        """Return the turns of the nearest lower index and of the nearest higher one, in order; at the ends fewer."""
        ...

    def recent_keys(self, project_id: str, limit: int) -> list[str]:
        """Return the keys of current items, newest `updated_at` first."""
        ...

    def counts(self, project_id: str) -> Counts:
        """Return how many of each thing the project holds."""
        ...

    def projects(self) -> list[str]:
        """Return the ids of all projects with anything in them, sorted."""
        ...

    def each(self, project_id: str, *, batch: int = 200) -> Iterator[list[Artifact]]:
        """Yield all current items in the order of storing, `batch` at a time; items added meanwhile may be missed."""
        ...

    def rechunk(self, project_id: str, artifact_id: str, chunks: Sequence[Chunk]) -> None:
        """Replace the chunks of a current artifact and their words, and its `num_chunks`; unknown ids do nothing."""
        ...

    def remove(self, project_id: str, ids: Sequence[str], *, dry_run: bool = False) -> Cascade:
        """Remove items with their revisions, text, words, jobs, events, mentions, and what only they bore witness to.

        Entities that nothing mentions any more go too, names that only they gave are taken back, and embeddings of
        texts that nothing else has are dropped. An `erase` job for the vectors of each is queued in the same
        transaction. With `dry_run` nothing changes and the counts are those of the real call.

        No method and no query reaches the text when this returns. An engine over a file has it in no file of the store
        either, save where a reader in another thread or process holds on to an older state; single words of it may stay
        in the files of a large full-text index until the store is next closed. When the text leaves the files and logs
        of a server is that server's business.
        """
        ...

    def conversation_ids(self, project_id: str, conversation_id: str) -> list[str]:
        """Return the ids of all items of a conversation, turns or not, revisions included."""
        ...

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return the cached embeddings of texts by their hash, each of shape (dimension,)."""
        ...

    def cache_vectors(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep embeddings by the hash of their text, if some chunk of any project has it; one there is replaced."""
        ...

    def drop_cached_vectors(self, model: str) -> int:
        """Forget all cached embeddings of a model; return how many there were."""
        ...

    def vectors(self, project_id: str, model: str, filters: Filters) -> tuple[list[tuple[str, int]], Vectors]:
        """Return the places of all chunks that pass and have a cached embedding, and those embeddings, row by row."""
        ...

    def marker(self, name: str) -> str | None:
        """Return a store-wide note, such as the model that the vectors were made with; None if it was never set."""
        ...

    def set_marker(self, name: str, value: str) -> None:
        """Set a store-wide note."""
        ...

    def claim_marker(self, name: str, value: str, *, instead_of: str | None = None) -> str | None:
        """Set a store-wide note if it is `instead_of` now, None for one never set; return what it is afterwards.

        Of several who claim at once, in whatever process, one gets it.
        """
        ...


class Words(Protocol):
    """Full text: by stem over the chunks of all current items, by substring over the stashed ones.

    Where an engine makes an index anew it may be away meanwhile: then `search` raises `WordsAway`.
    """

    def search(
        self, project_id: str, terms: Sequence[str], filters: Filters, limit: int, *, enough: int | None = None
    ) -> list[Scored]:
        """Return chunks that hold any of the terms (stemmed, case and accents folded), best BM25 first.

        Where rarer terms find `enough` of them (`limit` if not given) an engine may leave the most common ones out.
        A term is a word or several (then a phrase). Signs that mean something to the engine mean nothing here. No
        usable term gives an empty list. Ties are in no promised order. How rare a term is and how long a chunk is on
        average may be counted over all projects of the engine, so that a score may change when another project does.
        """
        ...

    def containing(
        self, project_id: str, fragments: Sequence[str], filters: Filters, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        """Return the ids of stashed items whose content holds every fragment as a substring, and their true number.

        Case is folded; a fragment has one character or more. No fragments: all stashed items that pass. Newest
        `happened_at` first.
        """
        ...

    def rebuild(self) -> int:
        """Make both indexes anew from the chunks of the record; return how many chunks there are."""
        ...


class Candidates(Protocol):
    """What ranking reads of chunks that may answer, and of the project they are in.

    With `as_of` the project is that of the items dated until then.
    """

    def candidates(
        self, project_id: str, model: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> list[Candidate]:
        """Return the chunks at these (artifact id, index) places whose items pass, in any order.

        Their embeddings are those cached of this model.
        """
        ...

    def turns_near(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        """Return the turns that pass and are in the conversation of one of these, `reach` in `turn_index` from it.

        Those named are among them if they pass; the order is none.
        """
        ...

    def authors(self, project_id: str, names: Sequence[str], *, as_of: datetime | None = None) -> list[str]:
        """Return those of the names, one word each, that are the author of a turn or the first word of one's name.

        Capital letters of the Latin alphabet are the same as small ones.
        """
        ...

    def term_statistics(
        self, project_id: str, terms: Sequence[int], *, as_of: datetime | None = None
    ) -> TermStatistics:
        """Return how common these terms (`graph.text.term_vectors`) are in the project, exactly.

        As of a moment every chunk on one side of it is read, the side with fewer items.
        """
        ...

    def sample(self, project_id: str, model: str, number: int, *, as_of: datetime | None = None) -> Vectors:
        """Return up to `number` cached embeddings of the project's chunks: the same ones while nothing changes.

        They are those of the first chunks by artifact id, which is a digest, as good as drawn by lot; of a long
        document each eighth. Where few of the first have embeddings yet it is fewer than there are.
        """
        ...


class Jobs(Protocol):
    """The durable ledger of background work: at most one job a kind and artifact."""

    def queue(self, project_id: str, artifact_ids: Sequence[str], kind: JobKind) -> int:
        """Set this job of each current artifact to pending with no attempts, whatever it was; return how many."""
        ...

    def claim(self, kinds: Sequence[JobKind], limit: int, lease: timedelta, owner: str) -> list[Job]:
        """Take up to `limit` jobs of one kind that are due, oldest first, kinds in the order given.

        A job is due when it is pending and past its not-before, or running with its lease run out, or either is farther
        away than `core.records.FARTHEST_DUE`, since then the clock was set back. Claimed jobs are
        running, and no one else gets them until the lease ends. All jobs of one answer have one kind and one project.
        """
        ...

    def extend(self, jobs: Sequence[Job], lease: timedelta) -> None:
        """Push the end of the lease to `lease` from now, for those jobs still held by their `lease_owner`."""
        ...

    def complete(self, jobs: Sequence[Job]) -> None:
        """Mark jobs done, those still held by their `lease_owner`; a finished `erase` or `reembed` disappears."""
        ...

    def retry(self, jobs: Sequence[Job], error: str, not_before: datetime) -> None:
        """Put jobs still held back to pending, not to be claimed before `not_before`, with the reason."""
        ...

    def fail(self, jobs: Sequence[Job], error: str) -> None:
        """Park jobs still held as failed, with the reason."""
        ...

    def queue_failed(self) -> int:
        """Set all parked jobs of all projects to pending with no attempts; return how many."""
        ...

    def job_counts(self, project_id: str | None = None) -> JobCounts:
        """Return how many jobs wait or run, and how many failed; of all projects with None."""
        ...

    def job_reports(self, project_id: str, artifact_id: str) -> list[JobReport]:
        """Return where each job of one artifact stands, sorted by kind; empty if it has none."""
        ...


class KnowledgeGraph(Protocol):
    """Entities, events and evidence, and the bounded ways between them.

    An entity's `name` is the longest `name` that any stored artifact gives it (ties: the alphabetically first), its
    aliases are the other names and the aliases given, sorted; its role and organisation are those given by the newest
    (`happened_at`) artifact that gives one. Actors and subjects are shown under their entity's name, whatever an event
    was stored with.

    With `as_of` only what items dated until then say is known: entities under the names and with the counts that they
    had, events with the evidence of then, and with the status that the ledger gives them as of then. What a person or a
    later text made known of who is who holds for the past too.
    """

    def replace(self, project_id: str, artifact_id: str, knowledge: Knowledge) -> bool:
        """Make `knowledge` all that this artifact teaches, dropping what an earlier run stored for it.

        Event statuses set since (done, superseded, …) are kept for events whose id stays; a new event without a
        status gets that of `core.knowledge.findings.FIRST_STATUS`. False, and nothing written, if the artifact is not
        stored.

        Raises:
            InvalidInput: it names an entity that is not among its entities, or evidence in an artifact not stored.
        """
        ...

    def events(self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Event]:
        """Return events with actors, subjects and evidence."""
        ...

    def events_of(
        self, project_id: str, artifact_ids: Sequence[str], limit: int = 50, *, as_of: datetime | None = None
    ) -> dict[str, list[Event]]:
        """Return the events that each artifact bears witness to: by confidence, then in the text's order."""
        ...

    def list_events(
        self, project_id: str, categories: Sequence[Category], filters: Filters, limit: int, offset: int = 0
    ) -> list[Event]:
        """Return events of these categories with an artifact that passes, newest `event_time` first, then by id."""
        ...

    def entities(self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Entity]:
        """Return entities with aliases and mention counts."""
        ...

    def entities_of(
        self, project_id: str, artifact_ids: Sequence[str], limit: int, *, as_of: datetime | None = None
    ) -> list[Entity]:
        """Return the entities that these artifacts mention, most mentioned in them first, ties by name."""
        ...

    def named(self, project_id: str, names: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities that have these names or aliases, compared as `core.knowledge.findings.normalised` does.

        Keys are the normalised names that were found; entities by mention count, highest first.
        """
        ...

    def mentions(self, project_id: str, entity_ids: Sequence[str], filters: Filters, limit: int) -> list[Scored]:
        """Return chunks in which the name of any of the entities begins, by how many different ones.

        Ties: newest item first, then in the text's order.
        """
        ...

    def links(
        self, project_id: str, ids: Sequence[str], kinds: Sequence[str], limit: int, *, as_of: datetime | None = None
    ) -> list[Link]:
        """Return up to `limit` steps from each of the nodes to neighbours of each of these kinds, heaviest first.

        From an event the neighbours are entities, from an entity events; `kinds` are entity types or event categories.
        Events that only revisions bear witness to have no neighbours and are none.
        An entity's newer events (`event_time`, else their artifact's `happened_at`) are heavier, the surer of equally
        new ones; an event's entities weigh the same.
        The cost is bounded by nodes × kinds × limit, however many neighbours a node has; as of a moment events that
        only later items bear witness to are read past.
        """
        ...


class Store(
    Records,
    Words,
    Candidates,
    Jobs,
    KnowledgeGraph,
    Identities,
    Runs,
    Echoes,
    Ledger,
    Rules,
    Soundness,
    Transfer,
    Protocol,
):
    """One engine that fulfils them all, opened on one place. Use it with `with`, or call `close`."""

    def ping(self) -> str:
        """Return one line about the store: engine and place, nothing that would tell of what any project holds.

        Raises:
            Unavailable: it does not answer; the message says what to do.
        """
        ...

    def frozen(self) -> AbstractContextManager["Store"]:
        """Lend this store as of one moment, to be read by one thread while others write, and valid within the block.

        An engine on a server may lend itself: then each call alone is as of one moment.
        """
        ...

    def close(self) -> None:
        """Release files and connections; calling it twice is no error.

        Forgotten words that are still in the full-text index's files leave them first.

        Raises:
            Unavailable: those words could not leave; the store is closed, and closing it again later will try again.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
