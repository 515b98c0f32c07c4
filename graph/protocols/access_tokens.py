"""The protocol of access tokens: who may use the service over HTTP."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.interface.access_token import AccessToken


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
