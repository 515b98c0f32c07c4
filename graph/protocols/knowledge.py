"""The protocols of knowledge: entities and events, identities, the ledger, rules, runs and repeated sentences."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from core.filters import Filters
from core.knowledge.findings import Category, Entity, Event, EventLink, EventStatus, Extraction, Knowledge, Link
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.ledger import EventSearch, LedgerPage, LedgerQuery, Origin, Resolution
from core.knowledge.rules import Rule, RuleQuery
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, KnowledgeSnapshot, Run
from core.records import Scored


class KnowledgeGraph(Protocol):
    """Entities, events and evidence, and the bounded ways between them.

    An entity's `name` is the one that a person decided on, else what `graph.derivations.main_name` chooses of those
    that stored artifacts give it: the most used full one. Its aliases are the other names and the aliases given,
    sorted; its role and organisation are those given by the newest (`happened_at`) artifact that gives one. Actors and
    subjects are shown under their entity's name, whatever an event was stored with.

    With `as_of` only what items dated until then say is known: entities under the names and with the counts that they
    had, events with the evidence of then, and with the status that the ledger gives them as of then. What a person or a
    later text made known of who is who holds for the past too.
    """

    def replace(self, project_id: str, artifact_id: str, knowledge: Knowledge) -> bool:
        """Make `knowledge` all the knowledge of this artifact, dropping what an earlier run stored for it.

        Event statuses set since (done, superseded, …) are kept for events whose id stays; a new event without a
        status gets that of `core.knowledge.findings.FIRST_STATUS`. If the summaries of its events change, what repeats
        the artifact gets a pending `extract` job. False, and nothing written, if the artifact is not stored.

        Raises:
            InvalidInput: it names an entity that is not among its entities, or evidence in an artifact not stored.
        """
        ...

    def events(self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Event]:
        """Return events with actors, subjects and evidence."""
        ...

    def events_of(
        self, project_id: str, artifact_ids: Sequence[str], limit: int = 50, *, as_of: datetime | None = None
    ) -> dict[str, list[Event]]:
        """Return the events with evidence in each artifact: by confidence, then in the text's order, then by id."""
        ...

    def list_events(
        self, project_id: str, categories: Sequence[Category], filters: Filters, limit: int, offset: int = 0
    ) -> list[Event]:
        """Return events of these categories with an artifact that passes, newest `event_time` first, then by id."""
        ...

    def entities(
        self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None, counted: bool = True
    ) -> dict[str, Entity]:
        """Return entities with aliases and mention counts.

        Without `counted` a count may be 0: as of a time it is made by reading all that mentions the entity.
        """
        ...

    def entities_of(
        self,
        project_id: str,
        artifact_ids: Sequence[str],
        limit: int,
        *,
        as_of: datetime | None = None,
        counted: bool = True,
    ) -> list[Entity]:
        """Return the entities that these artifacts mention, most mentioned in them first, ties by name.

        `counted` is as in `entities`.
        """
        ...

    def mentioned_entities(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the ids of all entities that each artifact mentions, sorted; one that mentions none is left out."""
        ...

    def node_ids(self, project_id: str, kind: Literal["entity", "event"], limit: int, after: str = "") -> list[str]:
        """Return the ids of entities, or of events, that a current item names or bears witness to, in their order.

        Those behind the id `after` only.
        """
        ...

    def graph_version(self, project_id: str) -> str:
        """Return a value that differs after any change of the project's graph; it costs reading one row.

        Other writes may change it as well.
        """
        ...

    def entities_by_name(self, project_id: str, names: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities that have these names or aliases, compared as `core.knowledge.findings.normalise_name`
        does.

        Keys are the normalised names that were found; entities by mention count, highest first.
        """
        ...

    def entities_by_prefix(self, project_id: str, text: str, limit: int) -> list[Entity]:
        """Return entities with a name or alias of which a word begins with the text, as `normalise_name` writes both.

        The most mentioned first, ties by name; with an empty text any.
        """
        ...

    def mentions(self, project_id: str, entity_ids: Sequence[str], filters: Filters, limit: int) -> list[Scored]:
        """Return chunks in which the name of any of the entities begins, by how many different ones.

        Ties: newest item first, then in the text's order.
        """
        ...

    def links(
        self, project_id: str, ids: Sequence[str], kinds: Sequence[str], limit: int, *, as_of: datetime | None = None
    ) -> list[Link]:
        """Return up to `limit` steps from each of the nodes to neighbours of each of these kinds, heaviest first.

        From an event the neighbours are entities, from an entity events; `kinds` are entity types or event categories.
        Events with evidence in revisions only have no neighbours and are no neighbours.
        An entity's newer events (`event_time`, else their artifact's `happened_at`) are heavier, the surer of equally
        new ones; an event's entities weigh the same.
        The cost is bounded by nodes × kinds × limit, however many neighbours a node has; as of a time events with
        evidence in later items only are read past.
        """
        ...


class Identities(Protocol):
    """Merge candidates, and merge decisions.

    Merge decisions never change what resolution finds: each name, mention and part in an event keeps the entity it was
    found for, its *original*, and belongs to the entity that the active merge decisions assign it to
    (`core.knowledge.identities.MergeDecisions`). `KnowledgeGraph.replace` takes originals and assigns them; all other
    methods of the store read and answer with merge decisions applied. So undoing a decision leaves the state as if it
    had never been made.
    """

    def set_merge_candidates(
        self, project_id: str, entity_ids: Sequence[str], merge_candidates: Sequence[MergeCandidate]
    ) -> None:
        """Make these the merge candidates of these entities, except for pairs that a merge decision keeps apart.

        Those with an entity that is not stored are left out. Merge candidates are removed with either of their
        entities.
        """
        ...

    def merge_candidates(self, project_id: str, entity_ids: Sequence[str], limit: int) -> list[MergeCandidate]:
        """Return merge candidates of any of the entities: most confident first, ties by their ids."""
        ...

    def open_merge_candidates(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[MergeCandidate], int]:
        """Return the merge candidates of the project and their total number: most confident first, ties by their
        ids."""
        ...

    def apply_decision(self, project_id: str, decision: MergeDecision) -> None:
        """Store a merge decision and apply it at once to names, mentions, events, counts and links.

        Raises:
            NotFound: an entity that it names is not stored; the one that a split makes need not be.
            Conflict: it would merge an entity with itself, or what it takes out of an entity is not there.
        """
        ...

    def undo_decision(self, project_id: str, decision_id: str, at: datetime, by: str | None) -> bool:
        """Undo a merge decision, with immediate effect; False if none has this id, or it was undone before."""
        ...

    def merge_decisions(self, project_id: str) -> list[MergeDecision]:
        """Return all merge decisions, undone ones included, in the order they were made.

        They are removed, or lose their note, when the last artifact that names their entities is removed
        (`core.knowledge.identities.find_orphaned_decisions`).
        """
        ...

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities that resolution found, before merge decisions, for each of these ids, sorted by id.

        Each has all the names that artifacts give it, whichever entity has them now, and no role or mention count.
        """
        ...


class Ledger(Protocol):
    """Statuses of decisions and commitments, and why they are so.

    `Event.status` is the newest resolution, else what links from events with evidence in a current item make of it
    (`core.knowledge.ledger.LINKED_STATUS`), else the status the event was stored with. It is kept right by every
    write: of a link, a resolution, knowledge, a revision, and a removal. Links are removed with either event.
    Resolutions stay while an event is not stored, and apply again when it is; they are removed with the item that the
    event rested on.
    """

    def set_event_links(self, project_id: str, event_ids: Sequence[str], links: Sequence[EventLink]) -> bool:
        """Make `links` all links from or to these events; return whether that changed any.

        Links of events that are not stored are left out.
        """
        ...

    def event_links(self, project_id: str, event_ids: Sequence[str]) -> list[EventLink]:
        """Return the links from and to these events, by source, target and relation."""
        ...

    def similar_events(
        self, project_id: str, searches: Sequence[EventSearch], limit: int, most_read: int | None = None
    ) -> list[list[str]]:
        """Return for each search up to `limit` events of current items, by how many and how rare words they share.

        Best first, ties by id. Words come from summary, quotes, title and key, as `graph.text.tokens` has
        them; the most common ones are left out where rarer ones find enough. The cost is bounded whatever the size of
        the project: of a word in very many events not all are read. If all searches together would read more than
        `most_read` events, each reads its equal share of that.
        """
        ...

    def origins(self, project_id: str, event_ids: Sequence[str]) -> dict[str, Origin]:
        """Return where events come from, events of revisions included."""
        ...

    def add_resolution(self, project_id: str, resolution: Resolution) -> bool:
        """Keep what a person declared; False, and nothing kept, if the event is not stored.

        One equal to the newest of the event but for its time is not kept again.
        """
        ...

    def resolutions(self, project_id: str, event_ids: Sequence[str]) -> dict[str, list[Resolution]]:
        """Return what was declared of each event, oldest first, whether it is stored at present or not."""
        ...

    def statuses(self, project_id: str, event_ids: Sequence[str], filters: Filters) -> dict[str, EventStatus]:
        """Return the status of each stored event that has one, as of `filters.as_of`.

        As of a date only links from events with evidence in an item dated until then count, and resolutions made until
        then. Without it the status is `Event.status`.
        """
        ...

    def ledger_page(self, project_id: str, query: LedgerQuery, limit: int, offset: int = 0) -> LedgerPage:
        """Return a page of matching events with an item that passes `query.filters`.

        Those that share most words of the topic first (an event about one of `about` shares all), then newest
        `event_time`, or with `by_due` the earliest due first and those without a due date last; ties by id.
        Events with evidence in revisions only are there if a link leads to them from an event of a current item.
        """
        ...


class Rules(Protocol):
    """Current items with a `Memory.rule_scope`. Stashed ones were put aside and are not among them."""

    def rules(self, project_id: str, query: RuleQuery) -> tuple[Sequence[Rule], int]:
        """Return the rules asked for, and how many there are without `limit` and of whatever length.

        Most points first, then the one that last occurred, then by id.

        The cost grows with the rules that these scopes have, whatever else the project holds.
        """
        ...

    def rule_scopes(self, project_id: str, at: datetime) -> Mapping[str, int]:
        """Return every scope that a rule has, and how many have it."""
        ...


class Runs(Protocol):
    """Runs, their readings of items, and findings kept so that no text is paid for twice.

    Readings and findings are removed with their item, in the same transaction. Whether a process is at a run
    is not known here: `state` is as it was last put.
    """

    def put_run(self, run: Run) -> None:
        """Store a run, or write over the one of its id; one stored first is later than all of its project so far."""
        ...

    def run(self, project_id: str, run_id: str) -> Run | None:
        """Return the run of this id; None if there is none."""
        ...

    def runs(self, project_id: str, limit: int) -> list[Run]:
        """Return the latest runs, latest first."""
        ...

    def save_extraction(self, run: Run, artifact_id: str, found: Extraction | None, *, waits: bool) -> bool:
        """Save what a run found in an item with a snapshot of its knowledge, in one transaction.

        From here on it is the item's reading. None is kept for an item that the run does not read, and whose
        knowledge will change because of it: that is no reading. What was kept of the same run and item before stays, as
        it was when the run came to it first; only what was found is added if it is missing. False, and nothing kept, if
        the item or the run is not stored. `waits` as in `KnowledgeSnapshot`.
        """
        ...

    def finish_extraction(self, run: Run, artifact_id: str) -> None:
        """Note that what the run found is the knowledge of the item, and store the run as `put_run` does, as one."""
        ...

    def run_items(self, project_id: str, run_id: str) -> dict[str, bool]:
        """Return the items that a run keeps something of, in the order of storing, and whether it is done with each."""
        ...

    def latest_extraction(self, project_id: str, artifact_id: str) -> ExtractionResult | None:
        """Return the extraction of the item's latest run that is not rolled back, nor being rolled back.

        Caller annotations are excluded.
        """
        ...

    def annotate(self, project_id: str, artifact_id: str, annotations: CallerAnnotations) -> bool:
        """Save a caller's annotations of a current item as a finished extraction of their run, and queue its jobs, in
        one transaction.

        The run is stored with it, tallies added up. False, and nothing kept, if no current item has the id, or if all
        of it was stored before (`core.knowledge.runs.merged_annotations`).
        """
        ...

    def annotations(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]:
        """Return the annotations of items by runs that are not rolled back, nor being rolled back, earliest first.

        Items without annotations are left out.
        """
        ...

    def snapshot_before(self, project_id: str, run_id: str, artifact_id: str) -> KnowledgeSnapshot | None:
        """Return the knowledge of an item before a run came to it; None if the run keeps nothing of it."""
        ...

    def delete_extractions(self, project_id: str, run_id: str) -> None:
        """Forget all readings of a run that is rolled back, not as one; unknown runs do nothing."""
        ...

    def later_runs(self, project_id: str, run_id: str) -> list[str]:
        """Return the ids of later runs that keep something of an item that this run keeps something of, latest first.

        Those that are rolled back are left out.
        """
        ...

    def artifact_knowledge(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
        """Return the knowledge of each artifact as `KnowledgeGraph.replace` was given it.

        Names and evidence are its own. Statuses are as they are now; actors and subjects have their entity's name. What
        was given twice is there once.
        """
        ...

    def named_entities(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, tuple[Entity, ...]]:
        """Return the entities of `artifact_knowledge` of each artifact that names any."""
        ...

    def changed_since(self, project_id: str, moment: datetime) -> bool:
        """Whether an item that is still stored was added, or renewed, after `moment`."""
        ...

    def cache_findings(self, project_id: str, artifact_id: str, findings: Findings) -> None:
        """Keep what an extractor found in an item, in place of what it found there before, proposed or not.

        An item that is not stored does nothing.
        """
        ...

    def cached_findings(self, project_id: str, artifact_id: str) -> list[Findings]:
        """Return all that is kept of what extractors found in an item, latest kept last."""
        ...


#: A saying is a sentence, or a few short ones, as a number of 64 bits with a sign (`ingest/extract/repeated_text.py`).
SentenceHash = int


class EarlierSentence(NamedTuple):
    """That an item had a saying before another one had it."""

    sentence_hash: SentenceHash
    artifact_id: str


class DuplicateSentences(Protocol):
    """What items say, and which they echo; shown as `Artifact.echoes`.

    Of two items the one with the earlier `happened_at` said a thing first, at equal times the one stored first. What
    has replaced others under a key said it when the first of them did that had it too, as far as that is still stored.
    """

    def save_sentence_hashes(
        self, project_id: str, artifact_id: str, sentence_hashes: Sequence[SentenceHash]
    ) -> list[str]:
        """Make these all that a current item says; return the ids of others for which this may change what they echo.

        Those said later what this one is now the first to say, or are linked to what it has replaced; sorted, and none
        when the same was kept before. Nothing happens if no current item has the id.
        """
        ...

    def earlier_sentences(self, project_id: str, artifact_id: str, limit: int) -> list[EarlierSentence]:
        """Return who said before this item what it says: of each of its sayings the `limit` earliest items.

        In the order in which the items first said it, ties by id and saying. Items that expire are left out: what
        repeats them may outlive them.
        """
        ...

    def link_echoes(self, project_id: str, artifact_id: str, origins: Sequence[str]) -> None:
        """Make these items all that this one echoes; ids that are not stored are passed over.

        When an origin is removed, those that echo it get a pending `extract` job: now they are evidence themselves.
        They do too when its events get other summaries (`KnowledgeGraph.replace`), which answers show like its words.
        """
        ...
