"""Links between notes are in the graph: what a note names, what it is called, and who else names it."""

from pathlib import Path
from typing import Any

import pytest

from core.interface.question import Exploration
from core.knowledge.findings import Extraction, FoundEntity, Span
from ingest.document.evidence import verify_evidence
from ingest.extract import declared
from ingest.extract.declared import add_links
from ingest.intake.files import ingest
from service.app import App
from tests.ingest.extracting import artifact_of
from tests.own_time import own_time


def links(content: str, found: Extraction | None = None, **fields: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return of each entity its type and the words at its mentions."""
    entities = add_links(artifact_of(content, **fields), found or Extraction()).entities
    assert verify_evidence(content, Extraction(entities)).entities == entities
    return {
        one.name: (one.type, tuple(content[span.start_char : span.end_char] for span in one.mentions))
        for one in entities
    }


def test_links_name_things_and_people() -> None:
    """Folders, headings, blocks and shown words are no part of a name; a name counts once in any case."""
    content = (
        "See [[plans/Harbour plan#Berths|the plan]], [[harbour Plan.md]] and [[Crane^a1]].\n"
        "| [[Mei Tanaka\\|Mei]] | ![[map.png|300]] |\n"
    )
    assert links(content) == {
        "Harbour plan": ("object", ("Harbour plan", "harbour Plan")),
        "Crane": ("object", ("Crane",)),
        "Mei Tanaka": ("person", ("Mei Tanaka",)),
        "map.png": ("object", ("map.png",)),
    }


def test_code_and_days_are_no_links() -> None:
    """A shell's test, a list of lists, and the pages of a journal."""
    assert links("```sh\nif [[a]]; then\n```\n`[[b]]` [[ -f c ]] [[2026-02-10]] [[]] [[#Heading]]\n[[d\ne]]") == {}
    assert links("~~~\n[[a]]") == {}


def test_what_is_found_already_gets_the_place_of_the_link() -> None:
    """One entity, of the type that its sentence tells, and no place twice."""
    content = "[[Acme Ltd]] and [[acme ltd]]"
    span = Span(2, 10)
    found = Extraction((FoundEntity("Acme Ltd", "org", mentions=(span,)),))
    assert links(content, found) == {"Acme Ltd": ("org", ("Acme Ltd", "acme ltd"))}


def test_a_linked_note_is_about_its_own_name() -> None:
    """With the aliases of its fields, whose links count, too; what has no place stands for its first line."""
    metadata = {"aliases": ["HP"], "up": "[[Ports]]", "tags": ["a"]}
    artifact = artifact_of("# Berths\n\nThey are full.", file_path="/v/Harbour plan.md", metadata=metadata)
    (up, own) = add_links(artifact, Extraction()).entities
    assert (up.name, own.name, own.aliases) == ("Ports", "Harbour plan", ("HP",))
    assert own.mentions == up.mentions == (Span(2, 8),)
    assert links("Words.", file_path="/v/Harbour plan.md") == {}
    assert links("# Harbour plan", file_path="/v/Harbour plan.md", title="Harbour plan").keys() == {"Harbour plan"}
    assert links("[[Ports]]", file_path="/v/README.md").keys() == {"Ports"}


@pytest.mark.parametrize("piece", ["[[", "[[a|", "[[a]] ", "```\n", "[[a/", "`[[a]]`", "[[a\n"])
def test_long_hostile_notes_take_no_time(piece: str) -> None:
    """Linear in the text, and only so many names and places are kept."""
    content = piece * (500_000 // len(piece))
    artifact = artifact_of(content, file_path="/v/a.md")
    entities = add_links(artifact, Extraction()).entities
    assert own_time(lambda: add_links(artifact, Extraction())) < 2
    assert sum(len(one.mentions) for one in entities) <= 2 * declared.MOST


@pytest.mark.exhaustive
def test_notes_meet_in_the_graph(tmp_path: Path, app: App) -> None:
    """Issue 23: from a note to those that it links to, and to those that link to it."""
    notes = {
        "Harbour plan.md": "---\naliases: [HP]\n---\nEvery berth gets a crane.",
        "A week.md": "Read the [[Harbour plan|HP]] again, with [[Mei Tanaka]].",
        "Ports.md": "- [[Harbour plan]]\n- [[Airfield]]",
    }
    for name, text in notes.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = sorted(tmp_path.glob("*.md"))
    list(ingest(files, "default", context=None, records=app.store, tokenizer=app.tokenizer))
    app.worker.drain()

    found = app.explore(Exploration(name="harbour plan", detail="full"), "default")
    assert {node.name for node in found.nodes if node.kind == "item"} == {"Harbour plan", "A week", "Ports"}
    items = {node.name: node.id for node in found.nodes if node.kind == "item"}
    assert app.explore(Exploration(name="HP"), "default").nodes[0].name == "Harbour plan"
    around = app.explore(Exploration(id=items["Ports"], depth=2, detail="full"), "default")
    assert {"Airfield", "Harbour plan", "A week"} <= {node.name for node in around.nodes}
