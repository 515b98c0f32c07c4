"""Archives: every harmless member in order, and by name what would lead out, explode or is damaged."""

import random
import stat
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from core.errors import InvalidInput, MemoryServiceError
from ingest.readers import items
from ingest.readers.formats.source import ArchiveLimits, Item, Part, Refused


def packed(path: Path, members: Mapping[str, str | bytes]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def told(parts: list[Part]) -> list[str]:
    """Return the content of items and the reasons of refusals, in order."""
    return [part.memory.content if isinstance(part, Item) else part.reason for part in parts]


def test_each_member_is_read_as_its_own_format_and_keyed_by_its_name(tmp_path: Path) -> None:
    """Also in an archive within; what programs leave behind and what nobody reads is passed over."""
    inner = packed(tmp_path / "inner.zip", {"deep.md": "---\ntitle: Deep\n---\nWell."}).read_bytes()
    members: dict[str, str | bytes] = {
        "b.txt": "Second.",
        "a/c.md": "# Third",
        "photo.png": b"\x89PNG",
        "__MACOSX/b.txt": "x",
        "in.zip": inner,
    }
    path = packed(tmp_path / "all.zip", members)
    where = path.resolve().as_posix()

    parts = [part for part in items(path, context="note") if isinstance(part, Item)]

    assert [(part.memory.content, part.memory.title, part.memory.key) for part in parts] == [
        ("Second.", "b", f"{where}/b.txt"),
        ("# Third", "Third", f"{where}/a/c.md"),
        ("Well.", "Deep", f"{where}/in.zip/deep.md"),
    ]


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "C:/out.txt", "..\\out.txt"])
def test_a_member_that_leads_out_is_refused_by_name_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    """Nothing is written anywhere, and no key poses as that of another file."""
    path = packed(tmp_path / "a.zip", {name: "x", "b.txt": "Good."})

    refused, good = told(list(items(path, context=None)))

    assert "leads out of the archive" in refused
    assert "out.txt" in refused
    assert good == "Good."


def test_links_and_what_explodes_are_refused_by_name(tmp_path: Path) -> None:
    """By the ratio of a member, before anything of it is unpacked."""
    link = ZipInfo("link.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = packed(tmp_path / "a.zip", {"bomb.txt": b"0" * 20_000_000})
    with ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("c.txt", "Good.")

    bomb, linked, good = told(list(items(path, context=None)))

    assert "'bomb.txt' unpacks" in bomb
    assert "'link.txt' is a link" in linked
    assert good == "Good."


def test_archives_within_archives_have_an_end(tmp_path: Path) -> None:
    """The fourth level is refused by name."""
    data = packed(tmp_path / "x.zip", {"a.txt": "x"}).read_bytes()
    for _ in range(4):
        data = packed(tmp_path / "x.zip", {"x.zip": data}).read_bytes()

    (refused,) = items(tmp_path / "x.zip", context=None)

    assert isinstance(refused, Refused)
    assert "archive within 3 others" in refused.reason


def test_limits_of_archives_are_those_that_are_given(tmp_path: Path) -> None:
    """Each over a limit is refused by name; the bytes of archives within count together with those around them."""
    inner = packed(tmp_path / "x.zip", {"d.txt": "x" * 600}).read_bytes()
    path = packed(tmp_path / "a.zip", {"a.txt": "x" * 300, "big.txt": "x" * 900, "in.zip": inner, "c.txt": "y" * 300})

    def said(**limits: int) -> list[str]:
        return [
            part.reason
            for part in items(path, context=None, limits=ArchiveLimits(**limits))
            if isinstance(part, Refused)
        ]

    assert said() == []
    assert ["big.txt" in reason for reason in said(member_bytes=800)] == [True]
    over = said(total_bytes=1_200 + len(inner) + 100)
    assert [reason.partition(" would take ")[0].rpartition("/")[2] for reason in over] == [
        "in.zip': 'd.txt'",
        "a.zip': 'c.txt'",
    ]
    assert "archive within 1 others" in said(depth=0)[0]
    with pytest.raises(InvalidInput, match=r"a\.zip' has 4 members, more than 3"):
        said(members=3)


def test_a_list_of_members_that_is_too_long_is_not_even_read(tmp_path: Path) -> None:
    """Its entries would take ten times as much memory; where formats look, such a file is of none."""
    path = packed(tmp_path / "a.zip", {f"{number:0200}": b"" for number in range(50)})
    with pytest.raises(InvalidInput, match=r"a\.zip' is not a zip archive that can be read \(its list of members has"):
        list(items(path, context=None, limits=ArchiveLimits(members=10)))


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    """By its name."""
    (tmp_path / "a.zip").write_bytes(b"PK\3\4 and nothing")
    with pytest.raises(InvalidInput, match=r"a\.zip' is not a zip archive"):
        list(items(tmp_path / "a.zip", context=None))


def test_a_damaged_archive_never_breaks_the_run(tmp_path: Path) -> None:
    """300 mutations: members are read or refused by name."""
    sound = packed(tmp_path / "a.zip", {f"{n}.txt": f"Line {n}. " * 20 for n in range(5)}).read_bytes()
    chance = random.Random(11)
    path = tmp_path / "b.zip"
    for _ in range(300):
        data = bytearray(sound)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.randrange(len(data))] if chance.random() < 0.3 else data)
        try:
            list(items(path, context=None))
        except MemoryServiceError as error:
            assert "b.zip" in str(error)  # noqa: PT017 - reading it is as good as refusing it
