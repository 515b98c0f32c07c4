"""The tools of the stash: set items aside, find them by what stands in them, and read or take them back."""

from typing import Annotated, Any, Final

from mcp.server.mcpserver.tools import Tool
from pydantic import Field, WithJsonSchema

from core.interface.stash import Stashed, StashFilters, StashMatches, StashQuestion, Unstashed
from service.app import App
from service.tools.arguments import DESCRIPTIONS, ProjectId
from service.tools.validation import ADDS, READS, reader, tool

_read_filters: Final = reader(StashFilters, "filters")
_TEXT: Final = {"type": "string"}
#: Each name with what it takes; `_read_filters` refuses any other.
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
    """Return those that set items aside, find them by what stands in them, and read or take them back."""

    def context_stash(*, segment_ids: _Ids, project_id: ProjectId = "default") -> Stashed:
        """Set items aside that the current task does not need: they stay stored, searchable and readable.

        Use it to make room in the context, with the ids of remember or recall. Ids that can't be moved are told in
        errors, and the others still move. Again it changes nothing.
        """
        return app.stash(segment_ids, project_id)

    def context_search_stashed(
        *,
        query: Annotated[str, Field(description="Words or parts of words; none lists all.")] = "",
        filters: _Filters = None,
        limit: Annotated[int, Field(description="Most segments, 1 to 1000.")] = 50,
        offset: Annotated[int, Field(description="Segments to skip.")] = 0,
        max_tokens: Annotated[int | None, Field(description=DESCRIPTIONS["max_tokens"])] = None,
        project_id: ProjectId = "default",
    ) -> StashMatches:
        """Find stashed items in which every word of the query stands, whatever its case, even within a word.

        Newest first, whole texts; total_matches is the true number. It finds names of files, error codes and parts of
        identifiers that recall would not; for meaning use recall or pop.
        """
        question = StashQuestion(
            query=query,
            filters=_read_filters(filters or {}),
            limit=limit,
            offset=offset,
            max_tokens=max_tokens,
        )
        return app.search_stash(question, project_id)

    def context_retrieve_stashed(
        *,
        segment_ids: _Ids,
        move_to_active: Annotated[bool, Field(description="Also take them out of the stash.")] = False,
        project_id: ProjectId = "default",
    ) -> Unstashed:
        """Read stashed items whole by id, and with move_to_active=true take them back to the active ones.

        Ids under which nothing is stored are told in errors. An item that is not stashed is read too: see its tier.
        """
        return app.retrieve_stash(segment_ids, project_id, move_to_active=move_to_active)

    return [
        tool(context_stash, "Stash", ADDS),
        tool(context_search_stashed, "Search the stash", READS),
        tool(context_retrieve_stashed, "Retrieve from the stash", ADDS),
    ]
