"""What figures make of answers, on invented conversations and meetings."""

import pytest

from evals import reach
from evals.client import Answer, Asking, Passage
from evals.conversations import ConversationTask, Held
from evals.datasets import Conversation, Meeting, SpanQuestion, TurnQuestion
from evals.demo import SAMPLES, DemoTask, GradedQuestion, QuotedQuestion, graded, memories, quoted
from evals.figures import Figure, tables
from evals.meetings import MeetingTask
from evals.unknown import UnknownTask
from evals.variants import SHIPPED, VECTORS, WORDS, askings_of, fused, with_fused


def conversation(name: str, speakers: tuple[str, str], *questions: TurnQuestion) -> Held:
    """A held conversation of turns D1:1 to D1:9, whose ids are the turns' with the name in front."""
    ids = {f"D1:{turn}": f"{name}-D1:{turn}" for turn in range(1, 10)}
    return Held(Conversation(name, speakers, (), questions), ids)


def found(*ids: str, likelihood: float | None = None) -> Answer:
    """An answer with these items, each of ten characters."""
    return Answer(tuple(Passage(identity, 0, 10, "") for identity in ids), likelihood=likelihood)


BOATS = conversation(
    "boats",
    ("Ada", "Ben"),
    TurnQuestion("Why did Ada and Ben quarrel?", "multi-hop", ("D1:1", "D1:2")),
    TurnQuestion("What is Ben's boat called?", "single-hop", ("D1:3",)),
    TurnQuestion("What is Ada's boat called?", "adversarial", ("D1:3",)),
)
BIRDS = conversation("birds", ("Cleo", "Dov"), TurnQuestion("When did Cleo see it?", "temporal", ("D1:9",)))
MEETING = MeetingTask(
    (
        Meeting({"source_id": "first", "content": "Bo: The pipe leaks."}, (SpanQuestion("What leaks?", ((5, 10),)),)),
        Meeting({"source_id": "second", "content": ""}, (SpanQuestion("Who pays?", ((20, 30), (90, 99))),)),
    ),
    {"first": "art_1", "second": "art_2"},
)


def test_evidence_counts_at_its_depth_and_in_its_kind() -> None:
    """Adversarial questions stand apart; a question's own share counts, whatever number of turns it needs."""
    task = ConversationTask([BOATS, BIRDS])
    others = [f"boats-x{place}" for place in range(5)]
    answers = [
        found("boats-D1:1", *others, "boats-D1:2"),
        found("boats-D1:3"),
        found(*others, "boats-D1:3"),
        found(),
    ]

    told = {title: {one.name: one.values for one in figures} for title, figures in task.figures(answers).items()}

    assert [asking.project_id for asking in task.askings()] == ["boats", "boats", "boats", "birds"]
    assert {asking.limit for asking in task.askings()} == {50}
    overall = told["LoCoMo: evidence recall"]
    assert overall == {"@5": (0.5, 1, 0), "@10": (1, 1, 0), "@25": (1, 1, 0), "@50": (1, 1, 0)}
    assert told["LoCoMo: evidence recall@5 by kind of question"] == {
        "multi-hop": (0.5,), "temporal": (0,), "open-domain": (), "single-hop": (1,), "adversarial": (0,),
    }  # fmt: skip
    assert list(told) == list(task.notes)


def test_a_meeting_is_right_by_its_place_and_its_chunk_by_the_characters_it_shares() -> None:
    """Touching ends share nothing; the other meeting's chunk at the same characters is not inside."""
    answers = [
        Answer((Passage("art_1", 10, 20, ""), Passage("art_2", 5, 10, ""))),
        Answer((Passage("art_1", 20, 30, ""), Passage("art_2", 95, 200, ""))),
    ]

    (told,) = MEETING.figures(answers).values()

    assert [figure.values for figure in told[:3]] == [(1, 0), (1, 1), (0, 1)]


def test_evidence_is_what_is_shown_of_the_turns_that_answer() -> None:
    """Each piece of a passage counts where it stands in the meeting; other items are shown in vain."""
    answers = [Answer((Passage("art_1", 0, 19, "The pipe …\ns."), Passage("art_2", 0, 8, "Nothing.")))] * 2

    (told,) = MEETING.figures(answers).values()

    assert told[3].values == (1_000 * 5 / 21, 0)


def test_graded_items_count_by_their_grade() -> None:
    """An item of grade 1 in front of the answer lowers what looks at grades, and not the MRR of any grade."""
    task = DemoTask([GradedQuestion("Which channel?", {"a.md": 3, "b.md": 1})], {"a.md": "art_a", "b.md": "art_b"})

    (told,) = task.figures([found("art_b", "art_a")]).values()

    assert {figure.name: round(figure.interval().mean, 3) for figure in told} == {
        "MRR": 1.0, "NDCG@10": 0.71, "MRR of grade 3": 0.5,
    }  # fmt: skip


def test_every_name_in_the_questions_is_an_item_of_the_corpus() -> None:
    """Otherwise a figure would look for what can't be found."""
    items = memories(SAMPLES)

    assert {name for question in graded() for name in question.grades} <= set(items)
    assert all(question.grades for question in graded())
    assert all(memory["content"] for memory in items.values())
    assert len(quoted()) >= 4


def test_questions_are_asked_of_the_next_conversation_with_its_names() -> None:
    """Whole names only, each of the two by the one in its place; the last conversation's next is the first."""
    kinds = UnknownTask([BOATS, BIRDS]).askings()

    assert {kind: [(asking.project_id, asking.query) for asking in asked] for kind, asked in kinds.items()} == {
        "own": [
            ("boats", "Why did Ada and Ben quarrel?"),
            ("boats", "What is Ben's boat called?"),
            ("birds", "When did Cleo see it?"),
        ],
        "asked of another conversation": [
            ("birds", "Why did Ada and Ben quarrel?"),
            ("birds", "What is Ben's boat called?"),
            ("boats", "When did Cleo see it?"),
        ],
        "the same with that one's names": [
            ("birds", "Why did Cleo and Dov quarrel?"),
            ("birds", "What is Dov's boat called?"),
            ("boats", "When did Ada see it?"),
        ],
        "adversarial, own conversation": [("boats", "What is Ada's boat called?")],
    }


def test_what_is_refused_is_counted_where_own_questions_are_spared() -> None:
    """Each kind has its share below the threshold that the own questions set."""
    answers = {
        "own": [found(likelihood=0.9), found(likelihood=0.8)],
        "asked of another conversation": [found(likelihood=0.1), found(likelihood=0.85)],
        "the same with that one's names": [],
        "adversarial, own conversation": [found(likelihood=0.95)],
    }

    told = UnknownTask([BOATS, BIRDS]).table(answers)

    figures = {row.name: {figure.name: figure.values for figure in row.figures} for row in told.rows}
    assert figures["asked of another conversation"] == {"refused": (1, 0), "AUC": (1, 0.5)}
    assert figures["adversarial, own conversation"] == {"refused": (0,), "AUC": (0,)}
    assert not told.compared


def test_without_likelihoods_the_table_says_so() -> None:
    """Nothing is made up for a service that does not answer the question."""
    told = UnknownTask([BOATS]).table({"own": [found("boats-D1:1")]})

    assert told.rows == ()
    assert told.note.startswith("Not answered")


def test_every_way_spends_the_same_budget() -> None:
    """Twice as many results, or as many related events as results; only the last way spends half."""
    probes = list(reach.of_turns([BOATS]))

    spent = {way: [(a.limit, a.graph_budget) for a in reach.askings(probes, way)] for way in reach.WAYS}

    assert spent == {
        "results only": [(20, 0)] * 2,
        "half results, half related": [(10, 10)] * 2,
        "the same, related of every category": [(10, 10)] * 2,
        "half results, nothing beside": [(10, 0)] * 2,
    }
    assert reach.askings(probes, "results only")[0].arguments()["expand"] is False
    assert reach.askings(probes, "half results, half related")[0].arguments()["expand"] is True


def test_quotes_of_related_events_cover_evidence_as_results_do() -> None:
    """Turns by their item, spans by their characters, texts by their words."""
    probes = [
        *reach.of_turns([BOATS]),
        *reach.of_meetings(MEETING),
        *reach.of_quotes([QuotedQuestion("Why?", ("the lid", "glue"))]),
    ]
    beside = [
        Answer((Passage("boats-D1:1", 0, 10, ""),), (Passage("boats-D1:2", 3, 9, ""),)),
        found("boats-D1:4"),
        Answer((Passage("art_1", 0, 5, ""),), (Passage("art_1", 9, 12, ""),)),
        found("art_1"),
        Answer((Passage("art_9", 0, 10, "glue"),), (Passage("art_8", 0, 9, "lift the lid"),)),
    ]

    told = reach.table(probes, {"some way": beside})

    assert {figure.name: figure.values for figure in told.rows[0].figures} == {
        "LoCoMo": (1, 0), "LoCoMo multi-hop": (1,), "QMSum": (1, 0), "demo corpus": (1,),
    }  # fmt: skip


def test_reciprocal_ranks_add_up_over_the_lists() -> None:
    """Second in both beats first in one; the passage is that of the list that has the item higher."""
    words = Answer((Passage("a", 0, 1, ""), Passage("b", 0, 1, "")))
    near = Answer((Passage("c", 0, 1, ""), Passage("b", 7, 9, ""), Passage("a", 7, 9, "")))

    assert fused([words, near], limit=3).results == (
        Passage("a", 0, 1, ""),
        Passage("b", 0, 1, ""),
        Passage("c", 0, 1, ""),
    )
    assert fused([words, near], limit=1).ids == ["a"]


def test_lists_are_fused_from_deeper_ones_and_cut_to_what_was_asked() -> None:
    """What one list has only far down is not lost to the other, and the row is as deep as all others."""
    askings = [Asking(project_id="demo", query="Who pays?", limit=1)]
    answers = {SHIPPED: [found("a")], WORDS: [found("b", "c")], VECTORS: [found("c", "d")]}

    assert [asking.limit for way in answers for asking in askings_of(way, askings)] == [1, 100, 100]
    assert with_fused(answers, askings) == {**answers, "reciprocal rank fusion": [found("c")]}
    assert with_fused({SHIPPED: [found("a")]}, askings) == {SHIPPED: [found("a")]}


def test_rows_are_compared_question_by_question() -> None:
    """The first way is the one that others are set against."""
    shipped = [found("art_1"), found("art_2")]
    (told,) = tables(MEETING, {"as shipped": shipped, "worse": [found("art_1"), found("art_1", "art_2")]})

    first, other = told.rows

    assert [row.name for row in told.rows] == ["as shipped", "worse"]
    assert other.figures[0].less(first.figures[0]).mean == -0.5
    with pytest.raises(ValueError, match="shorter"):
        other.figures[0].less(Figure("of other questions", (1.0,)))


def test_a_target_is_reached_by_a_mean_that_equals_it() -> None:
    """No rounding decides it."""
    assert Figure("share", (1.0, 0.0), 0.5).is_reached
    assert not Figure("share", (1.0, 0.0, 0.0), 0.5).is_reached
    assert Figure("share", (0.0,)).is_reached


def test_a_call_asks_only_for_what_is_looked_at() -> None:
    """No events and entities beside the results, and the graph only where it is measured."""
    assert Asking(project_id="demo", query="Who pays?", limit=7).arguments() == {
        "project_id": "demo", "query": "Who pays?", "limit": 7, "detail": "full", "expand": False, "graph_budget": 0,
        "include_events": False, "include_entities": False,
    }  # fmt: skip
