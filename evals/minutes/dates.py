"""Whether every file of the folder is taken, and has the day that careful readers gave it."""

import json
import re
from pathlib import Path
from typing import Final

from core.dates import now
from core.filters import Filters
from evals.figures import Figure, Row, Table
from evals.minutes.documents import Minutes
from evals.minutes.intake import PROJECT, TakenIn
from service.app import App

#: The day or month in a file's name, which is as right as the readers' where the two differ.
_IN_NAME: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?!\d)")
_TAKEN, _RIGHT = 1.0, 0.97
_TITLE: Final = "Dates of real minutes"


def dates(material: Minutes, folder: Path, stored: TakenIn, app: App) -> Table:
    """Return the share of files taken, and that of annotated ones whose item's date begins with the readers' day."""
    items = app.store.newest(PROJECT, Filters(at=now()), len(material.documents))
    by_name = {Path(item.memory.file_path or "").name: item.memory.date or "" for item in items}
    wanted = {
        path.stem: day
        for path in sorted(folder.glob("marks/*.json"))
        if (day := json.loads(path.read_text(encoding="utf-8")).get("date")) is not None
    }
    right = {name: _is_right(name, by_name[name], day) for name, day in wanted.items()}
    taken = tuple(float(document.name not in stored.refused) for document in material.documents)
    figures = [Figure("taken", taken, _TAKEN)]
    if right:
        figures.append(Figure("day", tuple(map(float, right.values())), _RIGHT))
    wrong = ", ".join(f"{name} {by_name[name] or 'no date'}" for name, is_right in right.items() if not is_right)
    note = f"{len(taken)} files, {len(right)} with a day or month by readers. Wrong: {wrong or 'none'}."
    return Table(_TITLE, note, (Row("as shipped", tuple(figures)),), compared=False)


def _is_right(name: str, day: str, wanted: str) -> bool:
    named = _IN_NAME.search(name)
    return day.startswith(wanted) or (named is not None and day.startswith(named[0]))
