"""Absence: what is said of a node that is not there."""

from core.errors import NotFound


def not_found_error(identity: str) -> NotFound:
    """Return the error for an id that nothing has, or that nothing had at the moment asked about."""
    return NotFound(
        f"Nothing is stored under id {identity[:80]!r}, or was then: it may have been forgotten; search for what you "
        "look for."
    )
