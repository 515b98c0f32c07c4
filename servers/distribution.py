"""Neo4j Community from Maven Central, brought once and kept in the user's cache folder.

It is licensed under the GPLv3: a tool of tests and trying out, never shipped with the product.
"""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from filelock import FileLock
from platformdirs import user_cache_path

from core.errors import Unavailable

_HERE: Final = Path(__file__).parent
_POM, _LAUNCHER = _HERE / "pom.xml", _HERE / "Neo4jServer.java"
#: As in pom.xml; a test compares them.
VERSION: Final = "5.26.12"
#: Checksums are checked, nothing is asked; Maven's own settings (mirrors, proxies, local repository) are the user's.
_MAVEN: Final = ("--batch-mode", "--quiet", "--strict-checksums", "--file", str(_POM), "-DincludeScope=runtime")
#: As Neo4j's own start script sets them.
_JAVA: Final = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "-Xmx512m",
)
#: Without preallocation an empty server takes 2 MB instead of 500; without the quiet period it ends in one second
#: instead of ten (the databases are closed before it).
_CONFIGURATION: Final = """\
server.directories.data={home}/data
server.directories.logs={home}/logs
server.directories.run={home}/run
server.directories.plugins={home}/plugins
server.directories.import={home}/import
server.directories.transaction.logs.root={home}/data/transactions
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size=128m
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
server.bolt.connection_keep_alive=5s
server.bolt.connection_keep_alive_probes=2
db.tx_log.preallocate=false
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
"""
#: For a server that is emptied and filled all the time, and gone in minutes: it keeps plans of statements, which any
#: change in numbers has made anew elsewhere, and each size of a list, and compiles fast instead of well. That more than
#: halves the work of the tests.
_SHORT_LIVED: Final = """\
dbms.cypher.min_replan_interval=1h
internal.cypher.use_parameter_size=false
"""
_SHORT_LIVED_JAVA: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
#: Makes the rehearsal load what plans and runs statements, too.
_REHEARSED: Final = "UNWIND [1, 2] AS x MERGE (n:N {id: x}) WITH n MATCH (n)--(m) RETURN count(m) ORDER BY count(m)"
#: Characters of a tool's output that an error shows, from the end.
_SHOWN: Final = 2_000
_INSTALL: Final = "On Debian: apt-get install maven openjdk-17-jdk-headless."


class Distribution:
    """The server's jars and what starts them, in a folder; several processes may bring it at once."""

    def __init__(self, folder: Path | None = None) -> None:
        """`None` means the cache folder of this user."""
        self.folder = folder or user_cache_path("remembrancer", appauthor=False) / f"neo4j-{VERSION}"

    @property
    def present(self) -> bool:
        """Whether the jars are there; a broken download never counts."""
        return self._jars.is_dir()

    @property
    def _jars(self) -> Path:
        return self.folder / "lib"

    def command(self, home: Path, port: int, *, is_short_lived: bool = False) -> tuple[str, ...]:
        """Set up the folder of a server and return what starts it; what is missing is made first, in a minute or two.

        One that `is_short_lived` spends little on being fast later: for tests, not for measurements.

        Raises:
            Unavailable: Maven or a JDK is missing, or the download has failed.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        launcher = self.folder / f"launcher-{hashlib.sha256(_LAUNCHER.read_bytes()).hexdigest()[:12]}"
        with FileLock(self.folder / "lock"):
            if not self.present:
                self._make(self._jars, "mvn", *_MAVEN, "-DoutputDirectory={}", "dependency:copy-dependencies")
            if not launcher.exists():
                self._make_launcher(launcher)
            loaded = self._rehearsed(launcher)
        configuration, options = (_SHORT_LIVED, _SHORT_LIVED_JAVA) if is_short_lived else ("", ())
        return self._java(launcher, home, port, f"-XX:SharedArchiveFile={loaded}", *options, more=configuration)

    def _java(self, launcher: Path, home: Path, port: int, *options: str, more: str = "") -> tuple[str, ...]:
        home.mkdir(parents=True, exist_ok=True)
        (home / "neo4j.conf").write_text(_CONFIGURATION.format(home=home, port=port) + more, encoding="utf-8")
        # One by one: what Java has learnt to load holds for the same jars in the same order only.
        jars = (launcher / "launcher.jar", *sorted(self._jars.glob("*.jar")))
        return (find("java"), *options, *_JAVA, "-cp", ":".join(map(str, jars)), "Neo4jServer", str(home))

    def _make_launcher(self, folder: Path) -> None:
        with tempfile.TemporaryDirectory() as classes:
            _run(find("javac"), "--release", "17", "-cp", f"{self._jars}/*", "-d", classes, str(_LAUNCHER))
            self._make(folder, "jar", "--create", "--file", "{}/launcher.jar", "-C", classes, ".")

    def _rehearsed(self, launcher: Path) -> Path:
        """Return the archive of loaded classes that halves the work of a start; another Java starts without it."""
        archive = launcher / "classes.jsa"
        if not archive.exists():
            unfinished = launcher / "unfinished.jsa"
            with tempfile.TemporaryDirectory() as home:
                _run(*self._java(launcher, Path(home), 0, f"-XX:ArchiveClassesAtExit={unfinished}"), _REHEARSED)
            unfinished.rename(archive)
        return archive

    def _make(self, folder: Path, tool: str, *arguments: str) -> None:
        """Run a tool that fills the folder put in for `{}`; the folder counts only if the tool was content."""
        unfinished = self.folder / "unfinished"
        if unfinished.exists():
            shutil.rmtree(unfinished)
        unfinished.mkdir()
        _run(find(tool), *(argument.replace("{}", str(unfinished)) for argument in arguments))
        unfinished.rename(folder)


def find(tool: str) -> str:
    """Return the path of a program.

    Raises:
        Unavailable: it isn't installed; the message says how to change that.
    """
    path = shutil.which(tool)
    if path is None:
        raise Unavailable(f"{tool!r} is not installed, and Neo4j needs Maven and a JDK of 17 or newer. {_INSTALL}")
    return path


def _run(*command: str) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        output = (done.stdout + done.stderr).strip()[-_SHOWN:]
        raise Unavailable(f"{Path(command[0]).name} ended with code {done.returncode}. It said: {output}")
