"""Endpoint: the socket on which the owner of a home listens, and the greeting that both sides send first.

It is a Unix socket that only this user may open; where the system has none, a loopback port whose number and secret are
in a file of the home. After a greeting each, one line of JSON, the protocol depends on the requested service.
"""

import hashlib
import json
import os
import selectors
import socket
import stat
import struct
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from core.errors import Unavailable

#: Longest path of a Unix socket in bytes, the final NUL included, on the system that allows the least.
_MAX_PATH: Final = 104
#: How long the other side may take for its greeting, in seconds.
_GREETING_SECONDS: Final = 10.0
#: How long it may take before it reads what is sent to it, in seconds.
_SENDING_SECONDS: Final = 30
#: Bytes that are received at a time.
_RECEIVED: Final = 65_536
#: Longest greeting in bytes.
MAX_GREETING: Final = 65_536

UNIX: Final = hasattr(socket, "AF_UNIX")


class NoOwner(Exception):
    """No owner listens."""


class NotAnswering(Unavailable):
    """Raised when a process has the home open and does not answer: it is stopped, or hangs."""


class Connection:
    """A connection to the owner: its greeting, the lines that it sends, and `send`."""

    def __init__(self, home: Path, want: str, **facts: object) -> None:
        """Connect and request a service.

        Raises:
            NoOwner: there is no owner, or it just ended.
            NotAnswering: it does not answer.
            Unavailable: the socket is not to be trusted, or what answers is no owner.
        """
        self._home = home
        self._socket = _connect(home)
        self._received = bytearray()
        try:
            self.send(format_greeting(want=want, **facts, **_secret(home)))
            line = self.line(_GREETING_SECONDS)
        except NotAnswering:
            self.close()
            raise
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
            OSError: the owner ended, or has not read what it was sent for half a minute.
        """
        self._socket.sendall(data)

    def line(self, seconds: float | None = None) -> bytes:
        """Return the next line; one that does not end in a line break, such as an empty one, is the last.

        `seconds` is how long it may take, without a limit if None; nothing is lost when that was too short.

        Raises:
            NotAnswering: the time is up.
            OSError: the owner was killed.
        """
        until = None if seconds is None else time.monotonic() + seconds
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if not self.is_readable(None if until is None else max(0.0, until - time.monotonic())):
                raise NotAnswering(
                    f"The process that owns the home {str(self._home)!r} has not answered for {seconds:.0f} s: try "
                    f"again, and if it stays so, end {self._owner_name()}."
                )
            if not (part := self._socket.recv(_RECEIVED)):
                end = searched
                break
            self._received += part
        line = bytes(self._received[: end + 1])
        del self._received[: end + 1]
        return line

    def is_readable(self, seconds: float | None = 0.0) -> bool:
        """Whether more arrives from the owner, its end included, within some seconds; without a limit if None."""
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self._socket, selectors.EVENT_READ)
            except ValueError as error:
                raise ConnectionResetError("The connection was closed.") from error
            return bool(selector.select(seconds))

    def _owner_name(self) -> str:
        """Return what to call the process at the other side."""
        if not hasattr(socket, "SO_PEERCRED"):
            return "that process"
        facts = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return f"process {struct.unpack('3i', facts)[0]}"

    def finish(self) -> None:
        """Close the sending side; what the owner still sends can be read."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            return  # the owner ended first

    def abort(self) -> None:
        """End the connection; a thread that waits for a line of it gets an empty one."""
        with suppress(OSError):  # it has ended already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it in this process; a process that was forked from this one keeps its own."""
        self._socket.close()


def format_greeting(**facts: object) -> bytes:
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


def runtime_folder(home: Path) -> Path:
    """Return where lock, socket and logs of a home are: in it, or, where it may not be written, in a temporary folder.

    That one has a name that others may take beforehand: it is used only if it belongs to this user alone.
    """
    if not UNIX or not home.exists() or os.access(home, os.W_OK):
        return home
    digest = hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"remembrancer-{os.getuid()}-{digest}"


def make_runtime_folder(home: Path) -> Path:
    """Make it, for this user alone, and return it.

    Raises:
        OSError: the system refuses.
        Unavailable: another user has it.
    """
    folder = runtime_folder(home)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder != home:
        _check_folder(folder)
    return folder


def socket_path(home: Path) -> Path:
    """Return where the socket of a home is: in it, or, if that path is too long, in the folder that the owner made."""
    path = runtime_folder(home) / "owner.sock"
    if _fits(path):
        return path
    try:
        return Path(_folder_file(home).read_text(encoding="utf-8")) / path.name
    except OSError:
        return path  # nobody listens


def open_listening_socket(home: Path) -> socket.socket:
    """Listen for clients of a home that the caller owns; a socket that a killed owner left is replaced.

    Raises:
        Unavailable: the system refuses.
    """
    try:
        if not UNIX:
            return _listen_on_loopback(home)
        remove_socket(home)
        path = runtime_folder(home) / "owner.sock"
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


def remove_socket(home: Path) -> None:
    """Remove the socket or address file, so that nobody tries to connect to it."""
    if not UNIX:
        _address_file(home).unlink(missing_ok=True)
        return
    path, file = socket_path(home), _folder_file(home)
    path.unlink(missing_ok=True)
    if path.parent != file.parent:
        with suppress(OSError):  # other files in it are not ours
            path.parent.rmdir()
        file.unlink(missing_ok=True)


def read_secret(home: Path) -> str | None:
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
        opened.settimeout(_GREETING_SECONDS)
        opened.connect(address)
        opened.settimeout(None)
        if UNIX:
            # For sending alone: a timeout of the object would hold for its reading too.
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SENDING_SECONDS, 0))
    except TimeoutError as error:
        opened.close()
        raise NotAnswering(
            f"The process that owns the home {str(home)!r} has accepted no connection for {_GREETING_SECONDS:.0f} s: "
            "try again, and if it stays so, end that process."
        ) from error
    except OSError as error:
        opened.close()
        raise NoOwner from error
    return opened


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) < _MAX_PATH


def _folder_file(home: Path) -> Path:
    """Return the file that names the folder of a socket that is not in the home."""
    return runtime_folder(home) / "owner.folder"


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
    return runtime_folder(home) / "owner.address"


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
