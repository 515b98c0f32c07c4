"""`python -m evals`: how well `recall` finds, on public data and on the demo corpus; exit 1 below a target.

`python -m evals.extraction` measures what extraction finds; `make evals` does both.

The data is not part of the project. To measure on it, put into one folder, and name that with --data:
locomo*.json   conversations of LoCoMo, https://github.com/snap-research/locomo (data/locomo10.json)
qmsum*.jsonl   meetings of QMSum, https://github.com/Yale-LILY/QMSum (a split of data/ALL/jsonl)
Without it only the demo corpus is measured.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import anyio
from rich.console import Console

from core.errors import InvalidInput, MemoryServiceError
from evals import datasets
from evals.report import ROOT, Run, as_json, show
from evals.run import Material, run
from evals.variants import OPENED, SHIPPED

#: Where the data lies unless --data names another folder; it need not be there.
_DATA: Final = ROOT.parent / "shared" / "data"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if something is below its target or could not be measured."""
    options = _options(arguments)
    out, log = Console(width=160, highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        material = _material(options.data or _DATA, named=options.data is not None)
        opened = {SHIPPED: OPENED[SHIPPED]} if options.quick else OPENED
        with ExitStack() as stack:
            home = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="remembrancer-evals-")))
            tables = anyio.run(run, home, material, opened)
    except MemoryServiceError as error:
        log.print(str(error), markup=False)
        return 1
    measured = Run.of(tables, "python -m evals")
    show(measured, out)
    if options.json:
        options.json.write_text(json.dumps(as_json(measured), indent=1) + "\n", encoding="utf-8")
    if not (material.conversations and material.meetings):
        log.print(__doc__.partition("\n\n")[2], markup=False)
    return 1 if measured.missed() else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evals", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the data sets lie")
    parser.add_argument(
        "--quick", action="store_true", help="only the service as shipped, without what it is set against"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep the memory there; again: only rank anew, embed and extract nothing",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything measured to FILE")
    return parser.parse_args(arguments)


def _material(folder: Path, *, named: bool) -> Material:
    """Return what the folder holds.

    Raises:
        InvalidInput: the folder was named and holds no data set, or it holds one twice.
    """
    spoken, met = _one(folder, "locomo*.json"), _one(folder, "qmsum*.jsonl")
    if named and spoken is None and met is None:
        raise InvalidInput(f"{str(folder)!r} holds neither locomo*.json nor qmsum*.jsonl: name the data folder.")
    return Material(
        conversations=[] if spoken is None else datasets.conversations(spoken),
        meetings=[] if met is None else datasets.qmsum(met),
    )


def _one(folder: Path, pattern: str) -> Path | None:
    found = sorted(folder.glob(pattern))
    if len(found) > 1:
        raise InvalidInput(f"{str(folder)!r} holds {len(found)} files {pattern}: leave one.")
    return found[0] if found else None


if __name__ == "__main__":
    sys.exit(main())
