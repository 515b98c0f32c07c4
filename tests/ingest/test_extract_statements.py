"""Statements: what sentences say that no wording gives away."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.extract.evidence import verify
from ingest.extract.local.extractor import LocalExtractor
from ingest.extract.local.statements import CLASSES, WEIGHTS, Statements, wording
from retrieval.embedder import LocalEmbedder
from tests.ingest.extracting import artifact_of, extract


@pytest.fixture(scope="module")
def judging(embedder: LocalEmbedder) -> LocalExtractor:
    """Return an extractor that judges what no wording tells."""
    return LocalExtractor(embedder)


def test_the_weights_fit_what_is_read_of_a_sentence(embedder: LocalEmbedder) -> None:
    """One column a class, one row a number of each view: weights fitted before a change of the views are refused."""
    (words,), row = embedder.inner(["A sentence."]), wording(["A sentence."])
    with np.load(WEIGHTS, allow_pickle=False) as kept:
        signs = kept["signs"].shape[1]
        shapes = {name: kept[name].shape for name in kept.files}
    assert shapes == {
        "signs": (words.shape[1], signs),
        "floor": (signs,),
        "by_signs": (signs, len(CLASSES)),
        "by_mean": (words.shape[1], len(CLASSES)),
        "by_wording": (row.shape[1], len(CLASSES)),
    }
    assert WEIGHTS.stat().st_size < 200_000


def test_a_sentence_is_judged_alike_alone_and_among_others(embedder: LocalEmbedder) -> None:
    """Sentences are read in batches; what stands beside one does not make it a decision."""
    sentences = ["Nobody objected, so the fence goes.", "The pump leaks again, and nobody knows why that is so.", "Hi."]
    together = Statements(embedder).judge(sentences)
    alone = [Statements(embedder).judge([sentence])[0] for sentence in sentences]
    assert [each.category for each in together] == [each.category for each in alone]
    for one, other in zip(together, alone, strict=True):
        assert one.shares == pytest.approx(other.shares, abs=0.02)


def test_chances_are_shares_and_no_sentence_gives_no_judgement(embedder: LocalEmbedder) -> None:
    """What a sentence says and that it says nothing are parts of one whole."""
    statements = Statements(embedder)
    assert statements.judge([]) == []
    for judgement in statements.judge(["Good morning.", "The pump leaks again.", "…", " "]):
        assert 0 <= judgement.likely <= 1
        assert 0 <= judgement.nothing <= 1
        assert judgement.likely + judgement.nothing <= 1.000001


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("Nobody objected, so the new timetable takes effect in July.", "Decision"),
        ("Leave the seating plan to me, you get it on Friday.", "Commitment"),
        ("The heating keeps cutting out at night.", "QualityRisk"),
        ("Visitors told us that the signs are hard to read.", "Feedback"),
        ("Mrs Obi is our new contact at the town hall.", "Stakeholder"),
    ],
)
def test_a_sentence_without_the_usual_words_is_understood(
    judging: LocalExtractor, sentence: str, category: str
) -> None:
    """Who does not write "decided" or "will" decides and promises none the less."""
    found = judging.extract(artifact_of(sentence, context="note"))
    assert [event.category for event in found.events] == [category]


@pytest.mark.parametrize(
    "sentence",
    [
        "Good morning everybody, I hope you had a nice weekend.",
        "Should we move the party to the garden?",
        "The museum has three floors and a small shop.",
        "We talked about the colour of the fence for a while.",
    ],
)
def test_small_talk_and_descriptions_say_nothing(judging: LocalExtractor, sentence: str) -> None:
    """A judgement needs more than a work-like tone."""
    assert judging.extract(artifact_of(sentence, context="note")).events == ()


def test_a_title_above_an_empty_line_says_nothing(judging: LocalExtractor) -> None:
    """What only names a document is no event, however much it sounds like one; the same words below are judged."""
    title = "The heating of the school keeps cutting out"
    assert judging.extract(artifact_of(f"{title}\n\nThe floor has three rooms.\n", context="document")).events == ()
    below = judging.extract(artifact_of(f"The floor has three rooms.\n\n{title}.\n", context="document")).events
    assert [event.category for event in below] == ["QualityRisk"]


def test_a_wording_that_misleads_gives_way_to_what_the_sentence_says(judging: LocalExtractor) -> None:
    """A pattern sees a few words of a sentence, and the judgement all of them."""
    content = "Visitors found it hard to read the signs we have agreed on."
    found = judging.extract(artifact_of(content, context="note")).events
    assert [event.category for event in found] == ["Feedback"]


@pytest.mark.parametrize(
    ("sentence", "categories"),
    [
        ("Mr Pell, would you tell the builder tomorrow, please.", ["Commitment"]),
        ("Once we know more, could you write to them by Friday.", []),
    ],
)
def test_a_request_needs_no_question_mark(sentence: str, categories: list[str]) -> None:
    """What was said aloud has the full stop of whoever took it down; behind a condition it asks for nothing yet."""
    assert [event.category for event in extract(sentence, context="meeting").events] == categories


def test_transcripts_are_read_by_their_wording_alone(judging: LocalExtractor) -> None:
    """Speech taken down word by word seems to say too much."""
    content = "Ann: The heating keeps cutting out at night.\nBob: Visitors told us the signs are hard to read.\n"
    judged = {event.quote for event in judging.extract(artifact_of(content, context="meeting")).events}
    plain = {event.quote for event in judging.extract(artifact_of(content, context="transcript")).events}
    assert plain < judged


@settings(max_examples=40, deadline=None)
@given(content=st.text(max_size=200), context=st.sampled_from(["document", "chat", "email", "meeting"]))
def test_judged_text_of_any_kind_is_quoted_verbatim(judging: LocalExtractor, content: str, context: str) -> None:
    """No text makes the extractor fail, and every quote and mention stands in the text."""
    if not content.strip():
        return
    found = judging.extract(artifact_of(content, context=context))
    assert verify(content, found).dropped == 0
    assert all(0 <= span.start_char < span.end_char <= len(content) for e in found.entities for span in e.mentions)
