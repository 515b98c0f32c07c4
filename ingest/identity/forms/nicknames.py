"""Given names that are used for one another: short forms, and nicknames that are not short forms."""

from bisect import bisect_left
from functools import cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from ingest.english.lexicon import FIRST_NAMES, unmarked

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
#: Letters of what a name is cut to, and the fewest that are cut off.
_SHORTEST, _LONGEST, _CUT = 3, 6, 2


def nicknames(given: str) -> frozenset[str]:
    """Return the names that this given name, in small letters, may be used for or by; none for most."""
    return _OTHERS.get(unmarked(given), frozenset())


def is_ambiguous(nickname: str) -> bool:
    """Whether a nickname, in small letters, is used for more than one name: Charlie for Charles and for Charlotte."""
    return nickname not in _FULL and len(_OTHERS.get(nickname, ())) > 1


def cut_forms(given: str) -> frozenset[str]:
    """Return what a given name, in small letters, may be cut to: "dan", "dani" and "danie" for Daniela."""
    plain = unmarked(given)
    return frozenset(plain[:length] for length in range(_SHORTEST, min(_LONGEST, len(plain) - _CUT) + 1))


@cache
def _given() -> tuple[str, ...]:
    """Return the given names that lists know without marks, in order; made when one is first looked for."""
    return tuple(sorted({unmarked(name) for name in FIRST_NAMES}))


def names_cut_to(short: str) -> frozenset[str]:
    """Return the given names that lists know and that may be cut to this, in small letters: Daniela for "dani"."""
    plain = unmarked(short)
    if not _SHORTEST <= len(plain) <= _LONGEST:
        return frozenset()
    from_here = islice(_given(), bisect_left(_given(), plain), None)
    like = takewhile(lambda name: name.startswith(plain), from_here)
    return frozenset(name for name in like if len(name) >= len(plain) + _CUT)
