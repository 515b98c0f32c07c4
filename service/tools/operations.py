"""The MCP tools: one for each operation of the table, bound to an app."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

from mcp.server.mcpserver import Context, ListRoots
from mcp.server.mcpserver.resolve import Resolve
from mcp.server.mcpserver.tools import Tool
from mcp_types import ListRootsResult

from core.interface.caller import CALLER
from core.interface.context_question import ContextQuestion
from core.interface.ingestion import Ingested, IngestRequest
from core.interface.operations import OPERATIONS
from service.app import App
from service.owner.listener import CLIENT_FOLDER
from service.tools.bindings import CHECKS, RUNS
from service.tools.progress import CallProgress, call_progress
from service.tools.roots import ask_for_roots, client_roots, root_folders
from service.tools.validation import make_tool
from service.workspace import Workspaces, project_folder

#: How long a client may take to name its roots, in seconds, where without them nothing can be read.
_PATIENCE: Final = 10.0


def tools(app: App) -> list[Tool]:
    """Return the tools of docs/interface.md, bound to `app`."""
    asking: dict[str, Callable[..., Any]] = {"memory_context": _memory_context(app), "ingest": _ingest(app)}
    return [
        make_tool(one, asking.get(one.name) or partial(RUNS[one.name], app), CHECKS.get(one.name)) for one in OPERATIONS
    ]


def _memory_context(app: App) -> Callable[..., str]:
    def run(
        question: ContextQuestion, *, roots: Annotated[ListRootsResult | None, Resolve(client_roots)], project_id: str
    ) -> str:
        return app.memory_context(question, project_id, found=_places(app).detect(question, root_folders(roots)))

    return run


def _places(app: App) -> Workspaces:
    """Return the folders that may be inspected: clients of the owner's socket run as this user, while whoever else
    sends a token would learn what this user alone can read."""
    if not CALLER.get().is_here:
        return Workspaces(reads=False)
    folder = CLIENT_FOLDER.get()
    return app.workspaces if folder is None else Workspaces(own=project_folder(Path(folder)))


def _ingest(app: App) -> Callable[..., Ingested]:
    async def open_roots(context: Context[Any, Any]) -> ListRoots | ListRootsResult | None:
        """Ask for the client's roots where they count: it is on this machine, and no setting names the folders."""
        is_asked = CALLER.get().is_here and not app.intake.roots
        return await ask_for_roots(context, _PATIENCE) if is_asked else None

    def run(
        asked: IngestRequest,
        *,
        roots: Annotated[ListRootsResult | None, Resolve(open_roots)],
        progress: Annotated[CallProgress | None, Resolve(call_progress)],
        project_id: str,
    ) -> Ingested:
        return app.ingest(asked, project_id, roots=root_folders(roots), watcher=progress)

    return run
