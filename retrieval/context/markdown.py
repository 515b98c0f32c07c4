"""Developer memory as Markdown, a rule a line with its origin, in which none can pass for a heading or for several."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final

from core.errors import one_line
from core.knowledge.rules import RuleScope
from core.records import Artifact

TITLE: Final = "## Developer Memory\n"
NOTHING: Final = "No rule applies here yet: remember preferences, corrections, anti_patterns or decisions."
#: Longest name in a heading, in characters.
_NAME_LENGTH: Final = 60
#: Longest name of a file or source after a rule, in characters.
_ORIGIN_LENGTH: Final = 40
#: What would begin a heading, a quotation, a block of code or a tag inside the list.
_BLOCK: Final = re.compile(r"#{1,6}(?=\s|$)|>|`{3,}|~{3,}|<")


def format_heading(scope: RuleScope) -> str:
    """Return the heading of a scope's section."""
    if scope.kind == "universal":
        return "### Universal Rules\n"
    name = one_line(scope.name)[:_NAME_LENGTH].title()
    return f"### {name} {'Preferences' if scope.kind == 'language' else 'Decisions'}\n"


def format_rule(artifact: Artifact) -> str:
    """Return a rule as an entry of a list: its text with line breaks and runs of spaces as one space, then its origin.

    The origin is the item's id, and the name of the file or else the source that it came from.
    """
    memory = artifact.memory
    text = one_line(memory.content)
    if memory.context == "anti_pattern" and not text.casefold().startswith("avoid"):
        text = f"Avoid: {text}"
    escape = "\\" if _BLOCK.match(text) else ""
    origin = PurePath(memory.file_path).name if memory.file_path else memory.source
    return f"- {escape}{text} ({artifact.id}, {one_line(origin)[:_ORIGIN_LENGTH]})\n"


def describe_omitted_rules(count: int, cause: str) -> str:
    """Say how many rules apply that are not shown, and which argument would show them."""
    return f"({count:,} more: raise {cause}.)"


def describe_contradicted_rules(count: int) -> str:
    """Say how many rules are not shown because a newer one says otherwise."""
    if count == 1:
        return "(1 older rule that a newer one contradicts is left out.)"
    return f"({count:,} older rules that newer ones contradict are left out.)"


def ask_for_workspace(count: int) -> str:
    """Say that rules wait for somebody to name where they apply."""
    return f"(Project and language are not known: pass them for {count:,} more.)"


def render_sections(sections: Mapping[RuleScope, Sequence[str]], notes: Sequence[str]) -> str:
    """Return the whole text; a section without lines is left out."""
    blocks = [format_heading(scope) + "".join(lines) for scope, lines in sections.items() if lines]
    return "\n".join([TITLE, *blocks, *(f"{note}\n" for note in notes)])
