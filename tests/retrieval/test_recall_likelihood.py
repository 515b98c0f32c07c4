"""What an agent may rely on when it asks whether its question is answered in memory at all, over real stores."""

from typing import Final

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import UNLIKELY, VERY_LIKELY, Recall, to_json
from service.app import App

NOTES = (
    "The code of the bike lock is 4417.",
    "The dentist appointment is on Thursday at nine.",
    "The key to the server room hangs behind the reception.",
    "We decided to use Postgres for the billing service.",
    "Omar moved to Lisbon in May.",
    "Der Zahnarzttermin ist am Donnerstag um neun.",
)
ANSWERED = (
    "What is the code of my bike lock?",
    "bike lock",
    "Which database does billing use?",
    "Where does Omar live now?",
    "Wann ist der Zahnarzttermin?",
)
UNANSWERED = (
    "Who won the chess tournament?",
    "When did Marta graduate from university?",
    "How tall is the Eiffel tower?",
    "Wie heißt der Hund der Nachbarn?",
)


@pytest.fixture
def notes(app: App) -> App:
    """A small memory: a few notes and a short conversation."""
    for note in NOTES:
        app.remember(Memory(content=note, context="note"))
    said = [("Ana", "Did you find a new place for the choir?"), ("Ben", "Yes, the old brewery by the canal.")]
    for index, (author, content) in enumerate(said):
        turn = Memory(
            content=content, context="conversation", conversation_id="c", turn_index=index, role="user", author=author
        )
        app.remember(turn)
    app.worker.drain()
    return app


def recall(app: App, query: str, *, limit: int = 10, offset: int = 0) -> Recall:
    return app.recall(Question(query=query, limit=limit, offset=offset))


def chance(answer: Recall) -> float:
    assert answer.answer_likelihood is not None
    return answer.answer_likelihood


def test_what_is_stored_is_told_from_what_is_not(notes: App) -> None:
    """docs/interface.md `answer_likelihood`: near 0 means "not in memory", in a small memory and in another language
    too."""
    found = {query: chance(recall(notes, query)) for query in (*ANSWERED, *UNANSWERED)}
    assert all(found[query] > 0.6 for query in ANSWERED), found
    assert all(found[query] < UNLIKELY for query in UNANSWERED), found


HOUSEHOLD: Final = (
    "The spare house key lies under the third flowerpot.",
    "Lorna cannot eat gluten.",
    "Bikes are serviced at Halvorsen's in April.",
    "Grandpa's hearing aid takes size 312 batteries.",
    "The neighbours' cat is called Miso.",
    "Rubbish collection is on Wednesday mornings.",
    "Milo is afraid of fireworks.",
    "The doctor said to take vitamin D daily.",
    "The lawn mower needs unleaded petrol, not mix.",
    "The plumber charges 90 euros an hour.",
)


@pytest.mark.both_engines
def test_notes_in_other_words_than_the_question_are_not_called_absent(app: App) -> None:
    """Nor is it thought certain that another fact about the same person or thing is there."""
    app.remember_many([Memory(content=note, context="note") for note in HOUSEHOLD])
    app.worker.drain()
    reworded = {
        "backup key location": 0, "dietary needs of Lorna": 1, "cycle repair shop": 2, "granddad ear device cells": 3,
        "feline next door": 4, "when do they pick up the trash": 5, "garbage day": 5, "what frightens the puppy": 6,
        "supplement advice from physician": 7, "grass cutter fuel": 8, "cost of the pipe guy": 9,
    }  # fmt: skip
    answers = {query: recall(app, query) for query in reworded}
    assert {query: answer.results[0].content for query, answer in answers.items()} == {
        query: HOUSEHOLD[note] for query, note in reworded.items()
    }
    assert {query: chance(answer) for query, answer in answers.items() if chance(answer) < UNLIKELY} == {}
    about = ("What is Lorna's phone number?", "What breed is Miso?", "How old is Milo?", "What colour are the bikes?")
    assert all(chance(recall(app, query)) < 0.7 for query in about)
    absent = ("What is the tallest mountain in Peru?", "share price of Nokia", "moon phases in 2031", "divorce lawyer")
    assert all(chance(recall(app, query)) < 0.02 for query in absent)


@pytest.mark.parametrize(
    "query",
    [
        "¿Cuál es el código del candado de la bicicleta?",
        "Quelle base de données utilise la facturation ?",
        "Где сейчас живёт человек из Лиссабона?",
        "Dove si è trasferito il nostro collega portoghese?",
    ],
)
def test_a_question_in_a_language_without_texts_is_not_said_to_be_absent(notes: App, query: str) -> None:
    """Its words can't be in memory, whatever the memory knows: that says nothing of an answer."""
    assert UNLIKELY <= chance(recall(notes, query)) < VERY_LIKELY


def test_an_answer_that_stands_beside_the_words_asked_for_counts(notes: App) -> None:
    """The turn that answers has none of them: the question before it has."""
    assert chance(recall(notes, "Which new place did Ben find for the choir?")) > 0.7


@pytest.mark.both_engines
def test_what_is_asked_of_the_wrong_person_is_said_to_be_by_the_other(app: App) -> None:
    """Who asks what one person did is told that the nearest words are another's, unless these are about that person."""
    said = [
        ("Ana", "I spent the whole week painting the fence."),
        ("Ben", "Nice! I sold my green canoe at the harbour market."),
        ("Ana", "Ben, my cousin bakes bread."),
        ("Ben", "Ana, you broke the window of the boathouse last summer."),
    ]
    for index, (author, content) in enumerate(said):
        turn = Memory(
            content=content, context="conversation", conversation_id="c", turn_index=index, role="user", author=author
        )
        app.remember(turn)
    app.worker.drain()

    wrong, right = (recall(app, f"Where did {name} sell the green canoe?") for name in ("Ana", "Ben"))
    assert 'by "Ben"' in (wrong.hint or "")
    assert chance(wrong) <= 0.5 < chance(right)
    assert "nearest words" not in (right.hint or "")
    assert "nearest words" not in (recall(app, "Did Ana break the boathouse window?").hint or "")


@pytest.mark.both_engines
def test_a_false_premise_is_told_in_a_longer_conversation(app: App) -> None:
    """Questions about what either of them did themselves raise no alarm."""
    said = [
        ("Ida", "I adopted a greyhound from the shelter on Sunday."),
        ("Tom", "Lovely! I am still busy with the marathon, I ran thirty kilometres."),
        ("Ida", "Good luck with it. My choir sings in Bergen in June."),
        ("Tom", "I broke my ankle last year, so I go slowly. My sister lives in Bergen."),
        ("Ida", "I got a new job at the library, it starts on the first of May."),
        ("Tom", "Congratulations! I bought a cello from a retired teacher."),
        ("Ida", "Do you take lessons? I play a little piano."),
        ("Tom", "Yes, on Thursdays. I also planted twelve apple trees behind the house."),
    ]
    for index, (author, content) in enumerate(said):
        app.remember(
            Memory(content=content, context="conversation", conversation_id="c", turn_index=index, author=author)
        )
    app.worker.drain()
    true = {
        "When did {} adopt a greyhound?": "Ida", "Where does the choir of {} sing?": "Ida",
        "When does the job of {} at the library start?": "Ida", "From whom did {} buy a cello?": "Tom",
        "How many apple trees did {} plant?": "Tom", "Which bone did {} break?": "Tom",
    }  # fmt: skip
    hints = {
        name: [recall(app, query.format(who(name, person))).hint or "" for query, person in true.items()]
        for name in ("right", "wrong")
    }
    assert not any("nearest words" in hint for hint in hints["right"])
    assert sum("nearest words" in hint for hint in hints["wrong"]) >= 4


@pytest.mark.both_engines
def test_a_note_about_another_person_is_said_to_be_about_that_one(app: App) -> None:
    """A name that the note has, in its words or its title, raises no alarm."""
    app.remember(Memory(content="Walter is allergic to wasp stings; the pen is in his red bag."))
    app.remember(Memory(content="Henrike has ordered the sails from the loft in Kappeln."))
    app.remember(Memory(content="She wants the crane on a Thursday.", title="Henrike"))
    app.worker.drain()

    wrong = recall(app, "What is Henrike allergic to?")
    assert 'about "Walter"' in (wrong.hint or "")
    assert chance(wrong) <= 0.5
    for query in ("What is Walter allergic to?", "What does Henrike want the crane for?"):
        assert "nearest words" not in (recall(app, query).hint or "")


def who(name: str, person: str) -> str:
    return person if name == "right" else {"Ida": "Tom", "Tom": "Ida"}[person]


def test_without_vectors_words_tell_them_apart(notes: App) -> None:
    """docs/interface.md `recall` `degraded`: an answer comes from what is left, and so does its likelihood."""
    notes.index.reset()
    stored, other = recall(notes, "code of the bike lock"), recall(notes, "Who won the chess tournament?")
    assert stored.degraded == other.degraded == ["vectors"]
    assert chance(stored) > 0.7
    assert chance(other) < 0.05


def test_what_is_named_exactly_is_there(notes: App) -> None:
    """A key or an id is no question of likelihood."""
    keyed = notes.remember(Memory(content="Nothing to do with its name.", key="harbour-fees"))
    assert chance(recall(notes, "harbour-fees")) == 1.0
    assert chance(recall(notes, keyed.id)) == 1.0


def test_a_search_that_finds_nothing_answers_nothing(app: App) -> None:
    """An empty memory is no failure."""
    assert chance(recall(app, "Where does Omar live now?")) == 0.0


def test_every_page_says_the_same(notes: App) -> None:
    """It is the chance of the whole answer: an agent may look at one result, or at later ones."""
    query = "Where does Omar live now?"
    pages = {chance(recall(notes, query, limit=limit, offset=offset)) for limit, offset in ((10, 0), (1, 0), (1, 2))}
    assert len(pages) == 1


def test_only_a_search_has_a_likelihood(notes: App) -> None:
    """docs/interface.md `answer_likelihood`: search modes; elsewhere the field is left out, not null."""
    (first,) = recall(notes, "bike lock", limit=1).results
    for question in (Question(id=first.id), Question(conversation_id="c"), Question(context="note")):
        assert "answer_likelihood" not in to_json(notes.recall(question))
    assert "answer_likelihood" in to_json(notes.recall(Question(query="choir", conversation_id="c")))
