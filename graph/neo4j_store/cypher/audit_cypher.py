"""The Cypher of the audit trail."""

from typing import Final, LiteralString

WRITE: Final = "UNWIND $entries AS entry CREATE (t:AuditEntry:Internal) SET t = entry"
_ENTRIES: Final = """
t.number > 0 AND ($since IS NULL OR t.at >= $since)
RETURN t {.act, .by, .client, .project_id, .things, .ids,
    at: t.at.epochMillis * 1000 + t.at.microsecond % 1000} AS entry
ORDER BY t.number DESC LIMIT $limit
"""
READ_ALL: Final[LiteralString] = f"MATCH (t:AuditEntry) WHERE {_ENTRIES}"
READ_PROJECT: Final[LiteralString] = f"MATCH (t:AuditEntry) WHERE t.project_id = $project_id AND {_ENTRIES}"
#: What goes ends before the first entry that is to stay, in the order of writing.
ROTATE: Final = """
MATCH (t:AuditEntry) WITH t.number AS number, t.at AS at ORDER BY number DESC
WITH collect(number) AS numbers, min(CASE WHEN at >= $before THEN number END) AS first
WITH coalesce(first, numbers[0] + 1) AS first, coalesce(numbers[$most] + 1, 0) AS longest
MATCH (t:AuditEntry) WHERE t.number < first OR t.number < longest
DELETE t RETURN count(*) AS dropped
"""
