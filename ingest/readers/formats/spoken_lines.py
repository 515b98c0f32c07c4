"""Spoken lines: how programs that write down meetings and chats say, in plain text, who speaks and when."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ingest.document.log_lines import ASIDE

_TIME: Final = r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?: ?[AaPp]\.?[Mm]\b\.?)?)"
_NAME: Final = rf"(?P<name>[^\W\d_][^\n\t:\[\]<>|]{{0,60}}?){ASIDE}"
_FORMS: Final = tuple(
    re.compile(rf"^{form}", re.MULTILINE)
    for form in (
        # [00:05] Name: words; 00:05 Name: words; 10:02:31 From Name to Everyone: words
        rf"\[?{_TIME}\]?[ \t]+(?:-[ \t]+)?(?:From[ \t]+)?{_NAME}(?: to [^\n:]{{1,60}})?[ \t]*:(?=[ \t\r\n])",
        # Name (00:05): words; Name 00:05: words
        rf"{_NAME}[ \t]*[(\[]?{_TIME}[)\]]?[ \t]*:(?=[ \t\r\n])",
        # [Name] 10:02:31, and the words below
        rf"\[{_NAME}\][ \t]+{_TIME}[ \t]*\r?$",
        # Name  0:05, and the words below
        rf"{_NAME}[ \t]+{_TIME}[ \t]*\r?$",
    )
)
#: What a message in WhatsApp's text begins with: "[12/03/26, 10:02:31 PM] " on iOS, "12/03/26, 10:02 - " on Android.
MESSAGE_STAMP: Final = re.compile(
    r"^[\u200e\u200f]?(?P<open>\[)?"
    r"(?P<first>\d{1,4})(?P<sign>[./-])(?P<second>\d{1,2})(?P=sign)(?P<third>\d{1,4})\.?,? "
    r"(?:klo )?(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)(?:[:.](?P<seconds>[0-5]\d))?"
    r"(?:[ \u202f\u00a0]?(?P<half>[AaPp])\.?[ \u202f\u00a0]?[Mm]\.?)?(?(open)\] | - )",
    re.MULTILINE,
)
#: A text is a transcript from so many such lines on, if they are so many of those that are not blank, and somebody
#: speaks more than once.
_FEWEST: Final = 3
_MOST_OF: Final = 0.3


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A line at `start` (character) that says who speaks when, both as written."""

    start: int
    speaker: str
    time: str


def spoken_lines(text: str) -> list[SpokenLine]:
    """Return the lines that say who speaks when in the form that most of them have, if the text is a transcript.

    Linear in the text; empty if it is none.
    """
    found = max(
        ([SpokenLine(m.start(), m["name"].strip(), m["time"]) for m in form.finditer(text)] for form in _FORMS), key=len
    )
    filled = sum(not line.isspace() for line in text.splitlines(keepends=True))
    speakers = Counter(line.speaker for line in found)
    repeated = max(chain(speakers.values(), [0])) > 1
    return found if repeated and len(found) >= max(_FEWEST, filled * _MOST_OF) else []
