"""Conversations with assistants: exports of ChatGPT and Claude, session files of Claude Code and Codex."""

from collections.abc import Iterator, Mapping
from typing import Final

from core.errors import InvalidInput, TooLarge
from core.regex import regex
from ingest.readers.archives import documents
from ingest.readers.conversations.turns import Conversation
from ingest.readers.fields import memory_from
from ingest.readers.formats.conversation_formats import ROLES
from ingest.readers.formats.source import Item, Part, Refused, Source
from ingest.readers.json_text import entries, fields, json_cursor, json_lines, moment, text, texts

#: Kinds of content that are said to the other side.
_SAID = frozenset({"text", "multimodal_text"})
#: Marks of citations: between characters of private use, or as 【4†source】.
_CITATION = regex("[ ]?(?:\ue200[^\ue200\ue201]{0,2000}\ue201|【[^【】\n]{0,100}†[^【】\n]{0,200}】)|[\ue200-\ue2ff]")


def read_chatgpt(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of one conversation after the other, which is what is in memory.

    What a turn is leaves the context no choice.

    Raises:
        InvalidInput: it is not JSON, or no list; what stands before the fault is read.
        TooLarge: a conversation is over the limit.
    """
    for found in documents(source, "conversations"):
        if isinstance(found, Refused):
            yield found
            continue
        with json_cursor(found) as cursor:
            messages = list[Mapping[str, object]]()
            for number, value in enumerate(cursor.each(), 1):
                one = fields(value)
                if "mapping" not in one and isinstance(one.get("messages"), list):
                    yield from _message_turns(list(map(fields, entries(one["messages"]))), found, one)
                elif _role(one) is not None:
                    messages.append(one)
                else:
                    yield from _chatgpt_turns(one, f"{found.where}#{number}")
            yield from _message_turns(messages, found, {})


def _role(message: Mapping[str, object]) -> str | None:
    """Return who says a message of a list of messages, "" for a program, None if it does not say."""
    named = next((text(message.get(name)) for name in ("role", "sender", "author") if message.get(name)), None)
    return None if named is None else ROLES.get(named.casefold())


def _message_turns(messages: list[Mapping[str, object]], source: Source, about: Mapping[str, object]) -> Iterator[Part]:
    """Yield the turns of a conversation that is saved as a list of messages."""
    more = fields(about.get("metadata"))
    title = next((found for one in (about, more) for name in ("title", "name") if (found := text(one.get(name)))), None)
    known = next(
        (found for one in (about, more) for name in ("id", "uuid", "link") if (found := text(one.get(name)))), None
    )
    conversation = Conversation(source.where, "chatgpt", known or source.where, title or source.path.stem)
    for index, message in enumerate(messages):
        role = _role(message)
        if role:
            yield from conversation.turns(
                index, _said_in(message), role=role, date=_time_of(message), own_id=text(message.get("id"))
            )


def _said_in(message: Mapping[str, object]) -> str:
    for name in ("content", "say", "text", "message"):
        value = message.get(name)
        blocks = [text(fields(block).get("text")) or text(block) for block in entries(value)]
        if said := text(value) or "\n\n".join(filter(None, blocks)):
            return _CITATION.sub("", said)
    return ""


def _time_of(message: Mapping[str, object]) -> str | None:
    names = ("create_time", "created_at", "timestamp", "time", "date")
    return next((found for name in names if (found := moment(message.get(name)))), None)


def _chatgpt_turns(value: Mapping[str, object], where: str) -> Iterator[Part]:
    identity = text(value.get("conversation_id")) or text(value.get("id"))
    nodes = fields(value.get("mapping"))
    if identity is None or not nodes:
        yield Refused(f"{where!r} is no conversation of ChatGPT (no id or mapping): export it again.")
        return
    conversation = Conversation(where, "chatgpt", identity, text(value.get("title")))
    for index, (node, message) in enumerate(_said(nodes, value.get("current_node"))):
        more = fields(message.get("metadata"))
        yield from conversation.turns(
            index,
            _chatgpt_words(message),
            role=text(fields(message.get("author")).get("role")),
            date=moment(message.get("create_time")),
            own_id=text(message.get("id")) or node,
            metadata={"attachments": texts(more.get("attachments"), "name"), "model": text(more.get("model_slug"))},
        )


def _said(nodes: Mapping[str, object], leaf: object) -> list[tuple[str, Mapping[str, object]]]:
    """Return the messages from the root to a node, that of the last message where none is named."""
    at = leaf if isinstance(leaf, str) and leaf in nodes else list(nodes)[-1]
    way: list[tuple[str, Mapping[str, object]]] = []
    passed: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in passed:
        passed.add(at)
        node = fields(nodes[at])
        message = fields(node.get("message"))
        if _is_said(message):
            way.append((at, message))
        at = node.get("parent")  # type: ignore[assignment]  # the loop ends where it is no text
    return way[::-1]


def _is_said(message: Mapping[str, object]) -> bool:
    kind = fields(message.get("content")).get("content_type", "text")
    return (
        fields(message.get("author")).get("role") in ("user", "assistant")
        and isinstance(kind, str)
        and kind in _SAID
        and message.get("recipient", "all") in ("all", None)
        and not _is_aside(message)
        and bool(_chatgpt_words(message).strip())
    )


def _is_aside(message: Mapping[str, object]) -> bool:
    """Whether a message is hidden, or a model's announcement before its answer."""
    more = fields(message.get("metadata"))
    is_preamble = more.get("is_thinking_preamble_message") or message.get("channel") == "commentary"
    return bool(is_preamble or more.get("is_visually_hidden_from_conversation"))


def _chatgpt_words(message: Mapping[str, object]) -> str:
    """Return the texts in a message, those that were heard included; images, sounds and citations are left out."""
    parts = (part if isinstance(part, str) else fields(part).get("text") for part in _parts(message))
    return _CITATION.sub("", "\n".join(part for part in parts if isinstance(part, str) and part))


def _parts(message: Mapping[str, object]) -> list[object]:
    return entries(fields(message.get("content")).get("parts"))


_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}
_SOURCE: Final = "claude"


def read_claude(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the turns of one conversation after the other, each with its attached texts behind it.

    `context` counts for those texts. A turn's index is its place in the export, where messages are only added.

    Raises:
        InvalidInput: it is not JSON, or no list; what stands before the fault is read.
        TooLarge: a conversation is over the limit.
    """
    for found in documents(source, "conversations"):
        if isinstance(found, Refused):
            yield found
            continue
        with json_cursor(found) as cursor:
            for number, value in enumerate(cursor.each(), 1):
                yield from _claude_turns(fields(value), f"{found.where}#{number}", context)


def _claude_turns(value: Mapping[str, object], where: str, context: str | None) -> Iterator[Part]:
    identity = text(value.get("uuid"))
    if identity is None or not isinstance(value.get("chat_messages"), list):
        yield Refused(f"{where!r} is no conversation of Claude (no uuid or chat_messages): export it again.")
        return
    conversation = Conversation(where, _SOURCE, identity, text(value.get("name")))
    for index, entry in enumerate(entries(value["chat_messages"])):
        message = fields(entry)
        attached = texts(message.get("attachments"), "file_name") + texts(message.get("files"), "file_name")
        sender = message.get("sender")
        yield from conversation.turns(
            index,
            _claude_words(message),
            role=_ROLES.get(sender) if isinstance(sender, str) else None,
            date=moment(message.get("created_at")),
            own_id=text(message.get("uuid")),
            metadata={"attachments": attached},
        )
        yield from _attached(message, f"{where} turn {index}", context)


def _claude_words(message: Mapping[str, object]) -> str:
    """Return the texts of a message's blocks, or its own where it has no blocks, as old exports do."""
    blocks = [fields(block) for block in entries(message.get("content"))]
    said = [words for block in blocks if block.get("type") == "text" and (words := text(block.get("text")))]
    return "\n\n".join(said) if blocks else text(message.get("text")) or ""


def _attached(message: Mapping[str, object], where: str, context: str | None) -> Iterator[Part]:
    for number, entry in enumerate(entries(message.get("attachments")), 1):
        attachment = fields(entry)
        if (words := text(attachment.get("extracted_content"))) is None:
            continue
        values = {
            "content": words,
            "context": context,
            "source": _SOURCE,
            "title": text(attachment.get("file_name")),
            "date": moment(message.get("created_at")),
            "source_id": f"{text(message.get('uuid')) or where}#{number}",
        }
        try:
            yield Item(memory_from(values, where=f"{where!r} attachment {number}"))
        except (InvalidInput, TooLarge) as error:
            yield Refused(str(error))


#: What stands in the user's place and is written by the program: commands, their output, reminders.
_CLAUDE_CODE_PROGRAM: Final = regex(
    r"\s*<(?:command-|local-command-|bash-|system-reminder|user-prompt-submit-hook|task-notification)"
)
_MARKS: Final = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")


def read_claude_code(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns; a session's turns are counted by themselves, so that a longer file of it adds to them.

    Raises:
        NotFound, InvalidInput: the file can't be opened.
    """
    counts: dict[str, int] = {}
    for number, line in json_lines(source):
        if isinstance(line, Refused):
            yield line
            continue
        session, words = text(line.get("sessionId")), _claude_code_words(line)
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


def _claude_code_words(line: Mapping[str, object]) -> str:
    """Return what the line says to the other side, empty if nothing."""
    if line.get("type") not in ("user", "assistant") or any(line.get(mark) for mark in _MARKS):
        return ""
    content = fields(line.get("message")).get("content")
    said = [content] if isinstance(content, str) else [_block(fields(block)) for block in entries(content)]
    return "\n\n".join(words for words in said if words.strip() and not _CLAUDE_CODE_PROGRAM.match(words))


def _block(block: Mapping[str, object]) -> str:
    return (text(block.get("text")) or "") if block.get("type") == "text" else ""


#: What stands in the user's place and is written by the program: where it runs, and files of instructions.
_CODEX_PROGRAM: Final = regex(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|permissions)\b"
    r"|# AGENTS\.md instructions)"
)


def read_codex(source: Source, _context: str | None) -> Iterator[Part]:
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
        elif words := _codex_words(said):
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


def _codex_words(said: Mapping[str, object]) -> str:
    """Return what a message says to the other side, empty if it is none."""
    if said.get("type") != "message" or said.get("role") not in ("user", "assistant"):
        return ""
    found = [text(fields(block).get("text")) or "" for block in entries(said.get("content"))]
    return "\n\n".join(words for words in found if words and not _CODEX_PROGRAM.match(words))
