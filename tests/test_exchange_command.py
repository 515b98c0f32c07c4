"""`remembrancer pull` and `push`: two homes, and a home and a hub."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.interface.memory import Memory
from service.app import App
from service.commands import exchange
from tests.contracts.makers import everything
from tests.http_serving import SECRET, http_service, issued
from tests.running_commands import Shell


@pytest.fixture
def token(tmp_path: Path) -> str:
    file = tmp_path / "token"
    file.write_text(SECRET, encoding="utf-8")
    return str(file)


def told(answer: Any) -> dict[str, Any]:
    """Return what a command printed as JSON."""
    assert answer.returncode == 0, answer.stderr
    return dict(json.loads(answer.stdout))


@pytest.mark.both_engines
def test_a_home_and_a_hub_end_equal(app: App, shell: Shell, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Push, then pull, with what was forgotten; in parts, which lose nothing."""
    monkeypatch.setattr(exchange, "_PART", 1)
    shell("remember", "The gate is green.", "--key", "gate")
    shell("remember", "The pump is loud.")
    there = app.remember(Memory(content="The roof is new."), wait=True)
    with http_service(app) as address:
        pushed = told(shell("push", address, "--token-file", token, "--json"))
        gone = app.store.by_key("default", "gate", everything())[0]
        app.store.remove("default", [gone.id])
        pulled = shell("pull", f"{address}/mcp", "--token-file", token)
        again = told(shell("pull", address, "--token-file", token, "--json"))
        found = json.loads(shell("recall", "roof", "--json").stdout)

    assert sum(part["items"].get("stored", 0) for part in pushed["default"]) == 2
    assert "1 items stored, 0 updated, 1 forgotten" in pulled.stdout
    assert (again["default"][0]["items"], again["default"][0]["forgotten"]) == ({}, [])
    assert found["results"][0]["id"] == there.id


def test_a_push_to_a_hub_that_goes_away_is_said_and_taken_up_again(
    app: App, shell: Shell, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What arrived before is kept there, and the same command does the rest."""
    monkeypatch.setattr(exchange, "_PART", 1)
    parts = exchange._parts
    for number in range(4):
        shell("remember", f"Boat {number} is on the slip.")
    with ExitStack() as serving:
        address = serving.enter_context(http_service(app))

        def ending(lines: Iterator[bytes]) -> Iterator[bytes]:
            for number, part in enumerate(parts(lines)):
                if number == 2:
                    serving.close()
                yield part

        with monkeypatch.context() as patched:
            patched.setattr(exchange, "_parts", ending)
            broken = shell("push", address, "--token-file", token)
    assert broken.returncode == 1
    assert "what was taken in is kept, run the command again for the rest" in broken.stderr
    assert 0 < app.store.counts("default").artifacts < 4
    with http_service(app) as address:
        assert shell("push", address, "--token-file", token).returncode == 0
        again = told(shell("push", address, "--token-file", token, "--json"))
    assert app.store.counts("default").artifacts == 4
    assert all(part["items"] == {} for part in again["default"])


def test_two_homes_exchange_chosen_projects(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pull and a push between folders; what is not chosen stays where it is."""
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    monkeypatch.setenv("REMEMBRANCER_HOME", one)
    shell("remember", "The yard is small.", "--project-id", "yard")
    shell("remember", "The house is small.", "--project-id", "house")
    monkeypatch.setenv("REMEMBRANCER_HOME", other)
    shell("remember", "The attic is dry.", "--project-id", "house")
    pulled = shell("pull", one, "--project-id", "yard")
    pushed = told(shell("push", one, "--project-id", "house", "--json"))
    itself = shell("pull", other)

    assert pulled.stdout.startswith("yard: 1 items stored")
    assert pushed["house"][0]["items"] == {"stored": 1}
    assert (itself.returncode, "is this home" in itself.stderr) == (1, True)
    counts = json.loads(shell("status", "--project-id", "house", "--json").stdout)["counts"]
    assert counts["artifacts"] == 1
    monkeypatch.setenv("REMEMBRANCER_HOME", one)
    found = json.loads(shell("recall", "attic", "--project-id", "house", "--json").stdout)
    assert "attic" in found["results"][0]["content"]


def test_who_may_not_is_refused(app: App, shell: Shell, tmp_path: Path) -> None:
    """Without a token, with one of another project, or one that only reads; by address, with the remedy."""
    shell("remember", "The gate is green.")
    app.remember(Memory(content="The roof is new."), wait=True)
    files = {}
    kinds: dict[str, dict[str, Any]] = {"reader": {"read_only": True}, "elsewhere": {"projects": ("yard",)}}
    for name, rights in kinds.items():
        files[name] = tmp_path / name
        files[name].write_text(issued(app.store, name, **rights), encoding="utf-8")
    files["wrong"] = tmp_path / "wrong"
    files["wrong"].write_text("no-token-of-this-hub-at-all-no-token", encoding="utf-8")
    with http_service(app) as address:
        for command, name, options, said in (
            ("push", "reader", (), "read-only"),
            ("pull", "elsewhere", ("--project-id", "default"), "not open to token"),
            ("pull", "wrong", (), "Send a valid token"),
        ):
            answer = shell(command, address, "--token-file", str(files[name]), *options)
            assert answer.returncode == 1
            assert said in answer.stderr, name
        assert shell("pull", address, "--token-file", str(files["reader"])).returncode == 0
        big = httpx.post(
            f"{address}/api/exchange/default", headers={"Authorization": f"Bearer {SECRET}"}, content=b"{}", timeout=30
        )
        other_site = httpx.post(
            f"{address}/api/exchange/default/states",
            headers={"Authorization": f"Bearer {SECRET}", "Origin": "https://evil.example"}, timeout=30,
        )  # fmt: skip
    assert (big.status_code, other_site.status_code) == (400, 403)
    for where, said in (
        ("http://memory.example", "https://"),
        (str(tmp_path / "nowhere"), "does not exist"),
        (str(tmp_path), "no home"),
        (address, "run the command again"),
    ):
        answer = shell("pull", where, "--token-file", str(files["reader"]))
        assert answer.returncode == 1
        assert said in answer.stderr
