"""What a brief answer shows of a long item, over real stores."""

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from service.app import App

#: Several chunks long; one line answers.
ANSWER = "- The lighthouse keeper, Runa, keeps the spare lens in the cellar below the stairs."
TEXT = "\n".join(
    [
        "# Harbour handbook",
        "## Boats",
        *(f"- Boat {number} is hauled out in the autumn, and its owner pays for the crane." for number in range(60)),
        "## Lights",
        ANSWER,
        *(f"- Buoy {number} is painted in the spring, and the town pays for the paint." for number in range(60)),
    ]
)


@pytest.fixture
def handbook(app: App) -> App:
    app.remember(Memory(content=TEXT, title="Handbook"))
    app.remember(Memory(content="The lighthouse has a spare key.", title="Note"))
    return app


def test_a_brief_answer_shows_what_answers_below_its_heading(handbook: App) -> None:
    """Whole lines of the item, the heading above them, and the chunk that they are from."""
    question = Question(query="where is the spare lens of the lighthouse", context="document")
    found = {one.title: one for one in handbook.recall(question).results}["Handbook"]

    assert found.content.startswith("## Lights\n")
    assert ANSWER in found.content
    assert len(found.content) < 1_400
    assert set(found.content.replace(" …", "").splitlines()) <= {"", *TEXT.splitlines()}
    assert found.chunk is not None
    assert ANSWER in TEXT[found.chunk.start_char : found.chunk.end_char]


def test_fewer_tokens_make_a_shorter_passage_that_still_answers(handbook: App) -> None:
    """The passage shrinks around the sentence that answers instead of losing its end."""
    question = Question(query="where is the spare lens of the lighthouse", max_tokens=300)
    found = handbook.recall(question).results[0]
    assert ANSWER in found.content
    assert len(found.content) < 300


def test_a_full_answer_shows_the_best_chunk(handbook: App) -> None:
    """`content` is the slice that `chunk` names."""
    question = Question(query="where is the spare lens of the lighthouse", detail="full")
    found = {one.title: one for one in handbook.recall(question).results}["Handbook"]
    assert found.chunk is not None
    assert found.content == TEXT[found.chunk.start_char : found.chunk.end_char]


def test_short_items_are_shown_whole_and_lists_begin_with_the_beginning(handbook: App) -> None:
    """A list has no question to choose sentences by."""
    shown = {one.title: one for one in handbook.recall(Question(context="document")).results}
    assert (shown["Note"].content, shown["Note"].chunk) == ("The lighthouse has a spare key.", None)
    assert "- Boat 0 is hauled out in the autumn" in shown["Handbook"].content


PEOPLE = (
    "Oda Lindgren",
    "Matthieu Roux",
    "Jorge Paz",
    "Hanne Vik",
    "Sami Kallio",
    "Noor Haddad",
    "Tove Berg",
    "Ann Ray",
)
SAID = "Matthieu will repair the sluice gate before the spring tide and tell the harbour office."


@pytest.mark.both_engines
@pytest.mark.parametrize(
    "roll",
    [
        "## Attendees\n\n" + "\n".join(f"- {name} (Harbour board, voting member)" for name in PEOPLE),
        "**Present:**\n\n" + "\n".join(f"* {name} @{name.split()[0].lower()}" for name in PEOPLE),
        "Participants:\n" + "\n".join(PEOPLE),
        f"Present: {', '.join(PEOPLE)}",
        "### Roll call\n\n" + "\n".join(f"1. {name}, sluice gate works" for name in PEOPLE),
        "## Table of contents\n\n"
        + "\n".join(f"- [Sluice gate, {name}](#{number})" for number, name in enumerate(PEOPLE)),
    ],
)
def test_a_list_of_names_is_not_shown_where_another_passage_answers(app: App, roll: str) -> None:
    """Whoever asks who was there gets it."""
    filling = "\n\n".join(f"Berth {number} was let to a yacht from the south until autumn." for number in range(40))
    content = f"# Harbour board\n\n{roll}\n\n## Discussion\n\n{filling}\n\n## Gate\n\n{SAID}\n"
    app.remember(Memory(content=content, context="meeting", title="Harbour board"))
    app.worker.drain()
    for query in (
        "what did Matthieu Roux say about the sluice gate?",
        "sluice gate Matthieu",
        "why does Matthieu repair?",
    ):
        (found,) = app.recall(Question(query=query)).results
        assert SAID in found.content, query
        assert "Kallio" not in found.content, query
    if "contents" not in roll:
        (found,) = app.recall(Question(query="was Sami Kallio among the attendees?")).results
        assert "Sami Kallio" in found.content
