"""The clients that can be connected: which files have their settings, and what is written into them.

Where each format is described, and which was tried with the client itself: docs/connect.md.
"""

import json
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

    def hook(self, event: str, client: str = "claude-code") -> str:
        """Return the line of a shell that answers to an event of a client."""
        named = [] if client == "claude-code" else ["--client", client]
        words = [str(self.path), "hook", event, *named, *([] if self.home is None else ["--home", str(self.home)])]
        if self.system == "win32":
            return " ".join(f'"{word}"' if set(word) & set(' &()^"') else word for word in words)
        return shlex.join(words)

    def plugin(self, client: str, *files: str) -> str:
        """Return the text of a plug-in of a client, which runs the hook."""
        home = [] if self.home is None else ["--home", str(self.home)]
        command = json.dumps([str(self.path), "hook", "--client", client, *home])
        text = "".join((_PLUGINS / file).read_text(encoding="utf-8") for file in files)
        return text.replace('"@COMMAND@"', command)


_PLUGINS: Final = Path(__file__).parent / "plugins"
#: The variable by which a client says which tools it is served.
TOOLS: Final = "REMEMBRANCER_TOOLS"
Format = Literal["json", "toml", "file"]
#: What the server is called in every client.
NAME: Final = "remembrancer"


@dataclass(frozen=True, slots=True)
class Entry:
    """A value at a path of keys. With a `mark` it is a hook, or a group of hooks, in the list there; ours are the hooks
    whose command is `remembrancer` followed by the mark. One that is no object stays as long as anything else does."""

    path: tuple[str, ...]
    value: object
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What is written into one file of a client."""

    file: Path
    format: Format
    entries: tuple[Entry, ...] = ()
    #: The whole text of a file of our own.
    content: str | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """A client by its title, the changes that connect it, and what to do for it to read them.

    `command` is the program by which it is found on the PATH, and `keeps` says whether its sessions are remembered.
    """

    title: str
    changes: Callable[[Machine, Program], list[Change]]
    then: str
    command: str | None = None
    keeps: bool = False


def _server(program: Program, file: Path, key: str, of: Format = "json", **more: str) -> Change:
    """Return the change that adds the server below a key; `more` are the fields that only this client has."""
    return Change(file, of, (Entry((key, NAME), more | program.server),))


def _skill(folder: Path) -> Change:
    """Return the change that adds the skill, which says when to remember and recall, to a folder of Agent Skills."""
    text = (_PLUGINS / "skill.md").read_text(encoding="utf-8")
    return Change(folder / "skills" / "remembrancer-memory" / "SKILL.md", "file", content=text)


def _groups(program: Program, file: Path, client: str, events: Mapping[str, str], timeout: int = 60) -> Change:
    """Return the change that adds a group of hooks for each event of the client, which runs `remembrancer hook`."""
    entries = []
    for event, answer in events.items():
        # A resumed session has its brief in its transcript.
        group = {"matcher": "startup|clear|compact"} if event == "SessionStart" and timeout == _SECONDS else {}
        run = {"type": "command", "command": program.hook(answer, client), "timeout": timeout}
        entries.append(Entry(("hooks", event), group | {"hooks": [run]}, f" hook {answer}"))
    return Change(file, "json", tuple(entries))


def _hooks(
    program: Program, file: Path, client: str, events: Mapping[str, str], *commands: str, **more: object
) -> Change:
    """Return the change that adds a hook for each event of a client that has no groups; its line is in `commands`."""
    entries = [
        Entry(("hooks", event), more | dict.fromkeys(commands, program.hook(answer, client)), f" hook {answer}")
        for event, answer in events.items()
    ]
    return Change(file, "json", (*entries, Entry(("version",), 1)))


#: The usual timeout of hooks, in seconds.
_SECONDS: Final = 60
_EVENTS: Final = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
_GEMINI_EVENTS: Final = {
    "SessionStart": "session-start",
    "BeforeAgent": "prompt",
    "PreCompress": "pre-compact",
    "SessionEnd": "session-end",
}
_CURSOR_EVENTS: Final = {
    "sessionStart": "session-start",
    "beforeSubmitPrompt": "prompt",
    "preCompact": "pre-compact",
    "sessionEnd": "session-end",
}
_COPILOT_EVENTS: Final = {
    "sessionStart": "session-start",
    "preCompact": "pre-compact",
    "sessionEnd": "session-end",
}


def _claude_code(machine: Machine, program: Program) -> list[Change]:
    folder = machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude")
    moved = "CLAUDE_CONFIG_DIR" in machine.variables
    servers = (folder if moved else machine.home) / ".claude.json"
    hooks = _groups(program, folder / "settings.json", "claude-code", _EVENTS)
    return [_server(program, servers, "mcpServers", type="stdio"), hooks]


def _claude_desktop(machine: Machine, program: Program) -> list[Change]:
    return [_server(program, machine.settings / "Claude" / "claude_desktop_config.json", "mcpServers")]


def _cursor(machine: Machine, program: Program) -> list[Change]:
    folder = machine.home / ".cursor"
    hooks = _hooks(program, folder / "hooks.json", "cursor", _CURSOR_EVENTS, "command")
    return [_server(program, folder / "mcp.json", "mcpServers"), hooks]


def _vscode(machine: Machine, program: Program) -> list[Change]:
    return [_server(program, machine.settings / "Code" / "User" / "mcp.json", "servers", type="stdio")]


def _codex(machine: Machine, program: Program) -> list[Change]:
    folder = machine.folder("CODEX_HOME", machine.home / ".codex")
    servers = _server(program, folder / "config.toml", "mcp_servers", of="toml")
    # Where several clients read skills; Codex has no folder of its own for them.
    return [servers, _groups(program, folder / "hooks.json", "codex", _EVENTS), _skill(machine.home / ".agents")]


def _gemini(machine: Machine, program: Program) -> list[Change]:
    file = machine.folder("GEMINI_CLI_HOME", machine.home) / ".gemini" / "settings.json"
    # Its timeouts are in milliseconds.
    hooks = _groups(program, file, "gemini", _GEMINI_EVENTS, timeout=60_000)
    settings = Change(file, "json", (*_server(program, file, "mcpServers").entries, *hooks.entries))
    return [settings, _skill(file.parent)]


def _copilot(machine: Machine, program: Program) -> list[Change]:
    folder = machine.folder("COPILOT_HOME", machine.home / ".copilot")
    server = {"type": "local", "tools": ["*"]} | program.server
    servers = Change(folder / "mcp-config.json", "json", (Entry(("mcpServers", NAME), server),))
    file = folder / "hooks" / "remembrancer.json"
    hooks = _hooks(program, file, "copilot", _COPILOT_EVENTS, "bash", "powershell", type="command", timeoutSec=_SECONDS)
    return [servers, hooks, _skill(folder)]


def _opencode(machine: Machine, program: Program) -> list[Change]:
    folder = machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"
    file = folder / "opencode.jsonc" if (folder / "opencode.jsonc").exists() else folder / "opencode.json"
    server = {"type": "local", "command": [str(program.path), "stdio"], "environment": program.server["env"]}
    plugin = Change(
        folder / "plugins" / "remembrancer.js", "file", content=program.plugin("opencode", "call.js", "opencode.js")
    )
    return [Change(file, "json", (Entry(("mcp", NAME), server),)), plugin, _skill(folder)]


def _cline(machine: Machine, program: Program) -> list[Change]:
    folder = machine.folder("CLINE_DIR", machine.home / ".cline")
    servers = _server(program, folder / "data" / "settings" / "cline_mcp_settings.json", "mcpServers")
    plugin = Change(
        folder / "plugins" / "remembrancer.js", "file", content=program.plugin("cline", "call.js", "cline.js")
    )
    return [servers, plugin, _skill(folder)]


def _hermes(machine: Machine, program: Program) -> list[Change]:
    home = machine.folder("HERMES_HOME", machine.home / ".hermes")
    folder = home / "plugins" / NAME
    about = (
        "# Written by `remembrancer connect`\n"
        "name: remembrancer\nversion: 1.0.0\ndescription: Long-term memory on this machine, without key and server\n"
    )
    return [
        Change(folder / "__init__.py", "file", content=program.plugin("hermes", "hermes_provider.txt")),
        Change(folder / "plugin.yaml", "file", content=about),
        _skill(home),
    ]


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
    "claude-code": Client(
        "Claude Code",
        _claude_code,
        "Start a new session; /mcp shows the server, /hooks the hooks.",
        "claude",
        keeps=True,
    ),
    "claude-desktop": Client("Claude Desktop", _claude_desktop, _RESTART),
    "cursor": Client(
        "Cursor",
        _cursor,
        "Switch the server on in its settings, under MCP; Hooks shows the hooks.",
        "cursor",
        keeps=True,
    ),
    "vscode": Client("VS Code", _vscode, "Run the command `MCP: List Servers` and start it.", "code"),
    "codex": Client(
        "Codex",
        _codex,
        "Start a new session; `codex mcp list` shows the server, and it asks you to trust the hooks.",
        "codex",
        keeps=True,
    ),
    "gemini": Client(
        "Gemini CLI",
        _gemini,
        "Start a new session in a folder that you trust; /mcp shows the server.",
        "gemini",
        keeps=True,
    ),
    "copilot": Client(
        "Copilot CLI", _copilot, "Start a new session; `copilot mcp list` shows the server.", "copilot", keeps=True
    ),
    "opencode": Client(
        "OpenCode", _opencode, "Start a new session; `opencode mcp list` shows the server.", "opencode", keeps=True
    ),
    "cline": Client("Cline", _cline, "Start a new session; `cline config` shows the server.", "cline", keeps=True),
    "hermes": Client(
        "Hermes",
        _hermes,
        "Run `hermes config set memory.provider remembrancer`; for the tools, with its extra `mcp`, "
        "`hermes mcp add remembrancer --command remembrancer --args stdio`.",
        "hermes",
        keeps=True,
    ),
    "zed": Client("Zed", _zed, "The agent panel's settings show the server.", "zed"),
    "windsurf": Client("Windsurf", _windsurf, "Refresh the servers in Cascade's settings.", "windsurf"),
}
