"""Messages to and from an isolated process: a head of JSON and a body of bytes, their lengths in front."""

import json
import struct
from typing import IO, Any, Final

#: The lengths of head and body, in bytes.
_LENGTHS: Final = struct.Struct("!IQ")


def send(stream: IO[bytes], head: dict[str, Any], body: bytes = b"") -> None:
    """Write one message.

    Raises:
        OSError: nobody reads it any more.
    """
    text = json.dumps(head).encode()
    stream.write(_LENGTHS.pack(len(text), len(body)))
    stream.write(text)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    """Read one message.

    Raises:
        EOFError: the other process has ended, or sent half of one.
    """
    head, body = _LENGTHS.unpack(_read(stream, _LENGTHS.size))
    return json.loads(_read(stream, head)), _read(stream, body)


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
