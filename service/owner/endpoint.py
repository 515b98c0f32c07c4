"""Endpoint: the socket on which the owner of a home listens, and the greeting that both sides send first.

It is a Unix socket that only this user may open; where the system has none, a loopback port whose number and secret are
in a file of the home. After a greeting each, one line of JSON, the protocol is that of the service that was requested.
"""

import json
import os
import socket
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from core.errors import Unavailable

#: Longest path of a Unix socket in bytes, the final NUL included, on the system that allows the least.
_MAX_PATH: Final = 104
#: How long the other side may take for its greeting, in seconds.
_GREETING_SECONDS: Final = 10.0
#: Longest greeting in bytes.
MAX_GREETING: Final = 65_536

UNIX: Final = hasattr(socket, "AF_UNIX")


class NoOwner(Exception):
    """No owner listens."""


class Connection:
    """A connection to the owner: its greeting, a reader of what it sends, and `send`."""

    def __init__(self, home: Path, want: str, **facts: object) -> None:
        """Connect and request a service.

        Raises:
            NoOwner: there is no owner, or it just ended.
            Unavailable: the socket is not to be trusted, or what answers is no owner.
        """
        self._socket = _connect(home)
        try:
            self._socket.settimeout(_GREETING_SECONDS)
            self.reader: BinaryIO = self._socket.makefile("rb")
            self.send(greeting(want=want, **facts, **_secret(home)))
            line = self.reader.readline(MAX_GREETING)
            self._socket.settimeout(None)
        except OSError as error:
            self.close()
            raise NoOwner from error
        if not line.endswith(b"\n"):
            self.close()
            raise NoOwner
        self.status = read_greeting(line)

    def send(self, data: bytes) -> None:
        """Send all of it.

        Raises:
            OSError: the owner ended.
        """
        self._socket.sendall(data)

    def finish(self) -> None:
        """Close the sending side; what the owner still sends can be read."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            return  # the owner ended first

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def greeting(**facts: object) -> bytes:
    """Return a greeting with these facts."""
    return json.dumps(facts).encode() + b"\n"


def read_greeting(line: bytes) -> dict[str, Any]:
    """Return the facts of the other side's greeting.

    Raises:
        Unavailable: it is no JSON object.
    """
    try:
        facts = json.loads(line)
    except ValueError as error:
        raise Unavailable(f"What listens for this home said {line[:40]!r}: end it and try again.") from error
    if not isinstance(facts, dict):
        raise Unavailable(f"What listens for this home said {line[:40]!r}: end it and try again.")
    return facts


def socket_path(home: Path) -> Path:
    """Return where the socket of a home is: in it, or, if that path is too long, in the folder that the owner made."""
    path = home / "owner.sock"
    if _fits(path):
        return path
    try:
        return Path(_folder_file(home).read_text(encoding="utf-8")) / path.name
    except OSError:
        return path  # nobody listens


def listen(home: Path) -> socket.socket:
    """Listen for clients of a home that the caller owns; a socket that a killed owner left is replaced.

    Raises:
        Unavailable: the system refuses.
    """
    try:
        if not UNIX:
            return _listen_on_loopback(home)
        remove(home)
        path = home / "owner.sock"
        if not _fits(path):
            path = _private_folder(home) / path.name
        _check_folder(path.parent)
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        opened.bind(str(path))
        path.chmod(0o600)  # nobody can connect before `listen`
        opened.listen(128)
    except OSError as error:
        raise Unavailable(f"The home {str(home)!r} can't be opened to clients ({error}): check the folder.") from error
    return opened


def remove(home: Path) -> None:
    """Remove the socket or address file, so that nobody tries to connect to it."""
    if not UNIX:
        _address_file(home).unlink(missing_ok=True)
        return
    path, file = socket_path(home), _folder_file(home)
    path.unlink(missing_ok=True)
    if path.parent != home:
        with suppress(OSError):  # what it holds beside the socket is not ours
            path.parent.rmdir()
        file.unlink(missing_ok=True)


def secret_of(home: Path) -> str | None:
    """Return the secret that a client must send; None where the permissions of the socket keep others out."""
    return None if UNIX else str(_secret(home).get("secret"))


def _connect(home: Path) -> socket.socket:
    try:
        if UNIX:
            path = socket_path(home)
            if not path.exists():
                raise NoOwner
            _check_folder(path.parent)
            opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            address: Any = str(path)
        else:
            opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            address = ("127.0.0.1", json.loads(_address_file(home).read_text(encoding="ascii"))["port"])
    except (OSError, ValueError, KeyError) as error:
        raise NoOwner from error
    try:
        opened.connect(address)
    except OSError as error:
        opened.close()
        raise NoOwner from error
    return opened


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) < _MAX_PATH


def _folder_file(home: Path) -> Path:
    """Return the file that names the folder of a socket that is not in the home."""
    return home / "owner.folder"


def _private_folder(home: Path) -> Path:
    """Make a folder with a short path that only this user may enter; its name can't be known, and taken, beforehand."""
    folder = Path(tempfile.mkdtemp(prefix="remembrancer-", dir="/tmp"))
    file = _folder_file(home)
    file.touch(mode=0o600)
    file.write_text(str(folder), encoding="utf-8")
    return folder


def _check_folder(folder: Path) -> None:
    """Refuse a folder in which another user could put a socket.

    Raises:
        Unavailable: it is another user's, or others may write to it.
    """
    facts = folder.lstat()
    if facts.st_uid != os.getuid():
        raise Unavailable(f"{str(folder)!r} belongs to another user: set REMEMBRANCER_HOME to a folder of your own.")
    if stat.S_IMODE(facts.st_mode) & 0o022:
        raise Unavailable(f"Others may write to {str(folder)!r}: make it yours alone (chmod 700), and try again.")


def _address_file(home: Path) -> Path:
    return home / "owner.address"


def _listen_on_loopback(home: Path) -> socket.socket:
    opened = socket.create_server(("127.0.0.1", 0))
    file = _address_file(home)
    file.unlink(missing_ok=True)
    file.touch(mode=0o600, exist_ok=False)
    file.write_text(json.dumps({"port": opened.getsockname()[1], "secret": os.urandom(32).hex()}), encoding="ascii")
    return opened


def _secret(home: Path) -> dict[str, str]:
    if UNIX:
        return {}
    return {"secret": json.loads(_address_file(home).read_text(encoding="ascii"))["secret"]}
