"""How much of a disk something takes."""

from pathlib import Path


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
