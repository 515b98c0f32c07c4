"""What the service once answered and gets back is known again, and learnt only once."""

import json
from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.interface.learning import GivenEvent, LearnRequest
from core.interface.memory import Context, Memory
from core.interface.question import Question
from core.interface.results import to_json
from core.knowledge.findings import Event
from core.records import Artifact
from graph.protocols.knowledge import EarlierSentence
from graph.store import Store
from ingest.extract.repeated_text import (
    FEWEST,
    FEWEST_OF_OWN,
    Sentence,
    hash_sentences,
    is_own,
    match_earlier,
    split_sentences,
)
from ingest.intake.artifacts import remember
from ingest.runs.pipeline import extract_artifact
from ingest.runs.run import get_run, roll_back
from retrieval.models.local_embedder import LocalEmbedder
from service.app import App
from tests.shipped import shipped_extractor

PROJECT = "p"
MINUTES = (
    "Attendees: Maya Torres, Ben Adler\n\n"
    "We decided to keep the paper archive in Bremen until the end of May.\n"
    "Ben Adler will send the revised contract to the lawyers by Friday.\n"
    "Maya Torres is worried that the old scanner will fail before the audit.\n"
)
DECISION = "We decided to keep the paper archive in Bremen until the end of May."
NEW = "Ben Adler will book a second room for the audit by Monday."


class Memories:
    """A store that learns what it is told."""

    def __init__(self, store: Store, embedder: LocalEmbedder) -> None:
        self.store, self._embedder = store, embedder

    def put(self, content: str, **fields: Any) -> str:
        """Store without learning."""
        return remember(
            Memory(content=content, **fields), PROJECT, self.store, self._embedder.tokenizer
        ).added.artifact_id

    def learn(self) -> None:
        """Do all extraction that waits."""
        while jobs := self.store.claim(["extract"], 1, timedelta(minutes=1), "test"):
            extract_artifact(PROJECT, jobs[0].artifact_id, self.store, shipped_extractor())
            self.store.complete(jobs)

    def told(self, content: str, **fields: Any) -> str:
        """Store and learn."""
        id_ = self.put(content, **fields)
        self.learn()
        return id_

    def echoes(self, id_: str) -> tuple[str, ...]:
        """Return what an item echoes."""
        return self.store.get(PROJECT, [id_])[id_].echoes

    def events(self, id_: str) -> list[Event]:
        """Return what an item bears witness to."""
        return self.store.events_of(PROJECT, [id_]).get(id_, [])

    def quotes(self, id_: str) -> list[str]:
        """Return the words its events rest on, sorted."""
        return sorted(proof.quote for event in self.events(id_) for proof in event.evidence)


@pytest.fixture
def memories(store: Store, embedder: LocalEmbedder) -> Memories:
    """An empty store that learns what it is told."""
    return Memories(store, embedder)


def wrappings(text: str) -> list[str]:
    """Return the text as agents and mail programs pass it on."""
    lines = text.strip().split("\n")
    return [
        text,
        json.dumps({"results": [{"id": "art_0123456789ab", "content": text, "score": 0.91}]}),
        json.dumps({"text": json.dumps({"content": text})}),
        "From memory:\n" + "\n".join(f"> {line}" for line in lines),
        "\n".join(f"- **{line}** (art_0123456789ab)" for line in lines if line),
        "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1) if line),
        "I looked this up: “" + " ".join(lines).replace("'", "’") + "” — that is all there is.",
        text.upper(),
        text.replace("paper archive", "paper\narchive").replace("old scanner", "old\n> scanner"),
    ]


@pytest.mark.parametrize("way", range(9))
def test_an_answer_that_comes_back_is_known_again(memories: Memories, way: int) -> None:
    """Plain, as JSON, as JSON in JSON, quoted, listed, numbered, in a sentence, shouted or wrapped anew."""
    origin = memories.told(MINUTES, context="meeting", date="2026-03-02")
    assert len(memories.events(origin)) == 3
    entities = memories.store.entities_of(PROJECT, [origin], 10)
    copy = memories.told(wrappings(MINUTES)[way], context="note", date="2026-03-05")
    assert memories.echoes(copy) == (origin,)
    assert memories.events(copy) == []
    assert memories.store.get(PROJECT, [copy])[copy].memory.content == wrappings(MINUTES)[way]
    assert memories.store.entities_of(PROJECT, [origin], 10) == entities


def test_words_around_an_echo_are_learnt(memories: Memories) -> None:
    """Before, between and behind what is repeated."""
    origin = memories.told(MINUTES, context="meeting", date="2026-03-02")
    content = f"My summary of the meeting. {DECISION} {NEW}"
    note = memories.told(content, context="note", date="2026-03-05")
    assert memories.echoes(note) == (origin,)
    assert memories.quotes(note) == [NEW]


def test_one_repeated_sentence_is_an_echo_in_a_note_and_none_in_a_persons_own_turn(memories: Memories) -> None:
    """Two people who both say "I will send it to you tomorrow" both promise; an agent that repeats it does not."""
    promise = "I will send the revised contract to you tomorrow."
    turn = {"context": "conversation", "conversation_id": "talk"}
    first = memories.told(promise, **turn, turn_index=0, author="Maya Torres", date="2026-03-02")
    second = memories.told(promise, **turn, turn_index=1, author="Ben Adler", role="user", date="2026-03-03")
    agent = memories.told(f"You said: {promise}", **turn, turn_index=2, role="assistant", date="2026-03-04")
    assert (memories.echoes(first), memories.echoes(second), memories.echoes(agent)) == ((), (), (first,))
    assert len(memories.events(first)) == len(memories.events(second)) == 1
    assert memories.events(agent) == []


def test_a_person_who_pastes_a_whole_answer_repeats_it(memories: Memories) -> None:
    """Fifteen words in a row of one item are no chance."""
    origin = memories.told(MINUTES, context="meeting", date="2026-03-02")
    mail = memories.told(f"Hello all, see below.\n\n{MINUTES}", context="email", author="Ben Adler", date="2026-03-05")
    assert memories.echoes(mail) == (origin,)
    assert memories.events(mail) == []


def test_weekly_minutes_that_repeat_a_short_item_promise_it_anew(memories: Memories) -> None:
    """By Friday is another Friday next week; a long item carried over word for word is the same one still."""
    short = "Ben Adler will send the numbers by Friday."
    long = (
        "Ben Adler will prepare the complete list of all rented scanners with their owners, places and prices for us."
    )
    first = memories.told(f"{short}\n{long}", context="meeting", date="2026-03-02")
    second = memories.told(
        f"A short meeting.\n{short}\nNothing else came up.\n{long}", context="meeting", date="2026-03-09"
    )
    assert len(memories.quotes(first)) == 2
    assert memories.quotes(second) == [short]
    assert memories.echoes(second) == (first,)


STANDING = (
    "## Agenda\n\nExtracted from the issues and requests of all groups in the archive that are labelled "
    "for a meeting.\n\n"
    "Links: https://archive.example/minutes and https://archive.example/stream, where everyone may listen and read.\n\n"
    "The next meeting is in the calendar of the archive, where there are links to all of the times and rooms.\n"
)


@pytest.mark.both_engines
@pytest.mark.parametrize("fields", [{"context": "meeting"}, {"file_path": "/minutes/a.md"}, {"context": "email"}])
def test_lines_that_recur_in_all_minutes_are_no_echoes(memories: Memories, fields: dict[str, Any]) -> None:
    """They decide and promise nothing that would be counted twice; an answer with them, and who pastes it, echoes."""
    first = memories.told(f"{STANDING}\n{DECISION}", **fields, date="2026-03-02")
    second = memories.told(f"{STANDING}\n{NEW}", **fields, date="2026-03-09")
    answer = memories.told(f"From memory: {STANDING}", context="note", date="2026-03-10")
    pasted = memories.told(
        STANDING, context="conversation", conversation_id="c", turn_index=0, role="user", date="2026-03-11"
    )

    assert (memories.echoes(second), memories.quotes(second)) == ((), [NEW])
    assert memories.echoes(answer) == memories.echoes(pasted) == (first,)


def test_what_is_declared_a_decision_is_one_even_if_it_repeats(memories: Memories) -> None:
    """The caller's word that this is a decision counts; the rest of the echo is not learnt again."""
    memories.told(MINUTES, context="meeting", date="2026-03-02")
    decided = memories.told(MINUTES, context="decision", title="Archive", date="2026-03-05")
    assert [event.category for event in memories.events(decided)] == ["Decision"]


@pytest.mark.both_engines
def test_an_earlier_text_that_comes_later_becomes_the_origin(memories: Memories) -> None:
    """Whatever the order of arrival, the copy is the one dated later."""
    memory_of = {
        "minutes": {"content": MINUTES, "context": "meeting", "date": "2026-03-02"},
        "note": {"content": f"{DECISION} {NEW}", "context": "note", "date": "2026-03-05"},
        "answer": {"content": f"As noted: {NEW} {DECISION}", "context": "insight", "date": "2026-03-06"},
    }
    seen = set()
    for number, order in enumerate(permutations(memory_of)):
        ids = {name: memories.told(**memory_of[name], source=f"order {number}") for name in order}
        names = {id_: name for name, id_ in ids.items()}
        found = {
            name: (tuple(sorted(names[origin] for origin in memories.echoes(id_))), tuple(memories.quotes(id_)))
            for name, id_ in ids.items()
        }
        seen.add(tuple(sorted(found.items())))
        memories.store.remove(PROJECT, list(names))
        memories.learn()
    assert len(seen) == 1
    [found] = [dict(one) for one in seen]
    assert found["note"] == (("minutes",), (NEW,))
    assert found["answer"] == (("note",), ())


def test_a_new_version_of_a_document_is_no_echo(memories: Memories) -> None:
    """It is learnt whole, and a note that quoted the former version echoes the new one."""
    old = memories.told(MINUTES, key="minutes", date="2026-03-02")
    note = memories.told(DECISION, context="note", date="2026-03-03")
    new = memories.told(f"{MINUTES}\n{NEW}", key="minutes", date="2026-03-04")
    assert memories.echoes(new) == ()
    assert len(memories.events(new)) == 4
    assert memories.echoes(note) == (new,)
    assert memories.events(note) == []
    memories.told("Nothing of it is left.", key="minutes", date="2026-03-05")
    assert memories.echoes(note) == ()
    assert memories.quotes(note) == [DECISION]
    assert memories.store.get(PROJECT, [old])[old].replaced_by == new


@pytest.mark.both_engines
def test_when_the_origin_is_forgotten_its_echo_bears_witness(memories: Memories) -> None:
    """What was said is still said by somebody."""
    origin = memories.told(MINUTES, context="meeting", date="2026-03-02")
    first = memories.told(MINUTES, context="note", date="2026-03-03")
    second = memories.told(f"Again. {MINUTES}", context="note", date="2026-03-04")
    assert memories.echoes(first) == memories.echoes(second) == (origin,)
    memories.store.remove(PROJECT, [origin])
    memories.learn()
    assert (memories.echoes(first), memories.echoes(second)) == ((), (first,))
    assert len(memories.events(first)) == 3
    assert memories.events(second) == []


@pytest.mark.both_engines
def test_what_repeats_a_summary_is_an_echo_as_long_as_it_is_the_summary(app: App) -> None:
    """Whatever comes first, and whatever becomes of it: reworded, taken back, said again."""
    said = "We decided that the old papers stay where they are."
    minutes = app.remember(Memory(content=MINUTES, context="meeting", date="2026-03-02"), PROJECT).id
    note = app.remember(Memory(content=f"{DECISION} {said}", context="note", date="2026-03-03"), PROJECT).id
    later = app.remember(Memory(content=f"{said} Nothing else.", context="note", date="2026-03-04"), PROJECT).id

    def known() -> tuple[bool, bool]:
        app.worker.drain()
        found = app.store.events_of(PROJECT, [note, later])
        return note in found, later in found

    def summed_up(summary: str) -> str | None:
        given = GivenEvent(category="Decision", quote=DECISION, summary=summary)
        return app.learn(LearnRequest(id=minutes, events=(given,)), PROJECT).run_id

    def taken_back(run: str | None) -> None:
        assert run is not None
        roll_back(get_run(PROJECT, run, app.store), app.store)

    assert known() == (True, False)
    first = summed_up(said)
    assert known() == (False, False)
    second = summed_up("Bremen it is")
    assert known() == (True, False)
    taken_back(second)
    assert known() == (False, False)
    taken_back(first)
    assert known() == (True, False)


def test_other_projects_are_not_echoed(memories: Memories, embedder: LocalEmbedder) -> None:
    """What one project knows, another does not hear."""
    other = Memory(content=MINUTES, context="meeting", date="2026-03-02")
    id_ = remember(other, "elsewhere", memories.store, embedder.tokenizer).added.artifact_id
    extract_artifact("elsewhere", id_, memories.store, shipped_extractor())
    memories.store.complete(memories.store.claim(["extract"], 10, timedelta(minutes=1), "test"))
    assert memories.echoes(memories.told(MINUTES, context="note", date="2026-03-05")) == ()


def test_learning_again_changes_nothing(memories: Memories) -> None:
    """Neither the links nor the events, and nobody else is queued."""
    memories.told(MINUTES, context="meeting", date="2026-03-02")
    note = memories.told(f"{DECISION} {NEW}", context="note", date="2026-03-05")
    before = memories.echoes(note), memories.events(note)
    extract_artifact(PROJECT, note, memories.store, shipped_extractor())
    assert (memories.echoes(note), memories.events(note)) == before
    assert memories.store.job_counts(PROJECT).pending == 2  # vectors, which nobody made


@pytest.mark.parametrize(
    ("fields", "own"),
    [
        ({"context": "conversation", "conversation_id": "c", "turn_index": 0}, True),
        ({"context": "conversation", "conversation_id": "c", "turn_index": 0, "role": "Assistant"}, False),
        ({"context": "meeting"}, True),
        ({"context": "email"}, True),
        ({"context": "document"}, False),
        ({"context": "document", "file_path": "minutes.md"}, True),
        ({"context": "insight"}, False),
    ],
)
def test_whose_text_it_is_follows_from_context_role_and_file(fields: dict[str, Any], own: bool) -> None:
    """Files and what people say are their own; notes, answers and agents' turns are about others' words."""
    assert is_own(Memory(content="Hello.", **fields)) is own


def test_sayings_are_sentences_or_several_short_ones() -> None:
    """A short sentence is said with those behind it and with those before it; a nod or a label is passed over."""
    found = split_sentences("Agreed. Ben books it today. The lawyers of the city will read it soon. Thanks to all.")
    assert [one.text for one in found] == [
        "ben books it today",
        "the lawyers of the city will read it soon",
        "thanks to all",
    ]
    assert [(one.num_words, one.last, one.first) for one in found] == [(4, 1, 0), (9, 1, 1), (3, 3, 1)]
    assert [(one.forward_hash is None, one.backward_hash is None) for one in found] == [
        (False, True),
        (False, True),
        (True, False),
    ]
    assert len(hash_sentences(found)) == 3
    assert split_sentences("") == split_sentences("?! \n\n ... yes") == []


def test_of_two_origins_the_one_with_more_counts_and_the_other_only_for_the_rest() -> None:
    """A copy of a copy adds nothing, a second source does."""
    heard = split_sentences(f"{DECISION} {NEW} Ben Adler reads nothing that is longer than a page.")
    first, second, third = (one.forward_hash or 0 for one in heard)
    said = [
        EarlierSentence(first, "copied"),
        EarlierSentence(second, "original"),
        EarlierSentence(first, "original"),
        EarlierSentence(third, "third"),
    ]
    found = match_earlier(heard, said, FEWEST)
    assert found.origins == ("original", "third")
    assert [(span.start_char, span.end_char) for span in found.spans] == [(0, heard[2].end_char)]
    assert match_earlier(heard, said[:1], FEWEST_OF_OWN).origins == ()


def spoken(heard: Sequence[Sentence]) -> list[int | None]:
    return [sentence_hash for one in heard for sentence_hash in (one.forward_hash, one.backward_hash)]


@given(st.text(max_size=400), st.sampled_from([json.dumps, lambda text: json.dumps(text, ensure_ascii=False)]))
@example("0\x0c0\u103f", json.dumps)
@example("one two\rthree four\r\nfive six", json.dumps)
def test_any_text_says_the_same_in_json(text: str, dump: Any) -> None:
    """Escapes of whatever sign do not hide what is said, and places are those of the text itself."""
    plain, wrapped = split_sentences(text.replace("\\", "")), split_sentences(dump(text.replace("\\", "")))
    assert spoken(plain) == spoken(wrapped)
    for one in plain:
        assert 0 <= one.start_char < one.end_char <= len(text)


def test_an_artifact_that_says_nothing_echoes_nothing(memories: Memories) -> None:
    """A greeting has no saying, and is in every project."""
    memories.told("Good morning!", context="note", date="2026-03-02")
    greeting: Artifact = memories.store.get(PROJECT, [memories.told("Good morning!", context="note")]).popitem()[1]
    assert greeting.echoes == ()


@pytest.mark.parametrize("indent", [2, pytest.param(None, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "context",
    ["note", *(pytest.param(kind, marks=pytest.mark.exhaustive) for kind in ("document", "insight", "conversation"))],
)
def test_a_whole_answer_of_recall_teaches_nothing_new(app: App, context: Context, indent: int | None) -> None:
    """What `recall` returns, with quotes, summaries, titles, events and entities, as an agent may keep it."""
    title = "What the archive committee decided on its second meeting"
    minutes = app.remember(Memory(content=MINUTES, context="meeting", title=title, date="2026-03-02")).id
    other = app.remember(Memory(content=f"{NEW} Maya Torres approved it.", context="note", date="2026-03-03")).id
    app.worker.drain()
    before = app.status().counts
    answer = json.dumps(to_json(app.recall(Question(query="paper archive in Bremen", limit=5))), indent=indent)
    turn: dict[str, Any] = {"conversation_id": "talk", "turn_index": 0, "role": "assistant"}
    copy = app.remember(Memory(content=answer, context=context, **(turn if context == "conversation" else {}))).id
    app.worker.drain()
    after = app.status().counts
    assert before is not None
    assert after is not None
    assert (after.events, after.decisions, after.commitments) == (before.events, before.decisions, before.commitments)
    [result] = app.recall(Question(id=copy, detail="full")).results
    assert result.metadata["echoes"] == sorted([minutes, other])
    assert result.content == answer
