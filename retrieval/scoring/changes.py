"""Changes: whether a short text says otherwise of a thing than an earlier one did.

Read from the words of both, so that it is the same for every embedder. Precision first: where a text adds to the
earlier one, or is about somebody else, both hold.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from graph.text.tokens import distinctive_stems, stems, words

_FLAGS: Final = re.IGNORECASE
#: The longest text that is compared, in characters: a longer one says more than one thing.
LONGEST: Final = 300
#: Words by which a text says that something is no longer as it was.
_SIGN: Final = re.compile(
    r"\b(?:now|nowadays|no longer|any ?more|instead|in place of|from .{1,20} on|as of|these days|changed|"
    r"switch(?:ed|ing)|moved|replaced|renamed|became|stopped|gave up|given up|used to|took over|correction|actually)\b|"
    r"\b(?:left|quit|joined|sold) (?=(?:the|our|my|his|her|their|to|from)\b|(?-i:[A-Z]))",
    _FLAGS,
)
#: Words of change that may be about the writer, or about a number; in a rule they often mean something else.
_WEAK_SIGN: Final = re.compile(
    r"\b(?:new|newly|since|again|change|move|left|quit|joined|sold|started|raised|lowered|reduced|rose|dropped|increased|"
    r"cut (?:to|by|from)|updated|went up|went down|formerly|previously)\b",
    _FLAGS,
)
#: A text that adds to another.
_ADDS: Final = re.compile(r"\b(?:also|too|as well|additionally|in addition|besides|another|both)\b", _FLAGS)
#: What a text says no longer holds, before or after the words that say so.
_FORMER: Final = re.compile(
    r"\b(?:instead of|in place of|rather than|no longer|not|n['’]t|from|left|quit|sold|stopped|gave up|given up|"
    r"replaced?|used to)\b(?P<after>[^.;,]{1,60})",
    _FLAGS,
)
_DENIAL: Final = re.compile(
    r"\b(?:not|no|never|none|without|avoid|hate[sd]?|dislike[sd]?|detest|cannot|stop|stopped|quit|gave up|given up|"
    r"vegetarian|vegan|teetotal(?:l?er)?|non-smoker|nonsmoker)\b|n['’]t\b",
    _FLAGS,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|my|me|mine|we|our|us)\b", _FLAGS)
#: Of two things the one that is preferred.
_PREFERENCE: Final = re.compile(r"([\w+#.-]*\w) (?:over|rather than|instead of|before|not|to) ([\w+#.-]*\w)", _FLAGS)
#: A thing that has one value at a time, and the value.
_CALLED: Final = re.compile(r"\b(?:call|address) (?:me|us|him|her|them)\b", _FLAGS)
_SINGLE: Final = re.compile(
    r"^(?P<topic>[^.;:=]*\b(?:favou?rite|preferred|default|number|phone|address|e-?mail|name|nickname|price|rate|fee|cost|"
    r"deadline|port|branch|time ?zone|birthday|job|employer|boss|manager|role|salary|budget|limit|version|password|"
    r"colou?r|language|editor|browser|shell|theme)\b[^.;:=]*?)\s*(?:\bis\b|\bare\b|[:=])\s*(?P<value>[^.;]+)",
    _FLAGS,
)
#: A number that says how much, when or under which number, and not which: "is 5", "at 9", but not "ward 4".
_AMOUNT: Final = re.compile(
    r"(?:\b(?:is|are|was|be|at|to|of|with|by|under|over|than|costs?|from|until|till|after|before|for|max|maximum)|[:=€$£])"
    r"\s*(?:about |now |only |€|\$|£)?\d",
    _FLAGS,
)
#: A letter that says which: "team A", "block C".
_LETTER: Final = re.compile(r"(?<=[a-z] )[A-HJ-Z](?![\w'’.])")
#: Words that say nothing about the thing itself: signs, attitudes to it, and times.
_EMPTY: Final = frozenset(
    stems(
        "now nowadays longer anymore anymor any more instead place new newly again since change changed switch "
        "switched move moved moving replace replaced renamed became left quit joined started stopped sold gave given "
        "used took went raised lowered reduced cut rose dropped increased updated correction actually formerly "
        "previously from on prefer like love enjoy hate dislike detest stand want use always never please avoid stop "
        "last next week month year day today yesterday monday tuesday wednesday thursday friday saturday sunday easter "
        "january february march april may june july august september october november december cannot"
    )
)
#: Words that mean the same here, by stem.
_SAME: Final = {
    stem: stems(first)[0]
    for first, others in {
        "live": "reside residence",
        "work": "job employed employer",
        "number": "phone telephone mobile",
        "colour": "color",
        "favourite": "favorite",
        "cost": "price fee",
        "open": "opening hours",
        "meat": "vegetarian vegan",
        "alcohol": "teetotal teetotaler teetotaller",
        "smoke": "smoker nonsmoker",
    }.items()
    for stem in stems(others)
}
#: What somebody has or does in one place, or with one, at a time, and the signs of change that are about it.
_STATES: Final = {
    stems(state)[0]: re.compile(rf"\b(?:{signs})", _FLAGS)
    for state, signs in {
        "live": "moved? to|moved|moving to",
        "work": "joined|hired|started (?:at|with)|new job",
    }.items()
}
_ONE_AT_A_TIME: Final = frozenset(stems("live work drive number call name cost open"))
_NOW: Final = frozenset({"now", "new"})
#: Share of what both are about that must be common.
_HALF, _MOST = 0.5, 0.75


@dataclass(frozen=True, slots=True)
class Said:
    """A text as it is compared."""

    text: str
    #: What it is about, by stem, without its numbers, and these.
    things: frozenset[str]
    numbers: frozenset[str]
    letters: frozenset[str]
    #: The first of the things, if nobody speaks of themselves.
    subject: str | None
    #: Whether the text denies something, is about its writer, says that something changed, or adds something.
    denies: bool
    is_own: bool
    changes: bool
    adds: bool

    @classmethod
    def of(cls, text: str) -> "Said":
        """Read a text."""
        found = [_SAME.get(stem, stem) for stem in distinctive_stems(text) if stem not in _EMPTY]
        things = [stem for stem in found if not any(sign.isdigit() for sign in stem)]
        is_own = _FIRST_PERSON.search(text) is not None
        may_change = is_own or len(things) < len(found)
        return cls(
            text=text,
            things=frozenset(things),
            numbers=frozenset(found) - frozenset(things),
            letters=frozenset(_LETTER.findall(text)),
            subject=None if is_own or not things else things[0],
            denies=_DENIAL.search(text) is not None,
            is_own=is_own,
            changes=_SIGN.search(text) is not None or (may_change and _WEAK_SIGN.search(text) is not None),
            adds=_ADDS.search(text) is not None,
        )


def contradicts(newer: Said, older: Said, asked: Collection[str]) -> bool:
    """Whether what the newer text says cannot hold together with the older.

    `asked` are the stems of the question: a text that has a number that it names is not replaced by one without it.
    """
    if not _may_be_of_one(newer, older) or not older.numbers & set(asked) <= newer.numbers:
        return False
    if _prefers_otherwise(newer, older) or _has_other_value(newer, older):
        return True
    if newer.denies != older.denies and _overlap(newer.things, older.things) >= _MOST:
        return True
    if not newer.changes:
        return False
    states = {state for state, sign in _STATES.items() if sign.search(newer.text)}
    if newer.is_own and states & older.things:
        return True
    things = newer.things | states
    common = things & older.things
    if not common or len(common) < _HALF * len(older.things) or (things == older.things and not _differ(newer, older)):
        return False
    return len(common) > 1 or newer.denies != older.denies or common <= _ONE_AT_A_TIME or common <= _former(newer)


def differs_in_value(newer: Said, older: Said, asked: Collection[str]) -> bool:
    """Whether both may answer a question in its words, by stem, and differ in few words: the same of another value."""
    is_of_one = newer.things and (older.subject or newer.subject) in newer.things & older.things
    if newer.adds or newer.letters != older.letters or (newer.is_own != older.is_own and not is_of_one):
        return False
    if newer.is_own == older.is_own and not _may_be_of_one(newer, older):
        return False
    words_asked = {_SAME.get(stem, stem) for stem in asked}
    everything = newer.things | newer.numbers, older.things | older.numbers
    common = everything[0] & everything[1]
    if everything[0] == everything[1] or not common & words_asked or not words_asked & everything[1] <= everything[0]:
        return False
    if newer.changes and len(common) >= _HALF * len(everything[1]):
        return True
    if newer.numbers != older.numbers and newer.things != older.things:
        return False  # of another thing: what changed would have one other value
    return len(common) >= max(2, _HALF * max(map(len, everything))) or _have_one_frame(newer.text, older.text)


def _have_one_frame(one: str, other: str) -> bool:
    """Whether half of the words, and more than one, begin or end both texts: "I live in"."""
    said, other_said = ([word for word in words(text) if word not in _NOW] for text in (one, other))
    begin = _num_equal(said, other_said)
    end = _num_equal(said[begin:][::-1], other_said[begin:][::-1])
    return begin + end >= max(2, _HALF * max(len(said), len(other_said)))


def _num_equal(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words are equal from the first on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def share_a_topic(one: Said, other: Said) -> bool:
    """Whether two texts have half of what the shorter is about in common, and more than one thing."""
    common = len(one.things & other.things)
    return common >= max(2, _HALF * min(len(one.things), len(other.things)))


def _may_be_of_one(newer: Said, older: Said) -> bool:
    """Whether the newer may be about what the older is, and does not say that both hold."""
    if newer.adds or newer.is_own != older.is_own or newer.letters != older.letters:
        return False
    if not newer.things | newer.numbers:
        return False
    return older.subject is None or older.subject in newer.things


def _differ(newer: Said, older: Said) -> bool:
    return newer.denies != older.denies or _have_other_amounts(newer, older)


def _overlap(one: Collection[str], other: Collection[str]) -> float:
    """Return the share of common things, 0 if there are none."""
    every = set(one) | set(other)
    return len(set(one) & set(other)) / len(every) if every else 0.0


def _prefers_otherwise(newer: Said, older: Said) -> bool:
    """Whether the newer prefers of two things the other: "spaces over tabs"."""
    pairs = [[frozenset(stems(one)) for one in match.groups()] for match in _PREFERENCE.finditer(older.text)]
    for match in _PREFERENCE.finditer(newer.text):
        now = [frozenset(stems(one)) for one in match.groups()]
        if now[0] != now[1] and now[::-1] in pairs:
            rest = [said.things - now[0] - now[1] for said in (newer, older)]
            return rest[0] == rest[1] or _overlap(*rest) >= _MOST
    return False


def _has_other_value(newer: Said, older: Said) -> bool:
    """Whether both give a value to one thing that has one at a time, and not the same."""
    topics = [_SINGLE.match(said.text) for said in (newer, older)]
    if topics[0] and topics[1]:
        told = [_things(match["topic"]) for match in topics if match]
        values = [words(match["value"]) for match in topics if match]
        if told[0] == told[1]:
            return values[0] != values[1]
    called = [_CALLED.search(said.text) for said in (newer, older)]
    if called[0] and called[1] and called[0][0].casefold() == called[1][0].casefold():
        rests = [words(match.string[match.end() :]) for match in called if match]
        return rests[0] != rests[1]
    is_same = newer.things == older.things and bool(newer.numbers) and bool(older.numbers)
    return is_same and _have_other_amounts(newer, older)


def _have_other_amounts(newer: Said, older: Said) -> bool:
    """Whether both say how much or when, with different values: numbers that say which are about different things."""
    are_amounts = _AMOUNT.search(newer.text) and _AMOUNT.search(older.text)
    return bool(are_amounts) and newer.numbers != older.numbers


def _things(text: str) -> frozenset[str]:
    return frozenset(_SAME.get(stem, stem) for stem in distinctive_stems(text) if stem not in _EMPTY)


def _former(said: Said) -> frozenset[str]:
    """Return what the text says no longer holds."""
    return frozenset(_joined(_things(match["after"]) for match in _FORMER.finditer(said.text)))


def _joined(several: Iterable[frozenset[str]]) -> set[str]:
    return set().union(*several)
