"""Finding the people that a passage names."""

import re
from bisect import insort
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
from core.knowledge.findings import Span, normalised
from ingest.document.structure import Passage
from ingest.english.entries import SYLLABLES, turned_name
from ingest.english.lexicon import (
    AMBIGUOUS_NAMES,
    CALENDAR,
    COMMON_WORDS,
    COMPANY_WORDS,
    EASTERN_FAMILIES,
    FAMILY_WORDS,
    FIRST_NAMES,
    GIVEN_NAMES,
    INNER_NAMES,
    LISTED,
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
)
from ingest.english.verbs import ACTION, NO_ACT
from ingest.extract.local.entities import unknown_names
from ingest.extract.local.entities.attendee_lists import (
    MAIL,
    ONE_INITIAL,
    add_entry,
    add_if_list,
    add_list,
    add_mail,
    add_owners,
    add_roster,
    is_eastern_turned,
    plain_name,
)
from ingest.extract.local.entities.groups import scan_groups
from ingest.extract.local.entities.lowercase_names import scan_small
from ingest.extract.local.entities.names import Names
from ingest.extract.local.entities.organisations import is_firm

SEQUENCE: Final = re.compile(rf"{APART}{CAPITALISED}(?:(?: [A-Z]\.)?{LATER}){{0,4}}")
_HANDLE: Final = re.compile(r"(?<![\w@/.])@([A-Za-z][\w-]{1,38})(?![\w/(.@]*[/(@])")
#: One initial may end the sentence before: it counts at the start, or if the name behind it acts.
_INITIAL: Final = re.compile(rf"(?<![\w.'’]){INITIALS}{BEFORE_FAMILY}{CAPITALISED}(?:{LATER})?")
_BEHIND_WORD: Final = re.compile(r"(?<!\bby)(?<!\band)(?<!\bwith)(?<!\bto)(?<!\bfrom)(?<!\bcc)(?<=[^\W_]) \Z")
_NAMED_HANDLE: Final = re.compile(rf"{APART}({NAME}) \(@([A-Za-z][\w.-]{{0,38}})\)")
#: Before the letter of an item of a list.
_ITEM_APART: Final = ("  ", "# ", "**")
#: The same the other way round: "@tomek (Tomasz Wieczorek, our fitter)".
_HANDLE_NAMED: Final = re.compile(rf"(?<![\w@/.])@([A-Za-z][\w.-]{{0,38}}) \(({NAME})(?=[,)])")
_COMMON: Final = STARTERS | CALENDAR
_NO_FAMILY: Final = LISTED - FAMILY_WORDS - GIVEN_NAMES
#: What somebody is to do, behind a name inside a sentence.
_WILL: Final = re.compile(r" (?:will|is going to|has to|needs to|must) (?!be\b|not\b|have\b)[a-z]")
_MANY_THINGS: Final = re.compile(r"(?:s|ing|ion|ment|ness|ity|ance|ence|ware|ly|al|people|men)\Z")
_QUOTES: Final = tuple('"“”„«»')
_CONTRACTION: Final = re.compile(r"(?:n?['’](?:t|ll|ve|re|d|m))+\Z")
#: Before a given name only if it is a place's or a saint's.
_OF_PLACE: Final = re.compile(r"\b(?:[Ii]n|[Nn]ear|St\.?|Saint|Santa|San) \Z")
#: Before two words of which the first is a given name and a place's or a thing's as well.
_NO_PERSON: Final = re.compile(r"\b(?:the|an?|at|in|near|of|from|to|on|via|our|their) \Z", re.I)
#: The same where the first is no place.
_NO_INNER: Final = re.compile(r"\b(?:the|an?|our|their|your) \Z", re.I)
#: Inside a sentence, and behind no word that makes a common noun of what follows.
_INNER: Final = re.compile(
    r"(?<!\bthe)(?<!\ban)(?<!\ba)(?<!\bour)(?<!\byour)(?<!\bmy)(?<!\bthis)(?<!\beach)(?<!\bevery)"
    r"(?<=[a-z]),? \Z"
)
_OWNS: Final = re.compile(r"['’]s [a-z]")
_WORD: Final = re.compile(CAPITALISED)
_SON_OF: Final = re.compile(rf"\AMa?c(?=[{UPPER}])")
#: Between the parts of "Al-Masri" and "O'Leary".
_PARTS: Final = re.compile("[-'’]")
#: Before a given name only if it is a hotel's, a ship's or a product's.
_ARTICLE: Final = re.compile(r"\b(?:[Tt]he|[Pp]roject|code-?name) \Z")
#: Behind a name of what is only called after somebody: "the William Tudge cup".
_THING_BEHIND: Final = re.compile(
    r" (?:cup|prize|award|trophy|medal|room|hall|building|ward|wing|lecture|scholarship|fund|effect|theorem|method|"
    r"filter|scale|syndrome|disease|curve|diagram|stadium|theatre|bridge|street|road|square|station|tower|library|tour)\b"
)
_TO_DO: Final = re.compile(rf" {ACTION}")
#: Behind a name, whose somebody is, but no supplier, or what one does in a team.
_APPOSED: Final = re.compile(
    r", (?:our|my|his|her) (?!(?:\w+ )?(?:suppliers?|customers?|clients?|vendors?|partners?|providers?|banks?|hosts?|"
    r"insurers?|agency|competitors?|products?|tools?|apps?|services?|systems?|platforms?|databases?|library|site|city|"
    r"town|village|office)\b)[a-z]|"
    r" \((?:QA|PM|CTO|CEO|CFO|COO|HR|UX|notes|chair|minutes|remote|design|legal|finance|sales)\)"
)
#: What says who or what is named behind it: "Steward: ".
_HEAD: Final = re.compile(r"[*_ ]*[A-Z][\w' -]{2,24}:[*_ ]*")
#: Before a month.
_OF_TIME: Final = re.compile(
    r"\b(?:in|since|until|till|last|this|next|early|late|mid|end of|\d{1,2}(?:st|nd|rd|th)?)[ -]\Z", re.I
)
#: Above the name that a letter is signed with.
_CLOSING: Final = re.compile(
    r"\b(?:regards|wishes|sincerely|faithfully|cheers|love|best|warmly|greetings|yours|thanks)[,.!]? +\Z", re.I
)
#: Where somebody works.
_WORKS_AT: Final = re.compile(
    r"\b(?:(?:contacts?|works?|working|worked|people|colleagues?|manager|engineers?|jobs?|team|office) at|"
    rf"{APART}{CAPITALISED} {CAPITALISED} (?:of|at)) ({CAPITALISED})(?! {CAPITALISED})"
)
_FROM: Final = re.compile(
    rf"{APART}(?:{TITLED} )?((?:{INITIALS})?{CAPITALISED}(?:{LATER}){{0,2}})(?:(?:,? here)? \(?|"
    r", (?![a-z -]{0,40}\b(?:that|who|which|when|after|before|because|while|bought|heard|back)\b)"
    r"(?:(?:our|my|the|an?) )?[a-z][a-z -]{2,40}? (?:here )?)(?:of|from|at)"
    rf" (?:the )?((?:(?:Town|City|Municipality|University|Port) of )?{RUN}(?: & {CAPITALISED})?)(?!['’-]\w)"
)
#: A nickname between the names: 'Joaquim "Quim" Bezerra', "Robert (Bob) Hill".
_NICKNAMED: Final = re.compile(
    rf"{APART}(?P<given>{CAPITALISED}) (?:\(?[\"“'‘]|\()(?P<nick>{CAPITALISED})(?:[\"”'’]\)?|\)) "
    rf"(?P<family>{BEFORE_FAMILY}{CAPITALISED}(?:{LATER})?)"
)
#: A legend of what people are called by: "MSo = Marta Solé".
_LEGEND: Final = re.compile(rf"(?<![\w@])(?P<letters>[A-Z][A-Za-z]{{1,3}}) ?= ?(?P<name>{NAME})(?!\w)")
#: Somebody's colleague, by name.
_RELATED: Final = re.compile(
    r"(?:\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Yy]our)|\w['’]s) (?:(?:new|old|former|dear) )?(?:colleague|boss|"
    r"friend|brother|sister|wife|husband|partner|assistant|deputy|manager|teammate|co-?worker|predecessor|successor|daughter|son|"
    rf"mother|father|neighbou?r|intern|apprentice),? ({CAPITALISED}(?: {CAPITALISED})?)"
)
_INITIAL_BEFORE: Final = re.compile(rf"[{UPPER}]\. \Z")
#: A family name with what honours it behind: "Uchida-san".
_HONOURED: Final = re.compile(rf"\b([{UPPER}]\w+)-(?:san|sama|sensei|kun|chan|ssi|nim)\b")
_TITLED: Final = re.compile(
    rf"{TITLED} ((?:{INITIALS})?{BEFORE_FAMILY}(?![{UPPER}]\.){CAPITALISED}(?:{ARTICLED})?(?:{LATER})?)"
)
#: "Name to send …", "Name: send …" and "Name will send …" at the start of a bullet or task.
ASSIGNEE: Final = re.compile(
    rf"(?:\*\*|\[|@)?(?:{TITLED} )?({NAME})({OTHERS})(?:\*\*|\])?(?: \([^()\n]{{1,30}}\))?"
    rf"(?: ?:(?:\*\*)?| to(?= [a-z])| will(?= [a-z])| - | – | — | ?->| ?→)"
)
#: Behind "Mara Lind:" an assignment: a verb in small letters and, later, a time limit.
_ASSIGNED: Final = re.compile(
    rf"(?<=:)\s+(?:{ACTION}(?! (?:with|of|on|by|from|about)\b)|(?!{NO_ACT})[a-z]+ (?=.*\b(?:by|before|until|till) "
    rf"(?:\d|the\b|end\b|next\b|this\b|to(?:day|night|morrow)|noon|EO|COB|Q\d|{WEEKDAY_STEM.title()}|"
    rf"{MONTH_STEM.title()})))"
)
#: Several words that may all be family names, in brackets: "the board (Kahn, Lind and Berg)".
_ASIDE_LIST: Final = re.compile(rf"\(({CAPITALISED}(?:, {CAPITALISED})+(?:,? and {CAPITALISED})?)\)")
_CAPITAL: Final = re.compile(rf"(?![I])[{UPPER}]")
#: Behind a full name, what one does or is: hardly said of anything else.
_PREDICATE: Final = re.compile(
    r",? who\b| (?!(?:is|was|has|does|plus|this|us|opens|closes|offers|sells|releases|starts|ends|costs|runs)\b)"
    r"[a-z]{3,}s "
    r"(?:the|a|an|our|his|her|their|it|to|us|that|for)\b"
)


def scan_people(names: Names, content: str, passage: Passage, *, social: bool) -> None:
    """Add the people that one passage names; `social` allows @handles, which elsewhere are mostly code."""
    start, end = passage.start, passage.end
    if passage.kind == "label":
        _label(names, content[start:end], Span(start, end))
        return
    if content.find("@", start, end) >= 0:
        _addresses(names, content, start, end, social=social)
    if passage.kind == "header" and not add_list(names, content[start:end]):
        start = content.index(":", start, end) + 1
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
    for match in _NICKNAMED.finditer(content, start, end):
        _nicknamed(names, match)
    for match in _LEGEND.finditer(content, start, end):
        if looks_like_name(match["name"]) and " " in match["name"] and match["letters"][0] == match["name"][0]:
            names.person(match["name"]).forms.add(match["letters"])
    for match in _FROM.finditer(content, start, end):
        if _may_be_firm(match[2]):
            words = match[1].split()
            while len(words) > 2 and words[0].casefold() in _COMMON:
                words.pop(0)
            key, firm = normalised(" ".join(words)), POSSESSIVE.sub("", match[2])
            if names.employers.setdefault(key, firm) != firm:
                names.other_employers.append((key, firm))
            if " " in match[1] or match.start(1) > match.start():
                names.firms.add(match[2].casefold())
    names.firms.update(match[1].casefold() for match in _WORKS_AT.finditer(content, start, end))
    for match in _RELATED.finditer(content, start, end):
        if looks_like_name(match[1]) and " " in match[1]:
            names.person(match[1])
        elif looks_like_name(match[1]):
            names.singles.setdefault(normalised(match[1]), match[1])
    for match in _HONOURED.finditer(content, start, end):
        names.family.setdefault(match[1], {}).setdefault("", set()).add(match[0])
    for match in _TITLED.finditer(content, start, end):
        name = POSSESSIVE.sub("", match[1])
        if name.casefold() in CALENDAR:
            names.person(match[0].removesuffix(match[1]) + name)
        elif looks_like_name(name):
            _titled(names, content, match, name)
    if passage.kind != "heading":
        _assignee(names, content, passage)
    _sentence(names, content, passage)
    scan_groups(names, content, passage)
    for match in _ASIDE_LIST.finditer(content, start, end):
        members = re.split(r", (?:and )?| and ", match[1])
        if all(_may_be_family(member, begins=False) for member in members):
            names.acting |= {normalised(member): member for member in members}
    if passage.speaker is not None and not _CAPITAL.search(content, start, end):
        scan_small(names, content, start, end)


def _titled(names: Names, content: str, match: re.Match[str], name: str) -> None:
    title = match[0].split()[0].strip(".").casefold()
    if title in LOOSE_TITLES and not unknown_names.acts(content, match.start(1), match.end()):
        return
    if name[1:2] == ".":
        names.initials.add(plain_name(name))
    elif " " in name and not is_family(name.split()):
        names.titles.setdefault(normalised(names.person(name).name), set()).add(title)
    else:
        names.family.setdefault(name, {}).setdefault(title, set()).add(f"{match[0].removesuffix(match[1])}{name}")


def _nicknamed(names: Names, match: re.Match[str]) -> None:
    """Add who is named with a nickname between the names, unless it is a firm's or a place's name."""
    name = f"{match['given']} {match['family']}"
    known = {match["given"].casefold(), match["nick"].casefold()} & FIRST_NAMES
    if known and looks_like_name(name) and not is_firm(name):
        names.person(name).forms |= {match["nick"], match[0]}
        insort(names.apart, match.span())


def _addresses(names: Names, content: str, start: int, end: int, *, social: bool) -> None:
    for mail in MAIL.finditer(content, start, end):
        add_mail(names, mail[1], mail[2])
    for match in _NAMED_HANDLE.finditer(content, start, end):
        if looks_like_name(match[1]):
            names.handle(names.person(match[1]), match[2])
    for match in _HANDLE_NAMED.finditer(content, start, end):
        if looks_like_name(match[2]) and " " in match[2]:
            names.handle(names.person(match[2]), match[1])
    names.handles.update(
        handle[1]
        for handle in _HANDLE.finditer(content, start, end)
        if handle[1].casefold() not in SHARED_BOXES and (social or handle[1].casefold() in GIVEN_NAMES)
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
        ):
            continue
        if _is_lettered(content, match):
            continue
        behind_word = _BEHIND_WORD.search(content, max(passage.start, match.start() - 6), match.start())
        one = ONE_INITIAL.match(match[0])
        if not (behind_word and one) or unknown_names.acts(content, match.start(), match.end()):
            names.initials.add(plain_name(name))


def _is_lettered(content: str, match: re.Match[str]) -> bool:
    """Whether an initial is the letter of an item of a list, as there is an item of the next letter or the one before.

    Lines are apart by two blanks, line breaks being blanks here.
    """
    if match.start() and not content.startswith(_ITEM_APART, match.start() - 2):
        return False
    near = (chr(ord(match[0][0]) + step) for step in (-1, 1))
    return any(f"{mark}{letter}. " in content for letter in near for mark in _ITEM_APART)


def _label(names: Names, name: str, span: Span) -> None:
    """Add a speaker; a label that is a role is only a name where it labels, and not in the text."""
    if name.casefold() in CALENDAR and name.casefold() not in AMBIGUOUS_NAMES:
        return
    person = add_entry(names, name)
    names.labelled.add(span.start_char)
    if person is not None and normalised(person.name) == normalised(name):
        person.forms.add(name)
    if person is not None and is_role(person.name):
        person.labels_only = [*(person.labels_only or []), span]


def _assignee(names: Names, content: str, passage: Passage) -> None:
    match = ASSIGNEE.match(content, passage.start, passage.end)
    if match is None or not looks_like_name(match[1]):
        return
    by_form = passage.kind in ("task", "done") or (passage.kind == "bullet" and passage.section == "actions")
    known = match[1].split()[0].casefold() in GIVEN_NAMES
    if by_form or (passage.kind == "bullet" and known and match[0].endswith((" to", " will"))):
        if " " in match[1]:
            names.person(match[1])
        elif known or not _MANY_THINGS.search(match[1]):
            names.singles[normalised(match[1])] = match[1]
    elif unknown_names.plausible(match[1]) and (
        _ASSIGNED.match(content, match.end(), passage.end)
        or (passage.kind == "bullet" and match[0].endswith(" to") and _TO_DO.match(content, match.end(), passage.end))
    ):
        names.guesses.setdefault(normalised(match[1]), match[1])


def _sentence(names: Names, content: str, passage: Passage) -> None:
    for start, words in sequences(names, content, passage):
        text = " ".join(words)
        end = start + len(text)
        first = words[0].casefold()
        if _INITIAL_BEFORE.search(content, max(passage.start, start - 3), start) or _THING_BEHIND.match(content, end):
            continue
        if start > 0 and content[start - 1] in _QUOTES and content[end : end + 1] in _QUOTES:
            continue
        if start == passage.start and end == passage.end and _CLOSING.search(content, max(0, start - 24), start):
            names.guesses.setdefault(normalised(text), text)
        if len(words) > 1:
            if first in CALENDAR and first in AMBIGUOUS_NAMES and len(words) == 2:
                names.guesses.setdefault(normalised(text), text)
            elif is_family(words):
                if unknown_names.acts(content, start, end):
                    names.family.setdefault(text, {}).setdefault("", set())
            elif _is_full_name(content, start, end, words):
                names.person(text)
            elif unknown_names.plausible(text) and (
                unknown_names.acts(content, start, end)
                or unknown_names.ends_as_family(content, start, end)
                or _stands_apart(content, passage, start, end)
            ):
                names.guesses.setdefault(normalised(text), text)
            elif len(words) == 2 and first in AMBIGUOUS_NAMES and unknown_names.plausible(text):
                names.if_called.setdefault(normalised(text), text)
        elif (
            passage.kind != "heading"
            and (_may_be_family(text, begins=start == passage.start) or SYLLABLES.fullmatch(text))
            and not _HONOURED.fullmatch(text)
            and unknown_names.is_person(content, start, end, begins=start == passage.start)
        ):
            names.guesses.setdefault(normalised(text), text)
        elif (
            passage.kind == "prose"
            and not _is_hyphenated(text)
            and _may_be_family(text, begins=start == passage.start)
            and (unknown_names.acts(content, start, end) or (start > passage.start and _WILL.match(content, end)))
        ):
            names.acting.setdefault(normalised(text), text)
        elif passage.kind != "heading" and _is_given_name(content, start, end, first):
            names.singles.setdefault(normalised(text), text)


def _is_given_name(content: str, start: int, end: int, word: str) -> bool:
    if _OF_PLACE.search(content, max(0, start - 8), start) or _ARTICLE.search(content, max(0, start - 10), start):
        return False
    if word in AMBIGUOUS_NAMES:
        if word in INNER_NAMES and (
            _INNER.search(content, max(0, start - 16), start) or _OWNS.match(content, end, end + 8)
        ):
            return True
        return word not in STARTERS and word not in PLACES and acts_like_person(content, start, end)
    return word in GIVEN_NAMES or _is_hyphenated(content[start:end])


def _may_be_family(word: str, *, begins: bool) -> bool:
    """Whether a word is in no list, so that it may be a family name as well as an organisation's.

    At the beginning of a sentence every word has a capital, and without an article only many things or a mass.
    """
    if begins and _MANY_THINGS.search(word):
        return False
    parts = _PARTS.split(word)
    parts = [_SON_OF.sub("", part) for part in parts]
    written = all(part.isalpha() and part[1:].islower() and part[:1].isupper() for part in parts if part[1:])
    return len(word) > 2 and written and parts[-1][1:] != "" and word.casefold() not in LISTED


def _stands_apart(content: str, passage: Passage, start: int, end: int) -> bool:
    """Whether nothing but a name is in brackets or behind a few words and a colon, or what one is stands behind it."""
    if content[start - 1 : start] == "(" and content[end : end + 1] == ")":
        return True
    if _APPOSED.match(content, end, end + 60):
        return True
    return end == passage.end and _HEAD.fullmatch(content, passage.start, start) is not None


def _may_be_firm(text: str) -> bool:
    """Whether a name that somebody is "from" may be an organisation's: no place and no everyday word."""
    words = text.casefold().split()
    if text.casefold() in PLACES or words[-1] in PLACE_LAST or words[0] in PLACE_FIRST:
        return False
    return words[0] not in NOT_NAMES and words[0] not in PLACES and words[0] not in AMBIGUOUS_NAMES and len(text) > 2


def _is_hyphenated(word: str) -> bool:
    """Whether a word is two given names with a hyphen, one of them known: "Jean-Baptiste"."""
    parts = word.split("-")
    folded = [part.casefold() for part in parts]
    return (
        len(parts) == 2
        and all(part[:1].isupper() and part[1:].islower() for part in parts)
        and any(part in GIVEN_NAMES or part in AMBIGUOUS_NAMES for part in folded)
        and not any(part in NOT_NAMES or part in COMMON_WORDS for part in folded)
    )


def _is_full_name(content: str, start: int, end: int, words: list[str]) -> bool:
    """Whether a run of capitalised words begins with a given name that lists know, and is nothing else."""
    plain = [word for word in words if word not in PARTICLES]
    has_particle, words = len(plain) < len(words), plain
    folded = [word.casefold() for word in words]
    if is_eastern_turned(words):
        return True
    if _ARTICLE.search(content, max(0, start - 5), start):
        return False
    if (
        not 1 < len(words) < 5
        or ((folded[-1] in NOT_NAMES or folded[-1] in PLACES) and folded[-1] not in FAMILY_WORDS)
        or any(w.isupper() and len(w) > 1 for w in words)
    ):
        return False
    given = folded[0].split("-")[0]
    if _is_eastern(words, folded) and unknown_names.plausible(" ".join(words)):
        return True
    if has_particle and given in CALENDAR and given in GIVEN_NAMES and len(words) == 2:
        return True  # "Jan de Vries"
    if given in GIVEN_NAMES and given not in AMBIGUOUS_NAMES:
        if len(folded) == 2 and folded[1] in FAMILY_WORDS:
            return True
        things = any(word in COMMON_WORDS or word in COMPANY_WORDS for word in folded[1:])
        return not things and not any(word in CALENDAR for word in folded)
    if len(words) > 3 or any(word in NOT_NAMES for word in folded):
        return False
    things = any(word in COMMON_WORDS or word in COMPANY_WORDS for word in folded[1:])
    acting = acts_like_person(content, start, end) or (not things and _PREDICATE.match(content, end) is not None)
    alone = (
        len(words) == 2
        and unknown_names.plausible(" ".join(words))
        and not (_NO_INNER if given in INNER_NAMES else _NO_PERSON).search(content, max(0, start - 8), start)
    )
    return given in AMBIGUOUS_NAMES and (acting or alone)


def _is_eastern(words: list[str], folded: list[str]) -> bool:
    """Whether a short name begins with an Eastern family name, and is written as one."""
    return folded[0] in EASTERN_FAMILIES and all(len(word) < 8 and word[1:].islower() for word in words)


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
        and not folded[1].endswith(("'s", "’s"))
        and folded[1] not in _NO_FAMILY
        and not _OF_TIME.search(content, max(0, start - 8), start)
    )


def _is_family_word(words: list[str]) -> bool:
    """Whether a run ends with a word that is a family name behind a given one: "Wei Sun"."""
    given = words[0].casefold()
    known = given in GIVEN_NAMES and given not in AMBIGUOUS_NAMES
    return len(words) == 2 and known and words[1].casefold() in FAMILY_WORDS


def _is_office(words: list[str]) -> bool:
    """Whether a run of words begins with a title, or with an office in front of a first name and another one."""
    first = words[0].casefold()
    if len(words) == 1:
        return False
    named = words[1].casefold() in GIVEN_NAMES or (len(words) > 2 and unknown_names.plausible(" ".join(words[1:])))
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
        while words and (_is_common(words[0]) or _is_office(words)) and not _is_no_month(content, start, words):
            start += len(words[0]) + 1
            words.pop(0)
        while words and _is_common(words[-1]) and not _is_family_word(words):
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
    for begin, end in names.apart_near(passage.start, passage.end):
        yield from SEQUENCE.finditer(content, start, max(start, begin))
        start = max(start, end)
    yield from SEQUENCE.finditer(content, start, passage.end)
