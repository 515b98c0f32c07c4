"""Tables whose header says that their rows are actions, decisions or risks: what, who, by when.

A row is a line between pipes below a header, or a line of fields as tables of files are kept: "Task: …; Owner: …".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from core.knowledge.findings import Category, Span
from core.regex import regex

_Column = Literal["what", "who", "when", "status", "text"]

_RULE: Final = regex(r"[\s:|+-]+")
_WHAT: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    ("Decision", regex(
        r"decisions?(?: items?| points?| taken| made)?|resolutions?|agreed|what (?:was|we) decided|"
        r"beschl(?:uss|üsse)|entscheidung(?:en)?|décisions?|decisi(?:ón|ones)|decision[ei]|besluit(?:en)?|deci[sz][õo]es|decisão|decyzj[ae]|uchwał[ay]|решени[ея]|"
        r"决议|决定|決議|決定|决策|결정", re.I)),
    ("QualityRisk", regex(r"risks?|issues?|concerns?|problems?|blockers?", re.I)),
    ("Commitment", regex(r"(?:next )?actions?(?: items?| points?)?|tasks?|to-?dos?|next steps?|deliverables?|"
        r"commitments?|what|follow[- ]?ups?|measures?|assignments?|aufgaben?|ma(?:ß|ss)nahmen?|zu erledigen|tâches?|"
        r"à faire|tareas?|acci(?:ón|ones)|attività|azion[ei]|t(?:aak|aken)|acties?|tarefas?|aç(?:ão|ões)|"
        r"zadani[ea]|działani[ea]|задач[аи]|поручени[ея]|compit[oi]|actiepunt(?:en)?|"
        r"任务|事项|待办(?:事项)?|行动(?:项|事项)?|工作内容|任務|タスク|作業|アクション|할 ?일|과제|업무", re.I)),
)  # fmt: skip
_COLUMNS: Final[tuple[tuple[_Column, re.Pattern[str]], ...]] = (
    ("who", regex(r"(?:action |task )?owners?|who|responsible|assignees?|assigned(?: to)?|lead|by whom|persons?|"
        r"name|by|decided by|decision maker|action by|(?:person )?in charge|accountable|lead person|"
        r"verantwortlich(?:er?)?|zuständig(?:er?)?|wer|responsables?|qui|quién|encargad[oa]|responsabile|chi|"
        r"verantwoordelijke?|wie|responsável|quem|odpowiedzialn[yia]|kto|ответственный|исполнитель|кто|"
        r"actiehouder|pilote|负责人|责任人|责任者|担当者?|負責人|담당자?", re.I)),
    ("when", regex(r"due(?: date| by)?|when|deadline|by when|date|until|target(?: date)?|eta|finish by|"
        r"by(?: date)?|latest|bis(?: wann)?|fällig(?: am| bis)?|termin|frist|datum|échéance|délai|pour le|date limite|"
        r"fecha(?: límite)?|plazo|scadenza|entro|deadline|uiterlijk|wanneer|prazo|quando|data|até|"
        r"do kiedy|kiedy|срок|дата|до|quand|cuándo|截止(?:日期|时间)?|期限|"
        r"完成(?:日期|时间)|期日|締切|기한|마감일?", re.I)),
    ("status", regex(r"status|state|done\??|outcome|stand|statut|état|estado|stato|статус|stan|"
        r"状态|状態|상태", re.I)),
    ("text", regex(r"descriptions?|details?|text|summary|wording", re.I)),
)  # fmt: skip
_DONE: Final = regex(
    r"\W*(?:done|closed|completed?|finished|yes|erledigt|ja|fait|terminé|hecho|fatto|feito|gedaan|zrobione|сделано|выполнено|完成|已完成|完了|완료|✓|✔|✅|x)\W*",
    re.I,
)
_GONE: Final = regex(r"\W*(?:cancell?ed|dropped|obsolete|rejected|superseded|deprecated|withdrawn)\b.*", re.I)
#: A decision that is not taken yet; an action is none the less one.
_UNSETTLED: Final = regex(r"\W*(?:proposed|draft|deferred|open|pending|postponed|in discussion)\b.*", re.I)
#: What is put to the vote, what came of it, and the words of that.
_PUT: Final = regex(r"motions?|proposals?|recommendations?|requests?", re.I)
_RESULT: Final = regex(r"results?|outcomes?|status|votes?|verdicts?|decisions?", re.I)
_VERDICT: Final = regex(
    r"\W*(?:unanimously )?(?:accepted|approved|adopted|carried|passed|agreed|rejected|declined|defeated|failed|"
    r"lost)\b.*",
    re.I,
)
#: Fewest fields of a line that is a row.
_FEWEST_FIELDS: Final = 2
#: The title of a column that only counts.
_NUMBER: Final = regex(r"\W*(?:no|nr|id|ref|item no|key|prio(?:rity)?|)\W*", re.I)
#: A cell that only counts.
_ONLY_NUMBER: Final = regex(r"(?:[A-Za-z]{1,4})?[\W\d]*")
_STRUCK: Final = regex(r"\s*~~.*~~.*")
_NOTHING: Final = regex(
    r"[\s~?.–—-]*+(?:none|n/?a|tbd|tba|(?:grand |sub-?)?totals?|sum|summe|gesamt|totale)?[\s:.–—-]*+", re.I
)
#: The name of a field in a line of them, at its beginning or after a semicolon.
_FIELD: Final = regex(r"(?:\A|; )([^:;\n]{1,60}): ")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of such a table: what is to be done, was decided or is feared, and the cells of whose it is and by when."""

    category: Category
    what: Span
    who: Span | None
    when: Span | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table; `category` is None if it is of another kind, and its rows then say nothing."""

    category: Category | None
    columns: tuple[_Column | None, ...]
    #: Of what was put to the vote, and what came of it.
    of_verdicts: bool = False

    def who(self, content: str, start: int, end: int) -> Span | None:
        """Return the cell of the row at `content[start:end]` that says who; None if no column does."""
        cells = zip(self.columns, _cells(content, start, end), strict=False)
        return next((cell for column, cell in cells if column == "who"), None)

    def row(self, content: str, start: int, end: int) -> Row | None:
        """Read the row at `content[start:end]`; None for a rule, an empty row, and what is no longer so."""
        return None if _RULE.fullmatch(content, start, end) else self.read(content, _cells(content, start, end))

    def read(self, content: str, cells: Sequence[Span]) -> Row | None:
        """Read the cells of a row, a cell for each column."""
        if self.category is None:
            return None
        by_column = {column: cell for column, cell in zip(self.columns, cells, strict=False) if column}
        what, status = by_column.get("what"), by_column.get("status")
        if self.of_verdicts:
            if what is None or status is None or status.start_char < what.start_char:
                return None
            if _VERDICT.fullmatch(content, status.start_char, status.end_char) is None:
                return None
            return Row("Decision", Span(what.start_char, status.end_char), by_column.get("who"))
        if what is not None and "text" in by_column and _ONLY_NUMBER.fullmatch(content, what.start_char, what.end_char):
            what = by_column["text"]
        if what is None or _NOTHING.fullmatch(content, what.start_char, what.end_char):
            return None
        said = "" if status is None else content[status.start_char : status.end_char]
        until = by_column.get("when")
        if not said and until is not None and _DONE.fullmatch(content, until.start_char, until.end_char):
            said = "done"
        finished = _DONE.fullmatch(said) or _STRUCK.fullmatch(content, what.start_char, what.end_char)
        if self.category == "Commitment" and finished:
            return Row("Execution", what, by_column.get("who"))
        if _GONE.fullmatch(said) or (self.category == "Decision" and _UNSETTLED.fullmatch(said)):
            return None
        return Row(self.category, what, by_column.get("who"), until)


def table(content: str, start: int, end: int) -> Table:
    """Read the header row of a table."""
    return _table(content, _cells(content, start, end))


def record(content: str, start: int, end: int) -> list[Row] | None:
    """Return the row that a line of fields is, if it still says something; None if it is no row of such a table."""
    names = list(_FIELD.finditer(content[start:end]))
    if len(names) < _FEWEST_FIELDS or names[0].start():
        return None
    header = _table(content, [Span(start + name.start(1), start + name.end(1)) for name in names])
    stops = [*(name.start() for name in names[1:]), end - start]
    cells = [Span(start + name.end(), start + stop) for name, stop in zip(names, stops, strict=True)]
    if header.category is not None:
        row = header.read(content, cells)
        return [] if row is None else [row]
    what = cells[header.columns.index("what")] if "what" in header.columns else None
    return [] if what and _NOTHING.fullmatch(content, what.start_char, what.end_char) else None


def _table(content: str, cells: Sequence[Span]) -> Table:
    category: Category | None = None
    columns: list[_Column | None] = []
    titles = [content[cell.start_char : cell.end_char].strip(" *_") for cell in cells]
    if any(map(_PUT.fullmatch, titles)) and any(map(_RESULT.fullmatch, titles)):
        for title in titles:
            known: tuple[tuple[_Column, re.Pattern[str]], ...] = (("what", _PUT), ("status", _RESULT), *_COLUMNS[:1])
            columns.append(next((one for one, fits in known if one not in columns and fits.fullmatch(title)), None))
        return Table("Decision", tuple(columns), of_verdicts=True)
    for title in titles:
        what = next((found for found, pattern in _WHAT if pattern.fullmatch(title)), None)
        if what is not None and category is None:
            category = what
            columns.append("what")
        else:
            fits = (found for found, pattern in _COLUMNS if found not in columns and pattern.fullmatch(title))
            columns.append(next(fits, None))
    if category is None and {"who", "when"} <= set(columns):
        named = (at for at, cell in enumerate(cells) if columns[at] is None and not _is_number(content, cell))
        at = next(named, None)
        category = None if at is None else "Commitment"
        columns = [column if place != at else "what" for place, column in enumerate(columns)]
    told = category is not None and (category != "Commitment" or "who" in columns or "when" in columns)
    return Table(category if told else None, tuple(columns))


def _is_number(content: str, cell: Span) -> bool:
    return _NUMBER.fullmatch(content, cell.start_char, cell.end_char) is not None


def _cells(content: str, start: int, end: int) -> list[Span]:
    """Return the cells of a row between its pipes, without the blanks around them; empty ones keep their place."""
    found, at = [], content.find("|", start, end) + 1
    while at < end:
        cut = content.find("|", at, end)
        stop = end if cut < 0 else cut
        if cut >= 0 or content[at:stop].strip():
            first = at + len(content[at:stop]) - len(content[at:stop].lstrip())
            found.append(Span(min(first, stop), max(min(first, stop), at + len(content[at:stop].rstrip()))))
        at = stop + 1
    return found
