"""A session file of Codex: JSON Lines that it appends to, of which what user and assistant say are turns.

Calls of tools and their results, reasoning, and what the program itself puts in, are no turns. Old files have the
session's id in their first line and no times.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ingest.readers.conversations.turns import Conversation
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_lines import json_lines
from ingest.readers.json_text.json_values import entries, fields, moment, text

#: What stands in the user's place and is written by the program: where it runs, and files of instructions.
_PROGRAM: Final = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|permissions)\b"
    r"|# AGENTS\.md instructions)"
)


def read(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns, counted within the session.

    Raises:
        NotFound, InvalidInput: the file can't be opened.
    """
    session, folder, index = None, None, 0
    for number, line in json_lines(source):
        if isinstance(line, Refused):
            yield line
            continue
        said = fields(line.get("payload")) or line
        if session is None and _opens(line):
            session, folder = text(said.get("id")), text(said.get("cwd"))
        elif words := _words(said):
            if session is None:
                yield Refused(f"{source.where!r} line {number}: no line before it names the session: it is left out.")
                continue
            yield from Conversation(f"{source.where}#{number}", "codex", session).turns(
                index,
                words,
                role=str(said["role"]),
                date=moment(line.get("timestamp")),
                metadata={"folder": folder},
            )
            index += 1


def _opens(line: Mapping[str, object]) -> bool:
    return line.get("type") == "session_meta" or ("type" not in line and "instructions" in line)


def _words(said: Mapping[str, object]) -> str:
    """Return what a message says to the other side, empty if it is none."""
    if said.get("type") != "message" or said.get("role") not in ("user", "assistant"):
        return ""
    found = [text(fields(block).get("text")) or "" for block in entries(said.get("content"))]
    return "\n\n".join(words for words in found if words and not _PROGRAM.match(words))
