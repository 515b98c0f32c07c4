"""Messages that Outlook saved: read as the mails that they were, with what is attached."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from core.errors import InvalidInput
from tests.ingest.readers.compound_file import Tree, compound_file, properties
from tests.ingest.readers.reading import format_of, memories, parts, put

_SENT: Final = datetime(2025, 3, 4, 10, 15, tzinfo=UTC)


def recipient(name: str, address: str, kind: int) -> Tree:
    return properties({0x3001: name, 0x39FE: address}, {0x0C15: kind}, 8)


MESSAGE: Final[Tree] = {
    **properties(
        {0x001A: "IPM.Note", 0x0037: "Pumps", 0x1000: "The old one leaks.\r\n", 0x0C1A: "Mei Tanaka",
         0x0C1F: "/o=Quay/ou=x/cn=mei", 0x5D01: "mei@quay.example", 0x1035: "<1@quay.example>"},
        {0x0039: _SENT},
        32,
    ),
    "__recip_version1.0_#00000000": recipient("Ben Roe", "ben@quay.example", 1),
    "__recip_version1.0_#00000001": recipient("Ann Lee", "ann@quay.example", 2),
    "__attach_version1.0_#00000000": properties({0x3707: "basin.txt", 0x3701: b"The basin is dry."}, {}, 8),
    "__attach_version1.0_#00000001": {
        **properties({0x3001: "Lamp"}, {0x3705: 5}, 8),
        "__substg1.0_3701000D": properties(
            {0x0037: "Lamp", 0x1000: "It is bright.", 0x007D: "From: Olga Stein <olga@quay.example>\r\n"
             "Date: Mon, 3 Mar 2025 09:00:00 +0100\r\nMessage-ID: <2@quay.example>\r\n\r\n"}, {}, 24),
    },
}  # fmt: skip


def test_a_message_is_read_with_its_people_day_and_attachments(tmp_path: Path) -> None:
    """An attached message is a mail of its own, by the headers that it was sent with."""
    path = put(tmp_path, "pumps.msg", compound_file(MESSAGE))
    mail, basin, lamp = memories(path)
    assert format_of(path) == "outlook"
    assert (mail.context, mail.title, mail.author, mail.date) == (
        "email", "Pumps", "Mei Tanaka", "2025-03-04T10:15:00+00:00",
    )  # fmt: skip
    assert mail.participants == ("Mei Tanaka", "Ben Roe", "Ann Lee")
    assert "From: Mei Tanaka <mei@quay.example>\nTo: Ben Roe <ben@quay.example>" in mail.content
    assert "The old one leaks." in mail.content
    assert basin.content.strip() == "The basin is dry."
    assert (lamp.author, lamp.date) == ("Olga Stein", "2025-03-03T09:00:00+01:00")


def test_an_appointment_is_a_meeting_with_its_times_and_a_page_is_read_as_text(tmp_path: Path) -> None:
    when: dict[int, int | datetime] = {0x0060: _SENT, 0x0061: _SENT.replace(hour=11)}
    page = "<html><body><p>Bring the <b>plan</b>.</p></body></html>"
    texts: dict[int, str | bytes] = {0x001A: "IPM.Appointment", 0x0037: "Basin", 0x1013: page.encode()}
    (memory,) = memories(put(tmp_path, "basin.msg", compound_file(properties(texts, when, 32))))
    assert memory.context == "meeting"
    assert "When: 2025-03-04T10:15:00+00:00 to 2025-03-04T11:15:00+00:00" in memory.content
    assert "Bring the plan." in memory.content


def test_long_texts_and_old_code_pages_are_read(tmp_path: Path) -> None:
    message: Tree = {**properties({0x0037: "Old", 0x1000: ""}, {0x3FDE: 1252}, 32)}
    del message["__substg1.0_1000001F"]
    message["__substg1.0_1000001E"] = ("Le café est fermé. " * 500).encode("cp1252")
    (memory,) = memories(put(tmp_path, "old.msg", compound_file(message)))
    assert memory.content.count("Le café est fermé.") == 500


def test_a_file_that_is_no_message_is_refused(tmp_path: Path) -> None:
    for data in (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), b"A note.", compound_file({"a": b"b"})):
        with pytest.raises(InvalidInput, match=r"a\.msg"):
            parts(put(tmp_path, "a.msg", data))


def test_a_text_that_is_said_to_be_larger_than_the_file_is_refused(tmp_path: Path) -> None:
    """Before room is made for it."""
    data = bytearray(compound_file(MESSAGE))
    entry = data.index("__substg1.0_1000001F".encode("utf-16-le"))
    data[entry + 120 : entry + 124] = (1 << 28).to_bytes(4, "little")
    with pytest.raises(InvalidInput, match="larger than the file"):
        memories(put(tmp_path, "a.msg", bytes(data)))
