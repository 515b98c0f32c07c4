"""The form that tags are compared in."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates import now
from core.filters import Filters
from core.knowledge.text import tag_form, tag_forms
from tests.contracts.makers import HOSTILE

#: Letters of several alphabets that have a capital, accents that may be apart, and signs that tags are made of.
_WORDS = st.text("abcxyzéöñßσжя東京7.+&'", min_size=1, max_size=6).filter(lambda word: any(map(str.isalnum, word)))
_LEVELS = st.lists(st.lists(_WORDS, min_size=1, max_size=3), min_size=1, max_size=4)
_ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20) | st.sampled_from(HOSTILE)


def full_width(text: str) -> str:
    """Return ASCII signs as wide as Chinese ones."""
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


@st.composite
def spellings(draw: st.DrawFn, levels: list[list[str]]) -> str:
    """Write a tag in one of the ways that people and programs write it."""
    between = st.sampled_from(["-", "_", " ", "  ", "\u00a0", "–"])
    slash = st.sampled_from(["/", " / ", "/"])
    written = draw(slash).join("".join(word + draw(between) for word in words)[:-1].rstrip() for words in levels)
    for change in (str.upper, str.title, lambda text: unicodedata.normalize("NFD", text), full_width):
        if draw(st.booleans()):
            written = change(written)
    return draw(st.sampled_from(["", "#", " #", "＃", " "])) + written + draw(st.sampled_from(["", " ", "\t", "/"]))


@given(st.data(), _LEVELS)
def test_any_spelling_of_a_tag_finds_what_any_other_was_given(data: st.DataObject, levels: list[list[str]]) -> None:
    """Case, Unicode form, width, outer blanks, a leading `#`, and what separates words don't count; parents find it."""
    tag, other = data.draw(spellings(levels)), data.draw(spellings(levels))
    depth = data.draw(st.integers(1, len(levels)))
    parent = data.draw(spellings(levels[:depth]))

    assert tag_form(tag) == tag_form(other)
    assert Filters(at=now(), tags=(other, parent)).has_tags([tag])
    assert Filters(at=now(), any_tags=("none of them", parent)).has_tags([tag])
    assert Filters(at=now(), tags=(other,)).has_tags([parent]) is (tag_form(other) in tag_forms([parent]))


@given(_ANY)
def test_every_text_has_a_form_that_stays_the_same(text: str) -> None:
    """Filters may be made of filters, and no tag is without a form."""
    form = tag_form(text)

    assert form
    assert tag_form(form) == form
    assert tag_forms([text])[-1] == form


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("sales/eu", "sales"), ("eu", "sales/eu"), ("sale", "sales/eu"), ("sales/e", "sales/eu"), ("c", "c++"),
        ("salesforce", "sales force"), ("c", "c#"), ("net", ".net"), ("-", "a"), ("#", "a"), ("sales eu", "sales/eu"),
    ],
)  # fmt: skip
def test_other_tags_are_not_found(asked: str, stored: str) -> None:
    """Not a parent by its child, a part of a word, or a tag that differs in a sign that says something."""
    assert not Filters(at=now(), tags=(asked,)).has_tags([stored])
    assert not Filters(at=now(), any_tags=(asked,)).has_tags([stored])
