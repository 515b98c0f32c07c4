"""What is said of an error of the OpenAI client, and what is asked again, told from errors as the client makes them."""

import inspect
import time
from threading import Event, Timer

import httpx2
import openai
import pytest

from core.openai_usage import REASONS, error_text, retry_after_seconds, retry_once, unavailable_error

#: Errors of the client that a request for embeddings or a chat completion with an API key can't meet.
ELSEWHERE = {
    openai.OpenAIError,
    openai.ContentFilterFinishReasonError,
    openai.LengthFinishReasonError,
    openai.WebSocketConnectionClosedError,
    openai.WebSocketQueueFullError,
    openai.InvalidWebhookSignatureError,
}
REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/embeddings")


def answered(status: int, **headers: str) -> openai.APIStatusError:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return openai.APIStatusError("No.", response=httpx2.Response(status, headers=fields, request=REQUEST), body=None)


def attempts(error: Exception) -> int:
    """Return how many requests are made of a service that meets each with this error at first."""
    made = []

    def request() -> None:
        made.append(error)
        if len(made) < 5:
            raise error

    with pytest.raises(type(error)):
        retry_once(Event())(request)
    return len(made)


def test_every_error_of_the_client_has_a_reason() -> None:
    """A new class in another version of the client must be looked at."""
    public = (getattr(openai, name) for name in openai.__all__)
    exported = {each for each in public if inspect.isclass(each) and issubclass(each, Exception)}
    specific = tuple(getattr(openai, name) for name in REASONS if name != "OpenAIError")
    assert {cls for cls in exported - ELSEWHERE if not issubclass(cls, specific)} == set()


def test_an_error_is_told_with_the_service_the_settings_and_what_was_said() -> None:
    """One table serves both services."""
    error = openai.NotFoundError("Which?", response=httpx2.Response(404, request=REQUEST), body=None)
    said = str(unavailable_error(error, service="embedding", model="m1", settings="THE_MODEL"))
    assert said.startswith("The embedding service does not know the model or the address: check THE_MODEL and ")
    assert said.endswith("It was asked for 'm1' and said: Which?")
    assert "in time" in str(unavailable_error(openai.APITimeoutError(REQUEST), service="a", model="m", settings="S"))


def test_what_the_service_said_can_be_stored() -> None:
    """Half of a surrogate pair, which JSON may hold, would fail every store."""
    assert error_text(openai.OpenAIError("a\ud800b" + "c" * 400)) == "a?b" + "c" * 297
    assert error_text(openai.OpenAIError("a\nERROR b\x1b[2J")) == "a ERROR b [2J"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "7", "retry_after_ms": "250"}, 0.25),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after": "soon"}, 0.0),
        ({"retry_after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
    ],
)
def test_a_service_says_how_long_to_leave_it_alone(headers: dict[str, str], seconds: float) -> None:
    """RFC 9110, 10.2.3: seconds or a date; OpenAI adds milliseconds."""
    assert retry_after_seconds(answered(429, **headers)) == seconds
    assert retry_after_seconds(openai.APITimeoutError(REQUEST)) == 0.0


def test_a_date_to_come_is_waited_for() -> None:
    """RFC 9110, 10.2.3."""
    assert retry_after_seconds(answered(503, retry_after="Fri, 01 Jan 2100 00:00:00 GMT")) > 1e9


@pytest.mark.parametrize(
    ("error", "times"),
    [
        (answered(429, retry_after_ms="1"), 2),
        (answered(503, retry_after_ms="1"), 2),
        (answered(408, retry_after_ms="1"), 2),
        (answered(400, retry_after_ms="1", x_should_retry="true"), 2),
        (answered(503, retry_after_ms="1", x_should_retry="false"), 1),
        (answered(400, retry_after_ms="1"), 1),
        (answered(401, retry_after_ms="1"), 1),
        (answered(429, retry_after="121"), 1),
        (openai.APIConnectionError(request=REQUEST), 2),
        (openai.APIResponseValidationError(httpx2.Response(200, request=REQUEST), body=None), 1),
    ],
)
def test_only_what_may_pass_is_asked_again_and_once(error: Exception, times: int) -> None:
    """What the request itself causes fails the same way each time, and may cost money."""
    assert attempts(error) == times


def test_closing_ends_the_wait_for_a_second_attempt() -> None:
    """A process that ends does not wait out two minutes."""
    closing = Event()
    Timer(0.05, closing.set).start()

    def request() -> None:
        raise answered(429, retry_after="100")

    begin = time.monotonic()
    with pytest.raises(openai.APIStatusError):
        retry_once(closing)(request)
    assert time.monotonic() - begin < 5
