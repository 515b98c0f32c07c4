"""The tools of the knowledge graph: decisions, commitments, and what is connected with what."""

from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from core.interface.ledger_questions import CommitmentsQuestion, DecisionsQuestion
from core.interface.ledger_results import LedgerAnswer, LedgerItem
from core.interface.neighbourhood import Exploration, Neighbourhood
from service.app import App
from service.tools.arguments import OF_TOOL, MaxTokens, ProjectId, ToolDetail
from service.tools.validation import ADDS, READS, make_tool, takes_record


def graph_tools(app: App) -> list[Tool]:
    """Return the tools of the knowledge graph."""

    @takes_record(DecisionsQuestion, **OF_TOOL["decisions"])
    def decisions(question: DecisionsQuestion, *, project_id: ProjectId = "default") -> LedgerAnswer:
        """List decisions: who decided, whether it still holds, what superseded it, with verbatim evidence.

        Use it before you decide or advise; status="all" shows how one came about.
        """
        return app.decisions(question, project_id)

    @takes_record(CommitmentsQuestion, **OF_TOOL["commitments"])
    def commitments(question: CommitmentsQuestion, *, project_id: ProjectId = "default") -> LedgerAnswer:
        """List commitments: who promised what by when, what is open or overdue, and what closed it.

        To prepare a meeting. Otherwise, use recall.
        """
        return app.commitments(question, project_id)

    def resolve(
        *,
        id: Annotated[str, Field(description="evt_… id.")],  # noqa: A002
        status: Annotated[
            str | None,
            Field(description="open, done, cancelled; current, withdrawn; or dismissed."),
        ] = None,
        supersedes: Annotated[str | None, Field(description="Earlier decision: evt_… or none.")] = None,
        completes: Annotated[str | None, Field(description="Commitment met: evt_… or none.")] = None,
        note: Annotated[str | None, Field(description="Reason.")] = None,
        detail: ToolDetail = "brief",
        max_tokens: MaxTokens = None,
        project_id: ProjectId = "default",
    ) -> LedgerItem:
        """Set the status of a commitment or decision, dismiss it, or answer a question of review.

        Only on the user's word: it overrides the texts.
        """
        return app.resolve(
            id,
            status,
            note,
            project_id,
            supersedes=supersedes,
            completes=completes,
            detail=detail,
            max_tokens=max_tokens,
        )

    @takes_record(Exploration, **OF_TOOL["explore"])
    def explore(asked: Exploration, *, project_id: ProjectId = "default") -> Neighbourhood:
        """Walk the graph around a person, organisation, project, event or item: what is connected, and how.

        For all about somebody, or how an event came about; pass one of id, name and review.
        """
        return app.explore(asked, project_id)

    return [
        make_tool(decisions, "Decisions", READS),
        make_tool(commitments, "Commitments", READS),
        make_tool(resolve, "Resolve", ADDS),
        make_tool(explore, "Explore", READS),
    ]
