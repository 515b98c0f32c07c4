"""Entries of lists of people: where one ends, and which have the family name first ("Okafor, J.; Lind, Mara")."""

import re
from typing import Final

from ingest.english.lexicon import AMBIGUOUS_NAMES, GIVEN_NAMES, NOT_NAMES, PLACES
from ingest.english.name_patterns import CAPITALISED, LATER, PARTICLES, TITLED, UPPER

_INITIALS: Final = rf"[{UPPER}]\.(?:[ -]?[{UPPER}]\.){{0,2}}"
_FAMILY: Final = rf"(?:(?:{'|'.join(PARTICLES)}) ){{0,2}}{CAPITALISED}(?:{LATER})?"
#: "Okafor, J. R.", "van der Berg, Pieter".
_TURNED: Final = re.compile(
    rf"(?P<family>{_FAMILY}), (?:{TITLED} )?(?P<given>{_INITIALS}|{CAPITALISED}(?: {CAPITALISED}| {_INITIALS})?)"
)
#: A quoted name with a comma, initials after a family name, or text between two commas, where a bracket counts as one.
_ENTRY: Final = re.compile(
    rf'[ \t]*"[^"\n,;]+, [^"\n;]+"[^,;\n]*|[ \t]*{_FAMILY}, {_INITIALS}(?=[ \t]*(?:[,;\n(<]|$|and |& ))[^,;\n]*|'
    r"[^,;\n]+?(?:\([^)\n]*\)[^,;\n]*)?(?=[,;\n]|$)"
)
#: A given name of two syllables: "Min-jun".
SYLLABLES: Final = re.compile(r"[A-Z][a-z]{1,5}-[a-z]{1,5}")
#: What a letter is closed with, before a comma and its writer.
_CLOSINGS: Final = frozenset(
    "greetings regards cheers thanks best love sincerely yours warmly cordially groeten groetjes grüße gruß saludos "
    "saluti cordialement".split()
)
#: Who writes a list: "Ann Lee and me (Tiago Reis)".
_WRITER: Final = re.compile(r"\b(?:me|myself|I) \(([^()\n]+)\)")
#: What ends a list and no abbreviation.
_FULL_STOP: Final = re.compile(r"(?<=[^\W\d_]{3})\.\Z")
_BY_SEMICOLONS: Final = re.compile(r"[^;\n]+")
#: Between two of them, outside of brackets.
_TOGETHER: Final = re.compile(r" (?:and|&) (?![^()]*\))")
#: A line of a list that is headed by whatever it is a list of: "Distribution: …", "Witnesses: …".
_LIST: Final = re.compile(r"[^\W\d_][\w ,'’/-]{2,40}(?: \([^()\n]{1,30}\))?:[ \t]+(?P<said>[^\n]+?)(?:(?<!\W\w)\.)?")
#: What somebody is, in a few words, behind the name: ", clerk", " - chair of the board"; no clause to one spoken to.
_NOTE: Final = r"[,–—-] ?(?!(?:I|you|we|it|that|this|what|how|let|see)\b)(?:[\w.&/'’-]+ ?){1,4}(?:[|,;(\n]|\Z)"
#: The one who is named at the beginning of a line or cell: "Harper, Dawn ....... 21".
_LINE: Final = re.compile(rf'"?{_TURNED.pattern}"?(?=[ \t]*(?:\.\.|[|(:]|{_NOTE}|\n|\Z))')


def entries(text: str) -> list[str]:
    """Return the entries of a list of people as they are written, a name turned round being one."""
    text = _WRITER.sub(r"\1", text.strip("* \t"))
    if ";" in text:
        parts = [part for match in _BY_SEMICOLONS.finditer(text) for part in _of_one(match[0])]
    else:
        parts = _apart(text)
    return [_FULL_STOP.sub("", entry) for part in parts for entry in _TOGETHER.split(part)]


def _of_one(part: str) -> list[str]:
    return [part] if unturned(part.split("<")[0].split("(")[0].strip()) else _apart(part)


def _apart(text: str) -> list[str]:
    return [match[0] for match in _ENTRY.finditer(text)]


def unturned(name: str) -> str | None:
    """Return "J. Okafor" for "Okafor, J."; None if a comma does not seem to stand between two parts of a name."""
    match = _TURNED.fullmatch(name.strip(" \t\"“”'*_"))
    if match is None or not _is_turned(match, quoted=name.strip()[:1] in ('"', "“")):
        return None
    return f"{match['given']} {match['family']}"


def turned_name(content: str, start: int, end: int) -> str | None:
    """Return the name that a line begins with, as it is written, if it is turned round; None if none is."""
    match = _LINE.match(content, start, end)
    return match[0].strip('"') if match and _is_turned(match, quoted=content[start] == '"') else None


def _is_turned(match: re.Match[str], *, quoted: bool) -> bool:
    given, family = match["given"].split()[0].casefold(), match["family"].split()[0].casefold()
    if SYLLABLES.fullmatch(match["family"]) and not quoted:
        return False
    if family in NOT_NAMES | _CLOSINGS or match["family"].casefold() in PLACES:
        return False
    known = given in GIVEN_NAMES or given in AMBIGUOUS_NAMES
    return quoted or given[1:2] == "." or (known and family not in GIVEN_NAMES)


def list_behind(line: str) -> str | None:
    """Return what a line such as "Distribution: A. Lind, Bob Kahn" lists; None if it is no such line."""
    match = _LIST.fullmatch(line.strip())
    return match["said"] if match and ("," in match["said"] or ";" in match["said"]) else None
