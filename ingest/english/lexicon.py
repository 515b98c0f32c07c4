"""Words that say what a name is, and what is none; the lists are in `lexicon.txt` and `given_names.txt`."""

from pathlib import Path
from typing import Final

from core.dates import MONTH_ABBREVIATIONS, MONTHS, WEEKDAY_ABBREVIATIONS, WEEKDAYS


def _read_sections(file: str) -> dict[str, frozenset[str]]:
    """Return the words, or where these are parted by commas the phrases, under each `[name]` of a file beside this."""
    sections: dict[str, frozenset[str]] = {}
    for section in Path(__file__).with_name(file).read_text(encoding="utf-8").split("\n[")[1:]:
        name, _, text = section.partition("]\n")
        words = " ".join(text.split()).split(", ") if "," in text else text.split()
        sections[name] = frozenset(words)
    return sections


_SECTIONS: Final = _read_sections("lexicon.txt")
_GIVEN: Final = _read_sections("given_names.txt")
#: Given names that are rarely anything else, folded to lower case.
GIVEN_NAMES: Final = frozenset().union(*_GIVEN.values())

#: Given names that are also common words, months, places or brands: a person only where the sentence says so.
AMBIGUOUS_NAMES: Final = _SECTIONS["ambiguous names"]

#: Both: what may be somebody's given name.
FIRST_NAMES: Final = GIVEN_NAMES | AMBIGUOUS_NAMES
#: Given names that only women, and only men, are known to have.
WOMEN: Final = _GIVEN["of women"] | _SECTIONS["names of women"]
MEN: Final = _GIVEN["of men"] | _SECTIONS["names of men"]
#: Ambiguous names that are names wherever they are alone, with a capital, inside a sentence.
INNER_NAMES: Final = _SECTIONS["inner names"]
#: Ambiguous names whose everyday word does not act or become anything: "Mark was", "Will knows".
FINITE_NAMES: Final = _SECTIONS["finite names"]
#: East Asian family names, which come before the given name unless the bearer reverses them.
EASTERN_FAMILIES: Final = _SECTIONS["eastern families"]

CALENDAR: Final = MONTH_ABBREVIATIONS.union(MONTHS, WEEKDAYS, WEEKDAY_ABBREVIATIONS) | _SECTIONS["calendar"]

#: Words that a sentence or line may begin with, capitalised, and that are never part of a name.
STARTERS: Final = _SECTIONS["starters"]

#: Words that make a capitalised phrase a role, a team or a thing rather than a person.
THING_WORDS: Final = _SECTIONS["thing words"]

#: Words by which a label such as "Project Manager" names a speaker's role: its first word is no first name.
ROLE_WORDS: Final = THING_WORDS | _SECTIONS["role words"]

#: Line labels ("Note: …") that are no speaker, folded to lower case.
NOT_SPEAKERS: Final = STARTERS | _SECTIONS["not speakers"] | frozenset(MONTHS) | frozenset(WEEKDAYS)

#: Places a work document is likely to name, folded to lower case.
PLACES: Final = _SECTIONS["places"]

#: First and last words that make a capitalised phrase a place: "Port Calder", "Teal Bridge".
PLACE_FIRST: Final = _SECTIONS["place first"]
PLACE_LAST: Final = _SECTIONS["place last"]

#: Legal forms of companies, as written after the name; "as", "sa", "co" and the like are often other words.
LEGAL_FORMS: Final = frozenset("inc ltd gmbh corp llc ag plc srl spa sarl bv nv ab oy aps kg llp limited".split())
#: Last words of a company's name.
COMPANY_WORDS: Final = LEGAL_FORMS | _SECTIONS["company words"]

#: Makers and products whose names are followed by other capitalised words.
BRANDS: Final = _SECTIONS["brands"]

#: Organisations that hardly anything else is called like: companies in small letters, acronyms in capitals.
ORGANISATIONS: Final = _SECTIONS["organisations"]

#: What a name of several words ends with, if it is an organisation's: what it is or what it deals in.
ORGANISATION_KINDS: Final = _SECTIONS["kinds of organisations"]

#: The same behind a given name alone: elsewhere it is more often no name at all ("Python Training").
TRADES: Final = _SECTIONS["trades"]

#: Words in capitals that name nothing.
PLAIN_ACRONYMS: Final = _SECTIONS["plain acronyms"]

#: Everyday words that titles and names of things are made of, and hardly any person's name.
COMMON_WORDS: Final = _SECTIONS["common words"]
#: Common family names as well, but hardly anybody's first name.
COMMON_FIRST: Final = COMMON_WORDS | _SECTIONS["common first"]

#: Words of everyday that are family names behind a given one: "Ruth Marsh", "Anna Church".
FAMILY_WORDS: Final = _SECTIONS["family words"]

#: Mail domains that say nothing about an employer.
FREE_MAIL: Final = _SECTIONS["free mail"]

#: Mail boxes and handles that are no person.
SHARED_BOXES: Final = _SECTIONS["shared boxes"]

#: Words in the names and mail boxes of teams, rooms, mailing lists and programs.
GROUP_WORDS: Final = _SECTIONS["group words"]

#: Never the first or last word of a person's name.
NOT_NAMES: Final = STARTERS | THING_WORDS | CALENDAR | ROLE_WORDS
#: What people are, by trade or office.
OFFICES: Final = ROLE_WORDS | _SECTIONS["offices"]
#: What heads a line that lists people, folded.
PERSON_HEADERS: Final = _SECTIONS["person headers"]
#: Parts of an organisation, which somebody of it may be said to be of.
DEPARTMENTS: Final = _SECTIONS["departments"]
#: Purposes of teams, boards and committees, written after the owner's name.
BODY_TASKS: Final = DEPARTMENTS | _SECTIONS["tasks of bodies"]
#: Words that are hardly anybody's name: of everyday, places, makers.
OTHER_WORDS: Final = NOT_NAMES | COMMON_WORDS | PLACES | BRANDS | COMPANY_WORDS
#: Words that are as likely something else as a family name.
LISTED: Final = OTHER_WORDS | GIVEN_NAMES | AMBIGUOUS_NAMES
