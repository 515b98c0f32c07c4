"""`python -m evals.recipients`: who promises what to whom, in forty sentences that were made for this.

Each is a memory of its own. A recipient is right if `commitments(recipient=…)` would list the promise under that name,
and wrong if another one is told; where the sentence names none, any is wrong.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from rich.console import Console

from core.interface.ledger import CommitmentsQuestion
from core.interface.memory import Memory
from evals.run import embedded
from evals.variants import OPENED, SHIPPED

_SENTENCES: Final = Path(__file__).with_suffix(".yaml")
_DAY: Final = "2026-03-04"
#: Share of right recipients, at least.
_RIGHT: Final = 0.8


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the shares; the exit code is 1 if recipients are below their target."""
    parser = argparse.ArgumentParser(prog="python -m evals.recipients", description=__doc__)
    parser.add_argument("--misses", action="store_true", help="name the sentences that are read wrongly")
    options = parser.parse_args(arguments)
    out, sentences = Console(width=160, highlight=False), yaml.safe_load(_SENTENCES.read_text(encoding="utf-8"))
    found = list(_read(sentences))
    number = len(sentences)
    owners = sum(one["owner"] in told or (not one["owner"] and not told) for one, told, _ in found)
    right = sum(one["to"] in told or (not one["to"] and not told) for one, _, told in found)
    out.print(f"promises: {sum(bool(owners or to) for _, owners, to in found)} of {number} listed with somebody")
    out.print(f"owner: {owners} of {number} right", f"recipient: {right} of {number} right", sep="\n")
    for one, told, to in found if options.misses else ():
        if {one["owner"], one["to"]} - {*told, *to, ""} or (to and not one["to"]) or (told and not one["owner"]):
            out.print(f"{one['text']}  {told} -> {to}", markup=False)
    return 0 if right >= _RIGHT * number else 1


def _read(sentences: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[str], list[str]]]:
    """Yield each sentence with the owners and the recipients that the ledger lists."""
    with (
        tempfile.TemporaryDirectory(prefix="remembrancer-evals-") as home,
        OPENED[SHIPPED](embedded(Path(home))) as app,
    ):
        for number, one in enumerate(sentences):
            memory = Memory(content=one["text"], context="note", date=_DAY, author=one.get("author"))
            app.remember(memory, f"recipients-{number}")
        app.worker.drain()
        for number, one in enumerate(sentences):
            items = app.commitments(CommitmentsQuestion(), f"recipients-{number}").items
            owners = [name for item in items for name in item.owners]
            yield one, owners, [name for item in items for name in item.recipients]


if __name__ == "__main__":
    sys.exit(main())
