"""Tar archives: every harmless member in order with its day, and by name what would lead out."""

from datetime import datetime
from pathlib import Path

import pytest

from core.errors import InvalidInput
from ingest.intake.dating import FileDates
from ingest.readers import items
from ingest.readers.formats.source import ArchiveLimits, Item, Refused
from tests.ingest.readers.made_files import tarred
from tests.ingest.readers.reading import format_of, packed, put


@pytest.mark.parametrize(("name", "packing"), [("a.tgz", "gz"), ("a.tar.xz", "xz"), ("a.tar", ""), ("all", "")])
def test_each_member_is_read_as_its_own_format_and_keyed_by_its_name(tmp_path: Path, name: str, packing: str) -> None:
    path = put(
        tmp_path, name, tarred({"Takeout/b.txt": b"Second.", "a/c.md": b"# Third", "photo.png": b"\x89PNG"}, packing)
    )
    where = path.resolve().as_posix()
    parts = [part for part in items(path, context=None) if isinstance(part, Item)]
    assert format_of(path) == "tar"
    assert [(part.memory.content, part.memory.key) for part in parts] == [
        ("Second.", f"{where}/Takeout/b.txt"),
        ("# Third", f"{where}/a/c.md"),
    ]


def test_a_member_without_a_day_in_its_text_has_the_day_that_the_archive_gives(tmp_path: Path) -> None:
    """The same of a zip archive."""
    tar = put(tmp_path, "a.tgz", tarred({"rope.txt": b"The rope.", "log.txt": b"Log of 2 May 2023\n\nRope."}))
    zipped = packed(tmp_path, "a.zip", {"rope.txt": "The rope."})
    dates = FileDates()
    found = [dates.dated(part.memory, tar).date for part in items(tar, context=None) if isinstance(part, Item)]
    assert found == ["2024-05-06", "2023-05-02"]
    (item,) = items(zipped, context=None)
    assert isinstance(item, Item)
    assert (item.memory.date, item.memory.date_source) == (f"{datetime.now():%Y-%m-%d}", "archive")  # noqa: DTZ005


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt"])
def test_a_member_that_leads_out_is_refused_by_name_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    refused, good = items(put(tmp_path, "a.tgz", tarred({name: b"x", "b.txt": b"Good."})), context=None)
    assert isinstance(refused, Refused)
    assert "leads out of the archive" in refused.reason
    assert isinstance(good, Item)


def test_what_is_over_the_limits_or_damaged_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "a.tgz", tarred({"big.txt": b"x" * 900, "b.txt": b"Good."}))
    limits = ArchiveLimits(member_bytes=100)
    refused, good = items(path, context=None, limits=limits)
    assert isinstance(refused, Refused)
    assert "big.txt" in refused.reason
    assert isinstance(good, Item)
    with pytest.raises(InvalidInput, match="over 1 members"):
        list(items(path, context=None, limits=ArchiveLimits(members=1)))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InvalidInput, match=r"a\.tgz"):
        list(items(path, context=None))
