"""The tool that takes in files."""

from typing import Annotated, Any, Final

from mcp.server.mcpserver import Context, ListRoots
from mcp.server.mcpserver.resolve import Resolve
from mcp.server.mcpserver.tools import Tool
from mcp_types import ListRootsResult

from core.interface.caller import CALLER
from core.interface.ingestion import Ingested, IngestRequest
from service.app import App
from service.tools.arguments import OF_TOOL, ProjectId
from service.tools.progress import CallProgress, call_progress
from service.tools.roots import ask_for_roots, root_folders
from service.tools.validation import DELETES, make_tool, takes_record

#: How long a client may take to name its roots, in seconds: without them nothing can be read.
_PATIENCE: Final = 10.0


def ingestion_tools(app: App) -> list[Tool]:
    """Return the one tool."""

    async def open_roots(context: Context[Any, Any]) -> ListRoots | ListRootsResult | None:
        """Ask for the client's roots where they count: it is on this machine, and no setting names the folders."""
        is_asked = CALLER.get().is_here and not app.intake.roots
        return await ask_for_roots(context, _PATIENCE) if is_asked else None

    @takes_record(IngestRequest, **OF_TOOL["ingest"])
    def ingest(
        asked: IngestRequest,
        *,
        roots: Annotated[ListRootsResult | None, Resolve(open_roots)],
        progress: Annotated[CallProgress | None, Resolve(call_progress)],
        project_id: ProjectId = "default",
    ) -> Ingested:
        """Store a file or folder (documents, mails, chats, exports): what changed.

        Only if asked. For a text, use remember.
        """
        return app.ingest(asked, project_id, roots=root_folders(roots), watcher=progress)

    return [make_tool(ingest, "Ingest", DELETES)]
