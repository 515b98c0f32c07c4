"""What a user may rely on when an answer is brief, or capped with `max_tokens`."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.interface.question import Question
from core.interface.results import (
    ChunkView,
    Detail,
    EventView,
    Neighbor,
    Recall,
    RelatedEvent,
    Result,
    TurnView,
    to_json,
)
from core.knowledge.findings import Actor, Entity, Evidence
from retrieval.messages.message import render_text
from retrieval.models.tokenizer import TokenTally, estimate_model_tokens
from retrieval.shapes.recall_shape import shape_recall
from tests.own_time import own_time

QUOTE = Evidence("art_000000000001", "We ship on Friday.", 0, 18)
DETAILS: tuple[Detail, ...] = ("brief", "full")


def structured(answer: Recall, detail: Detail) -> str:
    return json.dumps(to_json(answer, detail), ensure_ascii=False, separators=(",", ":"))


def size_of(answer: Recall, detail: Detail) -> int:
    """Return the tokens of the larger of the two things that are sent."""
    return max(estimate_model_tokens(structured(answer, detail)), estimate_model_tokens(render_text(answer, detail)))


def shape(answer: Recall, detail: Detail, max_tokens: int | None = None, **asked: Any) -> Recall:
    given = {"query": "When do we ship?"} | asked
    return shape_recall(answer, Question(detail=detail, max_tokens=max_tokens, **given))


def event(number: int) -> EventView:
    actors = [Actor("ent_0", "Ann", "owner")]
    proof = replace(QUOTE, artifact_id=f"art_{number:012x}")
    return EventView("evt_000000000000", "Decision", "Ship.", actors, ["x"], 0.5, [proof], status="current")


def result(number: int, content: str, *, chunk: ChunkView | None = None, events: int = 0) -> Result:
    return Result(
        id=f"art_{number:012x}",
        content=content,
        context="note",
        score=1.0 / (number + 1),
        metadata={"source": "manual", "tags": ["a"], "created_at": "2026-01-01T00:00:00Z", "author": "Ann"},
        chunk=chunk,
        events=[event(number)] * events or None,
        neighbors=[Neighbor("art_0", content, 1)] if events else None,
    )


RELATED = RelatedEvent(
    "evt_000000000001", "Decision", "Ship on Friday.", "same_actor:Ann", "art_0", 1, 0.5, evidence=[QUOTE]
)
ENTITY = Entity("ent_000000000001", "Ann Lee", "person", ("Ann",), mention_count=3)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
CONTENTS = st.builds(lambda text, times: (text + " ") * times, TEXT, st.sampled_from([1, 3, 40, 400]))
ANSWERS = st.builds(
    Recall,
    results=st.lists(st.builds(result, st.integers(0, 99), CONTENTS, events=st.integers(0, 4)), max_size=5),
    related=st.lists(st.just(RELATED), max_size=6),
    entities=st.lists(st.just(ENTITY), max_size=12),
    total_count=st.integers(0, 10**9),
    match_type=st.just("hybrid"),
    degraded=st.sampled_from([[], ["vectors"], ["vectors", "graph", "extractor"]]),
    hint=st.none() | CONTENTS,
    answer_likelihood=st.none() | st.floats(0, 1),
)
CONVERSATIONS = st.builds(
    Recall,
    match_type=st.just("conversation"),
    turns=st.lists(
        st.builds(TurnView, st.integers(0, 9), st.just("2026"), CONTENTS, st.just("art_0"), TEXT), max_size=5
    ),
    total_turns=st.integers(0, 10**9),
    conversation_id=st.none() | CONTENTS.map(lambda text: text[:2_000]),
)


@settings(max_examples=50, deadline=None)
@given(
    answer=ANSWERS | CONVERSATIONS,
    max_tokens=st.sampled_from([100, 101, 130, 200, 500, 2_000]),
    detail=st.sampled_from(DETAILS),
)
def test_an_answer_never_has_more_tokens_than_asked_for(answer: Recall, max_tokens: int, detail: Detail) -> None:
    """docs/interface.md: neither text block nor structured content; what was left out is said in `hint`."""
    whole = shape(answer, detail, 10_000_000)
    fitted = shape(answer, detail, max_tokens)
    assert size_of(fitted, detail) <= max_tokens
    if size_of(whole, detail) <= max_tokens:
        assert fitted == whole
    else:
        assert fitted.hint
    assert [item.id for item in fitted.results] == [item.id for item in answer.results[: len(fitted.results)]]
    assert bool(fitted.results) == bool(answer.results) or max_tokens < 200


@settings(max_examples=60, deadline=None)
@given(text=TEXT | CONTENTS | ANSWERS.map(lambda answer: structured(answer, "full")))
def test_counting_by_parts_is_counting(text: str) -> None:
    """What is kept of an earlier count changes no number."""
    tally = TokenTally()
    assert [tally.count(text), tally.count(text)] == [estimate_model_tokens(text)] * 2


def test_in_full_without_a_cap_nothing_is_dropped() -> None:
    """None is no limit."""
    answer = Recall(results=[result(0, "word " * 10_000)])
    assert shape(answer, "full") == answer


@pytest.mark.parametrize("detail", DETAILS)
def test_the_first_passage_is_the_last_to_go(detail: Detail) -> None:
    """Entities go first, then related events, events and fields; two short items answer in 300 tokens."""
    answer = Recall(
        results=[result(number, "We ship on Friday.", events=3) for number in range(2)],
        related=[RELATED] * 4,
        entities=[ENTITY] * 4,
    )
    for max_tokens in range(200, 1_500, 25):
        fitted = shape(answer, detail, max_tokens)
        assert fitted.results[0].content == "We ship on Friday."
        if max_tokens >= 300:
            assert len(fitted.results) == 2
        if len(fitted.related) < min(4, len(shape(answer, detail, 10_000).related)):
            assert fitted.entities == []


def test_every_result_of_a_brief_answer_has_words_title_and_day() -> None:
    """What there is no room for is counted, and the rest is shown with its words; the first ones are not cut."""
    found = [
        replace(result(number, f"We ship on Friday. {'word ' * 150}"), title=f"Plan {number}") for number in range(10)
    ]
    fitted = shape(Recall(results=found), "brief", 1_500)
    assert [item.id for item in fitted.results] == [item.id for item in found[: len(fitted.results)]]
    assert 3 <= len(fitted.results) < 10
    assert all(item.content and item.title for item in fitted.results)
    left = 10 - len(fitted.results)
    assert fitted.hint == f"Left out: {left} results (offset={len(fitted.results)})."


def test_texts_dense_in_tokens_keep_title_and_day() -> None:
    """Signs of which each is a token shorten the passages, not what says which item it is and of which day."""
    dense = "新しい水ポンプを買う。" * 110
    found = [
        replace(result(number, dense), title=f"会議 {number}", metadata={"date": "2026-03-10"}) for number in range(3)
    ]
    fitted = shape(Recall(results=found), "brief")
    assert [(item.title, item.date) for item in fitted.results] == [(f"会議 {n}", "2026-03-10") for n in range(3)]
    assert all(len(item.content) >= 200 for item in fitted.results)
    assert size_of(fitted, "brief") > 1_700


def test_a_brief_answer_has_few_fields_and_none_of_them_empty() -> None:
    """docs/interface.md: the names at the top and `metadata` are there always, the others where they say something."""
    answer = Recall(
        results=[result(1, "We ship on Friday.", events=1)], related=[RELATED], entities=[ENTITY], total_count=1
    )
    assert to_json(shape(answer, "brief", query="Who ships?"), "brief") == {
        "results": [
            {
                "id": "art_000000000001",
                "content": "We ship on Friday.",
                "context": "note",
                "score": 0.5,
                "metadata": {"tags": ["a"]},
                "author": "Ann",
                "neighbors": [{"id": "art_0", "content": "We ship on Friday.", "index": 1}],
                "events": [{"id": "evt_000000000000", "category": "Decision", "summary": "Ship.", "status": "current"}],
            }
        ],
        "related": [
            {
                "id": "evt_000000000001",
                "category": "Decision",
                "summary": "Ship on Friday.",
                "reason": "same_actor:Ann",
                "artifact_id": "art_0",
                "quote": "We ship on Friday.",
            }
        ],
        "entities": [{"id": "ent_000000000001", "name": "Ann Lee", "type": "person"}],
        "total_count": 1,
        "match_type": "hybrid",
        "degraded": [],
    }
    assert to_json(Recall(), "brief") == {
        "results": [], "related": [], "entities": [], "total_count": 0, "match_type": "hybrid", "degraded": []
    }  # fmt: skip


def test_brief_events_are_those_whose_words_stand_in_the_passage_or_beside_it() -> None:
    """What rests on another part of the item is left out, and the hint says so."""
    far = replace(event(1), evidence=[Evidence("art_000000000001", "Far away.", 9_000, 9_009)])
    near = replace(event(1), evidence=[Evidence("art_000000000001", "Close by.", 150, 159)])
    passage = replace(result(1, "We ship on Friday.", chunk=ChunkView(0, 0, 18)), events=[event(1), near, far])
    shown = shape(Recall(results=[passage]), "brief")
    assert [one.quote for one in shown.results[0].events or ()] == [None, "Close by."]
    assert shown.hint == 'Left out: 1 events (detail="full").'


def test_a_cut_chunk_keeps_its_place_in_the_item() -> None:
    """Offsets go on counting from the start of the item, and the hint has the call that goes on there."""
    chunk = result(0, "word " * 500, chunk=ChunkView(3, 7_000, 9_500))
    fitted = shape(Recall(results=[chunk]), "full", 300)
    (kept,) = fitted.results
    assert kept.chunk == ChunkView(3, 7_000, 7_000 + len(kept.content))
    assert f'recall(id="art_000000000000", text_offset={kept.chunk.end_char})' in (fitted.hint or "")


@pytest.mark.parametrize("detail", DETAILS)
def test_what_fits_with_nothing_else_is_given_by_its_place(detail: Detail) -> None:
    """The smallest cap still says where the first result is and how to get it."""
    heavy = replace(result(0, "x" * 9_000, chunk=ChunkView(2, 500, 9_500)), title="word " * 400)
    found = Recall(results=[heavy], total_count=1, hint="word " * 500)
    some, less = shape(found, detail, 230), shape(found, detail, 110)
    assert [(one.id, one.chunk) for one in some.results] == [(heavy.id, heavy.chunk)]
    call = f'recall(id="{heavy.id}", text_offset=500)'
    assert [one.hint for one in (some, less)] == [f"Too long for max_tokens: raise it, or {call}."] * 2


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("max_tokens", [250, 300, 600])
def test_the_parts_of_a_text_join_to_it(detail: Detail, max_tokens: int) -> None:
    """`next_text_offset` of one part is the `text_offset` of the next, and the last has none."""
    content = "\n\n".join(f"Paragraph {number} says 東京 and word{number}. ```" + "x" * number for number in range(30))
    answer = Recall(results=[result(1, content, events=2)], match_type="id", total_count=1)
    offset: int | None = 0
    parts = []
    while offset is not None:
        part = shape(answer, detail, max_tokens, id="art_000000000001", query=None, text_offset=offset)
        assert size_of(part, detail) <= max_tokens
        assert part.results[0].content
        parts.append(part.results[0].content)
        offset = part.next_text_offset
    assert "".join(parts) == content
    assert len(parts) > 1


def test_an_offset_past_the_end_says_the_length() -> None:
    """The caller learns how long the text is."""
    answer = Recall(results=[result(1, "x" * 1_234)], match_type="id")
    with pytest.raises(InvalidInput, match="1,234 characters"):
        shape(answer, "brief", id="art_000000000001", query=None, text_offset=1_234)


def test_a_small_cap_on_a_huge_answer_is_quick() -> None:
    """A thousand results of a chunk each are not counted to the last token again and again."""
    answer = Recall(results=[result(number, "several words of text " * 180) for number in range(1_000)])
    assert size_of(shape(answer, "full", 1_000), "full") <= 1_000
    assert own_time(lambda: size_of(shape(answer, "full", 1_000), "full")) < 10
