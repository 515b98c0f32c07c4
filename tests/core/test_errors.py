"""Texts of others do not break out of a line."""

from hypothesis import given
from hypothesis import strategies as st

from core.errors import escape_control_characters, one_line


@given(st.text())
def test_whatever_it_says_it_is_one_line(text: str) -> None:
    """For logs and lists."""
    assert len(one_line(text).splitlines()) <= 1
    assert len(escape_control_characters(text).splitlines()) <= 1


def test_escaping_loses_nothing() -> None:
    """What is escaped can be read."""
    assert escape_control_characters("a\nb\x1b[2J\u2028\x85é") == r"a\nb\x1b[2J\u2028\x85é"
    assert one_line(" a\r\n\tb\x00c ") == "a b c"
