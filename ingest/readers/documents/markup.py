"""Light markup languages as Markdown: what their readers share, Org, and todo.txt."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from core.regex import regex
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import decoded, storable
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.source import Item, Source
from ingest.readers.front_matter import FrontMatter, note_fields

_APART: Final = regex(r"\n{3,}")
#: Fields of a document whose texts are shorter, in characters, are kept.
_LONGEST_FIELD: Final = 2_000


@dataclass(slots=True)
class Converted:
    """What a text says above itself, by the names that it gives, and its lines."""

    fields: dict[str, object] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, without more than one empty line between others."""
        return _APART.sub("\n\n", "\n".join(line.rstrip() for line in self.lines)).strip("\n")


def read_as(convert: Callable[[str], Converted], source: Source, context: str | None) -> Iterator[Item]:
    """Yield the converted text as one memory, or nothing if it is blank.

    Raises:
        InvalidInput: its encoding can't be told.
        TooLarge: the file or its text is over its limit.
    """
    text = decoded(source, source.content(DOCUMENT_BYTES))
    made = convert(text.text.replace("\r\n", "\n"))
    content = storable(made.text)
    if not content.strip():
        return
    given = {name: value for name, value in made.fields.items() if len(str(value)) <= _LONGEST_FIELD}
    fields = note_fields(FrontMatter(given, given, {}, 0))
    if tags := list(dict.fromkeys([*_listed(fields.get("tags")), *made.tags]))[:200]:
        fields["tags"] = tags
    title = title_of(source, fields.pop("title", None), content)
    values = {"metadata": text.metadata or None, **fields, "title": title, "context": fields.get("context", context)}
    yield Item(document(source.where, content, values))


def reader_of(convert: Callable[[str], Converted]) -> Callable[[Source, str | None], Iterator[Item]]:
    """Return the reader of a language; it raises as `read_as` does."""
    return partial(read_as, convert)


def _listed(value: object) -> list[str]:
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []


_KEYWORD: Final = regex(r"[ \t]*#\+(?P<name>[\w-]{1,60})(?:\[[^\]\n]{0,200}\])?:[ \t]*(?P<value>.*)")
_BLOCK: Final = regex(r"[ \t]*#\+(?P<edge>begin|end)_(?P<kind>\w{1,40})[ \t]*(?P<more>[^\n]*)", re.I)
_COMMENT: Final = regex(r"[ \t]*#(?:[ \t]|$)")
_DRAWER: Final = regex(r"[ \t]*:(?P<name>[\w-]{1,60}):[ \t]*")
_PROPERTY: Final = regex(r"[ \t]*:(?P<name>[\w-]{1,60}):[ \t]+(?P<value>.+)")
_HEADLINE: Final = regex(
    r"(?P<stars>\*+)[ \t]+(?:(?P<state>[A-Z][A-Z_-]{2,20})[ \t]+)?(?P<priority>\[#[A-Z0-9]\][ \t]+)?(?P<title>.*?)"
    r"(?:(?<=\S)[ \t]++:(?P<tags>[\w@#%:]{1,200}):)?"
)
_PLANNING: Final = regex(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]")
_CLOCK: Final = regex(r"[ \t]*CLOCK:")
_LINK: Final = regex(r"\[\[([^\[\]\n]{1,1000})\](?:\[([^\[\]\n]{1,500})\])?\]")
_BOLD: Final = regex(r"(?<![\w*])\*(?=\S)([^*\n]{1,300})(?<=\S)\*(?![\w*])")
_CODE: Final = regex(r"(?<![\w=~])([=~])(?=\S)([^=~\n]{1,300})(?<=\S)\1(?![\w=~])")
_TERM: Final = regex(r"(?P<mark>[ \t]*[-+][ \t]+)(?P<term>\S.{0,200}?)[ \t]+::[ \t]+")
#: Keywords of a file that are fields of its text; a description and others are text.
_FIELDS: Final = frozenset({"title", "author", "date", "filetags", "keywords", "tags", "created", "participants"})
_TEXTS: Final = frozenset({"subtitle", "description", "caption"})
#: States of tasks that Org and Logseq know; others are told by a line #+TODO.
_OPEN: Final = frozenset("TODO NEXT NOW LATER DOING STARTED WAITING WAIT IN-PROGRESS".split())
_CLOSED: Final = frozenset("DONE CANCELED CANCELLED".split())
_HIGHEST_LEVEL: Final = 6


def converted_org(text: str) -> Converted:
    """Return an Org file as Markdown."""
    reader = _Reader()
    for line in text.split("\n"):
        reader.take(line.rstrip())
    return reader.made


read_org: Final = reader_of(converted_org)


class _Reader:
    """Reads line by line."""

    def __init__(self) -> None:
        self.made = Converted()
        self._open, self._closed = set(_OPEN), set(_CLOSED)
        self._block = ""
        self._drawer = ""
        #: Whether a headline has come, and whether the line above is one of a task.
        self._is_below = self._is_task = False

    def take(self, line: str) -> None:
        lines = self.made.lines
        if self._block:
            self._within(line)
        elif block := _BLOCK.fullmatch(line):
            self._begin(block)
        elif self._drawer:
            self._in_drawer(line)
        elif (drawer := _DRAWER.fullmatch(line)) and drawer["name"].lower() != "end":
            self._drawer = drawer["name"].lower()
        elif keyword := _KEYWORD.fullmatch(line):
            self._keyword(keyword["name"].lower(), keyword["value"].strip())
        elif _COMMENT.match(line) or _CLOCK.match(line):
            return
        elif headline := _HEADLINE.fullmatch(line):
            self._headline(headline)
        elif self._is_task and _PLANNING.match(line):
            lines.append(f"  {line.strip()}")
        else:
            if self._is_task and line.strip():
                lines.append("")
            self._is_task = False
            lines.append(_inline(line))

    def _begin(self, block: re.Match[str]) -> None:
        kind = block["kind"].lower()
        if block["edge"].lower() == "end":
            return
        self._block = kind
        if kind in {"src", "example", "export"}:
            self.made.lines.append(f"```{block['more'].split(' ')[0] if kind == 'src' else ''}")

    def _within(self, line: str) -> None:
        edge = _BLOCK.fullmatch(line)
        if edge and edge["edge"].lower() == "end" and edge["kind"].lower() == self._block:
            if self._block in {"src", "example", "export"}:
                self.made.lines.append("```")
            self._block = ""
        elif self._block in {"src", "example", "export"}:
            self.made.lines.append(line)
        elif self._block == "quote":
            self.made.lines.append(f"> {_inline(line.strip())}")
        elif self._block != "comment":
            self.made.lines.append(_inline(line))

    def _in_drawer(self, line: str) -> None:
        if line.strip().lower() == ":end:" or _HEADLINE.fullmatch(line):
            self._drawer = ""
            if _HEADLINE.fullmatch(line):
                self.take(line)
        elif self._drawer == "properties":
            if (found := _PROPERTY.fullmatch(line)) and not self._is_below:
                self.made.fields.setdefault(found["name"].lower(), found["value"].strip())
        elif not _CLOCK.match(line):
            self.made.lines.append(_inline(line))

    def _keyword(self, name: str, value: str) -> None:
        if name in {"todo", "seq_todo", "typ_todo"}:
            states, _, closed = value.partition("|")
            self._open |= {state.partition("(")[0] for state in states.split()}
            self._closed |= {state.partition("(")[0] for state in closed.split()}
        elif name == "filetags":
            self.made.tags += [tag for tag in re.split(r"[:\s]+", value) if tag]
        elif name in _FIELDS and value:
            self.made.fields.setdefault(name, value)
        elif name in _TEXTS and value:
            self.made.lines += [_inline(value), ""]

    def _headline(self, found: re.Match[str]) -> None:
        state, title, lines = found["state"] or "", _inline(found["title"]).strip(), self.made.lines
        is_open, is_closed = state in self._open, state in self._closed
        self._is_below, self._is_task = True, is_open or is_closed
        self.made.tags += [tag for tag in (found["tags"] or "").split(":") if tag]
        if self._is_task:
            known = state if state in _OPEN | _CLOSED else "TODO" if is_open else "DONE"
            lines += ["", f"- {known} {found['priority'] or ''}{title}"]
        else:
            words = " ".join(filter(None, (state, (found["priority"] or "").strip(), title)))
            lines += ["", f"{'#' * min(len(found['stars']), _HIGHEST_LEVEL)} {words}", ""] if words else [""]


def _inline(line: str) -> str:
    """Return a line with links, bold words and code as Markdown has them."""
    line = _LINK.sub(_link, line)
    line = _CODE.sub(r"`\2`", line)
    line = _TERM.sub(r"\g<mark>\g<term>: ", line) if "::" in line else line
    return line if line.lstrip().startswith("|") else _BOLD.sub(r"**\1**", line)


def _link(found: re.Match[str]) -> str:
    target, shown = found[1], found[2]
    if re.match(r"(?:https?|mailto|ftp):", target):
        return f"[{shown}]({target})" if shown else target
    return f"[[{shown or target.removeprefix('file:').removesuffix('.org').lstrip('*')}]]"


_DAY: Final = r"\d{4}-\d\d-\d\d"
_TASK: Final = regex(
    rf"(?P<done>x )?(?:\((?P<priority>[A-Z])\) )?(?:(?P<first>{_DAY}) )?(?:(?P<second>{_DAY}) )?(?P<words>\S.*)"
)
_TAG: Final = regex(r"(?<!\S)[+@](?=\w)(\S{1,100})")


def converted_todo_txt(text: str) -> Converted:
    """Return the tasks of a file as Markdown has them."""
    made = Converted()
    for line in text.split("\n"):
        if (task := _TASK.fullmatch(line.strip())) is None:
            made.lines.append(line)
            continue
        made.tags += _TAG.findall(task["words"])
        days = [day for day in (task["first"], task["second"]) if day]
        names = ("completed", "created") if task["done"] else ("created",)
        about = [f"{name}:{day}" for name, day in zip(names, days, strict=False)]
        about += [f"(priority {task['priority']})"] if task["priority"] else []
        words = " ".join([_TAG.sub(r"#\1", task["words"]), *about])
        made.lines.append(f"- [{'x' if task['done'] else ' '}] {words}")
    return made


read_todo_txt: Final = reader_of(converted_todo_txt)
