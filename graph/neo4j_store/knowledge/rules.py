"""`Rules` on Neo4j."""

from datetime import datetime
from typing import Final

from core.knowledge.rules import STANDING_CONTEXTS, TASKS, Rule, RuleQuery
from graph.neo4j_store.cypher import record_cypher as cypher
from graph.neo4j_store.database.connection import Database
from graph.neo4j_store.database.filters import Parameters, current, valid_utf8

_SECONDS_A_DAY: Final = 24 * 60 * 60


class Neo4jRules:
    """Fulfils `graph.protocols.knowledge.Rules`."""

    _database: Database

    def rules(self, project_id: str, query: RuleQuery) -> tuple[list[Rule], int]:
        row, *_ = self._database.rows(cypher.RULES, **current(project_id, query.at), **_parameters(query))
        # What another transaction removes meanwhile has no fields any more.
        return [Rule(*rule) for rule in row["rules"] if None not in rule], row["applying"]

    def rule_scopes(self, project_id: str, at: datetime) -> dict[str, int]:
        rows = self._database.rows(cypher.RULE_SCOPES, **current(project_id, at))
        return {row["scope"]: row["rules"] for row in rows if row["scope"] is not None}


def _parameters(query: RuleQuery) -> Parameters:
    ranking = query.ranking
    return {
        "scopes": valid_utf8(query.scopes),
        "category": query.category,
        "most_tokens": query.most_tokens,
        "limit": query.limit,
        "recent": [[days * _SECONDS_A_DAY, points] for days, points in ranking.recent],
        "long_ago": ranking.long_ago,
        "per_occurrence": ranking.per_occurrence,
        "most_occurrences": ranking.most_occurrences,
        "standing_contexts": list(STANDING_CONTEXTS),
        "standing": ranking.standing,
        "per_word": ranking.per_word,
        "task": TASKS.index(query.task or TASKS[0]),
        "least": round(ranking.least * 1_000_000),
    }
