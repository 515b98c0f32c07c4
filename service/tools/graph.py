"""The tools that read what the items say of people, decisions and promises, and what holds of it."""

from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from core.interface.ledger_questions import CommitmentsQuestion, DecisionsQuestion
from core.interface.ledger_results import LedgerAnswer, LedgerItem
from core.interface.neighbourhood import Exploration, Neighbourhood
from service.app import App
from service.tools.arguments import ProjectId
from service.tools.validation import ADDS, READS, takes, tool


def graph_tools(app: App) -> list[Tool]:
    """Return those that read what the items say of people, decisions and promises, and what holds of it."""

    @takes(DecisionsQuestion)
    def decisions(question: DecisionsQuestion, *, project_id: ProjectId = "default") -> LedgerAnswer:
        """List what was decided: by whom, on which words, whether it still holds, and what took its place.

        Use it before you decide or advise on a matter that may be decided already, and to tell how a decision came
        about (status="all"). With a topic the best match comes first, else the newest. Each has its verbatim evidence.
        """
        return app.decisions(question, project_id)

    @takes(CommitmentsQuestion)
    def commitments(question: CommitmentsQuestion, *, project_id: ProjectId = "default") -> LedgerAnswer:
        """List who promised what by when, what is open or overdue, and which sentence says that it was kept.

        Use it to prepare a meeting, a reminder or a report on somebody's work. Open ones come with the earliest due
        date first, others the newest first. With no status all are listed.
        """
        return app.commitments(question, project_id)

    def resolve(
        *,
        id: Annotated[str, Field(description="evt_… id of a decision or a commitment.")],  # noqa: A002
        status: Annotated[
            str, Field(description="open, done or cancelled for a commitment; current or withdrawn for a decision.")
        ],
        note: Annotated[str | None, Field(description="Why, in a sentence; it is kept with the history.")] = None,
        project_id: ProjectId = "default",
    ) -> LedgerItem:
        """Declare that a promise is done, cancelled or open again, or a decision withdrawn or current again.

        Only when the user says so, or plainly did it: it outweighs what the texts say. All that was declared before
        stays in the item's history. To record a new decision, use remember with context "decision" instead.
        """
        return app.resolve(id, status, note, project_id)

    @takes(Exploration)
    def explore(asked: Exploration, *, project_id: ProjectId = "default") -> Neighbourhood:
        """Walk the graph around a person, organisation, project, event or item: its events, items and people.

        Give an id from another answer, or a name, alias, address or handle. The first node is the one asked for; edges
        say how things are connected, with the quoted words where there are any. Use it to learn all about somebody, or
        how an event came about; to answer a question, use recall. With review=true it lists who may be the same person
        or thing, and why, for a person to decide.
        """
        return app.explore(asked, project_id)

    return [
        tool(decisions, "Decisions", READS),
        tool(commitments, "Commitments", READS),
        tool(resolve, "Resolve", ADDS),
        tool(explore, "Explore", READS),
    ]
