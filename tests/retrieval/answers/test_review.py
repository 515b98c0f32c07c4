"""The items to review."""

from core.interface.learning import MAX_REVIEWED, ReviewQuestion
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
