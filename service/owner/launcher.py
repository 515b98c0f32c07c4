"""Launcher: connects to the owner of a home, and starts one if there is none."""

import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from typing import IO, Any, Final

from core.errors import Conflict, InvalidInput, Unavailable
from service import __version__
from service.owner.endpoint import Connection, NoOwner, NotAnswering
from service.owner.home_config import HomeConfig

#: How long an owner may take to start, in seconds: it may have a large index to open, on a slow disk.
_START_SECONDS: Final = 60.0
#: How often an owner is asked that does not answer: a machine may be busy.
_ATTEMPTS: Final = 2
#: Pause between attempts to connect meanwhile, in seconds.
_RETRY_SECONDS: Final = 0.02
_SERVICE: Final = __package__.rpartition(".")[0]
# `-P`: no modules are imported from the working folder. Garbage collection during imports would take a tenth of the
# start, and find nothing.
_COMMAND: Final = (
    "-P",
    "-c",
    f"import gc, sys; gc.disable(); from {_SERVICE}.cli import main; sys.exit(main(['owner', 'run']))",
)
# One heap for all threads: glibc gives each thread its own, and of all but the first it does not return what is free at
# the end.
_ALLOCATOR: Final = {"MALLOC_ARENA_MAX": "1"}


class OwnerProcess:
    """An owner process that is starting, detached from this process."""

    def __init__(self, home_config: HomeConfig) -> None:
        # A file without a name: the owner may write to it for as long as it runs, and nobody has to delete it.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has ended
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this program
                [sys.executable, *_COMMAND],
                env=_ALLOCATOR | home_config.owner_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                cwd="/" if sys.platform != "win32" else None,
                start_new_session=True,
                **detach_options(),
            )
        except OSError as error:
            raise Unavailable(
                f"The owner of {str(home_config.home)!r} can't be started ({error}): try again."
            ) from error

    def check(self) -> bool:
        """Whether it still runs.

        Raises:
            Unavailable: it ended because it could not open the home; the message comes from the owner.
        """
        code = self._process.poll()
        if code is None or code == 0:
            return code is None
        self._errors.seek(0)
        message = self._errors.read().decode("utf-8", "replace").strip()
        raise Unavailable(
            f"The owner of this home ended at its start (exit code {code}): {message[-2_000:] or 'no reason'}"
        )

    def release(self) -> None:
        """Let it run. A thread waits for its end, so that it leaves no zombie."""
        self._errors.close()
        threading.Thread(target=self._process.wait, name="remembrancer-owner", daemon=True).start()


def connect_to_owner(home_config: HomeConfig, want: str, **facts: object) -> Connection:
    """Return a connection to the owner of a home; one of an older release is asked to end first.

    Raises:
        NotAnswering: the owner does not answer, at two attempts.
        Unavailable: no owner came up within a minute, or it ended with the reason in the message.
        Conflict: this process asks for another record than the owner has open.
        InvalidInput: it asks for tools that there are not.
    """
    until = time.monotonic() + _START_SECONDS
    with ExitStack() as started:
        starting: OwnerProcess | None = None
        unanswered = 0
        while True:
            try:
                connection = connect_if_running(home_config, want, **facts)
            except NotAnswering:
                unanswered += 1
                if unanswered == _ATTEMPTS:
                    raise
            except NoOwner:
                if starting is None or not starting.check():
                    starting = OwnerProcess(home_config)
                    started.callback(starting.release)
            else:
                if not _older(connection.status):
                    check_settings(connection)
                    return connection
                connection.close()
                stop_owner(home_config)
            if time.monotonic() > until:
                raise Unavailable(
                    f"No owner of {str(home_config.home)!r} came up: see `logs` in that folder, then try again."
                )
            time.sleep(_RETRY_SECONDS)


def connect_if_running(home_config: HomeConfig, want: str, **facts: object) -> Connection:
    """Return a connection to the running owner.

    Raises:
        NoOwner: there is none.
    """
    return Connection(home_config.home, want, version=__version__, settings=home_config.requested_settings, **facts)


def check_settings(connection: Connection) -> None:
    """Make sure that the owner can serve what this process asks for; close the connection if not.

    Raises:
        InvalidInput: a setting has an invalid value.
        Conflict: the owner has another record open.
    """
    if fault := connection.status.get("fault"):
        connection.close()
        raise InvalidInput(str(fault))
    if connection.status.get("requests_other_store"):
        connection.close()
        raise Conflict(str(connection.status.get("notice")))


def stop_owner(home_config: HomeConfig) -> bool:
    """Ask the owner to finish the calls in progress and end, which may take seconds; False if none runs."""
    try:
        connect_if_running(home_config, "end").close()
    except NoOwner:
        return False
    return True


def _older(status: dict[str, Any]) -> bool:
    """Whether an owner is of an older release than this process."""
    return parse_release(str(status.get("version", ""))) < parse_release(__version__)


def parse_release(version: str) -> tuple[int, ...]:
    """Return the numbers of a release, `1.2.0` as (1, 2, 0)."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def detach_options() -> dict[str, Any]:
    """Return what keeps a process of Windows apart from this one."""
    return {"creationflags": 0x00000008 | 0x00000200} if sys.platform == "win32" else {}  # no console, own group
