"""Printing of decisions and commitments."""

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from core.interface.ledger_results import Cause, LedgerAnswer, LedgerItem
from service.display.terminal import console, plain, quoted


def show(answer: LedgerAnswer | LedgerItem, to: Console | None = None) -> None:
    """Print a page, or one item."""
    out = to or console()
    if isinstance(answer, LedgerItem):
        _item(answer, out)
        return
    for item in answer.items:
        _item(item, out)
    if answer.total_count or not answer.hint:
        out.print(f"[dim]{len(answer.items)} of {answer.total_count}[/]")
    if answer.hint:
        out.print(f"[dim]{escape(answer.hint)}[/]")


def _item(item: LedgerItem, out: Console) -> None:
    line = Text(f"{plain(item.summary)} ", style="bold")
    facts = [item.status, "overdue" if item.overdue else None, f"due {item.due[:10]}" if item.due else None]
    line.append(f"[{', '.join(fact for fact in facts if fact)}] ", style="red" if item.overdue else "green")
    line.append(", ".join([*(plain(name) for name in item.owners), (item.event_time or "")[:10], item.id]), style="dim")
    out.print(line)
    for quote in item.evidence:
        out.print(Padding(quoted(quote), (0, 0, 0, 3)))
    for word, cause in (
        ("superseded", item.superseding),
        ("kept", item.completed_by),
        ("cancelled", item.cancelled_by),
    ):
        if cause is not None:
            _cause(word, cause, out)
    for declared in item.history or ():
        note = f": {plain(declared.note)}" if declared.note else ""
        out.print(Padding(Text(f"declared {declared.status} on {declared.at[:10]}{note}", style="dim"), (0, 0, 0, 3)))


def _cause(word: str, cause: Cause, out: Console) -> None:
    day = f" on {cause.event_time[:10]}" if cause.event_time else ""
    line = Text(f"{word}{day}: ", style="yellow")
    line.append_text(quoted(cause.evidence[0]))
    out.print(Padding(line, (0, 0, 0, 3)))
