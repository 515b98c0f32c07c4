"""Reading files in a process of its own: one that hangs or exhausts its reader is refused, and the next one is read."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from core.errors import Conflict, InvalidInput
from core.interface.memory import Memory
from core.knowledge.secrets import use_secrets
from ingest.isolation import IsolatedError, IsolatedProcess, Operations
from ingest.readers import items
from ingest.readers.fields import DOCUMENT_BYTES
from ingest.readers.formats.source import USUAL, ArchiveLimits, Item, LeftOut, Part, Place, Refused

#: Most bytes for which one item takes longer: the largest document, with the data around its text.
_ITEM_BYTES: Final = 2 * DOCUMENT_BYTES


class IsolatedReader:
    """Reads files as `ingest.readers.items` does, with limits of memory, and of time for each item."""

    def __init__(self, process: IsolatedProcess, archives: ArchiveLimits = USUAL) -> None:
        """Read in this process, of archives what their limits allow."""
        self._process = process
        self.archives = archives

    def items(self, path: Path, *, context: str | None) -> Iterator[Part]:
        """Yield what `ingest.readers.items` does; raises as it does.

        Raises:
            InvalidInput: the file exceeds a limit, or makes its reader fail.
            Unavailable: the process can't be started.
        """
        fields = {"path": str(path.absolute()), "context": context, "archives": asdict(self.archives)}
        asked = json.dumps(fields).encode()
        size = min(path.stat().st_size if path.exists() else 0, _ITEM_BYTES)
        try:
            for answer in self._process.stream("read", asked, size):
                yield _part(answer)
        except (Conflict, IsolatedError) as error:
            raise InvalidInput(f"{path.as_posix()!r}: {error}") from error


def operations() -> Operations:
    """Return what the process of an `IsolatedReader` does. It stores nothing; who stores looks for secrets."""
    use_secrets("keep")

    def read_file(body: bytes) -> Iterator[bytes]:
        asked = json.loads(body)
        limits = ArchiveLimits(**asked["archives"])
        return map(_body, items(Path(asked["path"]), context=asked["context"], limits=limits))

    return {"read": read_file}


def _body(part: Part) -> bytes:
    if isinstance(part, Refused):
        return json.dumps({"refused": part.reason}).encode()
    if isinstance(part, LeftOut):
        return json.dumps({"left_out": [part.name, part.reason]}).encode()
    fields = {
        "content": part.memory.content,
        "given": part.memory.given(),
        "places": [(place.start_char, place.name) for place in part.places],
        "spoken": part.spoken,
        "context_detected": part.context_detected,
    }
    return json.dumps(fields, ensure_ascii=False).encode()


def _part(body: bytes) -> Part:
    fields = json.loads(body)
    if "refused" in fields:
        return Refused(fields["refused"])
    if "left_out" in fields:
        return LeftOut(*fields["left_out"])
    memory = Memory.from_fields_unchecked(fields["content"], fields["given"])
    return Item(
        memory, tuple(Place(*place) for place in fields["places"]), fields["spoken"], fields["context_detected"]
    )
