"""`remembrancer refine`: a model reads the items to review, and the ledger has what it found."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ingest.openai_answers import document, event, said
from tests.openai_server import NOTHING, OpenAIServer
from tests.running_commands import Shell

CHOICE = "Le bateau du nord sera bleu."
#: Long enough that nothing found in it is odd, in a language that the rules don't read.
TALK = "Il fait beau sur le quai. " * 40
TEXT = f"{TALK}{CHOICE} {TALK}"


def says(body: dict[str, Any]) -> str:
    return said(event(CHOICE)) if CHOICE in document(body) else NOTHING


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer(key="sk-test", says=says) as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        yield running


def test_a_model_reads_what_is_worth_another_look_once(shell: Shell, model: OpenAIServer) -> None:
    """What it found is in the ledger; called again it is asked nothing more, and the run can be rolled back."""
    assert shell("refine").stdout == "Nothing to review.\n"
    shell("remember", TEXT, "--title", "Talk at the quay")
    shell("remember", "The boats are blue.")

    done = shell("refine", "--json")
    asked = len(model.chats())
    shell("refine", "--json")

    run = json.loads(done.stdout)["run"]
    (decision,) = json.loads(shell("decisions", "--json").stdout)["items"]
    assert (run["tally"]["items"], asked, len(model.chats())) == (1, 1, 1)
    assert decision["evidence"][0]["quote"] == CHOICE
    shell("rollback", run["id"])
    assert json.loads(shell("decisions", "--json").stdout)["items"] == []
