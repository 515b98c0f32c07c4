"""The embedder behind a service: OpenAI's embeddings, or any server that speaks the same."""

import json
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Lock
from typing import Any, Final

import numpy as np
import openai

from core.errors import InvalidInput, Unavailable
from core.openai_usage import (
    Gate,
    Spending,
    Urgency,
    Usage,
    in_parallel,
    reporting_errors_to,
    retry_once,
    unavailable_error,
)
from core.search import Vectors
from retrieval.models.tokenizer import WordPieces

_log = logging.getLogger("remembrancer.embed")

OPENAI_URL: Final = "https://api.openai.com/v1"
#: Numbers in a vector when no other size is asked for; other models are asked once.
_DIMENSIONS: Final = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
#: Chunks of this size are what the service promises where the model allows it.
_WINDOW_TOKENS: Final = 900
#: OpenAI reads 8,191 tokens of a text, and a token has at least one byte.
_WINDOW_BYTES: Final = 8_000
#: A request may hold 2,048 texts and 300,000 tokens; smaller ones fail less often, and servers of others allow less.
_REQUEST_TEXTS: Final = 256
_REQUEST_BYTES: Final = 250_000
_TIMEOUT_SECONDS: Final = 30.0
#: How services say that a request has too many texts or tokens.
_TOO_LARGE: Final = re.compile(r"too (?:many|large|long|big)|\bmax|at most|exceed|batch size", re.IGNORECASE)

#: A call with at most this many texts is for a question, or for `status`: it takes precedence.
_URGENT_TEXTS: Final = 8
#: Bytes of a token, where the service does not count; and so few that no text has more tokens.
_TOKEN_BYTES, _LEAST_TOKEN_BYTES = 4, 2
#: What messages call the service.
_SERVICE: Final = "embedding"

#: The variables that say what the service is asked for.
_SETTINGS: Final = "REMEMBRANCER_OPENAI_EMBEDDING_MODEL and REMEMBRANCER_OPENAI_EMBEDDING_DIMENSION"


class OpenAIEmbedder:
    """A `core.search.MeteredEmbedder` that asks a service, in requests of at most 256 texts, and retries each once.

    Several are in flight as far as `gate` admits; without one, one is.

    `base_url` None is OpenAI's own. `dimensions` is sent when given, for models that can shorten their vectors.
    Without an `api_key` every call is `Unavailable`. The name in `model` has the size in it as far as it is known
    without asking.
    """

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None = None,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        gate: Gate | None = None,
        timeout_seconds: float = _TIMEOUT_SECONDS,
    ) -> None:
        self.tokenizer = WordPieces(window_tokens=_WINDOW_TOKENS, window_bytes=_WINDOW_BYTES)
        self._asked_model = model
        self._asked_dimensions = dimensions
        self._dimension = dimensions or _DIMENSIONS.get(model)
        self.model = model if self._dimension is None else f"{model}-{self._dimension}"
        self._gate = gate or Gate()
        self._spending: Spending | None = None
        self._lock = Lock()
        self._closing = Event()
        self._attempts = retry_once(self._closing)
        self._client = (
            openai.OpenAI(api_key=api_key, base_url=base_url or OPENAI_URL, timeout=timeout_seconds, max_retries=0)
            if api_key
            else None
        )

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; a model that is not OpenAI's is asked once.

        Raises:
            Unavailable: the service had to be asked and did not answer.
        """
        if self._dimension is None:
            self._request(["dimension"], "urgent")
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text; a text has 1 to 8,000 bytes of UTF-8."""
        urgency: Urgency = "urgent" if len(texts) <= _URGENT_TEXTS else "usual"
        batches = list(_requests(texts))
        parts = in_parallel(lambda batch: self._request(batch, urgency), batches, self._gate.limit)
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), np.float32)

    def count_in(self, spending: Spending) -> None:
        """Count requests and tokens there from now on, within its budget."""
        self._spending = spending

    def usage_line(self) -> str:
        """Return what embedding has cost; see `MeteredEmbedder`."""
        return "" if self._spending is None else self._spending.usage_line()

    def usage(self) -> Usage:
        """Return what all processes on the record have asked for so far."""
        return Usage() if self._spending is None else self._spending.spent().ever

    def close(self) -> None:
        """Release the connections to the service; a wait for a second attempt ends."""
        self._closing.set()
        self._gate.wake()
        if self._client is not None:
            self._client.close()

    def _request(self, texts: Sequence[str], urgency: Urgency) -> Vectors:
        if self._client is None:
            raise Unavailable("OPENAI_API_KEY is not set: set it, or use the local embedder.")
        size = sum(map(_size, texts))
        try:
            with self._reserved(size // _LEAST_TOKEN_BYTES + len(texts)):
                body = self._attempts(self._send, self._client, texts, urgency)
                self._count(body, size)
        except openai.OpenAIError as error:
            if len(texts) > 1 and _is_too_large(error):
                half = len(texts) // 2
                return np.concatenate([self._request(texts[:half], urgency), self._request(texts[half:], urgency)])
            asked = self._asked_model
            raise unavailable_error(error, service=_SERVICE, model=asked, settings=_SETTINGS) from error
        return self._unit_vectors(self._rows(body, len(texts)))

    def _send(self, client: openai.OpenAI, texts: Sequence[str], urgency: Urgency) -> str:
        """Make one request when the gate admits it."""
        with self._gate.turn(_SERVICE, self._closing, urgency) as began, reporting_errors_to(self._gate, began):
            answer = client.embeddings.with_raw_response.create(
                model=self._asked_model,
                input=list(texts),
                encoding_format="float",
                dimensions=openai.omit if self._asked_dimensions is None else self._asked_dimensions,
            )
            self._gate.heard(began, answer.status_code, answer.headers)
            return answer.http_response.text

    def _reserved(self, tokens: int) -> AbstractContextManager[None]:
        return nullcontext() if self._spending is None else self._spending.reserved(tokens, self._closing)

    def _count(self, body: str, size: int) -> None:
        """Count what the service says that a request used, else four bytes a token."""
        if self._spending is None:
            return
        try:
            told = json.loads(body)["usage"]["total_tokens"]
        except (ValueError, TypeError, KeyError, RecursionError):
            told = None
        is_told = isinstance(told, int) and told > 0
        usage = Usage(1, told) if is_told else Usage(1, size // _TOKEN_BYTES + 1, estimated=1)
        try:
            self._spending.add(usage)
        except Unavailable as error:
            _log.warning("What a request for embeddings cost is counted with the next one: %s", error)

    def _rows(self, body: str, count: int) -> list[Any]:
        """Return the embeddings of an answer in the order of the texts, whatever order they came in."""
        try:
            data = sorted(json.loads(body)["data"], key=lambda item: item["index"])
            rows, places = [item["embedding"] for item in data], [item["index"] for item in data]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._bad_answer(f"is not a list of embeddings ({body[:80]!r})") from error
        if places != list(range(count)):
            raise self._bad_answer(f"has {len(places)} embeddings for {count} texts, or not one for each")
        return rows

    def _unit_vectors(self, rows: list[Any]) -> Vectors:
        lengths = {len(row) if isinstance(row, list) else 0 for row in rows}
        with self._lock:
            expected = self._dimension or min(lengths)
            if lengths != {expected} or expected == 0:
                raise self._bad_answer(f"has vectors of {sorted(lengths)} numbers where {expected} were expected")
            self._dimension = expected
        try:
            values = np.array(rows, np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._bad_answer("has vectors of other things than numbers") from error
        # Scaled first, so that squaring neither overflows nor vanishes.
        largest = np.abs(values).max(axis=1, keepdims=True)
        if not np.isfinite(largest).all() or not largest.all():
            raise self._bad_answer("has vectors that are not finite or all zero")
        values /= largest
        unit: Vectors = (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def _bad_answer(self, what: str) -> Unavailable:
        return Unavailable(
            f"The embedding service's answer for {self._asked_model!r} {what}: check OPENAI_BASE_URL and the model."
        )


def _is_too_large(error: openai.OpenAIError) -> bool:
    """Whether a service refuses a request for its size: others than OpenAI's take fewer texts or tokens at once."""
    if not isinstance(error, openai.APIStatusError):
        return False
    return error.status_code == 413 or (error.status_code in {400, 422} and bool(_TOO_LARGE.search(str(error))))


def _requests(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, as many at a time as one request may hold.

    Raises:
        InvalidInput: a text is empty, longer than the window, or not valid Unicode; nothing was asked yet.
    """
    batches: list[list[str]] = []
    room = 0
    for text in texts:
        size = _size(text)
        if not batches or size > room or len(batches[-1]) == _REQUEST_TEXTS:
            batches.append([])
            room = _REQUEST_BYTES
        batches[-1].append(text)
        room -= size
    yield from batches


def _size(text: str) -> int:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"The text holds an unpaired surrogate at character {error.start}: send valid Unicode text."
        ) from error
    if not 1 <= size <= _WINDOW_BYTES:
        raise InvalidInput(
            f"The text {text[:40]!r} has {size:,} bytes: an embedding service takes 1 to {_WINDOW_BYTES:,}."
        )
    return size
