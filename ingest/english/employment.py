"""Where people work by the words between their names and an organisation's."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from core.knowledge.findings import EntityType

#: Between somebody and the organisation that is theirs: "Mara Lind of …", "Mara Lind, head of design at …".
_IS_OF: Final = re.compile(
    r"(?P<here>,? here)?,? \(?(?:of|from|at|for|with) (?:the )?|"
    r"(?:, (?!.*\b(?:that|who|which|when|after|before|because|while|waiting|tired|bought|heard|back)\b)"
    r"(?:the |our |an? )?|"
    r" the |: (?:the )?)[a-z][a-z -]{2,40} (?:of|from|at|for) (?:the )?|"
    r"(?:,? who)? (?:now )?(?:works?|worked|is|are)(?: both)? (?:at|for|with|from) (?:the )?"
)
#: The same where the organisation ends what is said of them: "Mara Lind, Tidewell Freight", "Mara Lind (Tidewell)".
_ASIDE_OF: Final = re.compile(
    r" ?[(/] ?(?:[A-Za-z][\w& ]{1,20}, )?|, (?:(?:[A-Z]{2,3}|[A-Za-z][a-z]+(?: [a-z]+)?), )?| [-–—] "
)
_ENDS_ASIDE: Final = re.compile(r"[,;.:)|\"”]| *(?:\Z|  )")
#: The second alone tells it of a given name.
_IN_BRACKETS: Final = re.compile(r" \(")
_BRACKET_ENDS: Final = re.compile(r"\)")
#: Between an organisation and its people: "Tidewell's account manager Mara Lind", "our contact at Tidewell is …".
_HAS: Final = re.compile(r"['’]s (?:[a-z-]+ ){0,4}|,? (?:is|was) represented by ")
_AT: Final = re.compile(r"(?:, | is |: )")
#: Between an organisation and its people in brackets, and between these: "Tidewell (Ms Lind, Jo Park)".
_WITH: Final = re.compile(r" \((?:(?:Mr|Mrs|Ms|Dr)\.? )?")
_AND: Final = re.compile(r"(?:,|;|,? and) (?:(?:Mr|Mrs|Ms|Dr)\.? )?")
#: Before an organisation that heads a line, behind it, behind a name in that line, and behind the last one.
_LINE_BEGINS: Final = re.compile(r"(?:\A|\n)[ \t]*(?:[-*•|>#]+[ \t]*)?(?:For )?[*_]*\Z", re.I)
_HEADS: Final = re.compile(r"[*_]*:[*_]*[ \t]+")
_NOTE: Final = re.compile(r" \([^()\n]{1,40}\)")
_LINE_ENDS: Final = re.compile(r"(?: \([^()\n]{1,40}\))?[*_.]*[ \t]*(?:\n|\Z)")
#: Between two people of whom one thing is said.
_BOTH: Final = re.compile(r" and ")
#: People of one organisation in one list at most.
_MOST: Final = 20
#: Line breaks inside a sentence are blanks to every pattern; no place moves.
FLAT: Final = str.maketrans("\n\r\t", "   ")


class Mentioned(NamedTuple):
    """Where a text names something; `which` says what."""

    start: int
    end: int
    which: int
    type: EntityType


def employed(content: str, mentioned: Sequence[Mentioned]) -> Iterator[tuple[Mentioned, Mentioned]]:
    """Yield each mention of somebody, by the full name or plainly meant so, with that of the organisation they are of.

    `mentioned` is everything that the text names, in order.
    """
    flat = content.translate(FLAT)
    for at, (first, second) in enumerate(pairwise(mentioned)):
        kinds = (first.type, second.type)
        if kinds == ("person", "org") and (told := _is_of(flat, first, second)):
            yield first, second
            before = mentioned[at - 1] if at else first
            if before.type == "person" and told == "both" and _BOTH.fullmatch(flat, before.end, first.start):
                yield before, second
        elif kinds == ("org", "person") and _has(flat, first, second):
            yield second, first
        elif kinds == ("org", "person") and _heads(content, first, second):
            yield from ((person, first) for person in _listed(content, mentioned, at + 1))
        elif kinds == ("org", "person") and _WITH.fullmatch(flat, first.end, second.start):
            yield from ((person, first) for person in _in_brackets(flat, mentioned, at + 1))


def _is_of(flat: str, person: Mentioned, employer: Mentioned) -> str | None:
    """Return "one" or "both" if somebody, by the full name, works where the next name is, and one before as well."""
    is_of = _IS_OF.fullmatch(flat, person.end, employer.start)
    if " " not in flat[person.start : person.end]:
        told = is_of is not None and (is_of["here"] is not None or flat.startswith((" from ", " at "), person.end))
        in_brackets = _IN_BRACKETS.fullmatch(flat, person.end, employer.start)
        return "one" if told or (in_brackets and _BRACKET_ENDS.match(flat, employer.end)) else None
    if is_of:
        return "both" if flat.startswith(" are ", person.end) else "one"
    aside = _ASIDE_OF.fullmatch(flat, person.end, employer.start)
    return "one" if aside is not None and _ENDS_ASIDE.match(flat, employer.end) is not None else None


def _has(flat: str, employer: Mentioned, person: Mentioned) -> bool:
    """Whether who is named next, by the full name, works at an organisation."""
    if " " not in flat[person.start : person.end]:
        return False
    if _HAS.fullmatch(flat, employer.end, person.start):
        return True
    is_at = flat.endswith(" at ", 0, employer.start)
    return is_at and _AT.fullmatch(flat, employer.end, person.start) is not None


def _heads(content: str, employer: Mentioned, person: Mentioned) -> bool:
    """Whether a line begins with an organisation and goes on with who is there for it: "Tidewell: Mara Lind"."""
    is_full = " " in content[person.start : person.end]
    begins = _LINE_BEGINS.search(content, max(0, employer.start - 12), employer.start) is not None
    return is_full and begins and _HEADS.fullmatch(content, employer.end, person.start) is not None


def _listed(content: str, mentioned: Sequence[Mentioned], at: int) -> list[Mentioned]:
    """Return the people, from one on, with whom a line is filled; none if a sentence stands there."""
    found = [mentioned[at]]
    for next_ in islice(mentioned, at + 1, at + _MOST):
        if next_.type != "person" or not _AND.fullmatch(_NOTE.sub("", content[found[-1].end : next_.start])):
            break
        found.append(next_)
    return found if _LINE_ENDS.match(content, found[-1].end) else []


def _in_brackets(flat: str, mentioned: Sequence[Mentioned], at: int) -> list[Mentioned]:
    """Return the people, from one on, with whom brackets are filled; none if anything else is in them."""
    found = [mentioned[at]]
    for next_ in islice(mentioned, at + 1, at + _MOST):
        if next_.type != "person" or not _AND.fullmatch(flat, found[-1].end, next_.start):
            break
        found.append(next_)
    return found if flat.startswith(")", found[-1].end) else []
