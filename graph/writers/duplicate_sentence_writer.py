"""Keeping the sentences of items, by which duplicates are found."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, Protocol

from graph.protocols.knowledge import EarlierSentence, SentenceHash
from graph.writers.project_writer import ProjectWriter

#: A sentence, and the time (microseconds since 1970) and number of the first item under its key that had it.
SentenceOrigin = tuple[SentenceHash, int, int]


class SentenceSource(NamedTuple):
    """A current item: its time and number, whether it expires, and the sentences that are kept of it."""

    since: int
    number: int
    expires: bool
    sentences: Sequence[SentenceOrigin]


class DuplicateSentenceWriter(ProjectWriter, Protocol):
    """The sentences of the items of a project."""

    def save_sentence_hashes(self, artifact_id: str, sentence_hashes: Sequence[SentenceHash]) -> list[str]:
        """Do what `graph.protocols.knowledge.DuplicateSentences.save_sentence_hashes` promises."""
        source, wanted = self._sentence_source(artifact_id), set(sentence_hashes)
        if source is None:
            return []
        former = self._former_sentences(artifact_id)
        if not former and {sentence for sentence, *_ in source.sentences} == wanted:
            return []
        own = (source.since, source.number)
        first: dict[SentenceHash, tuple[int, int]] = {}
        # Its own as well, which know of revisions that have none left.
        for sentence, since, number in chain(source.sentences, *former.values()):
            first[sentence] = min((since, number), first.get(sentence, (since, number)))
        kept = [(sentence, *min(own, first.get(sentence, own))) for sentence in sorted(wanted)]
        self._drop_sentences([artifact_id, *former])
        self._put_sentences(artifact_id, kept)
        # An item that expires has no duplicates.
        later = [] if source.expires else self._later_duplicates(artifact_id, kept)
        return sorted({*later, *self._duplicates(list(former))} - {artifact_id})

    def earlier_sentences(self, artifact_id: str, limit: int) -> list[EarlierSentence]:
        """Do what `graph.protocols.knowledge.DuplicateSentences.earlier_sentences` promises."""
        return [EarlierSentence(sentence, id_) for _, _, id_, sentence in sorted(self._earlier(artifact_id, limit))]

    def release_sentences(self, artifact_ids: Sequence[str]) -> None:
        """Drop the sentences of items that are about to be removed, and queue the extraction of their duplicates."""
        self.queue_duplicates(artifact_ids)
        self._drop_sentences(artifact_ids)

    def queue_duplicates(self, artifact_ids: Sequence[str]) -> None:
        """Queue the extraction of what repeats items that go, or whose events have other summaries."""
        self.put_jobs(self._duplicates(artifact_ids), ["extract"])

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        """Return a current item; None if there is none of this id."""

    def _former_sentences(self, artifact_id: str) -> dict[str, Sequence[SentenceOrigin]]:
        """Return by id the sentences of those revisions of an item that have any, or that a current item repeats."""

    def _put_sentences(self, artifact_id: str, sentences: Sequence[tuple[SentenceHash, int, int | None]]) -> None:
        """Add sentences to an item, which had those without a number first itself."""

    def _drop_sentences(self, artifact_ids: Sequence[str]) -> None: ...

    def _later_duplicates(self, artifact_id: str, sentences: Sequence[SentenceOrigin]) -> Sequence[str]:
        """Return the items that had later what this item, with these sentences, had first."""

    def _duplicates(self, artifact_ids: Sequence[str]) -> dict[str, int]:
        """Return how many chunks each current item has that is linked to these as what it repeats."""

    def _earlier(self, artifact_id: str, limit: int) -> Iterable[tuple[int, int, str, SentenceHash]]:
        """Return times, numbers and ids of the `limit` first items that had each sentence of an item before it."""

    def link_echoes(self, artifact_id: str, origins: Sequence[str]) -> None:
        """Do what `graph.protocols.knowledge.DuplicateSentences.link_echoes` promises."""
