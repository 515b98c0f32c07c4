"""Two full names are one person by the word of a text alone; what only seems so is a question."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import EntityType
from graph.store import Store
from ingest.extract.local.extractor import LocalExtractor
from ingest.intake.artifacts import remember
from ingest.runs.pipeline import extract_artifact
from retrieval.models.local_embedder import LocalEmbedder

OTHERS = ", Jo Park, Ann Bell"


def known(
    store: Store, embedder: LocalEmbedder, texts: Sequence[str], type_: EntityType = "person"
) -> tuple[list[str], set[frozenset[str]]]:
    """Read the texts in this order, and again those whose names it changes; return the names and the pairs asked."""
    ids = [
        remember(Memory(content=text, context="meeting"), "p", store, embedder.tokenizer).added.artifact_id
        for text in texts
    ]
    for id_ in ids:
        extract_artifact("p", id_, store, LocalExtractor())
    while jobs := store.claim(["extract"], 100, timedelta(minutes=1), "test"):
        for job in jobs:
            extract_artifact("p", job.artifact_id, store, LocalExtractor())
        store.complete(jobs)
    entities = {one.id: one for one in store.entities_of("p", ids, 1_000)}
    asked = store.open_merge_candidates("p", 100)[0]
    people = sorted(one.name for one in entities.values() if one.type == type_)
    return (
        [name for name in people if name not in OTHERS],
        {frozenset((entities[pair.one].name, entities[pair.other].name)) for pair in asked},
    )


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("one", "other", "is_asked"),
    [
        ("Attendees: Chris Manson (@chris)", "Attendees: Chris Woods (@chris)", True),
        ("Attendees: Chris Manson\n\n- [ ] @Chris to draw it", "Attendees: Chris Woods\n\n- @Chris Woods: go", False),
        ("From: Chris Manson <chris@pier.example>\n\nHello.", "From: Chris Woods <chris@pier.example>\n\nBye.", True),
        ("From: Chris Manson <info@pier.example>\n\nHello.", "From: Chris Woods <info@pier.example>\n\nBye.", False),
        ("From: Chris Manson <x@lists.pier.example>\n\nHi.", "From: Chris Woods <x@lists.pier.example>\n\nBye.", False),
        ("From: Tom Manson <mansons@post.example>\n\nHi.", "From: Tim Manson <mansons@post.example>\n\nBye.", True),
        ("Attendees: George H. Marsh", "Attendees: George W. Marsh", False),
        ("Attendees: Mary Ann Marsh", "Attendees: Mary Beth Marsh", False),
        ("Attendees: James Thomas", "Attendees: Thomas James", False),
        ("Attendees: Daniel Kimber", "Attendees: Daniela Kimber", True),
        ("Attendees: Paul Kimber", "Attendees: Paulette Kimber", True),
        ("Attendees: Russell Kimber", "Attendees: Russel Kimber", True),
        ("Attendees: Sam Holt Jr.", "Attendees: Sam Holt Sr.", False),
        ("Sam Holt the Elder sold the mill.", "Sam Holt the Younger bought the mill.", False),
        ("Attendees: Chris Manson (Chris Woods)", "Attendees: Chris Woods", False),
        ("Chris Manson called Chris Woods.", "Attendees: Chris Woods", False),
        ("Chris Manson now joins Chris Woods.", "Attendees: Chris Woods", False),
        ("Anna Manson married Anna Woods in May.", "Attendees: Anna Woods", False),
        ("Chris Manson previously managed Chris Woods.", "Attendees: Chris Woods", False),
    ],
)  # fmt: skip
def test_two_names_stay_two(store: Store, embedder: LocalEmbedder, one: str, other: str, *, is_asked: bool) -> None:
    """In either order, with others in common."""
    texts = [
        text.replace("\n", f"{OTHERS}\n", 1) if "From" not in text else text for text in (f"{one}\n", f"{other}\n")
    ]
    people, pairs = known(store, embedder, texts[::-1])
    assert len(people) == 2
    assert (frozenset(people) in pairs) is is_asked


@pytest.mark.parametrize(
    "names",
    [
        ("Pat O'Brien", "Pat O’Brien", "Pat OBrien", "Pat O`Brien"),
        ("Jürgen Müller", "Ju\u0308rgen Mu\u0308ller", "Juergen Mueller", "Jurgen Muller", "Müller, Jürgen"),
        ("Søren Åkesson", "Soeren Aakesson", "Soren Akesson"),
        ("Zhang Wei", "Wei Zhang"),
        ("George H. Marsh", "George Henry Marsh"),
        ("George H. Marsh", "George Marsh"),
        ("Mary Smith (née Dunn)", "Mary Dunn", "Mary Smith"),
        ("Mary Dunn <mary.dunn@pier.example>", "Mary Smith <mary.dunn@pier.example>"),
        ("Robert Dunn", "Bob Dunn", "Dunn, Robert"),
    ],
)
@pytest.mark.parametrize("step", [1, -1])
def test_one_name_written_otherwise_is_one(
    store: Store, embedder: LocalEmbedder, names: tuple[str, ...], step: int
) -> None:
    """In either order, and nothing is asked."""
    people, pairs = known(store, embedder, [f"From: {name}\n\nThe pump is back." for name in names[::step]])
    assert len(people) == 1
    assert not pairs


@pytest.mark.parametrize(
    "names",
    [
        ("Sam Holt Jr.", "Sam Holt Sr.", "Sam Holt"),
        ("Sam Holt", "Sam Holt Jr.", "Sam Holt Sr."),
        ("Ida B. Roe", "Ida C. Roe", "Ida Roe"),
    ],
)
def test_a_name_that_fits_two_is_asked_about(store: Store, embedder: LocalEmbedder, names: tuple[str, ...]) -> None:
    """Father and son, or two with middle initials: neither has what it says."""
    people, pairs = known(store, embedder, [f"Attendees: {name}{OTHERS}" for name in names])
    short = min(names, key=len)
    assert set(names) <= set(people)
    assert {frozenset((short, name)) for name in names if name != short} <= pairs


EXPLAINED = "The Linden Software Foundation (LSF) met. The LSF Board approved the budget."
LETTERS = "LSF Board meeting\n\nThe LSF agreed to pay the rent."
IN_FULL = "The Linden Software Foundation agreed to pay the rent."


@pytest.mark.both_engines
@pytest.mark.parametrize("texts", list(permutations([EXPLAINED, LETTERS, IN_FULL])))
def test_letters_that_one_text_explains_are_the_same_body_in_others(
    store: Store, embedder: LocalEmbedder, texts: tuple[str, ...]
) -> None:
    """In any order; its board is another body, and nothing is asked."""
    assert known(store, embedder, texts, "org") == (["LSF Board", "Linden Software Foundation"], set())


def test_letters_that_nothing_explains_are_asked_about(store: Store, embedder: LocalEmbedder) -> None:
    """So are those that two bodies have."""
    other = "The Larch Steel Foundation (LSF) agreed to pay the rent."
    bodies, pairs = known(store, embedder, [IN_FULL, LETTERS, IN_FULL.replace("rent", "roof")], "org")
    assert (bodies, pairs) == (
        ["LSF", "LSF Board", "Linden Software Foundation"],
        {frozenset(("LSF", "Linden Software Foundation"))},
    )
    assert "LSF" in known(store, embedder, [EXPLAINED, other, LETTERS], "org")[0]


GROUP = "Attendees: Petra Lund, Ann Bell, Tom Reed, Kai Holm, Sara Voss, Nils Moe, Olga Pern, Hugo Blank"
STRANGERS = "Bo, Ines, Ravi, Leo, Mona, Carl, Rita and Paul"


def test_a_first_name_is_of_nobody_in_another_group(store: Store, embedder: LocalEmbedder) -> None:
    """Both name many people, and none in common: a question."""
    people, pairs = known(store, embedder, [GROUP, f"Petra, {STRANGERS} met. Petra will send the plan."])
    assert "Petra" in people
    assert frozenset(("Petra", "Petra Lund")) in pairs


@pytest.mark.parametrize("text", [f"Petra, Ann, Tom, Kai, {STRANGERS} met.", "Petra will send the plan."])
def test_a_first_name_of_the_own_group_is_of_the_only_one(store: Store, embedder: LocalEmbedder, text: str) -> None:
    """So it is where few are named."""
    assert "Petra" not in known(store, embedder, [GROUP, text])[0]


def test_a_hyphenated_given_name_is_no_initials(store: Store, embedder: LocalEmbedder) -> None:
    people, _ = known(store, embedder, ["Attendees: Andrew Brown, Tom Reed", "Attendees: Al-Baraa, Tom Reed"])
    assert people == ["Al-Baraa", "Andrew Brown", "Tom Reed"]


def test_two_names_of_one_body_employ_one_person(store: Store, embedder: LocalEmbedder) -> None:
    """Letters and words of the same body are no two employers."""
    text = (
        "# Linden Technical Steering Committee Meeting\n\n## Present\n\n* Rod Vale @rvale (TSC)\n* Ann Bell @abell\n\n"
        "The Linden Technical Steering Committee thanked @rvale."
    )
    assert known(store, embedder, [text])[0] == ["Rod Vale"]


def test_a_full_name_goes_before_a_handle_that_is_listed(store: Store, embedder: LocalEmbedder) -> None:
    """However often the handle is used."""
    texts = ["Attendees: @zoeblatt\n\nZoe Blatt opened the meeting.", "Attendees: @zoeblatt", "Attendees: @zoeblatt\n"]
    assert known(store, embedder, texts)[0] == ["Zoe Blatt"]
