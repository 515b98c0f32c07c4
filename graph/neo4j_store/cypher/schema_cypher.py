"""The Cypher of constraints, indexes, markers, locks and access tokens."""

from typing import Final, LiteralString

from core.knowledge.findings import EntityType

#: Labels of nodes, each with a uniqueness constraint by project and id.
LABELS: Final[tuple[LiteralString, ...]] = (
    "Artifact", "Chunk", "Passage", "Conversation", "Entity", "Event", "Name", "Verdict",
    "Partition", "Job", "Embedding", "Marker", "Lock", "Term", "Saying", "Resolution", "Run", "Reading", "Findings",
    "AuditEntry",
    "AccessToken",
)  # fmt: skip
#: The labels of entities by their types, in addition to `Entity`.
TYPE_LABELS: Final[dict[EntityType, LiteralString]] = {
    "person": "Person", "org": "Organization", "project": "Project", "object": "Object", "place": "Place",
    "other": "Other",
}  # fmt: skip
CONSTRAINTS: Final[tuple[LiteralString, ...]] = tuple(
    f"CREATE CONSTRAINT {label.lower()}_by_id IF NOT EXISTS FOR (n:{label}) REQUIRE (n.project_id, n.id) IS UNIQUE"
    for label in LABELS
)
#: The indexes of words, by name; they can be rebuilt.
WORD_INDEXES: Final[dict[str, LiteralString]] = {
    "words": """CREATE FULLTEXT INDEX words IF NOT EXISTS FOR (c:Chunk) ON EACH [c.words, c.project_id]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}""",
    "spellings": """CREATE FULLTEXT INDEX spellings IF NOT EXISTS FOR (t:Term) ON EACH [t.word, t.project_id]
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
    "CREATE INDEX listed_by_unread_language IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.unread_language)",
    "CREATE INDEX listed_by_turn IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.conversation_id, a.turn_index)",
    "CREATE INDEX listed_by_conversation IF NOT EXISTS FOR (a:Artifact) ON (a.listed_in, a.conversation_id)",
    "CREATE INDEX artifact_by_conversation IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.conversation_id)",
    "CREATE INDEX artifact_by_number IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.number)",
    "CREATE INDEX artifact_by_creation IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.created_at)",
    "CREATE INDEX artifact_by_update IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.updated_at)",
    "CREATE INDEX artifact_by_speaker IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.speaker)",
    "CREATE INDEX artifact_replaced IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.replaced_by)",
    "CREATE INDEX artifact_by_expiry IF NOT EXISTS FOR (a:Artifact) ON (a.project_id, a.expires_at)",
    "CREATE INDEX audit_by_number IF NOT EXISTS FOR (t:AuditEntry) ON (t.number)",
    "CREATE INDEX audit_of_project IF NOT EXISTS FOR (t:AuditEntry) ON (t.project_id, t.number)",
    "CREATE INDEX chunk_by_hash IF NOT EXISTS FOR (c:Chunk) ON (c.hash)",
    "CREATE INDEX embedding_by_hash IF NOT EXISTS FOR (e:Embedding) ON (e.hash)",
    "CREATE INDEX embedding_by_model IF NOT EXISTS FOR (e:Embedding) ON (e.model)",
    # For people who look: the engine finds names by their normalised form.
    *(
        f"CREATE INDEX {label.lower()}_by_name IF NOT EXISTS FOR (n:{label}) ON (n.name)"
        for label in ("Entity", *TYPE_LABELS.values())
    ),
    """CREATE FULLTEXT INDEX names IF NOT EXISTS FOR (n:Name) ON EACH [n.name, n.project_id]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}""",
    # A tag as a whole is a word of it.
    """CREATE FULLTEXT INDEX tags IF NOT EXISTS FOR (a:Artifact) ON EACH [a.tag_forms, a.listed_in]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword', `fulltext.eventually_consistent`: false}}""",
    "CREATE INDEX entity_by_mentions IF NOT EXISTS FOR (e:Entity) ON (e.project_id, e.mention_count)",
    "CREATE INDEX event_by_due IF NOT EXISTS FOR (v:Event) ON (v.due)",
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
    "CREATE INDEX resolution_by_time IF NOT EXISTS FOR (r:Resolution) ON (r.at)",
    "CREATE INDEX artifact_until_resolved IF NOT EXISTS FOR (a:Artifact) ON (a.is_until_resolved)",
    "CREATE INDEX saying_by_hash IF NOT EXISTS FOR (s:Saying) ON (s.project_id, s.hash, s.since, s.first)",
    """CREATE INDEX possibly_same_by_confidence IF NOT EXISTS
    FOR ()-[l:POSSIBLY_SAME]-() ON (l.project_id, l.confidence)""",
    *WORD_INDEXES.values(),
)
DROP_INDEX: Final[dict[str, LiteralString]] = {name: f"DROP INDEX {name} IF EXISTS" for name in WORD_INDEXES}
AWAIT_THESE: Final = "UNWIND $names AS name CALL db.awaitIndex(name, $seconds)"
ONLINE_WORDS: Final = """
SHOW INDEXES YIELD name, state WHERE name IN $names AND state = 'ONLINE' RETURN name
"""
AWAIT_INDEXES: Final = "CALL db.awaitIndexes($seconds)"

PING: Final = "RETURN 1 AS answer"
GET_MARKER: Final = "MATCH (m:Marker {project_id: '*', id: $name}) RETURN m.value AS value"
SET_MARKER: Final = "MERGE (m:Marker {project_id: '*', id: $name}) SET m:Internal, m.value = $value"
#: A number that never falls: of two releases that open an empty database the newer one's stays.
RAISE_MARKER: Final = """
MERGE (m:Marker {project_id: '*', id: $name})
SET m:Internal, m.value = toString(CASE WHEN toInteger(m.value) > $value THEN toInteger(m.value) ELSE $value END)
"""
#: Verdicts with the hash of a name, and the name where an entity is still found under it.
HASHED_VERDICTS: Final = """
MATCH (d:Verdict) WHERE d.project_id = $project_id AND d.id IS NOT NULL AND d.name_hash IS NOT NULL
MATCH (n:Name {project_id: $project_id, id: d.name_hash}) RETURN d.id AS id, n.name AS name
"""
SET_NAME_HASH: Final = """
UNWIND $rows AS row MATCH (d:Verdict {project_id: $project_id, id: row.id}) SET d.name_hash = row.name_hash
"""
MARK_UNTIL_RESOLVED: Final = """
MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.number IS NOT NULL
    AND a.given CONTAINS '"retention_policy":"until_resolved"' SET a.is_until_resolved = true
"""
#: Waits until no other transaction holds this lock, and holds it until the end of this one.
LOCK: Final = "MERGE (l:Lock {project_id: '*', id: $name}) ON CREATE SET l:Internal SET l.taken = true"
#: The same for all writes to one project; what is read after it is the newest. A constant is set: a value that is read
#: for it is read before the lock is there, and writing it again undoes what others did meanwhile.
LOCK_PROJECT: Final = """
MERGE (p:Partition {project_id: $project_id, id: $project_id}) ON CREATE SET p.number = 0, p:Internal
SET p.taken = true, p.mark = randomUUID()
"""
ALL_PROJECTS: Final = "MATCH (p:Partition) WHERE p.id IS NOT NULL RETURN p.id AS id ORDER BY id"

FINGERPRINTED: Final = """
MATCH (a:Artifact) WHERE elementId(a) > $last AND a.fingerprint IS NOT NULL
WITH a ORDER BY elementId(a) LIMIT $batch
RETURN elementId(a) AS element, a.project_id AS project_id, a.id AS id, a.fingerprint AS fingerprint, a.given AS given,
    a.content AS content
"""
SET_FINGERPRINT: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
WHERE NOT EXISTS { (:Artifact {project_id: $project_id, fingerprint: $fingerprint}) }
SET a.fingerprint = $fingerprint
"""

TAGGED: Final = """
MATCH (a:Artifact) WHERE elementId(a) > $last AND size(a.tags) > 0
WITH a ORDER BY elementId(a) LIMIT $batch RETURN elementId(a) AS element, a.tags AS tags
"""
#: An item whose tags were changed meanwhile has its forms.
SET_TAG_FORMS: Final = """
UNWIND $rows AS row MATCH (a:Artifact) WHERE elementId(a) = row.element AND a.tags = row.tags
SET a.tag_forms = row.forms
"""

#: Its lock makes sure that a second token of the same name finds the first.
ADD_ACCESS: Final = """
MERGE (t:AccessToken {project_id: '*', id: $id}) ON CREATE SET t += $properties, t:Internal
RETURN t.digest = $properties.digest AS added
"""
ALL_ACCESS: Final = """
MATCH (t:AccessToken) WHERE t.project_id = '*' AND t.id IS NOT NULL
RETURN t {.id, .digest, .projects, .read_only, .created_at, .expires_at, .last_used} AS token ORDER BY t.id
"""
REMOVE_ACCESS: Final = "MATCH (t:AccessToken {project_id: '*', id: $id}) DELETE t RETURN count(*) AS removed"
TOUCH_ACCESS: Final = """
MATCH (t:AccessToken) WHERE t.project_id = '*' AND t.id IS NOT NULL AND t.digest = $digest
SET t.last_used = CASE WHEN t.last_used > $at THEN t.last_used ELSE $at END
"""
#: Offsets are in microseconds; an item without one was written in UTC.
ADD_OFFSETS: Final = """
MATCH (a:Artifact) WHERE a.utc_offset IS NULL
WITH a, coalesce(split(a.given, '"date":"')[1], split(a.given, '"document_date":"')[1]) AS behind
WITH a, split(behind, '"')[0] AS date WHERE date =~ '.{10}[T ].*[0-9][+-][0-9]{2}:[0-9]{2}'
SET a.utc_offset = CASE substring(date, size(date) - 6, 1) WHEN '-' THEN -1 ELSE 1 END * 1000000
    * (toInteger(substring(date, size(date) - 5, 2)) * 3600 + toInteger(right(date, 2)) * 60)
WITH a MATCH (a)-[n:NAMES]->() SET n.utc_offset = a.utc_offset
"""

# --- Times and bounds, whose parameters `graph.neo4j_store.database.rows.bounds_of` makes ---


def local(time: LiteralString, offset: LiteralString) -> LiteralString:
    """Return a time as the clock of its writer showed it; without an offset, in UTC."""
    return f"({time} + duration({{microseconds: coalesce({offset}, 0)}}))"


def compared(
    time: LiteralString, offset: LiteralString, comparison: LiteralString, bound: LiteralString
) -> LiteralString:
    """Return the condition that a time is on one side of a bound, for which an index is used.

    A bound of a day is compared with the local times of writers, any other one with instants.
    """
    edge: LiteralString = "first" if comparison.startswith(">") else "last"
    by_day: LiteralString = f"(${bound}_day IS NULL OR {local(time, offset)} {comparison} ${bound}_day)"
    return f"({time} {comparison} ${bound}_{edge} AND {by_day})"


def then(item: LiteralString) -> LiteralString:
    """Return the condition that an item or claim is of the time as of `$as_of`."""
    return compared(f"{item}.happened_at", f"{item}.utc_offset", "<=", "as_of")


def later(item: LiteralString) -> LiteralString:
    """Return the condition that an item or claim is of a later time."""
    return compared(f"{item}.happened_at", f"{item}.utc_offset", ">", "as_of")
