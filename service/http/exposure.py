"""Exposure: whether a server can be reached from other machines, and what it must have then."""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

from core.dates import now
from core.errors import InvalidInput
from core.interface.access_token import AccessToken

#: Host names that browsers may use for a loopback server; any other is a DNS rebinding attack.
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether a server bound to `host` can only be reached from this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_open(host: str, *, is_open: bool) -> None:
    """Refuse to serve other machines without asking for a token.

    Raises:
        InvalidInput: `host` is not a loopback address, and the server is to be open.
    """
    if is_open and not is_loopback(host):
        raise InvalidInput(f"--open serves this machine alone, not {host!r}: leave it out, or use --host 127.0.0.1.")


def check_tokens(host: str, stored: Iterable[AccessToken]) -> None:
    """Refuse to serve other machines while nobody made a token that they could send.

    Raises:
        InvalidInput: `host` is not a loopback address, and no token of the record is valid.
    """
    moment = now()
    if not is_loopback(host) and not any(token.is_valid(moment) for token in stored):
        raise InvalidInput(
            f"Refusing to serve on {host!r} without a token: make one with `remembrancer token create NAME`, set "
            "REMEMBRANCER_TOKENS, or use --host 127.0.0.1."
        )


def exposure_warnings(host: str, *, is_open: bool, with_tls: bool) -> list[str]:
    """Return warnings for the user who starts a server, a sentence each."""
    said = []
    if is_open:
        said.append("--open: any program and any user of this machine can read, change and delete all projects.")
    if not is_loopback(host) and not with_tls:
        said.append(
            f"Tokens and texts cross the network to {host} unencrypted: put a proxy with TLS in front, or use "
            "--certfile and --keyfile (docs/operations.md)."
        )
    return said
