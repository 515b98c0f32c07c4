"""`serve`, and what else needs the MCP server, which imports `service`: imported when it is needed, by its name."""

from server import browse, configure, listener_of, run

__all__ = ["browse", "configure", "listener_of", "run"]
