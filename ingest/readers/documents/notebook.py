"""Jupyter notebooks: texts, code and printed output of the cells in their order, each cell a place."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from core.errors import InvalidInput
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable, text_of
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item, Place
from ingest.readers.formats.source import Source

#: Most characters of a cell's output: what a program prints may have no end.
_OUTPUT: Final = 10_000
#: Between the cells.
_GAP: Final = "\n\n"


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the notebook as one memory, or nothing if its cells are empty; pictures and long output are left out.

    Raises:
        InvalidInput: it is no notebook of format 4 (2015) or later.
        TooLarge: the file or its text is over its limit.
    """
    try:
        notebook: object = json.loads(text_of(source, limit_bytes=DOCUMENT_BYTES))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source.where!r} is not JSON ({str(error)[:100]}), so it is no notebook.") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(notebook, dict) or not isinstance(cells, list):
        raise InvalidInput(f"{source.where!r} has no cells: open it in Jupyter and save it as a notebook of format 4.")
    language = _language(notebook)
    texts, places, at = [], [], 0
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and (text := storable(_cell(cell, language))):
            places.append(Place(at, f"cell {number}"))
            texts.append(text)
            at += len(text) + len(_GAP)
    if texts:
        content = _GAP.join(texts)
        values = {"title": title_of(source, None, content), "context": context}
        yield Item(document(source.where, content, values), tuple(places))


def _language(notebook: Mapping[str, object]) -> str:
    about = notebook.get("metadata")
    kernel = about.get("language_info") if isinstance(about, dict) else None
    name = kernel.get("name") if isinstance(kernel, dict) else None
    return name if isinstance(name, str) else ""


def _cell(cell: Mapping[str, object], language: str) -> str:
    text = _joined(cell.get("source")).strip("\n")
    if cell.get("cell_type") != "code":
        return text if text.strip() else ""
    if not text.strip():
        return ""
    outputs = cell.get("outputs")
    printed = "".join(map(_output, outputs if isinstance(outputs, list) else [])).strip("\n")
    block = f"```{language}\n{text}\n```"
    return f"{block}\n\n```\n{printed}\n```" if printed.strip() and len(printed) <= _OUTPUT else block


def _output(output: object) -> str:
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    return _joined(output.get("text")) or _joined(data.get("text/plain") if isinstance(data, dict) else None)


def _joined(value: object) -> str:
    """Return a text that may be written as a list of its lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))
