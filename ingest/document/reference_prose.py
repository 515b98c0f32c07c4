"""Reference prose told from records: manuals, papers, laws, licences, fiction, changelogs, and tables of codes.

Nothing is decided or promised in such a text unless a mark says so: "can be selected" and "will restart" tell how
things are. A text is one if it has the signs of one of these kinds, or none of those of people who act.
"""

import re
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
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
    rf"\b(?:by|until|before|due|no later than)(?: on)?(?: next)? (?:(?:{WEEKDAY_STEM})[a-z]*day|tomorrow|tonight|"
    rf"the end of|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH_STEM})|(?:{MONTH_STEM})[a-z]* \d|\d{{4}}-\d\d)",
    re.I,
)
_FIRST_PERSON: Final = re.compile(r"(?<![.\w])(?:I|[Ww]e)\b(?! ?[).\]])|\b(?:[Mm]y|[Oo]urs?|us|me)\b")
#: What manuals say of their makers and readers.
_POLITE: Final = re.compile(
    r"\b[Ww]e (?:recommend|suggest|support|assume|provide|offer|use|call|can see|will see|have seen|now have|refer)\b|"
    r"\b(?:contact|tell|let|show|send|gives?|allows?) us\b|\b[Oo]ur (?:documentation|website|example|site)\b"
)
#: What people do who decide; "is selected" is none of it.
_DECIDES: Final = re.compile(
    r"\b(?:(?:was|were|has been|have been|had been) (?:\w+ly )?(?:decided|agreed|approved|resolved|adopted|rejected|"
    r"accepted|postponed|deferred|cancelled|ratified|carried|passed)|decided (?:to|on|that|against|not)|"
    r"agreed (?:to|on|that|with)|voted|(?:board|committee|council|team|group|panel|members|assembly|management|"
    r"directors|meeting) (?:\w+ ){0,2}(?:decided|agreed|approved|resolved|rejected|accepted|will|asked|chose))\b",
    re.I,
)
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
_LICENCE: Final = re.compile(
    r"Permission is hereby granted|Redistribution and use in source|General Public License|WITHOUT WARRANT(?:Y|IES)",
    re.I,
)
_READER: Final = re.compile(r"\b[Yy]ou(?:r|['’](?:ll|re|ve))?\b")
_CODE: Final = re.compile(r"`[^`\n]{1,100}`")
#: From so many signs on a text is of a kind.
_PAPER_PARTS, _CITATIONS, _CLAUSES, _VERSIONS, _SPEECHES = 3, 4, 6, 2, 3
_TO_READER, _CODES = 4, 5
#: With so many decisions in words it is none of them.
_DECISIONS: Final = 2
#: Somebody who is called by a handle.
_HANDLE: Final = re.compile(r"(?:^|[\s(])@[A-Za-z][\w-]{1,38}(?=[ ,.):]|$)", re.M)


def is_reference(content: str) -> bool:
    """Whether a text that is no talk, mail or note is reference prose; linear in its first part."""
    text = _FENCED.sub("\n", content[:_REACH])
    if _RECORD.search(text):
        return False
    is_of_a_kind = _is_of_a_kind(text) and len(_DECIDES.findall(text)) < _DECISIONS
    return is_of_a_kind or (len(text.split()) >= _FEWEST_WORDS and not _has_people(text))


def _is_of_a_kind(text: str) -> bool:
    parts = len({match[0].strip(" #.*:\t0123456789").casefold() for match in _PAPER.finditer(text)})
    citations = len(_CITATION.findall(text))
    return (
        parts >= _PAPER_PARTS
        or citations >= _CITATIONS
        or len(_CLAUSE.findall(text)) >= _CLAUSES
        or len(_VERSION.findall(text)) >= _VERSIONS
        or len(_SPEECH.findall(text)) >= _SPEECHES
        or _LICENCE.search(text) is not None
        or (len(_READER.findall(text)) >= _TO_READER and len(_CODE.findall(text)) >= _CODES)
    )


def _has_people(text: str) -> bool:
    """Whether somebody acts in a text: who writes, who decides, who is named, or who is given a day."""
    if _DATE_LIMIT.search(text) or _DECIDES.search(text) or _HANDLE.search(text):
        return True
    if _FIRST_PERSON.search(_POLITE.sub(" ", text)):
        return True
    return any(match[1].casefold() in GIVEN_NAMES for match in _NAMED.finditer(text))
