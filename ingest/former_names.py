"""Former names and other ones: who a text says was called otherwise before, or is by some."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from core.knowledge import FoundEntity, normalised
from ingest.extract.local.name_patterns import CAPITALISED
from ingest.name_forms import is_short

_WORD: Final = r"née|nee|formerly|previously|was|now|born|fka|f/k/a|aka|a\.k\.a\."
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


def renamed(content: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of names, as the content has them, that it says are one person's; a family name gets the given."""
    for match in _RENAMED.finditer(content):
        one, other = match[1], match[2]
        yield one, other if " " in other else f"{one.split()[0]} {other}"
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
        also = [each for each in people if each.type == "person" and normalised(each.name) == normalised(other)]
        aliases = {other, *person.aliases, *(form for each in also for form in (each.name, *each.aliases))}
        mentions = tuple(dict.fromkeys([*person.mentions, *(span for each in also for span in each.mentions)]))
        united = replace(person, aliases=tuple(sorted(aliases - {person.name})), mentions=mentions)
        people = [united if each is person else each for each in people if each is person or each not in also]
    return people


def _is_called(person: FoundEntity, name: str) -> bool:
    forms = {normalised(form) for form in (person.name, *person.aliases)}
    return not is_short(person.name) and normalised(name) in forms
