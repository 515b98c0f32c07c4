"""Headings: which lines are headings, and what they say about the lines below them."""

import re
from typing import Final, Literal

#: What a heading says about the lines below it; `open` holds questions and options, which are not events.
Section = Literal["decisions", "actions", "risks", "done", "changes", "feedback", "people", "open"]

_SECTIONS: Final[tuple[tuple[Section, re.Pattern[str]], ...]] = (
    ("open", re.compile(r"question|option|alternative|idea|parking|backlog|brainstorm|draft|template|example|proposal|"
        r"not decided|undecided|unresolved", re.I)),
    ("decisions", re.compile(r"\b(?:decisions?|decided|agreements?|agreed|resolutions?|resolved|decision outcome)\b",
        re.I)),
    ("actions", re.compile(r"\b(?:actions?|action items|next steps?|to-?dos?|follow[- ]?ups?|commitments?|"
        r"tasks|open points|assignments|what we will do|who does what)\b", re.I)),
    ("risks", re.compile(r"\b(?:risks?|concerns?|blockers?|known issues|impediments?|problems?)\b", re.I)),
    ("done", re.compile(r"\b(?:done|completed|accomplish\w*|shipped|delivered|achievements?|what we did)\b", re.I)),
    ("changes", re.compile(r"^(?:changes?|what (?:has )?changed|changelog)\b", re.I)),
    ("feedback", re.compile(r"\bfeedback\b", re.I)),
    ("people", re.compile(r"^(?:attendees|participants|present|people|attendance|invitees|team members|members|"
        r"contacts|apologies|absent)\b", re.I)),
)  # fmt: skip
#: Headings that end what a heading above them says: below "Decision" they hold no further ones.
_REASONS: Final = re.compile(
    r"(?:why|reason|rationale|background|context|consequence|discussion|notes?\b|pros|cons|status|impact|what we|"
    r"considered|drivers|motivation|references?|links)",
    re.I,
)
#: Headings of one or a few words that stand on a line of their own without any mark.
_PLAIN: Final = re.compile(
    r"(?:(?:key|main|top|open|next|new|our|the|today['’]s|other|any|further|list of|summary of|agreed) )?"
    r"(?:actions?(?: items?| points?| list| arising)?|decisions?(?: made| taken)?|risks?|blockers?|issues?|concerns?|"
    r"problems?|next steps?|steps|to-?dos?|tasks|commitments|follow[- ]?ups?|resolutions?|agreements?|questions?|"
    r"points|attendees|participants|present|apologies|absent|agenda|notes|minutes|discussion|summary|status|progress|"
    r"plans?|context|background|consequences|rationale|alternatives|options|options considered|done|completed|"
    r"achievements|highlights|lowlights|feedback|changes|updates?|introduction|overview|goals?|scope|timeline|budget|"
    r"what we did|what went well|what went wrong|what we will do|what happened|root cause|business|any other business|"
    r"aob|motivation|proposal|contacts|team|people)"
    r"(?: (?:and|&|/|or) (?:actions?(?: items)?|decisions?|risks?|blockers?|issues?|concerns?|next steps?|progress|"
    r"questions?|agreements?|apologies|impediments|dependencies|owners))?(?: (?:from|of) (?:the )?(?:last|previous|"
    r"today|this) ?(?:meeting|week|call|sprint)?)?"
    r"|(?:risks?|blockers?|decisions?|actions?|issues?) ?/ ?(?:risks?|blockers?|decisions?|actions?|issues?)"
    r"|(?:[\w'’-]+ ){1,5}(?:actions|decisions|next steps|risks|action items)",
    re.I,
)
#: How many words a heading may have beside its section's own ("Key decisions of today") to speak for what is below it.
_BESIDE: Final = 2
_WORDS: Final = re.compile(r"[^\W\d_]+")


def section_of(heading: str) -> Section | None:
    """Return what a heading says about the lines below it."""
    return next((section for section, pattern in _SECTIONS if pattern.search(heading)), None)


def ends_section(heading: str) -> bool:
    """Whether a heading below another ends what that one says."""
    return _REASONS.match(heading) is not None


def speaks_below(heading: str, level: int) -> bool:
    """Whether a heading names its section and little else: then what is below it, subheadings included, is of it."""
    pattern = next((pattern for _, pattern in _SECTIONS if pattern.search(heading)), None)
    rest = pattern.sub(" ", heading, count=1) if pattern else heading
    return ":" not in heading and len(_WORDS.findall(rest)) <= (_BESIDE if level == 1 else 2 * _BESIDE)


def names_section(head: str, labels: frozenset[str]) -> bool:
    """Whether a plain line is a heading: short, all capitals, ending in a colon, or of the words that headings have."""
    text = head.strip()
    if len(text) > 60 or len(text.split()) > 6:
        return False
    if text.endswith(":"):
        return text[:-1].strip("*_ ") not in labels and "," not in text and not text[:1].islower()
    if text.isupper() and len(text) > 3 and not text.endswith((".", "!", "?")):
        return True
    return text[:1].isupper() and _PLAIN.fullmatch(text) is not None
