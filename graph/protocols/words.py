"""The protocol of full-text search."""

from collections.abc import Sequence
from typing import Protocol

from core.filters import Filters
from core.records import Scored


class Words(Protocol):
    """Full text: by stem over the chunks of all current items, by substring over the stashed ones.

    While an engine rebuilds an index it may be unavailable: then `search` raises `WordIndexUnavailable`.
    """

    def search(
        self, project_id: str, terms: Sequence[str], filters: Filters, limit: int, *, enough: int | None = None
    ) -> list[Scored]:
        """Return chunks that hold any of the terms (stemmed, case and accents folded), best BM25 first.

        Where rarer terms find `enough` of them (`limit` if not given) an engine may leave the most common ones out.
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
