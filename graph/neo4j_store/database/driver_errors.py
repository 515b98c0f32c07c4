"""The driver's errors in our words: what happened, and what to do."""

from typing import Final

from neo4j.exceptions import (
    AuthError,
    ClientError,
    DatabaseError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from core.errors import Conflict, MemoryServiceError, Unavailable

#: What to do, by a part of the server's code.
_REMEDIES: Final = (
    ("Security.CredentialsExpired", "the password must be changed first: ALTER CURRENT USER SET PASSWORD on `system`"),
    ("Security.AuthenticationRateLimit", "too many wrong logins: wait a few seconds, and check NEO4J_PASSWORD"),
    ("Security.Forbidden", "the user may not do this: give NEO4J_USERNAME the right to write and to make indexes"),
    ("Security.", "check NEO4J_USERNAME and NEO4J_PASSWORD"),
    ("DatabaseNotFound", "there is no such database: check NEO4J_DATABASE"),
    ("DatabaseUnavailable", "the database is stopped or starting: look at its state with SHOW DATABASES"),
    ("ReadOnly", "the database is read-only: check its access mode"),
    ("MemoryPoolOutOfMemory", "give the server more memory for transactions, or store smaller pieces"),
    ("OutOfDisk", "the server's disk is full: free some space"),
    ("TransactionTimedOut", "it took too long: another process may hold a lock, so try again"),
    ("LockAcquisitionTimeout", "another process holds a lock: try again"),
    ("Bookmark", "the database is older than what was read from it before: try again"),
)


def is_away(error: Exception) -> bool:
    """Whether the server can't be reached, or says nothing."""
    return isinstance(error, ServiceUnavailable | SessionExpired) and not isinstance(error, IncompleteCommit)


def as_ours(error: Neo4jError | DriverError, uri: str) -> MemoryServiceError:
    """Return the error of ours that says what a driver's error means for the record at `uri`.

    `Conflict` is what would fail again, however often it is tried.
    """
    reason = " ".join(str(error).split())[:300]
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if isinstance(error, IncompleteCommit):
        return Unavailable(f"Neo4j at {uri} was lost while it kept a write: it may be stored; the same call is safe.")
    if is_away(error):
        return Unavailable(f"Neo4j at {uri} can't be reached ({reason}): start it, or check NEO4J_URI.")
    if "ConstraintValidationFailed" in code:
        return Conflict(f"Neo4j at {uri} refused a write ({reason}): nothing was stored, check what was given.")
    for part, remedy in _REMEDIES:
        if part in code:
            return Unavailable(f"Neo4j at {uri} refused ({reason}): {remedy}.")
    if isinstance(error, AuthError):
        return Unavailable(f"Neo4j at {uri} refused the login: check NEO4J_USERNAME and NEO4J_PASSWORD.")
    if isinstance(error, ClientError | DatabaseError) and ".Statement." in code:
        return Conflict(f"Neo4j at {uri} can't do this ({reason}): nothing was stored; please report it.")
    return Unavailable(f"Neo4j at {uri} does not answer properly ({reason}): try again, or look at its log.")
