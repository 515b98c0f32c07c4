"""One request to the service, in a form that it accepts, and the failures that extraction handles itself."""

import json
import re
import time
from dataclasses import dataclass, replace
from threading import Event, Lock
from typing import Any, Final, Literal

import openai

from core import openai_usage
from core.errors import Conflict, Unavailable
from core.openai_usage import URGENT_WAIT, Gate, Usage, error_text, reporting_errors_to, retry_once
from core.regex import regex
from ingest.extract.openai.prompt import SCHEMA, Prompt

#: The variables that say what the service is asked for.
_SETTINGS: Final = "REMEMBRANCER_OPENAI_EXTRACTION_MODEL"
_TOO_LONG: Final = regex(r"context.length|context window|maximum context|too many tokens|too long", re.I)
_FILTERED: Final = regex(r"content.?filter|content.?policy|content management policy", re.I)
_NO_MODEL: Final = regex(r"(?<![/\w])model\b.{0,120}?(?:not found|not exist)|model_not_found", re.I | re.S)


class TooLong(Exception):
    """The window is too long for the model to read, or to answer about in full: it must be split."""


class TimedOut(Unavailable):
    """The service took too long: a later attempt sends smaller windows."""


def unavailable(error: openai.OpenAIError, model: str) -> Unavailable:
    """Return the error to raise instead, with what the service said."""
    return openai_usage.unavailable_error(error, service="extraction", model=model, settings=_SETTINGS)


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


#: What messages call the service.
_SERVICE: Final = "extraction"
OPENAI_URL: Final = "https://api.openai.com/v1"
#: Models on a processor of one's own take most of this for one window. Twice of it is less than the time after which a
#: worker counts as hanging.
_TIMEOUT_SECONDS: Final = 100.0
_CHECK_SECONDS: Final = 5.0
#: A window of 900 tokens has less to tell, thoughts included; a model that repeats itself is stopped here.
MAX_ANSWER_TOKENS: Final = 8_192
#: Bytes of a token, where the service does not count.
_TOKEN_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said. `refusal` is None unless it refused; `finish` is the service's word for why it ended."""

    text: str
    refusal: str | None
    finish: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What the service takes in a request, as far as is known."""

    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    #: Whether the prompt has the schema, too: some services take it and don't keep to it.
    schema_in_prompt: bool = False
    options: frozenset[str] = frozenset({"temperature", "max_completion_tokens"})

    def without(self, complaint: str) -> "_Dialect | None":
        """Return the next plainer dialect: without the option complained of, else with the schema in the prompt alone.

        That is asked for as JSON first, then without asking for a form at all; None if that was this dialect.
        """
        for option in sorted(self.options):
            if option in complaint:
                return replace(self, options=self.options - {option})
        if self.form == "text":
            return None
        return replace(self, form="json_object" if self.form == "json_schema" else "text", schema_in_prompt=True)

    def arguments(self, prompt: Prompt) -> dict[str, Any]:
        schema = {"json_schema": {"name": "found", "strict": True, "schema": SCHEMA}}
        values: dict[str, Any] = {"temperature": 0, "max_completion_tokens": MAX_ANSWER_TOKENS}
        form = {"type": self.form, **(schema if self.form == "json_schema" else {})}
        return {
            "messages": prompt.messages(schema_in_prompt=self.schema_in_prompt),
            **({} if self.form == "text" else {"response_format": form}),
            **{name: value for name, value in values.items() if name in self.options},
        }


class Chat:
    """Asks one model of one service. Safe to call from several threads; remembers which dialect the service takes."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None,
        model: str,
        gate: Gate | None = None,
        timeout_seconds: float = _TIMEOUT_SECONDS,
    ) -> None:
        """Without a `gate`, one request is made at a time."""
        self.model = model
        self.closing = Event()
        self._gate = gate or Gate()
        self._client = openai.OpenAI(
            api_key=api_key, base_url=base_url or OPENAI_URL, timeout=timeout_seconds, max_retries=0
        )
        self._attempts = retry_once(self.closing)
        self._lock = Lock()
        self._dialect = _Dialect()
        self._works = False
        self._answered_at = time.monotonic()

    @property
    def seconds_since_response(self) -> float:
        """How long ago the service last answered, whatever it said; a pause that it asked for does not count."""
        return max(0.0, time.monotonic() - max(self._answered_at, self._gate.paused_until))

    @property
    def concurrency(self) -> int:
        """The most requests in flight."""
        return self._gate.limit

    def require_schema_in_prompt(self) -> None:
        """Have the schema in the prompt from now on."""
        with self._lock:
            self._dialect = replace(self._dialect, schema_in_prompt=True)

    def ask(self, prompt: Prompt, *, schema_in_prompt: bool = False) -> Reply:
        """Ask, in a plainer dialect if the service refuses this one, with the schema in the prompt where it is needed.

        Raises:
            TooLong: the model can't read that much.
            Conflict: the service refuses this text.
            TimedOut: it takes too long.
            Unavailable: it does not answer, or refuses everything.
        """
        usual = self._dialect
        dialect = replace(usual, schema_in_prompt=schema_in_prompt or usual.schema_in_prompt)
        while True:
            try:
                body = self._create(dialect.arguments(prompt))
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                plainer = self._plainer(error, dialect)
                if plainer is None:
                    raise self._refused(error) from error
                dialect = plainer
                continue
            reply = self._reply(body, prompt)
            with self._lock:
                self._works = True
                if (dialect.form, dialect.options) != (usual.form, usual.options):
                    self._dialect = dialect
            return reply

    def check(self) -> None:
        """Ask whether the service has the model, which costs nothing; a service that can't tell is believed.

        Raises:
            Unavailable: it does not answer, refuses the key, or has no such model.
        """
        self._gate.refuse_if_paused(_SERVICE, URGENT_WAIT)
        try:
            self._client.with_options(timeout=_CHECK_SECONDS).models.retrieve(self.model)
        except openai.NotFoundError as error:
            if lacks_model(error):
                raise unavailable(error, self.model) from error
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.APIConnectionError) as error:
            raise unavailable(error, self.model) from error
        except openai.APIStatusError as error:
            if error.status_code in {429, 500, 502, 503, 504}:
                raise unavailable(error, self.model) from error
        except (openai.OpenAIError, ValueError):
            return  # it has another answer to that question, and may still have the model

    def close(self) -> None:
        """Release the connections to the service; a wait for a second attempt ends."""
        self.closing.set()
        self._gate.wake()
        self._client.close()

    def _create(self, arguments: dict[str, Any]) -> str:
        try:
            return self._attempts(self._send, arguments)
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            raise
        except openai.APIStatusError as error:
            if is_too_long(error):
                raise TooLong(error_text(error)) from error
            raise unavailable(error, self.model) from error
        except openai.APITimeoutError as error:
            raise TimedOut(str(unavailable(error, self.model))) from error
        except openai.OpenAIError as error:
            raise unavailable(error, self.model) from error

    def _send(self, arguments: dict[str, Any]) -> str:
        """Make one request when the gate admits it."""
        with self._gate.turn(_SERVICE, self.closing, "patient") as began, reporting_errors_to(self._gate, began):
            try:
                answer = self._client.chat.completions.with_raw_response.create(model=self.model, **arguments)
                self._gate.heard(began, answer.status_code, answer.headers)
                return answer.http_response.text
            finally:
                self._answered_at = time.monotonic()

    def _plainer(self, error: openai.APIStatusError, dialect: _Dialect) -> _Dialect | None:
        if is_too_long(error):
            raise TooLong(error_text(error)) from error
        if is_filtered(error):
            raise Conflict(f"A filter of the extraction service refuses this text: {error_text(error)}") from error
        return dialect.without(str(error))

    def _refused(self, error: openai.APIStatusError) -> Unavailable | Conflict:
        """Return what a request that is refused in every dialect means: a service that took others means this text."""
        if not self._works:
            return unavailable(error, self.model)
        return Conflict(f"The extraction service takes other texts and refuses this one: {error_text(error)}")

    def _reply(self, body: str, prompt: Prompt) -> Reply:
        """Read an answer; one without a choice says nothing."""
        answer = _loaded(body)
        choices = _part(answer, "choices")
        if not isinstance(choices, list):
            raise Unavailable(
                f"The extraction service's answer for {self.model!r} is no chat completion ({body[:80]!r}): check "
                "OPENAI_BASE_URL."
            )
        choice = choices[0] if choices else None
        message, finish = _part(choice, "message"), _part(choice, "finish_reason")
        text, refusal = _part(message, "content"), _part(message, "refusal")
        text = _storable(text) if isinstance(text, str) else ""
        return Reply(
            text,
            _storable(refusal) if isinstance(refusal, str) and refusal else None,
            finish if isinstance(finish, str) else "",
            _usage(_part(answer, "usage"), prompt, text),
        )


def _storable(text: str) -> str:
    """Return the text without halves of surrogate pairs, which JSON may hold and no store takes."""
    return text.encode(errors="replace").decode()


def _loaded(body: str) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _part(whole: object, name: str) -> object:
    return whole.get(name) if isinstance(whole, dict) else None


def _usage(told: object, prompt: Prompt, text: str) -> Usage:
    """Return what the service counted, else four bytes a token."""
    asked, said = _part(told, "prompt_tokens"), _part(told, "completion_tokens")
    if not (isinstance(asked, int) and isinstance(said, int) and asked >= 0 and said >= 0 and asked + said > 0):
        return Usage(1, prompt.tokens, len(text.encode(errors="replace")) // _TOKEN_BYTES, estimated=1)
    return Usage(1, asked, said)
