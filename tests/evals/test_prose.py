"""The corpus of reference prose: what is made, and how what is found in it is counted."""

from collections import Counter

from core.knowledge.findings import Extraction, FoundEvent
from evals.prose import EACH, Found, Text, count, texts


def test_there_are_as_many_texts_of_each_kind_and_each_time_the_same() -> None:
    made = list(texts())
    assert Counter(text.kind for text in made) == dict.fromkeys((text.kind for text in made), EACH)
    assert [text.content for text in made] == [text.content for text in texts()]
    assert all(not text.told for text in made[: 10 * EACH])
    assert all(said in text.content for text in made for _, said in text.told)


def test_what_is_found_is_counted_as_right_false_or_missed() -> None:
    """One text with something false counts once."""
    false = FoundEvent("Decision", "s", "The lamp is chosen.", 0)
    reference, record = Found(), Found()
    count(reference, Text("manual", "Lamp", "The lamp is chosen."), Extraction(events=(false, false)))
    told = (("Decision", "We chose the lamp."), ("Commitment", "Mara Lind will order it."))
    found = FoundEvent("Decision", "s", "We chose the lamp.", 0)
    count(
        record,
        Text("minutes", "Lamp", "We chose the lamp. Mara Lind will order it.", told),
        Extraction(events=(found,)),
    )
    assert (reference.texts, reference.wrong) == (1, 1)
    assert (record.told, record.right, record.missed) == (2, 1, ["Commitment: Mara Lind will order it."])
