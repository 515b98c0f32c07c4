"""One owner, many clients: real processes over one home, ended by idleness, by order and by force."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.errors import Unavailable
from service.owner import endpoint
from service.owner.home_config import HomeConfig
from service.owner.launcher import stop_owner
from tests.eventually import eventually
from tests.running_processes import COMMAND, PATIENCE, Bridged, environment, owner, shell

_RUN = "import sys; from service.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose owner is gone when the test is over."""
    folder = tmp_path / "home"
    yield folder
    if folder.exists():
        stop_owner(HomeConfig(folder, {}, {}))
        eventually(lambda: owner(folder) is None)


@pytest.mark.exhaustive
def test_five_clients_that_start_at_once_share_one_owner(home: Path) -> None:
    """docs/architecture.md: a lock decides the race, and what one client was told is stored the others find at once."""
    with ExitStack() as held, ThreadPoolExecutor(5) as threads:
        clients = [held.enter_context(client) for client in threads.map(lambda _: Bridged(home), range(5))]
        receipts = [client.call("remember", content=f"Crate {n} is at dock{n}.") for n, client in enumerate(clients)]
        found = [client.call("recall", query=f"dock{(n + 1) % 5}")["results"] for n, client in enumerate(clients)]
        said = owner(home)

    assert said is not None
    assert said["clients"] == 5
    assert [results[0]["id"] for results in found] == [receipts[(n + 1) % 5]["id"] for n in range(5)]
    assert (home / "logs" / "owner.log").read_text(encoding="utf-8").count(" owns ") == 1


@pytest.mark.exhaustive
def test_a_killed_owner_is_replaced_by_the_next_message(home: Path) -> None:
    """docs/architecture.md: kill -9 loses nothing acknowledged; its socket, lock and pid files hold nobody up."""
    with Bridged(home) as client:
        receipt = client.call("remember", content="The spare key hangs in the shed.")
        first = owner(home)
        assert first is not None
        os.kill(first["pid"], signal.SIGKILL)
        found = client.call("recall", query="spare key")
        second = owner(home)

    assert found["results"][0]["id"] == receipt["id"]
    assert second is not None
    assert second["pid"] != first["pid"]


def kill_during_call(home: Path, *before: int) -> int:
    """Kill the owner, one that is none of those before, as soon as a call is under way; return its process id."""

    def busy() -> bool:
        said = owner(home) or {"pid": 0, "calls": 0}
        return said["pid"] not in before and said["calls"] > 0

    eventually(busy)
    pid = int((owner(home) or {})["pid"])
    os.kill(pid, signal.SIGKILL)
    return pid


#: Long enough that `remember` with `wait` takes seconds.
LONG = {"name": "remember", "arguments": {"content": "The harbour log of that day goes on. " * 1_500, "wait": True}}


@pytest.mark.exhaustive
def test_a_call_under_way_when_the_owner_is_killed_is_put_to_the_next(home: Path) -> None:
    """Nobody waits for ever, and nothing is done twice by being asked twice."""
    with Bridged(home) as client:
        client.call("status")
        client.say({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "status", "arguments": {}}})
        client.say({"jsonrpc": "2.0", "id": "y", "method": "tools/call", "params": LONG})
        first = kill_during_call(home)
        answers = {answer["id"]: answer for answer in (client.hear(), client.hear())}
        said = owner(home) or {}

    told = {id_: answer["result"]["structuredContent"] for id_, answer in answers.items()}
    assert told["x"]["healthy"] is True
    assert told["y"]["status"] in {"stored", "duplicate"}
    assert said["pid"] != first


@pytest.mark.exhaustive
def test_a_call_that_ends_two_owners_is_not_put_to_a_third(home: Path) -> None:
    """An input that kills the process must not do so for ever: the client is told."""
    with Bridged(home) as client:
        client.call("status")
        client.say({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": LONG})
        kill_during_call(home, kill_during_call(home))
        answer = client.hear()

    assert json.loads(answer["result"]["content"][0]["text"])["code"] == "unavailable"


@pytest.mark.exhaustive
def test_a_call_that_the_client_takes_back_ends_and_holds_up_nothing(home: Path, tmp_path: Path) -> None:
    """It is never answered: the session ends without waiting for it, and no other owner is asked it again."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(2_000):
        (notes / f"{number}.txt").write_text(f"Boat {number} is afloat.", encoding="utf-8")
    home.mkdir()
    (home / ".env").write_text(f"REMEMBRANCER_INGEST_ROOTS={notes}\n", encoding="utf-8")
    with Bridged(home) as client:
        client.call("status")
        asked = {"name": "ingest", "arguments": {"path": str(notes)}, "_meta": {"progressToken": "p"}}
        client.say({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": asked})
        first = client.hear()
        assert first.get("method") == "notifications/progress", first
        client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}})
        client.say({"jsonrpc": "2.0", "id": "y", "method": "tools/call", "params": {"name": "status", "arguments": {}}})
        while (answer := client.hear()).get("id") != "y":
            assert answer["method"] == "notifications/progress"
        stop_owner(HomeConfig(home, {}, {}))
        stored = client.call("status")["counts"]["artifacts"]
        begin = time.monotonic()
    assert time.monotonic() - begin < 20
    assert stored < 2_000


def kill_after_more(home: Path, told: list[str]) -> None:
    """Kill the owner as soon as one more write was acknowledged."""
    before = len(told)
    eventually(lambda: len(told) > before and owner(home) is not None)
    os.kill(int((owner(home) or {})["pid"]), signal.SIGKILL)


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
def test_an_owner_killed_again_and_again_loses_nothing(home: Path) -> None:
    """docs/architecture.md: two clients write on while owners are killed under them; what they were told is stored is
    there."""
    told: list[list[str]] = [[], []]
    over = threading.Event()

    def write(number: int) -> None:
        with Bridged(home) as client:
            while not over.is_set():
                receipt = client.call("remember", content=f"Client {number} counted {len(told[number])} lorries.")
                if "id" in receipt:
                    told[number].append(receipt["id"])
                else:  # two owners were killed under this very call
                    assert receipt["code"] == "unavailable"

    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(write, number) for number in range(2)]
        try:
            for _ in range(5):
                kill_after_more(home, told[0])
        finally:
            over.set()
        for each in running:
            each.result()
    with Bridged(home) as client:
        found = [client.call("recall", id=id_)["results"] for ids in told for id_ in ids]

    assert all(found)
    assert all(len(set(ids)) == len(ids) for ids in told)


@pytest.mark.exhaustive
def test_the_owner_ends_when_nobody_needs_it(home: Path) -> None:
    """docs/architecture.md: with no client and no job it ends after its idle time, with its files closed."""
    home.mkdir(mode=0o700)
    (home / ".env").write_text("REMEMBRANCER_OWNER_IDLE=0.5\n", encoding="utf-8")
    with Bridged(home) as client:
        client.call("remember", content="A note to embed.", wait=True)
    eventually(lambda: owner(home) is None)
    eventually(lambda: not (home / "chroma.pid").exists())

    assert not endpoint.socket_path(home).exists()
    assert "ends." in (home / "logs" / "owner.log").read_text(encoding="utf-8")


@pytest.mark.exhaustive
@pytest.mark.parametrize("moved", [False, True], ids=["deleted", "moved"])
def test_the_owner_of_a_home_that_is_gone_ends_at_once(moved: bool, home: Path) -> None:
    """docs/operations.md: what has the path next is not its own, so it leaves that alone, and its clients go on there
    with an owner of their own."""
    home.mkdir(mode=0o700)
    first = subprocess.Popen([COMMAND, "owner", "run"], env=environment(home), stderr=subprocess.PIPE)
    eventually(lambda: owner(home) is not None)
    with Bridged(home) as client:
        client.call("remember", content="A note in the first home.")
        home.rename(elsewhere := home.with_name("elsewhere"))
        if not moved:
            shutil.rmtree(elsewhere)
        environment(home)
        _, errors = first.communicate(timeout=PATIENCE)
        receipt = client.call("remember", content="A note in the second home.")
        second = owner(home) or {}
        found = client.call("recall", query="note", expand=False)["results"]
    kept = shell(elsewhere, "recall", "note", "--json").stdout if moved else None

    assert b"was deleted or moved" in errors
    assert second["pid"] != first.pid
    assert [result["id"] for result in found] == [receipt["id"]]
    assert kept is None or "A note in the first home." in kept


@pytest.mark.exhaustive
def test_an_owner_of_an_older_release_is_replaced(home: Path) -> None:
    """docs/architecture.md: a newer client asks it to finish; an older client is content with a newer owner."""
    home.mkdir(mode=0o700)
    pretend = "import service; service.__version__ = '0.0.9'; "
    older = subprocess.Popen([sys.executable, "-P", "-c", pretend + _RUN, "owner", "run"], env=environment(home))
    eventually(lambda: owner(home) is not None)
    assert (owner(home) or {})["version"] == "0.0.9"
    with Bridged(home) as client:
        receipt = client.call("remember", content="Stored by the release of today.")
        said = owner(home) or {}
    older.wait(PATIENCE)

    assert receipt["status"] == "stored"
    assert said["version"] != "0.0.9"
    assert older.returncode == 0


@pytest.mark.exhaustive
def test_stop_ends_the_owner_and_its_clients_go_on(home: Path) -> None:
    """`owner stop` finishes what is under way; `owner status` says who owns the home."""
    with Bridged(home) as client:
        client.call("remember", content="The boiler was serviced in May.")
        before = json.loads(shell(home, "owner", "status", "--json").stdout)["owner"]
        stopped = shell(home, "owner", "stop")
        none = shell(home, "owner", "status")
        found = client.call("recall", query="boiler")

    assert (before["clients"], stopped.returncode, none.returncode) == (1, 0, 1)
    assert found["results"]


@pytest.mark.exhaustive
def test_serve_is_the_owner_or_refuses(home: Path) -> None:
    """docs/interface.md: clients of `stdio` go to a `serve` on the same home; a second owner is refused with the
    reason."""
    home.mkdir(mode=0o700)
    serve = subprocess.Popen([COMMAND, "serve", "--port", "0"], env=environment(home), stderr=subprocess.PIPE)
    eventually(lambda: owner(home) is not None)
    with Bridged(home) as client:
        client.call("status")
        said = owner(home) or {}
    second = shell(home, "serve", "--port", "0")
    serve.send_signal(signal.SIGINT)
    _, errors = serve.communicate(timeout=PATIENCE)

    assert said["pid"] == serve.pid
    assert second.returncode == 1
    assert second.stderr.startswith("remembrancer: ")
    assert str(serve.pid) in second.stderr
    assert b"Traceback" not in errors


@pytest.mark.exhaustive
def test_a_command_beside_the_owner_has_all_it_needs(home: Path) -> None:
    """The shell uses the owner's vectors: nothing is degraded, and what it stores the clients find by meaning."""
    with Bridged(home) as client:
        client.call("remember", content="The elevator is serviced each May.", wait=True)
        found = json.loads(shell(home, "recall", "When is the lift maintained?", "--json").stdout)
        stored = json.loads(shell(home, "remember", "The cellar floods in spring.", "--wait", "--json").stdout)
        seen = client.call("recall", query="water below the house when the snow melts")
        removed = json.loads(shell(home, "forget", stored["id"], "--confirm", "--json").stdout)
        rebuilt = shell(home, "reindex", "--what", "vectors")
        after = client.call("recall", query="When is the lift maintained?")

    assert (found["degraded"], seen["degraded"], after["degraded"]) == ([], [], [])
    assert stored["id"] in [result["id"] for result in seen["results"]]
    assert (removed["deleted"], removed.get("degraded")) == (True, None)
    assert rebuilt.returncode == 0, rebuilt.stdout + rebuilt.stderr
    assert after["results"][0]["content"] == "The elevator is serviced each May."


@pytest.mark.exhaustive
def test_a_home_that_cannot_be_opened_is_said_to_the_client(home: Path) -> None:
    """Never lie: the reason of the owner's failure is the answer, and the next message tries again."""
    home.mkdir(mode=0o700)
    with sqlite3.connect(home / "remembrancer.db") as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()
    client = Bridged(home)
    refused = client.call("status")
    (home / "remembrancer.db").unlink()
    mended = client.call("status")
    client.end()

    assert "update it" in client.began["error"]["message"]
    assert (refused["code"], mended["healthy"]) == ("unavailable", True)


@pytest.mark.exhaustive
def test_a_client_is_told_of_settings_that_it_asks_for_in_vain(home: Path) -> None:
    """docs/operations.md: the owner has the settings of its home alone, also those of the client that started it; it is
    said on standard error and in `status`, without a secret's value, and in `doctor`."""
    requested = {"REMEMBRANCER_EXTRACTOR": "openai", "OPENAI_API_KEY": "sk-secret-of-this-client"}
    with Bridged(home) as quiet, Bridged(home, OPENAI_API_KEY="sk-for-other-programs") as unconcerned:
        notices = [client.call("status").get("notice") for client in (quiet, unconcerned)]
    eventually(lambda: owner(home) is None)
    with Bridged(home, **requested) as first:
        status = first.call("status")
        doctor = shell(home, "doctor", **requested | {"OPENAI_BASE_URL": "http://127.0.0.1:1"})
        said = first.end()

    asked = "This client asks for OPENAI_API_KEY, REMEMBRANCER_EXTRACTOR=openai; "
    ran = f"the owner of {home} runs with another OPENAI_API_KEY, local, because it reads only {home}/.env: "
    assert notices == [None, None]
    assert status["services"]["extractor"]["detail"] == "local"
    assert status["notice"].startswith(asked + ran)
    assert said == f"{status['notice']}\n"
    assert "sk-secret" not in said
    assert "warning settings  This client asks for OPENAI_API_KEY, OPENAI_BASE_URL, " in doctor.stdout


def test_settings_of_the_home_hold_for_every_client(home: Path) -> None:
    """docs/operations.md: what is written into the home's `.env` is what the owner runs with."""
    environment(home)
    with (home / ".env").open("a", encoding="utf-8") as file:
        file.write("REMEMBRANCER_EXTRACTOR=openai\nOPENAI_API_KEY=sk-x\nOPENAI_BASE_URL=http://127.0.0.1:1/v1\n")
    with Bridged(home, REMEMBRANCER_EXTRACTOR="openai", OPENAI_API_KEY="sk-x") as client:
        status = client.call("status")

    assert "notice" not in status
    assert "can't be reached" in status["services"]["extractor"]["detail"]


@pytest.mark.exhaustive
def test_a_client_that_asks_for_another_record_is_not_served_from_this_one(home: Path) -> None:
    """Nothing is stored where its user does not look for it."""
    other = {"REMEMBRANCER_GRAPH": "neo4j", "NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "x"}
    with Bridged(home) as client:
        client.call("status")
        misled = Bridged(home, **other)
        refused = misled.call("remember", content="For the other record.")
        misled.end()
        command = shell(home, "remember", "For the other record.", **other)
        kept = client.call("status")["counts"]["artifacts"]

    assert "REMEMBRANCER_GRAPH=neo4j" in misled.began["error"]["message"]
    assert "REMEMBRANCER_GRAPH=neo4j" in refused["error"]
    assert (command.returncode, kept) == (1, 0)
    assert "REMEMBRANCER_GRAPH=neo4j" in command.stderr


def test_answers_that_are_owed_come_after_the_client_has_said_all(home: Path) -> None:
    """Input from a pipe: the last answers are written before the bridge ends."""
    calls = [
        {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": "remember", "arguments": {"content": f"Line {n}."}},
        }
        for n in range(2, 6)
    ]
    client = Bridged(home)
    for call in calls:
        client.say(call)
    output, _ = client.process.communicate(timeout=PATIENCE)

    assert sorted(json.loads(line)["id"] for line in output.splitlines()) == [2, 3, 4, 5]
    assert client.process.returncode == 0


def test_a_home_with_a_long_path_has_its_door_elsewhere(tmp_path: Path) -> None:
    """Unix sockets have short names: the door then lies in a new folder, so that nobody can have taken its name, and
    only this user may enter it; what a killed owner left is removed."""
    home = tmp_path / ("a" * 100)
    home.mkdir()
    killed = endpoint.open_listening_socket(home)
    left = endpoint.socket_path(home)
    opened = endpoint.open_listening_socket(home)
    path = endpoint.socket_path(home)

    assert home not in {left.parent, path.parent}
    assert left.parent != path.parent
    assert not left.parent.exists()
    assert path.parent.stat().st_mode & 0o077 == 0
    assert path.stat().st_mode & 0o077 == 0
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
    killed.close()
    opened.close()
    endpoint.remove_socket(home)
    assert not path.parent.exists()
    assert list(home.iterdir()) == []


def test_opening_the_door_leaves_the_files_of_other_threads_alone(tmp_path: Path) -> None:
    """The socket is private from the start, whatever the mask of the process, which is everybody's."""
    masks: list[int] = []
    before = os.umask(0o022)
    try:
        opened = endpoint.open_listening_socket(tmp_path)
        masks.append(os.umask(0o022))
    finally:
        os.umask(before)
    opened.close()

    assert masks == [0o022]
    assert endpoint.socket_path(tmp_path).stat().st_mode & 0o777 == 0o600


def test_a_door_in_a_folder_of_others_is_not_trusted(tmp_path: Path) -> None:
    """Safe: whoever may write to the folder could answer in the owner's place."""
    endpoint.open_listening_socket(tmp_path).close()
    tmp_path.chmod(0o777)

    with pytest.raises(Unavailable, match="chmod 700"):
        endpoint.Connection(tmp_path, "status")


def test_serve_takes_over_from_the_owner_of_clients(home: Path) -> None:
    """docs/operations.md: the clients of the owner go on, and lose no call meanwhile."""
    with Bridged(home) as client:
        receipts = [client.call("remember", content="Crate 0 is at dock 0.")]
        first = owner(home) or {}
        serve = subprocess.Popen([COMMAND, "serve", "--port", "0"], env=environment(home), stderr=subprocess.PIPE)
        try:
            until = time.monotonic() + PATIENCE
            while (owner(home) or first)["pid"] != serve.pid and time.monotonic() < until:
                receipts.append(client.call("remember", content=f"Crate {len(receipts)} is at dock {len(receipts)}."))
            found = client.call("recall", query="crate")
            said = owner(home) or {}
        finally:
            serve.send_signal(signal.SIGINT)
            _, errors = serve.communicate(timeout=PATIENCE)

    assert not first["serves"]
    assert (said["pid"], said["serves"]) == (serve.pid, True)
    assert {receipt.get("status") for receipt in receipts} <= {"stored", "duplicate"}  # put to both
    assert found["total_count"] >= 1
    assert b"Traceback" not in errors


@pytest.mark.parametrize("arguments", [(), ("--status",), ("status",)])
def test_owner_alone_shows_its_status(home: Path, arguments: tuple[str, ...]) -> None:
    """The command that a person tries first."""
    none = shell(home, "owner", *arguments)

    assert none.returncode == 1
    assert none.stdout == f"No process owns {home}; the next client starts one.\n"
