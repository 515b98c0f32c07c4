"""The log of agents' sessions in the home: which turns were taken, which sessions are left out, what a hook met.

A table of this machine, next to the record and no part of it. Where it is lost, turns are found stored already.
"""

import hashlib
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from core.errors import Unavailable

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS session (
    project_id TEXT NOT NULL, id TEXT NOT NULL, client TEXT NOT NULL, folder TEXT, first REAL NOT NULL,
    last REAL NOT NULL, highest INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turn (
    project_id TEXT NOT NULL, digest BLOB NOT NULL, session_id TEXT NOT NULL,
    PRIMARY KEY (project_id, digest, session_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS goal (
    project_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (project_id, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS exclusion (
    kind TEXT NOT NULL, client TEXT NOT NULL, folder TEXT NOT NULL, word TEXT NOT NULL, since REAL NOT NULL, until REAL
);
CREATE TABLE IF NOT EXISTS waiting (what TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fault (at REAL NOT NULL, client TEXT NOT NULL, what TEXT NOT NULL);
"""
#: Faults that are kept.
_FAULTS: Final = 50
#: How long another process may hold the log, in seconds.
_PATIENCE: Final = 5.0

ExclusionKind = Literal["pause", "leave-out"]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What is not kept: of a client, in a folder or below it, or turns with a word; empty fields match all.

    A pause holds for what is said while it lasts, in seconds since 1970; `until` is None while it lasts.
    """

    kind: ExclusionKind
    client: str = ""
    folder: str = ""
    word: str = ""
    since: float = 0.0
    until: float | None = None

    def matches(self, client: str, folder: Path | None) -> bool:
        """Whether it is about sessions of this client in this folder."""
        if self.client and self.client != client:
            return False
        return not self.folder or (folder is not None and folder.is_relative_to(self.folder))

    def holds(self, at: float) -> bool:
        """Whether it was in force at a time."""
        return self.since <= at and (self.until is None or at < self.until)

    def __str__(self) -> str:
        parts = [("client", self.client), ("folder", self.folder), ("word", self.word)]
        return ", ".join(f"{name} {value!r}" for name, value in parts if value) or "all sessions"


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session of which turns were taken; `first` and `last` in seconds since 1970."""

    project_id: str
    id: str
    client: str
    folder: str | None
    first: float
    last: float


class SessionLog:
    """The log of a home. Any number of processes may have it open."""

    def __init__(self, home: Path) -> None:
        self.path = home / "sessions.db"

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the log for one transaction.

        Raises:
            Unavailable: it can't be read or written.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database, database:
                if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'fault'").fetchone():
                    database.executescript(_SCHEMA)
                    self.path.chmod(0o600)
                yield database
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(
                f"The log of sessions {str(self.path)!r} can't be used ({error}): make room on its disk, or delete it "
                "if it is damaged; it is made again."
            ) from error

    def exclusions(self) -> list[Exclusion]:
        """Return what is and was paused, and what is left out."""
        if not self.path.exists():
            return []
        with self._opened() as database:
            rows = database.execute("SELECT kind, client, folder, word, since, until FROM exclusion").fetchall()
        return [Exclusion(*row) for row in rows]

    def exclude(self, one: Exclusion) -> None:
        """Pause or leave out from now on, if it is not in force already."""
        if any(replace(found, since=0.0) == one for found in self.exclusions()):
            return
        since = time.time() if one.kind == "pause" else 0.0
        with self._opened() as database:
            row = (one.kind, one.client, one.folder, one.word, since)
            database.execute("INSERT INTO exclusion VALUES (?, ?, ?, ?, ?, NULL)", row)

    def include(self, one: Exclusion) -> int:
        """End a pause, or remove what is left out; return how many there were."""
        change = "UPDATE exclusion SET until = ?" if one.kind == "pause" else "DELETE FROM exclusion"
        where = "kind = ? AND client = ? AND folder = ? AND word = ? AND until IS NULL"
        with self._opened() as database:
            row = (*([time.time()] if one.kind == "pause" else []), one.kind, one.client, one.folder, one.word)
            return database.execute(f"{change} WHERE {where}", row).rowcount

    def begin_goal(self, project_id: str, session_id: str) -> bool:
        """Note that a session has its goal; True the first time."""
        with self._opened() as database:
            return database.execute("INSERT OR IGNORE INTO goal VALUES (?, ?)", (project_id, session_id)).rowcount > 0

    def taken(self, project_id: str, digests: Sequence[bytes]) -> dict[bytes, set[str]]:
        """Return the sessions in which each of the turns was taken."""
        found: dict[bytes, set[str]] = {}
        with self._opened() as database:
            for digest in digests:
                rows = database.execute(
                    "SELECT session_id FROM turn WHERE project_id = ? AND digest = ?", (project_id, digest)
                )
                found[digest] = {session_id for (session_id,) in rows}
        return found

    def highest(self, project_id: str, session_id: str) -> int:
        """Return the highest index of a session's turns, -1 if it has none."""
        with self._opened() as database:
            row = database.execute(
                "SELECT highest FROM session WHERE project_id = ? AND id = ?", (project_id, session_id)
            ).fetchone()
        return -1 if row is None else int(row[0])

    def note(self, kept: KeptSession, highest: int, digests: Iterable[bytes]) -> None:
        """Note the turns that were taken of a session."""
        with self._opened() as database:
            database.execute(
                "INSERT INTO session (project_id, id, client, folder, first, last, highest) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET last = excluded.last, "
                "folder = coalesce(excluded.folder, folder), highest = max(highest, excluded.highest)",
                (kept.project_id, kept.id, kept.client, kept.folder, kept.first, kept.last, highest),
            )
            rows = ((kept.project_id, digest, kept.id) for digest in digests)
            database.executemany("INSERT OR IGNORE INTO turn VALUES (?, ?, ?)", rows)

    def sessions(self, project_id: str) -> list[KeptSession]:
        """Return the sessions of a project, the latest first."""
        if not self.path.exists():
            return []
        with self._opened() as database:
            fields = "project_id, id, client, folder, first, last"
            rows = database.execute(
                f"SELECT {fields} FROM session WHERE project_id = ? ORDER BY last DESC",  # noqa: S608 - constant
                (project_id,),
            ).fetchall()
        return [KeptSession(*row) for row in rows]

    def begin_keeping(self, what: str) -> None:
        """Note what is being kept, so that another hook takes it up if this is not done to its end."""
        with self._opened() as database:
            database.execute("INSERT OR REPLACE INTO waiting VALUES (?, ?)", (what, time.time()))

    def end_keeping(self, what: str) -> None:
        """Note that it was kept."""
        with self._opened() as database:
            database.execute("DELETE FROM waiting WHERE what = ?", (what,))

    def take_waiting(self, age: float) -> list[str]:
        """Return what has been waiting for so many seconds, and count the time anew."""
        if not self.path.exists():
            return []
        with self._opened() as database:
            at = time.time()
            rows = database.execute("SELECT what FROM waiting WHERE at < ?", (at - age,)).fetchall()
            database.execute("UPDATE waiting SET at = ? WHERE at < ?", (at, at - age))
        return [what for (what,) in rows]

    def add_fault(self, client: str, what: str) -> None:
        """Note what a hook met."""
        with self._opened() as database:
            database.execute("INSERT INTO fault VALUES (?, ?, ?)", (time.time(), client, what[:500]))
            newest = "SELECT rowid FROM fault ORDER BY at DESC LIMIT ?"
            database.execute(f"DELETE FROM fault WHERE rowid NOT IN ({newest})", (_FAULTS,))  # noqa: S608

    def faults(self, since: float) -> list[tuple[float, str, str]]:
        """Return what hooks met since then, the newest first: time, client and message."""
        if not self.path.exists():
            return []
        with self._opened() as database:
            return database.execute(
                "SELECT at, client, what FROM fault WHERE at > ? ORDER BY at DESC", (since,)
            ).fetchall()


def turn_digest(role: str | None, words: str, identity: str | None, before: bytes = b"") -> bytes:
    """Return what is equal for the same turn in two transcripts: by its id or time, else by all turns before it."""
    made = hashlib.sha256(b"" if identity is not None else before)
    for part in (role or "", identity or "", words):
        made.update(len(part).to_bytes(8, "big") + part.encode())
    return made.digest()[:16]
