"""Conversations in an answer: the turns that belong together, every mention in order of time, equal ones once."""

from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Recall
from retrieval.messages.message import render_text
from service.app import App

_NUMBERS = count()
_FILLER = [
    ("Ole", "The weather over the fjord was grey the whole of Sunday."),
    ("Ines", "Grey skies make me want soup and a long book."),
    ("Ole", "My sister sends her greetings, she is busy with the harvest."),
    ("Ines", "Tell her that the pears were lovely."),
]


def say(app: App, *turns: tuple[str, str], day: str = "2026-03-02", talk: str = "fjord") -> list[str]:
    """Store turns one after another, embedded; return their ids."""
    moment = datetime.fromisoformat(f"{day}T10:00:00+00:00")
    stored = [
        app.remember(
            Memory(
                content=text,
                context="conversation",
                conversation_id=talk,
                turn_index=next(_NUMBERS),
                author=author,
                date=(moment + timedelta(minutes=number)).isoformat(),
            )
        ).id
        for number, (author, text) in enumerate(turns)
    ]
    app.worker.drain()
    return stored


def ask(app: App, query: str, **values: Any) -> Recall:
    return app.recall(Question(query=query, **values))


def shown_together(answer: Recall, *ids: str) -> bool:
    """Whether one result shows these turns next to each other, in this order, with their words."""
    for result in answer.results:
        turns = [turn.id for turn in result.turns or ()]
        if any(tuple(turns[at : at + len(ids)]) == ids for at in range(len(turns))):
            return all(turn.content in result.content for turn in result.turns or ())
    return False


@pytest.mark.both_engines
def test_a_question_is_shown_with_its_answer(app: App) -> None:
    """The answer shares no word with what is asked; speaker, number and day are said once."""
    say(app, *_FILLER)
    asked, answered = say(
        app, ("Ole", "Where else have you moored the dinghy?"), ("Ines", "Near Hven, twice."), day="2026-03-09"
    )
    say(app, *_FILLER, day="2026-03-16")
    answer = ask(app, "Where has the dinghy been moored?")
    assert shown_together(answer, asked, answered)
    text = render_text(answer)
    number = next(turn for result in answer.results for turn in result.turns or () if turn.id == answered)
    assert f"{number.turn_index} Ines: Near Hven, twice." in text
    assert (number.author, number.date) == ("Ines", "2026-03-09")
    assert text.count("Ole: Where else have you moored the dinghy?") == 1


@pytest.mark.both_engines
def test_the_turns_of_a_chat_that_are_numbered_by_time_belong_together(app: App) -> None:
    """Between two of them are minutes; the answer says when each was said, not its number in milliseconds."""
    chat = [
        ("18:02", "Ole", "Has anyone seen the belt sander?"),
        ("18:05", "Ines", "I lent it to Bjarne on Friday."),
        ("18:40", "Ole", "Good, good."),
        ("20:11", "Ines", "The barn door is hung at last."),
        ("20:15", "Ole", "How long did that take you?"),
        ("20:16", "Ines", "Three days."),
        ("21:30", "Ole", "Guess what: two new lodgers."),
        ("21:31", "Ole", "The first is a boat builder from Ribe."),
        ("21:32", "Ole", "The other is her father."),
    ]
    for time, author, text in chat:
        moment = datetime.fromisoformat(f"2026-03-02T{time}:00")
        number = int(moment.timestamp() * 1_000)
        turn: dict[str, Any] = {
            "context": "conversation",
            "conversation_id": "yard",
            "turn_index": number,
            "author": author,
        }
        app.remember(Memory(content=text, date=f"2026-03-02T{time}:00", **turn))
    app.worker.drain()
    for query, *told in (
        ("Who has the belt sander?", "18:02 Ole: Has anyone seen", "18:05 Ines: I lent it to Bjarne"),
        ("How long did hanging the barn door take?", "20:15 Ole: How long", "20:16 Ines: Three days."),
        ("Who are the new lodgers?", "21:30 Ole: Guess what", "21:31 Ole: The first", "21:32 Ole: The other"),
    ):
        content = next(one.content for one in ask(app, query).results if told[0] in one.content)
        assert [one for one in told if f"\n{one}" in f"\n{content}"] == told


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Ines", "I have two projects for the spring."), ("Ines", "One is the smokehouse roof, the other a kiln.")),
        (("Ines", "We bought the smokehouse of the Dahls."), ("Ole", "It has no roof yet, I believe.")),
        (("Ole", "Will the smokehouse get a roof?"), ("Ines", "Yes, of turf.")),
    ],
)
def test_the_next_turn_is_shown_where_it_goes_on(app: App, first: tuple[str, str], second: tuple[str, str]) -> None:
    """ "It", "the other" and an answer point to the turn before."""
    say(app, *_FILLER)
    before, after = say(app, first, second, day="2026-03-09")
    say(app, *_FILLER, day="2026-03-16")
    assert shown_together(ask(app, first[1]), before, after)


def test_a_turn_that_says_all_is_shown_alone_and_whole(app: App) -> None:
    """No other turn is added where its words need none."""
    say(app, *_FILLER)
    long = "I keep the spare key of the boathouse in the blue tin behind the stove, " * 6
    (alone,) = say(app, ("Ines", long.strip()), day="2026-03-09")
    found = ask(app, "Where is the spare key of the boathouse?").results[0]
    assert (found.id, found.content, found.turns, found.chunk) == (alone, long.strip(), None, None)


@pytest.mark.both_engines
def test_all_mentions_come_in_order_of_time_and_the_newest_is_marked(app: App) -> None:
    """Whichever is likest to the question; other turns of a day do not come between."""
    goats = [
        (("Ines", f"I bought another goat today, she is called {name}."), day)
        for name, day in (("Frida", "2026-05-20"), ("Nils", "2026-01-10"), ("Tora", "2026-03-15"))
    ]
    for turn, day in goats:
        say(app, *_FILLER[:2], turn, day=day)
    answer = ask(app, "Which goats has Ines bought?")
    mentions = [result for result in answer.results if "goat" in result.content]
    assert [result.date for result in mentions] == ["2026-01-10", "2026-03-15", "2026-05-20"]
    assert [result.newest for result in mentions] == [None, None, True]
    assert "2026-05-20 (newest)" in render_text(answer)


@pytest.mark.both_engines
def test_notes_of_one_thing_come_in_order_of_time(app: App) -> None:
    """The first, the last and the number can be told from an answer to any of these questions."""
    for place, day in (("the barn", "2026-04-02"), ("the cellar", "2026-02-02"), ("the loft", "2026-03-02")):
        app.remember(Memory(content=f"The grain scale was moved to {place}.", context="note", date=day))
    app.worker.drain()
    for query in ("How many times was the grain scale moved?", "Where was the grain scale first?"):
        answer = ask(app, query)
        assert [result.date for result in answer.results] == ["2026-02-02", "2026-03-02", "2026-04-02"]
        assert [result.newest for result in answer.results] == [None, None, True]


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("query", "is_in_order"),
    [
        ("How many times did the pump fail?", True),
        ("When did the pump first fail?", True),
        ("How did the pump change?", True),
        ("Compare the failures of the pump", False),
    ],
)
def test_a_mention_in_fewer_words_of_the_question_has_its_place_in_time(
    app: App, query: str, is_in_order: bool
) -> None:
    """What scores half as high as the best is a mention; a comparison asks for no order."""
    for text, day in (
        ("The pump in the dry dock failed and the pump had to be drained.", "2026-03-01"),
        ("The pump broke down.", "2026-02-01"),
        ("Bought paint for the slipway.", "2026-01-01"),
        ("Somebody left a bicycle in the yard.", "2026-01-02"),
    ):
        app.remember(Memory(content=text, context="note", date=day))
    app.worker.drain()
    first, second = ask(app, query).results[:2]
    assert {first.date, second.date} == {"2026-02-01", "2026-03-01"}
    assert (second.newest is True) is is_in_order
    assert not is_in_order or str(first.date) < str(second.date)


def test_a_mention_is_not_called_the_newest_above_a_later_text(app: App) -> None:
    """A later text that scores less may be about the same."""
    for text, day in (
        ("The pump in the dry dock failed.", "2026-02-01"),
        ("The pump in the dry dock failed again.", "2026-03-01"),
        ("A spare part was ordered for the dock.", "2026-04-01"),
    ):
        app.remember(Memory(content=text, context="note", date=day))
    app.worker.drain()
    answer = ask(app, "How many times did the pump in the dry dock fail?")
    assert [(result.date, result.newest) for result in answer.results] == [
        ("2026-02-01", None),
        ("2026-03-01", False),
        ("2026-04-01", None),
    ]
    assert "(newest)" not in render_text(answer)


def test_no_row_is_without_words_and_no_short_turn_is_cut(app: App) -> None:
    """In whatever tokens there are; what is left out is counted."""
    turns = [("Ines", f"The harbour fee of berth {number} is paid, said the master. " * 4) for number in range(30)]
    say(app, *((author, text.strip()) for author, text in turns))
    texts = {text.strip() for _, text in turns}
    for max_tokens in (300, 700, 2_000):
        answer = ask(app, "harbour fee of the berth", max_tokens=max_tokens)
        assert answer.results
        for result in answer.results:
            assert {turn.content for turn in result.turns or ()} <= texts
            assert result.turns or any(text in result.content for text in texts)
        assert answer.hint


def test_what_is_far_behind_the_best_is_counted_and_can_be_asked_for(app: App) -> None:
    """A page after the first begins where the hint says."""
    for number in range(12):
        app.remember(Memory(content=f"Crate {number} has apples of the north orchard.", context="note"))
    app.remember(Memory(content="The pass phrase of gate KX-4417 is in the red binder.", context="note"))
    app.worker.drain()
    answer = ask(app, "Where is the pass phrase of gate KX-4417?")
    assert "KX-4417" in answer.results[0].content
    assert len(answer.results) < 10
    assert f"further behind: offset={len(answer.results)}." in (answer.hint or "")
    following = ask(app, "Where is the pass phrase of gate KX-4417?", offset=len(answer.results))
    assert not {one.id for one in answer.results} & {one.id for one in following.results}


@pytest.mark.both_engines
def test_a_question_for_promises_is_answered_from_the_ledger_first(app: App) -> None:
    """Of the person asked about, whichever notes speak of the person more; with the sentence and what became of it."""
    for number in range(6):
        app.remember(Memory(content=f"Thyra Holm was asked what is still open in shed {number}.", context="note"))
    kept = Memory(
        content="Minutes of the guild.\n\nThe loom was cleaned. Thyra Holm will repair the loom by 12 June 2031.",
        context="meeting",
        date="2031-05-02",
    )
    promise = app.remember(kept).id
    app.worker.drain()
    first = ask(app, "What is still open for Thyra Holm?").results[0]
    assert first.id == promise
    assert "Thyra Holm will repair the loom by 12 June 2031." in first.content
    assert [(event.category, event.status) for event in first.events or ()] == [("Commitment", "open")]
