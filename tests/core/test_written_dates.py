"""What counts as a date, and as which."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates.reading import WrittenDate, written_dates


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Meeting 2024-03-04", ["2024-03-04"]),
        ("notes_2021_11_02, 20240304", ["2021-11-02", "2024-03-04"]),
        ("Thursday 26 February 2026", ["2026-02-26"]),
        ("Thursday, Feb 20, 2020 (9:00-10:00am PT)", ["2020-02-20"]),
        ("the 7th of March, 2024", ["2024-03-07"]),
        ("March 3-5, 2024", ["2024-03-03"]),
        ("04-Mar-2024, 2024 Mar 04", ["2024-03-04", "2024-03-04"]),
        ("15. März 2024 / 1er août 2023 / 3 de marzo de 2021", ["2024-03-15", "2023-08-01", "2021-03-03"]),
        ("25/04/2021, 04/25/2021, 1.2.2024, 25.04.21", ["2021-04-25", "2021-04-25", "2024-02-01", "2021-04-25"]),
        ("03/04/2021", [None]),
        ("Dec 7th", [None]),
        ("2021-08-update, August 2021, December2020", ["2021-08", "2021-08", "2020-12"]),
        ("30 February 2020, 2021-13-01, version 1.2.24, 12:30, 2024, 3 may", []),
    ],
)
def test_dates_are_read_by_their_form(text: str, dates: list[str | None]) -> None:
    """Days and months; what lacks a year or an order of its numbers has no ISO form."""
    assert [found.iso() for found in written_dates(text)] == dates


def test_a_year_and_an_order_complete_a_date() -> None:
    """Both come from somewhere else in the folder."""
    (swapped,) = written_dates("03/04/2021")
    assert (swapped.iso("day first"), swapped.iso("month first")) == ("2021-04-03", "2021-03-04")
    (bare,) = written_dates("29 Feb")
    assert (bare.iso(year=2024), bare.iso(year=2023)) == ("2024-02-29", None)
    assert [found.order for found in written_dates("25/04/2021 04/25/2021 25.04.2021")] == [
        "day first", "month first", None,
    ]  # fmt: skip


@given(st.text(st.sampled_from("0123456789-/. ,JanMayth2024")))
def test_dates_of_any_text_stand_in_it_in_order(text: str) -> None:
    """Whatever the text, places are right and do not overlap."""
    found = written_dates(text)
    assert all(isinstance(one, WrittenDate) and 0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= later.start for one, later in pairwise(found))
