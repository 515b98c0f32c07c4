"""One clean sentence that says what an event is, readable without the text around it."""

import re
from typing import Final

#: Longest summary, in characters.
MAX_SUMMARY: Final = 200

_MARKUP: Final = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|\[[ xX]\] ")
_LINK: Final = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,500}\)")
_FIRST_PERSON: Final = (
    (re.compile(r"\bI(?: ?['’]ll| will)\b"), "will"),
    (re.compile(r"\bI(?: ?['’]ve| have)\b"), "has"),
    (re.compile(r"\bI(?: ?['’]m| am)\b"), "is"),
)
_BEGINS: Final = re.compile(r"I (?=(?:[a-z]+ed|chose|sent|met|set|can)\b)")
_SPEAKS: Final = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|me|us)\b")
_LEADING: Final = re.compile(
    r"^(?:(?:OK|Okay|So|And|But|Well|Yeah|Yes|Also|Then|Oh|Right|Alright|Great|Thanks)\b[ ,.!]*)+(?=\w)", re.I
)


def summarise(text: str, speaker: str | None, matter: str | None = None) -> str:
    """Return `text` as one line of at most 200 characters, with the speaker named in place of "I" or "we".

    What it is about goes before it, if that is given.
    """
    clean = plain_line(text)
    clean = _LEADING.sub("", clean) or clean
    clean = clean[:1].upper() + clean[1:]
    if speaker is not None:
        clean = _named(clean, speaker)
    if matter is not None and matter.casefold() not in clean.casefold():
        clean = f"{matter}: {clean}"
    if len(clean) <= MAX_SUMMARY:
        return clean
    return clean[: MAX_SUMMARY - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def plain_line(text: str) -> str:
    """Return a text as one line without markup, links by their words."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text)).split())


def _named(clean: str, speaker: str) -> str:
    begins = _BEGINS.match(clean)
    named = f"{speaker} {clean[begins.end() :]}" if begins else clean
    for pattern, verb in _FIRST_PERSON:
        named = f"{speaker} {verb}".join(pattern.split(named))
    return named if named != clean or not _SPEAKS.search(clean) else f"{speaker}: {clean}"
