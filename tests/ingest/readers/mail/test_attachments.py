"""What is attached to mails is read as files are, and told to be of its mail."""

import base64
from email.message import EmailMessage
from pathlib import Path

import pytest

from core.interface.memory import Memory
from ingest.intake.files import strip_claims
from ingest.readers import items
from ingest.readers.formats.source import Item
from ingest.readers.mail import body
from tests.ingest.readers.made_files import pdf
from tests.ingest.readers.reading import memories, parts, put, refusals, survives

ENVELOPE = b"From ana@example.org Tue Feb 10 11:20:00 2026\n"
PAGES = ["The crane lifts forty tonnes and stands on the north quay.", "It is paid for by Ana."]


def mail(*files: tuple[str, str, bytes], number: int = 1, body: str = "See below.") -> bytes:
    message = EmailMessage()
    message["Message-ID"] = f"<{number}@example.org>"
    message["From"] = "Ana Osei <ana@example.org>"
    message["Date"] = "Tue, 10 Feb 2026 11:20:00 +0000"
    message["Subject"] = "Berth"
    message.set_content(body)
    for name, kind, data in files:
        main, _, sub = kind.partition("/")
        message.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return message.as_bytes()


def named(memory: Memory) -> tuple[str | None, str | None]:
    return memory.title, (memory.metadata or {}).get("attachment")


def test_attachments_are_read_by_the_readers_of_their_formats(tmp_path: Path) -> None:
    """Issue 23: they belong to the mail's conversation and are as old as it unless they say otherwise."""
    path = put(
        tmp_path,
        "a.eml",
        mail(
            ("plan.pdf", "application/pdf", pdf(PAGES)),
            ("notes.txt", "text/plain", b"Minutes of 3 January 2026\n\nThe quay is closed."),
            ("todo.md", "text/markdown", b"# To do\n\nPaint the crane."),
            ("photo.jpg", "image/jpeg", b"\xff\xd8\xff"),
        ),
    )
    first, plan, notes, todo = memories(path)
    where = path.resolve().as_posix()
    assert first.metadata == {"attachments": ["plan.pdf", "notes.txt", "todo.md", "photo.jpg"]}
    assert (plan.key, plan.file_path, plan.context) == (f"{where}/plan.pdf", f"{where}/plan.pdf", "document")
    assert (plan.date, plan.source_id) == ("2025-03-04T09:00:00+00:00", "<1@example.org>/plan.pdf")
    assert (plan.conversation_id, plan.turn_index) == (first.conversation_id, first.turn_index)
    assert plan.metadata == {"mail": "<1@example.org>", "attachment": "plan.pdf", "pages": 2}
    assert all(page in plan.content for page in PAGES)
    assert (named(notes), notes.date) == (("Minutes of 3 January 2026", "notes.txt"), None)
    assert (named(todo), todo.date) == (("To do", "todo.md"), first.date)


def test_attachments_of_a_box_are_known_by_their_mail(tmp_path: Path) -> None:
    """As its mails they have no key, so that they are one item wherever the box is; two of one name stay two."""
    file = ("a.txt", "text/plain", b"The quay is closed.")
    text = ENVELOPE + mail(file, file) + b"\n\n" + ENVELOPE + mail(file, number=2)
    boxes = [put(tmp_path, name, text) for name in ("a.mbox", "b.mbox")]
    found = [memories(path) for path in boxes]

    attached = [memory for memory in found[0] if memory.title != "Berth"]
    assert [memory.source_id for memory in attached] == [
        "<1@example.org>/a.txt", "<1@example.org>/2 a.txt", "<2@example.org>/a.txt",
    ]  # fmt: skip
    assert {(memory.key, memory.file_path) for memory in attached} == {(None, None)}
    assert [memory.fingerprint("p") for memory in found[0]] == [memory.fingerprint("p") for memory in found[1]]
    for part in items(boxes[0], context=None):
        assert isinstance(part, Item)
        assert strip_claims(part, boxes[0], None)[1] is False


def test_a_mail_of_attachments_alone_is_kept(tmp_path: Path) -> None:
    """Who sent what when is worth knowing, and an attached mail is a mail of its thread."""
    outer = EmailMessage()
    outer["From"], outer["Subject"] = "bo@example.org", "Passed on"
    inner = EmailMessage()
    inner["Message-ID"], inner["From"], inner["Subject"] = "<9@example.org>", "Ana Osei <ana@example.org>", "A/../b"
    inner.set_content("The berth is ready.")
    outer.add_attachment(inner)
    path = put(tmp_path, "a.eml", outer.as_bytes())

    first, second = memories(path)
    assert first.content == "From: bo@example.org\nSubject: Passed on"
    assert second.content == "From: Ana Osei <ana@example.org>\nSubject: A/../b\n\nThe berth is ready.\n"
    assert (second.key, second.conversation_id) == (f"{path.resolve().as_posix()}/A_.._b.eml", "mail:9@example.org")


def test_an_invitation_is_an_event(tmp_path: Path) -> None:
    """It has no name of its own in most mails."""
    text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:7\r\nSUMMARY:Berth\r\nDTSTART:20260303T090000Z\r\nEND:VEVENT\r\n"
    event = base64.b64encode(f"{text}END:VCALENDAR\r\n".encode()).decode()
    head = 'From: a@example.org\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nCome.\r\n--b\r\n'
    coded = f"Content-Type: text/calendar\r\nContent-Transfer-Encoding: base64\r\n\r\n{event}\r\n--b--\r\n"
    _, meeting = memories(put(tmp_path, "a.eml", head + coded))
    assert (meeting.context, meeting.source_id, meeting.title) == ("meeting", "7", "Berth")


def test_what_can_not_be_read_is_named_with_its_mail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken attachment costs itself; of very many the rest is said to be left out."""
    monkeypatch.setattr(body, "MOST", 2)
    files = [("scan.pdf", "application/pdf", b"%PDF-1.4 no"), *[("a.txt", "text/plain", b"Yes.")] * 2]
    path = put(tmp_path, "a.mbox", ENVELOPE + mail(*files))
    assert len([part for part in parts(path) if isinstance(part, Item)]) == 2
    many, broken = refusals(path)
    assert "a.mbox' mail 1 (byte 0) has 3 attachments" in many
    assert "a.mbox' mail 1 (byte 0), attachment 'scan.pdf'" in broken


def test_mails_within_mails_end(tmp_path: Path) -> None:
    """Attachments of attachments are read, but not without end."""
    data = mail(("a.txt", "text/plain", b"Deep."))
    for number in range(2, 8):
        data = mail((f"{number}.eml", "application/octet-stream", data), number=number)
    path = put(tmp_path, "a.eml", data)
    assert len([part for part in parts(path) if isinstance(part, Item)]) == 4
    (reason,) = refusals(path)
    assert "4 other files" in reason


def test_damaged_attachments_stop_nothing(tmp_path: Path) -> None:
    """Issue 23: bad input is named or read, and never another error."""
    survives(
        put(tmp_path, "a.eml", mail(("a.csv", "text/csv", b"name,note\nAna,ready\n"), ("b.eml", "text/x", mail())))
    )
