"""What a user installs: the wheel, beside packages of others that have the names of the checkout's folders."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.calling import answered
from tests.ingest.readers.made_files import pdf
from tests.running_processes import serving
from tests.test_module_names import MODULES

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "ingest" / "readers" / "fixtures"
#: A package of the program: where the service imported it in place of its own, `from core.errors import …` would fail.
OWN = 'OWNER = "the program"\n'
#: Modules that need an extra.
OF_EXTRAS = (
    "remembrancer.ingest.readers.documents.picture",
    "remembrancer.langchain",
    "remembrancer.langgraph",
    "remembrancer.llama_index",
    "remembrancer.openai_agents",
)
EVERYTHING = f"""
import importlib, pkgutil, sys
import remembrancer
for module in pkgutil.walk_packages(remembrancer.__path__, "remembrancer."):
    if module.name not in {OF_EXTRAS!r}:
        importlib.import_module(module.name)
assert not set({MODULES!r}) & set(sys.modules), sys.modules.keys()
from remembrancer.ingest.readers.formats.format import faults, formats
assert faults() == ()
for known in (one for one in formats() if not one.needs):
    module, _, function = known.reader.partition(":")
    assert callable(getattr(importlib.import_module(module, "remembrancer.ingest.readers"), function))
from remembrancer.service.cli import COMMANDS, command_function, import_command, main
for command in COMMANDS:
    assert callable(command_function(import_command(command), "run", command))
print(len(formats()), remembrancer.__file__)
"""
PROGRAM = f"""
import sys, remembrancer
with remembrancer.open() as memory:
    memory.remember("The wheel is round. Ann Lee will send the invoice by 2026-04-01.", author="Ann Lee", wait=True)
    print(memory.recall("wheel").results[0].content.partition(".")[0])
    print(memory.commitments(owner="Ann Lee").items[0].due)
import {", ".join(MODULES)}
print(*sorted({{module.OWNER for module in ({", ".join(MODULES)})}}))
"""
LIGHT = """
import sys, remembrancer.service.cli, remembrancer.service.owner.bridge, remembrancer.ingest.isolation.child
print(*{"pydantic", "numpy", "mcp", "remembrancer._public"} & set(sys.modules))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made as `pip install .` makes it."""
    return built(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The folder of the commands of an environment with the wheel in it, and the dependencies of this one."""
    environment = wheel.parent / "environment"
    venv.create(environment)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(environment)]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--no-compile", wheel], check=True, capture_output=True)
    (packages,) = environment.glob("**/site-packages")
    dependencies = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "dependencies.pth").write_text("\n".join(dependencies), encoding="utf-8")
    for name in MODULES:
        (packages / name).mkdir()
        (packages / name / "__init__.py").write_text(OWN, encoding="utf-8")
    return environment / ("Scripts" if sys.platform == "win32" else "bin")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose owner ends soon after its clients."""
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / ".env").write_text("REMEMBRANCER_OWNER_IDLE=0.1\n", encoding="utf-8")
    return tmp_path / "home"


def built(source: Path, folder: Path, target: str) -> Path:
    """Build a distribution of a source folder."""
    hatchling = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(hatchling, cwd=source, check=True, capture_output=True)
    (made,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return made


def environment_of(home: Path) -> dict[str, str]:
    """The environment of a user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    kept.pop("PYTHONPATH", None)
    return kept | {"REMEMBRANCER_HOME": str(home), "COLUMNS": "200"}


def run(home: Path, program: Path, *arguments: str | Path) -> str:
    """Run a program in a folder that has packages of these names, too; return what it prints."""
    working = home.parent / "program"
    for name in MODULES:
        (working / name).mkdir(parents=True, exist_ok=True)
        (working / name / "__init__.py").write_text(OWN, encoding="utf-8")
    command: Sequence[str | Path] = [program, *arguments]
    environment = environment_of(home)
    done = subprocess.run(
        command, cwd=working, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_one_package(wheel: Path) -> None:
    """And its metadata, whose entry points name modules that it has."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        stub = archive.read("remembrancer/_memory.pyi").decode()
        (points,) = (archive.read(name).decode() for name in names if name.endswith("entry_points.txt"))
    named = [line.partition(" = ")[2].partition(":")[0] for line in points.splitlines() if " = " in line]

    assert {name.partition("/")[0] for name in names} == {"remembrancer", "remembrancer-0.1.0.dist-info"}
    assert {f"{name.replace('.', '/')}.py" for name in named} <= names
    assert {
        f"remembrancer/{name}" for name in ("py.typed", "web/index.html", "samples/__init__.py", "server.py")
    } <= names
    assert not [name for name in names if "__pycache__" in name]
    assert set(re.findall(r"^from (\w+)\.", stub, re.M)) <= {"remembrancer", "collections"}


def test_every_module_is_imported_from_the_package(installed: Path, home: Path) -> None:
    """Modules, commands and readers."""
    count, where = run(home, installed / "python", "-c", EVERYTHING).split()

    assert int(count) > 30
    assert Path(where).is_relative_to(installed.parent)


def test_the_command_starts_without_the_public_names(installed: Path, home: Path) -> None:
    """They import pydantic, which takes longer than all that `stdio` needs."""
    assert run(home, installed / "python", "-c", LIGHT).split() == []


@pytest.mark.exhaustive
def test_a_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    """Byte for byte: the hook is in it."""
    with tarfile.open(built(ROOT, tmp_path, "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())

    assert built(source, tmp_path / "again", "wheel").read_bytes() == wheel.read_bytes()


@pytest.mark.exhaustive
def test_the_command_runs_the_demo(installed: Path, home: Path) -> None:
    """Weights, corpus and word lists are in the wheel or in its dependencies."""
    shown = run(home, installed / "remembrancer", "demo")

    assert "Remembered 55 items from 17 files" in shown
    assert "because same_actor:Lena Fischer" in shown


def test_a_program_keeps_its_packages(installed: Path, home: Path) -> None:
    """The owner that it starts, and the owner's processes, import those of the installation."""
    said, due, owner = run(home, installed / "python", "-c", PROGRAM).splitlines()

    assert said == "The wheel is round"
    assert due.startswith("2026-04-01")
    assert owner == "the program"


@pytest.mark.exhaustive
@pytest.mark.anyio
async def test_a_client_of_the_command_remembers(installed: Path, home: Path) -> None:
    """`stdio`, with the MCP client."""
    command = str(installed / "remembrancer")
    parameters = StdioServerParameters(command=command, args=["stdio"], env=environment_of(home), cwd=home)
    async with Client(stdio_client(parameters)) as client:
        receipt = await answered(client, "remember", content="The lift is serviced each May.", wait=True)
        found = await answered(client, "recall", query="When is the elevator maintained?")

    assert found["results"][0]["id"] == receipt["id"]


@pytest.mark.exhaustive
def test_the_command_reads_files(installed: Path, home: Path) -> None:
    """Readers run in a process of their own."""
    folder = home.parent / "files"
    folder.mkdir()
    (folder / "note.md").write_text("# Tiles\n\nWe chose the blue tiles.\n", encoding="utf-8")
    (folder / "plan.docx").write_bytes((FIXTURES / "plan.docx").read_bytes())
    (folder / "offer.pdf").write_bytes(pdf(["The offer of the quarry is valid until June."]))
    shown = run(home, installed / "remembrancer", "ingest", folder)
    found = run(home, installed / "remembrancer", "recall", "Until when is the offer valid?")

    assert "3 stored" in shown
    assert "valid until June" in found


@pytest.mark.exhaustive
def test_documented_plugins_work_in_an_installation(installed: Path, home: Path) -> None:
    """The extractor and the reader of docs/plugins.md, as tests run them in a checkout."""
    (packages,) = installed.parent.glob("**/site-packages")
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)).replace("my_recipes:read", "my_plugins:read")
    points = (
        "[remembrancer.extractors]\ntickets = my_plugins:TicketExtractor\n"
        "[remembrancer.readers]\nrecipes = my_plugins:RECIPES\n"
    )
    facts = packages / "my_plugins-1.0.dist-info"
    facts.mkdir()
    (packages / "my_plugins.py").write_text(code, encoding="utf-8")
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: my_plugins\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(points, encoding="utf-8")
    with (home / ".env").open("a", encoding="utf-8") as settings:
        settings.write("REMEMBRANCER_EXTRACTOR=tickets\n")
    book = home.parent / "book.recipes"
    book.write_text("%RECIPES\nTICKET Ann Lee: order the leeks\n%%\nStir the soup.\n", encoding="utf-8")
    shown = run(home, installed / "remembrancer", "ingest", book)
    found = run(home, installed / "remembrancer", "commitments", "--json")

    assert "2 stored" in shown
    assert "order the leeks" in found


@pytest.mark.exhaustive
def test_the_command_serves_the_page(installed: Path, home: Path) -> None:
    """With its style and its scripts."""
    with serving(home, command=str(installed / "remembrancer")) as address:
        page = httpx2.get(f"{address}/")
        script = httpx2.get(f"{address}/page.js")

    assert page.status_code == script.status_code == 200
    assert "<title>" in page.text
