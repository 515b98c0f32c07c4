"""Transfer: everything a memory holds into a file of JSON Lines, and from such a file into a memory."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import BinaryIO, Final

import numpy as np

from core.embedding import Embedder, Tokenizer, Vectors
from core.errors import Conflict, InvalidInput, TooLarge
from core.knowledge.identities import Verdict
from core.knowledge.runs import Run
from core.transfer import KeptItem, KeptResolution, Outcome, Record
from graph.store import Store
from ingest.extract.repeated_text import sayings, split_sentences
from ingest.intake.chunker import split
from ingest.transfer.line_format import Header, KeptVectors, Line, header_line, kind_of, read_header, read_line, to_line

#: Room for the first line, which is written last, in bytes.
_HEADER_BYTES: Final = 512
#: Longest line, in bytes: ten million characters, escaped, and what was learnt of them.
_MAX_LINE: Final = 512 * 1024 * 1024
#: Lines that one transaction puts into a store, and characters of text in them: others who write wait meanwhile.
_TOGETHER, _CHARACTERS = 100, 500_000

Progress = Callable[[int], None]


def _silent(steps: int) -> None:
    """Tell nobody."""


def export(
    store: Store,
    out: BinaryIO,
    *,
    service: str,
    project_id: str | None = None,
    model: str | None = None,
    progress: Progress = _silent,
) -> Header:
    """Write all projects, or one, to a file that can be sought, and return its header.

    With `model` the embeddings cached of that model come with it. `progress` is told of each item. What a store holds
    decides every byte: the same holdings, written by the same release, are the same file.

    Raises:
        InvalidInput: nothing is stored under the project.
        Unavailable: the record does not answer.
        OSError: the file can't be written.
    """
    counts: Counter[str] = Counter()
    latest: datetime | None = None
    begin = out.tell()
    out.write(_room(b""))
    with store.frozen() as frozen:
        for project, line in _lines(frozen, chosen(frozen, project_id), model):
            out.write(to_line(project, line) + b"\n")
            counts[kind_of(line)] += 1
            latest = max(filter(None, (latest, _latest(line))), default=None)
            if isinstance(line, KeptItem):
                progress(1)
    header = Header(service=service, latest=latest, lines=counts)
    end = out.tell()
    out.seek(begin)
    out.write(_room(header_line(header)))
    out.seek(end)
    return header


def chosen(store: Store, project_id: str | None) -> list[str]:
    """Return the projects to export: all, or the one named.

    Raises:
        InvalidInput: nothing is stored under it.
    """
    projects = store.projects()
    if project_id is None:
        return projects
    if project_id not in projects:
        raise InvalidInput(
            f"Nothing is stored under project {project_id!r}: there are {', '.join(projects) or 'none'}."
        )
    return [project_id]


def _room(line: bytes) -> bytes:
    """Return the first line at its fixed length."""
    if len(line) >= _HEADER_BYTES:
        raise AssertionError("the header of an export fits its room")
    return line.ljust(_HEADER_BYTES - 1) + b"\n"


def _lines(store: Store, projects: Iterable[str], model: str | None) -> Iterator[tuple[str, Line]]:
    for project_id in projects:
        for record in store.kept(project_id):
            yield project_id, record
            if model is not None and isinstance(record, KeptItem):
                artifact_id = record.artifact.id
                hashes = [chunk.hash for chunk in store.chunks(project_id, [artifact_id]).get(artifact_id, ())]
                if vectors := store.cached_vectors(model, hashes):
                    yield project_id, KeptVectors(model, vectors)


def _latest(line: Line) -> datetime | None:
    """Return the newest moment at which something of a line was kept; those that texts tell of do not count."""
    match line:
        case KeptItem():
            artifact = line.artifact
            return max(artifact.created_at, artifact.updated_at, artifact.last_occurred)
        case Run():
            return line.ended or line.started
        case Verdict():
            return line.undone_at or line.at
        case KeptResolution():
            return line.resolution.at
        case _:
            return None


@dataclass(slots=True)
class Imported:
    """What became of an import so far; `refused` says of each refused item why."""

    items: Counter[Outcome] = field(default_factory=Counter)
    others: Counter[Outcome] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)


def read(source: BinaryIO) -> Header:
    """Read the first line of an export.

    Raises:
        InvalidInput: it is not that of an export.
        Conflict: a newer release wrote the export.
    """
    return read_header(_line(source, 1))


def take_in(
    source: BinaryIO,
    header: Header,
    store: Store,
    *,
    embedder: Embedder,
    tokenizer: Tokenizer,
    progress: Progress = _silent,
) -> Imported:
    """Put what follows the header into a store, and return what became of it.

    Interrupted anywhere, doing it again finishes it; what is there already changes nothing. `progress` counts lines.

    Raises:
        InvalidInput: a line is not as an export writes it, or the file ends early; what came before it is in.
        Conflict: a line is of a newer release; what came before it is in.
        Unavailable: the record does not answer; what came before is in.
    """
    intake = _Intake(store, embedder, tokenizer, progress)
    number = 1
    while raw := _line(source, number + 1):
        number += 1
        intake.take(number, *read_line(raw, number))
    intake.flush()
    if number - 1 != header.total:
        raise InvalidInput(
            f"The export has {number - 1:,} lines after the first and should have {header.total:,}: those are in; get "
            "the whole file and import that."
        )
    return intake.imported


def _line(source: BinaryIO, number: int) -> bytes:
    line = source.readline(_MAX_LINE + 1)
    if len(line) > _MAX_LINE:
        raise TooLarge(f"Line {number} has over {_MAX_LINE:,} bytes: no export writes such a line, get the file again.")
    return line


@dataclass(slots=True)
class _Intake:
    """Lines on their way into a store, several in one transaction."""

    store: Store
    embedder: Embedder
    tokenizer: Tokenizer
    progress: Progress
    imported: Imported = field(default_factory=Imported)
    _project_id: str = ""
    #: Records with the numbers of their lines.
    _records: list[tuple[int, Record]] = field(default_factory=list)
    _vectors: dict[str, dict[str, Vectors]] = field(default_factory=dict)
    _lines: int = 0
    _characters: int = 0

    def take(self, number: int, project_id: str, line: Line) -> None:
        """Keep one line, at the latest when `flush` is called."""
        if project_id != self._project_id:
            self.flush()
            self._project_id = project_id
        if isinstance(line, KeptVectors):
            _check_vectors(line, self.embedder, number)
            self._vectors.setdefault(line.model, {}).update(line.vectors)
        elif isinstance(line, KeptItem):
            self._records.append((number, prepared(line, self.tokenizer)))
            self._characters += len(line.artifact.memory.content)
        else:
            self._records.append((number, line))
        self._lines += 1
        if self._lines >= _TOGETHER or self._characters >= _CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Put what was taken into the store."""
        for record, outcome in zip(self._records, self._outcomes(), strict=True):
            counts = self.imported.items if isinstance(record[1], KeptItem) else self.imported.others
            if outcome is not None:
                counts[outcome] += 1
        for model, vectors in self._vectors.items():
            self.store.cache_vectors(model, vectors)
        self.progress(self._lines)
        self._records, self._vectors, self._lines, self._characters = [], {}, 0, 0

    def _outcomes(self) -> Sequence[Outcome | None]:
        if not self._records:
            return []
        try:
            return self.store.keep(self._project_id, [record for _, record in self._records])
        except (Conflict, InvalidInput):
            return [self._outcome(number, record) for number, record in self._records]

    def _outcome(self, number: int, record: Record) -> Outcome | None:
        """Put one record in; None if the store refuses it because of what it holds."""
        try:
            return self.store.keep(self._project_id, [record])[0]
        except Conflict as error:
            self.imported.refused.append(f"Line {number}: {error}")
            return None
        except InvalidInput as error:
            raise InvalidInput(f"Line {number}: {error}") from error


def prepared(item: KeptItem, tokenizer: Tokenizer) -> KeptItem:
    """Return an item as a store takes it: cut for this tokenizer, with all it says if it was listened to."""
    artifact = item.artifact
    chunks, token_count = split(artifact.id, artifact.memory, tokenizer)
    said = item.sayings
    if said is not None:
        since = dict(said)
        told = sayings(split_sentences(artifact.memory.content))
        said = tuple((saying, since.get(saying, artifact.happened_at)) for saying in told)
    return replace(
        item,
        artifact=replace(artifact, token_count=token_count, num_chunks=len(chunks)),
        chunks=tuple(chunks) if artifact.replaced_by is None else (),
        sayings=said,
    )


def _check_vectors(line: KeptVectors, embedder: Embedder, number: int) -> None:
    for vector in line.vectors.values():
        wanted = embedder.dimension if line.model == embedder.model else len(vector)
        if len(vector) != wanted or not len(vector) or not np.isfinite(vector).all():
            raise InvalidInput(
                f"Line {number}: an embedding of {line.model!r} is not one of {wanted} finite numbers: export again."
            )
