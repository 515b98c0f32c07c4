"""`ask` and `profile` of the Python package: quotes with their places, within a budget."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import remembrancer
from retrieval.models.tokenizer import estimate_model_tokens
from tests.eventually import eventually
from tests.running_processes import environment, owner

SAID = "Decision: the north quay takes the blue crane. Ann Lee will send the order to Globex by 2031-04-01."


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[remembrancer.Memory]:
    """A memory in which something was decided and promised."""
    home = tmp_path / "home"
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)
    with remembrancer.open(home) as opened:
        opened.remember(SAID, title="Minutes", date="2026-03-02", wait=True)
        yield opened
    eventually(lambda: owner(home) is None)


def test_every_sentence_of_an_answer_is_a_quote_with_its_place(memory: remembrancer.Memory) -> None:
    """Word for word, of an item that is there; nothing else is said."""
    asked = memory.ask("Which crane does the north quay take?")
    profile = memory.profile("Ann Lee")

    for answer in (asked, profile):
        assert answer.quotes
        for quote in answer.quotes:
            text = memory.recall(id=quote.artifact_id).results[0].content
            assert quote.quote in text
            if quote.kind != "passage":
                start, end = map(int, str(quote.place).split("-"))
                assert text[start:end] == quote.quote
            assert " ".join(quote.quote.split()) in answer.text
            assert quote.artifact_id in answer.text
    assert "blue crane" in asked.text
    assert (profile.quotes[0].kind, profile.quotes[0].due) == ("commitment", "2031-04-01")


def test_an_answer_keeps_to_its_budget_and_says_what_is_left_out(memory: remembrancer.Memory) -> None:
    """Of another project it knows nothing."""
    for number in range(20):
        memory.remember(f"The blue crane was painted for the {number}th time on the north quay.")

    asked = memory.ask("blue crane on the north quay", max_tokens=200)

    assert estimate_model_tokens(asked.text) <= 200
    assert asked.left_out > 0
    assert memory.ask("blue crane on the north quay", project_id="other").text == ""
