"""The vector index on a Chroma server: given up when it hangs, used again when it is back, known when it is none."""

import inspect
import json
import logging
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from socket import SHUT_RDWR
from threading import Event, Thread

import chromadb
import httpx
import pytest

import servers
from core.errors import InvalidInput, MemoryServiceError, Unavailable
from core.search import Vectors
from retrieval.vectors import ChromaIndex, ChromaServer
from retrieval.vectors import server as module
from tests.retrieval.vectors.vector_parts import Model, entries, fill, units

TOKEN = "tok-Zyx.quark~1"


@contextmanager
def opened(url: str, token: str | None = None) -> Iterator[ChromaIndex]:
    """An index on the server there."""
    index = ChromaIndex(ChromaServer(url, token), Model())
    try:
        yield index
    finally:
        index.close()


Answer = Callable[[BaseHTTPRequestHandler], object]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Yield the address of a server that answers every request so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True

        def do_GET(self) -> None:
            self.body = self.rfile.read(int(self.headers.get("content-length", 0)))
            answer(self)

        do_POST = do_DELETE = do_PUT = do_GET  # noqa: N815  # names that the library calls

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(5)
        server.server_close()


def sentence_hash(status: int, body: str, kind: str = "application/json") -> Answer:
    """Return an answer of this status and body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("content-type", kind)
        handler.send_header("content-length", str(len(body.encode())))
        handler.end_headers()
        handler.wfile.write(body.encode())

    return answer


def calls(index: ChromaIndex) -> list[Callable[[], object]]:
    """Return every call of an index that reaches its server."""
    return [
        index.ping,
        lambda: index.search("p", units(1)[0], 1),
        lambda: index.ids("p"),
        lambda: index.entries("p", ["art_0:0"]),
        lambda: fill(index, 1),
        lambda: index.delete("p", ["art_0:0"]),
        lambda: index.drop("p"),
        index.reset,
    ]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "host:8000",
        "ftp://host",
        "http://",
        "http://h:99999",
        "http://h:x",
        "http://h/?a=1",
        "http://h/#a",
        "http://a b",
    ],
)
def test_an_address_that_is_none_is_refused_by_the_name_of_its_setting(url: str) -> None:
    """Before anything is sent, so that a service with a wrong setting does not start."""
    with pytest.raises(InvalidInput, match="CHROMA_URL"):
        ChromaServer(url)


_PASSWORD = "zyxquark"


def test_credentials_in_the_address_are_refused_without_repeating_them() -> None:
    """They would show up in every message about the server."""
    with pytest.raises(InvalidInput, match="CHROMA_TOKEN") as refused:
        ChromaServer(f"http://ann:{_PASSWORD}@host:8000")
    assert _PASSWORD not in str(refused.value)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "grün"])
def test_a_token_that_cannot_be_sent_is_refused_without_repeating_it(token: str) -> None:
    """A header can't carry it, and the HTTP client's own message would show it."""
    with pytest.raises(InvalidInput, match="CHROMA_TOKEN") as refused:
        ChromaServer("http://host:8000", token)
    assert not token or token not in str(refused.value)


def test_ping_says_which_chroma_answers_and_where(own_chroma: servers.ChromaServer) -> None:
    """A slash at the end of the address is not an error."""
    with opened(f"{own_chroma.url}/") as index:
        assert index.ping() == f"Chroma 1.0.0 at {own_chroma.url}"


def test_nothing_is_sent_before_the_first_call() -> None:
    """A service starts while its Chroma is away."""
    with opened("http://127.0.0.1:9"):
        pass


@pytest.mark.exhaustive
def test_a_server_that_is_away_is_used_again_when_it_is_back(own_chroma: servers.ChromaServer) -> None:
    """Without a restart, and with what was written before; each failed call names the address and what to check."""
    with opened(own_chroma.url) as index:
        made = fill(index, 3)
        own_chroma.stop()
        for call in calls(index):
            with pytest.raises(Unavailable, match=rf"{own_chroma.url} .*check that it runs"):
                call()
        own_chroma.start()
        assert index.search("p", made[1], 1)[0][0] == "art_1:0"
        fill(index, 1, first=3)
        assert len(index.ids("p")) == 4


@pytest.mark.exhaustive
def test_a_server_that_lost_its_data_is_filled_anew(own_chroma: servers.ChromaServer) -> None:
    """The collections that were known are no more; the first call after the loss already works."""
    with opened(own_chroma.url) as index:
        made = fill(index, 3)
        own_chroma.stop()
        shutil.rmtree(own_chroma.folder / "data")
        own_chroma.start()
        assert index.search("p", made[0], 5) == []
        fill(index, 2)
        assert index.ids("p") == {"art_0:0", "art_1:0"}


def test_what_one_index_writes_the_other_sees_at_once(own_chroma: servers.ChromaServer) -> None:
    """Replicas share a server; one may drop a project or empty all while the other has it open."""
    with opened(own_chroma.url) as one, opened(own_chroma.url) as other:
        made = fill(one, 3)
        assert other.search("p", made[2], 1)[0][0] == "art_2:0"
        fill(other, 1, first=3)
        assert len(one.ids("p")) == 4
        other.drop("p")
        assert one.search("p", made[0], 1) == []
        fill(one, 2)
        assert other.reset() is None
        fill(one, 1)
        assert other.ids("p") == {"art_0:0"}


def write_some(url: str, number: int) -> None:
    """Write ten entries to a new project's collections; runs in a process of its own."""
    with opened(url) as index:
        for project in range(5):
            fill(index, 10, project=f"p{project}", first=number * 10)


@pytest.mark.exhaustive
def test_processes_that_make_the_same_collections_at_once_lose_nothing(own_chroma: servers.ChromaServer) -> None:
    """Both replicas of a service see a project for the first time."""
    context = get_context("spawn")
    writers = [context.Process(target=write_some, args=(own_chroma.url, number)) for number in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    with opened(own_chroma.url) as index:
        assert [len(index.ids(f"p{project}")) for project in range(5)] == [20] * 5


def test_the_token_is_sent_as_bearer_with_every_request_and_shown_nowhere(
    own_chroma: servers.ChromaServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A proxy before Chroma checks it, under a path of its own; one that repeats headers does not make us tell it."""
    seen: list[str | None] = []

    def forward(handler: BaseHTTPRequestHandler) -> object:
        seen.append(handler.headers.get("authorization"))
        if seen[-1] != f"Bearer {TOKEN}":
            return sentence_hash(401, f"<html>you sent {seen[-1]}</html>", "text/html")(handler)
        if handler.path.endswith("/query"):
            return sentence_hash(502, f"<html>no upstream for {seen[-1]}</html>", "text/html")(handler)
        body: bytes = handler.body  # type: ignore[attr-defined]  # the handler above sets it
        path = handler.path.removeprefix("/team/chroma")
        answer = httpx.request(
            handler.command, own_chroma.url + path, content=body, headers={"content-type": "application/json"}
        )
        return sentence_hash(answer.status_code, answer.text)(handler)

    caplog.set_level(logging.DEBUG)
    with (
        answering(forward) as proxy,
        opened(f"{proxy}/team/chroma", TOKEN) as index,
        opened(proxy, "tok-wrong") as wrong,
    ):
        fill(index, 3)
        assert index.ids("p") == {"art_0:0", "art_1:0", "art_2:0"}
        assert set(seen) == {f"Bearer {TOKEN}"}
        with pytest.raises(Unavailable, match="502 Bad Gateway") as failed:
            index.search("p", units(1)[0], 1)
        for call in calls(wrong):
            with pytest.raises(
                Unavailable, match=r"refused the token \(401 Unauthorized\): check CHROMA_TOKEN"
            ) as refused:
                call()
    told = f"{failed.value} {refused.value} {caplog.text} {index._chroma!s} {index._chroma!r}"
    assert "no upstream for Bearer ***" in told
    assert TOKEN not in told
    assert "tok-wrong" not in told


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "answer",
    [
        sentence_hash(200, "<html>hello</html>", "text/html"),
        sentence_hash(200, ""),
        sentence_hash(200, "null"),
        sentence_hash(200, "[]"),
        sentence_hash(200, "{}"),
        sentence_hash(200, "[[]]"),
        sentence_hash(200, '"1.0.0"'),
        sentence_hash(200, '{"ids": 7, "id": 7, "name": [], "max_batch_size": "x"}'),
        sentence_hash(204, ""),
        sentence_hash(302, ""),
        sentence_hash(400, "{}"),
        sentence_hash(400, "[1]"),
        sentence_hash(404, "<html>no such page</html>", "text/html"),
        sentence_hash(405, ""),
        sentence_hash(429, '{"error": "RateLimitError", "message": "slow down"}'),
        sentence_hash(500, '{"error": "InternalError", "message": "disk full"}'),
        sentence_hash(500, '{"error": "InternalError"}'),
        sentence_hash(500, '{"error": ["x"], "message": 7}'),
        sentence_hash(503, "overloaded", "text/plain"),
        lambda handler: handler.connection.shutdown(SHUT_RDWR),
        lambda handler: handler.wfile.write(b"garbage\r\n\r\n"),
    ],
)
def test_what_no_chroma_answers_is_unavailable(answer: Answer) -> None:
    """Whatever answers there, no call ends in another error than the service's own."""
    with answering(answer) as url, opened(url) as index:
        for call in calls(index):
            try:
                call()
            except Unavailable as error:
                assert url in str(error)  # noqa: PT017  # some answers pass for an empty index
        with pytest.raises(Unavailable):
            fill(index, 1)


@pytest.mark.parametrize("status", [200, 404])
def test_a_server_of_another_age_is_named_with_its_version_and_ours(status: int) -> None:
    """0.6 knows the paths, servers before it do not."""
    with answering(sentence_hash(status, json.dumps("0.6.3"))) as url, opened(url) as index:
        with pytest.raises(Unavailable, match=r"0\.6\.3") as refused:
            index.ping()
        assert chromadb.__version__ in str(refused.value)


def test_a_hung_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recall that waited for good would hold its thread for good; reads end before writes do."""
    monkeypatch.setattr(module, "_READ", 0.2)
    let_go = Event()
    with answering(lambda _: let_go.wait(30)) as url, opened(url) as index:
        for call in calls(index):
            began = time.monotonic()
            with pytest.raises(Unavailable, match="ReadTimeout"):
                call()
            assert time.monotonic() - began < 10
        let_go.set()


def test_every_request_has_limits_and_a_write_longer_ones() -> None:
    """The client itself waits for good."""
    path = "http://h/api/v2/tenants/t/databases/d/collections"
    waits = {}
    for method, end in (
        ("POST", "/c/query"),
        ("GET", "/c"),
        ("POST", "/c/upsert"),
        ("POST", "/c/delete"),
        ("DELETE", "/c"),
    ):
        request = httpx.Request(method, path + end)
        module._limit(request)
        waits[method + end] = request.extensions["timeout"]["read"]
        assert request.extensions["timeout"]["connect"] == 2
    assert waits == {"POST/c/query": 10, "GET/c": 10, "POST/c/upsert": 60, "POST/c/delete": 60, "DELETE/c": 60}


def test_closing_ends_the_connections_and_nobody_gets_back_in(own_chroma: servers.ChromaServer) -> None:
    """The server's data stays for the others."""
    with opened(own_chroma.url) as index:
        fill(index, 2)
    with pytest.raises(Unavailable, match="was closed"):
        index.ids("p")
    with opened(own_chroma.url) as other:
        assert len(other.ids("p")) == 2


def test_the_size_of_a_batch_is_asked_once(own_chroma: servers.ChromaServer) -> None:
    """Every write needs it; a round trip each would double the calls."""
    asked: list[str] = []

    def forward(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path.rpartition("/")[2])
        body: bytes = handler.body  # type: ignore[attr-defined]  # the handler above sets it
        answer = httpx.request(
            handler.command, own_chroma.url + handler.path, content=body, headers={"content-type": "application/json"}
        )
        sentence_hash(answer.status_code, answer.text)(handler)

    with answering(forward) as url, opened(url) as index:
        fill(index, 2)
        asked.clear()
        fill(index, 1, first=2)
        assert asked == ["get", "upsert"]
        asked.clear()
        fill(index, 2)
        assert asked == ["get", "delete", "upsert"]


def test_every_error_of_the_http_client_is_translated() -> None:
    """But those that only wrong use of it leads to; a new family in another version must be looked at."""
    with opened("http://127.0.0.1:9") as index:
        with pytest.raises(Unavailable):
            index.ping()
        raised = {cls for _, cls in inspect.getmembers(httpx, inspect.isclass) if issubclass(cls, Exception)}
        left = {cls.__name__ for cls in raised if not issubclass(cls, index._chroma.errors)}
        misuse = {each.__name__ for each in raised if issubclass(each, httpx.StreamError)} | {"CookieConflict"}
        assert left == misuse


def test_an_error_that_is_ours_passes_unchanged(own_chroma: servers.ChromaServer) -> None:
    """Wrong arguments are no fault of the server."""
    with opened(own_chroma.url) as index:
        wrong: Vectors = units(1)
        with pytest.raises(MemoryServiceError, match="2 entries"):
            index.upsert("p", "chunks", entries(2), wrong)
