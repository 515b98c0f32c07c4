"""Finding the people that a passage names."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from core.knowledge.findings import Span, normalise_name
from core.regex import regex
from ingest.document.structure import Passage
from ingest.english.lexicon import (
    AMBIGUOUS_NAMES,
    CALENDAR,
    COMMON_WORDS,
    COMPANY_WORDS,
    EASTERN_FAMILIES,
    FAMILY_WORDS,
    GIVEN_NAMES,
    INNER_NAMES,
    NOT_NAMES,
    OFFICES,
    PLACE_FIRST,
    PLACE_LAST,
    PLACES,
    SHARED_BOXES,
    STARTERS,
)
from ingest.english.name_patterns import (
    APART,
    ARTICLED,
    BEFORE_FAMILY,
    CAPITALISED,
    INITIALS,
    LATER,
    LOOSE_TITLES,
    NAME,
    OTHERS,
    PARTICLES,
    POSSESSIVE,
    RUN,
    TITLED,
    TITLES,
    UPPER,
    acts_like_person,
    is_family,
    is_role,
    is_title,
    looks_like_name,
    turned_name,
)
from ingest.extract.local.entities.attendee_lists import (
    MAIL,
    add_entry,
    add_if_list,
    add_list,
    add_mail,
    add_owners,
    add_roster,
    has_initials,
    plain_name,
)
from ingest.extract.local.entities.names import Names, is_person_by_deed, may_be_person_name

SEQUENCE: Final = regex(rf"{APART}{CAPITALISED}(?:(?: [A-Z]\.)?{LATER}){{0,4}}")
_HANDLE: Final = regex(r"(?<![\w@/.])@([A-Za-z][\w-]{1,38})(?![\w/(.@]*[/(@])")
#: Whose an address is: "Mary Dunn <mdunn@pier.example>", and how far back the name may begin.
_BEFORE_ADDRESS: Final = regex(rf"({CAPITALISED}(?:{LATER}){{1,3}}) <\Z")
_LONGEST_NAME: Final = 60
_LATER: Final = regex(LATER)
_INITIAL: Final = regex(rf"(?<![\w.'’]){INITIALS}{BEFORE_FAMILY}{CAPITALISED}(?:{LATER})?")
#: One initial may end the sentence before: it counts at the start, or if the name behind it acts.
_BEHIND_WORD: Final = regex(r"(?<!\bby)(?<!\band)(?<!\bwith)(?<!\bto)(?<!\bfrom)(?<!\bcc)(?<=[^\W_]) \Z")
_COMMON: Final = STARTERS | CALENDAR
_QUOTES: Final = tuple('"“”„«»')
_CONTRACTION: Final = regex(r"(?:n?['’](?:t|ll|ve|re|d|m))+\Z")
#: Before a given name only if it is a hotel's, a ship's or a product's.
_ARTICLE: Final = regex(r"\b(?:[Tt]he|[Pp]roject|code-?name) \Z")
_FROM: Final = regex(
    rf"{APART}(?:{TITLED} )?((?:{INITIALS})?{CAPITALISED}(?:{LATER}){{0,2}})(?:(?:,? here)? \(?|"
    r", (?![a-z -]{0,40}\b(?:that|who|which|when|after|before|because|while|bought|heard|back)\b)"
    r"(?:(?:our|my|the|an?) )?[a-z][a-z -]{2,40}? (?:here )?)(?:of|from|at)"
    rf" (?:the )?((?:(?:Town|City|Municipality|University|Port) of )?{RUN}(?: & {CAPITALISED})?)(?!['’-]\w)"
)
#: The same in brackets, where nothing else is: "Jo Park (of Tidewell)".
_IN_BRACKETS: Final = regex(rf"{APART}({CAPITALISED} {CAPITALISED}) \((?:(?:of|from|at|for|with) (?:the )?)?({RUN})\)")
_TITLED: Final = regex(
    rf"{TITLED} ((?:{INITIALS})?{BEFORE_FAMILY}(?![{UPPER}]\.){CAPITALISED}(?:{ARTICLED})?(?:{LATER})?)"
)
#: "Name to send …", "Name: send …" and "Name will send …" at the start of a bullet or task.
ASSIGNEE: Final = regex(
    rf"(?:\*\*|\[|@)?(?:{TITLED} )?({NAME})({OTHERS})(?:\*\*|\])?(?: \([^()\n]{{1,30}}\))?"
    rf"(?: ?:(?:\*\*)?| to(?= [a-z])| will(?= (?!be [a-z]+(?:ed|nt|old)\b)[a-z])| - | – | — | ?->| ?→)"
)
#: Behind the name of a product: "Julia 1.9".
_VERSION: Final = regex(r" v?\d+\.\d")
_LISTED_BEFORE: Final = regex(rf"({CAPITALISED})(?:, (?:and |or )?| and | or |/)\Z")
_LISTED_BEHIND: Final = regex(rf"(?:, (?:and |or )?| and | or |/)({CAPITALISED})")
#: Inside a sentence, and behind no word that makes a common noun of what follows.
_INNER: Final = regex(r"(?<!\bthe)(?<!\ban)(?<!\ba)(?<!\bour)(?<!\byour)(?<!\bmy)(?<!\bthis)(?<=[a-z]),? \Z")
#: Before a month.
_OF_TIME: Final = regex(r"\b(?:in|since|until|till|last|this|next|early|late|mid) \Z", re.I)
_WORD: Final = regex(CAPITALISED)
#: A question that begins with an auxiliary which is a given name as well: "Will Ana call?"
_ASKS: Final = regex(rf"(?:Will|May) {CAPITALISED}(?:{LATER}|{OTHERS}) [a-z][^?]*\?\Z")


#: What tells two people of one name apart: "Jr.", "III", "the Elder".
_GENERATION: Final = regex(
    r",? (?:(?P<abbreviated>[JS]r)\b\.?|(?P<number>I{2,3}|IV|the (?:Elder|Younger))\b|"
    r"(?P<word>[Jj]unior|[Ss]enior)(?=[.,;:!?)]|\Z| (?:will|shall|has|had|is|was|to|and|decided|agreed|said|says|must|"
    r"can|should|would)\b))"
)


def scan_people(names: Names, content: str, passage: Passage, *, social: bool) -> None:
    """Add the people that one passage names; `social` allows @handles, which elsewhere are mostly code."""
    start, end = passage.start, passage.end
    if passage.kind == "label":
        _label(names, content[start:end], Span(start, end))
        return
    if passage.said and passage.speaker is not None:
        at = content.find(passage.speaker, start, passage.said)
        _label(names, passage.speaker, Span(max(at, start), max(at, start) + len(passage.speaker)))
    if content.find("@", start, end) >= 0:
        _addresses(names, content, start, end, social=social)
    if passage.kind == "header" and not add_list(names, content[start:end]):
        start = next(at for at in range(start, end) if content[at] in ":：") + 1
        passage = replace(passage, start=start, kind="prose")
    if passage.kind == "header" or (passage.kind != "heading" and add_if_list(names, content[start:end])):
        names.labelled.update(word.start() for word in _WORD.finditer(content, start, end))
        return
    if passage.kind in ("bullet", "cell", "row", "prose") and (turned := turned_name(content, start, end)):
        add_entry(names, f'"{turned}"')
        start = content.index(turned, start) + len(turned)
        passage = replace(passage, start=start)
    who = passage.row.who if passage.row is not None else passage.who
    if who is not None:
        add_owners(names, content[who.start_char : who.end_char])
    if (
        passage.section == "people"
        and passage.kind != "heading"
        and add_roster(names, content[start:end], passage.kind)
    ):
        return
    _initials(names, content, passage)
    for match in chain(_FROM.finditer(content, start, end), _IN_BRACKETS.finditer(content, start, end)):
        if _may_be_firm(match[2]) and not has_initials(match[1], match[2]):
            words = match[1].split()
            while len(words) > 2 and words[0].casefold() in _COMMON:
                words.pop(0)
            key, firm = normalise_name(" ".join(words)), POSSESSIVE.sub("", match[2])
            names.employers.setdefault(key, firm)
    for match in _TITLED.finditer(content, start, end):
        name = POSSESSIVE.sub("", match[1])
        if name.casefold() in CALENDAR:
            names.person(match[0].removesuffix(match[1]) + name)
        elif looks_like_name(name):
            _titled(names, content, match, name)
    _sentence(names, content, passage)


def _titled(names: Names, content: str, match: re.Match[str], name: str) -> None:
    title = match[0].split()[0].strip(".").casefold()
    if title in LOOSE_TITLES and name.casefold() in COMMON_WORDS | NOT_NAMES:
        return
    if title in LOOSE_TITLES and not is_person_by_deed(content, match.start(1), match.end()):
        return
    if name[1:2] == ".":
        names.initials.add(plain_name(name))
    elif " " in name and not is_family(name.split()):
        names.titles.setdefault(normalise_name(names.person(name).name), set()).add(title)
    else:
        names.family.setdefault(name, {}).setdefault(title, set()).add(f"{match[0].removesuffix(match[1])}{name}")


def _addresses(names: Names, content: str, start: int, end: int, *, social: bool) -> None:
    for mail in MAIL.finditer(content, start, end):
        whose = _BEFORE_ADDRESS.search(content, max(start, mail.start() - _LONGEST_NAME), mail.start())
        add_mail(names, mail[1], mail[2], whose and whose[1])
    names.handles.update(
        handle[1]
        for handle in _HANDLE.finditer(content, start, end)
        if handle[1].casefold() not in SHARED_BOXES and (social or handle[1].casefold() in GIVEN_NAMES)
        # "@Chris Woods" is a name.
        if not (handle[1].casefold() in GIVEN_NAMES and _LATER.match(content, handle.end()))
    )


def _initials(names: Names, content: str, passage: Passage) -> None:
    """Add "A. Chen" and "J. R. Smith"; behind a word a single initial may be the end of it ("plan B. Then")."""
    for match in _INITIAL.finditer(content, passage.start, passage.end):
        name = POSSESSIVE.sub("", match[0])
        family = re.split(r"[ .]", name)[-1]
        if (
            len(family) < 2
            or family.casefold() in NOT_NAMES
            or _CONTRACTION.search(family)
            or any(map(is_title, match[0].split()[1:-1]))
            or _is_lettered(content, match)
        ):
            continue
        behind_word = _BEHIND_WORD.search(content, max(passage.start, match.start() - 6), match.start())
        one = match[0].count(".") == 1
        if not (behind_word and one) or is_person_by_deed(content, match.start(), match.end()):
            names.initials.add(plain_name(name))


def _is_lettered(content: str, match: re.Match[str]) -> bool:
    """Whether an initial is the letter of an item of a list, as a line begins with the next letter or the one before.

    Lines are apart by two blanks, line breaks being blanks here.
    """
    near = (chr(ord(match[0][0]) + step) for step in (-1, 1))
    return content.startswith("  ", match.start() - 2) and any(f"  {letter}. " in content for letter in near)


def _label(names: Names, name: str, span: Span) -> None:
    """Add a speaker; a label that is a role is only a name where it labels, and not in the text."""
    if name.casefold() in CALENDAR and name.casefold() not in AMBIGUOUS_NAMES:
        return
    if name not in names.speakers:
        names.speakers[name] = add_entry(names, name)
    person = names.speakers[name]
    names.labelled.add(span.start_char)
    if person is not None and normalise_name(person.name) == normalise_name(name):
        person.forms.add(name)
    if person is not None and is_role(person.name):
        person.labels_only = [*(person.labels_only or []), span]


def _sentence(names: Names, content: str, passage: Passage) -> None:
    for start, words in sequences(names, content, passage):
        text = " ".join(words)
        end = start + len(text)
        first = words[0].casefold()
        if start > 0 and content[start - 1] in _QUOTES and content[end : end + 1] in _QUOTES:
            continue
        if passage.kind != "heading" and _is_shouted(words):
            names.person(" ".join(word.capitalize() for word in words)).forms.add(text)
        elif len(words) > 1:
            if first in CALENDAR and first in AMBIGUOUS_NAMES and len(words) == 2:
                names.guesses.setdefault(normalise_name(text), text)
            elif is_family(words):
                if is_person_by_deed(content, start, end):
                    names.family.setdefault(text, {}).setdefault("", set())
            elif _is_full_name(content, start, end, plain := _without_generation(words)):
                _generation(names, content, start, " ".join(plain))
            elif may_be_person_name(text) and is_person_by_deed(content, start, end):
                names.guesses.setdefault(normalise_name(text), text)
        elif passage.kind != "heading" and _is_given_name(content, start, end, first):
            names.single_word_names.setdefault(normalise_name(text), text)


def _without_generation(words: list[str]) -> list[str]:
    """Return the words of a name without the one that tells a father from his son."""
    is_told = len(words) > 2 and _GENERATION.fullmatch(f" {words[-1]}") is not None
    return words[:-1] if is_told else words


def _generation(names: Names, content: str, start: int, name: str) -> None:
    """Add the person of a full name, whom "Jr." or "III" behind it tells from others of that name."""
    match = _GENERATION.match(content, start + len(name))
    if match is None:
        names.person(name)
        return
    abbreviated = match["abbreviated"] or {"j": "Jr", "s": "Sr"}.get((match["word"] or "")[:1].lower())
    generation = abbreviated or match["number"]
    whole = f"{name} {generation}." if abbreviated else f"{name} {generation}"
    forms = {content[start : match.end()], content[start : match.end()].removesuffix("."), f"{name} {generation}"}
    names.person(whole).forms |= forms


def _is_shouted(words: list[str]) -> bool:
    """Whether a full name stands in capitals: "MARA LIND"."""
    given = words[0].casefold()
    is_name = len(words) == 2 and given in GIVEN_NAMES and given not in AMBIGUOUS_NAMES
    return is_name and all(word.isupper() and len(word) > 2 for word in words) and words[1].casefold() not in NOT_NAMES


def _is_given_name(content: str, start: int, end: int, word: str) -> bool:
    if _ARTICLE.search(content, max(0, start - 10), start) or _VERSION.match(content, end, end + 12):
        return False
    if content[start:end].isupper() and not acts_like_person(content, start, end):
        return False  # an abbreviation
    if word in AMBIGUOUS_NAMES and _is_listed_with_places(content, start, end):
        return False
    if word in INNER_NAMES and _INNER.search(content, max(0, start - 16), start):
        return True
    if word in AMBIGUOUS_NAMES:
        return word not in STARTERS and word not in PLACES and acts_like_person(content, start, end)
    return word.partition("-")[0] in GIVEN_NAMES


def _is_listed_with_places(content: str, start: int, end: int) -> bool:
    """Whether the word before or behind in a list is a place: "Oman, Chad and Peru"."""
    before, behind = _LISTED_BEFORE.search(content, max(0, start - 40), start), _LISTED_BEHIND.match(content, end)
    return any(found is not None and found[1].casefold() in PLACES for found in (before, behind))


def _may_be_firm(text: str) -> bool:
    """Whether a name that somebody is "from" may be an organisation's: no place and no everyday word."""
    folded = text.casefold()
    words = folded.split()
    if folded in PLACES or folded in OFFICES or words[-1] in PLACE_LAST or words[0] in PLACE_FIRST:
        return False
    return words[0] not in NOT_NAMES and words[0] not in PLACES and words[0] not in AMBIGUOUS_NAMES and len(text) > 2


def _is_full_name(content: str, start: int, end: int, words: list[str]) -> bool:
    """Whether a run of capitalised words begins with a given name that lists know, and is nothing else."""
    folded = [word.casefold() for word in words if word not in PARTICLES]
    if (
        not 1 < len(folded) < 5
        or _ARTICLE.search(content, max(0, start - 5), start)
        or ((folded[-1] in NOT_NAMES or folded[-1] in PLACES) and folded[-1] not in FAMILY_WORDS)
        or any(word.isupper() and len(word) > 1 for word in words)
        or any(word in STARTERS for word in folded[1:])
        or (folded[-1] in OFFICES and folded[-1] not in FAMILY_WORDS)
    ):
        return False
    given = folded[0].split("-")[0]
    is_short = all(len(word) < 8 and word[1:].islower() for word in words)
    if is_short and given in EASTERN_FAMILIES and may_be_person_name(" ".join(words)):
        return True
    if given in GIVEN_NAMES and given not in AMBIGUOUS_NAMES:
        if len(folded) == 2 and folded[1] in FAMILY_WORDS:
            return True
        return not any(word in COMMON_WORDS or word in COMPANY_WORDS or word in CALENDAR for word in folded[1:])
    if given in GIVEN_NAMES and len(folded) == 2 < len(words):
        return True  # "Jan de Vries"
    if given not in AMBIGUOUS_NAMES or len(folded) > 3 or any(word in NOT_NAMES for word in folded):
        return False
    return acts_like_person(content, start, end) or (len(folded) == 2 and may_be_person_name(" ".join(words)))


def _is_common(word: str) -> bool:
    """Whether a capitalised word is a sentence starter or a date, alone or contracted ("I'll", "We've")."""
    return _CONTRACTION.sub("", word.casefold()) in _COMMON


def _is_no_month(content: str, start: int, words: list[str]) -> bool:
    """Whether a month's name begins somebody's: "Jun Ito", "Jan de Vries", but not "in May Globex"."""
    words = [word for word in words if word not in PARTICLES]
    folded = [word.casefold() for word in words]
    return (
        len(words) == 2
        and folded[0] in AMBIGUOUS_NAMES
        and folded[0] in CALENDAR
        and words[1][1:].islower()
        and (folded[1] not in NOT_NAMES or folded[1] in FAMILY_WORDS)
        and not _OF_TIME.search(content, max(0, start - 8), start)
    )


def _is_office(words: list[str]) -> bool:
    """Whether a run of words begins with a title, or with an office in front of a first name and another one."""
    first = words[0].casefold()
    if len(words) == 1:
        return False
    named = words[1].casefold() in GIVEN_NAMES or (len(words) > 2 and may_be_person_name(" ".join(words[1:])))
    return first in TITLES or (first in OFFICES and named)


def sequences(names: Names, content: str, passage: Passage) -> Iterator[tuple[int, list[str]]]:
    """Yield runs of capitalised words without sentence starters, titles and dates around them, as (offset, words).

    Organisations are left out: runs end before them.
    """
    for match in _runs(names, content, passage):
        words = match[0].split(" ")
        start = match.start()
        if (
            len(words) > 1
            and content[start - 1 : start] in _QUOTES
            and content[match.end() : match.end() + 1] in _QUOTES
        ):
            yield start, words  # a title: all of it is the name
            continue
        if len(words) > 1 and start == passage.words and _ASKS.match(content, start, passage.end):
            start += len(words.pop(0)) + 1
        while words and (_is_common(words[0]) or _is_office(words)) and not _is_no_month(content, start, words):
            start += len(words[0]) + 1
            words.pop(0)
        while words and _is_common(words[-1]):
            words.pop()
        if words and words[-1].endswith(("'s", "’s")):
            words[-1] = words[-1][:-2]
        cut = next((i for i, word in enumerate(words) if word.endswith(("'s", "’s"))), None)
        if cut is not None:
            words = [*words[:cut], words[cut][:-2]]
        if words and words[0]:
            yield start, words


def _runs(names: Names, content: str, passage: Passage) -> Iterator[re.Match[str]]:
    start = passage.start
    for begin, end in names.overlapping_organisations(passage.start, passage.end):
        yield from SEQUENCE.finditer(content, start, max(start, begin))
        start = max(start, end)
    yield from SEQUENCE.finditer(content, start, passage.end)
