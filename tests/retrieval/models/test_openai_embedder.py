"""The embedder behind a service, against a stand-in with real sockets: batches, checks, and every way to fail."""

from collections.abc import Iterator

import numpy as np
import pytest

from core.errors import InvalidInput, Unavailable
from retrieval.models.openai_embedder import OpenAIEmbedder
from tests.openai_server import OTHER_DIMENSION, Fault, OpenAIServer, Reply, vector

#: The embedders of the test that runs.
ASKING: list[OpenAIEmbedder] = []


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A service that answers rightly until told otherwise; embedders that asked it are closed with it."""
    with OpenAIServer() as running:
        yield running
        while ASKING:
            ASKING.pop().close()


def asking(
    server: OpenAIServer,
    *,
    model: str = "text-embedding-3-small",
    timeout: float = 5.0,
    dimensions: int | None = None,
    key: str | None = "sk-test",
) -> OpenAIEmbedder:
    """Return an embedder that asks the stand-in."""
    made = OpenAIEmbedder(api_key=key, base_url=server.url, model=model, timeout_seconds=timeout, dimensions=dimensions)
    ASKING.append(made)
    return made


def test_vectors_come_back_in_the_order_of_the_texts(server: OpenAIServer) -> None:
    """Also when the service answers in another order: each vector carries its index."""
    server.next(Reply(fault="shuffled"))
    made = asking(server).embed(["one", "two", "three"])
    assert made.dtype == np.float32
    assert made == pytest.approx(np.array([vector(text, 1536) for text in ("one", "two", "three")]), abs=1e-6)


def test_a_request_names_the_model_asks_for_floats_and_carries_the_key(server: OpenAIServer) -> None:
    """Compatible servers refuse base64, and `dimensions` where their models can't shorten vectors."""
    asking(server).embed(["one"])
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == "Bearer sk-test"
    assert request.body == {"model": "text-embedding-3-small", "input": ["one"], "encoding_format": "float"}


def test_asked_dimensions_are_sent_and_part_of_the_name(server: OpenAIServer) -> None:
    """Vectors of one model in two sizes are never mixed: they have two names."""
    embedder = asking(server, dimensions=256)
    assert embedder.embed(["one"]).shape == (1, 256)
    assert (embedder.model, embedder.dimension) == ("text-embedding-3-small-256", 256)
    assert server.requests[0].body["dimensions"] == 256


def test_the_dimension_of_an_unknown_model_is_asked_once(server: OpenAIServer) -> None:
    """Models of other servers need no table."""
    embedder = asking(server, model="nomic-embed-text")
    assert (embedder.model, embedder.dimension, embedder.dimension) == ("nomic-embed-text", 64, OTHER_DIMENSION)
    assert len(server.requests) == 1


def test_no_texts_ask_nothing(server: OpenAIServer) -> None:
    """The shape still says how many numbers a vector has."""
    assert asking(server).embed([]).shape == (0, 1536)
    assert server.requests == []


def test_many_texts_go_in_requests_within_the_limits_and_come_back_in_order(server: OpenAIServer) -> None:
    """At most 256 texts and 250,000 bytes a request: a token has at least one byte, so 300,000 tokens are never met."""
    texts = [f"short {number}" for number in range(300)] + [f"{number} " + "记" * 2_600 for number in range(60)]
    made = asking(server, model="other").embed(texts)
    assert made == pytest.approx(np.array([vector(text, OTHER_DIMENSION) for text in texts]), abs=1e-6)
    batches = [request.body["input"] for request in server.requests]
    assert [text for batch in batches for text in batch] == texts
    assert max(len(batch) for batch in batches) == 256
    assert max(sum(len(text.encode()) for text in batch) for batch in batches) <= 250_000


@pytest.mark.parametrize("text", ["", "记" * 2_667, "abc\ud800"], ids=["empty", "8001 bytes", "half a surrogate"])
def test_a_text_the_service_would_refuse_is_refused_before_anything_is_sent(text: str, server: OpenAIServer) -> None:
    """One bad text must not cost a batch its price and then its result."""
    with pytest.raises(InvalidInput):
        asking(server).embed(["fine"] * 300 + [text])
    assert server.requests == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failure_that_passes_is_retried_once(status: int, server: OpenAIServer) -> None:
    """A short outage is not seen by whoever asks."""
    server.next(Reply(status=status, headers={"retry-after-ms": "1"}))
    assert asking(server).embed(["one"]).shape == (1, 1536)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "REMEMBRANCER_OPENAI_EMBEDDING_MODEL"),
        (401, "OPENAI_API_KEY"),
        (403, "OPENAI_API_KEY"),
        (404, "OPENAI_BASE_URL"),
        (409, "try again"),
        (422, "REMEMBRANCER_OPENAI_EMBEDDING_MODEL"),
        (429, "plan"),
        (500, "try again"),
    ],
)
def test_an_error_of_the_service_says_what_to_do(status: int, advice: str, server: OpenAIServer) -> None:
    """Every status is `Unavailable`, with a remedy and what the service said."""
    server.next(*[Reply(status=status, headers={"retry-after-ms": "1"})] * 2)
    with pytest.raises(Unavailable, match=f"{advice}.*scripted {status}"):
        asking(server).embed(["one"])


@pytest.mark.parametrize("fault", ["malformed", "wrong_dimension", "wrong_count", "same_index", "nan", "zero", "text"])
def test_an_answer_that_is_not_what_was_asked_for_is_refused(fault: Fault, server: OpenAIServer) -> None:
    """A vector that is wrong in any way never reaches the index."""
    server.next(Reply(fault=fault))
    with pytest.raises(Unavailable, match="OPENAI_BASE_URL"):
        asking(server).embed(["one", "two"])


@pytest.mark.parametrize("body", [[], "text", {"data": None}, {"data": [{"index": 0}]}, {"data": [7]}, {"data": [{}]}])
def test_json_of_another_shape_is_refused(body: object, server: OpenAIServer) -> None:
    """An address that answers something else entirely is told from a failure of the model."""
    server.next(Reply(body=body))
    with pytest.raises(Unavailable, match="not a list of embeddings"):
        asking(server).embed(["one"])


def test_another_dimension_than_before_names_both(server: OpenAIServer) -> None:
    """A server whose model was exchanged under the same name must not fill the index with other vectors."""
    embedder = asking(server, model="other")
    embedder.embed(["one"])
    server.next(Reply(fault="wrong_dimension"))
    with pytest.raises(Unavailable, match=r"\[63\] numbers where 64"):
        embedder.embed(["one"])


def test_a_service_that_does_not_answer_in_time_is_unavailable(server: OpenAIServer) -> None:
    """Asked twice, each time for no longer than the limit."""
    server.next(*[Reply(fault="hang", seconds=5)] * 2)
    with pytest.raises(Unavailable, match="did not answer in time"):
        asking(server, timeout=0.2).embed(["one"])
    assert len(server.requests) == 2


def test_a_connection_that_breaks_is_unavailable(server: OpenAIServer) -> None:
    """Reset in the middle of the answer, and again at the second try."""
    server.next(*[Reply(fault="reset")] * 2)
    with pytest.raises(Unavailable, match="can't be reached"):
        asking(server).embed(["one"])


def test_a_service_that_is_not_there_is_unavailable() -> None:
    """Nothing listens at the address any more."""
    with OpenAIServer() as server:
        gone = asking(server)
    with pytest.raises(Unavailable, match="can't be reached"):
        gone.embed(["one"])


@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key_nothing_is_asked(key: str | None, server: OpenAIServer) -> None:
    """The message names the variable to set."""
    with pytest.raises(Unavailable, match="OPENAI_API_KEY is not set"):
        asking(server, key=key).embed(["one"])
    assert server.requests == []


def test_no_chunk_of_the_window_is_too_long_for_openai() -> None:
    """8,191 tokens is OpenAI's limit, and each takes at least a byte."""
    tokenizer = OpenAIEmbedder(api_key=None).tokenizer
    assert (tokenizer.window_tokens, tokenizer.window_bytes) == (900, 8_000)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (413, "Request Entity Too Large"),
        (400, "Requested 512000 tokens, max 300000 tokens per request"),
        (422, "batch size 4 > maximum allowed batch size 2"),
    ],
)
def test_a_request_that_is_too_large_for_the_service_is_asked_in_halves(
    status: int, message: str, server: OpenAIServer
) -> None:
    """Servers of others allow less than OpenAI's; the vectors come back in the order of the texts."""
    server.next(Reply(status=status, body={"error": {"message": message}}))
    texts = ["one", "two", "three", "four", "five"]
    made = asking(server).embed(texts)
    assert made == pytest.approx(np.array([vector(text, 1536) for text in texts]), abs=1e-6)
    assert [request.body["input"] for request in server.requests] == [texts, texts[:2], texts[2:]]


def test_one_text_that_is_too_large_for_the_service_is_unavailable(server: OpenAIServer) -> None:
    """There is nothing to halve."""
    server.next(Reply(status=413, body={"error": {"message": "too large"}}))
    with pytest.raises(Unavailable):
        asking(server).embed(["one"])
    assert len(server.requests) == 1
