"""The Cypher of artifacts, chunks and embeddings, of the conditions that filter them, of full text with the counts of
terms, of the candidates of ranking, and of rules.
"""

from typing import Final, LiteralString

from graph.neo4j_store.cypher.schema_cypher import LOCK_PROJECT, compared, local, then

#: Current items: no revision, not expired at `$at`. An index may still list what has been replaced.
CURRENT: Final = "a.listed_in = $project_id AND a.replaced_by IS NULL AND (a.expires_at IS NULL OR a.expires_at > $at)"
UNEXPIRED: Final = "(a.expires_at IS NULL OR a.expires_at > $at)"
#: Each condition, by the field of `core.filters.Filters` that asks for it.
CONDITIONS: Final[dict[str, LiteralString]] = {
    "context": "a.context = $context",
    "tags": "all(tag IN $tags WHERE tag IN a.tag_forms)",
    "any_tags": "any(tag IN $any_tags WHERE tag IN a.tag_forms)",
    "date_from": compared("a.happened_at", "a.utc_offset", ">=", "date_from"),
    "date_to": compared("a.happened_at", "a.utc_offset", "<=", "date_to"),
    "conversation_id": "a.conversation_id = $conversation_id",
    "source": "a.source = $source",
    "file_path": "a.file_path = $file_path",
    "task_id": "a.task_id = $task_id",
    "sensitivity": "a.sensitivity = $sensitivity",
    "min_importance": "a.importance >= $min_importance",
    "as_of": then("a"),
    "stored_until": "a.created_at <= $stored_until",
    "stashes": "(a.context = 'stash' OR a.stashed)",
}
ACTIVE: Final = "NOT a.stashed"
#: Newest first, as lists are read; beginning as the index does, so that the index by time gives the order.
_LAST_FIRST: Final = "a.happened_at DESC, a.created_at DESC, a.id"
NEWEST: Final = f"a.listed_in DESC, {_LAST_FIRST}"

#: What `rows.artifact` reads; times in microseconds since 1970, because the driver takes a millisecond to read four.
ARTIFACT: Final = """
a {.id, .project_id, .fingerprint, .token_count, .num_chunks, .frequency, .stashed, .replaced_by, .given, .content,
    .utc_offset,
    happened_at: a.happened_at.epochMillis * 1000 + a.happened_at.microsecond % 1000,
    created_at: a.created_at.epochMillis * 1000 + a.created_at.microsecond % 1000,
    updated_at: a.updated_at.epochMillis * 1000 + a.updated_at.microsecond % 1000,
    last_occurred: a.last_occurred.epochMillis * 1000 + a.last_occurred.microsecond % 1000,
    echoes: [(a)-[:ECHOES]->(o:Artifact) | o.id]} AS artifact
"""
#: What `rows.chunk` reads.
CHUNK: Final = "c {.artifact_id, .index, .start_char, .end_char, .text, .prefix, .token_count} AS chunk"

#: Takes the lock of a project if anything was ever written to it: no row else, and then there is nothing to change.
LOCK_KNOWN_PROJECT: Final = """
MATCH (p:Partition {project_id: $project_id, id: $project_id}) SET p.taken = true, p.mark = randomUUID()
RETURN p.number AS number
"""
#: What an item that comes, or goes, is compared with: `graph.writers.item_writer.StoredItem`.
_STORED: Final = "{.id, .replaced_by, .updated_at, .num_chunks, .frequency, .given}"
LOCK_AND_FIND: Final = f"""
{LOCK_PROJECT}
WITH p
OPTIONAL MATCH (known:Artifact {{project_id: $project_id, fingerprint: $fingerprint}})
OPTIONAL MATCH (former:Artifact {{listed_in: $project_id, key: $key, context: $context}})
RETURN known {_STORED} AS known, former {_STORED} AS former,
    EXISTS {{ (:Artifact {{project_id: $project_id, id: $id}}) }} AS is_id_taken
"""
IS_ID_TAKEN: Final = "MATCH (a:Artifact {project_id: $project_id, id: $id}) RETURN a.id AS id"
CREATE_ARTIFACT: Final = """
MATCH (p:Partition {project_id: $project_id, id: $project_id}) SET p.number = p.number + 1
CREATE (a:Artifact) SET a = $artifact, a.number = p.number
"""
JOIN_CONVERSATION: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
MERGE (v:Conversation {project_id: $project_id, id: $conversation_id}) ON CREATE SET v.name = $conversation_id
CREATE (a)-[:TURN_OF]->(v)
"""
UPDATE: Final = "MATCH (a:Artifact {project_id: $project_id, id: $id}) SET a += $properties"
RETIRE: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) SET a.replaced_by = $successor, a.stashed = false,
    a.listed_in = null
"""
BRING_BACK: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
SET a += $properties, a.replaced_by = null, a.listed_in = $project_id
"""

#: Counts the terms of chunks, after a statement that has written those.
COUNT_TERMS: Final = """
WITH count(*) AS written MATCH (p:Partition {project_id: $project_id, id: $project_id})
SET p.num_chunks = coalesce(p.num_chunks, 0) + $num_chunks, p.num_terms = coalesce(p.num_terms, 0) + $num_terms
WITH p UNWIND $terms AS term MERGE (t:Term {project_id: $project_id, id: term[0]})
ON CREATE SET t.word = term[2], t:Internal
SET t.num_chunks = coalesce(t.num_chunks, 0) + term[1]
"""
WRITE_CHUNKS: Final = f"""
MATCH (a:Artifact {{project_id: $project_id, id: $id}})
UNWIND $chunks AS chunk CREATE (c:Chunk:Internal) SET c = chunk CREATE (c)-[:PART_OF]->(a)
{COUNT_TERMS}
"""
DROP_CHUNKS: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:PART_OF]-(c:Chunk)
WITH c, c.hash AS hash, c.terms AS terms DETACH DELETE c RETURN hash, terms
"""
DISCOUNT_CHUNKS: Final = """
MATCH (p:Partition {project_id: $project_id, id: $project_id})
SET p.num_chunks = p.num_chunks - $num_chunks, p.num_terms = p.num_terms - $num_terms
"""
DISCOUNT_TERMS: Final = """
UNWIND $terms AS term MATCH (t:Term {project_id: $project_id, id: term[0]})
SET t.num_chunks = t.num_chunks - term[1]
WITH t WHERE t.num_chunks <= 0 DELETE t
"""
WRITE_PASSAGES: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $passages AS passage CREATE (p:Passage:Internal) SET p = passage CREATE (p)-[:OF]->(a)
"""
DROP_PASSAGES: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:OF]-(p:Passage) DETACH DELETE p
"""

# Statements below with CONDITION are completed by `database.rows.among`.
GET: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) RETURN {ARTIFACT}
"""
BY_FINGERPRINT: Final = f"""
MATCH (a:Artifact {{project_id: $project_id, fingerprint: $fingerprint}})
WHERE $revisions OR a.replaced_by IS NULL RETURN {ARTIFACT}
"""
BY_KEY: Final = f"""
MATCH (a:Artifact) WHERE a.key = $key AND a.context IS NOT NULL AND CONDITION
RETURN {ARTIFACT} ORDER BY a.updated_at DESC, a.id
"""
HAS_EVER_BEEN: Final = """
MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.key = $key AND a.context IS NOT NULL RETURN a.id AS id LIMIT 1
"""
#: What these items replaced, and all that ever stood under their keys, which most chains of revisions keep.
REPLACED: Final = """
UNWIND $ids AS id MATCH (named:Artifact {project_id: $project_id, id: id}) WHERE named.key IS NOT NULL
WITH DISTINCT named.key AS key, named.context AS context
MATCH (a:Artifact {project_id: $project_id, key: key, context: context}) WHERE a.replaced_by IS NOT NULL
RETURN a.id AS id, a.replaced_by AS replaced_by
UNION
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, replaced_by: id})
RETURN a.id AS id, a.replaced_by AS replaced_by
"""
STANDINGS: Final = f"""
MATCH (r:Artifact) WHERE r.project_id = $project_id AND r.replaced_by IS NOT NULL
WITH DISTINCT r.key AS key, r.context AS context
MATCH (a:Artifact {{project_id: $project_id, key: key, context: context}}) WHERE {CONDITIONS["as_of"]}
RETURN a {{.id, .key, .context, .created_at, .updated_at, .replaced_by, .tags}} AS standing, CONDITION AS passes
"""
REVISIONS: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}})
RETURN {ARTIFACT} ORDER BY a.updated_at DESC, a.created_at DESC, a.id
"""
CHUNKS_OF: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) WHERE {CURRENT}
MATCH (c:Chunk)-[:PART_OF]->(a) RETURN {CHUNK} ORDER BY c.index
"""
CHUNKS_AT: Final = f"""
UNWIND $ids AS id MATCH (c:Chunk {{project_id: $project_id, id: id}})-[:PART_OF]->(a:Artifact) WHERE {CURRENT}
RETURN {CHUNK}
"""
#: One row, since each costs the driver as much as finding an item costs the server.
PASSING: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id}) WHERE CONDITION RETURN collect(id) AS ids
"""


def _newest(index: LiteralString = "", order: LiteralString = NEWEST) -> LiteralString:
    return f"""
MATCH (a:Artifact) {index} WHERE a.happened_at IS NOT NULL AND CONDITION
RETURN {ARTIFACT} ORDER BY {order} SKIP $offset LIMIT $limit
"""


NEWEST_ITEMS: Final = _newest()
#: The same by the field that is asked for, the one that leaves fewest first, each by its own index: the planner takes
#: others, whose order differs from the list.
NEWEST_BY: Final[dict[str, LiteralString]] = {
    "conversation_id": _newest("USING INDEX a:Artifact(listed_in, conversation_id)"),
    **{
        field: _newest(
            f"USING INDEX a:Artifact(listed_in, {field}, happened_at)",
            f"a.listed_in DESC, a.{field} DESC, {_LAST_FIRST}",
        )
        for field in ("file_path", "task_id", "source", "context")
    },
}
#: Items behind a place in the order of lists.
BEHIND: Final = """
a.happened_at <= $after_happened AND (a.happened_at < $after_happened OR a.created_at < $after_created
    OR a.created_at = $after_created AND a.id > $after_id)
"""
COUNT: Final = """
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND CONDITION RETURN count(*) AS items
"""
#: How statements about filtered items begin, and how they do where the index of tags leaves few, or of stashes, which
#: are of the context or set aside and then have a first passage.
ANY_ITEM: Final = "MATCH (a:Artifact)"
STASH: Final = """
CALL () {
    MATCH (a:Artifact) WHERE a.listed_in = $project_id AND a.context = 'stash' AND a.happened_at IS NOT NULL RETURN a
    UNION
    MATCH (p:Passage) WHERE p.project_id = $project_id AND p.id ENDS WITH '/0' MATCH (p)-[:OF]->(a:Artifact) RETURN a
}
WITH a"""
TAGGED_ITEM: Final = "CALL db.index.fulltext.queryNodes('tags', $tag_query) YIELD node AS a"
COUNT_TAGGED: Final = """
CALL db.index.fulltext.queryNodes('tags', $tag_query, {limit: $most}) YIELD node RETURN count(node) AS number
"""
_MOST_COUNTED: Final = """
WITH value, number ORDER BY number DESC, value
RETURN collect([value, number])[..$most] AS best, count(*) AS num_values
"""
#: By facet its most frequent values, and how many it has; a month is a number, which costs less than a text.
FACETS: Final[dict[str, LiteralString]] = {
    "tags": f"""
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND CONDITION
UNWIND a.tags AS value WITH value, count(*) AS number {_MOST_COUNTED}""",
    "types": f"""
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND CONDITION
WITH a.context AS value, count(*) AS number {_MOST_COUNTED}""",
    "months": f"""
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND CONDITION
WITH {local("a.happened_at", "a.utc_offset")} AS time
WITH time.year * 12 + time.month - 1 AS value, count(*) AS number {_MOST_COUNTED}""",
}
PLACES: Final = """
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND CONDITION
RETURN a.id AS id, a.num_chunks AS num_chunks LIMIT $most
"""
TURNS: Final = f"""
MATCH (a:Artifact) WHERE a.conversation_id = $turns_of AND a.turn_index IS NOT NULL AND CONDITION
RETURN {ARTIFACT} ORDER BY a.listed_in, a.conversation_id, a.turn_index, a.created_at, a.number
SKIP $offset LIMIT $limit
"""
COUNT_TURNS: Final = """
MATCH (a:Artifact) WHERE a.conversation_id = $turns_of AND a.turn_index IS NOT NULL AND CONDITION
RETURN count(*) AS turns
"""
TURNS_AROUND: Final = f"""
CALL () {{
    MATCH (a:Artifact) WHERE a.conversation_id = $turns_of AND a.turn_index < $turn_index AND CONDITION
    RETURN a.turn_index AS turn_index
    ORDER BY a.listed_in DESC, a.conversation_id DESC, a.turn_index DESC LIMIT 1
    UNION ALL
    MATCH (a:Artifact) WHERE a.conversation_id = $turns_of AND a.turn_index > $turn_index AND CONDITION
    RETURN a.turn_index AS turn_index
    ORDER BY a.listed_in, a.conversation_id, a.turn_index LIMIT 1
}}
MATCH (a:Artifact) WHERE a.conversation_id = $turns_of AND a.turn_index = turn_index AND CONDITION
RETURN {ARTIFACT} ORDER BY a.turn_index, a.created_at, a.number
"""
IN_CONVERSATION: Final = """
MATCH (a:Artifact {project_id: $project_id, conversation_id: $conversation_id}) RETURN a.id AS id ORDER BY a.number
"""
TIERS: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) WHERE {CURRENT}
RETURN a.id AS id, a.stashed AS stashed, a.num_chunks AS num_chunks
"""
STASHED_CONTENT: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) WHERE a.stashed RETURN a.content AS content
"""
RECENT_KEYS: Final = f"""
MATCH (a:Artifact) WHERE a.key IS NOT NULL AND a.context IS NOT NULL AND {CURRENT}
RETURN a.key AS key, max(a.updated_at) AS updated_at ORDER BY updated_at DESC, key LIMIT $limit
"""
LONGEST: Final = f"""
MATCH (a:Artifact) WHERE a.token_count IS NOT NULL AND {CURRENT}
RETURN a.id AS id ORDER BY a.token_count DESC, id LIMIT $limit
"""
COUNT_ITEMS: Final = f"""
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND {CURRENT}
RETURN count(*) AS artifacts, count(CASE WHEN a.context = 'conversation' THEN 1 END) AS turns,
    coalesce(sum(CASE WHEN a.context <> 'conversation' THEN a.num_chunks END), 0) AS chunks,
    count(CASE WHEN a.stashed THEN 1 END) AS stashed
"""
COUNT_EVENTS: Final = f"""
MATCH (e:Event) WHERE e.project_id = $project_id AND e.id IS NOT NULL
    AND EXISTS {{ MATCH (e)-[:EVIDENCED_BY]->(a:Artifact) WHERE {CURRENT} }}
RETURN count(*) AS events, count(CASE WHEN e.category = 'Decision' THEN 1 END) AS decisions,
    count(CASE WHEN e.category = 'Commitment' THEN 1 END) AS commitments
"""
COUNT_ENTITIES: Final = f"""
MATCH (e:Entity) WHERE e.project_id = $project_id AND e.id IS NOT NULL
    AND EXISTS {{ MATCH (e)<-[:NAMES]-(a:Artifact) WHERE {CURRENT} }}
RETURN count(*) AS entities
"""
COUNT_UNREAD: Final = f"""
MATCH (a:Artifact) USING INDEX a:Artifact(listed_in, unread_language)
WHERE a.unread_language IS NOT NULL AND {CURRENT}
RETURN a.unread_language AS language, count(*) AS items ORDER BY language
"""
#: One probe of the index a project, however many items each has.
PROJECTS: Final = """
MATCH (p:Partition) WHERE p.id IS NOT NULL
    AND EXISTS { MATCH (a:Artifact) WHERE a.listed_in = p.project_id AND a.number IS NOT NULL }
RETURN p.id AS id ORDER BY id
"""
EACH: Final = f"""
MATCH (a:Artifact) WHERE a.number > $last AND {CURRENT}
RETURN {ARTIFACT}, a.number AS number ORDER BY a.listed_in, a.number LIMIT $batch
"""

GOING: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) RETURN a {_STORED} AS item
"""
RELINK: Final = """
UNWIND $links AS link MATCH (a:Artifact {project_id: $project_id, replaced_by: link.removed})
SET a.replaced_by = link.successor
"""
#: With the conversations that lose their last turn; collecting makes it look for those after all items went.
DELETE_ARTIFACTS: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
OPTIONAL MATCH (a)-[:TURN_OF]->(v:Conversation)
DETACH DELETE a
WITH collect(DISTINCT v) AS conversations UNWIND conversations AS v
WITH v WHERE NOT EXISTS { (v)<-[:TURN_OF]-() } DELETE v
"""

CACHED: Final = """
UNWIND $hashes AS hash MATCH (e:Embedding {project_id: '*', id: $model + '/' + hash})
RETURN hash, e.vector AS vector
"""
#: An embedding whose text was removed meanwhile is not kept.
CACHE: Final = """
UNWIND $rows AS row WITH row WHERE EXISTS { (:Chunk {hash: row.hash}) }
MERGE (e:Embedding {project_id: '*', id: $model + '/' + row.hash})
SET e:Internal, e.model = $model, e.hash = row.hash, e.vector = row.vector
"""
#: States of tokens are nodes beside the embeddings, under a model of their own: its name is their model's and the name
#: of a projection. Those of another projection go.
DROP_FORMER_STATES: Final = """
UNWIND $hashes AS hash MATCH (e:Embedding {hash: hash}) WHERE e.model STARTS WITH $any AND e.model <> $model DELETE e
"""
WITH_STATES: Final = """
UNWIND $hashes AS hash MATCH (e:Embedding {project_id: '*', id: $model + '/' + hash}) RETURN hash
"""
WITHOUT_STATES: Final = """
MATCH (e:Embedding) WHERE e.model = $model
    AND NOT EXISTS { (:Embedding {project_id: '*', id: $states_model + '/' + e.hash}) }
RETURN count(*) AS number
"""
DROP_MODEL: Final = "MATCH (e:Embedding) WHERE e.model = $model DELETE e RETURN count(*) AS dropped"
DROP_UNUSED: Final = """
UNWIND $hashes AS hash MATCH (e:Embedding {hash: hash}) WHERE NOT EXISTS { (:Chunk {hash: hash}) } DELETE e
"""
VECTORS: Final = """
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND CONDITION
MATCH (c:Chunk)-[:PART_OF]->(a)
MATCH (e:Embedding {project_id: '*', id: $model + '/' + c.hash})
RETURN c.artifact_id AS artifact_id, c.index AS index, e.vector AS vector
"""

# By project: with an index of the times alone, the planner reads lists from that.
_EXPIRED: Final = """
MATCH (p:Partition) WHERE p.id IS NOT NULL AND ($project_id IS NULL OR p.id = $project_id)
CALL (p) {
    MATCH (a:Artifact) USING INDEX a:Artifact(project_id, expires_at)
    WHERE a.project_id = p.id AND a.expires_at <= $at RETURN a ORDER BY a.project_id, a.expires_at LIMIT $limit
}
"""
EXPIRED: Final = f"{_EXPIRED} RETURN a.project_id AS project_id, a.id AS id ORDER BY a.expires_at LIMIT $limit"
COUNT_EXPIRED: Final = f"{_EXPIRED} RETURN count(a) AS number"
#: Of items that have no other reason to go, those in which every decision and commitment was declared settled last,
#: long enough ago. Only declarations count. Read by the items, which go when they are settled; resolutions of others
#: stay for good. Nothing is read before the first resolution is old enough.
SETTLED: Final = """
MATCH (a:Artifact) WHERE EXISTS { MATCH (r:Resolution) WHERE r.at <= $settled_at } AND a.is_until_resolved = true
    AND (a.expires_at IS NULL OR a.expires_at > $at) AND ($project_id IS NULL OR a.project_id = $project_id)
AND EXISTS {
    MATCH (v:Event)-[:EVIDENCED_BY]->(a)
    MATCH (r:Resolution) WHERE r.project_id = v.project_id AND r.event_id = v.id AND r.at <= $settled_at
} AND NOT EXISTS {
    MATCH (v:Event)-[:EVIDENCED_BY]->(a) WHERE v.status IS NOT NULL AND NOT coalesce(head(COLLECT {
        MATCH (s:Resolution) WHERE s.project_id = v.project_id AND s.event_id = v.id
        RETURN s.at <= $settled_at AND s.status IN $settled ORDER BY s.at DESC, s.number DESC LIMIT 1
    }), false)
}
RETURN a.project_id AS project_id, a.id AS id
"""


#: A chunk's term vector, or the text it is made of where it is not written yet. Looked at once: between two looks
#: another transaction may have written or removed it.
TERMS: Final = "coalesce(c.terms, c.prefix + c.text)"

#: A page of the chunks that a query finds, and of them those that pass, with their term vectors, or what these are made
#: of, and how many of the question's stop words each has. A page is one row, since many rows cost the driver as much as
#: finding the chunks costs the server; not all are, since a common word of a large project would fill the memory.
MATCHES: Final = f"""
CALL db.index.fulltext.queryNodes('words', $query, {{skip: $skip, limit: $page}}) YIELD node
WITH collect(node) AS nodes
RETURN size(nodes) AS number, COLLECT {{
    UNWIND nodes AS c MATCH (c)-[:PART_OF]->(a:Artifact) WHERE CONDITION
    RETURN [c.artifact_id, c.index, {TERMS},
        size([word IN $stop_words WHERE (' ' + c.words + ' ') CONTAINS word])]
}} AS matches
"""
#: The words that each of several queries finds, with how many chunks have each.
NEAR: Final = """
UNWIND $queries AS query
CALL (query) { CALL db.index.fulltext.queryNodes('spellings', query[1]) YIELD node
    RETURN collect([node.word, node.num_chunks]) AS found }
RETURN query[0] AS word, found
"""
_PAGE: Final = "WITH collect(a.id) AS ids RETURN size(ids) AS total, ids[$offset..$offset + $limit] AS page"
#: A page of the stashed items that pass, and their number; each has a first passage.
STASHED: Final = f"""
MATCH (p:Passage) WHERE p.project_id = $project_id AND p.id ENDS WITH '/0'
MATCH (p)-[:OF]->(a:Artifact) WHERE a.stashed AND CONDITION
WITH a ORDER BY {NEWEST} {_PAGE}
"""
HOLDING: Final = f"""
UNWIND $fragments AS fragment
CALL (fragment) {{
    MATCH (p:Passage) USING TEXT INDEX p:Passage(folded)
    WHERE p.folded CONTAINS fragment AND p.project_id = $project_id
    MATCH (p)-[:OF]->(a:Artifact) RETURN DISTINCT a
}}
WITH a, count(*) AS held WHERE held = size($fragments) AND a.stashed AND CONDITION
WITH a ORDER BY {NEWEST}
"""
HOLDING_PAGE: Final = f"{HOLDING} {_PAGE}"
HOLDING_CONTENTS: Final = f"{HOLDING} RETURN a.id AS id, a.content AS content"
CHUNKS_AFTER: Final = """
MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id > $last
RETURN c.id AS id, c.prefix + c.text AS text ORDER BY c.project_id, c.id LIMIT $batch
"""
#: Without their terms, so that those are rebuilt, too.
SET_WORDS: Final = """
UNWIND $rows AS row MATCH (c:Chunk {project_id: $project_id, id: row.id}) SET c.words = row.words, c.terms = null
"""
STASHED_IDS: Final = """
MATCH (a:Artifact) WHERE a.listed_in = $project_id AND a.happened_at IS NOT NULL AND a.stashed RETURN a.id AS id
"""


def _turns_beside(of: LiteralString, side: LiteralString, order: LiteralString, most: LiteralString) -> LiteralString:
    """Return the expression of the places of the turns on one side of `of`, the nearest first."""
    return f"""COLLECT {{
    MATCH (b:Artifact) USING INDEX b:Artifact(listed_in, conversation_id, turn_index)
    WHERE b.listed_in = $project_id AND b.conversation_id = {of}.conversation_id AND b.turn_index {side} {of}.turn_index
    WITH DISTINCT b.listed_in AS project, b.conversation_id AS talk, b.turn_index AS place
    RETURN place ORDER BY project {order}, talk {order}, place {order} LIMIT {most}
}}"""


#: What `core.search.Candidate` has, in its order. One row, because more cost the driver as much as finding the
#: chunks costs the server.
CANDIDATES: Final = f"""
UNWIND $ids AS id MATCH (c:Chunk {{project_id: $project_id, id: id}})-[:PART_OF]->(a:Artifact) WHERE CONDITION
OPTIONAL MATCH (e:Embedding {{project_id: '*', id: $model + '/' + c.hash}})
OPTIONAL MATCH (s:Embedding {{project_id: '*', id: $states_model + '/' + c.hash}})
RETURN collect([a.id, c.index, a.num_chunks, c.text, a.author,
    CASE WHEN a.turn_index IS NOT NULL THEN a.conversation_id END,
    CASE WHEN a.conversation_id IS NOT NULL THEN a.turn_index END,
    a.happened_at.epochMillis * 1000 + a.happened_at.microsecond % 1000,
    coalesce(a.utc_offset, 0), {TERMS}, e.vector, s.vector, head({_turns_beside("a", "<", "DESC", "1")})
]) AS candidates
"""
TEXT_HASHES: Final = """
UNWIND $ids AS id MATCH (c:Chunk {project_id: $project_id, id: id})-[:PART_OF]->(a:Artifact)
WHERE a.num_chunks = 1 AND CONDITION RETURN collect([a.id, c.index, c.hash]) AS hashes
"""
TURNS_NEAR: Final = f"""
UNWIND $ids AS id MATCH (t:Artifact {{project_id: $project_id, id: id}}) WHERE t.turn_index IS NOT NULL
WITH t, {_turns_beside("t", "<", "DESC", "$reach")} AS before, {_turns_beside("t", ">", "ASC", "$reach")} AS after
MATCH (a:Artifact) USING INDEX a:Artifact(listed_in, conversation_id, turn_index)
WHERE a.conversation_id = t.conversation_id
    AND a.turn_index >= coalesce(before[-1], t.turn_index) AND a.turn_index <= coalesce(after[-1], t.turn_index)
    AND CONDITION
RETURN collect(DISTINCT a.id) AS ids
"""
SPEAKERS: Final = """
UNWIND $names AS name WITH name WHERE EXISTS {
    MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.speaker = name.speaker
} OR EXISTS {
    MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.speaker STARTS WITH name.speaker + ' '
}
RETURN collect(name.name) AS names
"""
TERM_STATISTICS: Final = """
OPTIONAL MATCH (p:Partition {project_id: $project_id, id: $project_id})
RETURN [coalesce(p.num_chunks, 0), coalesce(p.num_terms, 0)] AS totals, COLLECT {
    UNWIND $ids AS id MATCH (t:Term {project_id: $project_id, id: id}) RETURN [id, t.num_chunks] } AS num_with
"""
SAMPLE: Final = """
MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id IS NOT NULL AND c.index % 8 = 0
WITH c ORDER BY c.project_id, c.id LIMIT $number * 8
MATCH (e:Embedding {project_id: '*', id: $model + '/' + c.hash})
WITH e.vector AS vector ORDER BY c.project_id, c.id LIMIT $number RETURN collect(vector) AS vectors
"""
CHUNKS_WITHOUT_TERMS: Final = """
MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id > $last AND c.terms IS NULL
RETURN c.id AS id, c.prefix + c.text AS text ORDER BY c.project_id, c.id LIMIT $batch
"""
SET_TERMS: Final = f"""
UNWIND $rows AS row MATCH (c:Chunk {{project_id: $project_id, id: row[0]}}) SET c.terms = row[1]
{COUNT_TERMS}
"""
FORGET_TERMS: Final = """
MATCH (t:Term) WHERE t.project_id = $project_id AND t.id IS NOT NULL
WITH t LIMIT $batch DELETE t RETURN count(*) AS forgotten
"""
FORGET_TERM_VECTORS: Final = """
MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id IS NOT NULL AND c.terms IS NOT NULL SET c.terms = null
"""
FORGET_TOTALS: Final = """
MATCH (p:Partition {project_id: $project_id, id: $project_id}) SET p.num_chunks = 0, p.num_terms = 0
"""


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
