"""What became of the files that were ingested: a table at the end, or a line of JSON for each and one for all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.interface.results import describe_unread_languages
from ingest.intake.files import FileOutcome, IntakeTally
from ingest.intake.known_files import DeletedFile
from ingest.intake.unread_texts import UnreadTexts
from ingest.readers import Walk
from service.display.terminal import make_console

#: Files of one kind that the table names.
_NAMED: Final = 10
#: Why files are passed over of which the table gives only the number.
_BY_DESIGN: Final = frozenset({"generated", "ignored", "media", "not selected", "templates"})


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeReport:
    """The report of one call; `forgotten` counts the items that no file contains any more."""

    tally: IntakeTally
    found: Walk
    unread: UnreadTexts
    departed: Sequence[DeletedFile] = ()
    forgotten: int = 0
    is_rehearsal: bool = False

    @property
    def num_taken(self) -> int:
        """How many items the memory has of these files."""
        return self.tally.stored + self.tally.updated + self.tally.unchanged

    def fields(self) -> Mapping[str, Any]:
        """Return the last line of the JSON."""
        return {
            "files": len(self.found.files),
            "stored": self.tally.stored,
            "updated": self.tally.updated,
            "unchanged": self.tally.unchanged,
            "blank": len(self.tally.blank),
            "empty": list(self.tally.blank),
            "refused": len(self.tally.refused),
            "skipped": dict(self.found.skipped),
            "skipped_files": {path.as_posix(): reason for path, reason in self.found.passed_over.items()},
            "left_out": dict(self.tally.left_out),
            "unread_rules": list(self.found.unread_rules),
            "unread_languages": dict(self.unread.languages),
            "gone": [asdict(one) for one in self.departed],
            "forgotten": self.forgotten,
            "dry_run": self.is_rehearsal,
        }

    def show(self, to: Console | None = None) -> None:
        """Print the table."""
        table = Table.grid(padding=(0, 2))
        table.add_column()
        table.add_column(overflow="fold")
        for name, what in self._rows():
            table.add_row(Text(name, style="bold"), Text(what))
        (to or make_console()).print(table)

    def _rows(self) -> Iterator[tuple[str, str]]:
        tally = self.tally
        yield "items", f"{tally.stored} stored, {tally.updated} updated, {tally.unchanged} unchanged"
        blank = f", {len(tally.blank)} empty" if tally.blank else ""
        skipped = f"; skipped: {_listed(self.found.skipped)}" if self.found.skipped else ""
        yield "files", f"{len(self.found.files)} found{blank}{skipped}"
        yield from _cut("empty", [f"{path}: it holds no text" for path in tally.blank])
        passed = ((path, why) for path, why in self.found.passed_over.items() if why.split(" (")[0] not in _BY_DESIGN)
        yield from _cut("skipped", [f"{path}: {why}" for path, why in passed])
        if tally.left_out:
            yield "left out", f"{_listed(tally.left_out)} in archives, mails and exports"
        yield from _cut("moved", [f"{one.path} is now {one.moved_to}" for one in self.departed if one.moved_to])
        going = [one for one in self.departed if one.kept is None]
        yield from _cut("gone", [_counted(one) for one in going if not one.moved_to and not one.is_there])
        yield from _cut("no longer said", [_counted(one) for one in going if one.is_there])
        if going:
            count = sum(len(one.ids) for one in going) if self.is_rehearsal else self.forgotten
            yield "forgotten", f"{count} item{'s' * (count != 1)}{' if it were no dry run' * self.is_rehearsal}"
        kept = [one for one in self.departed if one.kept is not None]
        yield from _cut("gone, kept", [f"{_counted(one)}: {one.kept}" for one in kept if not one.is_there])
        yield from _cut("not found, kept", [f"{_counted(one)}: {one.kept}" for one in kept if one.is_there])
        yield from _cut("unread", [*tally.unread, *self.found.unread_rules])
        if self.unread.languages:
            yield "languages", describe_unread_languages(self.unread.languages)
        if tally.claiming:
            claims = "files name a key, scope, author, rule context or manual source of their own"
            yield "claims", f"{tally.claiming} {claims}: kept in metadata, and counts with --trust."
        yield from _cut("refused", tally.refused)
        if self.is_rehearsal:
            yield "", "Nothing was stored: this was a dry run."


def outcome_fields(outcome: FileOutcome) -> Mapping[str, Any]:
    """Return the line of JSON for one file."""
    counts = {name: getattr(outcome, name) for name in ("stored", "updated", "unchanged")}
    left_out = [asdict(part) for part in outcome.left_out]
    return {"file": outcome.path.as_posix(), **counts, "refused": outcome.refused, "left_out": left_out}


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.items())


def _counted(one: DeletedFile) -> str:
    return f"{one.path} ({len(one.ids)} item{'s' * (len(one.ids) != 1)})"


def _cut(name: str, entries: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, entry in enumerate(entries[:_NAMED]):
        yield name if number == 0 else "", entry
    if len(entries) > _NAMED:
        yield "", f"… and {len(entries) - _NAMED:,} more: --json names all"
