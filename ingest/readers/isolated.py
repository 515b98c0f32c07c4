"""Reading files in a process of its own: one that hangs or exhausts its reader is refused, and the next one is read."""

import json
from collections.abc import Iterator
from pathlib import Path

from core.errors import Conflict, InvalidInput
from core.interface.memory import Memory
from ingest.isolation import IsolatedError, IsolatedProcess, Operations
from ingest.readers import read


class IsolatedReader:
    """Reads files as `ingest.readers.read` does, with limits of time and memory for each."""

    def __init__(self, process: IsolatedProcess) -> None:
        self._process = process

    def read(self, path: Path, *, context: str | None) -> list[Memory]:
        """Return what `ingest.readers.read` does; raises as it does.

        Raises:
            InvalidInput: the file exceeds a limit, or makes its reader fail.
            Unavailable: the process can't be started.
        """
        asked = json.dumps({"path": str(path.absolute()), "context": context}).encode()
        try:
            answers = self._process.ask("read", asked, path.stat().st_size if path.exists() else 0)
        except (Conflict, IsolatedError) as error:
            raise InvalidInput(f"{path.as_posix()!r}: {error}") from error
        memories = map(json.loads, answers)
        return [Memory.unchecked(fields["content"], fields["given"]) for fields in memories]


def operations() -> Operations:
    """Return what the process of an `IsolatedReader` does."""

    def read_file(body: bytes) -> Iterator[bytes]:
        asked = json.loads(body)
        for memory in read(Path(asked["path"]), context=asked["context"]):
            yield json.dumps({"content": memory.content, "given": memory.given()}, ensure_ascii=False).encode()

    return {"read": read_file}
