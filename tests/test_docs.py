"""The documents say what is there, and nothing that is not."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.tools import Tool

from core.errors import MemoryServiceError
from service.app import App
from service.cli import COMMANDS
from service.settings import Settings
from service.tools.operations import tools

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
#: The folders of the repository that documents and comments name.
FOLDERS = "remembrancer core graph retrieval ingest service servers tests samples docs evals benchmarks".split()
FOLDER = f"(?:{'|'.join(FOLDERS)})"
INTERFACE = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")


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


def section(heading: str) -> str:
    """Return what docs/interface.md has under a heading, up to the next one of its level or above."""
    level = heading.partition(" ")[0]
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", INTERFACE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/interface.md has no {heading!r}"
    return found[1]


def quoted(text: str) -> set[str]:
    """Return the names between backticks, without defaults and marks."""
    return {name for code in re.findall(r"`([^`]+)`", text) for name in re.findall(r"^[a-z_]+", code)}


def properties(schema: Any) -> Iterator[str]:
    """Yield the names of all fields of a schema, nested ones too."""
    if isinstance(schema, dict):
        if isinstance(fields := schema.get("properties"), dict):
            yield from fields
        for inner in schema.values():
            yield from properties(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from properties(inner)


def test_the_interface_names_each_tool_with_its_parameters_and_result_fields(app: App) -> None:
    """A heading a tool, in any order; `project_id` and the fields of shared shapes are said once for all."""
    shared = quoted(section("## Tools"))
    headings = set(re.findall(r"^### `(\w+)`$", INTERFACE, re.MULTILINE))
    made = {tool.name: tool for tool in tools(app)}

    assert headings == set(made)
    for name, tool in made.items():
        parameters, _, result = section(f"### `{name}`").partition("Result:")
        assert set(tool.parameters["properties"]) - {"project_id"} <= quoted(parameters), name
        fields = set((tool.fn_metadata.output_schema or {}).get("properties", {}))
        if "`decisions`" in result:
            result += section("### `decisions`")
        assert fields <= quoted(result), name
        assert set(properties(tool.fn_metadata.output_schema)) <= shared, name


def test_the_interface_gives_each_parameter_its_default(app: App) -> None:
    """`name=default`, as a call would write it."""
    for tool in tools(app):
        text = section(f"### `{tool.name}`")
        for name, schema in tool.parameters["properties"].items():
            if (default := schema.get("default")) not in (None, []) and name != "project_id":
                assert f"`{name}={json.dumps(default)}`" in text, f"{tool.name}: {name}"


def test_the_interface_names_each_command() -> None:
    """The table of commands has each of them and no other."""
    rows = re.findall(r"^\| (`.+?) \|", section("## Commands"), re.MULTILINE)

    assert {name for row in rows for name in quoted(row)} == set(COMMANDS)


def test_the_interface_names_each_error_code() -> None:
    """The table of errors has each code and no other."""
    codes = set(re.findall(r"^\| `(\w+)` \|", section("### Errors"), re.MULTILINE))

    assert codes == {kind.code for kind in MemoryServiceError.__subclasses__()}


def test_comments_point_to_documents_that_are_here() -> None:
    """A reader finds the document that a comment refers to, and what it names of docs/interface.md."""
    names = quoted(INTERFACE)
    for path in (ROOT / "server.py", *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))):
        text = path.read_text(encoding="utf-8")
        for document in re.findall(r"\bdocs/[\w/-]+\.md\b", text):
            assert (ROOT / document).exists(), f"{path}: {document}"
        assert set(re.findall(r"docs/interface\.md\s+`([a-z_]+)`", text)) <= names, path


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
        for path in re.findall(rf"`({FOLDER}/[\w./-]*)`|(?<![\w/])({FOLDER}/[\w/]+\.py)\b", text):
            assert (ROOT / "".join(path)).exists(), f"{document.name}: {path}"


def test_documents_link_to_each_other_only() -> None:
    """As the pages of a release do, which have no other file of the repository."""
    in_root = {ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")}
    for path in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(r"\]\((?![a-z]+:)([^)#\s]+)", path.read_text(encoding="utf-8")):
            file = (path.parent / target).resolve()
            assert file.exists(), (path, target)
            assert file in in_root or ROOT / "docs" in file.parents, (path, target)


def test_the_architecture_says_where_each_tool_and_command_is(app: App) -> None:
    """Whoever wants to change one finds its row."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = {name for row in re.findall(r"^\| (.+?) \|", text, re.MULTILINE) for name in quoted(row)}

    assert {tool.name for tool in tools(app)} - rows == {"context_search_stashed", "context_retrieve_stashed"}
    assert set(COMMANDS) <= rows


def test_the_readme_is_short_and_begins_with_what_it_is() -> None:
    """CONTRIBUTING.md: under 120 lines, what it is in the first lines, the payoff before the install."""
    lines = README.splitlines()

    assert len(lines) < 120
    assert README.index("make demo") < README.index("## Start")
    assert {"make demo", "make test"} <= set(re.findall(r"make \w+", README))
