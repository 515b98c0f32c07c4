"""All Cypher, named, a module for each group of parts of the record. Every value is a parameter.

What is put together is put together from constants of these modules.

The model. Nodes, each with `project_id` and `id`, unique together by label; what is of no project has the project `*`:

- `Artifact`: an item; its fields under the names of `core.records` and `core.interface.memory`, `given` as JSON,
  `number` in the order of storing, `name` for display. A revision has `replaced_by`; all others have `listed_in`,
  their project once more, by which the indexes of lists and look-ups hold them and not the revisions, however often a
  key is written. A turn has its author a second time as `speaker`, in small letters. `expected_events` and
  `expected_entities` are the ids of its knowledge as last stored, by which a loss is noticed; `unread_language` is
  that of a text which was read for events by its structure alone.
- `Chunk`: `text`, `prefix`, its place, `hash`, `words`, what the full-text index sees (graph.text.tokens), and `terms`,
  its term vector (graph.text.term_vectors).
- `Term`: a term of a project, its number as id, and `num_chunks`, how many chunks have it.
- `Passage`: a piece of a stashed item's folded text, for substrings.
- `Conversation`, `Entity` (with its type as a second label: `Person`, `Organization`, `Project`, `Object`, `Place`,
  `Other`), `Event` (with its category as a second label; `due` is the date of `due_at`), `Name` (a normalised name).
- `Run`; `Reading`, what a run found in an item and its knowledge before; `Findings`, what an extractor found in one.
- `AuditEntry`: who did what; `at`, and `number` for its place among all, in the order of writing.
- `Partition` (of a project: its lock, its last `number`, `mark`, another one after each write, and `num_chunks` and
  `num_terms`, which its chunks have in all), `Job`, `Embedding`, `Marker`, `Lock`: the engine's own.
- `AccessToken`: its name as id; without `projects` it is for all.

All but `Artifact`, `Conversation`, `Entity` and `Event` have `Internal` as a second label: people who look at the graph
(docs/graph.md) leave them out.

Relations: `(Chunk)-[PART_OF]->(Artifact)`, `(Passage)-[OF]->(Artifact)`, `(Artifact)-[TURN_OF]->(Conversation)`,
`(Reading)-[READS]->(Artifact)`, `(Reading)-[READ_BY]->(Run)`, `(Findings)-[FOUND_IN]->(Artifact)`,
`(Chunk)-[MENTIONS]->(Entity)`, `(Entity)-[ACTED_IN {role}]->(Event)`, `(Event)-[ABOUT]->(Entity)`,
`(Event)-[EVIDENCED_BY {quote, start_char, end_char, position}]->(Artifact)`, `(Entity)-[KNOWN_AS]->(Name)`, and
`(Artifact)-[NAMES {name, weight, aliases, reasons, role, organization, starts, ends}]->(Entity)`: what one artifact
says of an entity, from which the entity's own fields and the chunks' MENTIONS are derived. ACTED_IN and ABOUT have a
`position`, a `weight`, and a `hub` (project, entity and category in one) while a current item has evidence for the
event.

Who is who: `(Entity)-[POSSIBLY_SAME {confidence, reason}]->(Entity)`, and `Verdict`, what a person decided about two
entities. NAMES, ACTED_IN and ABOUT have the `original` that resolution found where a merge decision assigns it to
another entity; NAMES then has its `type` as well.

The ledger: `(Event)-[SUPERSEDES|COMPLETES|CANCELS {confidence}]->(Event)` from the later to the earlier, and
`Resolution`, what a person declared of an event, with `event_id` and `artifact_id`: the event may be gone for a while.
An event has `first_status`, which holds while neither says more, and `words`, the stems it is found by.
"""
