"""What a question costs: how often the record is asked, alone and among many, and that counting tokens is exact."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import EventView, Recall, Result, to_json
from graph.neo4j_store.database.connection import Transaction
from graph.sqlite_store.database import connection as sqlite_connections
from retrieval.messages.message import Limit, render_text
from retrieval.models.tokenizer import estimate_model_tokens
from service.app import App

#: Statements of a brief answer: those of the search, the page, its events, and the graph.
MOST = 36


@pytest.fixture
def said(engine: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements sent to the record since it was last cleared, those that begin and end transactions aside."""
    statements: list[str] = []
    if engine == "embedded":
        connect = sqlite_connections.connect

        def traced(*arguments: Any) -> Any:
            opened = connect(*arguments)
            opened.set_trace_callback(
                lambda sql: None if sql.startswith(("BEGIN", "ROLLBACK", "--")) else statements.append(sql)
            )
            return opened

        monkeypatch.setattr(sqlite_connections, "connect", traced)
        return statements
    for name in ("rows", "run"):
        method: Callable[..., object] = getattr(Transaction, name)

        def noted(self: Transaction, statement: str, /, method: Any = method, **parameters: object) -> object:
            statements.append(statement)
            return method(self, statement, **parameters)

        monkeypatch.setattr(Transaction, name, noted)
    return statements


@pytest.mark.both_engines
def test_a_question_takes_few_statements(said: list[str], app: App) -> None:
    """However many turns and notes are found, and however many are shown."""
    for number in range(20):
        app.remember(Memory(content=f"The heron at pond {number} was fed by Odile.", context="note"))
        turn = {"conversation_id": "ponds", "turn_index": number, "author": "Odile", "context": "conversation"}
        app.remember(Memory(content=f"I fed heron number {number} at its pond.", **turn))  # type: ignore[arg-type]
    app.worker.drain()
    app.recall(Question(query="Who fed the heron?"))
    for asked in (
        Question(query="Which heron did Odile feed at the pond?"),
        Question(query="Which heron did Odile feed at the pond?", limit=40),
        Question(query="Where is the heron?", context="conversation"),
    ):
        said.clear()
        assert app.recall(asked).results
        assert 0 < len(said) <= MOST, "\n".join(said)


def made_answer() -> Recall:
    """An answer whose texts have quotation marks, line ends, commas, capitals, and letters of other scripts."""
    events = [
        EventView("evt_1", "Decision", 'We said "no", twice', quote="Nein, sagte Zoë: «非常に»", status="current")
    ]
    results = [
        Result("art_1", 'He said: "Ünder",\nthen LEFTWARD "', "note", 1.25, {"key": "a,b"}, events=events),
        Result("art_2", "```\ncode\u2028here\n```", "conversation", 0.5, {"turn_index": 3}, author="Zoë"),
        Result("art_3", "plain words", "note", 0.25, {}, also=["art_9"]),
    ]
    return Recall(answer_likelihood=0.5, results=results, total_count=3, hint='2 more: "limit", raise it.')


@pytest.mark.parametrize("detail", ["brief", "full"])
def test_what_is_counted_part_by_part_is_what_is_sent(detail: Any) -> None:
    """An answer fits its own tokens and no fewer, each time, after others that share its results."""
    answer = made_answer()
    shorter = replace(answer, results=[answer.results[2], answer.results[0]], hint=None)
    sent = {
        id(one): max(
            estimate_model_tokens(render_text(to_json(one, detail), "full")),
            estimate_model_tokens(render_text(one, detail)),
        )
        for one in (answer, shorter)
    }
    limits = {tokens: Limit(tokens, detail) for exact in sent.values() for tokens in (exact, exact - 1)}
    for one in (answer, shorter, answer):
        for tokens, limit in limits.items():
            assert limit.fits(one) == (tokens >= sent[id(one)])


@pytest.mark.both_engines
def test_many_questions_at_once_are_answered_as_one_after_another(app: App) -> None:
    """By more threads than the record and the index have for them."""
    for number in range(12):
        app.remember(
            Memory(content=f"The heron at pond {number} was fed by Odile at {number} o'clock.", context="note")
        )
    app.worker.drain()
    questions = [Question(query=f"When was the heron at pond {number} fed?") for number in range(12)] * 3
    alone = [app.recall(question) for question in questions]
    with ThreadPoolExecutor(len(questions)) as pool:
        together = list(pool.map(app.recall, questions))

    assert together == alone
    assert not any(answer.degraded for answer in together)
