"""Messages of clients: what is damaged is repaired, and what can't be read is answered."""

import json
from typing import Any

import pytest

from service.owner.messages import INVALID_REQUEST, PARSE_ERROR, Fault, read_line

LONGEST = 100_000


def only(line: bytes) -> dict[str, Any] | Fault:
    """Return the one message of a line."""
    received = read_line(line, LONGEST)
    assert not received.is_batch
    (part,) = received.parts
    return part


@pytest.mark.parametrize("line", [b"", b"\n", b"  \r\n", b"\xef\xbb\xbf\n"])
def test_a_blank_line_is_no_message(line: bytes) -> None:
    assert read_line(line, LONGEST).parts == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b'"half \\ud83d"', "half \ufffd"),
        (b'"\\udc8a half"', "\ufffd half"),
        (b'"\\ud83d\\udd11"', "🔑"),
        (b'"\xff byte"', "\ufffd byte"),
        (b'"\xed\xa0\xbd"', "\ufffd\ufffd\ufffd"),
        (b'{"\\ud83d": ["\\udc00"]}', {"\ufffd": ["\ufffd"]}),
    ],
)
def test_text_that_is_not_unicode_is_repaired(given: bytes, expected: object) -> None:
    message = only(b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": ' + given + b"}}\r\n")
    assert isinstance(message, dict)
    assert message["params"]["a"] == expected


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (b"this is no json", PARSE_ERROR, None),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping"', PARSE_ERROR, 7),
        (b'{"jsonrpc": "2.0", "id": "a\\"b", "method": "ping",}', PARSE_ERROR, 'a"b'),
        (b'{"params": {"id": 5, "x": "\\"id\\": 6"}, "id": 8, "method": }', PARSE_ERROR, 8),
        (b'{"params": {"id": 5}, "method": }', PARSE_ERROR, None),
        (b'{"id": 9, "a": \x00}', PARSE_ERROR, 9),
        (b'{"id": 3, "method": "m", "params": ' + b"[" * 200 + b"]" * 200 + b"}", INVALID_REQUEST, 3),
        (b'{"id": 3, "method": "m", "params": ' + b"[" * 9_000 + b"]" * 9_000 + b"}", INVALID_REQUEST, 3),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "m", "params": {"a": "' + b"x" * LONGEST + b'"}}', INVALID_REQUEST, 4),
        (b'{"jsonrpc": "2.0", "id": 4, "params": {"a": "' + b'\\"' * LONGEST, INVALID_REQUEST, 4),
        (b"5", INVALID_REQUEST, None),
        (b'"text"', INVALID_REQUEST, None),
        (b"[]", INVALID_REQUEST, None),
        (b"{}", INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST, 1),
        (b'{"jsonrpc": "2.0", "id": null, "method": "m"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "m"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "m"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "m"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "m"}', INVALID_REQUEST, 1),
        (b'{"id": 1, "method": "m"}', INVALID_REQUEST, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', INVALID_REQUEST, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": [1]}', INVALID_REQUEST, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": "a"}', INVALID_REQUEST, 1),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_answered_to_whoever_asked(line: bytes, code: int, id_: object) -> None:
    fault = only(line)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.id) == (code, id_)
    json.dumps(fault.answer())


def test_a_batch_has_its_messages_in_order() -> None:
    received = read_line(b'[{"jsonrpc": "2.0", "id": 1, "method": "m"}, 5, {"jsonrpc": "2.0", "method": "n"}]', LONGEST)
    assert received.is_batch
    assert [type(part) for part in received.parts] == [dict, Fault, dict]
    assert [request["id"] for request in received.requests()] == [1]
