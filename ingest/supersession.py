"""Supersession: whether a later decision clearly takes the place of an earlier one.

Two decisions about different things both stand, and so does one that is only said again: in doubt, none is superseded.
"""

import re
from typing import Final

from graph.ledger_words import ledger_stems
from ingest.statements import Statement, is_value, overlap, record_numbers, rest_on_the_same, share_a_kind, telling

#: Confidence, by what speaks for it: the same declared topic or an explicit reference, the former choice named, another
#: sign of change, or only that the same sentence has another object.
_DECLARED: Final = 0.95
NAMED: Final = 0.9
_SIGNALLED: Final = 0.8
_SWAPPED: Final = 0.7

_OLD: Final = r"(?P<old>[^.;,()\n]{1,70}?)"
_END: Final = r"(?=[.;,:()\n]|\s(?:and|but|because|since|so|which|as|until|after|before|with|by|for|in|on|at)\s|$)"
#: The former choice, in words of the later decision.
_FORMER: Final = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:instead of|rather than|in place of|in lieu of|as opposed to) {_OLD}{_END}",
        rf"\b(?:replac(?:e|es|ing)|supersed(?:e|es|ing)|overrid(?:e|es|ing)|retir(?:e|es|ing)) {_OLD}{_END}",
        r"\b(?:revers|overturn|revok)(?:e|es|ed|ing|s) (?P<old>[^.;\n]{2,120})",
        rf"\b(?:away )?from {_OLD} (?:to|onto|until|towards) ",
        rf"\b(?:(?:no longer|stop(?:ped)?)|not (?:us(?:e|ing)|go(?:ing)? with)) {_OLD}{_END}",
        rf"\b(?:drop(?:ped|ping)?|abandon(?:ed|ing)?|scrap(?:ped|ping)?|ditch(?:ed|ing)?|give up) {_OLD}{_END}",
    )
)
#: That something is otherwise than before.
_CHANGED: Final = re.compile(
    r"\b(?:instead|no longer|any ?more|moved?|moves|moving|postpon\w+|pushed|brought forward|delay\w*|resched\w+|"
    r"chang(?:e|es|ed|ing)|switch\w*|revis\w+|revers\w+|replac\w+|supersed\w+|extend\w*|shift\w*|rais(?:e|ed|es)|"
    r"lower(?:ed|s)?|reduc\w+|increas\w+|now|actually|after all|reconsider\w*|overturn\w*|new date|updated?)\b",
    re.I,
)
_SUPERSEDES: Final = re.compile(r"\b(?:supersedes?|replaces?|reverses?|overrides?)\b(?! by)([^.\n]{0,80})", re.I)
_SUPERSEDED_BY: Final = re.compile(r"\b(?:superseded|replaced|overridden|obsoleted)\s+by\b([^.\n]{0,80})", re.I)
#: What is chosen, and for what: "use Postgres for the billing database".
_CHOICE: Final = re.compile(
    r"\b(?:use|using|adopt|choose|chose|pick(?:ed)?|select(?:ed)?|go with|goes with|standardi[sz]e on|host on|build on|"
    r"buy|keep|run on|deploy on|deploy to|hire|book)\s+(?P<value>[^.;,]{1,60}?)\s+(?P<join>for|as|to|in)\s+"
    r"(?P<topic>[^.;,]{2,80})",
    re.I,
)
_IS: Final = re.compile(
    r"^(?:the |our )?(?P<topic>[^.;,:]{4,60}?)\s+(?:is|are|will be|becomes?|shall be|is set to|stays?(?: at)?|:)\s+"
    r"(?P<value>[^.;,]{1,60})",
    re.I,
)
#: Share of the words of the former choice, or of the shorter statement, that both must have.
_MOST: Final = 0.6
#: Words of a former choice that name nothing.
_EMPTY: Final = frozenset(
    ledger_stems("decision decide approach plan idea option earlier previous former old current date")
)


def supersedes(later: Statement, earlier: Statement) -> float | None:
    """Return how sure it is that `later` takes the place of `earlier`, which came before it; None if it does not."""
    if _refers(later, earlier):
        return _DECLARED
    if _says_the_same(later, earlier) or rest_on_the_same(later, earlier):
        return None
    if later.topic and later.topic == earlier.topic:
        return _DECLARED
    if _names_former(later, earlier):
        return NAMED
    if later.identifiers and earlier.identifiers and later.identifiers.isdisjoint(earlier.identifiers):
        return None
    if _changes(later, earlier):
        return _SIGNALLED
    if later.event.evidence[0].artifact_id == earlier.event.evidence[0].artifact_id:
        return None
    return _SWAPPED if _differs_in_value(later, earlier) or _swaps_choice(later, earlier) else None


def _refers(later: Statement, earlier: Statement) -> bool:
    """Whether one of two numbered decision records says that the later takes the place of the earlier."""
    if later.number is None or earlier.number is None or later.number == earlier.number:
        return False
    said = (record_numbers(match[1]) for match in _SUPERSEDES.finditer(later.record))
    told = (record_numbers(match[1]) for match in _SUPERSEDED_BY.finditer(earlier.record))
    return any(earlier.number in some for some in said) or any(later.number in some for some in told)


def _says_the_same(later: Statement, earlier: Statement) -> bool:
    return later.words == earlier.words and later.values == earlier.values and _denies(later) == _denies(earlier)


def _denies(statement: Statement) -> bool:
    return re.search(r"\b(?:not|no longer|never|n['’]t|stop)\b", statement.text, re.I) is not None


def _known_words(statement: Statement) -> frozenset[str]:
    """Return what a statement is about, with the name of its decision record."""
    return statement.words | statement.topic


def _names_former(later: Statement, earlier: Statement) -> bool:
    """Whether the later names what the earlier chose, and speaks of the same beside it."""
    told = frozenset(ledger_stems(earlier.text))
    for pattern in _FORMER:
        for match in pattern.finditer(f"{later.text}\n{later.record}"):
            former = frozenset(ledger_stems(match["old"]))
            things = telling(former) - _EMPTY
            named = things or frozenset(filter(is_value, former))
            if not named or len(named & told) < _MOST * len(named):
                continue
            beside = (_known_words(later) & _known_words(earlier)) - former
            if len(beside) >= min(2, max(1, len(earlier.words - former))):
                return True
    return False


def _changes(later: Statement, earlier: Statement) -> bool:
    """Whether the later says that something changed, and the two share most of what they are about."""
    if _CHANGED.search(later.text) is None:
        return False
    shared = _known_words(later) & _known_words(earlier)
    smaller = min(len(later.words), len(earlier.words))
    if not shared or (later.words <= earlier.words and not later.values):
        return False
    if later.values and earlier.values and later.values != earlier.values:
        if not share_a_kind(later.text, earlier.text):
            return False
        return len(shared) >= max(1, round(_MOST * smaller)) and (len(shared) > 1 or smaller == 1)
    return len(shared) >= 2 and len(shared) >= _MOST * smaller


def _differs_in_value(later: Statement, earlier: Statement) -> bool:
    """Whether both say the same of another number or date."""
    shared = later.words & earlier.words
    is_same = len(shared) >= 2 and overlap(later.words, earlier.words) >= 0.8
    return is_same and later.values != earlier.values and share_a_kind(later.text, earlier.text)


def _swaps_choice(later: Statement, earlier: Statement) -> bool:
    """Whether both choose something for one and the same purpose, or say what one and the same thing is."""
    for pattern in (_CHOICE, _IS):
        one, other = pattern.search(later.text), pattern.search(earlier.text)
        if one is None or other is None:
            continue
        topics = [frozenset(ledger_stems(match["topic"])) - _EMPTY for match in (one, other)]
        values = [frozenset(ledger_stems(match["value"])) - _EMPTY for match in (one, other)]
        if topics[0] == topics[1] and len(topics[0]) >= 2 and values[0].isdisjoint(values[1]) and all(values):
            return True
    return False
