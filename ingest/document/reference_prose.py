"""Reference prose: manuals, laws, papers, fiction, code, changelogs, in which nobody decides or promises."""

import re
from functools import lru_cache
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
from core.dates.reading import written_dates
from core.regex import regex
from ingest.document.lines import is_machine_made
from ingest.english.lexicon import ACTION, GIVEN_NAMES

#: What of a text is looked at, in characters, and the fewest words of one that is told by what it lacks.
_REACH: Final = 20_000
_FEWEST_WORDS: Final = 30
#: A text of fewer words is told by one sign of its kind.
_SHORT: Final = 80
_FENCED: Final = regex(r"^[ \t]{0,3}(```|~~~)[^\n]*\n(?:(?![ \t]{0,3}\1)[^\n]*\n)*(?:[ \t]{0,3}\1[^\n]*)?", re.M)
#: Headings and fields of minutes, plans and records of decisions, tasks, and the heads of mails.
_RECORD: Final = regex(
    r"^[^\w\n]{0,12}(?:\d{1,3}[^\w\n]{1,4})?(?:attendees|attendance|participants|(?:members )?present|apologies|"
    r"absent|chair(?:person|ed by)?|"
    r"minutes|agenda|(?:key |main )?(?:action(?: item| point)?s?|decisions?|resolutions?)"
    r"(?: (?:and|&) [\w ]{3,20}| made| taken| outcome)?|next steps|to-?dos?|deciders?|decision[- ]makers|decided by|"
    r"(?:action )?owners?|assignees?|from|"
    r"status: ?\W*(?:accepted|approved|rejected|superseded|proposed|deprecated))\b[*_ ]*(?::|\||$)"
    r"|^[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])?[ \t]{0,4}(?:\[[ xX/]\]|TODO\b|DONE\b)|^Dear\b|^(?:Hi|Hello) ",
    re.I | re.M,
)
_DATE_LIMIT: Final = regex(
    rf"\b(?:by|until|before|due|no later than)(?: on)?(?: next)? (?:(?:{WEEKDAY_STEM})[a-z]*day|tomorrow(?!['’]s)|"
    rf"tonight|the end of|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH_STEM})|(?:{MONTH_STEM})[a-z]* \d|\d{{4}}-\d\d)",
    re.I,
)
_FIRST_PERSON: Final = regex(r"(?<![.\w])(?:I|[Ww]e)\b(?! ?[).\]])|\b(?:[Mm]y|[Oo]urs?|us|me)\b")
#: What manuals say of their makers and readers.
_POLITE: Final = regex(
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
_DECIDES: Final = regex(
    r"(?<!if )(?<!once )(?<!when )(?<!that )(?<!which )(?<!until )(?<!unless )(?<!hypothesis )"
    r"\b(?:was|were|has been|have been|had been) (?:\w+ly )?(?:decided|agreed|approved|resolved|adopted|rejected|"
    r"accepted|postponed|deferred|cancelled|ratified|carried|passed)\b(?! (?:if|for up to|by default|already|because))|"
    rf"{_DECIDED_BY}",
    re.I,
)
_BODY_DECIDES: Final = regex(_BODY_ACTS, re.I)
_NAMED: Final = regex(
    r"\b([A-Z][a-zà-ÿ]{1,20})(?: [A-Z][\w'’-]{0,20}){0,2}(?:,? (?:will|to|shall|has|is|was|and|promised|decided|agreed|"
    r"asked|said|takes|sends)|:|['’]ll|['’]s)\b"
)
_PAPER: Final = regex(
    r"^[#\d. \t*]{0,16}(?:abstract|introduction|related work|background|(?:materials and )?methods?|methodology|"
    r"experiments?|results|evaluation|discussion|conclusions?|references|bibliography|acknowledge?ments)[*: \t]*$",
    re.I | re.M,
)
#: The parts of a proposal for a standard, such as one for a programming language.
_PROPOSAL: Final = regex(
    r"^[#\d. \t*]{0,16}(?P<part>abstract|specification|rejected (?:ideas|alternatives)|open issues|copyright|"
    r"backwards? compatibility|reference implementation|security (?:considerations|implications))[*: \t]*$",
    re.I | re.M,
)
#: A sentence that says what a thing will do, by when it may be.
_THING_WILL: Final = regex(
    r"[^.\n]{0,200}\b(?:[Ss]ystem|[Ss]ervice|[Ss]erver|[Tt]ool|[Pp]rogram|[Mm]essages?|[Rr]eports?|[Rr]eceipts?|"
    r"[Ff]iles?|"
    r"[Pp]ages?|[Aa]pp|[Aa]pplication|[Uu]sers?|[Dd]ata|[Bb]ackups?|[Rr]equests?|[Jj]obs?|[Ii]t) will\b[^.\n]{0,300}"
)
_CITATION: Final = regex(
    r"\[\d{1,3}(?:[,–-] ?\d{1,3}){0,5}\]|\bet al\b|\([A-Z][\w-]{1,30}(?: (?:and|&) [A-Z][\w-]{1,30})?,? (?:19|20)\d\d\)"
)
_CLAUSE: Final = regex(r"^[^\w\n]{0,12}(?:article|section|clause|paragraph|§|art\.)[ \t]*\d|\bshall\b", re.I | re.M)
_VERSION: Final = regex(
    r"^[ \t]{0,4}#{0,4}[ \t]{0,4}\[?(?:version |release )?v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\b[^\n]{0,40}$", re.M
)
_SPEECH: Final = regex(
    r"[”\"'’],? (?:\w+ ){0,2}(?:said|asked|replied|whispered|cried|shouted|answered|muttered|exclaimed|murmured)\b|"
    r"\b(?:said|asked|replied|whispered|cried|answered|muttered|exclaimed) (?:\w+ ){0,2}\w+[,.:]? [“\"'‘]"
)
#: How a story goes on.
_TELLING: Final = regex(
    r"\b(?:[Hh]e|[Ss]he|[Tt]hey) (?:had|was|were|would|thought|felt|knew|replied|stood|went)\b"
    r"|\b(?:[Hh]e|[Ss]he) \w+ed\b|[”\"'’] (?:he|she|they)\b"
)
_LICENCE: Final = regex(
    r"Permission is hereby granted|Redistribution and use in source|General Public License|WITHOUT WARRANT(?:Y|IES)",
    re.I,
)
#: The words of a specification (RFC 2119), and whom a news item quotes.
_KEYWORD: Final = regex(r"\b(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED)\b(?: NOT\b)?")
_QUOTED: Final = regex(
    r"\b(?:spokes(?:man|woman|person|people)|officials?|police|analysts?|critics?|residents|reports?|sources|"
    r"(?:the|an?) (?:company|government|ministry|agency|authority|council|commission|court|tribunal|minister|president|"
    r"operator|union|party|firm|bank)) (?:\w+ ){0,3}?(?:said|says?|told|expects?|warned|announced|denied|doubts?)\b|"
    r"\baccording to (?:an?|the|officials|police|people)\b|, (?:it|he|she|they) said\b|\bin a statement\b",
    re.I,
)
#: A row of a table of codes, and the steps of a manual.
_CODE_ROW: Final = regex(
    r"^[ \t|*-]{0,6}`?(?:[A-Z]{1,6}[-_]?\d{2,6}|"
    r"(?:(?:code|id|number|value|status): ?)?-?\d{1,6}(?=[^\n]{0,12}\b[A-Z][A-Z_]{1,40}\b))\b`?[ \t]*[|:;,\t].*",
    re.M,
)
#: A line of a chat, which looks like an element of a page.
_CHAT: Final = regex(r"^<[\w@.-]{1,40}> \S", re.M)
_MENU: Final = regex(
    r"^(?:.{0,60}[.:] )?(?:Select|Press|Click|Choose|Open|Enter|Type|Tap|Make sure|Note that|Run|Install|"
    r"Turn|Push|Raise|Connect|Insert)\b|\b(?:by default|can be (?:\w+ed|set|chosen)|is shown|are shown|must be \w+|"
    r"will (?:be \w+ed|open|appear|restart|show))\b",
    re.M,
)
_READER: Final = regex(r"\b[Yy]ou(?:r|['’](?:ll|re|ve))?\b")
_CODE: Final = regex(r"`[^`\n]{1,100}`")
#: From so many signs on a text is of a kind.
_PAPER_PARTS, _CITATIONS, _CLAUSES, _VERSIONS, _SPEECHES = 3, 4, 6, 2, 3
_TO_READER, _CODES = 4, 5
_KEYWORDS, _QUOTES, _ROWS, _MENUS, _TELLINGS = 3, 3, 4, 4, 3
#: With so many decisions in words it is none of them, unless it has more signs of a kind and no body decides; minutes
#: have clauses, too.
_DECISIONS: Final = 2
#: Somebody who is called by a handle.
_HANDLE: Final = regex(r"(?:^|[\s(])@[A-Za-z][\w-]{1,38}(?=[ ,.):]|$)", re.M)


#: What is above minutes, and in a record of a decision.
_MEETING_HEAD: Final = regex(r"^.{0,60}\b(?:meetings?|minutes|calls?|agenda|sync|stand-?up)\b.{0,60}$", re.I | re.M)
_STATUS: Final = regex(
    r"^#{1,4} status\s+\W{0,4}(?:accepted|approved|rejected|proposed|superseded|deprecated)\b", re.I | re.M
)
_OPENING: Final = 500


def is_record(content: str) -> bool:
    """Whether a text has the headings or fields of minutes, plans, mails or records of decisions."""
    return _begins_record(content[:_REACH])


@lru_cache(maxsize=8)  # asked again for each sentence of a text
def _begins_record(beginning: str) -> bool:
    opening = beginning[:_OPENING]
    if _MEETING_HEAD.search(opening) and any(one.day is not None for one in written_dates(opening)):
        return True
    return any(one.search(beginning) for one in (_RECORD, _STATUS))


def is_reference(content: str) -> bool:
    """Whether a text that is no talk, mail or note is reference prose; linear in its first part."""
    read = content[:_REACH]
    text = _FENCED.sub("\n", read)
    if _RECORD.search(text):
        return False
    if len(text.split()) < _SHORT and _is_of_reference_lines(text):
        return True
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


def _is_limited(text: str) -> bool:
    """Whether a text says by when something must be done, and not by a thing; the first test is much the faster one."""
    return _DATE_LIMIT.search(text) is not None and _DATE_LIMIT.search(_THING_WILL.sub("", text)) is not None


def _has_people(text: str) -> bool:
    """Whether somebody acts in a text: who writes, who decides, who is named, or who is given a day.

    In the steps of a manual what was accepted or approved is so by nobody who is meant.
    """
    decides = _BODY_DECIDES if len(_MENU.findall(text)) >= _MENUS else _DECIDES
    if _is_limited(text) or decides.search(text) or _HANDLE.search(text):
        return True
    if _FIRST_PERSON.search(_POLITE.sub(" ", text)):
        return True
    return any(match[1].casefold() in GIVEN_NAMES for match in _NAMED.finditer(text))


#: Who decides or promises in a sentence: whoever writes, the user whom an agent writes of, a body, an office.
_WHO: Final = (
    r"(?:I|we|users?|(?:the|our|my|his|her) (?:\w+ )?(?:user|customer|client|boss|manager|director|chair(?:man|woman|"
    r"person)?|"
    r"president|treasurer|secretary|owners?|partners?|family|parents|wife|husband|landlord|tenants?|supplier|vendor|"
    rf"contractor|company|office|department|crew|club|{_BODY[3:-1]}))"
)
_VERB: Final = (
    r"(?:decided|agreed|approved|resolved|adopted|rejected|accepted|chose|picked|selected|voted|opted|ruled out|"
    r"settled on|signed off|dropped|postponed|cancelled|confirmed|elected|appointed)"
)
_DECIDED: Final = regex(rf"\b{_VERB}\b")
#: That somebody decided, by the subject or by a verb that begins the sentence, or in the passive.
_SOMEBODY_DECIDED: Final = regex(
    rf"\b{_WHO}(?:['’]ve| have| has| had| all| also| then| now| unanimously| finally| just)* "
    rf"(?:{_VERB}|chosen|decide to|agree to|(?:will |are )?(?:go|going|stick) with)\b|\b[Ii]t (?:was|"
    rf"has been) (?:\w+ly )?{_VERB}\b|"
    rf"\A\W*(?:(?:unanimously|all|everyone|finally) )?{_VERB}\b(?! (?:\w+ )?\w+s? (?:are|is|can|will|may|must|were)\b)|"
    r"\b(?:let['’]s|we(?:['’]ll| will| shall| are going to|['’]re going to))\b",
    re.I,
)
_WAS_DECIDED: Final = regex(
    rf"\b(?:was|were|has been|have been|is now|is to be) (?:\w+ly |now |not )*(?:{_VERB}|chosen)\b"
    r"(?! (?:if|for up to|by default|already|because|at random|by (?:a|the|its|cross)\b[\w -]{0,20}(?:script|rule|"
    r"value|"
    r"validation|name|priority)))",
    re.I,
)
#: The same of a body that its capitals tell: "The SC discussed it and decided to wait".
_BODY_DECIDED: Final = regex(
    rf"\A\W*(?:(?:[Tt]he )?(?:[A-Z][\w.]*[A-Z][\w.]*|[A-Z][\w.]*(?: [A-Z][\w.]*)+)|[Tt]he {_BODY}|We|I)\b"
    r"(?: also| then)? .{0,300}?(?P<joined>\band (?:then )?)?"
    r"\b(?P<verb>decided|agreed|voted|chose|resolved|approved|accepted|rejected|adopted)\b"
)
#: A clause that says which one, or when, and not what was done.
_SUBORDINATE: Final = regex(
    r"\b(?:if|once|when|whenever|where|wherever|that|which|who|whose|until|unless|whether|after|before|because|"
    r"fix\w*|bug)\b",
    re.I,
)
#: What programs choose and turn down.
_MACHINE: Final = regex(
    r"\b(?:node|server|process|thread|job|connection|packet|token|port|rule|row|entry|entries|value|query|password|"
    r"certificate|session|transaction|argument|parameter|hypothes[ie]s|participants|samples?)s?(?: [\w-]{1,12})? "
    r"(?:was|were|has been|have been)\b",
    re.I,
)
#: That somebody undertakes something.
_SOMEBODY_WILL: Final = regex(
    rf"\b(?:{_WHO}(?:['’]ll| will(?! be \w+ed\b)|['’]re going to| am going to| are going to| is going to|"
    rf"['’]m going to)|"
    r"(?:I|we|the user|user) (?:have|has|need|needs|must|promise[ds]?|agree[ds]?|plan|plans|want|wants)(?: to)?\b|"
    r"let me\b|remind me\b)",
    re.I,
)
#: What holds of anybody, at any time, and what an author does in a text.
_GENERAL: Final = regex(
    r"\b[Mm]embers undertake\b|\b[Aa]s an? [\w ]{2,30},? I (?:want|need|can|would)\b|\b(?:shall|you|your|yourself|"
    r"MUST|(?i:if|each|every|whoever|any)|users)\b|"
    r"\b[Ww]e (?:will|shall|now) (?:show|prove|see|discuss|present|describe|assume|denote|consider|introduce|use|"
    r"require|"
    r"support|accept|allow)\b|\b[Ww]e(?:['’]ll)? see\b"
)
#: What a report or a story says of who speaks.
_REPORTED: Final = regex(
    r"\bthe [A-Z]\w+ (?:reports|writes)\b|[”\"’'],? (?:he|she|they|it) (?:said|asked|replied|whispered|cried|"
    r"answered|thought)\b|"
    r",? (?:he|she|they|it|an?(?: \w+)? (?:spokes\w+|official|witness)|the (?:company|government|ministry|police)|"
    r"analysts|"
    r"sources|reports?|officials) (?:said|say|thought|expect|reports?|told)\b|\baccording to\b",
    re.I,
)
_TRIED: Final = regex(
    r"\bp ?[<=>] ?0?\.\d|\bet al\b|\bcross-validation\b|\bnull hypothesis\b|\b(?:learning rate|training set|baselines?|"
    r"dataset)\b|\b(?:[Ii]n|[Ss]ee) (?:[Ss]ection|[Cc]hapter|[Tt]heorem|[Ll]emma|[Ff]ig\w*) \d|\b[Tt]he authors\b"
)
#: Whom the news quote, and how a session in a shell begins.
_NEWS: Final = regex(
    r"\bspokes(?:man|woman|person)\b|\bin a statement\b|\b(?:analysts|forecasters|economists|officials|critics) "
    r"(?:said|say|expect\w*|doubt|warn\w*)\b|”,? (?:said|says) the \w+|\A\W*abstract\b|\A\$ [a-z]",
    re.I,
)
#: What a law or a contract has somebody do.
_DUTY: Final = regex(r"\b(?:the|an?|no|every|each) [\w ]{2,30} shall\b", re.I)
#: What happened long ago.
_HISTORY: Final = regex(r"\b[Ii]n 1[0-9]\d\d\b")
#: The head of a table that says what words or codes mean.
_LEGEND: Final = regex(
    r"^\W{0,3}(?:(?:error|exit) )?(?:status|code|state|error|value|field|option|parameter|term)s?\W{1,5}(?:description|"
    r"meaning|explanation|definition)\b",
    re.I | re.M,
)
_TERMS: Final = regex(r"\bby (?:using|accessing|continuing)\b[^.]{0,80}\byou (?:agree|accept)\b|\bthese terms\b", re.I)
#: Headings of a changelog, and the first words of a line of one.
_CHANGES: Final = regex(
    r"^#{1,4} (?:added|changed|deprecated|removed|breaking changes|bug ?fixes|new features)\W*$|"
    r"^\W{0,4}v?\d+\.\d+\.\d+\b[^\n]{0,20}$|"
    r"\A\W{0,4}(?:feat|fix|chore|docs|refactor|perf|build|ci|style|test)(?:\([\w./-]{1,30}\))?!?: |"
    r"\b(?:in|with) this (?:release|version)\b|\A\W{0,4}(?:deprecated|fixed|fixes|fix|bump\w*|backport\w*|"
    r"v?\d+\.\d+\.\d+:)\b",
    re.I | re.M,
)
_CODE_LINE: Final = regex(
    r"[\W_]{0,6}(?:[A-Z]{1,6}[-_]?\d{2,6}\b|E_[A-Z_]{3,}\b|0x[\da-f]{4,}\b|[1-5]\d\d (?=[A-Z]))|\W*\b(?:code|status|"
    r"error)\b[^.]{0,60}$|[\W_]+$",
    re.I,
)


def somebody_acts(text: str, category: str, *, is_named: bool) -> bool:
    """Whether a sentence outside of minutes says who decides or promises something, or by when it must be done.

    `is_named` says whether it names a person.
    """
    if _REPORTED.search(text) or _MACHINE.search(text):
        return False
    if category == "Decision":
        told = _BODY_DECIDED.search(text)
        if told is not None and (told["joined"] or _SUBORDINATE.search(text, 0, told.start("verb")) is None):
            return True
        if _SOMEBODY_DECIDED.search(text) and not _GENERAL.search(text):
            return True
        passive = _WAS_DECIDED.search(text)
        if passive is not None and _SUBORDINATE.search(text, 0, passive.start()) is None:
            return True
        return is_named and _DECIDED.search(text) is not None
    if _GENERAL.search(text):
        return False
    if is_named or _SOMEBODY_WILL.search(text) or _HANDLE.search(text):
        return True
    return _is_limited(text)


def _is_of_reference_lines(text: str) -> bool:
    """Whether a text is, though short, plainly of a paper, terms of use, a changelog or a table of codes."""
    lines = [line for line in text.split("\n") if line.strip()]
    is_coded = len(lines) > 0 and all(_CODE_LINE.match(line) for line in lines)
    is_law = _DUTY.search(text) is not None and _DECIDES.search(text) is None
    return is_coded or is_law or any(one.search(text) for one in (_TRIED, _TERMS, _CHANGES, _HISTORY, _LEGEND, _NEWS))


#: Titles of texts that say how things are done.
_GUIDE: Final = regex(
    r"\b(?:how[ -]to|guides?|handbook|manual|tutorial|templates?|check ?lists?|guidelines?|policy|policies|procedures?|"
    r"best practices?|cheat ?sheet|faq|glossary|playbook|primer|instructions?|tips|basics|onboarding|conventions)\b|"
    r"\bhow (?:we|i|our)\b|^\W*(?:facilitat|runn|hold|writ|tak|lead|plann|organi[sz]|host|chair|prepar|mak)ing\b",
    re.I | re.M,
)
#: A sentence that holds of anybody: what to do, what is done, what a word means.
_ADVICE: Final = regex(
    rf"\b(?:should|must|may|can|needs? to|ha(?:s|ve) to|every|each|any|whoever|whenever|anyone|everyone|usually|"
    rf"normally|"
    r"typically|always|often|please|you|your|if|when)\b|\A\W*(?:an?|the) [\w -]{2,30} (?:is|are|has|needs|that|writes?|"
    rf"reads?|keeps?|sends?|will|who)\b|\A\W*(?:{ACTION})\b|\A[^:.]{{2,30}}:\W+(?:an?|the|what|who|something)\b",
    re.I,
)
_LINE: Final = regex(r"(?<=[.!?])\s+|\n+")
_LEAST_LINES, _GUIDE_SHARE, _ADVICE_SHARE = 3, 0.3, 0.6


def is_guide(content: str, title: str | None) -> bool:
    """Whether a text that names nobody says how meetings and the like are held, and not what happened in one."""
    text = _FENCED.sub("\n", content[:_REACH])
    if any(one.day is not None for one in written_dates(text[:3_000])):
        return False
    if _SOMEBODY_DECIDED.search(text) or "@" in text:
        return False
    said = [line for line in _LINE.split(text) if len(line.split()) > 2 and not line.lstrip().startswith("#")]
    called = f"{title or ''}\n{text.lstrip()[:120].split(chr(10), 1)[0]}"
    share = _GUIDE_SHARE if _GUIDE.search(called) else _ADVICE_SHARE
    return len(said) >= _LEAST_LINES and sum(_ADVICE.search(line) is not None for line in said) >= share * len(said)
