"""Connections: those that say nothing, and too many of them."""

import resource
import socket
import time
from contextlib import ExitStack

import pytest

from service.app import App
from service.http import connections
from service.http.limits import Limits
from tests.http_serving import got, http_service


def opened(address: str, sent: bytes = b"") -> socket.socket:
    """Connect, and send what is no whole request."""
    host, _, port = address.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), timeout=30)
    connection.sendall(sent)
    return connection


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: local"])
def test_a_connection_without_a_whole_request_ends(app: App, sent: bytes) -> None:
    """A thousand of them would use up the descriptors."""
    with http_service(app, limits=Limits(seconds=0.2)) as address, opened(address, sent) as connection:
        begin = time.monotonic()
        answer = connection.recv(4096)
        end = connection.recv(4096)

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert end == b""
    assert time.monotonic() - begin >= 0.1


def test_bytes_that_trickle_do_not_put_the_deadline_off(app: App) -> None:
    """It counts from the beginning of the connection, not from the last byte."""
    with http_service(app, limits=Limits(seconds=0.3)) as address, opened(address) as connection:
        answer, sent = b"", 0
        connection.settimeout(0.05)
        while not answer and sent < 200:
            connection.sendall(b"G")
            sent += 1
            try:
                answer = connection.recv(4096)
            except TimeoutError:
                continue

    assert answer.startswith(b"HTTP/1.1 408 ")


def test_the_oldest_idle_connection_makes_room(app: App) -> None:
    """Whoever asks something is served, however many are open."""
    with http_service(app, limits=Limits(connections=3, seconds=60)) as address, ExitStack() as held:
        idle = [held.enter_context(opened(address)) for _ in range(5)]
        answers = [got(address).status_code for _ in range(3)]
        idle[0].settimeout(30)
        try:
            end = idle[0].recv(1)
        except ConnectionResetError:
            end = b""

    assert answers == [200, 200, 200]
    assert end == b""


def test_few_descriptors_mean_few_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and databases need theirs, too."""
    lent = {"soft": 300}
    monkeypatch.setattr(resource, "getrlimit", lambda _: (lent["soft"], 600))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: lent.update(soft=limit[0]))

    assert connections._affordable(100) == 100
    assert connections._affordable(1_000) == 600 - 256
    assert lent["soft"] == 600
