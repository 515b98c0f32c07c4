"""The tool that lists items by what they are, and counts what they have in common."""

from mcp.server.mcpserver.tools import Tool

from core.interface.facets import FacetQuestion
from service.app import App
from service.tools.arguments import ProjectId
from service.tools.validation import READS, takes, tool


def facets_tools(app: App) -> list[Tool]:
    """Return the tool that lists items by what they are, and counts what they have in common."""

    @takes(
        FacetQuestion,
        tags="Whole tags: one of them at least.",
        tag_match_all="All tags must be there.",
        memory_type="A context of remember.",
        page="From 1.",
        page_size="1 to 100.",
        counts="Also count how many items of all pages have each tag, type and month.",
        stored_until="See nothing stored later: ISO 8601, or 7d, 3m, 1y before now.",
    )
    def faceted_search(question: FacetQuestion, *, project_id: ProjectId = "default") -> str:
        r"""List items by tag, type and date, newest first and without any ranking, in pages.

        Use it to browse or count; to answer a question use recall. The first line is a header with the total, then a
        line an item: content|tags|metadata|created_at|updated_at|id. In a field a backslash is \\, a pipe \| and a line
        break \n. Pages of one question show the memory as it was at page 1. With counts=true lines such as
        "# tags api=12 python=3" follow, most frequent first.
        """
        return app.faceted_search(question, project_id)

    return [tool(faceted_search, "Faceted search", READS)]
