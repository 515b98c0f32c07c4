"""What a user may rely on when something is given to `remember`."""

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates import now
from core.errors import InvalidInput, MemoryServiceError, TooLarge
from core.interface.memory import (
    CONTEXTS,
    MAX_CONTENT,
    MAX_ENTRIES,
    MAX_FIELD,
    MAX_METADATA,
    MAX_TURN_INDEX,
    Memory,
    RetentionPolicy,
    Sensitivity,
    VisibilityScope,
    check_project_id,
)

LINE_FIELDS = [
    "source", "title", "author", "conversation_id", "role", "key", "category", "file_path", "task_id", "source_id",
    "source_url", "source_type", "document_status", "author_title", "distribution_scope",
]  # fmt: skip


def refusal(error: type[MemoryServiceError] = InvalidInput, /, **values: Any) -> str:
    """Return the message that a memory of these values is refused with."""
    with pytest.raises(error) as caught:
        Memory(**({"content": "Text."} | values))
    return str(caught.value)


def turn(conversation_id: str, turn_index: int) -> Memory:
    return Memory(content="Yes.", context="conversation", conversation_id=conversation_id, turn_index=turn_index)


# Validation


def test_all_contexts_of_the_contract_are_valid() -> None:
    """docs/interface.md `remember` lists seventeen."""
    named = (
        "meeting, email, document, chat, transcript, note, preference, fact, decision, project, conversation, task, "
        "reference, correction, anti_pattern, insight, stash"
    )
    assert ", ".join(CONTEXTS) == named
    for context in CONTEXTS:
        Memory.from_fields("Text.", {"context": context, "conversation_id": "c", "turn_index": 1})


@pytest.mark.parametrize(
    ("field", "choices"),
    [
        ("context", CONTEXTS),
        ("sensitivity", get_args(Sensitivity)),
        ("visibility_scope", get_args(VisibilityScope)),
        ("retention_policy", get_args(RetentionPolicy)),
    ],
)
def test_a_value_outside_its_choices_is_refused_naming_them_all(field: str, choices: tuple[str, ...]) -> None:
    """A client can mend the call from the message alone."""
    expected = f"{field} 'zzz' is not valid: {field} must be one of {', '.join(choices)}."
    assert refusal(**{field: "zzz"}) == expected


@pytest.mark.parametrize(
    ("given_", "meant"),
    [("meting", "meeting"), ("Anti-Pattern", "anti_pattern"), ("desicion", "decision"), ("emails", "email")],
)
def test_a_mistyped_choice_is_answered_with_the_nearest(given_: str, meant: str) -> None:
    """Whatever its case and separators."""
    assert refusal(context=given_).startswith(f"context {given_!r} is not valid: did you mean {meant!r}? context must")


@pytest.mark.parametrize("given_", [{}, {"conversation_id": "c"}, {"turn_index": 3}])
def test_a_turn_needs_conversation_id_and_turn_index(given_: dict[str, Any]) -> None:
    """docs/interface.md `remember`: `invalid_input` naming both."""
    message = refusal(context="conversation", **given_)
    assert message == 'context "conversation" needs both conversation_id and turn_index.'


@pytest.mark.parametrize("index", [-1, MAX_TURN_INDEX + 1])
def test_a_turn_index_is_a_whole_number_from_0(index: int) -> None:
    """Larger numbers than 2**53 do not survive every client's JSON."""
    assert refusal(turn_index=index) == f"turn_index {index} is out of range: use a whole number from 0."


@pytest.mark.parametrize("content", ["", " ", "\n\t\u3000"])
def test_blank_content_is_refused(content: str) -> None:
    """docs/interface.md `remember`: not only white space."""
    assert refusal(content=content) == "content is empty: it needs at least one character that is not white space."


def test_content_over_the_limit_is_too_large() -> None:
    """Ten million characters are allowed, one more is not."""
    assert Memory(content="x" * MAX_CONTENT)
    message = refusal(TooLarge, content="x" * (MAX_CONTENT + 1))
    assert message == "content has 10,000,001 characters: at most 10,000,000 are allowed, so split it."


@pytest.mark.parametrize("field", LINE_FIELDS)
def test_every_text_field_is_bounded_and_not_blank(field: str) -> None:
    """A field given as nothing is a mistake of the caller, told at once."""
    rest = {} if field == "context" else {"conversation_id": "c", "turn_index": 0}
    assert refusal(**(rest | {field: "  "})).startswith(f"{field} is empty: ")
    assert refusal(TooLarge, **(rest | {field: "x" * (MAX_FIELD + 1)})).startswith(f"{field} has 2,001 characters: ")


@pytest.mark.parametrize("field", ["content", "title", "key"])
def test_half_a_surrogate_pair_becomes_a_replacement_character(field: str) -> None:
    """No store can keep it; two halves that follow each other are the character that they make."""
    memory = Memory(**({"content": "x"} | {field: "a\ud800 \ud83d\ude00"}))  # type: ignore[arg-type] # one of many fields
    assert getattr(memory, field) == "a\ufffd 😀"


@pytest.mark.parametrize("field", ["tags", "participants"])
def test_lists_are_bounded_and_hold_no_blanks(field: str) -> None:
    """The message names the list, since a caller sees no positions."""
    assert refusal(**{field: ("a", " ")}).startswith(f"an entry of {field} is empty: ")
    assert (
        refusal(TooLarge, **{field: ("a",) * (MAX_ENTRIES + 1)}) == f"{field} has 201 entries: at most 200 are allowed."
    )


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf")])
def test_importance_runs_from_0_to_1(value: float) -> None:
    """docs/interface.md `remember`."""
    assert refusal(importance=value) == f"importance {value!r} is out of range: use a number from 0 to 1."


@pytest.mark.parametrize("field", ["date", "document_date", "expires_at"])
def test_dates_are_checked_at_the_door(field: str) -> None:
    """A date that can't be read would otherwise fail at some later recall."""
    assert refusal(**{field: "next week"}).startswith(f"{field} 'next week' is not a date: ")


@pytest.mark.parametrize("scope", ["universal", "language:Rust", "project:Atlas two"])
def test_scopes_of_the_contract_are_valid(scope: str) -> None:
    """docs/interface.md `memory_context`."""
    assert Memory(content="Text.", scope=scope).scope == scope


@pytest.mark.parametrize("scope", ["global", "language:", "project: x", "language:a\nb", "universal "])
def test_another_scope_is_refused(scope: str) -> None:
    """It would never be found by `memory_context`."""
    assert refusal(scope=scope).endswith("is not valid: use universal, language:NAME or project:NAME.")


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize("metadata", [{"a": {1, 2}}, {"a": float("nan")}, nested(100_000)], ids=type)
def test_metadata_that_is_no_json_is_refused(metadata: dict[str, Any]) -> None:
    """It is kept and given back as JSON."""
    message = refusal(metadata=metadata)
    assert message.startswith("metadata can't be written as JSON (")
    assert message.endswith("): use plain JSON values.")


def test_metadata_is_bounded_in_bytes() -> None:
    """100,000 bytes of JSON, whatever the script."""
    assert refusal(TooLarge, metadata={"a": "é" * MAX_METADATA}) == (
        "metadata takes 200,009 bytes of JSON: at most 100,000 are allowed."
    )


@pytest.mark.parametrize("project_id", ["default", "a", "A.b_c-9", "x" * 64, "..", "-"])
def test_a_project_id_is_1_to_64_plain_characters(project_id: str) -> None:
    """docs/interface.md, tools: `project_id`."""
    assert check_project_id(project_id) == project_id


@pytest.mark.parametrize("project_id", ["", "x" * 65, "a b", "a/b", "é", "a\n", "\u0661"])
def test_another_project_id_is_refused(project_id: str) -> None:
    """It becomes part of names in every store."""
    with pytest.raises(InvalidInput, match="use 1 to 64 letters, digits, dots, underscores or hyphens"):
        check_project_id(project_id)


# Identity


def test_the_same_words_of_the_same_origin_are_one_item() -> None:
    """Judgements about an item (importance, tags, …) do not make it another."""
    plain = Memory(content="Text.")
    judged = Memory(
        content="Text.",
        importance=0.9,
        tags=("a",),
        participants=("Ann",),
        metadata={"a": 1},
        sensitivity="sensitive",
        expires_at="2030-01-01",
        category="style",
        task_id="t",
    )
    assert plain.fingerprint("p") == judged.fingerprint("p")


def test_blanks_at_the_ends_of_lines_are_nothing_new_wherever_a_long_text_is_cut() -> None:
    """It is compared piece by piece; blank lines within it count."""
    lines = [f"- line {number}" for number in range(150_000)]
    stored, again, other = ("\n".join(some) for some in (lines, (f"{one} \t" for one in lines), [*lines, "", "x"]))
    assert len(stored) > 1_900_000
    assert Memory(content=stored).fingerprint("p") == Memory(content=again).fingerprint("p")
    assert Memory(content=stored).fingerprint("p") != Memory(content=other).fingerprint("p")


@pytest.mark.parametrize(
    "other",
    [
        {"content": "Text"},
        {"context": "note"},
        {"key": "k"},
        {"title": "t"},
        {"author": "a"},
        {"date": "2026-01-15"},
        {"document_date": "2026-01-15"},
        {"source": "s"},
        {"source_id": "s"},
        {"source_url": "s"},
        {"file_path": "s"},
        {"role": "s"},
        {"scope": "project:x"},
        {"conversation_id": "c"},
        {"turn_index": 0},
    ],
)
def test_words_of_another_origin_are_another_item(other: dict[str, Any]) -> None:
    """Where a thing comes from is part of what it is."""
    assert Memory(content="Text.").fingerprint("p") != Memory(**({"content": "Text."} | other)).fingerprint("p")


def test_projects_do_not_share_items() -> None:
    """docs/interface.md: nothing of one project is visible from another."""
    assert Memory(content="Text.").fingerprint("p") != Memory(content="Text.").fingerprint("q")


def test_two_turns_with_the_same_words_are_two_items() -> None:
    """docs/interface.md `remember`."""
    assert len({turn(name, index).fingerprint("p") for index in (0, 1) for name in "ab"}) == 4


def test_values_do_not_slide_from_one_field_into_the_next() -> None:
    """A key `x` and a role `x` are not the same identity."""
    assert Memory(content="Text.", source_id="x").fingerprint("p") != Memory(
        content="Text.", source_url="x"
    ).fingerprint("p")


def test_remembering_again_renews_judgements_that_were_given() -> None:
    """Defaults say nothing, so they take nothing back."""
    first = Memory(content="Text.", importance=0.9, tags=("a",), category="style")
    later = Memory(content="Text.", tags=("b",), sensitivity="sensitive")
    assert first.updated_with(later, datetime(2026, 1, 1, tzinfo=UTC)) == Memory(
        content="Text.", importance=0.9, tags=("b",), category="style", sensitivity="sensitive"
    )


@pytest.mark.parametrize("later", [None, "2027-01-01"])
def test_what_has_expired_holds_again_when_it_is_said_again(later: str | None) -> None:
    """An expiry ahead stays if nothing is said of it; one that has passed gives way to what is said now."""
    first = Memory(content="Text.", expires_at="2026-01-01")
    again = Memory(content="Text.", expires_at=later)

    assert first.updated_with(again, datetime(2026, 1, 1, tzinfo=UTC)) == again
    assert first.updated_with(again, datetime(2025, 12, 31, tzinfo=UTC)).expires_at == (later or "2026-01-01")


@pytest.mark.parametrize(
    ("policy", "given", "stored"),
    [
        ("1y", None, "2027-03-03"),
        ("1y", "2026-05-01", "2026-05-01"),
        ("1y", "2030-01-01", "2027-03-03"),
        ("forever", "2030-01-01", "2030-01-01"),
        ("custom", None, None),
        ("until_resolved", None, None),
    ],
)
def test_a_retention_of_a_year_is_an_expiry(policy: str, given: str | None, stored: str | None) -> None:
    """docs/interface.md remember: `1y` ends 365 to 366 days after storing; an earlier `expires_at` stays."""
    memory = Memory.from_fields("Text.", {"retention_policy": policy, "expires_at": given})

    assert memory.with_retention(datetime(2026, 3, 2, 18, tzinfo=UTC)).expires_at == stored


# Moments


def test_an_item_happened_at_its_date_before_its_document_date() -> None:
    """The two are different facts; `date` is the one that filters use."""
    both = Memory(content="Text.", date="2026-01-15", document_date="2026-01-10")
    assert both.moment() == Memory(content="Text.", date="2026-01-15T00:00:00Z").moment()
    assert Memory(content="Text.", document_date="2026-01-15").moment() == both.moment()
    assert Memory(content="Text.").moment() is None


def test_an_item_without_expiry_never_expires() -> None:
    """None means never."""
    assert Memory(content="Text.").expiry() is None


# Round trips

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
DATES = st.sampled_from(["2026-01-15", "2026-01-15T09:30:00Z", "0001-01-01", "20260115"])
MEMORIES = st.builds(
    Memory,
    content=TEXT,
    context=st.sampled_from(sorted(set(CONTEXTS) - {"conversation"})),
    importance=st.floats(0, 1),
    tags=st.lists(TEXT, max_size=3).map(tuple),
    participants=st.lists(TEXT, max_size=3).map(tuple),
    turn_index=st.none() | st.integers(0, MAX_TURN_INDEX),
    metadata=st.none() | st.dictionaries(TEXT, JSON, max_size=3),
    sensitivity=st.sampled_from(get_args(Sensitivity)),
    **{name: st.none() | DATES for name in ("date", "document_date", "expires_at")},
    **{name: TEXT if name == "source" else st.none() | TEXT for name in LINE_FIELDS},
)


@given(memory=MEMORIES)
def test_a_memory_is_built_again_from_what_was_given(memory: Memory) -> None:
    """Stores and exports keep `given` and nothing else; the check-free way must not differ."""
    assert Memory.from_fields(memory.content, memory.given()) == memory
    assert Memory.from_fields_unchecked(memory.content, memory.given()) == memory


@given(memory=MEMORIES)
def test_what_was_given_leaves_out_what_was_not(memory: Memory) -> None:
    """docs/interface.md `recall`: metadata carries every field under the same name; absent fields are absent."""
    facts = memory.given()
    assert "content" not in facts
    assert None not in facts.values()
    assert [] not in [facts.get("tags"), facts.get("participants")]
    assert set(facts) <= {item.name for item in fields(Memory)}


def test_what_somebody_said_stays_trusted_when_a_file_says_it_too() -> None:
    """docs/interface.md `ingest`: an item is untrusted as long as only files that are not trusted have said it."""
    said, read = (
        Memory(content="Use tabs.", context="preference"),
        Memory(content="Use tabs.", context="preference", trusted=False),
    )

    assert [read.updated_with(read, now()).trusted, read.updated_with(said, now()).trusted] == [False, None]
    assert [said.updated_with(read, now()).trusted, said.updated_with(said, now()).trusted] == [None, None]
    assert (said.rule_scope, read.rule_scope) == ("universal", None)
    assert Memory.from_fields(read.content, read.given()) == read
