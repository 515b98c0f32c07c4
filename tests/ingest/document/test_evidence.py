"""The evidence check: quotes are found and stored as the source has them, or their event is dropped."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span
from ingest.document.evidence import find_exact_quote, locate_quote, verify_evidence


def claim(quote: str, near_char: int = 0) -> FoundEvent:
    return FoundEvent("Decision", "s", quote, near_char)


def placed(content: str, quote: str, near_char: int = 0) -> str | None:
    span = locate_quote(content, quote, near_char)
    return None if span is None else content[span.start_char : span.end_char]


def test_a_quote_that_occurs_twice_is_placed_where_it_was_seen() -> None:
    """The occurrence nearest to `near_char` counts, the earlier one in a tie."""
    content = "We agreed. Then more. We agreed."
    assert [locate_quote(content, "We agreed.", near) for near in (0, 9, 25, 11)] == [
        Span(0, 10),
        Span(0, 10),
        Span(22, 32),
        Span(0, 10),
    ]


def test_other_white_space_case_and_marks_are_stored_as_the_source_has_them() -> None:
    """A model retypes quotes; what is stored is the source's own text."""
    content = "Notes:\n**Decision:** we’ll   use\n“Postgres” – not MySQL…"
    assert (
        placed(content, 'decision: We\'ll use "Postgres" - not MySQL...')
        == "Decision:** we’ll   use\n“Postgres” – not MySQL…"
    )


def test_a_small_slip_is_aligned_with_the_source() -> None:
    """A dropped or misspelt word does not lose the event."""
    content = "Yesterday the steering committee approved the new budget for the harbour project in full. Then lunch."
    quote = "The steering committee aproved the new budget for the harbour project in full."
    assert placed(content, quote) == "the steering committee approved the new budget for the harbour project in full"


def test_an_alignment_never_crosses_a_denial_or_a_number() -> None:
    """A quote that says the opposite, or another sum, is not evidence, however alike."""
    content = "The committee did not approve the new budget of 40 million for the harbour project in full."
    assert (
        placed(content, "The committee did approve the new budget of 40 million for the harbour project in full.")
        is None
    )
    assert (
        placed(content, "The committee did not approve the new budget of 50 million for the harbour project in full.")
        is None
    )


def test_an_event_without_evidence_is_dropped_and_counted() -> None:
    """Nothing enters the graph that the source does not say."""
    found = Extraction((), (claim("We agreed on tea."), claim("We agreed on coffee."), claim("  ")))
    verified = verify_evidence("We agreed on tea.", found)
    assert ([event.quote for event in verified.events], verified.dropped) == (["We agreed on tea."], 2)


def test_mentions_outside_the_content_are_left_out() -> None:
    """A mention that points nowhere is no mention; the entity stays."""
    entity = FoundEntity("Tea", "object", mentions=(Span(0, 3), Span(2, 99), Span(-1, 2), Span(2, 2)))
    assert verify_evidence("Tea!", Extraction((entity,))).entities[0].mentions == (Span(0, 3),)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.lists(st.tuples(st.text(max_size=60), st.integers(-5, 300)), max_size=4))
def test_every_verified_quote_is_a_slice_of_its_content(content: str, quotes: list[tuple[str, int]]) -> None:
    """Whatever an extractor claims, what is kept is verbatim, and nothing is lost without being counted."""
    verified = verify_evidence(content, Extraction((), tuple(claim(quote, near) for quote, near in quotes)))
    assert len(verified.events) + verified.dropped == len(quotes)
    for event in verified.events:
        assert event.quote
        assert content[event.near_char : event.near_char + len(event.quote)] == event.quote


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["tea", "we", "Agreed", "ÄÖ", "«x»", "don’t", "a.b", "(c)", "—", "我們"]),
        min_size=1,
        max_size=12,
    ),
    st.data(),
)
def test_a_quote_with_other_white_space_is_found(words: list[str], data: st.DataObject) -> None:
    """Line breaks and runs of blanks in source or quote never lose a quote."""
    gaps = st.sampled_from([" ", "\n", "  ", "\t", "\n> "])
    content = "Start. " + words[0] + "".join(data.draw(gaps) + word for word in words[1:]) + " End."
    assert placed(content, "\n ".join(words)) is not None


@pytest.mark.exhaustive
def test_long_content_is_searched_in_linear_time() -> None:
    """Hundreds of absent quotes against a long text full of near misses end in seconds."""
    content = ("the board approved the plan for the harbour " + " " * 50) * 20_000
    found = Extraction(
        (), tuple(claim(f"the board rejected tunnel {n} of the plan for the airport") for n in range(20))
    )
    assert verify_evidence(content, found).dropped == 20


@pytest.mark.parametrize(
    ("content", "quote", "found"),
    [
        ("So **Conclusion**: we ship it.", "Conclusion: we ship it", "Conclusion**: we ship it"),
        ("So Conclusion: we ship it.", "**Conclusion**: we _ship_ it", "Conclusion: we ship it"),
        ("Run `make_all`, then stop.", "Run make_all, then stop", "Run `make_all`, then stop"),
        ("~~Old~~ way\n> out.", "Old way out", "Old~~ way\n> out"),
    ],
)
def test_emphasis_is_no_part_of_the_words(content: str, quote: str, found: str) -> None:
    """Within words too; the text is quoted as it is."""
    span = find_exact_quote(content, quote, 0)
    assert span is not None
    assert content[span.start_char : span.end_char] == found
