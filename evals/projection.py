"""`python -m evals.projection`: fit the projection of token states again, and compare it with the one that is shipped.

It is the principal components of the states of content tokens of the demo corpus, the documents of this project, and
of the Markdown and text files under --texts. Nothing else is fitted: docs/decisions/late-interaction.md says what
was tried. The documents change, so that a fit is another file than the one that is shipped, with nearly the same
components; --write FILE writes it.
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console

from core.errors import InvalidInput, MemoryServiceError
from core.search import STATE_NUMBERS, Matrix
from evals import demo
from evals.report import ROOT
from graph.text.tokens import distinctive_stems
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.models.token_states import PROJECTION_FILE, read_projection

#: Longest part of a paragraph that is read at once, in characters: well within the model's window.
_PART: Final = 700
_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
#: Documents that hold figures rather than sentences.
_FIGURES: Final = frozenset({"evals.md", "extraction.md"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if nothing could be fitted."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.projection", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="also read the .md and .txt files under it")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the projection, as the service reads it")
    options = parser.parse_args(arguments)
    out, log = Console(width=120, highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        states = content_states(LocalEmbedder(), [*own_texts(), *(_files(options.texts) if options.texts else ())])
        projection, shipped = principal_components(states), read_projection(PROJECTION_FILE)
    except MemoryServiceError as error:
        log.print(str(error), markup=False)
        return 1
    out.print(f"{len(states):,} content tokens. Share of their states that is kept, by the sum of squares:")
    out.print(f"fitted {kept_share(states, projection):.4f}, shipped {kept_share(states, shipped):.4f}")
    out.print(f"Share of the fitted components within the shipped ones: {shared_part(projection, shipped):.4f}")
    if options.write:
        with options.write.open("wb") as file:
            np.savez(file, projection=projection.astype(np.float16))
        out.print(f"{options.write}: SHA-256 {hashlib.sha256(options.write.read_bytes()).hexdigest()}", soft_wrap=True)
    return 0


def own_texts() -> Iterator[str]:
    """Yield the texts that come with the project: the demo corpus and the documents."""
    yield from (str(memory["content"]) for memory in demo.memories().values())
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    yield from (path.read_text(encoding="utf-8") for path in paths if path.name not in _FIGURES)


def _files(folder: Path) -> Iterator[str]:
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in (".md", ".txt")]
    if not paths:
        raise InvalidInput(f"{str(folder)!r} has no .md or .txt file: name a folder that has.")
    yield from (path.read_text(encoding="utf-8", errors="replace") for path in paths)


def content_states(embedder: LocalEmbedder, texts: Sequence[str]) -> Matrix:
    """Return the states of the tokens of all words that are no stop words, each of length 1, a row each."""
    parts = [
        paragraph[start : start + _PART]
        for text in texts
        for paragraph in _PARAGRAPHS.split(text)
        for start in range(0, len(paragraph), _PART)
    ]

    def keep(words: Sequence[str], states: Matrix) -> Matrix:
        rows = [row for row, word in enumerate(words) if distinctive_stems(word)]
        found: Matrix = states[rows] / np.linalg.norm(states[rows], axis=1, keepdims=True)
        return found

    _, states = embedder.embed_keeping(parts, keep)
    return np.concatenate(states)


def principal_components(states: Matrix, number: int = STATE_NUMBERS) -> Matrix:
    """Return the directions in which the states extend most, a column each, the widest first.

    They are measured from 0, since signs and cosines are. The largest number of each is positive, so that a fit is the
    same on every machine.
    """
    _, vectors = np.linalg.eigh((states.T @ states).astype(np.float64))
    widest = vectors[:, ::-1][:, :number]
    largest = widest[np.abs(widest).argmax(axis=0), np.arange(widest.shape[1])]
    found: Matrix = (widest * np.sign(largest)).astype(np.float32)
    return found


def kept_share(states: Matrix, projection: Matrix) -> float:
    """Return which share of the sum of squares of the states lies within the columns."""
    basis, _ = np.linalg.qr(projection)
    return float(((states @ basis) ** 2).sum() / (states**2).sum())


def shared_part(one: Matrix, other: Matrix) -> float:
    """Return which share of the columns of one lies within those of the other; both are orthonormal, or nearly so."""
    basis, _ = np.linalg.qr(other)
    return float(((basis.T @ one) ** 2).sum() / (one**2).sum())


if __name__ == "__main__":
    sys.exit(main())
