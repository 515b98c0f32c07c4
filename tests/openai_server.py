"""A stand-in for OpenAI's service on a loopback port, with real sockets and scripted misbehaviour.

In a test:

    with OpenAIServer() as server:
        server.next(Reply(status=429, headers={"Retry-After": "0"}), Reply())
        OpenAIEmbedder(api_key="sk-test", base_url=server.url)

By hand: `python tests/openai_server.py --port 8123`, then set OPENAI_BASE_URL=http://127.0.0.1:8123/v1.
"""

import argparse
import base64
import hashlib
import json
import socket
import struct
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Final, Literal, Self

import numpy as np

Fault = Literal[
    "malformed",  # the body is not JSON
    "reset",  # the connection is reset in the middle of the answer
    "hang",  # no answer until `seconds` have passed, then the connection is closed
    "wrong_dimension",  # vectors have one number too few
    "wrong_count",  # the last vector is missing
    "shuffled",  # the vectors come in reverse, each with its right index
    "same_index",  # every vector has the index 0
    "nan",
    "zero",
    "text",  # vectors hold words
]
#: Numbers in a vector when a request does not say.
DIMENSIONS: Final = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
OTHER_DIMENSION: Final = 64
#: What a model says that finds nothing.
NOTHING: Final = '{"entities": [], "events": []}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How one request is answered; the default is: rightly. `seconds` is waited first, cut short when the server ends.

    `body` replaces the JSON of the answer. For a chat completion `content` is what the model says, `finish` why it
    ended, `refusal` that it does not want to, and without `counted` nobody says what it cost.
    """

    status: int = 200
    fault: Fault | None = None
    seconds: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    content: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came: header names in lower case, and the JSON of the body."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


def vector(text: str, dimension: int) -> list[float]:
    """Return the unit vector that stands for `text`: equal texts have equal ones, others are nearly at right angles."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    values = np.random.default_rng(seed).standard_normal(dimension)
    unit: list[float] = (values / np.linalg.norm(values)).tolist()
    return unit


class OpenAIServer:
    """Answers `/v1/embeddings`, `/v1/chat/completions` and `/v1/models/…` while its `with` block lasts.

    Safe from several threads. `says` makes the content of a chat completion from its request's body, when no `Reply`
    gives one. With a `key`, requests that do not carry it get 401. `lacks` names what it does not take in a chat
    request, an argument or a type of `response_format`: 400, as servers do that are not OpenAI's. `models` are those it
    has: None has all, and with "models" in `lacks` it does not tell.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        key: str | None = None,
        says: Callable[[dict[str, Any]], str] = lambda body: NOTHING,
        lacks: Collection[str] = (),
        models: Collection[str] | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.key = key
        self.says = says
        self.lacks = lacks
        self.models = models
        self.ended = Event()
        self._replies: deque[Reply] = deque()
        self._lock = Lock()
        self._http = _Listener(("127.0.0.1", port), _Handler)
        self._http.owner = self
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL for a client, `/v1` included."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def next(self, *replies: Reply) -> None:
        """Answer the next requests like this, in order; those after them rightly."""
        with self._lock:
            self._replies.extend(replies)

    def received(self, request: Request) -> Reply:
        """Note a request and return how to answer it."""
        with self._lock:
            self.requests.append(request)
            reply = self._replies.popleft() if self._replies else Reply()
        form = request.body.get("response_format", {}).get("type")
        lacking = next((name for name in self.lacks if name in request.body or name == form), None)
        if reply == Reply() and lacking is not None:
            return Reply(status=400, body={"error": {"message": f"Unsupported value: '{lacking}'.", "code": None}})
        return reply

    def chats(self) -> list[dict[str, Any]]:
        """Return the bodies of the chat requests so far."""
        return [request.body for request in self.requests if request.path.endswith("/chat/completions")]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    owner: OpenAIServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up: tests make them."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the parent has it
        """Keep tests quiet."""

    def do_POST(self) -> None:
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = owner.received(Request(self.path, headers, body))
        if reply.seconds:
            owner.ended.wait(reply.seconds)
        if reply.fault == "hang":
            self.close_connection = True
        elif reply.fault == "reset":
            self._reset()
        elif reply.fault == "malformed":
            self._send(200, b'{"data": [{"index": 0, "embedd', reply.headers)
        elif owner.key is not None and headers.get("authorization") != f"Bearer {owner.key}":
            self._send(401, _failure("Incorrect API key provided."), reply.headers)
        elif reply.status != 200:
            answer = _failure(f"scripted {reply.status}") if reply.body is None else json.dumps(reply.body).encode()
            self._send(reply.status, answer, reply.headers)
        elif reply.body is not None:
            self._send(200, json.dumps(reply.body).encode(), reply.headers)
        elif self.path.endswith("/embeddings"):
            self._send(200, json.dumps(_embeddings(body, reply.fault)).encode(), reply.headers)
        elif self.path.endswith("/chat/completions"):
            content = owner.says(body) if reply.content is None else reply.content
            self._send(200, json.dumps(_completion(body, content, reply)).encode(), reply.headers)
        else:
            self._send(404, _failure(f"Unknown address {self.path}."), reply.headers)

    def do_GET(self) -> None:
        owner, headers = self.server.owner, {name.lower(): value for name, value in self.headers.items()}
        model = self.path.rpartition("/")[2]
        if owner.key is not None and headers.get("authorization") != f"Bearer {owner.key}":
            self._send(401, _failure("Incorrect API key provided."), {})
        elif "/models/" not in self.path or "models" in owner.lacks:
            self._send(404, _failure(f"Unknown address {self.path}."), {})
        elif owner.models is not None and model not in owner.models:
            self._send(404, _failure(f"The model '{model}' does not exist"), {})
        else:
            self._send(200, json.dumps({"id": model, "object": "model", "created": 0, "owned_by": "x"}).encode(), {})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _reset(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"data"')
        # Closing with unsent data dropped at once is what sends a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True


def _failure(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "scripted", "param": None, "code": None}}).encode()


def _embeddings(body: dict[str, Any], fault: Fault | None) -> dict[str, Any]:
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    dimension = body.get("dimensions") or DIMENSIONS.get(body["model"], OTHER_DIMENSION)
    vectors: list[list[Any]] = [vector(text, dimension) for text in texts]
    if fault == "wrong_dimension":
        vectors = [each[:-1] for each in vectors]
    elif fault in {"nan", "zero", "text"}:
        vectors[-1] = [{"nan": float("nan"), "zero": 0.0, "text": "word"}[str(fault)]] * dimension
    data = [{"object": "embedding", "index": i, "embedding": _encoded(v, body)} for i, v in enumerate(vectors)]
    if fault == "wrong_count":
        data.pop()
    elif fault == "shuffled":
        data.reverse()
    elif fault == "same_index":
        data = [item | {"index": 0} for item in data]
    count = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": count, "total_tokens": count}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _encoded(values: list[Any], body: dict[str, Any]) -> list[Any] | str:
    if body.get("encoding_format") == "base64":
        return base64.b64encode(np.array(values, "<f4").tobytes()).decode()
    return values


def _completion(body: dict[str, Any], content: str, reply: Reply) -> dict[str, Any]:
    refused = reply.refusal is not None
    message = {"role": "assistant", "content": None if refused else content, "refusal": reply.refusal}
    asked, said = len(json.dumps(body["messages"])) // 4, len(content) // 4
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish, "logprobs": None}],
        **({"usage": usage} if reply.counted else {}),
    }


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A stand-in for OpenAI's service on a loopback port.")
    parser.add_argument("--port", type=int, default=8123)
    with OpenAIServer(port=parser.parse_args().port) as server:
        print(f"OPENAI_BASE_URL={server.url}", flush=True)  # noqa: T201 - for the person who started it
        try:
            server.ended.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
