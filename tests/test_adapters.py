"""Adapters for frameworks, against the real libraries; each part is skipped where its library is not installed."""

import asyncio
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import remembrancer
from core.dates import now
from remembrancer._adapters import StoredMessages
from tests.eventually import eventually
from tests.running_processes import environment, owner


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[remembrancer.Memory]:
    """An empty memory, opened as programs do."""
    home = tmp_path / "home"
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)
    with remembrancer.open(home) as opened:
        yield opened
    eventually(lambda: owner(home) is None)


def library(name: str, extra: str) -> Any:
    return pytest.importorskip(name, reason=f"run `pip install 'remembrancer[{extra}]'`")


def test_a_store_of_langgraph_answers_as_its_own_does(memory: remembrancer.Memory) -> None:
    """In 60 random operations: what is put, replaced, deleted, listed and filtered."""
    library("langgraph.store.base", "langgraph")
    from langgraph.store.memory import InMemoryStore

    from remembrancer.langgraph import RemembrancerStore

    ours, theirs, chance = RemembrancerStore(memory), InMemoryStore(), random.Random(1)
    namespaces = [("users", "ana"), ("users", "bo", "notes"), ("users x", "a/b"), ("Ž", '"quoted"')]
    for number in range(60):
        namespace, key = chance.choice(namespaces), chance.choice(["a", "b", "c d", "{}"])
        if chance.random() < 0.25:
            ours.delete(namespace, key)
            theirs.delete(namespace, key)
        else:
            value = {"text": f"The pump {number % 5} is blue.", "number": number % 7, "inner": {"list": [number]}}
            ours.put(namespace, key, value)
            theirs.put(namespace, key, value)
        mine, other = ours.get(namespace, key), theirs.get(namespace, key)
        assert (mine and mine.value) == (other and other.value)
    for prefix in [(), ("users",), ("users", "bo"), ("nobody",)]:
        for wanted in [None, {"number": 3}, {"number": {"$gte": 2, "$lt": 5}}, {"text": {"$ne": "x"}}]:
            found, expected = (
                {
                    (one.namespace, one.key, one.value["number"])
                    for one in store.search(prefix, filter=wanted, limit=100)
                }
                for store in (ours, theirs)
            )
            assert found == expected
    there = {one.namespace for one in theirs.search((), limit=100)}
    assert set(ours.list_namespaces()) == there
    assert ours.list_namespaces(prefix=("users", "*"), max_depth=1) == [("users",)]
    assert {one.namespace for one in ours.search(("users",), limit=100)} == {one for one in there if one[0] == "users"}


def test_a_store_of_langgraph_is_searched_by_words(memory: remembrancer.Memory) -> None:
    """Within a namespace, by the fields that are to be found; the same by asyncio."""
    library("langgraph.store.base", "langgraph")
    from remembrancer.langgraph import RemembrancerStore

    store = RemembrancerStore(memory)
    store.put(("a",), "1", {"text": "The north quay takes the blue crane.", "note": "zebra"}, index=["text"])
    store.put(("b",), "2", {"text": "The blue crane is rusty."})
    store.put(("a",), "3", {"text": "Lunch is at noon."})

    found = asyncio.run(store.asearch(("a",), query="Which crane does the quay take?", limit=1))

    assert [(one.key, one.namespace) for one in found] == [("1", ("a",))]
    assert found[0].score is not None
    assert found[0].created_at.tzinfo is not None


def test_a_retriever_of_langchain(memory: remembrancer.Memory) -> None:
    """As many documents as were asked for, with their ids."""
    library("langchain_core", "langchain")
    from remembrancer.langchain import RemembrancerRetriever

    for number in range(4):
        memory.remember(f"Crane {number} stands on the north quay.", title=f"Crane {number}")
    retriever = RemembrancerRetriever(memory=memory, k=3)

    assert len(retriever.invoke("crane on the quay")) == 3
    assert len(retriever.invoke("crane on the quay", k=1)) == 1
    document = asyncio.run(retriever.ainvoke("Crane 2"))[0]
    assert document.id == memory.recall(id=str(document.id)).results[0].id
    assert document.metadata["title"].startswith("Crane")


def test_the_contract_tests_of_langchain(memory: remembrancer.Memory) -> None:
    """Those for retrievers."""
    library("langchain_core", "langchain")
    tests = pytest.importorskip("langchain_tests.integration_tests", reason="run `pip install langchain-tests`")
    from remembrancer.langchain import RemembrancerRetriever

    for number in range(12):
        memory.remember(f"Crane {number} stands on the north quay.")

    class Contract(tests.RetrieversIntegrationTests):  # type: ignore[misc, name-defined]
        retriever_constructor = RemembrancerRetriever
        retriever_constructor_params = {"memory": memory}  # noqa: RUF012 - as the contract has it
        retriever_query_example = "crane on the north quay"

    contract = Contract()
    made = RemembrancerRetriever(memory=memory)
    contract.test_k_constructor_param()
    contract.test_invoke_with_k_kwarg(made)
    contract.test_invoke_returns_documents(made)
    asyncio.run(contract.test_ainvoke_returns_documents(made))


def test_a_retriever_and_a_memory_of_llama_index(memory: remembrancer.Memory) -> None:
    """What a chat keeps is there for the next process, and is found."""
    library("llama_index.core", "llama-index")
    from llama_index.core.llms import ChatMessage

    from remembrancer.llama_index import RemembrancerMemory, RemembrancerRetriever

    chat = RemembrancerMemory.from_defaults(memory=memory, conversation_id="c-1", limit=2)
    said = [ChatMessage(role="user", content="Which crane?"), ChatMessage(role="assistant", content="The blue crane.")]
    chat.put_messages([*said, ChatMessage(role="user", content="Which crane?")])

    again = RemembrancerMemory.from_defaults(memory=memory, conversation_id="c-1", limit=2)
    assert [one.content for one in again.get_all()] == ["Which crane?", "The blue crane.", "Which crane?"]
    assert [one.content for one in again.get()] == ["The blue crane.", "Which crane?"]
    nodes = RemembrancerRetriever(memory, similarity_top_k=1).retrieve("the blue crane")
    assert "The blue crane." in nodes[0].text
    again.set(said)
    assert [one.role.value for one in again.get_all()] == ["user", "assistant"]
    again.reset()
    assert again.get_all() == []


def test_a_message_is_stored_behind_the_last_at_the_same_cost(
    memory: remembrancer.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the conversation is, and if the clock was put back; also by a later session."""
    messages = StoredMessages(memory, "test", "c-1")
    messages.append([("user", f"Crane {number} of 5 May 2020.", number) for number in range(120)])
    read: list[int] = []
    recall = memory.recall

    def counted(**given: Any) -> Any:
        found = recall(**given)
        read.append(len(found.results))
        return found

    monkeypatch.setattr(memory, "recall", counted)
    monkeypatch.setattr("remembrancer._adapters.now", lambda: now() - timedelta(days=3))
    messages.append([("user", "Crane 120.", 120), ("user", "Crane 120.", 121)])
    StoredMessages(memory, "test", "c-1").append([("user", "Crane 120.", 122)])

    assert read == [1, 1]
    assert messages.read() == list(range(123))
    assert messages.read(3) == [120, 121, 122]
    assert messages.pop() == 122
    turns = memory.recall(conversation_id="c-1", detail="full", limit=200).turns or []
    assert [one.turn_index for one in turns] == list(range(122))


def test_a_session_of_openai_agents(memory: remembrancer.Memory) -> None:
    """Messages and calls of tools, in order, equal ones too; the last is popped first."""
    library("agents.memory", "openai-agents")
    from agents.memory import Session

    from remembrancer.openai_agents import RemembrancerSession

    said = {"role": "user", "content": "Which crane?"}
    call = {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "The blue crane."}]}

    async def use() -> None:
        session = RemembrancerSession(memory, "s-1")
        assert isinstance(session, Session)
        await session.add_items([said, call])
        await session.add_items([answer, said])
        assert await session.get_items() == [said, call, answer, said]
        assert await session.get_items(limit=2) == [answer, said]
        assert await session.pop_item() == said
        assert await RemembrancerSession(memory, "s-1").get_items() == [said, call, answer]
        assert await RemembrancerSession(memory, "s-2").get_items() == []
        await session.clear_session()
        assert await session.pop_item() is None

    asyncio.run(use())
