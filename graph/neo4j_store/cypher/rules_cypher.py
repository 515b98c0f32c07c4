"""The Cypher of developer memory, named as that of `cypher`.

The model: an `Artifact` that counts as a rule has `rule_scope` and, if it has one, `rule_category`
(core.interface.memory).
"""

from typing import Final

from graph.neo4j_store.cypher.record_cypher import ACTIVE, CURRENT

#: One row, since the driver takes longer for a row than the server for a rule. Points are whole millionths: rounding
#: takes as long as all else.
RULES: Final = f"""
MATCH (a:Artifact) USING INDEX a:Artifact(listed_in, rule_scope)
WHERE a.rule_scope IN $scopes AND {CURRENT} AND {ACTIVE}
    AND ($category IS NULL OR a.rule_category = $category OR a.context = $category)
WITH a, $at.epochSeconds - a.last_occurred.epochSeconds AS age
WITH a, coalesce(head([step IN $recent WHERE age < step[0] | step[1]]), $long_ago) AS recency
WITH a, toInteger(0.5 + 1000000 * (
    $per_occurrence * CASE WHEN a.frequency < $most_occurrences THEN a.frequency ELSE $most_occurrences END
    + CASE WHEN a.context IN $standing_contexts AND recency < $standing THEN $standing ELSE recency END
    + $per_word * toInteger(substring(a.rule_words, $task, 1)))) AS points
WHERE points >= $least
WITH a, points ORDER BY points DESC, a.last_occurred DESC, a.id
WITH collect([a.id, a.context, a.token_count, points / 1000000.0]) AS applying
RETURN size(applying) AS applying, [rule IN applying WHERE rule[2] <= $most_tokens][..$limit] AS rules
"""
RULE_SCOPES: Final = f"""
MATCH (a:Artifact) WHERE a.rule_scope IS NOT NULL AND {CURRENT} AND {ACTIVE}
RETURN a.rule_scope AS scope, count(*) AS rules
"""
