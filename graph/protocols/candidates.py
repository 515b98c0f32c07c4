"""The protocol of ranking: what it reads of chunks and of their project."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.candidates import Candidate, TermStatistics
from core.embedding import Vectors
from core.filters import Filters


class Candidates(Protocol):
    """What ranking reads of chunks that may answer, and of the project they are in.

    With `as_of` the project has only the items dated until then.
    """

    def candidates(
        self, project_id: str, model: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> list[Candidate]:
        """Return the chunks at these (artifact id, index) places whose items pass, in any order.

        Their embeddings are those cached of this model.
        """
        ...

    def nearby_turns(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        """Return the turns that pass and are in the conversation of one of these, `reach` in `turn_index` from it.

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

        As of a time every chunk on one side of it is read, the side with fewer items.
        """
        ...

    def sample(self, project_id: str, model: str, number: int, *, as_of: datetime | None = None) -> Vectors:
        """Return up to `number` cached embeddings of the project's chunks: the same ones while nothing changes.

        They belong to the first chunks by artifact id, which is a digest, as good as random; of a long
        document each eighth. Where few of the first have embeddings yet it is fewer than there are.
        """
        ...
