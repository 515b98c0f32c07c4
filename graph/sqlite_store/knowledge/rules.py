"""`Rules` on SQLite."""

from datetime import datetime
from json import dumps
from typing import Final

from core.knowledge.rules import STANDING_CONTEXTS, TASKS, Rule, RuleQuery, RuleWeights
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import CURRENT, Parameters, current

_MICROSECONDS_A_DAY: Final = 24 * 60 * 60 * 1_000_000
# The index holds every column, so that the rows themselves are not read. The first row is how many apply. Points are
# whole millionths, since `round` takes a third of the time; what is not asked is left out for the same reason.
_RULES: Final = f"""
WITH scored AS (
    SELECT a.id, a.context, a.token_count, a.last_occurred, CAST(0.5 + 1000000 * (
        :per_occurrence * min(a.frequency, :most_occurrences)
        + CASE WHEN a.context IN ({", ".join(f"'{context}'" for context in STANDING_CONTEXTS)})
            THEN max({{recency}}, :standing) ELSE {{recency}} END{{words}}) AS INTEGER) AS points
    FROM artifacts a INDEXED BY artifacts_rules
    WHERE {CURRENT} AND a.stashed = 0 AND a.rule_scope IN (SELECT value FROM json_each(:scopes)){{category}}
)
SELECT NULL, NULL, count(*), 0 FROM scored WHERE points >= :least
UNION ALL
SELECT * FROM (
    SELECT id, context, token_count, points / 1000000.0 FROM scored
    WHERE points >= :least AND token_count <= :most_tokens ORDER BY points DESC, last_occurred DESC, id LIMIT :limit
)
"""
_WORDS: Final = " + :per_word * substr(a.rule_words, :task, 1)"
_OF_CATEGORY: Final = " AND (a.rule_category = :category OR a.context = :category)"
_SCOPES: Final = f"""
SELECT a.rule_scope, count(*) FROM artifacts a INDEXED BY artifacts_rules
WHERE {CURRENT} AND a.stashed = 0 AND a.rule_scope IS NOT NULL GROUP BY a.rule_scope
"""


class SqliteRules:
    """Fulfils `graph.protocols.knowledge.Rules`."""

    _database: Database

    def rules(self, project_id: str, query: RuleQuery) -> tuple[list[Rule], int]:
        ranking = query.ranking
        recency, parameters = _recency(ranking)
        parameters |= current(project_id, query.at) | {
            "per_occurrence": ranking.per_occurrence,
            "most_occurrences": ranking.most_occurrences,
            "standing": ranking.standing,
            "per_word": ranking.per_word,
            "least": round(ranking.least * 1_000_000),
            "task": 1 + TASKS.index(query.task or TASKS[0]),
            "scopes": dumps(query.scopes),
            "category": query.category,
            "most_tokens": query.most_tokens,
            "limit": query.limit,
        }
        sql = _RULES.format(
            recency=recency, words=_WORDS if ranking.per_word else "", category=_OF_CATEGORY if query.category else ""
        )
        with self._database.reading() as connection:
            (_, _, applying, _), *rows = connection.execute(sql, parameters)
        return [Rule(*row) for row in rows], applying

    def rule_scopes(self, project_id: str, at: datetime) -> dict[str, int]:
        with self._database.reading() as connection:
            return dict(connection.execute(_SCOPES, current(project_id, at)).fetchall())


def _recency(ranking: RuleWeights) -> tuple[str, Parameters]:
    """Return the points for having occurred lately, as an expression on `a`, and its parameters."""
    parameters: Parameters = {"long_ago": ranking.long_ago}
    steps = []
    for number, (days, points) in enumerate(ranking.recent):
        parameters |= {f"span{number}": days * _MICROSECONDS_A_DAY, f"points{number}": points}
        steps.append(f"WHEN :at - a.last_occurred < :span{number} THEN :points{number}")
    return f"CASE {' '.join(steps)} ELSE :long_ago END" if steps else ":long_ago", parameters
