"""`python -m evals.minutes.understanding`: what extraction makes of real minutes, by the marks of their readers.

Each project is read with weights of the ledger that were fitted without it, and once more with those that are shipped,
which have seen it. `--misses` names what is wrong or missed, of projects left out.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from core.knowledge.findings import Category, Extraction, FoundEvent, normalise_name
from core.knowledge.ledger import SURE
from core.records import Artifact
from evals.minutes import ledger_fit
from evals.minutes.intake import artifacts
from evals.minutes.marks import DATA, OVERLAP, Mark, Marked, marked
from ingest.extract.local.extractor import LocalExtractor
from ingest.extract.local.ledger_features import LISTED
from retrieval.models.local_embedder import LocalEmbedder

#: What is right, wrong, found or missed of a kind of thing.
Count = tuple[str, str]


@dataclass(slots=True)
class Score:
    """How much of each kind is right and wrong, found and missed; `told` says what was wrong or missed."""

    counts: Counter[Count] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def add(self, kind: str, verdict: str, what: str = "") -> None:
        """Count one, and keep what it is if it should be otherwise."""
        self.counts[kind, verdict] += 1
        if what and verdict in ("wrong", "missed"):
            self.told.append(f"{verdict:6} {kind:12} {' '.join(what.split())[:150]}")

    def told_of(self, kind: str) -> int:
        """Return how many are told."""
        return self.counts[kind, "right"] + self.counts[kind, "wrong"]

    def precision(self, kind: str) -> float:
        """Return the share of what is told that is right; 0 if nothing is."""
        return _share(self.counts[kind, "right"], self.counts[kind, "wrong"])

    def recall(self, kind: str) -> float:
        """Return the share of what is marked that is found; 0 if nothing is."""
        return _share(self.counts[kind, "found"], self.counts[kind, "missed"])

    def f1(self, kind: str) -> float:
        """Return the harmonic mean of both."""
        precision, recall = self.precision(kind), self.recall(kind)
        return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


def scores(
    documents: Sequence[Marked], stored: Mapping[str, Artifact], read: Callable[[Marked, Artifact], Extraction]
) -> dict[str, Score]:
    """Return the score of each project."""
    by_project: dict[str, Score] = {}
    for document in documents:
        score, artifact = by_project.setdefault(document.project, Score()), stored[document.name]
        found = read(document, artifact)
        offset = document.offset(artifact.memory.content)
        for category, marks in zip(LISTED, (document.decisions, document.commitments), strict=True):
            _events(score, document, found, category, marks, offset)
        _entities(score, found, "person", document.people)
        _entities(score, found, "org", [_forms(name) for name in document.organisations])
    return by_project


def total(by_project: Mapping[str, Score]) -> Score:
    """Return the score of all projects together."""
    return Score(sum((score.counts for score in by_project.values()), Counter()))


def _events(
    score: Score, document: Marked, found: Extraction, category: Category, marks: Sequence[Mark], offset: int
) -> None:
    """Count what the ledger lists by default: right on a sure mark, wrong on none."""
    met: set[Mark] = set()
    for event in found.events:
        if event.category != category or event.confidence < SURE:
            continue
        start = event.near_char + offset
        on = [mark for mark in marks if mark.overlap(start, start + len(event.quote)) >= OVERLAP]
        if sure := [mark for mark in on if mark.sure]:
            score.add(category, "right")
            met.update(sure)
            if category == "Commitment":
                _whose_and_when(score, document, found, event, sure[0])
        elif not on:
            score.add(category, "wrong", event.quote)
    for mark in marks:
        if mark.sure:
            score.add(category, "found" if mark in met else "missed", document.text[mark.start : mark.end])


def _whose_and_when(score: Score, document: Marked, found: Extraction, event: FoundEvent, mark: Mark) -> None:
    owners = {form for name, role in event.actors if role == "owner" for form in _known(found, name)}
    wanted = {form for name in mark.owners for form in _meant(document, name)}
    if wanted:
        told = f"{event.quote}: {sorted(owners)}, not {sorted(wanted)}"
        score.add("owner", "right" if owners & wanted else "wrong", told)
    if mark.due or event.due:
        day = event.due.date().isoformat() if event.due else "none"
        score.add(
            "due",
            "right" if mark.due and day.startswith(mark.due) else "wrong",
            f"{event.quote}: {day}, not {mark.due}",
        )


def _entities(score: Score, found: Extraction, kind: str, wanted: Sequence[Collection[str]]) -> None:
    """Count entities of a type: right if one of its names is a form of a wanted one."""
    forms, met = [{_plain(form) for form in one} for one in wanted], set[int]()
    for entity in found.entities:
        if entity.type == kind:
            names = {_plain(name) for name in (entity.name, *entity.aliases)}
            on = {at for at, one in enumerate(forms) if one & names}
            met |= on
            score.add(kind, "right" if on else "wrong", entity.name)
    for at, one in enumerate(forms):
        score.add(kind, "found" if at in met else "missed", ", ".join(sorted(one)))


def _known(found: Extraction, name: str) -> set[str]:
    """Return all names of whom the extraction calls so."""
    forms = {_plain(name)}
    for entity in found.entities:
        names = {_plain(one) for one in (entity.name, *entity.aliases)}
        if _plain(name) in names:
            forms |= names
    return forms


def _meant(document: Marked, name: str) -> set[str]:
    """Return all forms of whom the readers call so."""
    forms = {_plain(name)}
    for person in document.people:
        if _plain(name) in map(_plain, person):
            forms |= set(map(_plain, person))
    return forms


def _forms(organisation: str) -> frozenset[str]:
    """Return an organisation's name, and both of "Node.js Technical Steering Committee (TSC)"."""
    name, _, acronym = organisation.removesuffix(")").partition(" (")
    return frozenset({organisation, name, acronym} - {""})


def _plain(name: str) -> str:
    return normalise_name(name).lstrip("@").removeprefix("the ")


def _share(some: int, others: int) -> float:
    return some / (some + others) if some else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the scores; the exit code is always 0."""
    parser = argparse.ArgumentParser(prog="python -m evals.minutes.understanding", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where the minutes lie")
    parser.add_argument("--misses", action="store_true", help="name what is wrong or missed")
    options = parser.parse_args(arguments)
    out, documents, stored = Console(width=160, highlight=False), marked(options.data), artifacts(options.data)
    embedder, weights = LocalEmbedder(), ledger_fit.by_project(documents, stored)
    apart = {project: LocalExtractor(embedder, ledger=one) for project, one in weights.items()}
    left_out = scores(documents, stored, lambda one, artifact: apart[one.project].extract(artifact))
    shipped = LocalExtractor(embedder)
    seen = scores(documents, stored, lambda _, artifact: shipped.extract(artifact))
    out.print(_table("Each project left out of the fit", left_out), _table("In-sample", seen))
    for project, score in left_out.items() if options.misses else ():
        out.print(project, *score.told, sep="\n  ", markup=False)
    return 0


def _table(title: str, by_project: Mapping[str, Score]) -> Table:
    """Return precision and recall of events, F1 of entities, and how many owners and dues are right."""
    table = Table("project", *LISTED, "owner", "due", "persons", "organisations", title=title)
    for name, score in {**by_project, "all": total(by_project)}.items():
        events = (f"{score.precision(kind):.2f} / {score.recall(kind):.2f}" for kind in LISTED)
        told = (f"{score.counts[kind, 'right']} of {score.told_of(kind)}" for kind in ("owner", "due"))
        table.add_row(name, *events, *told, *(f"{score.f1(kind):.2f}" for kind in ("person", "org")))
    return table


if __name__ == "__main__":
    sys.exit(main())
