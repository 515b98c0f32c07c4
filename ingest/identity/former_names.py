"""Former names and other ones: who a text says was called otherwise before, or is by some."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from core.knowledge.findings import FoundEntity, normalise_name
from ingest.english.name_patterns import CAPITALISED
from ingest.identity.forms.name_forms import is_short

_WORD: Final = (
    r"née|nee|formerly|previously|was|now|born|fka|f/k/a|aka|a\.k\.a\.|ex|once|maiden name|that is|that['’]s|i\.e\.|"
    r"until [\w ]{3,20},"
)
#: "Didi (that is Dietlinde Kruse, …)", "Dietlinde Kruse, whom all call Didi".
_CALLED: Final = re.compile(
    rf"\b(?P<short>{CAPITALISED}) \((?:that is|that['’]s|i\.e\.|alias|short for|really|=),? "
    rf"(?P<full>{CAPITALISED} {CAPITALISED})|"
    rf"\b(?P<whole>{CAPITALISED} {CAPITALISED}),? \(?(?:(?:whom?|that) (?:all|everybody|everyone|we|they|you)(?: all)? "
    rf"(?:calls?|knows? as)|also known as|known as|called|alias|aka|a\.k\.a\.) [\"“'‘]?(?P<nick>{CAPITALISED})"
)
#: "Mary Smith (née Dunn)", "Mary Smith, formerly Mary Dunn", "Mary Dunn (now Smith)".
_RENAMED: Final = re.compile(
    rf"\b({CAPITALISED}(?: {CAPITALISED}){{0,2}}) ?(?:\((?:{_WORD}|formerly known as)|, (?:née|nee|formerly|now)) "
    rf"({CAPITALISED}(?: {CAPITALISED}){{0,2}})"
)

#: Two full names that begin with one given name, what stands between them, and behind the second.
_SAME_GIVEN: Final = re.compile(
    rf"\b(?P<given>{CAPITALISED}) (?P<one>{CAPITALISED})(?!['’]s)"
    r"(?P<between>[^.;:!?\n]{2,50}?| \([^.;:!?\n)]{2,40}: ?)"
    rf"\b(?P=given) (?P<other>{CAPITALISED})(?!['’]s)(?P<behind>[^.;:!?\n]{{0,24}})"
)
_LINKS: Final = re.compile(
    r"\b(?:now|née|nee|formerly|previously|born|became|becomes|used to be|known as|called|married|maiden|renamed|"
    r"goes by|until (?:recently|[A-Z]\w+|last \w+)|that['’]s|that is|same person|no longer|"
    r"still (?:under|as|listed as))\b(?: \w+)?[ :(\"“]*\Z"
)
_LINKS_BEHIND: Final = re.compile(
    r",? \(?(?:as was|that was|as (?:she|he|they) (?:was|were)|before|until|from now on|now\b|by marriage)"
)
_TWO: Final = re.compile(
    r"\b(?:and|or|not|nor|with|both|other|unlike|than|told|met|asked|from|for|(?<!used )to)\b|n['’]t\b|&"
)


def renamed(content: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of names, as the content has them, that it says are one person's; a family name gets the given."""
    for match in _RENAMED.finditer(content):
        one, other = match[1], match[2]
        yield one, other if " " in other else f"{one.split()[0]} {other}"
    for match in _SAME_GIVEN.finditer(content):
        links = _LINKS.search(match["between"]) or _LINKS_BEHIND.match(match["behind"])
        if links and match["one"] != match["other"] and not _TWO.search(match["between"]):
            yield f"{match['given']} {match['one']}", f"{match['given']} {match['other']}"
    for match in _CALLED.finditer(content):
        yield match["full"] or match["whole"], match["short"] or match["nick"]


def with_former_names(found: Sequence[FoundEntity], content: str) -> list[FoundEntity]:
    """Return what was found with each person under all names that the content says are one person's.

    Two people of the content who are one by its word become the first of the two.
    """
    people = list(found)
    for one, other in renamed(content):
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
