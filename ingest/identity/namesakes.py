"""Namesakes, told apart by where the words around the name say they work; and former or other names of one person."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from core.knowledge.findings import FoundEntity, Span, normalise_name
from core.regex import regex
from ingest.english.lexicon import BRANDS, FAMILY_WORDS, OFFICES, ORGANISATIONS
from ingest.english.name_patterns import CAPITALISED, FLAT, POSSESSIVE, Mentioned, employed
from ingest.identity.name_forms import OURS, are_different_companies, is_part, is_short

_WORD: Final = (
    r"née|nee|formerly|previously|was|now|born|fka|f/k/a|aka|a\.k\.a\.|ex|once|maiden name|that is|that['’]s|i\.e\.|"
    r"until [\w ]{3,20},"
)
#: "Didi (that is Dietlinde Kruse, …)", "Dietlinde Kruse, whom all call Didi".
_CALLED: Final = regex(
    rf"\b(?P<short>{CAPITALISED}) \((?:that is|that['’]s|i\.e\.|alias|short for|really|=),? "
    rf"(?P<full>{CAPITALISED} {CAPITALISED})|"
    rf"\b(?P<whole>{CAPITALISED} {CAPITALISED}),? \(?(?:(?:whom?|that) (?:all|everybody|everyone|we|they|you)(?: all)? "
    rf"(?:calls?|knows? as)|also known as|known as|(?<=[,(])called|(?<=, )called|(?:is|was|be) called|"
    rf"alias|aka|a\.k\.a\.) [\"“'‘]?(?P<nick>{CAPITALISED}(?: {CAPITALISED})?)"
)
#: "Mary Smith (née Dunn)", "Mary Smith, formerly Mary Dunn", "Mary Dunn (now Smith)".
_RENAMED: Final = regex(
    rf"\b({CAPITALISED}(?: {CAPITALISED}){{0,2}}) ?(?:\((?:{_WORD}|formerly known as)|, (?:née|nee|formerly|now)) "
    rf"({CAPITALISED}(?: {CAPITALISED}){{0,2}})"
)

#: Two full names that begin with one given name, what stands between them, and behind the second.
_SAME_GIVEN: Final = regex(
    rf"\b(?P<given>{CAPITALISED}) (?P<one>{CAPITALISED})(?!['’]s)"
    r"(?P<between>[^.;:!?\n]{2,50}?| \([^.;:!?\n)]{2,40}: ?)"
    rf"\b(?P=given) (?P<other>{CAPITALISED})(?!['’]s)(?P<behind>[^.;:!?\n]{{0,24}})"
)
#: Before the other name of the same person; a verb of what one does with another is none: "called Mary Smith".
_LINKS: Final = regex(
    r"(?:\b(?:now|née|nee|formerly|previously|born|became|becomes|used to be|known as|[(,] ?called|"
    r"(?:is|was|be|now) called|(?:her|his) name to|married name|maiden name|renamed|goes by|"
    r"until (?:recently|[A-Z]\w+|last \w+)|that['’]s|that is|same person|no longer|still (?:under|as|listed as))\b"
    r"(?: (?:as|to|is|was|known as|called|named|just|simply))?)[ :(\"“]*\Z"
)
_LINKS_BEHIND: Final = regex(
    r",? \(?(?:as was|that was|as (?:she|he|they) (?:was|were)|before|until|from now on|now\b|by marriage)"
)
_TWO: Final = regex(
    r"\b(?:and|or|not|nor|with|both|other|unlike|than|told|met|asked|from|for|(?<!used )(?<!name )to)\b|n['’]t\b|&"
)


def find_former_names(content: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of names, as the content has them, that it says are one person's; a family name gets the given."""
    for match in _RENAMED.finditer(content):
        one, other = match[1], match[2]
        if " " in other or not _is_other_word(other):
            yield one, other if " " in other else f"{one.split()[0]} {other}"
    for match in _SAME_GIVEN.finditer(content):
        links = _LINKS.search(match["between"]) or _LINKS_BEHIND.match(match["behind"])
        if (
            links
            and match["one"] != POSSESSIVE.sub("", match["other"]) == match["other"]
            and not _TWO.search(match["between"])
        ):
            yield f"{match['given']} {match['one']}", f"{match['given']} {match['other']}"
    for match in _CALLED.finditer(content):
        yield match["full"] or match["whole"], match["short"] or match["nick"]


def _is_other_word(word: str) -> bool:
    """Whether a word behind a name and "now" or "formerly" is an office or a known organisation: "(now Treasurer)"."""
    folded = word.casefold()
    return folded in BRANDS or folded in OFFICES - FAMILY_WORDS or word in ORGANISATIONS or folded in ORGANISATIONS


def with_former_names(found: Sequence[FoundEntity], content: str) -> list[FoundEntity]:
    """Return what was found with each person under all names that the content says are one person's.

    Two people of the content who are one by its word become the first of the two.
    """
    people = list(found)
    firms = {normalise_name(each.name) for each in found if each.type != "person"}
    for one, other in find_former_names(content):
        if normalise_name(other.rpartition(" ")[2]) in firms:
            continue
        named = [person for person in people if person.type == "person" and _is_called(person, one)]
        if len(named) != 1:
            continue
        [person] = named
        also = [each for each in people if each.type == "person" and normalise_name(each.name) == normalise_name(other)]
        aliases = {other, *person.aliases, *(form for each in also for form in (each.name, *each.aliases))}
        mentions = tuple(dict.fromkeys([*person.mentions, *(span for each in also for span in each.mentions)]))
        united = replace(person, aliases=tuple(sorted(aliases - {person.name})), mentions=mentions)
        people = [united if each is person else each for each in people if each is person or each not in also]
    return people


def _is_called(person: FoundEntity, name: str) -> bool:
    forms = {normalise_name(form) for form in (person.name, *person.aliases)}
    return not is_short(person.name) and normalise_name(name) in forms


#: Before and behind who is of the writer's own people, said to tell them from a namesake.
_OUR_OWN: Final = regex(r"\b[Oo]ur own (?:\w+\. )?\Z")
_OF_OURS: Final = regex(
    r" \(ours\b|,? of ours\b|, ours\b|,? (?:of|from|at) our (?:own )?(?:company|cooperative|co-operative|firm|house|"
    r"school|college|club|society|association|practice|charity|parish|hospital|clinic|town|village|family)\b"
)
#: Before somebody who is of the organisation that was named last, and how far back that is looked for, in characters.
_ANOTHER: Final = regex(r"\b(?:another|a different) \Z", re.I)
_NEAR: Final = 120
#: The same said in passing.
_OUR: Final = regex(r"\b[Oo]ur \Z")
#: Behind who is of a department, which is most often one of the writer's own house.
_OF_DEPARTMENT: Final = regex(
    r" \((?:(?:from|of) )?(?P<aside>[\w&][\w& -]{1,30}?)\)|"
    r",? (?:here )?(?:from|of) (?P<of>[A-Z]{2,3}|[a-z][a-z-]{2,20})\b|"
    r",? (?:here )?(?:from|of|in) our (?P<our>[\w-]+)(?: (?:team|office|department|desk|side|group|unit|staff))?\b"
)
#: A line of the head of a text that is no sentence, how many there are, and how far the head goes, in characters.
_HEAD_LINE: Final = regex(r"^[ \t#*_]*([^\s#*_][^\n]{0,99}?)[ \t*_]*(?<![.!?;])$", re.M)
_HEAD_LINES: Final = 3
_HEAD: Final = 600
#: Behind what such a line begins with, and before what it ends with.
_APART: Final = regex(r"[*_]*(?:[ \t]*(?:[,·|–—(]|-[ \t]|$))", re.M)
_LAST: Final = regex(r"[,·|–—][ \t]*\Z|[ \t]-[ \t]\Z")
_WRITTEN_BY: Final = regex(r"\b(?:by|author|writer|from|chair|minutes|notes)[:*_ ]+\Z", re.I)
#: Around a name that fills its line, and how many marks may be before it.
_LINE_BEFORE: Final = regex(r"(?:\A|\n)[ \t>*_–-]*\Z")
_LINE_BEHIND: Final = regex(r"[ \t>*_–-]*+(?:\n|\Z)")
_MARKS: Final = 40
_FROM_LINE: Final = regex(r"^\W{0,4}from\W{1,4}(?=\w)", re.I | re.M)


def with_namesakes(found: Sequence[FoundEntity], content: str, speaker: str | None) -> list[FoundEntity]:
    """Return the entities of a text with people of one name apart, whom its words give different employers.

    Each has the mentions that its words tell, and those up to the next that tells otherwise. Who is "our own" is of
    `OURS`, or of where the writer is, whom the fields name as `speaker`; a department alone is somebody's role, and
    another employer than a company that the same text gives the name.
    """
    head = _letterhead(found, content)
    house = _house(found, content, speaker) or head
    employers = _employers(found, content)
    if head is not None:
        employers = dict.fromkeys(_writers(found, content), head) | employers
    flat = content.translate(FLAT)
    return [one for entity in found for one in _apart(entity, employers, house, content, flat)]


@dataclass(slots=True)
class _Person:
    """One of the people of a name: employer, role and mentions."""

    organization: str | None
    role: str | None = None
    mentions: list[Span] = field(default_factory=list)


def _employers(found: Sequence[FoundEntity], content: str) -> dict[tuple[int, int], str]:
    """Return by mentions of people the organisations that the words around them give."""
    mentioned = sorted(
        Mentioned(span.start_char, span.end_char, index, entity.type)
        for index, entity in enumerate(found)
        for span in entity.mentions
    )
    employers = {(who.start, who.end): found[firm.which].name for who, firm in employed(content, mentioned)}
    last: Mentioned | None = None
    for each in mentioned:
        if each.type == "org":
            last = each
        elif last and each.start - last.end < _NEAR and _ANOTHER.search(content[max(0, each.start - 16) : each.start]):
            employers.setdefault((each.start, each.end), found[last.which].name)
    return employers


def _letterhead(found: Iterable[FoundEntity], content: str) -> str | None:
    """Return the only organisation that stands apart at an end of one of the first lines; None if there are others."""
    lines = [line.span(1) for line in islice(_HEAD_LINE.finditer(content, 0, _HEAD), _HEAD_LINES)]
    named = set()
    for firm, span in ((one, span) for one in found if one.type == "org" for span in one.mentions):
        begins = any(span.start_char == start and _APART.match(content, span.end_char) for start, _ in lines)
        if begins or any(
            span.end_char == end and _LAST.search(content, start, span.start_char) for start, end in lines
        ):
            named.add(firm.name)
    return named.pop() if len(named) == 1 else None


def _writers(found: Iterable[FoundEntity], content: str) -> Iterator[tuple[int, int]]:
    """Yield where the head of a text names its writers."""
    for span in (span for one in found if one.type == "person" for span in one.mentions if span.start_char < _HEAD):
        if _WRITTEN_BY.search(content, max(0, span.start_char - 24), span.start_char):
            yield span.start_char, span.end_char


def _house(found: Iterable[FoundEntity], content: str, speaker: str | None) -> str | None:
    """Return where the writer (`speaker` by the fields) is, or the line "From: …" says; None if nothing does."""
    people = [entity for entity in found if entity.type == "person" and entity.organization]
    if speaker is not None:
        named = (one for one in people if normalise_name(speaker) in map(normalise_name, (one.name, *one.aliases)))
        return next((one.organization for one in named), None)
    line = _FROM_LINE.search(content)
    if line is None:
        return None
    return next((one.organization for one in people if any(s.start_char == line.end() for s in one.mentions)), None)


def _apart(
    entity: FoundEntity, employers: Mapping[tuple[int, int], str], house: str | None, content: str, flat: str
) -> Iterator[FoundEntity]:
    """Yield the people who have one name in the text; usually there is one."""
    if entity.type != "person":
        yield entity
        return
    told = [(span, employers.get((span.start_char, span.end_char))) for span in entity.mentions]
    is_contrast = any(firm for _, firm in told)
    people = [_Person(None if entity.organization in {firm for _, firm in told} else entity.organization)]
    current = people[0]
    for span, firm in sorted(told, key=lambda each: each[0].start_char):
        department = _department(flat, span)
        if firm is None and _is_ours(flat, span, house, is_contrast=is_contrast, is_of_part=department is not None):
            firm = house or OURS
        if firm is None and len(people) > 1 and _is_signature(content, span):
            current = people[0]
        current = _person_with(people, firm, current)
        current.role = current.role or department
        current.mentions.append(span)
    if len(people) == 1:
        yield replace(entity, organization=current.organization, role=entity.role or current.role)
        return
    texts = [{normalise_name(flat[s.start_char : s.end_char]) for s in one.mentions} for one in people]
    for at, one in enumerate(people):
        others = set().union(*texts[:at], *texts[at + 1 :])
        yield _as_found(entity, one, texts[at], others, is_first=at == 0)


def _person_with(people: list[_Person], firm: str | None, current: _Person) -> _Person:
    """Return who is meant by a mention with this employer: who is met there, else someone new."""
    if firm is None or is_part(firm):
        return current
    for one in people:
        if one.organization and not are_different_companies(one.organization, firm):
            return one
    without_employer = next((one for one in people if one.organization is None), None)
    if without_employer is not None:
        without_employer.organization = firm
        return without_employer
    people.append(_Person(firm))
    return people[-1]


def _as_found(entity: FoundEntity, one: _Person, texts: set[str], others: set[str], *, is_first: bool) -> FoundEntity:
    """Return one of several people with the same name, under the names that the text uses; unattributed mentions go to
    the first."""
    forms = [form for form in (entity.name, *entity.aliases) if normalise_name(form) in texts]
    if is_first:
        forms += [form for form in entity.aliases if normalise_name(form) not in texts | others]
    is_full = is_first or any(" " in text for text in texts)
    name = entity.name if is_full else max(forms, key=len, default=entity.name)
    aliases = tuple(dict.fromkeys(form for form in forms if form != name))
    role = one.role or (entity.role if is_first else None)
    return FoundEntity(name, "person", aliases, role, one.organization, tuple(one.mentions), entity.weight)


def _department(flat: str, span: Span) -> str | None:
    """Return the department that stands behind a name; None if none does."""
    match = _OF_DEPARTMENT.match(flat, span.end_char)
    told = next(filter(None, match.groups()), None) if match else None
    return told if told is not None and is_part(told) else None


def _is_ours(flat: str, span: Span, house: str | None, *, is_contrast: bool, is_of_part: bool) -> bool:
    """Whether somebody is said to be of the writer's own people: outright, or so in passing and of some other house."""
    if _is_own(flat, span):
        return True
    is_ours = _OUR.search(flat[max(0, span.start_char - 16) : span.start_char]) is not None
    if house is not None:
        return is_ours or (is_of_part and is_contrast)
    return (is_ours or is_of_part) and is_contrast


def _is_signature(content: str, span: Span) -> bool:
    """Whether a name fills its line, and that is none of the first."""
    if not _LINE_BEFORE.search(content, max(0, span.start_char - _MARKS), span.start_char):
        return False
    is_far = content.count("\n", 0, min(span.start_char, _HEAD)) > _HEAD_LINES
    return is_far and _LINE_BEHIND.match(content, span.end_char) is not None


def _is_own(flat: str, span: Span) -> bool:
    """Whether somebody is said outright to be of the writer's own people."""
    before = flat[max(0, span.start_char - 16) : span.start_char]
    return _OUR_OWN.search(before) is not None or _OF_OURS.match(flat, span.end_char) is not None
