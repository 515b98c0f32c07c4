"""Question forms: what kind of answer a question asks for, read from its form.

A question for all, how many, first, last or newest is answered by every mention in order of time; one for promises,
decisions or what is open by the ledger first; people and things are named where it asks who or what something is.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from graph.text.tokens import distinctive_stems

_WORDS: Final = re.compile(r"[\w+/-]+(?:['’]\w+)?")
_POSSESSIVE: Final = re.compile(r"\w['’]s$|s['’]$")
_PLURAL: Final = re.compile(r"[\w+/-]{2,}(?<![sui])s$|[\w+/-]*(?:people|children|men)$")
#: What ends the thing that is asked for, and words that end in "s" and name no things.
_VERBS: Final = frozenset(
    "do does did is was has have had are were will would can could should might may must to that who".split()
)
_NO_PLURALS: Final = frozenset("always perhaps news series species towards besides sometimes".split())
#: Most words up to the things that are asked for: "what other video games".
_BEFORE_THINGS: Final = 4
_DONE: Final = r"\w+(?:ed|en|ne|ought|ad|et|un|id|ade)\b"
_SEVERAL: Final = re.compile(
    r"\bhow (?:many|often)\b|\bnumber of\b|\b(?:list|all)(?: of)? (?:the|my|our|her|his|their)\b"
    r"|\b(?:everything|all|anything) (?:about|we know)\b"
    r"|\bhow (?:did|has|have)\b.{1,60}\b(?:change|evolve|develop|progress|improve|grow)d?(?:ed)?\b"
    r"|\b(?:in )?(?:what|which) ways\b|^\W*(?:list|all|every)\b"
    r"|\b(?:what|which|where|who)\b(?: [\w+/'’-]+){0,4}? (?:has|have) "
    rf"(?!to\b)(?:[\w'’-]+ ){{0,4}}?{_DONE}"
    r"|\bwhat do(?:es)? [\w'’ ]{2,40} (?:like|enjoy|do)\b(?! (?:for a living|with)\b)",
    re.IGNORECASE,
)
#: Comparisons: what answers is not in order of time.
_COMPARES: Final = re.compile(
    r"\b(?:both|in common|compared?|comparison|versus|vs|differences? between)\b", re.IGNORECASE
)
_ORDER: Final = re.compile(
    r"\b(?:first|last|latest|newest|most recent(?:ly)?|earliest|current(?:ly)?|nowadays|these days|so far|"
    r"over (?:time|the (?:years?|months|weeks))|history of|timeline|changed|original(?:ly)?|"
    r"initial(?:ly)?)\b",
    re.IGNORECASE,
)
#: Times and names in which "first" and "last" ask for nothing.
_PERIOD: Final = re.compile(
    r"\b(?:first|last|past)\s+(?:(?:\d+|few|couple of|two|three|four|five|six|seven|ten|twelve)\s+)?"
    r"(?:names?|hours?|days?|weeks?|weekend|fortnight|months?|quarters?|years?|night|time|\w+day|summer|winter|spring|"
    r"autumn|fall|half|of)\b",
    re.IGNORECASE,
)
_WHO: Final = re.compile(
    r"\b(?:who|whom|whose)\b|^\W*what(?:\s+(?:is|are|was|were)\b|['’]s\b)|\btell me about\b"
    r"|\b(?:which|what) (?:person|people|team|compan(?:y|ies)|organi[sz]ations?|projects?|places?|names?)\b",
    re.IGNORECASE,
)


def asks_for_mentions(query: str) -> bool:
    """Whether every mention of a thing answers: all of them, their number, the first, the last, what changed, or how
    things compare."""
    if _SEVERAL.search(query) is not None or asks_to_compare(query):
        return True
    return _asks_for_things(query) or _asks_for_order(query)


def asks_to_compare(query: str) -> bool:
    """Whether two things are compared, of which the nearest mentions say more than their order in time."""
    return _COMPARES.search(query) is not None


def _asks_for_things(query: str) -> bool:
    """Whether "what" or "which" asks for a plural: "which cities", "what are her dogs' names"."""
    spoken = [word.casefold() for word in _WORDS.findall(query)]
    for at, word in enumerate(spoken):
        if word not in ("what", "which"):
            continue
        start = at + 1 + (spoken[at + 1 : at + 2] in (["are"], ["were"]))
        for thing in spoken[start : start + _BEFORE_THINGS]:
            if thing in _VERBS:
                break
            if thing not in _NO_PLURALS and not _POSSESSIVE.search(thing) and _PLURAL.match(thing):
                return True
    return False


def _asks_for_order(query: str) -> bool:
    return _ORDER.search(_PERIOD.sub(" ", query)) is not None


def asks_who_or_what(query: str) -> bool:
    """Whether people and things belong in the answer: who, what something is, or nothing but a name."""
    return _WHO.search(query) is not None or len(query.split()) <= 2


_DECIDED: Final = re.compile(
    r"\b(?:decisions?|decided?|deciding|agree[ds]?|agreement|approved?|resolved|resolutions?|conclu(?:ded?|sions?)|"
    r"settled on|voted?)\b",
    re.IGNORECASE,
)
_PROMISED: Final = re.compile(
    r"\b(?:promis(?:e[ds]?|ing)|commit(?:ted|ments?)|action (?:items?|points?)|to-?dos?|owe[ds]?|overdue|outstanding|"
    r"pending|follow[ -]?ups?|responsible|in charge|assigned|agreed to|volunteered to|next steps|due)\b"
    r"|\b(?:still|what(?:['’]s| is| are)?|anything|things?|items?|tasks?) (?:left )?open\b"
    r"|\bopen (?:for|items?|points?|issues?|tasks?|promises)\b"
    r"|\bwho (?:will|is going to|is supposed to|has to|should|owns)\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:open|overdue|outstanding|pending|still|left|due|next steps|remaining)\b", re.IGNORECASE
)
#: Words about the ledger itself, which say nothing of the matter.
_OF_LEDGER: Final = frozenset(
    distinctive_stems(
        """
        decision decided decide agree agreed agreement approve approved resolve resolved resolution conclusion concluded
        settled voted vote promise promised promising commit committed commitment action item point todo task owe owed
        overdue outstanding pending follow followup responsible charge assigned volunteered next step open still left
        due owns own will going supposed should remaining current list give things anything make made
        """
    )
)


@dataclass(frozen=True, slots=True)
class LedgerQuestion:
    """A question that the ledger answers: of which category, whether only what is open, and the stems of its matter."""

    category: Literal["Decision", "Commitment"]
    is_open: bool
    about: frozenset[str]


def ledger_question(query: str) -> LedgerQuestion | None:
    """Read a question for decisions, promises, owners or what is open; None for any other."""
    promised = _PROMISED.search(query) is not None
    if not promised and _DECIDED.search(query) is None:
        return None
    about = frozenset(distinctive_stems(query)) - _OF_LEDGER
    return LedgerQuestion("Commitment" if promised else "Decision", promised and bool(_OPEN.search(query)), about)
