"""What every engine promises of `graph.protocols.jobs.Jobs`."""

from datetime import timedelta

import pytest

from core.dates import now
from core.records import Artifact, Job, JobCounts, JobReport
from graph.store import Store
from tests.contracts.makers import OTHER, PROJECT, at, item, pieces
from tests.contracts.raw import Raw, RawJob

MINUTE = timedelta(minutes=1)


def added(store: Store, *contents: str, project: str = PROJECT) -> list[Artifact]:
    """Add items of two chunks each that wait for `embed` and `extract`."""
    items = [item(content, project=project, num_chunks=2) for content in contents]
    for given in items:
        store.add(given, pieces(given, size=len(given.memory.content) // 2 + 1), ["embed", "extract"])
    return items


def claimed(store: Store, *kinds: str, limit: int = 10, owner: str = "w") -> list[Job]:
    """Claim jobs for a minute."""
    return store.claim(kinds, limit, MINUTE, owner)  # type: ignore[arg-type]  # the suite names kinds as text


class JobsContract:
    """Takes the fixtures `store` (empty) and `raw`."""

    def test_jobs_are_claimed_oldest_first(self, store: Store) -> None:
        """Up to the limit, each once, with their first attempt counted and the number of chunks told."""
        one, two, three = added(store, "one", "two", "three")
        first = claimed(store, "embed", limit=2)
        second = claimed(store, "embed", limit=2, owner="x")

        assert [job.artifact_id for job in first] == [one.id, two.id]
        assert [job.artifact_id for job in second] == [three.id]
        assert {(job.kind, job.attempts, job.num_chunks, job.project_id) for job in first + second} == {
            ("embed", 1, 2, PROJECT)
        }
        assert {job.lease_owner for job in first} == {"w"}
        assert claimed(store, "embed") == []
        assert claimed(store, "extract", limit=0) == []

    def test_kinds_are_served_in_the_order_given(self, store: Store) -> None:
        """All jobs of one answer have one kind."""
        added(store, "one", "two")

        assert {job.kind for job in claimed(store, "extract", "embed", limit=2)} == {"extract"}
        assert {job.kind for job in claimed(store, "extract", "embed")} == {"embed"}
        assert claimed(store, "extract", "embed") == claimed(store) == []

    def test_all_jobs_of_one_answer_are_of_one_project(self, store: Store) -> None:
        """The project of the oldest job is served first."""
        added(store, "one", project=OTHER)
        added(store, "two", "three")
        added(store, "four", project=OTHER)

        assert [job.project_id for job in claimed(store, "embed")] == [OTHER, OTHER]
        assert [job.project_id for job in claimed(store, "embed")] == [PROJECT, PROJECT]

    def test_a_finished_job_is_done_and_reported(self, store: Store) -> None:
        """It is no longer pending, and nobody gets it again."""
        [given] = added(store, "one")
        store.complete(claimed(store, "embed"))

        assert store.job_reports(PROJECT, given.id) == [
            JobReport("embed", "done", 1),
            JobReport("extract", "pending", 0),
        ]
        assert store.job_counts(PROJECT) == JobCounts(pending=1, failed=0)
        assert claimed(store, "embed") == []
        assert store.job_reports(PROJECT, "art_ffffffffffff") == store.job_reports(OTHER, given.id) == []

    def test_a_running_job_is_pending_in_the_counts(self, store: Store) -> None:
        """Counts are of one project, or of all."""
        [given] = added(store, "one")
        added(store, "two", project=OTHER)
        claimed(store, "embed")

        assert store.job_counts(PROJECT) == store.job_counts(OTHER) == JobCounts(2, 0)
        assert store.job_counts() == JobCounts(4, 0)
        assert store.job_counts("third") == JobCounts(0, 0)
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "running", 1)

    def test_a_job_to_retry_waits_until_its_time(self, store: Store) -> None:
        """With its reason and the attempts so far."""
        [given] = added(store, "one")
        store.retry(claimed(store, "embed"), "no network", now() + MINUTE)
        assert claimed(store, "embed") == []
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "pending", 1, "no network")

        store.queue(PROJECT, [given.id], "embed")
        store.retry(claimed(store, "embed"), "no network", now() - MINUTE)
        [job] = claimed(store, "embed")
        assert job.attempts == 2

    def test_a_failed_job_is_parked_until_it_is_queued_again(self, store: Store) -> None:
        """Queueing it again forgets attempts and reason, and is counted."""
        [given] = added(store, "one")
        store.fail(claimed(store, "embed"), "no model")
        assert store.job_counts(PROJECT) == JobCounts(pending=1, failed=1)
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "failed", 1, "no model")
        assert claimed(store, "embed") == []

        assert store.queue(PROJECT, [given.id, "art_ffffffffffff"], "embed") == 1
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "pending", 0)
        assert [job.attempts for job in claimed(store, "embed")] == [1]

    def test_what_is_done_once_and_for_all_leaves_no_job(self, store: Store) -> None:
        """A finished `reembed` disappears, as an `erase` does; the item's other jobs stay as they are."""
        [given] = added(store, "one")
        assert store.queue(PROJECT, [given.id], "reembed") == 1
        before = store.job_reports(PROJECT, given.id)
        store.complete(claimed(store, "reembed"))

        assert [report.kind for report in before] == ["embed", "extract", "reembed"]
        assert store.job_reports(PROJECT, given.id) == before[:2]

    def test_all_failed_jobs_are_queued_again_at_once(self, store: Store) -> None:
        """Of every project; what waits, runs or is done stays as it is."""
        [given] = added(store, "one")
        [other] = added(store, "two", project=OTHER)
        store.fail(claimed(store, "embed", limit=1), "no model")
        store.fail(claimed(store, "embed", limit=1), "no model")
        store.complete(claimed(store, "extract", limit=1))
        running = claimed(store, "extract", limit=1)

        assert store.queue_failed() == 2
        assert store.queue_failed() == 0
        assert [job.artifact_id for job in running] == [other.id]
        assert store.job_reports(PROJECT, given.id) == [
            JobReport("embed", "pending", 0),
            JobReport("extract", "done", 1),
        ]
        assert store.job_reports(OTHER, other.id) == [
            JobReport("embed", "pending", 0),
            JobReport("extract", "running", 1),
        ]
        assert [job.attempts for job in claimed(store, "embed")] == [1]

    def test_a_lease_that_ran_out_is_claimed_by_others(self, store: Store) -> None:
        """The late worker's word counts no more."""
        added(store, "one")
        [late] = store.claim(["embed"], 1, timedelta(0), "late")
        [taken] = claimed(store, "embed", owner="quick")
        assert (taken.id, taken.attempts) == (late.id, 2)

        store.fail([late], "late")
        store.retry([late], "late", at(0))
        store.extend([late], timedelta(0))
        store.complete([late])
        assert claimed(store, "embed", owner="third") == []
        assert store.job_counts(PROJECT) == JobCounts(2, 0)
        store.complete([taken])
        assert store.job_counts(PROJECT) == JobCounts(1, 0)

    def test_a_claim_is_told_from_a_later_one_of_the_same_owner(self, store: Store) -> None:
        """Two threads of one worker may share its name."""
        [given] = added(store, "one")
        late = store.claim(["embed"], 1, timedelta(0), "w")
        claimed(store, "embed", owner="w")
        store.complete(late)

        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "running", 2)

    def test_a_late_worker_that_nobody_replaced_may_finish(self, store: Store) -> None:
        """A job is held until someone else takes it."""
        [given] = added(store, "one")
        store.complete(store.claim(["embed"], 1, timedelta(0), "late"))

        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "done", 1)

    def test_an_extended_lease_is_not_claimed(self, store: Store) -> None:
        """Nor is one extended to now kept."""
        added(store, "one")
        jobs = store.claim(["embed"], 1, timedelta(0), "w")
        store.extend(jobs, MINUTE)
        assert claimed(store, "embed") == []

        store.extend(jobs, timedelta(0))
        assert len(claimed(store, "embed")) == 1

    def test_queueing_takes_a_running_job_from_its_worker(self, store: Store) -> None:
        """What was queued again is done again, even if the former worker says it is done, under the same name."""
        [given] = added(store, "one")
        former = claimed(store, "embed")
        store.queue(PROJECT, [given.id], "embed")
        store.complete(former)
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "pending", 0)

        latter = claimed(store, "embed")
        store.complete(former)
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "running", 1)
        store.complete(latter)
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "done", 1)

    @pytest.mark.parametrize("replaced", [False, True])
    def test_an_erase_job_disappears_when_it_is_finished(self, store: Store, raw: Raw, replaced: bool) -> None:
        """It knows how many chunks there were; failing and retrying it keeps that."""
        given = item("some text", num_chunks=3, key="k")
        store.add(given, pieces(given, size=3), [])
        if replaced:
            new = item("other text", key="k")
            store.add(new, pieces(new), [])
        else:
            store.remove(PROJECT, [given.id])
        store.retry(claimed(store, "erase"), "busy", at(0))
        [job] = claimed(store, "erase")

        assert (job.artifact_id, job.num_chunks, job.attempts) == (given.id, 3, 2)
        assert store.job_counts(PROJECT) == JobCounts(1, 0)
        store.complete([job])
        assert raw.jobs() == []

    def test_a_removed_item_leaves_no_other_job(self, store: Store, raw: Raw) -> None:
        """Only its erasure waits, and a worker that still held a job of it can't bring it back."""
        [given] = added(store, "one")
        held = claimed(store, "embed")
        store.remove(PROJECT, [given.id])
        store.retry(held, "late", at(0))
        store.complete(held)

        assert raw.jobs() == [RawJob(PROJECT, given.id, "erase", "pending")]

    def test_nothing_to_do_is_no_error(self, store: Store) -> None:
        """Empty lists of jobs and ids are fine everywhere."""
        store.complete([])
        store.extend([], MINUTE)
        store.retry([], "x", at(0))
        store.fail([], "x")

        assert store.queue(PROJECT, [], "embed") == 0
        assert claimed(store, "embed", "extract", "erase") == []
        assert store.job_counts() == JobCounts(0, 0)

    def test_a_clock_that_was_set_back_holds_up_no_job(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was queued, put off or taken an hour before that hour comes again is due now."""
        for module in ("jobs", "database.job_queue"):
            monkeypatch.setattr(f"{_engine(store)}.{module}.now", lambda: now() + 60 * MINUTE, raising=False)
        added(store, "one", "two", "three")
        [put_off] = store.claim(["embed"], 1, MINUTE, "one")
        store.retry([put_off], "no network", now() + 61 * MINUTE)
        assert len(store.claim(["embed"], 1, MINUTE, "killed")) == 1
        monkeypatch.undo()

        assert len(store.claim(["embed"], 9, MINUTE, "two")) == 3
        assert store.claim(["embed"], 9, MINUTE, "three") == []


def _engine(store: Store) -> str:
    return type(store).__module__.rpartition(".")[0]
