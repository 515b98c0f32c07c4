"""Limits of archives: what is read of one, its members and the archives in it together."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much of an archive is read; what is over a limit is refused by name. The settings have the same defaults."""

    #: Most members, which all have an entry in memory.
    members: int = 100_000
    #: Most bytes of one member when it is unpacked.
    member_bytes: int = 256_000_000
    #: Most bytes of all members that are unpacked, those of archives within among them.
    total_bytes: int = 4_000_000_000
    #: A member of over 10 MB that was more than this many times as large before it was packed is made to exhaust its
    #: reader: deflate reaches 1,032 for one repeated byte, text and markup 5 to 100.
    ratio: int = 200
    #: Archives within archives that are opened.
    depth: int = 2


#: The limits where none are given.
USUAL: Final = ArchiveLimits()


@dataclass(slots=True)
class Unpacked:
    """How many bytes have been unpacked of a file and the archives in it."""

    count: int = 0
