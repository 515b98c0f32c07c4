"""What every engine promises of `graph.protocols.knowledge.DuplicateSentences`."""

from dataclasses import replace
from datetime import timedelta

from core.records import Artifact
from graph.protocols.knowledge import EarlierSentence
from graph.store import Store
from tests.contracts.makers import OTHER, PROJECT, event, item, lesson, pieces
from tests.contracts.raw import Raw, RawJob


def added(store: Store, *artifacts: Artifact) -> None:
    """Add artifacts, without jobs."""
    for artifact in artifacts:
        store.add(artifact, pieces(artifact), [])


def said(store: Store, artifact: Artifact, limit: int = 10) -> list[tuple[int, str]]:
    """Return who said what before an artifact."""
    found = store.earlier_sentences(PROJECT, artifact.id, limit)
    assert all(isinstance(one, EarlierSentence) for one in found)
    return [(one.sentence_hash, one.artifact_id) for one in found]


def extracting(raw: Raw) -> list[str]:
    """Return the ids of the artifacts that wait for extraction."""
    return [job.artifact_id for job in raw.jobs() if job.kind == "extract" and job.state == "pending"]


class EchoesContract:
    """Takes the fixtures `store` (empty) and `raw`."""

    def test_who_said_it_before_is_told_in_the_order_of_time(self, store: Store) -> None:
        """By date and, at equal dates, by storing, whatever the order in which sayings are kept."""
        late, early, same, last = (
            item(text, date=f"2026-01-0{day}") for text, day in zip("LESX", (3, 1, 3, 9), strict=True)
        )
        added(store, late, early, same, last)
        for one in (last, same, late, early):
            store.save_sentence_hashes(PROJECT, one.id, [7, -(2**63)] if one is late else [7])
        assert said(store, last) == [(7, early.id), (7, late.id), (7, same.id)]
        assert said(store, same) == [(7, early.id), (7, late.id)]
        assert said(store, late) == [(7, early.id)]
        assert said(store, early) == []
        assert said(store, last, 2) == [(7, early.id), (7, late.id)]

    def test_only_current_items_of_the_project_that_do_not_expire_are_told(self, store: Store) -> None:
        """Revisions and other projects are nobody; what expires may be gone before its copy."""
        old, new = item("Old.", key="k", date="2026-01-01"), item("New.", key="k", date="2026-01-02")
        expiring = item("Gone.", date="2026-01-01", expires_at="2099-01-01")
        elsewhere = item("Else.", date="2026-01-01", project=OTHER)
        asking = item("Asks.", date="2026-02-01")
        added(store, old)
        store.save_sentence_hashes(PROJECT, old.id, [1])
        added(store, new, expiring, elsewhere, asking)
        store.save_sentence_hashes(PROJECT, expiring.id, [1])
        store.save_sentence_hashes(OTHER, elsewhere.id, [1])
        assert store.save_sentence_hashes(PROJECT, asking.id, [1]) == []
        assert said(store, asking) == []
        assert store.earlier_sentences(OTHER, asking.id, 5) == []
        assert store.save_sentence_hashes(PROJECT, old.id, [1]) == []
        assert store.save_sentence_hashes(PROJECT, "art_000000000000", [1]) == []

    def test_a_first_sayer_that_comes_late_names_those_that_said_it_later(self, store: Store) -> None:
        """Once; not what others said before it, and not when somebody else is first anyway."""
        first, second, third = (item(text, date=f"2026-01-0{day}") for text, day in zip("ABC", (1, 2, 3), strict=True))
        added(store, first, second, third)
        assert store.save_sentence_hashes(PROJECT, third.id, [1, 2]) == []
        assert store.save_sentence_hashes(PROJECT, first.id, [1]) == [third.id]
        assert store.save_sentence_hashes(PROJECT, first.id, [1]) == []
        assert store.save_sentence_hashes(PROJECT, second.id, [1]) == []
        assert said(store, third) == [(1, first.id), (1, second.id)]
        assert store.save_sentence_hashes(PROJECT, second.id, [1, 2]) == [third.id]

    def test_what_replaces_another_said_it_when_that_did(self, store: Store) -> None:
        """A new version of a document is no echo of what quoted the former one, which is now an echo of it."""
        old, note = item("Old.", key="k", date="2026-01-01"), item("Note.", date="2026-01-02")
        new = item("New.", key="k", date="2026-01-03")
        added(store, old, note)
        store.save_sentence_hashes(PROJECT, old.id, [1, 2])
        store.save_sentence_hashes(PROJECT, note.id, [1, 2])
        store.link_echoes(PROJECT, note.id, [old.id])
        added(store, new)
        assert store.save_sentence_hashes(PROJECT, new.id, [1, 3]) == [note.id]
        assert said(store, new) == []
        assert said(store, note) == [(1, new.id)]

    def test_what_has_replaced_another_stays_the_first_to_say_it(self, store: Store) -> None:
        """However often it is read, and whatever the links of revisions: they concern nobody any more."""
        old, note = item("Old.", key="k", date="2026-01-01"), item("Note.", key="n", date="2026-01-02")
        new, edited = item("New.", key="k", date="2026-01-03"), item("Edited.", key="n", date="2026-01-04")
        other = item("Other.", date="2026-01-02")
        added(store, old, note, other)
        for one in (old, note, other):
            store.save_sentence_hashes(PROJECT, one.id, [1])
        store.link_echoes(PROJECT, note.id, [old.id])
        added(store, new, edited)
        assert store.save_sentence_hashes(PROJECT, new.id, [1]) == [other.id]
        assert store.save_sentence_hashes(PROJECT, new.id, [1]) == []
        store.save_sentence_hashes(PROJECT, new.id, [1, 2])
        assert said(store, other) == [(1, new.id)]
        assert said(store, new) == []

    def test_links_are_shown_on_the_item(self, store: Store) -> None:
        """All of them each time, sorted, none of what is not stored, never itself."""
        one, two, note = item("One."), item("Two."), item("Note.")
        added(store, one, two, note)
        store.link_echoes(PROJECT, note.id, [two.id, one.id, two.id, note.id, "art_000000000000"])
        got = store.get(PROJECT, [note.id, one.id])
        assert got[note.id] == replace(note, echoes=tuple(sorted([one.id, two.id])))
        assert got[note.id].metadata()["echoes"] == sorted([one.id, two.id])
        assert "echoes" not in got[one.id].metadata()
        assert [listed.echoes for batch in store.each(PROJECT) for listed in batch if listed.id == note.id] == [
            got[note.id].echoes
        ]
        store.link_echoes(PROJECT, note.id, [one.id])
        assert store.get(PROJECT, [note.id])[note.id].echoes == (one.id,)
        store.link_echoes(OTHER, note.id, [])
        assert store.get(PROJECT, [note.id])[note.id].echoes == (one.id,)
        store.link_echoes(PROJECT, note.id, [])
        assert store.get(PROJECT, [note.id])[note.id].echoes == ()

    def test_removing_the_origin_makes_its_echoes_evidence(self, store: Store, raw: Raw) -> None:
        """They are queued for extraction, and nothing of what it said stays; a rehearsal queues nobody."""
        origin, note, both = item("Origin."), item("Note."), item("Both.")
        added(store, origin, note, both)
        for one in (origin, note, both):
            store.save_sentence_hashes(PROJECT, one.id, [1])
            store.link_echoes(PROJECT, one.id, [origin.id])
        store.remove(PROJECT, [origin.id], dry_run=True)
        assert extracting(raw) == []
        store.remove(PROJECT, [both.id, origin.id])
        assert extracting(raw) == [note.id]
        assert store.get(PROJECT, [note.id])[note.id].echoes == ()
        assert said(store, note) == []
        assert RawJob(PROJECT, both.id, "erase", "pending") in raw.jobs()
        raw.check()

    def test_other_summaries_of_the_origin_concern_its_echoes(self, store: Store, raw: Raw) -> None:
        """They are queued for extraction, and nobody else; the same summaries again queue nobody."""
        origin, echo, other = item("We paint it blue."), item("Echo."), item("Other.")
        added(store, origin, echo, other)
        store.link_echoes(PROJECT, echo.id, [origin.id])
        store.link_echoes(PROJECT, other.id, [echo.id])
        decided = event(origin, "We paint it blue.")
        for knowledge, queued in (
            (lesson(origin), []),
            (lesson(origin, events=[decided]), [echo.id]),
            (lesson(origin, events=[replace(decided, confidence=1.0)]), []),
            (lesson(origin, events=[replace(decided, summary="Blue")]), [echo.id]),
            (lesson(origin), [echo.id]),
        ):
            store.complete(store.claim(["extract"], 10, timedelta(minutes=1), "test"))
            store.replace(PROJECT, origin.id, knowledge)
            assert extracting(raw) == queued
        raw.check()

    def test_more_sayings_than_one_statement_takes_are_kept(self, store: Store) -> None:
        """A book has more sentences than a server takes at once."""
        book, copy = item("Book.", date="2026-01-01"), item("Copy.", date="2026-01-02")
        added(store, book, copy)
        numbers = list(range(-3_000, 3_000))
        store.save_sentence_hashes(PROJECT, book.id, numbers)
        store.save_sentence_hashes(PROJECT, copy.id, numbers)
        assert said(store, copy) == [(number, book.id) for number in numbers]
        assert said(store, book) == []
