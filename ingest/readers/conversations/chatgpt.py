"""An export of ChatGPT: `conversations.json`, the zip archive with it, or one of its conversations.

Each conversation is a tree, since questions are edited and answers made anew; its turns are those on the way to the
node that it was left at. What tools, the system and hidden messages say, a model's thoughts, and its announcements
before it uses a tool are no turns. The marks of citations, which only ChatGPT's page can show, are left out.
"""

import re
from collections.abc import Iterator, Mapping

from ingest.readers.conversations.turns import Conversation
from ingest.readers.exports.archives import documents
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import json_cursor
from ingest.readers.json_text.json_values import entries, fields, moment, text, texts

#: Kinds of content that are said to the other side.
_SAID = frozenset({"text", "multimodal_text"})
#: Marks of citations: between characters of private use, or as 【4†source】.
_CITATION = re.compile(
    "[ ]?(?:\ue200[^\ue200\ue201]{0,2000}\ue201|【[^【】\n]{0,100}†[^【】\n]{0,200}】)|[\ue200-\ue2ff]"
)


def read(source: Source, _context: str | None) -> Iterator[Part]:
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
            for number, value in enumerate(cursor.each(), 1):
                yield from _turns(fields(value), f"{found.where}#{number}")


def _turns(value: Mapping[str, object], where: str) -> Iterator[Part]:
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
            _words(message),
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
        and bool(_words(message).strip())
    )


def _is_aside(message: Mapping[str, object]) -> bool:
    """Whether a message is hidden, or a model's announcement before its answer."""
    more = fields(message.get("metadata"))
    is_preamble = more.get("is_thinking_preamble_message") or message.get("channel") == "commentary"
    return bool(is_preamble or more.get("is_visually_hidden_from_conversation"))


def _words(message: Mapping[str, object]) -> str:
    """Return the texts in a message, those that were heard included; images, sounds and citations are left out."""
    parts = (part if isinstance(part, str) else fields(part).get("text") for part in _parts(message))
    return _CITATION.sub("", "\n".join(part for part in parts if isinstance(part, str) and part))


def _parts(message: Mapping[str, object]) -> list[object]:
    return entries(fields(message.get("content")).get("parts"))
