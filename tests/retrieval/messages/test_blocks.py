"""Stored text never poses as the tool's own lines."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from core.interface.results import EventView, Recall, RelatedEvent, Result
from core.knowledge.findings import Entity
from retrieval.messages.markdown import fence, format_facts, format_fields, quote_name, quote_or_fence, quote_text
from retrieval.messages.message import render_text

HOSTILE = st.text(st.sampled_from('`~"\\\n\r\u2028\u0085 #-1.aé“”>')).map(lambda text: f"EVIL{text}EVIL")
_FENCE = re.compile(r"^(`{3,})\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def own_lines(text: str) -> str:
    """Return what stands outside fences and quotation marks, as a reader of Markdown sees it."""
    return _QUOTED.sub('""', _FENCE.sub("", text))


@given(text=HOSTILE)
def test_a_fence_holds_exactly_the_text(text: str) -> None:
    """It is longer than any run of backticks in the text, so that nothing in it can close it."""
    block = fence(text)
    begin, body, end = block.split("\n", 1)[0], block.split("\n", 1)[1].rsplit("\n", 1)[0], block.rsplit("\n", 1)[1]
    assert (begin, body) == (end, text)
    assert begin not in text


@given(text=HOSTILE)
def test_a_quoted_text_is_one_line_of_json(text: str) -> None:
    """It can be read back, and no sign in it ends the line."""
    assert len(quote_text(text).splitlines()) == 1
    assert json.loads(quote_text(text)) == text
    assert json.loads(format_fields({"key": text})) == {"key": text}


@given(text=HOSTILE)
def test_nothing_stored_stands_outside_fences_and_quotation_marks(text: str) -> None:
    """docs/interface.md: every other word is the tool's own, but for an author of one word."""
    event = EventView("evt_0", "Decision", text, status="current", quote=f"{text} more")
    related = RelatedEvent("evt_1", "Decision", text, f"same_actor:{text}", "art_1", quote=f"{text} said")
    answer = Recall(
        results=[Result("art_0", text, "note", 0.5, {"tags": [text]}, title=text, author=text, events=[event])],
        related=[related],
        entities=[Entity("ent_0", text, "person")],
        answer_likelihood=0.01,
    )
    assert own_lines(render_text(answer)).count(text if text.isalpha() else "EVIL") == text.isalpha()
    assert render_text(answer).startswith("Probably not in memory")


@given(text=HOSTILE)
def test_only_a_single_word_stands_bare(text: str) -> None:
    """Of what an author is called; a passage has marks around it, on its line if it needs no escapes there."""
    assert quote_name(text) == (text if text.isalpha() else quote_text(text))
    assert quote_name("a" * 31) == quote_text("a" * 31)
    apart = quote_or_fence(text)
    assert apart in {f' "{text}"', f"\n{fence(text)}"}
    assert "EVIL" not in own_lines(apart)


def test_facts_that_are_missing_leave_no_trace() -> None:
    """Neither empty brackets nor an empty object."""
    assert (format_facts([None, ""]), format_facts(["a", None, "b"]), format_fields({})) == ("", " (a, b)", "")
