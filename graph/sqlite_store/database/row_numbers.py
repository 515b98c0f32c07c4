"""Row numbers: each project has a range of its own, so that a search can be kept within it."""

import sqlite3
from typing import Final, Literal

#: A project has 2^40 numbers, and there is room for 2^22 projects.
PROJECT_BITS: Final = 40
#: The range of `:project_id`, for `rowid` and the like; empty for a project that was never written to.
WITHIN_PROJECT: Final = f"""
BETWEEN (SELECT number << {PROJECT_BITS} FROM projects WHERE project_id = :project_id)
    AND (SELECT (number + 1 << {PROJECT_BITS}) - 1 FROM projects WHERE project_id = :project_id)
"""
_LAST: Final = {
    "artifacts": "SELECT max(item) FROM artifacts WHERE item BETWEEN ? AND ?",
    "chunks": "SELECT max(id) FROM chunks WHERE id BETWEEN ? AND ?",
}


def project_number(connection: sqlite3.Connection, project_id: str) -> int:
    """Return the number of a project, giving it one if it has none."""
    find = "SELECT number FROM projects WHERE project_id = ?"
    row = connection.execute(find, (project_id,)).fetchone()
    if row is None:
        sql = "INSERT INTO projects (project_id) VALUES (?) RETURNING number"
        row = connection.execute(sql, (project_id,)).fetchone()
    return int(row[0])


def next_number(connection: sqlite3.Connection, table: Literal["artifacts", "chunks"], project: int) -> int:
    """Return the number of a project's next row, after all it has."""
    first, last = project << PROJECT_BITS, (project + 1 << PROJECT_BITS) - 1
    highest = connection.execute(_LAST[table], (first, last)).fetchone()[0]
    return int(highest or first) + 1
