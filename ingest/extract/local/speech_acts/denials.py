"""What a sentence plainly does not say, however likely its judgement finds it."""

import re
from typing import Final

from core.knowledge.findings import Category

#: Who is there: "Directors present: …", "By invitation: …", "Our side: …".
_WHO_IS_THERE: Final = re.compile(
    r"\W*(?:[\w' ]{0,16}\b)?(?:present|attending|in attendance|by invitation|(?:our|their) side|t?here|"
    r"votes cast by)\b[^:.;]{0,12}:",
    re.I,
)
#: A formula around what was decided: "Adopted in the public session of 29 January 2026".
_FORMULA: Final = re.compile(r"\W*(?:adopted|passed|released|signed|done) (?:in|at|by|on) [^.;]*\d{4}\W*", re.I)
_NO_VOTE: Final = re.compile(
    r"\bnot (?:been )?put to (?:a|the) vote\b|\bno vote was\b|\bwithdrawn before\b|\bnot my call\b|\bnot settled\b",
    re.I,
)
#: That somebody did something, and nothing of what is to come.
_DID: Final = re.compile(
    r"\W*(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}(?: of [A-Z][^,]{2,40}|, [^,]{3,40},)? "
    r"(?:issued|handed|put|told|was|were|gave|took|sent|came|went|bent|wrote|brought|fitted|installed|showed|called|"
    r"finished|delivered|checked|fixed|found|met|left|drove|signed|spent|cleaned|bled|bought|paid|moved|replaced)\b"
)
_TO_COME: Final = re.compile(
    r"\b(?:will|shall|should|must|would|going to|to be|needs?|has to|have to|asked|told to|instructed|ordered|required|"
    r"tasked|charged|due|promis\w+|undert\w+|offer\w+|agreed|tomorrow|next|until|was to|were to|"
    r"by (?:the end|end|mon|tue|wed|thu|fri|sat|sun|\d))\b|['’]ll\b",
    re.I,
)
_AWAY: Final = re.compile(r"\b(?:birthday|on (?:\w+ )?leave|(?:back )?from leave|uneasy)\b", re.I)

_STANDS_IN: Final = re.compile(r"\b(?:stand\w* in|fill\w* in|tak\w+ over|cover\w*|deputi[sz]\w+)\b", re.I)


def is_denied(category: Category, text: str) -> bool:
    """Whether a sentence plainly says nothing of this category."""
    if _WHO_IS_THERE.match(text):
        return True
    if category == "Decision":
        return _NO_VOTE.search(text) is not None or _FORMULA.fullmatch(text) is not None
    if category == "Commitment":
        return _DID.match(text) is not None and _TO_COME.search(text) is None
    return category == "Stakeholder" and _AWAY.search(text) is not None and _STANDS_IN.search(text) is None
