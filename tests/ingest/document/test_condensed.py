"""Condensed text: long runs are cut, honest text is not, and every place is known in the source."""

from itertools import pairwise

import pytest

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span
from ingest.document.condensed import MAX_QUOTE, condense, one_line

RUNS = [
    " ",
    "\t",
    "\n",
    " \n",
    "\n          ",
    "-",
    "_",
    "|",
    "a",
    "a-",
    "---------a",
    "é",
    "漢",
    "\r\n",
    "\u200b",
    "_-",
]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Ann" + " " * 250 + "Lee", "Ann    Lee"),
        ("a\n" + " " * 40 + "b", "a\n         b"),
        ("a" + "\n" * 9 + "b", "a\n\nb"),
        ("a\n\n \n   \n\nb", "a\n\nb"),
        ("a" + "=" * 80 + "\nb", "a========\nb"),
        ("a " + "x" * 900 + " b", "a " + "x" * 600 + " b"),
        ("a" + "-" * 700 + "b" * 700 + " c", "a--------" + "b" * 591 + " c"),
    ],
)
def test_a_long_run_is_cut(source: str, text: str) -> None:
    """What is kept of blanks, indentation, empty lines, signs and words."""
    assert condense(source).text == text


@pytest.mark.parametrize("source", ["a  b\n\n\nc", "        code", "--------", "漢字" * 400, "x"])
def test_honest_text_stays_as_it_is(source: str) -> None:
    """Short runs, and scripts without blanks, are not touched."""
    assert condense(source).text is source


@pytest.mark.parametrize("run", RUNS)
def test_every_place_is_known_in_the_source(run: str) -> None:
    """Each character that is left stands in the source where it is said to, in order."""
    source = "".join(f"x{run * 700}y {other * 700}{run * 3}z" for other in RUNS)
    short = condense(source)

    places = [short.span(at, at + 1) for at in range(len(short.text))]

    assert [source[span.start_char : span.end_char] for span in places] == list(short.text)
    assert all(one.end_char <= other.start_char for one, other in pairwise(places))


def test_what_is_found_is_placed_as_the_source_has_it() -> None:
    """Quotes and mentions are verbatim slices of the source."""
    source = "Hi." + " " * 50 + "Ann   " + " " * 50 + "Lee will call. Bye."
    short = condense(source)
    at = short.text.index("Ann")
    quote = short.text[at : short.text.index(" Bye")]
    event = FoundEvent("Commitment", "Ann Lee will call", quote, at)

    found = short.placed(Extraction((FoundEntity("Ann Lee", "person", mentions=(Span(at, at + 10),)),), (event,)))

    [moved], [entity] = found.events, found.entities
    assert moved.quote == source[moved.near_char :].removesuffix(" Bye.") == source[53:].removesuffix(" Bye.")
    assert entity.mentions == (Span(53, 112),)


def test_no_quote_grows_with_what_was_left_out() -> None:
    """A word of a million letters in a sentence does not make its quote as long."""
    source = "Ann will send " + "x" * 1_000_000 + " to Bob."
    short = condense(source)

    found = short.placed(Extraction((), (FoundEvent("Commitment", "Ann will send it", short.text, 0),)))

    assert found.events[0].quote == source[:MAX_QUOTE]


def test_one_line_has_single_blanks_and_an_end() -> None:
    """A name as it is read, whatever was typed between its parts."""
    assert one_line("  Ann \n\t Lee ", 300) == "Ann Lee"
    assert one_line("Ann " * 1_000, 300) == ("Ann " * 75)
