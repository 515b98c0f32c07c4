"""Quoted mail told from new text: what programs put below a reply without marks gets the marks that others give it.

Extraction and readers alike take lines with `>` for somebody else's earlier words. Nothing is left out: the quoted part
stays in the item's text. Below a forwarded mail nothing is marked, since its words are what is sent.
"""

import re
from itertools import takewhile
from typing import Final

#: "On Tuesday, Bob Li <bob@acme.com> wrote:", on one line or wrapped to two.
_WROTE: Final = re.compile(
    r"[ \t]*(?:On|Am|Le|El|Il|Em|Op|Den|Dnia|W dniu|Dne)\b(?=[^\n]{0,200}\d)[^\n]{4,300}?(?:\n[^\n]{0,120}?)?"
    r"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napsala?|napisała?(?:\(a\))?)\b"
    r"[^\n]{0,120}[:：][ \t\r]*(?=\n|\Z)",
    re.IGNORECASE,
)
_ORIGINAL: Final = re.compile(
    r"[ \t]*-{2,}[ \t]*(?:Original Message|Ursprüngliche Nachricht|Message d['’]origine|Mensaje original|"
    r"Messaggio originale|Mensagem original|Oorspronkelijk bericht|Ursprungligt meddelande|Oprindelig meddelelse|"
    r"Oryginalna wiadomość|Původní zpráva|Исходное сообщение|原始邮件|元のメッセージ)[ \t]*-{2,}[ \t\r]*(?=\n|\Z)",
    re.IGNORECASE,
)
#: The lines above a mail that Outlook quotes: who, when, and about what.
_FROM: Final = re.compile(r"[ \t*_]*(?:From|Von|De|Da|Van|Från|Fra|Od|От|发件人|差出人)[*_]*[ \t]?[:：]", re.IGNORECASE)
_SENT: Final = re.compile(
    r"[ \t*_]*(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado(?: el)?|Fecha|Inviato|Data|Verzonden|Skickat|Sendt|Wysłano|"
    r"Odesláno|Отправлено|Дата|发送时间|送信日時)[*_]*[ \t]?[:：]",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"[ \t*_]*(?:Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Temat|Předmět|Тема|主题|件名)"
    r"[*_]*[ \t]?[:：]",
    re.IGNORECASE,
)
_RULE: Final = re.compile(r"[ \t]*_{10,}[ \t\r]*")
_FORWARDED: Final = re.compile(r"\s*(?:fwd?|wg|tr|rv|enc|i|doorst|vs|vb|转发)\s*[:：]", re.IGNORECASE)
#: Most lines of the block above a mail that Outlook quotes.
_BLOCK: Final = 8


def is_forwarded(subject: str) -> bool:
    """Whether a subject says that the mail passes another one on."""
    return _FORWARDED.match(subject) is not None


def mark_quotes(text: str) -> str:
    """Return the text of a reply with `> ` before each line that it quotes without a mark; linear in the text."""
    lines = text.split("\n")
    at = 0
    for number, line in enumerate(lines):
        if (found := _quote(text, lines, number, at)) is not None:
            return "\n".join([*lines[:found], *(f"> {quoted}" if quoted.strip() else ">" for quoted in lines[found:])])
        at += len(line) + 1
    return text


def _quote(text: str, lines: list[str], number: int, at: int) -> int | None:
    """Return the number of the first line that is quoted, if the line at character `at` says that a quote begins."""
    if (wrote := _WROTE.match(text, at)) is not None:
        begin = number + wrote[0].count("\n") + 1
        first = next((line for line in lines[begin:] if line.strip()), "")
        return begin if first and not first.lstrip().startswith(">") else None
    if _ORIGINAL.match(lines[number]) is not None:
        return number
    if _FROM.match(lines[number]) is None:
        return None
    block = list(takewhile(str.strip, lines[number : number + _BLOCK]))
    if any(map(_SENT.match, block)) and any(map(_SUBJECT.match, block)):
        return number - 1 if number and _RULE.fullmatch(lines[number - 1]) else number
    return None
