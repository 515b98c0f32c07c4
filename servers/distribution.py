"""Neo4j Community from Maven Central, brought once and kept in the user's cache folder.

It is licensed under the GPLv3: a tool of tests and trying out, never shipped with the product.
"""

import hashlib
import shutil
import subprocess
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
_JAVAC: Final = ("--release", "17")
#: Characters of a tool's output that an error shows, from the end.
_SHOWN: Final = 2_000
_INSTALL: Final = "On Debian: apt-get install maven openjdk-17-jdk-headless."


class Distribution:
    """The server's jars and its launcher in a folder; several processes may bring it at once."""

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

    @property
    def _launcher(self) -> Path:
        return self.folder / f"launcher-{hashlib.sha256(_LAUNCHER.read_bytes()).hexdigest()[:12]}"

    def bring(self) -> str:
        """Return the class path; what is missing is downloaded and compiled first, a minute or two.

        Raises:
            Unavailable: Maven or a JDK is missing, or the download has failed.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / "lock"):
            if not self.present:
                self._make(self._jars, "mvn", *_MAVEN, "-DoutputDirectory={}", "dependency:copy-dependencies")
            if not self._launcher.is_dir():
                self._make(self._launcher, "javac", *_JAVAC, "-cp", f"{self._jars}/*", "-d", "{}", str(_LAUNCHER))
        return f"{self._launcher}:{self._jars}/*"

    def _make(self, folder: Path, tool: str, *arguments: str) -> None:
        """Run a tool that fills the folder put in for `{}`; the folder counts only if the tool was content."""
        unfinished = self.folder / "unfinished"
        if unfinished.exists():
            shutil.rmtree(unfinished)
        command = [find(tool), *(argument.replace("{}", str(unfinished)) for argument in arguments)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            output = (done.stdout + done.stderr).strip()[-_SHOWN:]
            raise Unavailable(f"{tool} ended with code {done.returncode}, making {str(folder)!r}. It said: {output}")
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
