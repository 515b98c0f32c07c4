"""The commands of Anthropic's memory tool (`memory_20250818`) on a folder of notes, such as one that `sync` keeps.

The messages are those of the `anthropic` package (2.14), so that a model meets what it was trained on.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from core.errors import InvalidInput
from graph.atomic_file import write_atomically

_ROOT: Final = "/memories"
_MOST_LINES: Final = 999_999
#: Where deleted files go: a hidden folder, which `sync` and the tool leave alone.
_TRASH: Final = ".trash"


class MemoryTool:
    """Executes the tool's commands. What a model writes becomes memory with the next `remembrancer sync` of the folder.

    Links are not followed out of the folder, and hidden files are neither shown nor written: a folder may be a vault or
    a repository. What is deleted is moved to `.trash` in the folder.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Serve this folder as `/memories`; it is made if it is not there."""
        self._root = Path(folder).expanduser().resolve()
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)

    def to_dict(self) -> dict[str, str]:
        """Return the entry for the list of tools of a request."""
        return {"type": "memory_20250818", "name": "memory"}

    def execute(self, command: object) -> str:
        """Return the result of a command: the tool's input as a mapping, or the package's object for it.

        Raises:
            InvalidInput: the message is the result to send with `is_error`.
            Unavailable: the disk refuses to keep the file.
        """
        given = dict(command) if isinstance(command, Mapping) else dict(vars(command))
        name = str(given.pop("command", ""))
        commands: dict[str, Callable[..., str]] = {
            one.__name__: one
            for one in (self.view, self.create, self.str_replace, self.insert, self.delete, self.rename)
        }
        if name not in commands:
            raise InvalidInput(f"Unknown command: {name}")
        try:
            return commands[name](**given)
        except TypeError as error:
            raise InvalidInput(f"Invalid arguments of {name}: {error}") from error
        except OSError as error:
            raise InvalidInput(f"The command failed: {error.strerror or error}") from error

    def view(self, path: str, view_range: list[int] | None = None) -> str:
        """Return the lines of a file with their numbers, or what is in a folder."""
        place = self._place(path)
        if place.is_dir():
            rows = [f"{_size(place)}\t{path}", *self._rows(place, path.rstrip("/"))]
            header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
            return "\n".join([header, *rows])
        if not place.is_file():
            raise InvalidInput(f"The path {path} does not exist. Please provide a valid path.")
        lines = _text(place, path).split("\n")
        if len(lines) > _MOST_LINES:
            raise InvalidInput(f"File {path} exceeds maximum line limit of 999,999 lines.")
        first, last = 1, len(lines)
        if view_range and len(view_range) == 2:
            first, last = max(1, view_range[0]), last if view_range[1] == -1 else view_range[1]
        shown = _numbered(lines[first - 1 : last], first)
        return "\n".join([f"Here's the content of {path} with line numbers:", *shown])

    def create(self, path: str, file_text: str) -> str:
        """Make a file that is not there yet."""
        place = self._place(path)
        if place.exists():
            raise InvalidInput(f"File {path} already exists")
        self._write(place, file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace a text that is in the file exactly once."""
        place = self._file(path)
        text = _text(place, path)
        begin = text.find(old_str)
        if begin < 0 or not old_str:
            raise InvalidInput(f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
        if text.count(old_str) > 1:
            found = [number for number in range(len(text)) if text.startswith(old_str, number)]
            numbers = ", ".join(str(text[:at].count("\n") + 1) for at in found)
            raise InvalidInput(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {numbers}. "
                "Please ensure it is unique"
            )
        changed = text.replace(old_str, new_str)
        self._write(place, changed)
        line = text.count("\n", 0, begin)
        first = max(0, line - 2)
        snippet = _numbered(changed.split("\n")[first : line + 3], first + 1)
        header = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join([header, *snippet])

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert lines after a line, 0 for the beginning."""
        place = self._file(path)
        lines = _text(place, path).split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        if not 0 <= insert_line <= len(lines):
            raise InvalidInput(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        text = "\n".join(lines)
        self._write(place, text if text.endswith("\n") else f"{text}\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Move a file or folder to the trash."""
        place = self._place(path)
        if place == self._root:
            raise InvalidInput(f"Cannot delete the {_ROOT} directory itself")
        if not place.exists():
            raise InvalidInput(f"The path {path} does not exist")
        target, number = self._root / _TRASH / place.name, 1
        while target.exists():
            number += 1
            target = target.with_name(f"{place.stem} {number}{place.suffix}")
        target.parent.mkdir(exist_ok=True, mode=0o700)
        place.rename(target)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Move a file or folder to a place where nothing is."""
        old, new = self._place(old_path), self._place(new_path)
        if old == self._root:
            raise InvalidInput(f"Cannot rename the {_ROOT} directory itself")
        if new.exists():
            raise InvalidInput(f"The destination {new_path} already exists")
        if not old.exists():
            raise InvalidInput(f"The path {old_path} does not exist")
        new.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        old.rename(new)
        return f"Successfully renamed {old_path} to {new_path}"

    def _place(self, path: str) -> Path:
        """Return where a path of the tool is on the disk."""
        if path != _ROOT and not path.startswith(f"{_ROOT}/"):
            raise InvalidInput(f"Path must start with {_ROOT}, got: {path}")
        try:
            place = (self._root / path[len(_ROOT) :].lstrip("/")).resolve()
        except (ValueError, RuntimeError) as error:
            raise InvalidInput(f"The path {path!r} does not exist. Please provide a valid path.") from error
        if not place.is_relative_to(self._root):
            raise InvalidInput(f"Path {path} would escape {_ROOT} directory")
        if any(part.startswith(".") for part in place.relative_to(self._root).parts):
            raise InvalidInput(f"Path {path} is hidden: choose a name that does not begin with a dot")
        return place

    def _file(self, path: str) -> Path:
        place = self._place(path)
        if not place.exists():
            raise InvalidInput(f"The path {path} does not exist. Please provide a valid path.")
        if not place.is_file():
            raise InvalidInput(f"The path {path} is not a file.")
        return place

    def _rows(self, folder: Path, shown: str, depth: int = 1) -> list[str]:
        """Return a line for each entry of a folder that is not hidden and no link out of it, two levels deep."""
        rows = []
        for one in sorted(folder.iterdir(), key=lambda one: one.name):
            if one.name.startswith(".") or not one.resolve().is_relative_to(self._root):
                continue
            rows.append(f"{_size(one)}\t{shown}/{one.name}{'/' * one.is_dir()}")
            if one.is_dir() and depth == 1:
                rows += self._rows(one, f"{shown}/{one.name}", depth + 1)
        return rows

    def _write(self, place: Path, text: str) -> None:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = place.stat().st_mode & 0o777 if place.exists() else 0o600
        with write_atomically(place) as part:
            part.write_bytes(text.encode("utf-8", "replace"))
            part.chmod(mode)


def _text(place: Path, path: str) -> str:
    try:
        return place.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The file {path} is not UTF-8 text (byte {error.start:,}): save it as UTF-8.") from error


def _numbered(lines: list[str], first: int) -> list[str]:
    return [f"{number:>6}\t{line}" for number, line in enumerate(lines, first)]


def _size(place: Path) -> str:
    """Return a size as the package writes it: 0B, 512B, 1.5K."""
    size: Any = place.stat().st_size
    power = min((int(size).bit_length() - 1) // 10, 3) if size else 0
    value = size / 1024**power
    return f"{int(value) if value == int(value) else round(value, 1)}{'BKMG'[power]}"
