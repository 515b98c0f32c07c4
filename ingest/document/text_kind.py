"""The kind of a text: a mail, a chat, transcript, minutes or note; and its language."""

import re
from collections import Counter
from typing import Final

from core.dates.reading import written_dates
from core.interface.memory import Context
from core.regex import regex
from graph.text.languages import SHORTEST, classify, is_latin, is_surely_english, script_language
from graph.text.tokens import STOP_WORDS
from ingest.document.lines import ASIDE, log_form
from ingest.document.structure import speaker_labels
from ingest.document.terms import header_in, is_heading, is_people_header, names_meeting, section_in
from ingest.english.lexicon import COMMON_WORDS


def detect_language(text: str) -> str | None:
    """Return the ISO 639 code of the language that a text begins in, or None for what might be several or is short.

    A short text is of another language where most of it is in another script, or has few English words.
    """
    if not is_latin(text):
        return _told_by_script(text)
    if len(text) >= SHORTEST:
        return classify(text)
    words = _LETTERS.findall(text)
    if (
        is_surely_english(text)
        or len(words) < _FEWEST_TOLD
        or 4 * sum(word.casefold() in _ENGLISH for word in words) >= len(words)
    ):
        return None
    return classify(text) if sum(word.islower() for word in words) * 2 >= len(words) else None


def _told_by_script(text: str) -> str:
    code = classify(text)
    return script_language(text) if code in (None, "en") else code


#: Fewest words of a short text whose language is told.
_FEWEST_TOLD: Final = 4
_ENGLISH: Final = COMMON_WORDS | STOP_WORDS
_LETTERS: Final = regex(r"[^\W\d_]+")


def unread_language(text: str) -> str | None:
    """Return the language of a text that English rules can't read; None for English and where it isn't certain."""
    if is_surely_english(text):
        return None
    code = detect_language(text)
    return None if code == "en" else code


#: What of a text is looked at, in characters.
_HEAD: Final = 8_000
#: Lines from which on a text may be a talk or a list, and the share of all lines that are its messages or entries.
_FEWEST: Final = 3
_MOST_OF: Final = 0.5
#: So many messages a speaker; each is heard more than once.
_LINES_EACH: Final = 1.5
#: Messages of which so many end a sentence were written down by somebody: in chats every eighth does, in transcripts
#: nearly all.
_ENDED: Final = 0.7
#: Messages of which so many have words that people say to each other: what has fewer is a list of fields or a log.
_TALKED: Final = 0.15
_MESSAGE: Final = regex(
    r"[ \t]*[\[(<*_]*(?:[\d/.:, -]{4,24}(?:[ap]m)?[\])]?[ \t]+)?[<*_]*(?P<name>@?[^\W\d_][^\n:<>*|]{0,60}?)"
    rf"{ASIDE}[>*_]*"
    r"(?:[ \t]*[\[(][^\n)\]]{3,20}[)\]])?:[*_]*[ \t]+(?P<words>\S[^\n]*)",
    re.I,
)
_SAID: Final = regex(
    r"\b(?:i|i'm|i'll|i've|me|my|you|your|we|we're|we'll|our|us|it's|that's|let's|yes|yeah|yep|no|nope|ok|okay|thanks|"
    r"thank|please|sorry|hi|hey|hello|morning|lol|ich|du|wir|ja|nein|je|tu|vous|nous|oui|non|yo|tú|sí|eu|você|sim)\b|\?",
    re.I,
)
#: Labels of what programs and forms write.
_NO_NAMES: Final = frozenset(
    "a added answer author changed commit critical date debug error fatal fixed host info level name note notice q "
    "question removed severe status subject summary tip title to trace type url user-agent version warn warning".split()
)
_ENDS: Final = regex(r"[.!?…。！？][\"'”’)\]*_ \t]*$")
_HEADER: Final = regex(
    r"[ \t>*_]*(?P<name>From|To|Cc|Subject|Date|Sent)[*_]*[ \t]?:[*_]*[ \t]+\S",
    re.I,
)
_MEETING: Final = regex(r"\b(?:meetings?|minutes|stand-?ups?|retro(?:spective)?|sync|1:1|huddle|agm)\b", re.I)
_PEOPLE: Final = regex(
    r"\W*(?:attendees|attendance|in attendance|attending|present|members present|participants|apologies|absent|regrets|"
    r"facilitator|chair|(?:minutes|notes)(?: taken)? by|note ?taker)[*_]*\s*(?::|$)",
    re.I,
)
_ITEMS: Final = regex(
    r"\W*(?:\d+\W+)?(?:agenda|action items?|actions|next meeting|aob|any other business|announcements|minutes|"
    r"discussion(?: items?)?|old business|new business)[*_]*\s*(?::|$)",
    re.I,
)
_BOX: Final = regex(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[ xX]\][ \t]")
_BULLET: Final = regex(r"[ \t]*(?:[-*+•☐☑✓✔]|\d{1,3}[.)])[ \t]")
_HEADING: Final = regex(r"[ \t]*#{1,6}[ \t]")
_TO_DO: Final = regex(r"\W*(?:to-?dos?|to do(?: list)?|task list|check-?list)\b", re.I)
_JOURNAL: Final = regex(r"\b(?:diary|journal|daily note)\b", re.I)
_OWN: Final = regex(r"\b(?:I|I'm|I've|I'll|I’m|I’ve|I’ll|[Mm]y|me|myself)\b")


def detect_context(text: str, title: str | None = None) -> Context | None:
    """Return the context that the lines of a text tell, None if it is not certain; linear in its first part."""
    head = text if len(text) <= _HEAD else text[:_HEAD].rpartition("\n")[0]
    lines = [line.rstrip() for line in head.split("\n") if line.strip()]
    if not lines:
        return None
    if _is_mail(lines):
        return "email"
    if (talk := _talk(head, lines)) is not None:
        return talk
    above = [title or "", *lines[:3]]
    if _are_minutes(above, lines):
        return "meeting"
    return "note" if _is_list(above, lines) or _is_journal(above, lines) else None


def _is_mail(lines: list[str]) -> bool:
    """Whether a text begins with who writes, and when or about what."""
    headers = []
    for line in lines[:12]:
        found = _HEADER.match(line)
        foreign = header_in(line, is_mail=True) if found is None else None
        if found is None and foreign is None:
            break
        headers.append(foreign[0] if foreign else found["name"].casefold() if found else "")
    return len(set(headers)) >= _FEWEST and "from" in headers


def _talk(head: str, lines: list[str]) -> Context | None:
    form = log_form(head)
    labels = speaker_labels(head, "chat", frozenset(), form)
    found = [match for line in lines if (match := _MESSAGE.match(line)) and match["name"].strip() in labels]
    names = Counter(match["name"].strip() for match in found)
    words = [match["words"] for match in found]
    is_talk = len(found) >= max(_FEWEST, _MOST_OF * len(lines)) and 2 <= len(names) <= len(found) / _LINES_EACH
    if not is_talk and form is not None:
        words = [line for line in lines if not line.lstrip().startswith("#")]
        names = Counter(form.speakers)
        is_talk = True
    if not is_talk or any(name.casefold() in _NO_NAMES for name in names):
        return None
    if sum(_SAID.search(said) is not None for said in words) < _TALKED * len(words):
        return None
    ended = sum(_ENDS.search(said) is not None for said in words)
    return "transcript" if ended >= _ENDED * len(words) else "chat"


def _are_minutes(above: list[str], lines: list[str]) -> bool:
    """Whether two of these are there: a title of a meeting, who was there, and an agenda or what was resolved."""
    signs = (
        any(_MEETING.search(line) or names_meeting(line) for line in above),
        any(_PEOPLE.match(line) or is_people_header(line) for line in lines),
        any(_ITEMS.match(line) or (is_heading(line) and section_in(line) != "people") for line in lines),
    )
    return sum(signs) >= 2


def _is_list(above: list[str], lines: list[str]) -> bool:
    entries = [line for line in lines if not _HEADING.match(line)]
    boxes = sum(_BOX.match(line) is not None for line in entries)
    if boxes >= max(_FEWEST, _MOST_OF * len(entries)):
        return True
    bullets = sum(_BULLET.match(line) is not None for line in entries)
    return any(map(_TO_DO.match, above)) and bullets >= max(_FEWEST, _MOST_OF * len(entries))


def _is_journal(above: list[str], lines: list[str]) -> bool:
    """Whether somebody writes of himself below a day, or in what is called a journal."""
    if not any(map(_JOURNAL.search, above)) and not any(map(_is_day, above[:2])):
        return False
    return sum(_OWN.search(line) is not None for line in lines) >= max(2, len(lines) / 4)


def _is_day(line: str) -> bool:
    """Whether a line is a date and hardly anything else."""
    found = written_dates(line[:100])
    return len(found) == 1 and len(line.split()) <= 6
