"""`python -m benchmarks.browser`: how quick the graph browser is on a large memory, in a headless chromium; exit 1 over
a bound. And how long the shape of a memory takes, and by how much it slows answers beside it.

The items and what is known of them are stored by the engine's own steps, but for vectors.
"""

import argparse
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.progress import Progress

from benchmarks import corpus
from benchmarks.measures import Measure, fresh, p95, report, timed
from benchmarks.stash import artifact
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Shape
from core.knowledge.findings import Actor, Entity, Event, Evidence, Knowledge, Mention, entity_id, event_id
from core.records import Artifact, Chunk
from graph.sqlite_store import SqliteStore
from graph.sqlite_store.artifact_knowledge import replace_knowledge
from graph.sqlite_store.item_writer import SqliteItemWriter
from graph.store import Store
from retrieval.overview import Overviews
from service.processes import end_by_signals

_PROJECT, _ASKED = "default", "asked"
_BATCH: Final = 2_000
#: People, whom ever fewer items name; so many of the first are expanded, more than once.
_PEOPLE, _EXPANDED, _TIMES = 5_000, 20, 3
_PAINTS: Final = 7
#: Times that each view is shown.
_SEEN: Final = 10
#: Seconds for which a canvas is dragged.
_SECONDS: Final = 3.0
#: Nodes of the shape, items that have as many, and notes that are asked for beside it.
_SHAPE, _SHAPED, _NOTES = 5_000, 4_000, 500
#: Times that the shape is computed while questions are asked, and as many questions without it.
_SHAPES: Final = 5
#: Draw so many nodes, and from then on count frames.
_DRAWN: Final = """async nodes => {
    const { Canvas } = await import('/graph/canvas.js');
    const { Graph } = await import('/graph/shown_graph.js');
    const kinds = [['entity', 'person'], ['event', 'Decision'], ['event', 'Commitment'], ['item', 'note']];
    const made = [...Array(nodes).keys()].map(i => ({ id: `n${i}`, kind: kinds[i % 4][0], type: kinds[i % 4][1],
        name: `What is called number ${i}`, degree: i % 9 }));
    const edges = made.slice(1).flatMap((node, i) => [{ source: node.id, target: 'n0', type: 'ABOUT' },
        ...(i % 2 ? [{ source: node.id, target: `n${i >> 1}`, type: 'MENTIONS' }] : [])]);
    const area = document.createElement('div');
    area.className = 'canvas';
    document.querySelector('main').replaceChildren(area);
    const graph = new Graph('n0');
    graph.grow('n0', { nodes: made, edges, hubs: [], left_out: { total: 0, by_kind: {} } });
    new Canvas(area, { picked() {}, entered() {} }, nodes).draw(graph, 'n0');
    await new Promise(requestAnimationFrame);
    window.frames_drawn = 0;
    const count = () => { window.frames_drawn += 1; requestAnimationFrame(count); };
    count();
}"""
_EXPANSION: Final = """async id => {
    const begun = performance.now();
    const answer = await (await fetch(`api/nodes/${id}/neighbours?fold=true&limit=40`, { cache: 'no-store' })).json();
    return [performance.now() - begun, answer.nodes.length];
}"""
#: Go to a view, and return the milliseconds until it is shown.
_SHOWN: Final = """async view => {
    const content = document.getElementById('content');
    const begun = performance.now();
    const shown = new Promise((resolve) => new MutationObserver((_, watching) => {
        if (content.hasAttribute('aria-busy')) return;
        watching.disconnect();
        resolve(performance.now() - begun);
    }).observe(content, { attributes: true }));
    location.hash = `#/${view}`;
    return shown;
}"""
_PAINT: Final = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_SENT: Final = (
    "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
    ".filter(one => !one.name.includes('/api/')).reduce((sum, one) => sum + one.transferSize, 0) / 1000"
)


def people() -> list[Entity]:
    """Return whom the items name."""
    names = [f"Person {number:04}" for number in range(_PEOPLE)]
    return [Entity(entity_id(_PROJECT, "person", name), name, "person") for name in names]


def told(number: int) -> Iterator[tuple[Artifact, Knowledge]]:
    """Yield items over two years, each with two people and a decision or a promise of the first."""
    chance = random.Random(5)  # noqa: S311 - repeatable, not secret
    known = people()
    for n in range(number):
        one, other = known[int(_PEOPLE * chance.random() ** 3)], known[chance.randrange(_PEOPLE)]
        words = f"{one.name} {'decided' if n % 2 else 'promised'} item {n} with {other.name}."
        made = artifact(
            Memory(content=words, date=str(date(2024, 1, 1) + timedelta(days=n * 730 // number))), stashed=False
        )
        yield made, _knowledge(made, words, one, other, decided=bool(n % 2))


def _knowledge(item: Artifact, words: str, one: Entity, other: Entity, *, decided: bool) -> Knowledge:
    spots = [(entity, words.rindex(entity.name)) for entity in dict.fromkeys((one, other))]
    mentions = [Mention(entity.id, item.id, at, at + len(entity.name)) for entity, at in spots]
    category, status = ("Decision", "current") if decided else ("Commitment", "open")
    event = Event(
        event_id(_PROJECT, item.id, category, 0, len(words)),  # type: ignore[arg-type]
        category,  # type: ignore[arg-type]
        words,
        (Actor(one.id, one.name, "owner"),),
        (),
        (Evidence(item.id, words, 0, len(words)),),
        0.9,
        status=status,  # type: ignore[arg-type]
    )
    return Knowledge(tuple(dict.fromkeys((one, other))), tuple(mentions), (event,))


def _chunk(item: Artifact) -> Chunk:
    """Return the one chunk of a short item."""
    text = item.memory.content
    return Chunk(item.id, 0, 0, len(text), text, "", item.token_count)


def fill(store: SqliteStore, number: int, progress: Progress) -> None:
    """Store items and what is known of them, many in a transaction only to save time."""
    task = progress.add_task(f"{number:,} items", total=number)
    making = told(number)
    while some := list(islice(making, _BATCH)):
        with store._database.writing() as connection:
            for item, knowledge in some:
                SqliteItemWriter(connection, item.project_id).add(item, [_chunk(item)], [])
                replace_knowledge(connection, _PROJECT, item.id, knowledge)
        progress.advance(task, len(some))


@contextmanager
def served(home: Path) -> Iterator[str]:
    """Run `serve` and yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("remembrancer")), "serve", "--open", "--port", str(port)]
    process = subprocess.Popen(  # noqa: S603 - our own command
        command, env=os.environ | {"REMEMBRANCER_HOME": str(home)}, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def measured(address: str, chromium: str, items: int) -> list[Measure]:
    """Open the page anew a few times, expand people, and move canvases."""
    of = f"{items:,} items"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        paints, sent = zip(*(_opened(browser.new_context().new_page(), address) for _ in range(_PAINTS)), strict=True)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(f"{address}/#/health")
        page.wait_for_selector("main h1")
        times, sizes = _expanded(page)
        pages = _viewed(page)
        few, many = _frames(page, 200), _frames(page, 2_000)
        browser.close()
    opened, expanded = f"{of}, median of {_PAINTS}", f"{of}, p95 of {len(times)}, {min(sizes)} to {max(sizes)} nodes"
    return [
        Measure("first paint", statistics.median(paints), 500, "ms", at_most=True, detail=opened),
        *(
            Measure(f"page {view or 'home'}", p95(took), 300, "ms", at_most=True, detail=f"{of}, p95 of {len(took)}")
            for view, took in pages.items()
        ),
        Measure("sent before use", max(sent), 300, "kB", at_most=True, detail="page, styles, modules, library"),
        Measure("expansion", p95(times), 150, "ms", at_most=True, detail=expanded),
        Measure("200 nodes", few, 30, "frames/s", at_most=False, detail="dragged by the mouse"),
        Measure("2,000 nodes", many, 15, "frames/s", at_most=False, detail="dragged by the mouse"),
    ]


def shaped(home: Path, progress: Progress) -> list[Measure]:
    """Compute the shape of a memory again and again while questions are asked about another project."""
    with fresh(home) as app:
        assert isinstance(app.store, SqliteStore)
        fill(app.store, _SHAPED, progress)
        app.remember_many(corpus.notes(_NOTES, words=60), _ASKED)
        app.worker.drain()
        ask = cycle([partial(app.recall, Question(query=query), _ASKED) for query in corpus.questions(50)])
        alone, beside, computed = list[float](), list[float](), list[float]()
        for _ in range(_SHAPES):  # by turns, so that both have the same machine
            alone += [timed(next(ask)) for _ in range(50)]
            computing = threading.Thread(target=lambda: computed.append(timed(partial(_shape, app.store))))
            computing.start()
            while computing.is_alive():
                beside.append(timed(next(ask)))
        found = _shape(app.store)
    before, after = statistics.median(alone), statistics.median(beside)
    of = f"{found.num_nodes:,} nodes, {found.num_edges:,} edges"
    detail = f"median {before:.1f} ms alone, {after:.1f} ms beside, {len(beside)} times"
    return [
        Measure("shape", statistics.median(computed), 2_000, "ms", at_most=True, detail=f"{of}, median of {_SHAPES}"),
        Measure("recall beside a shape", after / before, 1.2, "times", at_most=True, detail=detail),
    ]


def _shape(store: Store) -> Shape:
    return Overviews().shape(store, _PROJECT, _SHAPE)


def _opened(page: Page, address: str) -> tuple[float, float]:
    page.goto(f"{address}/#/explore")
    page.wait_for_selector("main h1")
    page.wait_for_load_state("networkidle")
    found = page.evaluate(_PAINT), page.evaluate(_SENT)
    page.context.close()
    return found


def _expanded(page: Page) -> tuple[Sequence[float], Sequence[int]]:
    asked = [one.id for one in people()[:_EXPANDED]] * _TIMES
    answers = [page.evaluate(_EXPANSION, id_) for id_ in asked]
    return [took for took, _ in answers], [size for _, size in answers]


def _viewed(page: Page) -> dict[str, list[float]]:
    """Show every view several times, with pages of the most and of the least mentioned; return the milliseconds."""
    first, *_, last = people()
    listed = page.evaluate("async () => (await (await fetch('api/decisions?limit=1')).json()).items[0]")
    things = {"often named": first.id, "rarely named": last.id, "decision": listed["id"], "text": listed["artifact_id"]}
    views = {"": "", "search": "search", "search for words": "search?q=decided+item+7", "decisions": "decisions"}
    views |= {name: name for name in ("commitments", "communities", "review", "review?show=uncertain", "health")}
    views |= {name: f"thing?id={id_}" for name, id_ in things.items()} | {"graph": f"explore?id={first.id}"}
    times: dict[str, list[float]] = {name: [] for name in views}
    for _ in range(_SEEN):
        for name, view in views.items():
            times[name].append(page.evaluate(_SHOWN, view))
    return times


def _frames(page: Page, nodes: int) -> float:
    """Return frames a second while the mouse drags a canvas of so many nodes about."""
    page.reload()
    page.wait_for_selector("main:not([aria-busy]) h1")
    page.evaluate(_DRAWN, nodes)
    box = page.locator(".canvas").bounding_box()
    assert box
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.evaluate("window.frames_drawn = 0")
    begun, step = time.monotonic(), 0
    while (took := time.monotonic() - begun) < _SECONDS:
        step += 1
        page.mouse.move(box["x"] + 20 + 5 * (step % 60), box["y"] + 20 + 3 * (step % 60))
    frames = float(page.evaluate("window.frames_drawn"))
    page.mouse.up()
    return frames / took


def main() -> int:
    """Fill a memory, serve it and measure."""
    end_by_signals(partial(sys.exit, 1))  # with what it started
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="browser-") as folder:
        home = Path(folder)
        with SqliteStore(home / "remembrancer.db") as store, Progress(console=Console(stderr=True)) as progress:
            fill(store, options.items, progress)
        with served(home) as address:
            found = measured(address, options.chromium, options.items)
        with Progress(console=Console(stderr=True)) as progress:
            found += shaped(home / "shape", progress)
        return report(found)


if __name__ == "__main__":
    sys.exit(main())
