"""Limits: what one item may take in an isolated process."""

import sys
from dataclasses import dataclass
from typing import Final

if sys.platform != "win32":
    import resource

#: Bytes in a MiB.
_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an item may take, in seconds, and how much memory the process may have, in MiB.

    The time is `seconds` and one second more for every `per_second` characters or bytes of the item.
    """

    seconds: float = 30.0
    memory: int = 2_048
    per_second: int = 1_000

    def allowed(self, size: int) -> float:
        """Return the seconds that an item of this size may take."""
        return self.seconds + size / self.per_second


def limit_memory(mebibytes: int) -> None:
    """Refuse this process more memory than that: its next request for some raises `MemoryError`.

    Linux counts all memory that is private to the process. macOS and Windows enforce no such limit.
    """
    if sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = mebibytes * _MIB
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
