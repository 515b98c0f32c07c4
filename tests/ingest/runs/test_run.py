"""Runs over stored items: what they change, and that taking them back leaves what stood before."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.dates import now, to_text
from core.errors import Conflict, InvalidInput, NotFound, Unavailable
from core.interface.memory import Memory
from core.knowledge.findings import Knowledge
from core.knowledge.identities import MergeDecision
from core.knowledge.ledger import Resolution
from core.knowledge.runs import RunScope, RunTally
from graph.store import Store
from ingest.extract.protocol import CachedLocalExtractor, CachedRemoteExtractor, RemoteExtractor
from ingest.intake.artifacts import remember
from ingest.runs.diff import Changes
from ingest.runs.run import (
    active_run,
    count_items,
    create_run,
    execute,
    get_run,
    list_runs,
    preview,
    project_lock,
    roll_back,
)
from retrieval.models.local_embedder import LocalEmbedder
from tests.ingest.running import PROJECT, TEXTS, Remote, Rewriter, drain, dump, run_of, stored, told
from tests.shipped import shipped_extractor


@pytest.mark.exhaustive
@pytest.mark.both_engines
def test_a_run_changes_what_items_teach_and_rolling_it_back_leaves_what_stood(
    store: Store, embedder: LocalEmbedder
) -> None:
    """Issue 5: a run can be rolled back to exactly what stood before: events, statuses, evidence, names, mentions."""
    ids = stored(store, embedder)
    before = dump(store, ids)
    run = run_of(store, Rewriter())
    after = dump(store, ids)

    assert run.state == "finished"
    assert run.tally.items == len(ids)
    assert run.tally.events_added == len(ids)
    assert run.tally.events_removed >= 3
    assert run.tally.events_changed >= 1
    assert run.tally.entities_added >= 1
    assert "Anna Okonkwo" in {entity.name for entity in after.entities}
    undone = roll_back(run, store)
    drain(store)
    assert dump(store, ids) == before
    assert (undone.restored, undone.forgotten, undone.run.state) == (len(ids), 0, "rolled_back")
    assert store.run_items(PROJECT, run.id) == {}
    assert roll_back(run, store).restored == 0


def test_links_and_declarations_outlive_a_run(store: Store, embedder: LocalEmbedder) -> None:
    """A decision that superseded another does so again, and what a person declared or judged holds all along."""
    texts = [
        "We decided to paint the harbour office blue.",
        "We decided to paint the harbour office green instead of blue.",
        "Marta Lindqvist will order the paint for the harbour office by Friday.",
        "Marta Lindquist will send the invoice by Monday.",
    ]
    ids = [stored(store, embedder, [text], date=f"2026-03-0{day}")[0] for day, text in enumerate(texts, 1)]
    [promised] = store.events_of(PROJECT, [ids[2]])[ids[2]]
    store.add_resolution(PROJECT, Resolution(promised.id, "done", now(), "painted"))
    names = store.entities_by_name(PROJECT, ["Marta Lindqvist", "Marta Lindquist"])
    one, other = (names[name][0].id for name in ("marta lindqvist", "marta lindquist"))
    store.apply_decision(PROJECT, MergeDecision(id="ver_1", kind="same", one=one, other=other, at=now()))
    before = dump(store, ids)
    assert [link.relation for link in before.links] == ["SUPERSEDES"]
    assert {event.status for id_ in ids for event in before.events[id_]} == {"superseded", "current", "open", "done"}

    run = run_of(store, Rewriter())
    assert dump(store, ids) != before
    roll_back(run, store)
    drain(store)
    assert dump(store, ids) == before
    store.undo_decision(PROJECT, "ver_1", now(), None)
    assert [entity.name for entity in store.entities_by_name(PROJECT, ["Marta Lindquist"])["marta lindquist"]] == [
        "Marta Lindquist"
    ]


def test_background_work_keeps_to_what_a_run_found(store: Store, embedder: LocalEmbedder) -> None:
    """Reading an item again, because a name means somebody else now, does not undo an expensive run."""
    ids = stored(store, embedder)
    run_of(store, Rewriter())
    after = dump(store, ids)
    store.queue(PROJECT, ids, "extract")
    drain(store)

    assert dump(store, ids) == after


def test_an_interrupted_run_stands_and_is_gone_on_with(store: Store, embedder: LocalEmbedder) -> None:
    """Ctrl-C loses nothing; the run resumed reads only what is left, and can be rolled back as a whole."""
    ids = stored(store, embedder)
    before = dump(store, ids)
    extractor = Rewriter(interrupts=[TEXTS[2]])
    run = create_run(PROJECT, RunScope(), store, extractor)
    with pytest.raises(KeyboardInterrupt):
        execute(run, store, extractor)
    drain(store)
    left = get_run(PROJECT, run.id, store)
    assert (left.state, left.tally.items) == ("interrupted", 2)
    assert [one.state for one in list_runs(PROJECT, store, 5)] == ["interrupted"]

    resumed = Rewriter()
    done = execute(left, store, resumed)
    drain(store)
    assert resumed.read == list(TEXTS[2:])
    assert (done.state, done.tally.items) == ("finished", 4)
    roll_back(done, store)
    drain(store)
    assert dump(store, ids) == before


@pytest.mark.both_engines
def test_an_interrupted_run_is_rolled_back(store: Store, embedder: LocalEmbedder) -> None:
    """What it had read goes back, even an item whose reading was kept and not yet taught."""
    ids = stored(store, embedder)
    before = dump(store, ids)
    extractor = Rewriter(interrupts=[TEXTS[2]])
    run = create_run(PROJECT, RunScope(), store, extractor)
    with pytest.raises(KeyboardInterrupt):
        execute(run, store, extractor)
    store.save_extraction(run, ids[2], Rewriter().extract(store.get(PROJECT, ids)[ids[2]]), waits=False)
    undone = roll_back(get_run(PROJECT, run.id, store), store)
    drain(store)

    assert dump(store, ids) == before
    assert (undone.restored, undone.forgotten) == (3, 0)


def test_a_run_killed_between_reading_and_teaching_goes_on(store: Store, embedder: LocalEmbedder) -> None:
    """The reading that was kept is used: nothing is asked twice."""
    ids = stored(store, embedder)
    extractor = Rewriter()
    run = create_run(PROJECT, RunScope(), store, extractor)
    store.save_extraction(run, ids[0], extractor.extract(store.get(PROJECT, ids)[ids[0]]), waits=False)
    done = execute(run, store, extractor)

    assert extractor.read == list(TEXTS)
    assert done.tally.items == 4


def test_a_difference_is_shown_and_nothing_stored(store: Store, embedder: LocalEmbedder) -> None:
    """`extract --diff`: what would be added, changed and removed, item by item, as the run then does it."""
    ids = stored(store, embedder, TEXTS[1:2])
    before = dump(store, ids)
    shown = list(preview(PROJECT, RunScope(), store, Rewriter()))
    assert dump(store, ids) == before
    assert list_runs(PROJECT, store, 5) == []
    [one] = shown
    assert [event.summary for event in one.changes.events_added] == ["Anna Okonkwo noted it"]
    assert len(one.changes.events_removed) == 1
    assert {name for change in one.changes.events_changed for name in change.fields} == {"summary"}

    done = run_of(store, Rewriter())
    assert replace(done.tally, items=0, unproven=0) == replace(one.changes.tally(), items=0)
    assert list(preview(PROJECT, RunScope(), store, Rewriter())) == []
    assert [one.changes for one in preview(PROJECT, RunScope(anew=True), store, Rewriter())] == [Changes()]


def test_later_runs_go_before_earlier_ones(store: Store, embedder: LocalEmbedder) -> None:
    """What stood before the first run is not what stood before the second: they come off in turn."""
    ids = stored(store, embedder)
    before = dump(store, ids)
    first = run_of(store, Rewriter())
    between = dump(store, ids)
    second = run_of(store, Rewriter(name="tests:other", full="Anna Szymborska"), ids=(ids[1],))
    with pytest.raises(Conflict, match=second.id):
        roll_back(first, store)
    with pytest.raises(Conflict, match="finished"):
        execute(first, store, Rewriter())
    roll_back(second, store)
    drain(store)
    assert dump(store, ids) == between
    roll_back(first, store)
    drain(store)
    assert dump(store, ids) == before


def test_an_earlier_run_is_not_gone_on_with_under_a_later_one(store: Store, embedder: LocalEmbedder) -> None:
    """Its readings would not be the ones that count."""
    ids = stored(store, embedder)
    first = create_run(PROJECT, RunScope(), store, Rewriter())
    second = run_of(store, Rewriter(name="tests:other"), ids=(ids[0],))
    with pytest.raises(Conflict, match=second.id):
        execute(first, store, Rewriter())
    roll_back(second, store)
    assert execute(first, store, Rewriter()).state == "finished"
    with pytest.raises(Conflict, match="tests:other"):
        execute(create_run(PROJECT, RunScope(), store, Rewriter()), store, Rewriter(name="tests:other"))


def test_what_happened_since_a_run_stays_when_it_is_rolled_back(store: Store, embedder: LocalEmbedder) -> None:
    """Forgotten items stay forgotten, replaced ones revisions, new ones known: as if the run had never been."""
    ids = stored(store, embedder)
    keyed = stored(store, embedder, ["Marta Lindqvist will paint the door."], key="door")
    run = run_of(store, Rewriter())
    store.remove(PROJECT, [ids[2]])
    latest = stored(store, embedder, ["Joris Vanhove will paint the door instead."], key="door")
    late = stored(store, embedder, ["Anna Berg approved the plan."])
    undone = roll_back(run, store)
    drain(store)

    assert (undone.restored, undone.forgotten) == (4, 1)
    kept = [ids[0], ids[1], ids[3], *keyed, *latest, *late]
    rolled = dump(store, kept)
    assert store.get(PROJECT, keyed)[keyed[0]].replaced_by == latest[0]
    store.queue(PROJECT, kept, "extract")
    drain(store)
    assert dump(store, kept) == rolled
    assert [entity.name for entity in rolled.entities if entity.name.startswith("Anna")] == ["Anna Berg"]


def test_an_item_that_a_run_read_first_is_learnt_after_it_is_rolled_back(store: Store, embedder: LocalEmbedder) -> None:
    """Its own job was done while the run's findings counted: nothing else would bring back what was due to it."""
    ids = stored(store, embedder)
    before = told(store, ids)
    for id_ in ids:
        store.replace(PROJECT, id_, Knowledge())
    store.queue(PROJECT, ids, "extract")
    run = run_of(store, Rewriter())
    undone = roll_back(run, store)
    assert undone.queued == len(ids)
    drain(store)

    assert told(store, ids) == before


def test_a_run_goes_on_without_items_that_were_forgotten(store: Store, embedder: LocalEmbedder) -> None:
    """Those it had read and those it had not, named or not."""
    ids = stored(store, embedder)
    extractor = Rewriter(interrupts=[TEXTS[2]])
    run = create_run(PROJECT, RunScope(ids=tuple(ids)), store, extractor)
    with pytest.raises(KeyboardInterrupt):
        execute(run, store, extractor)
    store.remove(PROJECT, [ids[0], ids[2]])
    done = execute(run, store, Rewriter())

    assert (done.state, done.tally.items) == ("finished", 3)
    undone = roll_back(done, store)
    assert (undone.restored, undone.forgotten) == (2, 1)


def test_one_run_at_a_time_is_in_a_project(store: Store, embedder: LocalEmbedder) -> None:
    """Another process is refused with the name of the run under way; other projects are free."""
    stored(store, embedder)
    run, other = (create_run(PROJECT, RunScope(), store, Rewriter()) for _ in range(2))
    with project_lock(store, PROJECT, run.id):
        assert active_run(store, PROJECT) == run.id
        assert get_run(PROJECT, run.id, store).state == "running"
        for act in (lambda: execute(other, store, Rewriter()), lambda: roll_back(other, store)):
            with pytest.raises(Conflict, match=run.id):
                act()
        with project_lock(store, "another", "run_x"):
            assert active_run(store, "another") == "run_x"
    assert active_run(store, PROJECT) is None


def test_a_killed_process_loses_the_lock(store: Store) -> None:
    """Another process takes the lock over once the lease has run out, and not before."""
    with project_lock(store, PROJECT, "run_1") as lock:
        note = store.metadata_value(f"run of {PROJECT}")
        late = f"run_1 x {to_text(now() - timedelta(seconds=1))}"
        assert store.compare_and_set(f"run of {PROJECT}", late, instead_of=note) == late
        with project_lock(store, PROJECT, "run_2"):
            assert active_run(store, PROJECT) == "run_2"
            lock.release()
            with pytest.raises(Unavailable, match="run_1"):
                lock.check()
            assert active_run(store, PROJECT) == "run_2"


def test_a_service_is_asked_once_for_a_text(store: Store, embedder: LocalEmbedder) -> None:
    """What it found for a diff serves the run; tokens are told; `anew` asks again."""
    ids = stored(store, embedder)
    remote = Remote()
    assert isinstance(remote, RemoteExtractor)
    list(preview(PROJECT, RunScope(), store, remote))
    assert len(remote.read) == len(ids)
    assert run_of(store, remote).tally.tokens == 0
    assert run_of(store, remote, anew=True).tally.tokens == 11 * len(ids)
    assert len(remote.read) == 2 * len(ids)


def test_background_work_asks_a_service_once_for_a_text(store: Store, embedder: LocalEmbedder) -> None:
    """A new item is read by it, and not again for a name's new meaning; with a title, which may tell more, it is."""
    id_ = remember(Memory(content=TEXTS[0]), PROJECT, store, embedder.tokenizer).added.artifact_id
    remote = Remote()
    keeping = CachedRemoteExtractor(remote, shipped_extractor(), store)
    assert isinstance(keeping, RemoteExtractor)
    for _ in range(2):
        store.queue(PROJECT, [id_], "extract")
        drain(store, keeping)
    assert remote.read == [TEXTS[0]]
    other = Remote(name="tests:another")
    store.queue(PROJECT, [id_], "extract")
    drain(store, CachedRemoteExtractor(other, shipped_extractor(), store))
    assert other.read == []
    after = dump(store, [id_])
    store.queue(PROJECT, [id_], "extract")
    drain(store, CachedLocalExtractor(shipped_extractor(), store))
    assert dump(store, [id_]) == after
    remember(Memory(content=TEXTS[0], title="Plans"), PROJECT, store, embedder.tokenizer)
    drain(store, keeping)
    assert len(remote.read) == 2
    assert remote.read[1] == TEXTS[0]


def test_what_was_learnt_locally_is_left_so_by_background_work(store: Store, embedder: LocalEmbedder) -> None:
    """A service's pass over it is a run, which is not undone by hand and done again behind one's back."""
    ids = stored(store, embedder)
    before = dump(store, ids)
    remote = Remote()
    keeping = CachedRemoteExtractor(remote, shipped_extractor(), store)
    run = execute(create_run(PROJECT, RunScope(), store, remote), store, remote)
    drain(store, keeping)
    read = len(remote.read)
    roll_back(run, store)
    store.queue(PROJECT, ids, "extract")
    drain(store, keeping)
    assert dump(store, ids) == before
    late = remember(Memory(content="Joris Vanhove will paint the door."), PROJECT, store, embedder.tokenizer)
    drain(store, keeping)
    assert remote.read[read:] == ["Joris Vanhove will paint the door."]
    assert late.added.artifact_id not in ids


def test_an_item_that_can_t_be_read_stays_as_it_was(store: Store, embedder: LocalEmbedder) -> None:
    """A refusal is counted, and the run goes on."""
    ids = stored(store, embedder)
    before = dump(store, [ids[1]])
    [refused] = [one for one in preview(PROJECT, RunScope(), store, Rewriter(refuses=[TEXTS[1]])) if one.failed]
    assert refused.artifact.id == ids[1]
    run = run_of(store, Rewriter(refuses=[TEXTS[1]]))

    assert (run.state, run.tally.items, run.tally.failed) == ("finished", 3, 1)
    assert dump(store, [ids[1]]).lessons == before.lessons


def test_a_scope_chooses_items(store: Store, embedder: LocalEmbedder) -> None:
    """By context, by id, and in portions: what a run of the same extractor has read is not read again."""
    ids = stored(store, embedder)
    stored(store, embedder, ["Marta Lindqvist will sweep."], context="note")
    read = []
    for scope in (
        RunScope(context="note"),
        RunScope(ids=(ids[3],)),
        RunScope(limit=2),
        RunScope(limit=2),
        RunScope(limit=2),
    ):
        extractor = Rewriter()
        run_of(store, extractor, **{name: getattr(scope, name) for name in ("context", "ids", "limit")})
        read.append(extractor.read)
    assert read == [["Marta Lindqvist will sweep."], [TEXTS[3]], list(TEXTS[:2]), [TEXTS[2]], []]
    assert count_items(PROJECT, RunScope(context="note"), store) == 1
    assert count_items(PROJECT, RunScope(ids=(ids[0], ids[0])), store) == 1
    assert count_items(PROJECT, RunScope(), store) == 5


def test_what_can_t_be_is_refused_before_anything_is_done(store: Store, embedder: LocalEmbedder) -> None:
    """Unknown items and runs, those of other projects, and no limit of zero."""
    ids = stored(store, embedder)
    with pytest.raises(NotFound, match="art_0"):
        create_run(PROJECT, RunScope(ids=("art_0",)), store, Rewriter())
    with pytest.raises(NotFound, match="art_0"):
        list(preview(PROJECT, RunScope(ids=("art_0",)), store, Rewriter()))
    with pytest.raises(InvalidInput, match="limit 0"):
        create_run(PROJECT, RunScope(limit=0), store, Rewriter())
    with pytest.raises(NotFound, match="run_0"):
        get_run(PROJECT, "run_0", store)
    run = create_run(PROJECT, RunScope(ids=(ids[0],)), store, Rewriter())
    with pytest.raises(NotFound, match=run.id):
        get_run("another", run.id, store)
    assert list_runs(PROJECT, store, 5) == [replace(run, state="interrupted")]
    assert run.tally == RunTally()
