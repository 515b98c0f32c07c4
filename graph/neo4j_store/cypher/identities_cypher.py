"""The Cypher of identities."""

from typing import Final

_LIKENESS: Final = """
RETURN CASE WHEN e.id < o.id THEN e.id ELSE o.id END AS one, CASE WHEN e.id < o.id THEN o.id ELSE e.id END AS other,
    l.confidence AS confidence, l.reason AS reason
ORDER BY confidence DESC, one, other
"""
LIKENESSES_OF: Final = f"""
UNWIND $ids AS id MATCH (:Entity {{project_id: $project_id, id: id}})-[l:POSSIBLY_SAME]-(:Entity)
WITH DISTINCT l WITH l, startNode(l) AS e, endNode(l) AS o {_LIKENESS}
"""
#: Read in the order of its index.
OPEN: Final = f"""
MATCH (e)-[l:POSSIBLY_SAME]->(o) WHERE l.project_id = $project_id AND l.confidence > -1 {_LIKENESS}
SKIP $offset LIMIT $limit
"""
COUNT_OPEN: Final = """
MATCH ()-[l:POSSIBLY_SAME]->() WHERE l.project_id = $project_id AND l.confidence > -1 RETURN count(l) AS count
"""
STORED: Final = "UNWIND $ids AS id MATCH (e:Entity {project_id: $project_id, id: id}) RETURN DISTINCT e.id AS id"
DROP: Final = """
UNWIND $ids AS id MATCH (:Entity {project_id: $project_id, id: id})-[l:POSSIBLY_SAME]-(:Entity)
WITH DISTINCT l DELETE l
"""
DROP_PAIR: Final = """
MATCH (:Entity {project_id: $project_id, id: $one})-[l:POSSIBLY_SAME]-(:Entity {id: $other}) WITH DISTINCT l DELETE l
"""
PUT: Final = """
UNWIND $likenesses AS likeness
MATCH (e:Entity {project_id: $project_id, id: likeness.one})
MATCH (o:Entity {project_id: $project_id, id: likeness.other})
MERGE (e)-[l:POSSIBLY_SAME]->(o)
SET l.confidence = likeness.confidence, l.reason = likeness.reason, l.project_id = $project_id
"""

VERDICTS: Final = """
MATCH (d:Verdict) WHERE d.project_id = $project_id AND d.id IS NOT NULL
RETURN d {.id, .kind, .one, .other, .at, .by, .note, .name_hash, .artifact_id, .undone_at, .undone_by,
    name: d.given_name} AS verdict
ORDER BY d.number
"""
PUT_VERDICT: Final = """
OPTIONAL MATCH (former:Verdict) WHERE former.project_id = $project_id AND former.id IS NOT NULL
WITH coalesce(max(former.number), 0) + 1 AS number
CREATE (d:Verdict:Internal {project_id: $project_id, id: $id}) SET d += $properties, d.number = number
"""
UNDO_VERDICT: Final = """
MATCH (d:Verdict {project_id: $project_id, id: $id}) SET d.undone_at = $at, d.undone_by = $by
"""
DROP_VERDICTS: Final = "UNWIND $ids AS id MATCH (d:Verdict {project_id: $project_id, id: id}) DELETE d"
MUTE_VERDICTS: Final = "UNWIND $ids AS id MATCH (d:Verdict {project_id: $project_id, id: id}) SET d.note = null"
#: Originals are found by the entities that merge decisions may assign them to.
NAMED: Final = """
UNWIND $ids AS id MATCH (e:Entity {project_id: $project_id, id: id})<-[n:NAMES]-(:Artifact)
RETURN DISTINCT coalesce(n.original, e.id) AS id
"""

#: Removes what artifacts say of entities; returns those whose names are stale.
WITHDRAW: Final = """
UNWIND $ids AS id MATCH (:Artifact)-[n:NAMES]->(e:Entity {project_id: $project_id, id: id}) DELETE n
RETURN DISTINCT e.id AS id
"""
#: Items whose knowledge names one of the entities, though a person dismissed it.
WITHOUT: Final = """
MATCH (a:Artifact {project_id: $project_id})
WHERE a.replaced_by IS NULL AND any(id IN a.expected_entities WHERE id IN $ids)
RETURN a.id AS id, a.num_chunks AS num_chunks
"""
#: What artifacts call an entity, and what resolution found it to be.
CALLED: Final = """
MATCH (e:Entity {project_id: $project_id, id: $id})<-[n:NAMES]-(a:Artifact)
RETURN a.id AS artifact, coalesce(n.original, e.id) AS original, coalesce(n.type, e.type) AS type, n.name AS name,
    n.aliases AS aliases
"""
#: All that artifacts say of originals that are, or could be, assigned to these entities.
SAID: Final = """
UNWIND $ids AS id MATCH (e:Entity {project_id: $project_id, id: id})<-[n:NAMES]-(:Artifact)
RETURN e.id AS standing, coalesce(n.original, e.id) AS original, coalesce(n.type, e.type) AS type, n.name AS name,
    n.aliases AS aliases, coalesce(n.weight, 1) AS weight, n.organization AS organization,
    n.happened_at AS happened_at, n.number AS number
ORDER BY n.happened_at, n.number
"""
MAKE: Final = """
UNWIND $moves AS move
MERGE (o:Entity {project_id: $project_id, id: move.onward})
ON CREATE SET o.type = move.type, o.mention_count = 0, o.name = '', o.aliases = [], o:$(move.label)
"""
MOVE_NAMES: Final = """
UNWIND $moves AS move
MATCH (a:Artifact {project_id: $project_id, id: move.artifact})-[n:NAMES]->(e:Entity {id: move.entity})
WHERE coalesce(n.original, e.id) = move.original
MATCH (o:Entity {project_id: $project_id, id: move.onward})
WITH move, n, e, o, CASE WHEN a.replaced_by IS NULL THEN size(n.starts) ELSE 0 END AS times, a
CREATE (a)-[m:NAMES]->(o)
SET m = properties(n), m.original = move.named, m.type = CASE WHEN move.named IS NOT NULL THEN move.type END
SET e.mention_count = e.mention_count - times
SET o.mention_count = o.mention_count + times
DELETE n
"""
MOVE_ACTORS: Final = """
UNWIND $moves AS move
MATCH (:Artifact {project_id: $project_id, id: move.artifact})<-[:EVIDENCED_BY]-(v:Event)
WITH DISTINCT move, v
MATCH (v)<-[r:ACTED_IN]-(e:Entity {id: move.entity}) WHERE coalesce(r.original, e.id) = move.original
MATCH (o:Entity {project_id: $project_id, id: move.onward})
CREATE (o)-[m:ACTED_IN]->(v) SET m = properties(r), m.original = move.named
DELETE r
RETURN DISTINCT v.id AS id
"""
MOVE_SUBJECTS: Final = """
UNWIND $moves AS move
MATCH (:Artifact {project_id: $project_id, id: move.artifact})<-[:EVIDENCED_BY]-(v:Event)
WITH DISTINCT move, v
MATCH (v)-[r:ABOUT]->(e:Entity {id: move.entity}) WHERE coalesce(r.original, e.id) = move.original
MATCH (o:Entity {project_id: $project_id, id: move.onward})
CREATE (v)-[m:ABOUT]->(o) SET m = properties(r), m.original = move.named
DELETE r
RETURN DISTINCT v.id AS id
"""
#: Which parts repeat another of the same entity, after some have moved.
REPEAT: Final = """
UNWIND $ids AS id MATCH (v:Event {project_id: $project_id, id: id})-[r:ACTED_IN|ABOUT]-(e:Entity)
WITH v, type(r) AS relation, e, r ORDER BY r.position
WITH v, relation, e, collect(r) AS parts
FOREACH (part IN parts[..1] | SET part.repeated = null)
FOREACH (part IN parts[1..] | SET part.repeated = true)
"""
