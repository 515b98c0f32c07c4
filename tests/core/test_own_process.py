"""What a process of the service's own does otherwise."""

import subprocess
import sys

PROGRAM = """
import time
from core.own_process import claim_process

claim_process()


class Native:
    def __del__(self):
        raise KeyboardInterrupt


try:
    Native()
    time.sleep(60)
except KeyboardInterrupt:
    print("ended")
"""


def test_an_interruption_that_native_code_drops_comes_again() -> None:
    """It would not end a service that is just starting; a destructor drops what it raises in the same way."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=50, check=True)

    assert (done.stdout, done.stderr) == ("ended\n", "")
