"""Pictures: the words in them, recognised by RapidOCR, whose weights come with it (the extra `ocr`)."""

import io
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, ImageSequence
from rapidocr_onnxruntime import RapidOCR

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable
from ingest.readers.fields import document
from ingest.readers.formats.source import Item, LeftOut, Part, Source

#: Most bytes of a picture, and fewest words of one that says something.
_BYTES: Final = 50_000_000
_FEWEST: Final = 3
#: Least width and height of a picture in which words are looked for, and most pictures of a file.
_LEAST, _MOST = 32, 200
#: A picture is enlarged up to this width or height, at most twice: blanks between small letters are not seen.
_WIDEST, _TIMES = 2_000, 2
#: Boxes are of one line if their middles are no further apart than this share of their height.
_SAME_LINE: Final = 0.5
#: Blanks that the recognition loses: behind punctuation, and between a number and a word with a capital.
_LOST: Final = regex(r"(?<=[a-z)][,;:])(?=[^\W\d_])|(?<=\d)(?=[A-Z][a-z]{2})|(?<=[a-z]{3})(?=(?:19|20)\d\d\b)")
#: What a picture that is damaged, or made to do harm, makes Pillow raise.
_ERRORS: Final = (OSError, ValueError, SyntaxError, EOFError, KeyError, TypeError, Image.DecompressionBombError)


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the words of the picture as one memory; one with hardly any, such as a logo, is left out.

    Raises:
        InvalidInput: it is damaged.
        TooLarge: the file is over its limit.
    """
    try:
        text = storable("\n\n".join(filter(None, recognised(source.content(_BYTES)))))
    except ValueError as error:
        raise InvalidInput(f"{source.where!r} is no picture that can be read ({error}): save it again.") from error
    if len(text.split()) < _FEWEST:
        yield LeftOut(source.where, "pictures without words")
        return
    values = {"title": title_of(source, None, text), "context": context, "metadata": {"recognised": True}}
    yield Item(document(source.where, text, values))


def recognised(data: bytes) -> list[str]:
    """Return the text of each picture in the bytes of one, line by line; empty where there are no words.

    Raises:
        ValueError: it is no picture that can be read.
    """
    try:
        with Image.open(io.BytesIO(data)) as picture:
            frames = [
                np.asarray(_enlarged(ImageOps.exif_transpose(frame).convert("RGB")))
                for frame, _ in zip(ImageSequence.Iterator(picture), range(_MOST), strict=False)
            ]
    except _ERRORS as error:
        raise ValueError(" ".join(f"{type(error).__name__}: {error}".split())[:100]) from error
    return ["\n".join(_lines(frame)) for frame in frames]


def _enlarged(picture: Image.Image) -> Image.Image:
    times = min(_TIMES, _WIDEST / max(picture.size))
    return picture if times <= 1 else picture.resize((int(picture.width * times), int(picture.height * times)))


def _lines(frame: NDArray[np.uint8]) -> Iterator[str]:
    if min(frame.shape[:2]) < _LEAST:
        return
    found, _ = _engine()(frame)
    line: list[tuple[float, str]] = []
    middle = height = 0.0
    for corners, text, _ in sorted(found or [], key=lambda one: _middle(one[0])):
        at = _middle(corners)
        if line and at - middle > _SAME_LINE * height:
            yield _joined(line)
            line = []
        if not line:
            middle, height = at, max(corner[1] for corner in corners) - min(corner[1] for corner in corners)
        line.append((corners[0][0], text))
    if line:
        yield _joined(line)


def _joined(line: Sequence[tuple[float, str]]) -> str:
    return _LOST.sub(" ", " ".join(text for _, text in sorted(line)))


def _middle(corners: Sequence[Sequence[float]]) -> float:
    return sum(corner[1] for corner in corners) / len(corners)


@cache
def _engine() -> RapidOCR:
    return RapidOCR()
