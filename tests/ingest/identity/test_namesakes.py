"""People of one name in one text."""

import pytest

from core.interface.memory import Memory
from core.knowledge.findings import FoundEntity
from ingest.extract.local.entities.attendee_lists import speaker_of
from ingest.identity.namesakes import with_namesakes
from tests.ingest.extracting import extract


def bearers(content: str, name: str, **fields: str) -> list[FoundEntity]:
    """Return who is called so in a text, in the order of it."""
    memory = Memory(content=content, **fields)  # type: ignore[arg-type]
    found = with_namesakes(extract(content, **fields).entities, content, speaker_of(memory))
    named = [one for one in found if one.type == "person" and name in (one.name, *one.aliases)]
    return sorted(named, key=lambda one: one.mentions[0].start_char)


def words(content: str, one: FoundEntity) -> list[str]:
    """Return the words with which somebody is mentioned."""
    return [content[span.start_char : span.end_char] for span in one.mentions]


@pytest.mark.parametrize(
    ("content", "employers"),
    [
        ("Jo Park from Tidewell and Jo Park of Kestrel Ltd met.", ["Tidewell", "Kestrel Ltd"]),
        ("Jo Park from Tidewell and our own Jo Park met.", ["Tidewell", "ours"]),
        ("Jo Park (ours) had lunch with Jo Park (Tidewell).", ["ours", "Tidewell"]),
        ("- Jo Park (IT): order the line\n- Jo Park (Tidewell): send the keys", ["ours", "Tidewell"]),
        ("Our own Jo Park has the keys.", ["ours"]),
        ("Jo Park of Tidewell and Jo Park of our cooperative met.", ["Tidewell", "ours"]),
        ("Tidewell Ltd\n\nWritten by Jo Park, fitter\n\nJo Park of Kestrel Ltd came.", ["Tidewell Ltd", "Kestrel Ltd"]),
        ("I am Jo Park of Tidewell Ltd. In Kestrel Ltd there is another Jo Park.", ["Tidewell Ltd", "Kestrel Ltd"]),
        ("Jo Park of ours has the keys, not the one of the bank.", ["ours"]),
    ],
)
def test_two_of_one_name_are_told_apart_by_where_they_work(content: str, employers: list[str]) -> None:
    """A department says as much as "ours" where the other is of a company."""
    assert [one.organization for one in bearers(content, "Jo Park", context="meeting")] == employers


@pytest.mark.parametrize(
    "content",
    [
        "Jo Park of Tidewell and later Jo Park of Tidewell Freight Ltd spoke.",
        "Jo Park (sales) spoke first. Then Jo Park left.",
        "Our Jo Park will call you.",
        "Jo Park of Tidewell spoke. Our client was glad, and Jo Park too.",
    ],
)
def test_one_stays_one(content: str) -> None:
    """One employer in two forms, a department or a word in passing makes nobody a namesake."""
    assert len(bearers(content, "Jo Park", context="meeting")) == 1


def test_a_short_name_is_whose_words_say_so() -> None:
    """Between two statements a name is the one's of whom the last was said."""
    content = "Jo Park of Tidewell asked. Jo was late. Not our Jo, the other one. Then Jo Park of Tidewell left."
    first, ours = bearers(content, "Jo", context="chat")
    assert (words(content, first), first.organization) == (["Jo Park", "Jo", "Jo Park"], "Tidewell")
    assert (ours.name, words(content, ours), ours.organization) == ("Jo", ["Jo"], "ours")


def test_the_writers_own_are_of_the_writers_house() -> None:
    """Where a letter comes from is where its writer's own people are."""
    content = "Our Jo Park has closed the books. His namesake Jo Park of Tidewell has not."
    one, other = bearers(content, "Jo Park", context="email", author="Mara Lind <m.lind@kestrel.example>")
    assert (one.organization, other.organization) == ("Kestrel", "Tidewell")


def test_a_department_is_what_somebody_does() -> None:
    """It is kept as a role, and is no employer."""
    (one,) = bearers("Jo Park from maintenance carries the cables.", "Jo Park", context="meeting")
    assert (one.role, one.organization) == ("maintenance", None)


def test_who_signs_is_the_writer() -> None:
    """A name that fills its line, far down, is not the namesake's who was named last."""
    content = (
        "From: Jo Park <jo.park@tidewell.example>\nTo: Mara Lind\nSubject: Keys\n\n"
        "Your colleague Jo Park of the Kestrel Cooperative is not related to me.\n\nJo Park\n"
    )
    writer, other = bearers(content, "Jo Park", context="email")
    assert (writer.organization, other.organization) == ("Tidewell", "Kestrel Cooperative")
    assert writer.mentions[-1].start_char > other.mentions[-1].start_char
