"""Work in a process of its own: whatever an item does to it, the asking process learns what failed, and goes on."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import Conflict, Unavailable
from ingest.isolation import IsolatedError, IsolatedProcess, Limits
from tests.eventually import eventually

MODULE = """
import os, re, signal, sys, time
from core.errors import Conflict, Unavailable

def refuse(body): raise Unavailable(body.decode())
def fail(body): raise ValueError(body.decode())
def hang(body): re.match("(a+)+b", "a" * 60); yield b""
def eat(body): yield bytearray(400_000_000)
def segfault(body): os.kill(os.getpid(), signal.SIGSEGV); yield b""
def leave(body): os._exit(7)
def say(body): print("to standard output"); yield b"said"
def number(body): yield str(os.getpid()).encode()
def echo(body): yield body; yield body[::-1]
def multiply(body):
    import numpy
    matrix = numpy.ones((500, 500), numpy.float32)
    matrix @ matrix
    yield str(len(os.listdir("/proc/self/task"))).encode()
def follow(body): yield open(body, "rb").read()
def of(*names): return {"name": lambda _: list(map(str.encode, names))} | globals()
"""
BAD: dict[str, str] = {
    "hang": "Work took more than 1 s.",
    "eat": "Work needed more than 300 MiB.",
    "segfault": f"The process of work ended with signal {int(signal.SIGSEGV)}.",
    "leave": "The process of work ended with exit code 7.",
}

Make = Callable[..., IsolatedProcess]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return what makes an isolated process of the module above, with tight limits."""
    (tmp_path / "misbehaving.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(*names: str, target: str = "misbehaving:of", idle_seconds: float = 60.0) -> IsolatedProcess:
        return IsolatedProcess("Work", target, names, Limits(1.0, 300), idle_seconds)

    return made


def number_of(process: IsolatedProcess) -> int:
    return int(process.ask("number", b"", 0)[0])


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_products_of_numpy_start_no_threads(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would wait by spinning, beside the embedder of the process that asks."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert make().ask("multiply", b"", 0) == [b"1"]


def test_it_answers_in_a_process_that_is_kept(make: Make) -> None:
    """An answer has one body or several; what is printed there goes to standard error, not into an answer."""
    process = make("one", "two")

    assert process.ask("echo", b"ab", 2) == [b"ab", b"ba"]
    assert process.ask("name", b"", 0) == [b"one", b"two"]
    assert process.ask("say", b"", 0) == [b"said"]
    assert process.ask("echo", b"x" * 3_000_000, 2)[1] == b"x" * 3_000_000
    assert number_of(process) == number_of(process) != os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
@pytest.mark.parametrize("operation", BAD)
def test_what_hangs_eats_or_ends_it_is_named_and_the_next_item_is_done(make: Make, operation: str) -> None:
    """An item that trying again does not help is a conflict."""
    process = make()
    process.ask("number", b"", 0)
    with pytest.raises(Conflict) as caught:
        process.ask(operation, b"", 0)

    assert str(caught.value) == BAD[operation]
    assert process.ask("echo", b"a", 1) == [b"a", b"a"]


@pytest.mark.exhaustive
def test_a_longer_item_may_take_longer(make: Make) -> None:
    """A second more for each thousand characters."""
    with pytest.raises(Conflict, match="more than 2 s"):
        make().ask("hang", b"", 1_000)


def test_errors_of_an_operation_arrive(make: Make) -> None:
    """Ours as they are, others by type and message; the process goes on."""
    process = make()
    first = number_of(process)
    with pytest.raises(Unavailable, match="no model"):
        process.ask("refuse", b"no model", 0)
    with pytest.raises(IsolatedError, match="ValueError: odd"):
        process.ask("fail", b"odd", 0)

    assert number_of(process) == first


def test_a_process_that_died_between_items_is_nobodys_fault(make: Make) -> None:
    """Such as when the system needed its memory."""
    process = make()
    first = number_of(process)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: number_of(process) != first)


def test_it_ends_after_a_while_without_work(make: Make) -> None:
    """And starts again when it is needed."""
    process = make(idle_seconds=0.1)
    first = number_of(process)
    eventually(lambda: not is_running(first))
    assert process.ask("echo", b"a", 1) == [b"a", b"a"]


def test_threads_that_ask_at_once_have_a_process_each(make: Make) -> None:
    """An item that hangs keeps no other waiting."""
    process = make()
    began = threading.Event()
    failures: list[Exception] = []

    def hang() -> None:
        began.set()
        try:
            process.ask("hang", b"", 0)
        except Conflict as error:
            failures.append(error)

    thread = threading.Thread(target=hang)
    thread.start()
    began.wait()
    assert process.ask("echo", b"a", 1) == [b"a", b"a"]
    thread.join()
    assert len(failures) == 1


def test_one_that_cannot_start_is_unavailable(make: Make) -> None:
    """Nothing is parked for it: it is none of the item's doing."""
    with pytest.raises(Unavailable, match="ended at its start with exit code 1"):
        make(target="misbehaving:absent").ask("echo", b"", 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("operation", ["number", "hang"])
def test_it_ends_with_the_process_that_asks(make: Make, tmp_path: Path, operation: str) -> None:
    """Even when that is killed, and even in the middle of a text that hangs."""
    program = f"""
import sys, threading, time; sys.path[:] = {sys.path!r}
from ingest.isolation import IsolatedProcess, Limits
process = IsolatedProcess("Work", "misbehaving:of", [], Limits(1.0, 300))
print(process.ask("number", b"", 0)[0].decode(), flush=True)
threading.Thread(target=process.ask, args=({operation!r}, b"", 0), daemon=True).start()
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        number = int(asking.stdout.readline())
        asking.kill()
    eventually(lambda: not is_running(number))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="The system has no fork.")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_it_ends_without_a_word_when_nobody_reads_its_answers(make: Make, tmp_path: Path) -> None:
    """As when the process that asks is killed while this one starts."""
    make()
    read, write = os.pipe()
    os.close(read)
    program = "from ingest.isolation.child import serve; serve('misbehaving:of', [], 300)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_fork_while_an_answer_is_awaited_leaves_it_to_the_parent(make: Make, tmp_path: Path) -> None:
    """The fork goes on at once, although the thread that holds the lock of the stream is not in it."""
    process, pipe = make(), tmp_path / "pipe"
    os.mkfifo(pipe)
    answers: list[list[bytes]] = []
    asking = threading.Thread(target=lambda: answers.append(process.ask("follow", os.fsencode(pipe), 0)))
    asking.start()
    with pipe.open("wb") as followed:  # opens when the process reads it
        forked = os.fork()
        if forked == 0:
            os._exit(0)
        followed.write(b"the answer")
    asking.join()

    ended: list[tuple[int, int]] = []

    def has_ended() -> bool:
        ended.append(os.waitpid(forked, os.WNOHANG))
        return ended[-1][0] == forked

    try:
        eventually(has_ended)
    except BaseException:
        os.kill(forked, signal.SIGKILL)
        os.waitpid(forked, 0)
        raise
    assert answers == [[b"the answer"]]
    assert ended[-1] == (forked, 0)
