"""`python -m servers.attached COMMAND...`: run a command that ends with the process that started this one.

The starter holds the other end of this process's standard input. When it dies, however it dies, the end is closed.
"""

import os
import signal
import subprocess
import sys
import threading
from typing import Final

#: Seconds between asking the command to end and killing it.
_GRACE: Final = 20.0


def _end_with_starter(command: subprocess.Popen[bytes]) -> None:
    # Not through sys.stdin: a thread that waits in it holds a lock that the interpreter needs to end.
    os.read(0, 1)
    command.terminate()
    try:
        command.wait(_GRACE)
    except subprocess.TimeoutExpired:
        command.kill()


def main(arguments: list[str]) -> int:
    """Return the command's exit code."""
    # Both are in one process group: the command gets the signal too, and this process has to outlive it.
    signal.signal(signal.SIGTERM, lambda *_: None)
    command = subprocess.Popen(arguments, stdin=subprocess.DEVNULL)
    threading.Thread(target=_end_with_starter, args=(command,), daemon=True).start()
    return command.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
