"""Sheets: questions with what `recall` answered, for a careful reader, and the scores of what the reader wrote.

A folder of sheets holds `sheet-N.md` for the reader, `answers-N.jsonl` to fill in, and `gold.jsonl`, which the reader
does not open. A line of `answers-N.jsonl` is `{"id": …, "answer": …}`; a second reader, who compares it with the gold,
adds `"mark"`: 1 right, 0.5 half of it, 0 wrong. What the sheets do not say is answered "not known".
"""

import json
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import snowballstemmer

from core.errors import InvalidInput
from evals.answer_questions import Asked, by_kind
from evals.datasets import KINDS
from evals.figures import Figure, Row, Table
from retrieval.messages.markdown import fence

#: Questions of one sheet.
_SHEET: Final = 25
#: The kind of which twice as many questions are read, since most answers to it are incomplete.
_HARD: Final = KINDS[1]
_FORMS: Final = "answers*.jsonl"
_NOT_KNOWN: Final = "not known"
_ARTICLES: Final = re.compile(r"\b(?:a|an|the|and)\b")
_STEMMER: Final = snowballstemmer.stemmer("porter")
_HEAD: Final = (
    "Answer each question from the text under it alone, in as few words as say it all. Write into {}; "
    f'where the text does not say it: "{_NOT_KNOWN}".\n'
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A question with the text that a reader has, and its gold answer, which is "not known" of an adversarial one."""

    id: str
    kind: str
    query: str
    gold: str
    text: str

    @classmethod
    def of(cls, asked: Asked, text: str) -> Self:
        """Make one of a question and the text that answers it."""
        gold = _NOT_KNOWN if asked.is_adversarial else asked.gold
        return cls(asked.id, asked.kind, asked.query, gold, text)


def spread(asked: Sequence[Asked], number: int) -> list[Asked]:
    """Return about so many questions, as many of each kind but twice as many multi-hop ones, evenly spread in order."""
    kinds = by_kind(asked)
    share = number / max(1, len(kinds) + (_HARD in kinds))
    chosen = []
    for kind, some in kinds.items():
        count = min(len(some), round(share * (1 + (kind == _HARD))))
        chosen += [some[place * len(some) // count] for place in range(count)]
    return chosen


def write_sheets(folder: Path, sheets: Sequence[Sheet]) -> None:
    """Write the sheets, each with questions of all kinds and a form to fill in, and the gold.

    Raises:
        InvalidInput: the folder has answers already.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob(_FORMS)):
        raise InvalidInput(f"{str(folder)!r} has answers already: name a new folder for the sheets.")
    count = -(-len(sheets) // _SHEET)
    for number in range(count):
        some, form = sheets[number::count], f"answers-{number + 1}.jsonl"
        parts = [f"## {one.id}\n\n{one.query}\n\n{fence(one.text)}\n" for one in some]
        (folder / f"sheet-{number + 1}.md").write_text("\n".join([_HEAD.format(form), *parts]), encoding="utf-8")
        _write_lines(folder / form, [{"id": one.id, "answer": ""} for one in some])
    gold = [{"id": one.id, "kind": one.kind, "question": one.query, "gold": one.gold} for one in sheets]
    _write_lines(folder / "gold.jsonl", gold)


def score(folder: Path) -> list[Table]:
    """Return how right the answers of a folder of sheets are, by kind of question; those left empty do not count.

    Raises:
        InvalidInput: a file is missing, or an answer has an unknown id.
    """
    gold = {one["id"]: one for one in _read_lines(folder / "gold.jsonl")}
    kinds: dict[str, list[tuple[float, float | None]]] = {}
    for written in (line for form in sorted(folder.glob(_FORMS)) for line in _read_lines(form)):
        if written["id"] not in gold:
            raise InvalidInput(f"An answer has the id {written['id']!r}, which gold.jsonl has not: keep the ids.")
        wanted = gold[written["id"]]
        if written["answer"]:
            scored = token_f1(written["answer"], wanted["gold"]), written.get("mark")
            for name in ("all", wanted["kind"]):
                kinds.setdefault(name, []).append(scored)
    rows = tuple(Row(name, _scores(some)) for name, some in kinds.items())
    note = f"Answers from what is shown alone. Of {len(gold)} questions {len(kinds.get('all', ()))} have an answer."
    return [Table("What a reader makes of the default answers", note, rows, compared=False)]


def _scores(some: Sequence[tuple[float, float | None]]) -> tuple[Figure, ...]:
    marks = tuple(float(mark) for _, mark in some if mark is not None)
    return Figure("token F1", tuple(f1 for f1, _ in some)), Figure("right, by a second reader", marks)


def token_f1(written: str, gold: str) -> float:
    """Return the F1 of the stems that both have: case, articles and punctuation do not count.

    As LoCoMo scores answers (Maharana et al., 2024, arXiv 2402.17753), after SQuAD.
    """
    mine, its = Counter(_stems(written)), Counter(_stems(gold))
    common = sum((mine & its).values())
    return 2 * common / (mine.total() + its.total()) if common else float(mine == its)


def _stems(text: str) -> list[str]:
    plain = text.lower().translate(str.maketrans("", "", string.punctuation))
    stems: list[str] = _STEMMER.stemWords(_ARTICLES.sub(" ", plain).split())
    return stems


def _write_lines(path: Path, rows: Sequence[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _read_lines(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} can't be read ({error}): --score takes a folder of --sheets.") from error
