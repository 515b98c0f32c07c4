"""Merge candidates: who may be one, and what a person's merge decision does to what is learnt later."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import Entity, Knowledge, Mention, entity_id
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisionKind
from graph.store import Store
from ingest.identity import candidate_pairs
from ingest.identity.candidate_pairs import Reason, pair_reason, propose_pairs_of
from ingest.intake.artifacts import remember
from ingest.runs.pipeline import extract_artifact, store_knowledge
from retrieval.models.local_embedder import LocalEmbedder
from tests.shipped import shipped_extractor

NOW = datetime(2026, 3, 10, 9, tzinfo=UTC)


def person(name: str, *aliases: str, organization: str | None = None) -> Entity:
    return Entity(entity_id("p", "person", name), name, "person", aliases, organization=organization)


def said(store: Store, embedder: LocalEmbedder, text: str) -> str:
    """Remember and learn a text; return its id."""
    id_ = remember(Memory(content=text), "p", store, embedder.tokenizer).added.artifact_id
    extract_artifact("p", id_, store, shipped_extractor())
    return id_


def named(store: Store, embedder: LocalEmbedder, *people: Entity) -> None:
    """Store people as if each had an artifact of its own."""
    for one in people:
        id_ = remember(Memory(content=f"{one.name} called."), "p", store, embedder.tokenizer).added.artifact_id
        mention = Mention(one.id, id_, 0, len(one.name))
        store_knowledge("p", id_, Knowledge((one,), (mention,)), store)


def judged(store: Store, kind: MergeDecisionKind, one: str, other: str) -> MergeDecision:
    made = MergeDecision(id=f"ver_{kind}_{one}_{other}", kind=kind, one=one, other=other, at=NOW)
    store.apply_decision("p", made)
    return made


def open_pairs(store: Store) -> list[set[str]]:
    pairs, count = store.open_merge_candidates("p", 99)
    ids = [id_ for pair in pairs for id_ in (pair.one, pair.other)]
    names = {id_: one.name for id_, one in store.entities("p", ids).items()}
    assert count == len(pairs)
    return [{names[pair.one], names[pair.other]} for pair in pairs]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (person("Jon Smith"), person("John Smith"), candidate_pairs.SPELT_ALIKE),
        (person("Bob Dunn"), person("Robert Dunn"), candidate_pairs.NICKNAME),
        (person("Mary Smith"), person("Mary Ann Smith"), candidate_pairs.MIDDLE_NAME),
        (person("Anna Schmidt"), person("Anna Schmitt"), candidate_pairs.FAMILY_ALIKE),
        (person("Anna Chem"), person("Anna Chen"), candidate_pairs.FAMILY_ALIKE),
        (person("Anna Hasendinck"), person("Anna Hassendonck"), candidate_pairs.FAMILY_ALIKE),
        (person("Micheal Dawsen"), person("Michael Dawson"), candidate_pairs.BOTH_ALIKE),
        (person("Daniel Kimber"), person("Daniela Kimber"), candidate_pairs.SPELT_ALIKE),
        (person("George H. Marsh"), person("George W. Marsh"), None),
        (person("Anna Berg"), person("Anna Berg-Stone"), candidate_pairs.FAMILY_LONGER),
        (person("Anna Berg", "anna@acme.example"), person("Anna Stone", "anna@acme.example"),
        candidate_pairs.SAME_ADDRESS),
        (person("A. Berg"), person("Anna Berg"), candidate_pairs.INITIAL_FITS),
        (person("Anna"), person("Anna Berg"), candidate_pairs.FIRST_NAME_FITS),
        (person("Alice Chen", organization="Acme"), person("Alice Chen", organization="Globex"),
         candidate_pairs.SAME_NAME_ELSEWHERE),
        (person("Alice Chen"), person("Alice Chen", organization="Globex"), candidate_pairs.SAME_NAME),
        (person("achen", "achen@acme.example"), person("Alice Chen"), candidate_pairs.ADDRESS_FITS),
        (person("James Smith"), person("John Smith"), None),
        (person("Anna Berg"), person("Anna Stone"), None),
        (person("Anna Lee"), person("Anna Les"), None),
        (person("Anna", organization="Acme"), person("Anna Berg", organization="Globex"), None),
        (Entity("ent_1", "Vasa", "org"), Entity("ent_2", "Vasa Foods", "org"), candidate_pairs.ORG_SHORT),
        (Entity("ent_1", "Vasa", "org"), person("Vasa"), None),
    ],
)  # fmt: skip
def test_two_are_alike_for_a_reason_or_not_at_all(one: Entity, other: Entity, reason: Reason | None) -> None:
    """Seen from either side; the reason holds no name, so that it outlives no forgotten text."""
    assert pair_reason(one, other) == pair_reason(other, one) == reason


def test_reasons_are_found_through_short_forms_in_any_order(store: Store, embedder: LocalEmbedder) -> None:
    """Whoever is learnt last finds the others: by initial, nickname, first name, and box."""
    people = [person("Jon Smith", "Jon", "J. Smith"), person("John Smith", "John", "J. Smith"),
              person("Bob Dunn", "Bob", "B. Dunn"), person("Robert Dunn", "Robert", "R. Dunn"),
              person("achen", "achen@acme.example"), person("Alice Chen", "Alice", "A. Chen")]  # fmt: skip
    named(store, embedder, *people)
    expected = [{"Bob Dunn", "Robert Dunn"}, {"Jon Smith", "John Smith"}, {"achen", "Alice Chen"}]
    assert sorted(map(sorted, open_pairs(store))) == sorted(map(sorted, expected))
    named(store, embedder, *people[::-1])
    assert sorted(map(sorted, open_pairs(store))) == sorted(map(sorted, expected))


def test_a_first_name_that_two_share_may_be_either(store: Store, embedder: LocalEmbedder) -> None:
    """It stays apart, and a person is asked."""
    for text in ("Anna Berg approved it.", "Anna Stone approved it.", "Anna will call by Friday."):
        said(store, embedder, text)
    assert sorted(map(sorted, open_pairs(store))) == [["Anna", "Anna Berg"], ["Anna", "Anna Stone"]]


def test_likenesses_follow_from_the_names_that_are_left(store: Store, embedder: LocalEmbedder) -> None:
    """What nobody is called any more makes nobody alike, once that is looked at again."""
    named(store, embedder, person("Bo Lee"))
    store.set_merge_candidates("p", [person("Bo Lee").id], [])
    ids: Sequence[str] = [person(name).id for name in ("Bo Lee", "nobody")]
    propose_pairs_of("p", ids, store)
    assert open_pairs(store) == []


def test_what_was_merged_is_meant_by_either_name_from_then_on(store: Store, embedder: LocalEmbedder) -> None:
    """A later text that says only "Anna" means the one Anna that two were merged into; undone, neither."""
    for text in ("Anna Berg approved it.", "Anna Stone approved it."):
        said(store, embedder, text)
    berg, stone = (store.entities_by_name("p", [name])[name.casefold()][0] for name in ("Anna Berg", "Anna Stone"))
    merged = judged(store, "same", berg.id, stone.id)
    later = said(store, embedder, "Anna Stone will call Anna by Friday.")
    only = said(store, embedder, "Anna will call by Monday.")
    assert [one.id for one in store.entities_of("p", [later], 9)] == [berg.id]
    assert [one.id for one in store.entities_of("p", [only], 9)] == [berg.id]
    store.undo_decision("p", merged.id, NOW, None)
    assert stone.id in {one.id for one in store.entities_of("p", [later], 9)}


def test_what_was_told_apart_is_not_joined_by_a_later_text(store: Store, embedder: LocalEmbedder) -> None:
    """Anna is not Anna Berg: when Anna Stone is forgotten, nothing else is left to mean, and still she is not."""
    said(store, embedder, "Anna Berg approved it.")
    stone = said(store, embedder, "Anna Stone approved it.")
    first = said(store, embedder, "Anna will call by Friday.")
    berg = store.entities_by_name("p", ["Anna Berg"])["anna berg"][0]
    [anna] = store.entities_of("p", [first], 9)
    judged(store, "different", anna.id, berg.id)
    store.remove("p", [stone])
    extract_artifact("p", first, store, shipped_extractor())
    assert [one.id for one in store.entities_of("p", [first], 9)] == [anna.id]
    later = said(store, embedder, "Anna will write by Monday.")
    assert [one.id for one in store.entities_of("p", [later], 9)] == [anna.id]
    assert store.merge_candidates("p", [anna.id], 9) == []


def test_undoing_a_merge_brings_the_question_back(store: Store, embedder: LocalEmbedder) -> None:
    """Merge candidates follow from names alone, so looking again finds what stood before."""
    jon, john = person("Jon Smith", "J. Smith"), person("John Smith", "J. Smith")
    named(store, embedder, jon, john)
    before = store.open_merge_candidates("p", 9)
    merged = judged(store, "same", jon.id, john.id)
    assert store.open_merge_candidates("p", 9) == ([], 0)
    store.undo_decision("p", merged.id, NOW, None)
    propose_pairs_of("p", [jon.id, john.id], store)
    first, second = sorted((jon.id, john.id))
    assert (
        store.open_merge_candidates("p", 9)
        == before
        == ([MergeCandidate(first, second, *candidate_pairs.SPELT_ALIKE)], 1)
    )
