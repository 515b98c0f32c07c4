"""Speech acts: which sentences decide, promise, warn, report or change something, and which only seem to.

Confidence is 0.9 for an explicit marker ("Decision: …", a check box, a bullet below "Action items"), 0.75 for a strong
verb, 0.5 for a weak cue.
"""

import re
from dataclasses import dataclass
from typing import Final

from core.knowledge import Category
from ingest.extract.local.names import ASIDE, CAPITALISED, NAME, OTHERS
from ingest.extract.local.structure import Passage
from ingest.extract.local.verbs import ACTION, NO_ACT

EXPLICIT: Final = 0.9
STRONG: Final = 0.75
WEAK: Final = 0.5


@dataclass(frozen=True, slots=True)
class Act:
    """What a sentence does. `who_start` and `who_end` hold its grammatical subject; equal when it has none.

    A `dated` act is a promise only if a person is its subject and a time limit is named.
    """

    category: Category
    confidence: float
    start: int
    who_start: int
    who_end: int
    dated: bool = False


_NO_NAME: Final = (
    r"(?!(?:That|This|These|Those|It|There|What|Which|Who|You|If|And|But|So|The|Our|My|We|I|They|He|She|Your|Their|His|"
    r"Her|Its|Some|Many|All|Most|When|While|As|Then|Also|Just|Please|Not|No|Yes|A|An)\b)"
)
_WHO: Final = (
    r"(?P<who>(?<![\w@])@\w[\w-]*|\b(?:[Ii]|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|(?:[Tt]he|[Oo]ur|[Mm]y) [\w-]+"
    r"(?: (?!(?:has|have|had|was|were|is|are|stays?|remains?|keeps?) )[\w-]+)?"
    rf"|{_NO_NAME}{NAME}{OTHERS}{ASIDE}"
    r"|[Ee]veryone|[Ee]verybody|[Aa]ll))"
)
_ADVERB: Final = (
    r"(?:\s+(?:all|both|just|also|already|finally|now|then|jointly|unanimously|recently|therefore|formally|today|"
    r"yesterday|successfully|since|have|has|had|even|actually|later|collectively|mutually)|['’]ve)"
)
_WILL: Final = (
    r"(?:['’]ll|\s+(?:will|shall))"
    r"(?: (?:also|then|now|each|both|personally|definitely|gladly))?\s+"
)
_DONE_VERB: Final = (
    r"(?:shipped|completed|finished|deployed|released|launched|delivered|merged|rolled out|fixed|resolved(?! to)|"
    r"published|implemented|migrated|submitted|handed over|upgraded|installed|set up)"
)
_PASSIVE: Final = (
    r"(?<!that )(?<!which )\b(?:was|were|is now|are now|has been|have been|had been|got)"
    r"(?: (?:just|successfully|finally|now|already|formally))?\s+"
)

_ONE: Final = rf"(?P<who>(?<![\w@])@\w[\w-]*|\b(?:I|[Hh]e|[Ss]he|{_NO_NAME}{NAME}{OTHERS}{ASIDE}))"
_ANY_VERB: Final = rf"(?!{NO_ACT})(?:\w+ly )?+(?!{NO_ACT})[a-z]\w+"
_LIMIT: Final = r"(?=[^;]*?\b(?:by|before|until|till|no later than) )"

_DECIDES: Final = "decid,agree,approv,chos,settl,opt,sign,resolv,vot,select,rul,green,went,reject"
_WILLS: Final = "will,shall,ll ,going to"
_DOES: Final = (
    "ship,complet,finish,deploy,releas,launch,deliver,merg,roll,fix,resolv,publish,implement,migrat,submit,hand,upgrad,"
    "install,set up,live,production"
)
_STANDS: Final = "join,took,takes,respons,reports,owner,lead,head,manag,direct,sponsor,contact,promot,appoint,hired"
#: Tried in this order; the first reading of a clause wins. Third stand the letters of which a sentence must have some,
#: which is faster to see than that a pattern has no place in it.
_PATTERNS: Final[tuple[tuple[Category, float, str, re.Pattern[str]], ...]] = (
    ("Decision", STRONG, _DECIDES, re.compile(
        rf"{_WHO}{_ADVERB}{{0,3}}\s+(?:decided|agreed (?:on|that|with \w+ (?:to|that))|approved|chose|chosen|"
        rf"settled on|"
        r"opted (?:for|to)|signed off|resolved to|voted (?:to|for|against)|selected|ruled out|green-?lit|"
        r"went with|rejected)\b")),
    ("Decision", STRONG, "adopt", re.compile(
        r"(?P<who>\b(?:[Ww]e|[Tt]he (?:team|company|board|committee)))(?: have| has|['’]ve)?(?: just)? adopted\b")),
    ("Decision", STRONG, "agreed to", re.compile(r"(?P<who>\b(?:[Ww]e|[Tt]hey|[Ee]veryone|[Tt]he (?:team|group|board|"
        r"committee)))(?: all| both| have| has|['’]ve){0,2}"
        r"\s+agreed to\b")),
    ("Decision", STRONG, _DECIDES, re.compile(rf"{_PASSIVE}(?:decided|agreed|approved|signed off|rejected|chosen|"
        rf"selected)\b", re.I)),
    ("Decision", STRONG, "go,standardi,adopt,stick,choos", re.compile(
        r"(?P<who>\b[Ww]e)(?:['’]ll| will|['’]re going to| are going to| are)(?: now)?\s+"
        r"(?:go(?:ing)? (?:ahead )?with|standardi[sz](?:e|ing) on|adopt(?:ing)?|stick(?:ing)? (?:with|to)|choos(?:e|"
        r"ing))\b")),
    ("Decision", STRONG, "decision", re.compile(
        r"\b(?:the|our|final|my)(?: final)? decision (?:is|was) (?:to|that|made)|\bdecision (?:has been|"
        r"was) (?:made|taken)|"
        r"\bmade (?:the|a) decision to\b", re.I)),
    ("Decision", WEAK, "let,we", re.compile(
        r"\b(?:[Ll]et['’]s (?:go (?:ahead )?with|use|stick with)|(?P<who>[Ww]e)(?:['’]ll|"
        r" will) use)\b")),
    ("Commitment", STRONG, "commit,promis,volunteer,undert,pledg,agree,offer", re.compile(
        rf"{_WHO}{_ADVERB}{{0,2}}\s+(?:commits?|committed|promises?|promised|volunteers?|volunteered|undertook|"
        rf"pledged|agreed|agrees|offered) to (?!be\b)\w+")),
    ("Commitment", STRONG, _WILLS, re.compile(rf"{_WHO}{_WILL}{ACTION}")),
    ("Commitment", STRONG, _WILLS, re.compile(
        rf"{_ONE}(?P<dated>{_WILL}|(?:['’][sm]| is| am| are) going to ){_ANY_VERB}")),
    ("Commitment", STRONG, "has to,have to,needs to,need to,must", re.compile(
        rf"{_ONE}(?P<dated>\s+(?:has to|have to|needs to|need to|must)) (?:also |now )?{_ANY_VERB}{_LIMIT}")),
    ("Commitment", STRONG, ":", re.compile(
        rf"\A[\W_]{{0,4}}(?P<who>{NAME})(?:\*\*)?(?P<dated>:)(?:\*\*)? +{_ANY_VERB}{_LIMIT}")),
    ("QualityRisk", STRONG, "", re.compile(
        r"\b(?:(?:a|the|big|biggest|main|major|high|real|serious|some) risks? (?:of|that|here)|at risk\b|"
        r"blocked (?:by|on|until)|"
        r"blockers?\b|worried (?:about|that)|concern(?:ed)? (?:about|that|is|over)|concerns about|outages?\b|data loss|"
        r"security (?:incident|breach|hole)|vulnerabilit(?:y|ies)|regressions?\b|behind schedule|(?:is|are|keeps?|"
        r"still) failing|"
        r"memory leak|(?:is|are|still) not working|does(?:n['’]t| not) work\b|missed the deadline|over budget|"
        r"(?:is|are|was|were|been) (?:\w+ )?delayed)", re.I)),
    ("Execution", STRONG, _DOES, re.compile(rf"{_WHO}{_ADVERB}{{0,3}}\s+{_DONE_VERB}\s+(?=\w)")),
    ("Execution", STRONG, _DOES, re.compile(rf"{_PASSIVE}{_DONE_VERB}\b|\b(?:is|are) (?:now )?(?:live|"
        rf"in production)\b", re.I)),
    ("Change", STRONG, "postpon,resched,cancel,renam,forward,push,deprec", re.compile(
        r"(?:\b(?:was|were|is|are|been|being|has|have|had|we|they|I)|['’]ve)(?: (?:just|now|also))? (?:postponed|"
        r"rescheduled|cancell?ed|renamed|brought forward|"
        r"pushed back|deprecated)\b", re.I)),
    ("Change", STRONG, "moved,replac,switch,chang,extend,shorten,increas,reduc", re.compile(
        rf"(?:{_WHO}{_ADVERB}{{0,2}}|\b(?:was|were|is|are|been))\s+(?:moved|replaced|switched|changed|extended|"
        rf"shortened|increased|reduced)\b"
        r"(?: [\w'’-]+){0,6}? (?:to|from|by|with|until)\b")),
    ("Stakeholder", STRONG, _STANDS, re.compile(
        rf"(?P<who>\b{NAME})(?: (?:has|have|will be|is now|now))?(?: (?:joined|took over|takes over|"
        rf"is responsible for|reports to|"
        r"is (?:now )?(?:the|our) (?:new )?(?:[\w-]+ ){0,2}(?:owner|lead|head|manager|director|sponsor|contact)\b)|"
        r" (?:was|has been) (?:promoted|appointed|hired))\b")),
    ("Feedback", WEAK, "complain,prais,criti,request,asked,prefer,recommend,reported,liked,loved,feedback", re.compile(
        r"(?P<who>\b(?:(?:[Tt]he |[Oo]ur |[Ss]ome |[Mm]any |[Tt]wo |[Tt]hree )?(?:customers?|clients?|users?|"
        r"testers?|reviewers?|participants?)|"
        rf"{_NO_NAME}{NAME}))(?: (?:has|have|also|really))? (?:complain(?:ed|s)|praised|"
        rf"criticised|criticized|requested|asked for|preferred|"
        r"recommended|reported that|liked|loved)\b|\bfeedback (?:from|was)\b")),
    ("Collaboration", WEAK, "work,partner,collab,pair,team,met", re.compile(
        rf"\b(?:work(?:ed|ing|s) (?:closely |together )?with|partner(?:ed|ing) with|partnership with|"
        rf"collaborat(?:ed|ing|es) with|"
        rf"pair(?:ed|ing) with|team(?:ed|ing) up with|met with) (?=(?:the )?{CAPITALISED})")),
    ("QualityRisk", WEAK, "", re.compile(
        r"\b(?:bugs? (?:in|with)|(?:issue|problem)s? with|crash(?:es|ed|ing)|incident(?![\s-]+(?:report|response|"
        r"manage|review|log|summary|number|process|channel|commander|lead|tracker))|flaky|overdue|downtime|"
        r"timed? out|"
        r"(?:is|are|was|were) broken)\b", re.I)),
)  # fmt: skip
_STEMS: Final = tuple(tuple(filter(None, stems.split(","))) for _, _, stems, _ in _PATTERNS)
#: A sentence without any of these names no day: dated acts are not looked for.
_DAY: Final = re.compile(
    r"\d|\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|to(?:day|night|morrow)|day|"
    r"week|month|quarter|year|EO|COB|end)",
    re.I,
)
#: A sentence without any of these is not looked at twice.
_CUE: Final = re.compile(
    r"\b(?:deci[ds]|agree|approv|cho[os]|settled|opted|sign(?:ed)? off|resolv|voted|select|adopt|ruled|green-?lit|"
    r"went with|"
    r"reject|go(?:ing)? |standardi|stick|let['’]s|will\b|shall\b|commit|promis|volunteer|undert|pledg|offered|risk|"
    r"block|"
    r"worr|concern|outage|data loss|security|vulnerab|regression|behind|failing|memory|not work|deadline|"
    r"over budget|delay|"
    r"ship|complet|finish|deploy|releas|launch|deliver|merg|roll|fix|publish|implement|migrat|submit|hand|upgrad|"
    r"install|set up|live|in production|postpon|resched|cancel|renam|brought|push|deprec|moved|replac|switch|chang|"
    r"extend|"
    r"shorten|increas|reduc|join|took over|takes over|responsible|reports to|owner|lead|head|manager|director|"
    r"sponsor|contact|"
    r"promot|appoint|hired|complain|prais|critic|request|asked for|prefer|recommend|reported|like|love|feedback|"
    r"work|partner|collab|pair|team|met with|bug|issue|problem|crash|incident|flaky|overdue|downtime|time|broken|"
    r"action|todo|to-do|ai:|next step|(?:has|have|needs?) to|must\b)|['’]ll\b|doesn|:\*{0,2} +[a-z]",
    re.I,
)
_MARKERS: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    ("Decision", re.compile(r"(?:final |key )?(?:decisions?|decided|agreed|agreement|resolved|resolution|"
        r"approved)(?: made| reached| \d+)?", re.I)),
    ("Commitment", re.compile(r"(?:ai|action(?: items?| points?)?|a[/ ]?i|to-?do|next steps?|commitment|task|"
        r"follow[- ]?up)(?: \d+)?", re.I)),
    ("QualityRisk", re.compile(r"(?:key |main |top |open )?(?:risks?|concerns?|blockers?|issue|known issue|bug|"
        r"incident)(?: \d+)?", re.I)),
    ("Execution", re.compile(r"(?:done|completed|shipped|fixed|finished)", re.I)),
    ("Change", re.compile(r"(?:change|changed|update to plan)", re.I)),
    ("Feedback", re.compile(r"(?:feedback|customer feedback|user feedback)", re.I)),
)  # fmt: skip
_MARKER: Final = re.compile(r"[\W_]{0,6}([A-Za-z][A-Za-z0-9/ -]{1,22}?)[*_\]]{0,3}(?: ?:| [–—-])[*_]{0,2}\s+(?=\S)")
_NOTHING: Final = re.compile(
    r"\W*(?:none|n/?a|nothing|tbd|tba|tbc|pending|open|unknown|to be (?:decided|determined|confirmed)|"
    r"no (?:decisions?|risks?|blockers?|"
    r"actions?|concerns?)\b.*|not (?:yet )?(?:decided|known).*)\W*$",
    re.I | re.S,
)
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:(?i:if|unless|whether|suppose|supposing|assuming|assume|imagine|in case|perhaps|maybe|possibly|"
    r"wonder(?:ing|ed)?|"
    r"what if|when we|once we|until we|before we|after we|let's say|as long as|in the event|for example|e\.g)|might|"
    r"may|could|"
    r"would|should|shall we|ought|can we|do we|did we|have we|will we|want(?:s|ed)? to|need(?:s|ed)? to|hop(?:e|ed|"
    r"es|ing)|"
    r"plan(?:s|ned|ning)? to|tr(?:y|ied|ying) to|consider(?:s|ed|ing)?|propos(?:e|es|ed|ing)|suggest(?:s|ed|ing)?|"
    r"yet to|supposed to|going to have|to be|must be|how|why|who|want|'d|’d)\b"
)
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|never|no longer|nobody|no one|none|neither|nor|without|cannot|fail(?:ed|s|ing)? to|refus\w+ to|"
    r"declin\w+ to|"
    r"unable to|nothing|no|hardly|barely|rather than|instead of|stop(?:ped)?)|n['’ ]{0,2}t)\b",
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
#: What is searched of a sentence, in characters: a sentence is never longer (see `sentences`), a table row may be.
_REACH: Final = 600


def may_act(content: str, passage: Passage) -> bool:
    """Whether a passage is worth a second look: a quick test that lets every speech act through."""
    if passage.kind in ("heading", "cell", "header", "label") or passage.end - passage.start < 6:
        return False
    if passage.section in ("decisions", "actions", "risks", "done") or passage.kind in ("task", "done"):
        return True
    return _CUE.search(content, passage.start, passage.end) is not None


def acts(content: str, passage: Passage) -> list[Act]:
    """Return what a passage does: nothing for questions, hypotheses and denials; one act a category and clause."""
    text = content[passage.start : min(passage.end, passage.start + _REACH)]
    if _says_nothing(text, passage) or _is_question(text):
        return []
    marked = _marked(text, passage)
    if marked is not None:
        start = passage.start
        return [Act(marked, EXPLICIT, start, start, start)]
    if passage.section == "open":
        return []
    return _read(text, passage.start)


def marker_end(content: str, passage: Passage) -> int:
    """Return where the words behind a marker such as "Decision:" begin; the passage's start if it has none."""
    match = _MARKER.match(content, passage.start, passage.end)
    return match.end() if match and _marker_category(match[1]) else passage.start


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
    if category is not None:
        return category
    if passage.kind in ("task", "done"):
        return "Commitment" if passage.kind == "task" else "Execution"
    if len(text.split()) < 2:
        return None
    if passage.kind == "bullet":
        by_section: dict[str | None, Category] = {
            "decisions": "Decision", "actions": "Commitment", "risks": "QualityRisk", "done": "Execution",
        }  # fmt: skip
        return by_section.get(passage.section)
    return "Decision" if passage.section == "decisions" and passage.first and passage.kind == "prose" else None


def _is_question(text: str) -> bool:
    return _QUESTION.search(text) is not None or _ASKS.match(text) is not None


def _read(text: str, offset: int) -> list[Act]:
    found: list[Act] = []
    taken: list[int] = []
    folded, day = text.casefold(), _DAY.search(text) is not None
    for (category, confidence, _, pattern), stems in zip(_PATTERNS, _STEMS, strict=True):
        if any(act.category == category for act in found) or ("dated" in pattern.groupindex and not day):
            continue
        if stems and not any(stem in folded for stem in stems):
            continue
        for match in pattern.finditer(text):
            clause = _clause_start(text, match)
            if clause in taken or not _asserted(text, match, clause):
                continue
            taken.append(clause)
            who = match.span("who") if "who" in pattern.groupindex and match["who"] else (match.start(), match.start())
            dated = match.groupdict().get("dated") is not None
            weaker = _CONDITION_BEHIND.search(text, match.end()) is not None
            found.append(
                Act(
                    category,
                    WEAK if weaker else confidence,
                    offset + match.start(),
                    offset + who[0],
                    offset + who[1],
                    dated,
                )
            )
            break
    return sorted(found, key=lambda act: act.start)


def _clause_start(text: str, match: re.Match[str]) -> int:
    last = 0
    for boundary in _CLAUSE_START.finditer(text, 0, match.start() + 1):
        last = boundary.end()
    return last


def _asserted(text: str, match: re.Match[str], clause: int) -> bool:
    """Whether the clause states it: no condition or doubt before the verb in the sentence, no denial in the clause."""
    verb = match.start("dated") if match.groupdict().get("dated") else match.end()
    opening = max(text.rfind(". ", 0, clause), text.rfind("; ", 0, clause), text.rfind(" but ", 0, clause), 0)
    if _HYPOTHETICAL.search(text, opening, verb):
        return False
    comma = text.rfind(", ", clause, match.start())
    negation = _NEGATED.search(text, max(clause, comma), match.start() + len(match[0]) - 1)
    return negation is None or _BROKEN.search(match[0]) is not None
