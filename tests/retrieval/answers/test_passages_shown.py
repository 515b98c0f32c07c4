"""What is shown of a long item of which two passages may answer."""

from dataclasses import replace

from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from core.interface.results import ChunkView
from core.knowledge.findings import Span
from graph.text.term_vectors import terms
from retrieval.answers.views import add_excerpts
from service.app import App

FILLER = "Somebody swept the yard and somebody else counted the crates. " * 60
TEXT = f"The crane was painted in May. {FILLER}The crane was tested in June. {FILLER}"
TESTED = TEXT.index("The crane was tested")


def test_the_first_results_show_both_passages_and_further_ones_the_best(app: App) -> None:
    """In no more characters than one passage would take."""
    for number in range(4):
        app.remember(Memory(content=f"{TEXT}{number}"), "default")
    found = app.recaller.find("default", "crane", Filters(at=now()), limit=4)
    results = [replace(result, chunk=ChunkView(0, 0, 30)) for result in found.results]
    seconds = {result.id: Span(TESTED, TESTED + 30) for result in results}
    worth = dict.fromkeys(terms("crane"), 1.0)
    *first, last = [one.content for one in add_excerpts(results, found.artifacts, worth, 2_000, seconds)]
    assert all("painted" in text and "tested" in text for text in first)
    assert "painted" in last
    assert "tested" not in last
    assert max(map(len, first)) <= 1_200
