"""`export`, `import`, `backup` and `restore` from the shell, and as processes that are killed in the middle."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.interface.memory import Memory
from graph.sqlite_store import SqliteStore
from graph.store import Store
from ingest.indexing.drift import compare_vectors
from retrieval.models.local_embedder import LocalEmbedder
from service.cli import main
from tests.contracts.transferring import exported, put, worked
from tests.shipped import open_shipped

COMMAND = str(Path(sys.executable).with_name("remembrancer"))
#: Items enough that an import, an export and a restoring can be met in the middle.
ITEMS = 400
#: Longest wait for a process to get somewhere, in seconds.
PATIENCE = 30.0

pytestmark = pytest.mark.timeout(300)


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    return kept | {"REMEMBRANCER_HOME": str(home)} | more


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: bytes
    stderr: bytes

    @property
    def error(self) -> str:
        """The sentence that it failed with, without a stack trace."""
        assert self.returncode == 1
        assert b"Traceback" not in self.stderr
        return self.stderr.splitlines()[-1].decode().removeprefix("remembrancer: ")


Shell = Callable[..., Done]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Shell:
    """Run a command on a home, in this process."""
    for name in environment(tmp_path).keys() ^ os.environ.keys():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(home: str, *arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / home))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        code = main(arguments)
        printed = capsysbinary.readouterr()
        return Done(code, printed.out, printed.err)

    return run


def ran(home: Path, *arguments: str) -> None:
    """Run a command as a process, to its end."""
    done = subprocess.run([COMMAND, *arguments], env=environment(home), capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr.decode()


def killed(home: Path, until: Callable[[], bool], *arguments: str) -> None:
    """Kill a command, which must still be at it, as soon as `until` holds."""
    process = subprocess.Popen(
        [COMMAND, *arguments], env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and not until():
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.kill()
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors.decode()


def record(home: Path) -> Path:
    return home / "remembrancer.db"


def fill(store: Store, embedder: LocalEmbedder) -> None:
    """Store many items that are learnt, with embeddings in the cache."""
    memories = [Memory(content=f"The lift of house {number} stays.", key=f"k{number}") for number in range(ITEMS)]
    for memory in memories:
        put(store, memory, embedder, "default")
    worked(store, ("extract",))
    for batch in store.each("default"):
        hashes = [
            chunk.embedding_key_in("default")
            for several in store.chunks("default", [a.id for a in batch]).values()
            for chunk in several
        ]
        [vector] = embedder.embed(["The lift stays."])
        store.cache_vectors(embedder.model, dict.fromkeys(hashes, vector))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, embedder: LocalEmbedder) -> Path:
    """A home with many items, which no test changes."""
    home = tmp_path_factory.mktemp("full")
    with SqliteStore(record(home)) as store:
        fill(store, embedder)
    return home


@pytest.fixture(scope="module")
def export_of_full(full: Path, embedder: LocalEmbedder) -> bytes:
    """All of it, with its embeddings."""
    with SqliteStore(record(full)) as store:
        return exported(store, model=embedder.model)


@pytest.mark.exhaustive
def test_a_memory_is_carried_over_and_answers_alike(shell: Shell, tmp_path: Path) -> None:
    """docs/interface.md: export FILE, import FILE; `-` is standard output and input."""
    shell("one", "remember", "We decided to keep the blue tiles.", "--author", "Ann Lee", "--date", "2026-03-02")
    shell("one", "remember", "Ann Lee will send the estimate by 2026-04-01.", "--date", "2026-03-03")
    assert shell("one", "export", "memory.jsonl").returncode == 0
    data = (tmp_path / "memory.jsonl").read_bytes()
    assert (tmp_path / "memory.jsonl").stat().st_mode & 0o777 == 0o600
    assert shell("one", "export", "-").stdout == data
    assert b"2 items: 2 stored, 0 updated, 0 unchanged" in shell("two", "import", "-", stdin=data).stdout
    assert shell("two", "export", "-").stdout == data
    for query in ("Which tiles?", "estimate"):
        answer = shell("one", "recall", query, "--json")
        assert answer.returncode == 0
        assert shell("two", "recall", query, "--json").stdout == answer.stdout
    assert b"2 items: 0 stored, 0 updated, 2 unchanged" in shell("two", "import", "memory.jsonl").stdout


@pytest.mark.exhaustive
def test_a_backup_becomes_a_memory_that_answers_alike(shell: Shell) -> None:
    """With its vectors, when `restore` has ended; a second one is refused."""
    shell("one", "remember", "We decided to keep the blue tiles.", "--date", "2026-03-02")
    assert shell("one", "backup", "memory.db").returncode == 0
    assert shell("two", "restore", "memory.db").returncode == 0
    answer = shell("one", "recall", "Which tiles?", "--json")
    assert shell("two", "recall", "Which tiles?", "--json").stdout == answer.stdout
    assert shell("two", "doctor").returncode == 0
    assert "There is a record already" in shell("two", "restore", "memory.db").error


def test_an_item_that_is_refused_is_told_and_the_exit_code_says_so(shell: Shell, tmp_path: Path) -> None:
    """The others are in."""
    shell("one", "remember", "A note.")
    shell("one", "export", "memory.jsonl")
    other = (tmp_path / "memory.jsonl").read_bytes().replace(b"A note.", b"A clash.")
    done = shell("one", "import", "-", stdin=other)
    assert done.returncode == 1
    assert b"Refused: Line 2: The id" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("export", "nowhere/memory.jsonl"), "can't be written"),
        (("export", "memory.jsonl", "--project-id", "nobody"), "nobody"),
        (("export", "memory.jsonl", "--project-id", "two words"), "project_id"),
        (("export", "."), "is a folder"),
        (("import", "nowhere.jsonl"), "nowhere.jsonl"),
        (("import", "."), "is a folder"),
        (("import", "-"), "first line"),
        (("backup", "."), "is a folder"),
        (("restore", "nowhere.db"), "nowhere.db"),
    ],
)
def test_what_can_not_be_done_says_what_to_do(
    shell: Shell, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    """One line, no stack trace, and no file."""
    assert says in shell("home", *arguments).error
    assert [one.name for one in tmp_path.iterdir() if one.name != "home"] == []


def test_on_neo4j_a_restoring_says_what_to_do_instead(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server has means of its own."""
    monkeypatch.setenv("REMEMBRANCER_GRAPH", "neo4j")
    assert "neo4j-admin" in shell("home", "restore", "x.db").error


@pytest.mark.exhaustive
def test_an_import_that_is_killed_again_and_again_ends_as_if_it_had_not_been(
    tmp_path: Path, embedder: LocalEmbedder, export_of_full: bytes
) -> None:
    """Issue 7: kill -9 at any step; every acknowledged batch is whole, and doing it again goes on."""
    file, home = tmp_path / "memory.jsonl", tmp_path / "home"
    file.write_bytes(export_of_full)
    home.mkdir()
    with SqliteStore(record(home)) as store:
        for least in (1, ITEMS // 2, ITEMS):
            killed(home, lambda least=least: store.count_items("default") >= least, "import", str(file))  # type: ignore[misc]  # bound at once
            held = store.count_items("default")
            assert held >= least
            assert held == store.counts("default").chunks
    ran(home, "import", str(file))
    with open_shipped(home) as app:
        assert exported(app.store, model=embedder.model) == export_of_full
        assert not compare_vectors(app.store, app.index, "default")
        assert app.store.job_counts().pending == 0


@pytest.mark.exhaustive
def test_an_export_that_is_killed_leaves_the_last_one_as_it_was(
    tmp_path: Path, full: Path, export_of_full: bytes
) -> None:
    """No half of a file ever has the name; done again it is whole."""
    file = tmp_path / "memory.jsonl"
    file.write_bytes(b"the last one")
    for least in (0, 100_000):
        killed(full, lambda least=least: _part(tmp_path) > least, "export", str(file), "--embeddings")  # type: ignore[misc]  # bound at once
        assert file.read_bytes() == b"the last one"
        for part in tmp_path.glob(".memory.jsonl.*.part"):
            part.unlink()
    ran(full, "export", str(file), "--embeddings")
    assert file.read_bytes().split(b"\n", 1)[1] == export_of_full.split(b"\n", 1)[1]


def _part(folder: Path) -> int:
    """Return how large an unfinished file is, -1 if there is none."""
    return max((path.stat().st_size for path in folder.glob(".memory.jsonl.*.part")), default=-1)


@pytest.mark.exhaustive
def test_a_restoring_that_is_killed_leaves_no_record_or_a_whole_one(tmp_path: Path, full: Path) -> None:
    """Whichever it is, what is left to do is done by the same command, or by whoever opens the record next."""
    file = tmp_path / "memory.db"
    ran(full, "backup", str(file))
    steps: list[Callable[[Path], bool]] = [
        lambda home: (home / "remembrancer.db.restoring").exists(),
        lambda home: record(home).exists(),
    ]
    for number, step in enumerate(steps):
        home = tmp_path / str(number)
        killed(home, lambda home=home, step=step: step(home), "restore", str(file))  # type: ignore[misc]  # bound at once
        if not record(home).exists():
            ran(home, "restore", str(file))
        with open_shipped(home) as app:
            app.worker.drain()
            assert app.store.counts("default").chunks == ITEMS
            assert not compare_vectors(app.store, app.index, "default")


def test_an_export_is_of_one_moment_while_others_write(tmp_path: Path, full: Path, export_of_full: bytes) -> None:
    """Embedded: what is written after it began is not in it, and nobody waits for it."""
    home, file = tmp_path / "home", tmp_path / "memory.jsonl"
    home.mkdir()
    record(home).write_bytes(record(full).read_bytes())
    process = subprocess.Popen([COMMAND, "export", str(file)], env=environment(home), stderr=subprocess.DEVNULL)
    with SqliteStore(record(home)) as store:
        ids = [one.id for batch in store.each("default") for one in batch]
        while process.poll() is None and _part(tmp_path) < 20_000:
            time.sleep(0.002)
        assert process.poll() is None
        for start in range(0, ITEMS, 300):
            store.remove("default", ids[start : start + 300])
        assert store.count_items("default") == 0
    assert process.wait(PATIENCE) == 0
    lines = [line for line in export_of_full.split(b"\n")[1:] if b'"line":"vectors"' not in line]
    assert file.read_bytes().split(b"\n")[1:] == lines
