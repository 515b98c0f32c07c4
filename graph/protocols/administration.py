"""The protocols of administration: jobs, integrity, transfer, the audit trail and access tokens."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from core.interface.audit import Act, AuditEntry
from core.interface.caller import AccessToken
from core.records import IntegrityIssue, Job, JobCounts, JobKind, JobReport, ParkedJob, Part
from core.transfer import Outcome, Record


class Jobs(Protocol):
    """The durable ledger of background work: at most one job a kind and artifact."""

    def queue(self, project_id: str, artifact_ids: Sequence[str], kind: JobKind) -> int:
        """Set this job of each current artifact to pending with no attempts, whatever it was; return how many."""
        ...

    def claim(self, kinds: Sequence[JobKind], limit: int, lease: timedelta, owner: str) -> list[Job]:
        """Take up to `limit` jobs of one kind that are due, kinds in the order given, the oldest of a project first.

        A job is due when it is pending and past its not-before, or running with its lease run out, or either is farther
        away than `core.records.FARTHEST_DUE`, since then the clock was set back. Claimed jobs are
        running, and no one else gets them until the lease ends. All jobs of one answer have one kind and one project.
        Claims of one store go round the projects, in the order of their ids.

        Each claim counts as an attempt. A job that was lost with its worker more than once is claimed alone, and one
        that was lost at its attempt `core.timing.MAX_ATTEMPTS` is parked instead.
        """
        ...

    def claim_of(
        self, project_id: str, artifact_ids: Sequence[str], kind: JobKind, lease: timedelta, owner: str
    ) -> list[Job]:
        """Take the jobs of this kind and of these artifacts that are due, as `claim` does, before all others."""
        ...

    def put_first(self, project_id: str, artifact_ids: Sequence[str]) -> None:
        """Have the pending jobs of these artifacts claimed before those that the project queued earlier.

        They keep the order that they have among themselves, and come after those that were put first before.
        """
        ...

    def release(self, jobs: Sequence[Job], not_before: datetime | None = None) -> None:
        """Put jobs still held back as if they had not been claimed, due at once if no time is given."""
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

    def queue_failed(self, project_id: str | None = None, kind: JobKind | None = None) -> int:
        """Set all parked jobs, of one project or kind if given, to pending with no attempts; return how many."""
        ...

    def parked_jobs(self, project_id: str | None, limit: int) -> list[ParkedJob]:
        """Return parked jobs, oldest first, of all projects with None."""
        ...

    def parked_counts(self) -> dict[JobKind, int]:
        """Return how many jobs of each kind are parked, in all projects; kinds without any are left out."""
        ...

    def job_counts(self, project_id: str | None = None) -> JobCounts:
        """Return how many jobs wait or run, and how many failed; of all projects with None."""
        ...

    def job_reports(self, project_id: str, artifact_id: str) -> list[JobReport]:
        """Return the state of each job of one artifact, sorted by kind; empty if it has none."""
        ...


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

    def redact(self, project_id: str, ids: Sequence[str], records: Sequence[Record], act: Act = "redact") -> None:
        """Remove items as `Records.remove` does, and put records into the project as `import_records` does, all or
        nothing: the same items without the secrets that they had, and the links and resolutions of their events, or
        revisions that stay when what replaced them is forgotten. The audit trail names the `act`.

        No word of what was removed is left in the files of an embedded record.
        """
        ...

    def backup(self, path: Path) -> None:
        """Write the whole record, as of one moment while others write, to a new file that is complete or not there.

        Raises:
            Conflict: the engine has its own tools for it; the message names them.
            Unavailable: the file can't be written, or what was written is damaged.
        """
        ...


class Audit(Protocol):
    """Entries of who did what: added and read, never changed, and dropped from the oldest on.

    These add theirs in their own transaction: `Records.remove`, `Records.remove_expired`, `Records.add` where it
    replaces an item, `Ledger.add_resolution`, `Identities.apply_decision`, `Identities.undo_decision`,
    `Transfer.import_records`, `AccessTokens.add_token` and `AccessTokens.remove_token`. The removal of items leaves
    entries as they are.
    """

    def record_act(self, act: Act, project_id: str, ids: Sequence[str] = (), *, number: int | None = None) -> None:
        """Add the entries of an act of `core.interface.caller.CALLER`; `core.interface.audit.make_audit_entries` says
        which.

        Call it before the act: then nothing that was done lacks its entry, whatever happens between the two.
        """
        ...

    def audit_trail(
        self, project_id: str | None = None, *, since: datetime | None = None, limit: int = 100
    ) -> list[AuditEntry]:
        """Return the newest entries, of all projects with None, newest first."""
        ...

    def rotate_audit(self, before: datetime, most: int) -> int:
        """Drop the entries from before a moment, and the oldest of more than `most`; return how many."""
        ...


class AccessTokens(Protocol):
    """Tokens of the whole record, whatever project. They are in no export."""

    def add_token(self, token: AccessToken) -> bool:
        """Store a new token; False, and nothing stored, if one has its name."""
        ...

    def tokens(self) -> Sequence[AccessToken]:
        """Return all tokens, expired ones among them, by name."""
        ...

    def remove_token(self, name: str) -> bool:
        """Remove the token of this name; False if there is none."""
        ...

    def touch_token(self, digest: str, at: datetime) -> None:
        """Note when a token was last used, unless a later time is noted; nothing if it was removed."""
        ...
