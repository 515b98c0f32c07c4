"""Linear time: no text keeps extraction, the readers or the patterns of either for longer than honest prose does."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from core.knowledge.findings import Extraction, FoundEvent
from ingest.document.dates import item_date
from ingest.document.evidence import verify_evidence
from ingest.extract.declared import add_declared_event
from ingest.extract.local.entities.attendee_lists import entry_name
from ingest.extract.repeated_text import split_sentences
from ingest.identity.namesakes import with_former_names
from ingest.readers import read
from tests.adversarial import names, runs
from tests.ingest.extracting import artifact_of, by_rules
from tests.own_time import own_time

PROSE = "Ann Lee will send the report to Bob by Friday. We decided to keep the old server. It rained all day.\n"
#: How many times the processor time of honest prose a text may take, and seconds beside that.
TIMES, BESIDE = 4.0, 2.0
TEXTS = [*runs(4_000), *names(8_000)]


def declares(text: str) -> object:
    """Read what is remembered as a decision."""
    return add_declared_event(artifact_of(text, context="decision"), Extraction())


def places(text: str) -> object:
    """Verify a quote that is nowhere in the text."""
    return verify_evidence(
        text, Extraction((), (FoundEvent("Decision", "x", "we decide to keep what nobody says here", 0),))
    )


ACTS: list[Callable[[str], object]] = [
    by_rules,
    declares,
    places,
    item_date,
    entry_name,
    split_sentences,
    lambda text: by_rules(text, context="chat"),
    lambda text: by_rules("Hello.", author=text[:1_000], participants=(text[:1_000],)),
    lambda text: with_former_names([], text[:4_000]),
]


@pytest.mark.parametrize("act", ACTS[1:6])
def test_what_reads_a_text_takes_no_longer_for_a_bad_one(act: Callable[[str], object]) -> None:
    """Runs of every kind in every place, through each function that meets stored text."""
    slow = [name for name, text in TEXTS[::2] if own_time(partial(act, f"x{text}"), BESIDE / 2) > BESIDE / 2]

    assert not slow


@pytest.mark.parametrize("run", [" ", "\t", "-", "a", "|x", "10:10\t", "Ann, "])
@pytest.mark.parametrize("context", ["meeting", "chat"])
def test_extraction_takes_no_longer_for_a_bad_text(run: str, context: str) -> None:
    """The texts that once took minutes: a run between two names, behind a bullet, behind a clock."""
    long = run * (5_000 // len(run))
    text = f"Attendees: Ann{long}Lee, Bob Ray\n-{long}x\n09:10{long}x\nOn a{long} wrote:\n# a{long}b\n"

    assert own_time(lambda: by_rules(text, context=context), BESIDE) < BESIDE


def test_a_list_of_people_is_read_whatever_stands_between_the_names() -> None:
    """1,200 blanks between two words of a name are one, and the mention is verbatim."""
    text = f"Attendees: Ann{' ' * 1_200}Lee, Bob Ray\n"
    found = by_rules(text, context="meeting")

    assert {"Ann Lee", "Bob Ray"} <= {entity.name for entity in found.entities}


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
@pytest.mark.parametrize("act", ACTS)
def test_time_grows_with_the_text(act: Callable[[str], object]) -> None:
    """100 kB, of a part of the runs in turn, takes at most a few times as long as honest prose, and 2 seconds."""
    size = 100_000
    allowed = TIMES * own_time(partial(act, PROSE * (size // len(PROSE)))) + BESIDE

    some = (*list(runs(size))[::11], *names(size))
    slow = [name for name, text in some if own_time(partial(act, f"x{text}"), allowed) > allowed]

    assert not slow


@pytest.mark.parametrize("suffix", [".md", ".txt"])
def test_a_file_is_read_in_no_time(tmp_path: Path, suffix: str) -> None:
    """Readers meet the same texts: a heading with a run of blanks before its end."""
    path = tmp_path / f"note{suffix}"
    for before, behind in (("# a", "b"), ("---\n", "x"), ("x\n", "=x")):
        for run in (" ", "\t", "#", "-", "="):
            path.write_text(f"{before}{run * 100_000}{behind}\n", encoding="utf-8")
            assert own_time(lambda: read(path, context=None), BESIDE) < BESIDE
