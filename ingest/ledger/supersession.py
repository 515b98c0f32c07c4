"""Supersession: whether a later decision clearly takes the place of an earlier one.

Two decisions about different things both stand, and so does one that is only said again: in doubt, none is superseded.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from core.dates import MONTHS
from graph.text.ledger_words import ledger_stems
from ingest.ledger.exchange import exchanges_value
from ingest.ledger.frames import restates
from ingest.ledger.statements import (
    MONTH,
    Statement,
    distinctive,
    is_value,
    numerals,
    overlap,
    record_numbers,
    share_a_kind,
    share_evidence,
)

#: Confidence, by what speaks for it: the same declared topic or an explicit reference, the former choice named, another
#: sign of change, or only that the same sentence has another object.
_DECLARED: Final = 0.95
NAMED: Final = 0.9
_SIGNALLED: Final = 0.8
_SWAPPED: Final = 0.7

#: Below the first confidence a decision may be none: it replaces nothing, and nothing replaces it, but where the former
#: choice is named, below the second not even there.
_CERTAIN: Final = 0.7
_LIKELY: Final = 0.3

_OLD: Final = r"(?P<old>[^.;,()\n]{1,70}?)"
_END: Final = (
    r"(?=[.;,:()\n]|\s(?:we|they|and|but|because|since|so|which|as|until|after|before|with|by|for|in|on|at)\s|$)"
)
_ENDED: Final = (
    r"(?:replaced by|superseded by|dropped|scrapped|withdrawn|abandoned|revoked|reversed|overturned|retired|"
    r"void|no longer (?:used|needed|allowed|offered))"
)
#: The former choice, in words of the later decision.
_FORMER: Final = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:instead of|rather than|in place of|in lieu of|as opposed to) {_OLD}{_END}",
        rf"\b(?:replac(?:e|es|ing)|supersed(?:e|es|ing)|overrid(?:e|es|ing)|retir(?:e|es|ing)) {_OLD}{_END}",
        r"\b(?:revers|overturn|revok)(?:e|es|ed|ing|s) (?P<old>[^.;\n]{2,120})",
        rf"(?:^|[.;:,\n] ?)(?P<old>[^.;,()\n]{{2,70}}?) (?:is|are|was|were|has been|have been|will be) {_ENDED}",
        r"\b(?:away )?from (?P<old>(?:(?!\bfrom\b)[^.;,()\n]){1,70}?) (?:to|onto|until|towards) ",
        rf"\b(?:(?:no longer|stop(?:ped)?)|not (?:us(?:e|ing)|go(?:ing)? with)) {_OLD}{_END}",
        rf"\b(?:drop(?:ped|ping)?|abandon(?:ed|ing)?|scrap(?:ped|ping)?|ditch(?:ed)?|give up|giving up) {_OLD}{_END}",
        rf",? (?:and )?not (?:in|at|on|with|from|by) {_OLD}{_END}",
        rf"\bnot {_OLD} (?:any ?more|any longer)\b",
        r"(?:^|[.;:,\n] ?)(?P<old>[^.;,()\n]{2,60}?) (?:is|are) off(?: the table)?(?=[.;,:\n]|$| for\b)",
    )
)
#: What is done no more.
_DROPS: Final = re.compile(
    r"\b(?:drop(?:s|ped|ping)?|abandon(?:s|ed|ing)?|scrap(?:s|ped|ping)?|giv(?:e|es|ing) up|gave up|"
    r"phas(?:e|ed|ing) out|discontinu(?:e|ed|ing)|end(?:ing|ed)? support (?:for|of)|"
    r"stop(?:ped|ping)?(?: using| supporting)?|no longer (?:use|support|offer|keep|run)) (?P<old>[^.;,()\n]{3,60}?)"
    r"(?=[.;,:()\n]|\s(?:already|because|since|from|as|in|by|at|after|until|and)\s|$)",
    re.I,
)
_REVERSED: Final = re.compile(
    r"\b(?:revers|overturn|revok|rescind|withdr[ae]w|took back)\w*\b[^.;:]{0,30}?\b(?:decisions?|rul(?:e|ing)|"
    r"resolution)\b|\bchanged (?:its|our|their|his|her) minds?\b|\b(?:decision|resolution|rule)\b[^.;:]{0,40}? "
    r"(?:is|was|has been) (?:reversed|overturned|revoked|withdrawn|rescinded)\b",
    re.I,
)
#: Verbs by which "from 3 May to 10 May" tells of two dates, of which the former holds no more.
_MOVED: Final = re.compile(
    r"\b(?:mov|switch|chang|shift|postpon|push|bring|brought|rais|lower|reduc|increas|cut|extend|shorten|drop|resched|"
    r"delay|slip|goes|going|went|up|down)",
    re.I,
)
#: That something is otherwise than was said before, plainly or perhaps.
_CHANGED: Final = re.compile(
    r"\b(?:instead|no longer|any ?more|moved?|moves|moving|postpon\w+|pushed (?:back|to)|(?:brought|bring) forward|"
    r"resched\w+|changed (?:its|our|their|his|her) minds?|chang(?:e|es|ed|ing)|switch\w*|revis\w+|revers\w+|replac\w+|"
    r"supersed\w+|shift(?:s|ed)|after all|reconsider\w*|overturn\w*|overrul\w+|new (?:date|time|place|deadline|plan)|"
    r"tak(?:e|es|ing|en) over|took over|hand(?:s|ed)? over|back to|cancel\w*|drop(?:s|ped)?|scrap\w*|withdraw\w*|"
    r"contrary to|unlike)\b",
    re.I,
)
_PERHAPS_CHANGED: Final = re.compile(
    r"\b(?:now|from now on|as of|with effect from|starting|from \w+ on(?:wards)?|actually|rais(?:e|es|ed)|"
    r"lower(?:s|ed)?|reduc\w+|increas\w+|cut|cuts|trimm\w+|capped|doubl\w+|halv\w+|extend\w*|extension|shorten\w*|delay\w*|"
    r"updat\w+|adjust\w+|correct\w+|only|new|later|earlier)\b",
    re.I,
)
#: That a number is another one than before.
_REVALUED: Final = re.compile(
    r"\b(?:(?:goes?|went|going) (?:up|down)|rais\w+|lower\w*|put (?:off|back)|increas\w+|reduc\w+|"
    r"cut (?:to|from|by))\b",
    re.I,
)
#: That something is as it was.
_KEEPS: Final = re.compile(
    r"\b(?:as (?:planned|agreed|before|(?:it|they) (?:was|were|is|are|stands?))|unchanged|(?:stays?|remains?|stands) "
    r"(?:in place|planned|as))\b",
    re.I,
)
_FIGURE: Final = re.compile(r"\d")
#: Where something changes to, which is not what it is about.
_TARGET: Final = re.compile(
    r"\b(?:mov|switch|chang|postpon|shift|push|hand|rais|lower|cut)\w* [^.;]*?\b(?:to|onto) (?P<new>[^.;,]{1,60})", re.I
)
_ORDINALS: Final = {
    word: str(number)
    for number, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third
        twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth
        thirty-first""".split(),
        1,
    )
}
#: A day of a month that is not named with it: "not on the 12th".
_DAY_ALONE: Final = re.compile(
    rf"\bthe (\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})\b"
    rf"(?![-\w]| of\b| {MONTH}| [a-z])",
    re.I,
)
#: A proper name, as it was chosen.
_NAME: Final = re.compile(r"(?:the )?[A-Z][\w.-]*(?: (?:of |de )?(?:[A-Z]|\d)[\w.-]*)*")
_DATE: Final = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH})|\b(?P<before>{MONTH}) (?P<behind>\d{{1,2}})\b|"
    rf"\b(?P<spelt>{'|'.join(_ORDINALS)}) of (?P<of>{MONTH})",
    re.I,
)
_NUMBERED: Final = re.compile(r"\b([a-z]{3,}) (\d{1,3})\b(?![:.,]\d|\s?[%°])", re.I)
_SUPERSEDES: Final = re.compile(r"\b(?:supersedes?|replaces?|reverses?|overrides?)\b(?! by)([^.\n]{0,80})", re.I)
_SUPERSEDED_BY: Final = re.compile(r"\b(?:superseded|replaced|overridden|obsoleted)\s+by\b([^.\n]{0,80})", re.I)
_ALONE: Final = re.compile(r"\W*(?:no\. ?|number |record )?#?0*(\d{1,4})\b(?!\W*[a-z])", re.I)
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
#: The same where there is a plain sign of change, where there is perhaps one, and where there is none.
_SOME: Final = 0.4
_HALF: Final = 0.5
_SAME: Final = 0.8
#: Words in common that say enough where both are about one and the same thing, beside another value or a weak sign.
_MANY: Final = 3
#: Words of a former choice that name nothing.
_EMPTY: Final = frozenset(
    ledger_stems("decision decide approach plan idea option earlier previous former old current date end rest")
)


def supersedes(later: Statement, earlier: Statement) -> float | None:
    """Return how sure it is that `later` takes the place of `earlier`, which came before it; None if it does not."""
    are_records = later.is_declared and earlier.is_declared and not _is_in_one_text(later, earlier)
    if are_records and _refers(later, earlier) and _speaks_of(later, earlier):
        return _DECLARED
    if _says_the_same(later, earlier) or share_evidence(later, earlier):
        return None
    if are_records and later.topic and later.topic == earlier.topic:
        return _DECLARED
    surest = min(later.event.confidence, earlier.event.confidence)
    if surest < _LIKELY:
        return None
    if _names_former(later, earlier):
        return NAMED
    if later.identifiers and earlier.identifiers and later.identifiers.isdisjoint(earlier.identifiers):
        return None
    if _drops(later, earlier) or _moves_day(later, earlier):
        return NAMED
    if _are_of_other_numbers(later, earlier):
        return None
    if _is_in_one_text(later, earlier):
        return _SIGNALLED if surest >= _CERTAIN and _changes(later, earlier) else None
    return _otherwise(later, earlier, is_certain=surest >= _CERTAIN)


def _otherwise(later: Statement, earlier: Statement, *, is_certain: bool) -> float | None:
    """Return how sure it is that the later says otherwise than the earlier, another text; None if it does not.

    Of what only may be a decision the later must say another value of the same kind, or of the same purpose.
    """
    if _KEEPS.search(later.text):
        return None
    is_changed = _CHANGED.search(later.text) is not None
    is_signed = is_changed or _PERHAPS_CHANGED.search(later.text) is not None
    if _reverses(later, earlier):
        return _SIGNALLED
    if restates(later.text, earlier.text, changed=is_signed):
        return _SIGNALLED if is_signed else _SWAPPED
    is_alike = len(later.words & earlier.words) >= 2 and share_a_kind(later.text, earlier.text)
    if (is_certain or (is_changed and is_alike and later.values != earlier.values)) and _changes(later, earlier):
        return _SIGNALLED
    if is_certain and exchanges_value(later.text, earlier.text):
        return _SWAPPED
    if is_certain and (_differs_in_value(later, earlier) or _is_dated_anew(later, earlier)):
        return _SWAPPED
    return _SWAPPED if (is_certain or is_signed) and _swaps_choice(later, earlier) else None


def _refers(later: Statement, earlier: Statement) -> bool:
    """Whether one of two numbered decision records says that the later takes the place of the earlier."""
    if later.number is None or earlier.number is None or later.number == earlier.number:
        return False
    said = (_numbers(match[1]) for match in _SUPERSEDES.finditer(later.record))
    told = (_numbers(match[1]) for match in _SUPERSEDED_BY.finditer(earlier.record))
    return any(earlier.number in some for some in said) or any(later.number in some for some in told)


def _numbers(text: str) -> list[str]:
    """Return the records that "supersedes" or "superseded by" is said of: "ADR-3", or a number alone."""
    alone = _ALONE.match(text)
    return record_numbers(text) or ([] if alone is None else [alone[1]])


def _speaks_of(later: Statement, earlier: Statement) -> bool:
    """Whether it is a record's own decision, or at least about what the earlier is: a text may hold several."""
    is_whole = later.origin.context == earlier.origin.context == "decision"
    return is_whole or not later.words.isdisjoint(_known_words(earlier))


def _says_the_same(later: Statement, earlier: Statement) -> bool:
    return later.words == earlier.words and later.values == earlier.values and _denies(later) == _denies(earlier)


def _denies(statement: Statement) -> bool:
    return (
        re.search(r"\b(?:not|no|no longer|never|\w+n['’]t|stop|against|reject\w*|without)\b", statement.text, re.I)
        is not None
    )


def _known_words(statement: Statement) -> frozenset[str]:
    """Return what a statement is about, with the name of its decision record if it is what that decides."""
    return statement.words | statement.topic if statement.is_declared else statement.words


def _names_former(later: Statement, earlier: Statement) -> bool:
    """Whether the later names what the earlier chose, or its day, and speaks of the same beside it."""
    told = frozenset(ledger_stems(earlier.text))
    is_one = _is_in_one_text(later, earlier)  # whose record speaks of all that it decides
    common = later.words & earlier.words if is_one else _known_words(later) & _known_words(earlier)
    for pattern in _FORMER:
        for match in pattern.finditer(later.text if is_one else f"{later.text}\n{later.record}"):
            former = frozenset(ledger_stems(match["old"]))
            things = distinctive(former) - _EMPTY
            is_dated = _names_day(match["old"], earlier.time)
            if is_dated and not things and len(common) >= 2:
                return True
            if not things and match[0].startswith("from ") and _MOVED.search(later.text, 0, match.start()) is None:
                continue  # "from 13:00 to 19:00" is how long
            named = things or frozenset(filter(is_value, former))
            if not named or len(named & told) < _MOST * len(named):
                continue
            if is_dated and common:
                return True
            if things <= told and (len(things) >= _MANY or (len(things) >= 2 and things >= earlier.words)):
                return True
            least = 1 if _NAME.fullmatch(match["old"]) and match["old"] in earlier.text else 2
            if len(common - former) >= min(least, max(1, len(earlier.words - former))):
                return True
    return False


def _moves_day(later: Statement, earlier: Statement) -> bool:
    """Whether the later sets another day and names the earlier one: "on 15 May and not on the first"."""
    new, old = (frozenset(_days(one.text)) for one in (later, earlier))
    if not new or not old or not new.isdisjoint(old) or later.words.isdisjoint(earlier.words):
        return False
    named = {_ORDINALS.get(match[1].casefold(), match[1].rstrip("sthndr")) for match in _DAY_ALONE.finditer(later.text)}
    return any(day in named for _, day in old)


def _are_of_other_numbers(later: Statement, earlier: Statement) -> bool:
    """Whether two say something of things of one kind that only their numbers tell apart: "ward 4", "ward 6".

    Where nothing else differs, and the number ends what is said, it is what is said anew: "stored in hall 5".
    """
    told = [
        {stem: match[2] for match in _NUMBERED.finditer(one.text) for stem in ledger_stems(match[1])}
        for one in (later, earlier)
    ]
    both = {stem for stem in told[0].keys() & told[1].keys() if told[0][stem] != told[1][stem] and not is_value(stem)}
    rest = [one.values - {numbers[stem] for stem in both} for one, numbers in zip((later, earlier), told, strict=True)]
    return bool(both) and (rest[0] != rest[1] or not restates(later.text, earlier.text, changed=False))


def _drops(later: Statement, earlier: Statement) -> bool:
    """Whether the later gives up all that the earlier is about: "we are giving up Python 3.9"."""
    for match in _DROPS.finditer(later.text):
        former = frozenset(ledger_stems(match["old"]))
        things = distinctive(former) & earlier.words
        rest = earlier.words - things - _EMPTY
        is_told = len(things) >= 2 or (bool(things) and bool(former & earlier.values))
        if (
            is_told
            and len(rest) <= 1
            and distinctive(former) <= earlier.words
            and former & later.values <= earlier.values
        ):
            return True
    return False


def _reverses(later: Statement, earlier: Statement) -> bool:
    """Whether the later says that a decision is reversed, and speaks of what the earlier decided."""
    shared = len(_known_words(later) & _known_words(earlier))
    return _REVERSED.search(later.text) is not None and shared >= 2 and shared >= _SOME * len(earlier.words)


def _names_day(text: str, moment: datetime) -> bool:
    """Whether a text names the day of a moment, such as "21 January"."""
    month = f"{MONTHS[moment.month - 1][:3]}[a-z]*"
    day = rf"\b0?{moment.day}(?:st|nd|rd|th)?(?: of)? {month}|\b{month} 0?{moment.day}\b|{moment.date().isoformat()}"
    return re.search(day, text, re.I) is not None


def _changes(later: Statement, earlier: Statement) -> bool:
    """Whether the later says that something changed, and the two share most of what they are about."""
    target = _TARGET.search(later.text)
    aim = frozenset() if target is None else frozenset(ledger_stems(target["new"]))
    common = (_known_words(later) - aim) & _known_words(earlier)
    differ = later.values != earlier.values and share_a_kind(later.text, earlier.text)
    shared = len(common) if differ or not _is_but_a_name(common, later, earlier) else min(len(common), 1)
    smaller = max(1, min(len(later.words), len(earlier.words)))
    is_same_thing = _share_a_subject(later, earlier) and not _is_in_one_text(later, earlier)
    if not shared or shared < _SOME * smaller:
        return False
    if differ and is_same_thing and shared >= _MANY and shared >= _HALF * smaller:
        return True
    if _REVALUED.search(later.text) and later.values != earlier.values and shared >= 2:
        undated = [_DATE.sub("", one.text) for one in (later, earlier)]
        are_figures = share_a_kind(later.text, earlier.text) or all(map(_FIGURE.search, undated))
        return are_figures and not _is_in_one_text(later, earlier)
    if _CHANGED.search(later.text):
        return shared >= 2 or (differ and shared >= _MOST * smaller)
    if _PERHAPS_CHANGED.search(later.text) and shared >= _HALF * smaller:
        by_value = differ and (shared >= 2 or smaller == 1) and not _is_in_one_text(later, earlier)
        return by_value or (is_same_thing and shared >= _MANY)
    return False


def _is_but_a_name(common: frozenset[str], later: Statement, earlier: Statement) -> bool:
    """Whether two have nothing in common but the words of one name: the Larch Wing."""
    names = {subject.name for one in (later, earlier) for subject in one.event.subjects if subject.name.istitle()}
    return any(common <= frozenset(ledger_stems(name)) for name in names)


def _share_a_subject(later: Statement, earlier: Statement) -> bool:
    subjects = [{subject.entity_id for subject in one.event.subjects} for one in (later, earlier)]
    return not subjects[0].isdisjoint(subjects[1])


def _is_in_one_text(later: Statement, earlier: Statement) -> bool:
    return later.event.evidence[0].artifact_id == earlier.event.evidence[0].artifact_id


def _differs_in_value(later: Statement, earlier: Statement) -> bool:
    """Whether both say the same of another number or date, word by word."""
    frames = [
        frozenset(stem for stem in ledger_stems(one.text) if not is_value(stem)) - _EMPTY for one in (later, earlier)
    ]
    is_same = len(frames[0] & frames[1]) >= 2 and overlap(*frames) >= _SAME and bool(later.words & earlier.words)
    is_same = is_same and numerals(later) == numerals(earlier)
    return is_same and later.values != earlier.values and share_a_kind(later.text, earlier.text)


def _is_dated_anew(later: Statement, earlier: Statement) -> bool:
    """Whether both give a day to what they say in words half common: "opens on 14 March", "on 21 March"."""
    days = [frozenset(_days(one.text)) for one in (later, earlier)]
    if not all(days) or not days[0].isdisjoint(days[1]) or numerals(later) != numerals(earlier):
        return False
    shared = later.words & earlier.words
    smaller = max(1, min(len(later.words), len(earlier.words)))
    is_moved = _CHANGED.search(later.text) is not None
    return len(shared) >= (1 if is_moved else 2) and len(shared) >= _HALF * smaller


def _days(text: str) -> Iterator[tuple[str, str]]:
    """Yield the days that a text names: the first letters of the month, and the number."""
    for match in _DATE.finditer(text):
        day = match["day"] or match["behind"] or _ORDINALS[match["spelt"].casefold()]
        yield (match["month"] or match["before"] or match["of"])[:3].casefold(), day.lstrip("0")


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
