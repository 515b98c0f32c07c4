"""What is a graph where it comes from is one here: notes and their links, and the files of memory servers."""

import json
from pathlib import Path

import pytest

from core.interface.question import Exploration
from ingest.intake.files import ingest
from service.app import App

pytestmark = pytest.mark.both_engines

NOTES = {
    "tide-mill.md": "---\ntitle: The old mill by the weir\naliases: [TM, Gezeitenmühle]\n---\nThe wheel turns daily.",
    "a.md": "Ask at the [[tide-mill]].",
    "b.md": "Ask at the [[Tide_Mill#Wheel|wheel]].",
    "c.md": "Ask at [[The old mill by the weir]].",
    "d.md": "Ask at the [[Gezeitenmühle]].",
    "e.md": "Ask at [the mill](tide-mill.md), then at [the weir](https://weir.example/tide.md).",
    "f.md": "Ask at [the mill](./tide-mill.md#wheel).",
    "zz.md": "Ask at the [[TIDE MILL]].",
    "Index.md": "Sluices open at six.",
    "sub/Index.md": "Eels pass at seven.",
    "sub/g.md": "Ask at [[../tide-mill]].",
    "h.md": "See [[sub/Index]].",
    "i.md": "See [[Index]].",
}


def read(app: App, folder: Path) -> None:
    """Ingest a folder and do the background work."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    list(ingest(files, "default", context=None, records=app.store, tokenizer=app.tokenizer))
    app.worker.drain()


def items_around(app: App, name: str) -> set[str]:
    """Return the texts of the items one step from what is called so."""
    found = app.explore(Exploration(name=name, budget=100, detail="full"))
    ids = [node.id for node in found.nodes if node.kind == "item"]
    return {one.memory.content for one in app.store.get("default", ids).values()}


def test_a_note_is_one_thing_under_every_name_that_links_give_it(tmp_path: Path, app: App) -> None:
    """By its file, its title and its aliases, with other signs between the words, or as a file; in any order."""
    for name, text in NOTES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    read(app, tmp_path)

    asking = {text for text in NOTES.values() if text.startswith("Ask at")}
    for name in ("tide-mill", "The old mill by the weir", "Gezeitenmühle", "tide mill"):
        assert items_around(app, name) >= {*asking, "The wheel turns daily."}, name
    assert items_around(app, "sub/Index") >= {"Eels pass at seven.", "See [[sub/Index]]."}
    assert "See [[Index]]." not in items_around(app, "sub/Index")
    assert "See [[Index]]." in items_around(app, f"{tmp_path.name}/Index")


def test_entities_and_relations_of_a_memory_server_are_nodes_and_edges(tmp_path: Path, app: App) -> None:
    """Also where nobody is among them, each of the type that it was given."""
    lines = [
        {"type": "entity", "name": "Sluice_Monitor", "entityType": "project", "observations": ["Runs on a pole"]},
        {"type": "entity", "name": "weir gauge", "entityType": "sensor", "observations": ["Sends each minute"]},
        {"type": "entity", "name": "Amber Locks", "entityType": "company", "observations": []},
        {"type": "relation", "from": "Sluice_Monitor", "to": "weir gauge", "relationType": "reads_from"},
        {"type": "relation", "from": "Amber Locks", "to": "Sluice_Monitor", "relationType": "maintains"},
    ]
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    read(app, tmp_path)

    for name, type_ in (("Sluice Monitor", "project"), ("weir gauge", "object"), ("Amber Locks", "org")):
        found = app.explore(Exploration(name=name, depth=3, budget=100, detail="full"))
        assert found.nodes[0].type == type_
        assert found.nodes[0].name == name
        around = {one.name for one in found.nodes if one.kind == "entity"}
        assert around >= ({"weir gauge", "Amber Locks"} if name == "Sluice Monitor" else {"Sluice Monitor"})


def test_relations_of_mem0_are_edges(tmp_path: Path, app: App) -> None:
    """Between what they name, whatever it is."""
    export = {
        "results": [{"id": "m1", "memory": "Likes to row.", "hash": "f", "metadata": None, "created_at": "2026-03-01"}],
        "relations": [{"source": "red_skiff", "relationship": "is_moored_at", "target": "north_pontoon"}],
    }
    (tmp_path / "mem0.json").write_text(json.dumps(export), encoding="utf-8")
    read(app, tmp_path)
    found = app.explore(Exploration(name="red_skiff", depth=3, budget=50, detail="full"))
    assert "north pontoon" in {one.name for one in found.nodes if one.kind == "entity"}


def test_relations_of_basic_memory_are_edges(tmp_path: Path, app: App) -> None:
    """From the note to those that it names."""
    (tmp_path / "Lock Keeper Guide.md").write_text(
        "---\ntitle: Lock Keeper Guide\ntype: note\npermalink: guides/lock-keeper-guide\n---\n\n"
        "## Observations\n- [rule] Close the lower gate first #gates\n\n## Relations\n- part_of [[Canal Handbook]]\n"
        "- used_in [[Kitchen/rope beans]]\n- [[willow_tea|tea]]\n",
        encoding="utf-8",
    )
    (tmp_path / "rope beans.md").write_text("Boiled at noon.\n\nSee [[Canal Handbook]].\n", encoding="utf-8")
    read(app, tmp_path)
    for name in ("Canal Handbook", "rope beans", "willow_tea", "willow tea"):
        found = app.explore(Exploration(name=name, depth=3, budget=50, detail="full"))
        assert found.nodes[0].kind == "entity"
        assert "Lock Keeper Guide" in {one.name for one in found.nodes}, name
