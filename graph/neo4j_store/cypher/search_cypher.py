"""The Cypher of full text and of the candidates of ranking, with the counts of terms."""

from typing import Final

from graph.neo4j_store.cypher.record_cypher import COUNT_TERMS, NEWEST

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
_STASHED: Final = "MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND a.stashed AND CONDITION"
#: A page of the stashed items that pass, read in the order of its index, and their number.
STASHED: Final = f"""
RETURN COUNT {{ {_STASHED} }} AS total,
    COLLECT {{ {_STASHED} RETURN a.id ORDER BY {NEWEST} SKIP $offset LIMIT $limit }} AS page
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
HOLDING_PAGE: Final = f"""
{HOLDING} WITH collect(a.id) AS ids RETURN size(ids) AS total, ids[$offset..$offset + $limit] AS page
"""
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
#: What `core.candidates.Candidate` has, in its order. One row, because more cost the driver as much as finding the
#: chunks costs the server.
CANDIDATES: Final = f"""
UNWIND $ids AS id MATCH (c:Chunk {{project_id: $project_id, id: id}})-[:PART_OF]->(a:Artifact) WHERE CONDITION
OPTIONAL MATCH (e:Embedding {{project_id: '*', id: $model + '/' + c.hash}})
RETURN collect([a.id, c.index, a.num_chunks, c.text, a.author,
    CASE WHEN a.turn_index IS NOT NULL THEN a.conversation_id END,
    CASE WHEN a.conversation_id IS NOT NULL THEN a.turn_index END,
    a.happened_at.epochMillis * 1000 + a.happened_at.microsecond % 1000,
    coalesce(a.utc_offset, 0), {TERMS}, e.vector]) AS candidates
"""
TURNS_NEAR: Final = """
UNWIND $ids AS id MATCH (t:Artifact {project_id: $project_id, id: id})
MATCH (a:Artifact) USING INDEX a:Artifact(listed_in, conversation_id, turn_index)
WHERE a.conversation_id = t.conversation_id
    AND a.turn_index >= t.turn_index - $reach AND a.turn_index <= t.turn_index + $reach AND CONDITION
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
