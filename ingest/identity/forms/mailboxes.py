"""Mail boxes and handles: which ones a name may give, and whose one may be."""

import re
from typing import Final

from core.knowledge.findings import normalise_name
from ingest.english.lexicon import GIVEN_NAMES, unmarked
from ingest.english.name_patterns import is_role
from ingest.identity.forms.name_forms import is_short
from ingest.identity.forms.nicknames import nicknames

_NOT_LETTERS: Final = re.compile(r"[._\d-]+")
#: Letters of a mail box or handle from which on it tells whose it is.
_SHORTEST_MAILBOX: Final = 4


def mailboxes(name: str) -> set[str]:
    """Return the mail boxes and handles that a person's full name may give: alicechen, achen, alicec, chena, …"""
    words = unmarked(normalise_name(name)).split()
    if len(words) < 2 or is_role(name) or is_short(name):
        return set()
    given_names = {words[0], *nicknames(words[0])}
    found = {one + other for given in given_names for one, other in mailbox_parts(given, words[-1])}
    if "-" in words[0].strip("-"):
        parts = [part for part in words[0].split("-") if part]
        plain = "".join(parts)
        found |= {"".join(part[0] for part in parts) + words[-1], plain, plain + words[-1], plain + words[-1][0]}
    if len(words) > 2:
        found |= {"".join(word[0] for word in words[:at]) + words[at] for at in range(2, len(words))}
    return found


def plain_mailbox(box: str) -> str:
    """Return a mail box or handle without the dots, strokes and digits in it."""
    return _NOT_LETTERS.sub("", box)


def mailbox_owners(box: str) -> set[str]:
    """Return names, as short forms have them, under which the person whose mail box or handle this is may be known.

    None for what is too short to tell anybody, or written as a name.
    """
    if (begun := box.partition("_")[0]) != box and len(begun) >= _SHORTEST_MAILBOX and begun not in GIVEN_NAMES:
        return mailbox_owners(begun) | mailbox_owners(plain_mailbox(box))
    box = plain_mailbox(box)
    if len(box) < _SHORTEST_MAILBOX or not box.isalpha() or box != box.casefold():
        return set()
    given = {box[:at] for at in range(2, len(box))}
    initials = {f"{box[0]}. {box[1:]}", f"{box[0]}. {box[2:]}", f"{box[-1]}. {box[:-1]}"}
    return given | initials | {box[at:] for at in range(2, len(box) - 1)}


def mailbox_parts(given: str, family: str) -> set[tuple[str, str]]:
    """Return the (first, last) name pairs that mailboxes and handles are built from, in order."""
    return {(given, family), (given[0], family), (given, family[0]), (family, given[0]), (family, given)}
