"""todo.txt: a task a line, as boxes with what else the line says; projects and contexts are tags."""

import re
from collections.abc import Iterator
from typing import Final

from ingest.readers.documents.markup.converted import Converted, read_as
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source

_DAY: Final = r"\d{4}-\d\d-\d\d"
_TASK: Final = re.compile(
    rf"(?P<done>x )?(?:\((?P<priority>[A-Z])\) )?(?:(?P<first>{_DAY}) )?(?:(?P<second>{_DAY}) )?(?P<words>\S.*)"
)
_TAG: Final = re.compile(r"(?<!\S)[+@](?=\w)(\S{1,100})")


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the tasks as one memory; raises as `read_as` does."""
    yield from read_as(converted, source, context)


def converted(text: str) -> Converted:
    """Return the tasks of a file as Markdown has them."""
    made = Converted()
    for line in text.split("\n"):
        if (task := _TASK.fullmatch(line.strip())) is None:
            made.lines.append(line)
            continue
        made.tags += _TAG.findall(task["words"])
        days = [day for day in (task["first"], task["second"]) if day]
        names = ("completed", "created") if task["done"] else ("created",)
        about = [f"{name}:{day}" for name, day in zip(names, days, strict=False)]
        about += [f"(priority {task['priority']})"] if task["priority"] else []
        words = " ".join([_TAG.sub(r"#\1", task["words"]), *about])
        made.lines.append(f"- [{'x' if task['done'] else ' '}] {words}")
    return made
