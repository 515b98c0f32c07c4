"""The statements of `soundness` and `repair`: what is missing or extra in each derived table."""

from typing import Final

from core.integrity import UNCUT, Part
from graph.sqlite_store.database.row_numbers import PROJECT_BITS
from graph.sqlite_store.database.schema import FORMS, MONTH

#: What nothing else could be made from; rows of all other tables that point to nothing are dropped.
RECORD_TABLES: Final = frozenset({"artifacts", "contents", "tags"})
DERIVED_TABLES: Final = (
    "chunks", "entities", "events", "claims", "names", "mentions", "evidence", "participants", "event_links",
    "event_terms", "likenesses", "readings", "findings", "sayings", "echoes", "lessons",
)  # fmt: skip

STASHED: Final = "SELECT item, project_id, id FROM artifacts WHERE stashed = 1 AND replaced_by IS NULL"
CONTENT: Final = "SELECT content FROM contents WHERE item = ?"
TOTALS: Final = "SELECT number, project_id, num_chunks, num_terms FROM projects"
TERMS: Final = """
SELECT a.id, c.position, c.terms, c.prefix || c.text FROM chunks c JOIN artifacts a ON a.item = c.item
WHERE c.id BETWEEN ? AND ?
"""
QUOTES: Final = """
SELECT v.item, a.project_id, a.id, v.start_char, v.end_char, v.quote
FROM evidence v JOIN artifacts a ON a.item = v.item ORDER BY v.item
"""

# As graph.sqlite_store.knowledge.lessons makes them.
_STEPS: Final = """
    SELECT event AS source, n.type AS kind, 1.0 AS weight, entity AS target, relation FROM participants p
        JOIN entities n ON n.node = p.entity JOIN seen USING (event)
    UNION SELECT p.entity, e.category, e.weight, e.node, p.relation FROM participants p
        JOIN events e ON e.node = p.event JOIN entities n ON n.node = p.entity JOIN seen USING (event)
"""
_SEEN: Final = """
WITH seen (event) AS (
    SELECT DISTINCT v.event FROM evidence v JOIN artifacts a ON a.item = v.item WHERE a.replaced_by IS NULL
)
"""
_KEPT_STEPS: Final = "SELECT source, kind, weight, target, relation FROM adjacency"
MISSING_STEPS: Final = f"{_SEEN} SELECT * FROM ({_STEPS}) EXCEPT {_KEPT_STEPS}"
EXTRA_STEPS: Final = f"{_SEEN} {_KEPT_STEPS} EXCEPT SELECT * FROM ({_STEPS})"
_NAMED_STEP: Final = """
SELECT coalesce(one.project_id, other.project_id),
    coalesce(one.id, 'node ' || source) || ' > ' || coalesce(other.id, 'node ' || target) || ' ' || relation
FROM ({steps}) LEFT JOIN nodes one ON one.node = source LEFT JOIN nodes other ON other.node = target
"""

# The events and entities (originals) that each item is expected to have, and those that it has.
_EXPECTED_EVENTS: Final = "SELECT l.item, one.value AS id FROM lessons l, json_each(l.events) one"
_EXPECTED_ENTITIES: Final = "SELECT l.item, one.value AS id FROM lessons l, json_each(l.entities) one"
_STORED_EVENTS: Final = """
SELECT v.item, n.id FROM evidence v JOIN events e ON e.node = v.event JOIN nodes n ON n.node = v.event
"""
_STORED_ENTITIES: Final = """
SELECT c.item, iif(c.original = '', n.id, c.original) AS id FROM claims c JOIN entities e ON e.node = c.entity
    JOIN nodes n ON n.node = c.entity
"""
_MISSING_EVENTS: Final = f"{_EXPECTED_EVENTS} EXCEPT {_STORED_EVENTS}"
# What a person dismissed, and what is merged into that.
_DISMISSED: Final = """
WITH RECURSIVE dismissed (project_id, id) AS (
    SELECT project_id, one FROM verdicts WHERE kind = 'dismissed' AND undone_at IS NULL
    UNION SELECT v.project_id, v.other FROM dismissed d JOIN verdicts v ON v.project_id = d.project_id
        AND v.one = d.id AND v.kind = 'same' AND v.undone_at IS NULL)
SELECT a.item, d.id FROM dismissed d JOIN artifacts a ON a.project_id = d.project_id
"""
_MISSING_ENTITIES: Final = f"""
{_EXPECTED_ENTITIES} EXCEPT {_STORED_ENTITIES} EXCEPT SELECT item, id FROM ({_DISMISSED})
"""
# Another item's knowledge may name an event that has evidence in this one.
_UNEXPECTED_EVENTS: Final = f"""
SELECT there.item, there.id FROM ({_STORED_EVENTS}) there JOIN lessons USING (item)
WHERE there.id NOT IN (SELECT id FROM ({_EXPECTED_EVENTS}))
"""
_UNEXPECTED_ENTITIES: Final = f"""
SELECT item, id FROM ({_STORED_ENTITIES} EXCEPT {_EXPECTED_ENTITIES}) JOIN lessons USING (item)
"""
_OF_ITEMS: Final = "SELECT DISTINCT a.project_id, x.id FROM ({}) x JOIN artifacts a ON a.item = x.item"

#: Items to extract again. A step without its participant is what is left of one.
TO_EXTRACT: Final = f"""
SELECT item FROM ({_MISSING_EVENTS})
UNION SELECT item FROM ({_MISSING_ENTITIES})
UNION SELECT item FROM ({_UNEXPECTED_EVENTS})
UNION SELECT item FROM ({_UNEXPECTED_ENTITIES})
UNION SELECT item FROM evidence WHERE event NOT IN (SELECT node FROM events)
UNION SELECT item FROM claims WHERE entity NOT IN (SELECT node FROM entities)
UNION SELECT item FROM mentions WHERE entity NOT IN (SELECT node FROM entities)
UNION SELECT v.item FROM participants p JOIN evidence v USING (event) WHERE p.entity NOT IN (SELECT node FROM entities)
UNION SELECT v.item FROM ({EXTRA_STEPS}) s JOIN evidence v ON v.event IN (s.source, s.target)
"""
ORPHANED: Final = """
SELECT project_id, id FROM nodes WHERE node NOT IN (SELECT node FROM entities UNION SELECT node FROM events)
"""
UNPROVEN: Final = "SELECT node FROM events WHERE node NOT IN (SELECT event FROM evidence)"
UNNAMED: Final = "SELECT node FROM entities WHERE node NOT IN (SELECT entity FROM claims)"
MISNAMED: Final = """
SELECT entity FROM (SELECT entity, name FROM claims EXCEPT SELECT entity, name FROM names)
UNION SELECT entity FROM (SELECT entity, name FROM names EXCEPT SELECT entity, name FROM claims
    EXCEPT SELECT node, given_name FROM entities WHERE given_name IS NOT NULL)
"""
NUM_MENTIONS: Final = """
(SELECT count(*) FROM mentions m JOIN artifacts a ON a.item = m.item
    WHERE m.entity = entities.node AND a.replaced_by IS NULL)
"""

# As the triggers of `schema` keep them.
LISTED_TAGS: Final = f"""
SELECT t.project_id, t.form, a.happened_at, a.created_at, a.id, a.item, a.context, a.expires_at,
    a.utc_offset
FROM ({FORMS}) t JOIN artifacts a ON a.item = t.item
"""
_KEPT_TAGS: Final = (
    "SELECT project_id, form, happened_at, created_at, id, item, context, expires_at, utc_offset FROM tag_lists"
)
_MONTH: Final = MONTH.format("happened_at + utc_offset")
COUNTED_FACETS: Final = f"""
SELECT project_id, 'tag' AS facet, tag AS value, count(*) AS number FROM tags GROUP BY project_id, tag
UNION ALL SELECT project_id, 'form', form, count(*) FROM ({FORMS}) GROUP BY project_id, form
UNION ALL SELECT project_id, 'type', context, count(*) FROM artifacts WHERE replaced_by IS NULL
    GROUP BY project_id, context
UNION ALL SELECT project_id, 'month', {_MONTH}, count(*) FROM artifacts WHERE replaced_by IS NULL
    GROUP BY project_id, {_MONTH}
"""
_KEPT_FACETS: Final = "SELECT project_id, facet, value, number FROM facet_counts"

#: A part, what goes on after the number of what the statement finds, and the statement: project and name.
CHECKS: Final[tuple[tuple[Part, str, str], ...]] = (
    (
        "record",
        "items have no content",
        "SELECT project_id, id FROM artifacts WHERE item NOT IN (SELECT item FROM contents)",
    ),
    (
        "words",
        UNCUT,
        """SELECT project_id, id FROM artifacts a
        WHERE (SELECT count(*) FROM chunks c WHERE c.item = a.item) <> iif(replaced_by IS NULL, num_chunks, 0)""",
    ),
    (
        "words",
        "chunks have no words",
        """SELECT a.project_id, a.id || ':' || c.position FROM chunks c JOIN artifacts a ON a.item = c.item
        WHERE c.id NOT IN (SELECT id FROM words_docsize)""",
    ),
    (
        "words",
        "entries of words have no chunk",
        f"""SELECT p.project_id, 'entry ' || d.id FROM words_docsize d
        LEFT JOIN projects p ON p.number = d.id >> {PROJECT_BITS} WHERE d.id NOT IN (SELECT id FROM chunks)""",
    ),
    (
        "lists",
        "tags are not in the lists",
        f"SELECT project_id, form || ' ' || id FROM ({LISTED_TAGS} EXCEPT {_KEPT_TAGS})",
    ),
    (
        "lists",
        "tags in the lists are no item's",
        f"SELECT project_id, form || ' ' || id FROM ({_KEPT_TAGS} EXCEPT {LISTED_TAGS})",
    ),
    (
        "lists",
        "facets are counted wrongly",
        f"""SELECT project_id, facet || ' ' || value FROM (
            SELECT * FROM ({COUNTED_FACETS}) EXCEPT {_KEPT_FACETS}
            UNION SELECT * FROM ({_KEPT_FACETS} EXCEPT SELECT * FROM ({COUNTED_FACETS}))
        )""",
    ),
    ("graph", "events of items are missing", _OF_ITEMS.format(_MISSING_EVENTS)),
    ("graph", "entities of items are missing", _OF_ITEMS.format(_MISSING_ENTITIES)),
    ("graph", "events belong to no item", _OF_ITEMS.format(_UNEXPECTED_EVENTS)),
    ("graph", "entities belong to no item", _OF_ITEMS.format(_UNEXPECTED_ENTITIES)),
    ("graph", "nodes are neither event nor entity", ORPHANED),
    ("graph", "events rest on no evidence", f"SELECT project_id, id FROM nodes WHERE node IN ({UNPROVEN})"),
    ("graph", "entities are named by nothing", f"SELECT project_id, id FROM nodes WHERE node IN ({UNNAMED})"),
    (
        "graph",
        "entities are not found under the names they are given",
        f"SELECT project_id, id FROM nodes WHERE node IN ({MISNAMED})",
    ),
    (
        "graph",
        "entities count more or fewer mentions than there are",
        f"""SELECT n.project_id, n.id FROM nodes n JOIN entities USING (node) WHERE mention_count <> {NUM_MENTIONS}""",
    ),
    ("graph", "steps between events and entities are missing", _NAMED_STEP.format(steps=MISSING_STEPS)),
    ("graph", "steps lead to no participant", _NAMED_STEP.format(steps=EXTRA_STEPS)),
)
