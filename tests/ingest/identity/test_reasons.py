"""Reasons: each strategy says why a name means an entity, and `explore` shows it."""

from collections.abc import Sequence

import pytest

from core.interface.learning import MergeRequest
from core.interface.memory import Memory
from core.interface.question import Exploration, NameReason
from core.interface.results import to_json
from core.knowledge.findings import Entity, EntityType, Extraction, FoundEntity, Knowledge, Span
from graph.json_codec import knowledge as read
from graph.json_codec import knowledge_text
from graph.store import Store
from ingest.document.evidence import verify_evidence
from ingest.identity import strategies
from ingest.identity.merge_requests import apply_merge_requests
from ingest.identity.resolution import FULL_NAMES, SHORT_NAMES, THINGS, disambiguate_names, resolve
from ingest.identity.strategies import RULES, SHORTLISTS, fitting_full_name, only_one_in_text
from ingest.intake.artifacts import remember
from retrieval.answers.exploration import explore
from retrieval.models.local_embedder import LocalEmbedder

Text = Sequence[FoundEntity | str]


def found(name: str, type_: EntityType = "person", *aliases: str) -> FoundEntity:
    return FoundEntity(name, type_, aliases)


GLOBEX = found("Globex", "org")
RD = "robert.dunn@gmail.com"
#: The strategy that decides, the texts by what they name, and the reason for the last name of the last text.
EXAMPLES: list[tuple[object, list[Text], str]] = [
    (
        strategies.same_name,
        [[found("Lantern", "project", "Beacon"), found("Beacon", "object")]],
        "the same name in this text",
    ),
    (
        strategies.given_name_and_initial,
        [["Alice Chen", "Alice C."]],
        "given name and initial of the only full name in this text that they fit",
    ),
    (
        strategies.short_form,
        [["Alice Chen", "Alice"]],
        "short form of the only full name in this text that it fits",
    ),
    (
        strategies.handle,
        [["Hasan Korkmaz", "hasan_lager"]],
        "handle that begins with the given name of one person in this text",
    ),
    (strategies.initials, [["Katherine Doyle", "KD"]], "initials of the only full name in this text that they fit"),
    (strategies.nickname_in_text, [["Robert Dunn", "Bob"]], "nickname of the only full name in this text that it fits"),
    (strategies.family_name, [["Anna Zyrkova", "Zyrkova"]], "family name of one person in this text"),
    (
        strategies.other_name_in_project,
        [["Mary Smith"], ["Mary Dunn"], [found("Mary Smith", "person", "Mary Dunn")], ["Mary Dunn"]],
        "another name that a text gives for the full one",
    ),
    (strategies.same_full_name, [["Anna Berg"], ["Anna Berg"]], "same name"),
    (
        strategies.ambiguous_organization,
        [[found("Globex Foods", "org")], [found("Globex Steel", "org")], [GLOBEX]],
        "new name",
    ),
    (strategies.same_name_of_thing, [[GLOBEX], [GLOBEX]], "same name"),
    (
        strategies.shared_address,
        [[found("Robert Dunn", "person", RD)], [found("Robert Miller", "person", RD)]],
        "same address or handle",
    ),
    (
        strategies.other_name_in_text,
        [["Mary Dunn"], [found("Mary Smith", "person", "Mary Dunn")]],
        "former or other name that this text gives",
    ),
    (strategies.nickname, [["Robert Dunn"], ["Bob Dunn"]], "nickname with the same family name"),
    (
        strategies.cut_given_name,
        [["Zebulonia Berg", GLOBEX], [GLOBEX, "Zebulon Berg"]],
        "cut given name with the same family name, and most in common with this text",
    ),
    (
        strategies.same_first_and_last_word,
        [["James R. Okafor"], ["Okafor James"]],
        "same words in another order, or with more initials",
    ),
    (
        strategies.same_first_and_last_word,
        [["Mary Smith", GLOBEX], [GLOBEX, "Mary Ann Smith"]],
        "same name but for the middle one, and most in common with this text",
    ),
    (
        strategies.known_by_short_form,
        [["Anna"], ["Anna Berg"]],
        "full name that fits who was known by a short one alone",
    ),
    (
        strategies.explained_short_name,
        [[found("LBF", "org")], [found("Linden Boat Fund", "org", "LBF")]],
        "full name that this text gives for a short one",
    ),
    (strategies.new_entity, [["Anna Berg"]], "new name"),
    (strategies.by_known_form, [["Anna Berg"], ["Anna"]], "short form of the only full name that fits"),
    (strategies.by_known_form, [["Anna Berg"], ["Anna B."]], "given name and initial of the only full name that fits"),
    (strategies.by_known_form, [["Anna Berg"], ["annaberg"]], "mail box or handle of the only full name that fits"),
    (
        strategies.by_known_form,
        [["Anna Berg", GLOBEX], ["Anna Stone"], [GLOBEX, "Anna"]],
        "short form, and most in common with this text",
    ),
    (strategies.by_nickname_or_family, [["Robert Dunn"], ["Bob"]], "nickname of the only full name that fits"),
    (strategies.by_nickname_or_family, [["Anna Berg"], ["Dr Berg"]], "family name of the only full name that fits"),
    (
        strategies.by_initials,
        [["Katherine Doyle", GLOBEX], [GLOBEX, "KD"]],
        "initials, and most in common with this text",
    ),
    (
        strategies.by_cut_given_name,
        [["Daniela Berg", GLOBEX], [GLOBEX, "Danie"]],
        "cut given name, and most in common with this text",
    ),
    (
        strategies.by_given_name_of_handle,
        [["Hasan Korkmaz", GLOBEX], [GLOBEX, "hasan_lager"]],
        "handle that begins with the given name, and most in common with this text",
    ),
    (
        strategies.unambiguous_address,
        [[found("Robert Dunn", "person", RD)], ["Robert Stone"], [found("Robert", "person", RD)]],
        "same address or handle",
    ),
    (strategies.same_short_name, [["Anna"], ["Anna"]], "same name"),
    (strategies.same_word, [["Dr Berg"], ["Berg"]], "same name but for a title"),
    (
        strategies.person_called_by_word,
        [["Anna Zyrkova"], [found("Zyrkova", "other")]],
        "given or family name of the only full name that fits",
    ),
]


def test_every_strategy_has_an_example() -> None:
    """What decides for several rules, in one text or by a list of candidates, is reached through each of them."""
    several = {only_one_in_text, fitting_full_name}
    strategies = {*SHORT_NAMES, *FULL_NAMES, *THINGS} - several
    assert {strategy for strategy, *_ in EXAMPLES} == strategies | {rule for rule, _ in RULES} | set(SHORTLISTS)


def processed(store: Store, embedder: LocalEmbedder, text: Text, number: int) -> tuple[str, Knowledge]:
    """Store a text with these names in it and what they were resolved to; return its id and knowledge."""
    content, entities = f"No. {number}:", []
    for one in (found(each) if isinstance(each, str) else each for each in text):
        start = len(content) + 2
        content += f"  {one.name}."
        entities.append(FoundEntity(one.name, one.type, one.aliases, mentions=(Span(start, start + len(one.name)),)))
    id_ = remember(Memory(content=content), "p", store, embedder.tokenizer).added.artifact_id
    told = disambiguate_names(verify_evidence(content, Extraction(tuple(entities))), content)
    knowledge = resolve(store.get("p", [id_])[id_], told, store)
    store.replace("p", id_, knowledge)
    return id_, knowledge


def reasons_shown(store: Store, entity: Entity) -> list[NameReason]:
    return explore(store, "p", Exploration(id=entity.id, detail="full")).nodes[0].reasons or []


@pytest.mark.parametrize(
    ("texts", "reason"), [pytest.param(*rest, id=f"{at}-{rest[1][:40]}") for at, (_, *rest) in enumerate(EXAMPLES)]
)
def test_the_reason_of_the_strategy_that_decides_is_stored_and_shown(
    store: Store, embedder: LocalEmbedder, texts: list[Text], reason: str
) -> None:
    """With the item in which the name stands."""
    for number, text in enumerate(texts):
        id_, knowledge = processed(store, embedder, text, number)
    last = texts[-1][-1]
    name = last if isinstance(last, str) else last.name
    [entity] = [one for one in knowledge.entities if (name, reason) in (one.reasons or ())]
    stored = store.artifact_knowledge("p", [id_])[id_].entities
    assert [set(one.reasons or ()) for one in stored] == [set(one.reasons or ()) for one in knowledge.entities]
    assert NameReason(name, reason, id_) in reasons_shown(store, entity)


def test_aliases_and_decisions_of_people_are_reasons_too(store: Store, embedder: LocalEmbedder) -> None:
    """What a text gives with a name, and what a person merged."""
    berg, _ = processed(store, embedder, [found("Anna Berg", "person", "ab@acme.example")], 0)
    stone, knowledge = processed(store, embedder, ["Ann Stone"], 1)
    merged = apply_merge_requests(
        "p", [MergeRequest(kind="accept", one="Anna Berg", other="Ann Stone")], store
    ).entities[0]
    assert sorted(reasons_shown(store, merged), key=lambda one: one.name) == [
        NameReason("Ann Stone", "decided in a review", stone),
        NameReason("Anna Berg", "new name", berg),
        NameReason("ab@acme.example", "given with the name in the text", berg),
    ]
    assert knowledge.entities[0].reasons == (("Ann Stone", "new name"),)


def test_reasons_survive_an_export(store: Store, embedder: LocalEmbedder) -> None:
    """Knowledge as JSON has them, and entities without any have no such field."""
    _, knowledge = processed(store, embedder, ["Anna Berg"], 0)
    assert [one.reasons for one in read(knowledge_text(knowledge)).entities] == [(("Anna Berg", "new name"),)]
    assert "reasons" not in to_json(Entity("ent_000000000001", "Anna", "person"))
