"""What a text in another language than English says by its structure: who is named, what was decided, who does what.

Read are boxes and tables, bullets below headings of decisions and actions, words behind marks such as "Beschluss:", and
the people of fields, lists and labels. Sentences elsewhere are not read.
"""

import re
from itertools import takewhile
from typing import Final

from core.knowledge.findings import Category
from core.regex import regex
from ingest.document.structure import Passage
from ingest.document.terms import english_header, is_heading, lines_above_quotes, marker_in, quoted_author
from ingest.english.lexicon import GIVEN_NAMES
from ingest.extract.local.acts import EXPLICIT, Act
from ingest.extract.local.entities.attendee_lists import (
    LABELLED,
    MAIL,
    add_entry,
    add_list,
    add_mail,
    add_person,
    entry_name,
    may_be_name,
    people_apart,
)
from ingest.extract.local.entities.names import Names

_BY_SECTION: Final[dict[str | None, Category]] = {"decisions": "Decision", "actions": "Commitment"}
_BOXES: Final = frozenset({"task", "done"})
_QUESTION: Final = regex(r"[?？][\"'”’»)\]*_\s]*\Z|\A\W*¿")
#: That a section is empty, and that something is left undecided.
_NOTHING: Final = regex(
    r"\W*(?:keine?|kein|nichts|entfällt|aucune?|néant|rien|ningun[oa]?|ninguna|nada|sin|nessun[oa]?|niente|nenhuma?|geen|"
    r"niets|brak|żadn\w+|нет|не было|无|没有|暂无|なし|特になし|未定|noch offen|offen)(?:\s+\w+){0,3}\W*",
    re.I,
)
_PUT_OFF: Final = regex(
    r"\b(?:vertagt|verschoben|zurückgestellt|reportée?s?|ajournée?s?|aplazad[oa]s?|pospuest[oa]s?|rinviat[oaie]|"
    r"adiad[oa]s?|uitgesteld|aangehouden|odroczon\w*|odłożon\w*|отложен\w*|перенесен\w*)\b|延期|继续讨论|継続審議|保留|再議",
    re.I,
)
_IDEOGRAPH: Final = regex(r"[\u3041-\u30ff\u3400-\u9fff]")
_LOWER: Final = regex(r"[^\W\d_]")
#: Fewest words, and signs of a script without blanks, of what says something.
_FEWEST_WORDS, _FEWEST_SIGNS = 3, 6
#: Most words of a name that begins a task.
_MOST_WORDS: Final = 3
#: Whose a task is, in brackets or behind a dash at its end, perhaps with its day, or behind a word that says so.
_AT_END: Final = regex(
    r"(?:[(（\[]|[—–-]>?\s|→\s*|\s@|\|\s*)@?(?P<name>[^\W\d_][^()（）\[\]—–→|,;:，；：、]{1,40}?)"
    r"(?:[,;，；、]\s*(?P<rest>[^()（）\[\]]{1,40}))?[)）\]]?[\s.。]*\Z"
)
_BY_WORD: Final = regex(
    r"(?:verantwortlich|zuständig|resp(?:onsable)?|responsabile|responsável|encargad[oa]|verantwoordelijk|actiehouder|"
    r"odpowiedzialn[ya]|отв(?:етственн(?:ый|ая))?|负责人|责任人|負責人|担当者?|owner)\.?\s*[:：]\s*@?"
    r"(?P<name>[^\W\d_][^()（）\[\],;:，；：、|.。]{1,40})",
    re.I,
)
#: How Russian family names end.
_FAMILY: Final = regex(r"[а-яё](?:[оеё]в|[иы]н|[сц]кий|[оеё]ва|[иы]на|[сц]кая|енко|[уюя]к|ян|ич)\Z")
#: Behind somebody who does something, where words are not divided by blanks.
_DOES: Final = regex(r"负责|負責|將|将|来|去|会|が|は|さんが|さんは|氏が")
_HONORIFIC: Final = regex(
    r"(?:さん|様|氏|先生|女士|同志)\Z|^(?:Herr|Frau|Hr\.|Fr\.|M\.|Mme|Mlle|Sr\.|Sra\.|Sig\.|Sig\.ra|Dhr\.|Mevr\.|Pan|Pani)\s+"
)


def read_structure(
    content: str, flat: str, names: Names, said: list[tuple[Passage, list[Act]]]
) -> list[tuple[Passage, list[Act]]]:
    """Return what passages say by their structure, and add the people whom they name."""
    found = []
    for _, line in lines_above_quotes(content):
        add_person(names, quoted_author(line))
        _add_mails(names, line)
    for passage, done in said:
        _add_people(names, flat, passage)
        acts = _acts(flat, passage, done)
        if acts:
            found.append((passage, acts))
            for name in owners(flat, passage):
                names.person(name)
    return found


def _add_people(names: Names, flat: str, passage: Passage) -> None:
    text = flat[passage.start : passage.end]
    _add_mails(names, text)
    if passage.kind == "header":
        add_list(names, text)
    elif passage.kind == "label":
        add_entry(names, text)
    elif passage.section == "people" and passage.kind in ("bullet", "prose"):
        parts = people_apart(text)
        if passage.kind == "bullet" or _are_names(text):
            for part in parts:
                add_person(names, part)


def _add_mails(names: Names, text: str) -> None:
    for mail in MAIL.finditer(text):
        add_mail(names, mail[1], mail[2])


def _acts(flat: str, passage: Passage, done: list[Act]) -> list[Act]:
    """Return what a passage does: what its box, its row, its mark or the heading above makes it."""
    if passage.kind in _BOXES or passage.row is not None:
        return done
    if passage.kind not in ("bullet", "prose") or passage.later:
        return []
    text = flat[passage.words : passage.end]
    marked = marker_in(text)
    category = _BY_SECTION.get(passage.section) if marked is None else marked[0]
    said = text if marked is None else text[marked[1] :]
    if category is None or not _says_something(said) or (category == "Decision" and _PUT_OFF.search(said)):
        return []
    if marked is None and passage.kind == "prose" and not passage.first:
        return []
    if marked is None and category == "Commitment" and passage.kind == "prose" and owner(flat, passage) is None:
        return []
    return [Act(category, EXPLICIT, passage.words, passage.words, passage.words)]


def _says_something(text: str) -> bool:
    if _QUESTION.search(text) or _NOTHING.fullmatch(text) or text.rstrip().endswith((":", "：")) or is_heading(text):
        return False
    if _IDEOGRAPH.search(text):
        return len(_LOWER.findall(text)) >= _FEWEST_SIGNS
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= _FEWEST_WORDS


def owners(flat: str, passage: Passage) -> list[str]:
    """Return the names of those whose task a passage is."""
    if passage.row is not None:
        who = passage.row.who
        cell = "" if who is None else flat[who.start_char : who.end_char]
        return [name for part in people_apart(cell) if (name := _name(part)) is not None]
    said = owner(flat, passage)
    return [] if said is None else [name for part in people_apart(said) if (name := _name(part)) is not None]


def owner(flat: str, passage: Passage) -> str | None:
    """Return the words that say whose a task is, before a colon, at its end or behind a word for it."""
    start = passage.words
    marked = marker_in(flat[start : passage.end])
    start += 0 if marked is None else marked[1]
    label = LABELLED.match(flat, start, passage.end)
    if label is not None and _are_names(label[1]) and english_header(label[1]) is None:
        return label[1]
    text = flat[start : passage.end]
    for pattern in (_BY_WORD, _AT_END):
        if (found := pattern.search(text)) is not None and _are_names(found["name"]):
            return found["name"]
    return _first_name(text)


def _first_name(text: str) -> str | None:
    """Return the full name that a text begins with before a word in small letters: "Luc Morel appelle …".

    The beginning of a sentence has a capital, too: a given name that is known, or a Russian family name, tells one.
    """
    words = text.strip(" *_-").split()[: _MOST_WORDS + 1]
    capitals = list(takewhile(lambda word: word[0].isupper(), words))
    if not 1 < len(capitals) <= _MOST_WORDS or len(words) == len(capitals) or not words[len(capitals)][0].islower():
        return None
    is_known = capitals[0].casefold() in GIVEN_NAMES or _FAMILY.search(capitals[-1]) is not None
    return " ".join(capitals) if is_known else None


def _are_names(text: str) -> bool:
    parts = people_apart(text)
    return bool(parts) and all(_name(part) is not None for part in parts)


def _name(text: str) -> str | None:
    name = entry_name(_HONORIFIC.sub("", text.strip(" @*_")))
    return name if name is not None and may_be_name(name) else None


def doer(flat: str, passage: Passage, names: Names) -> str | None:
    """Return the person that a passage begins with: "Luc Morel appelle …", "李强负责…"."""
    begin = next((at for at in range(passage.words, passage.end) if flat[at].isalnum()), passage.end)
    for name in names.all:
        end = begin + len(name.name)
        is_first = name.type == "person" and flat.startswith(name.name, begin) and end < passage.end
        if is_first and (flat[end] in " ：:" or _DOES.match(flat, end)):
            return name.name
    return None
