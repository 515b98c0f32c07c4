"""The tools by which a caller teaches the memory what it has read."""

from mcp.server.mcpserver.tools import Tool

from core.interface.learning.given_knowledge import Learning, Learnt
from core.interface.learning.review import Review, ReviewQuestion
from service.app import App
from service.tools.arguments import OF_TOOL, ProjectId
from service.tools.validation import ADDS, READS, make_tool, takes_record, without_choices


def teaching_tools(app: App) -> list[Tool]:
    """Return the tools by which a caller teaches."""

    @takes_record(Learning, **OF_TOOL["learn"])
    def learn(asked: Learning, *, project_id: ProjectId = "default") -> Learnt:
        """Tell what you read in a stored item: decisions, commitments, people that are missing or wrong.

        It replaces what was extracted from, or given with, the same words. For a new text, pass events to remember.
        """
        return app.learn(asked, project_id)

    @takes_record(ReviewQuestion, **OF_TOOL["review"])
    def review(question: ReviewQuestion, *, project_id: ProjectId = "default") -> Review:
        """List what to check: uncertain events and links, commitments nobody owns, items without events, doubles.

        Only when asked to refine the memory.
        """
        return app.review(question, project_id)

    return [without_choices(make_tool(learn, "Learn", ADDS), "events", "entities"), make_tool(review, "Review", READS)]
