"""Makes the golden homes: small memories as this release keeps them, for the upgrade tests of later releases.

`make golden` writes them to `tests/golden/homes`, named after the schema. Run it before a release whose schema differs
from the newest there, and commit what it adds; a golden home never changes. It needs the Neo4j of `make services`.
"""

import base64
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, LiteralString

from neo4j import Driver, GraphDatabase

import remembrancer
from servers import Neo4jServer

HOMES: Final = Path(__file__).parent / "homes"
_KINDS: Final = (
    "[name IN keys(one) | [name, valueType(one[name]), "
    "CASE WHEN valueType(one[name]) =~ '(DATE|ZONED).*' THEN toString(one[name]) ELSE one[name] END]]"
)
_DUMPED: Final[Mapping[str, LiteralString]] = {
    "constraints": "SHOW CONSTRAINTS YIELD createStatement RETURN createStatement",
    "indexes": "SHOW INDEXES YIELD type, owningConstraint, createStatement "
    "WHERE type <> 'LOOKUP' AND owningConstraint IS NULL RETURN createStatement",
    "nodes": f"MATCH (one) RETURN elementId(one), labels(one), {_KINDS}",
    "relations": f"MATCH (a)-[one]->(b) RETURN elementId(a), elementId(b), type(one), {_KINDS}",
}
_SET_TIMES: Final = (
    "FOREACH (time IN row.times | "
    "SET one[time[0]] = CASE WHEN time[1] STARTS WITH 'DATE' THEN date(time[2]) ELSE datetime(time[2]) END)"
)
_LOADED: Final[Mapping[str, LiteralString]] = {
    "nodes": "UNWIND $rows AS row CREATE (one:Dumped:$(row.place[1])) SET one = row.values, one.dumped = row.place[0] "
    f"{_SET_TIMES}",
    "relations": "UNWIND $rows AS row MATCH (a:Dumped {dumped: row.place[0]}), (b:Dumped {dumped: row.place[1]}) "
    f"CREATE (a)-[one:$(row.place[2])]->(b) SET one = row.values {_SET_TIMES}",
}
_VERSION: Final = "MATCH (m:Marker {id: 'neo4j: schema'}) RETURN m.value"
_ITEM: Final = ("id", "content", "title", "context", "author", "stashed", "revisions")
_METADATA: Final = ("key", "date", "tags", "importance", "expires_at", "participants")
#: What of a decision or commitment every later release must answer alike.
_LEDGER: Final = ("id", "category", "summary", "artifact_id", "status", "owners", "recipients", "due", "superseded_by")
_FILE: Final = (
    "# Mooring\n\nThe ferry moors at berth four. Ivo Brandt promised to repaint the bollards by 2099-06-30.\n"
)
_ROWS: Final = "id,text\n1,The winch was greased in April.\n2,The tender needs a new anchor chain.\n"
_FURTHER: Final[Sequence[Mapping[str, Any]]] = (
    {"content": "Der Hafenmeister bestellte neue Leinen für die Fähre.", "tags": ["Häfen/Süd"], "date": "2026-03-05"},
    {"content": "フェリーは毎朝六時に出港します。", "tags": ["時刻表"]},
    {"content": "Prefer the northern channel when the tide is low.", "context": "preference", "importance": 0.9},
    {"content": "Never run the winch without gloves.", "context": "correction", "scope": "project:ferry"},
    {"content": "Error E-4711 in winch_control.py stops the drum 🛟.", "metadata": {"trace": ["a", None, 1.5]}},
    {"content": "The spare keys hang behind the chart.", "expires_at": "2099-01-01T00:00:00Z", "key": "keys"},
    *(
        {
            "content": text,
            "context": "conversation",
            "conversation_id": "slip",
            "turn_index": turn,
            "author": author,
            "date": "2026-03-09",
        }
        for turn, (author, text) in enumerate(
            [("Ivo Brandt", "Is the slip free on Monday?"), ("Noor Haddad", "Yes, the slip is free all week.")]
        )
    ),
)


def fill(home: Path) -> dict[str, str]:
    """Fill a memory by its public interface, in two projects; return the ids that the answers are asked with."""
    folder = home.parent / "ferry-notes"
    folder.mkdir()
    (folder / "mooring.md").write_text(_FILE, encoding="utf-8")
    (folder / "log.csv").write_text(_ROWS, encoding="utf-8")
    with remembrancer.open(home) as memory:
        minutes = memory.remember(
            "Attendees: Noor Haddad, Ivo Brandt\n\nWe decided to dock the ferry at pier two.\n"
            "Noor Haddad will send the timetable to Ivo Brandt by 2099-05-04.\n",
            context="meeting",
            date="2026-04-20",
            title="Spring meeting",
            key="spring",
            tags=["ferry", "Été"],
            wait=True,
        )
        memory.remember(
            "We decided to paint the hull white.", context="decision", date="2026-04-01", key="hull", wait=True
        )
        hull = memory.remember(
            "We decided to paint the hull green.", context="decision", date="2026-04-09", key="hull", wait=True
        )
        further: list[Any] = list(memory.remember_many(_FURTHER, wait=True).results)
        given = memory.remember("The chandler called about the order from Bremen.", date="2026-04-22", wait=True)
        memory.learn(
            given.id,
            events=[
                {
                    "category": "Commitment",
                    "quote": "The chandler called",
                    "owners": ["Mila Okafor"],
                    "due": "2099-05-20",
                }
            ],
            entities=[{"name": "Mila Okafor", "type": "person", "role": "chandler"}],
        )
        stashed = memory.remember("Draft of the winter timetable.", context="stash", key="winter", wait=True)
        memory.context_stash([further[0].id])
        gone = memory.remember("The quay lights are to be thrown away.", wait=True)
        memory.forget(gone.id, confirm=True)
        memory.ingest(str(folder))
        memory.remember("The other harbour has its own Noor Haddad.", project_id="other", key="spring", wait=True)
        _settle(memory)
        [promised] = memory.commitments("Noor Haddad", topic="timetable").items
        memory.resolve(promised.id, "done", note="seen on the board")
        memory.remember("The berth is swept.", date="2026-05-01", wait=True)
        _settle(memory)
    return {
        "minutes": minutes.id,
        "hull": hull.id,
        "given": given.id,
        "stashed": stashed.id,
        "set aside": further[0].id,
        "keys": further[5].id,
    }


def _settle(memory: remembrancer.Memory) -> None:
    """Wait until no work is pending."""
    deadline = time.monotonic() + 120
    while memory.status().pending_jobs:
        if time.monotonic() > deadline:
            raise TimeoutError("The work of the home is not done.")
        time.sleep(0.2)


def answers(memory: remembrancer.Memory, ids: Mapping[str, str]) -> dict[str, Any]:
    """Return what a memory answers, as far as every later release must answer alike."""
    found: dict[str, Any] = {"ids": dict(ids)}
    for name, id_ in ids.items():
        [item] = memory.recall(id=id_, detail="full").results
        metadata = {one: item.metadata.get(one) for one in _METADATA}
        found[f"item: {name}"] = {one: getattr(item, one) for one in _ITEM} | metadata
    for question in ("Which colour has the hull?", "Where does the ferry moor?", "E-4711", "Leinen für die Fähre"):
        found[f"recall: {question}"] = memory.recall(question).results[0].content
    found["turns"] = [one.content for one in memory.recall(conversation_id="slip").turns or ()]
    found["decisions"] = _ledger(memory.decisions(status="all"))
    found["commitments"] = [*_ledger(memory.commitments(status="open")), *_ledger(memory.commitments(status="done"))]
    found["other"] = [one.content for one in memory.recall("Noor Haddad", project_id="other").results]
    found["pop"] = memory.pop("winter").results[0].content
    found["tagged"] = [one.id for one in memory.recall(tags=["Été"]).results]
    found["rules"] = sorted(line for line in memory.memory_context().splitlines() if "channel" in line)
    found["people"] = sorted(node.name for node in memory.explore(name="Noor Haddad").nodes if node.kind == "entity")
    return dict(json.loads(json.dumps(found)))


def _ledger(answer: Any) -> list[dict[str, Any]]:
    rows = [
        {name: getattr(item, name) for name in _LEDGER} | {"quotes": [one.quote for one in item.evidence]}
        for item in answer.items
    ]
    return sorted(rows, key=lambda row: str(row["id"]))


def make_embedded(folder: Path) -> Path:
    """Make a home with the embedded record, its answers next to it, and its export."""
    home = folder / "home"
    _make(home, folder)
    _command(home, "export", str(folder / "export.jsonl"))
    with closing(sqlite3.connect(home / "remembrancer.db")) as record:
        [version] = record.execute("PRAGMA user_version").fetchone()
    return _pack(folder, f"embedded-{version}")


def make_neo4j(folder: Path) -> Path:
    """Make a home whose record is on a server, and dump the database next to it."""
    with Neo4jServer(folder / "server", is_short_lived=True) as server:
        home = folder / "home"
        home.mkdir(mode=0o700)
        settings = "".join(f"{name}={value}\n" for name, value in server.environment().items())
        (home / ".env").write_text(settings, encoding="utf-8")
        _make(home, folder)
        with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
            (folder / "graph.json").write_text(dump(driver), encoding="utf-8")
            [[version]] = [row.values() for row in driver.execute_query(_VERSION).records]
    shutil.rmtree(home)
    return _pack(folder, f"neo4j-{version}")


def _make(home: Path, folder: Path) -> None:
    ids = fill(home)
    with remembrancer.open(home) as memory:
        said = answers(memory, ids)
    (folder / "answers.json").write_text(json.dumps(said, ensure_ascii=False, indent=1), encoding="utf-8")
    _command(home, "owner", "stop")


def _command(home: Path, *arguments: str) -> None:
    program = "import sys; from service.cli import main; sys.exit(main(sys.argv[1:]))"
    environment = os.environ | {"REMEMBRANCER_HOME": str(home)}
    subprocess.run([sys.executable, "-c", program, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)


def _pack(folder: Path, name: str) -> Path:
    """Write what later releases read into one small file, unless there is one of this name."""
    target = HOMES / f"{name}.tar.xz"
    if target.exists():
        return target
    kept = [folder / one for one in ("home", "answers.json", "export.jsonl", "graph.json") if (folder / one).exists()]
    with tarfile.open(target, "x:xz", preset=9) as archive:
        for place in kept:
            archive.add(place, place.name, filter=lambda one: None if one.name.endswith((".lock", "/logs")) else one)
    return target


def dump(driver: Driver) -> str:
    """Return all of a Neo4j database as JSON: its schema, nodes and relations, with the kinds of their values."""
    found = {name: [row.values() for row in driver.execute_query(query).records] for name, query in _DUMPED.items()}
    return json.dumps(found, default=_text_of_bytes)


def _text_of_bytes(value: object) -> dict[str, str]:
    if not isinstance(value, bytes):
        raise TypeError(f"Neo4j has a value of a kind that is not dumped yet: {type(value)}")
    return {"bytes": base64.b64encode(value).decode()}


def load(driver: Driver, dumped: Mapping[str, Any]) -> None:
    """Fill an empty Neo4j database with a dump."""
    for [statement] in (*dumped["constraints"], *dumped["indexes"]):
        driver.execute_query(statement)
    driver.execute_query("CREATE INDEX dumped FOR (n:Dumped) ON (n.dumped)")
    for name, statement in _LOADED.items():
        driver.execute_query(statement, rows=[_row(row) for row in dumped[name]])
    driver.execute_query("MATCH (n:Dumped) REMOVE n:Dumped, n.dumped")
    driver.execute_query("DROP INDEX dumped")
    driver.execute_query("CALL db.awaitIndexes(60)")


def _row(row: Sequence[Any]) -> dict[str, Any]:
    """Return a node or relation with its times apart, which the server makes of text: some are in no calendar."""
    *place, properties = row
    values = {
        name: base64.b64decode(value["bytes"]) if isinstance(value, dict) else value for name, _, value in properties
    }
    times = [one for one in properties if one[1].startswith(("DATE", "ZONED"))]
    return {"place": place, "values": values, "times": times}


def main() -> None:
    """Make what is not there yet of this release."""
    os.environ["TZ"] = "UTC"
    HOMES.mkdir(exist_ok=True)
    for make in (make_embedded, make_neo4j):
        with tempfile.TemporaryDirectory() as folder:
            made = make(Path(folder))
            sys.stdout.write(f"{made} {made.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
