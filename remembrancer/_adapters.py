"""What the adapters for frameworks share: items found by tag, whole, and the messages of a conversation in order."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from core.dates import now
from core.interface.results import Result
from remembrancer._memory import Memory

#: Items that are asked for at a time.
_PAGE: Final = 100
#: By how much a message is later than the one before.
_STEP: Final = timedelta(microseconds=1)


def make_tag(kind: str, *parts: str) -> str:
    """Return a tag that stands for the parts, whatever signs are in them."""
    named = json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return f"{kind}/{hashlib.sha256(named).hexdigest()[:24]}"


def find_tagged(memory: Memory, tag: str, page: int = _PAGE, **filters: Any) -> Iterator[Result]:  # noqa: ANN401 - of recall
    """Yield the items with a tag, the newest first, in full; `page` are asked for at a time."""
    offset = 0
    while True:
        found = memory.recall(
            tags=[tag], limit=page, offset=offset, detail="full", expand=False, include_entities=False, **filters
        ).results
        yield from found
        if len(found) < page:
            return
        offset += len(found)


def payload(result: Result, name: str) -> Any:  # noqa: ANN401 - JSON
    """Return what an adapter stored with an item under its name; None if it stored nothing."""
    kept = result.metadata.get("metadata")
    return kept.get(name) if isinstance(kept, dict) else None


class StoredMessages:
    """The messages of a conversation that a framework keeps, each an item that is found like any other turn."""

    def __init__(self, memory: Memory, source: str, conversation_id: str) -> None:
        self._memory, self._source, self._conversation_id = memory, source, conversation_id
        self._tag = make_tag(source, conversation_id)

    def _found(self) -> Iterator[Result]:
        """Yield the messages, the last first."""
        return find_tagged(self._memory, self._tag, context="conversation")

    def _last(self) -> Result | None:
        """Return the last message, None if there is none, at the same cost however long the conversation is."""
        return next(find_tagged(self._memory, self._tag, page=1, context="conversation"), None)

    def read(self, limit: int | None = None) -> list[Any]:
        """Return the messages in order, only the last ones with a limit."""
        return [payload(result, self._source) for result in islice(self._found(), limit)][::-1]

    def append(self, messages: Sequence[tuple[str, str, object]]) -> None:
        """Store messages behind the others: of each the role, the text, and all of it as JSON."""
        last = self._last()
        first, said = (0, now()) if last is None else (int(last.metadata["turn_index"]) + 1, _after(last))
        for number, (role, text, whole) in enumerate(messages):
            self._memory.remember(
                text if text.strip() else json.dumps(whole, ensure_ascii=False),
                context="conversation",
                conversation_id=self._conversation_id,
                turn_index=first + number,
                # Each later than the one before, since they are listed by time.
                date=(said + number * _STEP).isoformat(),
                role=role,
                source=self._source,
                tags=[self._tag],
                metadata={self._source: whole},
            )

    def pop(self) -> Any:  # noqa: ANN401 - JSON
        """Forget the last message and return it; None if there is none."""
        if (last := self._last()) is None:
            return None
        self._memory.forget(last.id, confirm=True)
        return payload(last, self._source)

    def clear(self) -> None:
        """Forget all of them."""
        for result in list(self._found()):
            self._memory.forget(result.id, confirm=True)


def _after(last: Result) -> datetime:
    """Return the time of a message behind the last one, whose time is in the future if the clock was put back."""
    return max(now(), datetime.fromisoformat(last.metadata.get("date") or last.metadata["created_at"]) + _STEP)
