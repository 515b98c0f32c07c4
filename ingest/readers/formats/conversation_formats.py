"""The formats of conversations, each recognised by the beginning of its files."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from core.regex import regex
from ingest.document.lines import ASIDE
from ingest.readers.formats.format import Fit, Format, Head

_TIME: Final = r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?: ?[AaPp]\.?[Mm]\b\.?)?)"
_NAME: Final = rf"(?P<name>[^\W\d_][^\n\t:\[\]<>|]{{0,60}}?){ASIDE}"
_FORMS: Final = tuple(
    regex(rf"^{form}", re.MULTILINE)
    for form in (
        # [00:05] Name: words; 00:05 Name: words; 10:02:31 From Name to Everyone: words
        rf"\[?{_TIME}\]?[ \t]+(?:-[ \t]+)?(?:From[ \t]+)?{_NAME}(?: to [^\n:]{{1,60}})?[ \t]*:(?=[ \t\r\n])",
        # Name (00:05): words; Name 00:05: words
        rf"{_NAME}[ \t]*[(\[]?{_TIME}[)\]]?[ \t]*:(?=[ \t\r\n])",
        # [Name] 10:02:31, and the words below
        rf"\[{_NAME}\][ \t]+{_TIME}[ \t]*\r?$",
        # Name  0:05, and the words below
        rf"{_NAME}[ \t]+{_TIME}[ \t]*\r?$",
    )
)
#: Halves of the day before the hour, and those of all that are after noon.
_BEFORE_HOUR: Final = "上午|下午|凌晨|清晨|早上|晚上|午前|午後|오전|오후"
AFTER_NOON: Final = frozenset({"p", "م", "下午", "晚上", "午後", "오후"})
#: What a message in WhatsApp's text begins with: "[12/03/26, 10:02:31 PM] " on iOS, "12/03/26, 10:02 - " on Android.
MESSAGE_STAMP: Final = regex(
    r"^[\u200e\u200f]?(?P<open>\[)?"
    r"(?P<first>\d{1,4})(?P<sign>[./-]) ?(?P<second>\d{1,2})(?P=sign) ?(?P<third>\d{1,4})\.?[,،]? "
    rf"(?:(?:klo|à|às|um|at|kl\.?|alle|a las) )?(?P<before>{_BEFORE_HOUR})? ?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)(?:[:.](?P<seconds>[0-5]\d))?"
    r"(?:[ \u202f\u00a0]?(?P<half>[AaPp](?=\.?[ \u202f\u00a0]?[Mm])|[صم]\b)(?:\.?[ \u202f\u00a0]?[Mm]\.?)?)?"
    r"(?(open)\] |(?(before)(?: - |, )| - ))",
    re.MULTILINE,
)
#: A text is a transcript from so many such lines on, if they are so many of those that are not blank, and somebody
#: speaks more than once.
_FEWEST: Final = 3
_MOST_OF: Final = 0.3


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A line at `start` (character) that says who speaks when, both as written."""

    start: int
    speaker: str
    time: str


def spoken_lines(text: str) -> list[SpokenLine]:
    """Return the lines that say who speaks when in the form that most of them have, if the text is a transcript.

    Linear in the text; empty if it is none.
    """
    found = max(
        ([SpokenLine(m.start(), m["name"].strip(), m["time"]) for m in form.finditer(text)] for form in _FORMS), key=len
    )
    filled = sum(not line.isspace() for line in text.splitlines(keepends=True))
    speakers = Counter(line.speaker for line in found)
    repeated = max(chain(speakers.values(), [0])) > 1
    return found if repeated and len(found) >= max(_FEWEST, filled * _MOST_OF) else []


_SUBRIP: Final = regex(r"\s*\d{1,6}[ \t]*\r?\n[ \t]*\d{1,2}:\d{2}:\d{2}[.,]\d{1,3}[ \t]*-->")
#: The file of a channel's day in Slack's export, and the lists beside the channels' folders.
_SLACK_DAY: Final = regex(r"\d{4}-\d{2}-\d{2}\.json")
_SLACK_LISTS: Final = ("channels.json", "groups.json", "dms.json", "mpims.json")
#: Who says a message of a conversation with an assistant, by what programs call them.
ROLES: Final = {
    "user": "user", "human": "user", "prompt": "user", "you": "user",
    "assistant": "assistant", "response": "assistant", "chatgpt": "assistant", "gpt": "assistant", "model": "assistant",
    "ai": "assistant", "bot": "assistant", "claude": "assistant", "gemini": "assistant",
    "system": "", "tool": "", "developer": "", "function": "",
}  # fmt: skip
#: Suffixes of texts without markup.
_PLAIN: Final = frozenset({"", ".txt", ".text", ".log"})


def _names(head: Head) -> set[str]:
    """The names of an archive's members, without their folders."""
    return {PurePosixPath(member).name for member in head.members}


def _has(head: Head, opening: str, *names: str) -> bool:
    """Whether a text begins with `opening` and has every one of the names of JSON in its head."""
    return head.text.lstrip().startswith(opening) and all(f'"{name}"' in head.text for name in names)


def _certain(told: bool) -> Fit:  # noqa: FBT001 - what is asked is all there is to it
    return Fit.CERTAIN if told else Fit.NO


def _chatgpt(head: Head) -> Fit:
    names = _names(head)
    packed = any(name.startswith("conversations") for name in names) and not names.isdisjoint(
        {"chat.html", "message_feedback.json", "shared_conversations.json", "user.json"}
    )
    is_whole = _has(head, "[", "mapping", "parent", "children") or _is_one_conversation(head)
    return _certain(packed or is_whole or _is_list_of_messages(head))


def _is_one_conversation(head: Head) -> bool:
    """Whether a file is one conversation of ChatGPT, as extensions of browsers save it."""
    is_whole = _has(head, "{", "mapping", "parent", "children")
    return is_whole and any(f'"{name}"' in head.text for name in ("current_node", "conversation_id", "create_time"))


def _is_list_of_messages(head: Head) -> bool:
    """Whether a file is a conversation as a list of messages, as extensions of browsers and programs save it."""
    opening = re.match(r'\s*(?:\{(?:[^\[\]]{0,2000})"messages"\s*:\s*)?\[\s*\{(?P<first>[^{}]{0,1000})', head.text)
    names = set() if opening is None else set(re.findall(r'"(\w{2,12})"\s*:', opening["first"]))
    is_said = not names.isdisjoint({"content", "say", "text", "message"})
    roles = re.findall(r'"(?:role|sender|author)"\s*:\s*"(\w{2,12})"', head.text)
    return is_said and len(roles) > 0 and all(role.casefold() in ROLES for role in roles)


def _claude(head: Head) -> Fit:
    packed = _names(head) >= {"conversations.json", "users.json"}
    return _certain(packed or any(_has(head, sign, "uuid", "chat_messages") for sign in "[{"))


def _claude_code(head: Head) -> Fit:
    is_summary = _has(head, '{"type":"summary"', "leafUuid")
    return _certain(is_summary or _has(head, "{", "sessionId", "parentUuid", "uuid"))


def _codex(head: Head) -> Fit:
    first = head.text.partition("\n")[0]
    old = first.startswith('{"id":') and all(f'"{name}"' in first for name in ("timestamp", "instructions", "git"))
    return _certain(old or ('"session_meta"' in first[:200] and '"payload"' in first[:200]))


def _agent_session(head: Head) -> Fit:
    first = head.text.lstrip().partition("\n")[0]
    gemini = _has(head, "{", "sessionId", "projectHash")
    cursor = re.match(r'\{"role":\s?"(?:user|assistant)",\s?"message":\s?\{"content"', first) is not None
    copilot = '"session.start"' in first[:200] and '"copilotVersion"' in first
    cline = _has(head, "{", "sessionId", "messages", "role") and ('"origin"' in head.text or '"agent"' in head.text)
    opencode = _has(head, "{", "info", "messages", "parts") and '"ses_' in head.text
    return _certain(gemini or cursor or copilot or cline or opencode)


def _captions(head: Head) -> Fit:
    return _certain(head.text.startswith("WEBVTT") or _SUBRIP.match(head.text) is not None)


def _transcript(head: Head) -> Fit:
    return Fit.LIKELY if head.source.suffix in _PLAIN and spoken_lines(head.text) else Fit.NO


def _slack(head: Head) -> Fit:
    names = _names(head)
    if _SLACK_DAY.fullmatch(head.source.name) and head.source.data is None and head.text.lstrip().startswith("["):
        folder = head.source.path.parent.parent
        names = {name for name in ("users.json", *_SLACK_LISTS) if (folder / name).is_file()}
    return _certain("users.json" in names and not names.isdisjoint(_SLACK_LISTS))


def _discord(head: Head) -> Fit:
    return _certain(_has(head, "{", "guild", "channel", "messages"))


def _telegram(head: Head) -> Fit:
    one = _has(head, "{", "messages", "id", "type") and ('"from_id"' in head.text or '"actor_id"' in head.text)
    return _certain(one or _has(head, "{", "about", "personal_information"))


def _messenger(head: Head) -> Fit:
    is_chat = _has(head, "{", "participants", "messages", "sender_name", "timestamp_ms")
    return _certain(is_chat or _has(head, "{", "participants", "messages", "threadName", "senderName"))


def _teams(head: Head) -> Fit:
    is_graph = any(_has(head, sign, "messageType", "createdDateTime", "body") for sign in "[{")
    return _certain(is_graph or _has(head, "{", "conversations", "MessageList"))


def _signal(head: Head) -> Fit:
    first = head.text.lstrip().partition("\n")[0]
    is_line = first.startswith("{") and all(f'"{name}"' in first for name in ("date", "sender", "body", "reactions"))
    return _certain(is_line or re.search(r"<smses\b", head.text[:5_000]) is not None)


def _whatsapp(head: Head) -> Fit:
    begins = MESSAGE_STAMP.match(head.text) is not None
    return _certain(begins and head.source.suffix in _PLAIN)


CHATGPT: Final = Format(
    "chatgpt",
    "ChatGPT's export, or one conversation with an assistant as extensions save it, each message a turn",
    ".conversations.assistants:read_chatgpt",
    look=_chatgpt,
)
CLAUDE: Final = Format(
    "claude", "Claude's export, each message a turn", ".conversations.assistants:read_claude", look=_claude
)
CLAUDE_CODE: Final = Format(
    "claude-code",
    "a session of Claude Code, each message a turn",
    ".conversations.assistants:read_claude_code",
    look=_claude_code,
)
CODEX: Final = Format(
    "codex", "a session of Codex, each message a turn", ".conversations.assistants:read_codex", look=_codex
)
AGENT_SESSION: Final = Format(
    "agent-session",
    "a session of Gemini CLI, Cursor, Copilot CLI or Cline, or one that OpenCode exports, each message a turn",
    ".conversations.agent_sessions:read_agent_session",
    look=_agent_session,
)
CAPTIONS: Final = Format(
    "captions",
    "WebVTT and SubRip, a transcript each",
    ".conversations.transcripts:read_captions",
    suffixes=(".vtt", ".srt"),
    look=_captions,
)
TRANSCRIPT: Final = Format(
    "transcript",
    "plain transcripts of Zoom, Teams, Meet and Otter: lines with speaker and time",
    ".conversations.transcripts:read_transcript",
    look=_transcript,
)
SLACK: Final = Format(
    "slack",
    "Slack's export, packed or not, each message a turn of its channel",
    ".conversations.workplace_chats:read_slack",
    look=_slack,
)
DISCORD: Final = Format(
    "discord",
    "a channel of DiscordChatExporter in JSON, each message a turn",
    ".conversations.workplace_chats:read_discord",
    look=_discord,
)
TELEGRAM: Final = Format(
    "telegram",
    "Telegram's export in JSON, each message a turn of its chat",
    ".conversations.messengers:read_telegram",
    look=_telegram,
)
WHATSAPP: Final = Format(
    "whatsapp",
    "a chat that WhatsApp exports, each message a turn",
    ".conversations.messengers:read_whatsapp",
    look=_whatsapp,
)
MESSENGER: Final = Format(
    "messenger",
    "chats of Messenger and Instagram as Meta exports them in JSON, each message a turn",
    ".conversations.messengers:read_messenger",
    look=_messenger,
)
TEAMS: Final = Format(
    "teams",
    "chats of Teams and Skype, of an account's export or of Microsoft Graph, each message a turn",
    ".conversations.workplace_chats:read_teams",
    look=_teams,
)
SIGNAL: Final = Format(
    "signal",
    "Signal's chats as signal-export writes them, and backups of text messages in XML, each message a turn",
    ".conversations.messengers:read_signal",
    look=_signal,
)
