"""When something happened, by the words of a report written on Tuesday 2026-03-10."""

import pytest

from tests.ingest.extracting import extract


def days(content: str, category: str, **fields: object) -> list[str]:
    """Return the days of the events of one category."""
    events = extract(content, **fields).events
    return [event.event_time.date().isoformat() for event in events if event.event_time and event.category == category]


@pytest.mark.parametrize(
    ("content", "day"),
    [
        ("Ana sent the contract to Legal yesterday.", "2026-03-09"),
        ("Ana sent the contract to Legal the day before yesterday.", "2026-03-08"),
        ("Ana sent the contract to Legal last night.", "2026-03-09"),
        ("Ana sent the contract to Legal on Friday.", "2026-03-06"),
        ("Ana sent the contract to Legal on the 20th.", "2026-02-20"),
        ("Ana sent the contract to Legal on the 4th.", "2026-03-04"),
        ("On 28 November Ana sent the contract to Legal.", "2025-11-28"),
        ("Ana sent the contract to Legal three days ago.", "2026-03-07"),
        ("Ana finished the report on 3 March; the review follows on 12 March.", "2026-03-03"),
    ],
)
def test_a_report_happened_on_the_past_day_that_it_names(content: str, day: str) -> None:
    """Told as past, "Friday" is the last one, and a day and month those gone by."""
    assert days(content, "Execution") == [day]


@pytest.mark.parametrize(
    "content",
    [
        "Ana sent the minutes of 3 March to Legal.",
        "Ana finished the slides of Monday's meeting.",
        "Ana sent the contract that is due on Friday.",
        "Ana sent the contract, and it will be signed on Friday.",
        "Ana sent the contract to Legal last week.",
        "Ana sent the contract to Legal.",
    ],
)
def test_without_such_a_day_it_happened_when_it_was_written(content: str) -> None:
    """A date that tells of which thing, of a limit or of what is to come, is not the day of the deed."""
    assert days(content, "Execution") == ["2026-03-10"]


@pytest.mark.parametrize(
    ("content", "day"),
    [
        ("On 3 March the board decided to buy the barn.", "2026-03-03"),
        ("We decided on Friday to open the shop on 2 March.", "2026-03-06"),
        ("We decided to open the shop on Friday.", "2026-03-10"),
        ("It was agreed that the price of 2 March stays.", "2026-03-10"),
    ],
)
def test_of_what_is_decided_only_the_day_of_deciding_counts(content: str, day: str) -> None:
    """The ledger orders decisions by it: a day in what was decided would put one before another."""
    assert days(content, "Decision", context="meeting") == [day]


def test_the_next_day_follows_what_was_told_before() -> None:
    """Of one paragraph."""
    content = "On 3 March the cellar was flooded. Ana repaired the pump the next day.\n\nBo repaired it the next day."
    assert days(content, "Execution") == ["2026-03-04", "2026-03-10"]
