"""The tool that lists and counts items by tag, type and date."""

from mcp.server.mcpserver.tools import Tool

from core.interface.facets import FacetQuestion
from service.app import App
from service.tools.arguments import OF_TOOL, ProjectId
from service.tools.validation import READS, make_tool, takes_record


def facets_tools(app: App) -> list[Tool]:
    """Return the one tool."""

    @takes_record(FacetQuestion, **OF_TOOL["faceted_search"])
    def faceted_search(question: FacetQuestion, *, project_id: ProjectId = "default") -> str:
        r"""List items by tag, type and date, newest first, in pages.

        To browse or count; for a question, use recall. A header with the total, then a
        line an item: content|tags|metadata|created_at|updated_at|id, with \\, \| and \n escaped.
        """
        return app.faceted_search(question, project_id)

    return [make_tool(faceted_search, "Faceted search", READS)]
