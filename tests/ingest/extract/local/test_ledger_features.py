"""What tells whether a sentence belongs into the ledger."""

from ingest.document.structure import Passage
from ingest.extract.local.ledger_features import NAMES, Said, features
from ingest.extract.local.sentence_classifier import Judgement
from tests.own_time import own_time

_UNLIKELY = Judgement((0.1,) * 8, (0.5,) * 8)
_INDENTED = NAMES.index("indented")


def _indented(content: str, *starts: int) -> list[bool]:
    said: list[Said] = [(Passage(start, start + 3, "bullet"), []) for start in starts]
    rows = features(said, ["So be it."] * len(said), [_UNLIKELY] * len(said), content)
    return [bool(row[_INDENTED]) for row in rows]


def test_what_stands_in_an_indented_line_is_told_apart() -> None:
    """By two blanks or a tab, also of a sentence that is not the first of its line."""
    assert _indented("One.\n  - Two. Three.\n\tFour.\n Five.", 0, 9, 14, 22, 29) == [False, True, True, True, False]


def test_a_text_without_line_breaks_takes_no_longer_than_others() -> None:
    """Each sentence of a transcript in one line is not looked for from its beginning."""
    content = "So be it. " * 200_000
    assert own_time(lambda: _indented(content, *range(0, len(content), 500))) < 5


def test_a_sentence_of_brackets_is_seen_through_in_one_go() -> None:
    """No number of links that are begun and not ended makes a sentence expensive."""
    brackets = "](" * 300
    said: list[Said] = [(Passage(0, len(brackets), "prose"), [])] * 50
    assert own_time(lambda: features(said, [brackets] * len(said), [_UNLIKELY] * len(said), brackets)) < 3
