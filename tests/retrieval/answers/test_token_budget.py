"""What a user may rely on when an answer is capped with `max_tokens`."""

import json
import time
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.interface.results import ChunkView, EventView, Neighbor, Recall, RelatedEvent, Result, TurnView, to_json
from core.knowledge.findings import Actor, Entity, Evidence
from retrieval.answers.token_budget import fit
from retrieval.models.tokenizer import WordPieces

TOKENIZER = WordPieces(window_tokens=254, window_bytes=100_000)
QUOTE = Evidence("art_000000000001", "We ship on Friday.", 0, 18)


def size_of(answer: Recall) -> int:
    return TOKENIZER.count(json.dumps(to_json(answer), ensure_ascii=False))


def result(number: int, content: str, *, chunk: ChunkView | None = None, events: int = 0) -> Result:
    event = EventView("evt_000000000000", "Decision", "Ship.", [Actor("ent_0", "Ann", "owner")], ["x"], 0.5, [QUOTE])
    return Result(
        id=f"art_{number:012x}",
        content=content,
        context="note",
        score=1.0 / (number + 1),
        metadata={"source": "manual", "tags": ["a"]},
        chunk=chunk,
        events=[event] * events or None,
        neighbors=[Neighbor("art_0", content, 1)] if events else None,
    )


RELATED = RelatedEvent("evt_000000000001", "Decision", "Ship on Friday.", "same_actor:Ann", 1, 0.5, "art_0", [QUOTE])
ENTITY = Entity("ent_000000000001", "Ann Lee", "person", ("Ann",), mention_count=3)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
CONTENTS = st.builds(lambda text, times: (text + " ") * times, TEXT, st.sampled_from([1, 3, 40, 400]))
ANSWERS = st.builds(
    Recall,
    results=st.lists(st.builds(result, st.integers(0, 99), CONTENTS, events=st.integers(0, 4)), max_size=5),
    related=st.lists(st.just(RELATED), max_size=6),
    entities=st.lists(st.just(ENTITY), max_size=12),
    total_count=st.integers(0, 10**9),
    degraded=st.sampled_from([[], ["vectors"], ["vectors", "graph", "extractor"]]),
    hint=st.none() | CONTENTS,
    turns=st.none()
    | st.lists(st.builds(TurnView, TEXT, st.integers(0, 9), st.just("2026"), CONTENTS, st.just("art_0")), max_size=5),
    conversation_id=st.none() | CONTENTS.map(lambda text: text[:2_000]),
)


@settings(max_examples=60, deadline=None)
@given(answer=ANSWERS, max_tokens=st.sampled_from([100, 101, 130, 200, 500, 2_000]))
def test_an_answer_never_has_more_tokens_than_asked_for(answer: Recall, max_tokens: int) -> None:
    """docs/interface.md `recall`: `max_tokens` caps the whole response; what was dropped is said in `hint`."""
    fitted = fit(answer, max_tokens, TOKENIZER)
    assert size_of(fitted) <= max_tokens
    if size_of(answer) <= max_tokens:
        assert fitted == answer
    elif answer.results or answer.related or answer.entities or answer.turns:
        assert "max_tokens" in (fitted.hint or "")


@settings(max_examples=60, deadline=None)
@given(answer=ANSWERS, max_tokens=st.sampled_from([150, 400, 1_500]))
def test_what_is_kept_is_the_beginning_of_each_list(answer: Recall, max_tokens: int) -> None:
    """Lists are ordered by relevance, so the end goes first."""
    fitted = fit(answer, max_tokens, TOKENIZER)
    assert fitted.related == answer.related[: len(fitted.related)]
    assert fitted.entities == answer.entities[: len(fitted.entities)]
    assert [item.id for item in fitted.results] == [item.id for item in answer.results[: len(fitted.results)]]
    assert (fitted.total_count, fitted.degraded) == (answer.total_count, answer.degraded)


def test_without_a_cap_nothing_is_dropped() -> None:
    """None is no limit."""
    answer = Recall(results=[result(0, "word " * 10_000)])
    assert fit(answer, None, TOKENIZER) is answer


def test_entities_go_before_related_events_and_these_before_results() -> None:
    """What answers the question goes last, and the hint counts what went."""
    answer = Recall(
        results=[result(number, "Ship on Friday.") for number in range(4)], related=[RELATED] * 4, entities=[ENTITY] * 4
    )
    without_entities = fit(answer, size_of(answer) - 100, TOKENIZER)
    assert len(without_entities.results) == len(without_entities.related) == 4
    gone = 4 - len(without_entities.entities)
    assert without_entities.hint == (
        f"Dropped to fit max_tokens: {gone} entities. Raise max_tokens or narrow the query."
    )
    one = fit(answer, size_of(Recall(results=answer.results[:1])) + 60, TOKENIZER)
    assert [len(one.results), len(one.related), len(one.entities)] == [1, 0, 0]
    assert one.hint == (
        "Dropped to fit max_tokens: 4 entities, 4 related, 3 results. Raise max_tokens or narrow the query."
    )


def test_a_single_long_result_is_cut_and_says_where() -> None:
    """The cut text is a verbatim slice of the item."""
    content = " ".join(f"word{number}" for number in range(3_000))
    fitted = fit(Recall(results=[result(0, content, events=3)], total_count=1), 400, TOKENIZER)
    (kept,) = fitted.results
    assert kept.chunk is not None
    assert (kept.chunk.index, kept.chunk.start_char) == (0, 0)
    assert kept.content == content[: kept.chunk.end_char]
    assert kept.events is None
    assert kept.neighbors is None
    assert size_of(fitted) > 380
    assert fitted.hint == (
        f"Cut to fit max_tokens: the first {len(kept.content)} of {len(content)} characters of {kept.id}, without its "
        "events. Raise max_tokens for the rest."
    )


def test_a_cut_chunk_keeps_its_place_in_the_item() -> None:
    """Offsets go on counting from the start of the item, not of the chunk."""
    chunk = result(0, "word " * 500, chunk=ChunkView(3, 7_000, 9_500))
    (kept,) = fit(Recall(results=[chunk]), 300, TOKENIZER).results
    assert kept.chunk == ChunkView(3, 7_000, 7_000 + len(kept.content))


def test_a_result_that_can_not_be_cut_enough_is_named() -> None:
    """Metadata is given whole or not at all."""
    heavy = replace(result(0, "Short."), metadata={"metadata": {"a": "word " * 2_000}})
    fitted = fit(Recall(results=[heavy], total_count=1), 100, TOKENIZER)
    assert fitted.results == []
    assert fitted.hint == "Nothing fits max_tokens: raise it, or ask for id art_000000000000 alone."


def test_a_small_cap_on_a_huge_answer_is_quick() -> None:
    """A thousand results of a chunk each are not counted to the last token again and again."""
    answer = Recall(results=[result(number, "several words of text " * 180) for number in range(1_000)])
    begin = time.process_time()
    assert size_of(fit(answer, 1_000, TOKENIZER)) <= 1_000
    assert time.process_time() - begin < 10
