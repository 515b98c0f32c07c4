"""Days and times of day are those of whoever wrote: in what is read, asked for and shown."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from core.dates import parse_iso, use_zone, zone
from core.interface.learning import AnnotatedMemory, GivenEvent
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion, LedgerItem, ResolveRequest
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import FacetQuestion, Question
from core.interface.stash import StashFilters, StashQuestion, StashRequest
from service.app import App

FENCE = "Ylva Stern will send the fence plan"


@pytest.fixture
def zone_name(request: pytest.FixtureRequest) -> str:
    """The owner's zone."""
    return str(getattr(request, "param", "America/New_York"))


@pytest.fixture
def owner_zone(zone_name: str) -> Iterator[ZoneInfo]:
    """Use another zone than UTC."""
    before, chosen = zone(), ZoneInfo(zone_name)
    use_zone(chosen)
    yield chosen
    use_zone(before)


def keep(app: App, content: str, date: str | None = None, context: Any = "note", **fields: Any) -> str:
    """Remember a text with all that is found in it."""
    return app.remember(Memory(content=content, date=date, context=context, **fields), wait=True).id


def promised(app: App, **asked: Any) -> list[LedgerItem]:
    """Return the commitments asked for."""
    return app.commitments(CommitmentsQuestion(**asked)).items


def found(app: App, **asked: Any) -> set[str]:
    """Return the ids of the listed items."""
    return {result.id for result in app.recall(Question(context="note", limit=100, **asked)).results}


@pytest.mark.parametrize("zone_name", ["Pacific/Kiritimati"], indirect=True)
def test_what_happened_in_the_memory_is_shown_in_the_owners_zone(app: App, owner_zone: ZoneInfo) -> None:
    """When something was resolved or stored, which no text says."""
    keep(app, "Ben Okoro will send the plan by Friday.", author="Ben Okoro")
    (item,) = promised(app)
    app.resolve(ResolveRequest(id=item.id, status="done"))
    (done,) = promised(app, status="done", detail="full")

    assert done.history is not None
    assert parse_iso(done.history[0].at, field="at").utcoffset() == datetime.now(owner_zone).utcoffset()
    assert "+14:00|" in app.faceted_search(FacetQuestion())


@pytest.mark.both_engines
def test_words_mean_the_day_where_the_writer_was(app: App) -> None:
    """In the evening west of Greenwich and in the morning east of it, UTC has another day."""
    written = {
        "tomorrow": ("2026-06-01T21:30:00-05:00", "2026-06-02"),
        "by the end of the month": ("2026-06-30T23:30:00-04:00", "2026-06-30"),
        "today": ("2026-06-02T07:30:00+09:00", "2026-06-02"),
        "by the end of the year": ("2026-12-31T20:00:00-12:00", "2026-12-31"),
        "by 29 February": ("2028-02-28T23:59:00+14:00", "2028-02-29"),
        "by tomorrow": ("2026-11-19T20:00:00-08:00", "2026-11-20"),
    }
    for words, (date, _) in written.items():
        keep(app, f"{FENCE} {words}.", date)
    keep(app, f"{FENCE} tomorrow at 5 pm.", "2026-03-01T22:00:00-05:00")

    assert {one.evidence[0].quote.split("plan ")[1]: one.due for one in promised(app)} == {
        **{f"{words}.": due for words, (_, due) in written.items()},
        "tomorrow at 5 pm.": "2026-03-02T17:00:00.000000-05:00",
    }


@pytest.mark.both_engines
def test_a_filter_of_a_day_means_that_day_where_the_writer_was(app: App) -> None:
    """An instant with an offset stays an instant."""
    evening = keep(app, "The hedge was cut.", "2026-06-01T21:30:00-05:00", tags=("garden",))
    morning = keep(app, "The pond was cleaned.", "2026-06-02T07:30:00+09:00", tags=("garden",))
    day = keep(app, "The lawn was mown.", "2026-06-01", tags=("garden",))

    first, second = {evening, day}, {morning}
    for more in ({}, {"tags": ("garden",)}):
        assert found(app, date_from="2026-06-01", date_to="2026-06-01", **more) == first
        assert found(app, date_from="2026-06-02", **more) == second
        assert found(app, date_from="2026-06-02T00:00:00Z", **more) == {evening}
        assert found(app, date_to="2026-06-01T23:00:00Z", **more) == {morning, day}
        assert found(app, as_of="2026-06-01", **more) == first
        assert found(app, as_of="2026-06-02", **more) == first | second
        assert found(app, as_of="2026-06-01T23:00:00Z", **more) == {morning, day}
    text = app.faceted_search(FacetQuestion(date_to="1 June 2026", counts=True))
    assert [word in text for word in ("hedge", "lawn", "pond")] == [True, True, False]


@pytest.mark.both_engines
def test_months_are_counted_where_the_writer_was(app: App) -> None:
    """Of all items, of those that a filter selects, and after one has gone."""
    late = keep(app, "The hedge was cut.", "2026-05-31T21:30:00-05:00", tags=("garden",))
    keep(app, "The pond was cleaned.", "2026-06-01T07:30:00+09:00", tags=("garden",))

    for tags in ((), ("garden",)):
        text = app.faceted_search(FacetQuestion(tags=tags, counts=True))
        assert "months 2026-05=1 2026-06=1" in text
    app.forget(ForgetRequest(id=late, confirm=True))
    assert "2026-05" not in app.faceted_search(FacetQuestion(counts=True))


@pytest.mark.both_engines
def test_knowledge_as_of_a_day_is_that_of_the_writers_day(app: App) -> None:
    """Events, their names and statuses, as well as items."""
    keep(app, f"{FENCE} by Friday.", "2026-06-01T21:30:00-05:00")
    keep(app, "Ylva Stern has sent the fence plan.", "2026-06-03T23:30:00-05:00")

    [then] = promised(app, as_of="2026-06-01")
    assert (then.status, then.owners, then.event_time) == ("open", ["Ylva Stern"], "2026-06-01T21:30:00.000000-05:00")
    assert promised(app, as_of="2026-05-31") == []
    assert [one.status for one in promised(app, as_of="2026-06-03")] == ["done"]


@pytest.mark.both_engines
def test_a_window_of_days_holds_the_decisions_of_these_days(app: App) -> None:
    """Also those of an evening that is the next day in UTC."""
    keep(app, "We decided to sell the trailer.", "2026-06-01T21:30:00-05:00", "meeting")

    def decided(**asked: Any) -> int:
        return app.decisions(DecisionsQuestion(**asked)).total_count

    assert decided(date_from="2026-06-01", date_to="2026-06-01") == 1
    assert decided(date_from="2026-06-02") == 0
    assert decided(date_from="2026-06-02T00:00:00Z") == 1


@pytest.mark.both_engines
@pytest.mark.parametrize("zone_name", ["America/New_York", "Asia/Tokyo"], indirect=True)
def test_what_is_told_without_a_date_is_said_now(app: App, owner_zone: ZoneInfo) -> None:
    """In the owner's zone: it is due tomorrow, in the last week, and shows no date."""
    told = keep(app, "Ylva Stern will call Nils Aune tomorrow.")
    keep(app, "We decided to sell the trailer.")
    again = keep(app, "Ylva Stern will call Nils Aune tomorrow.")

    today = datetime.now(owner_zone).date()
    [promise] = promised(app, due_before="2127-12-31")
    assert promise.due == (today + timedelta(days=1)).isoformat()
    assert promise.event_time is not None
    assert promise.event_time.startswith(today.isoformat())
    assert (promise.overdue, promised(app, status="overdue")) == (False, [])
    assert app.decisions(DecisionsQuestion(date_from="7d")).total_count == 1
    assert found(app, date_from="today") == found(app, date_from="today", date_to="today") != set()
    [result] = app.recall(Question(id=told)).results
    assert (again, result.metadata.get("date")) == (told, None)


@pytest.mark.both_engines
def test_later_extraction_reads_from_the_moment_of_storing(app: App) -> None:
    """However late a worker or a rebuild reads the text; and what `learn` gives is read from there, too."""
    stored = app.remember(Memory(content="Ylva Stern will call Nils Aune tomorrow.", context="note")).id
    artifact = app.store.get("default", [stored])[stored]
    assert artifact.written() == artifact.happened_at == artifact.created_at


def test_a_file_without_a_date_is_not_said_now(app: App) -> None:
    """Nobody knows when its words were written."""
    keep(app, f"{FENCE} tomorrow.", trusted=False, file_path="/notes/a.md", key="/notes/a.md")
    keep(app, f"{FENCE} by Friday.", file_path="/notes/b.md", key="/notes/b.md")
    assert [one.due for one in promised(app)] == [None, None]


@pytest.mark.both_engines
@pytest.mark.parametrize("offset", [-12, -5, 0, 9, 14])
def test_what_is_due_on_a_day_is_overdue_after_its_end_where_the_writer_was(app: App, offset: int) -> None:
    """A month after its end, an hour after it; given or read, also as of a day."""
    here = timezone(timedelta(hours=offset))
    now = datetime.now(here)
    keep(app, f"{FENCE} today.", now.isoformat())
    keep(app, f"{FENCE} yesterday, no later than {now.date() - timedelta(days=1)}.", now.isoformat())

    assert [one.due for one in promised(app, status="overdue")] == [(now.date() - timedelta(days=1)).isoformat()]
    assert [one.due for one in promised(app, due_before="tomorrow")] != []
    assert {one.due for one in promised(app, due_before=now.date().isoformat())} == {
        (now.date() - timedelta(days=1)).isoformat()
    }
    as_of = now.date().isoformat()
    assert {one.due: one.overdue for one in promised(app, as_of=as_of)}[as_of] is False


@pytest.mark.both_engines
def test_stashes_and_their_days(app: App) -> None:
    """`created_after` and `created_before` are days of the writer."""
    app.stash(StashRequest(segment_ids=(keep(app, "The hedge was cut.", "2026-06-01T21:30:00-05:00"),)))

    def listed(**asked: Any) -> int:
        return len(app.search_stash(StashQuestion(filters=StashFilters(**asked))).segments)

    assert listed(created_after="2026-06-01", created_before="2026-06-01") == 1
    assert listed(created_after="2026-06-02") == 0


@pytest.mark.both_engines
def test_the_zone_of_the_owner_decides_times_without_one(app: App, owner_zone: ZoneInfo) -> None:
    """A day is that day in any zone, and a day's end follows the clocks of its own time of the year."""
    keep(app, f"{FENCE} tomorrow.", "2026-06-01T21:30")
    keep(app, f"{FENCE} in two weeks.", "2026-10-30")
    items = {one.due: one for one in promised(app)}

    assert set(items) == {"2026-06-02", "2026-11-13"}
    assert items["2026-06-02"].event_time == "2026-06-01T21:30:00.000000-04:00"
    [event] = app.store.events("default", [items["2026-11-13"].id]).values()
    assert event.due == datetime(2026, 11, 13, 23, 59, 59, 999_999, owner_zone)
    assert event.due.astimezone(UTC).hour == 4
    assert len(found(app, date_from="2026-06-01", date_to="2026-06-01")) == 1


@pytest.mark.both_engines
def test_a_given_day_is_that_of_the_writer(app: App, owner_zone: ZoneInfo) -> None:
    """An agent gives a date in any form, or words, read from the item's own day; a month ends with its last day."""
    promises = (
        "2026-06-03",
        "June 4, 2026",
        "tomorrow",
        "by Friday",
        "2026-07",
        "2026-06-06T17:00:00+02:00",
        "5 pm today",
    )
    for due in promises:
        given = GivenEvent(category="Commitment", quote="The fence plan will be sent.", due=due)
        fields: dict[str, Any] = {"title": due, "date": "2026-06-01T21:30:00+09:00", "context": "note"}
        app.remember(AnnotatedMemory(content="The fence plan will be sent.", events=(given,), **fields), wait=True)
    dues = {one.due for one in promised(app)}
    assert dues == {
        "2026-06-03", "2026-06-04", "2026-06-02", "2026-06-05", "2026-07-31", "2026-06-06T17:00:00.000000+02:00",
        "2026-06-01T17:00:00.000000+09:00",
    }  # fmt: skip
    assert {one.due for one in promised(app, due_before="2026-06-03")} == {
        "2026-06-02",
        "2026-06-01T17:00:00.000000+09:00",
    }
