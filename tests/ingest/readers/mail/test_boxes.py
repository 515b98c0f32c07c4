"""Boxes of mails: MBOX files and Maildir folders, and the threads in them."""

import tracemalloc
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.interface.memory import Memory
from ingest.intake.files import strip_claims
from ingest.readers import items, supported, walk
from ingest.readers.formats.source import Item, Refused
from ingest.readers.mail import mailboxes
from tests.ingest.readers.reading import format_of, identities, memories, parts, put, refusals, survives

ENVELOPE = "From ana@example.org Tue Feb 10 11:20:00 2026\n"


def mail(number: int, body: str, *headers: str, day: str = "10 Feb 2026") -> str:
    return "\n".join(
        [
            f"Message-ID: <{number}@example.org>",
            "From: Ana Osei <ana@example.org>",
            f"Date: {day} 11:20:00 +0000",
            "Subject: Berth",
            *headers,
            "",
            body,
        ]
    )


def box(*mails: str) -> str:
    return "".join(f"{ENVELOPE}{text}\n\n" for text in mails)


def words(memory: Memory) -> str:
    return memory.content.partition("\n\n")[2].strip()


def test_the_mails_of_a_box_are_items_of_their_own(tmp_path: Path) -> None:
    """Quoted lines lose their mark; a line that only begins like an envelope is text."""
    first = mail(
        1, "The berth is ready.\n\n>From Monday on we moor there.\n>>From here too.\n\nFrom Tuesday 10:00 2026."
    )
    path = put(tmp_path, "Inbox", box(first, mail(2, "Good.")))

    assert format_of(path) == "mbox"
    assert supported(path)
    one, two = memories(path)
    assert words(one) == (
        "The berth is ready.\n\nFrom Monday on we moor there.\n>From here too.\n\nFrom Tuesday 10:00 2026."
    )
    assert (words(two), two.author, two.context, two.key) == ("Good.", "Ana Osei", "email", None)
    assert (two.source_id, two.date) == ("<2@example.org>", "2026-02-10T11:20:00+00:00")


@pytest.mark.parametrize(
    "envelope",
    [
        "From - Tue Feb 10 11:20:00 2026\r\n",
        "From 1789@xxx Tue Feb 10 11:20:00 +0000 2026\n",
        "From ana at example.org  Tue Feb 10 11:20:00 2026\n",
        "From MAILER-DAEMON Tue Feb 10 11:20 CET 2026\n",
    ],
)
def test_the_envelopes_of_common_programs_begin_mails(tmp_path: Path, envelope: str) -> None:
    """Thunderbird, Gmail, Mailman, and mail servers."""
    path = put(tmp_path, "a.txt", "".join(f"{envelope}{mail(number, 'Hello.')}\n\n" for number in range(3)))
    assert [memory.source_id for memory in memories(path)] == [f"<{number}@example.org>" for number in range(3)]


def test_a_broken_mail_is_named_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not decode, and one that is too long."""
    monkeypatch.setattr(mailboxes, "MAILBOX_MAIL_BYTES", 5_000)
    path = put(tmp_path, "a.mbox", box(mail(1, "a\0b"), mail(2, "x\n" * 3_000), mail(3, "Good.")))

    binary, long, last = parts(path)
    assert isinstance(binary, Refused)
    assert "a.mbox' mail 1 (byte 0)" in binary.reason
    assert isinstance(long, Refused)
    assert "a.mbox' mail 2 (byte " in long.reason
    assert isinstance(last, Item)
    assert words(last.memory) == "Good."


def test_a_mail_is_one_item_wherever_it_is_kept(tmp_path: Path) -> None:
    """A box that is exported again, or a mail that is moved or read, adds nothing."""
    text = mail(1, "The berth is ready.")
    paths = [
        put(tmp_path, "a.mbox", f"{ENVELOPE}{text}"),
        put(tmp_path, "b.mbox", f"{ENVELOPE}{text}"),
        put(tmp_path / "new", "1770718800.M1P2.host", text),
        put(tmp_path / "cur", "1770718800.M1P2.host:2,FS", text),
    ]
    assert len({identity for path in paths for identity in identities(path)}) == 1
    for path in paths:
        (found,) = [part for part in items(path, context=None) if isinstance(part, Item)]
        assert strip_claims(found, path, None)[1] is False


def test_a_maildir_is_read_with_its_folders_and_flags(tmp_path: Path) -> None:
    """What is not yet written stands in `tmp`; folders of Maildir++ begin with a dot."""
    for folder in ("", ".Sent/"):
        for part in ("cur", "new", "tmp"):
            (tmp_path / folder / part).mkdir(parents=True)
    put(tmp_path / "cur", "1770718800.M1P2.host:2,FS", mail(1, "One."))
    put(tmp_path / "new", "1770718801.M1P2.host", mail(2, "Two."))
    put(tmp_path / "tmp", "1770718802.M1P2.host", mail(3, "Thr"))
    put(tmp_path / ".Sent" / "cur", "1770718803.M1P2.host:2,S", mail(4, "Four."))

    found = [memory for path in walk([tmp_path]).files for memory in memories(path)]
    assert [(words(memory), memory.metadata) for memory in found] == [
        ("Four.", {"flags": ["seen"]}),
        ("One.", {"flags": ["flagged", "seen"]}),
        ("Two.", None),
    ]


def test_the_mails_of_a_thread_are_turns_of_one_conversation(tmp_path: Path) -> None:
    """References name the first mail; who gives only what he answers joins through it; circles and gaps do no harm."""
    path = put(
        tmp_path,
        "a.mbox",
        box(
            mail(1, "First.", day="1 Feb 2026"),
            mail(2, "Second.", "References: <1@example.org>", "In-Reply-To: <1@example.org>", day="2 Feb 2026"),
            mail(3, "Third.", "In-Reply-To: <2@example.org>", day="3 Feb 2026"),
            mail(4, "Of its own.", day="no day"),
            mail(5, "Round.", "References: <6@example.org>"),
            mail(6, "And round.", "References: <5@example.org>"),
            mail(7, "Itself.", "References: <7@example.org>"),
            mail(8, "Nameless.").partition("\n")[2],
        ),
    )
    found = {words(memory): memory for memory in memories(path)}
    thread = [found[name] for name in ("First.", "Second.", "Third.")]
    assert {memory.conversation_id for memory in thread} == {"mail:1@example.org"}
    indices = [memory.turn_index or 0 for memory in thread]
    assert indices == sorted(set(indices))
    assert found["Of its own."].turn_index == 0
    assert found["Round."].conversation_id == found["And round."].conversation_id == "mail:6@example.org"
    assert found["Itself."].conversation_id == "mail:7@example.org"
    assert (found["Nameless."].conversation_id, found["Nameless."].turn_index) == (None, 1_770_722_400_000)


def test_a_box_is_streamed(tmp_path: Path) -> None:
    """Issue 23: a box of a gigabyte is read under 400 MB of memory; here 6 MB under 2."""
    path = put(
        tmp_path, "a.mbox", box(*(mail(number, ("The berth is ready. " * 50 + "\n") * 50) for number in range(120)))
    )
    tracemalloc.start()
    try:
        count = sum(1 for _ in items(path, context=None))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 120
    assert peak < 2_000_000


def test_damaged_boxes_stop_nothing(tmp_path: Path) -> None:
    """Issue 23: bad input is named or read, and never another error."""
    path = put(tmp_path, "a.mbox", box(mail(1, "One."), mail(2, "Two.", "Content-Type: text/html")))
    assert refusals(path) == []
    survives(path)


@pytest.mark.parametrize(
    "envelope",
    [
        "From - \n", "From \n", "From\r\n", "From ana@example.org\n", "From - 2026-02-10\n", "From ana 2026-02-10\n",
        "From <ana@example.org>\n", "From ana Tue Feb 10 2026\n", "\1\1\1\1\n", "\1\1\1\1\n\1\1\1\1\n",
    ],
)  # fmt: skip
def test_envelopes_without_a_time_begin_mails(tmp_path: Path, envelope: str) -> None:
    """Mozilla and others write no more than this before each mail."""
    path = put(tmp_path, "a.mbox", "".join(f"{envelope}{mail(number, 'Hello.')}\n\n" for number in range(3)))
    assert format_of(path) == "mbox"
    assert [memory.source_id for memory in memories(path)] == [f"<{number}@example.org>" for number in range(3)]


def test_a_line_of_text_without_a_time_is_no_envelope(tmp_path: Path) -> None:
    """It would cut a mail in two: what follows it is no header of a mail."""
    body = "Hello.\n\nFrom ana@example.org\nNote: she is away.\n\nFrom here on\nSubject: the quay"
    path = put(tmp_path, "a.mbox", box(mail(1, body)))
    assert [words(memory) for memory in memories(path)] == [body]


def test_a_mail_may_begin_without_an_empty_line_above(tmp_path: Path) -> None:
    """Some programs leave it out; a header that nearly all mails have must follow then."""
    envelope = "From - Tue Feb 10 11:20:00 2026\n"
    text = "".join(f"{envelope}X-Mozilla-Status: 0001\n{mail(number, 'Hello.')}\n" for number in range(2))
    path = put(tmp_path, "Inbox", f"{text}{envelope}Note: no mail.\n")
    assert [words(memory) for memory in memories(path)] == ["Hello.", f"Hello.\n{envelope}Note: no mail."]


def test_a_patch_in_a_mail_does_not_divide_it(tmp_path: Path) -> None:
    """Git writes such a line above each patch; in a box of patches it begins a mail."""
    patch = f"From {'a1' * 20} Mon Sep 17 00:00:00 2001\nFrom: Ana <ana@example.org>\nSubject: [PATCH] Lamp\n\nOn."
    (memory,) = memories(put(tmp_path, "a.mbox", box(mail(1, f"See below.\n\n{patch}"))))
    assert patch in memory.content
    assert len(memories(put(tmp_path, "b.mbox", f"{patch}\n\n{patch.replace('Lamp', 'Light')}\n"))) == 2


def test_a_mail_of_apple_mail_is_read_without_what_stands_around_it(tmp_path: Path) -> None:
    text = mail(1, "The berth is ready.\n")
    path = put(tmp_path, "1.emlx", f"{len(text)}\n{text}<?xml version='1.0'?><plist><dict/></plist>\n")
    assert format_of(path) == "mail"
    assert [words(memory) for memory in memories(path)] == ["The berth is ready."]


def test_a_box_whose_first_mail_has_no_envelope_loses_nothing(tmp_path: Path) -> None:
    """Some programs write the separators only between mails."""
    path = put(tmp_path, "a.mbox", f"{mail(1, 'One.')}\n\n{box(mail(2, 'Two.'))}")
    assert [words(memory) for memory in memories(path)] == ["One.", "Two."]


def test_a_box_in_which_no_mail_begins_is_refused(tmp_path: Path) -> None:
    """It is not called empty."""
    path = put(tmp_path, "a.mbox", "Dear all,\n\nhello.\n" * 3)
    with pytest.raises(InvalidInput, match="no line 'From ' begins one"):
        parts(path)


@pytest.mark.parametrize("first", ["Content-Type: text/plain", "DKIM-Signature: v=1;\n a=rsa", "List-Id: <a.b>"])
@pytest.mark.parametrize("name", ["1770718800.M1P2.quay:2,S", "berth:2,", "42.quay"])
def test_mails_of_a_maildir_are_read_whatever_their_name_and_first_header(
    tmp_path: Path, first: str, name: str
) -> None:
    for folder in ("cur", "new", "tmp"):
        (tmp_path / "box" / folder).mkdir(parents=True)
    path = put(tmp_path / "box" / "cur", name, f"{first}\n{mail(1, 'Hello.')}")
    assert format_of(path) == "maildir"
    assert [words(memory) for memory in memories(path)] == ["Hello."]


def test_a_note_in_a_folder_called_new_is_no_mail(tmp_path: Path) -> None:
    path = put(tmp_path / "new", "plan.md", "Title: Quay\nDate: 2026-02-10\n\nHello.")
    assert format_of(path) == "markdown"


def test_a_byte_order_mark_before_a_box_loses_no_mail(tmp_path: Path) -> None:
    path = put(tmp_path, "box.mbox", "\ufeff" + box(mail(1, "One."), mail(2, "Two.")))
    assert [words(memory) for memory in memories(path)] == ["One.", "Two."]


def test_a_date_as_programs_write_it_is_the_mails(tmp_path: Path) -> None:
    text = mail(1, "One.").replace("Date: 10 Feb 2026 11:20:00 +0000", "Date: 2026-02-10T11:20:00Z")
    assert memories(put(tmp_path, "berth.eml", text))[0].date == "2026-02-10T11:20:00+00:00"
