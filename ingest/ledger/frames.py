"""Frames: what a statement is about, apart from what it says of that, by the prepositions and verbs between them.

Two statements with one frame and another value say the same thing anew: "night shifts end at 5:00", then "at 4:30".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from graph.text.ledger_words import ledger_stems
from ingest.ledger.statements import MONTH, is_value, share_a_kind

#: Prepositions behind which a choice may stand; `=` is what a thing is said to be, `#` a number that ends what is said
#: before the first of them, `next` is "next to".
_PLACES: Final = frozenset(
    "at in on behind beside near next opposite inside outside under above below between by".split()
)
_VALUES: Final = _PLACES | frozenset("to from with until till via through into onto = #".split())
_JOINTS: Final = _VALUES | frozenset("for as".split())
_ENDS: Final = frozenset("from to until till".split())
#: Verbs of deciding, being, choosing and changing, and what dates or stresses them: no part of what something is about.
_NEUTRAL: Final = frozenset(
    ledger_stems(
        """decide agree agreement approve choose adopt use go goes set make keep have get need want take put do run
        propose accept confirm change replace switch move postpone shift push buy order purchase source receive come
        remain stay become extend raise lower reduce increase fix continue place hold give now today also again still
        already instead rather longer anymore actually next officially finally final currently current please decision
        future everyone everybody due plan schedule"""
    )
)
#: From when on something holds: no part of what holds.
_EFFECT: Final = re.compile(
    rf"\b(?:from|since|as (?:of|from)|starting|beginning|effective|with effect from|until|till|at|for)(?: the)? "
    rf"(?:now on|today(?: on)?|then(?: on)?|tomorrow(?: on)?|this \w+|the (?:end|beginning|start|turn) of (?:the )?\w+|"
    rf"(?:end|beginning|start|turn) of (?:the )?\w+|\d{{4}}-\d\d-\d\d|"
    rf"(?<!at )(?<!for )(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?{MONTH}\b(?: \d{{1,2}}\b)?(?: on(?:wards)?\b)?"
    r"(?:,? \d{4})?|"
    rf"further notice|next \w+)|\b(?:already|again) in {MONTH}\b",
    re.I,
)
#: Who decided, before what was decided.
_DECIDED: Final = re.compile(
    r"^[^.;:]{0,80}?(?<!\bas )\b(?:decided|agreed|resolved|approved|settled|opted|voted|chose|chosen|concluded|"
    r"confirmed|adopted|selected|picked)\b(?=.{10})(?:[^.;:]{0,50}? that\b|"
    r"(?:,? (?:unanimously|today|yesterday|on \w+day))*(?: (?:to|on|for))?\b|:)[:,]?\s*(?:we (?:will|shall) )?",
    re.I,
)
_INTENDED: Final = re.compile(r"\b(?:going|planning|about|have|has|need|needs|want|wants|able|supposed) to\b", re.I)
_CLAUSES: Final = re.compile(
    r"[.;:!?,\n]+\s+|\s[–—-]\s|\s(?:because|so that|which|but|although|while|whereas|after|before)\s|"
    r"\sand (?=no longer|not\b|gives?\b)",
    re.I,
)
_TAKES_OVER: Final = re.compile(r"^(?P<new>.{2,60}?) (?:will )?(?:takes?|took|taking) over(?: as)? (?P<rest>.+)$", re.I)
_OPEN_UNTIL: Final = re.compile(r"\b(?:(?:stays?|is|are|be|remains?|keeps?) )?open (?:until|till)\b", re.I)
_EVERY: Final = re.compile(r"\bevery (?:\w+ )?(?:hour|day|week|month|quarter|year)s?\b", re.I)
_IS: Final = re.compile(r"\b(?:is|are|be|becomes?|costs?|gets?)\b", re.I)
#: What adds to what there is, and what comes again and again.
_ADDS: Final = re.compile(
    r"\btoo(?=[.,;!]|$)|\b(?:also|as well|additional\w*|in addition|besides|another|further|extra|more|one of|some of|"
    r"both|next (?:meeting|session|call|round|committee|board|conference))\b",
    re.I,
)
#: What one person does for all.
_DUTIES: Final = frozenset(
    ledger_stems("host lead chair manage head moderate coordinate captain represent oversee run")
)
_CONTRARY: Final = tuple(
    frozenset(ledger_stems(pair))
    for pair in ("open close", "start stop", "begin end", "allow forbid", "allow ban", "permit forbid")
)
#: Stems in common that are enough without a sign of change, with one, and for frames of which one says a little more.
_ENOUGH: Final = 2
_LITTLE: Final = 1
_MANY: Final = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """The stems of one clause by what joins them: "" is what stands before the first preposition."""

    parts: dict[str, frozenset[str]]

    def beside(self, *keys: str) -> frozenset[str]:
        """Return all stems but those of these parts."""
        return frozenset[str]().union(*(stems for name, stems in self.parts.items() if name not in keys))


def restates(later: str, earlier: str, *, changed: bool) -> bool:
    """Whether `later` says of the same thing another value than `earlier` does; `changed` if it tells of a change.

    Without that both must be about one and the same, word by word; with it one of them may say a little more, and the
    earlier where or when it was besides.
    """
    if _ADDS.search(later) or _ADDS.search(earlier):
        return False
    pairs = product(_frames(later), _frames(earlier))
    return any(_is_anew(one, other, later, earlier, changed=changed) for one, other in pairs)


def _is_anew(one: Frame, other: Frame, later: str, earlier: str, *, changed: bool) -> bool:
    if _swaps_person(one, other) or _is_undone(one, other):
        return True
    untold = other.parts.keys() & _VALUES - one.parts.keys() if changed else set()
    numbers = {key for key in one.parts.keys() & other.parts.keys() & _ENDS if _are_numbers(key, one, other)}
    for key in one.parts.keys() & _VALUES:
        for old in _rivals(key, one, other, changed=changed):
            if (
                _is_said_last(key, old, one, other)
                and _is_same_thing(one.beside(key, *numbers), other.beside(old, *numbers, *untold), changed=changed)
                and _is_another(one.parts[key], other.parts[old], later, earlier)
            ):
                return True
    return _swaps_choice(one, other, changed=changed)


def _are_numbers(key: str, one: Frame, other: Frame) -> bool:
    """Whether two parts hold nothing but numbers: "from 13:00 to 19:00" is one value in two parts."""
    return all(map(is_value, one.parts[key] | other.parts[key]))


def _rivals(key: str, one: Frame, other: Frame, *, changed: bool) -> Iterator[str]:
    """Yield the parts of the other whose place a part may take: behind the same word, or another of place."""
    if key in other.parts:
        yield key
        return
    for old in other.parts.keys() & _VALUES - one.parts.keys():
        if {key, old} <= _PLACES or (changed and key in ("to", "=", "from", "with")):
            yield old


def _is_said_last(key: str, old: str, one: Frame, other: Frame) -> bool:
    """Whether no equal part follows that names something: "parcels to Denmark go by van" tells how, not where to.

    What stands before "is" belongs to the thing that something is said of.
    """
    if any(
        "=" in frame.parts and list(frame.parts).index(at) < list(frame.parts).index("=")
        for frame, at in ((one, key), (other, old))
    ):
        return False
    following = [list(frame.parts)[list(frame.parts).index(at) + 1 :] for frame, at in ((one, key), (other, old))]
    equal = (name for name in following[0] if name in following[1] and one.parts[name] == other.parts[name])
    return all(name in ("for", "as") or all(map(is_value, one.parts[name])) for name in equal)


def _is_same_thing(one: frozenset[str], other: frozenset[str], *, changed: bool) -> bool:
    common = one & other
    if one == other:
        return len(common) >= (_LITTLE if changed else _ENOUGH)
    if not (one < other or other < one):
        return False
    extra = len(one ^ other)
    return len(common) >= _ENOUGH and extra <= len(common) if changed else len(common) >= _MANY and extra <= 1


def _is_another(one: frozenset[str], other: frozenset[str], later: str, earlier: str) -> bool:
    """Whether two values differ and are of one kind: other numbers of the same, or other names."""
    new, old = one - other, other - one
    if not new or not old:
        return False
    numbers = [any(map(is_value, stems)) for stems in (new, old)]
    if any(numbers):
        return all(numbers) and (bool(one & other) or share_a_kind(later, earlier))
    return one.isdisjoint(other)


def _swaps_choice(one: Frame, other: Frame, *, changed: bool) -> bool:
    """Whether both take something for one purpose: "use Postgres for the billing database"."""
    purposes = [frame.parts.get("for", frozenset()) | frame.parts.get("as", frozenset()) for frame in (one, other)]
    heads = [frame.parts.get("", frozenset()) for frame in (one, other)]
    beside = [frame.parts.keys() - {"", "for", "as"} for frame in (one, other)]
    is_same = purposes[0] == purposes[1] and len(purposes[0]) >= (_LITTLE if changed else _ENOUGH)
    is_role = all("as" in frame.parts for frame in (one, other))
    return (changed or is_role) and is_same and not any(beside) and all(heads) and heads[0].isdisjoint(heads[1])


def _swaps_person(one: Frame, other: Frame) -> bool:
    """Whether another does what one person does for all: "Bo hosts the morning show"."""
    heads = [frame.parts.get("", frozenset()) for frame in (one, other)]
    common, rest = heads[0] & heads[1], [frame.beside("") for frame in (one, other)]
    apart = [head - common for head in heads]
    is_duty = not common.isdisjoint(_DUTIES) and len(common) >= _ENOUGH
    return is_duty and rest[0] == rest[1] and all(0 < len(names) <= _ENOUGH for names in apart)


def _is_undone(one: Frame, other: Frame) -> bool:
    """Whether both say the contrary of one thing: "the shop opens on Sundays" and "closes on Sundays"."""
    heads = [frame.parts.get("", frozenset()) for frame in (one, other)]
    common = heads[0] & heads[1]
    contrary = (heads[0] ^ heads[1]) in _CONTRARY and len(heads[0]) == len(heads[1])
    rest = [frame.beside("") for frame in (one, other)]
    return contrary and bool(common) and rest[0] == rest[1] and len(common | rest[0]) >= _ENOUGH


@lru_cache(maxsize=1_000)
def _frames(text: str) -> tuple[Frame, ...]:
    """Return the frame of each clause that says something; kept, since a text is compared with many."""
    plain = _INTENDED.sub("will", _DECIDED.sub("", text, count=1))
    frames = map(_frame, _CLAUSES.split(_EFFECT.sub(" ", plain)))
    return tuple(frame for frame in frames if len(frame.parts) > 1 or len(frame.parts.get("", ())) > 1)


def _frame(clause: str) -> Frame:
    over = _TAKES_OVER.match(clause)
    said = _OPEN_UNTIL.sub("closes at", clause) if over is None else f"{over['rest']} = {over['new']}"
    said = _EVERY.sub(lambda often: f" # 0{often[0].replace(' ', '')} ", said)
    parts: dict[str, list[str]] = {"": []}
    key = ""
    for word in re.findall(r"[^\s=]+|=", _IS.sub(" = ", said)):
        if (joint := word.casefold().strip("()\"'“”’")) in _JOINTS:
            key = joint
            continue
        stems = [_plain(stem) for stem in ledger_stems(word) if stem not in _NEUTRAL]
        parts.setdefault(key, []).extend(stems)
    head = parts[""]
    while len(head) > 1 and is_value(head[-1]):
        parts.setdefault("#", []).append(head.pop())
    return Frame({name: frozenset(stems) for name, stems in parts.items() if stems})


def _plain(stem: str) -> str:
    """Return "suppli" for who supplies, as for the supply."""
    return stem.removesuffix("er") if len(stem) > 6 else stem
