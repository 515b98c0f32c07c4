"""Export and import: a record's projects as a file of JSON Lines."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import BinaryIO, Final

import numpy as np

from core.errors import Conflict, InvalidInput, TooLarge
from core.knowledge.identities import MergeDecision
from core.knowledge.runs import Run
from core.knowledge.secrets import describe_redactions, parsing_records, secrets_mode
from core.search import Embedder, Tokenizer, Vectors
from core.transfer import KeptItem, KeptResolution, Outcome, Record
from graph.store import Store
from ingest.extract.repeated_text import hash_sentences, split_sentences
from ingest.intake.chunker import split_into_chunks
from ingest.transfer.line_format import (
    Header,
    KeptVectors,
    Line,
    format_header,
    format_line,
    line_kind,
    parse_header,
    parse_line,
)
from ingest.transfer.redaction import redact_kept

#: Length of the first line, which is written last, in bytes.
_HEADER_BYTES: Final = 512
#: Longest line, in bytes: ten million characters, escaped, with their knowledge.
_MAX_LINE: Final = 512 * 1024 * 1024
#: Most lines of one transaction, and most characters of text in them: other writers wait meanwhile.
_BATCH_LINES, _BATCH_CHARACTERS = 100, 500_000

Progress = Callable[[int], None]


def _silent(steps: int) -> None:
    """Report no progress."""


def export(
    store: Store,
    out: BinaryIO,
    *,
    service: str,
    project_id: str | None = None,
    model: str | None = None,
    progress: Progress = _silent,
) -> Header:
    """Write all projects, or one, to a seekable file, and return its header.

    With `model` the cached embeddings of that model are included. `progress` is called for each item. The file is
    deterministic: the same contents, written by the same release, give the same bytes.

    Raises:
        InvalidInput: nothing is stored under the project.
        Unavailable: the record does not answer.
        OSError: the file can't be written.
    """
    counts: Counter[str] = Counter()
    latest: datetime | None = None
    begin = out.tell()
    out.write(_padded(b""))
    with store.snapshot() as frozen:
        for project, line in _lines(frozen, projects_to_export(frozen, project_id), model):
            out.write(format_line(project, line) + b"\n")
            counts[line_kind(line)] += 1
            latest = max(filter(None, (latest, _latest(line))), default=None)
            if isinstance(line, KeptItem):
                progress(1)
    header = Header(service=service, latest=latest, lines=counts)
    end = out.tell()
    out.seek(begin)
    out.write(_padded(format_header(header)))
    out.seek(end)
    return header


def projects_to_export(store: Store, project_id: str | None) -> list[str]:
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


def _padded(line: bytes) -> bytes:
    """Return the first line padded to its fixed length."""
    if len(line) >= _HEADER_BYTES:
        raise AssertionError("the header of an export fits its length")
    return line.ljust(_HEADER_BYTES - 1) + b"\n"


def _lines(store: Store, projects: Iterable[str], model: str | None) -> Iterator[tuple[str, Line]]:
    for project_id in projects:
        for record in store.export_records(project_id):
            yield project_id, record
            if model is not None and isinstance(record, KeptItem):
                artifact_id = record.artifact.id
                chunks = store.chunks(project_id, [artifact_id]).get(artifact_id, ())
                hashes = [chunk.embedding_key_in(project_id) for chunk in chunks]
                if vectors := store.cached_vectors(model, hashes):
                    yield project_id, KeptVectors(model, vectors)


def _latest(line: Line) -> datetime | None:
    """Return when a line's record was last written; dates in its text do not count."""
    match line:
        case KeptItem():
            artifact = line.artifact
            return max(artifact.created_at, artifact.updated_at, artifact.last_occurred)
        case Run():
            return line.ended or line.started
        case MergeDecision():
            return line.undone_at or line.at
        case KeptResolution():
            return line.resolution.at
        case _:
            return None


@dataclass(slots=True)
class Imported:
    """Counts of an import so far; `refused` has the reason for each refused item, `redacted` the secrets of each line
    that were left out, `rules` counts items that are rules for agents."""

    items: Counter[Outcome] = field(default_factory=Counter)
    others: Counter[Outcome] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    rules: int = 0


def read_header(source: BinaryIO) -> Header:
    """Read the first line of an export.

    Raises:
        InvalidInput: it is not the first line of an export.
        Conflict: a newer release wrote the export.
    """
    return parse_header(_line(source, 1))


def import_lines(
    source: BinaryIO,
    header: Header,
    store: Store,
    *,
    embedder: Embedder,
    tokenizer: Tokenizer,
    progress: Progress = _silent,
) -> Imported:
    """Write the lines after the header to a store, and return their counts.

    An import is idempotent: interrupted anywhere, running it again finishes it. `progress` counts lines.

    Raises:
        InvalidInput: a line is not as an export writes it, or the file ends early; what came before it is in.
        Conflict: a line is of a newer release; what came before it is in.
        Unavailable: the record does not answer; what came before is in.
    """
    importer = LineImporter(store, embedder, tokenizer, progress)
    number = 1
    while raw := _line(source, number + 1):
        number += 1
        with parsing_records():
            project_id, record = parse_line(raw, number)
        importer.add(number, project_id, record)
    importer.flush()
    if number - 1 != header.total:
        raise InvalidInput(
            f"The export has {number - 1:,} lines after the first and should have {header.total:,}: those are in; get "
            "the whole file and import that."
        )
    return importer.imported


def _line(source: BinaryIO, number: int) -> bytes:
    line = source.readline(_MAX_LINE + 1)
    if len(line) > _MAX_LINE:
        raise TooLarge(f"Line {number} has over {_MAX_LINE:,} bytes: no export writes such a line, get the file again.")
    return line


@dataclass(slots=True)
class LineImporter:
    """Writes lines to a store, several in one transaction."""

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

    def add(self, number: int, project_id: str, line: Line) -> None:
        """Add one line, written when `flush` is called at the latest."""
        if project_id != self._project_id:
            self.flush()
            self._project_id = project_id
        self._lines += 1
        if not isinstance(line, KeptVectors) and secrets_mode() != "keep":
            marked, found = redact_kept(line)
            if found:
                named = f"Line {number}: {describe_redactions(found)}"
                if secrets_mode() == "refuse":
                    self.imported.refused.append(f"{named}: import it where secrets are redacted.")
                    return
                self.imported.redacted.append(named)
                line = marked
        if isinstance(line, KeptVectors):
            _check_vectors(line, self.embedder, number)
            self._vectors.setdefault(line.model, {}).update(line.vectors)
        elif isinstance(line, KeptItem):
            self._records.append((number, chunk_kept(line, self.tokenizer)))
            self.imported.rules += line.artifact.memory.rule_scope is not None and line.artifact.replaced_by is None
            self._characters += len(line.artifact.memory.content)
        else:
            self._records.append((number, line))
        if self._lines >= _BATCH_LINES or self._characters >= _BATCH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write what was added to the store."""
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
            return self.store.import_records(self._project_id, [record for _, record in self._records])
        except (Conflict, InvalidInput):
            return [self._outcome(number, record) for number, record in self._records]

    def _outcome(self, number: int, record: Record) -> Outcome | None:
        """Write one record; None if it conflicts with what the store holds."""
        try:
            return self.store.import_records(self._project_id, [record])[0]
        except Conflict as error:
            self.imported.refused.append(f"Line {number}: {error}")
            return None
        except InvalidInput as error:
            raise InvalidInput(f"Line {number}: {error}") from error


def chunk_kept(item: KeptItem, tokenizer: Tokenizer) -> KeptItem:
    """Return an item with its chunks for this tokenizer, and all its sayings if its sentences were indexed."""
    artifact = item.artifact
    chunks, token_count = split_into_chunks(artifact.id, artifact.memory, tokenizer)
    said = item.sentence_hashes
    if said is not None:
        since = dict(said)
        every = hash_sentences(split_sentences(artifact.memory.content))
        said = tuple((sentence_hash, since.get(sentence_hash, artifact.happened_at)) for sentence_hash in every)
    return replace(
        item,
        artifact=replace(artifact, token_count=token_count, num_chunks=len(chunks)),
        chunks=tuple(chunks) if artifact.replaced_by is None else (),
        sentence_hashes=said,
    )


def _check_vectors(line: KeptVectors, embedder: Embedder, number: int) -> None:
    for vector in line.vectors.values():
        wanted = embedder.dimension if line.model == embedder.model else len(vector)
        if len(vector) != wanted or not len(vector) or not np.isfinite(vector).all():
            raise InvalidInput(
                f"Line {number}: an embedding of {line.model!r} is not one of {wanted} finite numbers: export again."
            )
