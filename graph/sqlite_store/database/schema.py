"""The tables of the file, as numbered migrations. A published migration never changes: append another.

Times are numbers (graph.timestamps). The rows of a project have numbers of its own range, in
`artifacts`, `chunks` and the full-text indexes over them, so that a search reads nothing of the other projects.
"""

from typing import Final

from graph.sqlite_store.database.identity_schema import DECIDED_NAMES, IDENTITIES
from graph.sqlite_store.database.word_schema import ENTRIES_OF_WRITER, LANGUAGES, WHOLE_CONTENTS, WORDS

#: The author of an item, as the index of authors has it; `a` is its row.
AUTHOR: Final = "lower(a.given ->> '$.author')"
#: The month of a time in UTC, such as 2026-01; `{0}` is the time.
MONTH: Final = "strftime('%Y-%m', ({0} - CASE WHEN {0} < 0 THEN 999999 ELSE 0 END) / 1000000, 'unixepoch')"

# `rule_scope`, `rule_category` and `rule_words`: where an item applies as a rule, its category, and how many of each
# task's words are in it (core.interface.memory). `terms`, `num_chunks` and `num_terms` are kept by
# graph.sqlite_store.database.term_counts.
_RECORDS: Final = """
CREATE TABLE projects (
    number INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL UNIQUE,
    num_chunks INTEGER NOT NULL DEFAULT 0,
    num_terms INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE artifacts (
    item INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    context TEXT NOT NULL,
    key TEXT,
    conversation_id TEXT,
    turn_index INTEGER,
    source TEXT NOT NULL,
    sensitivity TEXT NOT NULL,
    importance REAL NOT NULL,
    happened_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_occurred INTEGER NOT NULL,
    expires_at INTEGER,
    token_count INTEGER NOT NULL,
    num_chunks INTEGER NOT NULL,
    frequency INTEGER NOT NULL,
    stashed INTEGER NOT NULL,
    replaced_by TEXT,
    given TEXT NOT NULL,
    file_path TEXT,
    task_id TEXT,
    rule_scope TEXT,
    rule_category TEXT,
    rule_words TEXT,
    UNIQUE (project_id, id),
    UNIQUE (project_id, fingerprint)
);
-- Lists are read in the order of an index, and counts from it alone: for that it also holds the columns of its own
-- condition, which SQLite looks up otherwise.
CREATE UNIQUE INDEX artifacts_by_key ON artifacts (project_id, key, context)
    WHERE key IS NOT NULL AND replaced_by IS NULL;
CREATE INDEX artifacts_by_time ON artifacts (
    project_id, happened_at DESC, created_at DESC, id, expires_at, replaced_by
) WHERE replaced_by IS NULL;
CREATE INDEX artifacts_by_context ON artifacts (
    project_id, context, happened_at DESC, created_at DESC, id, expires_at, num_chunks, stashed, replaced_by
) WHERE replaced_by IS NULL;
CREATE INDEX artifacts_by_source ON artifacts (
    project_id, source, happened_at DESC, created_at DESC, id, expires_at, replaced_by
) WHERE replaced_by IS NULL;
CREATE INDEX artifacts_stashed ON artifacts (
    project_id, happened_at DESC, created_at DESC, id, expires_at, stashed, replaced_by
) WHERE stashed = 1 AND replaced_by IS NULL;
CREATE INDEX artifacts_expiring ON artifacts (project_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX artifacts_by_expiry ON artifacts (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX artifacts_by_turn ON artifacts (project_id, conversation_id, turn_index, created_at)
    WHERE conversation_id IS NOT NULL;
CREATE INDEX artifacts_replaced ON artifacts (project_id, replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX artifacts_by_author ON artifacts (project_id, lower(given ->> '$.author')) WHERE turn_index IS NOT NULL;
CREATE INDEX artifacts_by_file ON artifacts (
    project_id, file_path, happened_at DESC, created_at DESC, id, expires_at, replaced_by
) WHERE file_path IS NOT NULL AND replaced_by IS NULL;
CREATE INDEX artifacts_by_task ON artifacts (
    project_id, task_id, happened_at DESC, created_at DESC, id, expires_at, replaced_by
) WHERE task_id IS NOT NULL AND replaced_by IS NULL;
CREATE INDEX artifacts_rules ON artifacts (
    project_id, rule_scope, id, context, rule_category, rule_words, frequency, last_occurred, token_count, expires_at,
    stashed, replaced_by
) WHERE rule_scope IS NOT NULL AND replaced_by IS NULL AND stashed = 0;

-- Apart from their rows, so that lists and counts do not read through long texts.
CREATE TABLE contents (
    item INTEGER PRIMARY KEY REFERENCES artifacts (item) ON DELETE CASCADE,
    content TEXT NOT NULL
);
CREATE TABLE tags (
    project_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES artifacts (item) ON DELETE CASCADE,
    PRIMARY KEY (project_id, tag, item)
) WITHOUT ROWID;
CREATE INDEX tags_by_item ON tags (item);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES artifacts (item),
    position INTEGER NOT NULL,
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    token_count INTEGER NOT NULL,
    hash TEXT NOT NULL,
    prefix TEXT NOT NULL,
    text TEXT NOT NULL,
    terms BLOB NOT NULL DEFAULT x'',
    UNIQUE (item, position)
);
CREATE INDEX chunks_by_hash ON chunks (hash);
CREATE INDEX chunks_by_place ON chunks (item, start_char, end_char);
CREATE TABLE embeddings (
    model TEXT NOT NULL,
    hash TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE UNIQUE INDEX embeddings_by_hash ON embeddings (hash, model);
CREATE TABLE markers (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
"""

# `due_at` is a pending job's not-before and a running one's end of lease; done and failed jobs have none. `lost` is how
# often in a row the lease of one ran out.
_JOBS: Final = """
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    lease_owner TEXT,
    num_chunks INTEGER NOT NULL,
    error TEXT,
    UNIQUE (project_id, artifact_id, kind)
);
CREATE INDEX jobs_waiting ON jobs (kind, id) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_waiting_in_project ON jobs (kind, project_id, id) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_by_state ON jobs (state, project_id);
"""

# `original` is the id of the entity that resolution found, where a merge decision assigns it to another entity, and
# then `type` is its type; '' where it is the entity itself.
_KNOWLEDGE: Final = """
CREATE TABLE nodes (
    node INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    UNIQUE (project_id, id)
);
CREATE TABLE entities (
    node INTEGER PRIMARY KEY REFERENCES nodes (node) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    aliases TEXT NOT NULL DEFAULT '[]',
    role TEXT,
    organization TEXT,
    mention_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX entities_by_project ON entities (project_id);
-- What each artifact calls an entity; `main` is 1 for a name and 0 for an alias, `reason` says why it is the entity's.
CREATE TABLE claims (
    entity INTEGER NOT NULL REFERENCES entities (node) ON DELETE CASCADE,
    name TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES artifacts (item),
    main INTEGER NOT NULL,
    happened_at INTEGER NOT NULL,
    role TEXT,
    organization TEXT,
    original TEXT NOT NULL DEFAULT '',
    type TEXT,
    reason TEXT,
    PRIMARY KEY (entity, name, item, original)
) WITHOUT ROWID;
CREATE INDEX claims_by_item ON claims (item, entity);
CREATE INDEX claims_by_length ON claims (entity, main DESC, length(name) DESC, name);
CREATE INDEX claims_by_role ON claims (entity, happened_at DESC, item DESC, role) WHERE role IS NOT NULL;
CREATE INDEX claims_by_organization ON claims (entity, happened_at DESC, item DESC, organization)
    WHERE organization IS NOT NULL;
CREATE INDEX claims_by_original ON claims (original) WHERE original <> '';
-- The distinct claimed names, for look-up.
CREATE TABLE names (
    project_id TEXT NOT NULL,
    normalised TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (node) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (project_id, normalised, entity, name)
) WITHOUT ROWID;
CREATE INDEX names_by_entity ON names (entity);
CREATE TABLE mentions (
    entity INTEGER NOT NULL REFERENCES entities (node) ON DELETE CASCADE,
    item INTEGER NOT NULL REFERENCES artifacts (item),
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    original TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (entity, item, start_char, end_char, original)
) WITHOUT ROWID;
CREATE INDEX mentions_by_item ON mentions (item, entity);
CREATE TABLE events (
    node INTEGER PRIMARY KEY REFERENCES nodes (node) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    category TEXT NOT NULL,
    summary TEXT NOT NULL,
    confidence REAL NOT NULL,
    event_time INTEGER,
    due INTEGER,
    status TEXT,
    weight REAL NOT NULL,
    first_status TEXT,
    origin TEXT NOT NULL DEFAULT 'extracted',
    bears_on TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX events_by_time ON events (project_id, event_time DESC, id, category);
CREATE INDEX events_in_ledger ON events (project_id, category, status, event_time DESC, id) WHERE status IS NOT NULL;
CREATE TABLE evidence (
    event INTEGER NOT NULL REFERENCES events (node) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item INTEGER NOT NULL REFERENCES artifacts (item),
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    quote TEXT NOT NULL,
    PRIMARY KEY (event, position)
);
CREATE INDEX evidence_by_item ON evidence (item, event);
-- Actors have a role and the relation ACTED_IN, subjects have ABOUT.
CREATE TABLE participants (
    event INTEGER NOT NULL REFERENCES events (node) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (node),
    relation TEXT NOT NULL,
    role TEXT,
    original TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (event, position)
);
CREATE INDEX participants_by_entity ON participants (entity);
-- Both directions of every step, in the order they are read: a hub costs no more than its cap.
CREATE TABLE adjacency (
    source INTEGER NOT NULL,
    kind TEXT NOT NULL,
    weight REAL NOT NULL,
    target INTEGER NOT NULL,
    relation TEXT NOT NULL,
    PRIMARY KEY (source, kind, weight DESC, target, relation)
) WITHOUT ROWID;
-- The ids of the events and entities that an item was last found to hold, as JSON: the check of soundness expects them;
-- and the language of a text that was read by its structure alone.
CREATE TABLE lessons (
    item INTEGER PRIMARY KEY REFERENCES artifacts (item) ON DELETE CASCADE,
    events TEXT NOT NULL,
    entities TEXT NOT NULL,
    unread_language TEXT
);
CREATE INDEX lessons_unread ON lessons (item, unread_language) WHERE unread_language IS NOT NULL;
"""

# Links from a later event to the earlier one that it affects; resolutions; and the words that events are found by.
_LEDGER: Final = """
CREATE TABLE event_links (
    source INTEGER NOT NULL REFERENCES events (node) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES events (node) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    confidence REAL NOT NULL,
    PRIMARY KEY (source, target, relation)
) WITHOUT ROWID;
CREATE INDEX event_links_to ON event_links (target, relation, source);
-- By id and not by row: an event may be gone and come back.
CREATE TABLE resolutions (
    number INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    note TEXT
);
CREATE INDEX resolutions_of_event ON resolutions (project_id, event_id, at DESC, number DESC);
CREATE INDEX resolutions_by_artifact ON resolutions (project_id, artifact_id);
CREATE TABLE event_terms (
    project_id TEXT NOT NULL,
    term INTEGER NOT NULL,
    event INTEGER NOT NULL REFERENCES events (node) ON DELETE CASCADE,
    PRIMARY KEY (project_id, term, event)
) WITHOUT ROWID;
CREATE INDEX event_terms_by_event ON event_terms (event);
"""

# `found` and `standing` are JSON (graph.json_codec): what was found in an item, and its knowledge before the run.
_RUNS: Final = """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    extractor TEXT NOT NULL,
    scope TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    tally TEXT NOT NULL,
    UNIQUE (project_id, id)
);
CREATE TABLE readings (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES artifacts (item) ON DELETE CASCADE,
    run INTEGER NOT NULL REFERENCES runs (number),
    waits INTEGER NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0,
    found TEXT,
    standing TEXT NOT NULL,
    UNIQUE (item, run)
);
CREATE INDEX readings_by_run ON readings (run, id);
CREATE TABLE findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item INTEGER NOT NULL REFERENCES artifacts (item) ON DELETE CASCADE,
    extractor TEXT NOT NULL,
    proposed INTEGER NOT NULL,
    text_hash TEXT NOT NULL,
    found TEXT NOT NULL,
    UNIQUE (item, extractor, proposed)
);
"""

# A row for each saying of each item: `since` and `first` are the time and the number of the first item under its key
# that said it.
_ECHOES: Final = """
CREATE TABLE sayings (
    project INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    since INTEGER NOT NULL,
    first INTEGER NOT NULL,
    item INTEGER NOT NULL REFERENCES artifacts (item) ON DELETE CASCADE,
    PRIMARY KEY (project, hash, since, first, item)
) WITHOUT ROWID;
CREATE INDEX sayings_by_item ON sayings (item);
CREATE TABLE echoes (
    item INTEGER NOT NULL REFERENCES artifacts (item) ON DELETE CASCADE,
    origin INTEGER NOT NULL REFERENCES artifacts (item) ON DELETE CASCADE,
    PRIMARY KEY (item, origin)
) WITHOUT ROWID;
CREATE INDEX echoes_by_origin ON echoes (origin);
"""

# `tag_lists` has each tag of a current item in the order of lists, with the columns that filter a list by tag;
# `facet_counts` how many current items, expired ones among them, have a tag, are of a type, and are from a month.
_FACETS: Final = f"""
CREATE TABLE tag_lists (
    project_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    item INTEGER NOT NULL,
    context TEXT NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (project_id, tag, happened_at DESC, created_at DESC, id)
) WITHOUT ROWID;
CREATE TABLE facet_counts (
    project_id TEXT NOT NULL,
    facet TEXT NOT NULL,
    value TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (project_id, facet, value)
) WITHOUT ROWID;
CREATE INDEX facet_counts_by_number ON facet_counts (project_id, facet, number DESC, value);
CREATE TRIGGER artifacts_counted AFTER INSERT ON artifacts WHEN new.replaced_by IS NULL BEGIN
    INSERT INTO facet_counts VALUES (new.project_id, 'type', new.context, 1),
        (new.project_id, 'month', {MONTH.format("new.happened_at")}, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER artifacts_retired AFTER UPDATE OF replaced_by ON artifacts
    WHEN (old.replaced_by IS NULL) <> (new.replaced_by IS NULL) BEGIN
    INSERT INTO facet_counts VALUES (new.project_id, 'type', new.context, 1),
        (new.project_id, 'month', {MONTH.format("new.happened_at")}, 1)
        ON CONFLICT DO UPDATE SET number = number + iif(new.replaced_by IS NULL, 1, -1);
    DELETE FROM facet_counts WHERE project_id = new.project_id AND facet = 'type' AND value = new.context
        AND number = 0;
    DELETE FROM facet_counts WHERE project_id = new.project_id AND facet = 'month'
        AND value = {MONTH.format("new.happened_at")} AND number = 0;
END;
CREATE TRIGGER artifacts_discounted BEFORE DELETE ON artifacts BEGIN
    DELETE FROM tags WHERE item = old.item;
    UPDATE facet_counts SET number = number - 1 WHERE old.replaced_by IS NULL AND project_id = old.project_id
        AND (facet = 'type' AND value = old.context OR facet = 'month' AND value = {MONTH.format("old.happened_at")});
    DELETE FROM facet_counts WHERE project_id = old.project_id AND number = 0
        AND (facet = 'type' AND value = old.context OR facet = 'month' AND value = {MONTH.format("old.happened_at")});
END;
CREATE TRIGGER tags_listed AFTER INSERT ON tags BEGIN
    INSERT INTO tag_lists SELECT new.project_id, new.tag, happened_at, created_at, id, item, context, expires_at
        FROM artifacts WHERE item = new.item;
    INSERT INTO facet_counts VALUES (new.project_id, 'tag', new.tag, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER tags_unlisted BEFORE DELETE ON tags BEGIN
    DELETE FROM tag_lists WHERE project_id = old.project_id AND tag = old.tag
        AND happened_at = (SELECT happened_at FROM artifacts WHERE item = old.item)
        AND created_at = (SELECT created_at FROM artifacts WHERE item = old.item)
        AND id = (SELECT id FROM artifacts WHERE item = old.item);
    UPDATE facet_counts SET number = number - 1
        WHERE project_id = old.project_id AND facet = 'tag' AND value = old.tag;
    DELETE FROM facet_counts WHERE project_id = old.project_id AND facet = 'tag' AND value = old.tag AND number = 0;
END;
"""

# Whatever changes the graph of a project changes this number; what is learnt of an item ends with its row of `lessons`.
_OF_ITEM, _OF_EVENT = (
    "SELECT project_id FROM artifacts WHERE item = {}",
    "SELECT project_id FROM events WHERE node = {}",
)
_CHANGES: Final = "".join(
    f"""
CREATE TRIGGER {name} AFTER {act} BEGIN
    UPDATE projects SET changes = changes + 1 WHERE project_id = ({of});
END;
"""
    for name, act, of in (
        ("lessons_changed", "INSERT ON lessons", _OF_ITEM.format("new.item")),
        ("artifacts_changed", "UPDATE OF replaced_by ON artifacts", "new.project_id"),
        ("artifacts_gone", "DELETE ON artifacts", "old.project_id"),
        ("links_changed", "INSERT ON event_links", _OF_EVENT.format("new.source")),
        ("links_gone", "DELETE ON event_links", _OF_EVENT.format("old.source")),
        ("likenesses_changed", "INSERT ON likenesses", "new.project_id"),
        ("likenesses_gone", "DELETE ON likenesses", "old.project_id"),
        ("verdicts_changed", "INSERT ON verdicts", "new.project_id"),
        ("verdicts_undone", "UPDATE OF undone_at ON verdicts", "new.project_id"),
        ("echoes_changed", "INSERT ON echoes", _OF_ITEM.format("new.item")),
    )
)

# Entries are added, never changed, and dropped from the oldest on.
_AUDIT: Final = """
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    act TEXT NOT NULL,
    by TEXT NOT NULL,
    client TEXT,
    project_id TEXT NOT NULL,
    things INTEGER NOT NULL,
    ids TEXT NOT NULL
);
CREATE INDEX audit_by_project ON audit (project_id, number);
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit trail is never changed');
END;
CREATE TRIGGER audit_rotated BEFORE DELETE ON audit WHEN old.number > (SELECT min(number) FROM audit) BEGIN
    SELECT RAISE(ABORT, 'entries of the audit trail are dropped from the oldest on');
END;
"""

# `projects` is JSON; NULL is every project.
_ACCESS_TOKENS: Final = """
CREATE TABLE access_tokens (
    name TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    projects TEXT,
    read_only INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used INTEGER
) WITHOUT ROWID;
"""

# Of several items that differ only in what `core.knowledge.text` leaves out the first is known by it.
_WORDINGS: Final = """
UPDATE OR IGNORE artifacts SET fingerprint = fingerprint_of(
    project_id, given, (SELECT content FROM contents c WHERE c.item = artifacts.item)
);
"""

# The offsets from UTC, in microseconds, of the one who wrote. Those of stored items stand in their dates.
_GIVEN_DATE: Final = "coalesce(given ->> '$.date', given ->> '$.document_date')"
_LOCAL_MONTH: Final = MONTH.format("{0}.happened_at + {0}.utc_offset")
_OFFSETS: Final = f"""
ALTER TABLE artifacts ADD COLUMN utc_offset INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claims ADD COLUMN utc_offset INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tag_lists ADD COLUMN utc_offset INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN time_offset INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN due_offset INTEGER NOT NULL DEFAULT 0;
UPDATE artifacts SET utc_offset = (iif(substr({_GIVEN_DATE}, -6, 1) = '-', -1, 1)
        * (substr({_GIVEN_DATE}, -5, 2) * 3600 + substr({_GIVEN_DATE}, -2) * 60) * 1000000)
    WHERE {_GIVEN_DATE} GLOB '????-??-??[T ]*[+-][0-9][0-9]:[0-9][0-9]';
UPDATE claims SET utc_offset = (SELECT a.utc_offset FROM artifacts a WHERE a.item = claims.item);
UPDATE tag_lists SET utc_offset = (SELECT a.utc_offset FROM artifacts a WHERE a.item = tag_lists.item);
DROP TRIGGER artifacts_counted;
DROP TRIGGER artifacts_retired;
DROP TRIGGER artifacts_discounted;
DROP TRIGGER tags_listed;
CREATE TRIGGER artifacts_counted AFTER INSERT ON artifacts WHEN new.replaced_by IS NULL BEGIN
    INSERT INTO facet_counts VALUES (new.project_id, 'type', new.context, 1),
        (new.project_id, 'month', {_LOCAL_MONTH.format("new")}, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER artifacts_retired AFTER UPDATE OF replaced_by ON artifacts
    WHEN (old.replaced_by IS NULL) <> (new.replaced_by IS NULL) BEGIN
    INSERT INTO facet_counts VALUES (new.project_id, 'type', new.context, 1),
        (new.project_id, 'month', {_LOCAL_MONTH.format("new")}, 1)
        ON CONFLICT DO UPDATE SET number = number + iif(new.replaced_by IS NULL, 1, -1);
    DELETE FROM facet_counts WHERE project_id = new.project_id AND facet = 'type' AND value = new.context
        AND number = 0;
    DELETE FROM facet_counts WHERE project_id = new.project_id AND facet = 'month'
        AND value = {_LOCAL_MONTH.format("new")} AND number = 0;
END;
CREATE TRIGGER artifacts_discounted BEFORE DELETE ON artifacts BEGIN
    DELETE FROM tags WHERE item = old.item;
    UPDATE facet_counts SET number = number - 1 WHERE old.replaced_by IS NULL AND project_id = old.project_id
        AND (facet = 'type' AND value = old.context OR facet = 'month' AND value = {_LOCAL_MONTH.format("old")});
    DELETE FROM facet_counts WHERE project_id = old.project_id AND number = 0
        AND (facet = 'type' AND value = old.context OR facet = 'month' AND value = {_LOCAL_MONTH.format("old")});
END;
CREATE TRIGGER tags_listed AFTER INSERT ON tags BEGIN
    INSERT INTO tag_lists
        SELECT new.project_id, new.tag, happened_at, created_at, id, item, context, expires_at, utc_offset
        FROM artifacts WHERE item = new.item;
    INSERT INTO facet_counts VALUES (new.project_id, 'tag', new.tag, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
DELETE FROM facet_counts WHERE facet = 'month';
INSERT INTO facet_counts SELECT a.project_id, 'month', {_LOCAL_MONTH.format("a")} AS month, count(*) FROM artifacts a
    WHERE a.replaced_by IS NULL GROUP BY a.project_id, month;
"""

# The form that names are compared in has changed; merge decisions hold its hash. And retention reads the items that are
# kept until what is in them is settled, and of resolutions only theirs.
_NAMES_FOLDED: Final = """
UPDATE verdicts SET name_hash = (
    SELECT name_digest(normalised(n.normalised)) FROM names n
    WHERE n.project_id = verdicts.project_id AND name_digest(n.normalised) = verdicts.name_hash
) WHERE name_hash IN (SELECT name_digest(n.normalised) FROM names n WHERE n.normalised <> normalised(n.name));
UPDATE names SET normalised = normalised(name) WHERE normalised <> normalised(name);
CREATE INDEX artifacts_until_resolved ON artifacts (item) WHERE given ->> '$.retention_policy' = 'until_resolved';
CREATE INDEX resolutions_by_time ON resolutions (at);
"""

#: The forms of tags, each once an item.
FORMS: Final = """
SELECT DISTINCT t.project_id, f.value AS form, t.item FROM tags t CROSS JOIN json_each(forms_of(t.tag)) f
"""
# Filters compare forms of tags, so that lists and their counts are by form: `tag_forms` has those of the tags of each
# current item and of their parents.
_TAG_FORMS: Final = f"""
DROP TRIGGER artifacts_discounted;
DROP TRIGGER tags_listed;
DROP TRIGGER tags_unlisted;
DROP TABLE tag_lists;
CREATE TABLE tag_forms (
    project_id TEXT NOT NULL,
    form TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES artifacts (item) ON DELETE CASCADE,
    PRIMARY KEY (project_id, form, item)
) WITHOUT ROWID;
CREATE INDEX tag_forms_by_item ON tag_forms (item);
CREATE TABLE tag_lists (
    project_id TEXT NOT NULL,
    form TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    item INTEGER NOT NULL,
    context TEXT NOT NULL,
    expires_at INTEGER,
    utc_offset INTEGER NOT NULL,
    PRIMARY KEY (project_id, form, happened_at DESC, created_at DESC, id)
) WITHOUT ROWID;
CREATE TRIGGER artifacts_discounted BEFORE DELETE ON artifacts BEGIN
    DELETE FROM tags WHERE item = old.item;
    DELETE FROM tag_forms WHERE item = old.item;
    UPDATE facet_counts SET number = number - 1 WHERE old.replaced_by IS NULL AND project_id = old.project_id
        AND (facet = 'type' AND value = old.context OR facet = 'month' AND value = {_LOCAL_MONTH.format("old")});
    DELETE FROM facet_counts WHERE project_id = old.project_id AND number = 0
        AND (facet = 'type' AND value = old.context OR facet = 'month' AND value = {_LOCAL_MONTH.format("old")});
END;
CREATE TRIGGER tags_counted AFTER INSERT ON tags BEGIN
    INSERT INTO facet_counts VALUES (new.project_id, 'tag', new.tag, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER tags_discounted BEFORE DELETE ON tags BEGIN
    UPDATE facet_counts SET number = number - 1
        WHERE project_id = old.project_id AND facet = 'tag' AND value = old.tag;
    DELETE FROM facet_counts WHERE project_id = old.project_id AND facet = 'tag' AND value = old.tag AND number = 0;
END;
CREATE TRIGGER forms_listed AFTER INSERT ON tag_forms BEGIN
    INSERT INTO tag_lists
        SELECT new.project_id, new.form, happened_at, created_at, id, item, context, expires_at, utc_offset
        FROM artifacts WHERE item = new.item;
    INSERT INTO facet_counts VALUES (new.project_id, 'form', new.form, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER forms_unlisted BEFORE DELETE ON tag_forms BEGIN
    DELETE FROM tag_lists WHERE project_id = old.project_id AND form = old.form
        AND happened_at = (SELECT happened_at FROM artifacts WHERE item = old.item)
        AND created_at = (SELECT created_at FROM artifacts WHERE item = old.item)
        AND id = (SELECT id FROM artifacts WHERE item = old.item);
    UPDATE facet_counts SET number = number - 1
        WHERE project_id = old.project_id AND facet = 'form' AND value = old.form;
    DELETE FROM facet_counts WHERE project_id = old.project_id AND facet = 'form' AND value = old.form AND number = 0;
END;
INSERT INTO tag_forms {FORMS};
"""

# All that a page of the ledger compares, so that it is counted and put in order without its events.
_LEDGER_INDEX: Final = """
DROP INDEX events_in_ledger;
CREATE INDEX events_in_ledger ON events (
    project_id, category, status, event_time DESC, id, confidence, due, time_offset, due_offset
) WHERE status IS NOT NULL;
"""

# In the order in which lists of people and things have them.
_MOST_MENTIONED: Final = """
DROP INDEX entities_by_project;
CREATE INDEX entities_by_mentions ON entities (project_id, mention_count DESC, name);
"""

# `embeddings.model` has a model's number as a blob, which is no name, or its name in a file of an earlier release that
# was not rewritten since (graph.sqlite_store.vacuum).
_MODELS: Final = """
CREATE TABLE models (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
"""

#: The time of the earliest item that an event `{0}` has evidence in: that of `events.since`.
SINCE: Final = "(SELECT min(a.happened_at) FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = {0})"
# What is listed as of a day is then counted without its evidence, too.
_EVENTS_SINCE: Final = f"""
DROP INDEX events_in_ledger;
ALTER TABLE events ADD COLUMN since INTEGER;
UPDATE events SET since = {SINCE.format("node")};
CREATE INDEX events_in_ledger ON events (
    project_id, category, status, event_time DESC, id, confidence, due, time_offset, due_offset, since
) WHERE status IS NOT NULL;
CREATE TRIGGER evidence_dated AFTER INSERT ON evidence BEGIN
    UPDATE events SET since = {SINCE.format("node")} WHERE node = new.event;
END;
CREATE TRIGGER evidence_withdrawn AFTER DELETE ON evidence BEGIN
    UPDATE events SET since = {SINCE.format("node")} WHERE node = old.event;
END;
"""

# The items of one language together, so that they are counted without being read.
_UNREAD_BY_LANGUAGE: Final = """
DROP INDEX lessons_unread;
CREATE INDEX lessons_unread ON lessons (unread_language, item) WHERE unread_language IS NOT NULL;
"""

#: Whether an event is of a later day than its earliest item. `weight` is in days, `since` in microseconds.
FORETOLD: Final = "weight > since / 86400000000.0 + 1.0"
# As of a day, few of a hub's later events were known.
_EVENTS_FORETOLD: Final = f"""
CREATE INDEX events_foretold ON events (project_id, weight, since) WHERE {FORETOLD};
"""

#: Position n brings a file from version n to n + 1.
MIGRATIONS: Final[tuple[str, ...]] = (
    "".join(
        (
            _RECORDS,
            WORDS,
            _JOBS,
            _KNOWLEDGE,
            _LEDGER,
            IDENTITIES,
            _RUNS,
            _ECHOES,
            _FACETS,
            _CHANGES,
            _AUDIT,
            _ACCESS_TOKENS,
        )
    ),
    _WORDINGS,
    _OFFSETS,
    _NAMES_FOLDED,
    _TAG_FORMS,
    DECIDED_NAMES,
    LANGUAGES,
    _LEDGER_INDEX,
    WHOLE_CONTENTS,
    _MOST_MENTIONED,
    _MODELS,
    ENTRIES_OF_WRITER,
    _EVENTS_SINCE,
    _UNREAD_BY_LANGUAGE,
    _EVENTS_FORETOLD,
)
