"""Secrets stay out by the ways in that need a process of their own: a watched folder, the Python package, the tool
`ingest`, and HTTP.
"""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

import remembrancer
from tests.eventually import eventually
from tests.http_serving import mcp_client
from tests.running_processes import COMMAND, environment, owner, serving, shell, wait_for_line
from tests.test_secrets import PASSWORD, TEXT, TOKEN

pytestmark = pytest.mark.exhaustive
_HTTP = "token-for-http-of-at-least-32-characters"


def by_watching(home: Path, folder: Path) -> str:
    with subprocess.Popen(
        [COMMAND, "ingest", str(folder), "--watch"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=home,
    ) as process:
        wait_for_line(process, b"Watching")
        (folder / "notes.md").write_text(TEXT, encoding="utf-8")
        wait_for_line(process, b"Watching")
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    return printed.decode()


def by_python(home: Path, folder: Path) -> str:
    with remembrancer.open(home) as memory:
        receipt = memory.remember(TEXT, title=TOKEN, metadata={"deep": [TOKEN]}, wait=True)
        many = memory.remember_many([{"content": f"Again: {TEXT}", "tags": [TOKEN]}], wait=True)
    assert receipt.redacted
    return f"{receipt}{many}"


def by_ingest(home: Path, folder: Path) -> str:
    (folder / "notes.md").write_text(TEXT, encoding="utf-8")
    with remembrancer.open(home) as memory:
        return str(memory.ingest(str(folder)))


def by_http(home: Path, folder: Path) -> str:
    async def remember(address: str) -> str:
        async with mcp_client(address, _HTTP) as client:
            answer = await client.call_tool("remember", {"content": TEXT, "title": TOKEN, "wait": True})
            return json.dumps(answer.structured_content)

    with serving(home, REMEMBRANCER_TOKENS=_HTTP) as address:
        return anyio.run(remember, address)


@pytest.mark.parametrize("way", [by_watching, by_python, by_ingest, by_http])
def test_no_secret_is_stored_by(
    way: Callable[[Path, Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report says what was left out; neither record, words, logs nor lists of files have it."""
    home, folder = tmp_path / "home", tmp_path / "given"
    folder.mkdir()
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)

    said = way(home, folder)
    found = shell(home, "recall", "what did Ana Ruiz decide to rotate?", "--json").stdout
    eventually(lambda: owner(home) is None)

    assert "github token" in said
    assert "redacted github token" in found
    assert TOKEN not in found
    assert PASSWORD not in found
    # The vectors' own files are left out: they hold what their library's memory held.
    written = [path.read_bytes() for path in home.rglob("*") if path.is_file() and path.suffix != ".bin"]
    assert [len(data) for data in written if TOKEN.encode() in data or PASSWORD.encode() in data] == []
