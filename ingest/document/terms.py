"""Words that give minutes, mails and lists their structure in other languages than English, as their English words.

The lists are in `terms.txt`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, cast

from core.dates.locale_dates import plain
from core.dates.reading import written_dates
from core.knowledge.findings import Category
from core.regex import regex
from ingest.english.lexicon import read_sections

_LISTS: Final = read_sections(Path(__file__).with_name("terms.txt"))
_MEETINGS: Final = regex(
    r"\b(?:protokoll|sitzung\w*|besprechung\w*|\w+sitzung|compte[- ]rendu|réunion|procès-verbal|acta|reunión|junta|"
    r"verbale|riunione|assemblea|ata|reunião|assembleia|notulen|vergadering|overleg|verslag|protokół|zebrani[ea]|spotkani[ea]|"
    r"протокол|собрани[ея]|совещани[ея]|встреч[аи])\b|会议|纪要|例会|議事録|会議|打ち合わせ|ミーティング",
    re.I,
)
_WROTE_WORDS: Final = (
    r"schrieb|a écrit|escribió|ha scritto|scrisse|escreveu|schreef|napisał(?:\(a\)|a)?|pisze|пишет|писал(?:\(а\)|а)?|"
    r"написал(?:\(а\)|а)?"
)
#: What ends the line above a quoted mail, and who wrote it by that line: "Am 3. März 2026 um 09:12 schrieb Bob Li:",
#: "Le … a écrit :"; some programs have no verb, but the address of who wrote.
_WROTE: Final = regex(
    rf"(?=[^\n]*\d)[^\n]*?(?:\b(?:{_WROTE_WORDS})(?![^\W\d_])|写道|寫道|<[^<>@\s]{{1,80}}@[^<>\s]{{1,80}}>)"
    r"[^\n:：.]{0,120}[:：][ \t]*\Z"
)
_AUTHOR_BEHIND: Final = regex(r"\b(?:schrieb|schreef)\s+(?P<name>[^<\n:]{2,60}?)\s*(?:<[^>]*>)?\s*:")
_AUTHOR: Final = regex(
    rf"(?:\A|[,\d日uh時分]\s+|\)\s+\d{{1,2}}:\d\d\s+)(?P<name>[^\d,:<(\n]{{1,60}}?)\s*\(?(?:<[^>]*>\)?,?\s*)?"
    rf"(?:{_WROTE_WORDS}|于\d|於\d|:|：|写道)"
)
_LAST_WORDS: Final = regex(r"(?<![^\W\d_])(?P<name>(?:[^\W\d_][\w.'’-]*+ ?){1,3})$")
#: The line above a mail that was answered or passed on, in these languages and English.
ORIGINAL: Final = regex(
    r"[ \t]*(?:Begin forwarded message:|-{2,}[ \t]*(?:Original Message\b|Forwarded (?:message|by)\b|"
    r"Ursprüngliche Nachricht|Original-?Nachricht|Weitergeleitete Nachricht|Message d['’]origine|"
    r"Message original|Message transféré|Mensaje original|Mensaje reenviado|Messaggio originale|"
    r"Messaggio inoltrato|Mensagem original|Mensagem encaminhada|Oorspronkelijk bericht|Doorgestuurd bericht|"
    r"Wiadomość oryginalna|Oryginalna wiadomość|Wiadomość przekazana|Przekazana wiadomość|Исходное сообщение|"
    r"Пересылаемое сообщение|Пересланное сообщение|邮件原件|原始邮件|原始郵件|"
    r"转发邮件|转发的邮件|轉寄郵件|元のメッセージ|転送メッセージ))",
    re.I,
)

_IDEOGRAPH: Final = regex(r"[\u3041-\u30ff\u3400-\u9fff]")
_NUMBERED: Final = regex(
    r"\A[\W_]*(?:(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?:\.\d{1,2})*[.)、．:]\s*|(?:TOP|top) ?\d{1,2}[.:]?\s*)?[\W_]*"
)
#: How headings are counted where words are not divided by blanks.
_COUNTED: Final = regex(r"\s*(?:[一二三四五六七八九十]{1,3}[、．.]|[（(][一二三四五六七八九十]{1,3}[)）])")
#: Most words, and signs of a script without blanks, of a heading that a word of it tells.
_MOST_WORDS, _MOST_SIGNS = 5, 12


def _table(kind: str) -> dict[str, str]:
    """Return the name of the list that each word of the lists of a kind is in."""
    named = ((name.removeprefix(f"{kind} "), terms) for name, terms in _LISTS.items() if name.startswith(f"{kind} "))
    return {plain(term): name for name, terms in named for term in terms}


#: The English name of each field of minutes and mails, the section that a word of a heading tells, what the words
#: behind a mark and a colon are, and headings that end what a heading above them says.
_HEADER_TABLE: Final = _table("header")
_SECTION_TABLE: Final = _table("section")
_MARKER_TABLE: Final = cast("dict[str, Category]", _table("marker"))
_REASON_TABLE: Final = frozenset(map(plain, _LISTS["reasons"]))
#: Fields that are named so in English, too.
_ENGLISH: Final = frozenset({"present", "president"})
_LONGEST: Final = max(len(term.split()) for term in (*_SECTION_TABLE, *_HEADER_TABLE))
_IN_IDEOGRAPHS: Final = tuple(
    sorted((term for term in _SECTION_TABLE if _IDEOGRAPH.match(term)), key=len, reverse=True)
)
#: A field's name before a colon of any width.
FIELD: Final = regex(
    r"[ \t]*(?:[-*•][ \t]+)?[*_]{0,2}(?P<name>[^\W\d_][^\n:：*_|]{0,40}?)[*_]{0,2}"
    r"[ \t\u00a0\u202f]?[:：][*_]{0,2}[ \t]*(?=\S)"
)
_ENDS_WITH_COLON: Final = regex(r"^(?=[^\n]{4,250}(?:\n[^\n]{1,80})?[:：][ \t]*$)", re.M)
_LONGEST_LINE: Final = 300
#: Names of fields of this length at most are words of everyday: of mails alone are they fields.
_SHORT: Final = 3


def english_header(name: str) -> str | None:
    """Return the English name of a field of minutes or mails in another language; None if it is no such field."""
    return _HEADER_TABLE.get(plain(" ".join(name.strip(" *_\t-.").split())))


def is_people_header(line: str) -> bool:
    """Whether a line is a field of minutes in another language that says who was there, led, or wrote them."""
    header = header_in(line, is_mail=False)
    return header is not None and header[0] in ("attendees", "absent", "secretary", "chair")


def header_in(line: str, *, is_mail: bool) -> tuple[str, int] | None:
    """Return the English name of the field that a line of another language is, and where its value begins."""
    field = FIELD.match(line)
    name = None if field is None else english_header(field["name"])
    if field is None or name is None or field["name"].casefold() in _ENGLISH:
        return None
    value = line[field.end() :]
    if name in ("title", "tags") or (name in ("date", "sent") and not written_dates(value)):
        return None
    is_word = len(field["name"]) <= _SHORT and not _IDEOGRAPH.match(field["name"])
    if is_word and "@" not in value and not (is_mail and field["name"] not in "aA" and value.istitle()):
        return None
    return name, field.end()


@lru_cache(maxsize=2_000)
def section_in(heading: str) -> str | None:
    """Return what a heading in another language than English says of the lines below it; None if it says nothing."""
    text = plain(_NUMBERED.sub("", heading).strip(" *_#:：()（）"))
    if _IDEOGRAPH.search(text):
        named = (term for term in _IN_IDEOGRAPHS if term in text)
        return (
            _SECTION_TABLE[next(named, "")]
            if len(text) <= _MOST_SIGNS and any(t in text for t in _IN_IDEOGRAPHS)
            else None
        )
    words = re.findall(r"[^\W_]+(?:['-][^\W_]+)*", text)
    if len(words) > _MOST_WORDS:
        return None
    for size in range(min(_LONGEST, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            if (found := _SECTION_TABLE.get(" ".join(words[at : at + size]))) is not None:
                return found
    return None


def gives_reasons(heading: str) -> bool:
    """Whether a heading in another language begins what is no longer what the heading above it says."""
    return plain(_NUMBERED.sub("", heading).strip(" *_#:：")) in _REASON_TABLE


def is_heading(line: str) -> bool:
    """Whether a line without a mark is a heading of minutes in another language."""
    text = plain(_NUMBERED.sub("", line).strip(" *_:："))
    if _IDEOGRAPH.search(text) and _COUNTED.match(line):
        return section_in(line) is not None
    return text in _SECTION_TABLE or text in _REASON_TABLE


def marker_in(text: str) -> tuple[Category, int] | None:
    """Return what the words behind a mark such as "Beschluss:" are, and where they begin; None without one."""
    field = FIELD.match(text)
    category = None if field is None else _MARKER_TABLE.get(plain(" ".join(field["name"].split())))
    return None if field is None or category is None else (category, field.end())


def names_meeting(line: str) -> bool:
    """Whether a line is the title of a meeting in another language."""
    return _MEETINGS.search(line) is not None


def wrote_at(content: str, start: int) -> str | None:
    """Return the line, or two, at `start` that say who wrote what is quoted below; None if they don't."""
    end = content.find("\n", start) % (len(content) + 1)
    second = content.find("\n", end + 1) % (len(content) + 1)
    for stop in (end, second):
        line = content[start:stop]
        if len(line) <= _LONGEST_LINE and line.rstrip().endswith((":", "：")) and line.count("\n") < 2:
            return line if _WROTE.match(" ".join(line.split())) else None
    return None


def lines_above_quotes(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each line begins that says who wrote what is quoted below it, and the line."""
    for found in _ENDS_WITH_COLON.finditer(text):
        if (line := wrote_at(text, found.start())) is not None:
            yield found.start(), line


def quoted_author(head: str) -> str:
    """Return who wrote what is quoted below a line such as "Le 3 mars 2026 à 09:12, Bob Li a écrit :", else ""."""
    line = " ".join(head.split())
    if ORIGINAL.match(head):
        return ""
    if line.endswith("wrote:"):
        found = _LAST_WORDS.search(re.sub(r"\s*<[^>]*>", "", line).removesuffix("wrote:").rstrip())
    else:
        found = _AUTHOR_BEHIND.search(line) or _AUTHOR.search(line)
    return "" if found is None else found["name"].strip(" ,")
