"""LaTeX: the text between its commands, with sections, lists and tables as Markdown has them. Formulas stay."""

import re
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from core.regex import regex
from ingest.readers.documents.markup import Converted, reader_of

_COMMENT: Final = regex(r"(?<!\\)%[^\n]*(?:\n[ \t]*(?=\S))?")
_CODE: Final = regex(r"\\begin\{(verbatim|lstlisting|minted)\*?\}(?:\[[^\]\n]*\]|\{[^}\n]*\})*\n?")
_COMMANDS: Final = regex(r"\\(?P<name>[A-Za-z@]{1,40})\*?|\\(?P<sign>[^A-Za-z@])|(?P<plain>[{}~&])")
_ENDS_CODE: Final = "\\end{%s}"
_LEVELS: Final = {
    "part": "#", "chapter": "#", "section": "##", "subsection": "###", "subsubsection": "####", "paragraph": "#####",
}  # fmt: skip
_FIELDS: Final = {"title": "title", "author": "author", "date": "date", "keywords": "keywords"}
#: Commands whose arguments are no text.
_SILENT: Final = frozenset(
    "label ref eqref pageref cite citep citet autoref cref Cref nocite usepackage documentclass bibliography "
    "bibliographystyle includegraphics input include newcommand renewcommand providecommand newenvironment "
    "setlength setcounter addtolength vspace hspace pagestyle thispagestyle hypersetup graphicspath newtheorem "
    "RequirePackage geometry definecolor color fontsize selectfont markboth index phantomsection def let".split()
)
_WORDS: Final = {
    "LaTeX": "LaTeX", "TeX": "TeX", "ldots": "…", "dots": "…", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "AA": "Å", "i": "ı", "euro": "€", "pounds": "£", "S": "§",
    "textbackslash": "\\", "textendash": "–", "textemdash": "—", "today": "", "par": "\n\n", "newline": "\n",
    "and": ", ", "quad": " ", "qquad": " ", "copyright": "©",
}  # fmt: skip
_ACCENTS: Final = {
    "'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a",
}  # fmt: skip
_ACCENTED: Final = regex(r"\\(?:(['`\"^~=.])|([cvuHkr])(?=[ {]))[ ]?\{?\\?([A-Za-z])(?:[ ](?=\}))?\}?")
_ROW_RULE: Final = regex(r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^}\n]*\})")
_ARGUMENT_COMMAND: Final = regex(r"\\(?:([A-Za-z@]{1,40})\*?(?:\[[^\]\n]{0,200}\])?|(?=[%&_#$])|[^%&_#$])")
_BRACES: Final = str.maketrans({"{": None, "}": None, "~": " "})
#: Environments that only place the words of a cell.
_CELL_BLOCKS: Final = frozenset({"minipage", "flushleft", "flushright", "center"})
_SPACE: Final = regex(r"[ \t]+")
_DEPTH: Final = 50


def converted(text: str) -> Converted:
    """Return LaTeX as Markdown."""
    reader = _Reader(text)
    reader.read()
    return reader.made


read: Final = reader_of(converted)


class _Reader:
    """Reads command by command; code is set apart before, so that nothing in it is taken for one."""

    def __init__(self, text: str) -> None:
        self.made = Converted()
        self._codes: list[str] = []
        plain = _COMMENT.sub("", self._without_code(text))
        self._text = _ACCENTED.sub(_accented, _ROW_RULE.sub("", plain))
        self._out: list[str] = []
        #: The environments that are open, innermost last.
        self._open: list[str] = []

    def read(self) -> None:
        begin = self._text.find("\\begin{document}")
        preamble = self._text[: max(begin, 0)]
        self._run(preamble)
        self._out.clear()
        self._run(self._text[max(begin, 0) :])
        self.made.lines = [self._line(line) for line in "".join(self._out).split("\n")]

    def _line(self, line: str) -> str:
        line = _SPACE.sub(" ", line).strip()
        if line.startswith("\0") and line[1:].isdecimal():
            return self._codes[int(line[1:])]
        if line and not line.strip("| "):
            return ""
        return line.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")

    def _without_code(self, text: str) -> str:
        """Set blocks of code apart, a line with their number in the place of each."""
        parts, at = [], 0
        text = text.replace("\0", "")
        while (begin := _CODE.search(text, at)) is not None:
            ends = _ENDS_CODE % begin[1]
            end = text.find(ends, begin.end())
            end = len(text) if end < 0 else end
            code = text[begin.end() : end].strip("\n")
            self._codes.append(f"```\n{code}\n```")
            parts += [text[at : begin.start()], f"\n\0{len(self._codes) - 1}\n"]
            at = min(len(text), end + len(ends))
        return "".join([*parts, text[at:]])

    def _run(self, text: str) -> None:
        """Write the words of a text, and what its commands stand for."""
        at = 0
        for command in _COMMANDS.finditer(text):
            if command.start() < at:
                continue
            self._say(text[at : command.start()])
            at = command.end()
            if command["plain"]:
                self._out.append({"~": " ", "&": " | " if self._in_table() else "&"}.get(command["plain"], ""))
            elif command["sign"]:
                self._out.append(self._sign(command["sign"]))
            else:
                at = self._command(text, command["name"], at)
        self._say(text[at:])

    def _say(self, words: str) -> None:
        """Write words; in a table the ends of lines are none of its rows."""
        self._out.append(words.replace("\n", " ") if self._in_table() else words)

    def _sign(self, sign: str) -> str:
        if sign == "\\":
            return " |\n| " if self._in_table() else "\n"
        if sign in "()[]":
            return "$" if sign in "()" else "$$"
        return sign if sign in "%&_#${}" else " " if sign in " ,;:/" else ""

    def _in_table(self) -> bool:
        return bool(self._open) and self._open[-1].startswith(("tabular", "longtable"))

    def _command(self, text: str, name: str, at: int) -> int:
        """Write what a command stands for, and return where the text goes on."""
        if name in ("begin", "end"):
            return self._environment(text, name, at)
        if name == "item":
            label, at = _bracketed(text, at)
            mark = "1. " if self._open and self._open[-1] == "enumerate" else "- "
            self._out.append(f"\n{mark}{f'{label}: ' if label else ''}")
        elif name in _LEVELS or name in _FIELDS:
            _, at = _bracketed(text, at)
            words, at = _braced(text, at)
            said = _plain(words)
            if name in _FIELDS:
                self.made.fields.setdefault(_FIELDS[name], said)
            else:
                self._out.append(f"\n\n{_LEVELS[name]} {said}\n\n")
        elif name == "footnote":
            words, at = _braced(text, at)
            self._out.append(f" ({_plain(words)})")
        elif name == "hypertarget":
            _, at = _braced(text, at)
        elif name == "href":
            address, at = _braced(text, at)
            words, at = _braced(text, at)
            self._out.append(f"[{_plain(words)}]({address})")
        elif name in _SILENT:
            at = _behind_arguments(text, at)
        elif name in _WORDS:
            self._out.append(_WORDS[name])
        else:
            _, at = _bracketed(text, at)
        return at

    def _environment(self, text: str, edge: str, at: int) -> int:
        name, at = _braced(text, at)
        name = name.rstrip("*")
        if name in _CELL_BLOCKS and self._in_table():
            return _behind_arguments(text, at) if edge == "begin" else at
        if edge == "end":
            if self._in_table():
                self._out.append(" |")
            if name in self._open:
                del self._open[len(self._open) - 1 - self._open[::-1].index(name) :]
            self._out.append("\n\n" if name != "document" else "\n")
            return at
        self._open = [*self._open[-_DEPTH:], name]
        if self._in_table():
            at = _behind_arguments(text, at)
            self._out.append("\n\n| ")
        else:
            _, at = _bracketed(text, at)
            self._out.append("\n\n**Abstract**\n\n" if name == "abstract" else "\n")
        return at


def _plain(words: str) -> str:
    """Return the words of an argument on one line."""
    words = _ARGUMENT_COMMAND.sub(lambda found: _WORDS.get(found[1] or "", " "), words)
    return " ".join(words.translate(_BRACES).split()).replace(" ,", ",")


def _accented(found: re.Match[str]) -> str:
    return normalize("NFC", found[3] + _ACCENTS[found[1] or found[2]])


def _braced(text: str, at: int) -> tuple[str, int]:
    """Return the argument in braces that begins at a place or behind blanks, and where it ends; none is empty."""
    start = at
    while start < len(text) and text[start] in " \t\n":
        start += 1
    if start >= len(text) or text[start] != "{":
        return "", at
    end = _ends(text).get(start)
    return ("", at) if end is None or end - start > _LONGEST else (text[start + 1 : end], end + 1)


@lru_cache(maxsize=1)
def _ends(text: str) -> dict[int, int]:
    """Return where each pair of braces ends, by where it begins."""
    begins: list[int] = []
    ends = {}
    for sign in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if sign[0] == "{":
            begins.append(sign.start())
        elif sign[0] == "}" and begins:
            ends[begins.pop()] = sign.start()
    return ends


def _bracketed(text: str, at: int) -> tuple[str, int]:
    """Return the argument in brackets that begins at a place, and where it ends; none is empty."""
    end = text.find("]", at, at + _LONGEST_OPTION) if text[at : at + 1] == "[" else -1
    return (text[at + 1 : end], end + 1) if end >= 0 else ("", at)


def _behind_arguments(text: str, at: int) -> int:
    """Return where the arguments of a command end."""
    while True:
        _, behind = _bracketed(text, at)
        if behind == at and text[at : at + 1] == "{":
            _, behind = _braced(text, at)
        if behind == at:
            return at
        at = behind


#: Longest argument that is read, in braces and in brackets, in characters.
_LONGEST, _LONGEST_OPTION = 20_000, 2_000
