"""Keeping of a session: its turns become items, each once, however often its transcript is read, resumed or forked."""

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from core.dates import parse_iso
from core.interface.memory import Memory
from core.records import artifact_id
from ingest.intake.files import IntakeTally, ingest
from ingest.readers.conversations import agent_sessions, assistants
from ingest.readers.formats.conversation_formats import CODEX
from ingest.readers.formats.format import Fit, Head
from ingest.readers.formats.source import Item, Part, Source
from service.app import App
from service.connect.hook_event import HookEvent
from service.connect.session_log import Exclusion, KeptSession, SessionLog, turn_digest

#: Newest entries of the audit trail that are searched for what was forgotten: the transcript still has it.
_ACTS: Final = 10_000
#: Turns without id and time that must be equal, from the first on, for a transcript to be a fork of another.
_FORKED: Final = 4


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn of a transcript; `digest` is equal for the same turn in other transcripts."""

    item: Item
    digest: bytes
    #: Whether it has an id or a time, which tell it from all others.
    is_named: bool


def keep_session(app: App, log: SessionLog, event: HookEvent, client: str, project_id: str) -> IntakeTally:
    """Remember the turns of a session that are not remembered yet, were not forgotten, and are not left out.

    Raises:
        InvalidInput, NotFound: the transcript can't be read.
        Unavailable: the record or the log can't be written; the next call takes up what is missing.
    """
    exclusions = [one for one in log.exclusions() if one.matches(client, event.folder)]
    parts = list(_parts(event, client))
    turns = _turns(parts)
    fresh = _without_known(turns, log.taken(project_id, [turn.digest for turn in turns]))
    kept = _numbered([turn for turn in fresh if not _is_excluded(turn.item.memory, exclusions)], log, project_id)
    forgotten = {
        id_ for entry in app.store.audit_trail(project_id, limit=_ACTS) if entry.act == "forget" for id_ in entry.ids
    }
    items = [turn.item for turn in kept if forgotten.isdisjoint(_ids(turn.item.memory, project_id))]
    refused = [part for part in parts if not isinstance(part, Item)]

    def read(path: Path, *, context: str | None) -> Iterator[Part]:  # noqa: ARG001 - fulfils `Read`
        yield from items
        yield from refused

    tally = IntakeTally()
    path = event.transcript or Path(f"{client}-session").absolute()
    for tally in ingest([path], project_id, context=None, records=app.store, tokenizer=app.tokenizer, read=read):
        tally.outcomes.clear()
    folder = None if event.folder is None else str(event.folder)
    by_session = defaultdict[str, list[_Turn]](list)
    for turn in kept:
        by_session[str(turn.item.memory.conversation_id)].append(turn)
    for session_id, taken in by_session.items():
        session = KeptSession(project_id, session_id, client, folder, time.time(), time.time())
        highest = max(turn.item.memory.turn_index or 0 for turn in taken)
        log.note(session, highest, [turn.digest for turn in taken])
    return tally


def _parts(event: HookEvent, client: str) -> Iterator[Part]:
    """Yield the turns of a transcript or of the messages that a plug-in sends, and what of them can't be read."""
    if event.messages is not None:
        source = Source(Path(f"{event.session_id or client}.json").absolute(), json.dumps(event.messages).encode())
        parts = agent_sessions.read_agent_session(source, None)
    elif event.transcript is not None:
        parts = _read_transcript(Source(event.transcript.resolve()), client)
    else:
        return
    for part in parts:
        yield replace(part, memory=replace(part.memory, source=client)) if isinstance(part, Item) else part


def _read_transcript(source: Source, client: str) -> Iterator[Part]:
    """Yield the turns of a transcript: of Codex if it begins as one does, else as its client writes it."""
    if client not in ("claude-code", "codex"):
        return agent_sessions.read_agent_session(source, None)
    read = CODEX.read if CODEX.fit(Head(source)) is Fit.CERTAIN else assistants.read_claude_code
    return iter(read(source, None))


def _turns(parts: Sequence[Part]) -> list[_Turn]:
    turns: list[_Turn] = []
    for part in parts:
        if isinstance(part, Item):
            memory = part.memory
            identity = memory.source_id or memory.date
            before = turns[-1].digest if turns else b""
            digest = turn_digest(memory.role, memory.content, identity, before)
            turns.append(_Turn(part, digest, identity is not None))
    return turns


def _without_known(turns: Sequence[_Turn], taken: Mapping[bytes, set[str]]) -> list[_Turn]:
    """Return the turns that were taken neither in their session nor in another one of which it is a fork."""
    forked = 0
    while forked < len(turns) and not turns[forked].is_named and taken[turns[forked].digest]:
        forked += 1
    first = forked if forked >= _FORKED else 0
    return [
        turn
        for number, turn in enumerate(turns)
        if number >= first
        and turn.item.memory.conversation_id not in taken[turn.digest]
        and not (turn.is_named and taken[turn.digest])
    ]


def _numbered(turns: Sequence[_Turn], log: SessionLog, project_id: str) -> list[_Turn]:
    """Return the turns with indexes above those of the session so far: compaction may have shortened the transcript."""
    highest: dict[str, int] = {}
    numbered = []
    for turn in turns:
        memory = turn.item.memory
        session_id = str(memory.conversation_id)
        if session_id not in highest:
            highest[session_id] = log.highest(project_id, session_id)
        index = max(memory.turn_index or 0, highest[session_id] + 1)
        highest[session_id] = index
        numbered.append(replace(turn, item=replace(turn.item, memory=replace(memory, turn_index=index))))
    return numbered


def _is_excluded(memory: Memory, exclusions: Sequence[Exclusion]) -> bool:
    """Whether a turn was said in a pause, in a folder that is left out, or has a word that is."""
    at = time.time() if memory.date is None else parse_iso(memory.date, field="date").timestamp()
    said = memory.content.casefold()
    return any(one.holds(at) and one.word.casefold() in said for one in exclusions)


def _ids(memory: Memory, project_id: str) -> Iterator[str]:
    """Yield the ids that an item may have: ids of an earlier release come from its exact text."""
    for exact in (False, True):
        yield artifact_id(memory.fingerprint(project_id, exact=exact))
