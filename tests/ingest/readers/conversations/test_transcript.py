"""Plain transcripts are told by their lines, and kept as they are."""

from pathlib import Path

import pytest

from ingest.readers.formats.conversation_formats import spoken_lines
from ingest.readers.formats.source import Item
from tests.ingest.readers.reading import format_of, parts, put, survives
from tests.own_time import own_time

WORDS = ["I'll send the estimate.", "Fine.", "We use Postgres: it is settled.", "Good."]
SPEAKERS = ["Ann Lee", "Bo Park", "Ann Lee", "Bo Park"]
TIMES = ["0:05", "1:10", "12:00", "1:02:09"]
FORMS = {
    "otter": "{speaker}  {time} \n{words}\n\n",
    "zoom": "[{speaker}] {time}\r\n{words}\r\n\r\n",
    "zoom chat": "{time}\t From {speaker} to Everyone:\n\t{words}\n",
    "teams": "{speaker}   {time} PM\n{words}\n",
    "brackets": "[{time}] {speaker}: {words}\n",
    "behind": "{speaker} ({time}): {words}\n",
}


def transcript(form: str) -> str:
    rows = zip(SPEAKERS, TIMES, WORDS, strict=True)
    return "".join(FORMS[form].format(speaker=speaker, time=at, words=words) for speaker, at, words in rows)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_told_by_its_lines_and_kept_as_it_is(form: str, tmp_path: Path) -> None:
    """With its speakers as participants, and a place for each line that says who speaks when."""
    path = put(tmp_path, "call.txt", transcript(form))
    (item,) = parts(path)

    assert format_of(path) == "transcript"
    assert isinstance(item, Item)
    assert item.memory.content == transcript(form)
    assert (item.memory.context, item.memory.participants) == ("transcript", ("Ann Lee", "Bo Park"))
    assert [place.name.removesuffix(" PM") for place in item.places] == TIMES
    assert all(SPEAKERS[n] in item.memory.content[place.start_char :][:30] for n, place in enumerate(item.places))


@pytest.mark.parametrize(
    "text",
    [
        "10:00 Opening: words\n11:00 Lunch: soup\n12:00 Walk: outside\n",
        "Ann Lee: a\nBo Park: b\nAnn Lee: c\n",
        "We met at Ann's 10:30\nand at Bo's 11:30\nand that was all.\n",
        "",
    ],
)
def test_an_agenda_a_list_and_prose_are_no_transcripts(text: str, tmp_path: Path) -> None:
    """Nobody speaks twice at a time in them."""
    assert spoken_lines(text) == []
    assert format_of(put(tmp_path, "a.txt", text)) == "plain-text"


def test_a_look_is_linear() -> None:
    """Lines made to be tried in many ways."""
    lines = ("a " * 5_000, "[a" * 5_000, "1:00 " * 4_000, "A 1:00\n" * 3_000, "A 1:00 (" * 2_000)
    assert own_time(lambda: [spoken_lines(line) for line in lines]) < 2


def test_damaged_transcripts_are_read_or_refused(tmp_path: Path) -> None:
    """As text, if nothing else."""
    survives(put(tmp_path, "call.txt", transcript("zoom")))
