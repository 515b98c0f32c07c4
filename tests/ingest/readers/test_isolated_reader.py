"""Files are read in a process of their own: as in this one, but for those that hang or end it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import MemoryServiceError
from graph.store import Store
from ingest.intake.files import ingest
from ingest.isolation import IsolatedProcess, Limits
from ingest.readers import Read, items
from ingest.readers.isolated import IsolatedReader
from retrieval.models.local_embedder import LocalEmbedder

FILES = {
    "plain.txt": "We open at nine.\r\nBoats need a permit — “always”.",
    "note.md": "---\ntags: [a, b]\nmetadata: {deep: [1, {x: null}]}\n---\n# Permit\n\nBoats need one.",
    "chat.jsonl": '{"content": "Hello."}\n{"content": "Hi \\ud83d\\ude00.", "participants": ["Ann", "Ben"]}\n',
    "mail.eml": "From: Ann Lee <ann@acme.com>\nTo: Ben\nSubject: Tiles\n\nWe chose the blue ones.",
    "blank.txt": " \n",
    "bad.jsonl": "{",
    "binary.txt": "a\0b",
    "picture.png": "x",
}
MISLED = """
import os, time
from ingest.readers.isolated import operations as real

def operations():
    def read(body):
        if b"hang.txt" in body: time.sleep(60)
        if b"leave.txt" in body: os._exit(3)
        if b"fail.txt" in body: raise KeyError("odd")
        return real()["read"](body)
    return {"read": read}
"""


def outcome(reader: Read, path: Path) -> object:
    """Return the items of a file, or the error."""
    try:
        return list(reader(path, context="note"))
    except MemoryServiceError as error:
        return type(error), str(error)


@pytest.fixture(scope="module")
def isolated() -> IsolatedReader:
    """The reader of the install."""
    return IsolatedReader(IsolatedProcess("Reading", "ingest.readers.isolated:operations", [], Limits()))


@pytest.mark.parametrize("name", [*FILES, "absent.txt"])
def test_a_file_gives_the_same_memories_or_the_same_error(isolated: IsolatedReader, tmp_path: Path, name: str) -> None:
    """Of every format."""
    path = tmp_path / name
    if name in FILES:
        path.write_text(FILES[name], encoding="utf-8", newline="")
    assert outcome(isolated.items, path) == outcome(items, path)


@pytest.fixture
def misled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IsolatedReader]:
    """A reader that some names of files mislead."""
    (tmp_path / "misled_reader.py").write_text(MISLED, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield IsolatedReader(IsolatedProcess("Reading", "misled_reader:operations", [], Limits(1.0, 300)))
    sys.modules.pop("misled_reader", None)


@pytest.mark.exhaustive
def test_a_file_that_hangs_or_ends_its_reader_is_refused_by_name(
    misled: IsolatedReader, tmp_path: Path, store: Store, embedder: LocalEmbedder
) -> None:
    """With the reason, and the others are stored."""
    files = [tmp_path / f"{name}.txt" for name in ("first", "hang", "leave", "fail", "last")]
    for path in files:
        path.write_text(f"We open at {path.stem}.", encoding="utf-8")
    *_, tally = ingest(files, "default", context=None, records=store, tokenizer=embedder.tokenizer, read=misled.items)

    assert tally.stored == 2
    assert tally.refused == [
        f"{files[1].as_posix()!r}: Reading took more than 1 s.",
        f"{files[2].as_posix()!r}: The process of reading ended with exit code 3.",
        f"{files[3].as_posix()!r}: KeyError: 'odd'",
    ]


def test_a_note_is_read_without_what_few_files_need() -> None:
    """What its process imports is half of the time that a folder of one note takes to read."""
    code = (
        "import sys, ingest.readers.isolated\n"
        "print(sorted({'numpy', 'charset_normalizer', 'onnxruntime', 'ingest.extract'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
