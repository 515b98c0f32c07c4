"""How much of a disk something takes, and whether there is room."""

from pathlib import Path

from core.errors import Unavailable


def bytes_of(path: Path) -> int:
    """Return the bytes of a file with its logs beside it, or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*")
    total = 0
    for file in files:
        try:
            total += 0 if file.is_dir() else file.stat().st_size
        except FileNotFoundError:  # removed since it was listed
            continue
    return total


def check_room(what: str, needed: int, free: int) -> None:
    """Check that a disk has the free space that a vacuum of `what` needs, both in bytes.

    Raises:
        Unavailable: it has not; the message says how much there is.
    """
    if free < needed:
        raise Unavailable(
            f"To vacuum {what} its disk needs {needed / 1e6:,.0f} MB of free space and has {free / 1e6:,.0f} MB: free "
            "some, and try again. Nothing was changed in it."
        )
