"""`python -m evals.extraction`, on two small documents and the service as it is."""

from pathlib import Path

import pytest

from evals import extraction
from evals.extraction_gold import Annotated, annotated
from evals.extraction_read import superseding

NOTES = """# Boat club, 3 March 2026

We decided to paint the hull green.
Ann Bell will buy the paint by 6 March 2026.
"""
MAIL = """From: Ann Bell <ann@boats.example>
To: Bo Dahl <bo@boats.example>

The oar with the brass ring is the one that I meant.
"""


@pytest.fixture
def small(tmp_path: Path) -> Annotated:
    """Two documents: what the first holds is plain, in the second something is annotated that nobody can find."""
    for kind, name, text, told in (
        ("meetings", "club.md", NOTES, _yaml("meeting", "Decision", "We decided to paint the hull green.")),
        ("mails", "oar.txt", MAIL, _yaml("email", "Collaboration", "The oar with the brass ring")),
    ):
        folder = tmp_path / kind
        folder.mkdir()
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).with_suffix(".yaml").write_text(told, encoding="utf-8")
    links = "".join(f"{name}: []\n" for name in ("supersessions", "kept", "completions", "still_open", "identities"))
    (tmp_path / "links.yaml").write_text(links, encoding="utf-8")
    return annotated(tmp_path)


def _yaml(context: str, category: str, quote: str) -> str:
    person = "entities: [{name: Ann Bell, type: person}]"
    remember = f"remember: {{context: {context}, date: 2026-03-03}}"
    return f"{remember}\nevents: [{{category: {category}, quote: {quote}}}]\n{person}\n"


@pytest.mark.exhaustive
@pytest.mark.parametrize("asked", [[], ["--misses"]])
def test_examples_are_printed_only_when_asked_for(
    asked: list[str], small: Annotated, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever builds an extractor sees rates; the exit code says that one is below its target."""
    monkeypatch.setattr(extraction, "annotated", lambda _: small)

    code = extraction.main(asked)

    told = capsys.readouterr().out
    assert code == 1
    assert "2 events in 2 documents" in told
    assert "Collaboration (1 annotated, 0 found)" in told
    assert ("missed Collaboration: The oar with the brass ring" in told) == bool(asked)
    assert ("hull" in told) <= bool(asked)


def test_what_is_annotated_can_stand_in_for_an_extractor(
    small: Annotated, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then every event is found, and what is below its target is the fault of what comes after extraction."""
    monkeypatch.setattr(extraction, "annotated", lambda _: small)

    extraction.main(["--extractor", "annotated", "--misses"])

    told = capsys.readouterr().out
    assert "all (2 annotated, 2 found)" in told
    assert "missed" not in told.partition("mails/oar")[2]


def test_links_of_decisions_are_read_from_either_side() -> None:
    """docs/interface.md: an item names what it supersedes and what superseded it; the first, the others, or none."""
    items: list[dict[str, object]] = [
        {"id": "late", "supersedes": "middle", "also_supersedes": ["early"]},
        {"id": "middle", "supersedes": None, "superseded_by": "late", "also_superseded_by": ["latest"]},
        {"id": "alone"},
    ]

    assert set(superseding(items)) == {("late", "middle"), ("late", "early"), ("latest", "middle")}
