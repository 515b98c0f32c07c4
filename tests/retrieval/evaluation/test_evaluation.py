"""What `evaluate` asks of a memory and makes of the answers, over real stores."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFound
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.results import to_json
from graph.store import Store
from retrieval.evaluation import Comparison, Evaluation, Sampled, draw_sample, evaluate
from retrieval.evaluation.sample import DocumentFrequency, make_question, sentences, specific_words, split_pieces
from service.app import App

#: Each of these embeds long texts or builds a store of its own: over a second.
pytestmark = pytest.mark.exhaustive

HARBOUR = [
    "The harbour office raised mooring fees for large fishing boats in spring.",
    "Our bakery orders forty sacks of rye flour from the northern mill every month.",
    "Children painted the lighthouse stairs yellow during the summer festival week.",
    "A storm broke two windows of the school gymnasium last Thursday night.",
    "The library lends telescopes to members who attend an astronomy evening.",
    "Ferry tickets can be changed free of charge until midnight before departure.",
    "The town museum found a copper compass behind the old chimney wall.",
    "Volunteers planted three hundred oak seedlings along the railway embankment.",
]
#: Three pairs: each two items are connected by a person, and the words of one are not those of the other.
PAIRS = [
    ("Dana Whitfield will deliver twelve copper valves for the pump station by 2026-03-20.",
     "We decided that Dana Whitfield takes over the night shift in the archive from April."),
    ("Omar Haddad will repair the broken elevator cable in the granary tower by 2026-04-11.",
     "We decided that Omar Haddad moves to the branch office overseas for half a year."),
    ("Lucia Ferrante will translate the insurance contract for the Portuguese partner by 2026-05-02.",
     "We decided that Lucia Ferrante represents the choir at the regional contest."),
]  # fmt: skip
LANGUAGES = [
    "Die Bäckerei am Marktplatz bestellt jeden Monat vierzig Säcke Roggenmehl aus der nördlichen Mühle.",
    "Пекарня на площади каждый месяц заказывает сорок мешков ржаной муки с северной мельницы.",
    "广场上的面包店每个月都会从北方的磨坊订购四十袋黑麦面粉。",
    "ร้านเบเกอรี่ที่จัตุรัสสั่งแป้งข้าวไรย์สี่สิบกระสอบจากโรงสีทางเหนือทุกเดือน",
    "광장의 빵집은 매달 북쪽 방앗간에서 호밀가루 마흔 자루를 주문한다.",
]


def keep(app: App, *contents: str, **values: str) -> list[str]:
    return [app.remember(Memory(content=content, **values), wait=True).id for content in contents]  # type: ignore[arg-type]


def drawn(app: App, *, wanted: int = 50, seed: int = 7, project_id: str = "default") -> Sampled:
    return draw_sample(app.store, project_id, wanted=wanted, seed=seed)


def timeless(compared: Comparison) -> Comparison:
    on = replace(compared.graph_on, median_ms=0.0, p95_ms=0.0)
    return replace(compared, graph_on=on, graph_off=replace(compared.graph_off, median_ms=0.0, p95_ms=0.0))


def quality(found: Evaluation) -> Evaluation:
    """Return all figures but the times."""
    bridges = None if found.bridges is None else timeless(found.bridges)
    return replace(found, known_items=timeless(found.known_items), bridges=bridges)


# Wording


@given(st.text(), st.integers())
def test_a_question_is_made_of_some_words_of_the_text_in_their_order(text: str, seed: int) -> None:
    """Whatever the text: three to five of its telling words, never a run of it as it stands."""
    frequency = DocumentFrequency()
    frequency.add(text)
    question = make_question(text, frequency, random.Random(seed))
    if question is not None:
        rest = iter(specific_words(text, frequency))
        assert all(word in rest for word in question.split(" "))
        assert 3 <= len(question.split(" ")) <= 5
        assert f" {question.casefold()} " not in f" {' '.join(split_pieces(text)).casefold()} "


@pytest.mark.parametrize("text", [*HARBOUR, *LANGUAGES])
def test_any_language_can_be_asked_in(text: str) -> None:
    """With blanks between words or without; the same rng gives the same question."""
    frequency = DocumentFrequency()
    frequency.add(text)
    question = make_question(text, frequency, random.Random(1))
    assert question is not None
    assert question == make_question(text, frequency, random.Random(1))
    assert question not in text


def test_what_must_stay_unsaid_is_not_asked_with() -> None:
    """Nor what most texts have, which is how the small words of any language are known."""
    frequency = DocumentFrequency()
    for number in range(30):
        frequency.add(f"Kestrel number{number} und")
    text = "The Kestrel und Dana boats lantern harbour pier compass are in number3."
    assert specific_words(text, frequency, {"dana"}) == ["boats", "lantern", "harbour", "pier", "compass", "number3"]


@given(st.text(alphabet="ab .!?。\n"))
def test_sentences_lose_no_word(text: str) -> None:
    """In order, apart, without white space around them."""
    spans = list(sentences(text))
    assert "".join("".join(text[s.start_char : s.end_char].split()) for s in spans) == "".join(text.split())
    assert all(one.end_char <= other.start_char for one, other in pairwise(spans))
    assert all(text[s.start_char : s.end_char].strip() == text[s.start_char : s.end_char] for s in spans)


def test_speech_without_stops_is_cut_into_pieces() -> None:
    """A transcript of one endless sentence can be asked for, too."""
    spans = list(sentences("word " * 95))
    assert [(s.end_char - s.start_char + 1) // 5 for s in spans] == [30, 30, 30, 5]


# Drawing


def test_the_same_seed_and_memory_give_the_same_questions(app: App) -> None:
    """docs/evaluate.md: `--seed`; another seed asks for something else."""
    keep(app, *HARBOUR, *(text for pair in PAIRS for text in pair))
    assert drawn(app) == drawn(app)
    assert {wanted.query for wanted in drawn(app).known_items} != {
        wanted.query for wanted in drawn(app, seed=8).known_items
    }
    few = drawn(app, wanted=6)
    assert (len(few.known_items), few.items) == (6, len(HARBOUR) + 6)
    assert {next(iter(w.artifact_ids)) for w in few.known_items} <= {
        next(iter(w.artifact_ids)) for w in drawn(app).known_items
    }


def test_a_known_item_is_the_one_its_sentence_stands_in(app: App) -> None:
    """The span is that of the sentence in the whole content, in long documents as in short turns."""
    filler = "Nothing much happened on this quiet grey afternoon down there. " * 40
    long = " ".join(f"{filler}{sentence}" for sentence in HARBOUR)
    (document,) = keep(app, long)
    turns = [
        app.remember(Memory(content=text, context="conversation", conversation_id="c", turn_index=number), wait=True).id
        for number, text in enumerate(["Yes.", *LANGUAGES])
    ]
    sampled = drawn(app)
    assert {next(iter(wanted.artifact_ids)) for wanted in sampled.known_items} == {document, *turns[1:]}
    for wanted in sampled.known_items:
        (identity,) = wanted.artifact_ids
        content = app.store.get("default", [identity])[identity].memory.content
        assert wanted.span is not None
        assert content[wanted.span.start_char : wanted.span.end_char] == wanted.sentence


def test_a_bridge_leads_to_what_another_item_says_of_somebody_not_named(app: App) -> None:
    """The far end rests on no word of the near one, and is a category that `related` may hold."""
    keep(app, *HARBOUR, *(text for pair in PAIRS for text in pair))
    bridges = drawn(app).bridges
    assert len(bridges) >= 3
    for bridge in bridges:
        assert bridge.event_id is not None
        event = app.store.events("default", [bridge.event_id])[bridge.event_id]
        assert {proof.artifact_id for proof in event.evidence} == bridge.artifact_ids
        assert event.category in {"Decision", "Commitment", "QualityRisk"}
        named = {word for actor in event.actors for word in actor.name.split()}
        assert not named & {"Dana", "Omar", "Lucia"} & set(bridge.query.split())
        (far,) = app.store.get("default", list(bridge.artifact_ids)).values()
        assert bridge.query.split()[0] not in far.memory.content


def test_too_small_a_memory_says_what_to_do(app: App) -> None:
    """Figures over four questions would mislead."""
    keep(app, *HARBOUR[:4], "Yes.", "No.")
    with pytest.raises(NotFound, match="'default' has 6 items, 4 of them with a sentence to ask for, and 5 are needed"):
        drawn(app)
    with pytest.raises(NotFound, match="'other' has 0 items"):
        drawn(app, project_id="other")


def test_what_expired_or_was_replaced_or_forgotten_is_not_asked_for(app: App) -> None:
    """It can't be found, and should not be."""
    kept = keep(app, *HARBOUR)
    keep(app, LANGUAGES[0], expires_at="2026-01-01")
    keep(app, LANGUAGES[1], key="mill")
    (current,) = keep(app, "The mill closes for repairs of the water wheel until late autumn.", key="mill")
    app.forget(ForgetRequest(id=kept[0], confirm=True))
    asked = {next(iter(wanted.artifact_ids)) for wanted in drawn(app).known_items}
    assert asked == {*kept[1:], current}


# Asking


def test_nothing_is_written(app: App) -> None:
    """Items, counts, jobs and frequencies are as before."""

    def everything(store: Store) -> object:
        items = [artifact for batch in store.each("default") for artifact in batch]
        return (to_json(items), store.counts("default"), store.job_counts(), store.projects())

    keep(app, *HARBOUR)
    before = everything(app.store)
    evaluate(app.recaller, drawn(app))
    assert everything(app.store) == before


def test_the_same_seed_and_memory_give_the_same_quality(app: App) -> None:
    """Only the times differ; what was found is counted both ways over answers of one size."""
    keep(app, *HARBOUR, *(text for pair in PAIRS for text in pair))
    seen: list[int] = []
    sampled = drawn(app)
    found = evaluate(app.recaller, sampled, seen.append)
    assert quality(found) == quality(evaluate(app.recaller, sampled))
    assert len(seen) == found.known_items.questions + (found.bridges.questions if found.bridges else 0)
    assert found.known_items.graph_on.recall_at_10 == found.known_items.graph_on.recall_at_20 == 1
    assert found.known_items.graph_on.mrr > 0.9
    assert found.passage_shown == 1
    assert 0 < found.known_items.graph_off.median_ms <= found.known_items.graph_off.p95_ms


def test_the_graph_finds_what_words_do_not_lead_to(app: App) -> None:
    """Bridges in a memory of many other items: their far ends share nothing with the question."""
    keep(app, *(text for pair in PAIRS for text in pair))
    for number in range(40):
        keep(app, f"Crate {number} of station pump cable contract valves went to the tower on route {number * 7}.")
    found = evaluate(app.recaller, drawn(app))
    assert found.bridges is not None
    assert found.bridges.graph_on.recall_at_20 > found.bridges.graph_off.recall_at_20
    assert found.bridges.only_on > found.bridges.only_off


def test_without_connections_only_known_items_are_asked_for(app: App) -> None:
    """An empty knowledge graph is no error."""
    keep(app, *HARBOUR[4:], *LANGUAGES)
    found = evaluate(app.recaller, drawn(app))
    assert found.bridges is None
    assert found.known_items.graph_on.recall_at_10 == 1


def test_the_passage_shown_is_told_from_the_item_found(app: App) -> None:
    """A long document comes first for its other passages, too: what counts is whether the right one was shown."""
    filler = "Nothing much happened on this quiet grey afternoon down there. " * 60
    for first in range(0, 8, 2):
        keep(app, filler + HARBOUR[first] + "\n" + filler + HARBOUR[first + 1])
    keep(app, *LANGUAGES)
    found = evaluate(app.recaller, drawn(app))
    assert found.known_items.questions == 50
    assert found.passage_shown is not None
    assert 0.5 < found.passage_shown <= 1


def test_an_item_with_the_same_sentence_answers_as_well(app: App) -> None:
    """Nobody could tell which of two reports with one sentence was meant."""
    keep(app, *(f"{sentence} {tail}" for sentence in HARBOUR for tail in ("Yes.", "No.", "Maybe.")))
    found = evaluate(app.recaller, drawn(app))
    assert found.known_items.graph_on.recall_at_1 == 1


def test_answers_without_a_part_are_named(app: App) -> None:
    """Figures of half a memory must not pass for those of all of it."""
    keep(app, *HARBOUR)
    assert evaluate(app.recaller, drawn(app)).degraded == []
    app.index.reset()
    assert evaluate(app.recaller, drawn(app)).degraded == ["vectors"]
