"""The formats that come with the installation; `pyproject.toml` registers each as an entry point."""

from typing import Final

from ingest.readers.formats.format import Format

PLAIN_TEXT: Final = Format(
    "plain-text",
    "plain text, a document each",
    "ingest.readers.documents.plain_text:read",
    suffixes=(".txt", ".text", ".log", ".rst", ".org", ".adoc"),
)
MARKDOWN: Final = Format(
    "markdown",
    "Markdown with YAML front matter, a document each",
    "ingest.readers.documents.markdown:read",
    suffixes=(".md", ".markdown"),
)
JSON_LINES: Final = Format(
    "json-lines",
    "the arguments of remember, an item a line",
    "ingest.readers.exports.jsonl:read",
    suffixes=(".jsonl", ".ndjson"),
)
MAIL: Final = Format(
    "mail",
    "a saved mail, its plain text",
    "ingest.readers.conversations.mail:read",
    suffixes=(".eml",),
)
ZIP: Final = Format(
    "zip",
    "the files in an archive, each as its own format has it",
    "ingest.readers.exports.zip_folder:read",
    suffixes=(".zip",),
)
