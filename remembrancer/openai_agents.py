"""A session of the OpenAI Agents SDK on a memory. It needs the extra `openai-agents`.

result = await Runner.run(agent, "Which tiles did we choose?", session=RemembrancerSession(memory, "bathroom"))
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from agents.memory.session import SessionABC
from agents.memory.session_settings import SessionSettings

from remembrancer._adapters import StoredMessages
from remembrancer._memory import Memory


class RemembrancerSession(SessionABC):
    """The items of one session, which are turns of a conversation in the memory."""

    def __init__(self, memory: Memory, session_id: str, session_settings: SessionSettings | None = None) -> None:
        """Use a memory, which stays the caller's to close."""
        self.session_id = session_id
        self.session_settings = session_settings
        self._messages = StoredMessages(memory, "openai-agents", session_id)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items in order, only the last ones with a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await asyncio.to_thread(self._messages.read, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Store items."""
        await asyncio.to_thread(self._messages.append, [(_role(item), _text(item), dict(item)) for item in items])

    async def pop_item(self) -> Any:  # noqa: ANN401 - an item
        """Forget the last item and return it; None if there is none."""
        return await asyncio.to_thread(self._messages.pop)

    async def clear_session(self) -> None:
        """Forget all items."""
        await asyncio.to_thread(self._messages.clear)


def _role(item: Mapping[str, Any]) -> str:
    role = item.get("role")
    return role if role in ("user", "assistant", "system") else "assistant"


def _text(item: Mapping[str, Any]) -> str:
    """Return the text of a message, empty if the item is none."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(str(block["text"]) for block in blocks if isinstance(block, Mapping) and block.get("text"))
