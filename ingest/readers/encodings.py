"""Bytes to text: line ends stay as they are, and of encodings that do not prove themselves only a sure guess is taken.

UTF-8 proves itself by its redundancy, UTF-16 by its mark. What is neither is decoded as its file declares, or as
charset-normalizer finds by the frequency of letters in a language; too short or too strange a text is refused, since
evidence quotes the stored text for ever, and a guess is kept in the metadata. Files of fields are never guessed.
"""

import codecs
from dataclasses import dataclass
from typing import Final

from core.errors import InvalidInput
from ingest.readers.formats.source import Source

#: Least bytes of a text whose encoding is guessed, and how many of a longer one are looked at.
_LEAST, _LOOKED_AT = 64, 200_000
#: Least likeness to a language, and most noise, of a guess, each 0 to 1.
_COHERENCE, _CHAOS = 0.2, 0.15
#: Encodings that files of today's people have; of equal guesses the first is taken.
_GUESSED: Final = tuple(
    "cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 iso8859_2 iso8859_5 iso8859_7 iso8859_15 koi8_r "
    "koi8_u gb18030 big5 cp932 euc_jp euc_jis_2004 cp949 euc_kr".split()
)
#: What declares itself Latin-1 or ASCII is this, as the web's standard has it.
_WESTERN: Final = "cp1252"
_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and its encoding if that was found by the likeness to a language."""

    text: str
    guessed: str | None = None

    @property
    def metadata(self) -> dict[str, object]:
        """What to keep of it beside the text."""
        return {} if self.guessed is None else {"encoding": self.guessed}


def text_of(source: Source, *, limit_bytes: int) -> str:
    """Return the text of a source without a byte order mark.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is not a regular file, can't be opened, or is not UTF-8 or marked UTF-16 text.
        TooLarge: it has more than `limit_bytes`.
    """
    return _proven(source, source.content(limit_bytes))


def decoded(source: Source, data: bytes, declared: str | None = None) -> Decoded:
    """Return the text of bytes from a source: UTF-8 or marked UTF-16, else as declared, else as guessed.

    Raises:
        InvalidInput: it is binary, or its encoding can't be told.
    """
    try:
        return Decoded(_proven(source, data))
    except InvalidInput:
        if data.startswith(_MARKS) or (text := _as_declared(data, declared) or _guessed(data)) is None:
            raise
    return text


def storable(text: str) -> str:
    """Return a text that a library made without what can't be stored: halves of pairs, and the character 0."""
    return text.encode("utf-8", "replace").decode().replace("\0", "�") if not _is_storable(text) else text


def _is_storable(text: str) -> bool:
    try:
        return "\0" not in text.encode().decode()
    except UnicodeEncodeError:
        return False


def _proven(source: Source, data: bytes) -> str:
    where = str(source.path)
    encoding = "utf-16" if data.startswith(_MARKS) else "utf-8-sig"
    if encoding == "utf-8-sig" and b"\0" in data:
        raise InvalidInput(f"{where!r} is a binary file, not text: export it as text, or leave it out.")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{where!r} is not {encoding[:6].upper().rstrip('-')} text (byte {error.start:,}): save it as UTF-8, "
            f"for example with `iconv -f WINDOWS-1252 -t UTF-8`, or leave it out."
        ) from error
    if "\0" in text:
        raise InvalidInput(f"{where!r} is a binary file, not text: export it as text, or leave it out.")
    return text


def _as_declared(data: bytes, declared: str | None) -> Decoded | None:
    try:
        name = codecs.lookup(declared or "").name
        text = data.decode(_WESTERN if name in {"ascii", "iso8859-1"} else name)
    except (LookupError, UnicodeError, ValueError, TypeError, AttributeError):  # codecs that are none of text too
        return None
    return None if "\0" in text else Decoded(text)


def _guessed(data: bytes) -> Decoded | None:
    if len(data) < _LEAST or b"\0" in data:
        return None
    # It takes 2 MB in each process, and few files need it.
    from charset_normalizer import from_bytes

    matches = from_bytes(data[:_LOOKED_AT], cp_isolation=list(_GUESSED))
    found = [match for match in matches if match.coherence >= _COHERENCE and match.chaos <= _CHAOS]
    found = [match for match in found if match.encoding in _GUESSED]
    found.sort(key=lambda match: (-match.coherence, _GUESSED.index(match.encoding)))
    for match in found:
        try:
            return Decoded(data.decode(match.encoding), match.encoding)
        except UnicodeDecodeError:
            continue
    return None
