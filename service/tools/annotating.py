"""The tools by which a caller annotates texts that it has read."""

from mcp.server.mcpserver.tools import Tool

from core.interface.learning.annotation_requests import LearnRequest, Learnt
from core.interface.learning.review import Review, ReviewQuestion
from service.app import App
from service.tools.arguments import OF_TOOL, ProjectId
from service.tools.validation import ADDS, READS, make_tool, takes_record, without_choices


def annotation_tools(app: App) -> list[Tool]:
    """Return the tools by which a caller annotates texts."""

    @takes_record(LearnRequest, **OF_TOOL["learn"])
    def learn(asked: LearnRequest, *, project_id: ProjectId = "default") -> Learnt:
        """Record what you read in a stored item: decisions, commitments, people that are missing or wrong.

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
