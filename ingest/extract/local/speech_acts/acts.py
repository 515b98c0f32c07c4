"""Speech acts: which sentences decide, promise, warn, report or change something, and which only seem to.

Confidence is 0.9 for an explicit marker ("Decision: …", a check box, a bullet below "Action items"), 0.75 for a strong
verb, 0.6 for a likely one, 0.5 for a weak cue or what a condition follows; where sentences are judged, from 0.5 to 0.85
by how likely the act is, and of what the ledger lists that likelihood itself.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
from core.knowledge.findings import Category
from ingest.document.structure import Passage, states
from ingest.english.name_patterns import NAME, OTHERS
from ingest.english.verbs import ACTION
from ingest.extract.local.classifier.sentence_classifier import Judgement
from ingest.extract.local.speech_acts.denials import is_denied
from ingest.extract.local.speech_acts.patterns import EXPLICIT, LIKELY, STRONG, WEAK, Wording, likely_wordings

__all__ = [
    "EXPLICIT",
    "LIKELY",
    "STRONG",
    "WEAK",
    "Act",
    "acts",
    "is_question",
    "marker_end",
    "may_act",
    "may_say",
    "weighed",
]

#: What rules did not tell is never as sure as an explicit marker.
_SUREST: Final = 0.85
#: What is less likely to belong into the ledger is not told at all.
_LEAST: Final = 0.05


@dataclass(frozen=True, slots=True)
class Act:
    """What a sentence does. `who_start` and `who_end` hold its grammatical subject; equal when it has none.

    A `dated` act is a promise only if a person is its subject and a time limit is named. An `own` act has no subject
    and is its speaker's. A `judged` one was told by no wording: its subject is whom the sentence begins with.
    """

    category: Category
    confidence: float
    start: int
    who_start: int
    who_end: int
    dated: bool = False
    own: bool = False
    judged: bool = False

    @property
    def has_who(self) -> bool:
        """Whether it has a grammatical subject."""
        return self.who_start != self.who_end


#: A sentence without any of these names no day: dated acts are not looked for.
_DAY: Final = re.compile(
    rf"\d|\b(?:{WEEKDAY_STEM}|{MONTH_STEM}|to(?:day|night|morrow)|day|"
    r"week|month|quarter|year|EO|COB|end|lunch|noon|morning|afternoon|evening|fortnight)",
    re.I,
)
_MARKERS: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    ("Decision", re.compile(r"(?:final |key |our )?(?:decisions?|decided|agreed|agreement|resolved|resolution|"
        r"approved|outcome|verdict|ruling|consensus|signed off|rejected|(?:chosen|selected|preferred) (?:option|"
        r"solution|approach|variant|supplier|vendor))(?: made| reached| taken| \d+)?", re.I)),
    ("Commitment", re.compile(r"(?:ai|action(?: items?| points?)?|a[/ ]?i|to-?do|next steps?|commitment|task|"
        r"follow[- ]?up)(?: \d+)?", re.I)),
    ("QualityRisk", re.compile(r"(?:key |main |top |open )?(?:risks?|concerns?|blockers?|issue|known issue|bug|"
        r"incident|problem|downside|drawback|worry|blocked)(?: \d+)?", re.I)),
    ("Execution", re.compile(r"(?:done|completed|shipped|fixed|finished|delivered|released|merged|closed)", re.I)),
    ("Change", re.compile(r"(?:change|changed|update to plan)", re.I)),
    ("Feedback", re.compile(r"(?:(?:customer |user |client )?feedback|praise|complaints?)(?: from [a-z ]{2,20})?",
        re.I)),
    ("Stakeholder", re.compile(r"(?:main |primary |key |our )?(?:contacts?|contact person|point of contact|sponsor)",
        re.I)),
)  # fmt: skip
_MARKER: Final = re.compile(r"[\W_]{0,6}([A-Za-z][A-Za-z0-9/ -]{1,22}?)[*_\]]{0,3}(?: ?:| [–—-])[*_]{0,2}\s+(?=\S)")
#: "RESOLVED that …", "AGREED to …": minutes shout their verbs.
_SHOUTED: Final = re.compile(r"[\W_]{0,6}(?:IT WAS )?(?:RESOLVED|AGREED|DECIDED|APPROVED|CARRIED)\b")
#: "Mr Crowe to ask …", behind a marker: somebody's task, even if it was agreed.
_TASKED: Final = re.compile(r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2} (?:to|will) [a-z]+\b")
_NOTHING: Final = re.compile(
    r"\W*(?:(?:none|n/?a|nothing|tbd|tba|tbc|pending|open|unknown)(?: (?:yet|so far|today|this (?:week|time)|needed))?"
    r"(?:\s?[,;:(–-].*)?|to be (?:decided|determined|confirmed)|"
    r"no (?:decisions?|risks?|blockers?|"
    r"actions?|concerns?)\b.*|not (?:yet )?(?:decided|known|taken).*|(?:deferred|postponed|tabled|parked|"
    r"adjourned)\b.*)\W*$",
    re.I | re.S,
)
#: What only says which record another one follows.
_REFERS: Final = re.compile(
    r"\W*(?:(?:this|it) (?:[\w-]+ )?)?(?:supersedes|replaces|reverses|overrides|obsoletes|amends)\b"
    r"(?=.*(?:\b(?:decision|record|ADR|RFC|DR|minutes)\b|\d))[^:;]{0,120}",
    re.I | re.S,
)
_CHECKED: Final = re.compile(r"(?:[-–—(:]\s*(?:done|completed?|finished)\W*|[✓✔✅]\W*)\Z", re.I)
_CONDITION: Final = (
    r"if|unless|whether|suppose|supposing|assuming|assume|imagine|in case|what if|let's say|as long as|in the event|"
    r"for example|e\.g|wonder(?:ing|ed|s)?|once we|until we|when we"
)
_CONDITIONAL: Final = re.compile(rf"\b(?:{_CONDITION})\b", re.I)
_HYPOTHETICAL: Final = re.compile(
    rf"\b(?:(?i:{_CONDITION}|perhaps|maybe|possibly|before we|after we)|might|"
    r"may|could|"
    r"would|should|shall we|ought|can we|do we|did we|have we|will we|want(?:s|ed)? to|need(?:s|ed)? to|hop(?:e|ed|"
    r"es|ing)|"
    r"plan(?:s|ned|ning)? to|tr(?:y|ied|ying) to|consider(?:s|ing)?|propos(?:e|es|ed|ing)|suggest(?:s|ed|ing)?|"
    r"yet to|supposed to|going to have|to be|must be|how|why|who|want|['’]d)\b"
)
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|never|no longer|nobody|no one|none|neither|nor|without|cannot|fail(?:ed|s|ing)? to|refus\w+ to|"
    r"declin\w+ to|"
    r"unable to|nothing|no|hardly|barely|rather than|instead of|stop(?:ped)?)|"
    r"\b(?:ai|are|ca|could|did|do|does|had|has|have|is|might|must|need|sha|should|was|were|wo|would)n['’ ]{0,2}t)\b",
    re.I,
)
#: A denial that is itself the trouble.
_BROKEN: Final = re.compile(r"n(?:o|['’])t work", re.I)
_CLAUSE_START: Final = re.compile(r"[;:—–]\s|,? (?:but|however|so|and then|and|then),? |[.!?]\s")
_CONDITION_BEHIND: Final = re.compile(r"\b(?:if|unless|provided|assuming|in case|depending on)\b", re.I)
_QUESTION: Final = re.compile(r"\?[\"'”’)\]*_\s.!]*\Z")
_ASKS: Final = re.compile(
    r"\W*(?:should|shall|do|does|did|have|has|can|could|would|will|are|is|was|were|who|what|when|where|why|how|which) "
    r"(?:we|i|you|he|she|they|it|the|our|this|that|anyone|someone|to)\b(?=[^.!]*$)",
    re.I,
)
#: A question that asks somebody to do something: "Dirk, can you review the annex by Friday?"
_REQUEST: Final = re.compile(
    rf"(?:\A[\W_]{{0,4}}|[,.!;:] )(?:(?P<who>(?<![\w@])@\w[\w.-]*|{NAME}),? )?(?:(?:and|also|so|please|then),? ){{0,2}}"
    rf"(?:[Cc]an|[Cc]ould|[Ww]ould|[Ww]ill) you (?:(?:please|pls|also|kindly|maybe|then) ){{0,2}}"
    rf"(?:{ACTION}|have a look|get|make|take|let|bump|do|give|put|tell)\b"
)
#: A request is one by its addressee and politeness, or by its time limit.
_POLITE: Final = re.compile(r"\b(?:please|pls|kindly)\b", re.I)
_LIMITED: Final = re.compile(
    r"\b(?:by|before|until|till|today|tomorrow|tonight|this (?:week|morning|afternoon))\b", re.I
)
#: Whom a sentence begins with.
_SUBJECT: Final = re.compile(
    rf"\W*(?:(?:so|and|but|ok|okay|yes|then|right|sure|well|also|now|today|yesterday),? )*(?P<who>I|[Ww]e|"
    rf"{NAME}{OTHERS})\b",
)
_MINE: Final = re.compile(r"\b(?:I|me|mine|my)\b")
_LETTER: Final = re.compile(r"[^\W\d_]")
_BY_SECTION: Final[dict[str | None, Category]] = {
    "decisions": "Decision", "actions": "Commitment", "risks": "QualityRisk", "done": "Execution",
    "changes": "Change", "feedback": "Feedback",
}  # fmt: skip
#: What is searched of a sentence, in characters: a sentence is never longer (see `sentences`), a table row may be.
_REACH: Final = 600


def may_act(passage: Passage) -> bool:
    """Whether a passage is worth a second look: a quick test that lets every speech act through."""
    return passage.kind not in ("heading", "cell", "header", "label") and passage.end - passage.words >= 6


def acts(content: str, passage: Passage) -> list[Act]:
    """Return what a passage does: nothing for questions, hypotheses and denials; one act a category and clause."""
    if passage.row is not None:
        row, start = passage.row, passage.start
        who = (start, start) if row.who is None else (row.who.start_char, row.who.end_char)
        return [Act(row.category, EXPLICIT, start, *who)]
    start = passage.words
    text = content[start : min(passage.end, start + _REACH)]
    if _says_nothing(text, passage) or _REFERS.fullmatch(text):
        return []
    requested = _requested(text, start)
    if requested or is_question(text):
        return requested
    marked = _marked(text, passage)
    if marked is not None:
        return [Act(marked, EXPLICIT, start, start, start)]
    if passage.section == "open":
        return []
    return [
        replace(act, start=act.start + start, who_start=act.who_start + start, who_end=act.who_end + start)
        for act in _read(text)
        if passage.section != "options" or (act.category == "Decision" and act.confidence >= STRONG)
    ]


def _requested(text: str, start: int) -> list[Act]:
    """Return the act of a question that asks for something to be done by somebody or by a day."""
    match = _REQUEST.search(text)
    if match is None or not (_LIMITED.search(text) or (match["who"] and _POLITE.search(text))):
        return []
    if not _QUESTION.search(text) and _CONDITIONAL.search(text, 0, match.start()):
        return []
    who = match.span("who") if match["who"] else (match.start(), match.start())
    return [Act("Commitment", LIKELY, start + match.start(), start + who[0], start + who[1])]


def may_say(content: str, passage: Passage) -> bool:
    """Whether a passage is a sentence that can be judged: by more than a mark, a section left empty or a date."""
    text = content[passage.words : min(passage.end, passage.words + _REACH)]
    if passage.kind in ("heading", "header", "label") or _REFERS.fullmatch(text):
        return False
    if passage.speaker is None and not states(text):
        return False
    return _LETTER.search(text) is not None and not _says_nothing(text, passage)


def weighed(
    content: str, passage: Passage, done: Sequence[Act], judgement: Judgement, listed: Mapping[Category, float]
) -> list[Act]:
    """Return what a sentence does by its judgement, which has seen what rules say; what is marked as such stays.

    Of those in `listed` the likelihood there is the confidence, and tells one where nothing else is said.
    """
    marked = {act.category for act in done if act.confidence >= EXPLICIT}
    if marked and (marked.isdisjoint(listed) or _is_certain(content, passage)):
        return [act for act in done if act.category in marked]
    text = content[passage.words : passage.end]
    said = {category: _confidence(sure) for category, sure in judgement.said()}
    may_tell = not said and not is_question(text)
    for category, likely in listed.items():
        told = said.pop(category, None) is not None
        if likely >= WEAK and category in marked:
            said[category] = EXPLICIT
        elif category in marked or (told and likely >= _LEAST) or (may_tell and likely >= WEAK):
            said[category] = round(min(likely, _SUREST), 2)
    return [
        _judged(content, passage, done, category, sure, is_final=category in listed)
        for category, sure in said.items()
        if not is_denied(category, text)
    ]


def _is_certain(content: str, passage: Passage) -> bool:
    """Whether a passage is marked by itself, by its box or as the row of a table, not by its section alone."""
    if passage.row is not None or passage.kind in ("task", "done"):
        return True
    text = content[passage.words : passage.end]
    return marker_end(content, passage) > passage.words or _SHOUTED.match(text) is not None


def _confidence(sure: float) -> float:
    return round(WEAK + (_SUREST - WEAK) * sure, 2)


def _judged(
    content: str, passage: Passage, done: Sequence[Act], category: Category, confidence: float, *, is_final: bool
) -> Act:
    """Return the act that rules found, a promise without a limit too, else one of whom the sentence begins with."""
    for act in done:
        if act.category == category:
            told = confidence if is_final else max(act.confidence, confidence)
            return replace(act, confidence=told, dated=False)
    start = passage.words
    match = _SUBJECT.match(content, start, passage.end)
    who = match.span("who") if match else (start, start)
    own = match is None and _MINE.search(content, start, passage.end) is not None
    return Act(category, confidence, start, *who, own=own, judged=True)


def marker_end(content: str, passage: Passage) -> int:
    """Return where the words behind a marker such as "Decision:" begin; where the passage's words do if it has none."""
    match = _MARKER.match(content, passage.words, passage.end)
    return match.end() if match and _marker_category(match[1]) else passage.words


def _marker_category(label: str) -> Category | None:
    return next((category for category, pattern in _MARKERS if pattern.fullmatch(label.strip())), None)


def _says_nothing(text: str, passage: Passage) -> bool:
    """Whether a marker or a section is left empty: "Decisions: none", "Decision: pending"."""
    match = _MARKER.match(text)
    marked = match is not None and _marker_category(match[1]) is not None
    rest = text[match.end() :] if match and marked else text
    return (marked or passage.section is not None) and _NOTHING.match(rest) is not None


def _marked(text: str, passage: Passage) -> Category | None:
    """Return the category that a marker, a check box or the section gives."""
    match = _MARKER.match(text)
    category = _marker_category(match[1]) if match else None
    if match is None and _SHOUTED.match(text) and passage.section != "open":
        category = "Decision"
    if category is not None:
        tasked = category == "Decision" and match is not None and _TASKED.match(text, match.end())
        return "Commitment" if tasked else category
    if passage.kind in ("task", "done"):
        return "Commitment" if passage.kind == "task" else "Execution"
    if len(text.split()) < 2:
        return None
    if passage.kind == "bullet" and not passage.later and states(text):
        return _listed(text, _BY_SECTION.get(passage.section))
    return "Decision" if passage.section == "decisions" and passage.first and passage.kind == "prose" else None


def _listed(text: str, category: Category | None) -> Category | None:
    """Return what a bullet is by its section, unless its own words say otherwise."""
    if category == "Commitment":
        if _CHECKED.search(text):
            return "Execution"
        said = _read(text)
        return None if said and said[0].category == "Decision" and said[0].confidence >= STRONG else category
    if (
        category == "Execution"
        and (said := _read(text))
        and said[0].category in ("Feedback", "QualityRisk", "Decision")
    ):
        return None
    if category == "Decision" and _TASKED.match(text) and _DAY.search(text):
        return "Commitment"
    return category


def is_question(text: str) -> bool:
    """Whether a sentence asks: by its mark, or by how it begins where nobody wrote one."""
    return _QUESTION.search(text) is not None or _ASKS.match(text) is not None


def _read(text: str) -> list[Act]:
    found: list[Act] = []
    taken: list[int] = []
    told: set[Category] = set()
    day = _DAY.search(text) is not None
    for said in likely_wordings(text.casefold()):
        if said.category in told or (said.is_dated and not day):
            continue
        for match in said.pattern.finditer(text):
            clause = _clause_start(text, match)
            if clause in taken or not _asserted(text, match, clause, said):
                continue
            taken.append(clause)
            told.add(said.category)
            found.append(_act(text, match, said))
            break
    return sorted(found, key=lambda act: act.start)


def _act(text: str, match: re.Match[str], said: Wording) -> Act:
    who = match.span("who") if match.groupdict().get("who") else (match.start(), match.start())
    weaker = _CONDITION_BEHIND.search(text, match.end()) is not None
    confidence = min(WEAK, said.confidence) if weaker else said.confidence
    return Act(said.category, confidence, match.start(), *who, dated=said.is_dated, own=said.own)


def _clause_start(text: str, match: re.Match[str]) -> int:
    last = 0
    for boundary in _CLAUSE_START.finditer(text, 0, match.start() + 1):
        last = boundary.end()
    return last


def _asserted(text: str, match: re.Match[str], clause: int, said: Wording) -> bool:
    """Whether the clause states it: no condition or doubt before the verb in the sentence, no denial in the clause."""
    verb = match.start("dated") if said.is_dated else match.end()
    opening = max(text.rfind(". ", 0, clause), text.rfind("; ", 0, clause), text.rfind(" but ", 0, clause), 0)
    if said.undone == "conditions":
        return _CONDITIONAL.search(text, opening, verb) is None
    if said.undone == "all" and _HYPOTHETICAL.search(text, opening, verb):
        return False
    comma = text.rfind(", ", clause, match.start())
    negation = _NEGATED.search(text, max(clause, comma), match.start() + len(match[0]) - 1)
    return negation is None or _BROKEN.search(match[0]) is not None
