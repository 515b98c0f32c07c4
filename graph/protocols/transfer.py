"""The protocol of transfer: everything a project holds, out of one store and into another, of whatever engine."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from core.transfer import Outcome, Record


class Transfer(Protocol):
    """Reading all of a project in a fixed order, and writing it record by record.

    Left out is what belongs to a place and not to the memory: jobs, markers, cached embeddings, and the chunks, which
    are cut anew for the embedder of the other store.
    """

    def export_records(self, project_id: str) -> Iterator[Record]:
        """Yield all records of a project, in the order of `core.transfer.Record`; a few of them are in memory at once.

        Runs, merge decisions and items are in the order in which they were stored, the others in one that follows from
        what they say: a store that all of them were put into yields them again, the same in the same order.
        """
        ...

    def count_items(self, project_id: str) -> int:
        """Return how many items a project has, revisions and expired ones included."""
        ...

    def import_records(self, project_id: str, records: Sequence[Record]) -> list[Outcome]:
        """Put records into a project, all or none, in this order; those that it has already change nothing.

        - An item that is not stored is, under its own id and with its own times and counts. It is current unless the
          given one is a revision, or another item with its key and context is as new (`updated_at`): then it becomes
          that one's revision, else that one becomes its.
        - One that is stored (by its fingerprint) becomes what `core.transfer.Merge` says, and a revision that is
          newer than what holds its key comes back. Its knowledge, readings and findings become the given ones if the
          given one is newer, or the stored one waits to be learnt and the given one does not.
        - A current item gets an `embed` job when it was stored, came back or changed. Its `extract` job is done if
          its knowledge came with it, pending if the given one waits.
        - A merge decision takes effect on what is stored and what comes, as `core.transfer.reconcile_decision` has it.
          Runs with a known id, links and merge candidates of pairs that have one, and resolutions with equal event,
          time, status and note are there already. Links, merge candidates and echoes of what is not stored are passed
          over.

        Raises:
            Conflict: the id of an item belongs to another item here.
            InvalidInput: the knowledge of an item does not fit together, or names a run that is not stored.
        """
        ...

    def backup(self, path: Path) -> None:
        """Write the whole record, as of one moment while others write, to a new file that is complete or not there.

        Raises:
            Conflict: the engine has its own tools for it; the message names them.
            Unavailable: the file can't be written, or what was written is damaged.
        """
        ...
