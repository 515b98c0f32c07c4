"""What a user may rely on of the ranking's steps when recalling, over real stores."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from core.errors import InvalidInput
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Recall
from core.search import TextStates, Vectors
from graph.sqlite_store import SqliteStore
from graph.store import Store
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.ranking import search
from retrieval.vectors import ChromaIndex
from service.app import App
from tests.contracts.makers import item, pieces
from tests.shipped import assembled

#: A talk whose answers do not say what was asked, among others about nothing of it.
TALK = (
    ("Ana", "Good morning, how did you sleep?"),
    ("Bo", "Fine, thank you."),
    ("Ana", "Which instrument do you take lessons in?"),
    ("Bo", "The cello, each Tuesday."),
    ("Ana", "Lovely."),
    ("Bo", "I went to the coast in March, to see the lighthouse."),
    ("Ana", "I went to the mountains, to ski."),
    ("Bo", "It rained here all day."),
)


def remember(app: App, content: str, **fields: Any) -> str:
    return app.remember(Memory(**({"context": "note"} | fields), content=content)).id


def converse(app: App, talk: str = "talk", **fields: Any) -> list[str]:
    """Remember the talk turn by turn; background work is still to be done."""
    return [
        remember(
            app,
            text,
            **({"date": "2024-05-15"} | fields),
            context="conversation",
            conversation_id=talk,
            turn_index=index,
            author=author,
        )
        for index, (author, text) in enumerate(TALK)
    ]


def recall(app: App, query: str, project: str = "default", **values: Any) -> Recall:
    """In full: a brief answer shows turns next to each other as one result."""
    return app.recall(Question(query=query, **{"detail": "full"} | values), project)


def ids(answer: Recall) -> list[str]:
    return [result.id for result in answer.results]


def same(one: Recall, other: Recall) -> bool:
    return [(r.id, r.score, r.chunk) for r in one.results] == [(r.id, r.score, r.chunk) for r in other.results]


# Turns


@pytest.mark.parametrize("embedded", [True, False])
def test_a_turn_is_found_by_what_stands_around_it(app: App, *, embedded: bool) -> None:
    """It answers, though it has none of the words asked for; before it is embedded, too."""
    turns = converse(app)
    if embedded:
        app.worker.drain()
    assert turns[3] in ids(recall(app, "Which instrument does Bo take lessons in?", limit=3))


@pytest.mark.parametrize(
    ("query", "turn"),
    [
        ("Where did Ana go?", 6),
        ("Where did Bo go?", 5),
        ("Describe Bo's journey to see something", 5),
        ("where did ana go", 6),
    ],
)
def test_what_the_one_asked_about_says_comes_first(app: App, query: str, turn: int) -> None:
    """Both tell where they went, and neither says the own name."""
    turns = converse(app)
    app.worker.drain()
    assert ids(recall(app, query))[0] == turns[turn]


def test_turns_of_the_time_asked_about_come_first(app: App) -> None:
    """Whatever is as near in words and meaning."""
    of_months = {
        month: remember(
            app,
            f"The harbour fees were paid again, number {month}.",
            context="conversation",
            conversation_id=f"talk {month}",
            turn_index=0,
            author="Ana",
            date=f"2023-{month:02}-10",
        )
        for month in range(1, 13)
    }
    app.worker.drain()
    assert ids(recall(app, "Were the harbour fees paid in May 2023?"))[0] == of_months[5]
    assert ids(recall(app, "Were the harbour fees paid on 10 October 2023?"))[0] == of_months[10]


@pytest.mark.both_engines
def test_notes_of_the_time_asked_about_come_first(app: App) -> None:
    """Dates are no matter of conversations only."""
    months = {n: remember(app, f"Harbour fees were paid, {n}.", date=f"2023-{n:02}-10") for n in range(1, 10)}
    app.worker.drain()
    assert ids(recall(app, "harbour fees in May 2023"))[0] == months[5]


def test_filters_act_before_the_steps_that_look_around(app: App) -> None:
    """A turn after `as_of` or of another source is not shown, and lifts none beside it."""
    turns = converse(app, source="phone")
    later = remember(
        app, "The cello lessons are over.", context="conversation", conversation_id="talk", turn_index=8, author="Bo",
        date="2024-06-01", source="mail",
    )  # fmt: skip
    before = [recall(app, "cello lessons", as_of="2024-05-20"), recall(app, "cello lessons", source="phone")]
    app.worker.drain()
    for condition in ({"as_of": "2024-05-20"}, {"source": "phone"}):
        found = ids(recall(app, "cello lessons", limit=20, **condition))
        assert later not in found
        assert set(found) <= set(turns)
    assert ids(recall(app, "cello lessons", source="mail")) == [later]
    assert all(later not in ids(answer) for answer in before)
    assert later in ids(recall(app, "cello lessons"))


def test_a_neighbour_that_is_not_there_yet_lifts_nothing(app: App) -> None:
    """docs/interface.md `recall` `as_of`: what came later does not exist, so the turn before it is no nearer to an
    answer."""
    turns = converse(app)
    remember(
        app, "Ski lessons, ski lessons!", context="conversation", conversation_id="talk", turn_index=8, author="Bo",
        date="2024-05-15T05:00:00Z",
    )  # fmt: skip
    assert turns[7] in ids(recall(app, "ski lessons", limit=20))
    then = ids(recall(app, "ski lessons", as_of="2024-05-15T04:00:00Z", limit=20))
    assert {turns[2], turns[6]} <= set(then[:3])  # and what answers the first
    assert set(then) <= set(turns)


def test_another_project_changes_no_answer(app: App) -> None:
    """docs/interface.md: not its turns with the same numbers, not its authors, not its words."""
    converse(app)
    app.worker.drain()
    before = recall(app, "Where did Cy go to take cello lessons?")
    for number in range(20):
        app.remember(
            Memory(content=f"Cello lessons, {number}.", context="conversation", conversation_id="talk",
                   turn_index=number, author="Cy"),
            "other",
        )  # fmt: skip
    app.worker.drain()
    assert same(recall(app, "Where did Cy go to take cello lessons?"), before)
    assert len(recall(app, "cello", "nobody").results) == 0


def test_talks_with_the_same_numbers_do_not_mix(app: App) -> None:
    """The turn beside a match is that of its own conversation."""
    first = converse(app, "first")
    for index in range(8):
        remember(app, f"Filler {index}.", context="conversation", conversation_id="second", turn_index=index)
    found = ids(recall(app, "cello", limit=20))
    assert found[0] == first[3]
    assert set(found) <= set(first)


def test_the_same_question_has_the_same_answer(app: App) -> None:
    """Scores included, in one process and again."""
    converse(app)
    remember(app, "Ana took cello lessons at the lighthouse. " * 40)
    app.worker.drain()
    first = recall(app, "When did Ana go to the lighthouse last March?")
    assert same(recall(app, "When did Ana go to the lighthouse last March?"), first)
    assert first.results


# Documents


@pytest.mark.exhaustive
def test_of_a_long_document_the_passage_is_shown(app: App) -> None:
    """On whatever page it stands, and where words do not say it."""
    parts = [f"## Part {n}\n\n" + f"Matters of department {n} were read out and noted. " * 60 for n in range(12)]
    parts[7] = "## Part 7\n\n" + "The physician prescribed rest for the ill child. " * 60
    document = remember(app, "\n\n".join(parts), context="document", title="Minutes")
    other = remember(app, "The physician prescribed rest for the ill child.")
    app.worker.drain()
    pages = [recall(app, "doctor treating sick kid", limit=1, offset=offset) for offset in (0, 1)]
    shown = {result.id: result.content for page in pages for result in page.results}
    assert set(shown) == {document, other}
    assert "physician" in shown[document]


# Odd questions and stores


@pytest.mark.parametrize(
    "query",
    ["!?", "a\0b", "Ana\0", "the", "Ana's", "I", "in ſept 2023, laſt week", "31 February 9999", "Ana " * 1_250,
     " ".join(f"word{n}" for n in range(555)), "🙂🙂", "東京", "\\g<0> (Ana [Bo] *"],
)  # fmt: skip
def test_no_question_breaks_the_steps(app: App, query: str) -> None:
    """NUL, signs of patterns, 5,000 characters, dates that are none; with vectors and before there are any."""
    converse(app)
    query = query if len(query) > 1 else query + "?"
    without = recall(app, query[:5_000])
    app.worker.drain()
    assert len(recall(app, query[:5_000]).results) == len(TALK)
    assert without.degraded == []


def test_half_a_sign_is_refused() -> None:
    """An unpaired surrogate can't be embedded."""
    with pytest.raises(InvalidInput, match="unpaired surrogate"):
        Question(query="Ana \ud800")


@pytest.mark.both_engines
def test_what_was_just_forgotten_is_no_candidate(app: App) -> None:
    """The index may still hold it, and the turns beside it still find their own neighbours."""
    turns = converse(app)
    app.worker.drain()
    app.store.remove("default", [turns[3]])
    answer = recall(app, "Which instrument does Bo take lessons in?", limit=20)
    assert turns[3] not in ids(answer)
    assert set(ids(answer)) == set(turns) - {turns[3]}


def test_the_index_is_read_while_a_first_question_is_embedded(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a first search waits for takes seconds in a large project; the next questions find it done."""
    begun, limits = Event(), list[int]()
    embed, look = LocalEmbedder.embed_question, ChromaIndex.search

    def embedded(self: LocalEmbedder, texts: Sequence[str]) -> tuple[Vectors, list[TextStates]]:
        assert begun.wait(10)
        return embed(self, texts)

    def searched(self: ChromaIndex, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        limits.append(limit)
        begun.set()
        return look(self, project_id, vector, limit)

    remember(app, "The cello hangs in the hall.")
    app.worker.drain()
    monkeypatch.setattr(search, "MOST_COPIED", 0)
    monkeypatch.setattr(LocalEmbedder, "embed_question", embedded)
    monkeypatch.setattr(ChromaIndex, "search", searched)
    answers = [recall(app, "Where is the cello?") for _ in range(2)]
    assert [len(answer.results) for answer in answers] == [1, 1]
    assert [limit == 1 for limit in limits] == [True, False, False]


@pytest.mark.exhaustive
def test_a_thousand_results_neither_repeat_nor_leave_out(app: App) -> None:
    """docs/interface.md `recall`: the largest page, and the same in small ones, of turns and notes together."""
    for number in range(150):
        turn = {"context": "conversation", "conversation_id": f"talk {number % 3}", "turn_index": number // 3}
        remember(app, f"Boat {number} lies at the pier.", **(turn if number % 2 else {}))
    app.worker.drain()
    whole = ids(recall(app, "boat at the pier", limit=1_000, expand=False, detail="full"))
    pages = [
        ids(recall(app, "boat at the pier", limit=30, offset=n, expand=False, detail="full")) for n in range(0, 150, 30)
    ]
    assert [one for page in pages for one in page] == whole
    assert len(set(whole)) == 150


@pytest.mark.exhaustive
def test_pages_fit_where_common_words_are_left_out(tmp_path: Path, index: ChromaIndex) -> None:
    """An engine may leave out the words that most chunks have, where rarer ones find enough: on each page the same."""
    store: Store = SqliteStore(tmp_path / "large.db")
    parts = assembled(store, index)
    with parts as app:
        for number in range(2_400):
            common = "mast sail rope gull pier" if number < 700 else "boat"
            note = item(f"The {'zephyrine' if number < 30 else common}, {number}.", context="note")
            store.add(note, pieces(note), [])
        query = "zephyrine mast sail rope gull pier"
        pages = [
            ids(recall(app, query, limit=10, offset=offset, expand=False, detail="full")) for offset in range(0, 60, 10)
        ]
        whole = ids(recall(app, query, limit=60, expand=False, detail="full"))
    assert [one for page in pages for one in page] == whole
    assert len(set(whole)) == 60
