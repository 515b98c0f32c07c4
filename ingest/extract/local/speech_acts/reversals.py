"""Turnabouts: sentences in which a group takes one thing in place of another, which decides though it is a change."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ingest.document.structure import Passage
from ingest.extract.local.speech_acts.acts import LIKELY, Act, may_act

_GROUP: Final = (
    r"(?:[Ww]e(?:['’](?:ll|re))?|(?:[Tt]he|[Oo]ur) (?:board|committee|council|team|group|management|company|assembly|"
    r"panel))"
)
#: What befalls a group, or what it did, is no choice for what comes.
_NO_CHOICE: Final = (
    r"(?:have|has|had|see|get|got|know|receive|can|could|hear|feel|need|believe|think|want|did|was|were|went|took|saw|"
    r"live|be able|work for|\w+ed)\b"
)
#: One thing in place of another, by the word of those who take it.
_TURN: Final = re.compile(
    rf"\b{_GROUP} (?:(?:now|then|also|therefore|will|are|is) ){{0,2}}(?!{_NO_CHOICE})(?:[a-z]\w+ [^.;?]{{0,120}}?\b"
    rf"(?:instead of|rather than|in place of|now, not)\b|no longer (?!{_NO_CHOICE})[a-z])|"
    rf"\b[Ii]nstead of [^,.;?]{{2,80}},? {_GROUP} (?!{_NO_CHOICE})[a-z]|"
    rf"\bnot\b[^.;?]{{2,60}} any ?more,? (?:but |and )?{_GROUP} (?!{_NO_CHOICE})[a-z]"
)
#: What only thinks of it.
_OPEN: Final = re.compile(
    r"\b(?:if|unless|whether|should|could|would|might|may|maybe|perhaps|propos\w+|suggest\w*|recommend\w*|consider\w*|"
    r"wish\w*|hop(?:e|ing)|wonder\w*|idea|option|why|used to|tend to|usually|often|sometimes)\b|\?",
    re.I,
)


def turned(content: str, passage: Passage, done: Sequence[Act]) -> list[Act]:
    """Return the acts of a passage, with a decision in place of a change, or of nothing, where it is a turnabout."""
    others = [act for act in done if act.category != "Change"]
    if others or passage.row is not None or not may_act(passage) or passage.section in ("open", "options"):
        return list(done)
    turn = _TURN.search(content, passage.words, passage.end)
    if turn is None or _OPEN.search(content, passage.words, passage.end):
        return list(done)
    if done:
        return [replace(act, category="Decision") for act in done]
    return [Act("Decision", LIKELY, turn.start(), turn.start(), turn.start())]
