"""Captions of recordings become a transcript: who begins to speak when, and all that is said."""

from pathlib import Path

import pytest

from core.errors import InvalidInput
from ingest.readers.formats.source import Item
from tests.ingest.readers.reading import format_of, memories, parts, put, survives

TEAMS = """WEBVTT

NOTE made by hand

a-1
00:00:03.100 --> 00:00:05.000
<v Ann Lee>I'll send the <i>estimate</i></v>

a-2
00:00:05.000 --> 00:00:07.000
<v Ann Lee>by Friday &amp; call Bo.</v>

01:02:09.500 --> 01:02:11.000 align:start
<v Bo Park>Good.</v>
<v Ann Lee>Then we are done.</v>
"""
SUBRIP = """1
00:00:03,100 --> 00:00:05,000
Ann Lee: I'll send it
by Friday.

2
00:00:05,000 --> 00:00:07,000
(door)
3
00:01:07,000 --> 00:01:09,000
Bo Park: Good.
""".replace("\n", "\r\n")


def test_webvtt_is_a_line_for_each_time_that_somebody_begins(tmp_path: Path) -> None:
    """Names from the voices, without markup, numbers and notes; whatever the suffix."""
    path = put(tmp_path, "standup.txt", TEAMS)
    (memory,) = memories(path)

    assert format_of(path) == "captions"
    assert memory.content == (
        "[00:00:03] Ann Lee: I'll send the estimate by Friday & call Bo.\n"
        "[01:02:09] Bo Park: Good.\n"
        "[01:02:09] Ann Lee: Then we are done."
    )
    assert (memory.context, memory.title, memory.participants) == ("transcript", "standup", ("Ann Lee", "Bo Park"))
    assert memory.key == memory.file_path == path.as_posix()


def test_subrip_keeps_captions_without_a_speaker_apart(tmp_path: Path) -> None:
    """Nobody is guessed to have said them."""
    path = put(tmp_path, "a.srt", SUBRIP)
    (item,) = parts(path, "meeting")

    assert isinstance(item, Item)
    assert item.memory.context == "meeting"
    assert item.memory.content == (
        "[00:00:03] Ann Lee: I'll send it by Friday.\n[00:00:05] (door)\n[00:01:07] Bo Park: Good."
    )
    assert [item.memory.content[place.start_char :][1:9] for place in item.places] == [
        place.name for place in item.places
    ]


def test_a_file_without_captions_is_refused(tmp_path: Path) -> None:
    """A blank one gives nothing."""
    with pytest.raises(InvalidInput, match=r"a\.vtt' has no captions"):
        parts(put(tmp_path, "a.vtt", "WEBVTT\n\nNOTE nothing\n"))
    assert parts(put(tmp_path, "a.vtt", " ")) == []


def test_damaged_captions_are_read_or_refused(tmp_path: Path) -> None:
    """Also such as never end."""
    survives(put(tmp_path, "a.vtt", TEAMS))
    survives(put(tmp_path, "a.srt", SUBRIP))
    put(tmp_path, "a.vtt", "WEBVTT\n\n" + "00:01.0 --> 1\n<v " * 20_000 + "\n" + "<v a" * 50_000)
    assert memories(tmp_path / "a.vtt")


def test_marks_of_place_and_style_are_no_words(tmp_path: Path) -> None:
    path = put(tmp_path, "tide.srt", "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>High tide</i> at nine.\n")
    assert memories(path)[0].content == "[00:00:01] High tide at nine."
