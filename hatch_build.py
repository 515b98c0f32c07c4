"""Build hook: puts all modules into the wheel under `remembrancer`, and rewrites their imports of each other.

An editable installation has the checkout on its path as it is. Why: docs/decisions/one-installed-package.md.
"""

import ast
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "remembrancer"


class OnePackage(BuildHookInterface[BuilderConfig]):
    """Puts the configured modules under `remembrancer/` in the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Include rewritten copies of the modules, and put the prefix in front of their names in the entry points."""
        if version == "editable":
            return
        self._copies = TemporaryDirectory()
        folder, modules = Path(self._copies.name), self.config["modules"]
        for entry in (Path(self.root, PACKAGE), *(Path(self.root, name) for name in modules)):
            if entry.is_dir():
                target = folder if entry.name == PACKAGE else folder / entry.name
                shutil.copytree(entry, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
            else:
                shutil.copyfile(entry.with_suffix(".py"), folder / f"{entry.name}.py")
        for path in (*folder.rglob("*.py"), *folder.rglob("*.pyi")):
            path.write_bytes(with_prefix(path.read_bytes(), modules))
        build_data["force_include"][str(folder)] = PACKAGE
        for points in (self.metadata.core.scripts, *self.metadata.core.entry_points.values()):
            points.update({name: f"{PACKAGE}.{value}" for name, value in points.items() if root(value) in modules})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - the hook's signature
        """Delete the copies."""
        if version != "editable":
            self._copies.cleanup()


def with_prefix(source: bytes, modules: Collection[str]) -> bytes:
    """Return a module whose imports of these modules name them under `remembrancer`; no line moves.

    Raises:
        ValueError: an import is written in a way that can't be rewritten.
    """
    lines = source.splitlines(keepends=True)
    for node in reversed(list(imports(ast.parse(source), modules))):
        line = lines[node.lineno - 1]
        before, written = line[: node.col_offset], line[node.col_offset :]
        if isinstance(node, ast.ImportFrom):
            start, rewritten = f"from {node.module} ", f"from {PACKAGE}.{node.module} "
        else:
            start, rewritten = ast.unparse(node), "; ".join(_import(alias, modules) for alias in node.names)
        if not written.startswith(start.encode()):
            raise ValueError(f"Write this import as `{start.strip()} …` on one line: {written.decode().strip()}")
        lines[node.lineno - 1] = before + rewritten.encode() + written[len(start.encode()) :]
    return b"".join(lines)


def imports(tree: ast.AST, modules: Collection[str]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the statements that import any of these modules, in their order."""
    for node in sorted((node for node in ast.walk(tree) if isinstance(node, ast.stmt)), key=_place):
        if isinstance(node, ast.ImportFrom):
            named = [] if node.level else [node.module or ""]
        elif isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        else:
            continue
        if any(root(name) in modules for name in named):
            yield node


def root(name: str) -> str:
    """Return the first part of a dotted name, or of an entry point."""
    return name.partition(":")[0].partition(".")[0]


def _place(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _import(alias: ast.alias, modules: Collection[str]) -> str:
    """Return a statement that binds the same name as `import` of this alias does."""
    named = f" as {alias.asname}" if alias.asname else ""
    if root(alias.name) not in modules:
        return f"import {alias.name}{named}"
    if named or "." not in alias.name:
        return f"import {PACKAGE}.{alias.name}{named or f' as {alias.name}'}"
    return f"import {PACKAGE}.{alias.name}; from {PACKAGE} import {root(alias.name)}"
