"""Failures of the service that extraction handles itself: texts that are too long or filtered, and slow answers."""

import json
import re
from typing import Any, Final

import openai

from core.errors import Unavailable
from core.openai import gate

#: The variables that say what the service is asked for.
_SETTINGS: Final = "REMEMBRANCER_OPENAI_EXTRACTION_MODEL"
_TOO_LONG: Final = re.compile(r"context.length|context window|maximum context|too many tokens|too long", re.I)
_FILTERED: Final = re.compile(r"content.?filter|content.?policy|content management policy", re.I)
_NO_MODEL: Final = re.compile(r"(?<![/\w])model\b.{0,120}?(?:not found|not exist)|model_not_found", re.I | re.S)


class TooLong(Exception):
    """The window is too long for the model to read, or to answer about in full: it must be split."""


class TimedOut(Unavailable):
    """The service took too long: a later attempt sends smaller windows."""


def unavailable(error: openai.OpenAIError, model: str) -> Unavailable:
    """Return the error to raise instead, with what the service said."""
    return gate.unavailable_error(error, service="extraction", model=model, settings=_SETTINGS)


def is_too_long(error: openai.APIStatusError) -> bool:
    """Whether the service refuses a request for its length."""
    return error.status_code == 413 or bool(_TOO_LONG.search(_said(error)))


def is_filtered(error: openai.APIStatusError) -> bool:
    """Whether a filter of the service refuses the text itself."""
    return bool(_FILTERED.search(_said(error)))


def lacks_model(error: openai.NotFoundError) -> bool:
    """Whether the service says that it has no such model, rather than no such address."""
    return bool(_NO_MODEL.search(_said(error)))


def _said(error: openai.APIStatusError) -> str:
    body: Any = error.body
    return f"{error.message} {json.dumps(body, default=str)}"
