"""The formats that come with the installation; `pyproject.toml` registers each as an entry point."""

import re
from collections.abc import Callable
from typing import Final

from core.regex import regex
from ingest.readers.folder import PICTURES
from ingest.readers.formats.format import Fit, Format, Head

#: How a page of HTML begins: comments aside, with its type or its first element.
_PAGE: Final = regex(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*){0,4}<(?:!doctype html|html)\b", re.I | re.S
)

#: How the first commit begins that `git log` prints.
_COMMIT: Final = regex(r"\s{0,20}commit [0-9a-f]{40}(?:[0-9a-f]{24})?(?: \([^\n]*\))?\r?\n(?:Merge: [^\n]*\n)?Author: ")


def _begins(*signatures: bytes) -> Callable[[Head], Fit]:
    return lambda head: Fit.CERTAIN if head.data.lstrip(b"\xef\xbb\xbf\r\n ").startswith(signatures) else Fit.NO


def _holds(member: str) -> Callable[[Head], Fit]:
    return lambda head: Fit.CERTAIN if member in head.members else Fit.NO


def _is_page(head: Head) -> Fit:
    return Fit.LIKELY if _PAGE.match(head.text) else Fit.NO


def _is_saved_page(head: Head) -> Fit:
    above = re.split(r"\r?\n\r?\n", head.text, maxsplit=1)[0]
    is_saved = re.search(r"^Snapshot-Content-Location:|^From: <?(?:Saved by|Gespeichert von)", above, re.I | re.M)
    return Fit.CERTAIN if is_saved else Fit.NO


def _is_book(head: Head) -> Fit:
    return Fit.CERTAIN if b"mimetypeapplication/epub+zip" in head.data[:100] else Fit.NO


def _is_open_text(head: Head) -> Fit:
    begins = re.match(
        rb"PK.{28}mimetypeapplication/vnd\.oasis\.opendocument\.(?:text|presentation)", head.data, re.DOTALL
    )
    return Fit.CERTAIN if begins else Fit.NO


def _is_task_list(head: Head) -> Fit:
    return Fit.LIKELY if re.fullmatch(r"(?:.*\.)?(?:todo|done)\.txt", head.source.name, re.I) else Fit.NO


def _is_text_table(head: Head) -> Fit:
    """Programs on the web name tables of text after Excel, which opens them."""
    first = head.text.lstrip().partition("\n")[0] if head.source.suffix in (".xls", ".xlsx") else ""
    return Fit.LIKELY if first[:1] != "<" and re.search("[\t;,]", first) else Fit.NO


def _is_git_log(head: Head) -> Fit:
    return Fit.CERTAIN if _COMMIT.match(head.text) else Fit.NO


def _is_tar(head: Head) -> Fit:
    is_packed = re.search(r"\.tar\.(?:gz|bz2|xz)$", head.source.name.lower()) is not None
    return Fit.CERTAIN if is_packed or head.data[257:262] == b"ustar" else Fit.NO


PLAIN_TEXT: Final = Format(
    "plain-text",
    "plain text, a document each",
    ".documents.plain_text:read_plain_text",
    suffixes=(".txt", ".text", ".log"),
)
MARKDOWN: Final = Format(
    "markdown",
    "Markdown with YAML front matter, a document each",
    ".documents.plain_text:read_markdown",
    suffixes=(".md", ".markdown"),
)
TODO_TXT: Final = Format(
    "todo.txt",
    "lists of tasks in the form of todo.txt, as boxes",
    ".documents.markup:read_todo_txt",
    look=_is_task_list,
)
ORG: Final = Format(
    "org",
    "Org files of Emacs, headlines with a task's keyword as tasks, a document each",
    ".documents.markup:read_org",
    suffixes=(".org",),
)
ASCIIDOC: Final = Format(
    "asciidoc", "AsciiDoc, a document each", ".documents.asciidoc:read", suffixes=(".adoc", ".asciidoc")
)
RESTRUCTURED_TEXT: Final = Format(
    "restructuredtext",
    "reStructuredText, a document each",
    ".documents.restructured_text:read",
    suffixes=(".rst", ".rest"),
)
LATEX: Final = Format(
    "latex",
    "LaTeX, the text between its commands, a document each",
    ".documents.latex:read",
    suffixes=(".tex", ".ltx", ".latex"),
)
JSON_LINES: Final = Format(
    "json-lines",
    "the arguments of remember, an item a line",
    ".line_exports:read_jsonl",
    suffixes=(".jsonl", ".ndjson"),
)
ZIP: Final = Format(
    "zip", "the files in an archive, each as its own format has it", ".archives:read_zip", suffixes=(".zip",)
)
TAR: Final = Format(
    "tar",
    "the files in a tar archive, packed or not, each as its own format has it",
    ".archives:read_tar",
    suffixes=(".tar", ".tgz", ".tbz2", ".txz"),
    look=_is_tar,
)
HTML: Final = Format(
    "html",
    "web pages, their main text",
    ".documents.web_page:read_web_page",
    suffixes=(".html", ".htm", ".xhtml"),
    look=_is_page,
)
SAVED_PAGE: Final = Format(
    "mhtml",
    "web pages that a browser saved in one file, their main text",
    ".documents.web_page:read_archive",
    suffixes=(".mht", ".mhtml"),
    look=_is_saved_page,
)
PICTURE: Final = Format(
    "picture",
    "the words in pictures: scans, screenshots, photographs of boards",
    ".documents.picture:read",
    suffixes=tuple(sorted(PICTURES)),
    needs=("rapidocr_onnxruntime",),
    extra="remembrancer[ocr]",
)
PDF: Final = Format(
    "pdf",
    "the text of the pages with filled-in fields and notes, each page a place; scans where OCR is installed",
    ".documents.pdf:read",
    suffixes=(".pdf",),
    look=_begins(b"%PDF-"),
)
DOCX: Final = Format(
    "docx",
    "Word documents with page headers, notes and comments",
    ".documents.office_document:read_word_document",
    suffixes=(".docx", ".docm"),
    look=_holds("word/document.xml"),
)
PPTX: Final = Format(
    "pptx",
    "PowerPoint slides with speakers' notes and comments, each slide a place",
    ".documents.office_document:read_slides",
    suffixes=(".pptx", ".pptm"),
    look=_holds("ppt/presentation.xml"),
)
OPEN_TEXT: Final = Format(
    "opendocument",
    "texts and slides of LibreOffice (ODT, ODP) with page headers, notes and comments, each slide a place",
    ".documents.open_text:read",
    suffixes=(".odt", ".ott", ".fodt", ".odp", ".otp", ".fodp"),
    look=_is_open_text,
)
EPUB: Final = Format(
    "epub", "books, each chapter a place", ".documents.web_page:read_book", suffixes=(".epub",), look=_is_book
)
RTF: Final = Format(
    "rtf", "rich text", ".documents.office_document:read_rich_text", suffixes=(".rtf",), look=_begins(b"{\\rtf")
)
NOTEBOOK: Final = Format(
    "notebook",
    "Jupyter notebooks: texts, code and printed output, each cell a place",
    ".documents.plain_text:read_notebook",
    suffixes=(".ipynb",),
)
CSV: Final = Format(
    "csv",
    "tables: an item a row if a column holds texts (content, text, body, message), else 1,000 rows an item",
    ".tables:read_delimited_text",
    suffixes=(".csv", ".tsv"),
    look=_is_text_table,
)
SPREADSHEET: Final = Format(
    "spreadsheet",
    "the sheets of Excel and LibreOffice, as csv",
    ".spreadsheet:read_spreadsheet",
    suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".fods"),
    look=_holds("xl/workbook.xml"),
)
CALENDAR: Final = Format(
    "calendar",
    "calendar files, an item for each event, task and journal entry",
    ".calendar_file:read",
    suffixes=(".ics", ".ical"),
    look=_begins(b"BEGIN:VCALENDAR"),
)
GIT_LOG: Final = Format(
    "git-log",
    "the history that git log prints, saved to a file, an item a commit",
    ".line_exports:read_git_log",
    look=_is_git_log,
)
