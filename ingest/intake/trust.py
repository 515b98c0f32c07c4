"""Trust: what a file says of itself counts as what its reader's user says only if that user trusts it.

A file comes from anywhere. Its fields must not replace what was remembered under a key, speak in somebody's name, or
make its text a rule that agents are told to follow.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from core.errors import InvalidInput, TooLarge
from core.interface.memory import Memory
from core.knowledge.rules import RULE_CONTEXTS

#: Suffixes of exports, whose entries have no key unless they give one.
_EXPORTS: Final = frozenset({".jsonl", ".ndjson"})
#: The source of what somebody remembered by hand.
_BY_HAND: Final = "manual"


def untrusted(memory: Memory, path: Path, context: str | None) -> tuple[Memory, bool]:
    """Return a memory read from a file as no more than a file, and whether the file claimed to be more.

    Its own `key`, `scope`, `author`, rule context and source "manual" are kept in `metadata`. Senders of mails and
    speakers of turns stay authors. `context` is what the caller says the files are.

    Raises:
        InvalidInput: a field that would be kept in `metadata` is given there, too.
        TooLarge: `metadata` is over its limit with them.
    """
    claims = _claims(memory, path, context)
    where = path.resolve().as_posix()
    plain: dict[str, Any] = {
        "key": None if path.suffix.lower() in _EXPORTS else where,
        "scope": "universal",
        "author": None,
        "context": context or "document",
        "source": "file",
    }
    given = memory.metadata or {}
    if twice := ", ".join(sorted(claims.keys() & given.keys())):
        raise InvalidInput(f"{where!r}: {twice} is given both beside metadata and inside it: keep one, or use --trust.")
    try:
        changes = {name: plain[name] for name in claims} | {"metadata": (given | claims) or memory.metadata}
        return replace(memory, **changes, trusted=False), bool(claims)
    except TooLarge as error:
        raise TooLarge(f"{where!r}: {error}") from error


def _claims(memory: Memory, path: Path, context: str | None) -> dict[str, str]:
    """Return the fields by which a file claims to be more than one."""
    is_speaker = memory.is_turn or path.suffix.lower() == ".eml"
    found = {
        "key": None if memory.key == path.resolve().as_posix() else memory.key,
        "scope": None if memory.scope == "universal" else memory.scope,
        "author": None if is_speaker else memory.author,
        "context": memory.context if memory.context in RULE_CONTEXTS and memory.context != context else None,
        "source": memory.source if memory.source == _BY_HAND else None,
    }
    return {name: value for name, value in found.items() if value is not None}
