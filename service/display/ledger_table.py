"""Printing of decisions and commitments: a table of when, who and what, or each with all that is known of it."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from core.interface.ledger_results import Cause, LedgerAnswer, LedgerItem
from service.display.terminal import format_quote, make_console, strip_controls

#: Columns of a console from which ids are shown, the width of a column, of names as of ids, and between two of them.
_WIDE, _NAMES, _GAP = 100, 16, 2
#: The order of the statuses of commitments; overdue ones come first.
_FIRST: Final = ("open", "done", "cancelled")
_COLOURS: Final = {"open": "yellow", "done": "green", "cancelled": "dim", "superseded": "dim", "withdrawn": "dim"}


def show(answer: LedgerAnswer | LedgerItem, to: Console | None = None, *, whole: bool = False) -> None:
    """Print a page, as a table unless it is asked for as a whole, or one item."""
    out = to or make_console()
    if isinstance(answer, LedgerItem):
        _item(answer, out)
        return
    if whole:
        for item in answer.items:
            _item(item, out)
    elif answer.items:
        out.print(_table(answer.items, out.width))
    if answer.total_count or not answer.hint:
        rest = "" if whole or not answer.items else " · with quotes and ids: --detail full"
        out.print(f"[dim]{_count(answer)}{rest}[/]")
    if answer.hint:
        out.print(f"[dim]{escape(answer.hint)}[/]")


def _count(answer: LedgerAnswer) -> str:
    overdue = sum(bool(item.overdue) for item in answer.items)
    return f"{len(answer.items)} of {answer.total_count}" + (f", {overdue} overdue" if overdue else "")


def _table(items: Sequence[LedgerItem], width: int) -> Table:
    """Return a line an item, overdue ones first; a status is shown where they differ, ids where there is room."""
    promised = any(item.category == "Commitment" for item in items)
    rows = [
        {
            "due" if promised else "decided": Text(_day(item), style="bold red" if item.overdue else ""),
            "owner" if promised else "by": Text(_line(", ".join(item.owners))),
            "status": Text(item.status or "", style=_COLOURS.get(item.status or "", "")),
            "what": Text(_line(item.summary)),
            "id": Text(item.id, style="dim"),
        }
        for item in (sorted(items, key=_rank) if promised else items)
    ]
    hidden = {"id": width < _WIDE, "status": len({item.status for item in items}) < 2}
    names = [name for name in rows[0] if not hidden.get(name)]
    widths = {name: min(_NAMES, max(len(name), *(row[name].cell_len for row in rows))) for name in names}
    widths["what"] = max(_NAMES, width - sum(widths[name] + _GAP for name in names if name != "what"))
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for name in names:
        table.add_column(name, no_wrap=True, width=widths[name])
    for row in rows:
        for name in names:
            row[name].truncate(widths[name], overflow="ellipsis")
        table.add_row(*(row[name] for name in names))
    return table


def _day(item: LedgerItem) -> str:
    return ((item.due if item.category == "Commitment" else item.event_time) or "")[:10]


def _rank(item: LedgerItem) -> tuple[bool, int, bool, str]:
    """Return the sort key of a commitment: overdue, then open ones by due date; the others keep their order."""
    rank = _FIRST.index(item.status) if item.status in _FIRST else len(_FIRST)
    return not item.overdue, rank, item.due is None, item.due or ""


def _line(text: str) -> str:
    return strip_controls(" ".join(text.split()))


def _item(item: LedgerItem, out: Console) -> None:
    line = Text(f"{strip_controls(item.summary)} ", style="bold")
    facts = [item.status, "overdue" if item.overdue else None, f"due {item.due[:10]}" if item.due else None]
    line.append(f"[{', '.join(fact for fact in facts if fact)}] ", style="red" if item.overdue else "green")
    line.append(
        ", ".join([*(strip_controls(name) for name in item.owners), (item.event_time or "")[:10], item.id]),
        style="dim",
    )
    out.print(line)
    for quote in item.evidence:
        out.print(Padding(format_quote(quote), (0, 0, 0, 3)))
    for word, cause in (
        ("superseded", item.superseding),
        ("kept", item.completed_by),
        ("cancelled", item.cancelled_by),
    ):
        if cause is not None:
            _cause(word, cause, out)
    for declared in item.history or ():
        note = f": {strip_controls(declared.note)}" if declared.note else ""
        out.print(Padding(Text(f"declared {declared.status} on {declared.at[:10]}{note}", style="dim"), (0, 0, 0, 3)))


def _cause(word: str, cause: Cause, out: Console) -> None:
    day = f" on {cause.event_time[:10]}" if cause.event_time else ""
    line = Text(f"{word}{day}: ", style="yellow")
    line.append_text(format_quote(cause.evidence[0]))
    out.print(Padding(line, (0, 0, 0, 3)))
