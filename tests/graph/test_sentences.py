"""Where a sentence ends."""

import pytest

from graph.text.sentences import sentences


@pytest.mark.parametrize("mark", ["[^1]", "[^tide]", "[fn:1]", "[1]", "[12][13]", "²", "¹⁰", "3", "14"])
def test_the_mark_of_a_footnote_belongs_to_the_sentence_before_it(mark: str) -> None:
    """As Markdown, Org, papers and word processors set it."""
    text = f"The boiler failed twice.{mark} We agreed to buy another."

    found = [text[one.start_char : one.end_char] for one in sentences(text, 0, len(text))]

    assert found == [f"The boiler failed twice.{mark}", "We agreed to buy another."]


@pytest.mark.parametrize(
    "text", ["Version 2.[0-9] stays.", "Take list.[0] as it is.", "It rose by e.g.[1] a tenth.", "Run 3.11 Now."]
)
def test_other_brackets_end_no_sentence(text: str) -> None:
    """A pattern, an index, an abbreviation with its source."""
    assert len(list(sentences(text, 0, len(text)))) == 1
