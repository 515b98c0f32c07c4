"""Attempts: requests without a valid token, counted by the address they come from, and answered ever more slowly."""

import logging
from collections import OrderedDict
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from time import monotonic
from typing import Final

#: Seconds without a wrong token after which an address has a clean record.
_WINDOW: Final = 60.0
#: Wrong tokens in a window after which the answer is 429.
_MOST: Final = 20
#: The delay of the first answer, in seconds; each doubles it, up to the longest.
_FIRST_DELAY: Final = 0.1
_LONGEST_DELAY: Final = 5.0
#: Addresses that are remembered: about a megabyte.
_ADDRESSES: Final = 10_000
#: Seconds between two lines of the log.
_LOG_SPACING: Final = 1.0
_log = logging.getLogger("remembrancer.http")


@dataclass(frozen=True, slots=True)
class Penalty:
    """How to answer a wrong token: after so many seconds, and whether there were too many."""

    delay: float
    #: Seconds after which it makes sense to come back; None unless there were too many.
    retry_after: int | None


class Attempts:
    """Wrong tokens of the last minute, by address."""

    def __init__(self) -> None:
        self._seen = OrderedDict[str, tuple[int, float]]()
        self._logged_at = float("-inf")
        self._unlogged = 0

    def refuse(self, address: str) -> Penalty:
        """Count a wrong token from an address and return what follows."""
        moment, source = monotonic(), _network(address)
        count, last = self._seen.pop(source, (0, moment))
        count = 1 if moment - last > _WINDOW else count + 1
        self._seen[source] = (count, moment)
        if len(self._seen) > _ADDRESSES:
            self._seen.popitem(last=False)
        self._log(source, count, moment)
        delay = min(_FIRST_DELAY * 2.0 ** min(count - 1, 16), _LONGEST_DELAY)
        return Penalty(delay, round(_WINDOW) if count > _MOST else None)

    def _log(self, source: str, count: int, moment: float) -> None:
        """Log a line, at most one a second: never what was sent, which may be the token of another service."""
        self._unlogged += 1
        if moment - self._logged_at >= _LOG_SPACING:
            _log.warning(
                "Refused a request without a valid token from %s, %d lately; %d of all addresses since the last line.",
                source, count, self._unlogged,
            )  # fmt: skip
            self._logged_at, self._unlogged = moment, 0


def _network(address: str) -> str:
    """Return the address, or the /64 of IPv6, of which each customer has billions of addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:64]
    return f"{IPv6Address(int(parsed) >> 64 << 64)}/64" if isinstance(parsed, IPv6Address) else str(parsed)
