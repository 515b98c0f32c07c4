"""A rule is one line of a list, whatever it says."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates import now
from core.interface.memory import Memory
from core.knowledge.rules import RuleScope
from core.records import Artifact
from retrieval.context import format_heading, format_rule, render_sections

_SIGNS = st.text(st.sampled_from("#->`~*|=_ \t\n\r\v\f\x00\x1b\x85\u2028ab1."), min_size=1, max_size=40)
_CONTENT = st.one_of(_SIGNS, st.text(min_size=1, max_size=60)).filter(lambda text: bool(text.strip()))


def rule(**fields: Any) -> Artifact:
    """Return an item that is a rule."""
    moment = now()
    return Artifact(
        id="art_0123456789ab", project_id="default", memory=Memory(context="preference", **fields), fingerprint="",
        happened_at=moment, created_at=moment, updated_at=moment, last_occurred=moment, token_count=1, num_chunks=1,
    )  # fmt: skip


@given(_CONTENT.filter(lambda text: not re.search("[\ud800-\udfff]", text)))
def test_no_content_breaks_out_of_its_line(content: str) -> None:
    """Neither into another line, nor into a heading, quotation or block of code within the list."""
    line = format_rule(rule(content=content, source=content[:2_000]))

    assert line.startswith("- ")
    assert len(line.splitlines()) == 1
    assert not re.match(r"- (#{1,6}(\s|$)|>|```|~~~|<)", line)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("Use tabs.", "Use tabs."),
        ("  Use\n\ttabs.  ", "Use tabs."),
        ("#!/bin/sh stands first.", "#!/bin/sh stands first."),
        ("# Heading", "\\# Heading"),
        ("<h2>Heading</h2>", "\\<h2>Heading</h2>"),
        ("> quoted", "\\> quoted"),
        ("```\ncode\n```", "\\``` code ```"),
        ("`ruff` before each commit", "`ruff` before each commit"),
    ],
)
def test_what_would_begin_a_block_is_escaped_and_nothing_else(content: str, shown: str) -> None:
    """The words stay as they are."""
    assert format_rule(rule(content=content)) == f"- {shown} (art_0123456789ab, manual)\n"


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        ({"source": "team chat"}, "team chat"),
        ({"source": "a\n# b" + "x" * 1_000}, "a # b" + "x" * 35),
        ({"file_path": "/home/ann/rules/house.md"}, "house.md"),
    ],
)
def test_a_rule_names_its_item_and_where_it_came_from(origin: dict[str, str], shown: str) -> None:
    """docs/interface.md `memory_context`: on the same line, at its end, of bounded length."""
    assert format_rule(rule(content="Use tabs.", **origin)) == f"- Use tabs. (art_0123456789ab, {shown})\n"


def test_headings_name_where_rules_apply() -> None:
    """As the context-aware retrieval design writes them; a name is one line of bounded length."""
    assert format_heading(RuleScope("universal")) == "### Universal Rules\n"
    assert format_heading(RuleScope("language", "go")) == "### Go Preferences\n"
    assert format_heading(RuleScope("project", "hydra")) == "### Hydra Decisions\n"
    assert format_heading(RuleScope("project", "a\n# b" + "x" * 2_000)) == f"### A # B{'x' * 55} Decisions\n"


def test_sections_without_rules_are_left_out() -> None:
    """A blank line stands between any two parts."""
    sections = {RuleScope("universal"): ["- One.\n", "- Two.\n"], RuleScope("language", "go"): []}

    assert render_sections(sections, ["(1 more.)"]) == (
        "## Developer Memory\n\n### Universal Rules\n- One.\n- Two.\n\n(1 more.)\n"
    )
    assert render_sections({}, []) == "## Developer Memory\n"
