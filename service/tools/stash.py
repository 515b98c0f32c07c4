"""The tools of the stash: set items aside, search them, and read or reactivate them."""

from typing import Annotated, Any

from mcp.server.mcpserver.tools import Tool
from pydantic import Field, WithJsonSchema

from core.interface.stash import Stashed, StashFilters, StashMatches, StashQuestion, Unstashed
from service.app import App
from service.tools.arguments import DESCRIPTIONS, MaxTokens, ProjectId, ToolDetail
from service.tools.loose import read_record
from service.tools.validation import ADDS, READS, make_tool

#: Any object: what is no filter is refused, naming all of them.
_Filters = Annotated[
    dict[str, Any] | None,
    WithJsonSchema({"type": "object"}),
    Field(description="file_path, task_id, tags, type, created_after, created_before."),
]
_Ids = Annotated[list[str], Field(description="Up to 1,000 art_… ids.")]


def stash_tools(app: App) -> list[Tool]:
    """Return the tools of the stash."""

    def context_stash(*, segment_ids: _Ids, project_id: ProjectId = "default") -> Stashed:
        """Set aside items that the current task does not need: they stay stored, searchable and readable.

        To note something for later, use remember with context "stash"; to delete, use forget.
        """
        return app.stash(segment_ids, project_id)

    def context_search_stashed(
        *,
        query: Annotated[str, Field(description="Parts of words; empty lists all.")] = "",
        filters: _Filters = None,
        limit: Annotated[int, Field(description=DESCRIPTIONS["limit"])] = 50,
        offset: Annotated[int, Field(description=DESCRIPTIONS["offset"])] = 0,
        detail: ToolDetail = "brief",
        max_tokens: MaxTokens = None,
        project_id: ProjectId = "default",
    ) -> StashMatches:
        """Find stashed items that contain every word of the query, also as part of a word, newest first.

        For parts of file names, error codes, ids. By meaning, use pop; for all items, recall.
        """
        question = StashQuestion(
            query=query,
            filters=read_record(StashFilters, "filters", filters or {}),
            limit=limit,
            offset=offset,
            detail=detail,
            max_tokens=max_tokens,
        )
        return app.search_stash(question, project_id)

    def context_retrieve_stashed(
        *,
        segment_ids: _Ids,
        move_to_active: Annotated[bool, Field(description="Make them active.")] = False,
        detail: ToolDetail = "brief",
        max_tokens: MaxTokens = None,
        project_id: ProjectId = "default",
    ) -> Unstashed:
        """Read stashed items by id, and make them active again with move_to_active=true.

        To find stashed items, use context_search_stashed or pop.
        """
        return app.retrieve_stash(
            segment_ids, project_id, move_to_active=move_to_active, detail=detail, max_tokens=max_tokens
        )

    return [
        make_tool(context_stash, "Stash", ADDS),
        make_tool(context_search_stashed, "Search the stash", READS),
        make_tool(context_retrieve_stashed, "Read the stash", ADDS),
    ]
