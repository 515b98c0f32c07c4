"""The English names of months, weekdays and small numbers, and patterns of them."""

from typing import Final

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTH_ABBREVIATIONS: Final = frozenset({*(month[:3] for month in MONTHS if month != "may"), "sept"})
WEEKDAY_ABBREVIATIONS: Final = frozenset({*(day[:3] for day in WEEKDAYS), "tues", "thur", "thurs"})

# Alternatives for patterns that ignore case; `str.title` makes those that do not.
MONTH_STEM: Final = "|".join(month[:3] for month in MONTHS)
WEEKDAY_STEM: Final = "|".join(day[:3] for day in WEEKDAYS)
MONTH_NAME: Final = "|".join(MONTHS)
MONTH_ABBREVIATION: Final = "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
#: Abbreviations before "day", or of the weekday itself.
WEEKDAY: Final = "mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun"

COUNTS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_MONTH_STEMS: Final = MONTH_STEM.split("|")
_WEEKDAY_STEMS: Final = WEEKDAY_STEM.split("|")


def month_number(name: str) -> int:
    """Return the number, from 1 to 12, of a month's name or abbreviation in any case.

    Raises:
        ValueError: not such a name. A pattern that ignores case also matches one with a dotless i, "frıday".
    """
    return _MONTH_STEMS.index(name.casefold()[:3]) + 1


def weekday_number(name: str) -> int:
    """Return the number of a weekday's name or abbreviation in any case; Monday is 0. Raises as `month_number` does."""
    return _WEEKDAY_STEMS.index(name.casefold()[:3])
