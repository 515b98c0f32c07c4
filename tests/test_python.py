"""`import remembrancer`: what a Python program has of a memory, beside the clients that share it."""

import dataclasses
import inspect
import json
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import typing
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import remembrancer
from core import errors
from remembrancer._in_process import InProcessTools
from service import __version__
from service.owner import endpoint
from service.owner.home_config import HomeConfig
from service.owner.launcher import stop_owner
from tests.eventually import eventually
from tests.running_processes import Bridged, owner

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
TEXT = "We chose the blue tiles. Ann Lee will send the invoice by 2026-04-01."


@pytest.fixture(scope="module")
def defaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    """Settings that are the defaults."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("REMEMBRANCER_", "OPENAI_"))]:
            patch.delenv(name)
        patch.chdir(tmp_path_factory.mktemp("folder"))
        yield patch


@pytest.fixture(scope="module")
def home(defaults: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home for the tests of this module, each with a project of its own; its owner is gone when they are over."""
    folder = tmp_path_factory.mktemp("homes") / "home"
    yield folder
    stop_owner(HomeConfig(folder, {}, {}))
    eventually(lambda: owner(folder) is None)


@pytest.fixture(scope="module")
def in_process(defaults: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessTools]:
    """The tools in this process, as they are where the vectors are on a server."""
    opened = InProcessTools(tmp_path_factory.mktemp("homes") / "home")
    yield opened
    opened.close()


@pytest.fixture(params=["owner", "in process"])
def memory(request: pytest.FixtureRequest) -> Iterator[remembrancer.Memory]:
    """An empty project, served by an owner and in this process."""
    project_id = re.sub(r"\W+", "-", request.node.name)[:64]
    if request.param == "owner":
        with remembrancer.open(request.getfixturevalue("home"), project_id=project_id) as opened:
            yield opened
    else:
        yield remembrancer.Memory(request.getfixturevalue("in_process"), project_id)


class Stub:
    """What listens as an owner would, and closes so many connections when a tool is called before it answers one."""

    def __init__(self, home: Path, ends: int) -> None:
        home.mkdir()
        self.calls, self._ends = 0, ends
        self._door = endpoint.open_listening_socket(home)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._door.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    message = json.loads(line)
                    if message.get("method") == "tools/call":
                        self.calls += 1
                        if self.calls <= self._ends:
                            break
                    if "want" in message or "id" in message:  # a notification has no answer
                        connection.sendall(self._answer(message))

    def _answer(self, message: dict[str, Any]) -> bytes:
        if "want" in message:
            return endpoint.format_greeting(version=__version__, pid=os.getpid())
        result = {"content": [{"type": "text", "text": "# page=1"}]}
        return json.dumps({"id": message.get("id"), "result": result}).encode() + b"\n"

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self._thread.join()


def dataclasses_in(hint: Any) -> set[type]:
    """Return the dataclasses that a type expression leads to."""
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return {hint}.union(*(dataclasses_in(inner) for inner in typing.get_type_hints(hint).values()))
    return {kind for inner in typing.get_args(hint) for kind in dataclasses_in(inner)}


def test_the_package_holds_what_it_names_and_no_more() -> None:
    """The door: open, Memory, the tool of a folder, every result that a method leads to, the errors."""
    shown = set(dir(remembrancer))
    methods = inspect.getmembers(remembrancer.Memory, inspect.isfunction)
    results = {kind for _, method in methods for kind in dataclasses_in(typing.get_type_hints(method).get("return"))}
    kinds: set[type] = {errors.MemoryServiceError, *errors.MemoryServiceError.__subclasses__()}

    assert shown == set(remembrancer.__all__)
    names = {kind.__name__ for kind in results | kinds} - {"DeletionCounts"}  # it is offered as `Cascade`
    assert shown == {"open", "Memory", "Cascade", "MemoryTool"} | names


def test_importing_it_is_light() -> None:
    """A script that asks an owner needs no model, no database and no MCP library."""
    heavy = "chromadb onnxruntime neo4j mcp numpy openai server service.app service.settings"
    code = f"import sys, remembrancer; print(*set({heavy!r}.split()) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)

    assert done.stdout.strip() == ""


@pytest.mark.exhaustive
def test_results_are_typed_whoever_serves_them(memory: remembrancer.Memory) -> None:
    """Dataclasses all the way down, and the same ones from an owner as from this process."""
    receipt = memory.remember(TEXT, author="Ann Lee", date="2026-03-02", tags=("bath",), metadata={"a": [1]}, wait=True)
    found = memory.recall("Which tiles?")
    (promise,) = memory.commitments("Ann Lee").items
    done = memory.resolve(promise.id, "done", note="It came.")
    around = memory.explore(name="Ann Lee")
    many = memory.remember_many([{"content": "Grout is grey."}, {"content": " "}])

    assert isinstance(receipt, remembrancer.Receipt)
    (result,) = found.results
    assert (result.id, result.content, result.metadata["tags"]) == (receipt.id, TEXT, ["bath"])
    assert {event.category for event in result.events or ()} == {"Decision", "Commitment"}
    assert isinstance(found.entities[0], remembrancer.Entity)
    assert isinstance(found.entities[0].aliases, tuple)
    assert promise.evidence == [remembrancer.Quote("Ann Lee will send the invoice by 2026-04-01.", 25, 69)]
    assert done.status == "done"
    assert isinstance(around.nodes[0], remembrancer.Node)
    assert [type(one).__name__ for one in many.results] == ["Receipt", "Refusal"]
    assert memory.status().counts == remembrancer.Counts(
        artifacts=2, chunks=2, turns=0, entities=1, events=2, decisions=1, commitments=1, stashed=0
    )


def test_every_tool_answers(memory: remembrancer.Memory) -> None:
    """Those that the test before leaves out."""
    one = memory.remember("Pick up the samples.", context="stash", key="samples")
    rule = memory.remember("Use metric units.", context="preference")

    assert memory.context_stash([rule.id]).stashed_segments == [rule.id]
    assert [segment.id for segment in memory.context_search_stashed("metric").segments] == [rule.id]
    assert memory.context_search_stashed("metric", filters={"type": "note"}).total_matches == 0
    read = memory.context_retrieve_stashed([rule.id], move_to_active=True)
    assert read.moved_to_active == [rule.id]
    assert [result.id for result in memory.pop("samples").results] == [one.id]
    assert memory.faceted_search(memory_type="preference").startswith("# page=1 total=1 ")
    assert "Use metric units." in memory.memory_context(scope="universal")
    assert memory.decisions(status="all").total_count == 0
    assert memory.forget(rule.id).deleted is False
    assert memory.forget(rule.id, confirm=True).deleted is True


def test_errors_are_exceptions_by_their_codes(memory: remembrancer.Memory) -> None:
    """What a tool answers with `code` is raised as the class of that code, with the same words."""
    with pytest.raises(remembrancer.NotFound, match="art_000000000000") as missing:
        memory.recall(id="art_000000000000")
    with pytest.raises(remembrancer.InvalidInput, match="Must provide query, id"):
        memory.recall()
    with pytest.raises(remembrancer.TooLarge):
        memory.recall("x" * 6_000)
    with pytest.raises(remembrancer.InvalidInput, match="limit"):
        memory.recall("tiles", limit="ten")  # type: ignore[arg-type] # what is tested
    with pytest.raises(remembrancer.InvalidInput, match="tags"):
        memory.recall(tags=5)  # type: ignore[arg-type] # what is tested

    assert missing.value.code == "not_found"
    assert isinstance(missing.value, remembrancer.MemoryServiceError)


def test_what_is_no_json_is_refused_before_it_is_sent(memory: remembrancer.Memory) -> None:
    """A program may hold what no tool takes."""
    for value in ({1, 2}, Path("x"), float("nan"), "half a pair \ud800"):
        with pytest.raises(remembrancer.InvalidInput, match="JSON"):
            memory.remember("Tiles.", metadata={"value": value})


def test_the_project_that_is_opened_is_that_of_each_call(home: Path) -> None:
    """Unless a call names another."""
    with remembrancer.open(home, project_id="bath") as memory:
        memory.remember(TEXT)
        memory.remember("The roof leaks.", project_id="roof")

        assert memory.project_id == "bath"
        assert [result.content for result in memory.recall(source="manual").results] == [TEXT]
        (other,) = memory.recall(source="manual", project_id="roof").results
        assert other.content == "The roof leaks."


def test_a_project_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    """Before anything is opened or started."""
    with pytest.raises(remembrancer.InvalidInput, match="project_id"):
        remembrancer.open(tmp_path / "home", project_id="no such/project")

    assert not (tmp_path / "home").exists()


def test_a_closed_memory_says_so(home: Path) -> None:
    """Closing twice is no error."""
    memory = remembrancer.open(home)
    memory.close()
    memory.close()

    with pytest.raises(remembrancer.InvalidInput, match="closed"):
        memory.status()


def test_a_script_shares_the_memory_with_running_clients(home: Path) -> None:
    """One owner; what either of them was answered the other finds at once."""
    with Bridged(home) as client, remembrancer.open(home, project_id="shared") as memory:
        said = client.call("remember", content="The client saw crate one.", project_id="shared")
        told = memory.remember("The script saw crate two.")

        assert memory.recall("crate one").results[0].id == said["id"]
        assert client.call("recall", query="crate two", project_id="shared")["results"][0]["id"] == told.id
        assert (owner(home) or {})["clients"] == 2


@pytest.mark.exhaustive
def test_a_killed_owner_is_replaced_by_the_next_call(home: Path) -> None:
    """What was acknowledged is there, and the call does not fail."""
    with remembrancer.open(home, project_id="killed") as memory:
        receipt = memory.remember("The spare key hangs in the shed.")
        first = (owner(home) or {})["pid"]
        os.kill(first, signal.SIGKILL)
        found = memory.recall("spare key")

        assert found.results[0].id == receipt.id
        assert (owner(home) or {})["pid"] != first


@pytest.mark.parametrize(("ends", "calls"), [(1, 2), (2, 2)])
def test_a_call_that_is_left_unanswered_is_repeated_once(tmp_path: Path, ends: int, calls: int) -> None:
    """The first owner may have been killed; a call that ends two of them is not put to a third."""
    stub = Stub(tmp_path / "home", ends)
    try:
        with remembrancer.open(tmp_path / "home") as memory:
            if ends == 1:
                assert memory.faceted_search() == "# page=1"
            else:
                with pytest.raises(remembrancer.Unavailable, match="twice"):
                    memory.faceted_search()
    finally:
        stub.close()

    assert stub.calls == calls


def test_threads_have_their_own_answers(memory: remembrancer.Memory) -> None:
    """One open memory is enough for a whole program."""

    def ask(number: int) -> bool:
        text = f"Crate {number} is at dock {number}."
        return memory.recall(id=memory.remember(text).id).results[0].content == text

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(ask, range(12)))


def _remember(memory: remembrancer.Memory, number: int, ids: "multiprocessing.SimpleQueue[str]") -> None:
    ids.put(memory.remember(f"Fork {number}.").id)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="The system has no fork.")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_has_connections_of_its_own(home: Path) -> None:
    """Else two processes would read each other's answers from one socket."""
    context = multiprocessing.get_context("fork")
    with remembrancer.open(home, project_id="forked") as memory:
        ids = context.SimpleQueue()
        children = [context.Process(target=_remember, args=(memory, number, ids)) for number in range(2)]
        for child in children:
            child.start()
        own = [memory.remember(f"Plate {number}.").id for number in range(5)]
        for child in children:
            child.join()

        assert len({ids.get(), ids.get(), *own}) == 7
        assert [child.exitcode for child in children] == [0, 0]
        assert memory.status().counts == remembrancer.Counts(artifacts=7, chunks=7)


def test_a_message_that_no_owner_reads_is_too_large(home: Path) -> None:
    """It would end the session without a word."""
    with remembrancer.open(home) as memory:
        with pytest.raises(remembrancer.TooLarge, match="67,108,864"):
            memory.remember("x" * 67_108_864)

        assert memory.status().healthy


def test_an_owner_that_cannot_start_says_why(tmp_path: Path) -> None:
    """Opening fails, not the first call."""
    (tmp_path / "file").write_text("no folder", encoding="utf-8")

    with pytest.raises(remembrancer.Unavailable, match="can't be used"):
        remembrancer.open(tmp_path / "file" / "home")


def test_where_the_vectors_are_on_a_server_there_is_no_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service runs in the program, and as everywhere it starts while the server is away."""
    monkeypatch.setenv("REMEMBRANCER_VECTORS", "server")
    monkeypatch.setenv("CHROMA_URL", "http://127.0.0.1:1")
    with remembrancer.open(tmp_path / "home") as memory:
        receipt = memory.remember(TEXT)
        found = memory.recall(source="manual")

        assert [result.id for result in found.results] == [receipt.id]
        assert memory.status().services["vectors"].status == "error"
    assert owner(tmp_path / "home") is None
    assert not (tmp_path / "home" / "owner.lock").exists()


def test_a_setting_that_differs_from_the_owners_is_logged(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once: whoever set it would wonder why it does nothing."""
    with remembrancer.open(home):
        caplog.clear()
        monkeypatch.setenv("REMEMBRANCER_EXTRACTOR", "tickets")
        with remembrancer.open(home) as memory, ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda _: memory.status(), range(2)))

    assert [record.message for record in caplog.records if "REMEMBRANCER_EXTRACTOR" in record.message] != []
    assert len(caplog.records) == 1


def test_a_program_has_its_own_files_taken_in(memory: remembrancer.Memory, tmp_path: Path) -> None:
    """It names what its user may read, also relative to where it works; the owner asks for no other leave."""
    (tmp_path / "note.md").write_text("# Tiles\n\nThe tiles are blue.", encoding="utf-8")

    taken = memory.ingest(str(tmp_path))

    assert (taken.stored, taken.refused) == (1, [])
    assert memory.ingest(os.path.relpath(tmp_path / "note.md")).unchanged == 1
    assert memory.recall("tiles").results[0].content == "# Tiles\n\nThe tiles are blue."
    with pytest.raises(remembrancer.NotFound):
        memory.ingest(str(tmp_path / "gone.md"))


@pytest.mark.exhaustive
def test_a_program_may_end_without_closing(home: Path, tmp_path: Path) -> None:
    """Nothing waits for what was forgotten to be closed."""
    code = (
        "import sys, remembrancer; from pathlib import Path; from remembrancer._in_process import InProcessTools\n"
        "one = remembrancer.open(sys.argv[1], project_id='open')\n"
        "other = remembrancer.Memory(InProcessTools(Path(sys.argv[2])), 'default')\n"
        "print(one.remember('A.').status, other.remember('A.').status)"
    )
    arguments = [sys.executable, "-c", code, str(home), str(tmp_path / "other")]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)

    assert (done.returncode, done.stdout.split()) == (0, ["stored", "stored"]), done.stderr


def test_the_examples_of_the_page_work_as_shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, as one program; what a block prints is the block after it."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(home))
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    printed: list[str] = []
    names: dict[str, object] = {"print": lambda *values: printed.append(" ".join(map(str, values)))}
    for kind, text in blocks:
        if kind == "text":
            assert "\n".join(printed) == text.rstrip("\n")
        else:
            printed.clear()
            exec(compile(text, "docs/python.md", "exec"), names)

    assert len(blocks) > 4
