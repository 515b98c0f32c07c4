"""The most memory that a process has had."""

import resource
import sys
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")


def peak_megabytes() -> float:
    """Return the most memory, in MiB, that this process has had.

    `getrusage` counts what the process had before it started its program, on Linux all that its parent had.
    """
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
