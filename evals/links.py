"""`python -m evals.links`: the links that the ledger makes between real minutes, and how many of them hold.

All documents of the folder go into one memory. A link that changes a status is judged by a careful reader, once: the
verdicts are in `links_judged.json`, by document and place. `--list` prints every link with both sentences, `--keep`
keeps the memory. The explicit links of `links_explicit.yaml`, which we wrote, must all be found.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from rich.console import Console

from core.dates import now
from core.filters import Filters
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion
from core.interface.memory import Memory
from core.knowledge.findings import EventLink
from evals.minutes.documents import minutes
from evals.minutes.marks import DATA
from evals.run import embedded
from evals.variants import OPENED, SHIPPED
from ingest.intake.files import ingest
from ingest.ledger.links import certain_link, statements_of
from ingest.ledger.statements import Statement
from service.app import App
from service.display.reports import progress_bar

_PROJECT: Final = "links"
_HERE: Final = Path(__file__).parent
_JUDGED: Final = _HERE / "links_judged.json"
_EXPLICIT: Final = _HERE / "links_explicit.yaml"
_ALL: Final = 1_000_000
#: Shares of judged links that hold, and of explicit ones that are found, at least.
_HOLD, _FOUND = 0.9, 0.9


@dataclass(frozen=True, slots=True)
class Found:
    """A link with both events and its reason; `key` names it by documents and places, whatever the ids are."""

    link: EventLink
    later: Statement
    earlier: Statement
    key: str
    reason: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the shares; the exit code is 1 if one is below its target or a link is not judged."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.links", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where the minutes lie")
    parser.add_argument("--list", action="store_true", help="print every link with its sentences")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the memory there, and use it again")
    parser.add_argument("--explicit", action="store_true", help="only the explicit links, without the folder")
    options = parser.parse_args(arguments)
    out = Console(width=160, highlight=False)
    missed = list(missed_links())
    number = len(_explicit())
    out.print(f"explicit: {number - len(missed)} of {number} found", *missed, sep="\n  ", markup=False)
    good = number - len(missed) >= _FOUND * number
    if not options.explicit:
        with ExitStack() as stack:
            home = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="remembrancer-evals-")))
            found = links(options.data, home)
        good &= _told(found, out, whole=options.list)
    return 0 if good else 1


def links(folder: Path, home: Path) -> list[Found]:
    """Return every link that changes a status, of all documents in one memory."""
    with OPENED[SHIPPED](embedded(home)) as app:
        documents = minutes(folder).documents
        names = {document.path.resolve().as_posix(): document.name for document in documents}
        with progress_bar("Reading", len(documents)) as advance:
            for document in documents:
                for _ in ingest([document.path], _PROJECT, context=None, records=app.store, tokenizer=app.tokenizer):
                    pass
                advance(1)
        items = app.store.newest(_PROJECT, Filters(at=now()), _ALL)
        unread = [item for item in items if not app.store.events_of(_PROJECT, [item.id], 1)]
        with progress_bar("Extracting", len(unread)) as advance:
            for item in unread:
                app.worker.extract(_PROJECT, item.id)
                advance(1)
        return sorted(_found(app, names), key=lambda one: one.key)


def _found(app: App, names: Mapping[str, str]) -> Iterator[Found]:
    kinds = ["Decision", "Commitment"]
    events = app.store.list_events(_PROJECT, kinds, Filters(at=now()), _ALL)  # type: ignore[arg-type] # two categories
    made = app.store.event_links(_PROJECT, [event.id for event in events])
    statements = statements_of(_PROJECT, {end for link in made for end in (link.source, link.target)}, app.store)
    for link in made:
        later, earlier = statements[link.source], statements[link.target]
        why = certain_link(later, earlier)
        key = " ".join([link.relation, *(_place(one, names) for one in (later, earlier))])
        yield Found(link, later, earlier, key, "?" if why is None else why[3])


def _place(one: Statement, names: Mapping[str, str]) -> str:
    return f"{names.get(one.origin.file_path or '', one.origin.artifact_id)}:{one.start_char}"


def _told(found: Sequence[Found], out: Console, *, whole: bool) -> bool:
    judged: dict[str, bool] = json.loads(_JUDGED.read_text(encoding="utf-8"))
    verdicts = Counter((one.reason, judged.get(one.key)) for one in found)
    for one in found if whole else (one for one in found if one.key not in judged):
        out.print(f"{one.key}  [{one.reason}] {judged.get(one.key)}", markup=False)
        for side in (one.later, one.earlier):
            out.print(f"    {side.time.date()} {' '.join(side.event.evidence[0].quote.split())[:300]}", markup=False)
    for reason in sorted({reason for reason, _ in verdicts}):
        right, wrong, open_ = (verdicts[reason, verdict] for verdict in (True, False, None))
        out.print(f"{reason}: {right} hold, {wrong} do not, {open_} not judged")
    right, wrong = (sum(judged.get(one.key) is verdict for one in found) for verdict in (True, False))
    out.print(f"all: {right} of {right + wrong} judged links hold, {len(found)} made")
    return right >= _HOLD * (right + wrong) and right + wrong == len(found)


def _explicit() -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = yaml.safe_load(_EXPLICIT.read_text(encoding="utf-8"))
    return told


def missed_links() -> Iterator[str]:
    """Yield which of the explicit links the service does not make; each is a memory of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="remembrancer-evals-") as home,
        OPENED[SHIPPED](embedded(Path(home))) as app,
    ):
        for number, pair in enumerate(_explicit()):
            project = f"explicit-{number}"
            for text in (pair["earlier"], pair["later"]):
                app.remember(Memory(**{"context": "meeting", **text}), project)
            app.worker.drain()
            decided = app.decisions(DecisionsQuestion(status="all"), project).items
            statuses = {item.status for item in (*decided, *app.commitments(CommitmentsQuestion(), project).items)}
            if pair["status"] not in statuses:
                yield f"{number}: {pair['later']['content'][:100]!r} leaves {sorted(filter(None, statuses))}"


if __name__ == "__main__":
    sys.exit(main())
