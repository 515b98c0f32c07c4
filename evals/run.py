"""An evaluation run: everything is remembered once, then each variant of the service answers over the same memory."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp import Client

from evals import answer_size, demo, meetings, reach
from evals import client as through
from evals.client import Answer, Asking
from evals.conversations import ConversationTask, Held
from evals.datasets import Conversation, Meeting
from evals.demo import DemoTask
from evals.figures import Table, Task, tables
from evals.meetings import MeetingTask
from evals.unknown import UnknownTask
from evals.variants import SHIPPED, askings_of, with_fused
from service.app import App
from service.display.reports import progress_bar
from service.server import create_server
from service.settings import Settings

#: Longest wait for one answer, in seconds: a long meeting is stored within one call.
_PATIENCE = 300


@dataclass(frozen=True, slots=True)
class Material:
    """What is remembered beside the demo corpus; either may be empty."""

    conversations: Sequence[Conversation] = ()
    meetings: Sequence[Meeting] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """The material once it is stored, with the items' ids."""

    held: list[Held]
    meetings: MeetingTask
    demo: DemoTask

    def tasks(self) -> list[Task]:
        """Return the tasks that there is material for; each variant of the service answers them."""
        spoken: list[Task] = [ConversationTask(self.held)] if self.held else []
        met: list[Task] = [self.meetings] if self.meetings.meetings else []
        return [*spoken, *met, self.demo]


async def run(home: Path, material: Material, opened: Mapping[str, Callable[[Settings], App]]) -> list[Table]:
    """Return all tables, measured on the memory in `home`; only what is shipped does more than rank.

    What `home` holds already is not embedded or extracted again, whatever code did that.

    Raises:
        Unavailable: something was not remembered whole, or an answer had to do without a part of the service.
    """
    settings = embedded(home)
    async with connected(opened[SHIPPED], settings) as client:
        stored = await _remember(client, material)
        further = await _further(client, stored)
    tasks = stored.tasks()
    answers: list[dict[str, list[Answer]]] = [{} for _ in tasks]
    for name, open_one in opened.items():
        async with connected(open_one, settings) as client:
            for task, given in zip(tasks, answers, strict=True):
                given[name] = await _asked(client, name, askings_of(name, task.askings()))
    ranked = [
        table
        for task, given in zip(tasks, answers, strict=True)
        for table in tables(task, with_fused(given, task.askings()))
    ]
    return ranked + further


def embedded(home: Path) -> Settings:
    """Return settings with embedded stores and local models, whatever the environment names."""
    own = {"home": home, "graph": "embedded", "vectors": "embedded", "embedder": "local", "extractor": "local"}
    return Settings().model_copy(update=own)


@asynccontextmanager
async def connected(open_one: Callable[[Settings], App], settings: Settings) -> AsyncIterator[Client]:
    """Yield a client of a service at work."""
    with open_one(settings) as app:
        app.start()
        async with Client(create_server(app), read_timeout_seconds=_PATIENCE) as client:
            yield client


async def _remember(client: Client, material: Material) -> Remembered:
    """Store everything, and wait for its vectors and knowledge."""
    corpus = demo.memories()
    count = len(corpus) + len(material.meetings) + sum(len(told.turns) for told in material.conversations)
    with progress_bar("Remembering", count) as advance:
        held = []
        for told in material.conversations:
            ids = await through.remember(client, told.name, told.turns, advance)
            held.append(Held(told, dict(zip((turn["source_id"] for turn in told.turns), ids, strict=True))))
        met = await through.remember(client, meetings.PROJECT, [one.memory for one in material.meetings], advance)
        shown = await through.remember(client, demo.PROJECT, list(corpus.values()), advance)
    projects = [*(told.name for told in material.conversations), meetings.PROJECT, demo.PROJECT]
    with progress_bar("Embedding and extracting", await through.pending(client, projects)) as advance:
        await through.settle(client, projects, advance)
    names = [meeting.name for meeting in material.meetings]
    return Remembered(
        held=held,
        meetings=MeetingTask(material.meetings, dict(zip(names, met, strict=True))),
        demo=DemoTask(demo.graded(), dict(zip(corpus, shown, strict=True))),
    )


async def _further(client: Client, stored: Remembered) -> list[Table]:
    """Return what is measured of the shipped service alone: how much it says, what is not in memory, and the reach of
    the graph."""
    made = []
    if stored.held:
        asked = sum(question.is_answerable for one in stored.held for question in one.conversation.questions)
        with progress_bar("Asking, brief", asked) as advance:
            made.append(await answer_size.table(client, stored.held, advance))
    if len(stored.held) > 1:
        unknown = UnknownTask(stored.held)
        kinds = unknown.askings()
        made.append(unknown.table({kind: await _asked(client, kind, asked) for kind, asked in kinds.items()}))
    probes = [*reach.of_turns(stored.held), *reach.of_meetings(stored.meetings), *reach.of_quotes(demo.quoted())]
    spent = {way: await _asked(client, way, reach.askings(probes, way)) for way in reach.WAYS}
    return [*made, reach.table(probes, spent)]


async def _asked(client: Client, what: str, askings: Sequence[Asking]) -> list[Answer]:
    with progress_bar(f"Asking, {what}", len(askings)) as advance:
        return await through.ask(client, askings, advance)
