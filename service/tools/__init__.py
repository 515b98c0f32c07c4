"""MCP tools: wording and mapping only; `service.app` does the work."""
