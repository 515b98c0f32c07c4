"""What tells whether a sentence belongs into the ledger, as numbers: how it is judged, its setting, its form."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from core.embedding import Matrix
from core.knowledge.findings import CATEGORIES, Category
from ingest.english.lexicon import GIVEN_NAMES
from ingest.english.name_patterns import APART, CAPITALISED
from ingest.english.verbs import ACTION
from ingest.extract.local.classifier.sentence_classifier import Judgement
from ingest.extract.local.classifier.transformer_layer import after, before
from ingest.extract.local.entities.attendee_lists import listed_people
from ingest.extract.local.sentence_context import KINDS, SECTIONS, Said, one_of
from ingest.extract.local.speech_acts.acts import EXPLICIT, STRONG

#: What the ledger lists.
LISTED: Final[tuple[Category, ...]] = ("Decision", "Commitment")
_COLUMNS: Final = [CATEGORIES.index(category) for category in LISTED]
_LENGTHS: Final = (3, 6, 12, 30)
#: Likelihoods are certain beyond this, in log-odds.
_SURE: Final = 6.0
_SETTLED: Final = (
    r"(?:decided|agreed|approved|accepted|rejected|declined|voted|resolved|ratified|deferred|tabled|postponed|adopted)"
)
#: Who is to do something.
_ASSIGNED: Final = re.compile(
    rf"{APART}(?P<who>@?{CAPITALISED}|@[\w-]+|I|[Hh]e|[Ss]he)(?: {CAPITALISED})?(?: and @?{CAPITALISED})?,? "
    r"(?:(?:will|is going to|are going to|to) (?:also )?(?!be\b|have\b)[a-z]|would be [a-z]+ing)"
)
_PRONOUNS: Final = frozenset({"i", "he", "she"})
#: Forms of words, by what each is called.
CUES: Final = {
    "will": re.compile(r"\b(?:will|shall|going to|gonna)\b|['’]ll\b", re.I),
    "handle": re.compile(r"(?<![\w/])@\w"),
    "settled": re.compile(rf"\b(?:{_SETTLED}|chosen|selected)\b", re.I),
    "settled first": re.compile(rf"\A\W*(?:{_SETTLED}|consensus is|conclusion|decision|no objections?)\b", re.I),
    "settled by all": re.compile(
        r"(?:\b(?:it was|we(?: have)?|group|council|committee|board|team|meeting|everyone|all|they|[A-Z]{2,5})|\band) "
        rf"(?:{_SETTLED}|selected|chose)\b"
    ),
    "in consent": re.compile(r"\b(?:consensus|conclusion|decision|outcome|let['’]s|no objections?)\b", re.I),
    "verdict last": re.compile(
        r"\b(?:accepted|adopted|agreed|approved|cancell?ed|confirmed|deferred|merged|passed|postponed|ratified|rejected|"
        r"tabled|unanimous\w*)\W*\Z",
        re.I,
    ),
    "nobody objects": re.compile(
        r"\b(?:hearing (?:none|no)|no (?:objections?|concerns?|one objects)|any objections|without objection|"
        r"unanimous\w*|(?:general|all|everyone|everybody|people) agree\w*|all in favou?r|seconded|seconds|sounds good|"
        r"motion (?:passe[sd]|carrie[sd])|consensus (?:is|was|decision|that|to))\b",
        re.I,
    ),
    "from now on": re.compile(
        r"\b(?:must|no longer|will be (?:cancell?ed|moved|merged|removed|deprecated|postponed|required)|instead|"
        r"required|optional|no meeting)\b",
        re.I,
    ),
    "verb first": re.compile(rf"\A\W*(?:{ACTION})\b"),
    "will first": re.compile(r"\A\W*(?:[A-Z]{2,3}: )?(?:will|i can|i could|i['’]ll|can do|i volunteer)\b", re.I),
    "takes it on": re.compile(
        r"\b(?:volunteer\w*|offer(?:s|ed)? to|agree[ds]? to|promise[ds]?|undert(?:ake|akes|ook) to|take (?:an? |the )?"
        r"action|said (?:that )?(?:he|she|they) (?:would|will)|(?:take|takes|took) the lead)\b",
        re.I,
    ),
    "pronoun first": re.compile(r"\A\W*(?:it|this|that|these|those|there|they)(?:['’]s)?\b", re.I),
    "capital to verb": re.compile(r"(?:\A|[:–—-] )\W*[A-Z]\w+ to (?!(?:the|be|an?|this|that|our)\b)[a-z]+"),
    "will be at": re.compile(
        r"\b(?:meetings?|calls?|sessions?|release)\b[^.]* will (?:be|take place|start|happen)\b", re.I
    ),
    "tentative": re.compile(
        r"\b(?:should|could|might|may|would|maybe|perhaps|propos\w+|suggest\w*|need(?:s|ed)?|want(?:s|ed)?|if|think|"
        r"prefer\w*|likely|possibl[ey])\b",
        re.I,
    ),
    "asks": re.compile(r"\?"),
    "ends in a link": re.compile(r"(?:\]\([^)]*+\)|#\d++\)?|https?:\S+)\W*\Z"),
    "begins with a link": re.compile(r"\A\W*(?:\[[^\]]*\]\(|https?:)"),
    "ends with a colon": re.compile(r":\W*\Z"),
    "past first": re.compile(r"\A\W*[A-Za-z]+ed\b"),
    "gerund first": re.compile(r"\A\W*[A-Za-z]+ing\b"),
    "first person": re.compile(r"\bI\b|\bmy\b"),
    "we": re.compile(r"\b(?:we|our|us)\b", re.I),
    "plain notice": re.compile(r"\A\W*(?:please|reminder|note|join|see|link)\b", re.I),
    "said": re.compile(r"\A\W*@?[\w-]+(?: [\w-]+)?:\s"),
    "passive": re.compile(r"\b(?:was|were|been|being|be|is|are) \w+ed\b", re.I),
    "number": re.compile(r"\d"),
}
_LINK: Final = re.compile(r"\]\([^)]*\)|https?:\S+")
_EARLIER: Final = re.compile(r"\b(?:last|previous|earlier|past)\b", re.I)
_TALKED: Final = re.compile(r"\b(?:discussions?|topics?|agenda|updates?|reports?|news|q ?/ ?a)\b", re.I)

NAMES: Final = (
    *(f"says {category}" for category in CATEGORIES),
    *(f"{where} says {category}" for where in ("before", "after", "section") for category in LISTED),
    "section size",
    *(f"rules say {category}{how}" for category in LISTED for how in ("", ", strong", ", explicit")),
    *KINDS,
    *(f"below {section}" for section in SECTIONS),
    "later", "first", "spoken", "indented", "meeting", "decision record", "below what was", "below talk",
    *(f"{size} words" for size in _LENGTHS),
    "linked",
    *CUES,
    "somebody will", "somebody will first",
)  # fmt: skip


def features(said: Sequence[Said], texts: Sequence[str], judged: Sequence[Judgement], content: str) -> Matrix:
    """Return a row of `NAMES` for each sentence of one document, in order; `content` is what they stand in."""
    if not said:
        return np.zeros((0, len(NAMES)), np.float32)
    likely = np.array([each.likely for each in judged], np.float32).clip(1e-6, 1 - 1e-6)
    odds = np.log(likely / (1 - likely)).clip(-_SURE, _SURE)
    mine = odds[:, _COLUMNS]
    mean, size = _by_section(said, mine)
    of_record, people = _is_record(content), _people(content)
    return np.hstack([
        odds, before(mine), after(mine), mean, size, _told(said),
        one_of([passage.kind for passage, _ in said], KINDS),
        one_of([passage.section or "" for passage, _ in said], SECTIONS),
        np.array([
            (
                passage.later, passage.first, passage.speaker is not None, indented, not of_record, of_record,
                _EARLIER.search(passage.heading) is not None, _TALKED.search(passage.heading) is not None,
            )
            for (passage, _), indented in zip(said, _indented(said, content), strict=True)
        ]),
        np.array([_form(text) for text in texts]),
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


def _told(said: Sequence[Said]) -> Matrix:
    sure = np.array(
        [
            [max((act.confidence for act in done if act.category == category), default=0.0) for category in LISTED]
            for _, done in said
        ]
    )
    return np.stack([sure > 0, sure >= STRONG, sure >= EXPLICIT], axis=2).reshape(len(said), -1).astype(np.float32)


def _form(text: str) -> tuple[float, ...]:
    words = len(_LINK.sub(" ", text).split())
    linked = 1 - len(_LINK.sub("", text)) / max(1, len(text))
    return (
        *(float(words <= size) for size in _LENGTHS),
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
