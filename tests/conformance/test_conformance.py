"""The official MCP conformance suite and the Inspector's command line against the server, in both protocol eras.

Both run on Node: `make conformance` brings them, in the versions of package-lock.json. Without them the tests are
skipped.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.running_processes import COMMAND, environment, serving

HERE = Path(__file__).parent
#: The commands of the two packages, and Node itself where it is installed with them.
PATH = f"{HERE / 'node_modules' / '.bin'}{os.pathsep}{os.environ.get('PATH', '')}"
#: Oldest Node that both run on.
NODE = (22, 19)

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(240)]
eras = pytest.mark.parametrize("era", ["legacy", "modern"])


def program(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the packages, in a folder where it may write."""
    path = shutil.which(name, path=PATH)
    assert path
    return subprocess.run(
        [path, *arguments],
        env=os.environ | {"PATH": PATH, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.fixture(scope="module", autouse=True)
def _brought() -> None:
    """Go on only where the packages and a Node that runs them are."""
    if not (HERE / "node_modules").is_dir() or not shutil.which("node", path=PATH):
        pytest.skip("The conformance suite is not installed: run `make conformance`, which needs npm")
    version = program("node", "--version").stdout
    if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < NODE:
        pytest.skip(f"The conformance suite needs Node {NODE[0]}.{NODE[1]}, and this is {version.strip()}")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over HTTP with an empty memory."""
    with serving(tmp_path_factory.mktemp("conformance")) as url:
        yield f"{url}/mcp"


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """What tells the Inspector where the server is."""
    if request.param == "http":
        return [request.getfixturevalue("address")]
    settings = environment(tmp_path)
    ours = [f"{name}={value}" for name, value in settings.items() if name.startswith("REMEMBRANCER_")]
    return [COMMAND, "stdio", *(part for setting in ours for part in ("-e", setting))]


def inspect(target: list[str], era: str, method: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return the Inspector's exit code, and the answer that it shows."""
    done = program("mcp-inspector", "--cli", *target, "--protocol-era", era, "--method", method, *arguments)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_server_conforms_to_each_revision_of_the_protocol(address: str, revision: str, tmp_path: Path) -> None:
    """All that the revision requires of a server, but for what expected_failures.yaml lists with its reason."""
    done = program(
        "conformance", "server", "--url", address, "--requirements", revision,
        "--expected-failures", str(HERE / "expected_failures.yaml"), "--output-dir", str(tmp_path),
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[done.stdout.find("=== SUMMARY") :] + done.stderr
    assert "Total:" in done.stdout


@eras
def test_the_inspector_finds_every_schema_portable(address: str, era: str) -> None:
    """`--strict` fails on a schema that some client cannot read."""
    code, answer = inspect([address], era, "tools/list", "--strict")

    assert code == 0
    assert "remember" in {tool["name"] for tool in answer["tools"]}


@eras
def test_the_inspector_remembers_recalls_and_is_told_of_mistakes(target: list[str], era: str) -> None:
    """Exit code 0 for an answer, 5 for an error of a tool, which carries a code."""
    stored, _ = inspect(
        target, era, "tools/call", "--tool-name", "remember", "--tool-arg", "content=The spare key hangs in the porch."
    )
    found, answer = inspect(target, era, "tools/call", "--tool-name", "recall", "--tool-arg", "query=spare key")
    wrong, error = inspect(target, era, "tools/call", "--tool-name", "recall", "--tool-arg", "limit=0")

    assert (stored, found, wrong) == (0, 0, 5)
    assert answer["structuredContent"]["results"][0]["content"] == "The spare key hangs in the porch."
    assert '"code":"invalid_input"' in error["content"][-1]["text"]


@eras
def test_the_inspector_reads_resources_and_the_prompt(target: list[str], era: str) -> None:
    """A resource is JSON, the prompt carries its argument."""
    _, read = inspect(target, era, "resources/read", "--uri", "memory://default/decisions")
    _, prompt = inspect(target, era, "prompts/get", "--prompt-name", "brief", "--prompt-args", "task=move house")

    assert json.loads(read["contents"][0]["text"])["items"] == []
    assert "move house" in prompt["messages"][0]["content"]["text"]
