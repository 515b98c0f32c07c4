"""How modules name each other: in `import` statements, which the build hook sees, and never in strings."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hatch_build import with_prefix

ROOT = Path(__file__).parents[1]
WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
    "wheel"
]
MODULES: list[str] = WHEEL["hooks"]["custom"]["modules"]
SOURCES = [path for name in (*MODULES, "remembrancer") for path in (ROOT / name).rglob("*.py")] + [ROOT / "server.py"]
NAME = re.compile(rf"(?:{'|'.join(MODULES)})(?:\.\w+)*")
CODE = re.compile(rf"\b(?:from|import)\s+(?:{'|'.join(MODULES)})\b(?:\s+import\b|\.|;|$)")
#: Functions whose argument is the name of a module.
TAKING_NAMES = {"__import__", "as_file", "files", "find_spec", "import_module", "path", "resolve_name", "run_module"}


def is_module(name: str) -> bool:
    """Whether a dotted name, with or without a name in the module, is one of our modules."""
    path = ROOT.joinpath(*name.split("."))
    return any(found.is_dir() or found.with_suffix(".py").is_file() for found in (path, path.parent) if found != ROOT)


def documentation(tree: ast.AST) -> set[int]:
    """Return the ids of the strings that are statements: docstrings, which no code reads as names."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def names_in_strings(tree: ast.AST) -> Iterator[str]:
    """Yield the strings of a module in which one of our modules is named."""
    documented = documentation(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in TAKING_NAMES:
            for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(given, ast.Constant) and NAME.fullmatch(str(given.value).partition(":")[0]):
                    yield str(given.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            name = node.value.partition(":")[0]
            if CODE.search(node.value) or ("." in name and NAME.fullmatch(name) and is_module(name)):
                yield node.value


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("importlib.import_module('server')", "server"),
        ("files('samples')", "samples"),
        ("find_spec(name='core')", "core"),
        ("COMMANDS = {'demo': ('service.commands.demo', 'a line')}", "service.commands.demo"),
        (
            "Format('csv', reader='ingest.readers.tables:read_delimited_text')",
            "ingest.readers.tables:read_delimited_text",
        ),
        ("kind = 'core.errors.NotFound'", "core.errors.NotFound"),
        (
            "PROGRAM = 'import sys; from service.cli import main; main()'",
            "import sys; from service.cli import main; main()",
        ),
        ("PROGRAM = f'import core; core.run({name})'", "import core; core.run("),
    ],
)
def test_a_name_in_a_string_is_found(source: str, named: str) -> None:
    """Whether the string is passed on, looked up in a table or run by another process."""
    assert list(names_in_strings(ast.parse(source))) == [named]


@pytest.mark.parametrize(
    "source",
    [
        "part = 'graph'",
        "text = 'Take everything from service to web.'",
        "address = 'web.example.com'",
        "PROGRAM = f'from {__package__}.child import serve'",
        "import_module('.commands.demo', __package__)",
        'def of():\n    """Return what `core.errors` has."""',
    ],
)
def test_words_and_relative_names_are_not(source: str) -> None:
    """A part of a memory may be called as a package is."""
    assert list(names_in_strings(ast.parse(source))) == []


def test_no_string_names_a_module() -> None:
    """Name it relative to `__package__`: an installation has a prefix (docs/decisions/one-installed-package.md)."""
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in SOURCES
        if (names := list(names_in_strings(ast.parse(path.read_text(encoding="utf-8")))))
    }

    assert found == {}


@pytest.mark.parametrize(
    ("written", "rewritten"),
    [
        ("from core.errors import NotFound", "from remembrancer.core.errors import NotFound"),
        ("from service import __version__", "from remembrancer.service import __version__"),
        ("from web import (\n    a,  # from core\n)\n", "from remembrancer.web import (\n    a,  # from core\n)\n"),
        ("def f():\n    from core import a; return a", "def f():\n    from remembrancer.core import a; return a"),
        ("from core \\\n    import a", "from remembrancer.core \\\n    import a"),
        ("import core.errors as e", "import remembrancer.core.errors as e"),
        ("import server", "import remembrancer.server as server"),
        ("import os, web as w, core", "import os; import remembrancer.web as w; import remembrancer.core as core"),
        ("if x: import core.a", "if x: import remembrancer.core.a; from remembrancer import core"),
        ("'ä'; import server; 'core'", "'ä'; import remembrancer.server as server; 'core'"),
        ("'''\nfrom core import a\n'''", "'''\nfrom core import a\n'''"),
        ("from .core import a", "from .core import a"),
        ("import servers, corelib\nfrom webs import b", "import servers, corelib\nfrom webs import b"),
        ("from remembrancer import core", "from remembrancer import core"),
        ("def f():\n    yield from core", "def f():\n    yield from core"),
        ("a = 1\r\nfrom core import a\r\n", "a = 1\r\nfrom remembrancer.core import a\r\n"),
    ],
)  # fmt: skip
def test_imports_are_rewritten_and_nothing_else(written: str, rewritten: str) -> None:
    """Each binds the same names as before, on the same line."""
    assert with_prefix(written.encode(), MODULES).decode() == rewritten


@pytest.mark.parametrize("written", ["from  core import a", "import core . a", "import \\\n core"])
def test_an_import_that_cannot_be_rewritten_ends_the_build(written: str) -> None:
    """It would be found by nobody before a user starts the command."""
    with pytest.raises(ValueError, match="Write this import as"):
        with_prefix(written.encode(), MODULES)
