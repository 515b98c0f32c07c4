"""Quoted mail: what a reply says anew is told from what it quotes, in every program's form, and nothing is lost."""

from pathlib import Path

import pytest

from ingest.readers.mail.message import mark_quotes
from tests.ingest.extracting import extract
from tests.ingest.readers.reading import memories, put

PROMISE = "I will send the crane contract to Ana on Friday."


def reply(quoted: str, *headers: str, subject: str = "Re: Berth") -> str:
    above = ["From: Bo Park <bo@example.org>", "Date: 11 Feb 2026 09:00:00 +0000", f"Subject: {subject}", *headers]
    return "\n".join([*above, "Content-Type: text/plain; charset=utf-8", "", "Thanks, noted.", "", quoted])


OUTLOOK = {
    "English": ("From: Mei Tanaka <mei@example.org>", "Sent: Tuesday, 10 February 2026 11:20", "Subject: Berth"),
    "German": ("Von: Mei Tanaka <mei@example.org>", "Gesendet: Dienstag, 10. Februar 2026 11:20", "Betreff: Berth"),
    "French": ("De : Mei Tanaka <mei@example.org>", "Envoyé : mardi 10 février 2026 11:20", "Objet : Berth"),
    "Spanish": ("De: Mei Tanaka <mei@example.org>", "Enviado el: martes, 10 de febrero de 2026", "Asunto: Berth"),
    "Italian": ("Da: Mei Tanaka <mei@example.org>", "Inviato: martedì 10 febbraio 2026 11:20", "Oggetto: Berth"),
    "Dutch": ("Van: Mei Tanaka <mei@example.org>", "Verzonden: dinsdag 10 februari 2026", "Onderwerp: Berth"),
    "Polish": ("Od: Mei Tanaka <mei@example.org>", "Wysłano: wtorek, 10 lutego 2026", "Temat: Berth"),
    "Chinese": ("发件人: Mei Tanaka <mei@example.org>", "发送时间: 2026年2月10日 11:20", "主题: Berth"),
}
WROTE = [
    "On Tue, Feb 10, 2026 at 11:20 AM Mei Tanaka <mei@example.org>\nwrote:",
    "Am 10.02.2026 um 11:20 schrieb Mei Tanaka <mei@example.org>:",
    "Le mar. 10 févr. 2026 à 11:20, Mei Tanaka <mei@example.org> a écrit :",
    "El mar, 10 feb 2026 a las 11:20, Mei Tanaka (<mei@example.org>) escribió:",
    "Op di 10 feb 2026 om 11:20 schreef Mei Tanaka <mei@example.org>:",
    "-----Ursprüngliche Nachricht-----",
]


@pytest.mark.parametrize("above", [*("\n".join(lines) for lines in OUTLOOK.values()), *WROTE])
def test_a_promise_that_a_reply_quotes_is_not_made_again(tmp_path: Path, above: str) -> None:
    """Issue 23: quoted in five replies, it is one promise; it stays in the text of each."""
    path = put(tmp_path, "a.eml", reply(f"{above}\n\n{PROMISE}\n", "In-Reply-To: <1@example.org>"))
    (memory,) = memories(path)
    assert f"\n> {PROMISE}\n" in memory.content
    assert "\nThanks, noted.\n" in memory.content
    assert [event.category for event in extract(memory.content, context="email", author=memory.author).events] == []


@pytest.mark.parametrize(("subject", "headers"), [("Fwd: Berth", ("References: <1@example.org>",)), ("Berth", ())])
def test_what_is_passed_on_is_no_quote(tmp_path: Path, subject: str, headers: tuple[str, ...]) -> None:
    """The words of a forwarded mail are what is sent."""
    quoted = "\n".join([*OUTLOOK["English"], "", PROMISE])
    (memory,) = memories(put(tmp_path, "a.eml", reply(quoted, *headers, subject=subject)))
    assert memory.content.endswith(f"\n\n{PROMISE}")
    assert [event.category for event in extract(memory.content, context="email").events] == ["Commitment"]


@pytest.mark.parametrize(
    "text",
    [
        "Yes.\n\nOn Tue, 10 Feb 2026, Mei wrote:\n> Ready?\n\nIt is.\n> And the crane?\nIn May.",
        "From: the quay\nwe walked to the harbour.",
        "On 3 May I wrote to Ana: she will come.",
        "On 3 May I wrote:",
        "",
    ],
)
def test_text_that_is_marked_or_new_stays_as_it_is(text: str) -> None:
    """Answers between marked lines are new, and a line that begins like a header is text."""
    assert mark_quotes(text) == text
