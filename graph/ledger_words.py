"""Ledger words: the text an event is found by, for every engine, and the same when written and when asked for."""

import json
from itertools import chain

from core.knowledge import Event


def event_text(event: Event, key: str | None, given: str) -> str:
    """Return summary, quotes and subjects of an event, and key and title of its artifact.

    `given` is the artifact's fields as JSON.
    """
    title = json.loads(given).get("title")
    parts = chain(
        [event.summary],
        (proof.quote for proof in event.evidence),
        (subject.name for subject in event.subjects),
        (name for name in (key, title) if name),
    )
    return "\n".join(parts)
