"""The days of sections: a heading a day, lines and bullets that are a day, and what of them is no day of its own."""

from datetime import date

import pytest

from ingest.document.dates import SectionDays
from ingest.document.structure import passages

WRITTEN = date(2026, 3, 12)


def days(text: str, written: date = WRITTEN, context: str = "document") -> dict[str, str | None]:
    """Return the day of the section of each sentence, by its first word."""
    found = passages(text, title="", labels=frozenset(), context=context, written=written)
    return {
        text[one.start : one.end].split()[0]: None if one.below is None else one.below.isoformat()
        for one in found
        if one.kind != "heading"
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("## 12 March 2026", "## 2 March 2026"),
        ("## 2026-03-12", "## 2026-03-02"),
        ("# 2026-03-12 Thursday", "# 2026-03-02 Monday"),
        ("### Thu, 12.03.2026", "### Mon, 02.03.2026"),
        ("## 12 March", "## 2 March"),
        ("## March 12th", "## March 2nd"),
        ("## Call of 12 March 2026", "## Call of 2 March 2026"),
        ("## 2026-03-12: the pump", "## 2026-03-02: the slip"),
        ("## Harbour board (12 March 2026)", "## Harbour board (2 March 2026)"),
        ("## 12/3/2026", "## 2/3/2026"),
        ("**12 March 2026**", "**2 March 2026**"),
        ("12 March 2026", "2 March 2026"),
        ("Thursday, 12 March 2026", "Monday, 2 March 2026"),
        ("## Donnerstag, 12. März 2026", "## Montag, 2. März 2026"),
    ],
)
def test_each_section_has_the_day_of_its_heading(first: str, second: str) -> None:
    text = f"# Log\n\n{first}\n\n- Pump bought.\n\n{second}\n\n- Slip closed.\n"
    assert days(text) == {"Pump": "2026-03-12", "Slip": "2026-03-02"}


def test_headings_below_a_day_keep_it_and_those_beside_it_end_it() -> None:
    text = "# Log\n\n## 2 March 2026\n\n### Pumps\n\n- Pump bought.\n\n## Plans\n\n- Slip later.\n"
    assert days(text) == {"Pump": "2026-03-02", "Slip": None}


def test_years_and_months_stand_in_headings_above() -> None:
    text = (
        "# 2025\n\n## December\n\n### Wed 31\n\n- Pump bought.\n\n# 2026\n\n## January\n\n### Thu 1st\n\n- Slip shut.\n"
    )
    assert days(text) == {"Pump": "2025-12-31", "Slip": "2026-01-01"}


def test_a_day_without_a_year_is_near_the_day_before_it_and_not_to_come() -> None:
    text = "# Log\n\n## 30 December 2025\n\n- Pump bought.\n\n## 2 January\n\n- Slip shut.\n"
    assert days(text) == {"Pump": "2025-12-30", "Slip": "2026-01-02"}
    assert days("# Log\n\n## 20 December\n\n- Pump bought.\n", date(2099, 12, 1)) == {"Pump": "2098-12-20"}


def test_weekdays_are_of_the_week_that_stands_above() -> None:
    text = "# Week of 2 March 2026\n\n## Monday\n\n- Pump bought.\n\n## Thursday\n\n- Slip shut.\n"
    assert days(text) == {"Pump": "2026-03-02", "Slip": "2026-03-05"}


def test_bullets_under_a_bullet_that_is_a_day_are_of_that_day() -> None:
    text = "- [[2026-03-02]]\n  - Pump bought.\n- March 12th, 2026\n\t- Slip shut.\n"
    assert days(text) == {"Pump": "2026-03-02", "Slip": "2026-03-12"}
    assert "2026-03-12" not in days("- 2026-03-12\n- 2026-03-14\n- Pump bought.\n").values()


@pytest.mark.parametrize(
    "heading",
    [
        "## Next meeting: 20 March 2026", "## Due 20 March 2026", "## Plans until 20 March 2026", "## Release 3.2.1",
        "## 2 March to 6 March 2026, and 9 March to 12 March 2026", "## 1 May 2098",
        "## What the board of the harbour decided of the crane on 2 March 2026",
    ],
)  # fmt: skip
def test_a_heading_that_tells_of_another_day_gives_none(heading: str) -> None:
    assert days(f"# Log\n\n{heading}\n\n- Pump bought.\n") == {"Pump": None}


def test_the_title_of_a_whole_text_is_no_section() -> None:
    """Its day is the item's own, which may have been given."""
    assert days("# Minutes of 2 March 2026\n\n## Pumps\n\n- Pump bought.\n") == {"Pump": None}


@pytest.mark.parametrize("written", [date.min, date.max])
def test_days_at_the_ends_of_the_calendar_raise_nothing(written: date) -> None:
    for heading in ("Monday", "31 December", "Sun 9", "0000-01-01", "9999-12-31", "12 March"):
        days_of = SectionDays(heading, written)
        days_of.enter(2, heading)
