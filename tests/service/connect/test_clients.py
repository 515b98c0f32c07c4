"""Which file of which client is written, on which system, and in which form (docs/connect.md says where it is from)."""

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from service.connect.clients import CLIENTS, Machine, Program
from service.connect.settings_text import add_entries, parse_settings

HOME = Path("/home/ann")
_ROAMING: Final = {"APPDATA": "/ann/Roaming"}
#: The settings of each client on Linux, macOS and Windows.
FILES: Final[dict[str, tuple[str, str, str]]] = {
    "claude-code": (".claude.json", ".claude.json", ".claude.json"),
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        "/ann/Roaming/Claude/claude_desktop_config.json",
    ),
    "cursor": (".cursor/mcp.json",) * 3,
    "vscode": (
        ".config/Code/User/mcp.json",
        "Library/Application Support/Code/User/mcp.json",
        "/ann/Roaming/Code/User/mcp.json",
    ),
    "codex": (".codex/config.toml",) * 3,
    "gemini": (".gemini/settings.json",) * 3,
    "copilot": (".copilot/mcp-config.json",) * 3,
    "opencode": (".config/opencode/opencode.json",) * 3,
    "cline": (".cline/data/settings/cline_mcp_settings.json",) * 3,
    "hermes": (".hermes/plugins/remembrancer/__init__.py",) * 3,
    "zed": (".config/zed/settings.json", ".config/zed/settings.json", "/ann/Roaming/Zed/settings.json"),
    "windsurf": (".codeium/windsurf/mcp_config.json",) * 3,
}
#: The documented place and the required fields of a server.
FORMS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "claude-code": ("mcpServers", {"type": "stdio"}),
    "claude-desktop": ("mcpServers", {}),
    "cursor": ("mcpServers", {}),
    "vscode": ("servers", {"type": "stdio"}),
    "codex": ("mcp_servers", {}),
    "gemini": ("mcpServers", {}),
    "copilot": ("mcpServers", {"type": "local", "tools": ["*"]}),
    "cline": ("mcpServers", {}),
    "zed": ("context_servers", {"source": "custom"}),
    "windsurf": ("mcpServers", {}),
}


def program(system: str = "linux", home: Path | None = None) -> Program:
    return Program(Path("/opt/my tools/remembrancer"), home, system)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("number", "system"), [(0, "linux"), (1, "darwin"), (2, "win32")])
def test_each_client_keeps_its_settings_where_its_documents_say(client: str, number: int, system: str) -> None:
    """The first file of each client, by system."""
    first = CLIENTS[client].changes(Machine(HOME, system, _ROAMING), program(system))[0]

    assert first.file == HOME / FILES[client][number]


@pytest.mark.parametrize("client", FORMS)
@pytest.mark.parametrize("home", [None, Path("/data/memory")])
def test_each_client_gets_the_documented_form(client: str, home: Path | None) -> None:
    """The server by its absolute path, and the memory's home where it is not the usual one."""
    first = CLIENTS[client].changes(Machine(HOME, "linux", {}), program(home=home))[0]
    key, more = FORMS[client]
    server: dict[str, Any] = {"command": "/opt/my tools/remembrancer", "args": ["stdio"]} | more
    server["env"] = {} if home is None else {"REMEMBRANCER_HOME": "/data/memory"}
    server["env"]["REMEMBRANCER_TOOLS"] = "core"

    assert parse_settings(add_entries("", first), first.format)[key] == {"remembrancer": server}


@pytest.mark.parametrize(
    ("client", "folder"),
    [
        ("codex", ".agents/skills"),
        ("gemini", ".gemini/skills"),
        ("copilot", ".copilot/skills"),
        ("opencode", ".config/opencode/skills"),
        ("cline", ".cline/skills"),
        ("hermes", ".hermes/skills"),
    ],
)
def test_clients_that_read_skills_get_that_of_the_plug_in(client: str, folder: str) -> None:
    """As the format of Agent Skills has it: a folder of the skill's name, two fields, and a text."""
    [skill] = [
        one for one in CLIENTS[client].changes(Machine(HOME, "linux", {}), program()) if one.file.name == "SKILL.md"
    ]
    assert skill.file == HOME / folder / "remembrancer-memory" / "SKILL.md"
    assert skill.content is not None
    head, _, body = skill.content.removeprefix("---\n").partition("\n---\n")
    fields = yaml.safe_load(head)
    assert fields["name"] == skill.file.parent.name
    assert 0 < len(fields["description"]) <= 1024
    mark, _, text = body.strip().partition("\n")
    assert mark == "<!-- Written by `remembrancer connect` -->"
    plugin = (Path(__file__).parents[3] / "plugins/claude-code/skills/memory/SKILL.md").read_text(encoding="utf-8")
    assert text.strip() == plugin.partition("\n---\n")[2].strip()
    assert f"description: {fields['description']}" in plugin


def test_variables_move_the_settings() -> None:
    """Those that the programs read themselves."""
    machine = Machine(
        HOME,
        "linux",
        {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g", "XDG_CONFIG_HOME": "/xdg"},
    )

    files = {client: [str(one.file) for one in CLIENTS[client].changes(machine, program())] for client in CLIENTS}

    assert files["claude-code"] == ["/c/.claude.json", "/c/settings.json"]
    skill = "skills/remembrancer-memory/SKILL.md"
    assert files["codex"] == ["/x/config.toml", "/x/hooks.json", f"/home/ann/.agents/{skill}"]
    assert files["gemini"] == ["/g/.gemini/settings.json", f"/g/.gemini/{skill}"]
    plugin = "/xdg/opencode/plugins/remembrancer.js"
    assert files["opencode"] == ["/xdg/opencode/opencode.json", plugin, f"/xdg/opencode/{skill}"]
    assert (files["zed"], files["vscode"]) == (["/xdg/zed/settings.json"], ["/xdg/Code/User/mcp.json"])


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("linux", "'/opt/my tools/remembrancer' hook session-end --home /m"),
        ("win32", '"/opt/my tools/remembrancer" hook session-end --home /m'),
    ],
)
def test_a_hook_is_a_line_for_the_shell_of_its_system(system: str, line: str) -> None:
    """A path with a blank is one word of it."""
    assert program(system, Path("/m")).hook("session-end") == line


def line(event: str, client: str) -> str:
    return f"'/opt/my tools/remembrancer' hook {event}{'' if client == 'claude-code' else f' --client {client}'}"


@pytest.mark.parametrize(
    ("client", "events", "timeout"),
    [
        ("claude-code", "SessionStart UserPromptSubmit PreCompact SessionEnd", 60),
        ("codex", "SessionStart UserPromptSubmit PreCompact SessionEnd", 60),
        ("gemini", "SessionStart BeforeAgent PreCompress SessionEnd", 60_000),
    ],
)
def test_a_client_with_groups_of_hooks_gets_one_for_each_event(client: str, events: str, timeout: int) -> None:
    """A session's start, but not where it is resumed, its goal, its end, and before it is compacted."""
    changes = CLIENTS[client].changes(Machine(HOME, "linux", {}), program())
    hooks = [one for one in changes if one.content is None][-1]
    data = parse_settings(add_entries("", hooks), "json")["hooks"]

    assert data == {
        event: [
            ({"matcher": "startup|clear|compact"} if event == "SessionStart" and client != "gemini" else {})
            | {"hooks": [{"type": "command", "command": line(answer, client), "timeout": timeout}]}
        ]
        for event, answer in zip(events.split(), ANSWERS, strict=True)
    }


ANSWERS: Final = ("session-start", "prompt", "pre-compact", "session-end")


def test_clients_without_groups_get_hooks_in_a_list() -> None:
    """With the version that both ask for."""
    machine = Machine(HOME, "linux", {})
    cursor = parse_settings(add_entries("", CLIENTS["cursor"].changes(machine, program())[1]), "json")
    copilot = parse_settings(add_entries("", CLIENTS["copilot"].changes(machine, program())[1]), "json")

    events = ("sessionStart", "beforeSubmitPrompt", "preCompact", "sessionEnd")
    hooks = {event: [{"command": line(answer, "cursor")}] for event, answer in zip(events, ANSWERS, strict=True)}
    assert cursor == {"version": 1, "hooks": hooks}
    assert copilot["version"] == 1
    assert copilot["hooks"]["sessionEnd"] == [
        {
            "type": "command",
            "timeoutSec": 60,
            "bash": line("session-end", "copilot"),
            "powershell": line("session-end", "copilot"),
        }
    ]


@pytest.mark.parametrize("client", ["opencode", "cline", "hermes"])
def test_a_plug_in_runs_the_hook_of_this_installation(client: str) -> None:
    """By its absolute path, for its client, with the home that was chosen."""
    changes = CLIENTS[client].changes(Machine(HOME, "linux", {}), program(home=Path("/m")))
    text = next(one.content for one in changes if one.content is not None)

    assert '["/opt/my tools/remembrancer", "hook", "--client", "' + client + '", "--home", "/m"]' in text
    assert "@COMMAND@" not in text
