"""The clients that can be connected: which files have their settings, and what is written into them.

Where each format is described, and which was tried with the client itself: docs/connect.md.
"""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

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
    """The command that clients run: its absolute path, the memory's home if it is not the usual one, and the tools."""

    path: Path
    home: Path | None
    system: str
    tools: str = "core"

    @classmethod
    def this(cls, tools: str = "core") -> Self:
        """Return the command of this installation; `tools` is the value of REMEMBRANCER_TOOLS.

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
        return cls(path, home_from_environment(), sys.platform, tools)

    @property
    def server(self) -> dict[str, object]:
        """The MCP server as most clients describe one."""
        home = {} if self.home is None else {"REMEMBRANCER_HOME": str(self.home)}
        return {"command": str(self.path), "args": ["stdio"], "env": home | {TOOLS: self.tools}}

    def hook(self, event: str) -> str:
        """Return the line of a shell that answers to an event of a client."""
        words = [str(self.path), "hook", event, *([] if self.home is None else ["--home", str(self.home)])]
        if self.system == "win32":
            return " ".join(f'"{word}"' if set(word) & set(' &()^"') else word for word in words)
        return shlex.join(words)


#: The variable by which a client says which tools it is served.
TOOLS: Final = "REMEMBRANCER_TOOLS"
Format = Literal["json", "toml"]
#: What the server is called in every client.
NAME: Final = "remembrancer"


@dataclass(frozen=True, slots=True)
class Entry:
    """A value at a path of keys. With a `mark` it is a group of hooks in the list there; ours are the hooks whose
    command is `remembrancer` followed by the mark."""

    path: tuple[str, ...]
    value: Mapping[str, object]
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What is written into one file of a client."""

    file: Path
    format: Format
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Client:
    """A client by its title, the changes that connect it, and what to do for it to read them."""

    title: str
    changes: Callable[[Machine, Program], list[Change]]
    then: str


def _server(program: Program, file: Path, key: str, of: Format = "json", **more: str) -> Change:
    """Return the change that adds the server below a key; `more` are the fields that only this client has."""
    return Change(file, of, (Entry((key, NAME), more | program.server),))


def _hook(event: str, program: Program, answer: str, timeout: int, **more: str) -> Entry:
    """Return the hook of an event of the client, which runs `remembrancer hook ANSWER`."""
    run = {"type": "command", "command": program.hook(answer), "timeout": timeout}
    return Entry(("hooks", event), more | {"hooks": [run]}, f" hook {answer}")


def _session_hooks(program: Program, file: Path) -> Change:
    """Return the change that adds the hooks of a session's beginning, compaction and end."""
    hooks = (
        # A resumed session has its brief in its transcript.
        _hook("SessionStart", program, "session-start", 60, matcher="startup|clear|compact"),
        _hook("PreCompact", program, "pre-compact", 60),
        _hook("SessionEnd", program, "session-end", 60),
    )
    return Change(file, "json", hooks)


def _claude_code(machine: Machine, program: Program) -> list[Change]:
    folder = machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude")
    moved = "CLAUDE_CONFIG_DIR" in machine.variables
    servers = (folder if moved else machine.home) / ".claude.json"
    return [_server(program, servers, "mcpServers", type="stdio"), _session_hooks(program, folder / "settings.json")]


def _claude_desktop(machine: Machine, program: Program) -> list[Change]:
    return [_server(program, machine.settings / "Claude" / "claude_desktop_config.json", "mcpServers")]


def _cursor(machine: Machine, program: Program) -> list[Change]:
    return [_server(program, machine.home / ".cursor" / "mcp.json", "mcpServers")]


def _vscode(machine: Machine, program: Program) -> list[Change]:
    return [_server(program, machine.settings / "Code" / "User" / "mcp.json", "servers", type="stdio")]


def _codex(machine: Machine, program: Program) -> list[Change]:
    folder = machine.folder("CODEX_HOME", machine.home / ".codex")
    servers = _server(program, folder / "config.toml", "mcp_servers", of="toml")
    return [servers, _session_hooks(program, folder / "hooks.json")]


def _gemini(machine: Machine, program: Program) -> list[Change]:
    file = machine.folder("GEMINI_CLI_HOME", machine.home) / ".gemini" / "settings.json"
    # Its timeouts are in milliseconds.
    start = _hook("SessionStart", program, "session-start", 60_000)
    return [Change(file, "json", (*_server(program, file, "mcpServers").entries, start))]


def _zed(machine: Machine, program: Program) -> list[Change]:
    folder = machine.settings / "Zed" if machine.system == "win32" else machine.home / ".config" / "zed"
    if machine.system not in {"win32", "darwin"}:
        folder = machine.settings / "zed"
    # Releases of 2025 ask for the source, later ones take it.
    return [_server(program, folder / "settings.json", "context_servers", source="custom")]


def _windsurf(machine: Machine, program: Program) -> list[Change]:
    return [_server(program, machine.home / ".codeium" / "windsurf" / "mcp_config.json", "mcpServers")]


_RESTART: Final = "Quit and start it again."
CLIENTS: Final[Mapping[str, Client]] = {
    "claude-code": Client("Claude Code", _claude_code, "Start a new session; /mcp shows the server, /hooks the hooks."),
    "claude-desktop": Client("Claude Desktop", _claude_desktop, _RESTART),
    "cursor": Client("Cursor", _cursor, "Switch the server on in its settings, under MCP."),
    "vscode": Client("VS Code", _vscode, "Run the command `MCP: List Servers` and start it."),
    "codex": Client(
        "Codex", _codex, "Start a new session; `codex mcp list` shows the server, and it asks you to trust the hooks."
    ),
    "gemini": Client("Gemini CLI", _gemini, "Start a new session; /mcp shows the server."),
    "zed": Client("Zed", _zed, "The agent panel's settings show the server."),
    "windsurf": Client("Windsurf", _windsurf, "Refresh the servers in Cascade's settings."),
}
