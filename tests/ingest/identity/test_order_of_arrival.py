"""Who is who does not depend on the order in which documents arrive."""

import random
from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from pathlib import Path

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import Entity
from graph.store import Store
from ingest.intake.artifacts import remember
from ingest.readers import read, walk
from ingest.runs.pipeline import extract_artifact
from retrieval.models.local_embedder import LocalEmbedder
from tests.shipped import shipped_extractor

CORPUS = Path(__file__).parents[3] / "samples" / "corpus"


def stored(store: Store, embedder: LocalEmbedder, memories: Sequence[Memory]) -> list[str]:
    return [remember(memory, "p", store, embedder.tokenizer).added.artifact_id for memory in memories]


def learnt(store: Store, ids: Sequence[str]) -> list[Entity]:
    """Learn the artifacts in this order and do what that queued; return all entities."""
    store.complete(store.claim(["extract"], 1_000, timedelta(minutes=1), "test"))
    for id_ in ids:
        extract_artifact("p", id_, store, shipped_extractor())
    while jobs := store.claim(["extract"], 100, timedelta(minutes=1), "test"):
        for job in jobs:
            extract_artifact("p", job.artifact_id, store, shipped_extractor())
        store.complete(jobs)
    return store.entities_of("p", ids, 10_000)


def people(entities: Sequence[Entity]) -> list[str]:
    return sorted(entity.name for entity in entities if entity.type == "person")


PEOPLE = [
    "Dana Okafor", "Helen Brandt", "Lena Fischer", "Marcus Hale", "Omar Siddiqui", "Priya Raman", "Tomasz Wieczorek",
    "Yuki Tanabe",
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(6))
def test_the_sample_corpus_has_each_person_once_in_any_order(store: Store, embedder: LocalEmbedder, seed: int) -> None:
    """First names before full ones, handles, addresses and employers of mail domains all lead to the same eight."""
    ids = stored(store, embedder, [memory for path in walk([CORPUS]).files for memory in read(path, context=None)])
    random.Random(seed).shuffle(ids)
    entities = learnt(store, ids)
    assert people(entities) == PEOPLE
    assert {entity.name for entity in entities if entity.type == "org"} == {"Quillmere Systems", "Vandermoor Foods"}
    tomasz = next(entity for entity in entities if entity.name == "Tomasz Wieczorek")
    assert {"@tomek", "tomasz.wieczorek@quillmere.example"} <= set(tomasz.aliases)
    assert sorted(learnt(store, ids[::-1]), key=lambda e: e.id) == sorted(entities, key=lambda e: e.id)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_first_name_that_two_share_stays_her_own_in_any_order(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """Nothing says which Anna is meant: what Anna did is neither Anna Berg's nor Anna Stone's."""
    texts = ["Anna will send the plan by Friday.", "Anna Berg approved the plan.", "Anna Stone approved the budget."]
    ids = stored(store, embedder, [Memory(content=text) for text in texts])
    assert people(learnt(store, [ids[at] for at in order])) == ["Anna", "Anna Berg", "Anna Stone"]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_every_short_form_finds_the_only_full_name_in_any_order(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """First name, initial and full name in four documents are one person."""
    texts = [
        "Helen will send the plan by Friday.",
        "The plan was approved by H. Brandt on Monday.",
        "Helen Brandt approved the plan.",
        "We decided to ask Helen about it.",
    ]
    ids = stored(store, embedder, [Memory(content=text) for text in texts])
    assert people(learnt(store, [ids[at] for at in order])) == ["Helen Brandt"]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_thing_that_turns_out_a_person_is_one_entity(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """One document only names her, the other says what she does."""
    texts = ["We decided to give Mara Lind the keys.", "Mara Lind will repaint the fence by Friday."]
    ids = stored(store, embedder, [Memory(content=text) for text in texts])
    found = learnt(store, [ids[at] for at in order])
    assert [(entity.type, entity.name) for entity in found] == [("person", "Mara Lind")]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_family_name_alone_is_the_colleague_who_has_it(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """A report calls people as reports do; that both name Joan Ferris tells that its Haddad is Samir Haddad."""
    texts = [
        "Samir Haddad and Joan Ferris approved the plan.",
        "Joan Ferris asked for the drawings. Haddad will present them by Friday.",
    ]
    ids = stored(store, embedder, [Memory(content=text) for text in texts])
    found = learnt(store, [ids[at] for at in order])
    assert sorted((entity.type, entity.name) for entity in found) == [
        ("person", "Joan Ferris"),
        ("person", "Samir Haddad"),
    ]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_handle_is_the_person_whose_it_is_in_any_order(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """Who speaks only as @tomek is the one a member list gives that handle."""
    memories = [
        Memory(content="@tomek 09:02: I will send the list by Friday.\n", context="chat"),
        Memory(content="Hello all", context="chat", participants=("Tomasz Wieczorek (@tomek)",)),
    ]
    ids = stored(store, embedder, memories)
    assert people(learnt(store, [ids[at] for at in order])) == ["Tomasz Wieczorek"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_mail_box_that_fits_two_is_neither_in_any_order(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """Whoever came first does not get what is said by a handle that the other may have too."""
    memories = [
        Memory(content="@mlind 09:02: I will send the list by Friday.\n", context="chat"),
        Memory(content="Mara Lind approved the plan."),
        Memory(content="Mark Lind approved the budget."),
    ]
    ids = stored(store, embedder, memories)
    assert people(learnt(store, [ids[at] for at in order])) == ["Mara Lind", "Mark Lind", "mlind"]


def test_forgetting_the_full_name_leaves_the_first_name(store: Store, embedder: LocalEmbedder) -> None:
    """A name that only a forgotten document gave is gone; what is left keeps its id, and learning it again too."""
    ids = stored(
        store, embedder, [Memory(content="Helen will call by Friday."), Memory(content="Helen Brandt agreed to it.")]
    )
    [full] = learnt(store, ids)
    store.remove("p", ids[1:])
    [first] = learnt(store, ids[:1])
    assert (full.name, first.name, first.aliases, first.id) == ("Helen Brandt", "Helen", (), full.id)
    assert store.entities_by_name("p", ["Helen Brandt"]) == {}


def test_nothing_of_it_crosses_projects(store: Store, embedder: LocalEmbedder) -> None:
    """A first name here is never a full name there."""
    stored(store, embedder, [Memory(content="Helen will call by Friday.")])
    other = remember(Memory(content="Helen Brandt approved it."), "q", store, embedder.tokenizer).added.artifact_id
    extract_artifact("q", other, store, shipped_extractor())
    assert list(store.entities_by_name("p", ["Helen Brandt"])) == []
    assert [entity.name for entity in store.entities_of("q", [other], 10)] == ["Helen Brandt"]


@pytest.mark.parametrize(
    ("texts", "everybody"),
    [
        (["We thank Wei Zhang.", "We met Zhang Wei."], 1),
        (["J. R. Okafor agreed.", "James R. Okafor came.", "We thank James Okafor."], 1),
        (["We thank Sister Bernadette.", "Sr Bernadette came.", "Bernadette agreed."], 1),
        (["Charles Pemberton came.", "Pemberton confirmed it."], 1),
        (["Charles Pemberton came.", "Anna Pemberton came.", "Pemberton confirmed it."], 2),
        (["Grace Adeyemi came.", "We met Mr Adeyemi."], 2),
        (["Grace Adeyemi came.", "We met Mrs Adeyemi."], 1),
        (["Peter Adeyemi and Grace Adeyemi came.", "We met Mrs. Adeyemi."], 2),
        (["Mr. Adeyemi came.", "Mrs. Adeyemi agreed."], 2),
        (["Mr. Adeyemi came.", "Mrs. Adeyemi agreed.", "We thank Mrs Adeyemi."], 2),
        (["Grace Adeyemi came.", "Mr Adeyemi agreed.", "We met Mrs Adeyemi."], 2),
        (["Dr. Adeyemi came.", "Mrs. Adeyemi agreed."], 1),
        (["Sam Price came.", "Samuel Price and Samantha Price came."], 3),
        (["Ivo de Graaf came.", "I. de Graaf agreed.", "De Graaf wants to stop."], 1),
        (["Juan Carlos Ortega came with Ann Bell.", "Carlos agreed with Ann Bell."], 2),
        (["Juan Carlos Ortega came.", "Carlos agreed."], 2),
        (["Anh Tuan Pham came.", "Tuan Pham agreed.", "We thank A. Pham."], 1),
        (["Arjun Solheim met Ann Bell and Joe Kahn.", "Ann Bell and Joe Kahn decided with the help of Solheim."], 3),
        (["Lucía Fernández Ortega came.", "Lucía Fernández agreed.", "L. Fernández Ortega came."], 1),
        (["Anna Kahn came.", "Bob Kahn came.", "We thank A. Kahn."], 2),
        (["We thank Juan Carlos Ortega Ruiz.", "J. Ortega came.", "Juan Ortega agreed."], 1),
    ],
)
def test_how_a_name_is_written_and_in_which_order_items_come_makes_nobody_two(
    store: Store, embedder: LocalEmbedder, texts: list[str], everybody: int
) -> None:
    """Turned round, with more or fewer initials, with another title: it is one, whichever form comes first."""
    ids = stored(store, embedder, [Memory(content=text) for text in texts])
    for order in permutations(ids):
        assert len(people(learnt(store, order))) == everybody


SHORTENED = [
    (["Daniela Moura and Rose Abel came.", "Dani asked Rose Abel."], ["Daniela Moura", "Rose Abel"]),
    (["Katherine Doyle met Rose Abel.", "Present: KD, Rose Abel\n\nKD agreed."], ["Katherine Doyle", "Rose Abel"]),
    (
        ["Marijke van der Wal met Rose Abel.", "Present: MvdW, Rose Abel\n\nMvdW agreed."],
        ["Marijke van der Wal", "Rose Abel"],
    ),
    (["Nguyen Minh Chau and Rose Abel came.", "Minh Chau met Rose Abel."], ["Nguyen Minh Chau", "Rose Abel"]),
    (["Jukka-Pekka Rantala and Rose Abel came.", "J.-P. Rantala agreed."], ["Jukka-Pekka Rantala", "Rose Abel"]),
    (["Grace Adeyemi met Rose Abel.", "Sister Grace asked Rose Abel."], ["Grace Adeyemi", "Rose Abel"]),
    (["Didi (that is Dietlinde Kruse) met Rose Abel.", "Didi asked Rose Abel."], ["Dietlinde Kruse", "Rose Abel"]),
    (["Daniela Moura came.", "Daniel Berg came.", "Dani is late."], ["Dani", "Daniel Berg", "Daniela Moura"]),
]


@pytest.mark.parametrize(("texts", "expected"), SHORTENED)
def test_what_a_name_is_cut_to_finds_its_bearer_in_any_order(
    store: Store, embedder: LocalEmbedder, texts: list[str], expected: list[str]
) -> None:
    """Beginnings, initials, two of three names, titles with given names, and nicknames that a text tells."""
    ids = stored(store, embedder, [Memory(content=text, context="meeting") for text in texts])
    for order in permutations(ids):
        assert people(learnt(store, order)) == expected


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_handle_that_begins_with_a_given_name_is_hers(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """What follows in it may be where or what she works."""
    memories = [
        Memory(content="hasan_lager: it is in the cage, rose abel\n\nrose_a: thanks hasan\n", context="chat"),
        Memory(content="Hasan Korkmaz and Rose Abel counted the hubs."),
    ]
    ids = stored(store, embedder, memories)
    assert people(learnt(store, [ids[at] for at in order])) == ["Hasan Korkmaz", "Rose Abel"]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_part_of_an_organisation_is_no_other_employer(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """Estates is where she works within the hospital."""
    memories = [
        Memory(content="Present: Ana Osei (Estates), Rose Abel (Clinical Lead)\n", context="meeting"),
        Memory(content="From: Ana Osei <a.osei@thornbeck.example>\n\nRose Abel agreed.\n", context="email"),
    ]
    ids = stored(store, embedder, memories)
    assert people(learnt(store, [ids[at] for at in order])) == ["Ana Osei", "Rose Abel"]
