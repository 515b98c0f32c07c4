"""Saved mails: their headers, their text, and the threads that they are messages of."""

from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.interface.memory import Memory
from ingest.readers import read
from tests.ingest.readers.reading import memories, put, survives
from tests.own_time import own_time

MAIL = (
    "Message-ID: <1@example.org>\r\nFrom: =?utf-8?q?Zo=C3=AB_Lind?= <zoe@example.org>\r\n"
    'To: "Park, Bo" <bo@example.org>,\r\n ann@example.org\r\nDate: Tue, 10 Feb 2026 11:20:00 +0100\r\n'
    "Subject: =?utf-8?b?UHLDvGZ1bmc=?=\r\n"
)


def one(path: Path, context: str | None = None) -> Memory:
    (memory,) = memories(path, context)
    return memory


def test_a_mail_is_one_memory_with_its_headers_decoded(tmp_path: Path) -> None:
    """Who wrote to whom and when is what a mail is found by, and may be quoted."""
    head = (MAIL + "Content-Type: text/plain; charset=latin-1\r\n\r\n").encode()
    path = put(tmp_path, "a.eml", head + "Café at nine.\r\n> Where?\r\n".encode("latin-1"))
    where = path.resolve().as_posix()
    assert one(path) == Memory(
        content='From: Zoë Lind <zoe@example.org>\nTo: "Park, Bo" <bo@example.org>, ann@example.org\n'
        "Date: Tue, 10 Feb 2026 11:20:00 +0100\nSubject: Prüfung\n\nCafé at nine.\r\n> Where?\r\n",
        context="email",
        source="file",
        title="Prüfung",
        author="Zoë Lind",
        participants=("Zoë Lind", "Park, Bo", "ann@example.org"),
        date="2026-02-10T11:20:00+01:00",
        source_id="<1@example.org>",
        conversation_id="mail:1@example.org",
        turn_index=1_770_718_800_000,
        key=where,
        file_path=where,
    )
    assert one(path, "note").context == "note"


def test_of_a_mail_in_parts_the_plain_text_is_read_and_attachments_are_named(tmp_path: Path) -> None:
    """Nothing is dropped in silence: what is of no known format is listed."""
    parts = (
        'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n'
        "Content-Transfer-Encoding: base64\r\n\r\nSGVsbG8=\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n"
        '--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="plan.bin"\r\n\r\nx\r\n--b--\r\n'
    )
    memory = one(put(tmp_path, "a.eml", MAIL + parts))
    assert memory.content.endswith("\n\nHello")
    assert memory.metadata == {"attachments": ["plan.bin"]}


def test_a_mail_of_html_alone_gives_the_text_of_its_page(tmp_path: Path) -> None:
    """Most mails of programs have no other text."""
    page = (
        "Content-Type: text/html; charset=utf-8\r\n\r\n<style>p {}</style><p>The berth is <b>ready</b>.</p><p>Ana</p>"
    )
    assert one(put(tmp_path, "a.eml", MAIL + page)).content.endswith("\n\nThe berth is ready.\n\nAna")


@pytest.mark.parametrize(
    ("content", "date"),
    [
        (MAIL + "Content-Type: text/plain; charset=klingon\r\n\r\nHello", "2026-02-10T11:20:00+01:00"),
        (MAIL.replace("Tue, 10 Feb", "some day") + "\r\nHello", None),
        (
            "Received: from a by b; Wed, 11 Feb 2026 08:00:00 +0000\r\n"
            + MAIL.replace("Tue, 10 Feb", "some day")
            + "\r\nHello",
            "2026-02-11T08:00:00+00:00",
        ),
        (MAIL.replace("=?utf-8?b?", "=?no-such?b?") + "\r\nHello", "2026-02-10T11:20:00+01:00"),
    ],
)
def test_a_strange_field_costs_itself(tmp_path: Path, content: str, date: str | None) -> None:
    """A mail whose date or encoding can't be read is read all the same."""
    memory = one(put(tmp_path, "a.eml", content))
    assert memory.content.endswith("Hello")
    assert memory.date == date


@pytest.mark.parametrize(
    "content",
    ["no header at all", MAIL.encode() + b"\r\nM\xfcller", MAIL + "\r\na\0b"],
)
def test_a_mail_that_can_not_be_read_whole_is_refused(tmp_path: Path, content: str | bytes) -> None:
    """A text that is guessed or half there would be quoted as if it had been written."""
    with pytest.raises(InvalidInput, match=r"a\.eml"):
        read(put(tmp_path, "a.eml", content), context=None)


@pytest.mark.parametrize("size", [19_000, 400_000])
@pytest.mark.parametrize("piece", ["(", '"', "a@b.c, ", "<", "\\\\", "a "])
def test_long_address_headers_take_no_time(tmp_path: Path, piece: str, size: int) -> None:
    """A damaged one takes its parser time by the square of its length."""
    path = put(tmp_path, "a.eml", f"From: Ana <ana@example.org>\nTo: {piece * (size // len(piece))}\n\nHello.")
    assert one(path).author == "Ana"
    assert own_time(lambda: one(path)) < 5


def test_a_mail_without_words_gives_nothing(tmp_path: Path) -> None:
    """As for every other format."""
    assert read(put(tmp_path, "a.eml", MAIL + "\r\n \r\n"), context=None) == []
    assert read(put(tmp_path, "a.eml", "\n"), context=None) == []


def test_damaged_mails_stop_nothing(tmp_path: Path) -> None:
    """Issue 23: bad input is named or read, and never another error."""
    survives(put(tmp_path, "a.eml", MAIL + "Content-Type: text/html\r\n\r\n<p>Hello</p>"))


def test_headers_in_plain_utf8_are_read(tmp_path: Path) -> None:
    """RFC 6532 allows them without an encoding around them; names of attachments too."""
    head = (
        "Message-ID: <1@example.org>\nFrom: Zoë Lind <zoe@example.org>\nTo: Jürgen Öst <j@example.org>\n"
        "Subject: Prüfung der Brücke\n"
    )
    body = (
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain; charset=utf-8\n\nHello\n'
        '--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="Größe.bin"\n\nx\n--b--\n'
    )
    memory = one(put(tmp_path, "a.eml", head + body))
    assert (memory.title, memory.author) == ("Prüfung der Brücke", "Zoë Lind")
    assert memory.participants == ("Zoë Lind", "Jürgen Öst")
    assert memory.content.startswith("From: Zoë Lind <zoe@example.org>\nTo: Jürgen Öst")
    assert memory.metadata == {"attachments": ["Größe.bin"]}


def test_headers_in_another_encoding_do_not_stop_a_mail(tmp_path: Path) -> None:
    """What they say can't be told for certain; the rest of the mail can."""
    head = b"Message-ID: <1@example.org>\nFrom: Zo\xeb Lind <zoe@example.org>\nSubject: Berth\n\nHello\n"
    memory = one(put(tmp_path, "a.eml", head))
    assert (memory.title, memory.content.endswith("Hello\n")) == ("Berth", True)


def test_a_mail_that_was_saved_as_text_is_a_mail(tmp_path: Path) -> None:
    """Its headers are those that only programs write."""
    body = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nCaf=C3=A9\r\n"
    memory = one(put(tmp_path, "mail.txt", MAIL + body))
    assert (memory.context, memory.author, memory.content.partition("\n\n")[2].strip()) == ("email", "Zoë Lind", "Café")


@pytest.mark.parametrize("said", ["Thu Jan 01 00:00:10 +0000", "Thu, 1 Jan 2099 00:00:00 +0000"])
def test_a_mail_whose_date_has_no_year_or_is_to_come_has_the_time_it_was_received(tmp_path: Path, said: str) -> None:
    received = "Received: by x; Tue, 10 Feb 2026 11:20:00 +0000\nMessage-ID: <1@x>\n"
    head = f"{received}From: a@x\nDate: {said}\nSubject: Rope\n\nHere."
    assert one(put(tmp_path, "a.eml", head)).date == "2026-02-10T11:20:00+00:00"


@pytest.mark.parametrize(("charset", "said"), [("iso-8859-1", "Größe"), ("windows-1251", "Размер"), ("utf-8", "水")])
def test_headers_of_raw_letters_are_read_in_the_encoding_of_the_text(tmp_path: Path, charset: str, said: str) -> None:
    """Old programs write them so, and new ones in UTF-8."""
    text = (
        f"From: {said} Osei <ana@example.org>\nSubject: {said}\nContent-Type: text/plain;\n charset={charset}\n\n{said}"
    )
    (memory,) = memories(put(tmp_path, "a.eml", text.encode(charset)))
    assert (memory.title, memory.author) == (said, f"{said} Osei")


def test_lists_rooms_and_roles_are_no_participants_of_a_mail(tmp_path: Path) -> None:
    """The text names them all; who sent it is its author whatever that is."""
    path = tmp_path / "a.eml"
    path.write_bytes(
        b"From: Harbour Announcements <announcements@pier.example>\nTo: crew@lists.pier.example, Mei Tanaka "
        b"<mei@pier.example>, ben@pier.example\nCc: Boardroom <room3@pier.example>\n\nThe crane is closed."
    )
    (memory,) = read(path, context=None)
    assert (memory.author, memory.participants) == ("Harbour Announcements", ("Mei Tanaka", "ben@pier.example"))
    assert "crew@lists.pier.example" in memory.content


def test_an_office_or_a_robot_that_writes_is_no_participant(tmp_path: Path) -> None:
    """By its name or its address; a family name that is an office, too, is somebody's."""
    mail = (
        "From: Treasurer <treasurer@quay.example>\n"
        "To: Pier Bot <notifications@code.example>, secretary@quay.example, Cook <cook@quay.example>\n"
        "Subject: Fees\nDate: Tue, 3 Mar 2026 09:00:00 +0100\n\nThe fees are due.\n"
    )
    (memory,) = memories(put(tmp_path, "a.eml", mail))
    assert (memory.author, memory.participants) == ("Treasurer", ("Cook",))
