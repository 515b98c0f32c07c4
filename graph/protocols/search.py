"""The protocols of search: full text, and what ranking reads of chunks and of their project."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.filters import Filters
from core.records import Scored
from core.search import Candidate, TermStatistics, Vectors


class Words(Protocol):
    """Full text: by stem over the chunks of all current items, by substring over the stashed ones.

    While an engine rebuilds an index it may be unavailable: then `search` raises `WordIndexUnavailable`.
    """

    def search(
        self, project_id: str, terms: Sequence[str], filters: Filters, limit: int, *, enough: int | None = None
    ) -> list[Scored]:
        """Return chunks that hold any of the terms (stemmed, case and accents folded), best BM25 first.

        Where rarer terms find `enough` of them (`limit` if not given) an engine may leave the most common ones out. Of
        thousands of chunks with common terms alone it may score only those that have most of them.
        A term is a word or several (then a phrase). Signs that mean something to the engine mean nothing here. No
        usable term gives an empty list. Ties are in no promised order. How rare a term is and how long a chunk is on
        average is counted in the project alone: a score depends on no other (`graph.text.term_vectors`).
        """
        ...

    def spelling_variants(self, project_id: str, words: Sequence[str]) -> dict[str, list[str]]:
        """Return what rare words and signs of the project each of the words may be a typing error of, if any.

        That is one letter wrong, more or less, or two neighbours swapped. All are as
        `graph.text.term_vectors.index_terms` has them. Up to `graph.text.term_vectors.MOST_WORDS` a word, by `chosen`
        there.
        """
        ...

    def search_substrings(
        self, project_id: str, fragments: Sequence[str], filters: Filters, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        """Return the ids of stashed items whose content holds every fragment as a substring, and their true number.

        Case is folded; a fragment has one character or more. No fragments: all stashed items that pass. Newest
        `happened_at` first.
        """
        ...

    def rebuild(self) -> int:
        """Rebuild both indexes from the chunks of the record; return how many chunks there are."""
        ...


class Candidates(Protocol):
    """What ranking reads of chunks that may answer, and of the project they are in.

    With `as_of` the project has only the items dated until then.
    """

    def candidates(
        self,
        project_id: str,
        model: str,
        places: Sequence[tuple[str, int]],
        filters: Filters,
        *,
        states_model: str | None = None,
    ) -> list[Candidate]:
        """Return the chunks at these (artifact id, index) places whose items pass, in any order.

        Their embeddings are those cached of this model; so are the states of their tokens, if a model of these is
        given.
        """
        ...

    def text_hashes(
        self, project_id: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> dict[tuple[str, int], str]:
        """Return a hash of what is embedded of each of these chunks that is the only one of an item that passes; equal
        texts have the same.
        """
        ...

    def nearby_turns(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        """Return the turns that pass of one of these and the `reach` turns of its conversation on either side.

        The named ones are included if they match. In no particular order.
        """
        ...

    def known_authors(self, project_id: str, names: Sequence[str], *, as_of: datetime | None = None) -> list[str]:
        """Return the names, one word each, that are the author of a turn or the first word of an author's name.

        Capital letters of the Latin alphabet are the same as small ones.
        """
        ...

    def term_statistics(
        self, project_id: str, terms: Sequence[int], *, as_of: datetime | None = None
    ) -> TermStatistics:
        """Return how common these terms (`graph.text.term_vectors`) are in the project, exactly.

        As of a time every chunk on one side of it is read, the side with fewer items; where both have more than
        `MOST_COUNTED`, it is estimated.
        """
        ...

    def sample(self, project_id: str, model: str, number: int, *, as_of: datetime | None = None) -> Vectors:
        """Return up to `number` cached embeddings of the project's chunks: the same ones while nothing changes.

        They belong to the first chunks by artifact id, which is a digest, as good as random; of a long
        document each eighth. Where few of the first have embeddings yet it is fewer than there are.
        """
        ...
