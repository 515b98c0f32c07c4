"""Lines of a PDF page as a person reads them: wrapped lines joined, and the rows of tables told from text in columns.

A PDF says where each run of text is drawn. Lines of one font, one left edge and one distance are a paragraph; lines
with wide gaps are the rows of a table if their cells follow one another in the file, too, which columns of text do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import hypot
from typing import Final

from pypdf import PageObject

from core.regex import regex

#: Least gap between two cells of a row: in widths of a letter, and in blanks of a page that is set in fixed width.
_GAP_LETTERS: Final = 4.0
_CELLS: Final = regex(r"\S+(?:[ ]{1,2}\S+)*")
#: Average width of a letter in heights of its font.
_LETTER: Final = 0.5
#: Two lines are of one paragraph if they are at most so many font heights apart, begin at most so many farther in or
#: out (more between the first and the next), and their heights differ by at most this share.
_PITCH, _INDENT, _FIRST, _ALIKE = 1.6, 1.0, 3.0, 0.05
#: A line is full if the next word would have made it longer than this share of the longest.
_FULL: Final = 0.95
#: Fewest words of a full line that is joined with one that begins with a capital, and fewest rows of a table.
_WORDS, _ROWS = 3, 2
#: So many blank lines end a table.
_BLANK: Final = 6
#: Most lines of a page that are looked at for one table.
_LONGEST: Final = 100
#: Content that sets the space between words, which pypdf counts only where it lays a page out, and most lines of a page
#: that are compared with how it is laid out.
_SPACED: Final = regex(rb"[1-9][\d.]*\s+Tw\b")
_COMPARED: Final = 2_000
#: A gap within a run that is as wide as a blank: laid out, it is lost where the space between words is wide.
_GAPS: Final = regex(rb"([^\s()\\]{1,9})\)\s*-(?:[2-9]\d\d|\d{4,9})(?:\.\d+)?\s*\(([^\s()\\]{1,9})")
_BLANKS: Final = regex(r"(?<=\S)[ \t]{2,}(?=\S)")
#: Least distance of the left edges of two columns, in font heights.
_COLUMN: Final = 5.0
#: Two blanks are one: what sets a text in lines of one length puts some between words.
_TWO_BLANKS: Final = regex(r"(?<=\S) {2}(?=\S)")
_DIVIDED: Final = regex(r"\w-$")
_ENDED: Final = regex(r"[.!?…。:;|][\"'”’)\]]*\s*$")
_ITEM: Final = regex(r"\s*(?:[-*•‣▪◦–—☐☑✓]|\(?\d{1,3}[.)]|[A-Za-z][.)])\s")


@dataclass(slots=True)
class _Line:
    text: str
    left: float
    height: float
    size: float
    #: Whether it has a gap as wide as those between cells.
    has_gap: bool = False


def page_text(page: PageObject) -> str:
    """Return the text of a page in the order of the file."""
    lines, text = _lines(page)
    if not lines:
        return text
    contents = page.get_contents()
    if len(lines) <= _COMPARED and contents is not None and _SPACED.search(drawn := contents.get_data()):
        _set_blanks(lines, page.extract_text(extraction_mode="layout"), drawn)
    rows = _with_tables(lines, page) if sum(line.has_gap for line in lines) >= _ROWS else lines
    return "\n".join(_paragraphs(rows))


def _lines(page: PageObject) -> tuple[list[_Line], str]:
    """Return the lines with their places, none where the runs do not make up the text, and the text."""
    lines: list[_Line] = []
    current: _Line | None = None
    end = 0.0

    def visit(run: str, matrix: list[float], own: list[float], _font: object, size: float) -> None:
        nonlocal current, end
        if not run:
            return
        left, height, scale = _place(matrix, own)
        size = abs(size * scale) or abs(size)
        first, *others = run.split("\n")
        if current is None:
            current = _Line(first, left, height, size)
        else:
            is_apart = bool(current.text.strip() and first.strip()) and left - end > _GAP_LETTERS * _LETTER * size
            current.has_gap |= is_apart and abs(height - current.height) < size
            if not current.text.strip() and first.strip():
                current.left, current.height, current.size = left, height, size
            current.text += first
        if first.strip():
            end = left + len(first.strip()) * _LETTER * size
        for other in others:
            lines.append(current)
            current = _Line(other, left, height, size)

    text = page.extract_text(visitor_text=visit)
    if current is not None:
        lines.append(current)
    is_whole = "".join("".join(line.text for line in lines).split()) == "".join(text.split())
    return (lines if is_whole else []), text


def _place(matrix: Sequence[float], own: Sequence[float]) -> tuple[float, float, float]:
    """Return how far along its direction a run begins, how far above it, and the scale of its letters.

    The direction is to the right, but for pages that are printed sideways.
    """
    along, up = own[0] * matrix[0] + own[1] * matrix[2], own[0] * matrix[1] + own[1] * matrix[3]
    x = own[4] * matrix[0] + own[5] * matrix[2] + matrix[4]
    y = own[4] * matrix[1] + own[5] * matrix[3] + matrix[5]
    length = hypot(along, up) or 1.0
    scale = hypot(own[2] * matrix[0] + own[3] * matrix[2], own[2] * matrix[1] + own[3] * matrix[3])
    return (x * along + y * up) / length, (y * along - x * up) / length, scale


def _set_blanks(lines: Sequence[_Line], laid_out: str, drawn: bytes) -> None:
    """Give each line the blanks that the page has between the same letters where it is laid out."""
    letters = _letters(laid_out)
    begins: set[int] = set()
    at = 0
    for word in laid_out.split():
        begins.add(at)
        at += len(word)
    for gap in islice(_GAPS.finditer(drawn), _COMPARED):
        before, after = (part.decode("latin-1") for part in gap.groups())
        begins.add(letters.find(before + after) + len(before))
    for line in lines:
        own = _letters(line.text)
        begin = letters.find(own)
        if own and begin >= 0:
            text = "".join(f" {sign}" if begin + at in begins and at else sign for at, sign in enumerate(own))
            line.text = text if not line.has_gap else line.text


def _paragraphs(lines: Sequence[_Line]) -> Iterator[str]:
    """Yield paragraphs and other lines; the lines of a paragraph are joined, but for words divided at a line's end."""
    text = ""
    last: list[_Line] = []
    for block in _blocks(lines):
        longest = max(len(line.text.strip()) for line in block)
        is_wrapped = any(_goes_on(above.text, line.text) for above, line in pairwise(block))
        first = _TWO_BLANKS.sub(" ", block[0].text)
        if last and not _is_next_column(last, block):
            yield text
        text = _joined(text, first) if last and _is_next_column(last, block) else first
        for above, line in pairwise(block):
            follows = _goes_on(above.text, line.text) or (is_wrapped and _is_full(above.text, line.text, longest))
            text = _joined(text, line.text) if follows else f"{text}\n{_TWO_BLANKS.sub(' ', line.text)}"
        last = block
    if last:
        yield text


def _joined(text: str, line: str) -> str:
    """Return a text that goes on with a line: after a hyphen it is for the reader of the whole text to join a word."""
    end, line = text.rstrip(), _BLANKS.sub(" ", line.lstrip())
    is_divided = end.endswith("\u00ad") or (end.endswith("-") and line[:1].islower())
    joint = "\n" if is_divided else "" if _DIVIDED.search(end) else " "
    return f"{end}{joint}{line}"


def _is_next_column(last: Sequence[_Line], block: Sequence[_Line]) -> bool:
    """Whether the paragraph at the end of a column goes on at the head of the next."""
    above, line = last[-1], block[0]
    is_text = len(last) > 1 and len(block) > 1 and abs(above.size - line.size) < _ALIKE * max(above.size, line.size)
    is_beside = line.height > above.height and line.left > above.left + _COLUMN * line.size
    return is_text and is_beside and _goes_on(above.text, line.text)


def _blocks(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield lines that may be of one paragraph by their places."""
    block: list[_Line] = []
    for line in lines:
        if block and not _is_below(block[-1], line, is_first=len(block) == 1):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _is_below(above: _Line, line: _Line, *, is_first: bool) -> bool:
    size = max(above.size, line.size)
    indent = _FIRST if is_first and _goes_on(above.text, line.text) else _INDENT
    is_alike = abs(above.size - line.size) < _ALIKE * size and abs(above.left - line.left) <= indent * size
    is_text = not (above.has_gap or line.has_gap) and bool(above.text.strip() and line.text.strip())
    return is_text and is_alike and 0 < above.height - line.height <= _PITCH * size


def _goes_on(above: str, line: str) -> bool:
    """Whether a line begins in the middle of a sentence."""
    return line.lstrip()[:1].islower() and not _ENDED.search(above) and not _ITEM.match(line)


def _is_full(above: str, line: str, longest: int) -> bool:
    """Whether a line was wrapped where the next word did not fit."""
    word = line.split(maxsplit=1)[0]
    is_text = len(above.split()) >= _WORDS and not _ENDED.search(above) and not _ITEM.match(line)
    return is_text and len(above.strip()) + 1 + len(word) > _FULL * longest


def _with_tables(lines: Sequence[_Line], page: PageObject) -> list[_Line]:
    """Return the lines with the rows of each table in the form of Markdown's."""
    found = list(lines)
    laid_out = page.extract_text(extraction_mode="layout").split("\n")
    at = 0
    while at < len(laid_out):
        head = _letters(laid_out[at])
        begin = next((i for i, line in enumerate(found) if line.has_gap and _letters(line.text) == head), None)
        length, rows, end = (0, [], 0) if begin is None else _table(laid_out[at : at + _LONGEST], found, begin)
        if begin is not None and rows:
            first = found[begin]
            table = [_Line(f"| {' | '.join(row)} |", first.left, first.height, first.size) for row in rows]
            found[begin:end] = [_Line("", 0, 0, 0), *table, _Line("", 0, 0, 0)]
        at += length or 1
    return found


def _table(laid_out: Sequence[str], lines: Sequence[_Line], begin: int) -> tuple[int, list[list[str]], int]:
    """Return how many lines of a page the table takes that begins with them, its rows, and where it ends in `lines`.

    The cells of its first row are in one line of the file, which those of columns of text are not.
    """
    columns = _spans(laid_out[0])
    states = [columns]
    for number, line in enumerate(laid_out[1:] if len(columns) >= _ROWS else (), 1):
        is_over = not any(above.strip() for above in laid_out[max(0, number - _BLANK) : number])
        if is_over or (widened := _widened(columns, _spans(line))) is None:
            break
        columns = widened
        states.append(columns)
    for length in range(len(states), 1, -1):
        group = [line for line in laid_out[:length] if line.strip()]
        if laid_out[length - 1].strip() and len(rows := _rows(group, states[length - 1])) >= _ROWS:
            end = _end(lines, begin, sorted(_letters("".join(group))))
            if end is not None:
                return length, rows, end
    return 0, [], 0


def _end(lines: Sequence[_Line], begin: int, letters: Sequence[str]) -> int | None:
    """Return behind which line of the file these letters are complete, None if others are among them."""
    held = ""
    for end, line in enumerate(lines[begin:], begin + 1):
        held += _letters(line.text)
        if len(held) >= len(letters):
            return end if sorted(held) == letters else None
    return None


def _spans(line: str) -> list[tuple[int, int]]:
    return [cell.span() for cell in _CELLS.finditer(line)]


def _widened(columns: Sequence[tuple[int, int]], cells: Sequence[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """Return the columns with the cells of a line, None if a cell is in none of them or in two."""
    widened = list(columns)
    is_full = len(cells) == len(columns)
    for number, (begin, end) in enumerate(cells):
        touched = [at for at, column in enumerate(columns) if begin <= column[1] and column[0] <= end]
        if len(touched) > 1 or (not touched and not is_full) or (is_full and touched not in ([], [number])):
            return None
        at = number if is_full else touched[0]
        widened[at] = (min(begin, widened[at][0]), max(end, widened[at][1]))
    return widened if all(left[1] < right[0] for left, right in pairwise(widened)) else None


def _rows(group: Sequence[str], columns: Sequence[tuple[int, int]]) -> list[list[str]]:
    """Return the cells of each row; a line that goes on with fewer cells belongs to the row above."""
    rows: list[list[str]] = []
    for line in group:
        cells = [" ".join(line[begin:end].split()) for begin, end in columns]
        filled = [cell for cell in cells if cell]
        if rows and len(filled) < len(columns) and (not cells[0] or all(cell[0].islower() for cell in filled)):
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return rows


def _letters(text: str) -> str:
    return "".join(text.split())
