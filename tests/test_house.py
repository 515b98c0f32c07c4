"""The house rules that no linter knows: who imports which library, sizes and names."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("remembrancer", "core", "graph", "retrieval", "ingest", "service")
SOURCES = [
    *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")),
    ROOT / "server.py",
]
#: Who may import what the name stands for; everything else asks them. Chroma's own database is rewritten without what
#: was forgotten by the one file that opens Chroma.
DOORS: dict[str, str | tuple[str, ...]] = {
    "sqlite3": (
        "graph/sqlite_store/",
        "retrieval/vectors/embedded.py",
        "ingest/intake/known_files.py",
        "service/connect/session_log.py",
    ),
    "chromadb": "retrieval/vectors/",
    "neo4j": "graph/neo4j_store/",
    "snowballstemmer": "graph/text/tokens.py",
    "httpx": ("retrieval/vectors/server.py", "service/http/issuer.py", "service/commands/exchange.py"),
    "openai": ("retrieval/models/openai_embedder.py", "ingest/extract/openai/"),
    "onnxruntime": "retrieval/models/local_embedder.py",
    "mcp": (
        "service/server.py",
        "service/tools/",
        "service/owner/sessions.py",
        "service/http/issuer.py",
        "service/http/sign_in",
    ),
    "remembrancer": "remembrancer/",
}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(("module", "door"), DOORS.items())
def test_each_library_has_one_door(module: str, door: str | tuple[str, ...]) -> None:
    """CONTRIBUTING.md: a library that holds state is imported in one place."""
    pattern = re.compile(rf"^\s*(?:import|from) {module}\b", re.MULTILINE)

    users = {relative(path) for path in SOURCES if pattern.search(path.read_text(encoding="utf-8"))}

    assert users
    assert all(user.startswith(door) for user in users), users


def test_only_the_settings_read_the_environment() -> None:
    """CONTRIBUTING.md: one file reads the environment, for the settings and for a bridge, which is quick."""
    readers = [relative(path) for path in SOURCES if re.search(r"\benviron\b|getenv", path.read_text(encoding="utf-8"))]

    assert [reader for reader in readers if reader != "service/owner/home_config.py"] == []


def test_waits_have_deadlines() -> None:
    """Threads are waited for without one only where each call that they make has its own."""
    endless = re.compile(r"\.(?:acquire|communicate|join|wait)\(\)")
    waiting = {relative(path) for path in SOURCES if endless.search(path.read_text(encoding="utf-8"))}

    assert waiting <= {"core/openai_usage.py", "graph/lease.py", "ingest/worker.py"}


def test_imports_inside_functions_stand_only_where_engines_are_chosen() -> None:
    """CONTRIBUTING.md: late imports in the wiring, in the two files that open Chroma, where extraction begins, where a
    Python program opens a memory, of networkx, in the expansion, the paths and the merge decisions, which few calls
    need, of httpx for the keys of an issuer, which few servers have, and of what guesses encodings."""
    late = set()
    for path in SOURCES:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                late |= {relative(path) for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)}

    vectors = {"retrieval/vectors/embedded.py", "retrieval/vectors/server.py"}
    few_need = {"service/http/issuer.py", "ingest/readers/encodings.py"}
    networkx = {"retrieval/answers/expansion.py", "retrieval/answers/paths.py", "core/knowledge/identities.py"}
    assert late <= {"service/wiring.py", "ingest/worker.py", "remembrancer/_open.py", *networkx, *vectors, *few_need}


def test_modules_and_functions_keep_their_size() -> None:
    """CONTRIBUTING.md: modules at most 700 lines, no function over 100."""
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 700, relative(path)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                assert length <= 100, f"{relative(path)}:{node.name}"


def test_names_carry_no_versions() -> None:
    """CONTRIBUTING.md: no version, `new`, `old` or `legacy` in a name."""
    pattern = re.compile(r"\bdef \w*(_v\d+|_new|_old|_legacy)\b|\bclass \w+V\d+\b")

    assert [relative(path) for path in SOURCES if pattern.search(path.read_text(encoding="utf-8"))] == []
