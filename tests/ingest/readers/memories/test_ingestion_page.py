"""docs/ingestion.md: its examples, each a file and the texts of its items."""

import re
from pathlib import Path

import pytest

from tests.ingest.readers.reading import format_of, memories, put

PAGE = (Path(__file__).parents[4] / "docs" / "ingestion.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(
    r"^### `([\w-]+)`\n(?:(?!### |## |```).*\n)*```\w+ (\S[^\n]*)\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)\n```$",
    re.MULTILINE,
)
#: Name, file, content, and texts of the items.
EXAMPLES = EXAMPLE.findall(PAGE)


def test_every_section_of_a_format_has_an_example() -> None:
    """Otherwise the others would not be run."""
    assert [name for name, *_ in EXAMPLES] == re.findall(r"^### `([\w-]+)`$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("name", "file", "content", "told"), EXAMPLES, ids=[name for name, *_ in EXAMPLES])
def test_an_example_is_read_as_the_page_says(name: str, file: str, content: str, told: str, tmp_path: Path) -> None:
    """By the format it stands under."""
    path = put(tmp_path, file, content)

    assert format_of(path) == name
    assert "\n---\n".join(memory.content.strip() for memory in memories(path)) == told
