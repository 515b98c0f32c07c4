"""`python -m evals.answers`: what a reader gets of `recall`'s default answer, which is asked for by the query alone.

For each question: whether all of its evidence is in what is shown, how many tokens that takes, rows without words, rows
cut though the item is short, and how well `answer_likelihood` says whether the results hold an answer.

Reading the answers: --sheets FOLDER writes questions, as many as --read says, with their answers for a reader who has
nothing else, and the gold apart; --score FOLDER scores what the reader wrote, by token F1 and by the marks of a second
reader.

The data is not part of the project. To measure on it, name with --data a folder with any of these:
locomo*.json         conversations of LoCoMo, https://github.com/snap-research/locomo (data/locomo10.json)
qmsum*.jsonl         meetings of QMSum, https://github.com/Yale-LILY/QMSum (a split of data/ALL/jsonl)
minutes/             read/, rest/ and marks/, as `python -m evals.minutes --help` says
languages/           xquad.LANGUAGE.json of XQuAD, https://github.com/google-deepmind/xquad
"""

import argparse
import json
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

import anyio
from mcp import Client
from mcp_types import TextContent
from rich.console import Console

from core.errors import MemoryServiceError, Unavailable
from core.interface.results import UNLIKELY, VERY_LIKELY
from evals import client as through
from evals.answer_questions import Asked, Shown, by_kind, remembered
from evals.answer_sheets import Sheet, score, spread, write_sheets
from evals.figures import Figure, Row, Table
from evals.report import ROOT, Run, as_json, show
from evals.run import embedded
from evals.variants import OPENED, SHIPPED
from retrieval.models.tokenizer import estimate_model_tokens
from server import create_server
from service.app import App
from service.display.reports import progress_bar

#: Where the data lies unless --data names another folder.
_DATA: Final = ROOT.parent / "shared" / "data"
#: What --quick asks: every fifth question of each kind.
_QUICK: Final = 5
#: Longest text that is short enough to be shown whole, in characters.
_SHORT: Final = 500
#: Bounds of the bins of `answer_likelihood`.
_BINS: Final = (0.0, UNLIKELY, 0.2, 0.4, 0.6, 0.8, VERY_LIKELY, 1.0)
#: Chooses which questions are asked.
Choice = Callable[[Sequence[Asked]], list[Asked]]
_TARGETS: Final = {"all conversations": 0.80}


@dataclass(frozen=True, slots=True)
class Given:
    """A question with its default answer: the structured one, and the text that a model reads."""

    asked: Asked
    response: Mapping[str, Any]
    text: str

    @property
    def shown(self) -> Shown:
        """What a reader sees of items."""
        return Shown.of(self.response)

    @property
    def is_whole(self) -> bool:
        """Whether all evidence is shown."""
        return all(one.is_in(self.shown) for one in self.asked.evidence)

    @property
    def is_held(self) -> bool:
        """Whether one of the results holds an answer."""
        found = {result["id"] for result in self.response["results"]}
        return any(one.items & found for one in self.asked.evidence) or any(
            one.is_in(self.shown) for one in self.asked.evidence
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if something is below its target or could not be measured."""
    options = _options(arguments)
    out, log = Console(width=160, highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        if options.score:
            tables = score(options.score)
        else:
            with ExitStack() as stack:
                temporary = tempfile.TemporaryDirectory(prefix="remembrancer-evals-")
                home = options.keep or Path(stack.enter_context(temporary))
                given = answers(options.data, home, options.only, _chosen(options))
            tables = [*evidence_tables(given), *calibration_tables(given)]
            if options.sheets:
                write_sheets(options.sheets, [Sheet.of(one.asked, one.text) for one in given if one.asked.is_read])
    except MemoryServiceError as error:
        log.print(str(error), markup=False)
        return 1
    measured = Run.of(tables, "python -m evals.answers")
    show(measured, out)
    if options.json:
        options.json.write_text(json.dumps(as_json(measured), indent=1) + "\n", encoding="utf-8")
    return 1 if measured.missed() else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evals.answers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=_DATA, metavar="FOLDER", help="where the data sets lie")
    parser.add_argument("--only", metavar="KIND", help="only conversations, meetings, minutes or paragraphs")
    parser.add_argument("--quick", action="store_true", help=f"only every {_QUICK}th question")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the memory there; again: what is stored is not embedded again"
    )
    parser.add_argument("--sheets", type=Path, metavar="FOLDER", help="write questions with their answers for a reader")
    parser.add_argument(
        "--read", type=int, metavar="NUMBER", help="ask only about so many, spread over the kinds, for a reader"
    )
    parser.add_argument("--score", type=Path, metavar="FOLDER", help="score what a reader wrote on sheets")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything measured to FILE")
    return parser.parse_args(arguments)


def _chosen(options: argparse.Namespace) -> Choice:
    """Return what chooses the questions to ask."""
    if options.read is not None:
        return lambda asked: spread([one for one in asked if one.is_read], options.read)
    return lambda asked: stepped(asked, _QUICK if options.quick else 1)


def stepped(asked: Sequence[Asked], step: int) -> list[Asked]:
    """Return every so many of the questions of each kind."""
    return [one for every in by_kind(asked).values() for one in every[::step]]


def answers(data: Path, home: Path, only: str | None, choose: Choice) -> list[Given]:
    """Return the questions chosen of all, each with what `recall` answers to its words alone.

    Raises:
        InvalidInput: the folder holds none of the data sets.
        Unavailable: an item was not processed, or an answer had to do without a part of the service.
    """
    with OPENED[SHIPPED](embedded(home)) as app:
        app.start()
        asked = remembered(app, data, only)
        _settle(app, {one.project_id for one in asked})
        return anyio.run(_answered, app, choose(asked))


def _settle(app: App, projects: set[str]) -> None:
    async def wait() -> None:
        async with Client(create_server(app)) as client:
            names = sorted(projects)
            with progress_bar("Embedding and extracting", await through.pending(client, names)) as advance:
                await through.settle(client, names, advance)

    anyio.run(wait)


async def _answered(app: App, asked: Sequence[Asked]) -> list[Given]:
    given = []
    async with Client(create_server(app)) as client:
        with progress_bar("Asking", len(asked)) as advance:
            for one in asked:
                said = await client.call_tool("recall", {"query": one.query, "project_id": one.project_id})
                response = said.structured_content or {}
                is_whole = "results" in response and not response.get("degraded")
                if not (is_whole and isinstance(said.content[0], TextContent)):
                    raise Unavailable(f"recall did not answer {one.query!r} in full: {said.content}")
                given.append(Given(one, response, said.content[0].text))
                advance(1)
    return given


def evidence_tables(given: Sequence[Given]) -> list[Table]:
    """Return what is shown of the evidence and what that takes, by kind of question."""
    answerable = [one for one in given if one.asked.evidence]
    groups: dict[str, list[Given]] = {}
    for one in answerable:
        groups.setdefault(one.asked.kind, []).append(one)
        if one.asked.is_spoken:
            groups.setdefault("all conversations", []).append(one)
    rows = tuple(Row(name, _shown_figures(groups[name], _TARGETS.get(name))) for name in sorted(groups))
    tokens = {name: [estimate_model_tokens(one.text) for one in some] for name, some in sorted(groups.items())}
    sizes = "; ".join(f"{name} {median(some):,.0f}, {fmean(some):,.0f}" for name, some in tokens.items())
    note = (
        "Share of questions all of whose evidence stands in the text that is shown (of a meeting: a passage from each "
        "span that answers), share of the evidence, share of answers of under 900 tokens, share of rows without words, "
        f"and of rows that show a part of an item of at most {_SHORT} characters. Tokens, median and mean: {sizes}."
    )
    return [Table("Default answers: is all evidence shown?", note, rows, compared=False)] if rows else []


def _shown_figures(some: Sequence[Given], target: float | None) -> tuple[Figure, ...]:
    parts = [fmean(float(one.is_in(each.shown)) for one in each.asked.evidence) for each in some]
    results = [(result, each) for each in some for result in each.response["results"]]
    return (
        Figure("all evidence shown", tuple(float(one.is_whole) for one in some), target),
        Figure("evidence shown", tuple(parts)),
        Figure("under 900 tokens", tuple(float(estimate_model_tokens(one.text) < 900) for one in some)),
        Figure("rows", tuple(float(len(one.response["results"])) for one in some)),
        Figure("rows without words", tuple(float(not result["content"]) for result, _ in results)),
        Figure("rows cut", tuple(float(_is_cut(result, each.asked.texts)) for result, each in results)),
    )


def _is_cut(result: Mapping[str, Any], texts: Mapping[str, str]) -> bool:
    text = texts.get(result["id"], "")
    return bool(result["content"]) and len(text) <= _SHORT and text.strip() not in result["content"].strip()


def calibration_tables(given: Sequence[Given]) -> list[Table]:
    """Return how often the results hold an answer where they are said to, by likelihood and by kind of question."""
    said = [(one, one.response.get("answer_likelihood")) for one in given]
    told = [(float(value), one) for one, value in said if value is not None]
    kinds: dict[str, list[tuple[float, Given]]] = {}
    for value, one in told:
        for kind in (one.asked.kind, *(() if one.asked.is_adversarial else ("all",))):
            kinds.setdefault(kind, []).append((value, one))
    every = kinds.get("all", [])
    bins = [[(value, one) for value, one in every if _bin(value) == number] for number in range(len(_BINS) - 1)]
    error = sum(abs(sum(value - one.is_held for value, one in some)) for some in bins) / max(1, len(every))
    return [
        Table(
            "answer_likelihood: how often the results hold an answer",
            f"{len(every):,} questions, {sum(one.is_held for _, one in every):,} of which have an item that answers "
            f"among their results; adversarial ones apart. Mean error of a bin, by its questions: {error:.3f}.",
            tuple(
                Row(f"{_BINS[number]} to {_BINS[number + 1]}", _bin_figures(some)) for number, some in enumerate(bins)
            ),
            compared=False,
        ),
        Table(
            "answer_likelihood: the sentences",
            "Held: share of the answers whose results hold an answer. Probably not (in memory): share under "
            f"{UNLIKELY}, and how many of these are right; very likely (answered): share from {VERY_LIKELY} on, and "
            "how many of these are right.",
            tuple(Row(kind, _sentences(kinds[kind])) for kind in sorted(kinds)),
            compared=False,
        ),
    ]


def _bin(likelihood: float) -> int:
    return min(bisect_right(_BINS, likelihood), len(_BINS) - 1) - 1


def _bin_figures(some: Sequence[tuple[float, Given]]) -> tuple[Figure, ...]:
    return (
        Figure("said", tuple(value for value, _ in some)),
        Figure("holds an answer", tuple(float(one.is_held) for _, one in some)),
    )


def _sentences(some: Sequence[tuple[float, Given]]) -> tuple[Figure, ...]:
    low = [one for value, one in some if value < UNLIKELY]
    high = [one for value, one in some if value >= VERY_LIKELY]
    return (
        Figure("held", tuple(float(one.is_held) for _, one in some)),
        Figure("probably not", tuple(float(value < UNLIKELY) for value, _ in some)),
        Figure("right", tuple(float(not one.is_held) for one in low)),
        Figure("very likely", tuple(float(value >= VERY_LIKELY) for value, _ in some)),
        Figure("right", tuple(float(one.is_held) for one in high)),
    )


if __name__ == "__main__":
    sys.exit(main())
