"""The form of lines: headings, lines of chats and transcripts with their speakers, and machine lines."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal, cast

from core.dates import MONTH_STEM, WEEKDAY_STEM
from core.regex import regex
from ingest.document.terms import gives_reasons, is_heading, section_in
from ingest.english.lexicon import ACTION, FIRST_NAMES, NOT_SPEAKERS, OTHER_WORDS

#: What a heading says about the lines below it; `open` holds questions and options, which are not events, below
#: `options` only what was chosen or ruled out is one. Below
#: `troubles`, `progress` and `plans` much is of one kind, but not everything.
Section = Literal[
    "decisions",
    "actions",
    "risks",
    "done",
    "changes",
    "feedback",
    "people",
    "open",
    "options",
    "troubles",
    "progress",
    "plans",
]

_SECTIONS: Final[tuple[tuple[Section, re.Pattern[str]], ...]] = (
    ("options", regex(r"\b(?:alternatives?|options)\b(?!.*\?)", re.I)),
    ("open", regex(r"question|option|alternative|idea|parking|backlog|brainstorm|draft|template|example|proposal|"
        r"not decided|undecided|unresolved", re.I)),
    ("decisions", regex(r"\b(?:decisions?|decided|agreements?|agreed|resolutions?|resolved|decision outcome|"
        r"verdict|disposition|rulings?|outcomes?)\b", re.I)),
    ("actions", regex(r"\b(?:actions?|action items|next steps?|to[- ]?dos?|follow[- ]?ups?(?! (?:from|of|on)\b)|"
        r"commitments?|tasks|open points|assignments|what (?:we will|we['’]ll) do|who does what|homework|deliverables|"
        r"remediation|what (?:i|we) need(?: from you)?)\b|"
        r"\A\W*(?:(?:up |what(?:['’]s| is) )?next|today)\W*\Z", re.I)),
    ("risks", regex(r"\b(?:risks?|concerns?|blockers?|known (?:issues|bugs|problems)|impediments?|"
        r"problems?|worries|red flags|threats)\b|"
        r"\A\W*blocked\W*\Z", re.I)),
    ("done", regex(r"\b(?:done|completed|accomplish\w*|shipped|delivered|achievements?|what we did)\b|"
        r"\A\W*yesterday\W*\Z",
        re.I)),
    ("changes", regex(r"^(?:changes?|what (?:has |we )?changed|changelog|what is (?:new|different)|"
        r"what['’]s new)\b", re.I)),
    ("feedback", regex(r"\b(?:feedback|(?:customer|client|user)s? (?:voices?|quotes?|reactions?)|testimonials?|"
        r"what (?:users|customers|clients|people|they) (?:said|say|told us|think|thought))\b", re.I)),
    ("people", regex(r"^(?:introductions? of |(?:other )?(?:[A-Z]{2,5} |board |voting )?)(?:attendees|"
        r"participants|present|people|attendance|invitees|team members|members|contacts|apologies|absent|roll call|"
        r"in attendance|others? present|also present|who is here)\b", re.I)),
    ("troubles", regex(r"\b(?:issues|lowlights|challenges|pain points|weaknesses|findings|obstacles|difficulties|"
        r"limitations|impact|what (?:went wrong|(?:did not|didn['’]t|could have) (?:go|gone|went)\b.*)|what hurts|"
        r"needs? attention|negative|root cause|what happened|watch list)\b", re.I)),
    ("progress", regex(r"\b(?:progress|highlights|wins|what went well|went well|good news|timeline|last week|"
        r"this (?:week|month|sprint|quarter)|in progress|"
        r"ongoing|doing|since last|recap|accomplishments|history|log)\b", re.I)),
    ("plans", regex(r"\b(?:outlook|plans?|planned|next (?:week|month|sprint|quarter)|upcoming|what (?:we['’]ll|we "
        r"will|to) try|rollout|roadmap|we owe\b.*|looking ahead|recommendations)\b", re.I)),
)  # fmt: skip
#: Headings that end what a heading above them says: below "Decision" they hold no further ones.
_REASONS: Final = regex(
    r"(?:why|reason|rationale|background|context|consequence|discussion|notes?\b|pros|cons|status|impact|what we|"
    r"considered|drivers|motivation|references?|links)",
    re.I,
)
#: Headings of one or a few words on their own line without any mark.
_PLAIN: Final = regex(
    r"(?:(?:key|main|top|open|next|new|our|the|today['’]s|other|any|further|list of|summary of|agreed) )?"
    r"(?:actions?(?: items?| points?| list| arising)?|decisions?(?: made| taken)?|risks?|blockers?|issues?|concerns?|"
    r"problems?|next steps?|steps|to-?dos?|tasks|commitments|follow[- ]?ups?|resolutions?|agreements?|questions?|"
    r"points|attendees|participants|present|apologies|absent|agenda|notes|minutes|discussion|summary|status|progress|"
    r"plans?|context|background|consequences|rationale|alternatives|options|options considered|done|completed|"
    r"achievements|highlights|lowlights|feedback|changes|updates?|introduction|overview|goals?|scope|timeline|budget|"
    r"what (?:was|we|has been) decided|what we did|"
    r"what went well|what went wrong|what we will do|what happened|root cause|business|any other business|"
    r"aob|motivation|proposal|contacts|team|people|lowlights|challenges|outcomes?|verdict|disposition|findings|"
    r"timeline|"
    r"impact|recap|topics|outlook|stakeholders|rules|what is new|what we changed|what changed|what we['’]ll try|"
    r"wins|good news|bad news|learnings|lessons(?: learned)?|next (?:week|month|sprint)|last week|this week|history|"
    r"to do|homework|housekeeping|announcements?|in short|follow through|decision outcome|rollout|results|roadmap)"
    r"(?: (?:and|&|/|or) (?:actions?(?: items)?|decisions?|risks?|blockers?|issues?|concerns?|next steps?|progress|"
    r"questions?|agreements?|apologies|impediments|dependencies|owners))?(?: (?:from|of|in|for) "
    r"(?:the )?(?:last|previous|today|this|next) ?(?:meeting|week|call|sprint|period|month|quarter)?)?"
    r"|(?:risks?|blockers?|decisions?|actions?|issues?) ?/ ?(?:risks?|blockers?|decisions?|actions?|issues?)"
    r"|(?:[\w'’-]+ ){1,5}(?:actions|decisions|next steps|risks|action items|log)",
    re.I,
)
#: How many words a heading may have besides its section's own ("Key decisions of today") to speak for what is below it.
_BESIDE: Final = 2
_NUMBERED: Final = regex(r"\A\(?\d{1,2}(?:\.\d{1,2})*[.)]?[ \t]+(?=[A-Z])")
_WORDS: Final = regex(r"[^\W\d_]+")


def section_of(heading: str) -> Section | None:
    """Return what a heading says about the lines below it."""
    if (named := section_in(heading)) is not None:
        return cast("Section", named)
    return next((section for section, pattern in _SECTIONS if pattern.search(heading)), None)


def is_generic(heading: str) -> bool:
    """Whether a heading is one that any document may have: "Decisions", "Any other business"."""
    text = _NUMBERED.sub("", heading.strip(" :*_#"))
    return _PLAIN.fullmatch(text) is not None or (section_of(text) is not None and speaks_below(text, 2))


def ends_section(heading: str) -> bool:
    """Whether a heading below another ends what that one says."""
    return _REASONS.match(heading) is not None or gives_reasons(heading)


def speaks_below(heading: str, level: int) -> bool:
    """Whether a heading names its section and little else: then what is below it, subheadings included, is of it."""
    pattern = next((pattern for _, pattern in _SECTIONS if pattern.search(heading)), None)
    rest = pattern.sub(" ", heading, count=1) if pattern else heading
    return ":" not in heading and len(_WORDS.findall(rest)) <= (_BESIDE if level == 1 else 2 * _BESIDE)


def names_section(head: str, labels: frozenset[str]) -> bool:
    """Whether a plain line is a heading: short, all capitals, ending in a colon, or of the words that headings have."""
    text = _NUMBERED.sub("", head.strip())
    if len(text) > 60 or len(text.split()) > 6:
        return False
    if text.endswith((":", "：")):
        return text[:-1].strip("*_ ") not in labels and "," not in text and not text[:1].islower()
    if text.isupper() and len(text) > 3 and not text.endswith((".", "!", "?")):
        return True
    return (text[:1].isupper() and _PLAIN.fullmatch(text) is not None) or (not text[:1].islower() and is_heading(text))


#: A line of a date, a place or names, or who decided: no statement.
_NO_STATEMENT: Final = regex(
    r"\W*(?:(?:decided|written|prepared|reviewed|approved|recorded|kept|collected|deciders?|status|date|authors?|"
    r"owner)\b"
    r"(?: by\b|[*_]*:)|"
    r"(?:copied|transcribed|typed(?: up| out)?|printed|exported|taken down|noted down) (?:by|from|on)\b)",
    re.I,
)
_PLAIN_WORD: Final = regex(r"(?<![\w'’-])[a-z]{3,}")


def is_statement(text: str) -> bool:
    """Whether a sentence says something, rather than when, where or by whom a document was written."""
    return _PLAIN_WORD.search(text) is not None and _NO_STATEMENT.match(text) is None


#: A time as logs begin with it, then a level in capitals; and a line of syslog, which has host and process instead.
_STAMP: Final = (
    r"\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d(?::\d\d)?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)[^ \n]{0,20}"
)
_LOG: Final = regex(
    rf"[ \t]*{_STAMP}.{{0,80}}?\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\b"
    r"|[ \t]*[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,80} [\w./-]{1,60}(?:\[\d{1,10}\])?:"
    r"|[ \t]*(?:Traceback \(most|File \"|npm (?:WARN|ERR!))"
)
#: What begins a line of code and no sentence, or ends one.
_CODE: Final = regex(
    r"[ \t]*(?:"
    r"(?:async )?def \w|class \w{1,80}[(:]|import [\w.]{1,80}$|from [\w.]{1,80} import|"
    r"raise \w{1,80}\(|#include|//|/\*|"
    r"return [^.\n]{0,80}(?:[({\[\"']|\w\.\w)|assert .{0,100}(?:==|\w\.\w|[(\[])|[\w.]{1,80}\(.{0,300}\)$|"
    r"(?:const|let|var) [\w{\[][^=\n]{0,60}=|"
    r"(?:public|private|static|func|fn|function|export) [\w<>\[\], .*&]{0,100}\w\(|"
    r"</?[a-z][\w-]{0,30}(?: [^<>\n]{0,200})?>|"
    r"(?:else|try|finally):$|[a-z][\w.\[\]]{0,60} [+*/|-]?= (?:[\w.]{1,60}\(|[\"'\[{]|"
    r"(?:None|True|False|null|true|false)$)|"
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP) .{1,300};$|"
    r"(?:if|elif|for|while|except|with|switch|match)\b.{0,100}(?:\w\(|[=<>\[\]]|\w\.\w|\bNone\b).{0,100}[:{]$|"
    r".{0,300}(?:[{}]|\);|\w = .{0,200};)$)"
)


#: A line of a comment, which code has most of, and talk none.
_COMMENT: Final = regex(r"[ \t]*(?:#+ (?![^\n]{0,40}$)|-- |% |REM )")


def is_machine_made(text: str) -> bool:
    """Whether most lines of a text are those of a log or of code. Time grows with the text's length."""
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    made = sum(_LOG.match(line) is not None or _CODE.match(line) is not None for line in lines)
    return 2 * made > sum(_COMMENT.match(line) is None for line in lines)


#: A task that begins with whose it is: "owner: [dana](https://…): write the notes", "Assigned to: Dana Fox — call Bo".
OWNED_TASK: Final = regex(
    r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?[*_]{0,2}(?P<owner>(?:(?:[Oo]wner|[Aa]ssignee|[Rr]esponsible|"
    r"[Aa]ssigned to)\b)"
    r"[*_]{0,2}:?[*_]{0,2}[ \t]+(?:\[[^\]\n]{2,40}\]\([^)\n]{0,200}\)|@[\w.-]{2,38}|"
    r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}))"
    rf"(?:[ \t]*[:—–-]|[.,]|(?=[ \t]))[ \t]+(?i:{ACTION})\b"
)
#: What programs of meetings show behind a name: "Ana Li | Mill", "Ana Li [Mill]", "Ana Li (she/her) - Mill".
ASIDE: Final = (
    r"(?:[ ]?\[[^\[\]\n:]{1,60}\]|[ ]\([^()\n:]{1,60}\)(?![ ]?\w))?"
    r"(?:[ ][|•·][ ][^\n:|•·]{1,60}?|[ ][@/–—-][ ][A-Z][^\n:|•·]{1,40}?)?"
    r"(?:,[ ](?:Ph\.?D|M\.?[AD]|MBA|MSc|BSc|Jr|Sr|Esq)\b\.?)?"
)
#: A family name that comes first.
_ASIDE: Final = regex(ASIDE)
_FAMILY_FIRST: Final = regex(
    r"(?P<family>[^\W\d_a-z][\w'’-]+(?: [\w'’-]+)?), (?P<given>[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*)?)"
)
#: Somebody's name or handle, in up to four words.
_WORD: Final = r"[^\W_][\w.'’@&-]{0,30}"
_NAME: Final = rf"(?P<name>@?{_WORD}(?: \(?{_WORD}\)?){{0,3}}?){ASIDE}"
#: A handle, or a name in one or two capitalised words: what no clause is.
_SHORT: Final = r"(?P<name>@?[^\W\d_][\w.@-]{0,30}(?: (?-i:[^\W\d_a-z])[\w.'’-]{0,30}){0,2}?)"
#: The same where one pattern has them more than once.
_SECOND: Final = _NAME.replace("name", "second")
_SHORT_SECOND, _SHORT_THIRD = _SHORT.replace("name", "second"), _SHORT.replace("name", "third")
_MONTH: Final = rf"(?:{MONTH_STEM})[a-z]{{0,6}}\.?"
_CLOCK: Final = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[.,]\d{1,3})?(?: ?[ap]\.?m\b\.?|(?:h|Z)\b)?"
_DATE: Final = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})?|today|yesterday|"
    rf"(?:(?:{WEEKDAY_STEM})[a-z]*\.?,? )?(?:\d{{1,2}}(?:st|nd|rd|th|\.)? "
    rf"{_MONTH}|{_MONTH} \d{{1,2}})(?:,? \d{{4}})?|"
    rf"(?:{WEEKDAY_STEM})[a-z]*\.?)"
)
#: When something was said, in brackets or not.
_TIME: Final = rf"[\[(]?(?:{_DATE}(?:,|T| at| -)? ?)?{_CLOCK}[\])]?"
#: What marks a name: bold, italic, brackets.
_OPEN, _CLOSE = r"(?:\*\*|__|[*_<\[])?", r"(?:\*\*|__|[*_>\]])?"
_BREAK: Final = r"[ \t]*\n[ \t]*(?=\S)"
_ONE_LINE: Final = tuple(
    regex(rf"[ \t]*{form}(?=\S)", re.I)
    for form in (
        # 09:12 | Name | words; 09:12, Name, "words"; 09:12 - Name - words; 09:12 / Name / words
        rf"(?:[-*•] )?{_TIME}[ \t]*(?P<sign>[|,;/–—-])[ \t]*{_OPEN}{_NAME}{_CLOSE}[ \t]*(?P=sign)[ \t]*",
        rf"{_TIME}\t+{_NAME}\t+",
        rf"{_TIME}[ \t]*(?:[-–—|,] )?{_OPEN}{_NAME}{_CLOSE}[ \t]*(?::|>|→|»|\|)[ \t]+",
        # 09:12 **Name** words; 09:12 [Name] words; 09:12 @name words
        rf"{_TIME}[ \t]*(?:[-–—|] )?(?:\*\*{_NAME}\*\*|\[{_SECOND}\]|(?P<handle>@[\w.-]{{2,30}}))[ \t]+",
        rf"{_TIME} {{2,}}{_SHORT} {{2,}}",
        # 09:12:11 From Name to Everyone: words
        rf"{_TIME}[ \t]+from[ \t]+{_NAME}(?:[ \t]+to[ \t]+[^:\n]{{2,80}}?)?[ \t]*:[ \t]+",
        # Name, 09:12: words; Name / 09:12 / words
        rf"{_OPEN}{_NAME}{_CLOSE}[ \t]*[,/|–—-]?[ \t]*{_TIME}[ \t]*(?:[:/|>]|[–—-](?= ))[ \t]*",
        rf"\*\*{_NAME}\*\*[ \t]*{_TIME}:?[ \t]+",
        # - Name: words; > Name: words
        rf"(?:[-*•>] )(?:{_TIME}[ \t]+)?{_OPEN}{_NAME}(?::{_CLOSE}|{_CLOSE}:)[ \t]+",
        # Name > words; Name — words
        rf"{_SHORT}[ \t]+(?:>|→|»|[–—-])[ \t]+",
        # **Name** words; *Name*: words; [Name] words; @name words
        rf"(?:\*\*{_SHORT}\*\*|[*_]{_SHORT_SECOND}[*_]|\[{_SHORT_THIRD}\]):?[ \t]+",
        r"(?P<handle>@[\w.-]{2,30})[ \t]+",
        rf"{_SHORT}\.[ \t]+",
    )
)
_TWO_LINES: Final = tuple(
    regex(rf"[ \t]*{form}", re.I)
    for form in (
        # 09:12:11 From Name to Everyone:
        rf"{_TIME}[ \t]+from[ \t]+{_NAME}(?:[ \t]+to[ \t]+[^:\n]{{2,80}}?)?[ \t]*:{_BREAK}",
        rf"{_TIME}[ \t]*[-–—|]?[ \t]*{_OPEN}{_NAME}{_CLOSE}:?{_BREAK}",
        rf"(?:#{{2,6}} )?{_OPEN}{_NAME}{_CLOSE}[ \t]*[,|–—-]?[ \t]*{_TIME}{_CLOSE}:?{_BREAK}",
        rf"{_OPEN}{_NAME}{_CLOSE}[ \t]*\n[ \t]*{_TIME}{_BREAK}",
        rf"(?:#{{2,6}} {_SHORT}|\*\*{_SHORT_SECOND}:?\*\*:?){_BREAK}",
    )
)
_VERB: Final = regex(ACTION)
#: A log has so many lines at least, and so many of all lines that are not empty have its form.
_FEWEST: Final = 4
_MOST_OF: Final = 0.6
_MOST_OF_PAIRS: Final = 0.3
#: Of so many lines one more speaker may be: each is heard more than once.
_LINES_EACH: Final = 1.5


@dataclass(frozen=True, slots=True)
class LogForm:
    """How a log writes its lines, and who speaks in it, as it writes them."""

    form: re.Pattern[str]
    speakers: frozenset[str]

    def match(self, content: str, start: int) -> tuple[int, int, int] | None:
        """Return where the name of who speaks in the line at `start` begins and ends, and where the words begin."""
        match = self.form.match(content, start)
        if match is None or _named(match) not in self.speakers:
            return None
        return *match.span(_group(match)), match.end()


def spoken_name(shown: str) -> str:
    """Return the name of a speaker without what a program shows behind it: "Li, Ana (Guest)" is Ana Li."""
    name = shown.strip()
    ends = (at for at, sign in enumerate(name) if at and sign in " ,(" and _ASIDE.fullmatch(name, at))
    name = name[: next(ends, len(name))]
    family = _FAMILY_FIRST.fullmatch(name)
    return name if family is None else f"{family['given']} {family['family']}"


def log_form(content: str) -> LogForm | None:
    """Return the form that most lines of a log have; None for what is none, or one that needs no telling."""
    filled = [line.start() for line in re.finditer(r"^[ \t]*(?=\S)", content, re.M)]
    best: tuple[int, LogForm] | None = None
    for forms, share in ((_ONE_LINE, _MOST_OF), (_TWO_LINES, _MOST_OF_PAIRS)):
        for form in forms:
            found = [match for start in filled if (match := form.match(content, start)) is not None]
            names = Counter(map(_named, found))
            speakers = frozenset(name for name in names if _may_speak(name))
            lines = sum(names[name] for name in speakers)
            is_log = lines >= max(_FEWEST, share * len(filled)) and 2 <= len(speakers) <= lines / _LINES_EACH
            if is_log and (best is None or lines > best[0]):
                best = lines, LogForm(form, speakers)
    return best[1] if best else None


def _group(match: re.Match[str]) -> str:
    return next(name for name, value in match.groupdict().items() if value is not None and name != "sign")


def _named(match: re.Match[str]) -> str:
    return str(match[_group(match)]).strip()


def _may_speak(name: str) -> bool:
    words = name.casefold().lstrip("@").split()
    is_name = bool(words) and (
        words[0] in FIRST_NAMES or (words[0] not in OTHER_WORDS and not _VERB.fullmatch(words[0]))
    )
    return is_name and not any(word.strip("().") in NOT_SPEAKERS for word in words)
