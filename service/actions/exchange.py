"""What another home or a hub sent is taken in, by `pull`, and by `push` into the home that it names or over HTTP."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from ingest.runs.run import roll_back
from ingest.transfer.exchange import Taken, take
from service.app import App


def take_in(app: App, project_id: str, lines: Iterable[bytes]) -> Taken:
    """Take lines in, and have the worker do what follows from them. Raises as `take` does."""
    done = take(lines, project_id, app.store, embedder=app.embedder, tokenizer=app.tokenizer, withdraw=roll_back)
    app.worker.wake()
    return done


def describe_taken(done: Taken) -> dict[str, Any]:
    """Return what was taken in as JSON."""
    said = {name: value for name, value in asdict(done.imported).items() if name not in {"items", "others"}}
    counts = {"items": dict(done.imported.items), "others": dict(done.imported.others)}
    return counts | said | {"forgotten": done.forgotten, "conflicts": done.conflicts}
