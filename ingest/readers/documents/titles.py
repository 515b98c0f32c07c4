"""The title of a file: the one its document gives, else its main heading, else its first line, else its name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from core.interface.memory import MAX_FIELD
from core.regex import regex
from ingest.readers.fields import line_of
from ingest.readers.formats.source import Source

#: What a program puts for no title, and what it calls what it makes, in the languages of common office programs: a
#: title of nothing but these words, names of programs and numbers was filled in by one.
_NOTHING: Final = frozenset(
    "untitled unbenannt unbenanntes unbenannte untitled- none null titel titre título titolo title naamloos namnlös "
    "namnlöst nimetön adsız 無題 無題ドキュメント 無題のドキュメント 无标题 無標題 未命名 題名未設定 "
    "document documents dokument documento documenten документ asiakirja 文档 文件 ドキュメント doc docs textdokument "
    "presentation presentations präsentation présentation presentación presentazione apresentação presentatie "
    "præsentation presentasjon prezentacja prezentace prezentáció презентация 演示文稿 プレゼンテーション "
    "book workbook mappe arbeitsmappe classeur libro cartella livro worksheet spreadsheet tabelle книга 工作簿 "
    "slide slides folie diapositive diapositiva dia page seite página pagina strona layout drawing zeichnung dessin "
    "normal template vorlage modèle plantilla modello note notebook textfile webpage theme scan scanned image pdf tmp "
    "temp home index startseite accueil inicio deckblatt".split()
)
_AROUND: Final = frozenset(
    "new neu neues neuer neue nouveau nouvelle nuevo nuovo novo nova nieuw nowy blank empty leeres default standard "
    "powerpoint microsoft word excel google keynote libreoffice openoffice office writer impress calc visio onenote "
    "keep latex article xerox text file web sheet form folder of the a de di do du with aplikace programu master "
    "cover".split()
)
_NO_TITLE_IN_WORDS: Final = regex(
    r"(?:ohne|sans|sin|senza|sem|bez|без|uten|uden|zonder|no) (?:titel|namen|titre|nom|t[ií]tulo|nombre|titolo|tytułu"
    r"|názvu|названия|имени|navn|tittel|title|name)|제목 없음",
    re.IGNORECASE,
)
#: What asks for a title, and what printers, scanners and converters put.
_ASKED: Final = regex(
    r"(?:click|tap|double-click) (?:here )?to (?:add|edit) .*|.*\bdurch klicken\b.*|cliquez pour .*|haga clic para .*"
    r"|fare clic per .*|(?:add|insert|enter|type|your) (?:\w+ ){0,3}title(?: here)?|\w+ title here"
    r"|titel (?:eingeben|hinzufügen)"
    r"|(?:enscript|dvips|a2ps) output|print(?: preview| job)?|druck(?:ansicht|vorschau)"
    r"|remote desktop redirected printer doc"
    r"|full page (?:photo|fax)(?: print)?|latex with hyperref.*|lorem ipsum.*|converted (?:document|file)"
    r"|scanned (?:from|by|with) .*|(?:.* )?(?:template|vorlage|plantilla)(?: \d+)?"
    r"|(?:cam ?scanner|adobe scan|genius scan|office lens|scan|img|dsc|skm\w{0,6}|km[-_]\w{1,8}"
    r"|skmbt\w{0,6})[-_ ]?\d[\w.:_ -]*|(?:file|https?|about|data):\S+|[a-z]:[\\/].*",
    re.IGNORECASE,
)
#: What programs put before and behind the name of a file or page that is printed: "Microsoft Word - report.doc".
_PRINTED: Final = regex(r"\*?(?:(?:microsoft|libreoffice|openoffice) \w+|gmail) - (?=\S)", re.IGNORECASE)
_PROGRAM: Final = regex(
    r"(?<=\S) [-–—] (?:google (?:docs|sheets|slides)|notepad(?:\+\+)?|editor|wordpad|word"
    r"|(?:libre|open)office \w+)$",
    re.IGNORECASE,
)
_SUFFIX: Final = regex(
    r"(?<=\S)\.(?:docx?|dot[xm]?|pptx?|pot[xm]?|xlsx?|xlt[xm]?|od[tps]|ott|rtf|tex|dvi|e?ps|pdf|indd|pages|qxd|p65|wpd|txt|md"
    r"|x?html?|csv|xml|tmp|png|jpe?g|tiff?|ipynb|vsdx?|pub|key|numbers)$",
    re.IGNORECASE,
)
_COUNTED: Final = regex(r"[\s_.,:;()\[\]<>{}*/-]+|(?<=[^\W\d])(?=\d)|\d+")
#: Most words of a title that a program filled in.
_FEW: Final = 8

_FENCE: Final = regex(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = regex(r" {0,3}(#{1,6})[ \t]++(.*)")
_ELEMENT: Final = regex(r"[ \t]*<h([1-6])\b[^<>]{0,300}>(.{1,500}?)</h\1>[ \t]*", re.IGNORECASE)
_UNDERLINE: Final = regex(r" {0,3}=+[ \t]*")
#: A line above a text that gives its title: a field, or the first of a block as Pandoc has it.
_FIELD: Final = regex(r"\s{0,20}(?:title[ \t]{0,4}:|%)[ \t]{1,9}(\S[^\n]{0,200})", re.IGNORECASE)
#: Headings that are no titles: those of lists of contents, and of what is put below a text.
_CONTENTS: Final = regex(
    r"(?:table of )?contents|footnotes|endnotes|comments|toc|inhalt(?:sverzeichnis)?|sommaire|índice", re.IGNORECASE
)
#: Markup in a heading: pictures and elements, links, emphasis and code, and the name of an anchor.
_UNSHOWN: Final = regex(r"!\[[^\]\n]{0,300}\]\([^()\n]{0,1000}\)|</?[a-z][^<>\n]{0,300}>", re.IGNORECASE)
_LINK: Final = regex(r"\[([^\[\]\n]{1,300})\]\([^()\n]{0,1000}\)|\[\[(?:[^\[\]|\n]{0,300}\|)?([^\[\]|\n]{1,300})\]\]")
_EMPHASIS: Final = regex(r"(?<!\w)(\*{1,3}|_{1,3}|`{1,2})(?=\S)([^*`\n]{1,300}?)(?<=\S)\1(?!\w)")
_ANCHOR: Final = regex(r"[ \t]{0,9}\{[#.:][^{}\n]{0,200}\}[ \t]{0,9}$")
#: Longest first line that is a title, in characters, also without a blank line below, and the marks of other lines.
_LONGEST, _SHORT = 100, 60
_NO_TITLE: Final = regex(r"[-*+>|#`<\[({$\d]|\w+:|.*[.,;:!?…)\]]$|.*https?://")
_BOLD: Final = regex(r"(\*\*|__)([^*_\n]{1,100})\1")
#: How many lines are looked at for headings.
_LOOKED_AT: Final = 20_000


def title_of(source: Source, given: object, text: str) -> str:
    """Return the title of a document whose properties give `given` and whose text has headings as Markdown has them."""
    is_bundled = source.path.stem == "text" and source.path.parent.suffix == ".textbundle"
    name = (source.path.parent if is_bundled else source.path).stem or source.name
    title = line_of(given) if isinstance(given, str) else None
    if title is not None:
        shown = _PROGRAM.sub("", _PRINTED.sub("", title)).strip()
        if not _is_filled_in(shown) and not _SUFFIX.search(shown):
            return shown
        if shown != title and not _is_filled_in(printed := _SUFFIX.sub("", shown)):
            name = printed
    if _is_filled_in(name):
        name = opening(text) or name
    return (main_heading(text) or _first_line(text) or name)[:MAX_FIELD]


def own_title(given: str | None) -> str | None:
    """Return the title that somebody gave a note, None if a program filled it in."""
    title = line_of(given or "")
    return None if title is None or _is_filled_in(title) else title


def _is_filled_in(title: str) -> bool:
    """Whether a program filled in a title: where nobody gave one, or where it asks for one."""
    plain = title.strip("[]<>{}\"'*").strip()
    if len(plain) > _LONGEST or _ASKED.fullmatch(plain):
        return len(plain) <= _LONGEST
    unnamed = _NO_TITLE_IN_WORDS.sub("untitled", plain).casefold()
    words = [word for word in _COUNTED.split(unnamed) if word]
    return len(words) <= _FEW and not _NOTHING.isdisjoint(words) and set(words) <= _NOTHING | _AROUND


def main_heading(text: str) -> str | None:
    """Return the heading of a whole text, None if it has only headings of sections.

    It is the first one of the highest level, if it is above all text, or is the only one of the first level.
    """
    if field := _FIELD.match(text):
        return _plain(field[1])
    found = [heading for heading in _headings(text) if heading.title and not _CONTENTS.fullmatch(heading.title)]
    level = min((heading.level for heading in found), default=0)
    highest = [heading for heading in found if heading.level == level]
    if not highest or (len(highest) > 1 and highest[0].level > 1):
        return None
    is_main = highest[0].is_above_text or (len(highest) == 1 and highest[0].level == 1)
    return highest[0].title if is_main else None


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    #: Whether nothing but blank lines comes before it.
    is_above_text: bool


def _headings(text: str) -> Iterator[_Heading]:
    fence = above = ""
    before = 0
    for line in islice(text.splitlines(), _LOOKED_AT):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and line.strip() == mark[1] and mark[1].startswith(fence)
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        elif (heading := _HEADING.fullmatch(line.rstrip(" \t"))) and heading[2]:
            yield _Heading(len(heading[1]), _plain(_unclosed(heading[2])), before == 0)
        elif element := _ELEMENT.fullmatch(line):
            yield _Heading(int(element[1]), _plain(element[2]), before == 0)
        elif above.strip() and _UNDERLINE.fullmatch(line):
            yield _Heading(1, _plain(above), before == 1)
        above = "" if mark or fence else line
        before += bool(line.strip())


def _unclosed(heading: str) -> str:
    """Return a heading without the marks that may close it."""
    text = heading.rstrip("#")
    return text.rstrip(" \t") if text.endswith((" ", "\t")) else heading


def _plain(heading: str) -> str:
    """Return a heading as it reads, without its markup."""
    text = _LINK.sub(lambda link: link[1] or link[2], _UNSHOWN.sub("", _ANCHOR.sub("", heading)))
    return " ".join(_EMPHASIS.sub(r"\2", text).split())


def _first_line(text: str) -> str | None:
    """Return the first line of a text if it looks like a title: short, no sentence, and apart from what follows."""
    lines = text.lstrip().split("\n", 2)
    first = lines[0].strip()
    if _is_filled_in(first) and len(lines) > 1 and not lines[1].strip():
        return _first_line(lines[-1]) if len(lines) > 2 else None
    following = lines[1].strip() if len(lines) > 1 else "x"
    if not following and (bold := _BOLD.fullmatch(first)):
        first = bold[2].strip()
    is_apart = not following or (len(first) <= _SHORT and following[:1].isupper())
    return first if 0 < len(first) <= _LONGEST and is_apart and not _NO_TITLE.match(first) else None


def opening(text: str) -> str | None:
    """Return the beginning of a text's first line, without the mark of a list."""
    first = next((line.strip() for line in text.splitlines() if any(map(str.isalnum, line))), "")
    words = _plain(re.sub(r"^(?:(?:[-*+>#|]+|\d+[.)]|\[[ xX]\])[ \t]+)+", "", first))
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rpartition(' ')[0] or words[:_LONGEST]} …"
