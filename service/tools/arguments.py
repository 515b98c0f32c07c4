"""Descriptions of the tools' arguments: for the model that fills them, and for the help of the shell."""

from typing import Annotated, Final

from pydantic import Field

from core.interface.results import Detail

_PROJECT: Final = "Memory."
_MOMENT: Final = "Date, or 7d, 3m, 1y"

#: By the argument's name.
DESCRIPTIONS: Final[dict[str, str]] = {
    "content": "The text.",
    "context": "Kind; conversation needs conversation_id, turn_index.",
    "source": "Such as slack.",
    "importance": "0 to 1.",
    "title": "Searched too.",
    "author": "Who wrote or said it.",
    "participants": "Who took part.",
    "date": "When written or said.",
    "conversation_id": "The turn's conversation.",
    "turn_index": "The turn's number, from 0.",
    "role": "user, assistant or system.",
    "key": "Unique name; new content replaces the old.",
    "tags": "Such as sales/eu.",
    "scope": "Of a rule: language:NAME or project:NAME.",
    "category": "Kind of rule.",
    "file_path": "Its path.",
    "task_id": "Task id.",
    "metadata": "Own fields.",
    "sensitivity": "Label.",
    "visibility_scope": "Label.",
    "retention_policy": "forever, 1y, until_resolved or custom.",
    "source_id": "Id in source.",
    "source_url": "Web address.",
    "document_date": "If no date.",
    "source_type": "Label.",
    "document_status": "Label.",
    "author_title": "Author's position.",
    "distribution_scope": "Label.",
    "expires_at": "Delete then.",
    "confirm_count": "Above 100: their number.",
    "events": (
        "What it decides, promises or reports; a sentence may be several. quote: its words, markup aside. owners: "
        "people, teams, speakers. due: date or words. status: open, done, cancelled (Commitment); current, withdrawn "
        "(Decision). supersedes, completes: evt_… or words of it."
    ),
    "entities": "[{name, type: person|org|project|object|place|other, aliases}]",
    "wait": "Wait until indexed.",
    "wait_seconds": "Longest wait.",
    "query": "Plain words, or an item's key.",
    "id": "art_…, evt_… or ent_…: only this.",
    "limit": "1 to 1000.",
    "offset": "Skip results.",
    "expand": "Add related events.",
    "include_events": "Add their events.",
    "include_entities": "Add people.",
    "include_stashed": "Stashed items too.",
    "date_from": f"{_MOMENT}.",
    "date_to": "Last date.",
    "as_of": "As of this date.",
    "graph_budget": "Related events, to 50.",
    "graph_depth": "Steps, 1 to 3.",
    "graph_filters": "Event categories.",
    "expand_neighbors": "Add neighbours.",
    "min_confidence": "0 to 1.",
    "topic": "A subject's name, or words.",
    "owner": "Who owes it: name or ent_… id.",
    "status": "Only with this status.",
    "due_before": f"{_MOMENT}.",
    "detail": "brief or full.",
    "max_tokens": "Tokens.",
    "text_offset": "With id: first character.",
    "name": "Name, alias or address.",
    "depth": "Steps from it, 1 to 3.",
    "budget": "Most nodes, 1 to 500.",
    "review": "List duplicates.",
    "task": "coding, debugging, documentation or architecture.",
    "project": "Default: from the folder.",
    "language": "Likewise.",
    "token_budget": "50 to 100,000.",
    "folder": "Absolute path.",
    "project_id": _PROJECT,
}

#: What an argument means in one tool, where that differs.
OF_TOOL: Final[dict[str, dict[str, str]]] = {
    "recall": {
        "context": "Only this kind.",
        "source": "Only this source.",
        "conversation_id": "Only this; without query, all its turns.",
        "tags": "All must match.",
        "min_importance": "0 to 1.",
        "sensitivity": "Only this sensitivity.",
        "max_tokens": "Token limit; default 2000, by id 6000.",
    },
    "learn": {
        "id": "art_… id.",
        "events": "As in remember.",
        "entities": "Likewise.",
        "replace": "Drop all that was extracted.",
    },
    "review": {"limit": "1 to 100."},
    "decisions": {
        "date_from": f"{_MOMENT}.",
        "date_to": "Last date.",
        "person": "Who took part: name or ent_… id.",
    },
    "commitments": {"recipient": "Who it is owed to.", "status": "Overdue: open and past due."},
    "ingest": {
        "path": "File or folder.",
        "context": "As in remember.",
        "dry_run": "Only count.",
        "prune": "Forget deleted files.",
    },
    "explore": {"id": "ent_…, evt_… or art_… id.", "to": "Id or name: find the paths there."},
    "pop": {"name": "Its name, or words in it.", "limit": "1 to 100."},
    "memory_context": {
        "scope": "As in remember.",
        "category": "Such as style.",
        "limit": "1 to 200.",
    },
    "faceted_search": {
        "tags": "One must match.",
        "tag_match_all": "All tags must match.",
        "memory_type": "Only this kind.",
        "page": "From 1.",
        "page_size": "To 100.",
        "counts": "Count by each.",
        "stored_until": "Stored by then.",
        "full": "Whole texts.",
    },
}

ToolDetail = Annotated[Detail, Field(description=DESCRIPTIONS["detail"])]
MaxTokens = Annotated[int | None, Field(description=DESCRIPTIONS["max_tokens"])]
ProjectId = Annotated[str, Field(description=_PROJECT)]


def argument_description(tool: str, argument: str) -> str:
    """Return what an argument of a tool means."""
    return (DESCRIPTIONS | OF_TOOL.get(tool, {}))[argument]
