"""The form of a log's lines: how chat programs and transcripts write who says what, told by the document as a whole."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
from ingest.english.lexicon import FIRST_NAMES, NOT_SPEAKERS, OTHER_WORDS
from ingest.english.verbs import ACTION

#: What programs of meetings show behind a name: "Ana Li | Mill", "Ana Li [Mill]", "Ana Li (she/her) - Mill".
ASIDE: Final = (
    r"(?:[ ]?\[[^\[\]\n:]{1,60}\]|[ ]\([^()\n:]{1,60}\)(?![ ]?\w))?"
    r"(?:[ ][|•·][ ][^\n:|•·]{1,60}?|[ ][@–—-][ ][A-Z][^\n:|•·]{1,40}?)?"
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
    re.compile(rf"[ \t]*{form}(?=\S)", re.I)
    for form in (
        # 09:12 | Name | words; 09:12, Name, "words"; 09:12 - Name - words; 09:12 / Name / words
        rf"(?:[-*•] )?{_TIME}[ \t]*(?P<sign>[|,;/–—-])[ \t]*{_OPEN}{_NAME}{_CLOSE}[ \t]*(?P=sign)[ \t]*",
        rf"{_TIME}\t+{_NAME}\t+",
        rf"{_TIME}[ \t]*(?:[-–—|,] )?{_OPEN}{_NAME}{_CLOSE}[ \t]*(?::|>|→|»|\|)[ \t]+",
        # 09:12 **Name** words; 09:12 [Name] words; 09:12 @name words
        rf"{_TIME}[ \t]*(?:[-–—|] )?(?:\*\*{_NAME}\*\*|\[{_SECOND}\]|(?P<handle>@[\w.-]{{2,30}}))[ \t]+",
        rf"{_TIME} {{2,}}{_SHORT} {{2,}}",
        # 09:12:11 From Name to Everyone: words
        rf"{_TIME}[ \t]+from {_NAME}(?: to [^:\n]{{2,40}}?)?[ \t]*:[ \t]+",
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
    re.compile(rf"[ \t]*{form}", re.I)
    for form in (
        rf"{_TIME}[ \t]*[-–—|]?[ \t]*{_OPEN}{_NAME}{_CLOSE}:?{_BREAK}",
        rf"(?:#{{2,6}} )?{_OPEN}{_NAME}{_CLOSE}[ \t]*[,|–—-]?[ \t]*{_TIME}{_CLOSE}:?{_BREAK}",
        rf"{_OPEN}{_NAME}{_CLOSE}[ \t]*\n[ \t]*{_TIME}{_BREAK}",
        rf"(?:#{{2,6}} {_SHORT}|\*\*{_SHORT_SECOND}:?\*\*:?){_BREAK}",
    )
)
_VERB: Final = re.compile(ACTION)
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
