"""Descriptions of the tools' arguments: for the model that fills them, and for the help of the shell."""

from typing import Annotated, Final

from pydantic import Field

from core.interface.results import Detail

_PROJECT: Final = "Which memory; projects share nothing."
_MOMENT: Final = "ISO 8601, or 7d, 3m, 1y before now"

#: By the argument's name.
DESCRIPTIONS: Final[dict[str, str]] = {
    "content": "The text to store, verbatim: 1 to 10,000,000 characters.",
    "context": "Kind of item.",
    "source": "Where it comes from, for example slack, gmail or manual.",
    "importance": "0 to 1.",
    "author": "Who wrote or said it.",
    "participants": "Who took part.",
    "date": "When it was written or said, ISO 8601. Relative dates in the text count from this day.",
    "conversation_id": "Id of the conversation that a turn belongs to; give turn_index too.",
    "turn_index": "Position of the turn in its conversation, from 0.",
    "role": "Role of the turn's speaker: user, assistant or system.",
    "key": "Unique name in this project and context. New content under it replaces the old, kept as a revision.",
    "scope": "universal, language:NAME or project:NAME.",
    "expires_at": "ISO 8601; from then on the item is not found, and it is deleted.",
    "sensitivity": "normal, sensitive or highly_sensitive: a label, no protection.",
    "visibility_scope": "me, team, org or custom: a label, no protection.",
    "retention_policy": "forever, 1y, until_resolved (deleted a week after all in it is resolved) or custom (a label).",
    "confirm_count": "Above 100 items: their number, which the user has confirmed, too; dry_run says it as items.",
    "wait": "Return only when vectors and events are ready too.",
    "query": "What to find, in plain words, 2 to 5000 characters; or an item's key.",
    "id": "art_…, evt_… or ent_…: return this one, a long text in parts.",
    "limit": "Maximum number of results, 1 to 1000.",
    "offset": "Results to skip.",
    "expand": "Also return decisions, commitments and risks connected through people and projects.",
    "include_events": "Include each result's own events.",
    "include_entities": "Include the people, organisations and projects that the results mention.",
    "date_from": f"{_MOMENT}.",
    "date_to": f"{_MOMENT}.",
    "as_of": f"Answer from what was known then: {_MOMENT}.",
    "tags": "Whole tags.",
    "graph_budget": "Maximum number of related events, 0 to 50.",
    "graph_depth": "Steps between a result and a related event, 1 to 3.",
    "graph_filters": "Categories of related events; default Decision, Commitment, QualityRisk.",
    "expand_neighbors": "Also return the chunks or turns before and after each result.",
    "topic": "What it is about: a subject's name, or words of it in any form.",
    "owner": "Who made the commitment: a name, alias, address or ent_… id.",
    "status": "Only those with this status.",
    "due_before": f"Only those due before this: {_MOMENT}.",
    "detail": "brief, or full: every field.",
    "max_tokens": "Cap on the answer; default 2000 in brief, 6000 by id.",
    "text_offset": "With id: where in its text to begin.",
    "name": "A name, alias, address or handle.",
    "depth": "Steps from it, 1 to 3.",
    "budget": "Maximum number of nodes, 1 to 500.",
    "review": "List pairs that may be the same person or thing instead; then give neither id nor name.",
    "category": "Category of a rule or preference, such as style.",
    "task": "coding, debugging, documentation or architecture: rules for it come first.",
    "project": "Current project; detected from the client's folder if not given.",
    "language": "Current programming language; detected from the client's folder if not given.",
    "token_budget": "Maximum tokens of the answer, 50 to 100,000.",
    "folder": "Absolute path of the working folder, to detect project and language from.",
    "project_id": _PROJECT,
}

#: What an argument means in one tool, where that differs.
OF_TOOL: Final[dict[str, dict[str, str]]] = {
    "recall": {
        "context": "Only items of this kind.",
        "source": "Only from this source.",
        "conversation_id": "Only this conversation; without a query, all its turns in order.",
        "tags": "Only with all of these tags.",
        "min_importance": "Only this important, 0 to 1.",
        "sensitivity": "Only of this sensitivity.",
    },
    "decisions": {
        "date_from": f"Decided from then on: {_MOMENT}.",
        "date_to": f"Decided until then: {_MOMENT}.",
        "person": "Who took part in deciding: a name, alias, address or ent_… id.",
    },
    "commitments": {"status": "Only those with this status; overdue means open and past due."},
    "explore": {"id": "ent_…, evt_… or art_… id, from another answer."},
    "pop": {"name": "The stash's name, or words to find it by.", "limit": "Maximum number of stashes, 1 to 100."},
    "memory_context": {
        "scope": "Only this scope: universal, language:NAME or project:NAME.",
        "category": "Only this category, such as style, or this kind, such as correction.",
        "limit": "Maximum number of rules, 1 to 200.",
    },
    "faceted_search": {
        "tags": "Whole tags; at least one must match.",
        "tag_match_all": "All tags must match.",
        "memory_type": "A context of remember.",
        "page": "From 1.",
        "page_size": "1 to 100.",
        "counts": "Also count the items of all pages by tag, type and month.",
        "stored_until": f"Ignore what was stored later: {_MOMENT}.",
    },
}

#: Left out of the tools' schemas, which every conversation pays for: a model knows these from their names.
FROM_NAMES: Final[dict[str, str]] = {
    "title": "Title; searched too.",
    "file_path": "The file it is about or from.",
    "task_id": "The task it belongs to.",
    "metadata": "A JSON object of your own, returned as given.",
    "source_id": "Its id in the source.",
    "source_url": "Its address in the source.",
    "document_date": "The document's own date, used if there is no date.",
    "source_type": "Stored with the item.",
    "document_status": "Stored with the item, such as draft.",
    "author_title": "The author's position.",
    "distribution_scope": "Stored with the item.",
    "include_stashed": "Also return stashed items.",
}

ToolDetail = Annotated[Detail, Field(description=DESCRIPTIONS["detail"])]
MaxTokens = Annotated[int | None, Field(description=DESCRIPTIONS["max_tokens"])]
ProjectId = Annotated[str, Field(description=_PROJECT)]


def description(tool: str, argument: str) -> str:
    """Return what an argument of a tool means, also one whose description is not sent to models."""
    return (FROM_NAMES | DESCRIPTIONS | OF_TOOL.get(tool, {}))[argument]
