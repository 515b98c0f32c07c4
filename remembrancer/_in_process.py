"""The tools in this process, where the vectors are on a server and no process owns them."""

import json
from pathlib import Path

from core.interface.results import to_json
from service.settings import load_settings
from service.tools.operations import make_roots, tools
from service.tools.validation import call
from service.wiring import open_app
from service.workspace import Workspaces, working_folder


class InProcessTools:
    """Calls tools of a service opened in this process. Fulfils `remembrancer._client.Tools`."""

    def __init__(self, home: Path) -> None:
        """Open the stores that the settings name and begin background work. Raises as `open_app` does."""
        self._app = open_app(load_settings(home))
        self._app.workspaces = Workspaces(own=working_folder())
        self._app.start()
        self._tools = {tool.name: tool for tool in tools(self._app)}

    def call(self, tool: str, arguments: str) -> object:
        given = json.loads(arguments)
        # A program may read what its user may: what it names is open.
        asked = {"roots": make_roots([given["path"]])} if tool == "ingest" else {}
        return to_json(call(self._tools[tool], given, **asked))

    def close(self) -> None:
        self._app.close()
