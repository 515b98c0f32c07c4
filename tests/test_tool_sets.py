"""The tools that a client is served: all, those of every day, or those that it names."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client

from core.errors import InvalidInput
from core.interface.operations import OPERATION, choose_tools
from service.app import App
from service.owner.home_config import HomeConfig
from service.owner.launcher import stop_owner
from service.server import create_server
from tests.calling import answered
from tests.eventually import eventually
from tests.running_commands import Shell
from tests.running_processes import Bridged, owner

pytestmark = pytest.mark.anyio

CORE = {"remember", "recall", "learn", "decisions", "commitments", "resolve", "explore", "forget", "status"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose owner is gone when the test is over."""
    folder = tmp_path / "home"
    yield folder
    if folder.exists():
        stop_owner(HomeConfig(folder, {}, {}))
        eventually(lambda: owner(folder) is None)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("all", set(OPERATION)),
        ("core", CORE),
        (" Core ", CORE),
        ("core,pop", CORE | {"pop"}),
        ("recall, remember", {"recall", "remember"}),
        ("core,all", set(OPERATION)),
        ("search,fetch", {"search", "fetch"}),
        ("core, search, fetch", CORE | {"search", "fetch"}),
        ("all,fetch", set(OPERATION) | {"fetch"}),
    ],
)
def test_a_value_names_the_tools(value: str, names: set[str]) -> None:
    """In any case, with blanks, several of them."""
    assert set(choose_tools(value)) == names


@pytest.mark.parametrize(("value", "meant"), [("cor", "'core'"), ("recal", "'recall'"), (",", "names of tools")])
def test_an_unknown_value_is_an_error_that_says_what_to_do(
    value: str, meant: str, shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a client is connected, and where settings are read."""
    with pytest.raises(InvalidInput, match=meant):
        choose_tools(value)
    with pytest.raises(SystemExit):
        shell("connect", "cursor", "--tools", value)
    connected = capsys.readouterr()
    monkeypatch.setenv("REMEMBRANCER_TOOLS", value)
    read = shell("status")

    assert meant in connected.err
    assert read.returncode == 1
    assert meant in read.stderr
    assert "REMEMBRANCER_TOOLS" in read.stderr


async def test_the_core_set_is_small_and_speaks_of_itself_alone(app: App) -> None:
    """Under 9,000 characters without the schemas of answers; no description sends a model to a tool that is not there;
    parameters that are not listed are taken all the same."""
    async with Client(create_server(app, "core")) as client:
        listed = (await client.list_tools()).tools
        sent = [
            tool.model_dump(mode="json", by_alias=True, exclude={"output_schema"}, exclude_none=True) for tool in listed
        ]
        stored = await answered(client, "remember", content="The pump is blue.", importance=0.9, project_id="yard")
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        refused = await client.call_tool("pop", {"name": "x"})

    assert {tool.name for tool in listed} == CORE
    assert len(json.dumps(sent)) < 9_000
    named = json.dumps([[tool.description, tool.input_schema] for tool in listed])
    assert not [name for name in set(OPERATION) - CORE - {"ingest", "review"} if name in named]
    assert (stored["project_id"], prompts) == ("yard", {"ask", "brief", "profile"})
    assert refused.is_error
    assert "REMEMBRANCER_TOOLS" in json.dumps(refused.model_dump(mode="json"))


async def test_status_says_which_tools_are_served(app: App) -> None:
    """Of this client, which may differ from the home's."""
    app.tools = "core"
    for chosen, said in (
        (None, "core (9 of 18)"),
        ("all", "all (18 of 18)"),
        ("status", "status (1 of 18)"),
        ("all,search,fetch", "all,search,fetch (20 of 20)"),
    ):
        async with Client(create_server(app, chosen)) as client:
            assert (await answered(client, "status"))["tools"] == said


def test_each_client_of_one_owner_has_the_tools_that_it_asks_for(home: Path) -> None:
    """They are a client's own: no notice, and an unknown value ends the session with the remedy, and no other's."""
    with Bridged(home, REMEMBRANCER_TOOLS="core") as few, Bridged(home) as many:
        told = [client.call("status") for client in (few, many)]
        wrong = Bridged(home, REMEMBRANCER_TOOLS="cord")
        wrong.end()

    assert [one["tools"] for one in told] == ["core (9 of 18)", "all (18 of 18)"]
    assert not [one for one in told if "notice" in one]
    assert "did you mean 'core'?" in wrong.began["error"]["message"]


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_connect_writes_the_core_set_and_keeps_the_one_that_was_chosen(
    client: str, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until another is named; whichever it was, undone there is no file."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    def written() -> str:
        files = [tmp_path / ".claude.json", tmp_path / ".codex" / "config.toml"]
        return " ".join(file.read_text(encoding="utf-8") for file in files if file.exists())

    first = shell("connect", client, "--yes")
    assert '"core"' in written()
    assert "core (9 of 18)" in first.stdout
    shell("connect", client, "--yes", "--tools", "all")
    assert '"all"' in written()
    assert "connected already" in shell("connect", client, "--yes").stdout
    shell("connect", client, "--undo", "--yes")
    assert written() == ""


@pytest.mark.both_engines
async def test_what_one_way_of_setting_aside_stores_the_others_find(client: Client) -> None:
    """A note with context stash, an item set aside, and recall, pop and the tools of the stash over both."""
    note = await answered(client, "remember", content="Half of the hinges are oiled.", context="stash", key="hinges")
    item = await answered(client, "remember", content="The hinge list of the west wing.", key="wing list")
    await answered(client, "context_stash", segment_ids=[item["id"]])
    ids = {note["id"], item["id"]}

    searched = await answered(client, "context_search_stashed", query="hinge")
    read = await answered(client, "context_retrieve_stashed", segment_ids=sorted(ids))
    recalled = [await answered(client, "recall", query=name) for name in ("hinges", "wing list")]
    popped = [await answered(client, "pop", name=name) for name in ("hinges", "wing list")]

    assert {segment["id"] for segment in searched["segments"]} == ids
    assert {segment["tier"] for segment in read["retrieved_segments"]} == {"stashed"}
    assert [one["results"][0]["id"] for one in recalled] == [note["id"], item["id"]]
    assert [(one["results"][0]["id"], one["match_type"]) for one in popped] == [
        (note["id"], "exact"),
        (item["id"], "exact"),
    ]
