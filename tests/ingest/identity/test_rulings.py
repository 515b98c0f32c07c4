"""Merge requests: what a person decides about who is who, by ids or names, and what is refused."""

from collections.abc import Sequence

import pytest

from core.errors import Conflict, InvalidInput, NotFound
from core.interface.learning import MergeAction, MergeRequest, MergeResult
from core.interface.memory import Memory
from core.knowledge.findings import Entity, Knowledge, Mention, entity_id
from graph.store import Store
from ingest.identity.merge_requests import apply_merge_requests
from ingest.intake.artifacts import remember
from ingest.runs.pipeline import store_knowledge
from retrieval.models.local_embedder import LocalEmbedder


@pytest.fixture
def ids(store: Store, embedder: LocalEmbedder) -> list[str]:
    """Store Jon Smith, John Smith (twice) and Bo, and return their items."""
    people = [("Jon Smith", ("J. Smith",)), ("John Smith", ("J. Smith",)), ("John Smith", ("Johnny",)), ("Bo", ())]
    return [said(store, embedder, name, aliases, number) for number, (name, aliases) in enumerate(people)]


def said(store: Store, embedder: LocalEmbedder, name: str, aliases: Sequence[str], number: int) -> str:
    memory = Memory(content=f"{name} called, {number}.")
    artifact_id = remember(memory, "p", store, embedder.tokenizer).added.artifact_id
    one = Entity(id_of(name), name, "person", tuple(aliases))
    store_knowledge("p", artifact_id, Knowledge((one,), (Mention(one.id, artifact_id, 0, len(name)),)), store)
    return artifact_id


def id_of(name: str) -> str:
    return entity_id("p", "person", name)


def rule(store: Store, kind: MergeAction, one: str, other: str) -> MergeResult:
    return apply_merge_requests(
        "p", [MergeRequest(kind=kind, one=one, other=other, by="Ana", note="I know them")], store
    )


def names(ruled: MergeResult) -> list[tuple[str, int]]:
    return sorted((entity.name, entity.mention_count) for entity in ruled.entities)


@pytest.mark.usefixtures("ids")
@pytest.mark.both_engines
def test_two_are_made_one_by_name_and_two_again_by_the_names_they_had(store: Store) -> None:
    """The first that is named stands; who decided, and why, is kept; undoing asks again whether they are one."""
    before = store.open_merge_candidates("p", 9)
    done = rule(store, "accept", "Jon Smith", "Johnny")
    assert (done.changed, names(done)) == (True, [("John Smith", 3)])
    assert done.entities[0].id == id_of("Jon Smith")
    assert done.verdict is not None
    assert (done.verdict.by, done.verdict.note) == ("Ana", "I know them")
    again = rule(store, "accept", id_of("John Smith"), id_of("Jon Smith"))
    assert (again.changed, names(again)) == (False, [("John Smith", 3)])
    undone = rule(store, "undo", "John Smith", "Jon Smith")
    assert names(undone) == [("John Smith", 2), ("Jon Smith", 1)]
    assert undone.verdict is not None
    assert undone.verdict.undone_by == "Ana"
    assert store.open_merge_candidates("p", 9) == before
    assert before[1] == 1


@pytest.mark.usefixtures("ids")
def test_a_rejection_ends_the_question_until_it_is_undone(store: Store) -> None:
    """Also of what was merged; and whoever says later that the two are one takes the rejection back."""
    rule(store, "accept", "Jon Smith", "John Smith")
    done = rule(store, "reject", id_of("Jon Smith"), id_of("John Smith"))
    assert (names(done), store.open_merge_candidates("p", 9)[1]) == ([("John Smith", 2), ("Jon Smith", 1)], 0)
    assert not rule(store, "reject", "John Smith", "Jon Smith").changed
    rule(store, "undo", "Jon Smith", "John Smith")
    assert store.open_merge_candidates("p", 9)[1] == 1
    rule(store, "reject", "Jon Smith", "John Smith")
    assert names(rule(store, "accept", "Jon Smith", "John Smith")) == [("John Smith", 3)]
    assert [one.kind for one in store.merge_decisions("p") if one.undone_at is None] == ["same"]


@pytest.mark.both_engines
def test_a_name_or_an_item_is_split_off_and_put_back(store: Store, ids: list[str]) -> None:
    """What was taken out is an entity of its own, which can be merged and split like any other."""
    rule(store, "accept", "Jon Smith", "Bo")
    done = rule(store, "split", "Jon Smith", "Bo")
    assert names(done) == [("Bo", 1), ("Jon Smith", 1)]
    assert names(rule(store, "undo", "Jon Smith", "Bo")) == [("Jon Smith", 2)]
    done = rule(store, "split", "John Smith", ids[2])
    assert names(done) == [("John Smith", 1), ("John Smith", 1)]
    assert names(rule(store, "undo", done.entities[0].id, done.entities[1].id)) == [("John Smith", 2)]


@pytest.mark.usefixtures("ids")
@pytest.mark.parametrize(
    ("kind", "one", "other", "error", "says"),
    [
        ("accept", "Jon Smith", "Nobody", NotFound, "'Nobody'"),
        ("accept", "Jon Smith", "ent_ffffffffffff", NotFound, "ent_ffffffffffff"),
        ("accept", "Bo", "J. Smith", InvalidInput, "2 are called 'J. Smith'"),
        ("reject", "Bo", "Bo", Conflict, "one entity"),
        ("split", "Bo", "Bobby", InvalidInput, "'Bo' is not called 'Bobby'"),
        ("split", "Bo", "art_ffffffffffff", NotFound, "art_ffffffffffff"),
        ("split", "John Smith", "J. Smith", Conflict, "has that name"),
        ("undo", "Jon Smith", "John Smith", NotFound, "No merge decision in force"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    store: Store, kind: MergeAction, one: str, other: str, error: type[Exception], says: str
) -> None:
    """The message names the value, and what to do."""
    with pytest.raises(error, match=says):
        rule(store, kind, one, other)
    assert store.merge_decisions("p") == []


def test_a_ruling_is_checked_when_it_is_made() -> None:
    """Of a known kind, with two names."""
    with pytest.raises(InvalidInput, match="kind"):
        MergeRequest(kind="merge", one="a", other="b")  # type: ignore[arg-type]  # what a caller may send
    with pytest.raises(InvalidInput, match="other"):
        MergeRequest(kind="accept", one="a", other=" ")
