"""Exposure: whether a server can be reached from other machines, and what it must have then."""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

from pydantic import SecretStr

from core.errors import InvalidInput

#: Host names that browsers may use for a loopback server; any other is a DNS rebinding attack.
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether a server bound to `host` can only be reached from this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_exposure(host: str, tokens: Sequence[SecretStr]) -> None:
    """Refuse to serve other machines without a token.

    Raises:
        InvalidInput: `host` is not a loopback address and there are no tokens.
    """
    if not tokens and not is_loopback(host):
        raise InvalidInput(
            f"Refusing to serve on {host!r} without a token: set REMEMBRANCER_TOKENS, or use --host 127.0.0.1."
        )
