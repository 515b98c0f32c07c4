"""Settings, wiring, and the ways in: command line, MCP tools, HTTP, and the owner of a home."""

__version__ = "0.1.0"
