"""What every engine promises of `graph.protocols.administration.Jobs`."""

from datetime import timedelta

import pytest

from core.dates import now
from core.records import Artifact, Job, JobCounts, JobReport, ParkedJob
from core.timing import MAX_ATTEMPTS
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
        """All that is due of one, then all of the other."""
        added(store, "one", project=OTHER)
        added(store, "two", "three")
        added(store, "four", project=OTHER)
        claims = [[job.project_id for job in claimed(store, "embed")] for _ in range(2)]

        assert sorted(claims) == sorted([[OTHER, OTHER], [PROJECT, PROJECT]])

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

    def test_claims_go_round_the_projects(self, store: Store) -> None:
        """However much one project has to do, each other one has its turn before it has its next."""
        for project, count in ((PROJECT, 4), (OTHER, 2), ("third", 1)):
            added(store, *map(str, range(count)), project=project)
        turns = [job.project_id for _ in range(7) for job in claimed(store, "extract", limit=1)]

        assert sorted(turns[:3]) == sorted([PROJECT, OTHER, "third"])
        assert sorted(turns[3:5]) == sorted([PROJECT, OTHER])
        assert turns[5:] == [PROJECT, PROJECT]

    def test_a_claim_has_jobs_of_the_project_whose_turn_it_is_in_order(self, store: Store) -> None:
        """Of the other kinds each goes round by itself."""
        ours = added(store, "one", "two", "three")
        [theirs] = added(store, "four", project=OTHER)
        first, second = claimed(store, "embed"), claimed(store, "embed")

        assert sorted([[job.artifact_id for job in first], [job.artifact_id for job in second]]) == sorted(
            [[given.id for given in ours], [theirs.id]]
        )
        assert len(claimed(store, "extract")) + len(claimed(store, "extract")) == 4

    def test_a_released_job_is_as_if_it_had_not_been_claimed(self, store: Store) -> None:
        """It is due at once, and the attempt does not count; whoever holds it no more releases nothing."""
        [given] = added(store, "one")
        jobs = claimed(store, "embed")
        store.release(jobs)

        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "pending", 0)
        taken = claimed(store, "embed", owner="other")
        store.release(jobs)
        assert [job.attempts for job in taken] == [1]
        assert store.job_reports(PROJECT, given.id)[0] == JobReport("embed", "running", 1)
        store.release(taken, now() + MINUTE)
        assert claimed(store, "embed") == []
        store.release(claimed(store, "extract"), now() - MINUTE)
        assert [job.attempts for job in claimed(store, "extract")] == [1]

    def test_a_job_that_is_lost_with_its_worker_is_parked_at_last(self, store: Store) -> None:
        """Its attempts count when it is claimed: nobody lives to count them when a process is killed."""
        [given] = added(store, "one")
        attempts = [job.attempts for _ in range(MAX_ATTEMPTS) for job in store.claim(["embed"], 1, timedelta(0), "w")]

        assert attempts == list(range(1, MAX_ATTEMPTS + 1))
        assert claimed(store, "embed") == []
        [report, _] = store.job_reports(PROJECT, given.id)
        assert (report.state, report.attempts) == ("failed", MAX_ATTEMPTS)
        assert "ended or hung" in (report.error or "")

    def test_a_job_that_was_lost_more_than_once_is_claimed_alone(self, store: Store) -> None:
        """Those that were claimed with it are not parked because of it."""
        given = added(store, "one", "two", "three")
        for _ in range(2):
            assert len(store.claim(["embed"], 10, timedelta(0), "killed")) == 3
        ids = [job.artifact_id for _ in range(3) for job in claimed(store, "embed")]

        assert ids == [each.id for each in given]

    def test_only_losses_in_a_row_park_a_job(self, store: Store) -> None:
        """A job that waited for a service often, and whose process is then killed, is taken up again."""
        added(store, "one")
        for _ in range(MAX_ATTEMPTS + 2):
            store.claim(["embed"], 1, timedelta(0), "w")
            [job] = claimed(store, "embed")
            store.retry([job], "no network", at(0))

        assert len(claimed(store, "embed")) == 1

    def test_parked_jobs_are_named_with_their_items(self, store: Store) -> None:
        """Oldest first, of one project or all, up to a number; and counted by kind."""
        named = item("some text", title="Minutes of May")
        store.add(named, pieces(named), ["embed", "extract"])
        [other] = added(store, "two", project=OTHER)
        assert (store.parked_jobs(None, 9), store.parked_counts()) == ([], {})
        store.fail([*claimed(store, "extract"), *claimed(store, "extract")], "too long")
        store.fail(next(jobs for jobs in iter(lambda: claimed(store, "embed"), []) if jobs[0].project_id == OTHER), "x")

        ours = ParkedJob(PROJECT, named.id, "extract", "Minutes of May", "too long")
        assert store.parked_jobs(PROJECT, 9) == [ours]
        assert store.parked_jobs(None, 1) == [ours]
        assert {(job.artifact_id, job.kind, job.title) for job in store.parked_jobs(OTHER, 9)} == {
            (other.id, "embed", None),
            (other.id, "extract", None),
        }
        assert store.parked_counts() == {"embed": 1, "extract": 2}
        assert (store.queue_failed(OTHER, "extract"), store.queue_failed(PROJECT, "embed")) == (1, 0)
        assert store.parked_jobs(None, 9) == [ours, *store.parked_jobs(OTHER, 9)]
        assert [job.artifact_id for job in claimed(store, "extract")] == [other.id]

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
        monkeypatch.setattr(f"{_engine(store)}.administration.now", lambda: now() + 60 * MINUTE)
        added(store, "one", "two", "three")
        [put_off] = store.claim(["embed"], 1, MINUTE, "one")
        store.retry([put_off], "no network", now() + 61 * MINUTE)
        assert len(store.claim(["embed"], 1, MINUTE, "killed")) == 1
        monkeypatch.undo()

        assert len(store.claim(["embed"], 9, MINUTE, "two")) == 3
        assert store.claim(["embed"], 9, MINUTE, "three") == []

    def test_the_jobs_of_named_items_are_claimed_before_all_others(self, store: Store) -> None:
        """`remember` that waits has its own item done, however many were queued earlier."""
        ids = [given.id for given in added(store, "one", "two", "three", "four")]
        (other,) = added(store, "one", project=OTHER)
        (mine,) = store.claim_of(PROJECT, [ids[2], "art_000000000000"], "embed", MINUTE, "w")

        assert (mine.artifact_id, mine.project_id, mine.kind, mine.attempts) == (ids[2], PROJECT, "embed", 1)
        assert (mine.num_chunks, mine.lease_owner) == (2, "w")
        assert store.claim_of(PROJECT, [ids[2]], "embed", MINUTE, "v") == []
        store.complete([mine])
        assert {report.kind: report.state for report in store.job_reports(PROJECT, ids[2])}["embed"] == "done"
        left = [job.artifact_id for _ in range(2) for job in claimed(store, "embed", owner="v")]
        assert sorted(left) == sorted([ids[0], ids[1], ids[3], other.id])

    def test_what_is_put_first_is_claimed_first_in_its_order(self, store: Store) -> None:
        """For workers in other processes; what runs stays with its worker."""
        ids = [given.id for given in added(store, "one", "two", "three", "four", "five")]
        (running,) = store.claim_of(PROJECT, [ids[3]], "embed", MINUTE, "w")
        store.put_first(PROJECT, [ids[4], ids[3], "art_000000000000"])
        store.put_first(PROJECT, [ids[2], ids[4]])

        assert [job.artifact_id for job in claimed(store, "embed")] == [ids[n] for n in (2, 4, 0, 1)]
        store.complete([running])
        assert {report.kind: report.state for report in store.job_reports(PROJECT, ids[3])}["embed"] == "done"


def _engine(store: Store) -> str:
    return type(store).__module__.rpartition(".")[0]
