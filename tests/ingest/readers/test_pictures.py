"""Pictures and scanned pages: their words are read where OCR is installed, else they are named with what reads them."""

import importlib.util
import io
from pathlib import Path

import pytest

from core.errors import InvalidInput
from ingest.readers import items, walk
from ingest.readers.folder import kind_of_file
from ingest.readers.formats.source import Item, LeftOut
from tests.ingest.readers.reading import packed, parts, put

HAS_OCR = importlib.util.find_spec("rapidocr_onnxruntime") is not None
with_ocr = pytest.mark.skipif(not HAS_OCR, reason="OCR is not installed")
without_ocr = pytest.mark.skipif(HAS_OCR, reason="OCR is installed")


def picture(lines: list[str], kind: str = "PNG") -> bytes:
    """Return a picture with these lines in black on white."""
    image = importlib.import_module("PIL.Image")
    made = image.new("RGB", (900, 80 + 60 * len(lines)), "white")
    pen, font = importlib.import_module("PIL.ImageDraw").Draw(made), importlib.import_module("PIL.ImageFont")
    for at, line in enumerate(lines):
        pen.text((40, 40 + 60 * at), line, fill="black", font=font.load_default(30))
    data = io.BytesIO()
    made.save(data, kind)
    return data.getvalue()


@without_ocr
def test_a_picture_is_passed_over_with_the_command_that_installs_what_reads_it(tmp_path: Path) -> None:
    """In a folder, and in an archive; named alone it is refused with the same command."""
    path = put(tmp_path, "board.jpg", b"\xff\xd8\xff")
    assert walk([tmp_path]).skipped == {"media (pictures: `pip install 'remembrancer[ocr]'` reads them)": 1}
    (left,) = parts(packed(tmp_path, "all.zip", {"board.png": "x"}))
    assert isinstance(left, LeftOut)
    assert left.reason == "media (pictures: `pip install 'remembrancer[ocr]'` reads them)"
    with pytest.raises(InvalidInput, match=r"pip install 'remembrancer\[ocr\]'"):
        list(items(path, context=None))


def test_voice_notes_are_said_to_be_unread() -> None:
    for name in ("note.m4a", "PTT-20250304-WA0001.opus", "memo.MP3"):
        assert kind_of_file(Path(name)) == "media (sounds, which are not transcribed)"


@with_ocr
def test_the_words_of_a_picture_are_read_line_by_line(tmp_path: Path) -> None:
    (item,) = parts(put(tmp_path, "board.png", picture(["Plan of the quay", "We rent the wide gangway"])))
    assert isinstance(item, Item)
    assert item.memory.content.split("\n") == ["Plan of the quay", "We rent the wide gangway"]
    assert item.memory.metadata == {"recognised": True}


@with_ocr
def test_a_logo_is_left_out_and_a_damaged_picture_refused(tmp_path: Path) -> None:
    (left,) = parts(put(tmp_path, "logo.png", picture([])))
    assert isinstance(left, LeftOut)
    with pytest.raises(InvalidInput, match=r"a\.png"):
        parts(put(tmp_path, "a.png", picture(["Plan of the quay"])[:200]))


@with_ocr
def test_scanned_pages_of_a_pdf_are_read(tmp_path: Path) -> None:
    (item,) = parts(put(tmp_path, "scan.pdf", picture(["We rent the wide gangway until autumn"], "PDF")))
    assert isinstance(item, Item)
    assert item.memory.content == "We rent the wide gangway until autumn"
    assert [place.name for place in item.places] == ["page 1"]
