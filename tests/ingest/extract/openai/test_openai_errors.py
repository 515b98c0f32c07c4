"""Every way in which a service fails to extract, against a stand-in with real sockets."""

import json
import threading
import time
from typing import Any

import pytest

from core.errors import Conflict, Unavailable
from graph.sqlite_store import SqliteStore
from ingest.extract.openai import OpenAIExtractor
from ingest.extract.openai.prompt import SCHEMA
from tests.ingest.extracting import artifact_of
from tests.ingest.openai_answers import (
    ANSWER,
    TEXT,
    asking,
    document,
    kept,
    speaker_says,
)
from tests.openai_server import OpenAIServer, Reply

#: Tells the client to try again at once.
SOON = {"retry-after-ms": "1"}


def test_answers_already_paid_for_are_not_asked_for_again(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """A job that failed at its third window goes on there."""
    server.says = speaker_says
    text = "\n".join(f"Person {number}: We decided on plan {number}." for number in range(200))
    server.next(Reply(), Reply(), *[Reply(status=500, headers=SOON)] * 2)
    with pytest.raises(Unavailable, match="failed"):
        extractor.extract(artifact_of(text))
    before = len(server.chats())
    assert len(kept(extractor, text).events) == 200
    parts = [document(body) for body in server.chats()]
    assert parts[before:][0] == parts[before - 1]
    assert not set(parts[before:]) & set(parts[:2])


@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [(429, {"retry-after-ms": "700"}, 0.7), (429, {}, 0.3), (500, SOON, 0.0), (503, SOON, 0.0)],
)
def test_a_failure_that_passes_is_retried_once(
    status: int, headers: dict[str, str], waits: float, extractor: OpenAIExtractor, server: OpenAIServer
) -> None:
    """A short outage costs no job an attempt; it waits as long as it was asked to, else half a second."""
    server.next(Reply(status=status, headers=headers), Reply(content=ANSWER))
    begin = time.monotonic()
    assert len(kept(extractor).events) == 2
    assert time.monotonic() - begin >= waits
    assert len(server.chats()) == 2


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "REMEMBRANCER_OPENAI_EXTRACTION_MODEL"),
        (401, "OPENAI_API_KEY"),
        (403, "OPENAI_API_KEY"),
        (404, "OPENAI_BASE_URL"),
        (409, "try again later"),
        (422, "REMEMBRANCER_OPENAI_EXTRACTION_MODEL"),
        (429, "plan"),
        (500, "try again later"),
    ],
)
def test_an_error_of_the_service_waits_and_says_what_to_do(
    status: int, advice: str, extractor: OpenAIExtractor, server: OpenAIServer
) -> None:
    """Every status is `Unavailable`, with a remedy and what the service said."""
    server.next(*[Reply(status=status, headers=SOON)] * 3)
    with pytest.raises(Unavailable, match=f"{advice}.*scripted {status}"):
        extractor.extract(artifact_of(TEXT))


def test_a_service_that_asks_to_be_left_alone_is_left_alone(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """Retry-After of more than two minutes: refused at once, without asking, until then."""
    server.next(Reply(status=429, headers={"Retry-After": "300"}))
    with pytest.raises(Unavailable, match="limits the rate"):
        extractor.extract(artifact_of(TEXT))
    with pytest.raises(Unavailable, match=r"for (300|299) seconds more"):
        extractor.extract(artifact_of(TEXT))
    with pytest.raises(Unavailable, match="seconds more"):
        extractor.check()
    assert len(server.requests) == 1


def test_a_service_that_does_not_answer_in_time_is_unavailable(server: OpenAIServer, store: SqliteStore) -> None:
    """Asked twice, each time for no longer than the limit."""
    server.next(*[Reply(fault="hang", seconds=5)] * 2)
    with pytest.raises(Unavailable, match="did not answer in time"):
        asking(server, store, timeout=0.2).extract(artifact_of(TEXT))
    assert len(server.requests) == 2


def test_a_window_that_took_too_long_is_asked_about_in_halves(server: OpenAIServer, store: SqliteStore) -> None:
    """A model on a slow machine gets there: tried again, each question is a smaller one."""
    text = "\n".join(f"Person {number}: We decided on plan {number}." for number in range(60))
    server.says = lambda body: speaker_says(body) if len(document(body)) < 1_500 else "x" * time_out()
    ended = threading.Event()

    def time_out() -> int:
        ended.wait(5)
        return 1

    extractor = asking(server, store, timeout=0.3)
    with pytest.raises(Unavailable, match="did not answer in time"):
        extractor.extract(artifact_of(text))
    found = kept(extractor, text)
    ended.set()
    assert len(found.events) == 60
    assert [len(document(body)) for body in server.chats()[:2]] == [len(text)] * 2
    assert "".join(document(body) for body in server.chats()[2:]) == text


def test_a_connection_that_breaks_is_unavailable(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """Reset in the middle of the answer, and again at the second try."""
    server.next(*[Reply(fault="reset")] * 2)
    with pytest.raises(Unavailable, match="can't be reached"):
        extractor.extract(artifact_of(TEXT))


def test_a_service_that_is_not_there_is_unavailable(store: SqliteStore) -> None:
    """Nothing listens at the address any more."""
    with OpenAIServer() as server:
        gone = asking(server, store)
    with pytest.raises(Unavailable, match="can't be reached"):
        gone.extract(artifact_of(TEXT))


@pytest.mark.parametrize(
    "reply", [Reply(fault="malformed"), Reply(body=[]), Reply(body={"choices": None}), Reply(body="text")]
)
def test_an_answer_that_is_no_chat_completion_waits(
    reply: Reply, extractor: OpenAIExtractor, server: OpenAIServer
) -> None:
    """An address that answers something else entirely is not the document's fault."""
    server.next(reply)
    with pytest.raises(Unavailable, match="OPENAI_BASE_URL"):
        extractor.extract(artifact_of(TEXT))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(refusal="I can't help with that."), "refuses to read this text: I can't help"),
        (Reply(content="", finish="content_filter"), "filter"),
        (
            Reply(status=400, body={"error": {"message": "The prompt triggered", "code": "content_filter"}}),
            "filter",
        ),
    ],
)
def test_a_refusal_is_final(reply: Reply, reason: str, extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """Asking again would cost as much and end the same."""
    server.next(reply)
    with pytest.raises(Conflict, match=reason):
        extractor.extract(artifact_of(TEXT))
    assert len(server.chats()) == 1


MALFORMED = [
    Reply(content='{"entities": [], "events": ['),
    Reply(content="I found nothing of note."),
    Reply(content='{"decisions": []}'),
    Reply(content='[{"events": []}]'),
    Reply(content="[" * 100_000),
    Reply(body={"choices": []}),
    Reply(body={"choices": [{"finish_reason": "stop"}]}),
]


@pytest.mark.parametrize("reply", MALFORMED)
def test_an_answer_of_another_form_is_asked_for_three_times(
    reply: Reply, extractor: OpenAIExtractor, server: OpenAIServer
) -> None:
    """Then it is final, and says so; the third time may be right."""
    server.next(reply, reply, Reply(content=ANSWER))
    assert len(kept(extractor).events) == 2
    server.next(*[reply] * 3)
    with pytest.raises(Conflict, match=r"3 times.*JSON schemas"):
        extractor.extract(artifact_of("Another text that says nothing."))
    assert len(server.chats()) == 6


@pytest.mark.parametrize("around", ["```json\n%s\n```", "<think>{hm}</think>%s", "Here it is:\n%s"])
def test_json_within_other_words_is_read(around: str, extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """Small models put fences or thoughts around it."""
    server.next(Reply(content=around % ANSWER))
    assert len(kept(extractor).events) == 2


def test_an_answer_cut_at_its_longest_is_asked_for_in_halves(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """Half an answer is never taken for a whole one; offsets are those of the document all the same."""
    server.says = speaker_says
    text = "\n".join(f"Person {number}: We decided on plan {number}." for number in range(30))
    server.next(Reply(content='{"entities": [], "events": [{"categ', finish="length"))
    assert len(kept(extractor, text).events) == 30
    whole, *parts = (document(body) for body in server.chats())
    assert "".join(parts) == whole == text


def test_a_text_the_model_can_not_take_is_asked_about_in_halves(
    extractor: OpenAIExtractor, server: OpenAIServer
) -> None:
    """400 with context_length_exceeded: models of small windows work, too."""
    server.says = speaker_says
    text = "\n".join(f"Person {number}: We decided on plan {number}." for number in range(30))
    too_long = {"error": {"message": "This model's maximum context length is 512", "code": "context_length_exceeded"}}
    server.next(Reply(status=400, body=too_long))
    assert len(kept(extractor, text).events) == 30


def test_where_even_the_smallest_part_is_too_much_it_is_final(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """The message names the model and the place."""
    server.next(*[Reply(content="{", finish="length")] * 20)
    with pytest.raises(Conflict, match=r"gpt-4o-mini.*larger window"):
        extractor.extract(artifact_of(TEXT * 10))


@pytest.mark.parametrize(
    ("lacks", "asked"),
    [
        (["json_schema"], ["json_schema", "json_object", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "json_object", None, None]),
        (["response_format"], ["json_schema", "json_object", None, None]),
    ],
)
def test_a_server_without_schemas_is_asked_in_a_plainer_form_from_then_on(
    lacks: list[str], asked: list[str | None], store: SqliteStore
) -> None:
    """Ollama, vLLM and others: refused once, remembered; the schema is in the prompt then."""
    with OpenAIServer(lacks=lacks, says=lambda _: ANSWER) as server:
        extractor = asking(server, store)
        assert len(kept(extractor).events) == 2
        assert len(kept(extractor, TEXT + "More.").events) == 2
    first, *others = server.chats()
    assert [body.get("response_format", {}).get("type") for body in (first, *others)] == asked
    schema = json.dumps(SCHEMA, separators=(",", ":"))
    assert [schema in body["messages"][0]["content"] for body in (first, *others)] == [False] + [True] * len(others)


@pytest.mark.parametrize("argument", ["temperature", "max_completion_tokens"])
def test_an_argument_that_a_model_does_not_take_is_left_out_from_then_on(argument: str, store: SqliteStore) -> None:
    """Models that reason take no temperature, older servers no max_completion_tokens; the schema stays."""
    with OpenAIServer(lacks=[argument], says=lambda _: ANSWER) as server:
        extractor = asking(server, store)
        kept(extractor)
        kept(extractor, TEXT + "More.")
    assert [argument in body for body in server.chats()] == [True, False, False]
    assert {body["response_format"]["type"] for body in server.chats()} == {"json_schema"}


def test_a_text_refused_where_others_are_taken_is_final(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """400 before anything worked may be the settings' fault and waits; afterwards it is this text's."""
    refused = Reply(status=400, body={"error": {"message": "invalid value", "code": None}})
    server.next(refused, refused, refused)
    with pytest.raises(Unavailable):
        extractor.extract(artifact_of(TEXT))
    server.next(Reply(content=ANSWER), refused, refused, refused)
    kept(extractor)
    with pytest.raises(Conflict, match="takes other texts"):
        extractor.extract(artifact_of(TEXT + "Poison."))
    kept(extractor, TEXT + "More.")
    assert server.chats()[-1]["response_format"]["type"] == "json_schema", "a refused text changes no dialect"


def test_a_server_that_takes_the_schema_and_forgets_it_is_told_it_in_the_prompt(store: SqliteStore) -> None:
    """Older servers ignore `response_format`: asked twice once, and rightly from then on."""

    def says(body: dict[str, Any]) -> str:
        return ANSWER if '"additionalProperties"' in body["messages"][0]["content"] else "Alice decided something."

    with OpenAIServer(says=says) as server:
        extractor = asking(server, store)
        assert len(kept(extractor).events) == 2
        assert len(kept(extractor, TEXT + "More.").events) == 2
    assert len(server.chats()) == 3


def test_texts_that_say_nothing_are_not_asked_about(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """A conversation is full of "ok"; nothing that short could be quoted."""
    assert kept(extractor, "ok!").events == ()
    assert kept(extractor, "\n\n👍👍👍👍👍👍👍👍\n").events == ()
    assert server.requests == []
