"""All Cypher, named; that of knowledge is in `knowledge_cypher`. Every value is a parameter.

What is put together is put together from constants of these two files.

The model. Nodes, each with `project_id` and `id`, unique together by label; what is of no project has the project `*`:

- `Artifact`: an item; its fields under the names of `core.records` and `core.interface.memory`, `given` as JSON,
  `number` in the order of storing, `name` for the eye. A revision has `replaced_by`; all others have `listed_in`,
  their project once more, by which the indexes of lists and look-ups hold them and not the revisions, however often a
  key is written. A turn has its author a second time as `speaker`, in small letters. `expected_events` and
  `expected_entities` are the ids of its knowledge as last stored, by which a loss is noticed.
- `Chunk`: `text`, `prefix`, its place, `hash`, `words`, what the full-text index sees (graph.text.stems), and `terms`,
  its term vector (graph.text.term_vectors).
- `Term`: a term of a project, its number as id, and `num_chunks`, how many chunks have it.
- `Passage`: a piece of a stashed item's folded text, for substrings.
- `Conversation`, `Entity`, `Event` (with its category as a second label), `Name` (a normalised name).
- `Run`; `Reading`, what a run found in an item and its knowledge before; `Findings`, what an extractor found in one.
- `Project` (its lock, its last `number`, and `num_chunks` and `num_terms`, which its chunks have in all), `Job`,
  `Embedding`, `Marker`, `Lock`: the engine's own.

Relations: `(Chunk)-[PART_OF]->(Artifact)`, `(Passage)-[OF]->(Artifact)`, `(Artifact)-[TURN_OF]->(Conversation)`,
`(Reading)-[READS]->(Artifact)`, `(Reading)-[READ_BY]->(Run)`, `(Findings)-[FOUND_IN]->(Artifact)`,
`(Chunk)-[MENTIONS]->(Entity)`, `(Entity)-[ACTED_IN {role}]->(Event)`, `(Event)-[ABOUT]->(Entity)`,
`(Event)-[EVIDENCED_BY {quote, start_char, end_char, position}]->(Artifact)`, `(Entity)-[KNOWN_AS]->(Name)`, and
`(Artifact)-[NAMES {name, aliases, role, organization, starts, ends}]->(Entity)`: what one artifact says of an
entity, from which the entity's own fields and the chunks' MENTIONS are derived. ACTED_IN and ABOUT have a `position`,
a `weight`, and a `hub` (project, entity and category in one) while a current item has evidence for the event.

Who is who: `(Entity)-[POSSIBLY_SAME {confidence, reason}]->(Entity)`, and `Verdict`, what a person decided about two
entities. NAMES, ACTED_IN and ABOUT have the `original` that resolution found where a verdict has it stand under another
entity; NAMES then has its `type` as well.

The ledger: `(Event)-[SUPERSEDES|COMPLETES|CANCELS {confidence}]->(Event)` from the later to the earlier, and
`Resolution`, what a person declared of an event, with `event_id` and `artifact_id`: the event may be gone for a while.
An event has `first_status`, which holds while neither says more, and `words`, the stems it is found by.
"""

from typing import Final, LiteralString

# --- Schema ---

#: Labels of nodes, each with a uniqueness constraint by project and id.
LABELS: Final[tuple[LiteralString, ...]] = (
    "Artifact", "Chunk", "Passage", "Conversation", "Entity", "Event", "Name", "Verdict",
    "Project", "Job", "Embedding", "Marker", "Lock", "Term", "Saying", "Resolution", "Run", "Reading", "Findings",
)  # fmt: skip
CONSTRAINTS: Final[tuple[LiteralString, ...]] = tuple(
    f"CREATE CONSTRAINT {label.lower()}_by_id IF NOT EXISTS FOR (n:{label}) REQUIRE (n.project_id, n.id) IS UNIQUE"
    for label in LABELS
)
#: What is derived from words and can be made anew of them, by name.
WORD_INDEXES: Final[dict[str, LiteralString]] = {
    "words": """CREATE FULLTEXT INDEX words IF NOT EXISTS FOR (c:Chunk) ON EACH [c.words, c.project_id]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}""",
    "passages": "CREATE TEXT INDEX passages IF NOT EXISTS FOR (p:Passage) ON (p.folded)",
}
INDEXES: Final[tuple[LiteralString, ...]] = (
    """CREATE CONSTRAINT artifact_by_fingerprint IF NOT EXISTS
    FOR (a:Artifact) REQUIRE (a.project_id, a.fingerprint) IS UNIQUE""",
    "CREATE INDEX artifact_by_key IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.key, a.context)",
    "CREATE INDEX listed_by_key IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.key, a.context)",
    "CREATE INDEX listed_by_time IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.happened_at)",
    "CREATE INDEX listed_by_number IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.number)",
    "CREATE INDEX listed_by_context IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.context, a.happened_at)",
    "CREATE INDEX listed_by_source IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.source, a.happened_at)",
    "CREATE INDEX listed_by_file_path IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.file_path, a.happened_at)",
    "CREATE INDEX listed_by_task_id IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.task_id, a.happened_at)",
    "CREATE INDEX listed_by_rule IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.rule_scope)",
    "CREATE INDEX listed_by_turn IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.conversation_id, a.turn_index)",
    "CREATE INDEX listed_by_conversation IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.conversation_id)",
    "CREATE INDEX artifact_by_conversation IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.conversation_id)",
    "CREATE INDEX artifact_by_number IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.number)",
    "CREATE INDEX artifact_by_speaker IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.speaker)",
    "CREATE INDEX artifact_replaced IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.replaced_by)",
    "CREATE INDEX chunk_by_hash IF NOT EXISTS FOR (c:Chunk) ON (c.hash)",
    "CREATE INDEX embedding_by_hash IF NOT EXISTS FOR (e:Embedding) ON (e.hash)",
    "CREATE INDEX embedding_by_model IF NOT EXISTS FOR (e:Embedding) ON (e.model)",
    "CREATE INDEX event_by_time IF NOT EXISTS FOR (v:Event) ON (v.project_id, v.category, v.listed_at)",
    "CREATE INDEX job_waiting IF NOT EXISTS FOR (j:Job) ON (j.kind, j.number, j.due_at)",
    """CREATE INDEX job_waiting_in_project IF NOT EXISTS
    FOR (j:Job) ON (j.kind, j.project_id, j.number, j.due_at)""",
    "CREATE INDEX job_by_state IF NOT EXISTS FOR (j:Job) ON (j.state, j.project_id)",
    # In the order a hub's steps are read, so that it costs no more than its cap.
    "CREATE INDEX acted_in_by_hub IF NOT EXISTS FOR ()-[r:ACTED_IN]-() ON (r.hub, r.weight)",
    "CREATE INDEX about_by_hub IF NOT EXISTS FOR ()-[r:ABOUT]-() ON (r.hub, r.weight)",
    """CREATE FULLTEXT INDEX ledger_words IF NOT EXISTS FOR (v:Event) ON EACH [v.words, v.project_id]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}""",
    "CREATE INDEX resolution_by_event IF NOT EXISTS FOR (r:Resolution) ON (r.project_id, r.event_id)",
    "CREATE INDEX resolution_by_artifact IF NOT EXISTS FOR (r:Resolution) ON (r.project_id, r.artifact_id)",
    "CREATE INDEX saying_by_hash IF NOT EXISTS FOR (s:Saying) ON (s.project_id, s.hash, s.since, s.first)",
    """CREATE INDEX possibly_same_by_confidence IF NOT EXISTS
    FOR ()-[l:POSSIBLY_SAME]-() ON (l.project_id, l.confidence)""",
    *WORD_INDEXES.values(),
)
DROP_INDEX: Final[dict[str, LiteralString]] = {name: f"DROP INDEX {name} IF EXISTS" for name in WORD_INDEXES}
AWAIT_THESE: Final = "UNWIND $names AS name CALL db.awaitIndex(name, $seconds)"
ONLINE_WORDS: Final = "SHOW INDEXES YIELD name, state WHERE name = 'words' AND state = 'ONLINE' RETURN name"
AWAIT_INDEXES: Final = "CALL db.awaitIndexes($seconds)"

# --- The store ---

PING: Final = "RETURN 1 AS answer"
GET_MARKER: Final = "MATCH (m:Marker {project_id: '*', id: $name}) RETURN m.value AS value"
SET_MARKER: Final = "MERGE (m:Marker {project_id: '*', id: $name}) SET m.value = $value"
#: A number that never falls: of two releases that open an empty database the newer one's stays.
RAISE_MARKER: Final = """
MERGE (m:Marker {project_id: '*', id: $name})
SET m.value = toString(CASE WHEN toInteger(m.value) > $value THEN toInteger(m.value) ELSE $value END)
"""
#: Waits until no other transaction holds this lock, and holds it until the end of this one.
LOCK: Final = "MERGE (l:Lock {project_id: '*', id: $name}) SET l.taken = true"
#: The same for all writes to one project; what is read after it is the newest. A constant is set: a value that is read
#: for it is read before the lock is there, and writing it again undoes what others did meanwhile.
LOCK_PROJECT: Final = """
MERGE (p:Project {project_id: $project_id, id: $project_id}) ON CREATE SET p.number = 0 SET p.taken = true
"""

# --- Filters, as conditions on an artifact `a` ---

#: Items that are there for everyone: no revision, not expired at `$at`. An index may still list what has been replaced.
CURRENT: Final = "a.listed_in = $project_id AND a.replaced_by IS NULL AND (a.expires_at IS NULL OR a.expires_at > $at)"
#: Each condition, by the field of `core.filters.Filters` that asks for it.
CONDITIONS: Final[dict[str, LiteralString]] = {
    "context": "a.context = $context",
    "tags": "all(tag IN $tags WHERE tag IN a.tags)",
    "any_tags": "any(tag IN $any_tags WHERE tag IN a.tags)",
    "date_from": "a.happened_at >= $date_from",
    "date_to": "a.happened_at <= $date_to",
    "conversation_id": "a.conversation_id = $conversation_id",
    "source": "a.source = $source",
    "file_path": "a.file_path = $file_path",
    "task_id": "a.task_id = $task_id",
    "sensitivity": "a.sensitivity = $sensitivity",
    "min_importance": "a.importance >= $min_importance",
    "as_of": "a.happened_at <= $as_of",
    "stored_until": "a.created_at <= $stored_until",
    "stashes": "(a.context = 'stash' OR a.stashed)",
}
ACTIVE: Final = "NOT a.stashed"
#: Newest first, as lists are read; beginning as the index does, so that the index by time gives the order.
NEWEST: Final = "a.listed_in DESC, a.happened_at DESC, a.created_at DESC, a.id"

# --- Records ---

#: What `rows.artifact` reads; moments in microseconds since 1970, because the driver takes a millisecond to read four.
ARTIFACT: Final = """
a {.id, .project_id, .fingerprint, .token_count, .num_chunks, .frequency, .stashed, .replaced_by, .given, .content,
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
MATCH (p:Project {project_id: $project_id, id: $project_id}) SET p.taken = true RETURN p.number AS number
"""
LOCK_AND_FIND: Final = f"""
{LOCK_PROJECT}
WITH p
OPTIONAL MATCH (known:Artifact {{project_id: $project_id, fingerprint: $fingerprint}})
OPTIONAL MATCH (former:Artifact {{listed_in: $project_id, key: $key, context: $context}})
RETURN known {{.id, .replaced_by, .given, .updated_at}} AS known, former {{.id, .num_chunks}} AS former,
    EXISTS {{ (:Artifact {{project_id: $project_id, id: $id}}) }} AS is_id_taken
"""
IS_ID_TAKEN: Final = "MATCH (a:Artifact {project_id: $project_id, id: $id}) RETURN a.id AS id"
REPLACED_BY: Final = "MATCH (a:Artifact {project_id: $project_id, id: $id}) RETURN a.replaced_by AS replaced_by"
CREATE_ARTIFACT: Final = """
MATCH (p:Project {project_id: $project_id, id: $project_id}) SET p.number = p.number + 1
CREATE (a:Artifact) SET a = $artifact, a.number = p.number
"""
JOIN_CONVERSATION: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
MERGE (v:Conversation {project_id: $project_id, id: $conversation_id}) ON CREATE SET v.name = $conversation_id
CREATE (a)-[:TURN_OF]->(v)
"""
RENEW: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
SET a += $memory, a.frequency = a.frequency + 1, a.last_occurred = $last_occurred, a.updated_at = $updated_at
"""
RETIRE: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) SET a.replaced_by = $successor, a.stashed = false,
    a.listed_in = null
"""
BRING_BACK: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) SET a.replaced_by = null, a.updated_at = $updated_at,
    a.listed_in = $project_id, a.stashed = $stashed, a.token_count = $token_count, a.num_chunks = $num_chunks
"""

#: Counts the terms of chunks, after a statement that has written those.
_COUNT_TERMS: Final = """
WITH count(*) AS written MATCH (p:Project {project_id: $project_id, id: $project_id})
SET p.num_chunks = coalesce(p.num_chunks, 0) + $num_chunks, p.num_terms = coalesce(p.num_terms, 0) + $num_terms
WITH p UNWIND $terms AS term MERGE (t:Term {project_id: $project_id, id: term[0]})
SET t.num_chunks = coalesce(t.num_chunks, 0) + term[1]
"""
WRITE_CHUNKS: Final = f"""
MATCH (a:Artifact {{project_id: $project_id, id: $id}})
UNWIND $chunks AS chunk CREATE (c:Chunk) SET c = chunk CREATE (c)-[:PART_OF]->(a)
{_COUNT_TERMS}
"""
DROP_CHUNKS: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:PART_OF]-(c:Chunk)
WITH c, c.hash AS hash, c.terms AS terms DETACH DELETE c RETURN hash, terms
"""
DISCOUNT_CHUNKS: Final = """
MATCH (p:Project {project_id: $project_id, id: $project_id})
SET p.num_chunks = p.num_chunks - $num_chunks, p.num_terms = p.num_terms - $num_terms
"""
DISCOUNT_TERMS: Final = """
UNWIND $terms AS term MATCH (t:Term {project_id: $project_id, id: term[0]})
SET t.num_chunks = t.num_chunks - term[1]
WITH t WHERE t.num_chunks <= 0 DELETE t
"""
SET_NUM_CHUNKS: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) SET a.num_chunks = $num_chunks
"""
WRITE_PASSAGES: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $passages AS passage CREATE (p:Passage) SET p = passage CREATE (p)-[:OF]->(a)
"""
DROP_PASSAGES: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:OF]-(p:Passage) DETACH DELETE p
"""

# Statements below with CONDITION are completed by `filtering.among`.
GET: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) RETURN {ARTIFACT}
"""
BY_FINGERPRINT: Final = f"""
MATCH (a:Artifact {{project_id: $project_id, fingerprint: $fingerprint}}) WHERE a.replaced_by IS NULL RETURN {ARTIFACT}
"""
BY_KEY: Final = f"""
MATCH (a:Artifact) WHERE a.key = $key AND a.context IS NOT NULL AND CONDITION
RETURN {ARTIFACT} ORDER BY a.updated_at DESC, a.id
"""
HAS_EVER_BEEN: Final = """
MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.key = $key AND a.context IS NOT NULL RETURN a.id AS id LIMIT 1
"""
#: All that ever stood under the keys of these items, and what replaced each: chains of revisions keep their key.
UNDER_THEIR_KEYS: Final = """
UNWIND $ids AS id MATCH (named:Artifact {project_id: $project_id, id: id}) WHERE named.key IS NOT NULL
WITH DISTINCT named.key AS key, named.context AS context
MATCH (a:Artifact {project_id: $project_id, key: key, context: context}) WHERE a.replaced_by IS NOT NULL
RETURN a.id AS id, a.replaced_by AS replaced_by
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
NEWEST_ITEMS: Final = f"""
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND CONDITION
RETURN {ARTIFACT} ORDER BY {NEWEST} SKIP $offset LIMIT $limit
"""
#: The same by the field that is asked for, the one that leaves fewest first, each by its own index: the planner takes
#: others, whose order is not that of the list.
NEWEST_BY: Final[dict[str, LiteralString]] = {
    "conversation_id": NEWEST_ITEMS.replace("WHERE", "USING INDEX a:Artifact(listed_in, conversation_id) WHERE"),
    **{
        field: NEWEST_ITEMS.replace("WHERE", f"USING INDEX a:Artifact(listed_in, {field}, happened_at) WHERE").replace(
            "a.listed_in DESC", f"a.listed_in DESC, a.{field} DESC"
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
WITH a.happened_at.year * 12 + a.happened_at.month - 1 AS value, count(*) AS number {_MOST_COUNTED}""",
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
STASH: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) SET a.stashed = true RETURN a.content AS content
"""
UNSTASH: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id}) SET a.stashed = false
"""
RECENT_KEYS: Final = f"""
MATCH (a:Artifact) WHERE a.key IS NOT NULL AND a.context IS NOT NULL AND {CURRENT}
RETURN a.key AS key, max(a.updated_at) AS updated_at ORDER BY updated_at DESC, key LIMIT $limit
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
#: One probe of the index a project, however many items each has.
PROJECTS: Final = """
MATCH (p:Project) WHERE p.id IS NOT NULL
    AND EXISTS { MATCH (a:Artifact) WHERE a.listed_in = p.project_id AND a.number IS NOT NULL }
RETURN p.id AS id ORDER BY id
"""
EACH: Final = f"""
MATCH (a:Artifact) WHERE a.number > $last AND {CURRENT}
RETURN {ARTIFACT}, a.number AS number ORDER BY a.listed_in, a.number LIMIT $batch
"""

GOING: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
RETURN a.id AS id, a.replaced_by AS replaced_by, a.num_chunks AS num_chunks,
    EXISTS { (a)-[:NAMES]->() } OR EXISTS { (a)<-[:EVIDENCED_BY]-() } AS has_knowledge
"""
RELINK: Final = """
UNWIND $links AS link MATCH (a:Artifact {project_id: $project_id, replaced_by: link.removed})
SET a.replaced_by = link.successor
"""
DROP_JOBS: Final = "UNWIND $ids AS id MATCH (j:Job {project_id: $project_id, id: id}) DELETE j"
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
#: One that comes when its text has been forgotten meanwhile is not kept.
CACHE: Final = """
UNWIND $rows AS row WITH row WHERE EXISTS { (:Chunk {hash: row.hash}) }
MERGE (e:Embedding {project_id: '*', id: $model + '/' + row.hash})
SET e.model = $model, e.hash = row.hash, e.vector = row.vector
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

# --- Words ---

#: Hits of several queries together: how many chunks there are, and the best of those that pass.
SEARCH: Final = """
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes('words', query, {limit: $reach}) YIELD node AS c, score
WITH c, sum(score) AS score ORDER BY score DESC
OPTIONAL MATCH (c)-[:PART_OF]->(a:Artifact)
WITH c, score, CONDITION AS passes
RETURN count(*) AS found,
    collect(CASE WHEN passes THEN [c.artifact_id, c.index, score] END)[..$limit] AS hits
"""
#: The stashed items that pass, in pages, and their number.
STASHED: Final = f"""
MATCH (a:Artifact) WHERE a.happened_at IS NOT NULL AND a.stashed AND CONDITION
WITH a ORDER BY {NEWEST} WITH collect(a.id) AS ids
RETURN size(ids) AS total, ids[$offset..$offset + $limit] AS page
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
#: With the terms taken off, so that they are made anew, too.
SET_WORDS: Final = """
UNWIND $rows AS row MATCH (c:Chunk {project_id: $project_id, id: row.id}) SET c.words = row.words, c.terms = null
"""
STASHED_IDS: Final = """
MATCH (a:Artifact) WHERE a.listed_in = $project_id AND a.happened_at IS NOT NULL AND a.stashed RETURN a.id AS id
"""
STASHED_CONTENT: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) WHERE a.stashed RETURN a.content AS content
"""
ALL_PROJECTS: Final = "MATCH (p:Project) WHERE p.id IS NOT NULL RETURN p.id AS id ORDER BY id"

# --- Candidates ---

#: What `core.candidates.Candidate` has, in its order, and what its terms are made of if it has none. One row, because
#: more cost the driver as much as finding the chunks costs the server.
CANDIDATES: Final = """
UNWIND $ids AS id MATCH (c:Chunk {project_id: $project_id, id: id})-[:PART_OF]->(a:Artifact) WHERE CONDITION
OPTIONAL MATCH (e:Embedding {project_id: '*', id: $model + '/' + c.hash})
RETURN collect([a.id, c.index, a.num_chunks, c.text, a.author,
    CASE WHEN a.turn_index IS NOT NULL THEN a.conversation_id END,
    CASE WHEN a.conversation_id IS NOT NULL THEN a.turn_index END,
    a.happened_at.epochMillis * 1000 + a.happened_at.microsecond % 1000,
    c.terms, e.vector, CASE WHEN c.terms IS NULL THEN c.prefix + c.text END]) AS candidates
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
OPTIONAL MATCH (p:Project {project_id: $project_id, id: $project_id})
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
{_COUNT_TERMS}
"""
FORGET_TERMS: Final = """
MATCH (t:Term) WHERE t.project_id = $project_id AND t.id IS NOT NULL
WITH t LIMIT $batch DELETE t RETURN count(*) AS forgotten
"""
FORGET_TERM_VECTORS: Final = """
MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id IS NOT NULL AND c.terms IS NOT NULL SET c.terms = null
"""
FORGET_TOTALS: Final = """
MATCH (p:Project {project_id: $project_id, id: $project_id}) SET p.num_chunks = 0, p.num_terms = 0
"""

# --- Jobs ---

# `due_at` is a pending job's not-before and a running one's end of lease; done and failed jobs have none.
PUT_JOBS: Final = """
UNWIND $jobs AS job MERGE (j:Job {project_id: $project_id, id: job.id})
SET j = {project_id: $project_id, id: job.id, artifact_id: job.artifact_id, kind: job.kind, number: job.number,
    num_chunks: job.num_chunks, state: 'pending', attempts: 0, due_at: $due_at}
"""
DROP_JOB: Final = "MATCH (j:Job {project_id: $project_id, id: $id}) DELETE j"
CURRENT_ARTIFACTS: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) WHERE {CURRENT}
RETURN a.id AS id, a.num_chunks AS num_chunks ORDER BY a.number
"""
#: The oldest due jobs of the first kind that has any, all of the project of the oldest. An OR in the place of the CASE
#: would have the planner read two indexes and sort.
DUE_JOBS: Final = """
UNWIND range(0, size($kinds) - 1) AS position
CALL (position) {
    MATCH (j:Job) WHERE j.kind = $kinds[position] AND j.number > 0
        AND j.due_at IS NOT NULL AND CASE WHEN j.due_at <= $now THEN true ELSE j.due_at > $farthest END
    RETURN j.kind AS kind, j.project_id AS project_id ORDER BY j.kind, j.number LIMIT 1
}
WITH kind, project_id ORDER BY position LIMIT 1
CALL (kind, project_id) {
    MATCH (j:Job) WHERE j.kind = kind AND j.project_id = project_id AND j.number > 0
        AND j.due_at IS NOT NULL AND CASE WHEN j.due_at <= $now THEN true ELSE j.due_at > $farthest END
    RETURN j.id AS id, j.number AS number ORDER BY j.kind, j.project_id, j.number LIMIT $limit
}
RETURN project_id, id, number
"""
#: Takes the jobs' locks and changes nothing.
LOCK_JOBS: Final = """
UNWIND $jobs AS job MATCH (j:Job {project_id: job.project_id, id: job.id}) SET j.artifact_id = j.artifact_id
"""
# A condition before the first SET is checked without the job's lock.
_LOCKED_JOBS: Final = f"{LOCK_JOBS} WITH j, job WHERE j.number = job.number"
TAKE_JOBS: Final = f"""
{_LOCKED_JOBS} AND (j.due_at <= $now OR j.due_at > $farthest)
SET j.state = 'running', j.attempts = j.attempts + 1, j.due_at = $due_at, j.lease_owner = $owner
WITH j OPTIONAL MATCH (a:Artifact {{project_id: j.project_id, id: j.artifact_id}})
RETURN j.number AS number, j.project_id AS project_id, j.artifact_id AS artifact_id, j.kind AS kind,
    j.attempts AS attempts, j.lease_owner AS owner,
    CASE j.kind WHEN 'erase' THEN j.num_chunks ELSE coalesce(a.num_chunks, j.num_chunks) END AS num_chunks
ORDER BY number
"""
# The number of attempts tells a claim from a later one of the same owner.
_HELD_JOBS: Final = (
    f"{_LOCKED_JOBS} AND j.lease_owner = job.owner AND j.attempts = job.attempts AND j.state = 'running'"
)
FINISH_JOBS: Final = f"{_HELD_JOBS} SET j.state = 'done' REMOVE j.due_at, j.lease_owner, j.error"
DELETE_JOBS: Final = f"{_HELD_JOBS} DELETE j"
EXTEND_JOBS: Final = f"{_HELD_JOBS} SET j.due_at = $due_at"
RETRY_JOBS: Final = f"{_HELD_JOBS} SET j.state = 'pending', j.due_at = $due_at, j.error = $error REMOVE j.lease_owner"
FAIL_JOBS: Final = f"{_HELD_JOBS} SET j.state = 'failed', j.error = $error REMOVE j.due_at, j.lease_owner"
QUEUE_FAILED_JOBS: Final = """
MATCH (j:Job) WHERE j.state = 'failed' AND j.project_id IS NOT NULL SET j.artifact_id = j.artifact_id
WITH j WHERE j.state = 'failed'
SET j.state = 'pending', j.attempts = 0, j.due_at = $due_at REMOVE j.error
RETURN count(j) AS jobs
"""
COUNT_JOBS: Final = """
MATCH (j:Job) WHERE j.state IN ['pending', 'running', 'failed'] AND j.project_id = $project_id
RETURN j.state AS state, count(*) AS jobs
"""
COUNT_ALL_JOBS: Final = """
MATCH (j:Job) WHERE j.state IN ['pending', 'running', 'failed'] AND j.project_id IS NOT NULL
RETURN j.state AS state, count(*) AS jobs
"""
JOB_REPORTS: Final = """
MATCH (j:Job) WHERE j.project_id = $project_id AND j.id IN $ids
RETURN j.kind AS kind, j.state AS state, j.attempts AS attempts, j.error AS error ORDER BY kind
"""
