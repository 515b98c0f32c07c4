"""Statements: what sentences say that no wording gives away."""

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.knowledge.findings import CATEGORIES
from ingest.document.evidence import verify_evidence
from ingest.extract.local.extractor import LocalExtractor
from ingest.extract.local.ledger_features import WIDTH
from ingest.extract.local.sentence_classifier import WEIGHTS, Judgement, Statements, load_weights, wording
from retrieval.models.local_embedder import LocalEmbedder
from tests.ingest.extracting import artifact_of

#: Sentences, and how likely the layers made a category of each, in plain numbers and without a setting.
JUDGED = {
    "We go with the blue one.": ("Decision", 0.99),
    "I send the list on Friday.": ("Commitment", 1.0),
    "The pump leaks again.": ("QualityRisk", 0.97),
    "Visitors liked the new signs.": ("Feedback", 0.99),
    "Good morning.": ("Decision", 0.0),
    "Mrs Obi is our new contact.": ("Stakeholder", 1.0),
    "The shop moved to the ground floor.": ("Execution", 0.22),
    "We finished the fence yesterday.": ("Execution", 1.0),
}


@pytest.fixture(scope="module")
def judging(embedder: LocalEmbedder) -> LocalExtractor:
    """Return an extractor that judges what no wording tells."""
    return LocalExtractor(embedder)


def test_the_weights_fit_what_is_read_of_a_sentence(embedder: LocalEmbedder) -> None:
    """Weights that were fitted before a change of what is seen of a sentence are refused."""
    (words,), row = embedder.inner(["A sentence."]), wording(["A sentence."])
    weights, classes = load_weights(), len(CATEGORIES)
    assert weights.layers[0].qkv.values.shape == (words.shape[1], 3 * words.shape[1])
    assert weights.as_word.shape == (WIDTH, words.shape[1])
    assert weights.by_setting.shape == (WIDTH, classes)
    assert weights.by_wording.shape == (row.shape[1], classes)
    assert weights.thresholds.shape == (classes,)
    assert WEIGHTS.stat().st_size < 4_000_000


def test_what_is_seen_of_a_sentence_is_what_the_weights_were_fitted_to() -> None:
    """Whoever changes words, cues or settings fits the weights again (`python -m evals.statements`)."""
    seen = zlib.crc32(wording(list(JUDGED)).astype(np.float16).tobytes())
    assert (seen, WIDTH) == (2736890601, 102)


def test_rounding_changes_no_judgement(embedder: LocalEmbedder) -> None:
    """What the layers said in plain numbers, before they were rounded to eight bits and run in integers."""
    settings = np.zeros((len(JUDGED), WIDTH), np.float32)
    judged = Statements(embedder).judge(list(JUDGED), settings)
    for judgement, (category, likely) in zip(judged, JUDGED.values(), strict=True):
        assert judgement.likelihoods[CATEGORIES.index(category)] == pytest.approx(likely, abs=0.05)


def test_a_long_text_is_judged_as_a_whole(embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences are read in batches, and what stands around the first and the last of one counts all the same."""
    sentences = ["Do we take the blue one?", "Fine, do it.", "The pump leaks again.", "Hi.", "I send it on Friday."]
    settings = np.zeros((len(sentences), WIDTH), np.float32)
    together = Statements(embedder).judge(sentences, settings)
    monkeypatch.setattr("ingest.extract.local.sentence_classifier._BATCH", 2)
    parted = Statements(embedder).judge(sentences, settings)
    for one, other in zip(together, parted, strict=True):
        assert one.likelihoods == pytest.approx(other.likelihoods, abs=0.02)


def test_a_judgement_depends_on_what_stands_around(embedder: LocalEmbedder) -> None:
    """The same words are another thing behind a question, and in another kind of passage."""
    before = ["Do we move the fair to the hall, yes or no?", "The weather was nice."]
    settings = np.zeros((2, WIDTH), np.float32)
    asked, told = (Statements(embedder).judge([each, "Yes, the hall it is."], settings)[1] for each in before)
    set_, bare = (Statements(embedder).judge(["The hall."], settings[:1] + each)[0] for each in (1, 0))
    assert asked.likelihoods != told.likelihoods
    assert set_.likelihoods != bare.likelihoods


def test_each_category_has_its_likelihood_and_no_sentence_gives_no_judgement(embedder: LocalEmbedder) -> None:
    """A sentence may say several things or none; how sure that is goes from 0 to 1."""
    statements, sentences = Statements(embedder), ["Good morning.", "The pump leaks again.", "…", " "]
    assert statements.judge([], np.zeros((0, WIDTH), np.float32)) == []
    for judgement in statements.judge(sentences, np.zeros((len(sentences), WIDTH), np.float32)):
        assert all(0 <= likely <= 1 for likely in judgement.likelihoods)
        assert all(0 <= sure <= 1 for _, sure in judgement.categories())


def test_what_is_likely_enough_is_said_the_surest_first() -> None:
    """Each category has a least likelihood of its own; beside another it has to be likelier."""
    thresholds = (0.5, 0.6, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5)
    (first, sure), (second, barely) = Judgement((0.5, 0.9, 0.2, 0, 0, 0, 0, 0), thresholds).categories()
    assert (first, second) == (CATEGORIES[1], CATEGORIES[0])
    assert sure == pytest.approx(0.75)
    assert barely == 0
    assert [told for told, _ in Judgement((0.1, 0.9, 0.35, 0, 0, 0, 0, 0), thresholds).categories()] == [CATEGORIES[1]]
    assert Judgement((0.1, 0.1, 0.3, 0, 0, 0, 0, 0), thresholds).categories() == [(CATEGORIES[2], 0)]


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("Nobody objected, so the new timetable takes effect in July.", "Decision"),
        ("Leave the seating plan to me, it comes on Friday.", "Commitment"),
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
    assert category in {event.category for event in found.events}


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
    title = "The heating of the school cuts out every night"
    assert judging.extract(artifact_of(f"{title}\n\nThe floor has three rooms.\n", context="document")).events == ()
    below = judging.extract(artifact_of(f"The floor has three rooms.\n\n{title}.\n", context="document")).events
    assert [event.category for event in below] == ["QualityRisk"]


def test_a_wording_that_misleads_gives_way_to_what_the_sentence_says(judging: LocalExtractor) -> None:
    """A pattern sees a few words of a sentence, and the judgement all of them."""
    content = "Visitors found it hard to read the signs we have agreed on."
    found = judging.extract(artifact_of(content, context="note")).events
    assert [event.category for event in found] == ["Feedback"]


def test_a_request_needs_no_question_mark(judging: LocalExtractor) -> None:
    """What was said aloud has the full stop of whoever took it down."""
    said = artifact_of("Mr Pell, would you tell the builder tomorrow, please.", context="meeting")
    assert [event.category for event in judging.extract(said).events] == ["Commitment"]


def test_talk_is_judged_as_writing_is(judging: LocalExtractor) -> None:
    """What is said in a transcript counts, by whoever says it."""
    content = "Ann: The heating keeps cutting out at night.\nBob: Good morning.\nAnn: I call the plumber tomorrow.\n"
    found = judging.extract(artifact_of(content, context="transcript"))
    assert [event.category for event in found.events] == ["QualityRisk", "Commitment"]


@settings(max_examples=40, deadline=None)
@given(content=st.text(max_size=200), context=st.sampled_from(["document", "chat", "email", "meeting"]))
def test_judged_text_of_any_kind_is_quoted_verbatim(judging: LocalExtractor, content: str, context: str) -> None:
    """No text makes the extractor fail, and every quote and mention stands in the text."""
    if not content.strip():
        return
    found = judging.extract(artifact_of(content, context=context))
    assert verify_evidence(content, found).dropped == 0
    assert all(0 <= span.start_char < span.end_char <= len(content) for e in found.entities for span in e.mentions)
