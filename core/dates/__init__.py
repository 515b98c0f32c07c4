"""Dates: moments in time with the writer's offset, and the names of months and weekdays."""

from core.dates.locale_dates import LOCALE_WEEKDAY, locale_dates
from core.dates.moments import (
    coming_day,
    day_bound,
    in_zone,
    is_after,
    is_before,
    is_day_bound,
    is_month,
    now,
    parse_iso,
    to_local_text,
    to_text,
    to_zone_text,
    today,
    use_zone,
    zone,
)
from core.dates.reading import (
    COUNTS,
    MONTH_ABBREVIATION,
    MONTH_ABBREVIATIONS,
    MONTH_NAME,
    MONTH_STEM,
    MONTHS,
    WEEKDAY,
    WEEKDAY_ABBREVIATIONS,
    WEEKDAY_STEM,
    WEEKDAYS,
    due_day,
    is_relative,
    month_number,
    parse_expiry,
    parse_filter,
    read_date,
    relative_weekday,
    weekday_number,
)

__all__ = [
    "COUNTS", "LOCALE_WEEKDAY", "MONTHS", "MONTH_ABBREVIATION", "MONTH_ABBREVIATIONS", "MONTH_NAME", "MONTH_STEM",
    "WEEKDAY", "WEEKDAYS", "WEEKDAY_ABBREVIATIONS", "WEEKDAY_STEM", "coming_day", "day_bound", "due_day", "in_zone",
    "is_after", "is_before", "is_day_bound", "is_month", "is_relative", "locale_dates", "month_number", "now",
    "parse_expiry", "parse_filter", "parse_iso", "read_date", "relative_weekday", "to_local_text", "to_text",
    "to_zone_text", "today", "use_zone", "weekday_number", "zone",
]  # fmt: skip
