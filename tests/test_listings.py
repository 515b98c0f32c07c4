"""What stands in catalogues and is installed from there: the plug-in, the bundle, the registry's entry, the image."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import validate

from service import __version__
from service.app import App
from service.cli import COMMANDS
from service.connect.clients import CLIENTS, Machine, Program
from service.connect.settings_text import add_entries, parse_settings
from service.tools.operations import tools
from tests.test_module_names import MODULES

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "plugins" / "claude-code"
_TEXT: Final = {"type": "string", "minLength": 1}
#: What MCPB 0.4 asks of a manifest, as far as ours goes: of these fields no others are known.
BUNDLE: Final = {
    "type": "object",
    "required": ["manifest_version", "name", "version", "description", "author", "server"],
    "additionalProperties": False,
    "properties": {
        "manifest_version": {"const": "0.4"},
        "name": {"pattern": "^[a-z-]+$"},
        "display_name": _TEXT,
        "version": _TEXT,
        "description": _TEXT,
        "author": {"type": "object", "required": ["name"]},
        "license": _TEXT,
        "keywords": {"type": "array", "items": _TEXT},
        "server": {
            "type": "object",
            "required": ["type", "entry_point", "mcp_config"],
            "additionalProperties": False,
            "properties": {
                "type": {"enum": ["python", "node", "binary", "uv"]},
                "entry_point": _TEXT,
                "mcp_config": {
                    "type": "object",
                    "required": ["command"],
                    "additionalProperties": False,
                    "properties": {"command": _TEXT, "args": {"type": "array", "items": _TEXT}},
                },
            },
        },
        "tools_generated": {"type": "boolean"},
        "prompts_generated": {"type": "boolean"},
        "compatibility": {"type": "object"},
    },
}
#: What the MCP registry asks of an entry (2025-12-11), as far as ours goes.
ENTRY: Final = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "properties": {
        "name": {"pattern": r"^[a-z0-9-]+(\.[a-z0-9-]+)+/[a-z0-9-]+$", "maxLength": 200},
        "title": {"maxLength": 100},
        "description": {"minLength": 1, "maxLength": 100},
        "version": {"pattern": r"^\d+\.\d+\.\d+$"},
        "packages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"enum": ["pypi", "oci", "mcpb"]},
                    "version": {"pattern": r"^\d+\.\d+\.\d+$"},
                    "transport": {"const": {"type": "stdio"}},
                },
            },
        },
    },
}


def read(*path: str) -> Any:
    return json.loads(ROOT.joinpath(*path).read_text(encoding="utf-8"))


def test_every_listing_names_this_release() -> None:
    """A catalogue shows what it installs."""
    entry = read("server.json")

    assert read("plugins", "claude-code", ".claude-plugin", "plugin.json")["version"] == __version__
    assert read("plugins", "mcpb", "manifest.json")["version"] == __version__
    assert read("clients", "typescript", "package.json")["version"] == __version__
    assert [entry["version"], *(package["version"] for package in entry["packages"])] == [__version__] * 2


def test_the_manifests_have_the_documented_form() -> None:
    """Those of the bundle and of the registry; the README proves to the registry whose package it is."""
    validate(read("plugins", "mcpb", "manifest.json"), BUNDLE)
    validate(entry := read("server.json"), ENTRY)

    assert f"mcp-name: {entry['name']} " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_plug_in_does_what_connect_writes() -> None:
    """The same server and hooks, but the command is looked for in PATH: nobody knows where it will be installed."""
    machine, program = Machine(Path("/u"), "linux", {}), Program(Path("remembrancer"), None, "linux")
    servers, hooks = CLIENTS["claude-code"].changes(machine, program)

    assert read("plugins", "claude-code", ".mcp.json") == parse_settings(add_entries("", servers), "json")
    assert (
        read("plugins", "claude-code", "hooks", "hooks.json")["hooks"]
        == parse_settings(add_entries("", hooks), "json")["hooks"]
    )


def test_the_marketplace_leads_to_the_plug_in() -> None:
    """`claude plugin marketplace add` of this repository finds it by its name."""
    (listed,) = read(".claude-plugin", "marketplace.json")["plugins"]

    assert (ROOT / listed["source"]).resolve() == PLUGIN
    assert listed["name"] == read("plugins", "claude-code", ".claude-plugin", "plugin.json")["name"]


def test_the_skill_names_tools_that_there_are(app: App) -> None:
    """With a description by which an agent knows when to read it."""
    text = (PLUGIN / "skills" / "memory" / "SKILL.md").read_text(encoding="utf-8")
    front, body = text.removeprefix("---\n").split("---\n", 1)
    named = set(re.findall(r"`([a-z_]+)`", body))
    told = {"title", "author", "date", "key", "scope", "related", "remembrancer"}
    told |= {"events", "category", "quote", "owners", "due"}

    assert re.match(r"name: memory\ndescription: .{50,1000}\n", front)
    assert named - told <= {tool.name for tool in tools(app)}
    assert {"recall", "remember", "decisions", "commitments"} <= named


def test_the_image_for_catalogues_speaks_on_standard_output() -> None:
    """Its memory is a volume; the image that is built without a target serves HTTP."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    catalogue = text.partition(" AS catalogue\n")[2].partition("\nFROM ")[0]

    copied = set(re.findall(r"[\w.]+", " ".join(re.findall(r"^COPY ([^-\n]+) \S+$", text, re.MULTILINE))))
    sent = set(re.findall(r"^!([\w.]+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE))

    assert {"pyproject.toml", "hatch_build.py", "server.py", "remembrancer", *MODULES} - {"server"} <= copied <= sent
    assert 'CMD ["stdio"]' in catalogue
    assert "VOLUME /memory" in catalogue
    assert text.rstrip().endswith('CMD ["serve"]')
    assert {"stdio", "serve"} <= set(COMMANDS)


@pytest.mark.exhaustive
def test_the_bundle_holds_what_the_wheel_is_made_of(tmp_path: Path) -> None:
    """`make mcpb` puts the manifest at the top and the committed sources beside it."""
    if not (ROOT / ".git").exists():
        pytest.skip("the bundle is made of a checkout")
    recipe = re.search(r"git archive .*\\\n.*", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert recipe is not None
    words = recipe[0].replace("\\\n", " ").replace("dist/", f"{tmp_path}/").split()
    subprocess.run(words, cwd=ROOT, check=True)

    with zipfile.ZipFile(tmp_path / "remembrancer.mcpb") as bundle:
        names = set(bundle.namelist())
        manifest = json.loads(bundle.read("manifest.json"))
        bundle.extractall(tmp_path / "bundle")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel"], cwd=tmp_path / "bundle", check=True
    )

    assert manifest["server"]["entry_point"] in names
    assert {"pyproject.toml", "README.md", "LICENSE", "service/cli.py", "retrieval/models/weights/NOTICE"} <= names
