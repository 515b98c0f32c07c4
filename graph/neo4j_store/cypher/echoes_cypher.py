"""The Cypher of sayings and echoes, named as that of `cypher`.

The model: `Saying` nodes, one for each saying of each item, with its `hash`, and `since` and `first`, the moment and
the number of the first item under the same key that said it; `(Artifact)-[SAYS]->(Saying)` and
`(Artifact)-[ECHOES]->(Artifact)`.
"""

from typing import Final

#: A current item with its sayings.
SAYER: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) WHERE a.replaced_by IS NULL
RETURN a.happened_at.epochMillis * 1000 + a.happened_at.microsecond % 1000 AS since, a.number AS first,
    a.expires_at IS NOT NULL AS expires,
    COLLECT { MATCH (a)-[:SAYS]->(s:Saying) RETURN [s.hash, s.since, s.first] } AS sayings
"""
#: Of the revisions of an item those with sayings, or that a current item echoes: replaced since it was last extracted.
FORMER: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
WHERE EXISTS { (a)-[:SAYS]->(:Saying) } OR EXISTS { (a)<-[:ECHOES]-(e:Artifact) WHERE e.replaced_by IS NULL }
RETURN a.id AS id, COLLECT { MATCH (a)-[:SAYS]->(s:Saying) RETURN [s.hash, s.since, s.first] } AS sayings
"""
DROP_SAYINGS: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})-[:SAYS]->(s:Saying) DETACH DELETE s
"""
PUT_SAYINGS: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $sayings AS saying
CREATE (a)-[:SAYS]->(:Saying:Internal {project_id: $project_id, id: $id + ':' + toString(saying[0]), artifact_id: $id,
    hash: saying[0], since: saying[1], first: coalesce(saying[2], a.number)})
"""
ECHOING: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:ECHOES]-(a:Artifact)
WHERE a.replaced_by IS NULL RETURN DISTINCT a.id AS id, a.num_chunks AS num_chunks ORDER BY id
"""
# Who says it, found first and by itself: of a database that was empty a moment ago the server would rather read all
# sayings for each one than look it up, and join them with the items.
_SAYINGS: Final = """
MATCH (s:Saying) USING INDEX SEEK s:Saying(project_id, hash, since, first)
WHERE s.project_id = $project_id AND s.hash = own[0] AND s.since IS NOT NULL AND s.first IS NOT NULL
"""
# That of the index.
_IN_ORDER: Final = "ORDER BY s.project_id, s.hash, s.since, s.first"
# Items that are not current, or expire, do not count.
_SAYERS: Final = f"""
WITH s {_IN_ORDER}
MATCH (s)<-[:SAYS]-(a:Artifact) WHERE a.replaced_by IS NULL AND a.expires_at IS NULL AND a.id <> $id
"""
SAID_BEFORE: Final = f"""
UNWIND $sayings AS own
CALL (own) {{
    {_SAYINGS} AND (s.since < own[1] OR s.since = own[1] AND s.first < own[2])
    {_SAYERS} RETURN s.since AS since, s.first AS first, a.id AS id {_IN_ORDER} LIMIT $limit
}}
RETURN since, first, id, own[0] AS hash
"""
#: The items that said later what this item said first.
SAID_LATER: Final = f"""
UNWIND $sayings AS own
CALL (own) {{
    {_SAYINGS} {_SAYERS}
    RETURN s.since < own[1] OR s.since = own[1] AND s.first < own[2] AS is_before {_IN_ORDER} LIMIT 1
}}
WITH own WHERE NOT is_before
CALL (own) {{ {_SAYINGS} {_SAYERS} RETURN a.id AS id }}
RETURN DISTINCT id
"""
LINK: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) WHERE a.replaced_by IS NULL
CALL (a) { MATCH (a)-[e:ECHOES]->(o:Artifact) WHERE NOT o.id IN $origins DELETE e }
UNWIND $origins AS origin MATCH (o:Artifact {project_id: $project_id, id: origin}) WHERE o <> a
MERGE (a)-[:ECHOES]->(o)
"""
