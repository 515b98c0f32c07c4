"""What ranking may rely on when it chooses the chunk of a long document to show."""

import numpy as np
import pytest

from core.search import Vectors
from graph.text.term_vectors import terms
from graph.text.tokens import stems
from retrieval.scoring.excerpts import LONG, best_passages
from tests.retrieval.ranking.candidate_parts import chunk, pool_of, statistics_of, vector_of

FAR, NEAR = (0.0, 1.0), (1.0, 0.0)
QUESTION = vector_of(1, 0)


def best(texts: list[str], question: str, *, vectors: list[tuple[float, float]] | None = None) -> int:
    """Return the chunk that is chosen of a document of these, in a project of nothing else."""
    rows = [
        chunk(text, index, num_chunks=len(texts), vector=vectors[index] if vectors else None)
        for index, text in enumerate(texts)
    ]
    vector: Vectors | None = None if vectors is None else QUESTION
    weights = dict.fromkeys(terms(question), 1.0)
    [chosen] = best_passages(pool_of(*rows, dimension=2), weights, statistics_of(*texts), vector, stems(question))
    return chosen


def test_the_chunk_with_the_words_asked_for_is_chosen() -> None:
    """Without vectors too."""
    assert best(["Of boats.", "Of masts.", "Of piers."], "which mast") == 1


def test_the_chunk_nearest_in_meaning_is_chosen_where_words_say_nothing() -> None:
    """A question in other words than the text's."""
    assert best(["One.", "Two.", "Three."], "gull", vectors=[FAR, FAR, NEAR]) == 2


def test_what_is_rare_inside_the_document_sets_a_chunk_apart() -> None:
    """The document's own subject stands everywhere in it, and tells nothing of where to look."""
    texts = ["Boat boat boat boat."] + ["Of the boat."] * 9 + ["Boat mast."]
    assert best(texts, "boat mast") == 10


@pytest.mark.parametrize(("size", "chosen"), [(LONG, (4, 5, 6)), (LONG - 1, (0,))])
def test_only_in_a_long_document_the_chunks_around_count(size: int, chosen: tuple[int, ...]) -> None:
    """A discussion runs on, while a line of an agenda that is nearer stands alone."""
    vectors = [(0.7, 0.71), *[FAR] * (size - 1)]
    for index in (4, 5, 6):
        vectors[index] = (0.6, 0.8)
    assert best(["Something."] * size, "gull", vectors=vectors) in chosen


def test_the_chunk_in_which_the_one_asked_about_speaks_is_chosen() -> None:
    """By a label at the beginning of lines; other marks before a colon are none."""
    texts = ["Bo: Red.\nBo: Blue.", "Ana Lopez: Red.\nAna Lopez: Blue.", "Note: ana.\nBo: Green."]
    assert best(texts, "what does ana say") == 1
    assert best(texts, "what does Lopez say") == 1


def test_a_label_that_stands_once_names_no_speaker() -> None:
    """A heading with a colon would otherwise be one."""
    assert best(["Red.", "Red.", "Ana: Red."], "Ana", vectors=[NEAR, FAR, FAR]) == 0


def test_ties_and_documents_of_one_chunk_give_the_first() -> None:
    """Nothing sets them apart, and nothing is divided by."""
    assert best(["Red."] * 3, "red") == 0
    assert best(["Red."] * 12, "", vectors=[NEAR] * 12) == 0
    assert best(["the"], "the", vectors=[NEAR]) == 0


def test_a_chunk_without_an_embedding_is_chosen_by_its_words() -> None:
    """It came later than the others."""
    rows = [chunk("Of boats.", 0, vector=FAR), chunk("Of masts.", 1), chunk("Of piers.", 2, vector=FAR)]
    statistics = statistics_of("Of boats.", "Of masts.", "Of piers.")
    pool, weights = pool_of(*rows, dimension=2), dict.fromkeys(terms("mast"), 1.0)
    assert best_passages(pool, weights, statistics, QUESTION, stems("mast")) == [1]


@pytest.mark.parametrize(("met", "shown"), [(None, [0]), ((1.0, 0.9, 0.1), [0, 1]), ((1.0, 0.1, 0.1), [0])])
def test_a_second_chunk_is_shown_where_the_tokens_hardly_tell_them_apart(
    met: tuple[float, ...] | None, shown: list[int]
) -> None:
    """Without the states of tokens there is nothing that compares chunks so closely."""
    texts = ["Of the mast.", "Of a mast.", "Of some mast."]
    pool = pool_of(*(chunk(text, index, num_chunks=3) for index, text in enumerate(texts)), dimension=2)
    weights = dict.fromkeys(terms("mast"), 1.0)
    column = None if met is None else np.array(met)
    assert best_passages(pool, weights, statistics_of(*texts), None, [], column) == shown
