"""A session file of Claude Code: JSON Lines that it appends to, of which what user and assistant say are turns.

Calls of tools and their results, thoughts, sub-agents, summaries, and what the program itself puts in, are no turns.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ingest.readers.conversations.turns import Conversation
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_lines import json_lines
from ingest.readers.json_text.json_values import entries, fields, moment, text

#: What stands in the user's place and is written by the program: commands, their output, reminders.
_PROGRAM: Final = re.compile(
    r"\s*<(?:command-|local-command-|bash-|system-reminder|user-prompt-submit-hook|task-notification)"
)
_MARKS: Final = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns; a session's turns are counted by themselves, so that a longer file of it adds to them.

    Raises:
        NotFound, InvalidInput: the file can't be opened.
    """
    counts: dict[str, int] = {}
    for number, line in json_lines(source):
        if isinstance(line, Refused):
            yield line
            continue
        session, words = text(line.get("sessionId")), _words(line)
        if session is None or not words:
            continue
        index = counts.get(session, 0)
        counts[session] = index + 1
        yield from Conversation(f"{source.where}#{number}", "claude-code", session).turns(
            index,
            words,
            role=str(line["type"]),
            date=moment(line.get("timestamp")),
            own_id=text(line.get("uuid")),
            metadata={"folder": text(line.get("cwd")), "branch": text(line.get("gitBranch"))},
        )


def _words(line: Mapping[str, object]) -> str:
    """Return what the line says to the other side, empty if nothing."""
    if line.get("type") not in ("user", "assistant") or any(line.get(mark) for mark in _MARKS):
        return ""
    content = fields(line.get("message")).get("content")
    said = [content] if isinstance(content, str) else [_block(fields(block)) for block in entries(content)]
    return "\n\n".join(words for words in said if words.strip() and not _PROGRAM.match(words))


def _block(block: Mapping[str, object]) -> str:
    return (text(block.get("text")) or "") if block.get("type") == "text" else ""
