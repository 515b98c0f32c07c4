"""`python -m evals.statements`: fit the weights of the local extractor's sentence classifier, and evaluate them.

Teachers, with more layers than are kept, are fitted to the marks of `evals/marked`, of `evals/practice` but for the
worlds that are left out, and of the sentences of `sentences.txt`: each to four fifths of them, so that what it says of
the others is what it says of any other text. What is kept is fitted to what they say together and to the marks, and to
what they say of the minutes of `--data` that nobody has marked. The likelihoods from which on something is said are
chosen by the worlds left out, and the table says how well their events are found, each half by what is best for the
other. `--write` keeps the weights. All takes about five hours of one core, or five minutes of a graphics processor.
It needs two packages that nothing else does: `pip install torch onnx`.
"""

import argparse
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from core.knowledge.findings import CATEGORIES
from core.records import Artifact
from core.search import Matrix
from evals.extraction_match import Said, Words, paired
from evals.marked_documents import (
    LETTERS,
    MARKED,
    MarkedDocument,
    as_artifact,
    is_left_out,
    marked_documents,
    practice_documents,
)
from evals.minutes.intake import artifacts
from evals.minutes.marks import DATA
from evals.statements_fit import KEPT, TEACHER, Examples, fitted, joined, keep
from ingest.extract.local.extractor import Draft, LocalExtractor, make_draft
from ingest.extract.local.ledger_features import WIDTH
from ingest.extract.local.sentence_classifier import Weights, after, before, shorten_sentence, token_vectors, wording
from retrieval.models.local_embedder import LocalEmbedder

#: Teachers a round, each of which is fitted without one of so many documents, and rounds.
_PARTS: Final = 5
_ROUNDS: Final = 2
#: Of two, the one that said most of the worlds left out.
_SEED: Final = 1
#: How much a sentence without a document counts: nobody said that it tells nothing else.
_ALONE: Final = 0.5
#: The kinds of document that a sentence without one is taken for.
_KINDS: Final = ("document", "meeting", "note", "email", "chat", None)
#: Likelihoods from which on a category may be said, and how much F1 the least of them may cost: curves are flat, and
#: sentences of short documents get lower ones.
_GRID: Final = np.arange(0.15, 0.71, 0.05)
_FLAT: Final = 0.02


@dataclass(frozen=True, slots=True)
class Told:
    """A document, or a sentence in none, and its sentences as examples."""

    name: str
    examples: Examples

    def part(self, number: int) -> int:
        """Return which teacher of a round is fitted without it."""
        return zlib.crc32(f"{number} {self.name}".encode()) % _PARTS


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print what was found in documents that were left out, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m evals.statements", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where the minutes lie")
    parser.add_argument("--write", action="store_true", help="keep the weights")
    options = parser.parse_args(arguments)
    embedder = LocalEmbedder()
    documents = [one for one in (*marked_documents(), *practice_documents()) if make_draft(one.artifact).asked()]
    left_out = [one for one in documents if is_left_out(one)]
    told = [Told(one.name, _examples(one, embedder)) for one in documents if not is_left_out(one)]
    unmarked = [_unmarked(one, embedder) for one in artifacts(options.data, "rest").values()]
    student = fitted(_softened([*told, *_alone(embedder)], [one for one in unmarked if len(one.words)]), KEPT, _SEED)
    examples = [_examples(one, embedder) for one in left_out]
    likely, tells = [student.likely(one) for one in examples], [one.tells for one in examples]
    weights = student.rounded()
    halves = [_least(likely[half::2], tells[half::2]) for half in (1, 0)]
    Console(width=120).print(_table(left_out, weights, halves, embedder))
    if options.write:
        keep(replace(weights, thresholds=_least(likely, tells)))
    return 0


def _softened(told: Sequence[Told], unmarked: Sequence[Examples]) -> Examples:
    """Return all examples with what teachers say of them that were fitted without them."""
    marked, plain = joined([one.examples for one in told]), joined(unmarked)
    said, guessed = np.zeros_like(marked.tells), np.zeros_like(plain.tells)
    for number, part in product(range(_ROUNDS), range(_PARTS)):
        out = np.concatenate([np.full(len(one.examples.words), one.part(number) == part) for one in told])
        teacher = fitted(marked.only(~out), TEACHER, seed=number * _PARTS + part)
        said[out] += teacher.likely(marked.only(out)) / _ROUNDS
        guessed += teacher.likely(plain) / (_ROUNDS * _PARTS)
    return joined([marked, plain]).softened(np.vstack([said, guessed]))


def _examples(document: MarkedDocument, embedder: LocalEmbedder) -> Examples:
    """Return the sentences of a document, each in its setting."""
    draft = make_draft(document.artifact)
    asked = draft.asked()
    tells, counts = document.told(draft)
    return _read(draft, tells[asked], counts[asked], embedder)


def _unmarked(artifact: Artifact, embedder: LocalEmbedder) -> Examples:
    """Return the sentences of a document without marks: none counts."""
    draft = make_draft(artifact)
    nothing = np.zeros((len(draft.asked()), len(CATEGORIES)), np.float32)
    return _read(draft, nothing, nothing, embedder)


def _read(draft: Draft, tells: Matrix, counts: Matrix, embedder: LocalEmbedder) -> Examples:
    texts, settings = draft.sentences(draft.asked())
    cut = [shorten_sentence(text) for text in texts]
    words = token_vectors(cut, embedder)
    means = np.array([each.mean(axis=0) for each in words]).reshape(len(words), embedder.dimension)
    return Examples(words, before(means), after(means), wording(cut), settings, tells, counts)


def _alone(embedder: LocalEmbedder) -> list[Told]:
    """Return the sentences that stand in no document, each as if it were one, and as if nothing were known of it.

    Each tells one thing or nothing.
    """
    lines = (MARKED / "sentences.txt").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    cut = [shorten_sentence(line[2:]) for line in lines]
    told = list[Told]()
    for number, (line, text, words) in enumerate(zip(lines, cut, token_vectors(cut, embedder), strict=True)):
        nothing = np.zeros((1, words.shape[1]), np.float32)
        tells = np.array([[line[0] == letter for letter in LETTERS[1:]]], np.float32)
        setting, counts = _setting(text, number)[None], np.full_like(tells, _ALONE)
        told.append(Told(text, Examples([words], nothing, nothing, wording([text]), setting, tells, counts)))
    return told


def _setting(text: str, number: int) -> Matrix:
    """Return the setting of a sentence that is a document, of each kind by turns; each last one has none."""
    context = _KINDS[number % len(_KINDS)]
    if context is None:
        return np.zeros(WIDTH, np.float32)
    draft = make_draft(as_artifact(text, {"context": context}))
    asked = draft.asked()
    return draft.sentences(asked)[1][0] if len(asked) == 1 else np.zeros(WIDTH, np.float32)


def _least(likely: Sequence[Matrix], tells: Sequence[Matrix]) -> Matrix:
    """Return for each category the least likelihood from which on it is said nearly as well as it can be.

    That is by the F1 of it and of those beside it.
    """
    found, wanted = np.vstack(likely), np.vstack(tells) > 0
    best = []
    for column in range(len(CATEGORIES)):
        said = found[:, column, None] >= _GRID
        right = (said & wanted[:, column, None]).sum(axis=0)
        scores = 2 * right / np.maximum(1, said.sum(axis=0) + wanted[:, column].sum())
        smooth = np.convolve(np.pad(scores, 1, "edge"), (0.25, 0.5, 0.25), "valid")
        best.append(_GRID[int((smooth >= smooth.max() - _FLAT).argmax())])
    return np.array(best, np.float32)


def _table(
    documents: Sequence[MarkedDocument], weights: Weights, halves: Sequence[Matrix], embedder: LocalEmbedder
) -> Table:
    """Return how well the events of documents are found; each half of them is judged by what was best for the other."""
    right, found, wanted = Counter[str](), Counter[str](), Counter[str]()
    judges = [LocalExtractor(embedder, replace(weights, thresholds=least)) for least in halves]
    for number, document in enumerate(documents):
        said = _said(document, judges[number % 2])
        marked, debatable = (
            [(event.category, [(event.start, event.end)]) for event in document.events if event.optional is optional]
            for optional in (False, True)
        )
        words = Words(document.artifact.memory.content)
        hits = paired(words, marked, said)
        right.update(marked[first][0] for first, _ in hits)
        left = [said[at] for at in range(len(said)) if at not in {second for _, second in hits}]
        passed = {second for _, second in paired(words, debatable, left)}
        found.update(category for category, _ in (marked[first] for first, _ in hits))
        found.update(category for at, (category, _) in enumerate(left) if at not in passed)
        wanted.update(category for category, _ in marked)
    table = Table(
        "category", "precision", "recall", "F1", title=f"{len(documents)} documents, of worlds left out of the fit"
    )
    for category in (*CATEGORIES, None):
        right_ones, told, there = (
            counts.total() if category is None else counts[category] for counts in (right, found, wanted)
        )
        shares = right_ones / max(1, told), right_ones / max(1, there), 2 * right_ones / max(1, told + there)
        table.add_row(category or "all", *(f"{share:.3f}" for share in shares))
    return table


def _said(document: MarkedDocument, extractor: LocalExtractor) -> list[Said]:
    """Return the events that are found, each where its quote stands."""
    content = document.artifact.memory.content
    found = list[Said]()
    for event in extractor.extract(document.artifact).events:
        start = content.find(event.quote, event.near_char)
        found.append((event.category, [(start, start + len(event.quote))]))
    return found


if __name__ == "__main__":
    sys.exit(main())
