"""Vectors, entries and a Chroma server for the tests of the vector index."""

import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np

from core.embedding import IndexEntry, UnitKind, Vectors
from retrieval.vectors import ChromaIndex

DIMENSION = 16


@dataclass(slots=True)
class Model:
    """The name of an embedder; the index needs no more of it."""

    model: str = "model-a"
    dimension: int = DIMENSION

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors that only depend on the text."""
        return np.concatenate([units(1, seed=len(text)) for text in texts])


def units(count: int, *, seed: int = 0) -> Vectors:
    """Return random unit vectors."""
    values = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    made: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)
    return made


def entries(count: int, *, first: int = 0) -> list[IndexEntry]:
    """Return entries `art_0:0`, `art_1:0` and so on."""
    return [
        IndexEntry(f"art_{number}:0", f"text {number}", {"artifact_id": f"art_{number}", "index": 0})
        for number in range(first, first + count)
    ]


def fill(index: ChromaIndex, count: int, *, project: str = "p", kind: UnitKind = "chunks", first: int = 0) -> Vectors:
    """Write `count` entries and return their vectors."""
    made = units(count, seed=first)
    index.upsert(project, kind, entries(count, first=first), made)
    return made


@dataclass(slots=True)
class ChromaProcess:
    """`chroma run` over a folder, on a port of its own that it keeps when it is started again."""

    folder: Path
    port: int = field(init=False)
    _process: "subprocess.Popen[bytes] | None" = None

    def __post_init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers, 30 s at most: a machine at work on something else is slow."""
        program = str(Path(sys.executable).with_name("chroma"))
        command = [program, "run", "--path", str(self.folder), "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                with urlopen(f"{self.url}/api/v2/heartbeat", timeout=1):
                    return
            except (URLError, OSError):
                time.sleep(0.05)
        self.stop()
        raise TimeoutError(f"chroma did not answer at {self.url}")

    def stop(self) -> None:
        """End it; calling it twice is no error."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(5)
            self._process = None
