"""Promises of one sentence told apart, as a text written on Tuesday 2026-03-10 makes them."""

from datetime import UTC, datetime

import pytest

from ingest.extract.local.commitments import limit
from tests.ingest.extracting import extract

TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


def promised(content: str) -> list[tuple[str, str | None, list[str]]]:
    """Return words, due day and owners of each commitment."""
    found = extract(content, context="meeting", author="Ana Berg", date="2026-03-10T09:00:00Z")
    return [
        (
            event.quote,
            None if event.due is None else event.due.date().isoformat(),
            [name for name, role in event.actors if role == "owner"],
        )
        for event in found.events
        if event.category == "Commitment"
    ]


def test_each_promise_of_a_sentence_has_its_own_words_limit_and_owner() -> None:
    """Two people with a day each are two commitments, not one with the first day."""
    assert promised("I'll send the draft by Friday and Tom will review it by the 16th.") == [
        ("I'll send the draft by Friday", "2026-03-13", ["Ana Berg"]),
        ("Tom will review it by the 16th.", "2026-03-16", ["Tom"]),
    ]


@pytest.mark.parametrize("link", ["; ", ", and ", ", but "])
def test_a_decision_and_a_promise_of_one_sentence_are_both_told(link: str) -> None:
    """Each with its own words."""
    found = extract(f"We decided to paint the gate{link}Tom will buy the paint by Friday.", context="note")
    told = {event.category: event.quote for event in found.events}
    assert told == {"Decision": "We decided to paint the gate", "Commitment": "Tom will buy the paint by Friday."}


def test_what_depends_on_something_is_not_told_without_it() -> None:
    """A clause behind a condition is none of its own."""
    assert promised("If it rains on Friday, and we will know by noon; we will move the fair inside.") == []


def test_a_promise_without_a_limit_does_not_get_that_of_another() -> None:
    """A day belongs to the clause it stands in."""
    assert promised("Maria Keller will write the report, and Tom will print it by Friday.") == [
        ("Maria Keller will write the report", None, ["Maria Keller"]),
        ("Tom will print it by Friday.", "2026-03-13", ["Tom"]),
    ]


def test_a_list_in_one_sentence_gives_each_name_its_part() -> None:
    """A verb said once counts for those who follow, and present tense with a day is a promise too."""
    assert promised("Maria will change the signs by Friday, Tom the website by the 20th.") == [
        ("Maria will change the signs by Friday", "2026-03-13", ["Maria"]),
        ("Tom the website by the 20th.", "2026-03-20", ["Tom"]),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "Maria will write it and Tom will check it, both by Friday.",
        "Once the room is free, Tom will set up the tables by Friday.",
        "Tom will ask whether Maria will come by Friday.",
        "Tom will call Maria and the bank by Friday.",
    ],
)
def test_what_is_one_promise_stays_whole(content: str) -> None:
    """A shared limit, a clause that promises nothing and a question within it part no sentence."""
    assert [(quote, due) for quote, due, _ in promised(content)] == [(content, "2026-03-13")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I will do it by the end of next week, not this week as I said", "2026-03-20"),
        ("restore it by Thursday, not by Wednesday", "2026-03-12"),
        ("finish it on Friday instead of Thursday", "2026-03-13"),
        ("the talk was moved from 3 May to 10 May", "2026-05-10"),
        ("after the 2 pm meeting on Monday, send it by Thursday", "2026-03-12"),
        ("book the crane for the week of 23 March, before Friday", "2026-03-13"),
        ("send the minutes of Monday's meeting tomorrow", "2026-03-11"),
        ("repair what broke last Friday", None),
        ("repair it before the first frost, latest 31 October", "2026-10-31"),
        ("speed it up, deadline 20 May", "2026-05-20"),
        ("send it by the 12th and call me", "2026-03-12"),
        ("move to the 12th floor", None),
        ("update the plan based on today's talk", None),
        ("mend what came up in tomorrow's rehearsal", None),
        ("write up Friday's call", None),
        ("bring the slides to tomorrow's rehearsal, based on today's talk", "2026-03-11"),
        ("have it ready for Friday's rehearsal", "2026-03-13"),
    ],
)
def test_the_limit_is_the_date_that_plainly_is_one(text: str, expected: str | None) -> None:
    """Of several dates the one counts that holds now and that a word such as "by" makes a limit."""
    found = limit(text, TUESDAY)
    assert (None if found is None else found.date().isoformat()) == expected


def test_a_row_of_a_table_is_due_when_its_own_cell_says() -> None:
    """A date in what is to be done is not the limit, and a second column "By" says when."""
    table = "| Who | What | By |\n| --- | --- | --- |\n| Maria | Prepare the 3 May demo | Fri |\n"
    assert promised(table) == [("Maria | Prepare the 3 May demo | Fri", "2026-03-13", ["Maria"])]


@pytest.mark.parametrize(
    ("task", "day"),
    [
        ("- [ ] Call the insurer ⏳ 2026-03-10 📅 2026-03-13", "2026-03-13"),
        ("- [ ] Call the insurer ➕ 2026-03-08 🛫 2026-03-15 📅 2026-03-16 🔁 every week", "2026-03-16"),
        ("- [ ] Call the insurer ⏫ ⏳ 2026-03-10", "2026-03-10"),
        ("- [ ] Call the insurer ➕ 2026-03-14", None),
        ("- [ ] Call the insurer [start:: 2026-03-10] [due:: 2026-03-13]", "2026-03-13"),
        ("- [ ] Call the insurer due:2026-03-13 created:2026-03-09", "2026-03-13"),
        ("- [ ] Call the insurer @{2026-03-13}", "2026-03-13"),
        ("- [/] Call the insurer @due(2026-03-13)", "2026-03-13"),
        ("- TODO Call the insurer\n  SCHEDULED: <2026-03-09 Mon> DEADLINE: <2026-03-12 Thu +1w>", "2026-03-12"),
        ("* TODO [#A] Call the insurer\n  SCHEDULED: <2026-03-09 Mon 10:00>", "2026-03-09"),
        ("- {{[[TODO]]}} Call the insurer [[2026-03-13]]", "2026-03-13"),
    ],
)
def test_marks_of_tasks_say_when_they_are_due(task: str, day: str | None) -> None:
    """Of Obsidian Tasks, Dataview, Kanban, todo.txt, TaskPaper, Logseq, Org and Roam."""
    (event,) = extract(f"{task}\n", context="note", date="2026-03-04").events
    assert event.category == "Commitment"
    assert (event.due and event.due.date().isoformat()) == day


@pytest.mark.parametrize(
    ("task", "category"),
    [
        ("- [x] Call the insurer ✅ 2026-03-12", "Execution"),
        ("- Call the insurer @done(2026-03-12)", "Execution"),
        ("✔ Call the insurer @done (2026-03-12)", "Execution"),
        ("- {{[[DONE]]}} Call the insurer", "Execution"),
        ("- [-] Call the insurer ❌ 2026-03-12", None),
        ("- [>] Call the insurer", None),
        ("- CANCELED Call the insurer by Friday", None),
    ],
)
def test_tasks_that_are_done_or_given_up_are_no_promises(task: str, category: str | None) -> None:
    events = extract(f"{task}\n", context="note", date="2026-03-04").events
    assert [event.category for event in events] == ([] if category is None else [category])
