"""`python -m evals.signs`: among notes alike but for one sign, is the one found whose sign is asked for?

Ten kinds of signs, each asked bare, within a sentence, and with one typing error that could be meant for no other sign.
Beside it the same by plain BM25 over words. Exit 1 below a target.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import log
from pathlib import Path
from random import Random
from typing import Final

from rich.console import Console

from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Receipt
from evals.figures import Figure, Row, Table
from evals.report import Run, show
from evals.run import embedded
from service.app import App
from service.display.reports import progress_bar
from service.wiring import open_app

_SEED: Final = 20_261_125
#: Signs asked for of each kind; notes stored, and embedded, in one go.
_ASKED, _BATCH = 24, 500
_NOTE: Final = "The desk has a note about {sign}: please look into it before the weekly review and report back."
_SENTENCES: Final = (
    "What did we write about {sign} before the review?",
    "Do you remember whether anybody looked into {sign} yet?",
    "I need the note on {sign}, please.",
    "Who has to report back about {sign} and when?",
)
_NAMES: Final = (
    "amber birch cedar delta ember fjord grove haven inlet jetty knoll lotus maple north ocean petal quartz ridge "
    "slate tundra umber vale willow yarrow zenith anchor beacon candle drift engine"
).split()
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_TARGETS: Final = {"bare, first": 1.0, "within a sentence, first": 0.99, "one typing error, in the first three": 0.95}


def _words(chance: Random, number: int) -> list[str]:
    return chance.choices(_NAMES, k=number)


def _identifier(chance: Random) -> str:
    parts = [*_words(chance, 3), chance.choice(_LETTERS) * 2]
    joined = ("_".join(parts), "".join(part.capitalize() for part in parts), "#" + "".join(parts))
    return chance.choice(joined)


def _host(chance: Random) -> str:
    name, other = _words(chance, 2)
    named = f"{name}-{chance.randrange(1_000):03}.{other}.example.net"
    return chance.choice((named, ".".join(str(chance.randrange(1, 32)) for _ in range(4))))


#: How a sign of each kind is made.
KINDS: Final[Mapping[str, Callable[[Random], str]]] = {
    "ticket key": lambda chance: f"{chance.choice(('OPS', 'WEB', 'CORE'))}-{chance.randrange(1_000, 99_999)}",
    "hash": lambda chance: f"{chance.getrandbits(48):012x}",
    "version": lambda chance: f"v{chance.randrange(1, 10)}.{chance.randrange(40)}.{chance.randrange(60)}",
    "number": lambda chance: str(chance.randrange(10**6, 10**7)),
    "mail address": lambda chance: "{}.{}@{}.example".format(*_words(chance, 3)),
    "host or IP": _host,
    "path": lambda chance: "/srv/{}/{}/{}.log".format(*_words(chance, 3)),
    "error code": lambda chance: f"ERR_{chance.choice(_NAMES).upper()}_{chance.randrange(100, 999)}",
    "phone number": lambda chance: f"+49 {chance.randrange(30, 99)} {chance.randrange(10**6, 10**8)}",
    "identifier": _identifier,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, the place of the note that it is meant for, and the kind of its sign."""

    query: str
    note: int
    kind: str


def signs(number: int) -> list[tuple[str, str]]:
    """Return so many signs, each different in its letters and digits from all others, with the kind of each."""
    chance = Random(_SEED)  # noqa: S311 - repeatable, not secret
    made: dict[str, tuple[str, str]] = {}
    while len(made) < number:
        kind = list(KINDS)[len(made) % len(KINDS)]
        sign = KINDS[kind](chance)
        made.setdefault(_plain(sign), (sign, kind))
    return list(made.values())


def askings(made: Sequence[tuple[str, str]]) -> dict[str, list[Asked]]:
    """Return what is asked of some of the signs by way of asking, always the same."""
    chance = Random(_SEED + 1)  # noqa: S311 - repeatable, not secret
    shortened = Counter(short for sign, _ in made for short in {_plain(sign), *_shorter(_plain(sign))})
    of_kind: dict[str, list[int]] = defaultdict(list)
    for note, (_, kind) in enumerate(made):
        of_kind[kind].append(note)
    asked: dict[str, list[Asked]] = {way: [] for way in _TARGETS}
    for kind, notes in of_kind.items():
        for count, note in enumerate(chance.sample(notes, min(_ASKED, len(notes)))):
            sign = made[note][0]
            sentence = _SENTENCES[count % len(_SENTENCES)].format(sign=sign)
            queries = (sign, sentence, _mistyped(sign, shortened, chance))
            for way, query in zip(_TARGETS, queries, strict=True):
                if query:
                    asked[way].append(Asked(query, note, kind))
    return asked


def _plain(sign: str) -> str:
    return re.sub(r"[\W_]", "", sign.casefold())


def _shorter(sign: str) -> set[str]:
    return {sign[:place] + sign[place + 1 :] for place in range(len(sign))}


def _mistyped(sign: str, shortened: Mapping[str, int], chance: Random) -> str | None:
    """Return the sign with one typing error that is as near to no other sign; None if chance finds none."""
    for _ in range(100):
        places = [place for place, letter in enumerate(sign) if letter.isalnum()]
        at = chance.choice(places)
        other = chance.choice("0123456789" if sign[at].isdigit() else _LETTERS)
        swapped = sign[:at] + sign[at + 1 : at + 2] + sign[at] + sign[at + 2 :]
        wrong = chance.choice((sign[:at] + sign[at + 1 :], sign[:at] + other + sign[at:], swapped,
                               sign[:at] + other + sign[at + 1 :]))  # fmt: skip
        plain, own = _plain(wrong), {_plain(sign), *_shorter(_plain(sign))}
        near = {plain, *_shorter(plain)}
        if plain != _plain(sign) and all(shortened.get(short, 0) == (short in own) for short in near):
            return wrong
    return None


class PlainBM25:
    """BM25 with k1 1.2 and b 0.75 over letters and digits between others; all notes are about as long."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Index the texts."""
        self._holding: dict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            for word in set(_split(text)):
                self._holding[word].append(number)
        self._count = len(texts)

    def best(self, query: str, limit: int) -> list[int]:
        """Return the places of the best texts, of equal ones the first."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(_split(query)):
            holding = self._holding.get(word, [])
            rarity = log(1 + (self._count - len(holding) + 0.5) / (len(holding) + 0.5))
            for number in holding:
                scores[number] += rarity
        return sorted(scores, key=lambda number: (-scores[number], number))[:limit]


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def remembered(app: App, notes: Sequence[str]) -> dict[str, int]:
    """Store and embed the notes; return the place of each by its id."""
    places: dict[str, int] = {}
    with progress_bar("Remembering", len(notes)) as advance:
        for first in range(0, len(notes), _BATCH):
            some = [Memory(context="note", content=note) for note in notes[first : first + _BATCH]]
            ids = [one.id for one in app.remember_many(some).results if isinstance(one, Receipt)]
            app.indexer.embed("default", ids)
            places |= {id_: first + number for number, id_ in enumerate(ids)}
            advance(len(some))
    return places


def measured(home: Path, number: int) -> list[Table]:
    """Return the tables of so many notes in a new memory."""
    made = signs(number)
    notes = [_NOTE.format(sign=sign) for sign, _ in made]
    asked, plain = askings(made), PlainBM25(notes)
    with open_app(embedded(home)) as app:
        places = remembered(app, notes)

        def shipped(query: str) -> list[int]:
            question = Question(query=query, limit=3, expand=False, include_events=False)
            return [places[result.id] for result in app.recall(question).results]

        ways = {"as shipped": shipped, "plain BM25": lambda query: plain.best(query, 3)}
        hits = {name: {way: _hits(way, some, answer) for way, some in asked.items()} for name, answer in ways.items()}
    title = f"Signs: {number:,} notes alike but for one sign, {_ASKED} of each kind asked for"
    rows = [Row(name, tuple(_figures(found, asked))) for name, found in hits.items()]
    kinds = [Row(kind, tuple(_figures(hits["as shipped"], asked, kind))) for kind in KINDS]
    return [
        Table(title, "", tuple(rows)),
        Table("Signs: by kind, as shipped", "", tuple(kinds), compared=False),
    ]


def _hits(way: str, asked: Sequence[Asked], answer: Callable[[str], list[int]]) -> list[float]:
    most = 3 if "three" in way else 1
    with progress_bar(f"Asking, {way}", len(asked)) as advance:
        return [float(one.note in answer(one.query)[:most]) for one in _counted(asked, advance)]


def _counted(asked: Sequence[Asked], advance: Callable[[int], None]) -> Iterator[Asked]:
    for one in asked:
        yield one
        advance(1)


def _figures(
    hits: Mapping[str, Sequence[float]], asked: Mapping[str, Sequence[Asked]], kind: str | None = None
) -> Iterator[Figure]:
    for way, values in hits.items():
        own = (value for value, one in zip(values, asked[way], strict=True) if kind in (None, one.kind))
        yield Figure(way, tuple(own), _TARGETS[way] if kind is None else None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if something is below its target."""
    parser = argparse.ArgumentParser(prog="python -m evals.signs", description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000, help="how many notes (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="remembrancer-evals-")))
        run = Run.of(measured(home, chosen.notes), "python -m evals.signs")
    show(run, Console(width=160, highlight=False))
    return 1 if run.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
