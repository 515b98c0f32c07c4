"""The Cypher of the ledger."""

from typing import Final, LiteralString

from core.knowledge.findings import LedgerRelation
from graph.neo4j_store.cypher.record_cypher import UNEXPIRED
from graph.neo4j_store.cypher.schema_cypher import compared, later, then

_RELATIONS: Final = "SUPERSEDES|COMPLETES|CANCELS"
#: What `core.knowledge.ledger.LINKED_STATUS` says, and in its order.
_LINKED: Final = """
CASE type(l) WHEN 'SUPERSEDES' THEN 'superseded' WHEN 'COMPLETES' THEN 'done' ELSE 'cancelled' END
"""
_FIRST: Final = "CASE type(l) WHEN 'SUPERSEDES' THEN 0 WHEN 'COMPLETES' THEN 1 ELSE 2 END"
_DECLARED: Final = "MATCH (r:Resolution) WHERE r.project_id = v.project_id AND r.event_id = v.id"
_BEARING: Final = f"MATCH (v)<-[l:{_RELATIONS}]-(:Event)-[:EVIDENCED_BY]->(w:Artifact)"
_LEADING: Final = f"{_BEARING} WHERE w.replaced_by IS NULL"


def _current_then(item: LiteralString) -> LiteralString:
    """Return the condition that an artifact was no revision as of `$as_of`."""
    return f"""
({item}.replaced_by IS NULL OR EXISTS {{
    MATCH (n:Artifact) WHERE n.project_id = {item}.project_id AND n.id = {item}.replaced_by AND {later("n")} }})
"""


_LEADING_THEN: Final = f"{_BEARING} WHERE {then('w')} AND {_current_then('w')}"
#: The status of an event `v`.
STATUS: Final = f"""
coalesce(
    head(COLLECT {{ {_DECLARED} RETURN r.status ORDER BY r.at DESC, r.number DESC LIMIT 1 }}),
    head(COLLECT {{ {_LEADING} RETURN {_LINKED} ORDER BY {_FIRST} LIMIT 1 }}),
    v.first_status
)
"""
#: The same as of `$as_of`.
STATUS_THEN: Final = f"""
coalesce(
    head(COLLECT {{ {_DECLARED} AND r.at <= $as_of RETURN r.status ORDER BY r.at DESC, r.number DESC LIMIT 1 }}),
    head(COLLECT {{ {_LEADING_THEN} RETURN {_LINKED} ORDER BY {_FIRST} LIMIT 1 }}),
    v.first_status
)
"""
REFRESH: Final = f"""
UNWIND $ids AS id MATCH (v:Event {{project_id: $project_id, id: id}}) SET v.status = {STATUS}
"""
LINKED_FROM: Final = f"""
UNWIND $ids AS id MATCH (:Event {{project_id: $project_id, id: id}})-[:{_RELATIONS}]->(v:Event)
RETURN DISTINCT v.id AS id
"""
REFRESH_LINKED_FROM: Final = f"""
MATCH (:Artifact {{project_id: $project_id, id: $id}})<-[:EVIDENCED_BY]-(:Event)-[:{_RELATIONS}]->(v:Event)
WITH DISTINCT v SET v.status = {STATUS}
"""
LINKS: Final = f"""
UNWIND $ids AS id MATCH (v:Event {{project_id: $project_id, id: id}})-[l:{_RELATIONS}]-(:Event)
WITH DISTINCT l RETURN startNode(l).id AS source, endNode(l).id AS target, type(l) AS relation,
    l.confidence AS confidence ORDER BY source, target, relation
"""
UNLINK: Final = f"""
UNWIND $links AS link
MATCH (:Event {{project_id: $project_id, id: link.source}})-[l:{_RELATIONS}]->(t:Event {{id: link.target}})
WHERE type(l) = link.relation DELETE l
"""
_LINK: Final = """
UNWIND $links AS link
MATCH (s:Event {project_id: $project_id, id: link.source}) MATCH (t:Event {project_id: $project_id, id: link.target})
"""
LINK: Final[dict[LedgerRelation, LiteralString]] = {
    "SUPERSEDES": f"{_LINK} MERGE (s)-[l:SUPERSEDES]->(t) SET l.confidence = link.confidence",
    "COMPLETES": f"{_LINK} MERGE (s)-[l:COMPLETES]->(t) SET l.confidence = link.confidence",
    "CANCELS": f"{_LINK} MERGE (s)-[l:CANCELS]->(t) SET l.confidence = link.confidence",
}
STORED: Final = """
UNWIND $ids AS id MATCH (v:Event {project_id: $project_id, id: id}) RETURN v.id AS id
"""
COUNT_WITH: Final = """
UNWIND $queries AS query
CALL (query) {
    CALL db.index.fulltext.queryNodes('ledger_words', query, {limit: $most_read}) YIELD node
    RETURN count(node) AS number
}
RETURN number
"""
#: Best first, by the weights of the words that an event has.
LIKE: Final = """
UNWIND $weights AS weighted
CALL (weighted) {
    CALL db.index.fulltext.queryNodes('ledger_words', weighted[0], {limit: $most_read}) YIELD node RETURN node AS v
}
WITH v, sum(weighted[1]) AS score WHERE v.project_id = $project_id AND v.id <> $id AND v.category IN $categories
    AND EXISTS { MATCH (v)-[:EVIDENCED_BY]->(a:Artifact) WHERE a.replaced_by IS NULL }
WITH v, score ORDER BY score DESC, v.id LIMIT $limit RETURN collect(v.id) AS ids
"""
ORIGINS: Final = """
UNWIND $ids AS id MATCH (:Event {project_id: $project_id, id: id})-[p:EVIDENCED_BY]->(s:Artifact)
WITH id, s ORDER BY p.position WITH id, head(collect(s)) AS a
RETURN id, a.id AS artifact_id, a.happened_at.epochMillis * 1000 + a.happened_at.microsecond % 1000 AS written_at,
    a.utc_offset AS utc_offset, a.context AS context, coalesce(a.key, a.title) AS topic, a.replaced_by AS successor,
    a.file_path AS file_path, a.title AS title
"""
RESOLVE: Final = """
OPTIONAL MATCH (former:Resolution) WHERE former.project_id = $project_id AND former.event_id = $event_id
WITH coalesce(max(former.number), 0) + 1 AS number
CREATE (r:Resolution:Internal {project_id: $project_id, id: $event_id + '/' + toString(number), number: number})
SET r += $properties
"""
RESOLUTIONS: Final = """
UNWIND $ids AS id MATCH (r:Resolution) WHERE r.project_id = $project_id AND r.event_id = id
RETURN id, r.status AS status, r.at.epochMillis * 1000 + r.at.microsecond % 1000 AS at, r.note AS note,
    r.number AS number ORDER BY at, number
"""
#: Resolutions of events with other evidence stay, with the artifact of that.
DROP_RESOLUTIONS: Final = """
UNWIND $ids AS id MATCH (r:Resolution) WHERE r.project_id = $project_id AND r.artifact_id = id
SET r.artifact_id = coalesce(head(COLLECT {
    MATCH (:Event {project_id: $project_id, id: r.event_id})-[:EVIDENCED_BY]->(a:Artifact)
    WHERE NOT a.id IN $ids RETURN a.id ORDER BY a.id LIMIT 1
}), '')
WITH r WHERE r.artifact_id = '' DELETE r
"""
STATUSES: Final = f"""
UNWIND $ids AS id MATCH (v:Event {{project_id: $project_id, id: id}}) RETURN id, {STATUS} AS status
"""
STATUSES_THEN: Final = f"""
UNWIND $ids AS id MATCH (v:Event {{project_id: $project_id, id: id}}) RETURN id, {STATUS_THEN} AS status
"""

# --- A page: put together by `ledger.page_of` ---

ALL: Final = """
MATCH (v:Event) WHERE v.project_id = $project_id AND v.category = $category AND v.listed_at IS NOT NULL
WITH v, 0 AS shared
"""
WITH_WORDS: Final = """
CALL db.index.fulltext.queryNodes('ledger_words', $query) YIELD node AS v WHERE v.project_id = $project_id
WITH v, size([stem IN $stems WHERE stem IN split(v.words, ' ')]) AS shared WHERE shared >= $shared RETURN v, shared
"""
ABOUT: Final = """
UNWIND $about AS id MATCH (:Entity {project_id: $project_id, id: id})<-[:ABOUT]-(v:Event)
RETURN v, size($stems) AS shared
"""
OF_TOPIC: Final = "WITH v, max(shared) AS shared WHERE v.category = $category WITH v, shared"
#: Each condition, by the field of `LedgerQuery` that asks for it.
CONDITIONS: Final[dict[str, LiteralString]] = {
    "date_from": compared("v.event_time", "v.time_offset", ">=", "ledger_date_from"),
    "date_to": compared("v.event_time", "v.time_offset", "<=", "ledger_date_to"),
    "due_before": f"""
        (coalesce({compared("v.due_at", "v.due_offset", "<", "ledger_due_before")}, false)
            OR v.due_at IS NULL AND EXISTS {{
                MATCH (v)-[w:EVIDENCED_BY]->() WHERE any(said IN $weekly WHERE toLower(w.quote) CONTAINS said)
            }})
    """,
}
_STALE: Final = f"""
CASE WHEN v.due_at IS NOT NULL THEN {compared("v.due_at", "v.due_offset", "<", "ledger_stale_before")}
    ELSE {compared("v.event_time", "v.time_offset", "<", "ledger_stale_before")} END
"""
IS_SURE: Final = "v.confidence >= $min_confidence"
STALE: Final[dict[bool, LiteralString]] = {
    True: f"coalesce(v.status = 'open' AND {_STALE}, false)",
    False: f"NOT coalesce(v.status = 'open' AND {_STALE}, false)",
}
STALE_THEN: Final[dict[bool, LiteralString]] = {
    True: f"coalesce({STATUS_THEN} = 'open' AND {_STALE}, false)",
    False: f"NOT coalesce({STATUS_THEN} = 'open' AND {_STALE}, false)",
}
STATUSES_CONDITION: Final = "v.status IN $statuses"
STATUSES_CONDITION_THEN: Final = f"{STATUS_THEN} IN $statuses"
OF_ACTORS: Final = "EXISTS { MATCH (v)<-[:ACTED_IN]-(e:Entity) WHERE e.id IN $actors }"
OF_OWNERS: Final = """
EXISTS { MATCH (v)<-[r:ACTED_IN]-(e:Entity) WHERE e.id IN $actors AND (r.role = 'owner' OR r.role = 'contributor'
    AND NOT EXISTS { MATCH (v)<-[:ACTED_IN {role: 'owner'}]-(:Entity) }) }
"""
OF_RECIPIENTS: Final = "EXISTS { MATCH (v)<-[:ACTED_IN {role: 'recipient'}]-(e:Entity) WHERE e.id IN $recipients }"
#: Instead of `record_cypher.CURRENT`.
CURRENT_OR_LINKED: Final = f"""
(a.listed_in = $project_id AND a.replaced_by IS NULL OR a.project_id = $project_id
    AND EXISTS {{ {_LEADING} }}) AND {UNEXPIRED}
"""
CURRENT_OR_LINKED_THEN: Final = f"""
(a.project_id = $project_id AND ({_current_then("a")} OR EXISTS {{ {_LEADING} }})) AND {UNEXPIRED}
"""
HAS_EVIDENCE: Final = "EXISTS { MATCH (v)-[:EVIDENCED_BY]->(a:Artifact) WHERE CONDITION }"
NEWEST: Final = "v.listed_at DESC, v.id"
SOONEST: Final = "v.due_at IS NULL, v.due_at, v.id"
#: What is not sure enough, and what is stale, is counted with what is listed.
PAGE: Final = """
WITH collect(CASE WHEN is_sure AND is_asked THEN v.id END) AS ids,
    count(CASE WHEN NOT is_sure AND is_asked THEN 1 END) AS held_back,
    count(CASE WHEN is_sure AND NOT is_asked THEN 1 END) AS stale
RETURN size(ids) AS total, ids[$offset..$offset + $limit] AS page, held_back, stale
"""
