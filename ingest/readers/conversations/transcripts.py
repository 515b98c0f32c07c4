"""Recordings as text: captions (WebVTT, SubRip) and plain transcripts, one document each."""

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from core.errors import InvalidInput
from core.interface.memory import MAX_ENTRIES
from core.regex import regex
from ingest.document.lines import spoken_name
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.conversation_formats import spoken_lines
from ingest.readers.formats.source import Item, Place, Source

_TIMING: Final = regex(r"[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}[ \t]*-->")
_VOICE: Final = regex(r"<v(?:\.[^\s>]{0,80})?[ \t]+([^>\n]{1,200})>")
#: Marks of how words look, of SubRip those of place and style, too.
_TAG: Final = regex(r"</?[^<>\n]{0,200}>|\{\\[^{}\n]{1,80}\}")
_SPEAKER: Final = regex(r"[-–]?[ \t]*([^\W\d_][^\n:<>]{0,60}):[ \t]+(?=\S)")
#: What one speaker says is one line up to this length, in characters, so that its time stays near.
_LINE: Final = 1_000


@dataclass(slots=True)
class _Line:
    start: str
    speaker: str | None
    words: str

    def text(self) -> str:
        name = "" if self.speaker is None else f"{self._shown}: "
        return f"[{self.start}] {name}{self.words}"

    @property
    def _shown(self) -> str:
        """The speaker as the program shows it, the given name first."""
        shown = self.speaker or ""
        return spoken_name(shown) if "," in shown else shown


def read_captions(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the captions as one memory, of context "transcript" unless told otherwise; nothing for a blank file.

    Raises:
        InvalidInput: there is no caption in it, or it is not text that decodes for certain.
        TooLarge: it is over the limit of a document.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    if not text.strip():
        return
    lines = _joined(text)
    if not lines:
        raise InvalidInput(f"{source.where!r} has no captions in it: export it again, or save it as a .txt file.")
    places, at = [], 0
    for line in lines:
        places.append(Place(at, line.start))
        at += len(line.text()) + 1
    speakers = [spoken_name(line.speaker) for line in lines if line.speaker is not None]
    values = {"title": source.path.stem, "context": context or "transcript", "participants": _each_once(speakers)}
    yield Item(document(source.where, "\n".join(line.text() for line in lines), values), tuple(places))


def _joined(text: str) -> list[_Line]:
    lines: list[_Line] = []
    before = ""
    for start, caption in _captions(text.split("\n")):
        for speaker, words in _said(caption):
            if not words or words == before:  # captions that roll up repeat what stands above
                continue
            before = words
            last = lines[-1] if lines else None
            if last is not None and last.speaker == speaker and len(last.words) + len(words) < _LINE:
                last.words += " " + words
            else:
                lines.append(_Line(start, speaker, words))
    return lines


def _captions(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the time, in hours, minutes and seconds, and the lines of each caption."""
    start: str | None = None
    caption: list[str] = []
    for line in lines:
        if (timing := _TIMING.match(line)) is not None:
            if start is not None:
                yield start, caption[:-1] if caption and caption[-1].strip().isdecimal() else caption
            start = f"{int(timing[1] or 0):02}:{int(timing[2]):02}:{int(timing[3]):02}"
            caption = []
        elif not line.strip() and start is not None and caption:
            yield start, caption
            start, caption = None, []
        elif start is not None:
            caption.append(line.strip())
    if start is not None:
        yield start, caption


def _said(caption: list[str]) -> Iterator[tuple[str | None, str]]:
    """Yield who says what in a caption; None where it does not say."""
    speaker: str | None = None
    words: list[str] = []
    for line in caption:
        voice = _VOICE.search(line)
        plain = html.unescape(_TAG.sub("", line)).strip()
        label = None if voice else _SPEAKER.match(plain)
        if (voice or label) and words:
            yield speaker, " ".join(words)
            words = []
        if voice:
            speaker = html.unescape(voice[1]).strip() or None
        elif label:
            speaker, plain = label[1].strip(), plain[label.end() :]
        words.append(plain)
    yield speaker, " ".join(word for word in words if word)


def _each_once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))[:MAX_ENTRIES]


def read_transcript(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the text as one memory, of context "transcript" unless told otherwise; nothing if it is blank.

    Raises:
        InvalidInput: it is not text that decodes for certain.
        TooLarge: it is over the limit of a document.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    if not text.strip():
        return
    lines = spoken_lines(text)
    speakers = [spoken_name(line.speaker) for line in lines]
    values = {"title": source.path.stem, "context": context or "transcript", "participants": _each_once(speakers)}
    yield Item(document(source.where, text, values), tuple(Place(line.start, line.time) for line in lines))
