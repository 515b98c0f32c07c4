"""The formats of mail, each told by the headers at the beginning of its files."""

import re
from typing import Final

from ingest.readers.formats.format import Fit, Format, Head

#: The line that begins a box, and the header behind it.
_BOX: Final = re.compile(
    rb"From (?:[^\r\n]{0,300} )?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [^\r\n]{0,40}?\d\d?:\d\d[^\r\n]{0,40}\r?\n"
    rb"(?:[!-9;-~]{1,100}:|>From )"
)
#: What programs name the files of a Maildir: a time, then what makes it unique, without a blank.
_UNIQUE: Final = re.compile(r"\d{6,}[.\w-][^\s/]{2,}")
_HEADERS: Final = re.compile(
    rb"(?:Return-Path|Delivered-To|Received|Message-ID|From|Date|Subject|To|MIME-Version|X-[\w-]+):", re.IGNORECASE
)


def _mbox(head: Head) -> Fit:
    return Fit.CERTAIN if _BOX.match(head.data) else Fit.NO


def _maildir(head: Head) -> Fit:
    folder = head.source.path.parent.name
    is_mail = folder in {"cur", "new"} and _UNIQUE.fullmatch(head.source.name) and _HEADERS.match(head.data)
    return Fit.CERTAIN if is_mail else Fit.NO


MAIL: Final = Format(
    "mail",
    "a saved mail, its text",
    "ingest.readers.mail.message:read",
    suffixes=(".eml",),
)
MBOX: Final = Format(
    "mbox",
    "a box of mails in one file, as Gmail, Thunderbird and Apple Mail export it, each mail an item",
    "ingest.readers.mail.mbox:read",
    suffixes=(".mbox", ".mbx"),
    look=_mbox,
)
MAILDIR: Final = Format(
    "maildir",
    "the mails in the folders cur and new of a Maildir, each with its flags",
    "ingest.readers.mail.maildir:read",
    look=_maildir,
)
