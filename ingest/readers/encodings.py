"""Bytes to text, exactly: line ends stay as they are, and an encoding is never guessed.

A guess (charset-normalizer and its like) is right most of the time and silently wrong for the rest, and evidence quotes
the stored text verbatim for ever. So only what proves itself is read: UTF-8 by its own redundancy, UTF-16 by its mark.
"""

import codecs

from core.errors import InvalidInput
from ingest.readers.formats.source import Source


def text_of(source: Source, *, limit_bytes: int) -> str:
    """Return the text of a source without a byte order mark.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is not a regular file, can't be opened, or is not UTF-8 or marked UTF-16 text.
        TooLarge: it has more than `limit_bytes`.
    """
    path, data = source.path, source.content(limit_bytes)
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    if encoding == "utf-8-sig" and b"\0" in data:
        raise InvalidInput(f"{str(path)!r} is a binary file, not text: export it as text, or leave it out.")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{str(path)!r} is not {encoding[:6].upper().rstrip('-')} text (byte {error.start:,}): save it as UTF-8, "
            f"for example with `iconv -f WINDOWS-1252 -t UTF-8`, or leave it out."
        ) from error
    if "\0" in text:
        raise InvalidInput(f"{str(path)!r} is a binary file, not text: export it as text, or leave it out.")
    return text
