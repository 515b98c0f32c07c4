"""Crash safety: kill -9 before every kind of step that writes, and what is there afterwards."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from graph.sqlite_store.database.connection import connect
from tests.openai_server import OpenAIServer

#: Tens and in the long run hundreds of processes, each a quarter of a second of a processor at most.
pytestmark = pytest.mark.timeout(900)

_KILLED = 9


class Killer:
    """The process of tests/killing.py, and what it answers."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.killing", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def order(self, act: str, home: Path, **more: object) -> dict[str, Any]:
        """Have a child do something, killed before step `last` if that is given."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps({'act': act, 'home': str(home)} | more)}\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def done(self, act: str, home: Path, **more: object) -> list[Any]:
        """Have a child do something to its end; return what it acknowledged."""
        answer = self.order(act, home, **more)
        assert answer["status"] == 0, answer
        return list(answer["acknowledged"])

    def state(self, home: Path) -> dict[str, Any]:
        """Finish what waits, and return what there is; the files are sound and the stores agree."""
        [state] = self.done("tell", home, later=True)
        with closing(connect(home / "remembrancer.db")) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []
            assert database.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)").fetchall() == []
            [contents] = database.execute("SELECT count(*) FROM contents").fetchone()
            [items] = database.execute("SELECT count(*) FROM artifacts").fetchone()
        assert contents == items
        assert (state["drift"], state["incomplete"], state["jobs"]) == ([], [], [0, 0])
        return dict(state)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=30)


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    with OpenAIServer() as server, Killer(server.url) as started:
        yield started


@pytest.fixture(scope="module")
def homes(killer: Killer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Homes to begin with: empty, with jobs that wait, and with all done; and an export."""
    folder = tmp_path_factory.mktemp("homes")
    made = {name: folder / name for name in ("empty", "waiting", "full")}
    for home in made.values():
        home.mkdir()
    for name in ("waiting", "full"):
        killer.done("remember", made[name])
    killer.done("work", made["full"])
    killer.done("write_out", made["full"], file=str(folder / "export.jsonl"))
    return made | {"export": folder / "export.jsonl"}


def spread(steps: int, most: int) -> set[int]:
    """Return up to `most` of the numbers from 1 to `steps`, evenly, the first and the last among them."""
    if steps <= most:
        return {*range(1, steps + 1)}
    return {round(1 + n * (steps - 1) / (most - 1)) for n in range(most)}


Points = Callable[[int, int], set[int]]


def outermost_and_middle(steps: int, most: int) -> set[int]:
    """Return the points of the quick run: first, middle and last."""
    return spread(steps, 3)


def those_between(steps: int, most: int) -> set[int]:
    """Return the other points of the long run: together up to `most`, evenly."""
    return spread(steps, most) - spread(steps, 3)


@pytest.fixture(params=[outermost_and_middle, pytest.param(those_between, marks=pytest.mark.exhaustive)])
def points(request: pytest.FixtureRequest) -> Points:
    """Before which steps an act is killed: of all its steps and of the most there may be."""
    chosen: Points = request.param
    return chosen


#: What there was after the act undisturbed and after the kill, what does the act again and tells what there is then,
#: and what had been acknowledged before the kill.
Killed = tuple[dict[str, Any], dict[str, Any], Callable[[], dict[str, Any]], list[Any]]
Kill = Callable[[str, str, int], Iterator[Killed]]


@pytest.fixture
def kill(killer: Killer, homes: dict[str, Path], tmp_path: Path, points: Points) -> Kill:
    """Return what kills an act, begun on a home, before each of the chosen steps, up to so many."""
    return partial(kills, killer, homes, tmp_path, points)


def kills(
    killer: Killer, homes: dict[str, Path], tmp_path: Path, points: Points, act: str, begin: str, most: int
) -> Iterator[Killed]:
    """Do what `kill` returns."""

    def again(home: Path) -> dict[str, Any]:
        killer.done(act, home, later=True, **more)
        return killer.state(home)

    more = {"file": str(homes["export"])} if act == "bring" else {}
    whole = tmp_path / "whole"
    shutil.copytree(homes[begin], whole)
    counted = killer.order(act, whole, **more)
    assert counted["status"] == 0
    expected = killer.state(whole)
    for chosen in sorted(points(counted["steps"], most)):
        home = tmp_path / f"killed-{chosen}"
        answer: dict[str, Any] = {"status": 0, "steps": chosen}
        while answer["status"] == 0:  # a run has fewer steps where one of them takes up more jobs
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(homes[begin], home)
            answer = killer.order(act, home, last=min(chosen, answer["steps"]), **more)
        assert answer["status"] == _KILLED, (chosen, answer)
        yield expected, killer.state(home), partial(again, home), answer["acknowledged"]
        shutil.rmtree(home)


def test_remember(kill: Kill) -> None:
    """What was acknowledged is there with its text and its revisions; what was not is there whole or not at all."""
    for expected, after, again, acknowledged in kill("remember", "empty", 12):
        assert {*acknowledged} <= {*after["items"], *after["revisions"]}
        assert {*after["items"]} <= {*expected["items"], *expected["revisions"]}
        assert again() == expected


def test_embedding_and_extraction(kill: Kill) -> None:
    """The next process does what is left, and ends where an undisturbed one ends."""
    for expected, after, _, _ in kill("work", "waiting", 12):
        assert after == expected


def test_forget(kill: Kill) -> None:
    """What was acknowledged as forgotten is gone from everywhere; what was not is there whole or not at all."""
    for expected, after, again, acknowledged in kill("forget", "full", 12):
        gone = {id_ for id_ in acknowledged if id_ != "yard"}
        assert not gone & {*after["items"], *after["revisions"]}
        assert after["turns"] == 0 if "yard" in acknowledged else after["turns"] in {0, 1}
        assert again() == expected


def test_stash(kill: Kill) -> None:
    """Items move all or none."""
    for expected, after, again, _ in kill("stash", "full", 10):
        assert after["items"] == expected["items"]
        assert again() == expected


def test_reindex(kill: Kill) -> None:
    """A rebuild that was killed goes on by itself, and loses nothing."""
    for expected, after, _, _ in kill("reindex", "full", 12):
        assert after == expected


def test_import(kill: Kill) -> None:
    """Doing it again finishes it, with nothing twice."""
    for expected, _, again, _ in kill("bring", "empty", 12):
        assert again() == expected


def test_creation(kill: Kill) -> None:
    """All migrations were applied to a record, or none."""
    for expected, after, _, _ in kill("create", "empty", 10):
        assert after == expected


@pytest.mark.parametrize("act", ["pull", "push"])
def test_pull_and_push(killer: Killer, homes: dict[str, Path], tmp_path: Path, points: Points, act: str) -> None:
    """Both homes are sound wherever it was killed; then they end equal, with what each had and without what one forgot.

    The trail of what was forgotten counts although neither side has the item.
    """
    here, there = tmp_path / "here", tmp_path / "there"
    shutil.copytree(homes["full"], here)
    there.mkdir()
    killer.done("pull", there, file=str(here))
    forgetful = there if act == "pull" else here
    gone = {one for one in killer.done("forget", forgetful) if one != "yard"}
    assert gone
    added = [*killer.done("note", here, text="The mast is red."), *killer.done("note", there, text="The hull is blue.")]
    before = tmp_path / "before"
    before.mkdir()
    for home in (here, there):
        killer.state(home)
        home.rename(before / home.name)

    def begin() -> None:
        for home in (here, there):
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(before / home.name, home)

    begin()
    steps = killer.order(act, here, file=str(there))["steps"]
    for last in sorted(points(steps, 12)):
        begin()
        answer = killer.order(act, here, file=str(there), last=last)
        assert answer["status"] == _KILLED, (last, answer)
        for home in (here, there):
            assert {*added} & {*killer.state(home)["items"]}
        killer.done("pull", here, file=str(there), later=True)
        killer.done("push", here, file=str(there), later=True)
        told = [killer.done("states", home)[0] for home in (here, there)]
        assert told[0] == told[1]
        for home in (here, there):
            found = killer.state(home)
            assert {*added} <= {*found["items"]}
            assert not gone & {*found["items"], *found["revisions"]}
