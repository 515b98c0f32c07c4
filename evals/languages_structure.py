"""`python -m evals.languages_structure`: are dates, tasks, decisions, people and mail headers of ten languages read?

The 260 cases of `languages_structure.yaml` were written for this, 26 a language; those marked `aside` before the reader
was, and nobody looked at them until it was done. A case is right if all that it expects is read, and with `only`
nothing else is listed. Of the 24 minutes in `languages_minutes.yaml`, made up as well, what is listed
should be right.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import yaml
from rich.console import Console

from core.dates import parse_filter
from core.errors import InvalidInput
from core.interface.memory import Memory
from core.knowledge.findings import Extraction
from core.records import Artifact
from evals.figures import Figure, Row, Table
from evals.report import Run, show
from ingest.document.dates import item_date
from ingest.extract.local.extractor import LocalExtractor

#: The written cases.
CASES: Final = Path(__file__).with_suffix(".yaml")
#: Minutes in German, French and Spanish with what is right in them.
_MINUTES: Final = Path(__file__).with_name("languages_minutes.yaml")
_TARGET, _PRECISION = 0.95, 0.85
_LISTED: Final = ("Decision", "Commitment")


def misses(case: Mapping[str, Any]) -> Iterator[str]:
    """Yield what of a case is not as it expects."""
    if "ask" in case:
        at = datetime.combine(case["at"], datetime.min.time(), UTC)
        try:
            found = [parse_filter(case["ask"], field="date", at=at, end_of_day=end).date() for end in (False, True)]
        except InvalidInput:
            found = []
        if found != case["days"]:
            yield f"{case['ask']}: {found}"
        return
    if "date" in case:
        told = item_date(case["text"])
        if told is None or told.iso != case["date"].isoformat():
            yield f"the day is {told}"
    extraction = _extract(case)
    events = [event for event in extraction.events if event.category in _LISTED]
    for quote in case.get("decisions", ()):
        if not any(event.category == "Decision" and quote in event.quote for event in events):
            yield f"no decision {quote}"
    for quote, owner, due in case.get("tasks", ()):
        fitting = [event for event in events if event.category == "Commitment" and quote in event.quote]
        told_of = [([n for n, role in one.actors if role == "owner"], one.due and one.due.date()) for one in fitting]
        if ([owner], due) not in told_of:
            yield f"{quote}: {told_of}"
    names = {entity.name for entity in extraction.entities if entity.type == "person"}
    if not set(case.get("people", ())) <= names:
        yield f"people {sorted(names)}"
    expected = len(case.get("decisions", ())) + len(case.get("tasks", ()))
    if case.get("only") and len(events) > expected:
        yield f"listed {[event.quote for event in events]}"


def minutes_tables(*, is_shown: bool, console: Console) -> list[Table]:
    """Return how many of the decisions and promises listed in minutes are right, and how many right ones are listed."""
    rows: dict[str, list[Figure]] = {"listed that are right": [], "right that are listed": []}
    texts: dict[str, list[dict[str, Any]]] = yaml.safe_load(_MINUTES.read_text(encoding="utf-8"))
    for language, some in texts.items():
        precise, found = [], []
        for case in some:
            listed = [event.quote for event in _extract(case).events if event.category in _LISTED]
            precise += [float(any(one in quote for one in case["right"])) for quote in listed]
            found += [float(any(one in quote for quote in listed)) for one in case["right"]]
            if is_shown:
                wrong = [quote for quote in listed if not any(one in quote for one in case["right"])]
                missed = [one for one in case["right"] if not any(one in quote for quote in listed)]
                console.print(f"{language}: wrong {wrong}, missed {missed}", markup=False)
        rows["listed that are right"].append(Figure(language, tuple(precise), _PRECISION))
        rows["right that are listed"].append(Figure(language, tuple(found)))
    count = sum(map(len, texts.values()))
    return [Table(f"Minutes, {name}", f"{count} texts.", (Row("share", tuple(one)),)) for name, one in rows.items()]


def _extract(case: Mapping[str, Any]) -> Extraction:
    written: date = case.get("written", date(2026, 5, 4))
    memory = Memory(content=case["text"], context=case.get("context", "meeting"), date=written.isoformat())
    at = datetime.combine(written, datetime.min.time(), UTC)
    artifact = Artifact(
        id="art_1", project_id="default", memory=memory, fingerprint="", happened_at=at, created_at=at, updated_at=at,
        last_occurred=at, token_count=1, num_chunks=1,
    )  # fmt: skip
    return LocalExtractor().extract(artifact)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if something is below its target."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.languages_structure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--misses", action="store_true", help="show what of which case is wrong")
    chosen = parser.parse_args(arguments)
    console = Console(width=160, highlight=False)
    cases: dict[str, list[dict[str, Any]]] = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    tables = []
    for name, aside in (("Structure, cases written with the reader", False), ("Structure, cases written before", True)):
        figures = []
        for language, some in cases.items():
            wrong = {at: list(misses(one)) for at, one in enumerate(some, 1) if bool(one.get("aside")) is aside}
            figures.append(Figure(language, tuple(float(not found) for found in wrong.values()), _TARGET))
            if chosen.misses:
                console.print(*(f"{language} {at}: {one}" for at, found in wrong.items() for one in found), sep="\n")
        count = sum(len(one.values) for one in figures)
        if count:
            tables.append(Table(name, f"{count} cases.", (Row("right", tuple(figures)),)))
    tables += minutes_tables(is_shown=chosen.misses, console=console)
    run = Run.of(tables, "python -m evals.languages_structure")
    show(run, console)
    return 1 if run.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
