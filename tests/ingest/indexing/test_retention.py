"""What a user may rely on when an item's time has come."""

from datetime import datetime, timedelta

import pytest

from core.dates import now
from core.errors import Conflict
from core.interface.audit import KEPT_FOR
from core.interface.memory import Memory
from ingest.indexing import erasure
from ingest.indexing.erasure import Retention, delete_expired
from service.app import App

#: Long enough after a clock was first seen for it to be believed.
LATER = timedelta(minutes=6)


def remember(app: App, content: str, **fields: str) -> str:
    return app.remember(Memory.from_fields(content, fields), wait=True).id


def expiring(app: App, moment: datetime) -> str:
    return remember(app, "Dana Whitfield decided to use Kestrel.", expires_at=moment.isoformat())


@pytest.mark.both_engines
def test_an_expired_item_leaves_record_and_index(app: App) -> None:
    """docs/interface.md `remember`: after `expires_at` it is deleted with all that only it gave."""
    start = now()
    gone, kept = expiring(app, start + timedelta(hours=1)), remember(app, "Boats need a permit.")
    delete_expired(app.store, start)
    assert delete_expired(app.store, start + timedelta(minutes=59)) == 0
    assert delete_expired(app.store, start + timedelta(minutes=61)) == 1
    app.worker.drain()

    assert app.store.get("default", [gone]) == {}
    assert app.index.ids("default") == {f"{kept}:0"}
    assert app.store.counts("default").events == 0
    [entry] = app.store.audit_trail()
    assert (entry.act, entry.by, entry.ids) == ("expire", "retention", (gone,))


def test_a_worker_deletes_what_has_expired(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute after the last look at the latest, once it believes the clock."""
    monkeypatch.setattr(erasure, "_BELIEVED", timedelta(0))
    gone = expiring(app, now() - timedelta(hours=1))
    app.worker._retention = Retention(app.store)
    app.worker.drain()

    assert app.store.get("default", [gone]) == {}
    assert app.index.ids("default") == set()


def test_it_looks_once_a_minute(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker steps far more often."""
    monkeypatch.setattr(erasure, "_BELIEVED", timedelta(0))
    looking = Retention(app.store)
    assert looking.look() == 0
    expiring(app, now() - timedelta(hours=1))
    assert looking.look() == 0


def test_a_failure_does_not_keep_jobs_waiting(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised once a minute, and background work goes on in between."""

    def failing(store: object, at: object) -> int:
        raise Conflict("This item can't be deleted.")

    monkeypatch.setattr(erasure, "delete_expired", failing)
    app.worker._retention = Retention(app.store)
    app.remember(Memory(content="Boats need a permit."))
    with pytest.raises(Conflict):
        app.worker.step()
    assert app.worker.step() == 1


def test_many_are_deleted_in_several_looks(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that other work has its turn; the next look follows at once."""
    monkeypatch.setattr(erasure, "_BELIEVED", timedelta(0))
    monkeypatch.setattr(erasure, "_BATCH", 2)
    monkeypatch.setattr(erasure, "_BATCHES", 2)
    app.remember_many([Memory(content=f"number {n}", expires_at="2020-01-01") for n in range(5)])
    looking = Retention(app.store)

    assert [looking.look(), looking.look(), looking.look()] == [4, 1, 0]


@pytest.mark.parametrize("leap", [timedelta(days=3_650), timedelta(days=8), timedelta(hours=-1)])
def test_a_clock_that_leaps_deletes_nothing_at_first(app: App, leap: timedelta) -> None:
    """One set wrong is often set right within minutes; one that runs on is believed."""
    start = now()
    expiring(app, start - timedelta(days=1))
    delete_expired(app.store, start)
    wrong = start + leap

    assert delete_expired(app.store, wrong) == 0
    assert delete_expired(app.store, wrong + timedelta(minutes=4)) == 0
    assert delete_expired(app.store, wrong + LATER) == 1


def test_a_clock_set_right_again_has_deleted_nothing_early(app: App) -> None:
    """What would have expired in ten years is there, and what has expired goes a little later."""
    start = now()
    kept = expiring(app, start + timedelta(days=1_000))
    delete_expired(app.store, start)
    delete_expired(app.store, start + timedelta(days=3_650))
    assert delete_expired(app.store, start + timedelta(minutes=2)) == 0
    assert delete_expired(app.store, start + timedelta(minutes=2) + LATER) == 0
    assert app.store.get("default", [kept])


def test_old_entries_of_the_trail_are_dropped(app: App) -> None:
    """The trail is kept for a year."""
    app.store.record_act("extract", "default", ["run_1"])
    delete_expired(app.store, now() + KEPT_FOR - timedelta(days=1))
    assert len(app.store.audit_trail()) == 1
    delete_expired(app.store, now() + KEPT_FOR + timedelta(days=1))
    assert app.store.audit_trail() == []
