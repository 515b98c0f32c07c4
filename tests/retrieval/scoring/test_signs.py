"""What a user may rely on who asks for exactly what few notes hold."""

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from service.app import App


def remember(app: App, content: str) -> str:
    return app.remember(Memory(context="note", content=content)).id


def first(app: App, query: str) -> str:
    return app.recall(Question(query=query)).results[0].id


@pytest.mark.both_engines
@pytest.mark.parametrize("embedded", ["none", "others", "all"])
def test_what_holds_the_only_word_comes_first(app: App, embedded: str) -> None:
    """Whatever is embedded yet: among notes alike but for one word no vector outweighs it."""
    others = [remember(app, f"Crate {n} is at dock{n}.") for n in range(5) if n != 3]
    if embedded == "others":
        app.worker.drain()
    crate = remember(app, "Crate 3 is at dock3.")
    if embedded == "all":
        app.worker.drain()
    assert first(app, "dock3") == crate
    assert first(app, "What is it that stands at dock3 now?") == crate
    assert first(app, "dock4") == others[-1]
