"""`python -m evals.statements`: fit the weights of the local extractor's sentence classifier, and evaluate them.

A fifth of the documents of `evals/marked` and `evals/practice` is left out, the weights are fitted to the rest and to
the sentences of `sentences.txt`, and the likelihoods from which on something is said are chosen by what was left out,
half of it for the other half; then the table says how well its events are found. `--write` fits the weights to
everything and keeps them; with `--unchecked` the likelihoods stay as they are. Each fit takes about twenty minutes of
one core. It needs two packages that nothing else does: `pip install torch onnx`.
"""

import argparse
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from core.embedding import Matrix, Vectors
from core.knowledge.findings import CATEGORIES
from evals.extraction_match import Said, Words, paired
from evals.marked_documents import (
    LETTERS,
    MARKED,
    MarkedDocument,
    as_artifact,
    marked_documents,
    practice_documents,
)
from evals.statements_fit import Examples, fitted, joined, keep
from ingest.extract.local.classifier.sentence_classifier import Weights, chances, kept_weights, read, shortened, wording
from ingest.extract.local.classifier.transformer_layer import after, before
from ingest.extract.local.extractor import LocalExtractor, drafted
from ingest.extract.local.sentence_context import WIDTH
from retrieval.models.local_embedder import LocalEmbedder

#: One of so many documents is left out.
_PARTS: Final = 5
#: How much a sentence without a document counts: nobody said that it tells nothing else.
_ALONE: Final = 0.5
#: The kinds of document that a sentence without one is taken for.
_KINDS: Final = ("document", "meeting", "note", "email", "chat", None)
#: Likelihoods from which on a category may be said.
_GRID: Final = np.arange(0.15, 0.71, 0.05)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print what was found in documents that were left out, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m evals.statements", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the weights, fitted to everything")
    parser.add_argument("--unchecked", action="store_true", help="fit without a look at documents that are left out")
    options = parser.parse_args(arguments)
    embedder = LocalEmbedder()
    documents = [each for each in (*marked_documents(), *practice_documents()) if drafted(each.artifact).asked()]
    told = [_examples(document, embedder) for document in documents]
    alone = _alone(embedder)
    if options.unchecked:
        least = kept_weights().least
    else:
        out = [zlib.crc32(document.name.encode()) % _PARTS == 0 for document in documents]
        kept = [each for each, is_out in zip(told, out, strict=True) if not is_out]
        left_out = [document for document, is_out in zip(documents, out, strict=True) if is_out]
        weights = fitted(joined([*kept, alone]))
        through = embedder.through(weights.layers)
        likely = [
            chances(weights.scores(each.words, each.wording, each.settings, through=through))
            for each in _only(told, out)
        ]
        tells = [each.tells for each in _only(told, out)]
        least = _least(likely, tells)
        halves = [_least(likely[half::2], tells[half::2]) for half in (1, 0)]
        Console(width=120).print(_table(left_out, weights, halves, embedder))
    if options.write:
        weights = replace(fitted(joined([*told, alone])), least=least)
        keep(weights)
    return 0


def _only(told: Sequence[Examples], chosen: Sequence[bool]) -> list[Examples]:
    return [each for each, is_chosen in zip(told, chosen, strict=True) if is_chosen]


def _examples(document: MarkedDocument, embedder: LocalEmbedder) -> Examples:
    """Return the sentences of a document, each in its setting."""
    draft = drafted(document.artifact)
    asked = draft.asked()
    texts, settings = draft.sentences(asked)
    cut = [shortened(text) for text in texts]
    words = read(cut, embedder)
    means = np.array([each.mean(axis=0) for each in words])
    tells, counts = document.told(draft)
    return Examples(
        words,
        before(means),
        after(means),
        wording(cut),
        settings,
        tells[asked],
        counts[asked],
    )


def _alone(embedder: LocalEmbedder) -> Examples:
    """Return the sentences that stand in no document, each as if it were one, and as if nothing were known of it.

    Each tells one thing or nothing.
    """
    lines = (MARKED / "sentences.txt").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    cut = [shortened(line[2:]) for line in lines]
    words: list[Vectors] = read(cut, embedder)
    nothing = np.zeros((len(cut), words[0].shape[1]), np.float32)
    tells = np.array([[line[0] == letter for letter in LETTERS[1:]] for line in lines], np.float32)
    settings = np.array([_setting(text, number) for number, text in enumerate(cut)])
    return Examples(words, nothing, nothing, wording(cut), settings, tells, np.full_like(tells, _ALONE))


def _setting(text: str, number: int) -> Matrix:
    """Return the setting of a sentence that is a document, of each kind by turns; each last one has none."""
    context = _KINDS[number % len(_KINDS)]
    if context is None:
        return np.zeros(WIDTH, np.float32)
    draft = drafted(as_artifact(text, {"context": context}))
    asked = draft.asked()
    return draft.sentences(asked)[1][0] if len(asked) == 1 else np.zeros(WIDTH, np.float32)


def _least(likely: Sequence[Matrix], tells: Sequence[Matrix]) -> Matrix:
    """Return for each category the likelihood from which on it is best said: the F1 of it and of those beside it."""
    found, wanted = np.vstack(likely), np.vstack(tells) > 0
    best = []
    for column in range(len(CATEGORIES)):
        said = found[:, column, None] >= _GRID
        right = (said & wanted[:, column, None]).sum(axis=0)
        scores = 2 * right / np.maximum(1, said.sum(axis=0) + wanted[:, column].sum())
        smooth = np.convolve(np.pad(scores, 1, "edge"), (0.25, 0.5, 0.25), "valid")
        best.append(_GRID[int(smooth.argmax())])
    return np.array(best, np.float32)


def _table(
    documents: Sequence[MarkedDocument], weights: Weights, halves: Sequence[Matrix], embedder: LocalEmbedder
) -> Table:
    """Return how well the events of documents are found; each half of them is judged by what was best for the other."""
    right, found, wanted = Counter[str](), Counter[str](), Counter[str]()
    judges = [LocalExtractor(embedder, replace(weights, least=least)) for least in halves]
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
    table = Table("category", "precision", "recall", "F1", title=f"{len(documents)} documents, left out of the fit")
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
