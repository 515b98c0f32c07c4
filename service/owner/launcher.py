"""Launch: reach the owner of a home, starting one if there is none."""

import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from typing import IO, Any, Final

from core.errors import Unavailable
from service import __version__
from service.owner.endpoint import Connection, NobodyListens
from service.owner.home import Place

#: Longest wait for an owner to come up, in seconds: it may have a large index to open, on a slow disk.
_PATIENCE: Final = 60.0
#: How often a caller knocks meanwhile, in seconds.
_KNOCK: Final = 0.02
# No folder that happens to be the working one is searched for modules. What is made by importing is no garbage: looking
# for some takes a tenth of the start.
_COMMAND: Final = (
    "-P",
    "-c",
    "import gc, sys; gc.disable(); from service.cli import main; sys.exit(main(['owner', 'run']))",
)
# One heap for all threads: glibc gives each thread its own, and of all but the first it does not return what is free at
# the end.
_ALLOCATOR: Final = {"MALLOC_ARENA_MAX": "1"}


class Starting:
    """An owner process on its way up, apart from this process: it outlives it."""

    def __init__(self, place: Place) -> None:
        # A file without a name: the owner may write to it as long as it likes, and nobody has to clear it away.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has ended
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this program
                [sys.executable, *_COMMAND],
                env=_ALLOCATOR | place.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                cwd="/" if sys.platform != "win32" else None,
                start_new_session=True,
                **_detached(),
            )
        except OSError as error:
            raise Unavailable(f"The owner of {str(place.home)!r} can't be started ({error}): try again.") from error

    def check(self) -> bool:
        """Whether it still runs.

        Raises:
            Unavailable: it ended because it could not open the home; the message is its own.
        """
        code = self._process.poll()
        if code is None or code == 0:
            return code is None
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip()
        raise Unavailable(
            f"The owner of this home ended at its start (exit code {code}): {said[-2_000:] or 'no reason'}"
        )

    def release(self) -> None:
        """Let it run on. It is waited for, so that nothing is left of it in the process table when it ends."""
        self._errors.close()
        threading.Thread(target=self._process.wait, name="remembrancer-owner", daemon=True).start()


def reach(place: Place, want: str, **facts: object) -> Connection:
    """Return a connection to the owner of a home; one of an older release is asked to end first.

    Raises:
        Unavailable: no owner came up within a minute, or the one that tried said why not.
    """
    until = time.monotonic() + _PATIENCE
    with ExitStack() as started:
        starting: Starting | None = None
        while True:
            try:
                connection = call(place, want, **facts)
            except NobodyListens:
                if starting is None or not starting.check():
                    starting = Starting(place)
                    started.callback(starting.release)
            else:
                if not _older(connection.said):
                    return connection
                connection.close()
                end(place)
            if time.monotonic() > until:
                raise Unavailable(
                    f"No owner of {str(place.home)!r} came up: see `logs` in that folder, then try again."
                )
            time.sleep(_KNOCK)


def call(place: Place, want: str, **facts: object) -> Connection:
    """Return a connection to the owner that runs.

    Raises:
        NobodyListens: none runs.
    """
    return Connection(place.home, want, version=__version__, settings=place.digests, **facts)


def end(place: Place) -> bool:
    """Ask the owner to finish what is under way and end; False if none runs. It may take seconds to be gone."""
    try:
        call(place, "end").close()
    except NobodyListens:
        return False
    return True


def _older(said: dict[str, Any]) -> bool:
    """Whether an owner is of an older release than this process."""
    return release(str(said.get("version", ""))) < release(__version__)


def release(version: str) -> tuple[int, ...]:
    """Return the numbers of a release, `1.2.0` as (1, 2, 0)."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _detached() -> dict[str, Any]:
    return {"creationflags": 0x00000008 | 0x00000200} if sys.platform == "win32" else {}  # no console, own group
