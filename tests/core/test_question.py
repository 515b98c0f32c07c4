"""What a user may rely on when something is asked of `recall`."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.errors import InvalidInput, MemoryServiceError, TooLarge
from core.filters import Filters
from core.interface.question import EVER, MAX_QUERY, Question
from core.knowledge.findings import CATEGORIES, EXPANDED_CATEGORIES

AT = datetime(2026, 1, 15, 12, tzinfo=UTC)


def refusal(error: type[MemoryServiceError] = InvalidInput, /, **values: Any) -> str:
    """Return the message that a question of these values is refused with."""
    with pytest.raises(error) as caught:
        Question(**({"query": "budget"} | values))
    return str(caught.value)


@pytest.mark.parametrize("values", [{}, {"as_of": "7d"}, {"limit": 5}, {"min_importance": 0.5}, {"tags": ()}])
def test_a_question_that_asks_nothing_is_refused(values: dict[str, Any]) -> None:
    """docs/interface.md `recall` mode 5, word for word."""
    assert refusal(query=None, **values) == "Must provide query, id, conversation_id, or context filter"


@pytest.mark.parametrize(
    "values",
    [
        {"query": "ab"},
        {"id": "art_0"},
        {"conversation_id": "c"},
        {"context": "note"},
        {"tags": ("a",)},
        {"date_from": "7d"},
        {"date_to": "2026-01-15"},
        {"source": "manual"},
    ],
)
def test_each_mode_of_the_contract_stands_alone(values: dict[str, Any]) -> None:
    """docs/interface.md `recall` modes 1 to 4."""
    assert Question(**values)


@pytest.mark.parametrize("query", ["", "a", "  a  "])
def test_a_query_has_2_characters_at_least(query: str) -> None:
    """White space around it does not count."""
    assert refusal(query=query) == f"query {query!r} is too short: use 2 to 5,000 characters."


def test_a_query_has_5000_characters_at_most() -> None:
    """More is `too_large`."""
    assert Question(query="q" * MAX_QUERY)
    assert refusal(TooLarge, query="q" * 5_001) == "query has 5,001 characters: use 2 to 5,000."


@pytest.mark.parametrize(
    ("field", "value", "range_"),
    [
        ("limit", 0, "1 to 1,000"),
        ("limit", 1_001, "1 to 1,000"),
        ("offset", -1, "0 to 1,000,000"),
        ("graph_budget", -1, "0 to 50"),
        ("graph_budget", 51, "0 to 50"),
        ("graph_depth", 0, "1 to 3"),
        ("graph_depth", 4, "1 to 3"),
        ("min_importance", 1.1, "0 to 1"),
        ("min_importance", float("nan"), "0 to 1"),
        ("max_tokens", 99, "100 to 10,000,000"),
    ],
)
def test_a_number_out_of_range_is_refused_naming_the_range(field: str, value: float, range_: str) -> None:
    """The message names field, value and range."""
    assert refusal(**{field: value}) == f"{field} {value!r} is out of range: use {range_}."


def test_an_unknown_choice_is_refused_naming_the_choices() -> None:
    """docs/interface.md `recall`: an unknown category is `invalid_input`."""
    assert refusal(graph_filters=("Decision", "Party")) == (
        f"graph_filters 'Party' is not valid: graph_filters must be one of {', '.join(CATEGORIES)}."
    )
    assert refusal(context="memo").startswith("context 'memo' is not valid: ")
    assert refusal(sensitivity="secret").endswith("must be one of normal, sensitive, highly_sensitive.")


@pytest.mark.parametrize("field", ["date_from", "date_to", "as_of"])
def test_dates_are_read_before_anything_is_asked(field: str) -> None:
    """A bad date is the caller's error, not an empty answer."""
    assert refusal(**{field: "someday"}).startswith(f"{field} 'someday' is not a date: ")


@pytest.mark.parametrize("field", ["id", "conversation_id", "source"])
def test_blank_names_are_refused(field: str) -> None:
    """They would match nothing, silently."""
    assert refusal(**{field: " "}).startswith(f"{field} is empty: ")


def test_tags_are_bounded_as_those_of_an_item_are() -> None:
    """An item has 200 at most, and a condition for each of thousands would break the store's statement."""
    assert refusal(tags=("a", "")).startswith("an entry of tags is empty: ")
    assert refusal(TooLarge, tags=tuple(map(str, range(201)))) == "tags has 201 entries: at most 200 are allowed."


def test_categories_default_to_three_and_keep_the_order_given() -> None:
    """docs/interface.md `recall`: default Decision, Commitment, QualityRisk; an empty list asks for none."""
    assert Question(query="budget").categories == EXPANDED_CATEGORIES == ("Decision", "Commitment", "QualityRisk")
    assert Question(query="budget", graph_filters=("Change", "Decision", "Change")).categories == ("Change", "Decision")
    assert Question(query="budget", graph_filters=()).categories == ()


def test_filters_carry_every_condition_with_dates_as_moments() -> None:
    """A day named by `date_to` or `as_of` is meant to its end."""
    question = Question(
        context="note",
        tags=("a",),
        date_from="1d",
        date_to="2026-01-15",
        conversation_id="c",
        source="s",
        sensitivity="normal",
        min_importance=0.5,
        include_stashed=False,
        as_of="2026-01-16",
    )
    assert question.filters(AT) == Filters(
        at=AT,
        context="note",
        tags=("a",),
        date_from=datetime(2026, 1, 14, 12, tzinfo=UTC),
        date_to=datetime(2026, 1, 15, 23, 59, 59, 999_999, UTC),
        conversation_id="c",
        source="s",
        sensitivity="normal",
        min_importance=0.5,
        include_stashed=False,
        as_of=datetime(2026, 1, 16, 23, 59, 59, 999_999, UTC),
    )


def test_filters_select_only_when_a_condition_is_set() -> None:
    """The vector source asks the index without filters when nothing is filtered."""
    assert not Question(query="budget").filters().selects
    assert Question(query="budget", tags=("a",)).filters().selects
    assert Question(query="budget", include_stashed=False).filters().selects
    assert not Question(date_from=EVER).filters().selects, "no item is earlier"
