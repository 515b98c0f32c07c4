"""Limits: how much one client, and all together, may ask at a time."""

from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import Final

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
