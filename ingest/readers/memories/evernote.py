"""Notes of Evernote as it exports them (`.enex`), as a few other programs do: one file, each note an item."""

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse
from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput
from ingest.readers.documents.office_xml import local, reason_of
from ingest.readers.documents.web_page import main_text
from ingest.readers.formats.inner_files import inner_parts
from ingest.readers.formats.item import LeftOut, Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.memories.record import Record

_STAMP: Final = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z")
_BOX: Final = re.compile(r"<en-todo\b([^<>]{0,200}?)/?>(?:</en-todo>)?", re.I)
_MEDIA: Final = re.compile(r"<en-(?:media|crypt)\b[^<>]{0,2000}?/?>(?:</en-media>)?", re.I)
#: Most attachments of a note that are read.
_MOST: Final = 100
_LONGEST_NAME: Final = 200


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield each note with its day, tags, author and address, then what is attached to it; one in memory at a time.

    Raises:
        InvalidInput: the file is no sound XML; the notes before the fault are read.
    """
    number = 0
    with source.open() as file:
        try:
            for _, element in iterparse(file, events=("end",)):
                if local(element) == "note":
                    number += 1
                    yield from _note(element, source, number, context)
                    element.clear()
        except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError) as error:
            raise InvalidInput(
                f"{source.where!r} is no sound export of Evernote behind note {number:,} ({reason_of(error)}): "
                "export it again."
            ) from error


def _note(note: Element, source: Source, number: int, context: str | None) -> Iterator[Part]:
    title, day = _said(note, "title"), _moment(_said(note, "created")) or _moment(_said(note, "updated"))
    about = next((node for node in note if local(node) == "note-attributes"), Element("none"))
    resources = [node for node in note if local(node) == "resource"]
    words = _words(_said(note, "content") or "")
    names = [_name(node, at) for at, node in enumerate(resources, 1)]
    if not words and not title and not resources:
        yield LeftOut(f"{source.where}#{number}", "a note without words")
        return
    own = f"{_said(note, 'created') or number} {title or number}"
    yield Record(
        own,
        "\n\n".join(filter(None, (title, words))) or f"File: {', '.join(names)}",
        title=title or f"{source.path.stem} {number}",
        author=_said(about, "author"),
        date=day,
        tags=tuple(filter(None, (node.text for node in note if local(node) == "tag"))),
        metadata={"source_url": _said(about, "source-url"), "attachments": names},
    ).part(source, "evernote", context)
    folder = re.sub(r"\W", "", _said(note, "created") or "") or str(number)
    for name, node in zip(names[:_MOST], resources, strict=False):
        yield from _attached(node, folder, name, source, context)
    if len(resources) > _MOST:
        yield Refused(f"{source.where!r}, note {number:,}: of {len(resources):,} attachments {_MOST} are read.")


def _words(content: str) -> str:
    """Return the text of a note, boxes of tasks as Markdown has them."""
    page = _BOX.sub(lambda box: f"[{'x' if 'true' in box[1].lower() else ' '}] ", _MEDIA.sub("", content))
    page = page[max(0, page.find("<en-note")) :].replace("<en-note", "<body", 1).replace("</en-note>", "</body>")
    lines = main_text(LexborHTMLParser(page)).strip().split("\n")
    return "\n".join(f"- {line}" if line.startswith(("[ ] ", "[x] ")) else line for line in lines)


def _attached(node: Element, folder: str, name: str, source: Source, context: str | None) -> Iterator[Part]:
    """Yield what an attachment of a known format holds."""
    data = next((child for child in node if local(child) == "data"), None)
    inner_name = PurePosixPath(name.replace("\\", "/")).name or "attachment"
    try:
        inner = source.inside(f"{folder}/{inner_name}", base64.b64decode((data.text or "") if data is not None else ""))
    except (binascii.Error, ValueError) as error:
        yield Refused(f"{source.where!r}, attachment {name!r}: {error}")
    else:
        yield from inner_parts(inner, context, f"{source.where!r}, attachment {name!r}")


def _name(resource: Element, number: int) -> str:
    name = next((node.text for node in resource.iter() if local(node) == "file-name" and node.text), None)
    kind = next((node.text for node in resource if local(node) == "mime" and node.text), "")
    shown = name or f"attachment {number}.{kind.rpartition('/')[2] or 'bin'}"
    return " ".join(shown.replace("\0", "").split())[-_LONGEST_NAME:]


def _said(element: Element, name: str) -> str | None:
    node = next((child for child in element if local(child) == name), None)
    return None if node is None or node.text is None or not node.text.strip() else node.text.strip()


def _moment(stamp: str | None) -> str | None:
    found = _STAMP.fullmatch(stamp or "")
    return None if found is None else "{}-{}-{}T{}:{}:{}+00:00".format(*found.groups())
