"""The documents that the judgement of sentences is fitted to."""

from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.knowledge.findings import CATEGORIES
from evals import marked_documents
from evals.marked_documents import LETTERS, MARKED
from ingest.extract.local.extractor import make_draft


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that documents are read from."""
    monkeypatch.setattr(marked_documents, "MARKED", tmp_path)
    return tmp_path


def test_every_document_can_be_read_and_tells_something() -> None:
    """A typing error in a mark would teach that an event is none."""
    documents = marked_documents.marked_documents()
    assert len(documents) > 100
    assert all(document.told(make_draft(document.artifact))[0].any() for document in documents[:20])


def test_every_sentence_alone_has_a_letter() -> None:
    """The letter and a blank, then the sentence."""
    lines = (MARKED / "sentences.txt").read_text(encoding="utf-8").splitlines()
    assert all(line[0] in LETTERS and line[1] == " " for line in lines if line and not line.startswith("#"))


def test_marks_are_told_by_the_passages_that_have_their_words(folder: Path) -> None:
    """Two letters are two events; the marks themselves are no part of the text."""
    text = (
        "context: note\ntitle: Fence\n\nIt rained. [[DH:The gate moves north.]] [[X:The hinges are oiled]], says Bo.\n"
    )
    (folder / "note.md").write_text(text, encoding="utf-8")
    (document,) = marked_documents.marked_documents()
    content = document.artifact.memory.content
    assert content.strip() == "It rained. The gate moves north. The hinges are oiled, says Bo."
    assert [content[event.start : event.end] for event in document.events][1:] == [
        "The gate moves north.",
        "The hinges are oiled",
    ]
    told = [{CATEGORIES[at] for at in row.nonzero()[0]} for row in document.told(make_draft(document.artifact))[0]]
    assert told == [set(), {"Decision", "Change"}, {"Execution"}]


@pytest.mark.parametrize(
    "text", ["context: note\n\nNo mark.\n", "context: note\n\n[[D:One]] [[Z:two]]\n", "title: A\n\n[[D:One]]\n"]
)
def test_a_document_that_is_not_marked_well_is_refused(folder: Path, text: str) -> None:
    """Better no weights than weights from what was misread."""
    (folder / "note.md").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"note\.md"):
        marked_documents.marked_documents()
