"""Excerpts: whole sentences around what answers, below what they stand under."""

import pytest

from core.knowledge.findings import Span
from graph.text.sentences import outline
from graph.text.term_vectors import terms
from retrieval.scoring.excerpts import _region, join_excerpt, select_excerpt

MINUTES = """# Harbour working group, 4 May 2024

## Lanterns

* Replace the lamps on the east pier
  * The old ones rust. Divers looked at the sockets in April and want them gone before the winter storms begin.
  * Agreed: brass lamps from the Aarhus foundry, because they outlast steel by twenty years.

## Ferries

* Timetable for the summer
  * Nobody objected to the later boat on Fridays, which the hotel had asked for since the season of 2022.
"""
TALK = "\n".join(
    [
        "Ines: Good morning. We begin with the crane, which has stood still since the gale of last Tuesday night.",
        "Otto: The brake is worn. I had the maker on the phone twice. He sends a fitter from Gdansk on Monday morning.",
        "Ines: Then the barge waits. Who tells the captain that he cannot unload his gravel before the crane works?",
        "Otto: I do. He is at anchor anyway. Besides, the pilot is ill, so that nothing sails before Wednesday noon.",
    ]
)
CASES = [
    (MINUTES, "why brass lamps", "they outlast steel by twenty years", 250),
    (TALK, "fitter from the maker", "He sends a fitter from Gdansk on Monday morning.", 150),
]


def _worth(question: str) -> dict[int, float]:
    return dict.fromkeys(terms(question), 1.0)


@pytest.mark.parametrize(("text", "question", "answer", "length"), CASES)
def test_the_answer_is_within_the_length(text: str, question: str, answer: str, length: int) -> None:
    """What answers is shown, in about as many characters as were asked for."""
    shown = select_excerpt(text, _worth(question), None, length)
    assert answer in join_excerpt(text, shown)
    assert sum(span.end_char - span.start_char for span in shown) <= length * 1.2


def test_what_is_hardly_longer_is_given_whole() -> None:
    """A text that just misses the length is not cut."""
    assert select_excerpt(TALK, _worth("crane"), None, len(TALK) - 20) == [Span(0, len(TALK))]


def test_the_heading_and_the_bullet_above_are_shown() -> None:
    """A nested bullet comes with the bullet and the heading that it stands under, but not with the title of it all."""
    shown = join_excerpt(MINUTES, select_excerpt(MINUTES, _worth("brass foundry"), None, 150))
    assert shown == (
        "## Lanterns\n\n* Replace the lamps on the east pier …\n"
        "  * Agreed: brass lamps from the Aarhus foundry, because they outlast steel by twenty years."
    )


def test_who_speaks_is_shown() -> None:
    """A sentence from the middle of what somebody says stands behind the speaker's name."""
    shown = join_excerpt(TALK, select_excerpt(TALK, _worth("fitter Gdansk Monday"), None, 70))
    assert shown == "Otto: … He sends a fitter from Gdansk on Monday morning."


def test_two_places_where_each_has_a_part_of_the_question() -> None:
    """Two sentences far apart that share no word are both shown, in the order of the text."""
    shown = join_excerpt(TALK, select_excerpt(TALK, _worth("crane gale Tuesday pilot ill"), None, 260))
    assert "gale of last Tuesday" in shown
    assert " …\nOtto: I do. He is at anchor anyway. Besides, the pilot is ill" in shown
    assert "barge" not in shown


@pytest.mark.parametrize("text", [MINUTES, TALK, "word " * 900, "Ω" * 4_000, "\n" * 40 + "# \n" * 300 + "end " * 300])
@pytest.mark.parametrize("length", [1, 60, 300])
def test_ranges_are_in_order_and_begin_and_end_with_words(text: str, length: int) -> None:
    """Ranges never overlap, and none begins within a word that is shorter than a sentence may be."""
    shown = select_excerpt(text, _worth("lamps crane word end"), Span(0, 50), length)
    assert shown
    at = 0
    for span in shown:
        assert at <= span.start_char < span.end_char <= len(text)
        assert span.start_char == 0 or len(set(text)) == 1 or not text[span.start_char - 1].isalnum()
        at = span.end_char


def test_without_words_in_common_the_best_chunk_is_shown() -> None:
    """A question that shares no word with the item is answered from the chunk that was found by meaning."""
    start = TALK.index("Otto: I do")
    (shown,) = select_excerpt(TALK, _worth("unrelated"), Span(start, len(TALK)), 120)
    assert shown.start_char >= start


def test_no_list_of_names_or_contents_is_shown_where_nothing_matches() -> None:
    """The beginning of minutes and handbooks is one; the best chunk may be there."""
    rolls = "# Harbour\n\nPresent: Ana Lopez, Bo Ek, Cy Young\nApologies: Dee\n\n## Contents\n1. Winch\n2. Gate\n\n"
    text = rolls + "## 1. Winch\n" + "The winch was greased and the cable was changed. " * 20
    spans = select_excerpt(text, dict.fromkeys(terms("zebra"), 1.0), Span(0, 300), 200)
    shown = join_excerpt(text, spans)
    assert "greased" in shown
    assert "Ana" not in shown
    assert "2. Gate" not in shown


def test_a_long_text_is_read_around_its_best_chunk() -> None:
    """The same words far from the chunk found do not draw the excerpt away from it."""
    text = f"{TALK}\n{'Nothing of note was said here. ' * 300}\n{TALK}"
    start = text.rindex("Ines: Good")
    shown = select_excerpt(text, _worth("fitter Gdansk"), Span(start, len(text)), 150)
    assert shown[0].start_char >= start


def test_a_line_without_end_is_read_around_the_best_chunk() -> None:
    """A megabyte on one line costs an answer no more than a page does."""
    word = "tar "
    text = word * 250_000 + "The keel is of oak. " + word * 250_000
    found = text.index("The keel")
    [span] = select_excerpt(text, _worth("oak keel"), Span(found - 100, found + 100))
    assert "The keel is of oak." in text[span.start_char : span.end_char]
    assert len(outline(text, *_region(text, Span(found, found + 100)))) < 100


def test_a_reply_is_shown_rather_than_the_mail_that_it_quotes() -> None:
    """The subject and the quoted lines have the same words."""
    quoted = [f"> +\t\tdock_warn(hook, {number}, DOCK_PANIC, limit_of(hook));" for number in range(30)]
    mail = "\n".join(
        [
            "Date: Tue, 05 May 2026 09:00:00 +0200",
            "Subject: Re: dock: do not call DOCK_PANIC() on a short rope",
            "",
            "> dock_tie() may call DOCK_PANIC() on a short rope.",
            *quoted,
            "",
            "The dock should not call DOCK_PANIC() on a short rope, because the ferry drifts.",
        ]
    )
    shown = select_excerpt(mail, _worth("Why should the dock not call DOCK_PANIC()?"), None, 400)
    assert "because the ferry drifts" in join_excerpt(mail, shown)
