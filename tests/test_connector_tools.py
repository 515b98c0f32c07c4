"""`search` and `fetch`, in the shape that ChatGPT's connectors and deep research expect."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.interface.caller import Caller, act_as
from core.interface.memory import Memory
from core.interface.sources import SearchQuestion
from service.actions.sources import search_sources
from service.app import App
from service.server import create_server
from tests.calling import answered

pytestmark = [pytest.mark.anyio, pytest.mark.both_engines]


@pytest.fixture
async def chat(app: App) -> AsyncIterator[Client]:
    """A client that is served the pair alone."""
    async with Client(create_server(app, "search,fetch")) as client:
        yield client


async def called(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Return an answer, which is the only text block as JSON, too."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert json.loads(block.text) == result.structured_content
    return dict(result.structured_content or {})


async def test_the_pair_takes_and_answers_what_the_connectors_document(app: App, chat: Client) -> None:
    """A required query or id, nothing else; results with id, title and url; the text with the metadata given."""
    app.remember(Memory(content="The gate is oiled every spring.", title="Gate", author="Ann Lee"), wait=True)
    app.remember(Memory(content="# Hinges of the gate\n\nThe gate needs new hinges of brass."), wait=True)
    listed = {tool.name: tool for tool in (await chat.list_tools()).tools}
    found = (await called(chat, "search", query="oiled gate"))["results"]
    read = await called(chat, "fetch", id=found[0]["id"])

    inputs = {name: tool.input_schema for name, tool in listed.items()}
    schemas = {name: (set(schema["properties"]), schema["required"]) for name, schema in inputs.items()}
    assert schemas == {"search": ({"query"}, ["query"]), "fetch": ({"id"}, ["id"])}
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in listed.values())
    assert [set(one) for one in found] == [{"id", "title", "url"}] * 2
    assert [one["title"] for one in found] == ["Gate", "Hinges of the gate"]
    assert set(read) == {"id", "title", "text", "url", "metadata"}
    assert (read["title"], read["text"]) == ("Gate", "The gate is oiled every spring.")
    assert read["url"] == found[0]["url"] == f"memory://default/artifact/{read['id']}"
    assert (read["metadata"]["author"], read["metadata"]["context"]) == ("Ann Lee", "document")
    assert all(isinstance(value, str) for value in read["metadata"].values())


async def test_an_address_is_that_of_the_page_where_one_is_served(app: App, chat: Client) -> None:
    """With the project, which the id carries, too."""
    stored = app.remember(Memory(content="The wall is of brick."), "yard", wait=True)
    app.page_address = "https://memory.example"
    found = (await called(chat, "search", query="brick wall", project_id="yard"))["results"][0]
    read = await called(chat, "fetch", id=found["id"])

    assert found["id"] == f"yard/{stored.id}"
    assert read["url"] == found["url"] == f"https://memory.example/#/thing?id={stored.id}&project=yard"


async def test_a_long_text_comes_in_parts_that_lose_nothing(app: App, chat: Client) -> None:
    """Each says where it goes on, and the last one does not."""
    text = "".join(f"Stone {number} of the long wall is grey. " for number in range(7_000)).strip()
    stored = app.remember(Memory(content=text, title="Stones"))
    following: str | None = stored.id
    parts = []
    while following is not None:
        read = await called(chat, "fetch", id=following)
        parts.append(read["text"])
        following = read["metadata"].get("continues")

    assert len(parts) > 1
    assert "".join(parts) == text


async def test_wrong_ids_and_queries_are_said(app: App, chat: Client) -> None:
    """What is wrong and what to use instead."""
    stored = app.remember(Memory(content="A short text."))
    for tool, given, said in (
        ("fetch", {"id": "https://memory.example/x"}, "use one that search answered with"),
        ("fetch", {"id": "art_000000000000"}, "Nothing is stored"),
        ("fetch", {"id": f"{stored.id}@99"}, "past the end"),
        ("search", {"query": " "}, "query"),
        ("fetch", {}, "id is required"),
    ):
        result = await chat.call_tool(tool, given)
        assert result.is_error
        assert said in json.dumps(result.model_dump(mode="json")), tool


async def test_a_token_of_one_project_searches_that(app: App) -> None:
    """ChatGPT names none."""
    app.remember(Memory(content="The pond is deep."), "garden", wait=True)
    with act_as(Caller("phone", frozenset({"garden"}))):
        found = search_sources(app, SearchQuestion(query="deep pond"), "default").results

    assert [one.id.split("/")[0] for one in found] == ["garden"]


async def test_other_tools_go_on_beside_them(app: App) -> None:
    """A server of both kinds of client."""
    async with Client(create_server(app, "core,search,fetch")) as client:
        stored = await answered(client, "remember", content="The roof is of slate.", wait=True)
        found = await called(client, "search", query="slate roof")

    assert found["results"][0]["id"] == stored["id"]
