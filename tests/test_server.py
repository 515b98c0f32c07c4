"""The tools, resources and the prompt, through a real MCP client in the same process, in both protocol eras."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from core.errors import MemoryServiceError
from core.interface.memory import CONTEXTS
from core.interface.results import Recall, Receipt
from service.app import App
from service.server import create_server
from service.tools import validation
from service.tools.operations import tools

pytestmark = pytest.mark.anyio

Answer = dict[str, Any]
#: The tools whose answers have two shapes.
SHAPED = {"remember_many", "recall", "pop", "status", "context_search_stashed", "context_retrieve_stashed"}


@pytest.fixture(params=["auto", "legacy"])
async def client(app: App, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    async with Client(create_server(app), mode=request.param) as connected:
        yield connected


async def call(client: Client, tool: str, **arguments: object) -> Answer:
    """Call a tool that is expected to work, in full; the text content says the same as the structured one."""
    result = await client.call_tool(tool, {"detail": "full"} | arguments if tool in SHAPED else arguments)
    assert not result.is_error, result.content
    assert isinstance(result.content[0], TextContent)
    assert json.loads(result.content[0].text) == result.structured_content
    return dict(result.structured_content or {})


async def refused(client: Client, tool: str, arguments: dict[str, object]) -> Answer:
    """Call a tool that is expected to refuse, check that the server still answers, and return the error."""
    result: CallToolResult = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    error = json.loads(result.content[0].text)
    assert set(error) == {"error", "code"}
    assert (await call(client, "recall", date_from="1970-01-01"))["total_count"] == 0
    return dict(error)


async def test_every_tool_says_what_a_model_needs_to_use_it(client: Client) -> None:
    """docs/interface.md: title, description, annotations, and schemas for arguments and answers that are no plain
    text."""
    answering_in_text = {"faceted_search", "memory_context"}
    tools = (await client.list_tools()).tools

    assert [tool.name for tool in tools] == [
        "remember", "remember_many", "recall", "pop", "forget", "status", "learn",
        "review",
        "context_stash", "context_search_stashed", "context_retrieve_stashed", "faceted_search",
        "decisions", "commitments", "resolve", "explore", "memory_context", "ingest",
    ]  # fmt: skip
    for tool in tools:
        assert tool.title
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is not None
        assert tool.annotations.destructive_hint is not None
        assert tool.annotations.idempotent_hint is not None
        assert tool.input_schema["additionalProperties"] is False
        if tool.name in answering_in_text:
            assert tool.output_schema is None
        else:
            assert tool.output_schema is not None
            assert tool.output_schema["type"] == "object"


async def test_the_arguments_are_those_of_the_contract_with_its_defaults(client: Client) -> None:
    """docs/interface.md: names and defaults are fixed; one that is empty, false or in brief goes without saying."""
    schemas = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}

    assert list(schemas["recall"]) == [
        "query", "id", "context", "limit", "expand", "include_events", "date_from", "date_to", "conversation_id",
        "graph_budget", "graph_filters", "include_entities", "expand_neighbors", "min_importance", "source",
        "sensitivity", "tags", "graph_depth", "offset", "detail", "max_tokens", "text_offset", "include_stashed",
        "as_of", "min_confidence", "project_id",
    ]  # fmt: skip
    assert schemas["recall"]["limit"]["default"] == 10
    assert schemas["recall"]["expand"]["default"] is True
    assert schemas["recall"]["graph_budget"]["default"] == 10
    assert all("default" not in schemas["recall"][name] for name in ("project_id", "detail", "offset", "as_of"))
    defaults = {"context": "document", "source": "manual", "importance": 0.5, "scope": "universal"}
    assert {name: schemas["remember"][name]["default"] for name in defaults} == defaults
    assert set(schemas["forget"]) == {"id", "conversation_id", "confirm", "confirm_count", "dry_run", "project_id"}
    assert set(schemas["status"]) == {"id", "detail", "max_tokens", "project_id"}


@pytest.mark.both_engines
async def test_what_is_remembered_is_found_at_once_by_words_and_by_id(client: Client) -> None:
    """docs/interface.md remember: when the call returns, the item is durable and findable."""
    receipt = await call(client, "remember", content="The spare key hangs behind the boiler.", title="Keys")

    found = await call(client, "recall", query="Where is the spare key?")
    shown = await call(client, "recall", id=receipt["id"])

    assert receipt["status"] == "stored"
    assert receipt["id"].startswith("art_")
    assert receipt["is_chunked"] is False
    assert found["results"][0]["id"] == receipt["id"]
    assert shown["results"][0]["content"] == "The spare key hangs behind the boiler."
    assert shown["results"][0]["metadata"]["title"] == "Keys"
    assert shown["match_type"] == "id"


@pytest.mark.both_engines
async def test_waiting_brings_vectors_and_events(client: Client) -> None:
    """docs/interface.md remember: wait=true returns after both jobs."""
    text = "We decided to heat the hall with a heat pump."
    receipt = await call(client, "remember", content=text, context="meeting", author="Ines Costa", wait=True)

    status = await call(client, "status", id=receipt["id"])
    shown = await call(client, "recall", id=receipt["id"])
    near = await call(client, "recall", query="warming the building")

    assert {kind: job["state"] for kind, job in status["job_status"].items()} == {"embed": "done", "extract": "done"}
    event = shown["results"][0]["events"][0]
    assert event["category"] == "Decision"
    quote = event["evidence"][0]
    assert text[quote["start_char"] : quote["end_char"]] == quote["quote"]
    assert near["results"][0]["id"] == receipt["id"]
    assert near["degraded"] == []


async def test_the_same_thing_twice_is_one_item_and_equal_turns_are_two(client: Client) -> None:
    """docs/interface.md remember: duplicates are answered as such; turns with the same words stay apart."""
    first = await call(client, "remember", content="The bins go out on Tuesday.")
    again = await call(client, "remember", content="The bins go out on Tuesday.")
    turns = [
        await call(
            client, "remember", content="ok", context="conversation", conversation_id="c", turn_index=i, role="user"
        )
        for i in (0, 1)
    ]

    conversation = await call(client, "recall", conversation_id="c")
    frequency = (await call(client, "recall", id=first["id"]))["results"][0]["metadata"]["frequency"]

    assert (first["status"], again["status"], again["id"]) == ("stored", "duplicate", first["id"])
    assert frequency == 2
    assert turns[0]["id"] != turns[1]["id"]
    assert [turn["content"] for turn in conversation["turns"]] == ["ok", "ok"]
    assert conversation["total_turns"] == 2
    assert (conversation["results"], conversation["related"], conversation["entities"]) == ([], [], [])


async def test_a_key_names_its_newest_content_and_revisions_stay_readable(client: Client) -> None:
    """docs/interface.md remember: new content under a key replaces the old, which its own id still reaches."""
    old = await call(client, "remember", content="Wi-Fi password: heron", key="wifi")
    new = await call(client, "remember", content="Wi-Fi password: kingfisher", key="wifi")

    found = await call(client, "recall", query="wifi")
    revision = await call(client, "recall", id=old["id"])

    assert new["status"] == "updated"
    assert found["match_type"] == "exact"
    assert found["results"][0]["content"] == "Wi-Fi password: kingfisher"
    assert found["total_count"] == 1
    assert revision["results"][0]["content"] == "Wi-Fi password: heron"


async def test_projects_see_nothing_of_each_other(client: Client) -> None:
    """docs/interface.md: nothing of one project is visible, countable or deletable from another."""
    receipt = await call(client, "remember", content="The vault code is 4711.", project_id="one")

    found = await call(client, "recall", query="vault code", project_id="two")
    missing = await client.call_tool("recall", {"id": receipt["id"], "project_id": "two"})
    gone = await client.call_tool("forget", {"id": receipt["id"], "confirm": True, "project_id": "two"})

    assert (found["results"], found["total_count"]) == ([], 0)
    assert missing.is_error
    assert gone.is_error
    assert (await call(client, "status", project_id="one"))["counts"]["artifacts"] == 1


@pytest.mark.both_engines
async def test_forgetting_asks_first_counts_truly_and_leaves_nothing(client: Client) -> None:
    """docs/interface.md forget: no confirm, no deletion; dry_run counts what the real call deletes."""
    receipt = await call(
        client, "remember", content="Omar Haddad will repaint the fence by 2026-05-01.", context="note", wait=True
    )
    identity = receipt["id"]

    asked = await call(client, "forget", id=identity)
    counted = await call(client, "forget", id=identity, dry_run=True)
    done = await call(client, "forget", id=identity, confirm=True)
    found = await call(client, "recall", query="repaint the fence")
    again = await client.call_tool("forget", {"id": identity, "confirm": True})

    assert (asked["deleted"], counted["deleted"], done["deleted"]) == (False, False, True)
    assert "confirm" in asked["error"]
    assert counted["cascade"] == done["cascade"]
    assert done["cascade"]["chunks"] == 1
    assert done["cascade"]["events"] >= 1
    assert done["cascade"]["entities"] >= 1
    assert found["results"] == []
    assert found["hint"]
    assert again.is_error
    counts = (await call(client, "status"))["counts"]
    assert {name: counts[name] for name in ("artifacts", "chunks", "entities", "events")} == dict.fromkeys(
        ("artifacts", "chunks", "entities", "events"), 0
    )


async def test_events_are_not_forgotten_by_themselves(client: Client) -> None:
    """docs/interface.md forget: derived data names the source to delete instead, word for word."""
    receipt = await call(client, "remember", content="We decided to plant a pear tree.", wait=True)
    event = (await call(client, "recall", id=receipt["id"]))["results"][0]["events"][0]

    answer = await call(client, "forget", id=event["id"], confirm=True)

    assert answer["deleted"] is False
    assert answer["error"] == f"Events are derived data. Delete source artifact '{receipt['id']}' instead."
    assert answer["source_artifact_id"] == receipt["id"]


@pytest.mark.both_engines
async def test_forgetting_over_a_hundred_items_needs_their_number(client: Client) -> None:
    """docs/interface.md forget: a dry run says the number, and `confirm_count` must be it."""
    turns = [
        {"content": f"turn {n}", "context": "conversation", "conversation_id": "c", "turn_index": n} for n in range(101)
    ]
    await call(client, "remember_many", items=turns)
    given = {"conversation_id": "c", "confirm": True}

    counted = await call(client, "forget", conversation_id="c", dry_run=True)
    refused = [await call(client, "forget", **given), await call(client, "forget", **given, confirm_count=100)]
    assert counted["items"] == 101
    assert [answer["deleted"] for answer in refused] == [False, False]
    assert all("confirm_count=101" in answer["error"] for answer in refused)
    assert (await call(client, "status"))["counts"]["artifacts"] == 101

    done = await call(client, "forget", **given, confirm_count=101)
    assert (done["deleted"], done["items"]) == (True, 101)


async def test_a_number_that_is_given_must_be_right(client: Client) -> None:
    """docs/interface.md forget: also where none is needed."""
    receipt = await call(client, "remember", content="We open at nine.")

    assert not (await call(client, "forget", id=receipt["id"], confirm=True, confirm_count=2))["deleted"]
    assert (await call(client, "forget", id=receipt["id"], confirm=True, confirm_count=1))["deleted"]


async def test_the_trail_names_the_client(client: Client, app: App) -> None:
    """docs/operations.md: what the client calls itself, beside `local` or the name of a token."""
    receipt = await call(client, "remember", content="We open at nine.")
    await call(client, "forget", id=receipt["id"], confirm=True)

    [entry] = app.store.audit_trail()
    assert (entry.act, entry.by, entry.ids) == ("forget", "local", (receipt["id"],))
    assert entry.client


@pytest.mark.both_engines
async def test_a_whole_conversation_is_forgotten_at_once(client: Client) -> None:
    """docs/interface.md forget: conversation_id with confirm."""
    for index in range(3):
        await call(
            client, "remember", content=f"turn {index}", context="conversation", conversation_id="c", turn_index=index
        )

    done = await call(client, "forget", conversation_id="c", confirm=True)

    assert (done["deleted"], done["items"]) == (True, 3)
    assert (await call(client, "recall", conversation_id="c"))["total_turns"] == 0


WRONG: list[tuple[str, dict[str, object], str, str]] = [
    ("remember", {}, "invalid_input", "content"),
    ("remember", {"content": ""}, "invalid_input", "content"),
    ("remember", {"content": " \n\t "}, "invalid_input", "content"),
    ("remember", {"content": 7}, "invalid_input", "content"),
    ("remember", {"content": None}, "invalid_input", "content"),
    ("remember", {"content": ["x"]}, "invalid_input", "content"),
    ("remember", {"content": "x" * 10_000_001}, "too_large", "content"),
    ("remember", {"content": "x", "context": "diary"}, "invalid_input", "anti_pattern"),
    ("remember", {"content": "x", "context": 3}, "invalid_input", "context"),
    ("remember", {"content": "x", "context": "conversation"}, "invalid_input", "turn_index"),
    ("remember", {"content": "x", "context": "conversation", "turn_index": 1}, "invalid_input", "conversation_id"),
    ("remember", {"content": "x", "importance": 1.5}, "invalid_input", "importance"),
    ("remember", {"content": "x", "importance": -0.1}, "invalid_input", "importance"),
    ("remember", {"content": "x", "importance": "high"}, "invalid_input", "importance"),
    ("remember", {"content": "x", "importance": True}, "invalid_input", "importance"),
    ("remember", {"content": "x", "tags": [1]}, "invalid_input", "tags"),
    ("remember", {"content": "x", "turn_index": -1}, "invalid_input", "turn_index"),
    ("remember", {"content": "x", "turn_index": 1.5}, "invalid_input", "turn_index"),
    ("remember", {"content": "x", "date": "some Tuesday"}, "invalid_input", "date"),
    ("remember", {"content": "x", "date": "03/05/2026"}, "invalid_input", "date"),
    ("remember", {"content": "x", "date": "2026-02-30"}, "invalid_input", "date"),
    ("remember", {"content": "x", "metadata": "y"}, "invalid_input", "metadata"),
    ("remember", {"content": "x", "metadata": {"a": json.loads("[" * 40 + "]" * 40)}}, "invalid_input", "metadata"),
    ("remember", {"content": "x", "sensitivity": "secret"}, "invalid_input", "sensitivity"),
    ("remember", {"content": "x", "scope": "galaxy"}, "invalid_input", "scope"),
    ("remember", {"content": "x", "wait": "yes"}, "invalid_input", "wait"),
    ("remember", {"content": "x", "project_id": "a b"}, "invalid_input", "project_id"),
    ("remember", {"content": "x", "project_id": "p" * 65}, "invalid_input", "project_id"),
    ("remember", {"content": "x", "titel": "typo"}, "invalid_input", "titel"),
    ("recall", {}, "invalid_input", "Must provide query, id, conversation_id, or context filter"),
    ("recall", {"query": "x"}, "invalid_input", "query"),
    ("recall", {"query": "x" * 5001}, "too_large", "query"),
    ("recall", {"query": 12}, "invalid_input", "query"),
    ("recall", {"query": "ok", "limit": 0}, "invalid_input", "limit"),
    ("recall", {"query": "ok", "limit": "ten"}, "invalid_input", "limit"),
    ("recall", {"query": "ok", "offset": -1}, "invalid_input", "offset"),
    ("recall", {"query": "ok", "graph_budget": 51}, "invalid_input", "graph_budget"),
    ("recall", {"query": "ok", "graph_depth": 4}, "invalid_input", "graph_depth"),
    ("recall", {"query": "ok", "graph_filters": ["Party"]}, "invalid_input", "QualityRisk"),
    ("recall", {"query": "ok", "date_from": "soon"}, "invalid_input", "date_from"),
    ("recall", {"query": "ok", "as_of": "7 parsecs"}, "invalid_input", "as_of"),
    ("recall", {"query": "ok", "context": "diary"}, "invalid_input", "context"),
    ("recall", {"query": "ok", "min_importance": 2}, "invalid_input", "min_importance"),
    ("recall", {"query": "ok", "max_tokens": 0}, "invalid_input", "max_tokens"),
    ("recall", {"query": "ok", "expand": "maybe"}, "invalid_input", "expand"),
    ("recall", {"q": "ok"}, "invalid_input", "'q'"),
    ("recall", {"id": "art_000000000000"}, "not_found", "art_000000000000"),
    ("recall", {"id": "evt_000000000000"}, "not_found", "evt_000000000000"),
    ("recall", {"id": "ent_000000000000"}, "not_found", "ent_000000000000"),
    ("recall", {"id": "nonsense"}, "not_found", "nonsense"),
    ("forget", {}, "invalid_input", "conversation_id"),
    ("forget", {"id": "art_000000000000", "confirm": True}, "not_found", "art_000000000000"),
    ("forget", {"id": "evt_000000000000", "confirm": True}, "not_found", "evt_000000000000"),
    ("forget", {"id": "art_000000000000", "confirm": "sure"}, "invalid_input", "confirm"),
    ("forget", {"conversation_id": "none", "confirm": True}, "not_found", "none"),
    ("status", {"id": "art_000000000000"}, "not_found", "art_000000000000"),
    ("status", {"verbose": True}, "invalid_input", "verbose"),
]


async def test_a_wrong_argument_is_refused_with_what_to_do(client: Client) -> None:
    """docs/interface.md errors: one JSON object with a code, a sentence that names the trouble, and a server that
    lives on."""
    for tool, arguments, code, names in WRONG:
        error = await refused(client, tool, arguments)

        assert error["code"] == code, (tool, str(arguments)[:200], error)
        assert names in error["error"], (tool, str(arguments)[:200], error)


def test_unpaired_surrogates_are_replaced_and_said(app: App) -> None:
    """The text is stored all the same, and the receipt says where it is damaged."""
    named = {tool.name: tool for tool in tools(app)}
    receipt = validation.call(named["remember"], {"content": "half \ud800 of a pair", "tags": ["\udc00x"]})
    found = validation.call(named["recall"], {"query": "\ud800 half of a pair"})

    assert isinstance(receipt, Receipt)
    assert isinstance(found, Recall)
    assert receipt.hint == "content, tags: invalid Unicode was replaced by U+FFFD."
    assert found.results[0].content == "half \ufffd of a pair"


@pytest.mark.parametrize("context", sorted(set(CONTEXTS) - {"conversation"}))
async def test_every_context_is_remembered_and_listed(client: Client, context: str) -> None:
    """docs/interface.md remember: all contexts; docs/interface.md recall mode 4: a context alone lists."""
    receipt = await call(client, "remember", content=f"About {context}.", context=context)

    listed = await call(client, "recall", context=context)

    assert [result["id"] for result in listed["results"]] == [receipt["id"]]
    assert listed["match_type"] == "list"


@pytest.mark.both_engines
async def test_texts_of_every_kind_come_back_unchanged(client: Client) -> None:
    """Never lose a word: what goes in comes out, whatever its signs."""
    texts = [
        "null",
        '["a"]',
        '{"x": 1}',
        "e\u0301 vs é",
        "שלום עולם",
        "一二三 四五六",
        "👩‍👩‍👧 family",
        "a\x00b",
        "x\r\ny\tz  ",
        "12",
    ]
    ids = [(await call(client, "remember", content=text, title=text))["id"] for text in texts]

    shown = [(await call(client, "recall", id=identity))["results"][0] for identity in ids]

    assert [result["content"] for result in shown] == texts
    assert [result["title"] for result in shown] == texts


async def test_a_list_sent_as_json_text_is_read_as_the_list_it_is(client: Client) -> None:
    """Some clients send every list as a string; null stands for an argument that was not given."""
    receipt = await call(client, "remember", content="Tagged.", tags='["red", "blue"]', title=None, importance=None)

    listed = await call(client, "recall", tags=["blue"])

    assert listed["results"][0]["id"] == receipt["id"]
    assert listed["results"][0]["metadata"]["importance"] == 0.5


async def test_turns_without_a_role_are_listed(client: Client) -> None:
    """docs/interface.md recall mode 2: the answer fits its declared schema, which the client checks, whatever was left
    out."""
    await call(client, "remember", content="hm", context="conversation", conversation_id="c", turn_index=3)

    answer = await call(client, "recall", conversation_id="c")

    assert [(turn["turn_index"], turn["content"]) for turn in answer["turns"]] == [(3, "hm")]


async def test_a_sensitivity_filter_holds_for_what_stands_beside_the_results(client: Client) -> None:
    """docs/interface.md recall: filters act on related events too; nothing highly sensitive leaks through the graph."""
    secret = "Petra Vogel decided to sell the Hamburg plant."
    await call(client, "remember", content=secret, sensitivity="highly_sensitive", wait=True)
    await call(client, "remember", content="Petra Vogel decided to order new chairs.", wait=True)

    careful = await call(client, "recall", query="new chairs", sensitivity="normal")
    open_ = await call(client, "recall", query="new chairs", limit=1, detail="full")

    assert "Hamburg" not in json.dumps(careful)
    assert [event["summary"] for event in open_["related"]] == [secret]


async def test_an_entity_first_named_later_is_not_known_as_of_then(client: Client) -> None:
    """docs/interface.md recall: as_of answers from what was known then, for entities too."""
    receipt = await call(
        client, "remember", content="Petra Vogel decided to order chairs.", date="2026-02-01", wait=True
    )
    entity = (await call(client, "recall", id=receipt["id"]))["entities"][0]["id"]

    before = await client.call_tool("recall", {"id": entity, "as_of": "2026-01-01"})

    assert before.is_error
    assert (await call(client, "recall", id=entity, as_of="2026-03-01"))["results"][0]["id"] == entity


async def test_resources_read_what_the_tools_store(client: Client) -> None:
    """docs/interface.md resources: items, conversations, entities, decisions and commitments by address."""
    decision = await call(
        client, "remember", content="Mara Lind decided to sell the old press.", context="meeting", wait=True
    )
    await call(client, "remember", content="hello", context="conversation", conversation_id="c 1", turn_index=0)
    entities = (await call(client, "recall", id=decision["id"]))["entities"]

    async def read(address: str) -> Any:
        contents = (await client.read_resource(address)).contents
        return json.loads(contents[0].text)  # type: ignore[union-attr] # these resources are all text

    assert (await read(f"memory://default/artifact/{decision['id']}"))["results"][0]["id"] == decision["id"]
    assert (await read("memory://default/conversation/c%201"))["turns"][0]["content"] == "hello"
    assert (await read(f"memory://default/entity/{entities[0]['id']}"))["results"][0]["id"] == entities[0]["id"]
    assert (await read("memory://default/decisions"))["items"][0]["artifact_id"] == decision["id"]
    assert (await read("memory://default/commitments"))["items"] == []


async def test_a_resource_that_is_not_there_is_an_error_that_says_so(client: Client) -> None:
    """An address without an item behind it is refused, and the server lives on."""
    with pytest.raises(Exception, match="Nothing is stored"):
        await client.read_resource("memory://default/artifact/art_000000000000")

    assert (await call(client, "status"))["healthy"] is True


async def test_the_brief_prompt_asks_for_what_is_known_about_the_task(client: Client) -> None:
    """docs/interface.md prompts: `brief`."""
    prompt = await client.get_prompt("brief", {"task": "move the archive"})

    content = prompt.messages[0].content
    assert isinstance(content, TextContent)
    assert "move the archive" in content.text
    assert "recall" in content.text


async def test_prompts_answer_with_quotes_and_their_places(client: Client) -> None:
    """docs/interface.md prompts: `ask` and `profile`; of what is not in memory they say so."""
    said = "Decision: the north quay takes the blue crane. Ann Lee will send the order by 2031-04-01."
    id_ = (await call(client, "remember", content=said, wait=True))["id"]

    texts = {}
    for name, arguments in {
        "ask": {"question": "Which crane does the north quay take?"},
        "profile": {"name": "Ann Lee"},
        "nothing": {"question": "Which crane does the north quay take?", "project_id": "other"},
    }.items():
        prompt = await client.get_prompt(name if name == "profile" else "ask", arguments)
        content = prompt.messages[0].content
        assert isinstance(content, TextContent)
        texts[name] = content.text

    assert "the north quay takes the blue crane" in texts["ask"]
    assert f"{id_} 10-46" in texts["ask"] or f"({id_}" in texts["ask"]
    assert "## Promised" in texts["profile"]
    assert "due 2031-04-01" in texts["profile"]
    assert "Nothing is in memory" in texts["nothing"]


async def test_the_refine_prompt_leads_through_tools_that_there_are(client: Client) -> None:
    """docs/interface.md prompts: `refine`, over a whole project or the files of a folder."""
    texts = []
    for arguments in ({"project_id": "quay"}, {"folder": "/minutes"}):
        content = (await client.get_prompt("refine", arguments)).messages[0].content
        assert isinstance(content, TextContent)
        texts.append(content.text)

    named = set(re.findall(r"\b(?:[Cc]all|recall|learn|review)\b", texts[0])) & {"recall", "learn", "review"}
    assert named <= {tool.name for tool in (await client.list_tools()).tools}
    assert named == {"recall", "learn", "review"}
    assert "project quay." in texts[0]
    assert "project default, only texts whose metadata.file_path lies in /minutes" in texts[1]


@pytest.mark.parametrize(("name", "arguments"), [("elegy", {}), ("brief", {"tasks": "x"})])
async def test_a_wrong_prompt_is_the_clients_error(client: Client, name: str, arguments: dict[str, str]) -> None:
    """docs/interface.md prompts: an unknown name is an error that says so, not one of the server."""
    with pytest.raises(MCPError) as told:
        await client.get_prompt(name, arguments)

    assert told.value.code == INVALID_PARAMS
    assert name in told.value.message


def test_every_error_has_a_code_of_the_contract() -> None:
    """docs/interface.md errors: the six codes and no other."""
    codes = {kind.code for kind in MemoryServiceError.__subclasses__()}

    assert codes == {"invalid_input", "not_found", "too_large", "unavailable", "conflict", "forbidden"}
