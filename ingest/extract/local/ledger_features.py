"""Whether a sentence belongs in the ledger: its features with its context, and a linear model with fitted weights."""

import hashlib
import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, get_args

import numpy as np

from core.knowledge.findings import CATEGORIES, Category
from core.regex import regex
from core.search import Matrix
from ingest.document.lines import Section
from ingest.document.structure import SPOKEN, Passage
from ingest.english.lexicon import ACTION, GIVEN_NAMES
from ingest.english.name_patterns import APART, CAPITALISED
from ingest.extract.local.acts import EXPLICIT, STRONG, Act
from ingest.extract.local.entities.attendee_lists import listed_people
from ingest.extract.local.sentence_classifier import Judgement, after, before, sigmoid
from ingest.extract.local.speech_acts import is_question

#: A sentence and what rules say that it does.
Said = tuple[Passage, list[Act]]

KINDS: Final = ("prose", "bullet", "task", "done", "row", "cell")
SECTIONS: Final = get_args(Section)
#: Other contexts are like none of these.
_CONTEXTS: Final = (
    "meeting", "email", "document", "chat", "transcript", "note", "decision", "conversation", "project", "task",
    "reference",
)  # fmt: skip
#: Words up to which a sentence is an answer rather than a statement.
_SHORT: Final = 5
_CONTEXT_LENGTHS: Final = (2, _SHORT, 9, 19, 29)
#: The first and the last part of a document.
_EDGE: Final = 0.1


def settings(said: Sequence[Said], texts: Sequence[str], context: str) -> Matrix:
    """Return a row a sentence of one document, in order; `texts` are the words of each. Numbers are mostly 0 or 1.

    Headings, labels of speakers and lines of a head are no sentences.
    """
    if not said:
        return np.zeros((0, WIDTH), np.float32)
    return np.hstack(
        [_passage_features(said, texts, context), _place(said), _talk(said, texts), _act_features(said, context)]
    )


def _passage_features(said: Sequence[Said], texts: Sequence[str], context: str) -> Matrix:
    """What it is, by its document, its section and its length."""
    passages = [passage for passage, _ in said]
    flags = [(passage.later, passage.first, passage.day is not None, bool(passage.heading)) for passage in passages]
    words = np.array([len(text.split()) for text in texts])[:, None]
    return np.hstack([
        one_of([passage.kind for passage in passages], KINDS),
        one_of([passage.section or "" for passage in passages], SECTIONS),
        one_of([context] * len(said), _CONTEXTS),
        np.array(flags, np.float32),
        (words <= np.array(_CONTEXT_LENGTHS)).astype(np.float32),
    ])  # fmt: skip


def _place(said: Sequence[Said]) -> Matrix:
    """Where it stands in its document, and how long that is."""
    size = len(said)
    place = np.arange(size, dtype=np.float32) / max(1, size - 1)
    length = np.full(size, np.log(size) / 4, np.float32)
    spoken = np.full(size, np.mean([passage.speaker is not None for passage, _ in said]), np.float32)
    return np.stack([place, place < _EDGE, place > 1 - _EDGE, length, spoken], axis=1).astype(np.float32)


def _talk(said: Sequence[Said], texts: Sequence[str]) -> Matrix:
    """Who speaks, what was asked before and is asked next, and whether it may answer that."""
    speakers = [passage.speaker for passage, _ in said]
    asks = np.array([is_question(text) for text in texts], np.float32)[:, None]
    short = np.array([len(text.split()) <= _SHORT for text in texts], np.float32)[:, None]
    named = np.array([speaker is not None for speaker in speakers], np.float32)[:, None]
    goes_on = np.array([at > 0 and speakers[at - 1] == each for at, each in enumerate(speakers)], np.float32)[:, None]
    asked = before(asks)
    answers = asked * (1 - goes_on)
    return np.hstack([asks, named, goes_on, asked, after(asks), answers, short * asked, before(answers), short * named])


def _act_features(said: Sequence[Said], context: str) -> Matrix:
    """What rules say that it and its neighbours do."""
    sure = np.zeros((len(said), len(CATEGORIES)), np.float32)
    for row, (_, done) in zip(sure, said, strict=True):
        for act in done:
            at = CATEGORIES.index(act.category)
            row[at] = max(row[at], act.confidence)
    told = (sure > 0).astype(np.float32)
    spoken = np.array([context in SPOKEN or passage.speaker is not None for passage, _ in said], np.float32)[:, None]
    some, several = told.any(axis=1, keepdims=True), told.sum(axis=1, keepdims=True) > 1
    return np.hstack([
        told, sure >= STRONG, sure >= EXPLICIT, told * spoken, before(told), after(told), some, several,
    ]).astype(np.float32)  # fmt: skip


def one_of(values: Sequence[str], known: Sequence[str]) -> Matrix:
    """Return a row a value, with 1 in the column of the known value that it is, if it is one."""
    return np.array([[value == each for each in known] for value in values], np.float32)


#: How many numbers a row has.
WIDTH: Final = len(KINDS) + len(SECTIONS) + len(_CONTEXTS) + 4 + len(_CONTEXT_LENGTHS) + 5 + 9 + 6 * len(CATEGORIES) + 2


#: What the ledger lists.
LISTED: Final[tuple[Category, ...]] = ("Decision", "Commitment")
_COLUMNS: Final = [CATEGORIES.index(category) for category in LISTED]
_TEXT_LENGTHS: Final = (3, 6, 12, 30)
#: Likelihoods are certain beyond this, in log-odds.
_SURE: Final = 6.0
_SETTLED: Final = (
    r"(?:decided|agreed|approved|accepted|rejected|declined|voted|resolved|ratified|deferred|tabled|postponed|adopted)"
)
#: Who is to do something.
_ASSIGNED: Final = regex(
    rf"{APART}(?P<who>@?{CAPITALISED}|@[\w-]+|I|[Hh]e|[Ss]he)(?: {CAPITALISED})?(?: and @?{CAPITALISED})?,? "
    r"(?:(?:will|is going to|are going to|to) (?:also )?(?!be\b|have\b)[a-z]|would be [a-z]+ing)"
)
_PRONOUNS: Final = frozenset({"i", "he", "she"})
#: Forms of words, by what each is called.
CUES: Final = {
    "will": regex(r"\b(?:will|shall|going to|gonna)\b|['’]ll\b", re.I),
    "handle": regex(r"(?<![\w/])@\w"),
    "settled": regex(rf"\b(?:{_SETTLED}|chosen|selected)\b", re.I),
    "settled first": regex(rf"\A\W*(?:{_SETTLED}|consensus is|conclusion|decision|no objections?)\b", re.I),
    "settled by all": regex(
        r"(?:\b(?:it was|we(?: have)?|group|council|committee|board|team|meeting|everyone|all|they|[A-Z]{2,5})|\band) "
        rf"(?:{_SETTLED}|selected|chose)\b"
    ),
    "in consent": regex(r"\b(?:consensus|conclusion|decision|outcome|let['’]s|no objections?)\b", re.I),
    "verdict last": regex(
        r"\b(?:accepted|adopted|agreed|approved|cancell?ed|confirmed|deferred|merged|passed|postponed|ratified|"
        r"rejected|"
        r"tabled|unanimous\w*)\W*\Z",
        re.I,
    ),
    "nobody objects": regex(
        r"\b(?:hearing (?:none|no)|no (?:objections?|concerns?|one objects)|any objections|without objection|"
        r"unanimous\w*|(?:general|all|everyone|everybody|people) agree\w*|all in favou?r|seconded|seconds|sounds good|"
        r"motion (?:passe[sd]|carrie[sd])|consensus (?:is|was|decision|that|to))\b",
        re.I,
    ),
    "from now on": regex(
        r"\b(?:must|no longer|will be (?:cancell?ed|moved|merged|removed|deprecated|postponed|required)|instead|"
        r"required|optional|no meeting)\b",
        re.I,
    ),
    "verb first": regex(rf"\A\W*(?:{ACTION})\b"),
    "will first": regex(r"\A\W*(?:[A-Z]{2,3}: )?(?:will|i can|i could|i['’]ll|can do|i volunteer)\b", re.I),
    "takes it on": regex(
        r"\b(?:volunteer\w*|offer(?:s|ed)? to|agree[ds]? to|promise[ds]?|undert(?:ake|akes|ook) to|take (?:an? |the )?"
        r"action|said (?:that )?(?:he|she|they) (?:would|will)|(?:take|takes|took) the lead)\b",
        re.I,
    ),
    "pronoun first": regex(r"\A\W*(?:it|this|that|these|those|there|they)(?:['’]s)?\b", re.I),
    "capital to verb": regex(r"(?:\A|[:–—-] )\W*[A-Z]\w+ to (?!(?:the|be|an?|this|that|our)\b)[a-z]+"),
    "will be at": regex(r"\b(?:meetings?|calls?|sessions?|release)\b[^.]* will (?:be|take place|start|happen)\b", re.I),
    "tentative": regex(
        r"\b(?:should|could|might|may|would|maybe|perhaps|propos\w+|suggest\w*|need(?:s|ed)?|want(?:s|ed)?|if|think|"
        r"prefer\w*|likely|possibl[ey])\b",
        re.I,
    ),
    "asks": regex(r"\?"),
    "ends in a link": regex(r"(?:\]\([^)]*+\)|#\d++\)?|https?:\S+)\W*\Z"),
    "begins with a link": regex(r"\A\W*(?:\[[^\]]*\]\(|https?:)"),
    "ends with a colon": regex(r":\W*\Z"),
    "past first": regex(r"\A\W*[A-Za-z]+ed\b"),
    "gerund first": regex(r"\A\W*[A-Za-z]+ing\b"),
    "first person": regex(r"\bI\b|\bmy\b"),
    "we": regex(r"\b(?:we|our|us)\b", re.I),
    "plain notice": regex(r"\A\W*(?:please|reminder|note|join|see|link)\b", re.I),
    "said": regex(r"\A\W*@?[\w-]+(?: [\w-]+)?:\s"),
    "passive": regex(r"\b(?:was|were|been|being|be|is|are) \w+ed\b", re.I),
    "number": regex(r"\d"),
}
_LINK: Final = regex(r"\]\([^)]*\)|https?:\S+")
_EARLIER: Final = regex(r"\b(?:last|previous|earlier|past)\b", re.I)
_TALKED: Final = regex(r"\b(?:discussions?|topics?|agenda|updates?|reports?|news|q ?/ ?a)\b", re.I)

NAMES: Final = (
    *(f"says {category}" for category in CATEGORIES),
    *(f"{where} says {category}" for where in ("before", "after", "section") for category in LISTED),
    "section size",
    *(f"rules say {category}{how}" for category in LISTED for how in ("", ", strong", ", explicit")),
    *KINDS,
    *(f"below {section}" for section in SECTIONS),
    "later", "first", "spoken", "indented", "meeting", "decision record", "below what was", "below talk",
    *(f"{size} words" for size in _TEXT_LENGTHS),
    "linked",
    *CUES,
    "somebody will", "somebody will first",
)  # fmt: skip


def features(said: Sequence[Said], texts: Sequence[str], judged: Sequence[Judgement], content: str) -> Matrix:
    """Return a row of `NAMES` for each sentence of one document, in order; `content` is what they stand in."""
    if not said:
        return np.zeros((0, len(NAMES)), np.float32)
    likely = np.array([each.likelihoods for each in judged], np.float32).clip(1e-6, 1 - 1e-6)
    odds = np.log(likely / (1 - likely)).clip(-_SURE, _SURE)
    mine = odds[:, _COLUMNS]
    mean, size = _by_section(said, mine)
    of_record, people = _is_record(content), _people(content)
    return np.hstack([
        odds, before(mine), after(mine), mean, size, _act_confidences(said),
        one_of([passage.kind for passage, _ in said], KINDS),
        one_of([passage.section or "" for passage, _ in said], SECTIONS),
        np.array([
            (
                passage.later, passage.first, passage.speaker is not None, indented, not of_record, of_record,
                _EARLIER.search(passage.heading) is not None, _TALKED.search(passage.heading) is not None,
            )
            for (passage, _), indented in zip(said, _indented(said, content), strict=True)
        ]),
        np.array([_text_features(text) for text in texts]),
        np.array([_assigned(text, people) for text in texts]),
    ]).astype(np.float32)  # fmt: skip


def _by_section(said: Sequence[Said], odds: Matrix) -> tuple[Matrix, Matrix]:
    """Return the mean log-odds of what stands below the same heading, and how much that is."""
    below = defaultdict[str, list[int]](list)
    for at, (passage, _) in enumerate(said):
        below[passage.heading].append(at)
    mean, size = np.zeros_like(odds), np.zeros((len(odds), 1), np.float32)
    for places in below.values():
        mean[places], size[places] = odds[places].mean(axis=0), np.log(len(places))
    return mean, size


def _act_confidences(said: Sequence[Said]) -> Matrix:
    sure = np.array(
        [
            [max((act.confidence for act in done if act.category == category), default=0.0) for category in LISTED]
            for _, done in said
        ]
    )
    return np.stack([sure > 0, sure >= STRONG, sure >= EXPLICIT], axis=2).reshape(len(said), -1).astype(np.float32)


def _text_features(text: str) -> tuple[float, ...]:
    words = len(_LINK.sub(" ", text).split())
    linked = 1 - len(_LINK.sub("", text)) / max(1, len(text))
    return (
        *(float(words <= size) for size in _TEXT_LENGTHS),
        linked,
        *(float(cue.search(text) is not None) for cue in CUES.values()),
    )


def _people(content: str) -> frozenset[str]:
    """Return the words of the names of those who are listed."""
    return frozenset(word.strip("@()") for name in listed_people(content) for word in name.casefold().split())


def _assigned(text: str, people: frozenset[str]) -> tuple[float, float]:
    """Return whether somebody is to do something, and whether the sentence begins with that."""
    for match in _ASSIGNED.finditer(text):
        who = match["who"].casefold()
        if who[0] == "@" or who in people or who in GIVEN_NAMES or who in _PRONOUNS:
            return 1.0, float(not any(map(str.isalnum, text[: match.start()])))
    return 0.0, 0.0


def _indented(said: Sequence[Said], content: str) -> list[bool]:
    """Return whether the line of each passage begins with two blanks or a tab; linear, however long lines are."""
    starts = [0, *(match.end() for match in re.finditer("\n", content))]
    begins = (starts[bisect_right(starts, passage.start) - 1] for passage, _ in said)
    heads = (content[begin : min(begin + 2, passage.start)] for begin, (passage, _) in zip(begins, said, strict=True))
    return [head.isspace() and len(head.expandtabs(4)) > 1 for head in heads]


def _is_record(content: str) -> bool:
    return re.search(r"^#+ Decision\b", content, re.M) is not None


WEIGHTS: Final = Path(__file__).with_name("ledger_weights.json")


@dataclass(frozen=True, slots=True)
class LedgerWeights:
    """A row a feature, a column for each of `LISTED`, and what is added to each."""

    weights: Matrix
    bias: Matrix

    def likelihoods(self, rows: Matrix) -> list[dict[Category, float]]:
        """Return for each row of features how likely its sentence tells each of `LISTED`, from 0 to 1."""
        chosen = sigmoid((rows @ self.weights + self.bias).astype(np.float32))
        return [dict(zip(LISTED, map(float, row), strict=True)) for row in chosen]


def fingerprint() -> str:
    """Return what changes when the features do: weights are of those that they were fitted to."""
    told = [*NAMES, *(cue.pattern for cue in CUES.values())]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]


def save_ledger_weights(ledger: LedgerWeights) -> None:
    """Write weights to where the extractor reads them."""
    rows = zip(NAMES, ledger.weights, strict=True)
    told = {
        "features": fingerprint(),
        "categories": LISTED,
        "bias": _rounded(ledger.bias),
        "weights": {name: _rounded(row) for name, row in rows},
    }
    WEIGHTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


@cache
def load_ledger_weights() -> LedgerWeights:
    """Return the weights that come with the package."""
    told = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    rows = np.array([told["weights"][name] for name in NAMES], np.float32)
    return LedgerWeights(rows, np.array(told["bias"], np.float32))


def _rounded(row: Matrix) -> list[float]:
    return [round(float(one), 4) for one in row]
