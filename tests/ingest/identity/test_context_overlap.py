"""ContextOverlap: who is meant by a short name that fits several, in whatever order documents arrive."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import Entity, Extraction, FoundEntity, Span
from core.records import Artifact
from graph.store import Store
from ingest.intake.artifacts import remember
from ingest.runs.pipeline import extract_artifact
from retrieval.models.local_embedder import LocalEmbedder


class Reader:
    """Finds the people and organisations whose names it was given, wherever a text has them."""

    name = "names"

    def __init__(self, people: Sequence[FoundEntity], orgs: Sequence[str] = ()) -> None:
        self._known = [*people, *(FoundEntity(name, "org") for name in orgs)]

    def extract(self, artifact: Artifact) -> Extraction:
        content = artifact.memory.content
        found = []
        for one in self._known:
            if (at := content.find(one.name)) >= 0 and not any(
                other.name != one.name and one.name in other.name and other.name in content for other in self._known
            ):
                spans = (Span(at, at + len(one.name)),)
                found.append(FoundEntity(one.name, one.type, one.aliases, None, one.organization, spans))
        return Extraction(tuple(found))


def people(*names: str) -> list[FoundEntity]:
    return [FoundEntity(name, "person") for name in names]


def meant(store: Store, embedder: LocalEmbedder, memories: Sequence[Memory], reader: Reader) -> dict[str, set[str]]:
    """Learn these in their order, and again what that queued; return the people of each text by name."""
    ids = [remember(one, "p", store, embedder.tokenizer).added.artifact_id for one in memories]
    store.complete(store.claim(["extract"], 1_000, timedelta(minutes=1), "test"))
    for id_ in ids:
        extract_artifact("p", id_, store, reader)
    for _ in range(20):
        jobs = store.claim(["extract"], 100, timedelta(minutes=1), "test")
        if not jobs:
            break
        for job in jobs:
            extract_artifact("p", job.artifact_id, store, reader)
        store.complete(jobs)
    else:
        pytest.fail("learning does not come to an end")
    return {
        memory.content: {one.name for one in store.entities_of("p", [id_], 99) if one.type == "person"}
        for memory, id_ in zip(memories, ids, strict=True)
    }


def in_any_order(texts: Sequence[str]) -> list[tuple[str, ...]]:
    return list(permutations(texts))


BERG, STONE = "Anna Berg and Tom Reed joined Vasa.", "Anna Stone and Ida Holm joined Orla."
READER = Reader(
    people("Anna Berg", "Anna Stone", "Tom Reed", "Ida Holm", "Anna", "Anna B.", "A. Berg", "Dr Berg"), ["Vasa", "Orla"]
)


@pytest.mark.parametrize("texts", in_any_order([BERG, STONE, "Anna called Tom Reed of Vasa."]))
def test_a_first_name_is_who_has_her_circle_in_common(
    store: Store, embedder: LocalEmbedder, texts: tuple[str, ...]
) -> None:
    """Of two Annas it is the one named elsewhere with the same colleague and organisation."""
    found = meant(store, embedder, [Memory(content=text) for text in texts], READER)
    assert found["Anna called Tom Reed of Vasa."] == {"Anna Berg", "Tom Reed"}


@pytest.mark.parametrize("texts", in_any_order([BERG, STONE, "Anna met Tom Reed of Vasa and Ida Holm of Orla."]))
def test_a_first_name_between_two_circles_is_neither(
    store: Store, embedder: LocalEmbedder, texts: tuple[str, ...]
) -> None:
    """Where both have as much in common with a text she stays apart, and a person is asked."""
    found = meant(store, embedder, [Memory(content=text) for text in texts], READER)
    assert "Anna" in found["Anna met Tom Reed of Vasa and Ida Holm of Orla."]
    assert len(store.open_merge_candidates("p", 9)[0]) == 2


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_a_turn_means_who_another_turn_of_its_conversation_names(
    store: Store, embedder: LocalEmbedder, order: tuple[int, ...]
) -> None:
    """A first name in one turn is the full name in another, not a namesake elsewhere."""
    said = ["Hello Anna Berg.", "Anna, are you there?"]
    turns = [
        Memory(content=text, context="conversation", conversation_id="c", turn_index=at) for at, text in enumerate(said)
    ]
    memories = [*turns, Memory(content=STONE), Memory(content="Nothing new.")]
    assert meant(store, embedder, [memories[at] for at in order], READER)[said[1]] == {"Anna Berg"}


@pytest.mark.parametrize("short", ["Dr Berg", "Anna B."])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_title_or_an_initial_behind_finds_the_only_full_name(
    store: Store, embedder: LocalEmbedder, short: str, order: tuple[int, ...]
) -> None:
    """ "Dr Berg" is the only Berg, "Anna B." the only Anna whose family name begins so."""
    texts = [BERG, STONE, f"{short} agreed."]
    found = meant(store, embedder, [Memory(content=texts[at]) for at in order], READER)
    assert found[f"{short} agreed."] == {"Anna Berg"}


@pytest.mark.parametrize("texts", in_any_order(["Rob Dunn agreed.", "Robert Dunn called.", "Robin Dale wrote."]))
def test_a_nickname_with_the_family_name_is_the_same_person(
    store: Store, embedder: LocalEmbedder, texts: tuple[str, ...]
) -> None:
    """Rob Dunn is Robert Dunn while nobody else could be."""
    reader = Reader(people("Rob Dunn", "Robert Dunn", "Robin Dale"))
    found = meant(store, embedder, [Memory(content=text) for text in texts], reader)
    assert found["Rob Dunn agreed."] == found["Robert Dunn called."] == {"Robert Dunn"}


def test_a_nickname_joins_nobody_of_another_organisation(store: Store, embedder: LocalEmbedder) -> None:
    """Two full names at two organisations stay two people."""
    reader = Reader(
        [FoundEntity("Rob Dunn", "person", organization="Vasa"),
         FoundEntity("Robert Dunn", "person", organization="Orla")]
    )  # fmt: skip
    found = meant(store, embedder, [Memory(content="Rob Dunn agreed."), Memory(content="Robert Dunn called.")], reader)
    assert found["Rob Dunn agreed."] != found["Robert Dunn called."]


@pytest.mark.parametrize(
    "texts",
    in_any_order(["Mary Dunn agreed.", "Mary Smith called.", "Mary Smith (née Dunn) wrote."]),
)
def test_a_changed_family_name_is_one_person(store: Store, embedder: LocalEmbedder, texts: tuple[str, ...]) -> None:
    """What one item says of her names joins what the others say of either."""
    reader = Reader(people("Mary Dunn", "Mary Smith"))
    found = meant(store, embedder, [Memory(content=text) for text in texts], reader)
    assert len(set(map(frozenset, found.values()))) == 1


@pytest.mark.parametrize("names", list(permutations(["Mary Dunn", "Mary Smith"])))
def test_a_mail_box_is_kept_when_the_family_name_changes(
    store: Store, embedder: LocalEmbedder, names: tuple[str, ...]
) -> None:
    """One given name at a box with a family name of hers is one person; another given name at the same box is not."""
    box = "mary.dunn@vasa.example"
    reader = Reader([FoundEntity(name, "person", (box,)) for name in (*names, "Ben Hill")])
    texts = [f"{name} agreed." for name in (*names, "Ben Hill")]
    found = meant(store, embedder, [Memory(content=text) for text in texts], reader)
    assert found[texts[0]] == found[texts[1]] != found[texts[2]]


def test_learning_again_changes_nothing(store: Store, embedder: LocalEmbedder) -> None:
    """What was told apart by circles stays so, and queues nothing."""
    memories = [Memory(content=text) for text in (BERG, STONE, "Anna called Tom Reed of Vasa.")]
    first = meant(store, embedder, memories, READER)

    def standing() -> list[Entity]:
        ids = [one.id for batch in store.each("p") for one in batch]
        return sorted(store.entities_of("p", ids, 99), key=lambda one: one.id)

    before = standing()
    assert meant(store, embedder, memories, READER) == first
    assert standing() == before
