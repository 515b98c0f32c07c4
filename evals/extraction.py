"""`python -m evals.extraction`: quality of extraction on the annotated documents; exit 1 below a target.

It prints aggregates alone unless asked for --misses: whoever builds an extractor should not see the examples.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from rich.console import Console

from core.errors import MemoryServiceError
from evals.extraction_given import given_by
from evals.extraction_gold import ANNOTATED, Annotated, annotated
from evals.extraction_misses import misses
from evals.extraction_read import read
from evals.extraction_scores import Read, tables
from evals.report import ROOT, Run, as_markdown, show
from evals.run import connected, embedded
from evals.variants import OPENED, SHIPPED
from service.app import App
from service.settings import Settings

_PAGE: Final = ROOT / "docs" / "extraction.md"
_NOTE: Final = (
    "**What holds where.** These documents were written for such tests, as were those that the rules were made on. On "
    "the minutes of thirteen real projects decisions and commitments do as well only because their likelihood was "
    "fitted to such minutes, and organisations do far worse: [the table](decisions/ledger-weights.md), with each "
    "project left out of the fit, is what to expect of text that nobody wrote for this.\n\n"
    "The documents here, and by which rules they were annotated: `evals/annotated/README.md`. Whoever works on an "
    "extractor does not read them."
)
#: The extractor that reads off the annotations.
_GIVEN: Final = "annotated"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if something is below its target or could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m evals.extraction", description=__doc__)
    parser.add_argument("--misses", action="store_true", help="also print each example that was missed or made up")
    parser.add_argument(
        "--extractor",
        choices=["local", "openai", _GIVEN],
        default="local",
        help=f"who extracts; {_GIVEN}: what is annotated, so that only identity and ledger can go wrong",
    )
    parser.add_argument(
        "--documents",
        type=Path,
        default=ANNOTATED,
        metavar="FOLDER",
        help="other documents, laid out and annotated as those in evals/annotated",
    )
    parser.add_argument("--write", action="store_true", help="also write docs/extraction.md, of the local extractor")
    options = parser.parse_args(arguments)
    out, log = Console(width=160, highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        with tempfile.TemporaryDirectory(prefix="remembrancer-evals-") as home:
            told = anyio.run(_read, Path(home), annotated(options.documents), options.extractor)
    except MemoryServiceError as error:
        log.print(str(error), markup=False)
        return 1
    measured = Run.of(tables(told), "python -m evals.extraction --write")
    out.print(f"Extractor: {options.extractor}")
    show(measured, out)
    if options.write and options.extractor == "local" and options.documents == ANNOTATED:
        _PAGE.write_text(as_markdown(measured, "Extraction, measured", _NOTE), encoding="utf-8")
    if options.misses:
        out.print("\n".join(misses(told)), markup=False, soft_wrap=True)
    return 1 if measured.missed() else 0


async def _read(home: Path, given: Annotated, extractor: str) -> Read:
    is_given = extractor == _GIVEN
    settings = embedded(home).model_copy(update={"extractor": "local" if is_given else extractor})
    async with connected(partial(_opened, given=given) if is_given else OPENED[SHIPPED], settings) as client:
        return await read(client, given)


def _opened(settings: Settings, *, given: Annotated) -> App:
    return given_by(OPENED[SHIPPED](settings), given)


if __name__ == "__main__":
    sys.exit(main())
