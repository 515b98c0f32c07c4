"""Chats of teams and communities: exports of Slack, Teams, Skype and Discord, whose messages are turns."""

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput, TooLarge
from core.regex import regex
from ingest.readers.conversations.turns import Conversation
from ingest.readers.documents.web_page import main_text
from ingest.readers.formats.source import Part, Refused, Source
from ingest.readers.formats.zip_archive import Archive, opened
from ingest.readers.json_text import JsonCursor, entries, fields, json_cursor, moment, seconds, text, texts

#: Gives the objects of the list of this name.
_Listed = Callable[[str], list[Mapping[str, object]]]

#: Lists of what is a folder: by name, and direct messages by id.
_CHANNELS: Final = ("channels.json", "groups.json", "mpims.json", "dms.json")
_DAY: Final = regex(r"\d{4}-\d{2}-\d{2}\.json")
#: Kinds of messages that somebody wrote; one without a kind is such, too.
_SLACK_WRITTEN: Final = frozenset({"bot_message", "file_comment", "file_share", "me_message", "thread_broadcast"})
#: A block repeats the text of its message if at most this share of its words is not in it, such as emoji.
_REPEATED: Final = 0.3
#: Kinds of messages on Discord that somebody, or a program that somebody called, wrote.
_DISCORD_WRITTEN: Final = frozenset({"Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "20", "23"})
#: Deepest nesting of blocks that is followed.
_DEEPEST: Final = 8
#: <@U1>, <@U1|ann>, <#C1|general>, <!here>, <https://…|label>.
_MARK: Final = regex(r"<([@#!]?)([^<>|\n]{1,2000})(?:\|([^<>\n]{0,2000}))?>")


@dataclass(frozen=True, slots=True)
class _Workspace:
    #: Names by the id of a user, and titles by the id of a channel.
    users: Mapping[str, str]
    channels: Mapping[str, str]
    #: The channel of a folder's name.
    folders: Mapping[str, str]

    def plain(self, words: str) -> str:
        """Return a message's text with names for ids and without escapes."""
        return html.unescape(_MARK.sub(self._named, words))

    def _named(self, mark: re.Match[str]) -> str:
        sign, target, label = mark[1], mark[2], mark[3]
        if sign == "@":
            return f"@{self.users.get(target) or label or target}"
        if sign == "#":
            return f"#{label or self.channels.get(target, target).lstrip('#')}"
        if sign == "!":
            return label or f"@{target.partition('^')[0]}"
        return f"{label} ({target})" if label and label not in target else target


def read_slack(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of one channel's day after the other; of a file in the unpacked folder those of its day.

    A turn's index is its time in microseconds, so that exports of other days add to a channel.

    Raises:
        InvalidInput: the archive can't be opened, or a list of users or channels can't be read.
    """
    if source.suffix == ".json":
        folder = source.path.parent.parent
        yield from _day(source, _unpacked(folder, source.limits.member_bytes, tuple(map(_changed, _lists(folder)))))
        return
    with opened(source) as archive:
        workspace = _workspace(_packed(archive))
        for member in archive.members(lambda name: _DAY.fullmatch(PurePosixPath(name).name) is not None):
            if isinstance(member, Refused):
                yield member
                continue
            try:
                yield from _day(member, workspace)
            except (InvalidInput, TooLarge) as error:
                yield Refused(str(error))


def _day(member: Source, workspace: _Workspace) -> Iterator[Part]:
    channel = workspace.folders.get(member.path.parent.name)
    if channel is None:
        yield Refused(f"{member.where!r} is of no channel that the export lists: it is left out.")
        return
    conversation = Conversation(member.where, "slack", f"slack:{channel}", workspace.channels.get(channel))
    with json_cursor(member) as cursor:
        for value in cursor.elements():
            message = fields(value)
            at, kind = seconds(message.get("ts")), message.get("subtype")
            words = _words(message)
            if at is None or at < 0 or words is None or not _is_written(kind):
                continue
            stamp, thread = text(message.get("ts")), text(message.get("thread_ts"))
            yield from conversation.turns(
                round(at * 1e6),
                workspace.plain(words),
                author=_author(message, workspace),
                date=moment(at),
                own_id=stamp,
                metadata={
                    "thread": None if thread == stamp else thread,
                    "attachments": texts(message.get("files"), "name"),
                },
            )


def _words(message: Mapping[str, object]) -> str | None:
    """Return the text of a message with what programs attach to it, else the text of its blocks or its files' names."""
    said = text(message.get("text")) or ""
    known = _plain_words(said)
    blocks = [block for block in _block_texts(message.get("blocks")) if _says_more(_plain_words(block), known)]
    said = "\n".join(filter(None, [said, *blocks]))
    attached: list[str] = []
    for attachment in map(fields, entries(message.get("attachments"))):
        parts = [found for name in ("pretext", "title", "text") if (found := text(attachment.get(name)))]
        parts += [f"{name}: {value}" for name, value in _pairs(attachment.get("fields"))]
        fallback = text(attachment.get("fallback"))
        attached += [part for part in parts or filter(None, [fallback]) if part not in said]
    files = [] if said or attached else texts(message.get("files"), "title") or texts(message.get("files"), "name")
    return text("\n".join(filter(None, [said, *attached, *(f"File: {name}" for name in files)])))


def _plain_words(words: str) -> set[str]:
    return set(re.findall(r"\w+", _MARK.sub(lambda mark: "" if mark[1] else f" {mark[3] or mark[2]} ", words)))


def _says_more(block: set[str], known: set[str]) -> bool:
    """Whether a block holds words that the text of its message does not repeat."""
    return len(block - known) > _REPEATED * len(block)


def _pairs(value: object) -> list[tuple[str, str]]:
    found = [(text(field.get("title")), text(field.get("value"))) for field in map(fields, entries(value))]
    return [(name, value) for name, value in found if name and value]


def _block_texts(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts of a message's blocks, each on a line; those of a line of rich text together."""
    for block in map(fields, entries(value)) if depth < _DEEPEST else ():
        inner = block.get("text")
        if (found := text(inner) or text(fields(inner).get("text"))) is not None:
            yield found
            yield from _block_texts(block.get("fields"), depth + 1)
        elif block.get("type") == "rich_text_section":
            yield "".join(map(_inline, map(fields, entries(block.get("elements")))))
        else:
            yield from _block_texts(block.get("elements"), depth + 1)
            yield from _block_texts(block.get("fields"), depth + 1)


def _inline(element: Mapping[str, object]) -> str:
    """Return an element of rich text as the marks that messages have: names are put in their place with these."""
    match element.get("type"):
        case "user":
            return f"<@{element.get('user_id')}>"
        case "channel":
            return f"<#{element.get('channel_id')}>"
        case "link":
            return str(element.get("text") or element.get("url") or "")
        case _:
            return str(element.get("text") or "")


def _is_written(kind: object) -> bool:
    return kind is None or (isinstance(kind, str) and kind in _SLACK_WRITTEN)


def _author(message: Mapping[str, object], workspace: _Workspace) -> str | None:
    user = text(message.get("user"))
    known = None if user is None else workspace.users.get(user)
    return known or _name(fields(message.get("user_profile"))) or text(message.get("username")) or user


def _name(profile: Mapping[str, object]) -> str | None:
    return text(profile.get("real_name")) or text(profile.get("display_name")) or text(profile.get("name"))


def _workspace(listed: _Listed) -> _Workspace:
    users: dict[str, str] = {}
    for user in listed("users.json"):
        name = text(user.get("real_name")) or _name(fields(user.get("profile"))) or text(user.get("name"))
        if (identity := text(user.get("id"))) is not None and name is not None:
            users[identity] = name
    channels: dict[str, str] = {}
    folders: dict[str, str] = {}
    for kind in _CHANNELS:
        for channel in listed(kind):
            if (identity := text(channel.get("id"))) is None:
                continue
            name = text(channel.get("name"))
            members = [
                users.get(member, member) for member in entries(channel.get("members")) if isinstance(member, str)
            ]
            channels[identity] = (
                f"#{name}" if name and kind == "channels.json" else ", ".join(members) or name or identity
            )
            folders |= {folder: identity for folder in (identity, name) if folder is not None}
    return _Workspace(users, channels, folders)


def _packed(archive: Archive) -> _Listed:
    """Return what gives the objects of a list at the archive's top, wherever that is; none if it is not there."""

    def listed(name: str) -> list[Mapping[str, object]]:
        found = sorted((member for member in archive.names() if PurePosixPath(member).name == name), key=len)
        return _objects(archive.content(found[0]), f"{archive.source.where!r}: {found[0]!r}") if found else []

    return listed


def _lists(folder: Path) -> list[Path]:
    """Return the lists of an unpacked export."""
    return [path for name in ("users.json", *_CHANNELS) if (path := folder / name).is_file() and not path.is_symlink()]


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns


@lru_cache(maxsize=1)
def _unpacked(folder: Path, most_bytes: int, _changed: tuple[int, ...]) -> _Workspace:
    """Return the workspace of a folder, once for all of its days as long as its lists do not change."""
    known = {path.name: path for path in _lists(folder)}

    def listed(name: str) -> list[Mapping[str, object]]:
        return _objects(Source(known[name]).content(most_bytes), repr(str(known[name]))) if name in known else []

    return _workspace(listed)


def _objects(data: bytes, where: str) -> list[Mapping[str, object]]:
    try:
        return [fields(entry) for entry in entries(json.loads(data))]
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where} is not JSON: export it again.") from error


#: Kinds of messages that somebody wrote.
_TEAMS_WRITTEN: Final = ("Text", "RichText", "RichText/Html", "message")


def read_teams(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns of one chat after the other; a turn's index is its time in milliseconds.

    Raises:
        InvalidInput: it is not JSON, or no export of chats; what stands before the fault is read.
    """
    with json_cursor(source) as cursor:
        yield from _chats(source, cursor)


def _chats(source: Source, cursor: JsonCursor) -> Iterator[Part]:
    if cursor.kind() == "[":
        yield from (part for value in cursor.elements() for part in _graph_turns(fields(value), source))
        return
    for name in cursor.members():
        if name == "conversations" and cursor.kind() == "[":
            for value in cursor.elements():
                yield from _chat(fields(value), source)
        elif name == "value" and cursor.kind() == "[":
            yield from (part for value in cursor.elements() for part in _graph_turns(fields(value), source))
        else:
            cursor.value()


def _chat(chat: Mapping[str, object], source: Source) -> Iterator[Part]:
    """Yield the turns of a chat of an account's export, which lists the newest first."""
    own = text(chat.get("id"))
    if own is None:
        yield Refused(f"{source.where!r}: a chat has no id: it is left out.")
        return
    title = text(fields(chat.get("threadProperties")).get("topic")) or text(chat.get("displayName"))
    conversation = Conversation(source.where, "teams", f"teams:{own}", title)
    for message in map(fields, reversed(entries(chat.get("MessageList")))):
        if message.get("messagetype") in _TEAMS_WRITTEN:
            yield from _teams_turns(
                conversation,
                text(message.get("originalarrivaltime")),
                _plain(text(message.get("content")) or ""),
                text(message.get("displayName")) or (text(message.get("from")) or "").partition(":")[2] or None,
                text(message.get("id")),
            )


def _graph_turns(message: Mapping[str, object], source: Source) -> Iterator[Part]:
    if message.get("messageType") not in _TEAMS_WRITTEN or message.get("deletedDateTime"):
        return
    channel = fields(message.get("channelIdentity"))
    own = text(message.get("chatId")) or text(channel.get("channelId")) or source.path.stem
    sender, body = fields(message.get("from")), fields(message.get("body"))
    who = fields(sender.get("user")) or fields(sender.get("application"))
    words = text(body.get("content")) or ""
    files = texts(message.get("attachments"), "name")
    words = _plain(words) if body.get("contentType") == "html" else words
    yield from _teams_turns(
        Conversation(source.where, "teams", f"teams:{own}", text(message.get("subject"))),
        text(message.get("createdDateTime")),
        words or "\n".join(f"File: {name}" for name in files),
        text(who.get("displayName")),
        text(message.get("id")),
        {"answers": text(message.get("replyToId")), "attachments": files},
    )


def _teams_turns(
    conversation: Conversation,
    sent: str | None,
    words: str,
    author: str | None,
    own: str | None,
    metadata: Mapping[str, object] | None = None,
) -> list[Part]:
    at = moment(sent)
    if at is None:
        reason = f"{conversation.where!r}: a message has no time ({sent!r:.40}): it is left out."
        return [Refused(reason)] if words.strip() else []
    return conversation.turns(milliseconds(at), words, author=author, date=at, own_id=own, metadata=metadata)


def milliseconds(at: str) -> int:
    """Return a moment of ISO 8601 in milliseconds since 1970; 0 for what is before."""
    return max(0, round(datetime.fromisoformat(at).timestamp() * 1_000))


def _plain(words: str) -> str:
    """Return the text of a message in HTML."""
    return main_text(LexborHTMLParser(f"<body>{words}</body>")) if "<" in words or "&" in words else words


#: A message's id begins with its time; without its last bits, which tell messages of one millisecond apart, it fits.
_DROPPED_BITS: Final = 10


def read_discord(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns one by one; a turn's index is made of the message's id, so that other exports add to a channel.

    Raises:
        InvalidInput: it is not JSON, or no channel; what stands before the fault is read.
    """
    head: dict[str, object] = {}
    with json_cursor(source) as cursor:
        for name in cursor.members():
            if name != "messages":
                head[name] = cursor.value()
                continue
            conversation = _conversation(source, head)
            if conversation is None:
                yield Refused(f"{source.where!r} has no channel with an id before its messages: export it again.")
                return
            for value in cursor.elements():
                yield from _discord_turns(conversation, fields(value))


def _conversation(source: Source, head: Mapping[str, object]) -> Conversation | None:
    channel, guild = fields(head.get("channel")), fields(head.get("guild"))
    identity = text(channel.get("id"))
    names = [name for name in (text(guild.get("name")), text(channel.get("name"))) if name]
    return None if identity is None else Conversation(source.where, "discord", f"discord:{identity}", " / ".join(names))


def _discord_words(message: Mapping[str, object]) -> str:
    """Return the text of a message with the cards that a program sends, else its files' names.

    A card in somebody's own message is a preview of a link, whose words are not theirs.
    """
    said = text(message.get("content"))
    is_programs = said is None or fields(message.get("author")).get("isBot") is True
    lines = [said] if said else []
    for card in map(fields, entries(message.get("embeds"))) if is_programs else ():
        lines += [found for name in ("title", "description") if (found := text(card.get(name)))]
        pairs = (
            (text(field.get("name")), text(field.get("value"))) for field in map(fields, entries(card.get("fields")))
        )
        lines += [f"{name}: {value}" for name, value in pairs if name and value]
    return "\n".join(lines or [f"File: {name}" for name in texts(message.get("attachments"), "fileName")])


def _discord_turns(conversation: Conversation, message: Mapping[str, object]) -> list[Part]:
    if message.get("type") not in _DISCORD_WRITTEN or not (words := _discord_words(message)):
        return []
    identity, author = text(message.get("id")), fields(message.get("author"))
    if identity is None or not identity.isascii() or not identity.isdigit() or len(identity) > 20:
        return [Refused(f"{conversation.where!r}: a message has no number for its id ({identity!r}): it is left out.")]
    return conversation.turns(
        int(identity) >> _DROPPED_BITS,
        words,
        author=text(author.get("nickname")) or text(author.get("name")),
        date=moment(message.get("timestamp")),
        own_id=identity,
        metadata={
            "answers": text(fields(message.get("reference")).get("messageId")),
            "attachments": texts(message.get("attachments"), "fileName"),
        },
    )
