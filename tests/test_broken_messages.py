"""Broken messages over standard input: each request is answered once, and the process ends when its input does."""

import json
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.owner.home_config import HomeConfig
from service.owner.launcher import stop_owner
from tests.eventually import eventually
from tests.running_processes import COMMAND, PATIENCE, environment, owner

_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
_BEGIN: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": _CLIENT},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]
_PARAMS: list[Any] = [
    {}, {"name": "status", "arguments": {}}, {"name": "status", "arguments": []}, {"name": 5}, {"arguments": {}}, [],
    None, "x", 7, {"name": "no_such_tool", "arguments": {}}, {"name": "recall", "arguments": {"limit": "high"}},
    {"name": "remember", "arguments": {"content": "\ud83d"}}, {"name": "\ud83d", "arguments": {"\udc00": 1}},
    {"name": "explore", "arguments": {"id": "ent_000000000000"}}, {"_meta": 5},
    {"name": "status", "_meta": {"progressToken": []}},
]  # fmt: skip
_METHODS: list[Any] = [
    "ping",
    "tools/call",
    "tools/list",
    "no/such",
    "",
    "prompts/get",
    "resources/read",
    5,
    None,
    "\ud83d",
]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose owner is gone when the test is over."""
    folder = tmp_path / "home"
    yield folder
    stop_owner(HomeConfig(folder, {}, {}))
    eventually(lambda: owner(folder) is None)


def answers(home: Path, lines: list[bytes], **more: str) -> list[Any]:
    """Return what `stdio` answers to these lines, after which its input is closed and it has to end."""
    process = subprocess.run(
        [COMMAND, "stdio"],
        env=environment(home, **more),
        input=b"".join([*(json.dumps(one).encode() + b"\n" for one in _BEGIN), *lines]),
        capture_output=True,
        timeout=PATIENCE + len(lines) / 20,
        check=True,
    )
    assert b"Traceback" not in process.stderr, process.stderr.decode()
    return [json.loads(line) for line in process.stdout.splitlines()]


def broken(random_: random.Random, number: int) -> tuple[bytes, list[int]]:
    """Return a line, and the ids that have to be answered."""
    kind = random_.randrange(8)
    message = {"jsonrpc": "2.0", "id": number, "method": random_.choice(_METHODS), "params": random_.choice(_PARAMS)}
    line = json.dumps(message).encode()
    after_id = len(f'{{"jsonrpc": "2.0", "id": {number},')
    if kind == 0:
        del message[random_.choice(["jsonrpc", "method", "params"])]
        return json.dumps(message).encode(), [number]
    if kind == 1:
        return line[: random_.randrange(after_id, len(line))], [number]
    if kind == 2:
        return bytes(random_.randrange(256) for _ in range(random_.randrange(40))).replace(b"\n", b"").replace(
            b"{", b""
        ), []
    if kind == 3:
        message["id"] = random_.choice([None, True, 1.5, [], {}])
        return json.dumps(message).encode(), []
    if kind == 4:
        other = {"jsonrpc": "2.0", "id": number + 1, "method": "ping"}
        return json.dumps([message, other, random_.choice([5, [], {}, {"id": []}])]).encode(), [number, number + 1]
    if kind == 5:
        place = random_.randrange(after_id, len(line))
        return line[:place] + random_.choice([b"\x00", b"\xff", b"\xed\xa0\xbd", b"[" * 5_000]) + line[place:], [number]
    if kind == 6:
        return b"\xef\xbb\xbf" + line + b"\r", [number]
    return line, [number]


def check_answered(home: Path, count: int, seed: int, **more: str) -> None:
    """Send so many broken messages, and check that each id that can be read is answered once."""
    random_ = random.Random(seed)
    made = [broken(random_, number) for number in range(1, 2 * count, 2)]
    sent = [line + b"\n" for line, _ in made]
    given = answers(home, [*sent, b'{"jsonrpc": "2.0", "id": "last", "method": "ping"}'], **more)
    said = [one for answer in given for one in (answer if isinstance(answer, list) else [answer])]
    times = Counter(one["id"] for one in said if "method" not in one and one["id"] is not None)

    assert times == Counter({id_: 1 for _, ids in made for id_ in ids} | {"begin": 1, "last": 1})


def test_every_request_of_broken_lines_is_answered_once(home: Path) -> None:
    """A hang of a client would be a missing answer, or a process that goes on when its input has ended."""
    check_answered(home, 300, seed=1)


@pytest.mark.exhaustive
def test_every_request_of_ten_thousand_broken_lines_is_answered_once(home: Path) -> None:
    """As above, for as long as it is worth."""
    check_answered(home, 10_000, seed=2)


def test_half_an_emoji_is_stored_and_found(home: Path) -> None:
    """The call is answered, the receipt says what was replaced."""
    remember = {"name": "remember", "arguments": {"content": "Lamp oil \ud83d for the pier", "context": "note"}}
    recall = {"name": "recall", "arguments": {"context": "note"}}
    calls = [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": p} for i, p in enumerate([remember, recall])]
    stored = answers(home, [json.dumps(calls[0]).encode() + b"\n"])[-1]["result"]["structuredContent"]
    found = answers(home, [json.dumps(calls[1]).encode() + b"\n"])[-1]["result"]["structuredContent"]

    assert "U+FFFD" in stored["hint"]
    assert found["results"][0]["content"] == "Lamp oil \ufffd for the pier"


def test_a_batch_is_answered_as_one(home: Path) -> None:
    """One array, whatever else the batch holds; one of notifications alone is not answered."""
    ping = '{"jsonrpc": "2.0", "id": %d, "method": "ping"}'
    lines = [
        f"[{ping % 7}, 5, {ping % 8}]\n",
        '[{"jsonrpc": "2.0", "method": "notifications/x"}]\n',
        "[1, 2]\n",
        "[]\n",
    ]
    given = answers(home, [line.encode() for line in lines])
    arrays = sorted((answer for answer in given if isinstance(answer, list)), key=len)

    assert [[one["id"] for one in answer] for answer in arrays] == [[None, None], [None, 7, 8]]
    assert [answer["error"]["code"] for answer in given if "error" in answer] == [-32600]
