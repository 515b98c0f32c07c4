"""The folder that somebody works in: its project and programming language, and paths as people write them.

Only file names and a few manifests are read, and links are never followed: the folder is not trusted.

"""

import json
import os
import re
import stat
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from core.interface.question import ContextQuestion
from core.knowledge.rules import UNKNOWN_WORKSPACE, Workspace

#: Largest manifest that is read, in bytes; usual ones have a hundredth of that.
_MANIFEST_BYTES: Final = 256 * 1024
#: Maximum number of file names inspected for the language, and maximum time in seconds.
_ENTRIES, _SECONDS = 5_000, 0.1
#: Maximum number of parent folders searched for the top of a project.
_LEVELS: Final = 32
#: Longest name of a project, in characters.
_NAME_LENGTH: Final = 100
_SKIPPED: Final = frozenset(
    "node_modules venv env dist build target out vendor bower_components __pycache__ site-packages obj coverage".split()
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
#: The header of a table and a name in it, each in one line of at most `_LINE_LENGTH` characters.
_TABLE: Final = re.compile(r"\s*\[([^\[\]]+)\]")
_NAME: Final = re.compile(r"""\s*name\s*=\s*(["'])(.*?)\1""")
_LINE_LENGTH: Final = 1_000
_NAMING_TABLES: Final = frozenset({"project", "tool.poetry", "package"})
_VERSION: Final = re.compile(r"v\d+")
_GO_MODULE: Final = re.compile(r'^\s*module\s+"?([^\s"]+)', re.MULTILINE)
#: The language that a file at the top of a folder indicates.
_MARKERS: Final[Mapping[str, str]] = {
    "pyproject.toml": "python", "setup.py": "python", "setup.cfg": "python", "requirements.txt": "python",
    "Pipfile": "python", "package.json": "javascript", "tsconfig.json": "typescript", "Cargo.toml": "rust",
    "go.mod": "go", "pom.xml": "java", "build.gradle": "java", "build.gradle.kts": "kotlin", "Gemfile": "ruby",
    "composer.json": "php", "mix.exs": "elixir", "Package.swift": "swift", "pubspec.yaml": "dart",
}  # fmt: skip
_EXTENSIONS: Final[Mapping[str, str]] = {
    ".py": "python", ".pyi": "python", ".ipynb": "python", ".js": "javascript", ".jsx": "javascript",
    ".mjs": "javascript", ".cjs": "javascript", ".ts": "typescript", ".tsx": "typescript", ".go": "go", ".rs": "rust",
    ".java": "java", ".kt": "kotlin", ".kts": "kotlin", ".scala": "scala", ".rb": "ruby", ".php": "php",
    ".swift": "swift", ".dart": "dart", ".ex": "elixir", ".exs": "elixir", ".erl": "erlang", ".hs": "haskell",
    ".ml": "ocaml", ".clj": "clojure", ".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hpp": "c++",
    ".cs": "c#", ".fs": "f#", ".lua": "lua", ".jl": "julia", ".r": "r", ".zig": "zig", ".nim": "nim", ".sh": "shell",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Workspaces:
    """The folders that this process may inspect."""

    #: Whether the folders that clients name are on this machine.
    reads: bool = True
    #: The folder used if a client names none.
    own: Path | None = None

    def detect(self, question: ContextQuestion, folders: Sequence[str] = ()) -> Workspace:
        """Return the workspace, or `UNKNOWN_WORKSPACE` if the question does not need it.

        Inspects the folder of the question, else the first of `folders` with a result, else this process's own. Of
        folders on another machine only the name of the first is used.
        """
        if not question.needs_workspace:
            return UNKNOWN_WORKSPACE
        named = folders if question.folder is None else [question.folder]
        if not self.reads:
            return Workspace(project=_name(_last_part(named[0]))) if named else UNKNOWN_WORKSPACE
        places = [Path(folder) for folder in named] or ([] if self.own is None else [self.own])
        return next((place for place in map(detect_workspace, places) if place != UNKNOWN_WORKSPACE), UNKNOWN_WORKSPACE)


def _last_part(folder: str) -> str:
    """Return the last component of a POSIX or Windows path."""
    return next((part for part in reversed(re.split(r"[/\\]+", folder)) if part), "")


def working_folder() -> Path | None:
    """Return the current folder; None if it is no working folder or can't be read."""
    try:
        return project_folder(Path.cwd())
    except OSError:
        return None


def project_folder(folder: Path) -> Path | None:
    """Return the folder; None for the home folder and the root, where programs without a project are started."""
    try:
        here, home = folder.resolve(), Path.home().resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    return None if here in {home, Path(here.anchor)} else here


def detect_workspace(folder: Path) -> Workspace:
    """Return the project and language of `folder`, each None if unknown."""
    try:
        here = folder.resolve()
        if not here.is_absolute() or not here.is_dir():
            return UNKNOWN_WORKSPACE
    except (OSError, RuntimeError, ValueError):
        return UNKNOWN_WORKSPACE
    return Workspace(project=_project(here), language=_language(here))


def _project(folder: Path) -> str | None:
    """Return the name in the nearest manifest up to the top of the repository, else the name of the top folder."""
    top = next((level for level in _upwards(folder) if _exists(level / ".git")), folder)
    for level in _upwards(folder):
        for file, name_in in _MANIFESTS.items():
            text = _read(level / file)
            if text is not None and (name := _name(name_in(text) or "")):
                return name
        if level == top:
            break
    return _name(top.name)


def _upwards(folder: Path) -> Iterator[Path]:
    yield from (folder, *folder.parents[:_LEVELS])


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def _name(name: str) -> str | None:
    """Return a project's name in one line; None if it is empty."""
    return " ".join(_CONTROL.sub(" ", name[:_NAME_LENGTH]).split()) or None


def _read(path: Path) -> str | None:
    """Return the text of a regular file; None for links, pipes, devices, and files that are too large."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return None
    try:
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > _MANIFEST_BYTES:
                return None
            return file.read(_MANIFEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def _of_toml(text: str) -> str | None:
    """Return the `name` in the first table that names the project; it must be on its own line.

    Parsed line by line: the TOML parser of the standard library takes minutes for 200 kB in one dotted key.
    """
    table = ""
    for line in text.splitlines():
        if found := _TABLE.match(line[:_LINE_LENGTH]):
            table = "".join(found[1].split())
        elif table in _NAMING_TABLES and (found := _NAME.match(line[:_LINE_LENGTH])):
            return found[2]
    return None


def _of_package(text: str) -> str | None:
    """Return the name of an npm package without its organisation."""
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return None
    name = package.get("name") if isinstance(package, dict) else None
    return name.rpartition("/")[2] if isinstance(name, str) else None


def _of_go(text: str) -> str | None:
    """Return the last part of a module's path that is not a version."""
    found = _GO_MODULE.search(text)
    parts = [part for part in found[1].split("/") if part and not _VERSION.fullmatch(part)] if found else []
    return parts[-1] if parts else None


_MANIFESTS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "pyproject.toml": _of_toml, "package.json": _of_package, "Cargo.toml": _of_toml, "go.mod": _of_go,
}  # fmt: skip


def _language(folder: Path) -> str | None:
    """Return the language that marker files at the top indicate, else the one of most files, ties by name.

    If the markers indicate several, the one of these with most files.
    """
    marked = {language for marker, language in _MARKERS.items() if _exists(folder / marker)}
    if "typescript" in marked:
        marked.discard("javascript")
    if len(marked) == 1:
        return marked.pop()
    counts = Counter(language for name in _files(folder) if (language := _EXTENSIONS.get(Path(name).suffix.lower())))
    several = {language: counts[language] for language in marked or counts}
    return min(several, key=lambda language: (-several[language], language), default=None)


def _files(folder: Path) -> Iterator[str]:
    """Yield file names, those near the top first; links are neither yielded nor followed."""
    until = time.monotonic() + _SECONDS
    waiting, seen = deque([folder]), 0
    while waiting:
        try:
            with os.scandir(waiting.popleft()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > _ENTRIES or time.monotonic() > until:
                        return
                    if entry.is_file(follow_symlinks=False):
                        yield entry.name
                    elif _is_entered(entry):
                        waiting.append(Path(entry.path))
        except OSError:
            continue


def _is_entered(entry: os.DirEntry[str]) -> bool:
    hidden = entry.name.startswith(".") or entry.name.lower() in _SKIPPED
    return not hidden and entry.is_dir(follow_symlinks=False)


#: What a shell or a model writes around a path.
_AROUND: Final = " \t\r\n'\"`"
#: A blank or sign that is escaped for a shell.
_ESCAPED: Final = re.compile(r"\\(?=[\s()'\"&;\[\]])")


def path_spellings(text: str) -> list[Path]:
    """Return the paths that a text may mean, the most literal first; no file is looked at."""
    plain = text.strip(_AROUND) or text
    found = [text, plain]
    address = urlsplit(plain) if plain[:5].lower() == "file:" else None
    if address is not None and address.netloc in {"", "localhost"}:
        found.append(url2pathname(address.path))
    found += [_ESCAPED.sub("", plain), unquote(plain), plain.replace("\\", "/")]
    return list(dict.fromkeys(path for one in found for path in _expanded(one)))


def resolve_written_path(text: str) -> Path:
    """Return the first path that a text may mean and that exists, else the most literal one."""
    paths = path_spellings(text)
    return next((path for path in paths if _path_exists(path)), paths[0])


def _expanded(text: str) -> list[Path]:
    """Return a path, and its expansion of `~`."""
    path = Path(text)
    try:
        return [path, path.expanduser()]
    except RuntimeError:  # no such user
        return [path]


def _path_exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
