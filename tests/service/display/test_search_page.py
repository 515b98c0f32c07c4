"""What a search found fits a screen."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from core.interface.results import EventView, Recall, Result
from service.display.answers import show_search

TEXT = "\n".join(
    [
        "## Harbour",
        "",
        *(f"- Berth {number} was swept, and nobody had anything to say about it afterwards." for number in range(9)),
        "- The crane: Otto oils it each Monday, because the salt eats its cable within a fortnight.",
        *(f"- Buoy {number} was painted, and nobody had anything to say about it afterwards." for number in range(9)),
    ]
)
#: A search of more results than are shown.
FOUND = 40


def _result(number: int, score: float, text: str = TEXT) -> Result:
    given = {"date": f"2024-05-{number:02}T00:00:00Z"}
    return Result(
        f"art_{number:012}", text, "meeting", score, given, title=f"Minutes of the harbour board, no. {number}"
    )


def _printed(answer: Recall, width: int, height: int, *, is_terminal: bool = False, is_limited: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, height=height, force_terminal=is_terminal, highlight=False)
    show_search(answer, "who oils the crane", console, is_limited=is_limited)
    return out.getvalue()


def _answer(*scores: float, likelihood: float | None = 0.9) -> Recall:
    results = [_result(number, score) for number, score in enumerate(scores, 1)]
    return Recall(results=results, total_count=FOUND, answer_likelihood=likelihood)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (60, 20)])
def test_three_results_with_what_answers_fit_a_screen(width: int, height: int) -> None:
    """The verdict is on top, the sentence that answers is in each result, and the command's own line is still seen."""
    shown = _printed(_answer(3.0, 2.9, 2.8), width, height)
    lines = shown.splitlines()
    assert lines[0] == "Very likely answered (likelihood 0.90)"
    assert " ".join(shown.split()).count("The crane: Otto oils it each Monday") == 3
    assert len(lines) <= height - 2
    assert max(map(len, lines)) <= width
    assert lines[1].endswith("2024-05-01 · meeting · art_000000000001")
    assert f"{FOUND - 3} more results: --limit 10" in lines[-1]


def test_the_words_asked_for_are_marked_on_a_terminal_only() -> None:
    """Elsewhere the text is plain."""
    assert "\x1b[1;33moils\x1b[0m" in _printed(_answer(3.0), 80, 24, is_terminal=True)
    assert "\x1b" not in _printed(_answer(3.0), 80, 24)


def test_results_far_behind_are_left_out_unless_their_number_was_given() -> None:
    """A third of the first one's score is far behind."""
    answer = _answer(3.0, 2.0, 1.0)
    assert "no. 3" not in _printed(answer, 80, 24)
    assert f"{FOUND - 2} more" in _printed(answer, 80, 24)
    assert "no. 3" in _printed(answer, 80, 24, is_limited=True)


@pytest.mark.parametrize(
    ("likelihood", "verdict"),
    [(0.6, "Probably answered"), (0.3, "Perhaps answered"), (0.05, "Probably not in memory: these are the closest")],
)
def test_the_likelihood_is_said_in_words(likelihood: float, verdict: str) -> None:
    """A low one is said first."""
    assert _printed(_answer(3.0, likelihood=likelihood), 80, 24).startswith(verdict)


def test_an_event_is_shown_with_its_words() -> None:
    """In one line, also where the passage holds them: a category alone says nothing."""
    told = EventView(
        "evt_1", "Commitment", "Otto oils it each Monday", [], [], 1.0, [], due="2024-06-01", status="open"
    )
    result = _result(1, 3.0)
    shown = _printed(Recall(results=[replace(result, events=[told])], total_count=1), 80, 24)
    assert "→ Commitment [open, due 2024-06-01] Otto oils it each Monday" in shown


def test_an_empty_answer_says_why() -> None:
    """The hint stands alone."""
    assert _printed(Recall(hint="Nothing matches."), 80, 24) == "Nothing matches.\n"


def test_stored_text_is_never_markup_or_control() -> None:
    """What is stored is printed as it is, without what a terminal would obey."""
    answer = Recall(results=[_result(1, 3.0, "[bold]crane[/] \x1b[2Jswept")], total_count=1)
    assert "[bold]crane[/] [2Jswept" in _printed(answer, 80, 24)
