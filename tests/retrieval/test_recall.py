"""What a user may rely on when recalling, over real stores."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from core.errors import NotFound, Unavailable
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Recall, Receipt
from core.search import IndexEntry, UnitKind, Vectors
from graph.sqlite_store import SqliteStore
from graph.store import Store
from graph.vector_checks import switch_model
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.ranking import ranker
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from tests.shipped import assembled, shipped_embedder

#: More than the candidates that a source is first asked for.
MANY = 260


class AwayIndex:
    """An index that another process holds: every call is `Unavailable`."""

    def _refuse(self) -> Unavailable:
        return Unavailable("Another process has the index open.")

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        raise self._refuse()

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        raise self._refuse()

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        raise self._refuse()

    def entries(self, project_id: str, chunk_ids: Sequence[str], *, texts: bool = True) -> dict[str, IndexEntry]:
        raise self._refuse()

    def ids(self, project_id: str) -> set[str]:
        raise self._refuse()

    def holds(self, project_id: str) -> bool:
        raise self._refuse()

    def held(self) -> dict[tuple[str, str], int]:
        raise self._refuse()

    def discard(self, project_id: str, model: str) -> None:
        raise self._refuse()

    def drop(self, project_id: str) -> None:
        raise self._refuse()

    def reset(self) -> str | None:
        raise self._refuse()

    def ping(self) -> str:
        raise self._refuse()

    def close(self) -> None:
        pass


class AwayEmbedder:
    """An embedder whose service does not answer."""

    model = LocalEmbedder.model
    dimension = LocalEmbedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise Unavailable("The embedder is away: try again.")

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A store of many notes about one thing, ten of them from a rare source, that no test changes."""
    folder = tmp_path_factory.mktemp("harbour")
    index = ChromaIndex(EmbeddedChroma(folder / "chroma"), shipped_embedder())
    with assembled(SqliteStore(folder / "record.db"), index) as app:
        for number in range(MANY):
            rare = number % (MANY // 10) == 0
            memory = Memory(
                content=f"Note {number}: harbour fees of pier {number % 7} were paid.",
                context="note",
                source="rare" if rare else "manual",
                date=f"2026-01-{number % 28 + 1:02}",
                tags=("rare", "fees") if rare else ("fees",),
            )
            app.remember(memory)
        app.worker.drain()
        yield app


def remember(app: App, content: str, **fields: Any) -> str:
    return app.remember(Memory(**({"context": "note"} | fields), content=content), wait=True).id


def recall(app: App, **values: Any) -> Recall:
    """Answer in full, unless something else is asked for."""
    return app.recall(Question(**{"detail": "full"} | values))


def ids(answer: Recall) -> list[str]:
    return [result.id for result in answer.results]


# By id


@pytest.mark.both_engines
def test_an_id_gives_that_one_thing_complete(app: App) -> None:
    """docs/interface.md `recall` mode 1: with its events in the result, its entities beside it, and its chunks when
    asked."""
    content = "Dana Whitfield decided to use Kestrel for the Lantern project.\n\n" + "Filler about nothing. " * 200
    artifact_id = remember(app, content, title="Choice", tags=("a",))
    answer = recall(app, id=artifact_id, query="ignored", expand_neighbors=True)
    (result,) = answer.results
    assert (answer.match_type, answer.total_count, result.id, result.content) == ("id", 1, artifact_id, content)
    assert result.events
    assert result.events[0].category == "Decision"
    assert all(quote.quote == content[quote.start_char : quote.end_char] for quote in result.events[0].evidence)
    assert "Dana Whitfield" in [entity.name for entity in answer.entities]
    assert result.chunks is not None
    assert len(result.chunks) > 1
    assert all(chunk.content == content[chunk.start_char : chunk.end_char] for chunk in result.chunks)
    assert (result.metadata["tags"], result.chunk, result.title) == (["a"], None, "Choice")


def test_an_item_by_its_id_names_who_wrote_it_and_took_part(app: App) -> None:
    """Whom only its fields name is of the item too, unless several go by the name."""
    remember(app, "Nora Quist of Tidewell and Nora Berg of Kestrel met.")
    artifact_id = remember(app, "It rained all day.", author="Ada Holm", participants=("Ben Ruiz", "Nora"))

    named = {entity.name for entity in recall(app, id=artifact_id).entities}

    assert {"Ada Holm", "Ben Ruiz"} <= named
    assert named.isdisjoint({"Nora Quist", "Nora Berg"})


@pytest.mark.both_engines
def test_events_and_entities_are_found_by_their_ids(app: App) -> None:
    """docs/interface.md `recall` mode 1: `evt_…` and `ent_…` too."""
    artifact_id = remember(app, "Dana Whitfield decided to use Kestrel.")
    answer = recall(app, id=artifact_id)
    event = (answer.results[0].events or [])[0]
    by_event = recall(app, id=event.id)
    assert (ids(by_event), by_event.results[0].context, by_event.results[0].events) == ([event.id], "Decision", [event])
    dana = next(entity for entity in answer.entities if entity.name == "Dana Whitfield")
    by_entity = recall(app, id=dana.id)
    assert (ids(by_entity), by_entity.results[0].content, by_entity.entities) == ([dana.id], "Dana Whitfield", [dana])
    assert event in (by_entity.results[0].events or [])


@pytest.mark.parametrize("identity", ["art_000000000000", "evt_000000000000", "ent_000000000000", "nonsense", "art_\0"])
def test_an_unknown_id_is_not_found(app: App, identity: str) -> None:
    """The message says what ids look like."""
    with pytest.raises(
        NotFound, match=r"^Nothing is stored under id .*: ids look like art_0123456789ab, evt_… or ent_…;"
    ):
        recall(app, id=identity)


def test_an_id_of_another_project_is_not_found(app: App) -> None:
    """docs/interface.md, errors: `not_found`."""
    artifact_id = remember(app, "We open at nine.")
    with pytest.raises(NotFound):
        app.recall(Question(id=artifact_id), "other")


@pytest.mark.both_engines
def test_a_revision_stays_reachable_by_its_own_id_and_is_named_by_its_successor(app: App) -> None:
    """docs/interface.md `remember`: the old text stays reachable as a revision by its own id."""
    old = remember(app, "We open at nine.", key="hours")
    new = remember(app, "We open at ten.", key="hours")
    assert recall(app, id=new).results[0].revisions == [old]
    earlier = recall(app, id=old).results[0]
    assert (earlier.content, earlier.metadata["replaced_by"]) == ("We open at nine.", new)
    assert ids(recall(app, query="when do we open")) == [new]
    assert ids(recall(app, context="note")) == [new]


# Conversations


def converse(app: App, turns: int, conversation_id: str = "c") -> list[str]:
    return [
        remember(
            app,
            f"Turn {number} about fishing boats." if number % 3 else "Yes.",
            context="conversation",
            conversation_id=conversation_id,
            turn_index=number,
            role="user" if number % 2 else "assistant",
            author="Dana",
        )
        for number in range(turns)
    ]


@pytest.mark.both_engines
def test_a_conversation_comes_in_turn_order_page_by_page(app: App) -> None:
    """docs/interface.md `recall` mode 2: `total_turns` is the true number whatever `limit` and `offset` are."""
    turns = converse(app, 7)
    converse(app, 2, "other")
    seen: list[str] = []
    for offset in (0, 3, 6, 9):
        answer = recall(app, conversation_id="c", limit=3, offset=offset)
        assert answer.turns is not None
        assert (answer.total_turns, answer.conversation_id, answer.match_type) == (7, "c", "conversation")
        assert (answer.results, answer.related, answer.entities) == ([], [], [])
        seen += [turn.id for turn in answer.turns]
    assert seen == turns
    assert recall(app, conversation_id="c", limit=3).hint == "4 more turns: pass offset=3."
    (first, *_) = recall(app, conversation_id="c").turns or []
    assert (first.role, first.turn_index, first.content, first.author) == ("assistant", 0, "Yes.", "Dana")


def test_an_unknown_conversation_is_empty_and_says_so(app: App) -> None:
    """An empty answer carries a hint."""
    remember(app, "We open at nine.")
    answer = recall(app, conversation_id="c")
    assert (answer.turns, answer.total_turns) == ([], 0)
    assert answer.hint == "No turn is stored under conversation_id 'c'."


@pytest.mark.both_engines
def test_a_query_with_a_conversation_searches_inside_it(app: App) -> None:
    """docs/interface.md `recall` mode 2."""
    turns = converse(app, 4)
    converse(app, 4, "other")
    answer = recall(app, query="fishing boats", conversation_id="c")
    assert set(ids(answer)) == set(turns)
    assert set(ids(answer)[:2]) == {turns[1], turns[2]}


def test_turns_come_with_their_neighbours_when_asked(app: App) -> None:
    """A turn alone is often no answer."""
    turns = converse(app, 5)
    answer = recall(app, query="Turn 2 about fishing boats", conversation_id="c", expand_neighbors=True, limit=1)
    assert ids(answer) == [turns[2]]
    assert [neighbor.index for neighbor in answer.results[0].neighbors or []] == [1, 3]


# Search


def test_an_item_whose_key_is_the_query_comes_first(harbour: App, app: App) -> None:
    """docs/interface.md `recall` mode 3: `match_type: "exact"`, then the rest of the search."""
    remember(app, "The harbour fees policy is long and is all about harbour fees.")
    keyed = remember(app, "Something unrelated.", key="harbour-fees")
    answer = recall(app, query=" harbour-fees ")
    assert (ids(answer)[0], answer.match_type) == (keyed, "exact")
    assert len(answer.results) == 2
    assert recall(app, query=keyed).match_type == "exact"
    assert recall(harbour, query="harbour-fees").match_type == "hybrid"


@pytest.mark.both_engines
def test_an_item_is_found_by_meaning_without_a_shared_word(app: App) -> None:
    """That is what vectors are for."""
    wanted = remember(app, "The physician prescribed rest for the ill child.")
    remember(app, "Quarterly numbers rose by four percent.")
    assert ids(recall(app, query="doctor treating sick kid"))[0] == wanted


def test_an_item_is_found_by_words_before_its_vectors_exist(app: App) -> None:
    """docs/interface.md `remember`: findable by id, key, filters and words when the call returns."""
    artifact_id = app.remember(Memory(content="The zephyrine valve leaks.")).id
    assert ids(recall(app, query="zephyrine")) == [artifact_id]


def test_a_document_appears_once_with_its_best_chunk(app: App) -> None:
    """docs/interface.md `recall`: one entry an item; the chunk's offsets give its text back, neighbours beside it when
    asked."""
    content = (
        "Filler about the weather. " * 150 + "The zephyrine valve leaks at noon. " + "Filler about the sea. " * 150
    )
    artifact_id = remember(app, content)
    answer = recall(app, query="zephyrine valve", expand_neighbors=True)
    (result,) = answer.results
    assert (result.id, answer.total_count) == (artifact_id, 1)
    assert result.chunk is not None
    assert "zephyrine" in result.content
    assert result.content == content[result.chunk.start_char : result.chunk.end_char]
    assert [neighbor.index for neighbor in result.neighbors or []] == [result.chunk.index - 1, result.chunk.index + 1]
    assert all(n.content == content[n.start_char : n.end_char] for n in result.neighbors or [])


@pytest.mark.parametrize(
    "condition",
    [
        {"source": "rare"},
        {"tags": ("rare",)},
        {"tags": ("rare", "fees")},
        {"date_from": "2026-01-27", "date_to": "2026-01-27"},
        {"context": "note", "source": "rare"},
    ],
)
@pytest.mark.parametrize("query", ["harbour fees", "money owed for mooring ships"])
def test_a_filter_that_few_items_pass_still_fills_the_page(harbour: App, condition: dict[str, Any], query: str) -> None:
    """docs/interface.md `recall`: `limit` results come back whenever that many match, though the many others rank
    higher."""
    matching = set(ids(recall(harbour, limit=1_000, **condition)))
    answer = recall(harbour, query=query, limit=len(matching), **condition)
    assert set(ids(answer)) == matching
    assert answer.total_count == len(matching) >= 9


def test_a_large_limit_is_filled_as_well(harbour: App) -> None:
    """A source is first asked for 200 chunks, and for more when that is not enough."""
    answer = recall(harbour, query="harbour fees", limit=MANY, expand=False, include_entities=False)
    assert len(set(ids(answer))) == MANY == answer.total_count


def test_pages_of_a_search_neither_repeat_nor_leave_out(harbour: App) -> None:
    """The order must not depend on how much of it is asked for."""
    whole = ids(recall(harbour, query="harbour fees of pier 3", limit=MANY))
    pages = [
        ids(recall(harbour, query="harbour fees of pier 3", limit=40, offset=offset, expand=False))
        for offset in range(0, MANY, 40)
    ]
    assert [identity for page in pages for identity in page] == whole
    assert len(set(whole)) == MANY
    assert recall(harbour, query="harbour fees", offset=MANY).results == []


def test_scores_fall(harbour: App) -> None:
    """Also where a further search was needed."""
    scores = [result.score for result in recall(harbour, query="harbour fees of pier 3", limit=MANY).results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("query", ["!?", "?? \0", "東京", '""', "NEAR( OR", "x" * 5_000, "word " * 999, "the", "🙂🙂"])
def test_no_query_breaks_the_search(harbour: App, query: str) -> None:
    """Features that mean something to an engine mean nothing here."""
    assert len(recall(harbour, query=query, limit=3).results) == 3


# Lists


def test_conditions_alone_list_newest_first(harbour: App) -> None:
    """docs/interface.md `recall` mode 4."""
    answer = recall(harbour, source="rare")
    dates = [result.metadata["date"] for result in answer.results]
    assert dates == sorted(dates, reverse=True)
    assert (answer.match_type, answer.total_count, len(answer.results)) == ("list", 10, 10)


def test_pages_of_a_list_neither_repeat_nor_leave_out(harbour: App) -> None:
    """`total_count` is the true number, and the hint says how to go on."""
    pages = [recall(harbour, context="note", limit=90, offset=offset, expand=False) for offset in (0, 90, 180, 270)]
    seen = [identity for page in pages for identity in ids(page)]
    assert len(seen) == len(set(seen)) == MANY
    assert [page.total_count for page in pages] == [MANY] * 4
    assert pages[0].hint == "170 more items: pass offset=90."
    assert pages[2].hint is None


def test_an_empty_answer_names_recent_keys(app: App) -> None:
    """docs/interface.md `recall`: an empty answer carries a hint."""
    remember(app, "We open at nine.")
    assert (
        recall(app, query="anything", source="nowhere").hint
        == "Nothing matches. Widen the filters, or use other words."
    )
    remember(app, "We close at five.", key="hours")
    assert recall(app, query="anything", source="nowhere").hint == "Nothing matches. Recent keys: hours."
    assert recall(app, tags=("nowhere",)).hint == "Nothing matches. Recent keys: hours."


def test_an_empty_answer_says_what_is_not_found_by_meaning_yet(app: App) -> None:
    """What was stored a moment ago is found by its words: who asks in other words is told to ask again."""
    app.remember(Memory(content="We open at nine.", context="note"))

    hint = recall(app, query="anything").hint

    assert hint is not None
    assert hint.endswith("jobs still wait: until they are done, new items are found by their words alone.")


# What is away, hidden or capped


def test_without_the_index_words_answer_and_the_answer_says_so(store: Store) -> None:
    """docs/interface.md `recall`: `degraded` lists what was not available; the answer comes from what is left."""
    with assembled(store, AwayIndex()) as app:
        artifact_id = app.remember(Memory(content="The zephyrine valve leaks.")).id
        answer = recall(app, query="zephyrine valve")
        assert (ids(answer), answer.degraded) == ([artifact_id], ["vectors"])
        assert recall(app, id=artifact_id).degraded == []
        assert recall(app, query="unheard of").degraded == ["vectors"]
        assert answer.hint == "Vectors were not searched: Another process has the index open."


@pytest.mark.both_engines
def test_without_the_embedder_words_answer_and_the_answer_says_so(store: Store, index: ChromaIndex) -> None:
    """The same for a service that makes the vectors."""
    with assembled(store, index, embedder=AwayEmbedder()) as app:
        artifact_id = app.remember(Memory(content="The zephyrine valve leaks.")).id
        answer = recall(app, query="zephyrine valve", source="manual")
        assert (ids(answer), answer.degraded) == ([artifact_id], ["vectors"])


def test_an_index_that_has_lost_a_project_is_not_taken_for_one_without_a_match(app: App) -> None:
    """docs/interface.md `recall` `degraded`: its volume is gone, or it is the wrong one; status, hint and doctor say
    so."""
    artifact_id = remember(app, "The zephyrine valve leaks.")
    assert recall(app, query="zephyrine valve").hint is None
    app.index.reset()

    answer = recall(app, query="zephyrine valve")
    vectors = app.status().services["vectors"]

    assert (ids(answer), answer.degraded) == ([artifact_id], ["vectors"])
    assert "remembrancer doctor --repair" in (answer.hint or "")
    assert (vectors.status, "nothing of project 'default'" in vectors.detail) == ("error", True)


def test_a_project_without_vectors_yet_is_not_taken_for_a_lost_one(app: App) -> None:
    """Nothing is stored, or what is waits for its turn."""
    assert recall(app, query="zephyrine valve").degraded == []
    app.remember(Memory(content="The zephyrine valve leaks."))
    assert recall(app, query="zephyrine valve").degraded == []
    assert app.status().services["vectors"].status == "healthy"


def test_vectors_of_another_model_are_not_asked(app: App) -> None:
    """Until `reindex`; words answer meanwhile."""
    artifact_id = remember(app, "The zephyrine valve leaks.")
    switch_model(app.store, "another-model")
    answer = recall(app, query="zephyrine valve")
    assert (ids(answer), answer.degraded) == ([artifact_id], ["vectors"])


@pytest.mark.both_engines
def test_as_of_answers_from_what_was_known_then(app: App) -> None:
    """docs/interface.md `recall`: later items, and what rests on them, do not exist, in any mode."""
    early = remember(app, "Dana Whitfield decided to use Kestrel.", date="2026-01-10")
    late = remember(app, "Dana Whitfield decided to drop Kestrel.", date="2026-02-10")
    then = {"as_of": "2026-01-10"}
    assert ids(recall(app, query="Kestrel", **then)) == [early]
    assert ids(recall(app, context="note", **then)) == [early]
    assert recall(app, query="Kestrel", **then).related == []
    assert recall(app, context="note", **then).total_count == 1
    with pytest.raises(NotFound):
        recall(app, id=late, **then)
    event = (recall(app, id=late).results[0].events or [])[0]
    with pytest.raises(NotFound):
        recall(app, id=event.id, **then)
    assert set(ids(recall(app, query="Kestrel"))) == {early, late}


@pytest.mark.both_engines
def test_what_is_forgotten_or_expired_or_stashed_away_is_not_shown(app: App) -> None:
    """Whatever the index still holds."""
    kept = remember(app, "Kestrel flies high.")
    forgotten = remember(app, "Kestrel flies low.")
    remember(app, "Kestrel flies far.", expires_at="2026-01-01")
    stashed = remember(app, "Kestrel flies near.")
    app.store.stash("default", [stashed], stashed=True)
    app.store.remove("default", [forgotten])
    assert set(ids(recall(app, query="Kestrel flies"))) == {kept, stashed}
    assert ids(recall(app, query="Kestrel flies", include_stashed=False)) == [kept]
    assert [result.stashed for result in recall(app, context="note", include_stashed=True).results] == [True, False]


@pytest.mark.both_engines
def test_related_events_come_with_reason_and_verbatim_evidence(app: App) -> None:
    """docs/interface.md `recall`: every quote is a verbatim slice of its artifact, and `related` obeys its three
    limits."""
    remember(app, "Dana Whitfield decided to use Kestrel for the Lantern project.")
    other = remember(app, "Dana Whitfield decided to hire two engineers for Port Calder.")
    answer = recall(app, query="which tool for Lantern, Kestrel?", limit=1)
    assert answer.related
    for related in answer.related:
        assert related.artifact_id == other
        assert related.reason == "same_actor:Dana Whitfield"
        content = recall(app, id=related.artifact_id).results[0].content
        assert [quote.quote for quote in related.evidence] == [
            content[q.start_char : q.end_char] for q in related.evidence
        ]
    assert recall(app, query="Kestrel", limit=1, expand=False).related == []
    assert recall(app, query="Kestrel", limit=1, graph_budget=0).related == []
    assert recall(app, query="Kestrel", limit=1, graph_filters=("Feedback",)).related == []


@pytest.mark.both_engines
def test_who_speaks_in_a_conversation_leads_over_the_graph_to_nothing(app: App) -> None:
    """A speaker has a part in everything; what else the question names, or a question for decisions, does."""
    said = ("I decided to use Kestrel for the Lantern project.", "I decided to hire two engineers for Port Calder.")
    for index, text in enumerate(said):
        turn = {"author": "Dana Whitfield", "conversation_id": "c", "turn_index": index}
        remember(app, text, context="conversation", **turn)
    for detail in ("brief", "full"):
        related = {
            query: bool(recall(app, query=query, limit=1, detail=detail, include_events=True).related)
            for query in ("Which tool for Dana?", "Which tool for Lantern?", "What did Dana decide about the tool?")
        }
        assert not related["Which tool for Dana?"]
        if detail == "full":  # in brief only what is about the question is shown
            assert related["Which tool for Lantern?"]
            assert related["What did Dana decide about the tool?"]


def test_what_was_not_asked_for_is_left_out(app: App) -> None:
    """`include_events`, `include_entities` and `expand_neighbors` are switches."""
    remember(app, "Dana Whitfield decided to use Kestrel for the Lantern project.")
    bare = recall(app, query="Kestrel", include_events=False, include_entities=False)
    assert (bare.results[0].events, bare.results[0].neighbors, bare.entities) == (None, None, [])
    full = recall(app, query="Kestrel")
    assert full.results[0].events
    assert full.entities


def test_max_tokens_caps_every_mode(harbour: App) -> None:
    """docs/interface.md `recall`: the whole response, what was dropped is in the hint."""
    for values in ({"query": "harbour fees"}, {"context": "note"}, {"source": "rare", "expand": False}):
        answer = recall(harbour, limit=20, max_tokens=600, **values)
        assert 0 < len(answer.results) < 20
        assert "raise max_tokens" in (answer.hint or "")


def test_thousands_of_equal_texts_are_not_all_read_to_fill_a_page(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has the text once, and the answer says why it is short; a filter shows what lies behind."""
    monkeypatch.setattr(ranker, "_MOST_REPEATED", 64)
    monkeypatch.setattr(ranker, "_MOST_TIMES", 1)
    app.remember_many([Memory(content="The regatta is on Friday.", source=f"s{number}") for number in range(MANY)])
    app.remember(Memory(content="The regatta is cancelled on Friday, says the harbour.", source="other"))

    answer = app.recall(Question(query="When is the regatta on Friday?"))
    assert len([result for result in answer.results if result.content == "The regatta is on Friday."]) == 1
    assert "repeat the text of others" in (answer.hint or "")
    other = app.recall(Question(query="When is the regatta on Friday?", source="other"))
    assert [result.metadata["source"] for result in other.results] == ["other"]
    assert other.hint is None or "repeat" not in other.hint


def test_of_equal_texts_a_few_are_ranked_and_all_are_named(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a question reads does not grow with how often a text is stored."""
    stored = app.remember_many([Memory(content="The regatta is on Friday.", source=f"s{n}") for n in range(MANY)])
    ids = {receipt.id for receipt in stored.results if isinstance(receipt, Receipt)}
    app.remember(Memory(content="The regatta of the harbour is rowed on Friday."))
    read: list[int] = []
    candidates = SqliteStore.candidates

    def counted(store: SqliteStore, project: str, model: str, places: Sequence[Any], *more: Any, **named: Any) -> Any:
        read.append(len(places))
        return candidates(store, project, model, places, *more, **named)

    monkeypatch.setattr(SqliteStore, "candidates", counted)
    answer = app.recall(Question(query="Is the regatta on Friday?", detail="full"))
    assert [result.content for result in answer.results][:2] == [
        "The regatta is on Friday.", "The regatta of the harbour is rowed on Friday."
    ]  # fmt: skip
    assert {answer.results[0].id, *(answer.results[0].also or ())} == ids
    assert sum(read) < MANY
