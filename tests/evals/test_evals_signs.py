"""What `python -m evals.signs` asks, without measuring."""

from evals.signs import KINDS, PlainBM25, askings, signs


def test_each_kind_is_asked_for_in_three_ways() -> None:
    """The same ones each time, those mistyped never a sign that another note has."""
    made = signs(400)
    asked = askings(made)
    given = {sign.casefold() for sign, _ in made}

    assert [len({one.kind for one in some}) for some in asked.values()] == [len(KINDS)] * 3
    bare, within, mistyped = asked.values()
    assert len(bare) == len(within) == 240
    assert all(made[one.note][0] == one.query for one in bare)
    assert all(made[one.note][0] in one.query for one in within)
    assert len(mistyped) >= 230
    assert given.isdisjoint(one.query.casefold() for one in mistyped)
    assert asked == askings(signs(400))


def test_plain_bm25_ranks_what_has_the_rarer_word_first() -> None:
    """Of equal ones the first stored."""
    plain = PlainBM25(["a red crate", "a blue crate", "a blue box"])
    assert plain.best("blue crate", 3) == [1, 0, 2]
    assert plain.best("the RED one", 3) == [0]
