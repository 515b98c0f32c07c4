"""What a search found, on one screen: how likely it answers, and around each best sentence a few marked lines."""

import re
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from core.interface.results import EventView, Recall, Result
from graph.text.term_vectors import terms
from graph.text.tokens import stems
from retrieval.scoring.excerpts import join_excerpt, select_excerpt
from retrieval.scoring.query_analysis import analyse_query
from service.display.terminal import strip_controls

#: Results on a screen unless more are asked for; those with less than this part of the first one's score are left out.
RESULTS: Final = 3
_FAR_BEHIND: Final = 0.5
#: From which `answer_likelihood` on it is said so (docs/decisions/not-in-memory.md).
_VERDICTS: Final = (
    (0.8, "Very likely answered", "green"),
    (0.5, "Probably answered", "green"),
    (0.2, "Perhaps answered", "yellow"),
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
            out.print(Padding(_event(event, passage.plain), (0, 0, 0, _INDENT)))
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


def _event(event: EventView, shown: str) -> Text:
    facts = [fact for fact in (event.status, event.due and f"due {event.due[:10]}") if fact]
    line = Text(f"→ {event.category}", style="cyan", no_wrap=True, overflow="ellipsis")
    if facts:
        line.append(f" [{', '.join(facts)}]", style="green")
    summary = " ".join(strip_controls(event.summary).split())
    return line if summary in " ".join(shown.split()) else line.append(f" {summary}", style="default")


def _rest(answer: Recall, shown: int, out: Console) -> None:
    """Say what is not on the screen and how to get it."""
    parts = []
    if (more := answer.total_count - shown) > 0 and shown:
        parts.append(f"{more} more: --limit {min(answer.total_count, max(10, len(answer.results)))}")
    if answer.related or answer.entities:
        parts.append("what is connected: --detail full")
    if shown:
        parts.append("a whole text: --id ID")
    if parts:
        out.print(f"[dim]{'; '.join(parts)}[/]")
    if answer.hint and not shown:
        out.print(f"[dim]{escape(strip_controls(answer.hint))}[/]")
