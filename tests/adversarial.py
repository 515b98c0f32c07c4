"""Texts that are made to keep a pattern busy: runs of each kind of character, openers without an end, near-matches."""

from collections.abc import Iterator
from typing import Final

#: What a run repeats.
RUNS: Final = (
    *' \t\n\rabA1-.,:;|(["\'#*_@<>/&)]!?=~`\\é漢。\u200b',
    *("a ", "A ", "Ab, ", "A. ", "\n-", "\n- A", "| ", "|x", "a:", "10:10\t", "\n10:10\t\tAnn\t\tx", "\nAnn:", "\n> "),
    *("[x]", "()", "(a", "<a>", "- - ", "--------a", "Ann and ", "Ann, ", "Ann Lee. ", "Ann (", "Mr ", "J. ", "A-B "),
    *("On a\n", "\n| a | b ", "\nFrom: ", "\n# A", "\n- [ ] a", "\\u0020", "will send ", "by Friday ", "\n \n", " *"),
)  # fmt: skip
#: What a run stands in: before it, and behind it.
PLACES: Final = (
    ("x", ""), ("Attendees: Ann", "Lee, Bob Ray"), ("\n-", "x"), ("09:10", "x"), ("On a", " wrote:\nx"), ("# a", "b"),
    ("Date: ", "x"),
)  # fmt: skip


def runs(size: int) -> Iterator[tuple[str, str]]:
    """Yield texts of about `size` characters, each with a name."""
    for run in RUNS:
        for before, behind in PLACES:
            yield f"{before!r}, {run!r}", f"{before}{run * (size // len(run))}{behind}"


def names(size: int) -> Iterator[tuple[str, str]]:
    """Yield texts that name as many different people and things as fit, each with a name."""
    parts = [f"{first}{second}" for first in ("Ba", "Ce", "Di", "Fo", "Gu", "Ha") for second in ("ner", "lik", "dum")]
    words = [one + two for one in parts for two in parts]
    full = [f"{one} {two}" for one in words for two in words[::7]][: size // 16]
    for form in (
        "- {}\n",
        "Mr {} met ",
        "{} said it. ",
        "{}: I will send it.\n",
        "{} Ltd pays. ",
        "@{} ",
        "## {}\nIt is.\n",
    ):
        yield f"names in {form!r}", "Attendees:\n" + "".join(map(form.format, full))[:size]
