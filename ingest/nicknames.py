"""Given names that are used for one another: short forms, and nicknames that are not short forms."""

from pathlib import Path
from typing import Final

from ingest.extract.local.letters import unmarked

#: A given name and what it is shortened to, by line.
_GROUPS: Final = tuple(
    tuple(line.split())
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)


def _others() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for full, *short in _GROUPS:
        for name in short:
            found.setdefault(name, set()).add(full)
            found.setdefault(full, set()).add(name)
    return {name: frozenset(others) for name, others in found.items()}


_OTHERS: Final = _others()
_FULL: Final = frozenset(group[0] for group in _GROUPS)


def nicknames(given: str) -> frozenset[str]:
    """Return the names that this given name, in small letters, may be used for or by; none for most."""
    return _OTHERS.get(unmarked(given), frozenset())


def is_of_several(nickname: str) -> bool:
    """Whether a nickname, in small letters, is used for more than one name: Charlie for Charles and for Charlotte."""
    return nickname not in _FULL and len(_OTHERS.get(nickname, ())) > 1
