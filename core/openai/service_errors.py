"""What errors of the OpenAI client mean, and which of them a second attempt may mend."""

from collections.abc import Mapping
from threading import Event
from typing import Any, Final

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    sleep_using_event,
    stop_after_attempt,
    stop_when_event_set,
    wait_random,
)

from core.errors import Unavailable, one_line
from core.openai.gate import LONGEST_WAIT, headers_of, retry_after

#: By class of the client; an error without an entry has its parent's.
REASONS: Final[Mapping[str, str]] = {
    "APITimeoutError": "did not answer in time: check OPENAI_BASE_URL if this persists",
    "APIConnectionError": "can't be reached: check the network and OPENAI_BASE_URL",
    "AuthenticationError": "refuses the key: check OPENAI_API_KEY",
    "PermissionDeniedError": "does not allow this key to use the model: check OPENAI_API_KEY and its project",
    "NotFoundError": "does not know the model or the address: check {settings} and OPENAI_BASE_URL",
    "RateLimitError": "limits the rate, or the quota is used up: try again later, or check the account's plan",
    "BadRequestError": "refuses the request: check {settings}",
    "UnprocessableEntityError": "refuses the request: check {settings}",
    "ConflictError": "is busy with another request: try again later",
    "InternalServerError": "failed: try again later",
    "APIStatusError": "answers with an error: check OPENAI_BASE_URL",
    "APIResponseValidationError": "answers in another format than OpenAI's: check OPENAI_BASE_URL",
    "APIError": "failed: check OPENAI_BASE_URL if this persists",
    "OpenAIError": "can't be asked: check OPENAI_API_KEY and OPENAI_BASE_URL",
}
#: The wait, in seconds, where the service does not ask for one.
_WAIT: Final = wait_random(0.375, 0.5)
_TRANSIENT_STATUS: Final = frozenset({408, 409, 429})


def unavailable_error(error: Exception, *, service: str, model: str, settings: str) -> Unavailable:
    """Return the error to raise instead, with the reason and what the service said.

    `settings` are the variables that say what it is asked for.
    """
    reason = next(REASONS[name] for name in _classes(error) if name in REASONS).format(settings=settings)
    return Unavailable(f"The {service} service {reason}. It was asked for {model!r} and said: {error_text(error)}")


def error_text(error: Exception) -> str:
    """Return the first 300 characters of what the service said in one line, without halves of surrogate pairs."""
    return one_line(str(error).encode(errors="replace").decode())[:300]


def retry_after_seconds(error: BaseException | None) -> float:
    """Return how long the service asks to be left alone; 0 if it does not say."""
    return retry_after(headers_of(error))


def retry_once(closing: Event) -> Retrying:
    """Return what makes a request, and makes it once more after a transient error.

    It waits for as long as the service asks, which `closing` cuts short; one that asks for more than two minutes is not
    asked again.
    """
    return Retrying(
        retry=retry_if_exception(_is_transient),
        stop=stop_after_attempt(2) | stop_when_event_set(closing),
        wait=_wait,
        sleep=sleep_using_event(closing),
        reraise=True,
    )


def _wait(state: RetryCallState) -> float:
    asked = retry_after_seconds(state.outcome.exception()) if state.outcome else 0.0
    return asked or _WAIT(state)


def _is_transient(error: BaseException) -> bool:
    if "APIConnectionError" in _classes(error):  # timeouts are among them
        return True
    status: Any = getattr(error, "status_code", None)
    if status is None or retry_after_seconds(error) > LONGEST_WAIT:
        return False
    verdict = headers_of(error).get("x-should-retry")  # OpenAI's own, which goes before the status
    return verdict != "false" and (verdict == "true" or status in _TRANSIENT_STATUS or status >= 500)


def _classes(error: BaseException) -> list[str]:
    return [cls.__name__ for cls in type(error).__mro__]
