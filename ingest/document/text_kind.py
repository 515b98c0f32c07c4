"""The kind of a text: a mail, a chat, transcript, minutes or note; reference prose or record; and its language."""

import re
from collections import Counter
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
from core.dates.reading import written_dates
from core.interface.memory import Context
from graph.text.languages import SHORTEST, classify, is_surely_english
from ingest.document.lines import ASIDE, is_machine_made, log_form
from ingest.document.structure import speaker_labels
from ingest.english.lexicon import GIVEN_NAMES


def detect_language(text: str) -> str | None:
    """Return the ISO 639 code of the language that a text begins in, or None for what might be several or is short."""
    return None if len(text) < SHORTEST else classify(text)


def unread_language(text: str) -> str | None:
    """Return the language of a text that English rules can't read; None for English and where it isn't certain."""
    if is_surely_english(text):
        return None
    code = detect_language(text)
    return None if code == "en" else code


#: What of a text is looked at, in characters, and the fewest words of one that is told by what it lacks.
_REACH: Final = 20_000
_FEWEST_WORDS: Final = 30
_FENCED: Final = re.compile(r"^[ \t]{0,3}(```|~~~)[^\n]*\n(?:(?![ \t]{0,3}\1)[^\n]*\n)*(?:[ \t]{0,3}\1[^\n]*)?", re.M)
#: Headings and fields of minutes, plans and records of decisions, tasks, and the heads of mails.
_RECORD: Final = re.compile(
    r"^[^\w\n]{0,12}(?:\d{1,3}[^\w\n]{1,4})?(?:attendees|attendance|participants|(?:members )?present|apologies|"
    r"absent|chair(?:person|ed by)?|"
    r"minutes|agenda|(?:key |main )?(?:action(?: item| point)?s?|decisions?|resolutions?)"
    r"(?: (?:and|&) [\w ]{3,20}| made| taken| outcome)?|next steps|to-?dos?|deciders?|decision[- ]makers|decided by|"
    r"(?:action )?owners?|assignees?|from|"
    r"status: ?\W*(?:accepted|approved|rejected|superseded|proposed|deprecated))\b[*_ ]*(?::|\||$)"
    r"|^[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])?[ \t]{0,4}(?:\[[ xX/]\]|TODO\b|DONE\b)|^Dear\b|^(?:Hi|Hello) ",
    re.I | re.M,
)
_DATE_LIMIT: Final = re.compile(
    rf"\b(?:by|until|before|due|no later than)(?: on)?(?: next)? (?:(?:{WEEKDAY_STEM})[a-z]*day|tomorrow(?!['’]s)|"
    rf"tonight|the end of|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH_STEM})|(?:{MONTH_STEM})[a-z]* \d|\d{{4}}-\d\d)",
    re.I,
)
_FIRST_PERSON: Final = re.compile(r"(?<![.\w])(?:I|[Ww]e)\b(?! ?[).\]])|\b(?:[Mm]y|[Oo]urs?|us|me)\b")
#: What manuals say of their makers and readers.
_POLITE: Final = re.compile(
    r"\b[Ww]e (?:recommend|suggest|support|assume|provide|offer|use|call|can see|will see|have seen|now have|refer)\b|"
    r"\b(?:contact|tell|let|show|send|gives?|allows?) us\b|\b[Oo]ur (?:documentation|website|example|site)\b"
)
#: What people do who decide, and what is done to things: "is selected" is none of it, nor is a condition.
_BODY: Final = r"(?:board|committee|council|team|group|panel|members|assembly|management|directors|meeting)"
_BODY_ACTS: Final = (
    rf"\b{_BODY} (?:\w+ ){{0,2}}(?:decided|agreed|approved|resolved|rejected|accepted|asked|chose|"
    r"(?<!panel )will(?! be))\b"
)
_DECIDED_BY: Final = (
    r"\b(?:decided (?:to|on|that|against|not)|(?<!no )(?<!not )(?<!was )agreed (?:to|on|that|with)|voted)\b|"
    rf"{_BODY_ACTS}"
)
_DECIDES: Final = re.compile(
    r"(?<!if )(?<!once )(?<!when )(?<!that )(?<!which )(?<!until )(?<!unless )(?<!hypothesis )"
    r"\b(?:was|were|has been|have been|had been) (?:\w+ly )?(?:decided|agreed|approved|resolved|adopted|rejected|"
    r"accepted|postponed|deferred|cancelled|ratified|carried|passed)\b(?! (?:if|for up to|by default|already|because))|"
    rf"{_DECIDED_BY}",
    re.I,
)
_BODY_DECIDES: Final = re.compile(_BODY_ACTS, re.I)
_NAMED: Final = re.compile(
    r"\b([A-Z][a-zà-ÿ]{1,20})(?: [A-Z][\w'’-]{0,20}){0,2}(?:,? (?:will|to|shall|has|is|was|and|promised|decided|agreed|"
    r"asked|said|takes|sends)|:|['’]ll|['’]s)\b"
)
_PAPER: Final = re.compile(
    r"^[#\d. \t*]{0,16}(?:abstract|introduction|related work|background|(?:materials and )?methods?|methodology|"
    r"experiments?|results|evaluation|discussion|conclusions?|references|bibliography|acknowledge?ments)[*: \t]*$",
    re.I | re.M,
)
#: The parts of a proposal for a standard, such as one for a programming language.
_PROPOSAL: Final = re.compile(
    r"^[#\d. \t*]{0,16}(?P<part>abstract|specification|rejected (?:ideas|alternatives)|open issues|copyright|"
    r"backwards? compatibility|reference implementation|security (?:considerations|implications))[*: \t]*$",
    re.I | re.M,
)
#: A sentence that says what a thing will do, by when it may be.
_THING_WILL: Final = re.compile(
    r"[^.\n]{0,200}\b(?:[Ss]ystem|[Ss]ervice|[Ss]erver|[Tt]ool|[Pp]rogram|[Mm]essages?|[Rr]eports?|[Rr]eceipts?|[Ff]iles?|"
    r"[Pp]ages?|[Aa]pp|[Aa]pplication|[Uu]sers?|[Dd]ata|[Bb]ackups?|[Rr]equests?|[Jj]obs?|[Ii]t) will\b[^.\n]{0,300}"
)
_CITATION: Final = re.compile(
    r"\[\d{1,3}(?:[,–-] ?\d{1,3}){0,5}\]|\bet al\b|\([A-Z][\w-]{1,30}(?: (?:and|&) [A-Z][\w-]{1,30})?,? (?:19|20)\d\d\)"
)
_CLAUSE: Final = re.compile(
    r"^[^\w\n]{0,12}(?:article|section|clause|paragraph|§|art\.)[ \t]*\d|\bshall\b", re.I | re.M
)
_VERSION: Final = re.compile(
    r"^[ \t]{0,4}#{0,4}[ \t]{0,4}\[?(?:version |release )?v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\b[^\n]{0,40}$", re.M
)
_SPEECH: Final = re.compile(
    r"[”\"'’],? (?:\w+ ){0,2}(?:said|asked|replied|whispered|cried|shouted|answered|muttered|exclaimed|murmured)\b|"
    r"\b(?:said|asked|replied|whispered|cried|answered|muttered|exclaimed) (?:\w+ ){0,2}\w+[,.:]? [“\"'‘]"
)
#: How a story goes on.
_TELLING: Final = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Tt]hey) (?:had|was|were|would|thought|felt|knew|replied|stood|went)\b"
    r"|\b(?:[Hh]e|[Ss]he) \w+ed\b|[”\"'’] (?:he|she|they)\b"
)
_LICENCE: Final = re.compile(
    r"Permission is hereby granted|Redistribution and use in source|General Public License|WITHOUT WARRANT(?:Y|IES)",
    re.I,
)
#: The words of a specification (RFC 2119), and whom a news item quotes.
_KEYWORD: Final = re.compile(r"\b(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED)\b(?: NOT\b)?")
_QUOTED: Final = re.compile(
    r"\b(?:spokes(?:man|woman|person|people)|officials?|police|analysts?|critics?|residents|reports?|sources|"
    r"(?:the|an?) (?:company|government|ministry|agency|authority|council|commission|court|tribunal|minister|president|"
    r"operator|union|party|firm|bank)) (?:\w+ ){0,3}?(?:said|says?|told|expects?|warned|announced|denied|doubts?)\b|"
    r"\baccording to (?:an?|the|officials|police|people)\b|, (?:it|he|she|they) said\b|\bin a statement\b",
    re.I,
)
#: A row of a table of codes, and the steps of a manual.
_CODE_ROW: Final = re.compile(
    r"^[ \t|*-]{0,6}`?(?:[A-Z]{1,6}[-_]?\d{2,6}|"
    r"(?:(?:code|id|number|value|status): ?)?-?\d{1,6}(?=[^\n]{0,12}\b[A-Z][A-Z_]{1,40}\b))\b`?[ \t]*[|:;,\t].*",
    re.M,
)
#: A line of a chat, which looks like an element of a page.
_CHAT: Final = re.compile(r"^<[\w@.-]{1,40}> \S", re.M)
_MENU: Final = re.compile(
    r"^(?:.{0,60}[.:] )?(?:Select|Press|Click|Choose|Open|Enter|Type|Tap|Make sure|Note that|Run|Install|"
    r"Turn|Push|Raise|Connect|Insert)\b|\b(?:by default|can be (?:\w+ed|set|chosen)|is shown|are shown|must be \w+|"
    r"will (?:be \w+ed|open|appear|restart|show))\b",
    re.M,
)
_READER: Final = re.compile(r"\b[Yy]ou(?:r|['’](?:ll|re|ve))?\b")
_CODE: Final = re.compile(r"`[^`\n]{1,100}`")
#: From so many signs on a text is of a kind.
_PAPER_PARTS, _CITATIONS, _CLAUSES, _VERSIONS, _SPEECHES = 3, 4, 6, 2, 3
_TO_READER, _CODES = 4, 5
_KEYWORDS, _QUOTES, _ROWS, _MENUS, _TELLINGS = 3, 3, 4, 4, 3
#: With so many decisions in words it is none of them, unless it has more signs of a kind and no body decides; minutes
#: have clauses, too.
_DECISIONS: Final = 2
#: Somebody who is called by a handle.
_HANDLE: Final = re.compile(r"(?:^|[\s(])@[A-Za-z][\w-]{1,38}(?=[ ,.):]|$)", re.M)


def is_reference(content: str) -> bool:
    """Whether a text that is no talk, mail or note is reference prose; linear in its first part."""
    read = content[:_REACH]
    text = _FENCED.sub("\n", read)
    if _RECORD.search(text):
        return False
    words, signs, clauses = len(text.split()), _signs(text), len(_CLAUSE.findall(text))
    if (_is_paper(text) or _is_proposal(text)) and not _BODY_DECIDES.search(text) and not _DATE_LIMIT.search(text):
        return True
    is_body = _BODY_DECIDES.search(text) is not None and len(_QUOTED.findall(text)) < _QUOTES
    borne = _DECISIONS if is_body else max(_DECISIONS, signs - 1)
    if (signs or clauses >= _CLAUSES) and len(_DECIDES.findall(_CODE_ROW.sub("", text))) < borne:
        return True
    is_program = is_machine_made(text) and not _CHAT.search(text)
    is_program |= words < _FEWEST_WORDS <= len(read.split())
    return is_program or (words >= _FEWEST_WORDS and not _has_people(text))


def _signs(text: str) -> int:
    """Return how many signs of kinds other than laws a text has, 0 if of each there are too few."""
    to_reader = len(_READER.findall(text))
    counted = (
        (_paper_parts(text), _PAPER_PARTS),
        (len(_CITATION.findall(text)), _CITATIONS),
        (len(_VERSION.findall(text)), _VERSIONS),
        (len(_SPEECH.findall(text)), _SPEECHES),
        (len(_SPEECH.findall(text)) and len(_TELLING.findall(text)), _TELLINGS),
        (len(_KEYWORD.findall(text)), _KEYWORDS),
        (len(_QUOTED.findall(text)), _QUOTES),
        (len(_CODE_ROW.findall(text)), _ROWS),
        (min(to_reader, len(_CODE.findall(text))), _TO_READER),
        (1 if _LICENCE.search(text) else 0, 1),
    )
    return sum(count for count, least in counted if count >= least)


def _paper_parts(text: str) -> int:
    return len({match[0].strip(" #.*:\t0123456789").casefold() for match in _PAPER.finditer(text)})


def _is_paper(text: str) -> bool:
    """Whether a text has the parts of a paper and cites others, whose authors decide how they measure."""
    return _paper_parts(text) >= _PAPER_PARTS and _CITATION.search(text) is not None


def _is_proposal(text: str) -> bool:
    """Whether a text has the parts of a proposal for a standard, which says what an implementation does."""
    parts = {found["part"].casefold() for found in _PROPOSAL.finditer(text)}
    return "specification" in parts and len(parts) >= _PAPER_PARTS


def _has_people(text: str) -> bool:
    """Whether somebody acts in a text: who writes, who decides, who is named, or who is given a day.

    In the steps of a manual what was accepted or approved is so by nobody who is meant.
    """
    decides = _BODY_DECIDES if len(_MENU.findall(text)) >= _MENUS else _DECIDES
    if _DATE_LIMIT.search(_THING_WILL.sub("", text)) or decides.search(text) or _HANDLE.search(text):
        return True
    if _FIRST_PERSON.search(_POLITE.sub(" ", text)):
        return True
    return any(match[1].casefold() in GIVEN_NAMES for match in _NAMED.finditer(text))


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
_MESSAGE: Final = re.compile(
    r"[ \t]*[\[(<*_]*(?:[\d/.:, -]{4,24}(?:[ap]m)?[\])]?[ \t]+)?[<*_]*(?P<name>@?[^\W\d_][^\n:<>*|]{0,60}?)"
    rf"{ASIDE}[>*_]*"
    r"(?:[ \t]*[\[(][^\n)\]]{3,20}[)\]])?:[*_]*[ \t]+(?P<words>\S[^\n]*)",
    re.I,
)
_SAID: Final = re.compile(
    r"\b(?:i|i'm|i'll|i've|me|my|you|your|we|we're|we'll|our|us|it's|that's|let's|yes|yeah|yep|no|nope|ok|okay|thanks|"
    r"thank|please|sorry|hi|hey|hello|morning|lol|ich|du|wir|ja|nein|je|tu|vous|nous|oui|non|yo|tú|sí|eu|você|sim)\b|\?",
    re.I,
)
#: Labels of what programs and forms write.
_NO_NAMES: Final = frozenset(
    "a added answer author changed commit critical date debug error fatal fixed host info level name note notice q "
    "question removed severe status subject summary tip title to trace type url user-agent version warn warning".split()
)
_ENDS: Final = re.compile(r"[.!?…。！？][\"'”’)\]*_ \t]*$")
_HEADER: Final = re.compile(
    r"[ \t>*_]*(?P<name>From|To|Cc|Subject|Date|Sent|Von|An|Betreff|Gesendet|Datum|De|À|Objet|Envoyé|Para|Asunto|"
    r"Enviado)[*_]*[ \t]?:[*_]*[ \t]+\S",
    re.I,
)
_SENDER: Final = frozenset({"from", "von", "de"})
_MEETING: Final = re.compile(r"\b(?:meetings?|minutes|stand-?ups?|retro(?:spective)?|sync|1:1|huddle|agm)\b", re.I)
_PEOPLE: Final = re.compile(
    r"\W*(?:attendees|attendance|in attendance|attending|present|members present|participants|apologies|absent|regrets|"
    r"facilitator|chair|(?:minutes|notes)(?: taken)? by|note ?taker)[*_]*\s*(?::|$)",
    re.I,
)
_ITEMS: Final = re.compile(
    r"\W*(?:\d+\W+)?(?:agenda|action items?|actions|next meeting|aob|any other business|announcements|minutes|"
    r"discussion(?: items?)?|old business|new business)[*_]*\s*(?::|$)",
    re.I,
)
_BOX: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[ xX]\][ \t]")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+•☐☑✓✔]|\d{1,3}[.)])[ \t]")
_HEADING: Final = re.compile(r"[ \t]*#{1,6}[ \t]")
_TO_DO: Final = re.compile(r"\W*(?:to-?dos?|to do(?: list)?|task list|check-?list)\b", re.I)
_JOURNAL: Final = re.compile(r"\b(?:diary|journal|daily note)\b", re.I)
_OWN: Final = re.compile(r"\b(?:I|I'm|I've|I'll|I’m|I’ve|I’ll|[Mm]y|me|myself)\b")


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
        if (found := _HEADER.match(line)) is None:
            break
        headers.append(found["name"].casefold())
    return len(set(headers)) >= _FEWEST and not _SENDER.isdisjoint(headers)


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
        any(_MEETING.search(line) for line in above),
        any(_PEOPLE.match(line) for line in lines),
        any(_ITEMS.match(line) for line in lines),
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
