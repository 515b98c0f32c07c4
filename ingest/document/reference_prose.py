"""Reference prose told from records: manuals, papers, laws, licences, fiction, changelogs, and tables of codes.

Nothing is decided or promised in such a text unless a mark says so: "can be selected" and "will restart" tell how
things are. A text is one if it has the signs of one of these kinds, or none of those of people who act.
"""

import re
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
from ingest.document.machine_lines import is_machine_made
from ingest.english.lexicon import GIVEN_NAMES

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
_SOMEBODY_DECIDES: Final = re.compile(_DECIDED_BY, re.I)
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
_CODE_ROW: Final = re.compile(r"^[ \t|*-]{0,6}`?[A-Z]{1,6}[-_]?\d{2,6}\b`?[ \t]*[|:;,\t].*", re.M)
#: A line of a chat, which looks like an element of a page.
_CHAT: Final = re.compile(r"^<[\w@.-]{1,40}> \S", re.M)
_MENU: Final = re.compile(
    r"^(?:.{0,60}[.:] )?(?:Select|Press|Click|Choose|Open|Enter|Type|Tap|Make sure|Note that|Run|Install)\b|"
    r"\b(?:by default|can be (?:\w+ed|set|chosen)|is shown|are shown|will (?:be \w+ed|open|appear|restart|show))\b",
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
    if _is_paper(text) and not _BODY_DECIDES.search(text) and not _DATE_LIMIT.search(text):
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


def _has_people(text: str) -> bool:
    """Whether somebody acts in a text: who writes, who decides, who is named, or who is given a day.

    In the steps of a manual what was accepted or approved is so by nobody who is meant.
    """
    decides = _SOMEBODY_DECIDES if len(_MENU.findall(text)) >= _MENUS else _DECIDES
    if _DATE_LIMIT.search(text) or decides.search(text) or _HANDLE.search(text):
        return True
    if _FIRST_PERSON.search(_POLITE.sub(" ", text)):
        return True
    return any(match[1].casefold() in GIVEN_NAMES for match in _NAMED.finditer(text))
