"""Machine: whose settings are written, where programs keep theirs on it, and how it calls `remembrancer`."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from core.errors import Conflict, NotFound
from service.owner.home_config import client_variables, home_from_environment


@dataclass(frozen=True, slots=True)
class Machine:
    """A user's home folder, the system as `sys.platform` names it, and variables that move the settings of clients."""

    home: Path
    system: str
    variables: Mapping[str, str]

    @classmethod
    def this(cls) -> Self:
        """Return the machine that this process runs on."""
        return cls(Path.home(), sys.platform, client_variables())

    @property
    def settings(self) -> Path:
        """The folder in which programs with windows keep their settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    def folder(self, variable: str, usual: Path) -> Path:
        """Return the folder that a variable names, `usual` if it is not set."""
        named = self.variables.get(variable)
        return Path(named).expanduser() if named else usual


@dataclass(frozen=True, slots=True)
class Program:
    """The command that clients run: its absolute path, and the memory's home if it is not the usual one."""

    path: Path
    home: Path | None
    system: str

    @classmethod
    def this(cls) -> Self:
        """Return the command of this installation.

        Raises:
            NotFound: it is not installed as a command.
            Conflict: it runs where it may be gone tomorrow.
        """
        folder, name = Path(sys.executable).parent, "remembrancer.exe" if sys.platform == "win32" else "remembrancer"
        called = Path(sys.argv[0]).absolute()
        path = next((path for path in (called, folder / name) if path.name == name and path.is_file()), None)
        if path is None:
            raise NotFound(f"There is no command {name!r} in {str(folder)!r}: install it, as with `uv tool install .`.")
        if "archive-v0" in path.parts:
            raise Conflict(f"{str(path)!r} is in a cache of uv: `uv tool install` the command first.")
        return cls(path, home_from_environment(), sys.platform)

    @property
    def server(self) -> dict[str, object]:
        """The MCP server as most clients describe one."""
        fields: dict[str, object] = {"command": str(self.path), "args": ["stdio"]}
        return fields if self.home is None else fields | {"env": {"REMEMBRANCER_HOME": str(self.home)}}

    def hook(self, event: str) -> str:
        """Return the line of a shell that answers to an event of a client."""
        words = [str(self.path), "hook", event, *([] if self.home is None else ["--home", str(self.home)])]
        if self.system == "win32":
            return " ".join(f'"{word}"' if set(word) & set(' &()^"') else word for word in words)
        return shlex.join(words)
