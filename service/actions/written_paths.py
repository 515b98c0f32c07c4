"""Paths as people and agents write them: with a tilde, as an address, in quotes, or escaped for a shell."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

#: What a shell or a model writes around a path.
_AROUND: Final = " \t\r\n'\"`"
#: A blank or sign that is escaped for a shell.
_ESCAPED: Final = re.compile(r"\\(?=[\s()'\"&;\[\]])")


def path_spellings(text: str) -> list[Path]:
    """Return the paths that a text may mean, the most literal first; no file is looked at."""
    plain = text.strip(_AROUND) or text
    found = [text, plain]
    address = urlsplit(plain) if plain[:5].lower() == "file:" else None
    if address is not None and address.netloc in {"", "localhost"}:
        found.append(url2pathname(address.path))
    found += [_ESCAPED.sub("", plain), unquote(plain), plain.replace("\\", "/")]
    return list(dict.fromkeys(path for one in found for path in _expanded(one)))


def resolve_written_path(text: str) -> Path:
    """Return the first path that a text may mean and that exists, else the most literal one."""
    paths = path_spellings(text)
    return next((path for path in paths if _exists(path)), paths[0])


def _expanded(text: str) -> list[Path]:
    """Return a path, and its expansion of `~`."""
    path = Path(text)
    try:
        return [path, path.expanduser()]
    except RuntimeError:  # no such user
        return [path]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
