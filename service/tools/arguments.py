"""Descriptions of the tools' arguments: for the model that fills them, and for the help of the shell."""

from typing import Annotated, Final

from pydantic import Field

from core.interface.results import Detail

_PROJECT: Final = "Memory."
_MOMENT: Final = "ISO 8601, or 7d, 3m, 1y ago"

#: By the argument's name.
DESCRIPTIONS: Final[dict[str, str]] = {
    "content": "The text.",
    "context": "Kind; conversation needs conversation_id and turn_index.",
    "source": "Where it comes from, such as slack.",
    "importance": "0 to 1.",
    "title": "Searched too.",
    "author": "Who wrote or said it.",
    "participants": "Who took part.",
    "date": "ISO 8601: when it was written or said; relative dates count from it.",
    "conversation_id": "The turn's conversation.",
    "turn_index": "The turn's place, from 0.",
    "role": "user, assistant or system.",
    "key": "Unique name; new content under it replaces the old.",
    "tags": "Whole tags.",
    "scope": "Of a rule: universal, language:NAME or project:NAME.",
    "category": "Kind of rule, such as style.",
    "file_path": "Its file.",
    "task_id": "Its task.",
    "metadata": "Own fields, returned as given.",
    "sensitivity": "A label.",
    "visibility_scope": "A label.",
    "retention_policy": "1y: for a year; until_resolved: till all in it is.",
    "source_id": "Its id there.",
    "source_url": "Its address there.",
    "document_date": "Its own date, if no date is given.",
    "source_type": "A label.",
    "document_status": "A label.",
    "author_title": "Author's position.",
    "distribution_scope": "A label.",
    "expires_at": "ISO 8601: deleted then.",
    "confirm_count": "Above 100 items: their number, from dry_run.",
    "wait": "Answer when all is indexed.",
    "query": "2 to 5000 characters in plain words, or an item's key.",
    "id": "art_…, evt_… or ent_…: this one, a long text in parts.",
    "limit": "1 to 1000.",
    "offset": "Skip so many.",
    "expand": "With connected events.",
    "include_events": "With each result's events.",
    "include_entities": "With who is involved.",
    "include_stashed": "With stashed items.",
    "date_from": f"{_MOMENT}.",
    "date_to": "Likewise.",
    "as_of": "Answer as known at this date.",
    "graph_budget": "Most related events, 0 to 50.",
    "graph_depth": "Steps to related events, 1 to 3.",
    "graph_filters": "Default Decision, Commitment, QualityRisk.",
    "expand_neighbors": "With the chunks or turns around each result.",
    "min_confidence": "0 to 1; surer ones only.",
    "topic": "A subject's name, or words of it in any form.",
    "owner": "Who promised: name, alias, address or ent_… id.",
    "status": "Only with this status.",
    "due_before": f"{_MOMENT}.",
    "detail": "full: every field.",
    "max_tokens": "Token limit.",
    "text_offset": "With id: where in its text to begin.",
    "name": "Name, alias or address.",
    "depth": "Steps from it, 1 to 3.",
    "budget": "Most nodes, 1 to 500.",
    "review": "List pairs that may be the same.",
    "task": "coding, debugging, documentation or architecture.",
    "project": "Default: told from the client's folder.",
    "language": "Likewise.",
    "token_budget": "Token limit, 50 to 100,000.",
    "folder": "Working folder, absolute.",
    "project_id": _PROJECT,
}

#: What an argument means in one tool, where that differs.
OF_TOOL: Final[dict[str, dict[str, str]]] = {
    "recall": {
        "context": "Only this context of remember.",
        "source": "Only from this source.",
        "conversation_id": "Only this one; without query, all its turns in order.",
        "tags": "All must match.",
        "min_importance": "Only this important, 0 to 1.",
        "sensitivity": "Only this one of remember.",
        "max_tokens": "Token limit; in brief 2000, by id 6000.",
    },
    "decisions": {
        "date_from": f"{_MOMENT}.",
        "date_to": "Likewise.",
        "person": "Who took part: name, alias, address or ent_… id.",
    },
    "commitments": {"status": "Overdue: open and past due."},
    "ingest": {
        "path": "File or folder.",
        "context": "Kind, as in remember.",
        "dry_run": "Only count.",
    },
    "explore": {"id": "ent_…, evt_… or art_… id.", "to": "Id or name: find the paths there."},
    "pop": {"name": "The stash's name, or words to find it by.", "limit": "1 to 100."},
    "memory_context": {
        "scope": "Only universal, language:NAME or project:NAME.",
        "category": "Such as style or correction.",
        "limit": "1 to 200.",
    },
    "faceted_search": {
        "tags": "One must match.",
        "tag_match_all": "All tags must match.",
        "memory_type": "A context of remember.",
        "page": "From 1.",
        "page_size": "1 to 100.",
        "counts": "With counts by tag, type and month.",
        "stored_until": "Ignore what was stored later.",
    },
}

ToolDetail = Annotated[Detail, Field(description=DESCRIPTIONS["detail"])]
MaxTokens = Annotated[int | None, Field(description=DESCRIPTIONS["max_tokens"])]
ProjectId = Annotated[str, Field(description=_PROJECT)]


def description(tool: str, argument: str) -> str:
    """Return what an argument of a tool means."""
    return (DESCRIPTIONS | OF_TOOL.get(tool, {}))[argument]
