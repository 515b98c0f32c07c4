"""A retriever and a chat memory of LlamaIndex on a memory. They need the extra `llama-index`."""

from typing import Any, Self

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemory
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from remembrancer._adapters import StoredMessages
from remembrancer._memory import Memory


class RemembrancerRetriever(BaseRetriever):
    """Finds the passages that answer a question; `filters` are arguments of `recall`."""

    def __init__(self, memory: Memory, *, similarity_top_k: int = 10, **filters: Any) -> None:  # noqa: ANN401
        """Use a memory, which stays the caller's to close."""
        super().__init__()
        self._memory, self._limit, self._filters = memory, similarity_top_k, filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._memory.recall(
            query_bundle.query_str, limit=self._limit, detail="full", expand=False, **self._filters
        )
        return [
            NodeWithScore(
                node=TextNode(
                    id_=result.id,
                    text=result.content,
                    metadata={"title": result.title, "context": result.context, **result.metadata},
                ),
                score=result.score,
            )
            for result in found.results
        ]


class RemembrancerMemory(BaseMemory):
    """The messages of one chat, which are turns of a conversation in the memory; `limit` is how many an agent gets."""

    limit: int = 50
    _messages: StoredMessages = PrivateAttr()

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which the library knows it."""
        return "RemembrancerMemory"

    @classmethod
    def from_defaults(cls, *, memory: Memory, conversation_id: str, limit: int = 50) -> Self:
        """Return the messages of a conversation; the memory stays the caller's to close."""
        made = cls(limit=limit)
        made._messages = StoredMessages(memory, "llama-index", conversation_id)
        return made

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002, ANN401, ARG002 - the library's signature
        """Return the last messages in order."""
        return [ChatMessage.model_validate(one) for one in self._messages.read(self.limit)]

    def get_all(self) -> list[ChatMessage]:
        """Return all messages in order."""
        return [ChatMessage.model_validate(one) for one in self._messages.read()]

    def put(self, message: ChatMessage) -> None:
        """Store a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Store messages."""
        self._messages.append(
            [(message.role.value, message.content or "", message.model_dump(mode="json")) for message in messages]
        )

    def set(self, messages: list[ChatMessage]) -> None:
        """Forget the messages and store others."""
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        """Forget the messages."""
        self._messages.clear()
