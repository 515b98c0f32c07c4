"""Quotes that leave out the markup of a text."""

import pytest

from ingest.document.evidence import find_exact_quote, find_marked_quote
from tests.own_time import own_time

TEXT = """# Minutes

* **Conclusion**: we
  use `tar` for _all_ ropes — it's [stronger](http://quay.example/a_b) by far.
> Mei agreed to
> write the plan.

- first we paint
- then we sail

The harb\u200bour office moves to a new build-
ing in <b>May</b> 2026, well-known, at -5 degrees, for 10-12 people, if a != b.

| Task | Owner |
| Order the pump | Ben Orr |
~~old~~ ==new== plan: don\u2019t stop…
"""


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Conclusion: we use tar for all ropes", "Conclusion**: we\n  use `tar` for _all_ ropes"),
        ("it's stronger by far", "it's [stronger](http://quay.example/a_b) by far"),
        ("Mei agreed to write the plan.", "Mei agreed to\n> write the plan."),
        ("first we paint then we sail", "first we paint\n- then we sail"),
        ("harbour office moves to a new building in May 2026", None),
        ("Order the pump Ben Orr", "Order the pump | Ben Orr"),
        ("new plan: don't stop...", "new== plan: don’t stop…"),
    ],
)
def test_a_quote_without_marks_is_found_and_is_a_slice_of_the_text(quote: str, found: str | None) -> None:
    """Emphasis, links, tags, list marks, divided words, cells, signs without width."""
    span = find_exact_quote(TEXT, quote, 0)
    assert span is not None
    assert found is None or TEXT[span.start_char : span.end_char] == found


@pytest.mark.parametrize(
    "quote", ["first we sail", "at 5 degrees", "for 1012 people", "if a = b", "if a b", "old plan", "***"]
)
def test_other_words_are_not_found(quote: str) -> None:
    """What is left out never turns a statement round."""
    assert find_exact_quote(TEXT, quote, 0) is None


def test_of_several_places_the_nearest_counts_and_time_is_linear() -> None:
    """In a text of a megabyte with the word everywhere."""
    text = "the *rope* is old. " * 50_000
    span = find_marked_quote(text, "rope is old.", 500_000)
    assert own_time(lambda: find_marked_quote(text, "rope is old.", 500_000)) < 2
    assert span is not None
    assert abs(span.start_char - 500_000) < 40
