"""Speech acts: which sentences decide, promise, warn, report or change something, and which deny or quote it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from core.dates import MONTH_STEM, WEEKDAY_STEM
from core.knowledge.findings import Category
from core.regex import regex
from ingest.document.lines import is_statement
from ingest.document.structure import Passage
from ingest.english.name_patterns import NAME, OTHERS, without_will
from ingest.extract.local.acts import EXPLICIT, LIKELY, STRONG, WEAK, Act
from ingest.extract.local.sentence_classifier import Judgement

#: What rules did not tell is never as sure as an explicit marker.
_SUREST: Final = 0.85
#: What is less likely to belong into the ledger is not told at all.
_LEAST: Final = 0.05
#: A sentence without any of these names no day.
_DAY: Final = regex(
    rf"\d|\b(?:{WEEKDAY_STEM}|{MONTH_STEM}|to(?:day|night|morrow)|day|"
    r"week|month|quarter|year|EO|COB|end|lunch|noon|morning|afternoon|evening|fortnight)",
    re.I,
)
_MARKERS: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    ("Decision", regex(r"(?:final |key |our )?(?:decisions?|decided|agreed|agreement|resolved|resolution|"
        r"approved|outcome|verdict|ruling|consensus|signed off|rejected|(?:chosen|selected|preferred) (?:option|"
        r"solution|approach|variant|supplier|vendor))(?: made| reached| taken| \d+)?", re.I)),
    ("Commitment", regex(r"(?:ai|action(?: items?| points?)?|a[/ ]?i|to-?do|next steps?|commitment|task|"
        r"follow[- ]?up)(?: \d+)?", re.I)),
    ("QualityRisk", regex(r"(?:key |main |top |open )?(?:risks?|concerns?|blockers?|issue|known issue|bug|"
        r"incident|problem|downside|drawback|worry|blocked)(?: \d+)?", re.I)),
    ("Execution", regex(r"(?:done|completed|shipped|fixed|finished|delivered|released|merged|closed)", re.I)),
    ("Change", regex(r"(?:change|changed|update to plan)", re.I)),
    ("Feedback", regex(r"(?:(?:customer |user |client )?feedback|praise|complaints?)(?: from [a-z ]{2,20})?",
        re.I)),
    ("Stakeholder", regex(r"(?:main |primary |key |our )?(?:contacts?|contact person|point of contact|sponsor)",
        re.I)),
)  # fmt: skip
_MARKER: Final = regex(r"[\W_]{0,6}([A-Za-z][A-Za-z0-9/ -]{1,22}?)[*_\]]{0,3}(?: ?:| [–—-])[*_]{0,2}\s+(?=\S)")
#: "RESOLVED that …", "AGREED to …": minutes shout their verbs.
_SHOUTED: Final = regex(r"[\W_]{0,6}(?:IT WAS )?(?:RESOLVED|AGREED|DECIDED|APPROVED|CARRIED)\b")
#: "Mr Crowe to ask …", behind a marker: somebody's task, even if it was agreed.
_TASKED: Final = regex(r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2} (?:to|will) [a-z]+\b")
_NOTHING: Final = regex(
    r"\W*(?:(?:none|n/?a|nothing|tbd|tba|tbc|pending|open|unknown)(?: (?:yet|so far|today|this (?:week|time)|needed))?"
    r"(?:\s?[,;:(–-].*)?|to be (?:decided|determined|confirmed|made|taken)\b.*|left open\b.*|open|[–—?.]+|"
    r"no (?:decisions?|risks?|blockers?|"
    r"actions?|concerns?)\b.*|not (?:yet )?(?:decided|known|taken|made|reached).*|not yet|(?:nothing|none) (?:was |"
    r"were )?(?:decided|agreed|resolved)\b.*|(?:deferred|postponed|tabled|parked|"
    r"adjourned)\b.*)\W*$",
    re.I | re.S,
)
#: What a word of minutes means, and what stays to be filled in, behind it: "Decision: what the group agreed to do".
_DEFINES: Final = regex(
    r"\W*(?:(?:describe|explain|summari[sz]e) (?:here|briefly|what)\b|when (?:someone|somebody|a person|people|you) |"
    r"an? (?:piece|unit) of work\b|the (?:state|act) of (?:an? |\w+ing\b)|(?:an?|the|"
    r"any) (?:[\w-]+ ){0,2}?(?:outcome|result|choice|conclusion|"
    r"decision|agreement|tasks?|items?|"
    r"actions?|"
    r"things?|pieces? of work|statement|summary|record|person|activity|work|commitment|event|note|description)s?"
    r"(?: or \w+)?(?: of (?:the|a) (?:board|group|team|meeting|members))? (?:of (?:an?|any|the) (?:\w+ )?(?:vote|"
    r"meeting|"
    r"discussion|debate|deliberation|process)\b(?: (?:of|in|by|at) [\w ]{1,30})?[.;]?$|(?:that|which|who) "
    r"(?:has|have|was|were|is|are|will|must|should|can|may|needs?|someone|somebody|people|you|an?|the (?:group|team|"
    r"board|"
    r"meeting))\b(?: (?:be|been|to be))?(?: \w+){0,12}[.;]?$|with (?:an? )?(?:owner|due|deadline)|"
    r"(?:made|taken|agreed|assigned|given) (?:by|on|in|to) (?:an?|the|someone|somebody|people|group)\b|to be (?:done|"
    r"made))|"
    r"(?:what|how|whether) (?:was|is|were|are|has been|will be|to do|the (?:group|team|board|meeting|members)|we|you|"
    r"they|"
    r"people|everyone|someone|somebody)\b[^.;]{0,60}\b(?:decid|agree|resolv|do\b|done|settl|chos)|who (?:does|"
    r"will do|is to do|"
    r"did) what\b|(?:something|anything|things?|whatever|work|tasks?) (?:that |which |to |somebody |someone |you )|"
    r"[\[<{](?!\w+\]\()[^\]>}]{2,80}[\]>}](?!\())",
    re.I,
)
#: What only says which record another one follows.
_REFERS: Final = regex(
    r"\W*(?:(?:this|it) (?:[\w-]+ )?)?(?:supersedes|replaces|reverses|overrides|obsoletes|amends)\b"
    r"(?=.*(?:\b(?:decision|record|ADR|RFC|DR|minutes)\b|\d))[^:;]{0,120}",
    re.I | re.S,
)
#: How a remark on a task begins.
_STATES: Final = regex(r"\W*(?:it|this|that|there)(?:['’]s| is| was| has| had)(?: not|n['’]t)?\b", re.I)
#: How a point of the talk about a decision begins.
_TALK: Final = regex(
    r"\W*(?:needs? for|concerns?|questions?|discuss\w+|noted|mentioned|talk\w*|asked|comments?)\b", re.I
)
_CHECKED: Final = regex(r"(?:[-–—(:]\s*(?:done|completed?|finished)\W*|[✓✔✅]\W*)\Z", re.I)
#: What a decision is mostly told with; no part of an address or a file's name.
_DECIDES: Final = regex(
    r"(?<![\w/-])(?:decided(?! by)|agreed (?:to|that|on)|approved|adopted|rejected|chose|chosen|selected|settled on|"
    r"opted|resolved (?:to|that)|ruled out|voted|signed off|go(?:ing)? with|stick with)(?![\w/-])",
    re.I,
)
#: Somebody did what is no decision: "Ana has reserved the hall".
_DID: Final = regex(
    rf"\W*(?:I|[Hh]e|[Ss]he|{NAME}{OTHERS})(?:['’]ve| has| have| had)?(?: just| already| also| finally| now)? "
    r"(?:sent|shared|wrote|written|drafted|prepared|checked|fixed|updated|finished|completed|delivered|booked|reserved|"
    r"contacted|called|rang|rung|phoned|e-?mailed|mailed|(?:spoke|spoken|talked) (?:to|with)|created|built|implemented|"
    r"tested|deployed|shipped|submitted|published|documented|collected|ordered|signed(?! off)|uploaded|arranged|filed|"
    r"posted|bought|paid|translated|printed|installed|configured|repaired|replaced|renewed|cleaned|painted|measured|"
    r"registered|handed|returned|picked up|set up|put up|organi[sz]ed|circulated)\b"
)
_AHEAD: Final = regex(r"\b(?:will|shall|going to)\b|['’]ll\b|\?", re.I)
#: What a sentence that tells of a deed is sometimes taken for.
_NOT_BESIDE_A_DEED: Final = frozenset({"Decision", "Feedback", "Execution"})
#: What makes what follows a thought, or denies it.
_DOUBTED: Final = regex(
    r"\b(?:if|unless|whether|assum(?:e|ing)|in case|perhaps|maybe|might|may|could|would|should|want(?:s|ed)?|"
    r"need(?:s|ed)? to|hop(?:e|ed|es|ing)|plan(?:s|ned)? to|tr(?:y|ied) to|consider\w*|propos\w*|suggest\w*|yet to|"
    r"to be|how|why|who|not|never|nobody|no|none|nor|without|cannot)\b|n['’]t\b",
    re.I,
)
_QUESTION: Final = regex(r"\?[\"\'”’)\]*_\s.!]*\Z")
_ASKS: Final = regex(
    r"\W*(?:should|shall|do|does|did|have|has|can|could|would|will|are|is|was|were|who|what|when|where|why|how|which) "
    r"(?:we|i|you|he|she|they|it|the|our|this|that|anyone|someone|to)\b(?=[^.!]*$)",
    re.I,
)
#: Whom a sentence begins with.
_SUBJECT: Final = regex(
    rf"\W*(?:(?:so|and|but|ok|okay|yes|then|right|sure|well|also|now|today|yesterday),? )*(?P<who>I|[Ww]e|[Hh]e|[Ss]he|"
    r"(?:[Tt]he|[Oo]ur) (?:\w+ )?(?:board|committee|council|team|group|management|company|assembly|client|customer)|"
    rf"{NAME}{OTHERS})\b",
)
_MINE: Final = regex(r"\b(?:I|me|mine|my)\b")
_LETTER: Final = regex(r"[^\W\d_]")
_BY_SECTION: Final[dict[str | None, Category]] = {
    "decisions": "Decision", "actions": "Commitment", "risks": "QualityRisk", "done": "Execution",
    "changes": "Change", "feedback": "Feedback",
}  # fmt: skip
#: What is searched of a sentence, in characters: a sentence is never longer (see `sentences`), a table row may be.
_REACH: Final = 600


def may_act(passage: Passage) -> bool:
    """Whether a passage is worth a second look: a quick test that lets every speech act through."""
    return passage.kind not in ("heading", "cell", "header", "label", "void") and passage.end - passage.words >= 6


def find_acts(content: str, passage: Passage) -> list[Act]:
    """Return what a passage plainly does, by structure or as a decision in words; nothing for questions."""
    if passage.row is not None:
        row, start = passage.row, passage.start
        who = (start, start) if row.who is None else (row.who.start_char, row.who.end_char)
        return [Act(row.category, EXPLICIT, start, *who)]
    start = passage.words
    text = content[start : min(passage.end, start + _REACH)]
    if _says_nothing(text, passage) or _REFERS.fullmatch(text) or is_question(text):
        return []
    marked = _marked(text, passage)
    if marked is not None:
        return [Act(marked, EXPLICIT, start, start, start)]
    return [Act("Decision", STRONG, start, start, start)] if passage.section != "open" and _decides(text) else []


def is_classifiable(content: str, passage: Passage) -> bool:
    """Whether a passage is a sentence that can be judged: by more than a mark, a section left empty or a date."""
    text = content[passage.words : min(passage.end, passage.words + _REACH)]
    if passage.kind in ("heading", "header", "label", "void") or _REFERS.fullmatch(text):
        return False
    if passage.speaker is None and not is_statement(text):
        return False
    return _LETTER.search(text) is not None and not _says_nothing(text, passage)


def weigh_acts(
    content: str, passage: Passage, done: Sequence[Act], judgement: Judgement, listed: Mapping[Category, float]
) -> list[Act]:
    """Return what a sentence does by its judgement, which has seen what rules say; what is marked as such stays.

    Of those in `listed` the likelihood there is the confidence, and tells one where nothing else is said.
    """
    marked = next((act for act in done if act.confidence >= EXPLICIT), None)
    if marked is not None and (marked.category not in listed or _is_certain(content, passage)):
        return [marked]
    text = content[passage.words : passage.end]
    said = {category: _confidence(sure) for category, sure in judgement.categories()}
    if marked is None and said.keys() <= _NOT_BESIDE_A_DEED and _is_deed(text):
        return [_judged(content, passage, "Execution", max(LIKELY, said.get("Execution", 0.0)))]
    may_tell = not said and not is_question(text)
    for category, likely in listed.items():
        told = said.pop(category, None) is not None
        is_marked = marked is not None and category == marked.category
        if likely >= WEAK and is_marked:
            said[category] = EXPLICIT
        elif is_marked or (told and likely >= _LEAST) or (may_tell and likely >= WEAK):
            said[category] = round(min(likely, _SUREST), 2)
    return [
        replace(marked, confidence=sure)
        if marked is not None and category == marked.category
        else _judged(content, passage, category, sure)
        for category, sure in said.items()
    ]


def _is_certain(content: str, passage: Passage) -> bool:
    """Whether a passage is marked by itself, by its box or as the row of a table, not by its section alone."""
    if passage.row is not None or passage.kind in ("task", "done"):
        return True
    text = content[passage.words : passage.end]
    return marker_end(content, passage) > passage.words or _SHOUTED.match(text) is not None


def _is_deed(text: str) -> bool:
    """Whether a sentence tells what somebody did, and nothing that is decided, doubted or to come."""
    text = without_will(text)
    return _DID.match(text) is not None and not any(one.search(text) for one in (_DECIDES, _DOUBTED, _AHEAD))


def _confidence(sure: float) -> float:
    return round(WEAK + (_SUREST - WEAK) * sure, 2)


def _judged(content: str, passage: Passage, category: Category, confidence: float) -> Act:
    """Return an act of whom the sentence begins with."""
    start = passage.words
    match = _SUBJECT.match(content, marker_end(content, passage), passage.end)
    who = match.span("who") if match else (start, start)
    own = match is None and _MINE.search(content, start, passage.end) is not None
    return Act(category, confidence, start, *who, own=own)


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
    if marked and _DEFINES.match(rest):
        return True
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
    if passage.kind == "bullet" and not passage.later and is_statement(text):
        return _listed(text, _BY_SECTION.get(passage.section))
    return "Decision" if passage.section == "decisions" and passage.first and passage.kind == "prose" else None


def _listed(text: str, category: Category | None) -> Category | None:
    """Return what a bullet is by its section, unless its own words say otherwise."""
    if category == "Commitment":
        if _CHECKED.search(text):
            return "Execution"
        return None if _decides(text) or _STATES.match(text) else category
    if category == "Execution" and _decides(text):
        return None
    if category == "Decision" and _TALK.match(text):
        return None
    if category == "Decision" and _TASKED.match(text) and _DAY.search(text):
        return "Commitment"
    return category


def is_question(text: str) -> bool:
    """Whether a sentence asks: by its mark, or by how it begins where nobody wrote one."""
    return _QUESTION.search(text) is not None or _ASKS.match(text) is not None


def _decides(text: str) -> bool:
    """Whether a sentence says that something was decided, without a doubt or a denial before that."""
    match = _DECIDES.search(text)
    return match is not None and _DOUBTED.search(text, 0, match.start()) is None


_DECIDE: Final = (
    r"(?:decid\w*|agree\w*|approv\w*|vot\w+|resolv\w*|settl\w*|conclu\w+|cho(?:ose|se|sen)|select\w*|reach\w*)"
)
_SETTLE: Final = r"(?:decid\w*|agree\w*|resolv\w*|settl\w*|conclu\w+|cho(?:ose|se|sen)|reach\w*)"
#: That nobody decided, or that it is left open.
_UNDECIDED: Final = regex(
    rf"\b(?:nobody|no[ -]one|none of \w+|neither(?: \w+){{1,4}}) (?:has |have |had |ever )*{_DECIDE}\b|"
    r"\b(?:refus\w+|declin\w+|hesitat\w+|unable|fail\w*|unwilling|reluctant|wait\w*|want\w*|wish\w*|hop\w+|need\w*|"
    r"going|about|plan\w*|tr(?:y|ied|ying)|ha(?:s|ve|d)|yet|expected|supposed|free|asked|left(?: \w+){0,3}) to "
    r"(?:decide|choose|vote|conclude|be (?:\w+ )?(?:decided|approved|agreed|voted))\b|"
    rf"\b(?:ha(?:s|ve|d)|did|do|does|was|were|is|are|could|can|would)(?: not|n['’]t|not)(?: yet| even| really|"
    rf" been)* {_SETTLE}\b"
    r"|"
    r"\b(?:no|without(?: an?| any)?) (?:formal |final |clear |firm )?(?:decisions?|consensus|agreement|resolution|"
    r"quorum|vote)\b|"
    r"\b(?:decisions?|vote|discussion|consensus)(?: (?:on|about|for|regarding) [^.;]{1,60}?)? "
    r"(?:(?:is|was|were|are|has been|have been|will be|to be|be|still|remains?) ){0,3}"
    r"(?:deferred|postponed|tabled|pending|outstanding|open|delayed|needed|required|due|taken later|made later)\b|"
    r"\bas (?:(?:was|we|it|had|previously|already|earlier) ){0,3}(?:agreed|decided)\b|"
    r"\b\w+s? (?:we|they) (?:had )?(?:agreed|decided) (?:up)?on (?:did|do|does|is|are|was|were|has|have|will)\b|"
    r"\bbefore (?:any|a|the|making a) (?:\w+ )?decision\b|"
    r"\bany (?:objections?|concerns?)\b(?![^.;]*\b(?:none|no|nope|nobody)\b)(?=[^.;]*\Z)|"
    r"\b(?:undecided|(?:yet|still) to be (?:decided|agreed|determined)|to be decided|tbd)\b|"
    r"\b(?:must|should|needs?|ha(?:s|ve) to|might|may|could|would|can|cannot|needs? to|will have to)(?: also| first|"
    r" still| not)* "
    r"(?:be (?:\w+ )?(?:decided|approved|agreed|accepted|adopted|voted|rejected|ratified)|(?:decide|vote|agree|"
    r"choose)\b|"
    r"(?:get |have )?(?:consensus|approval|a (?:decision|vote)))|"
    r"\bdecide whether\b|"
    r"\A\W*(?:[^:.;]{1,60}(?::| [–—-]) )?(?:decision )?(?:deferred|postponed|tabled|parked|adjourned|left open|"
    r"carried over)(?: (?:to|until|till|for|by|again)\b|\W*\Z|[.,;(])|"
    r"\b(?:postpon|deferr?|delay|put(?:ting|s)? off|adjourn|shelv|suspend)\w* (?:the |a |any |its |our |"
    r"this )?(?:final )?"
    r"(?:decision|vote|question|matter)\b|\b(?:a|the|any) decision(?: (?:on|about|for) [^.;]{1,60}?)? (?:will|is to|"
    r"would) be "
    r"(?:taken|made|reached)\b|\b(?:refus|declin|fail|hesitat)\w* to (?:take|make|reach|come to) (?:a|"
    r"any) (?:decision|vote)\b",
    re.I,
)
#: What is agreed of the meeting itself: "agreed to reconvene in ten minutes".
_TIMEBOX: Final = regex(
    r"\b(?:agree\w*|decid\w*|voted|will|going to) (?:to )?(?:re-?convene|re-?join|resume|adjourn|pause|break|"
    r"take an? (?:\w+ )?(?:break|recess))\b[^.;]{0,30}\b(?:min(?:ute)?s?|hour)\b",
    re.I,
)
#: What is under way, one person's assent, or the verdict of others: "Ana was accepted into the Guild".
_NO_VERDICT: Final = regex(
    r"\b(?:is|are|was|were|keeps?|get(?:ting)?) being (?:\w+ )?"
    r"(?:rejected|accepted|approved|declined|postponed|merged)\b|"
    r"(?:\A|[:;–-])\s*(?:I )?(?:strongly|totally|fully|completely|wholeheartedly|definitely) agreed?\b|"
    r"\A(?![^.;]*\b(?:we|they|board|council|committee|team|group|[A-Z]SC)\b)[^.;]{0,80}?\baccepted "
    r"(?:for|at|into|as a (?:speaker|talk)) (?:the )?(?-i:[A-Z]|(?:19|20)\d\d\b)",
    re.I,
)
#: That somebody decides to leave it: a decision all the same.
_AGAINST: Final = regex(
    r"\b(?:decided|agreed|voted|chose|resolved|opted) (?:not to|against|to (?:defer|postpone|delay|announce|put off|"
    r"wait))\b|\bwill (?:not|no longer)\b|\bwon['’]t\b",
    re.I,
)
#: A condition, an example, something imagined.
_IMAGINED: Final = regex(
    r"\A\W*(?:(?:and|but|so|or|also|well),? )?"
    r"(?:if(?! (?:I|we|you) (?:re(?:member|call)|understood?)\b| memory serves)|"
    r"should (?!be\b)(?:we|they|you|he|she|it|the|anyone|(?-i:[A-Z])\w+)|unless|"
    r"suppose|"
    r"supposing|imagine|assum(?:e|ing)|in case|provided(?: that)?|(?:I|we) (?:\w+ )?(?:wish|doubt)|"
    r"were (?:we|they|it|the)|let['’]s (?:say|pretend|assume|imagine)|say,|"
    r"pretend|what if|had (?:we|they|he|she|it))\b|"
    r"\A\W*(?:for example|for instance|e\.g\.|example|sample|a sample|template)\b[,:]?|"
    r"\b(?:hypothetical\w*|just kidding|(?:only|just) (?:a )?jok\w+|in (?:the|my|a|this) (?:novel|story|film|movie|"
    r"game|dream|"
    r"play|book|episode|chapter|tale|fiction)|once upon a time|(?:such|for example|e\.g\.|like) as [\"“‘']|"
    r"(?:phrases?|sentences?|words?|texts?|messages?|prompts?) (?:like|such as) [\"“‘'])",
    re.I,
)
#: What is denied, hearsay or not quite so, and what waits for a verdict: "almost agreed", "until the board approves".
_NOT_SO: Final = regex(
    rf"\b(?:almost|nearly|virtually|all but|not yet|never) {_DECIDE}|"
    r"\A\W*(?:it is|it['’]s|it was|that is|that['’]s) (?:not (?:true|the case|right)|false|untrue|wrong|"
    r"a (?:lie|rumou?r|myth)) that\b|\brumou?rs?\b[^.;]{0,30}\b(?:has|have|had|say|says|that)\b|"
    r"\b(?:allegedly|supposedly|reportedly)\b|"
    r"\A\W*(?:until|till|once|when|as soon as|before) (?:the |our |an? )?(?:\w+ ){1,3}"
    r"(?:decide|agree|approve|vote|choose|settle)s?\b|"
    r"\b(?:motion|proposal|item|question|matter|issue)(?: (?:to|on|for|about|of) [^.;]{1,60}?)? "
    r"(?:is|was|were|has been) (?:tabled|deferred|postponed|adjourned|carried over)\b",
    re.I,
)
_OPENING: Final = r"\A\W*(?:(?:and|but|so|or|also|well|ok|okay|then|now|yes|no),? )*(?!Don['’]t\b)"
_WHO: Final = rf"(?:I|[Ww]e|[Tt]hey|[Yy]ou|[Hh]e|[Ss]he|{NAME}{OTHERS})"
#: What may happen, is hoped, asked or denied, and what nobody does: no promise.
_NOT_PROMISED: Final = regex(
    rf"{_OPENING}(?:"
    rf"{_WHO}(?: (?:said|says|thinks?|mentioned|wrote)(?: that)? (?:he|she|they|I|we))? (?:might|may)\b|"
    rf"(?:[Mm]aybe|[Pp]erhaps|[Pp]ossibly),? {_WHO}\b|"
    rf"(?:I|[Ww]e)(?: really| still| just)? (?:hope|wish|doubt|fear|wonder|do(?: not|n['’]t) (?:think|believe|expect))"
    rf"(?: that| if| whether)? {_WHO}\b|"
    rf"{_WHO}(?: will| shall| would)? (?:(?:probably|certainly|definitely|likely|also) )?"
    rf"(?:won['’]t|not|never)\b(?! only\b)"
    rf"(?!.*\b(?:but|and|instead)\b.*(?:\b(?:will|shall)|['’]ll)\b)|"
    rf"{_WHO} (?:has |have |had )?(?:refuse[ds]?|decline[ds]?|forg[oe]ts?|forgotten) to\b|"
    rf"{_WHO} (?:has|have|had|did)(?: not|n['’]t)(?: yet)? (?:promise|agree|offer|commit|volunteer)\w*\b|"
    rf"{_WHO} (?:was|were) going to\b.*\b(?:but|until)\b|"
    r"(?:[Nn]obody|[Nn]o[ -]one|[Nn]one of \w+|[Nn]either(?: [\w.'’-]+){1,5}) "
    r"(?:will|shall|is going to|promised|agreed|offered|has|have)\b|"
    rf"(?:[Ww]ill|[Dd]id|[Dd]oes|[Hh]as|[Ii]s|[Ww]as)(?: (?:he|she|they|it|anyone|anybody|somebody|someone)| {NAME})\b"
    r".*\?)",
    re.S,
)
#: What leads a meeting: said and done at once.
_LEADS: Final = regex(
    r"\b(?:I|we)(?:['’]ll| will| am going to| are going to|['’]m going to|['’]re going to|['’]m gonna) "
    r"(?:(?:just|now|also|quickly|then|first|briefly|maybe|actually|probably|go ahead and|try and|try to) )*"
    r"(?:(?:start|stop|begin|pause|end|resume|hit) (?:the |this |our )?(?:recording|meeting|call|session|stream|"
    r"record|transcript\w*|"
    r"sharing|presentation|with|by|off|from)|record\b|say\b|move (?:on|forward|to|ahead|along|over)|jump\b|dive\b|"
    r"kick\b|"
    r"(?:open|close|run|manage) (?:the |up the )?(?:queue|floor|meeting|session|vote|poll)|open (?:it )?up|share my|"
    r"present\b|"
    r"go (?:on|over|through|ahead|back|next|first|to|into|quickly|around|down)|hand (?:it )?(?:over|back)|pass (?:it|"
    r"over|on)|"
    r"turn (?:it|this|over)|(?:un)?mute|wait\b|skip\b|let\b|read\b|wrap\b|get (?:started|going|back to)|talk about|"
    r"mention\b|"
    r"note\b|point out|leave it|stop there|give (?:it|you|everyone|people|folks|everybody) (?:an?|the|some|one|two|"
    r"five)|"
    r"take (?:that|this|it|questions|notes|the notes|a (?:break|look))|call (?:on|it)|ask (?:a|one|the|you|if)|"
    r"summari[sz]e\b|explain\b|show\b|cover\b|discuss\b|be (?:quick|brief|right back|back)|pull up|paste|drop (?:it|"
    r"off|the link)|"
    r"stay\b|defer to|try to be)",
    re.I,
)
#: What whoever fills in a form is asked for, and what stays to be filled in.
_FORM: Final = regex(
    r"\A\W*(?:please )?(?:add|put|insert|enter|list|write|fill in|submit (?:an? )?(?:pr|issue|pull request))\b[^.]*"
    r"\b(?:your (?:\w+ ){0,3}(?:here|below|name|items?|topics?)|here\W*\Z)|\A\W*(?:tbd|todo|n/?a|none|nothing)\W*\Z",
    re.I,
)
#: What only says when something takes place, runs by itself or is needed, or that somebody is away.
_ANNOUNCED: Final = regex(
    r"\A\W*(?:the|an?|my|our|your|his|her|their|this|that) (?:[\w'’-]+ ){1,3}?(?:will|is going to|are going to) "
    r"(?:(?:leave|depart|arrive|close|open|rise|set|expire|land|sail|stop|end)"
    r"(?= (?:at|on|in|by|from|until|around|about|before|after|again|tomorrow|today|tonight|next|this|every)\b|\W*\Z)|"
    r"(?:need|cost|last)\b)|"
    r"\A\W*(?:(?:note|reminder|fyi|info)\W+)?(?:the |our |this )?(?:(?:next|following|upcoming|[\w-]+day['’]?s?) )?"
    r"(?:[\w&/-]+ ){0,3}(?:meetings?|calls?|sessions?|conferences?|workshops?|summit|webinar|event)(?: [^.,]{1,60}?)? "
    r"(?:will|is going to|are going to) (?:be (?:held|at|on|in|the|this|next|\w+day|\d)|take place|start|begin|happen|"
    r"last|run)\b|"
    r"\b(?:will|is going to|are going to|['’]ll) be (?:away|absent|out of (?:the )?office|out "
    r"(?:on|until|next|this|all)|on (?:vacation|holiday|leave|pto)|off (?:on|next|this|until)|"
    r"travell?ing|unavailable|late)\b",
    re.I,
)


#: What goes before what a sentence says: "Since no vote was taken last year, …".
_CLAUSE_BEFORE: Final = regex(
    r"\A\W*(?:since|because|as|although|though|while|whereas|after|given that)\b[^,;]{1,120}, ", re.I
)


def is_not_asserted(text: str, category: Category, *, is_spoken: bool) -> bool:
    """Whether a sentence does not say that something was decided or promised, whatever its words are.

    What leads a meeting is no commitment where it `is_spoken`.
    """
    text = text[:_REACH]
    if category not in ("Decision", "Commitment"):
        return False
    if _IMAGINED.search(text) or _TIMEBOX.search(text):
        return True
    if category == "Commitment":
        if _FORM.search(text) or _ANNOUNCED.search(text) or _NOT_PROMISED.match(text):
            return True
        return is_spoken and _LEADS.search(text) is not None
    text = _CLAUSE_BEFORE.sub("", text)
    if _NO_VERDICT.search(text) or _NOT_SO.search(text):
        return True
    return _UNDECIDED.search(text) is not None and _AGAINST.search(text) is None
