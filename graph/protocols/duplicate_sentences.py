"""The protocol of echoes: which items repeat what others said before them."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

#: A saying is a sentence, or a few short ones, as a number of 64 bits with a sign (`ingest/extract/repeated_text.py`).
SentenceHash = int


class EarlierSentence(NamedTuple):
    """That an item had a saying before another one had it."""

    sentence_hash: SentenceHash
    artifact_id: str


class DuplicateSentences(Protocol):
    """What items say, and which they echo; shown as `Artifact.echoes`.

    Of two items the one with the earlier `happened_at` said a thing first, at equal times the one stored first. What
    has replaced others under a key said it when the first of them did that had it too, as far as that is still stored.
    """

    def save_sentence_hashes(
        self, project_id: str, artifact_id: str, sentence_hashes: Sequence[SentenceHash]
    ) -> list[str]:
        """Make these all that a current item says; return the ids of others for which this may change what they echo.

        Those said later what this one is now the first to say, or are linked to what it has replaced; sorted, and none
        when the same was kept before. Nothing happens if no current item has the id.
        """
        ...

    def earlier_sentences(self, project_id: str, artifact_id: str, limit: int) -> list[EarlierSentence]:
        """Return who said before this item what it says: of each of its sayings the `limit` earliest items.

        In the order in which the items first said it, ties by id and saying. Items that expire are left out: what
        repeats them may outlive them.
        """
        ...

    def link_echoes(self, project_id: str, artifact_id: str, origins: Sequence[str]) -> None:
        """Make these items all that this one echoes; ids that are not stored are passed over.

        When an origin is removed, those that echo it get a pending `extract` job: now they are evidence themselves.
        They do too when its events get other summaries (`KnowledgeGraph.replace`), which answers show like its words.
        """
        ...
