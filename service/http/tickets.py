"""Tickets: what `remembrancer browse` puts into an address, once, for a browser to begin a session with."""

import secrets
import threading
from time import monotonic
from typing import Final

from service.http.tokens import Credential

#: Seconds for which a ticket is good: a browser may have to be started.
LASTS: Final = 120.0


class Tickets:
    """The tickets that were issued in this process and not used yet; thread-safe."""

    def __init__(self, credential: Credential) -> None:
        """A ticket begins a session with this credential."""
        self._credential = credential
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def issue(self) -> str:
        """Return a new ticket."""
        ticket, moment = secrets.token_urlsafe(32), monotonic()
        with self._lock:
            self._until = {one: until for one, until in self._until.items() if until > moment}
            self._until[ticket] = moment + LASTS
        return ticket

    def take(self, ticket: str) -> Credential | None:
        """Redeem a ticket; return None if it is unknown, was used, or is too old."""
        with self._lock:
            until = self._until.pop(ticket, None)
        return self._credential if until is not None and until > monotonic() else None
