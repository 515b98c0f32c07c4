"""The home's token: made at the first start on loopback, for any user who can read the files of the home."""

import logging
import os
from pathlib import Path
from typing import Final

from core.errors import Unavailable
from core.interface.access_token import SHORTEST, make_secret
from graph.atomic_file import write_atomically

_NAME: Final = "http.token"
#: Rights that nobody else may have; Windows knows none of these, and says that all have them.
_OTHERS: Final = 0o077 if os.name == "posix" else 0
_log = logging.getLogger("remembrancer.http")


def token_path(home: Path) -> Path:
    """Return where the home keeps its token."""
    return home / _NAME


def load_home_token(home: Path) -> str:
    """Return the token of a home; the first call makes it, with mode 0600.

    One that other users may have read is replaced.

    Raises:
        Unavailable: the file can't be read or written.
    """
    path = token_path(home)
    try:
        if path.is_file():
            kept = path.read_text(encoding="utf-8").strip()
            if not path.stat().st_mode & _OTHERS and len(kept) >= SHORTEST:
                return kept
            _log.warning("Made a new token: %s was readable by others, or was not whole.", path)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(
            f"The token {str(path)!r} can't be read ({error}): check its permissions, or remove it."
        ) from error
    secret = make_secret()
    with write_atomically(path) as part:
        part.write_text(f"{secret}\n", encoding="utf-8")
    return secret
