"""All Cypher, named. Every value is a parameter; what is put together is put together from constants of this file.

The model. Nodes, each with `project_id` and `id`, unique together by label; what is of no project has the project `*`:

- `Artifact`: an item; its fields under the names of `core.records` and `core.memory`, `given` as JSON, `number` in the
  order of storing, `name` for the eye. A revision has `replaced_by`.
- `Chunk`: `text`, `prefix`, its place, `hash`, and `words`, what the full-text index sees (graph.neo4j_store.text).
- `Passage`: a piece of a stashed item's folded text, for substrings.
- `Conversation`, `Entity`, `Event` (with its category as a second label), `Name` (a normalised name).
- `Project` (its lock and its last `number`), `Job`, `Embedding`, `Marker`, `Lock`: the engine's own.

Relations: `(Chunk)-[PART_OF]->(Artifact)`, `(Passage)-[OF]->(Artifact)`, `(Artifact)-[TURN_OF]->(Conversation)`,
`(Chunk)-[MENTIONS]->(Entity)`, `(Entity)-[ACTED_IN {role}]->(Event)`, `(Event)-[ABOUT]->(Entity)`,
`(Event)-[EVIDENCED_BY {quote, start_char, end_char, position}]->(Artifact)`, `(Entity)-[KNOWN_AS]->(Name)`, and
`(Artifact)-[NAMES {name, aliases, role, organization, starts, ends}]->(Entity)`: what one artifact teaches of an
entity, from which the entity's own fields and the chunks' MENTIONS are derived.
"""

from typing import Final, LiteralString

# --- Schema ---

#: Labels of nodes, each with a uniqueness constraint by project and id.
LABELS: Final[tuple[LiteralString, ...]] = (
    "Artifact", "Chunk", "Passage", "Conversation", "Entity", "Event", "Name",
    "Project", "Job", "Embedding", "Marker", "Lock",
)  # fmt: skip
CONSTRAINTS: Final[tuple[LiteralString, ...]] = tuple(
    f"CREATE CONSTRAINT {label.lower()}_by_id IF NOT EXISTS FOR (n:{label}) REQUIRE (n.project_id, n.id) IS UNIQUE"
    for label in LABELS
)
INDEXES: Final[tuple[LiteralString, ...]] = (
    """CREATE CONSTRAINT artifact_by_fingerprint IF NOT EXISTS
    FOR (a:Artifact) REQUIRE (a.project_id, a.fingerprint) IS UNIQUE""",
    "CREATE INDEX artifact_by_key IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.key, a.context)",
    "CREATE INDEX artifact_by_time IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.happened_at)",
    "CREATE INDEX artifact_by_number IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.number)",
    "CREATE INDEX artifact_by_context IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.context, a.happened_at)",
    "CREATE INDEX artifact_by_source IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.source, a.happened_at)",
    """CREATE INDEX artifact_by_turn IF NOT EXISTS
    FOR (a:Artifact) ON (a.project_id, a.conversation_id, a.turn_index)""",
    "CREATE INDEX artifact_by_conversation IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.conversation_id)",
    "CREATE INDEX artifact_replaced IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.replaced_by)",
    "CREATE INDEX chunk_by_hash IF NOT EXISTS FOR (c:Chunk) ON (c.hash)",
    "CREATE INDEX event_by_time IF NOT EXISTS FOR (e:Event) ON (e.project_id, e.event_time)",
    "CREATE INDEX job_waiting IF NOT EXISTS FOR (j:Job) ON (j.kind, j.number, j.due_at)",
    """CREATE INDEX job_waiting_in_project IF NOT EXISTS
    FOR (j:Job) ON (j.kind, j.project_id, j.number, j.due_at)""",
    "CREATE INDEX job_by_state IF NOT EXISTS FOR (j:Job) ON (j.state, j.project_id)",
    # In the order a hub's steps are read, so that it costs no more than its cap.
    "CREATE INDEX acted_in_by_hub IF NOT EXISTS FOR ()-[r:ACTED_IN]-() ON (r.hub, r.weight)",
    "CREATE INDEX about_by_hub IF NOT EXISTS FOR ()-[r:ABOUT]-() ON (r.hub, r.weight)",
    """CREATE FULLTEXT INDEX words IF NOT EXISTS FOR (c:Chunk) ON EACH [c.words, c.project_id]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}""",
    "CREATE TEXT INDEX passages IF NOT EXISTS FOR (p:Passage) ON (p.folded)",
)
AWAIT_INDEXES: Final = "CALL db.awaitIndexes($seconds)"

# --- The store ---

PING: Final = "RETURN 1 AS answer"
GET_MARKER: Final = "MATCH (m:Marker {project_id: '*', id: $name}) RETURN m.value AS value"
SET_MARKER: Final = "MERGE (m:Marker {project_id: '*', id: $name}) SET m.value = $value"
#: Waits until no other transaction holds this lock, and holds it until the end of this one.
LOCK: Final = "MERGE (l:Lock {project_id: '*', id: $name}) SET l.taken = true"
#: The same for all writes to one project; what is read after it is the newest.
LOCK_PROJECT: Final = """
MERGE (p:Project {project_id: $project_id, id: $project_id}) SET p.number = coalesce(p.number, 0)
"""

# --- Filters, as conditions on an artifact `a` ---

#: Items that are there for everyone: no revision, not expired at `$at`.
CURRENT: Final = "a.project_id = $project_id AND a.replaced_by IS NULL AND (a.expires_at IS NULL OR a.expires_at > $at)"
#: Each condition, by the field of `core.filters.Filters` that asks for it.
CONDITIONS: Final[dict[str, LiteralString]] = {
    "context": "a.context = $context",
    "tags": "all(tag IN $tags WHERE tag IN a.tags)",
    "date_from": "a.happened_at >= $date_from",
    "date_to": "a.happened_at <= $date_to",
    "conversation_id": "a.conversation_id = $conversation_id",
    "source": "a.source = $source",
    "sensitivity": "a.sensitivity = $sensitivity",
    "min_importance": "a.importance >= $min_importance",
    "as_of": "a.happened_at <= $as_of",
}
ACTIVE: Final = "NOT a.stashed"
#: Newest first, as lists are read; beginning with the project, so that the index by time gives the order.
NEWEST: Final = "a.project_id DESC, a.happened_at DESC, a.created_at DESC, a.id"

# --- Records ---

# --- Words ---

# --- Jobs ---

# `due_at` is a pending job's not-before and a running one's end of lease; done and failed jobs have none.
PUT_JOBS: Final = """
UNWIND $jobs AS job MERGE (j:Job {project_id: $project_id, id: job.id})
SET j = {project_id: $project_id, id: job.id, artifact_id: job.artifact_id, kind: job.kind, number: job.number,
    num_chunks: job.num_chunks, state: 'pending', attempts: 0, due_at: $due_at}
"""
DROP_JOB: Final = "MATCH (j:Job {project_id: $project_id, id: $id}) DELETE j"

# --- Knowledge ---
