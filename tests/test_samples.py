"""The demo corpus is readable, consistent with its questions, and small."""

import json
import re
from functools import cache
from pathlib import Path
from typing import NotRequired, TypedDict

from core.dates import parse_iso
from core.interface.memory import Memory
from ingest.readers import read, walk

SAMPLES = Path(__file__).parent.parent / "samples"
CORPUS = SAMPLES / "corpus"
FIRST_DAY, LAST_DAY = parse_iso("2026-01-12", field="first"), parse_iso("2026-03-05", field="last")
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
    a an and any are as at be by can could did do does for from had has have her his how i if in is it its may of on or
    our she so than that the their them then they this to up was we were what when where which who why will with you
    """,
    )
)


class DemoQuestion(TypedDict):
    query: str
    answer: str
    must_contain: list[str]
    found_in: dict[str, list[str]]
    through: NotRequired[str]


class GradedQuestion(TypedDict):
    query: str
    relevant: dict[str, int]
    related_contains: NotRequired[list[str]]


class Questions(TypedDict):
    demo: list[DemoQuestion]
    graded: list[GradedQuestion]


@cache
def memories() -> dict[str, list[Memory]]:
    """Every memory of the corpus by the name of its file."""
    return {path.name: read(path, context=None) for path in walk([CORPUS]).files}


def items() -> set[str]:
    """The names that questions.json may use: a file, or a file and a turn."""
    every = ((name, memory) for name, found in memories().items() for memory in found)
    return {name if memory.turn_index is None else f"{name}#{memory.turn_index}" for name, memory in every}


def text_of(name: str) -> str:
    return "\n".join(memory.content for memory in memories()[name])


def questions() -> Questions:
    loaded: Questions = json.loads((SAMPLES / "questions.json").read_text(encoding="utf-8"))
    return loaded


def content_words(text: str) -> set[str]:
    words = set(re.findall(r"\w+", text.lower())) - STOP_WORDS
    return {re.sub(r"(?:ation|ing|ed|es|s|e|y)$", "", word) if len(word) > 4 else word for word in words}


def test_every_sample_is_read_and_holds_something() -> None:
    """`remembrancer demo` ingests all of it: nothing may be skipped, blank or refused."""
    assert walk([CORPUS]).skipped == {}
    assert all(memories().values())
    contexts = {memory.context for found in memories().values() for memory in found}
    assert contexts >= {
        "meeting",
        "email",
        "decision",
        "chat",
        "conversation",
        "project",
        "note",
        "reference",
        "document",
    }


def test_no_two_samples_are_the_same_item() -> None:
    """Equal fingerprints would be one item, and equal keys would replace each other on each run."""
    every = [memory for found in memories().values() for memory in found]
    assert len({memory.fingerprint("default") for memory in every}) == len(every)
    keys = [memory.key for memory in every if memory.key is not None]
    assert len(set(keys)) == len(keys)


def test_every_sample_is_dated_within_the_story() -> None:
    """Due dates and `as_of` only make sense against the date of the document."""
    for found in memories().values():
        for memory in found:
            moment = memory.moment()
            assert moment is not None
            assert FIRST_DAY <= moment < LAST_DAY


def test_documents_and_conversations_have_a_readable_size() -> None:
    """People read the demo too: 150 to 500 words a document, 15 to 25 turns a conversation, below 100 kB in all."""
    for name, found in memories().items():
        if name.endswith(".jsonl"):
            assert [memory.turn_index for memory in found] == list(range(len(found)))
            assert 15 <= len(found) <= 25
        else:
            assert 150 <= len(found[0].content.split()) <= 500
    assert sum(path.stat().st_size for path in CORPUS.iterdir()) < 100_000


def test_questions_name_only_what_exists() -> None:
    """A grade for a file or turn that is not there would silently lower every score."""
    graded, demo = questions()["graded"], questions()["demo"]
    assert len(demo) == 3
    assert len(graded) >= 25
    assert len({question["query"] for question in graded}) == len(graded)
    named = {name for question in graded for name in question["relevant"]}
    named |= {name for question in demo for names in question["found_in"].values() for name in names}
    assert named <= items()
    assert {grade for question in graded for grade in question["relevant"].values()} == {1, 2, 3}


def test_what_an_answer_must_contain_stands_in_the_files_it_is_found_in() -> None:
    """The demo compares word for word, so a reworded document must fail here first."""
    for question in questions()["demo"]:
        found = "\n".join(text_of(name) for names in question["found_in"].values() for name in names)
        assert all(text in found for text in question["must_contain"]), question["query"]
    corpus = "\n".join(text_of(name) for name in memories())
    for graded in questions()["graded"]:
        assert all(text in corpus for text in graded.get("related_contains", [])), graded["query"]


def test_the_answer_of_the_last_question_shares_no_content_word_with_it() -> None:
    """That is what makes it a question for the graph: only a person connects the two."""
    question = questions()["demo"][-1]
    (seed,), (answer,) = question["found_in"]["results"], question["found_in"]["related"]
    assert content_words(question["query"]) & content_words(text_of(answer)) == set()
    assert question["through"] not in question["query"]
    assert question["through"] in text_of(seed)
    assert question["through"] in text_of(answer)


def test_the_people_appear_in_several_documents_under_several_names() -> None:
    """Resolution and expansion have nothing to show when each person lives in one document."""
    corpus = {name: text_of(name) for name in memories()}
    for person in ("Priya Raman", "Tomasz Wieczorek", "Dana Okafor", "Lena Fischer", "Marcus Hale", "Yuki Tanabe",
                   "Helen Brandt", "Omar Siddiqui"):  # fmt: skip
        assert sum(person in text for text in corpus.values()) >= 3, person
    assert any("@tomek" in text and "Tomasz Wieczorek" in text for text in corpus.values())
    assert any("tomasz.wieczorek@quillmere.example" in text for text in corpus.values())
