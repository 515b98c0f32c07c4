"""Printing of answers: a page of search results, and tables of decisions and commitments."""

import re
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from core.interface.ledger import Cause, LedgerAnswer, LedgerItem
from core.interface.results import UNLIKELY, VERY_LIKELY, EventView, Recall, Result
from graph.text.term_vectors import terms
from graph.text.tokens import stems
from retrieval.scoring.excerpts import join_excerpt, select_excerpt
from retrieval.scoring.query_analysis import analyse_query
from service.display.terminal import format_quote, make_console, strip_controls

#: Results on a screen unless more are asked for; those with less than this part of the first one's score are left out.
RESULTS: Final = 3
_FAR_BEHIND: Final = 0.5
#: From which `answer_likelihood` on it is said so (docs/decisions/not-in-memory.md).
_VERDICTS: Final = (
    (VERY_LIKELY, "Very likely answered", "green"),
    (0.5, "Probably answered", "green"),
    (UNLIKELY, "Perhaps answered", "yellow"),
    (0.0, "Probably not in memory: these are the closest matches", "red"),
)
#: Lines of a screen that are not results: the command, the summary, the note on omissions, and the next prompt.
_FRAME: Final = 4
#: Fewest and most lines of a passage, and how far one is indented, in columns.
_FEWEST, _MOST, _INDENT = 3, 12, 3
_WORD: Final = re.compile(r"[^\W_]+")


def show_search(answer: Recall, query: str, out: Console, *, is_limited: bool = False) -> None:
    """Print an answer to a query; results far behind the first only if the number of results `is_limited` by the user.

    A passage is shown by the sentences that answer best, in so many lines that all of it fits on the screen.
    """
    words = analyse_query(query).words
    shown = list(answer.results) if is_limited else _near_the_first(answer.results)
    _verdict(answer, out)
    events = [(result.events or [])[:1] for result in shown]
    lines = _lines(len(shown), out.size.height - _FRAME - len(shown) - sum(map(len, events)))
    for number, (result, most) in enumerate(zip(shown, lines, strict=True), 1):
        out.print(_header(number, result, out.size.width))
        passage = _passage(strip_controls(result.content), words, out, most)
        out.print(Padding(passage, (0, 0, 0, _INDENT)))
        for event in events[number - 1]:
            out.print(Padding(_event(event), (0, 0, 0, _INDENT)))
    _rest(answer, len(shown), out)


def _near_the_first(results: Sequence[Result]) -> list[Result]:
    return [one for one in results[:RESULTS] if one.score >= _FAR_BEHIND * results[0].score]


def _verdict(answer: Recall, out: Console) -> None:
    if answer.degraded:
        out.print(f"[yellow]Not available for this answer: {', '.join(answer.degraded)}[/]")
    if not answer.results or answer.answer_likelihood is None:
        return
    likelihood = answer.answer_likelihood
    said, colour = next((said, colour) for least, said, colour in _VERDICTS if likelihood >= least)
    out.print(f"[{colour}]{said}[/] [dim](likelihood {likelihood:.2f})[/]")


def _lines(count: int, left: int) -> list[int]:
    """Return the most lines of each passage: the first has half of what is left on the screen, and all have some."""
    first = left if count == 1 else -(-left // 2)
    others = (left - first) // max(1, count - 1)
    return [min(_MOST, max(_FEWEST, most)) for most in (first, *([others] * (count - 1)))][:count]


def _width(out: Console) -> int:
    return max(20, out.size.width - _INDENT)


def _header(number: int, result: Result, width: int) -> Text:
    day = result.date or result.metadata.get("date") or result.metadata.get("document_date")
    facts = "  " + " · ".join([*([str(day)[:10]] if day else []), result.context, result.id])
    name = str(result.title or result.author or result.metadata.get("author") or result.context)
    line = Text(f"{number}. {strip_controls(name)}", style="bold")
    line.truncate(max(12, width - len(facts)), overflow="ellipsis")
    return line.append(facts, style="not bold dim")


def _passage(text: str, words: Sequence[str], out: Console, most: int) -> Text:
    """Return the sentences around the best one, as many as the lines hold, the query's words marked."""
    worth, width = dict.fromkeys((term for word in words for term in terms(word)), 1.0), _width(out)
    for lines in range(most, 0, -1):
        spans = select_excerpt(text, worth, length=lines * width, width=width)
        passage = Text(re.sub(r"\n\s*\n", "\n", join_excerpt(text, spans)).rstrip())
        wrapped = passage.wrap(out, width)
        if len(wrapped) <= most:
            break
    else:
        passage = Text("\n").join(wrapped[:most]).append(" …")
    asked = {stem for word in words for stem in stems(word)}
    for word in _WORD.finditer(passage.plain):
        if asked.intersection(stems(word[0])):
            passage.stylize("bold yellow", word.start(), word.end())
    return passage


def _event(event: EventView) -> Text:
    facts = [fact for fact in (event.status, event.due and f"due {event.due[:10]}") if fact]
    line = Text(f"→ {event.category}", style="cyan", no_wrap=True, overflow="ellipsis")
    if facts:
        line.append(f" [{', '.join(facts)}]", style="green")
    summary = " ".join(strip_controls(event.summary).split())
    return line.append(f" {summary}", style="default")


def _rest(answer: Recall, shown: int, out: Console) -> None:
    """Say what is not on the screen and how to get it."""
    parts = []
    if (more := answer.total_count - shown) > 0 and shown:
        parts.append(f"{more} more results: --limit {min(answer.total_count, max(10, len(answer.results)))}")
    if answer.related or answer.entities:
        parts.append("related decisions and people: --detail full")
    if shown:
        parts.append("the whole text: --id ID")
    if parts:
        out.print(f"[dim]{'; '.join(parts)}[/]")
    if answer.hint and not shown:
        out.print(f"[dim]{escape(strip_controls(answer.hint))}[/]")


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
