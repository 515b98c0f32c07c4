"""`python -m evals.languages`: is the right paragraph found in other languages, asked in them and in English?

The data is XQuAD (https://github.com/google-deepmind/xquad, CC BY-SA 4.0): the same paragraphs and questions in each
language. It is not part of the project: put files named xquad.LANGUAGE.json into a folder, and name that with --data.
The paragraphs of each language are a memory of their own. Beside it the same by BM25 over the words as written.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from rich.console import Console

from core.errors import InvalidInput, MemoryServiceError
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Receipt
from evals.figures import Figure, Row, Table
from evals.report import ROOT, Run, show
from evals.run import embedded
from evals.signs import PlainBM25
from service.app import App
from service.display.reports import progress_bar
from service.wiring import open_app

_DATA: Final = ROOT.parent / "shared" / "data" / "languages"
_SHIPPED, _BY_HAND = "as shipped", "BM25 by hand"
_SAME, _ENGLISH = "same language, first", "asked in English, first"
#: Paragraphs stored, and embedded, in one go.
_BATCH: Final = 80

Embedder = Literal["local", "multilingual"]
#: Least share with the right paragraph first, by embedder and language.
_TARGETS: Final = {
    "local": {"ar": 0.75, "de": 0.90, "es": 0.90, "ru": 0.80, "zh": 0.92},
    "multilingual": dict.fromkeys(("ar", "de", "es", "ru", "zh"), 0.88),
}
_ASKED_IN_ENGLISH: Final = {"local": None, "multilingual": 0.80}


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """The paragraphs in one language, its questions, and the place of the paragraph that each is about."""

    texts: Sequence[str]
    questions: Sequence[str]
    right: Sequence[int]

    @classmethod
    def read(cls, file: Path) -> "Paragraphs":
        """Read a file of XQuAD."""
        articles = json.loads(file.read_text(encoding="utf-8"))["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        asked = [(one["question"], place) for place, each in enumerate(paragraphs) for one in each["qas"]]
        return cls([one["context"] for one in paragraphs], [text for text, _ in asked], [place for _, place in asked])


def remembered(app: App, project: str, texts: Sequence[str]) -> dict[str, int]:
    """Store and embed the texts; return the place of each by its id."""
    places: dict[str, int] = {}
    with progress_bar(f"Remembering {project}", len(texts)) as advance:
        for first in range(0, len(texts), _BATCH):
            some = [Memory(context="document", content=text) for text in texts[first : first + _BATCH]]
            ids = [one.id for one in app.remember_many(some, project_id=project).results if isinstance(one, Receipt)]
            app.indexer.embed(project, ids)
            places |= {id_: first + number for number, id_ in enumerate(ids)}
            advance(len(some))
    return places


def measured(home: Path, data: Path, languages: Sequence[str], embedder: Embedder, step: int) -> list[Table]:
    """Return a table a language; of the questions each `step`th is asked."""
    read = {language: Paragraphs.read(data / f"xquad.{language}.json") for language in {*languages, "en"}}
    english = read["en"].questions[::step]
    tables = []
    with open_app(embedded(home).model_copy(update={"embedder": embedder})) as app:
        for language in languages:
            one = read[language]
            places, plain = remembered(app, language, one.texts), PlainBM25(one.texts)

            def shipped(query: str, project: str = language, places: dict[str, int] = places) -> list[int]:
                question = Question(query=query, limit=1, expand=False, include_events=False)
                return [places[result.id] for result in app.recall(question, project_id=project).results]

            def by_hand(query: str, plain: PlainBM25 = plain) -> list[int]:
                return plain.best(query, 1)

            asked = {_SAME: one.questions[::step]} | ({} if language == "en" else {_ENGLISH: english})
            targets = {_SAME: _TARGETS[embedder].get(language), _ENGLISH: _ASKED_IN_ENGLISH[embedder]}
            rows = [
                Row(
                    name,
                    tuple(
                        Figure(way, tuple(_hits(some, one.right[::step], answer)), targets[way])
                        for way, some in asked.items()
                    ),
                )
                for name, answer in ((_SHIPPED, shipped), (_BY_HAND, by_hand))
            ]
            note = f"{len(one.texts)} paragraphs, {len(one.questions[::step])} questions."
            tables.append(Table(f"XQuAD, {language}, embedder {embedder}", note, tuple(rows)))
    return tables


def _hits(asked: Sequence[str], right: Sequence[int], answer: Callable[[str], list[int]]) -> Iterator[float]:
    with progress_bar("Asking", len(asked)) as advance:
        for query, place in zip(asked, right, strict=True):
            yield float(answer(query)[:1] == [place])
            advance(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if something is below its target or could not be measured."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.languages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=_DATA, metavar="FOLDER", help="where the files are")
    parser.add_argument("--languages", help="such as de,ru (default: all that there are files of)")
    parser.add_argument("--embedder", choices=("local", "multilingual"), default="local", help="default: %(default)s")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the memory there; again: only ask anew")
    parser.add_argument("--step", type=int, default=1, help="ask each question (1), each second one (2) and so on")
    chosen = parser.parse_args(arguments)
    log = Console(stderr=True, highlight=False, soft_wrap=True)
    found = sorted(file.name.split(".")[1] for file in chosen.data.glob("xquad.*.json"))
    languages = chosen.languages.split(",") if chosen.languages else found
    try:
        if not languages or {*languages, "en"} - set(found):
            raise InvalidInput(f"{chosen.data} lacks files of XQuAD. {(__doc__ or '').partition(chr(10) * 2)[2]}")
        with ExitStack() as stack:
            made = chosen.keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="remembrancer-evals-"))
            tables = measured(Path(made), chosen.data, languages, chosen.embedder, chosen.step)
    except MemoryServiceError as error:
        log.print(str(error), markup=False)
        return 1
    run = Run.of(tables, "python -m evals.languages")
    show(run, Console(width=160, highlight=False))
    return 1 if run.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
