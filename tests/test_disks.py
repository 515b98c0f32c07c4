"""Hostile disks and clocks: full, read-only, damaged, set back. What was acknowledged stays, and a line says why."""

import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.errors import Unavailable
from core.interface.memory import Memory
from core.records import Artifact
from graph.sqlite_store import SqliteStore
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from tests.contracts.makers import PROJECT, item, pieces
from tests.shipped import open_shipped

#: Longest wait for a process of ours, in seconds; on an idle machine none takes 5.
PATIENCE = 100.0
TEXTS = ("The ferry leaves at nine.", "Boats need a permit.", "Dana Whitfield decided to sell the mill.")
#: Runs commands in one process, and says of each what it returned.
COMMANDS = """
import json, sys
from service.cli import main
for command in json.loads(sys.argv[1]):
    print("=>", main(command), flush=True)
"""


def child(home: Path, code: str, *arguments: str, output: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own over a home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        env=kept | {"REMEMBRANCER_HOME": str(home)},
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=home.parent,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def commands(home: Path, *given: list[str]) -> tuple[list[int], str]:
    """Run commands in one process of their own; return what each returned, and all that was printed."""
    done = child(home, COMMANDS, json.dumps(given))
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed
    return [int(line[3:]) for line in done.stdout.splitlines() if line.startswith("=> ")], printed


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with three items in it, all of them learnt."""
    home = tmp_path_factory.mktemp("made") / "home"
    with open_shipped(home) as app:
        for text in TEXTS:
            app.remember(Memory(content=text))
        app.worker.drain()
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A copy of that home."""
    shutil.copytree(made, tmp_path / "home")
    return tmp_path / "home"


FILL = """
import resource, sys
from core.errors import Unavailable
from core.interface.memory import Memory
from service.settings import load_settings
from service.wiring import open_app
limit = 2**21
with open_app(load_settings()) as app:
    app.store.ping()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        for n in range(1_000):
            print(app.remember(Memory(content=f"Crate {n} " + "of oranges " * 2_000)).id, flush=True)
    except Unavailable as error:
        sys.stderr.write(str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    print(app.remember(Memory(content="Room again.")).id)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no limit of a file's size")
def test_a_full_disk_refuses_and_keeps_what_was_acknowledged(home: Path) -> None:
    """The write that does not fit leaves nothing, the one after it works as soon as there is room."""
    done = child(home, FILL)
    acknowledged = done.stdout.split()
    assert done.returncode == 0
    assert "disk" in done.stderr
    with SqliteStore(home / "remembrancer.db") as store:
        assert store.counts(PROJECT).artifacts == len(TEXTS) + len(acknowledged)
        assert set(store.get(PROJECT, acknowledged)) == set(acknowledged)
        assert store.integrity_issues() == []


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_export_that_does_not_fit_is_refused(home: Path) -> None:
    """An error that says why, whatever the way to it, and a device stays one."""
    with Path("/dev/full").open("wb") as full:
        done = child(
            home, "import sys; from service.cli import main; sys.exit(main(['export', '-']))", output=full.fileno()
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("remembrancer: The export can't be written")
    (code,), printed = commands(home, ["export", "/dev/full"])
    assert code == 1
    assert "is not a regular file" in printed
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


READ_ONLY = """
import os, sys
from pathlib import Path
from types import SimpleNamespace
from service.cli import main
home = Path(os.environ["REMEMBRANCER_HOME"])
# What is imported late is imported now: whoever this becomes may not read the packages.
os.environ["REMEMBRANCER_HOME"] = sys.argv[1]
assert main(["remember", "Warm."]) == main(["recall", "warm"]) == main(["doctor"]) == 0
for command in (["status"], ["export", "-"], ["decisions"], ["explore", "Nobody"], ["forget", "art_1", "--confirm"]):
    main(command)
for path in (home, *home.rglob("*")):
    path.chmod(0o555 if path.is_dir() else 0o444)
home.parent.chmod(0o755)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
os.environ["REMEMBRANCER_HOME"] = str(home)
print("=> ready", flush=True)
for command in (
    ["remember", "Lost."], ["recall", "ferry"], ["recall", "ferry", "--json"], ["status"], ["doctor"], ["export", "-"],
    ["decisions"], ["explore", "Dana Whitfield"], ["forget", "art_1", "--confirm"],
):
    print("=>", main(command), flush=True)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, unlike those of pytest's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in (path for path in folder.rglob("*") if path.is_dir()):
            path.chmod(0o755)


def test_a_read_only_home_answers_and_is_left_alone(made: Path, open_folder: Path) -> None:
    """What reads works, without vectors; what writes says why it can't. Root may write anything: the process becomes
    somebody else.
    """
    home = open_folder / "home"
    shutil.copytree(made, home)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    done = child(home, READ_ONLY, str(open_folder / "warm"))
    assert done.returncode == 0, done.stderr
    printed = done.stdout.partition("=> ready")[2]
    assert [line[3:] for line in printed.splitlines() if line.startswith("=> ")] == list("100010001"), printed
    assert printed.count(TEXTS[0]) >= 3
    assert '"degraded":["vectors"]' in printed.replace(" ", "").replace("\n", "")
    assert printed.count("is read-only: check the permissions") >= 2
    assert done.stderr.count("Nothing was stored: the record") >= 1
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


MOUNTED = """
mount --bind "$REMEMBRANCER_HOME" "$REMEMBRANCER_HOME" && mount -o remount,ro,bind "$REMEMBRANCER_HOME" || exit 7
main='import sys; from service.cli import main; sys.exit(main(sys.argv[1:]))'
for command in "stdio" "owner stop"; do "$1" -P -c "$main" $command; done
"""
_CAN_MOUNT = (
    shutil.which("unshare")
    and not subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode
)


@pytest.mark.skipif(not _CAN_MOUNT, reason="this user may not mount anything")
def test_clients_of_a_read_only_home_are_served(home: Path) -> None:
    """By an owner whose lock, socket and logs are elsewhere."""
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}}
            for number, (tool, given) in enumerate(
                [("recall", {"query": "ferry"}), ("remember", {"content": "Lost."}), ("status", {})], 2
            )
        ),
    ]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", MOUNTED, "sh", sys.executable],
        env=kept | {"REMEMBRANCER_HOME": str(home)},
        input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, done.stdout.splitlines()[:4])}
    assert answers[2]["structuredContent"]["results"][0]["content"] == TEXTS[0], done.stderr
    assert answers[3]["isError"]
    assert "is read-only" in json.dumps(answers[3])
    assert answers[4]["structuredContent"]["counts"]["artifacts"] == len(TEXTS)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_a_read_only_home_of_an_older_release_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can't be migrated where it is, and is not read as something that it is not."""
    path = home / "remembrancer.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(Unavailable, match="is read-only and has version 1, and this program reads version"):
        SqliteStore(path)


def test_the_state_of_a_full_disk_is_told_until_there_is_room(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write is refused with what is free, `status` says it meanwhile, and the first write that fits ends it."""
    with open_shipped(home) as app:
        app.remember(Memory(content="Before."))
        writer = app.store._database._writer  # type: ignore[attr-defined]  # the limit of its file stands for a disk's
        writer.execute(f"PRAGMA max_page_count = {writer.execute('PRAGMA page_count').fetchone()[0]}")
        with pytest.raises(Unavailable, match=r"the disk is full \([\d,]+ MB free\) and nothing was stored"):
            app.remember(Memory(content="of oranges " * 20_000))
        told = app.status()
        assert (told.healthy, told.services["graph"].status) == (False, "error")
        assert "the disk is full" in told.services["graph"].detail
        assert told.counts is not None
        assert told.counts.artifacts == len(TEXTS) + 1
        writer.execute("PRAGMA max_page_count = 1000000")
        app.remember(Memory(content="of oranges " * 20_000))
        assert app.status().services["graph"].status == "healthy"

        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
        assert "the disk is full (1 MB free)" in app.status().services["graph"].detail


def _scribble(path: Path) -> None:
    noise = random.Random(7).randbytes(path.stat().st_size)
    path.write_bytes(noise)


def _damage(home: Path, kind: str) -> None:
    folder = home / "chroma"
    segments = [path for path in folder.iterdir() if path.is_dir()]
    assert segments
    if kind == "noise in every file":
        for path in (path for path in folder.rglob("*") if path.is_file()):
            _scribble(path)
    elif kind == "a database cut in half":
        database = folder / "chroma.sqlite3"
        os.truncate(database, database.stat().st_size // 2)
    elif kind == "noise in the segments":
        for path in (path for segment in segments for path in segment.iterdir()):
            _scribble(path)
    else:
        for segment in segments:
            shutil.rmtree(segment)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "kind", ["noise in every file", "a database cut in half", "noise in the segments", "no segments"]
)
def test_a_damaged_vector_index_costs_no_memory(home: Path, kind: str) -> None:
    """Words answer meanwhile, and doctor makes all vectors again from the record."""
    _damage(home, kind)
    codes, printed = commands(
        home, ["recall", "ferry", "--json"], ["doctor", "--repair"], ["doctor"], ["recall", "when does the boat go?"]
    )
    assert codes == [0, 0, 0, 0], printed
    assert printed.count(TEXTS[0]) >= 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["noise in the header", "noise behind it", "cut in half"])
def test_a_damaged_record_is_said_to_be_one(home: Path, kind: str) -> None:
    """Nothing can be made of it any more: each command says that a backup or an export is needed."""
    path = home / "remembrancer.db"
    whole = path.read_bytes()
    noise = random.Random(7).randbytes(len(whole))
    half = len(whole) // 2
    path.write_bytes(
        {"noise in the header": noise, "noise behind it": whole[:4096] + noise[4096:]}.get(kind, whole[:half])
    )
    codes, printed = commands(home, ["remember", "A note."], ["recall", "ferry"], ["doctor"])
    assert codes == [1, 1, 1], printed
    assert printed.count("restore") >= 3


def _places(log: Path) -> list[int]:
    """Return where to cut a log: in its header, at and beside the ends of frames, and in the middle of some."""
    size, frame = log.stat().st_size, 24 + 4096
    ends = range(32, size, frame)
    drawn = random.Random(7).sample(list(ends), 6)
    return sorted({0, 7, 32, size - 1, size - 4096, *(end + near for end in drawn for near in (-1, 0, 1, 30))})


def test_a_torn_log_loses_only_what_was_torn_off(tmp_path: Path) -> None:
    """Wherever the log of the record is cut, the file opens clean with all that was written before that place."""
    given: list[Artifact] = [item(f"Note {n} of the harbour.") for n in range(20)]
    whole, torn = tmp_path / "whole.db", tmp_path / "torn.db"
    log = Path(f"{torn}-wal")
    with SqliteStore(whole) as store:
        for one in given:
            store.add(one, pieces(one), ["embed"])
        files = whole.read_bytes(), Path(f"{whole}-wal").read_bytes()
    log.write_bytes(files[1])
    kept_before = 0
    for place in _places(log):
        torn.write_bytes(files[0])
        log.write_bytes(files[1][:place])
        Path(f"{torn}-shm").unlink(missing_ok=True)
        with SqliteStore(torn) as store:
            kept = [one.id for one in given if store.get(PROJECT, [one.id])]
            assert kept == [one.id for one in given[: len(kept)]], place
            assert store.integrity_issues() == [], place
        assert len(kept) >= kept_before, place
        kept_before = len(kept)
    assert kept_before < len(given)


SET_BACK = """
import sys
from datetime import timedelta
import core.dates
real, offset = core.dates.now, timedelta(0)
core.dates.now = lambda: real() + offset
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from service.settings import load_settings
from service.wiring import open_app
with open_app(load_settings()) as app:
    one, two = (app.remember(Memory(content=text, key="k")).id for text in ("Crates are blue.", "Crates are green."))
    killed = app.store.claim(["extract"], 1, timedelta(seconds=20), "killed")
    assert killed
    offset = timedelta(hours=-1)
    three = app.remember(Memory(content="Crates are red.", key="other")).id
    app.worker.drain()
    assert app.store.job_counts().pending == 0, app.store.job_counts()
    found = [hit.id for hit in app.recall(Question(query="crates", limit=9)).results]
    assert {two, three} <= set(found), found
    assert [one.id for one in app.store.revisions("default", two)] == [one]
    app.forget(ForgetRequest(id=two, confirm=True))
    assert app.store.integrity_issues() == []
    offset = timedelta(hours=-2)
    assert app.remember(Memory(content="Crates are red.", key="other")).status == "duplicate"
    app.worker.drain()
    print("done")
"""


@pytest.mark.exhaustive
def test_a_clock_that_is_set_back_stops_nothing(home: Path) -> None:
    """Jobs of before, leases of the dead, revisions and forgetting go on as if it had not been."""
    done = child(home, SET_BACK)
    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["done"]), done.stderr


@pytest.mark.exhaustive
def test_doctor_mends_the_vectors_beside_a_running_owner(home: Path) -> None:
    """Through the index that the owner lends, while it goes on; and it says which process that is."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    index = ChromaIndex(EmbeddedChroma(home / "chroma"), LocalEmbedder())
    index.delete(PROJECT, [f"{item(TEXTS[0], context='document').id}:0"])
    index.close()
    owner = subprocess.Popen(
        [sys.executable, "-P", "-c", "from service.cli import main; main(['owner', 'run'])"],
        env=kept | {"REMEMBRANCER_HOME": str(home)},
        cwd=home.parent,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + PATIENCE
        while commands(home, ["owner", "status"])[0] != [0]:
            assert time.monotonic() < until
        codes, printed = commands(home, ["doctor"], ["doctor", "--repair"], ["doctor"])
        assert codes == [1, 0, 0], printed
        assert f"process {owner.pid}, version" in printed
        assert "1 chunks have no vector" in printed
        assert owner.poll() is None
    finally:
        owner.terminate()
        owner.wait(PATIENCE)
