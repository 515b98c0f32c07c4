"""Limits: from where an HTTP server may be reachable, and how much clients may ask at a time."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from time import monotonic
from typing import Final

from core.dates import now
from core.errors import InvalidInput
from core.interface.caller import AccessToken

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


#: Tokens whose rate is remembered.
_PRINCIPALS: Final = 10_000
_MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The settings of a server."""

    #: Connections, used and idle. Those dropped to make room come back at once, which costs more than to keep them.
    connections: int = 4_000
    #: Requests in progress, without open streams.
    requests: int = 200
    #: Requests of one token in a minute.
    rate: int = 6_000
    #: Largest request in bytes: the longest content with every character escaped in JSON would be 60 MB.
    body: int = 64 * 1024 * 1024
    #: Seconds for the headers of a request, and for a pause within its body.
    seconds: float = 10.0

    @property
    def body_seconds(self) -> float:
        """Seconds for a whole body: 64 MiB take a minute at 9 Mbit/s."""
        return 12 * self.seconds


class Rates:
    """A bucket for each token: a minute's worth may come at once, then as many as run back in."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._buckets = OrderedDict[str, tuple[float, float]]()

    def wait(self, principal: str) -> float:
        """Take one request out of the bucket of a token; return 0, or after how many seconds there is one again."""
        moment = monotonic()
        left, last = self._buckets.pop(principal, (float(self._per_minute), moment))
        left = min(left + (moment - last) * self._per_minute / _MINUTE, float(self._per_minute))
        lacking = max(0.0, 1.0 - left)
        self._buckets[principal] = (left if lacking else left - 1.0, moment)
        if len(self._buckets) > _PRINCIPALS:
            self._buckets.popitem(last=False)
        return lacking * _MINUTE / self._per_minute
