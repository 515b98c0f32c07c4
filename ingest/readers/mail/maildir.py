"""Maildir: a folder with a file for each mail in `cur` and `new`, whose name ends in flags.

A mail is known by its own id and words, since its file is renamed when it is read, answered or moved.
"""

import re
from collections.abc import Iterator
from typing import Final

from ingest.readers.formats.item import Part
from ingest.readers.formats.source import Source
from ingest.readers.mail.message import MAIL_BYTES, Mail
from ingest.readers.mail.threads import Threads

#: Where the flags begin: systems differ in the sign that names may hold.
_FLAGGED: Final = re.compile(r"[:;!]2,")
_FLAGS: Final = {"D": "draft", "F": "flagged", "P": "passed", "R": "replied", "S": "seen", "T": "trashed"}


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the mail as one memory of context "email" unless told otherwise, with its flags, then what is attached.

    Raises:
        InvalidInput: there is no text in it, or it does not decode.
        TooLarge: it is over its limit.
    """
    mail = Mail(source, source.content(MAIL_BYTES), repr(source.where), context, Threads())
    info = source.name.rpartition("2,")[2] if _FLAGGED.search(source.name) else ""
    yield from mail.items(flags=[_FLAGS[sign] for sign in info if sign in _FLAGS])
