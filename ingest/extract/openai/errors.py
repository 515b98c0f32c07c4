"""What each failure of the service means: to be tried again, in smaller parts, or never."""

import json
import re
from typing import Any, Final

import openai

from core.errors import Unavailable

#: What each failure means to the person who runs the service; an error without an entry has its parent's.
REASONS: Final[dict[type[Exception], str]] = {
    openai.APITimeoutError: "did not answer in time: it is asked again, else check OPENAI_BASE_URL",
    openai.APIConnectionError: "can't be reached: check the network and OPENAI_BASE_URL",
    openai.AuthenticationError: "refuses the key: check OPENAI_API_KEY",
    openai.PermissionDeniedError: "does not allow this key to use the model: check OPENAI_API_KEY and its project",
    openai.NotFoundError: (
        "does not know the model or the address: check REMEMBRANCER_OPENAI_EXTRACTION_MODEL and OPENAI_BASE_URL"
    ),
    openai.RateLimitError: "limits the rate, or the quota is used up: it is asked again later, else see the plan",
    openai.BadRequestError: "refuses the request: check REMEMBRANCER_OPENAI_EXTRACTION_MODEL",
    openai.UnprocessableEntityError: "refuses the request: check REMEMBRANCER_OPENAI_EXTRACTION_MODEL",
    openai.ConflictError: "is busy with another request: it is asked again",
    openai.InternalServerError: "failed: it is asked again later",
    openai.APIStatusError: "answers with an error: check OPENAI_BASE_URL",
    openai.APIResponseValidationError: "answers in another form than OpenAI's: check OPENAI_BASE_URL",
    openai.APIError: "failed: it is asked again, else check OPENAI_BASE_URL",
    openai.OpenAIError: "can't be asked: check OPENAI_API_KEY and OPENAI_BASE_URL",
}
#: Longest the service may ask to be left alone, in seconds; it is asked again then, whatever it said.
_LONGEST_QUIET: Final = 600.0
_TOO_LONG: Final = re.compile(r"context.length|context window|maximum context|too many tokens|too long", re.I)
_FILTERED: Final = re.compile(r"content.?filter|content.?policy|content management policy", re.I)
_NO_MODEL: Final = re.compile(r"(?<![/\w])model\b.{0,120}?(?:not found|not exist)|model_not_found", re.I | re.S)


class TooLong(Exception):
    """The model can't read the window, or not answer all that it found in it: it must be cut."""


class TimedOut(Unavailable):
    """The service takes too long, for all or for this window: it is asked again, and about less."""


def translated(error: openai.OpenAIError, model: str) -> Unavailable:
    """Return a failure as what callers know, with what the service said."""
    reason = next(REASONS[cls] for cls in type(error).__mro__ if cls in REASONS)
    return Unavailable(f"The extraction service {reason}. It was asked for {model!r} and said: {said_by(error)}")


def said_by(error: openai.OpenAIError) -> str:
    """Return what the service said, the first 300 characters."""
    return sound(str(error))[:300]


def sound(text: str) -> str:
    """Return a text that can be stored: JSON may hold halves of characters, which no store takes."""
    return text.encode(errors="replace").decode()


def is_too_long(error: openai.APIStatusError) -> bool:
    """Whether the service refuses a request for its length."""
    return error.status_code == 413 or bool(_TOO_LONG.search(_said(error)))


def is_filtered(error: openai.APIStatusError) -> bool:
    """Whether a filter of the service refuses the text itself."""
    return bool(_FILTERED.search(_said(error)))


def lacks_model(error: openai.NotFoundError) -> bool:
    """Whether the service says that it has no such model, rather than no such address."""
    return bool(_NO_MODEL.search(_said(error)))


def quiet_seconds(error: openai.OpenAIError) -> float:
    """Return for how long the service asks not to be asked, 0 if it does not say; 10 minutes at most."""
    if not isinstance(error, openai.APIStatusError):
        return 0.0
    try:
        seconds = float(error.response.headers.get("retry-after", "0"))
    except ValueError:  # a date: the ledger's own pauses do
        return 0.0
    return min(max(0.0, seconds), _LONGEST_QUIET)


def _said(error: openai.APIStatusError) -> str:
    body: Any = error.body
    return f"{error.message} {json.dumps(body, default=str)}"
