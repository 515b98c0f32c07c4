"""What every engine promises of `Records.remove_expired`."""

from typing import Any

from core.filters import Filters
from core.knowledge.findings import EventStatus
from core.knowledge.ledger import Resolution
from core.records import SETTLED_FOR, Artifact
from graph.store import Store
from tests.contracts.makers import OTHER, PROJECT, at, entity, event, item, lesson, pieces
from tests.contracts.raw import Raw

ANA = entity("Ana Berg")


def added(store: Store, content: str, **fields: Any) -> Artifact:
    """Store an item."""
    given = item(content, **fields)
    store.add(given, pieces(given), [])
    return given


def promised(store: Store, *quotes: str, policy: str = "until_resolved", **fields: Any) -> tuple[Artifact, list[str]]:
    """Store an item with a promise, or the decision `stay`, for each quote; return it and the ids of its events."""
    given = added(store, f"Ana Berg: {' and '.join(quotes)}", retention_policy=policy, **fields)
    events = [
        event(
            given,
            quote,
            "Decision" if quote == "stay" else "Commitment",
            status="current" if quote == "stay" else "open",
            actors=[ANA],
        )
        for quote in quotes
    ]
    store.replace(PROJECT, given.id, lesson(given, [ANA], events))
    return given, [one.id for one in events]


def declare(store: Store, event_id: str, status: EventStatus, days: float) -> None:
    """Declare the status of an event, so many days after the suites' time."""
    assert store.add_resolution(PROJECT, Resolution(event_id, status, at(days)))


def removed(store: Store, days: float, limit: int = 100) -> list[str]:
    """Remove what has expired so many days after the suites' time; return the ids, sorted."""
    return sorted(store.remove_expired(at(days), limit))


class ExpiryContract:
    """Items go when their time has come, with all that rests on them, and no sooner."""

    def test_an_item_is_removed_at_its_time(self, store: Store, raw: Raw) -> None:
        """With text, words and the revisions that it replaced, leaving a job for its vectors, and an entry."""
        old = added(store, "old", key="k")
        gone = added(store, "quagga", key="k", expires_at=at(2).isoformat())
        stays = added(store, "red", expires_at=at(3).isoformat())

        assert (removed(store, 1.9), store.num_expired(at(1.9))) == ([], 0)
        assert store.num_expired(at(2)) == 1
        assert removed(store, 2) == [gone.id]
        assert raw.artifact_ids(PROJECT) == [stays.id]
        assert raw.indexed("quagga") == 0
        assert {job.artifact_id for job in raw.jobs() if job.kind == "erase"} == {old.id, gone.id}
        [entry] = [one for one in store.audit_trail(PROJECT) if one.act == "expire"]
        assert (entry.by, set(entry.ids)) == ("retention", {old.id, gone.id})
        assert removed(store, 2) == []

    def test_a_revision_is_removed_at_its_own_time(self, store: Store, raw: Raw) -> None:
        """What replaced it stays."""
        old = added(store, "old", key="k", expires_at=at(1).isoformat())
        current = added(store, "new", key="k", stored=at(0.5))

        assert removed(store, 1) == [old.id]
        assert raw.artifact_ids(PROJECT) == [current.id]

    def test_what_was_remembered_again_stays(self, store: Store) -> None:
        """Whether an item has expired is what the record says when it would go."""
        added(store, "red", expires_at=at(1).isoformat())
        added(store, "red", expires_at=at(9).isoformat(), stored=at(2))

        assert removed(store, 3) == []

    def test_a_batch_is_of_one_project_and_has_its_limit(self, store: Store) -> None:
        """So that no transaction is long, and none touches two projects."""
        mine = [added(store, f"mine {n}", expires_at=at(1).isoformat()).id for n in range(3)]
        other = added(store, "other", project=OTHER, expires_at=at(1).isoformat()).id

        batches = [removed(store, 2, 2) for _ in range(4)]
        assert sorted(map(len, batches)) == [0, 1, 1, 2]
        assert sorted(id_ for batch in batches for id_ in batch) == sorted([*mine, other])
        assert not any(other in batch and len(batch) > 1 for batch in batches)

    def test_an_item_kept_until_resolved_goes_when_all_of_it_is_settled(self, store: Store) -> None:
        """Each promise and decision of it declared so, the last of them long enough ago to take it back."""
        given, (first, second, decided) = promised(store, "I will call", "I will write", "stay")
        added(store, "red", retention_policy="until_resolved")
        days = SETTLED_FOR.days
        declare(store, first, "done", 1)
        declare(store, second, "cancelled", 2)
        assert removed(store, 900) == []
        declare(store, decided, "withdrawn", 3)

        assert (removed(store, 2.9 + days), store.num_expired(at(2.9 + days))) == ([], 0)
        assert store.num_expired(at(3 + days)) == 1
        assert removed(store, 3 + days) == [given.id]
        assert store.newest(PROJECT, Filters(at=at(0)), 10)[0].memory.content == "red"

    def test_what_was_opened_again_stays(self, store: Store) -> None:
        """The newest declaration counts, and its time."""
        given, (promise,) = promised(store, "I will call")
        declare(store, promise, "done", 1)
        declare(store, promise, "open", 5)
        assert removed(store, 100) == []
        declare(store, promise, "done", 100)

        assert removed(store, 99 + SETTLED_FOR.days) == []
        assert removed(store, 100 + SETTLED_FOR.days) == [given.id]

    def test_other_policies_keep_what_is_settled(self, store: Store) -> None:
        """Also where the caller's own metadata has the words."""
        _, (promise,) = promised(
            store, "I will call", policy="forever", metadata={"retention_policy": "until_resolved"}
        )
        declare(store, promise, "done", 1)

        assert removed(store, 900) == []
