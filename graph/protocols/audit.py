"""The protocol of the audit trail."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.interface.audit import Act, AuditEntry


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
