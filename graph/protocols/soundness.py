"""The protocol of soundness: whether what a store derives from its own record is all there, and no more."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from core.integrity import IntegrityIssue, Part


class Soundness(Protocol):
    """Looking through a whole store, of all projects, for damage by a crash, a disk or another program."""

    def integrity_issues(self) -> list[IntegrityIssue]:
        """Compare words, lists and graph with the record, and the record with itself; nothing is changed.

        Every chunk and every item with evidence is read, about 2,500 chunks a second.

        Raises:
            Unavailable: it can't be read at all; the message says what to do.
        """
        ...

    def repair(self, parts: Collection[Part]) -> Mapping[str, Sequence[str]]:
        """Rebuild words and lists; drop from the graph what rests on nothing, and connect the rest again.

        Return the ids of current items, by project, that must be extracted again to have all of theirs back. Revisions
        are not: what is left of their knowledge is all from now on. Faults of the record itself stay.
        """
        ...
