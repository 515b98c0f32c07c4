"""Threads: which mails belong together, told from what each says it answers, and when each was sent.

A thread is named by its first mail. `References` names that outright; what gives only `In-Reply-To` joins the thread of
the mail that it answers if that came before in the same box, else it is taken for that thread's first. Nothing follows
links from mail to mail, so that circles of them do no harm.
"""

import re
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Final

from core.dates import now

_ID: Final = re.compile(r"<([^<>\s]{1,900})>")
#: Most replies of a box whose thread is remembered, about 300 bytes each; of more the latest.
_MOST: Final = 100_000


#: The year of a date: four digits, or two behind a month.
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b|[A-Za-z]{3}[ -]\d\d\b(?!:)")
#: How far the clock of a sender may be ahead.
_AHEAD: Final = timedelta(days=2)


class Threads:
    """The threads of one box, whose mails are asked about in its order."""

    def __init__(self) -> None:
        self._first: dict[bytes, str] = {}

    def thread_of(self, message: Message) -> str | None:
        """Return the `conversation_id` of a mail's thread, None if it neither has an id nor answers one."""
        own = _ids(message, "Message-ID")[:1]
        above = _ids(message, "References") or _ids(message, "In-Reply-To")
        if not (named := above or own):
            return None
        first = self._first.get(_digest(named[0]), named[0])
        if own and own[0] != first:
            self._first[_digest(own[0])] = first
            if len(self._first) > _MOST:
                del self._first[next(iter(self._first))]
        return f"mail:{first}"


def answers(message: Message) -> bool:
    """Whether a mail says that it answers another one."""
    return bool(_ids(message, "In-Reply-To") or _ids(message, "References"))


def sent_at(message: Message) -> datetime | None:
    """Return when a mail was sent, else when the last server received it; a time without zone is UTC.

    A date without a year is none, nor is one in the future.
    """
    received = [str(value).rpartition(";")[2] for value in message.get_all("Received", [])[:1]]
    for text in (*map(str, message.get_all("Date", [])[:1]), *received):
        if _YEAR.search(text) is None:
            continue
        try:
            found = parsedate_to_datetime(text.strip())
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
        try:
            is_past = found.astimezone(UTC) <= now() + _AHEAD
        except (ValueError, OverflowError):
            continue
        if is_past:
            return found
    return None


def _ids(message: Message, name: str) -> list[str]:
    """Return the ids in the headers of this name; of one without brackets its first word."""
    text = " ".join(str(value) for value in message.get_all(name, [])).encode("ascii", "replace").decode()
    return _ID.findall(text) or text.split()[:1]


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()[:12]
