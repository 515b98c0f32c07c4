"""`python -m benchmarks.stash`: what the stash and faceted search cost in a large memory, beside a linear scan.

The items are stored by the engine's own steps, but for their chunks, which neither of the two ever reads.
"""

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, timedelta
from functools import partial
from itertools import accumulate, cycle, islice
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress

from benchmarks import corpus
from benchmarks.made_memory import rare_weights, rare_word
from benchmarks.measures import Measure, p95, report, timed
from core.dates import now
from core.filters import Filters
from core.interface.memory import CONTEXTS, Memory
from core.interface.question import FacetQuestion
from core.records import Artifact, artifact_id
from graph.sqlite_store import SqliteStore
from graph.sqlite_store.item_writer import SqliteItemWriter
from retrieval.answers.facets import Snapshots, faceted_search

_PROJECT: Final = "default"
#: Items stored in one transaction, and calls timed of each kind.
_BATCH, _CALLS = 5_000, 60
#: Tags, from common to rare; files and tasks.
_TAGS, _FILES, _TASKS = 300, 2_000, 5_000
#: Tokens of one segment, about: 200,000 are ten million.
_TOKENS: Final = 50
#: What is searched for in the stash, some of each kind, with how many milliseconds 95 of 100 may take at most.
_FRAGMENTS: Final[Mapping[str, tuple[float, Sequence[str]]]] = {
    "a rare word": (100, [rare_word(number) for number in range(20_000, 20_020)]),
    "a common word": (100, ("the", "that", "and", "for", "message", "was")),
    "a part of a word": (100, ("rida", "eeti", "ion", "(1", "123", "ing")),
    "two words": (100, ("the that", "for mess", "and bon", "message was")),
    "two characters": (200, ("th", "e ", "qz", "in", "99", "on")),
    "one character": (200, ("e", "q", "7", ".")),
}
#: What the stash is searched among, for a common word.
_AMONG: Final[Mapping[str, Mapping[str, Any]]] = {
    "a file's": {"file_path": "src/file7.py"},
    "a type's": {"context": "note"},
    "a tag's, 1 in 10": {"tags": ("tag3",)},
}
#: What `faceted_search` is asked: tags are from the commonest, which two in five items have.
_FACETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nothing": {},
    "a type": {"memory_type": "note"},
    "the later half": {"date_from": "2024-01-01"},
    "a common tag": {"tags": ("tag0",)},
    "a rare tag": {"tags": ("tag250",)},
    "one of two tags": {"tags": ("tag1", "tag9")},
    "two tags, all": {"tags": ("tag0", "tag1"), "tag_match_all": True},
    "a tag, a type, a year": {
        "tags": ("tag2",),
        "memory_type": "fact",
        "date_from": "2023-07-01",
        "date_to": "2024-06-30",
    },
    "nothing, with counts": {"counts": True},
}


_SIZES: Final = (
    "SELECT sum(length(CAST(content AS BLOB))) FROM contents",
    "SELECT sum(length(block)) FROM trigrams_data",
    "SELECT sum(length(block)) FROM grams_data",
)


def artifacts(number: int, *, stashed: bool) -> Iterator[Artifact]:
    """Yield items over two years, with tags, files and tasks, of all types but turns."""
    chance = random.Random(31)  # noqa: S311 - repeatable, not secret
    (words, of_words), tags = rare_weights(), [f"tag{n}" for n in range(_TAGS)]
    of_tags = list(accumulate(1 / (rank + 1) for rank in range(_TAGS)))
    pool, kinds = corpus.sentences(), [context for context in CONTEXTS if context != "conversation"]
    for n in range(number):
        content = (chance.choice(pool), *chance.choices(words, cum_weights=of_words, k=2), f"({n})")
        fields: dict[str, Any] = {
            "content": " ".join(content),
            "context": chance.choice(kinds),
            "tags": tuple(dict.fromkeys(chance.choices(tags, cum_weights=of_tags, k=3))),
            "date": str(date(2023, 1, 1) + timedelta(days=n * 730 // number)),
            "file_path": f"src/file{chance.randrange(_FILES)}.py" if n % 2 else None,
            "task_id": None if n % 3 else f"T-{chance.randrange(_TASKS)}",
        }
        yield artifact(Memory(**fields), stashed=stashed)


def artifact(memory: Memory, *, stashed: bool) -> Artifact:
    """Return a memory as `remember` stores it."""
    moment, fingerprint = now(), memory.fingerprint(_PROJECT)
    return Artifact(
        id=artifact_id(fingerprint),
        project_id=_PROJECT,
        memory=memory,
        fingerprint=fingerprint,
        happened_at=memory.moment() or moment,
        created_at=moment,
        updated_at=moment,
        last_occurred=moment,
        token_count=_TOKENS,
        num_chunks=0,
        stashed=stashed,
    )


def fill(store: SqliteStore, number: int, *, stashed: bool, progress: Progress) -> None:
    """Store items, many in a transaction only to save time."""
    task = progress.add_task(f"{number:,} {'segments' if stashed else 'items'}", total=number)
    making = artifacts(number, stashed=stashed)
    while some := list(islice(making, _BATCH)):
        with store._database.writing() as connection:
            for one in some:
                SqliteItemWriter(connection, one.project_id).add(one, [], [])
        progress.advance(task, len(some))


def stashed_measures(store: SqliteStore) -> Iterator[Measure]:
    """Search for each kind of fragment, with and without filters, at both ends of the list, beside a scan."""
    every = Filters(at=now())
    texts = [one.memory.content.casefold() for batch in store.each(_PROJECT, batch=5_000) for one in batch]
    for kind, (bound, fragments) in _FRAGMENTS.items():
        asked = [[fragment] if len(fragment) == 2 else fragment.split() for fragment in fragments]
        ways = [partial(store.search_substrings, _PROJECT, some, every, 50) for some in asked]
        scans = [partial(_scan, texts, some) for some in asked]
        yield beside(f"stash: {kind}", ways, scans, bound)
    for kind, conditions in _AMONG.items():
        filters = Filters(at=now(), **conditions)
        yield beside(
            f"stash: the, among {kind}",
            [partial(store.search_substrings, _PROJECT, ["the"], filters, 50)],
            [partial(_scan, texts, ["the"])],
            100,
        )
    # Three in four texts hold it: the middle of the matches, which is far from both ends, and their end.
    for deep in (len(texts) * 3 // 8, len(texts) * 3 // 4):
        yield beside(
            f"stash: a common word, from {deep:,} on",
            [partial(store.search_substrings, _PROJECT, ["the"], every, 50, deep)],
            [partial(_scan, texts, ["the"])],
            200,
        )


def _scan(texts: Sequence[str], fragments: Sequence[str]) -> list[int]:
    return [number for number, text in enumerate(texts) if all(fragment in text for fragment in fragments)]


def faceted_measures(store: SqliteStore) -> Iterator[Measure]:
    """Ask each question for its first page, then for a deep one, beside a scan and sort of all items in memory."""
    items = [one for batch in store.each(_PROJECT, batch=5_000) for one in batch]
    for kind, asked in _FACETS.items():
        first, snapshots = FacetQuestion(**asked), Snapshots()
        scan = partial(_filtered, items, first)
        yield beside(f"facets: {kind}", [partial(faceted_search, store, snapshots, _PROJECT, first)], [scan], 20)
    deep = FacetQuestion(page=len(items) * 9 // 100)
    snapshots = Snapshots()
    faceted_search(store, snapshots, _PROJECT, FacetQuestion())
    yield beside(
        f"facets: page {deep.page:,} of nothing",
        [partial(faceted_search, store, snapshots, _PROJECT, deep)],
        [scan],
        50,
    )
    some = FacetQuestion(tags=("tag9",), counts=True)
    ways = [lambda: faceted_search(store, Snapshots(), _PROJECT, some)]
    yield beside("facets: a tag, 1 in 20, with counts", ways, [partial(_filtered, items, some)], 100)


def _filtered(items: Sequence[Artifact], question: FacetQuestion) -> list[Artifact]:
    filters = question.filters(now())
    wanted, have = set(question.tags), all if question.tag_match_all else any
    found = [
        one
        for one in items
        if (not wanted or have(tag in one.memory.tags for tag in wanted))
        and (filters.context is None or one.memory.context == filters.context)
        and (filters.date_from is None or one.happened_at >= filters.date_from)
        and (filters.date_to is None or one.happened_at <= filters.date_to)
    ]
    return sorted(found, key=lambda one: (one.happened_at, one.created_at), reverse=True)[:10]


def beside(
    name: str, ways: Sequence[Callable[[], object]], scans: Sequence[Callable[[], object]], bound: float
) -> Measure:
    """Time the ways in turn, and the scans a few times; a way is asked once before."""
    for way in ways:
        way()
    taken = [timed(way) for way in islice(cycle(ways), max(_CALLS, len(ways)))]
    scanned = statistics.median(timed(scan) for scan in islice(cycle(scans), 5))
    detail = (
        f"median {statistics.median(taken):.1f}, scan {scanned:.0f} ms: {scanned / statistics.median(taken):.0f} times"
    )
    return Measure(f"{name}, p95", p95(taken), bound, "ms", at_most=True, detail=detail)


def moving_measures(store: SqliteStore, path: Path) -> Iterator[Measure]:
    """Move a thousand items to the stash and back."""
    ids = [one.id for one in store.newest(_PROJECT, Filters(at=now()), 1_000)]
    for stashed, way in ((True, "to the stash"), (False, "back")):
        taken = timed(partial(store.stash, _PROJECT, ids, stashed=stashed)) / 1_000
        yield Measure(f"1,000 items {way}", taken, 10, "s", at_most=True, detail=f"file {size(path):.0f} MB")


def size(path: Path) -> float:
    """Return the megabytes of a file and its log."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 1e6


def indexes_size(path: Path) -> str:
    """Return the size of the substring indexes relative to their texts."""
    with sqlite3.connect(path) as connection:
        texts, *indexes = (connection.execute(statement).fetchone()[0] / 1e6 for statement in _SIZES)
    return f"texts {texts:.0f} MB, substring indexes {sum(indexes):.0f} MB, file {size(path):.0f} MB"


def main() -> int:
    """Fill both memories if they are not there yet, ask, and print what it took; exit 1 if a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=200_000, help="stashed segments (default: %(default)s)")
    parser.add_argument("--items", type=int, default=100_000, help="items of faceted search (default: %(default)s)")
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in, and to take them from the next time")
    chosen = parser.parse_args()
    done: list[Measure] = []
    with ExitStack() as stack:
        folder = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        progress = stack.enter_context(Progress(console=Console(stderr=True)))
        for name, number, stashed in (("stash", chosen.segments, True), ("facets", chosen.items, False)):
            path = folder / f"{number}-{name}.db"
            is_filled = path.exists()
            with SqliteStore(path) as store:
                if not is_filled:
                    fill(store, number, stashed=stashed, progress=progress)
                done += stashed_measures(store) if stashed else faceted_measures(store)
                done += [] if stashed else moving_measures(store, path)
            if stashed:
                progress.console.print(indexes_size(path))
    return report(done)


if __name__ == "__main__":
    sys.exit(main())
