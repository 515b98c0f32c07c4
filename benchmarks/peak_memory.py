"""The memory that a process has, and the most that it has had."""

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
        return _megabytes(_STATUS, "VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def resident_megabytes(pid: int) -> tuple[float, float]:
    """Return the memory, in MiB, that a process of Linux has, and what of it is not a file's, which others share."""
    status = Path(f"/proc/{pid}/status")
    return _megabytes(status, "VmRSS"), _megabytes(status, "RssAnon")


def _megabytes(status: Path, name: str) -> float:
    lines = status.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024
