"""Headings: which lines are headings, and what they say about the lines below them."""

import re
from typing import Final, Literal

#: What a heading says about the lines below it; `open` holds questions and options, which are not events, below
#: `options` only what was chosen or ruled out is one. Below
#: `troubles`, `progress` and `plans` much is of one kind, but not everything.
Section = Literal[
    "decisions",
    "actions",
    "risks",
    "done",
    "changes",
    "feedback",
    "people",
    "open",
    "options",
    "troubles",
    "progress",
    "plans",
]

_SECTIONS: Final[tuple[tuple[Section, re.Pattern[str]], ...]] = (
    ("options", re.compile(r"\b(?:alternatives?|options)\b(?!.*\?)", re.I)),
    ("open", re.compile(r"question|option|alternative|idea|parking|backlog|brainstorm|draft|template|example|proposal|"
        r"not decided|undecided|unresolved", re.I)),
    ("decisions", re.compile(r"\b(?:decisions?|decided|agreements?|agreed|resolutions?|resolved|decision outcome|"
        r"verdict|disposition|rulings?|outcomes?)\b", re.I)),
    ("actions", re.compile(r"\b(?:actions?|action items|next steps?|to[- ]?dos?|follow[- ]?ups?(?! (?:from|of|on)\b)|"
        r"commitments?|tasks|open points|assignments|what (?:we will|we['’]ll) do|who does what|homework|deliverables|"
        r"remediation|what (?:i|we) need(?: from you)?)\b|"
        r"\A\W*(?:(?:up |what(?:['’]s| is) )?next|today)\W*\Z", re.I)),
    ("risks", re.compile(r"\b(?:risks?|concerns?|blockers?|known (?:issues|bugs|problems)|impediments?|"
        r"problems?|worries|red flags|threats)\b|"
        r"\A\W*blocked\W*\Z", re.I)),
    ("done", re.compile(r"\b(?:done|completed|accomplish\w*|shipped|delivered|achievements?|what we did)\b|"
        r"\A\W*yesterday\W*\Z",
        re.I)),
    ("changes", re.compile(r"^(?:changes?|what (?:has |we )?changed|changelog|what is (?:new|different)|"
        r"what['’]s new)\b", re.I)),
    ("feedback", re.compile(r"\b(?:feedback|(?:customer|client|user)s? (?:voices?|quotes?|reactions?)|testimonials?|"
        r"what (?:users|customers|clients|people|they) (?:said|say|told us|think|thought))\b", re.I)),
    ("people", re.compile(r"^(?:attendees|participants|present|people|attendance|invitees|team members|members|"
        r"contacts|apologies|absent)\b", re.I)),
    ("troubles", re.compile(r"\b(?:issues|lowlights|challenges|pain points|weaknesses|findings|obstacles|difficulties|"
        r"limitations|impact|what (?:went wrong|(?:did not|didn['’]t|could have) (?:go|gone|went)\b.*)|what hurts|"
        r"needs? attention|negative|root cause|what happened|watch list)\b", re.I)),
    ("progress", re.compile(r"\b(?:progress|highlights|wins|what went well|went well|good news|timeline|last week|"
        r"this (?:week|month|sprint|quarter)|in progress|"
        r"ongoing|doing|since last|recap|accomplishments|history|log)\b", re.I)),
    ("plans", re.compile(r"\b(?:outlook|plans?|planned|next (?:week|month|sprint|quarter)|upcoming|what (?:we['’]ll|we "
        r"will|to) try|rollout|roadmap|we owe\b.*|looking ahead|recommendations)\b", re.I)),
)  # fmt: skip
#: Headings that end what a heading above them says: below "Decision" they hold no further ones.
_REASONS: Final = re.compile(
    r"(?:why|reason|rationale|background|context|consequence|discussion|notes?\b|pros|cons|status|impact|what we|"
    r"considered|drivers|motivation|references?|links)",
    re.I,
)
#: Headings of one or a few words on their own line without any mark.
_PLAIN: Final = re.compile(
    r"(?:(?:key|main|top|open|next|new|our|the|today['’]s|other|any|further|list of|summary of|agreed) )?"
    r"(?:actions?(?: items?| points?| list| arising)?|decisions?(?: made| taken)?|risks?|blockers?|issues?|concerns?|"
    r"problems?|next steps?|steps|to-?dos?|tasks|commitments|follow[- ]?ups?|resolutions?|agreements?|questions?|"
    r"points|attendees|participants|present|apologies|absent|agenda|notes|minutes|discussion|summary|status|progress|"
    r"plans?|context|background|consequences|rationale|alternatives|options|options considered|done|completed|"
    r"achievements|highlights|lowlights|feedback|changes|updates?|introduction|overview|goals?|scope|timeline|budget|"
    r"what (?:was|we|has been) decided|what we did|"
    r"what went well|what went wrong|what we will do|what happened|root cause|business|any other business|"
    r"aob|motivation|proposal|contacts|team|people|lowlights|challenges|outcomes?|verdict|disposition|findings|timeline|"
    r"impact|recap|topics|outlook|stakeholders|rules|what is new|what we changed|what changed|what we['’]ll try|"
    r"wins|good news|bad news|learnings|lessons(?: learned)?|next (?:week|month|sprint)|last week|this week|history|"
    r"to do|homework|housekeeping|announcements?|in short|follow through|decision outcome|rollout|results|roadmap)"
    r"(?: (?:and|&|/|or) (?:actions?(?: items)?|decisions?|risks?|blockers?|issues?|concerns?|next steps?|progress|"
    r"questions?|agreements?|apologies|impediments|dependencies|owners))?(?: (?:from|of|in|for) "
    r"(?:the )?(?:last|previous|today|this|next) ?(?:meeting|week|call|sprint|period|month|quarter)?)?"
    r"|(?:risks?|blockers?|decisions?|actions?|issues?) ?/ ?(?:risks?|blockers?|decisions?|actions?|issues?)"
    r"|(?:[\w'’-]+ ){1,5}(?:actions|decisions|next steps|risks|action items|log)",
    re.I,
)
#: How many words a heading may have besides its section's own ("Key decisions of today") to speak for what is below it.
_BESIDE: Final = 2
_NUMBERED: Final = re.compile(r"\A\(?\d{1,2}(?:\.\d{1,2})*[.)]?[ \t]+(?=[A-Z])")
_WORDS: Final = re.compile(r"[^\W\d_]+")


def section_of(heading: str) -> Section | None:
    """Return what a heading says about the lines below it."""
    return next((section for section, pattern in _SECTIONS if pattern.search(heading)), None)


def is_generic(heading: str) -> bool:
    """Whether a heading is one that any document may have: "Decisions", "Any other business"."""
    text = _NUMBERED.sub("", heading.strip(" :*_#"))
    return _PLAIN.fullmatch(text) is not None or (section_of(text) is not None and speaks_below(text, 2))


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
    text = _NUMBERED.sub("", head.strip())
    if len(text) > 60 or len(text.split()) > 6:
        return False
    if text.endswith(":"):
        return text[:-1].strip("*_ ") not in labels and "," not in text and not text[:1].islower()
    if text.isupper() and len(text) > 3 and not text.endswith((".", "!", "?")):
        return True
    return text[:1].isupper() and _PLAIN.fullmatch(text) is not None
