"""The servers that tests, benchmarks and `make services` run: they come up, keep their data, and end."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import chromadb
import pytest
from chromadb.config import Settings
from neo4j import GraphDatabase

from core.errors import Conflict, Unavailable
from servers import ChromaServer, Neo4jServer, Services
from servers.distribution import VERSION, Distribution
from servers.server import can_listen, mark
from tests.eventually import eventually
from tests.real_servers import missing

ROOT = Path(__file__).parents[1]
#: Two starts of Neo4j on a machine whose cores others use as well.
PATIENT = pytest.mark.timeout(300)


def collections(server: ChromaServer) -> list[str]:
    client = chromadb.HttpClient("127.0.0.1", server.port, settings=Settings(anonymized_telemetry=False))
    return [collection.name for collection in client.list_collections()]


def ask(server: Neo4jServer, statement: str) -> object:
    auth = (server.username, server.password)
    with GraphDatabase.driver(server.uri, auth=auth, telemetry_disabled=True) as driver:
        record = driver.execute_query(statement, database_=server.database).records[0]
    return record[0]


@pytest.mark.exhaustive
def test_a_chroma_server_keeps_its_port_and_data_over_stop_and_kill(own_chroma: ChromaServer) -> None:
    """Outage tests stop servers; what a client sees afterwards must be the same server."""
    url = own_chroma.url
    client = chromadb.HttpClient("127.0.0.1", own_chroma.port, settings=Settings(anonymized_telemetry=False))
    client.create_collection("kept", embedding_function=None)

    own_chroma.stop()
    assert (own_chroma.running, own_chroma.answers()) == (False, False)
    own_chroma.start()
    own_chroma.kill()
    assert (own_chroma.running, own_chroma.answers()) == (False, False)
    own_chroma.restart()

    assert (own_chroma.url, collections(own_chroma)) == (url, ["kept"])


@PATIENT
def test_a_neo4j_server_asks_for_its_password_and_keeps_its_data_after_a_kill(own_neo4j: Neo4jServer) -> None:
    """What is committed survives `kill -9`, and nobody gets in as the server was born."""
    before = own_neo4j.environment()
    assert ask(own_neo4j, "CREATE (n:Kept {name: 'tile'}) RETURN n.name") == "tile"
    assert ask(own_neo4j, "CALL dbms.components() YIELD versions, edition RETURN edition + ' ' + versions[0]") == (
        f"community {VERSION}"
    )

    own_neo4j.kill()
    assert (own_neo4j.running, own_neo4j.answers()) == (False, False)
    own_neo4j.start()

    assert ask(own_neo4j, "MATCH (n:Kept) RETURN n.name") == "tile"
    assert own_neo4j.environment() == before
    assert own_neo4j.password not in {"", "neo4j"}


def test_a_running_server_is_not_started_again(own_chroma: ChromaServer) -> None:
    """Two servers over one folder would spoil it, so a second object sees the first one's server."""
    with pytest.raises(Conflict, match="runs already"):
        ChromaServer(own_chroma.folder).start()


def test_stopping_what_never_ran_or_has_ended_does_nothing(tmp_path: Path) -> None:
    """Clean-up may come twice, or too early."""
    server = ChromaServer(tmp_path / "never")

    server.stop()
    server.kill()

    assert not server.running
    with pytest.raises(Unavailable, match="never started"):
        _ = server.url


@pytest.mark.exhaustive
def test_a_server_ends_with_a_starter_that_was_killed(tmp_path: Path) -> None:
    """A crashed test run leaves nothing behind."""
    program = f"""
import pathlib, sys, servers
servers.ChromaServer(pathlib.Path({str(tmp_path)!r})).start()
print("up", flush=True)
sys.stdin.read()
"""
    starter = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == "up\n"
        server = ChromaServer(tmp_path)
        assert server.answers()
        starter.kill()

    eventually(lambda: not server.running and can_listen(server.port))


def test_a_process_number_given_out_again_is_not_taken_for_the_server() -> None:
    """`make services-stop` ends its own two and nobody else's."""
    sleeper = subprocess.Popen(["sleep", "60"])
    with sleeper:
        own = mark(sleeper.pid)
        assert own.is_alive()
        assert not type(own)(own.number, "another time").is_alive()
        sleeper.send_signal(signal.SIGKILL)

    assert not own.is_alive()


def test_a_server_that_cannot_start_says_what_its_log_says(tmp_path: Path) -> None:
    """The message is enough to see what is wrong."""
    (tmp_path / "data").write_text("a file where a folder belongs")

    with pytest.raises(Unavailable, match=r"ended with code(.|\n)*log\.txt"):
        ChromaServer(tmp_path).start()

    assert not ChromaServer(tmp_path).running


def test_missing_maven_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A laptop without Java learns in one sentence what to do, and nothing half-made stays."""
    monkeypatch.setenv("PATH", str(tmp_path))
    distribution = Distribution(tmp_path / "cache")

    with pytest.raises(Unavailable, match="apt-get install maven openjdk-17-jdk-headless"):
        Neo4jServer(tmp_path / "neo4j", distribution=distribution).start()

    assert not distribution.present


def test_a_download_that_failed_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Maven that ends badly half way leaves a cache that the next call fills anew."""
    (tmp_path / "mvn").write_text(
        "#!/bin/sh\nfor a; do case $a in -DoutputDirectory=*) touch ${a#*=}/half.jar;; esac; done\nexit 1\n"
    )
    (tmp_path / "mvn").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    distribution = Distribution(tmp_path / "cache")

    for _ in range(2):
        with pytest.raises(Unavailable, match="mvn ended with code 1"):
            distribution.command(tmp_path / "neo4j", 20_000)

    assert not distribution.present


def test_the_version_is_that_of_the_pom() -> None:
    """The cache folder is named after what Maven brings."""
    pom = ET.parse(ROOT / "servers" / "pom.xml")

    assert [element.text for element in pom.iter("{http://maven.apache.org/POM/4.0.0}neo4j.version")] == [VERSION]


def test_absent_servers_skip_on_a_laptop_and_fail_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONTRIBUTING.md: with CI set and no Neo4j the run fails."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="make services"):
        missing("run `make services`")

    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="make services"):
        missing("run `make services`")


def run_servers(command: str, root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "servers", command, "--root", str(root)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@PATIENT
@pytest.mark.usefixtures("neo4j_server")
def test_services_start_once_and_stop_on_request(tmp_path: Path) -> None:
    """`make services` twice changes nothing, and `make services-stop` leaves no process and no variables."""
    services = Services(tmp_path)
    try:
        first = run_servers("start", tmp_path)
        assert (first.returncode, first.stderr) == (0, "")
        written = services.variables.read_text()
        modes = [path.stat().st_mode & 0o777 for path in (services.variables, services.neo4j.folder / "server.json")]
        again = run_servers("start", tmp_path)

        assert (again.returncode, services.variables.read_text(), modes) == (0, written, [0o600, 0o600])
        assert [line.partition("=")[0] for line in written.splitlines()] == [
            *("REMEMBRANCER_GRAPH", "NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"),
            *("REMEMBRANCER_VECTORS", "CHROMA_URL"),
        ]
        assert run_servers("status", tmp_path).returncode == 0
        assert ask(services.neo4j, "RETURN 1") == 1
        assert collections(services.chroma) == []
    finally:
        stopped = run_servers("stop", tmp_path)

    assert stopped.stdout == "Stopped Neo4j and Chroma.\n"
    assert [server.running for server in services.servers] == [False, False]
    assert not services.variables.exists()
    assert run_servers("status", tmp_path).returncode == 1
