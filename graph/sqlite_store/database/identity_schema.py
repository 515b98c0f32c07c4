"""The tables of identities: pairs of entities that may be one, and what people decide about entities."""

from typing import Final

IDENTITIES: Final = """
CREATE TABLE likenesses (
    project_id TEXT NOT NULL,
    one INTEGER NOT NULL REFERENCES nodes (node) ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES nodes (node) ON DELETE CASCADE,
    confidence REAL NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (one, other)
) WITHOUT ROWID;
CREATE INDEX likenesses_by_other ON likenesses (other);
CREATE INDEX likenesses_by_confidence ON likenesses (project_id, confidence DESC);
CREATE TABLE verdicts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    one TEXT NOT NULL,
    other TEXT NOT NULL,
    at INTEGER NOT NULL,
    by TEXT,
    note TEXT,
    name_hash TEXT,
    artifact_id TEXT,
    undone_at INTEGER,
    undone_by TEXT,
    UNIQUE (project_id, id)
);
"""

#: A decision may give an entity a name, which its row has as long as the decision holds. `main` weighs a claimed name.
DECIDED_NAMES: Final = """
ALTER TABLE verdicts ADD COLUMN name TEXT;
ALTER TABLE entities ADD COLUMN given_name TEXT;
DROP INDEX claims_by_length;
"""
