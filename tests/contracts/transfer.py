"""What every engine promises of `graph.protocols.administration.Transfer`."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import Conflict, InvalidInput, MemoryServiceError
from core.knowledge.findings import Knowledge
from core.knowledge.identities import MergeDecision
from core.knowledge.ledger import Resolution
from core.records import Artifact
from core.transfer import KeptItem
from graph.sqlite_store import SqliteStore
from graph.store import Store
from retrieval.models.local_embedder import LocalEmbedder
from tests.contracts.makers import PROJECT, at, entity, event, everything, item, lesson, pieces
from tests.contracts.raw import Raw
from tests.contracts.transferring import cut, exported, imported, lived, worked


def kept(artifact: Artifact, knowledge: Knowledge | None = None, *, waits: bool = False) -> KeptItem:
    """Return an item as another store kept it."""
    chunks = () if artifact.replaced_by else tuple(pieces(artifact))
    return KeptItem(artifact=artifact, knowledge=knowledge or Knowledge(), waits=waits, chunks=chunks)


def held(store: Store, artifact: Artifact) -> Artifact:
    """Return an item as it is stored."""
    return store.get(PROJECT, [artifact.id])[artifact.id]


def dated(artifact: Artifact, days: float) -> Artifact:
    """Return an item that was changed so many days late."""
    return replace(artifact, updated_at=at(days))


@pytest.mark.timeout(300)
class TransferContract:
    """Takes the fixtures `store` (empty), `raw` and `embedder`."""

    @pytest.fixture
    def other(self, tmp_path: Path) -> Iterator[Store]:
        """An empty store on SQLite, so that the suite of another engine goes across."""
        with SqliteStore(tmp_path / "other.db") as opened:
            yield opened

    @pytest.mark.exhaustive
    def test_all_that_is_kept_goes_out_and_comes_in(
        self, store: Store, other: Store, raw: Raw, embedder: LocalEmbedder
    ) -> None:
        """Issue 7: export, import, export is byte-identical, with all there is, and from engine to engine."""
        lived(other, embedder)
        given = exported(other, model=embedder.model)
        done = imported(store, given, embedder)
        assert exported(store, model=embedder.model) == given
        assert set(done.items) | set(done.others) == {"stored"}
        assert done.refused == []
        raw.check()
        assert store.integrity_issues() == []

    def test_what_this_engine_has_goes_out_whole(self, store: Store, other: Store, embedder: LocalEmbedder) -> None:
        """The other way: what was made here is the same elsewhere."""
        lived(store, embedder)
        given = exported(store, model=embedder.model)
        imported(other, given, embedder)
        assert exported(other, model=embedder.model) == given

    def test_the_same_again_changes_nothing(
        self, store: Store, other: Store, raw: Raw, embedder: LocalEmbedder
    ) -> None:
        """No count grows, no job is queued, and no text is embedded again."""
        lived(other, embedder)
        given = exported(other)
        imported(store, given, embedder)
        worked(store)
        jobs = raw.jobs()
        again = imported(store, given, embedder)
        assert set(again.items) | set(again.others) == {"unchanged"}
        assert exported(store) == given
        assert raw.jobs() == jobs

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("lines", [0, 8, 30])
    def test_an_import_that_was_cut_off_is_finished_by_doing_it_again(
        self, store: Store, other: Store, raw: Raw, embedder: LocalEmbedder, lines: int
    ) -> None:
        """What was in by then stays, and the end is that of an import without a break."""
        lived(other, embedder)
        given = exported(other)
        with pytest.raises(InvalidInput, match=f"has {lines} lines after the first"):
            imported(store, cut(given, lines), embedder)
        raw.check()
        assert store.integrity_issues() == []
        imported(store, given, embedder)
        assert exported(store) == given

    def test_what_came_in_waits_for_its_vectors_and_is_not_extracted_again(
        self, store: Store, other: Store, raw: Raw, embedder: LocalEmbedder
    ) -> None:
        """Current items have an `embed` job; `extract` is done where knowledge came, pending where it did not."""
        lived(other, embedder)
        imported(store, exported(other), embedder)
        waiting = [record for record in other.export_records("p") if isinstance(record, KeptItem) and record.waits]
        current = {one.id for batch in store.each("p") for one in batch}
        jobs = [job for job in raw.jobs() if job.project_id == "p"]
        assert {job.artifact_id for job in jobs if (job.kind, job.state) == ("embed", "pending")} >= current
        assert {job.artifact_id for job in jobs if (job.kind, job.state) == ("extract", "pending")} == {
            one.artifact.id for one in waiting
        }

    def test_what_was_not_read_comes_in_as_that(self, store: Store, embedder: LocalEmbedder) -> None:
        """Out of one record and into another, and in the copy of a run's standing knowledge as well."""
        unread = Knowledge(unread_language="de")
        store.import_records(PROJECT, [kept(item("Wir gehen."), unread)])
        assert store.counts(PROJECT).unread_languages == {"de": 1}
        given = exported(store)
        [one] = [record for record in store.export_records(PROJECT) if isinstance(record, KeptItem)]
        assert one.knowledge == unread
        store.remove(PROJECT, [one.artifact.id])
        imported(store, given, embedder)
        assert store.counts(PROJECT).unread_languages == {"de": 1}
        assert exported(store) == given

    def test_what_came_in_is_forgotten_like_anything_else(
        self, store: Store, other: Store, raw: Raw, embedder: LocalEmbedder
    ) -> None:
        """With all that rests on it: nothing of a project is left after all its items went."""
        lived(other, embedder)
        imported(store, exported(other), embedder)
        ids = [record.artifact.id for record in store.export_records("p") if isinstance(record, KeptItem)]
        assert store.remove("p", ids, dry_run=True) == store.remove("p", ids)
        assert [record for record in store.export_records("p") if not hasattr(record, "extractor")] == []
        assert raw.knowledge_ids("p") == []
        raw.check()
        assert store.integrity_issues() == []

    def test_an_export_is_of_one_project_if_one_is_named(self, store: Store, embedder: LocalEmbedder) -> None:
        """Nothing of another is in it."""
        lived(store, embedder)
        given = exported(store, project_id="other")
        assert b'"project":"other"' in given
        assert b'"project":"p"' not in given
        assert store.count_items("other") == 3
        with pytest.raises(InvalidInput, match="'nobody'"):
            exported(store, project_id="nobody")

    def test_a_copy_that_is_newer_brings_its_fields_tier_and_knowledge(self, store: Store, raw: Raw) -> None:
        """The counts and times of both are the higher ones; the vectors, which tell of fields, are made again."""
        old = item("Ana said so.", importance=0.1, tags=("a",))
        ana, bo = entity("Ana"), entity("Bo")
        store.add(old, pieces(old), ["embed", "extract"])
        store.replace(PROJECT, old.id, lesson(old, [bo]))
        worked(store, ("embed", "extract"))
        fields = replace(old.memory, importance=0.9, tags=("b",))
        new = replace(dated(old, 2), memory=fields, stashed=True, frequency=7, last_occurred=at(9))
        assert store.import_records(PROJECT, [kept(new, lesson(new, [ana]))]) == ["updated"]
        assert held(store, old) == new
        assert list(store.entities(PROJECT, [ana.id, bo.id])) == [ana.id]
        assert store.newest(PROJECT, everything(tags=("b",)), 9) == [new]
        assert store.newest(PROJECT, everything(tags=("a",)), 9) == []
        assert store.search_substrings(PROJECT, ["said"], everything(), 9) == ([old.id], 1)
        assert [job.state for job in raw.jobs() if job.kind == "embed"] == ["pending"]
        assert store.import_records(PROJECT, [kept(new, lesson(new, [ana]))]) == ["unchanged"]
        raw.check()
        assert store.integrity_issues() == []

    def test_a_copy_that_is_older_brings_counts_alone(self, store: Store) -> None:
        """Counts are the higher, not the sum: the same file again adds nothing."""
        new = replace(dated(item("Ana said so.", importance=0.9), 5), frequency=3, last_occurred=at(5))
        ana, bo = entity("Ana"), entity("Bo")
        store.import_records(PROJECT, [kept(new, lesson(new, [ana]))])
        fields = replace(new.memory, importance=0.1)
        old = replace(dated(new, 1), memory=fields, frequency=8, last_occurred=at(1), stashed=True)
        assert store.import_records(PROJECT, [kept(old, lesson(old, [bo]))]) == ["updated"]
        assert held(store, new) == replace(new, frequency=8)
        assert list(store.entities(PROJECT, [ana.id, bo.id])) == [ana.id]

    def test_what_is_not_learnt_yet_learns_from_its_copy(self, store: Store, raw: Raw) -> None:
        """The other way round what was learnt here stays, and what neither learnt waits on."""
        given, ana = item("Ana said so."), entity("Ana")
        store.add(given, pieces(given), ["extract"])
        assert store.import_records(PROJECT, [kept(given, waits=True)]) == ["unchanged"]
        assert [job.state for job in raw.jobs()] == ["pending"]
        assert store.import_records(PROJECT, [kept(given, lesson(given, [ana]))]) == ["updated"]
        assert {job.kind: job.state for job in store.job_reports(PROJECT, given.id)} == {
            "embed": "pending",  # of restatements that come or go
            "extract": "done",
        }
        assert store.import_records(PROJECT, [kept(given, waits=True)]) == ["unchanged"]
        assert list(store.entities(PROJECT, [ana.id])) == [ana.id]

    @pytest.mark.parametrize(("days", "current"), [(2, "theirs"), (1, "ours"), (0.5, "ours")])
    def test_of_two_items_under_one_key_the_newer_holds_it(
        self, store: Store, raw: Raw, days: float, current: str
    ) -> None:
        """By `updated_at`, of equals the one that is here; the other becomes its revision, and no text is lost."""
        ours, theirs = dated(item("ours", key="k", tags=("t",)), 1), dated(item("theirs", key="k"), days)
        store.add(ours, pieces(ours), [])
        assert store.import_records(PROJECT, [kept(theirs)]) == ["stored"]
        holder, former = (theirs, ours) if current == "theirs" else (ours, theirs)
        assert store.by_key(PROJECT, "k", everything()) == [holder]
        assert [one.id for one in store.revisions(PROJECT, holder.id)] == [former.id]
        assert held(store, former).replaced_by == holder.id
        assert raw.chunk_texts(PROJECT) == [current]
        assert store.import_records(PROJECT, [kept(theirs)]) == ["unchanged"]
        raw.check()
        assert store.integrity_issues() == []

    def test_a_revision_that_became_current_elsewhere_comes_back(self, store: Store, raw: Raw) -> None:
        """If it is newer than what holds its key here; its knowledge counts again."""
        first, second = item("Ana first", key="k"), dated(item("second", key="k"), 1)
        ana = entity("Ana")
        for one in (first, second):
            store.add(one, pieces(one), [])
        store.replace(PROJECT, first.id, lesson(first, [ana]))
        assert store.import_records(PROJECT, [kept(dated(first, 0.5), lesson(first, [ana]))]) == ["updated"]
        assert store.by_key(PROJECT, "k", everything()) == [second]
        back = dated(first, 2)
        assert store.import_records(PROJECT, [kept(back, lesson(back, [ana]))]) == ["updated"]
        assert store.by_key(PROJECT, "k", everything()) == [back]
        assert [one.id for one in store.revisions(PROJECT, first.id)] == [second.id]
        assert store.entities(PROJECT, [ana.id])[ana.id].mention_count == 1
        assert raw.chunk_texts(PROJECT) == ["Ana first"]
        raw.check()
        assert store.integrity_issues() == []

    def test_a_revision_comes_before_or_after_what_replaced_it(self, store: Store, raw: Raw) -> None:
        """Either way it is one, with no words to be found by."""
        new = dated(item("new", key="k", tags=("t",)), 1)
        old = replace(item("old", key="k", tags=("t",)), replaced_by=new.id)
        older = replace(item("older", key="k"), replaced_by=old.id)
        store.import_records(PROJECT, [kept(old), kept(new), kept(older)])
        assert store.newest(PROJECT, everything(tags=("t",)), 9) == [new]
        assert {one.id for one in store.revisions(PROJECT, new.id)} == {old.id, older.id}
        assert raw.chunk_texts(PROJECT) == ["new"]
        assert store.import_records(PROJECT, [kept(old), kept(new), kept(older)]) == ["unchanged"] * 3
        raw.check()
        assert store.integrity_issues() == []

    def test_two_items_of_one_id_are_refused_and_nothing_else_of_them_is_done(self, store: Store) -> None:
        """48 bits collide once in a while: whoever imports is told, and what is here is not touched."""
        ours = item("ours")
        theirs = replace(item("theirs"), id=ours.id)
        store.add(ours, pieces(ours), [])
        with pytest.raises(Conflict, match=ours.id):
            store.import_records(PROJECT, [kept(item("before")), kept(theirs)])
        assert [one.id for one in store.newest(PROJECT, everything(), 9)] == [ours.id]

    def test_knowledge_that_does_not_fit_is_refused(self, store: Store) -> None:
        """An event of somebody whom the knowledge does not bring; the item does not come in without it."""
        given = item("Ana said so.")
        broken = lesson(given, [], [event(given, "said", actors=[entity("Ana")])])
        with pytest.raises(InvalidInput):
            store.import_records(PROJECT, [kept(given, broken)])
        assert store.count_items(PROJECT) == 0

    def test_verdicts_of_both_hold(self, store: Store) -> None:
        """A merge takes effect on what stands here already; made in both, in either direction, it is one."""
        ana, anna = entity("Ana"), entity("Anna")
        for content, one in (("Ana called.", ana), ("Anna called.", anna)):
            given = item(content)
            store.import_records(PROJECT, [kept(given, lesson(given, [one]))])
        merged = MergeDecision(id="ver_1", kind="same", one=ana.id, other=anna.id, at=at(1))
        assert store.import_records(PROJECT, [merged]) == ["stored"]
        assert list(store.entities(PROJECT, [ana.id, anna.id])) == [ana.id]
        backwards = MergeDecision(id="ver_2", kind="same", one=anna.id, other=ana.id, at=at(2))
        assert store.import_records(PROJECT, [merged, backwards]) == ["unchanged", "unchanged"]
        undone = replace(merged, undone_at=at(3), undone_by="Bo")
        assert store.import_records(PROJECT, [undone]) == ["updated"]
        assert set(store.entities(PROJECT, [ana.id, anna.id])) == {ana.id, anna.id}
        assert store.import_records(PROJECT, [merged, undone]) == ["unchanged", "unchanged"]
        assert store.merge_decisions(PROJECT) == [undone]

    def test_a_merge_of_what_was_merged_elsewhere_reaches_what_it_stands_under(self, store: Store) -> None:
        """Whoever is the same as one of two that are the same is the same as both."""
        people = [entity(name) for name in ("Ana", "Bea", "Cleo")]
        for one in people:
            given = item(f"{one.name} called.")
            store.import_records(PROJECT, [kept(given, lesson(given, [one]))])
        ana, bea, cleo = people
        store.apply_decision(PROJECT, MergeDecision(id="ver_1", kind="same", one=ana.id, other=bea.id, at=at(1)))
        theirs = MergeDecision(id="ver_2", kind="same", one=cleo.id, other=bea.id, at=at(2))
        assert store.import_records(PROJECT, [theirs]) == ["stored"]
        assert list(store.entities(PROJECT, [one.id for one in people])) == [cleo.id]
        assert store.import_records(PROJECT, [theirs]) == ["unchanged"]

    def test_what_was_declared_in_both_is_there_once_and_the_newest_holds(self, store: Store, other: Store) -> None:
        """The status follows at once; the history has every declaration in the order of time."""
        given = item("Ana will call.")
        promise = event(given, "will call", "Commitment")
        for one in (store, other):
            one.import_records(PROJECT, [kept(given, lesson(given, [], [promise]))])
        both = Resolution(promise.id, "done", at(1), "told")
        for one in (store, other):
            one.add_resolution(PROJECT, both)
        other.add_resolution(PROJECT, Resolution(promise.id, "cancelled", at(3)))
        store.add_resolution(PROJECT, Resolution(promise.id, "open", at(2)))
        records = list(other.export_records(PROJECT))
        assert "stored" in store.import_records(PROJECT, records)
        assert [one.status for one in store.resolutions(PROJECT, [promise.id])[promise.id]] == [
            "done", "open", "cancelled",
        ]  # fmt: skip
        assert store.events(PROJECT, [promise.id])[promise.id].status == "cancelled"
        assert set(store.import_records(PROJECT, records)) == {"unchanged"}

    def test_frozen_reads_go_on_while_others_write(self, store: Store) -> None:
        """Where the engine has states to read from, the state is that of the beginning."""
        first, second = item("first"), item("second")
        store.add(first, pieces(first), [])
        with store.snapshot() as frozen:
            records = frozen.export_records(PROJECT)
            found = [next(records)]
            store.add(second, pieces(second), [])
            found += records
        assert first.id in {record.artifact.id for record in found if isinstance(record, KeptItem)}
        assert store.count_items(PROJECT) == 2

    def test_a_backup_is_written_or_refused_with_what_to_do(self, store: Store, tmp_path: Path) -> None:
        """An engine on a server has means of its own."""
        given = item("kept")
        store.add(given, pieces(given), [])
        path = tmp_path / "backup.db"
        try:
            store.backup(path)
        except MemoryServiceError as error:
            assert "neo4j-admin" in str(error)  # noqa: PT017 - one engine refuses, the other does not
            assert not path.exists()
        else:
            with SqliteStore(path) as copy:
                assert list(copy.export_records(PROJECT)) == list(store.export_records(PROJECT))
