"""Ledger words: the text an event is found by and its stems, for every engine; the same when written and asked for."""

import json
from collections.abc import Sequence
from itertools import chain
from math import log
from typing import Final

from core.knowledge.findings import Event
from graph.text.stems import distinctive_stems, words

#: Events that a search by words reads at most, after its two rarest words.
MOST_READ: Final = 5_000
#: Past forms that their stems don't lead back from, so that "sent" answers "will send".
_BASES: Final = dict(
    pair.split(">")
    for pair in """
    became>become began>begin begun>begin bought>buy broke>break broken>break brought>bring built>build came>come
    caught>catch chose>choose chosen>choose dealt>deal drawn>draw drew>draw driven>drive drove>drive forgot>forget
    forgotten>forget found>find gave>give given>give grew>grow grown>grow heard>hear held>hold kept>keep knew>know
    known>know laid>lay led>lead lent>lend lost>lose made>make meant>mean met>meet paid>pay ran>run rang>ring
    rebuilt>rebuild rewritten>rewrite rewrote>rewrite said>say saw>see seen>see sent>send shown>show sold>sell
    spent>spend spoke>speak spoken>speak stood>stand taken>take taught>teach threw>throw thought>think told>tell
    took>take understood>understand went>go withdrawn>withdraw withdrew>withdraw won>win written>write wrote>write
    """.split()
)


def event_text(event: Event, key: str | None, given: str) -> str:
    """Return summary and quotes of an event, what it bears on, and key and title of its artifact.

    `given` is the fields of the artifact as JSON.

    Subjects are found by their entities: a name that only another artifact gives must not stay when that is forgotten.
    """
    title = json.loads(given).get("title")
    parts = chain(
        [event.summary],
        (proof.quote for proof in event.evidence),
        (target for _, target in event.bears_on),
        (name for name in (key, title) if name),
    )
    return "\n".join(parts)


def is_past(word: str) -> bool:
    """Whether a word is a past form that its stem doesn't lead back from, such as "sent"."""
    return word in _BASES


def ledger_stems(text: str) -> list[str]:
    """Return the different stems of `text` in order, without stop words, irregular verbs in their present form."""
    return list(dict.fromkeys(distinctive_stems(" ".join(_BASES.get(word, word) for word in words(text)))))


def rarest_stems(counted: Sequence[tuple[int, int]]) -> list[tuple[int, float]]:
    """Return the rarest terms with their weights, from how many events of the project have each term.

    Together they are in `MOST_READ` events at most, but they are two at least.
    """
    weights, read = list[tuple[int, float]](), 0
    for number, rare in sorted((min(number, MOST_READ), rare) for number, rare in counted):
        read += number
        if read > MOST_READ and len(weights) >= 2:
            break
        weights.append((rare, log(1 + MOST_READ / max(1, number))))
    return weights
