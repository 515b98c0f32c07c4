"""Whom a text says was called otherwise before."""

import pytest

from ingest.identity.namesakes import find_former_names


@pytest.mark.parametrize(
    ("content", "one", "other"),
    [
        ("Mary Smith (née Dunn) chairs.", "Mary Smith", "Mary Dunn"),
        ("Mary Smith (ex Dunn) chairs.", "Mary Smith", "Mary Dunn"),
        ("I married in May and Mary Dunn is now Mary Smith.", "Mary Dunn", "Mary Smith"),
        ("With Mary Smith (that's Mary Dunn as was) and others.", "Mary Smith", "Mary Dunn"),
        ("Mary Smith, Mary Dunn as was, takes the minutes.", "Mary Smith", "Mary Dunn"),
        ("Mary Smith, who used to be Mary Dunn, takes the minutes.", "Mary Smith", "Mary Dunn"),
        ("By: Mary Smith (until last week: Mary Dunn; same telephone)", "Mary Smith", "Mary Dunn"),
        ("Mary Dunn goes by Mary Smith since May.", "Mary Dunn", "Mary Smith"),
        ("Mary Dunn changed her name to Mary Smith.", "Mary Dunn", "Mary Smith"),
        ("Mary Dunn will be called Mary Smith from May.", "Mary Dunn", "Mary Smith"),
        ("Mary Dunn, also known as Tilly Stone, signs.", "Mary Dunn", "Tilly Stone"),
    ],
)
def test_a_new_name_is_said_in_many_ways(content: str, one: str, other: str) -> None:
    """Both are one person's, in the order of the text."""
    assert (one, other) in list(find_former_names(content))


@pytest.mark.parametrize(
    "content",
    [
        "Mary Dunn told Mary Smith.",
        "Mary Dunn called Mary Smith.",
        "Mary Dunn called Tom about the roof.",
        "Mary Dunn now joins Mary Smith.",
        "Mary Dunn previously managed Mary Smith.",
        "Mary Dunn married Mary Smith.",
        "Mary Dunn (now Treasurer) signs.",
        "Mary Dunn (not Mary Smith) signs.",
        "Mary Dunn is now on leave and Mary Smith is ill.",
        "Mary Dunn became chair before Mary Smith left.",
        "Mary Dunn, unlike Mary Smith, was there until May.",
    ],
)
def test_two_of_one_given_name_stay_two(content: str) -> None:
    """Nothing says that they are one."""
    assert list(find_former_names(content)) == []
