"""What the steps of ranking may rely on when candidates stand in columns."""

import numpy as np

from graph.text.term_vectors import terms
from tests.retrieval.ranking.candidate_parts import chunk, pool_of, turn


def test_a_pool_of_nothing_has_no_rows() -> None:
    """A question without candidates is no special case for a step."""
    pool = pool_of(dimension=3)
    assert (len(pool), pool.vectors.shape, len(pool.entries)) == (0, (0, 3), 0)
    assert [len(column) for column in (pool.rows, pool.lengths, pool.has_vector, pool.is_turn)] == [0] * 4


def test_each_row_keeps_its_own_terms() -> None:
    """A row of nothing but stop words has none, wherever it stands."""
    pool = pool_of(chunk("what is it"), turn("Red boats, red sails."), chunk("and so"), chunk("One mast"), chunk("the"))
    assert pool.lengths.tolist() == [0, 4, 0, 2, 0]
    red, boats, sails = terms("red boats sails")
    found = [{int(term): int(count) for term, count in pool.terms_at(row).tolist()} for row in range(5)]
    assert found == [{}, {red: 2, boats: 1, sails: 1}, {}, dict.fromkeys(terms("one mast"), 1), {}]
    assert pool.is_turn.tolist() == [False, True, False, False, False]


def test_what_has_no_embedding_of_this_length_has_zeros() -> None:
    """It is not there yet, or it is of another model: the row is told apart from one that is far from everything."""
    pool = pool_of(
        chunk(vector=(0.6, 0.8)), chunk("Not yet."), chunk("Another.", vector=(1.0, 0.0, 0.0)), turn(vector=(0.0, 1.0)),
        dimension=2,
    )  # fmt: skip
    assert pool.has_vector.tolist() == [True, False, False, True]
    assert np.allclose(pool.vectors, np.array([[0.6, 0.8], [0, 0], [0, 0], [0, 1]]))


def test_without_vectors_there_are_no_columns_of_them() -> None:
    """Dimension 0 leaves embeddings out, though the record has them."""
    pool = pool_of(chunk(vector=(0.6, 0.8)), turn(), dimension=0)
    assert (pool.vectors.shape, pool.has_vector.tolist()) == ((2, 0), [False, False])
