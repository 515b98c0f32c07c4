"""What ranking may rely on of term vectors: which words of a chunk count, and how often."""

import time

import pytest

from graph.stems import telling_stems
from graph.term_vectors import packed, term, unpacked


def counts(text: str) -> dict[str, int]:
    """Return how often each word of `text` counts, by its stem."""
    entries, _ = unpacked([packed(text)])
    found = dict(zip(entries["term"].tolist(), entries["count"].tolist(), strict=True))
    return {stem: found[term(stem)] for stem in telling_stems(text) if term(stem) in found}


@pytest.mark.parametrize(
    "label",
    ["Ana Silva: ", "[09:02] Ana Silva: ", "09:02:15 Ana Silva: ", "**Ana Silva** (09:02): ", "Silva, Ana (host):\t"],
)
def test_who_speaks_counts_once_a_chunk(label: str) -> None:
    """However often somebody speaks, in whatever form transcripts and chats put the name before the words."""
    told = counts(f"Notes\n{label}the boat\n{label}Ana told me\n{label}the red boat\n")
    assert (told["ana"], told["silva"], told["boat"], told["red"]) == (2, 1, 2, 1)


def test_speakers_are_known_in_a_chunk_that_begins_within_a_line() -> None:
    """Chunks end where they must; the rest of somebody's words stands before the next label."""
    assert counts("a rope and a boat.\nAna: yes\nBo: no\nAna: rope")["ana"] == 1


def test_words_before_a_colon_count_as_often_as_they_are_there_in_prose() -> None:
    """One label, or colons in fewer than half of the lines, make no transcript."""
    assert counts("Boat: red")["boat"] == 1
    assert counts("Boat: red\nBoat\n\nA boat.\nBoat: red\nThe boat.\nNo boat.")["boat"] == 6


def test_a_turn_of_a_conversation_counts_every_word() -> None:
    """Its one line begins with date and speaker, which are in front of it once."""
    assert counts("[8 May 2023] Ana: Ana: I am Ana.")["ana"] == 3


def test_fillers_are_no_words() -> None:
    """What is said while thinking would make a chunk of speech longer than it is."""
    assert telling_stems("Um, the, uh, boat. Hmm. Uhm!") == ["boat"]


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "1:23" * 50_000, ":" * 200_000, "a: " * 70_000, "1:11" * 3 + "\n" * 200_000]
)
def test_no_text_takes_long_to_pack(text: str) -> None:
    """Any bytes may be remembered."""
    begin = time.monotonic()
    packed(text)
    assert time.monotonic() - begin < 2
