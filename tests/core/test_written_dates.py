"""What counts as a date, and as which."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates.reading import WrittenDate, due_day, written_dates


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


@pytest.mark.parametrize(
    "text",
    [
        "Kisten packen, bis 15 Stück", "Budget bis 15.000 Euro halten", "Упаковать до 15 коробок",
        "préparer pour 12 personnes", "leer la semana 3 del curso", "第三周的课程要看", "箱を15個まで積む",
        "Bump R8.3.12 und H2.4.1", "in 2 Wochenenden renovieren", "KW 60 prüfen", "bis zum 32.",
    ],
)  # fmt: skip
def test_numbers_that_name_no_day_are_no_limit(text: str) -> None:
    """Amounts, versions, weeks of a course, and days that there are not."""
    assert due_day(text, date(2026, 5, 4)) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Plan bis KW 3", date(2027, 1, 22)), ("Plan bis KW 17", date(2026, 4, 24)),
        ("rapport avant le 3", date(2026, 6, 3)),
        ("Bericht bis Mitte April", date(2026, 4, 15)), ("Bericht bis Anfang Februar", date(2027, 2, 10)),
        ("nächstes Wochenende streichen", date(2026, 5, 17)), ("el fin de semana que viene", date(2026, 5, 10)),
        ("提出は10日まで", date(2026, 5, 10)), ("3月下旬までに提出", date(2027, 3, 31)),
        ("bis 21. KW", date(2026, 5, 22)), ("KW 12/2027 abgeben", date(2027, 3, 26)),
    ],
)  # fmt: skip
def test_a_day_without_its_year_or_month_is_the_coming_one(text: str, day: date) -> None:
    """Up to 30 days ago counts as this year's."""
    assert due_day(text, date(2026, 5, 4)) == day


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("令和8年3月4日", "2026-03-04"), ("平成元年1月8日", "1989-01-08"), ("民國115年12月25日", "2026-12-25"),
        ("昭和六十四年一月七日", "1989-01-07"), ("議事録 R8.3.12", "2026-03-12"),
        ("二〇二六年十二月二十五日", "2026-12-25"),
        ("4 III 2026", "2026-03-04"), ("4.XII.2026", "2026-12-04"), ("от «4» марта 2026 г.", "2026-03-04"),
        ("２０２６年３月４日", "2026-03-04"),
    ],
)  # fmt: skip
def test_eras_numerals_and_roman_months_are_read(text: str, iso: str) -> None:
    """As people write days in Japan, Taiwan, Poland and Russia."""
    (one,) = written_dates(text)
    assert one.iso() == iso
