"""The documents say what is there, and nothing that is not."""

import re
from pathlib import Path

from mcp.server.mcpserver.tools import Tool

from server import tools
from service.app import App
from service.cli import COMMANDS
from service.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_setting_is_in_the_readme_with_its_default() -> None:
    """docs/interface.md: every variable listed in the README with its default."""
    for name, field in Settings.model_fields.items():
        rows = [line for line in README.splitlines() if f"`{field.alias}`" in line]
        assert len(rows) == 1, name
        if isinstance(field.default, str):
            assert f"`{field.default}`" in rows[0]


def test_every_variable_in_the_readme_is_a_setting() -> None:
    """A table row without a setting behind it is a lie."""
    listed = set(re.findall(r"`((?:REMEMBRANCER|OPENAI|NEO4J|CHROMA)_[A-Z_]+)`", README))

    assert listed == {field.alias for field in Settings.model_fields.values()}


def test_every_tool_is_in_the_readme(app: App) -> None:
    """The list of tools names each tool and no other."""
    listed = README.partition("Its tools:")[2].partition("## Settings")[0]
    made: list[Tool] = tools(app)

    assert set(re.findall(r"`([a-z_]+)`", listed)) == {tool.name for tool in made}


def test_commands_shown_in_documents_exist() -> None:
    """Every `remembrancer COMMAND` in a document or message is a command."""
    texts = [path.read_text(encoding="utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
    shown = {word for text in texts for word in re.findall(r"(?<![/\w])remembrancer ([a-z]+)\b", text)}

    assert shown - {"is", "process"} <= set(COMMANDS)


def test_paths_named_in_documents_exist() -> None:
    """A newcomer who follows a path finds the file."""
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
        for path in re.findall(
            r"`((?:core|graph|retrieval|ingest|servers|service|tests|samples|docs)/[\w./-]*)`", text
        ):
            assert (ROOT / path).exists(), f"{document.name}: {path}"


def test_the_readme_is_short_and_begins_with_what_it_is() -> None:
    """CONTRIBUTING.md: under 120 lines, what it is in the first lines, the payoff before the install."""
    lines = README.splitlines()

    assert len(lines) < 120
    assert README.index("make demo") < README.index("## Start")
    assert {"make demo", "make test"} <= set(re.findall(r"make \w+", README))
