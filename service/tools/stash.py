"""The tools of the stash: set items aside, search them, and read or reactivate them."""

from typing import Annotated, Any, Final

from mcp.server.mcpserver.tools import Tool
from pydantic import Field, WithJsonSchema

from core.interface.stash import Stashed, StashFilters, StashMatches, StashQuestion, Unstashed
from service.app import App
from service.tools.arguments import DESCRIPTIONS, MaxTokens, ProjectId, ToolDetail
from service.tools.validation import ADDS, READS, reader, tool

_read_filters: Final = reader(StashFilters, "filters")
_TEXT: Final = {"type": "string"}
#: Each filter with its type; `_read_filters` refuses any other.
_Filters = Annotated[
    dict[str, Any] | None,
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                "file_path": _TEXT,
                "task_id": _TEXT,
                "tags": {"type": "array", "items": _TEXT, "description": "All of them."},
                "type": {**_TEXT, "description": "A context of remember."},
                "created_after": {**_TEXT, "description": DESCRIPTIONS["date_from"]},
                "created_before": _TEXT,
            },
            "additionalProperties": False,
        }
    ),
]
_Ids = Annotated[list[str], Field(description="art_… ids, up to 1,000.")]


def stash_tools(app: App) -> list[Tool]:
    """Return the tools of the stash."""

    def context_stash(*, segment_ids: _Ids, project_id: ProjectId = "default") -> Stashed:
        """Set aside items that the current task does not need: they stay stored, searchable and readable.

        Use it to make room in the context, with ids from remember or recall. Unknown ids are listed in errors; the
        others are still moved. Repeating it changes nothing.
        """
        return app.stash(segment_ids, project_id)

    def context_search_stashed(
        *,
        query: Annotated[str, Field(description="Words or parts of words; empty lists all.")] = "",
        filters: _Filters = None,
        limit: Annotated[int, Field(description="Maximum number of segments, 1 to 1000.")] = 50,
        offset: Annotated[int, Field(description="Segments to skip.")] = 0,
        detail: ToolDetail = "brief",
        max_tokens: MaxTokens = None,
        project_id: ProjectId = "default",
    ) -> StashMatches:
        """Find stashed items that contain every word of the query, in any case, also as part of a word.

        Newest first; long texts are cut in brief, and hint says how to read on. It finds file names, error codes and
        parts of identifiers that recall does not; to search by meaning, use recall or pop.
        """
        question = StashQuestion(
            query=query,
            filters=_read_filters(filters or {}),
            limit=limit,
            offset=offset,
            detail=detail,
            max_tokens=max_tokens,
        )
        return app.search_stash(question, project_id)

    def context_retrieve_stashed(
        *,
        segment_ids: _Ids,
        move_to_active: Annotated[bool, Field(description="Also make them active again.")] = False,
        detail: ToolDetail = "brief",
        max_tokens: MaxTokens = None,
        project_id: ProjectId = "default",
    ) -> Unstashed:
        """Read stashed items by id, with detail="full" whole; move_to_active=true makes them active again.

        Unknown ids are listed in errors. Items that are not stashed are returned too: see tier.
        """
        return app.retrieve_stash(
            segment_ids, project_id, move_to_active=move_to_active, detail=detail, max_tokens=max_tokens
        )

    return [
        tool(context_stash, "Stash", ADDS),
        tool(context_search_stashed, "Search the stash", READS),
        tool(context_retrieve_stashed, "Retrieve from the stash", ADDS),
    ]
