"""People by the company they keep: who is named in one breath with somebody whom the text or a list knows."""

import re
from typing import Final

from core.knowledge.findings import normalised
from ingest.document.structure import Passage
from ingest.english.lexicon import AMBIGUOUS_NAMES, GIVEN_NAMES, INNER_NAMES, NOT_NAMES, OTHER_WORDS, ROLE_WORDS
from ingest.english.name_patterns import APART, CAPITALISED, LATER, TITLED, is_title
from ingest.extract.local.entities.names import Names
from ingest.extract.local.entities.unknown_names import plausible

_ONE: Final = rf"{CAPITALISED}(?:{LATER})?"
#: "Chidi, Annette and Wing-Yan", "Delroy + Perce".
_TOGETHER: Final = re.compile(rf"{APART}{_ONE}(?:(?:, (?:and |or )?| and | or | & | \+ | / ){_ONE}){{1,11}}(?![\w@])")
_BETWEEN: Final = re.compile(r", (?:and |or )?| and | or | & | \+ | / ")
#: Who voted and who was there, inside a line: "For: Dunstan Eyre, Pip. Against: Verity Ashdown."
_HEADED: Final = re.compile(
    rf"\b(?P<head>[A-Za-z]+(?: [a-z]+)?): (?P<said>(?:{TITLED} )?{_ONE}(?: \([^()\n]{{1,30}}\))?"
    rf"(?:(?:, (?:and )?| and | & ){_ONE}(?: \([^()\n]{{1,30}}\))?)*)(?=[.;,\n]|\Z| \w+:| of\b)"
)
_HEADS: Final = ROLE_WORDS | frozenset(
    "for against abstained abstaining abstention favour absent present apologies panel jury crew volunteer helper "
    "shift duty call inspector surveyor photographer driver skipper cook trainer tutor editor curator conductor".split()
)
_NOTE: Final = re.compile(r" \([^()]*\)")


def scan_groups(names: Names, content: str, passage: Passage) -> None:
    """Guess that those of an enumeration whom no list knows are people, where a third of them certainly are."""
    for match in _TOGETHER.finditer(content, passage.start, passage.end):
        members = _BETWEEN.split(match[0])
        while members and normalised(members[0]) in NOT_NAMES:
            members.pop(0)
        plain = [member for member in members if not _is_known(names, member)]
        if not names.apart_near(*match.span()) and _are_people(members, plain):
            _guess(names, plain)
            alone = [member for member in members if member not in plain and member.casefold() in INNER_NAMES]
            if len(members) > len(alone) or len(alone) > 1:
                names.singles |= {normalised(member): member for member in alone}
    for match in _HEADED.finditer(content, passage.start, passage.end):
        if match["head"].split()[-1].casefold().removesuffix("s") not in _HEADS:
            continue
        members = _BETWEEN.split(_NOTE.sub("", match["said"]))
        plain = [member for member in members if not _is_known(names, member)]
        if len(plain) < len(members) or any(map(plausible, members)):
            _guess(names, plain)


def _are_people(members: list[str], plain: list[str]) -> bool:
    """Whether enough of an enumeration is known for people.

    A third, or half where a word that no list has stands alone: that may be a firm, and beside one person it often is.
    """
    known = len(members) - len(plain)
    alone = any(" " not in member and member.casefold() not in INNER_NAMES for member in plain)
    return known * 2 >= len(members) > 2 if alone else known * 3 >= len(members) > 1


def _guess(names: Names, members: list[str]) -> None:
    if all(map(_may_be_name, members)):
        names.guesses |= {normalised(member): member for member in members}


def _is_known(names: Names, member: str) -> bool:
    """Whether this certainly is a person: known to the text, or by a given name that is nothing else."""
    key = normalised(member)
    first = key.split()[0].split("-")[0]
    if key in names.people or key in names.given_present:
        return True
    if any(word in OTHER_WORDS for word in key.split()):
        return False
    return first in INNER_NAMES or (first in GIVEN_NAMES and first not in AMBIGUOUS_NAMES)


def _may_be_name(member: str) -> bool:
    words = member.split()
    return (
        len(words) < 4
        and not is_title(words[0])
        and all(
            word[1:].islower()
            and len(word) > 2
            and (word.casefold() not in OTHER_WORDS or word.casefold() in INNER_NAMES)
            for part in words
            for word in part.split("-")
            if word[:1].isupper()
        )
    )
