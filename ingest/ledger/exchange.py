"""Exchange: two short statements of equal words but for one value, of which only one can hold.

"We ship on Friday", "we ship on Monday". Only values of one kind exclude each other: what is bought, hired or opened
beside another leaves that as it is.
"""

import re
from collections.abc import Sequence
from typing import Final

from core.dates import MONTH_ABBREVIATION, MONTH_NAME
from graph.text.tokens import STOP_WORDS

_WORD: Final = re.compile(r"\d+(?:[.:,]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*")
#: What a statement says of its being decided, and of now.
_FILLERS: Final = frozenset(
    """
    we i have has had been decided decide agreed agree resolved decision plan planned chose chosen to that will shall
    the a an our now from
    """.split()
)
_MONTH: Final = re.compile(f"{MONTH_NAME}|{MONTH_ABBREVIATION}")
#: Days of the week, and kinds of what a thing is said to be: behind the thing, since "the red gate" is another gate.
_WEEKDAYS: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays
    """.split()
)
_KINDS: Final = tuple(
    frozenset(kind.split())
    for kind in (
        "morning noon midday afternoon evening midnight night",
        "hourly daily nightly weekly fortnightly biweekly monthly quarterly yearly annually",
        (
            "red green blue yellow orange purple violet pink brown black white grey gray beige turquoise teal cyan "
            "magenta gold silver navy crimson"
        ),
        "light dark",
        "small medium large",
        "low normal high",
        "public private internal",
        "on off",
        "enabled disabled",
        "open closed",
        "mandatory optional",
        "allowed forbidden",
        "left right centre center",
    )
)
#: Verbs by which a value becomes another one; what they leave is where the value is.
_MOVED: Final = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been|will be) )?(?:now )?(?:moved?|moves|postponed|rescheduled|shifted|"
    r"brought forward|pushed back|put off) to (?:the )?",
    re.I,
)
_REVALUED: Final = re.compile(
    r"\b(?P<is>is|are) (?:now )?(?:raised|lowered|reduced|increased|cut|extended|shortened|changed) to ", re.I
)
_PLACED: Final = re.compile(r"\b(?:is|are|will be|shall be|takes? place|goes out) (?=(?:on|at|in) )", re.I)
#: What stands before a number that says when or how much, and not which.
_BEFORE_NUMBER: Final = frozenset("on at in by until till is are be of costs cost for within after before".split())
#: Most words of a value.
_MOST: Final = 2


def exchanges_value(later: str, earlier: str) -> bool:
    """Whether the later says word by word what the earlier says, but for one value of the same kind."""
    one, other = map(_words, map(_plainly, (later, earlier)))
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < min(len(one), len(other)) - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    values = one[begin : len(one) - end], other[begin : len(other) - end]
    rest = [word for word in (*one[:begin], *one[len(one) - end :]) if word not in STOP_WORDS]
    if not all(1 <= len(value) <= _MOST for value in values) or not rest or begin == 0:
        return False
    if not end and len(values[0]) == len(values[1]) == 1:
        kinds = (kind for kind in _KINDS if values[0][0] in kind and values[1][0] in kind)
        if any(kinds):
            return True
    return _are_times_or_amounts(*values, before=one[begin - 1])


def _plainly(text: str) -> str:
    """Return a text with "on" or "is" before a value, whatever verb says where it is now."""
    return _PLACED.sub("", _REVALUED.sub(r"\g<is> ", _MOVED.sub("on ", text)))


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _FILLERS]


def _are_times_or_amounts(one: Sequence[str], other: Sequence[str], *, before: str) -> bool:
    """Whether both values are days, or numbers and months behind a word that says so: "sprint 12" is a name."""
    if _WEEKDAYS.issuperset((*one, *other)):
        return True
    is_said_so = before in _BEFORE_NUMBER or before[0].isdigit()
    return is_said_so and all(word[0].isdigit() or _MONTH.fullmatch(word) is not None for word in (*one, *other))
