"""Outline: sentences and lines with what heads them."""

from graph.text.sentences import outline

TEXT = """# Title

Intro of one
paragraph.  Second sentence.

## Part
- a point
  goes on
  - below it
- another
Plan:
A row without a mark.
"""


def _read(text: str) -> dict[str, tuple[str, ...]]:
    units = outline(text)
    said = [text[unit.start : unit.end] for unit in units]
    return {words: tuple(said[head] for head in unit.heads) for words, unit in zip(said, units, strict=True)}


def test_units_stand_under_headings_and_bullets() -> None:
    """A bullet's own lines belong to it; an indented bullet stands under it, the next one does not."""
    assert _read(TEXT) == {
        "# Title": (),
        "Intro of one\nparagraph.": ("# Title",),
        "Second sentence.": ("# Title",),
        "## Part": ("# Title",),
        "- a point\n  goes on": ("# Title", "## Part"),
        "- below it": ("# Title", "## Part", "- a point\n  goes on"),
        "- another": ("# Title", "## Part"),
        "Plan:": ("# Title", "## Part"),
        "A row without a mark.": ("# Title", "## Part", "Plan:"),
    }


def test_speakers_are_labels_that_come_twice() -> None:
    """Each sentence of a turn has its speaker; a label that comes once is none."""
    text = "Note: this is not said.\nAna: Yes. Really.\nBo: Never. Not now.\nAna: Fine.\nBo: Good."
    said = {}
    for unit in outline(text):
        speaker = unit.speaker
        said[text[unit.start : unit.end]] = speaker and text[speaker.start_char : speaker.end_char]
    assert said == {
        "Note: this is not said.": None, "Ana: Yes.": "Ana:", "Really.": "Ana:", "Bo: Never.": "Bo:", "Not now.": "Bo:",
        "Ana: Fine.": "Ana:", "Bo: Good.": "Bo:",
    }  # fmt: skip


def test_a_part_of_a_text_keeps_its_offsets() -> None:
    """Units of a part lie where they do in the whole text."""
    start = TEXT.index("## Part")
    (first, *_) = outline(TEXT, start)
    assert TEXT[first.start : first.end] == "## Part"
