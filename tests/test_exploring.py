"""`explore` through a real MCP client and from a shell, and `review`, where a person decides who is who."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from service.cli import main

TEXTS = ["Anna Berg approved the plan.", "Anna Stone approved the budget.", "Anna will call by Friday."]
Shell = Callable[..., str]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Run a command on a memory of its own and return what it printed; it must return 0, or `code`."""
    for name in ("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_EXTRACTOR", "REMEMBRANCER_GRAPH", "REMEMBRANCER_VECTORS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(arguments) == code
        printed = capsys.readouterr()
        return printed.out + printed.err

    return run


async def call(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result.content[0], TextContent)
    if result.is_error:
        return dict(json.loads(result.content[0].text))
    return dict(result.structured_content or {})


@pytest.mark.anyio
@pytest.mark.both_engines
async def test_a_model_walks_from_a_name_to_the_words_of_a_decision(client: Client) -> None:
    """docs/interface.md `explore`: nodes, edges and whether there is more; the first node is the one asked for."""
    for text in TEXTS:
        await call(client, "remember", content=text, wait=True)
    found = await call(client, "explore", name="anna berg", depth=2)

    assert {"nodes", "edges", "truncated"} <= found.keys()
    first = found["nodes"][0]
    assert (first["kind"], first["name"], first["type"]) == ("entity", "Anna Berg", "person")
    proofs = [edge["evidence"][0]["quote"] for edge in found["edges"] if edge["type"] == "EVIDENCED_BY"]
    assert TEXTS[0] in proofs
    again = await call(client, "explore", id=first["id"], depth=2, budget=2)
    assert (len(again["nodes"]), again["truncated"], again["nodes"][0]) == (2, True, first)
    assert (await call(client, "explore", id=first["id"], project_id="other"))["code"] == "not_found"
    for wrong in ({}, {"id": first["id"], "name": "Anna"}, {"name": "Anna", "depth": 9}):
        assert (await call(client, "explore", **wrong))["code"] == "invalid_input"


@pytest.mark.anyio
async def test_a_model_asks_how_two_are_connected(client: Client) -> None:
    """The ends come first, each step has its sentence, and a name that nothing has is an error that says what to do."""
    await call(client, "remember", content="Anna Berg and Karl Lund approved the plan.", wait=True)
    found = await call(client, "explore", name="Anna Berg", to="Karl Lund")

    assert [node["name"] for node in found["nodes"][:2]] == ["Anna Berg", "Karl Lund"]
    assert found["paths"]
    assert all(edge["evidence"][0]["quote"].startswith("Anna Berg and") for path in found["paths"] for edge in path)
    assert (await call(client, "explore", name="Anna Berg", to="Nobody"))["code"] == "not_found"
    assert (await call(client, "explore", review=True, to="Karl Lund"))["code"] == "invalid_input"


@pytest.mark.anyio
@pytest.mark.both_engines
async def test_a_model_sees_who_may_be_the_same_and_why(client: Client) -> None:
    """With the words around each name, and how many pairs wait in all."""
    for text in TEXTS:
        await call(client, "remember", content=text, wait=True)
    found = await call(client, "explore", review=True)

    names = {node["id"]: node["name"] for node in found["nodes"]}
    pairs = [sorted((names[edge["source"]], names[edge["target"]])) for edge in found["edges"]]
    assert sorted(pairs) == [["Anna", "Anna Berg"], ["Anna", "Anna Stone"]]
    assert found["total_count"] == 2
    assert {proof["quote"] for edge in found["edges"] for proof in edge["evidence"]} == set(TEXTS)


def test_a_person_decides_from_the_shell_and_takes_it_back(shell: Shell) -> None:
    """What waits is listed with its reason; each merge decision shows at once, by name, and stays in the history."""
    for text in TEXTS:
        shell("remember", text)
    assert "a first name fits the full name" in shell("review")
    shell("review", "--reject", "Anna Stone", "Anna", "--by", "Dana")
    assert json.loads(shell("review", "--pairs", "--json"))["total_count"] == 1
    assert "pair" in {item["kind"] for item in json.loads(shell("review", "--json"))["items"]}

    merged = shell("review", "--accept", "Anna Berg", "Anna", "--by", "Dana", "--note", "she said so")
    assert "was merged into" in merged
    assert "2 mentions" in merged
    assert "Nothing waits" in shell("review", "--pairs")
    around = shell("explore", "Anna Berg", "--depth", "2")
    assert "Anna: decided in a review (art_" in around
    assert "ACTED_IN as owner" in around
    assert "Friday" in around
    assert "1 mentions" in shell("review", "--undo", "Anna Berg", "Anna", "--by", "Bo")
    history = shell("review", "--history")
    assert history.count("by Dana") == 2
    assert "she said so (undone" in " ".join(history.split())
    assert "remembrancer: " in shell("review", "--undo", "Anna Berg", "Anna Stone", code=1)
    assert "Nothing is called 'Nobody'" in shell("explore", "Nobody", code=1)


@pytest.mark.exhaustive
def test_a_person_asks_for_paths_in_the_shell(shell: Shell) -> None:
    """Each step with its direction and its sentence; with --json as the tool answers."""
    shell("remember", "Anna Berg and Karl Lund approved the plan.")
    printed = " ".join(shell("path", "Anna Berg", "Karl Lund").split())
    assert printed.startswith("1. Anna Berg ent_")
    assert "← ACTED_IN as" in printed
    assert "“Anna Berg and Karl Lund approved the plan.”" in printed
    assert len(json.loads(shell("path", "Anna Berg", "Karl Lund", "--json"))["paths"]) >= 1
    assert "Nothing is called 'Nobody'" in shell("path", "Anna Berg", "Nobody", code=1)


@pytest.mark.exhaustive
def test_a_person_writes_the_graph_to_a_file(shell: Shell, tmp_path: Path) -> None:
    """In the format of its ending or the one asked for; a part by id; what can't be written says why."""
    shell("remember", "Anna Berg and Karl Lund approved the plan.")
    assert "as graphml" in shell("graph", "export", "memory.graphml")
    assert "<graphml" in (tmp_path / "memory.graphml").read_text(encoding="utf-8")
    whole = json.loads(shell("graph", "export", "-", "--format", "json").rpartition("Exported")[0])
    [anna] = [node for node in whole["nodes"] if node["name"] == "Anna Berg"]
    shell("graph", "export", "part.cypher", "--id", anna["id"], "--depth", "2")
    assert "MERGE" in (tmp_path / "part.cypher").read_text(encoding="utf-8")
    assert "pass --format graphml, gexf, json, cypher" in shell("graph", "export", "memory.doc", code=1)
    assert "Nothing is stored under id" in shell("graph", "export", "a.json", "--id", "ent_000000000000", code=1)
    assert "Project 'other' is empty" in shell("graph", "export", "a.json", "--project-id", "other", code=1)
    assert not (tmp_path / "a.json").exists()
