"""Windows of a content, and what is joined over them: whatever a text or a model holds."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span
from ingest.document.evidence import verify_evidence
from ingest.extract.openai.claims import MAX_SUMMARY, Malformed, claims, parse_answer
from ingest.extract.openai.extractor import consolidate_windows
from ingest.extract.openai.prompt import LEAST, WINDOW_TOKENS, Window, split_window, windows
from tests.ingest.extracting import TUESDAY, artifact_of
from tests.ingest.openai_answers import TOKENIZER

PIECES = st.sampled_from(
    [
        "Alice said yes. ",
        "Bob: no!\n",
        "\n\n",
        " " * 900,
        "x" * 500,
        "会议记录。",
        "1",
        ".",
        "'",
        "long words here ",
        "🙂",
    ]
)
CONTENTS = st.lists(st.tuples(PIECES, st.integers(1, 60)), min_size=1, max_size=8).map(
    lambda parts: "".join(piece * number for piece, number in parts)
)


@settings(deadline=None, max_examples=50)
@given(CONTENTS)
def test_windows_hold_every_word_and_none_is_longer_than_promised(content: str) -> None:
    """Each is a slice at its place, at most 900 tokens and 8,000 characters, and what no window has says nothing."""
    found = list(windows(content, TOKENIZER))
    for window in found:
        assert content[window.start_char :].startswith(window.text)
        assert len(window.text) <= 8_000
        assert TOKENIZER.count(window.text) <= WINDOW_TOKENS + 1, "a word cut in two may have one more"
    for first, second in pairwise(found):
        assert first.start_char < second.start_char
        assert first.start_char + len(first.text) < second.start_char + len(second.text)
    covered = sorted((window.start_char, window.start_char + len(window.text)) for window in found)
    gaps = zip([0, *(end for _, end in covered)], [*(start for start, _ in covered), len(content)], strict=True)
    for end, start in gaps:
        assert sum(map(str.isalnum, content[end:start])) < LEAST * (1 + max(0, start - end) // 500)


@settings(deadline=None, max_examples=50)
@given(CONTENTS)
def test_halves_give_the_window_back(content: str) -> None:
    """Nothing but blanks is lost, and it ends: a window too short to be cut is its own only half."""
    window = Window(7, content[:8_000])
    parts = split_window(window)
    if parts != [window]:
        assert all(len(part.text) < len(window.text) for part in parts)
        assert "".join(part.text for part in parts).count("Alice") == window.text.count("Alice")
        for part in parts:
            assert window.text[part.start_char - 7 :].startswith(part.text)
    else:
        assert len(window.text) < 400


def test_windows_begin_and_end_where_somebody_begins_to_speak() -> None:
    """A promise is not torn from who makes it where turns are short."""
    content = "\n".join(f"Person {number}: I will bring chair number {number} on Friday." for number in range(300))
    found = list(windows(content, TOKENIZER))
    assert len(found) > 3
    assert all(window.text.startswith("Person ") for window in found)
    assert all(window.text.endswith("Friday.") or window.text.endswith("Friday.\n") for window in found)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["category", "summary", "quote", "actors", "subjects", "happened", "due", "confidence", "name", "type", "aliases"]
)
ITEMS = st.lists(st.dictionaries(FIELDS, JSON | st.sampled_from(["Decision", "person", "yes we can"]), max_size=11))


@settings(deadline=None)
@given(st.text(min_size=1, max_size=300).filter(str.strip), ITEMS, ITEMS)
@pytest.mark.exhaustive
def test_whatever_a_model_answers_only_what_the_text_says_is_left(
    content: str, entities: list[object], events: list[object]
) -> None:
    """No answer raises, and every quote and name is in the window, for any answer about any text."""
    clean = content.encode(errors="ignore").decode()
    if not clean.strip():
        return
    answer = parse_answer(json.dumps({"entities": entities, "events": events}))
    artifact = artifact_of(clean)
    found = claims(artifact, Window(0, clean), answer).extraction
    for event in found.events:
        assert clean[event.near_char :].startswith(event.quote)
        assert 0 <= event.confidence <= 1
        assert 0 < len(event.summary) <= MAX_SUMMARY
    for entity in found.entities:
        assert all(0 <= span.start_char < span.end_char <= len(clean) for span in entity.mentions)
    assert verify_evidence(clean, consolidate_windows([found])).dropped == 0


@given(st.text(max_size=200) | JSON.map(json.dumps))
def test_an_answer_is_read_or_malformed_and_nothing_else(text: str) -> None:
    """Nothing that a service sends ends a worker."""
    try:
        answer = parse_answer(text)
    except Malformed:
        return
    assert answer.dropped >= 0


def found_event(quote: str, near: int, **fields: object) -> FoundEvent:
    """Return a decision at its place."""
    return FoundEvent("Decision", str(fields.pop("summary", quote)), quote, near, **fields)  # type: ignore[arg-type]  # a shorthand


def test_one_fact_told_twice_is_one_event_if_its_dates_agree() -> None:
    """Overlapping quotes, or the same words at another place; another due date, number or "not" is another fact."""
    first = found_event("We chose the blue tiles for the hall.", 0)
    longer = found_event("the hall. Really.", 28, confidence=0.4)
    again = found_event(
        "So: we chose the blue tiles for the hall.", 900, summary="we chose the Blue tiles for the hall"
    )
    other = found_event("We chose the 2 blue tiles for the hall.", 1_000)
    denied = found_event("We chose not the blue tiles for the hall.", 1_100)
    dated = found_event("We chose the blue tiles for the hall.", 1_200, due=TUESDAY)
    late = found_event("We chose the blue tiles for the hall.", 1_300, due=TUESDAY.replace(year=2027))
    joined = consolidate_windows([Extraction((), (first, longer)), Extraction((), (again, other, denied, dated, late))])
    assert [event.near_char for event in joined.events] == [0, 1_000, 1_100, 1_300]
    assert [event.due for event in joined.events] == [TUESDAY, None, None, TUESDAY.replace(year=2027)]


@pytest.mark.parametrize(
    ("found", "names"),
    [
        ([FoundEntity("Alice Chen", "person", ("Alice",)), FoundEntity("Alice", "person")], ["Alice Chen"]),
        (
            [
                FoundEntity("Alice Chen", "person", ("Alice",)),
                FoundEntity("Alice Wong", "person", ("Alice",)),
                FoundEntity("Alice", "person"),
            ],
            ["Alice Chen", "Alice Wong", "Alice"],
        ),
        (
            [
                FoundEntity("Alice Chen", "person", ("Alice",), None, "Acme"),
                FoundEntity("Alice", "person", (), None, "Globex"),
            ],
            ["Alice Chen", "Alice"],
        ),
        ([FoundEntity("Atlas", "project"), FoundEntity("atlas", "object"), FoundEntity("Atlas", "object")], ["Atlas"]),
        ([FoundEntity("Paris", "person"), FoundEntity("Paris", "place")], ["Paris", "Paris"]),
    ],
)
def test_one_thing_is_one_entity_and_two_of_a_name_are_two(found: list[FoundEntity], names: list[str]) -> None:
    """By name, or by an alias that nobody else in the document has; never over different organisations."""
    joined = consolidate_windows(Extraction((entity,)) for entity in found)
    assert [entity.name for entity in joined.entities] == names


def test_the_places_of_one_thing_are_joined_too() -> None:
    """Each once, in order, though windows overlap."""
    windows_say = [
        Extraction((FoundEntity("Atlas", "project", (), None, None, (Span(9, 14), Span(30, 35))),)),
        Extraction((FoundEntity("Atlas", "project", (), None, None, (Span(30, 35), Span(2, 7))),)),
    ]
    (entity,) = consolidate_windows(windows_say).entities
    assert entity.mentions == (Span(2, 7), Span(9, 14), Span(30, 35))
