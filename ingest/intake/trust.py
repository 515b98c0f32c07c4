"""Trust: what a file says of itself counts as what its reader's user says only if that user trusts it.

A file comes from anywhere. Its fields must not replace what was remembered under a key, speak in somebody's name, or
make its text a rule that agents follow.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from core.errors import TooLarge
from core.interface.memory import Memory
from core.knowledge.rules import RULE_CONTEXTS
from ingest.readers.formats.source import Item

#: Suffixes of exports, whose entries have no key unless they give one.
_EXPORTS: Final = frozenset({".jsonl", ".ndjson"})
#: The source of what somebody remembered by hand.
_BY_HAND: Final = "manual"


def strip_claims(item: Item, path: Path, context: str | None) -> tuple[Memory, bool]:
    """Return the memory of an item read from a file as no more than a file, and whether the file claimed to be more.

    Its own `key`, `scope`, `author`, rule context and source "manual" are kept in `metadata`. Senders of mails and
    speakers of turns stay authors. `context` is what the caller says the files are.

    Raises:
        TooLarge: `metadata` is over its limit with them.
    """
    memory, where = item.memory, path.resolve().as_posix()
    claims = _claims(item, where, context)
    plain: dict[str, Any] = {
        "key": None if path.suffix.lower() in _EXPORTS else where,
        "scope": "universal",
        "author": None,
        "context": context or "document",
        "source": "file",
    }
    given = {f"metadata.{name}" if name in claims else name: value for name, value in (memory.metadata or {}).items()}
    try:
        changes = {name: plain[name] for name in claims} | {"metadata": (given | claims) or memory.metadata}
        return replace(memory, **changes, trusted=False), bool(claims)
    except TooLarge as error:
        raise TooLarge(f"{where!r}: {error}") from error


def _claims(item: Item, where: str, context: str | None) -> dict[str, str]:
    """Return the fields by which a file claims to be more than one; its own path begins the keys that readers make."""
    memory = item.memory
    is_own = memory.key is None or memory.key == where or memory.key.startswith((f"{where}#", f"{where}/"))
    found = {
        "key": None if is_own else memory.key,
        "scope": None if memory.scope == "universal" else memory.scope,
        "author": None if memory.is_turn or item.spoken else memory.author,
        "context": memory.context if memory.context in RULE_CONTEXTS and memory.context != context else None,
        "source": memory.source if memory.source == _BY_HAND else None,
    }
    return {name: value for name, value in found.items() if value is not None}
