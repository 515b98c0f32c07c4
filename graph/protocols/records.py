"""The protocol of records: artifacts, their text, chunks and turns, and their cached embeddings."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from core.filters import Filters
from core.interface.question import FacetCounts
from core.knowledge.runs import CallerAnnotations
from core.records import Added, Artifact, Chunk, Counts, DeletionCounts, JobKind, KeyHolder, ListCursor
from core.search import Vectors


class Records(Protocol):
    """Artifacts, their text, chunks and turns, and their cached embeddings."""

    def add(
        self,
        artifact: Artifact,
        chunks: Sequence[Chunk],
        jobs: Sequence[JobKind],
        annotations: CallerAnnotations | None = None,
    ) -> Added:
        """Store an artifact with its chunks, words and jobs, and what its caller tells of it as `Runs.annotate` keeps
        it.

        - An item with the same fingerprint is current: `duplicate`. Its frequency grows by one, `last_occurred` becomes
          the new artifact's, and the fields outside the identity that were given are renewed
          (`Memory.updated_with`), `expires_at` in any case if the item has expired by then; if that changed any,
          `updated_at` becomes the new artifact's too, and those of `jobs` are pending again, since what was derived
          from the former fields is stale. If not, no jobs are queued.
        - Another current item has the same key and context: `updated`. That one becomes a revision: out of words,
          lists and counts, with an `erase` job for its vectors. Its knowledge stays, and so does its text.
        - A revision with the same fingerprint becomes current again, under its own id: `updated`. Otherwise it is
          renewed as a duplicate is, and its `updated_at` and the form of its text are the new artifact's.
        - Another item already has `artifact.id`: the artifact and its chunks are stored under the next free
          `core.records.artifact_id(fingerprint, attempt)`.
        - A pending `erase` of the same id is dropped: what is stored again is not erased.
        - Annotations of the item that it replaces are copied, as far as they apply to its text
          (`core.knowledge.runs.annotations_in`).
        """
        ...

    def add_all(
        self,
        items: Sequence[tuple[Artifact, Sequence[Chunk]]],
        jobs: Sequence[JobKind],
        annotations: Sequence[CallerAnnotations | None] = (),
    ) -> list[Added]:
        """Do what `add` does for each of these artifacts of one project in turn, all in one transaction.

        `annotations` has an entry for each artifact, or is empty.
        """
        ...

    def supersede(self, project_id: str, former_id: str, successor: Artifact) -> bool:
        """Make a current item a revision of another one, as `add` does under one key; return whether both were current.

        Annotations of the former are copied, as far as they apply to the successor's text, and the successor's jobs
        bring them into effect.
        """
        ...

    def get(self, project_id: str, ids: Sequence[str]) -> dict[str, Artifact]:
        """Return the artifacts with these ids, revisions included."""
        ...

    def by_fingerprint(self, project_id: str, fingerprint: str, *, revisions: bool = False) -> Artifact | None:
        """Return the current item with this fingerprint, or a revision if asked for; None if there is none."""
        ...

    def by_key(self, project_id: str, key: str, filters: Filters) -> list[Artifact]:
        """Return the current items with exactly this key (one a context), newest `updated_at` first."""
        ...

    def key_holders(self, project_id: str, filters: Filters) -> list[KeyHolder]:
        """Return the items dated until `filters.as_of`, current or not, of the keys under which any was replaced.

        Each says whether it matches the filters, except for filters by tag.
        """
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

    def matching_ids(self, project_id: str, artifact_ids: Sequence[str], filters: Filters) -> set[str]:
        """Return the ids whose items are current and match the filters."""
        ...

    def newest(
        self, project_id: str, filters: Filters, limit: int, offset: int = 0, *, after: ListCursor | None = None
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

    def chunk_refs(self, project_id: str, filters: Filters, most: int) -> list[tuple[str, int]]:
        """Return the (artifact id, index) places of all chunks whose items pass; of more than `most`, so many of them.

        In no particular order. The cost is bounded by `most` where items that pass are found one after another.
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

        Those moved now were updated now, and get a pending `embed` job, since what the vector index keeps of them is
        stale.
        """
        ...

    def turns_around(self, project_id: str, conversation_id: str, turn_index: int, filters: Filters) -> list[Artifact]:
        """Return the turns of the nearest lower index and of the nearest higher one, in order; at the ends fewer."""
        ...

    def recent_keys(self, project_id: str, limit: int) -> list[str]:
        """Return the keys of current items, newest `updated_at` first."""
        ...

    def longest(self, project_id: str, limit: int) -> list[str]:
        """Return the ids of the current items with the most tokens, the longest first, ties by id."""
        ...

    def counts(self, project_id: str) -> Counts:
        """Return how many of each thing the project holds."""
        ...

    def unread_languages(self, project_id: str) -> dict[str, int]:
        """Return that part of `counts` alone, which is quick."""
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

    def remove(self, project_id: str, ids: Sequence[str], *, dry_run: bool = False) -> DeletionCounts:
        """Remove items with their revisions, text, words, jobs, mentions, and events without other evidence.

        Entities that nothing mentions any more are removed too, and names that only they gave; embeddings of
        texts that nothing else has are dropped. An `erase` job for the vectors of each is queued in the same
        transaction. With `dry_run` nothing changes and the counts are the same as of the real call.

        No method and no query reaches the text when this returns. An engine over a file has it in no file of the store
        either, except while a reader in another thread or process holds on to an older state; single words of it may
        stay in the files of a large full-text index until the store is next closed. When the text leaves the files and
        logs of a server is that server's business.
        """
        ...

    def remove_expired(self, at: datetime, limit: int) -> list[str]:
        """Remove up to `limit` items of one project whose time had come at `at`, as `remove` does; return their ids.

        That is those past their `expires_at`, revisions too, and those kept `until_resolved` whose decisions and
        commitments, at least one, were each last declared settled `core.records.SETTLED_FOR` before `at` or earlier.
        Whether one has expired is asked in the transaction that removes it.
        """
        ...

    def num_expired(self, at: datetime) -> int:
        """Return how many items of all projects `remove_expired` would find."""
        ...

    def conversation_ids(self, project_id: str, conversation_id: str) -> list[str]:
        """Return the ids of all items of a conversation, turns or not, revisions included."""
        ...

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return the cached embeddings of texts by their `core.records.embedding_key`, each of shape (dimension,)."""
        ...

    def cache_vectors(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep embeddings by the key of their text, if some chunk of its project has it; one there is replaced."""
        ...

    def drop_cached_vectors(self, model: str) -> int:
        """Forget all cached embeddings of a model; return how many there were."""
        ...

    def cache_states(self, states_model: str, states: Mapping[str, bytes]) -> None:
        """Keep the states of texts' tokens by the key of their text, if some chunk of its project has it.

        They replace those there, also those of the same model under another projection.
        `states_model` is `core.search.TokenEmbedder.states_model`. `drop_cached_vectors` drops them by that name.
        """
        ...

    def keys_with_states(self, states_model: str, hashes: Sequence[str]) -> set[str]:
        """Return those of the keys of texts whose tokens' states are kept."""
        ...

    def count_without_states(self, model: str, states_model: str) -> int:
        """Return how many texts have a cached embedding of `model`, and no states of `states_model`."""
        ...

    def vectors(self, project_id: str, model: str, filters: Filters) -> tuple[list[tuple[str, int]], Vectors]:
        """Return the places of all chunks that pass and have a cached embedding, and those embeddings, row by row."""
        ...

    def metadata_value(self, name: str) -> str | None:
        """Return a store-wide note, such as the model that the vectors were made with; None if it was never set."""
        ...

    def set_metadata_value(self, name: str, value: str) -> None:
        """Set a store-wide note."""
        ...

    def compare_and_set(self, name: str, value: str, *, instead_of: str | None = None) -> str | None:
        """Set a store-wide note if it is `instead_of` now, None for one never set; return what it is afterwards.

        Of several who claim at once, in whatever process, one gets it.
        """
        ...
