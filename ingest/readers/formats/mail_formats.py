"""The formats of mail, each told by the headers at the beginning of its files."""

import re
from pathlib import Path
from typing import Final

from core.regex import regex
from ingest.document.terms import english_header
from ingest.readers.formats.format import Fit, Format, Head

#: The line before a mail of a box: "From ", then the sender and the time. Some programs write "From - " or an address
#: without a time, or a name with a date alone; those of MMDF write four signs of no letter.
MMDF: Final = b"\1\1\1\1"
ENVELOPE: Final = regex(
    rb"From (?:[^\r\n]{0,300} )?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [^\r\n]{0,40}?\d\d?:\d\d[^\r\n]{0,40}\r?\n"
)
BARE_ENVELOPE: Final = regex(
    rb"From[ \t]{0,4}(?:(?:-|MAILER-DAEMON|<?[^\s@<>]{1,200}@[^\s@<>]{1,200}>?)?"
    rb"(?:[ \t][^\r\n]{0,60}\d{4}[^\r\n]{0,20})?|[^\s:]{1,200}[ \t][^\r\n]{0,60}\d{4}[^\r\n]{0,20})[ \t]{0,4}\r?\n"
)
#: Headers that nearly every mail has; one of them must follow an envelope without a time.
MAIL_HEADER: Final = regex(
    rb"(?:Return-Path|Delivered-To|Received(?:-SPF)?|Message-ID|From|Sender|Reply-To|Date|Subject|To|Cc|MIME-Version"
    rb"|Content-(?:Type|Transfer-Encoding|Length|Class|Disposition)|DKIM-Signature|Authentication-Results|ARC-[\w-]+"
    rb"|X-[\w-]+|[BF]cc|References|In-Reply-To|User-Agent|List-[\w-]+|Envelope-To|Status|Organi[sz]ation|Lines"
    rb"|Thread-[\w-]+|Resent-[\w-]+|Newsgroups|Path|Xref|Precedence|Mailing-List|Importance|Priority|Errors-To"
    rb"|Autocrypt|Delivery-Date|Original-Recipient|Disposition-Notification-To|Apparently-To):",
    re.IGNORECASE,
)
_HEADER: Final = regex(rb"[!-9;-~]{1,100}:|>From ")
#: The headers at the beginning of a file of a Maildir, and the ones of which every mail has at least one.
_HEADERS: Final = regex(rb"(?:[!-9;-~]{1,100}:[^\n]*+\n(?:[ \t][^\n]*+\n)*+)+")
_EVERY_MAIL: Final = regex(rb"^(?:From|Date|Message-ID|Received):", re.IGNORECASE | re.MULTILINE)
_TRANSPORT: Final = regex(rb"^(?:Message-ID|Received|MIME-Version|Return-Path):", re.IGNORECASE | re.MULTILINE)
#: Names of files in a Maildir: a time and a unique part, or any name that ends in flags.
_NAME: Final = regex(r"\d{6,}[.\w-][^\s/]{2,}|.+[:!;]2,\w*")


def is_envelope(line: bytes, following: bytes) -> bool:
    """Whether a line of a box begins a mail; `following` is the next line, the first header of the mail."""
    return bool(
        (ENVELOPE.match(line) and _HEADER.match(following))
        or (BARE_ENVELOPE.fullmatch(line) and MAIL_HEADER.match(following))
    )


def _mbox(head: Head) -> Fit:
    data = head.data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    line, _, rest = data.partition(b"\n")
    if line.rstrip(b"\r") == MMDF:
        return Fit.CERTAIN if MAIL_HEADER.match(rest) else Fit.NO
    return Fit.CERTAIN if is_envelope(line + b"\n", rest) else Fit.NO


def _maildir(head: Head) -> Fit:
    folder = head.source.path.parent
    if folder.name not in {"cur", "new"} or not (block := _HEADERS.match(head.data)):
        return Fit.NO
    is_named = _NAME.fullmatch(head.source.name) or _is_beside_others(folder)
    return Fit.CERTAIN if is_named and _EVERY_MAIL.search(block[0]) else Fit.NO


def _is_beside_others(folder: Path) -> bool:
    """Whether the folder is part of a Maildir, which has three."""
    return all((folder.parent / name).is_dir() for name in ("cur", "new", "tmp"))


#: How a compound file begins, which Word documents of old are too.
_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def _outlook(head: Head) -> Fit:
    return Fit.CERTAIN if head.source.suffix in {".msg", ".oft"} and head.data.startswith(_COMPOUND) else Fit.NO


#: The headers of a mail that Outlook saves as text, by what they are called in mails.
_SAVED_HEADERS: Final = {"from": "From", "sent": "Date", "date": "Date", "to": "To", "cc": "Cc", "subject": "Subject"}


_SAVED_LINE: Final = regex(r"(?P<name>[^\W\d_][^\n:：]{0,20}?)[ \t\u00a0]?[:：][ \t]*(?P<value>[^\r\n]*)\r?\n")


def saved_headers(text: str) -> tuple[dict[str, str], int] | None:
    """Return the headers of a mail that Outlook saved as text, and where its text begins; None if it is no such text.

    Who sent it, when and about what must be there, and a blank line below them.
    """
    found: dict[str, str] = {}
    at = len(text) - len(text.lstrip("\ufeff\r\n"))
    while (line := _SAVED_LINE.match(text, at)) is not None:
        name = _SAVED_HEADERS.get(english_header(line["name"]) or line["name"].casefold())
        if name is None:
            break
        found.setdefault(name, line["value"].strip())
        at = line.end()
    is_apart = text[at:].lstrip(" \t").startswith(("\n", "\r\n", "Attachments:", "Anlagen:", "Importance:"))
    return (found, at) if {"From", "Date", "Subject"} <= found.keys() and is_apart else None


def _mail(head: Head) -> Fit:
    """Tell a mail that was saved as text by headers that nobody types."""
    if head.source.suffix in {".txt", ".text"} and saved_headers(head.text):
        return Fit.LIKELY
    if head.source.suffix not in {"", ".txt", ".text"} or not (block := _HEADERS.match(head.data)):
        return Fit.NO
    return Fit.LIKELY if _TRANSPORT.search(block[0]) and _EVERY_MAIL.search(block[0]) else Fit.NO


MAIL: Final = Format(
    "mail", "a saved mail, its text", ".mail.message:read_message", suffixes=(".eml", ".emlx"), look=_mail
)
MBOX: Final = Format(
    "mbox",
    "a box of mails in one file, as Gmail, Thunderbird and Apple Mail export it, each mail an item",
    ".mail.mailboxes:read_mbox",
    suffixes=(".mbox", ".mbx"),
    look=_mbox,
)
MAILDIR: Final = Format(
    "maildir",
    "the mails in the folders cur and new of a Maildir, each with its flags",
    ".mail.mailboxes:read_maildir",
    look=_maildir,
)
OUTLOOK: Final = Format(
    "outlook",
    "a message that Outlook saved, with what is attached; appointments, tasks and notes too",
    ".mail.outlook:read",
    suffixes=(".msg", ".oft"),
    look=_outlook,
)
