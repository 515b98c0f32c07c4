"""The items to review."""

from core.interface.learning import MAX_REVIEWED, ReviewQuestion
from core.interface.ledger import CommitmentsQuestion, ResolveRequest
from core.interface.memory import Memory
from core.interface.results import Receipt
from core.knowledge.findings import Event, Evidence, Knowledge, event_id
from retrieval.answers.review import find_items_to_review
from service.app import App
from tests.ingest.running import PROJECT

SAID = "Perhaps the quay is closed."


def test_what_is_worth_reading_is_more_than_one_answer_has(app: App) -> None:
    """Who reads it in turn comes behind what an answer lists; each item is named once."""
    items = app.remember_many([Memory(content=f"{SAID} {n}") for n in range(MAX_REVIEWED + 1)], PROJECT).results
    ids = [item.id for item in items if isinstance(item, Receipt)]
    for id_ in ids:
        proof = (Evidence(id_, SAID, 0, len(SAID)),)
        said = event_id(PROJECT, id_, "Decision", 0, len(SAID))
        event = Event(said, "Decision", SAID, (), (), proof, confidence=0.5, status="current")
        app.store.replace(PROJECT, id_, Knowledge(events=(event,)))

    answer = app.review(ReviewQuestion(limit=MAX_REVIEWED), PROJECT)
    assert answer.total_count == len(ids) == MAX_REVIEWED + 1
    assert sorted(find_items_to_review(app.store, PROJECT)) == sorted(ids)


def test_the_best_of_each_kind_is_among_the_first_items(app: App) -> None:
    """Many uncertain events don't hide the one question about a link: its answer changes what is listed as open."""
    for day, text in ((2, "Bo Lund will write the grant report."), (9, "Bo Lund has submitted the grant report.")):
        app.remember(Memory(content=text, date=f"2026-03-0{day}", context="meeting"), PROJECT)
    app.worker.drain()
    for number in range(12):
        stored = app.remember(Memory(content=f"{SAID} {number}"), PROJECT)
        said = event_id(PROJECT, stored.id, "Decision", 0, len(SAID))
        proof = (Evidence(stored.id, SAID, 0, len(SAID)),)
        event = Event(said, "Decision", SAID, (), (), proof, confidence=0.5, status="current")
        app.store.replace(PROJECT, stored.id, Knowledge(events=(event,)))

    answer = app.review(ReviewQuestion(limit=3), PROJECT)
    assert "link" in [item.kind for item in answer.items]
    assert answer.total_count == 13


def test_an_extracted_link_is_listed_until_somebody_confirms_or_undoes_it(app: App) -> None:
    """With the one call that does so; what is confirmed is asked about no more, what is undone is open again."""
    for project, answer, status in ((PROJECT, None, "done"), ("other", "none", "open")):
        for day, text in ((2, "Bo Lund will repair the pump by 2026-03-20."), (9, "Bo Lund has repaired the pump.")):
            app.remember(Memory(content=text, date=f"2026-03-0{day}"), project)
        app.worker.drain()
        [listed] = app.review(ReviewQuestion(), project).items
        [promise] = app.commitments(CommitmentsQuestion(), project).items
        assert (listed.kind, listed.other, promise.status) == ("link", promise.id, "done")
        assert listed.summary == "Completes: Bo Lund will repair the pump by 2026-03-20."
        assert listed.settle == f'resolve(id="{listed.id}", completes="{promise.id}") or completes="none"'

        app.resolve(ResolveRequest(id=listed.id, completes=answer or promise.id), project)
        assert app.review(ReviewQuestion(), project).items == []
        assert [one.status for one in app.commitments(CommitmentsQuestion(), project).items] == [status]
